"""Redundant, obsolete, trivial: verdicts on candidates, with given similarities and with the real model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp import entries, identity
from omp.embed.hashing import HashEmbedder
from omp.embed.usem3 import Usem3
from omp.model import Candidate, Evidence, Judged, Memory, Struct, Verdict
from omp.rot import Limits, judge, length, trivial


class Known(Struct, frozen=True, kw_only=True):
    """What a store would say it knows."""

    keys: dict[str, str] = {}
    refused_keys: frozenset[str] = frozenset()
    refused_places: frozenset[str] = frozenset()


def say(claim: str, at: str = "2026-03-02T09:00:00Z", **fields: Any) -> Candidate:
    """Make a candidate the person said for sure."""
    evidence = Evidence(agent="generic", session=at, entry="m1", role="user", at=at, quote=claim)
    defaults: dict[str, Any] = {"kind": "constraint", "confidence": 0.9, "rules": ("constraint.must",)}
    return Candidate(claim=claim, evidence=(evidence,), **(defaults | fields))


def stored(claim: str, at: str = "2026-01-10T08:00:00Z", **fields: Any) -> Memory:
    """Make an entry that stands in the store."""
    return entries.from_candidate(say(claim, at, **fields))


def near(value: float) -> Any:
    """Give a similarity that is the same for all."""
    return lambda a, b: value


def one(new: Candidate, old: Sequence[Memory] = (), value: float = 0.0, **more: Any) -> Verdict:
    """Judge one candidate with a given similarity."""
    return judge([new], more.pop("known", Known()), old, similarity=near(value), **more)[0].verdict


# --- what needs no comparison ---


def test_what_extraction_drops_stays_dropped_for_its_reason() -> None:
    verdict = one(say("We might use Rust one day.", drop="hypothetical"))
    assert (verdict.action, verdict.reason) == ("drop", "hypothetical")


def test_ephemeral_is_not_stored() -> None:
    assert one(say("Use port 9 just this once.", scope="EPHEMERAL")).reason == "ephemeral"


def test_what_was_refused_does_not_come_back_by_key_or_place() -> None:
    candidate = say("Never deploy on Fridays.")
    by_key = Known(refused_keys=frozenset({entries.key_of(candidate)}))
    place = identity.place("generic", "2026-03-02T09:00:00Z", "m1", "constraint")
    by_place = Known(refused_places=frozenset({place}))
    for known in (by_key, by_place):
        assert one(candidate, known=known).reason == "refused"
        asked = say("Never deploy on Fridays.", asked=True)
        assert one(asked, known=known).action == "keep"


def test_a_known_key_adds_evidence_whatever_the_status() -> None:
    candidate = say("Never deploy on Fridays.")
    known = Known(keys={entries.key_of(candidate): "con-aaaaaaaaaa"})
    verdict = one(candidate, known=known)
    assert (verdict.action, verdict.effect, verdict.against) == ("keep", "evidence", "con-aaaaaaaaaa")


def test_an_uncertain_repetition_adds_nothing() -> None:
    candidate = say("Never deploy on Fridays.", confidence=0.5)
    known = Known(keys={entries.key_of(candidate): "con-aaaaaaaaaa"})
    assert one(candidate, known=known).action == "drop"


def test_the_same_words_twice_in_a_batch_are_one_entry() -> None:
    first, second = judge([say("Keep it short."), say("keep it short")], Known(), [])
    assert first.verdict.effect == "add"
    assert (second.verdict.effect, second.id) == ("evidence", first.id)


@pytest.mark.parametrize(
    ("confidence", "action"), [(0.39, "drop"), (0.4, "stage"), (0.69, "stage"), (0.7, "keep"), (1.0, "keep")]
)
def test_confidence_decides_where_it_goes(confidence: float, action: str) -> None:
    assert one(say("Never deploy on Fridays.", confidence=confidence)).action == action


# --- trivial ---


@pytest.mark.parametrize(
    "claim",
    ["ok", "OK, thanks!", "Sounds good.", "go ahead", "好的", "好的，谢谢！", "没问题，继续吧", "嗯嗯", "LGTM 👍"[:4]],
)
def test_acknowledgements_are_trivial_even_where_a_rule_fired(claim: str) -> None:
    assert trivial(claim, ("some.rule",)) == "acknowledgement"


@pytest.mark.parametrize(
    "claim", ["ok, but use tabs", "好的，但是要用制表符缩进", "Thanks to caching it is fast", "继续使用 Flask"]
)
def test_words_that_begin_like_an_acknowledgement_are_not_one(claim: str) -> None:
    assert trivial(claim, ("some.rule",)) == ""


@pytest.mark.parametrize(
    ("claim", "reason"), [("a" * 9, "too short"), ("a" * 10, ""), ("别用缩写", ""), ("用缩写", "too short")]
)
def test_short_texts_without_a_rule_are_trivial(claim: str, reason: str) -> None:
    assert trivial(claim, ()) == reason
    assert trivial(claim, ("some.rule",)) == ""


def test_a_chinese_character_counts_two_and_a_half() -> None:
    assert length("用 uv") == 5.5


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Always use {{tool_name}} here", "template"),
        ("Decision: [insert decision here]", "template"),
        ("【请填写】负责发布", "template"),
        ("As in dec-abcdefghij we use YAML", "recalled"),
        ("[SCOPE:PERSONAL][CONF:0.9] likes tea", "recalled"),
    ],
)
def test_leaks_of_templates_and_recall_are_trivial(claim: str, reason: str) -> None:
    assert trivial(claim, ("some.rule",)) == reason


# --- redundant, with given similarities ---


@pytest.mark.parametrize(
    ("value", "effect"), [(0.85, "add"), (0.8501, "merge"), (0.9499, "merge"), (0.95, "evidence"), (1.0, "evidence")]
)
def test_limits_of_redundancy(value: float, effect: str) -> None:
    old = stored("Write commit messages in English.")
    verdict = one(say("All commit messages are to be written in English."), [old], value)
    assert (verdict.action, verdict.effect) == ("keep", effect)
    assert verdict.against == old.id


def test_thresholds_come_from_the_limits() -> None:
    old = stored("Write commit messages in English.")
    new = say("All commit messages are to be written in English.")
    assert one(new, [old], 0.9, limits=Limits(merge=0.92)).effect == "add"
    assert one(new, [old], 0.9, limits=Limits(merge=0.8, same=0.9)).effect == "evidence"
    assert one(say("Write tests.", confidence=0.6), limits=Limits(keep=0.6)).action == "keep"


def test_shorter_words_for_the_same_add_evidence_only() -> None:
    old = stored("All commit messages are to be written in English.")
    assert one(say("Write commit messages in English."), [old], 0.9).effect == "evidence"


def test_an_agents_words_do_not_replace_a_persons() -> None:
    old = stored("Write commit messages in English.")
    new = say("All commit messages are to be written in English.", origin="assistant")
    assert one(new, [old], 0.9).effect == "evidence"


def test_superseded_entries_are_not_compared_with() -> None:
    old = stored("Write commit messages in English.")
    _, gone = entries.superseding(stored("Write commit messages in German."), old)
    assert one(say("All commit messages are to be written in English."), [gone], 0.99).effect == "add"


def test_an_uncertain_candidate_that_says_nothing_new_is_dropped() -> None:
    old = stored("Write commit messages in English.")
    verdict = one(say("All commit messages are to be written in English.", confidence=0.5), [old], 0.9)
    assert (verdict.action, verdict.reason) == ("drop", "redundant")


def test_earlier_ones_of_the_batch_count() -> None:
    batch = [say("Write commit messages in English."), say("Commit messages: English only, please.")]
    first, second = judge(batch, Known(), [], similarity=near(0.97))
    assert (second.verdict.effect, second.verdict.against) == ("evidence", first.id)


# --- obsolete, with given similarities ---


def test_bu_in_buduan_negates_nothing() -> None:
    verdict = one(say("不断压缩镜像体积"), [stored("持续压缩镜像体积")], 0.93)
    assert (verdict.action, verdict.reason) == ("keep", "redundant")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("夜班可以重启主机", "夜班不可以重启主机"),
        ("Restarting the gateway at noon is allowed.", "Restarting the gateway at noon is not allowed."),
        ("The preview server listens on port 4000.", "The preview server listens on port 4100."),
        ("预览服务器监听 4000 端口。", "预览服务器监听 4100 端口。"),
        ("Sessions are cached in Redis.", "Sessions are cached in Memcached."),
        ("Answer in English.", "Answer in Chinese."),
    ],
)
def test_a_newer_value_of_the_same_thing_supersedes(old: str, new: str) -> None:
    before = stored(old)
    verdict = one(say(new), [before], 0.94)
    assert (verdict.action, verdict.effect, verdict.against) == ("keep", "supersede", before.id)


def test_an_older_value_does_not_come_back_from_an_old_log() -> None:
    now = stored("The preview server listens on port 4100.", at="2026-03-01T00:00:00Z")
    verdict = one(say("The preview server listens on port 4000.", at="2026-02-01T00:00:00Z"), [now], 0.94)
    assert (verdict.action, verdict.reason) == ("drop", "obsolete")


def test_an_agent_does_not_retire_what_a_person_said() -> None:
    before = stored("The preview server listens on port 4000.")
    new = say("The preview server listens on port 4100.", origin="assistant")
    assert one(new, [before], 0.94).effect == "contradict"


def test_an_uncertain_correction_waits_for_a_person() -> None:
    before = stored("The preview server listens on port 4000.")
    verdict = one(say("The preview server listens on port 4100.", confidence=0.5), [before], 0.94)
    assert (verdict.action, verdict.effect, verdict.against) == ("stage", "none", before.id)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nadia runs the data team.", "Nadia tends the coffee machine."),
        ("Nadia was on duty in week 12.", "Nadia is on duty in week 20."),
        ("娜佳在第 12 周值班。", "娜佳在第 20 周值班。"),
        ("The nightly export reads from the mirror.", "Do not forget to refresh the mirror before the nightly export."),
        ("夜间导出从镜像库读取。", "别忘了在夜间导出之前刷新镜像库。"),
    ],
)
def test_what_is_additional_retires_nothing(old: str, new: str) -> None:
    verdict = one(say(new), [stored(old)], 0.86 if "mirror" in old or "镜像" in old else 0.84)
    assert (verdict.action, verdict.effect) == ("keep", "add")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We build with Jenkins.", "We switched from Jenkins to Buildkite."),
        ("Builds run on Jenkins.", "We no longer use Jenkins."),
        ("构建用 Jenkins。", "构建已从 Jenkins 换成 Buildkite。"),
        ("构建用 Jenkins。", "不再用 Jenkins 了，改用 Buildkite。"),
        ("构建用 Jenkins。", "把 Jenkins 换成 Buildkite。"),
    ],
)
def test_a_stated_retirement_supersedes_below_the_limit(old: str, new: str) -> None:
    before = stored(old)
    verdict = one(say(new), [before], 0.7)
    assert (verdict.effect, verdict.against) == ("supersede", before.id)


def test_a_retirement_without_a_target_is_simply_new() -> None:
    assert one(say("We switched from Jenkins to Buildkite."), [stored("Lunch is at noon.")], 0.7).effect == "add"
    assert one(say("We switched from Jenkins to Buildkite."), []).effect == "add"


def test_retiring_one_part_of_an_entry_leaves_the_rest() -> None:
    before = stored("前端用 Vue，网关用 Kong，消息用 RabbitMQ")
    new = say("消息已从 RabbitMQ 迁移到 NATS，因为更轻", kind="decision")
    linked = one(new, [before], 0.79)
    assert (linked.effect, linked.detail) == ("contradict", "only in part: 消息用 RabbitMQ")
    change, rest = judge([new], Known(), [before], similarity=near(0.79), split=True)
    assert (change.verdict.effect, change.verdict.against) == ("supersede", before.id)
    assert rest.candidate.claim == "前端用 Vue，网关用 Kong"
    assert rest.candidate.evidence == before.evidence


def test_one_entry_is_retired_once_in_a_batch() -> None:
    before = stored("The preview server listens on port 4000.")
    batch = [say("The preview server listens on port 4100."), say("The preview server listens on port 4200.")]
    first, second = judge(batch, Known(), [before], similarity=near(0.94))
    assert first.verdict.against == before.id
    assert (second.verdict.effect, second.verdict.against) == ("supersede", first.id)


# --- facts ---


def fact(value: str, at: str = "2026-03-02T09:00:00Z") -> Candidate:
    """Make a fact about where the web shop is deployed."""
    return say(f"The shop runs at {value}.", at, kind="deployment", pointer="/deployment/shop/url", value=value)


def test_a_fact_is_its_pointer() -> None:
    before = entries.from_candidate(fact("shop.example", at="2026-01-01T00:00:00Z"))
    known = Known(keys={before.keys[0]: before.id})
    same = judge([fact("shop.example")], known, [before])[0]
    assert (same.verdict.effect, same.id) == ("evidence", before.id)
    changed = judge([fact("shop2.example")], known, [before])[0]
    assert (changed.verdict.reason, changed.verdict.effect, changed.id) == ("update", "add", before.id)
    late = judge([fact("old.example", at="2025-01-01T00:00:00Z")], known, [before])[0]
    assert late.verdict.reason == "obsolete"


# --- with models ---


def test_without_a_model_nothing_is_merged() -> None:
    old = stored("Write all the commit messages in plain English.")
    new = say("Write all of the commit messages in plain English!")
    assert judge([new], Known(), [old])[0].verdict.effect == "add"
    assert judge([new], Known(), [old], embedder=HashEmbedder())[0].verdict.effect == "add"


def effects(judged: Sequence[Judged]) -> list[str]:
    """Give the effects of verdicts."""
    return [j.verdict.effect for j in judged]


def test_the_real_model_finds_repetition_in_both_languages(tmp_path: Path) -> None:
    model = Usem3(tmp_path)
    old = [stored("Commit messages are written in English."), stored("服务日志保留三十天。"), stored("I like hiking.")]
    new = [
        say("Write commit messages in English."),
        say("服务的日志保留 30 天。"),
        say("服务日志保留九十天。"),
        say("The garden needs water in July."),
    ]
    judged = judge(new, Known(), old, embedder=model, cache=tmp_path)
    assert effects(judged) == ["evidence", "merge", "supersede", "add"]
    assert [j.verdict.against for j in judged[:3]] == [old[0].id, old[1].id, old[1].id]
    vectors = model.encode([m.claim for m in old])
    assert judge(new, Known(), old, embedder=model, vectors=vectors) == judged


def test_near_a_limit_the_model_takes_the_careful_outcome(tmp_path: Path) -> None:
    model = Usem3(tmp_path)
    old, new = stored("Commit messages are written in English."), say("Write commit messages in English.")
    value = judge([new], Known(), [old], embedder=model)[0].verdict.similarity
    for distance, effect in ((0.0015, "add"), (0.0025, "evidence")):
        limits = Limits(merge=value - distance, same=0.999)
        assert judge([new], Known(), [old], embedder=model, limits=limits)[0].verdict.effect == effect


# --- laws ---

CLAIMS = st.sampled_from(
    [
        "The preview server listens on port 4000.", "The preview server listens on port 4100.", "构建用 Jenkins。",
        "构建已从 Jenkins 换成 Buildkite。", "Deploy on Monday.", "Do not deploy on Monday.", "ok", "日志保留三十天。",
    ]
)  # fmt: skip
BATCH = st.lists(st.tuples(CLAIMS, st.integers(1, 9), st.sampled_from([0.3, 0.5, 0.9])), max_size=6)


@given(BATCH, BATCH, st.sampled_from([0.0, 0.7, 0.86, 0.97]))
def test_verdicts_hold_together(
    before: list[tuple[str, int, float]], batch: list[tuple[str, int, float]], value: float
) -> None:
    memories = list({m.id: m for m in (stored(c, f"2026-01-0{d}T00:00:00Z") for c, d, _ in before)}.values())
    new = [say(c, f"2026-02-0{d}T00:00:00Z", confidence=sure) for c, d, sure in batch]
    judged = judge(new, Known(), memories, similarity=near(value))
    assert [j.candidate for j in judged] == new
    targets = {m.id for m in memories} | {j.id for j in judged}
    retired = [j.verdict.against for j in judged if j.verdict.effect == "supersede"]
    assert len(set(retired)) == len(retired)
    for j in judged:
        assert j.verdict.reason
        if j.verdict.effect in ("evidence", "merge", "supersede", "contradict"):
            assert j.verdict.against in targets
            assert j.verdict.action == "keep"
    assert judge(new, Known(), memories, similarity=near(value)) == judged
