"""Themes kept in step with entries: limits, laws for any order of arrival, stability, margins, integrity."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omp.errors import UsageError
from omp.model import Preference, Theme, ThemeConfig, ThemeIndex, Timestamps
from omp.themes import Member, Rules, Synced, attach, centres, check, in_force, member_of, rebuild, sync
from omp.themes.titles import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MODEL = "test-model"


class Plain:
    """The calibrated scale is the raw cosine."""

    def pair(self, raw: float, langs: str) -> float:
        return raw

    def centroid(self, raw: float, langs: str) -> float:
        return raw


class CrossOnly(Plain):
    """Takes two languages for unrelated, whatever the cosine."""

    def pair(self, raw: float, langs: str) -> float:
        return 0.0 if langs == "cross" else raw

    centroid = pair


def entry(number: int, text: str = "", at: str = "") -> Member:
    name = "".join("abcdefghij"[int(d)] for d in f"{number:010d}")
    return Member(
        id=f"dec-{name}",
        created_at=at or f"2026-01-{number // 24 + 1:02d}T{number % 24:02d}:00:00Z",
        text=text or f"statement {number}",
    )


def angles(*degrees: float) -> Vectors:
    return np.array([[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees], dtype=np.float32)


def towards(cosine: float) -> float:
    return math.degrees(math.acos(cosine))


def groups(index: ThemeIndex) -> set[frozenset[str]]:
    return {frozenset(e for e, t in index.members.items() if t == theme.id) for theme in index.themes}


def build(entries: Sequence[Member], vectors: Vectors, **options: float) -> ThemeIndex:
    return rebuild(entries, vectors, Plain(), model=MODEL, **options)  # type: ignore[arg-type]


def index_of(themes: dict[str, Sequence[Member]], config: ThemeConfig | None = None) -> ThemeIndex:
    return ThemeIndex(
        config=config or ThemeConfig(model=MODEL),
        themes=tuple(
            Theme(id=t, title=t, created_at=min(e.created_at for e in es)) for t, es in sorted(themes.items())
        ),
        members={e.id: t for t, es in themes.items() for e in es},
    )


# --- limits ---


@pytest.mark.parametrize(
    ("similarity", "margin", "attaches"),
    [(0.62, 0.0, True), (0.6199, 0.0, False), (0.62, 0.002, False), (0.6219, 0.002, False), (0.6221, 0.002, True)],
)
def test_a_memory_attaches_from_the_limit_on_and_leaves_the_theme_within_the_margin(
    similarity: float, margin: float, attaches: bool
) -> None:
    assert Rules(margin=margin).attaches(similarity) is attaches


@pytest.mark.parametrize(
    ("similarity", "size", "margin", "joins"),
    [
        (0.78, 4, 0.0, False),
        (0.7801, 4, 0.0, True),
        (0.7819, 4, 0.002, False),
        (0.7821, 4, 0.002, True),
        (0.95, 10, 0.002, True),
        (0.95, 11, 0.002, False),
    ],
)
def test_two_themes_join_only_above_the_limit_and_up_to_the_cap(
    similarity: float, size: int, margin: float, joins: bool
) -> None:
    assert Rules(margin=margin).joins(similarity, size) is joins


def test_ten_members_stay_and_eleven_split() -> None:
    members = [entry(i) for i in range(11)]
    vectors = angles(*[i / 10 for i in range(5)], *[20 + i / 10 for i in range(6)])
    ten = sync(index_of({"th-a": members[:10]}), members[:10], vectors[:10], Plain(), model=MODEL).index
    eleven = sync(index_of({"th-a": members}), members, vectors, Plain(), model=MODEL).index
    assert len(ten.themes) == 1
    assert groups(eleven) == {frozenset(m.id for m in members[:5]), frozenset(m.id for m in members[5:])}


def test_of_two_equally_good_themes_the_older_takes_the_memory() -> None:
    members = [entry(5), entry(1), entry(9)]
    placed = attach(
        index_of({"th-aaa": members[:1], "th-bbb": members[1:2]}), members, angles(40, -40, 0), Plain(), model=MODEL
    ).index
    assert placed.members[members[2].id] == placed.members[members[1].id] != placed.members[members[0].id]


def test_a_full_theme_is_passed_over_for_the_next_best_or_a_new_one() -> None:
    members = [entry(i) for i in range(12)]
    full, other = members[:10], members[10:11]
    near = angles(*[0.0] * 10, 45, 0)
    placed = attach(index_of({"th-a": full, "th-b": other}), members, near, Plain(), model=MODEL).index
    assert placed.members[members[11].id] == placed.members[members[10].id]
    far = angles(*[0.0] * 10, 90, 0)
    placed = attach(index_of({"th-a": full, "th-b": other}), members, far, Plain(), model=MODEL).index
    assert len(placed.themes) == 3


def test_thresholds_come_from_the_index() -> None:
    config = ThemeConfig(attach=0.70, merge=0.90, max_members=6, model=MODEL)
    two = [entry(0), entry(1)]
    strict = rebuild(two, angles(0, towards(0.65)), Plain(), model=MODEL, config=config)
    loose = rebuild(two, angles(0, towards(0.65)), Plain(), model=MODEL)
    assert (len(strict.themes), len(loose.themes)) == (2, 1)
    seven = [entry(i) for i in range(7)]
    split = sync(index_of({"th-a": seven}, config), seven, angles(*range(7)), Plain(), model=MODEL).index
    assert len(split.themes) == 2
    assert split.config == config


def test_values_out_of_range_are_named_and_the_defaults_stay_in_force() -> None:
    config = ThemeConfig(attach=1.7, max_members=1, merge=0.9)
    assert in_force(config) == ThemeConfig(merge=0.9)
    codes = [(p.code, p.message) for p in check(ThemeIndex(config=config), ())]
    assert [c for c, _ in codes] == ["theme-config", "theme-config"]
    assert "attach is 1.7" in codes[0][1]


# --- split and join do not undo each other ---


def test_two_halves_too_alike_and_too_large_settle_in_one_run() -> None:
    members = [entry(i) for i in range(12)]
    half = towards(0.80) / 2
    vectors = angles(*[half + i / 5 for i in range(6)], *[-half - i / 5 for i in range(6)])
    index = index_of({"th-a": members})
    files = []
    for _ in range(3):
        index = sync(index, members, vectors, Plain(), model=MODEL).index
        files.append(msgspec.json.encode(index))
    assert files[0] == files[1] == files[2]
    assert sorted(len(g) for g in groups(index)) == [6, 6]
    assert len(index.members) == 12


def test_a_theme_falls_into_its_components_before_it_is_cut() -> None:
    members = [entry(i) for i in range(11)]
    vectors = angles(*[i / 10 for i in range(4)], *[90 + i / 10 for i in range(4)], *[180 + i / 10 for i in range(3)])
    index = sync(index_of({"th-a": members}), members, vectors, Plain(), model=MODEL).index
    assert sorted(len(g) for g in groups(index)) == [3, 4, 4]


def test_equal_vectors_are_cut_by_age() -> None:
    members = [entry(i) for i in range(25)]
    index = sync(index_of({"th-a": members}), members, angles(*[10.0] * 25), Plain(), model=MODEL).index
    assert sorted(len(g) for g in groups(index)) == [6, 6, 6, 7]
    assert index == sync(index, members, angles(*[10.0] * 25), Plain(), model=MODEL).index


def test_languages_have_scales_of_their_own() -> None:
    members = [entry(0, "cache pages in Redis"), entry(1, "页面缓存在 Redis"), entry(2, "缓存页面十分钟")]
    index = rebuild(members, angles(0, 0, 1), CrossOnly(), model=MODEL)
    assert groups(index) == {frozenset({members[0].id}), frozenset(m.id for m in members[1:])}


# --- laws ---


def cloud(seed: int, count: int, topics: int, dim: int = 8) -> tuple[list[Member], Vectors]:
    generator = np.random.default_rng(seed)
    centers = generator.normal(size=(topics, dim))
    rows = centers[generator.integers(topics, size=count)] + generator.normal(scale=0.5, size=(count, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    days = generator.integers(1, 28, size=count)
    members = [entry(i, at=f"2026-01-{days[i]:02d}T00:00:00Z") for i in range(count)]
    return members, rows.astype(np.float32)


clouds = st.builds(cloud, st.integers(0, 10_000), st.integers(0, 45), st.integers(1, 6))


@given(clouds, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_rebuild_does_not_depend_on_the_order_and_is_idempotent(
    given_cloud: tuple[list[Member], Vectors], shuffler: random.Random
) -> None:
    members, vectors = given_cloud
    first = build(members, vectors)
    order = list(range(len(members)))
    shuffler.shuffle(order)
    again = build([members[i] for i in order], vectors[order])
    assert msgspec.json.encode(first) == msgspec.json.encode(again)
    assert sync(first, members, vectors, Plain(), model=MODEL) == Synced(index=first)


@given(clouds, st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_sync_from_any_index_is_sound_and_doing_it_again_changes_nothing(
    given_cloud: tuple[list[Member], Vectors], seed: int
) -> None:
    members, vectors = given_cloud
    generator = random.Random(seed)
    names = [f"th-{c * 10}" for c in "abcd"]
    old = ThemeIndex(
        config=ThemeConfig(model=MODEL),
        themes=tuple(Theme(id=n) for n in names),
        members={m.id: generator.choice([*names, "th-nowhere"]) for m in members if generator.random() < 0.7}
        | {"dec-vanished22": names[0]},
    )
    once = sync(old, members, vectors, Plain(), model=MODEL)
    assert set(once.index.members) == {m.id for m in members}
    assert not check(once.index, [m.id for m in members])
    assert all(len(g) <= 10 for g in groups(once.index))
    assert "dec-vanished22" in once.moved
    twice = sync(once.index, members, vectors, Plain(), model=MODEL)
    assert msgspec.json.encode(twice.index) == msgspec.json.encode(once.index)
    assert not twice.moved


@given(st.builds(cloud, st.integers(0, 10_000), st.integers(2, 45), st.integers(2, 6)))
@settings(max_examples=40, deadline=None)
def test_one_more_memory_changes_at_most_the_themes_it_touches(given_cloud: tuple[list[Member], Vectors]) -> None:
    members, vectors = given_cloud
    before = build(members[:-1], vectors[:-1])
    after = sync(before, members, vectors, Plain(), model=MODEL)
    old, new = groups(before), groups(after.index)
    touched = {e for g in new - old for e in g}
    assert len(new - old) <= 2
    assert len(touched) <= 20
    assert len(after.moved) <= 20


@given(st.builds(cloud, st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 5)), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_kept_themes_do_not_move_when_another_machine_rounds_otherwise(
    given_cloud: tuple[list[Member], Vectors], seed: int
) -> None:
    members, vectors = given_cloud
    index = build(members, vectors)
    noise = np.random.default_rng(seed).uniform(-1e-5, 1e-5, size=vectors.shape)
    elsewhere = (vectors + noise).astype(np.float32)
    elsewhere /= np.linalg.norm(elsewhere, axis=1, keepdims=True)
    assert groups(sync(index, members, elsewhere, Plain(), model=MODEL).index) == groups(index)


@pytest.mark.parametrize("similarity", [0.6185, 0.62, 0.6215])
@pytest.mark.parametrize("seed", range(5))
def test_near_the_limit_every_machine_leaves_the_theme(similarity: float, seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(-1e-4, 1e-4, size=(2, 2))
    vectors = (angles(0, towards(similarity)) + noise).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert len(build([entry(0), entry(1)], vectors).themes) == 2


@pytest.mark.parametrize("similarity", [0.7785, 0.78, 0.7815])
@pytest.mark.parametrize("seed", range(5))
def test_near_the_limit_every_machine_keeps_themes_apart(similarity: float, seed: int) -> None:
    members = [entry(i) for i in range(4)]
    noise = np.random.default_rng(seed).uniform(-1e-5, 1e-5, size=(4, 2))
    vectors = (angles(0, 0, towards(similarity), towards(similarity)) + noise).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = index_of({"th-a": members[:2], "th-b": members[2:]})
    assert len(sync(index, members, vectors, Plain(), model=MODEL).index.themes) == 2


# --- ids, titles, models, integrity ---


def test_a_theme_is_named_after_its_oldest_member() -> None:
    members = [entry(3), entry(1), entry(2)]
    index = build(members, angles(0, 1, 2))
    assert [t.id for t in index.themes] == ["th-" + members[1].id.removeprefix("dec-")]
    assert index.themes[0].created_at == members[1].created_at


def test_ids_of_another_form_give_well_formed_theme_ids_without_clashes() -> None:
    members = [Member(id=f"dec-2026-02-0{d}-001", created_at=f"2026-02-0{d}T00:00:00Z", text="x") for d in (1, 2)]
    index = build(members, angles(0, 90))
    assert len({t.id for t in index.themes}) == 2
    assert all(len(t.id) == 13 and t.id.startswith("th-") for t in index.themes)


def test_titles_hold_the_central_claim_and_key_terms_in_its_language() -> None:
    texts = [
        "Redis evicts old entries first.", "Cache product pages for ten minutes; never longer.", "Redis has two nodes.",
        "迁移脚本必须可以回滚。", "上线前先审查数据库改动。", "迁移脚本不许手工执行。",
        "The planning meeting is on Monday.",
    ]  # fmt: skip
    members = [entry(i, text) for i, text in enumerate(texts)]
    index = build(members, angles(-15, 0, 15, 105, 90, 75, 180))
    assert {t.title for t in index.themes} == {
        "Cache product pages for ten minutes (redis)",
        "The planning meeting is on Monday",
        "上线前先审查数据库改动（迁移脚本）",
    }


@pytest.mark.parametrize(
    ("claim", "title"),
    [
        ("Short.", "Short"),
        ("We keep logs for thirty days. Then they go.", "We keep logs for thirty days"),
        ("Use version 3.10 of Python everywhere", "Use version 3.10 of Python everywhere"),
        ("a" * 80, "a" * 59 + "…"),
        ("日志" * 20, "日志" * 14 + "日…"),
        ("word " * 20, "word " * 10 + "word…"),
        ("日志保留三十天。然后删除。", "日志保留三十天"),
    ],
)
def test_claims_are_shortened_to_their_first_sentence_and_sixty_columns(claim: str, title: str) -> None:
    assert shorten(claim) == title


def test_an_untouched_theme_keeps_its_title_and_a_reworded_one_does_not() -> None:
    members = [entry(0, "Deploy on Tuesdays."), entry(1, "Count the stock on Mondays.")]
    index = build(members, angles(0, 90))
    kept = msgspec.structs.replace(
        index, themes=tuple(msgspec.structs.replace(t, title=t.title + " (releases)") for t in index.themes)
    )
    reworded = [members[0], msgspec.structs.replace(members[1], text="Stock is counted on Fridays.")]
    after = sync(kept, reworded, angles(0, 90), Plain(), model=MODEL).index
    assert {t.title for t in after.themes} == {"Deploy on Tuesdays (releases)", "Stock is counted on Fridays"}


def test_neighbours_are_the_ten_nearest_themes() -> None:
    members = [entry(i) for i in range(15)]
    index = build(members, np.eye(15, dtype=np.float32) * 0.9 + 0.1 / 15)
    assert {len(t.neighbours) for t in index.themes} == {10}
    line = build(members[:3], angles(0, 60, 130))
    by_id = {t.id: t.neighbours for t in line.themes}
    first, second, third = sorted(by_id)
    assert by_id[first] == (second, third)
    assert by_id[third] == (second, first)


def test_another_model_moves_nothing_and_asks_for_a_rebuild() -> None:
    members = [entry(0), entry(1)]
    index = build(members, angles(0, 1))
    for other in (sync, attach):
        result = other(index, members, angles(0, 90), Plain(), model="another")
        assert result.index == index
        assert "test-model" in result.stale
        assert "omp themes rebuild" in result.stale
    assert rebuild(members, angles(0, 90), Plain(), model="another", config=index.config).config.model == "another"


def test_vanished_members_are_dropped_and_empty_themes_with_them() -> None:
    members = [entry(0), entry(1), entry(2)]
    index = build(members, angles(0, 1, 90))
    after = sync(index, members[1:2], angles(1), Plain(), model=MODEL)
    assert list(after.index.members) == [members[1].id]
    assert len(after.index.themes) == 1
    assert after.moved == tuple(m.id for m in members)  # the theme has the name of its oldest member


def test_check_names_what_is_wrong() -> None:
    index = ThemeIndex(
        themes=(Theme(id="th-ghost"), Theme(id="th-empty"), Theme(id="th-fine")),
        members={"dec-a": "th-fine", "dec-b": "th-nowhere", "dec-gone": "th-ghost", "dec-left": "th-fine"},
    )
    found = {(p.code, p.severity) for p in check(index, {"dec-a", "dec-b"})}
    assert found == {("member-missing", "error"), ("empty-theme", "warning"), ("theme-missing", "error")}
    assert not check(index_of({"th-a": [entry(0)]}), [entry(0).id, "dec-notplacedyet"])


def test_vectors_and_entries_must_match() -> None:
    with pytest.raises(UsageError, match="2 entries need as many vectors"):
        build([entry(0), entry(1)], angles(0))
    with pytest.raises(UsageError, match="given twice"):
        build([entry(0), entry(0)], angles(0, 1))


def test_no_entries_make_no_themes() -> None:
    assert build([], np.zeros((0, 4), dtype=np.float32)).themes == ()


def test_centres_are_the_means_of_the_members() -> None:
    members = [entry(0), entry(1), entry(2)]
    index = build(members, angles(0, 20, 120))
    ids, rows = centres(index, members, angles(0, 20, 120))
    assert ids == tuple(t.id for t in index.themes)
    assert np.allclose(rows, angles(10, 120), atol=1e-6)


def test_a_memory_is_a_member_by_its_claim() -> None:
    memory = Preference(id="pre-aaaaaaaaaa", claim="Answer briefly.", timestamps=Timestamps(created_at="2026-01-01"))
    assert member_of(memory) == Member(id="pre-aaaaaaaaaa", created_at="2026-01-01", text="Answer briefly.")
