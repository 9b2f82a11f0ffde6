"""Calibration and comparison: what a similarity means, and what two statements are to each other."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from omp.commands.compare import command
from omp.embed import calibration, language_pair
from omp.embed.calibration import LANGUAGE_PAIRS, Calibration
from omp.embed.compare import FEATURES, compare, compare_all
from omp.embed.fitting import labelled_pairs, rows
from omp.embed.hashing import HashEmbedder
from omp.embed.usem3 import Usem3

from .own_pairs import own_pairs

SCALE = calibration(Usem3(None))


def test_the_default_model_is_calibrated_for_every_pair_of_languages() -> None:
    assert SCALE.known
    assert set(SCALE.pairs) == set(SCALE.centroids) == set(LANGUAGE_PAIRS)
    assert SCALE.decision is not None
    assert SCALE.decision.features == FEATURES


def test_a_model_without_a_profile_is_not_known() -> None:
    other = calibration(HashEmbedder())
    assert not other.known
    assert other.pair(0.7, "en-en") == 0.7
    assert other.pair(-0.7, "zh-zh") == 0.0


def test_another_revision_is_not_calibrated() -> None:
    class Newer(Usem3):
        revision = "0.3"

    assert not calibration(Newer(None)).known


@pytest.mark.parametrize("langs", LANGUAGE_PAIRS)
@given(one=st.floats(-1, 1), other=st.floats(-1, 1))
def test_the_scale_never_falls_and_stays_within_bounds(langs: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    for of in (SCALE.pair, SCALE.centroid):
        assert 0 <= of(low, langs) <= of(high, langs) <= 1


def test_the_scale_goes_through_its_knots() -> None:
    scale = Calibration(model="m", revision="1", pairs={"en-en": ((-1.0, 0.0), (0.5, 0.62), (0.7, 0.85), (1.0, 1.0))})
    assert scale.pair(0.5, "en-en") == pytest.approx(0.62)
    assert scale.pair(0.6, "en-en") == pytest.approx(0.735)
    assert scale.pair(0.7, "en-en") == pytest.approx(0.85)
    assert scale.pair(1.0, "en-en") == 1.0


@pytest.mark.parametrize(
    ("a", "b", "langs"),
    [
        ("Use tabs.", "Use spaces.", "en-en"),
        ("用制表符。", "用 Tab 缩进 Go 代码。", "zh-zh"),
        ("Use tabs.", "用制表符。", "cross"),
        ("主库用 PostgreSQL", "缓存用 Redis", "zh-zh"),
    ],
)
def test_the_languages_of_a_pair_are_seen(a: str, b: str, langs: str) -> None:
    assert language_pair(a, b) == langs


def test_the_shipped_statements_are_enough_and_of_our_own_making() -> None:
    counts = Counter(language_pair(p.a, p.b) for p in labelled_pairs())
    assert counts["en-en"] >= 300
    assert counts["zh-zh"] >= 300
    assert counts["cross"] >= 150
    assert {t for _, _, a, b in own_pairs() for t in (a, b)}.isdisjoint(t for r in rows() for t in (*r.en, *r.zh)), (
        "what is measured on must not be what was learnt from"
    )


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("The office closes at 18:00.", "The office closes at 18:00.", "duplicate"),
        ("Every service logs as JSON.", "All services write their logs in JSON.", "duplicate"),
        ("所有服务的日志都用 JSON。", "每个服务都以 JSON 格式打日志。", "duplicate"),
        ("Every service logs as JSON.", "所有服务都用 JSON 写日志。", "duplicate"),
        ("The office closes at 18:00.", "The office closes at 20:00.", "contradiction"),
        ("发布要经过审批。", "发布不要经过审批。", "contradiction"),
        ("Every service logs as JSON.", "My sister plays the violin.", "unrelated"),
        ("所有服务的日志都用 JSON。", "我妹妹会拉小提琴。", "unrelated"),
    ],
)
def test_compare_tells_what_two_statements_are(model: Usem3, a: str, b: str, relation: str) -> None:
    assert compare(a, b, model).relation == relation


def test_compare_does_not_depend_on_the_sides_or_the_company(model: Usem3) -> None:
    pairs = [(a, b) for _, _, a, b in own_pairs()[:60]]
    forward = compare_all(pairs, model)
    backward = compare_all([(b, a) for a, b in reversed(pairs)], model)[::-1]
    for one, other in zip(forward, backward, strict=True):
        assert (one.relation, one.similarity, one.raw) == (other.relation, other.similarity, other.raw)


def test_what_the_guard_objects_to_is_never_a_duplicate(model: Usem3) -> None:
    for found in compare_all([(a, b) for _, _, a, b in own_pairs()], model):
        assert not (found.guard and found.relation == "duplicate")


def test_without_calibration_only_equal_texts_are_duplicates() -> None:
    plain = HashEmbedder()
    assert compare("Lock the door.", "lock the door", plain).relation == "duplicate"
    assert compare("Lock the door now.", "Lock the door, now!", plain).relation != "duplicate"


def test_compare_holds_its_floors_on_pairs_it_has_not_learnt_from(model: Usem3) -> None:
    pairs = own_pairs()
    found = compare_all([(a, b) for _, _, a, b in pairs], model)
    for lang in ("en", "zh", "mix"):
        table = Counter((p[0], f.relation) for p, f in zip(pairs, found, strict=True) if p[1] == lang)
        called = sum(n for (_, got), n in table.items() if got == "duplicate")
        wanted = sum(n for (label, _), n in table.items() if label == "duplicate")
        against = sum(n for (label, _), n in table.items() if label == "contradiction")
        assert table["duplicate", "duplicate"] >= 0.88 * called
        assert table["duplicate", "duplicate"] >= 0.78 * wanted
        assert table["contradiction", "duplicate"] <= 0.04 * against


def test_the_verb_answers_a_line_for_a_line(tmp_path: Path) -> None:
    lines = [
        {"id": "1", "a": "Lock the door at 22:00.", "b": "Lock the door at 23:00."},
        {"id": 2, "a": "关灯。", "b": "关灯"},
    ]
    feed = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    done = CliRunner().invoke(command, ["--jsonl"], input=feed)
    assert done.exit_code == 0, done.output
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["id"] for a in answers] == ["1", 2]
    assert answers[0]["relation"] == "contradiction"
    assert answers[0]["guard"] == ["number: 22:00 / 23:00"]
    assert answers[1]["relation"] == "duplicate"
    assert set(answers[0]) >= {"id", "relation", "similarity", "raw", "guard"}
