"""Entries as values: evidence united in any order, times taken from evidence, links both ways."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from omp import entries, identity
from omp.model import Candidate, Evidence


def piece(n: int, at: int = 0) -> Evidence:
    quote = f"quote {n}"
    return Evidence(
        agent="generic", session="s", entry=f"m{n}", role="user", at=f"2026-03-{at or n + 1:02d}T10:00:00Z",
        quote=quote, digest=identity.quote_digest(quote),
    )  # fmt: skip


PIECES = st.lists(st.builds(piece, st.integers(0, 12), st.integers(1, 5)), max_size=12)


@given(PIECES, PIECES, PIECES)
def test_uniting_evidence_is_a_law_of_its_own(a: list[Evidence], b: list[Evidence], c: list[Evidence]) -> None:
    left = entries.cap([*entries.cap([*a, *b]), *c])
    right = entries.cap([*a, *entries.cap([*b, *c])])
    assert left == right == entries.cap([*c, *b, *a])
    assert entries.cap(left) == left
    assert len(left) <= 5


def test_the_first_and_the_last_four_pieces_are_kept() -> None:
    assert [e.entry for e in entries.cap(piece(n) for n in range(9))] == ["m0", "m5", "m6", "m7", "m8"]


def candidate(claim: str = "Use YAML", **more: object) -> Candidate:
    fields = {"kind": "decision", "confidence": 0.9, "evidence": (piece(1), piece(4)), "choice": "YAML", **more}
    return Candidate(claim=claim, **fields)  # type: ignore[arg-type]


def test_an_entry_has_the_times_of_its_evidence_and_keeps_its_key() -> None:
    memory = entries.from_candidate(candidate())
    assert memory.id == f"dec-{entries.key_of(candidate())}"
    assert (memory.date, memory.timestamps.created_at) == ("2026-03-02", "2026-03-02T10:00:00Z")
    assert memory.timestamps.updated_at == "2026-03-05T10:00:00Z"
    assert {e.key for e in memory.evidence} == {memory.key}


def test_a_fact_is_its_pointer_and_remembers_the_key_it_came_under() -> None:
    fact = candidate(kind="deployment", pointer="/deployment/web/url", value="https://x.example", choice="")
    other = msgspec.structs.replace(fact, claim="The shop is live at https://x.example")
    one, two = entries.from_candidate(fact), entries.from_candidate(other)
    assert one.id == two.id
    assert one.keys == (entries.key_of(fact),)


def test_evidence_known_already_changes_nothing() -> None:
    memory = entries.from_candidate(candidate())
    assert entries.with_evidence(memory, candidate().evidence, memory.key) is memory
    more = entries.with_evidence(memory, [piece(7)], "z" * 10)
    assert more.keys == ("z" * 10,)
    assert len(more.evidence) == 3


def test_superseding_links_both_ways() -> None:
    old, new = entries.from_candidate(candidate("Use JSON")), entries.from_candidate(candidate())
    after, before = entries.superseding(new, old)
    assert (after.supersedes, before.superseded_by, before.status) == ((old.id,), new.id, "superseded")


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_pointers_give_their_parts_back(parts: list[str]) -> None:
    assert entries.pointer_parts(entries.pointer_of(*parts)) == tuple(parts)


def test_slugs_keep_chinese_and_stay_short() -> None:
    assert entries.slug("支付 服务：地址") == "支付-服务-地址"
    assert len(entries.slug("word " * 40)) <= 40
