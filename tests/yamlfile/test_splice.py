"""A splice changes one entry; every other byte stays."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.errors import WriteRefused
from omp.model import Decision, Deployment, Evidence, Memory, Metadata, Timestamps
from omp.yamlfile import (
    insert_entries,
    load,
    new_list_file,
    put_fact,
    read_entries,
    read_facts,
    remove_entry,
    remove_fact,
    remove_pointer,
    replace_entry,
    set_pointer,
)

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def decision(tail: str, claim: str = "Use YAML", month: int = 3, quotes: int = 1) -> Decision:
    at = f"2026-{month:02d}-02T10:00:00Z"
    evidence = tuple(
        Evidence(agent="generic", session="s", entry=f"m{n}", role="user", at=at, quote=f"q{n}", digest=f"{n:016x}")
        for n in range(quotes)
    )
    return Decision(
        id=f"dec-{tail}", claim=claim, date=at[:10], choice=claim, evidence=evidence,
        metadata=Metadata(), timestamps=Timestamps(created_at=at, updated_at=at),
    )  # fmt: skip


HAND = """\
# 团队约定，勿删
version: 1   # keep
decisions:
    # about bbb

    - id: dec-bbbbbbbbbb
      kind: decision
      claim: "手写的  claim"   # said by hand
      reviewer: 李
      date: '2026-03-01'
      metadata: {scope: PROJECT, confidence: 0.9, source: explicit, origin: user, temporality: permanent}
      timestamps:
          created_at: '2026-03-01T00:00:00Z'   # birth
          updated_at: '2026-03-01T00:00:00Z'
      tags: [b, a]

    - kind: decision
      id: dec-dddddddddd
      claim: |
        a literal
        text
      date: '2026-03-01'
      timestamps: {created_at: '2026-03-01T00:00:00Z', updated_at: '2026-03-01T00:00:00Z'}
    # at the end
other: stays
"""


def entries_of(data: bytes) -> dict[str, Memory]:
    found, problems = read_entries(load(data), "decisions")
    assert problems == []
    return {e.memory.id: e.memory for e in found if e.memory is not None}


@pytest.mark.parametrize(
    "text", [HAND, HAND.replace("\n", "\r\n"), HAND.rstrip("\n"), HAND.removesuffix("other: stays\n")]
)
def test_inserting_adds_lines_and_changes_none(text: str) -> None:
    data = insert_entries(
        text.encode(), "decisions", [decision("cccccccccc"), decision("aaaaaaaaaa"), decision("zzzzzzzzzz", month=4)]
    )
    assert list(entries_of(data)) == [
        "dec-aaaaaaaaaa",
        "dec-bbbbbbbbbb",
        "dec-cccccccccc",
        "dec-dddddddddd",
        "dec-zzzzzzzzzz",
    ]
    rest = iter(data.decode().splitlines())
    assert all(line in rest for line in text.splitlines())  # a subsequence: all old lines, in order
    if "\r\n" in text:
        assert data.count(b"\n") == data.count(b"\r\n")


def test_replacing_changes_the_named_fields_only() -> None:
    old = entries_of(HAND.encode())["dec-bbbbbbbbbb"]
    stamps = msgspec.structs.replace(old.timestamps, updated_at="2026-04-01T00:00:00Z")
    new = msgspec.structs.replace(
        old, claim="新的说法: 更完整", timestamps=stamps, tags=("a", "b", "c d"), status="archived"
    )
    data = replace_entry(HAND.encode(), "decisions", old, new)
    assert entries_of(data)["dec-bbbbbbbbbb"] == new
    stamp = "updated_at: '2026-04-01T00:00:00Z'"
    wanted = HAND.replace('"手写的  claim"', "'新的说法: 更完整'").replace(
        "updated_at: '2026-03-01T00:00:00Z'", stamp, 1
    )
    wanted = wanted.replace(stamp + "\n", stamp + "\n      status: archived\n").replace("[b, a]", "[a, b, c d]")
    assert data.decode() == wanted


def test_evidence_is_added_without_touching_the_old_pieces() -> None:
    one, two = decision("aaaaaaaaaa", quotes=2), decision("aaaaaaaaaa", quotes=3)
    text = new_list_file("decisions", [one]).decode().replace("quote: q0", "quote: q0   # seen").encode()
    data = replace_entry(text, "decisions", one, two)
    assert entries_of(data)["dec-aaaaaaaaaa"].evidence == two.evidence
    assert data.startswith(text.rstrip(b"\n"))
    back = replace_entry(data, "decisions", two, one)
    assert back == text


def test_removing_takes_the_entry_and_nothing_else() -> None:
    data = remove_entry(HAND.encode(), "decisions", "dec-bbbbbbbbbb")
    assert list(entries_of(data)) == ["dec-dddddddddd"]
    assert "# about bbb" in data.decode()
    data = remove_entry(data, "decisions", "dec-dddddddddd")
    assert load(data).plain() == {"version": 1, "decisions": [], "other": "stays"}
    with pytest.raises(WriteRefused):
        remove_entry(data, "decisions", "dec-dddddddddd")


@given(
    st.lists(
        st.tuples(st.text(LETTERS, min_size=10, max_size=10), st.integers(1, 5), st.text(max_size=30)), max_size=8
    ),
    st.data(),
)
def test_any_order_of_inserts_gives_the_canonical_file(rows: list[tuple[str, int, str]], data: st.DataObject) -> None:
    memories = list({t: decision(t, claim or "x", month) for t, month, claim in rows}.values())
    file = new_list_file("decisions")
    for memory in data.draw(st.permutations(memories)):
        file = insert_entries(file, "decisions", [memory])
    assert file == new_list_file("decisions", memories)
    for memory in data.draw(st.permutations(memories)):
        file = remove_entry(file, "decisions", memory.id)
    assert file == new_list_file("decisions")


@given(st.lists(st.text(LETTERS, min_size=10, max_size=10), min_size=3, max_size=8, unique=True), st.data())
def test_replace_there_and_back_is_the_same_file(tails: list[str], data: st.DataObject) -> None:
    memories = [decision(t, quotes=data.draw(st.integers(1, 5))) for t in tails]
    file = new_list_file("decisions", memories)
    old = data.draw(st.sampled_from(memories))
    new = msgspec.structs.replace(
        old,
        claim=data.draw(st.text(min_size=1, max_size=40)),
        tags=tuple(data.draw(st.lists(st.text(max_size=8), max_size=3))),
        evidence=decision("x", quotes=data.draw(st.integers(1, 5))).evidence,
        rationale=data.draw(st.sampled_from(["", "because"])),
    )
    changed = replace_entry(file, "decisions", old, new)
    assert changed == new_list_file("decisions", [new if m is old else m for m in memories])
    assert replace_entry(changed, "decisions", new, old) == file


PROJECT = """\
version: 1
# where things run
deployment:
  web:
    url: https://old.example   # moved once
paths: {}
_meta:
  changes: []
"""


def test_a_fact_is_written_with_its_row_and_taken_out_again() -> None:
    fact = Deployment(
        id="fact-x", claim="The shop is live", pointer="/deployment/shop/url", value="https://shop.example", of="1",
        timestamps=Timestamps(created_at="2026-03-01T00:00:00Z", updated_at="2026-03-01T00:00:00Z"),
    )  # fmt: skip
    data = put_fact(PROJECT.encode(), fact)
    rows, problems = read_facts(load(data))
    assert problems == []
    assert [(r.memory.claim, r.memory.pointer, r.memory.value) for r in rows] == [  # type: ignore[union-attr]
        ("The shop is live", "/deployment/shop/url", "https://shop.example")
    ]
    assert put_fact(data, fact) == data
    newer = msgspec.structs.replace(fact, value="https://new.example", of="2", claim="The shop moved")
    moved = put_fact(data, newer)
    assert b"# moved once" in moved
    assert read_facts(load(moved))[0][0].memory.claim == "The shop moved"
    gone = remove_fact(moved, "/deployment/shop/url")
    assert load(gone).plain() == {
        "version": 1,
        "deployment": {"web": {"url": "https://old.example"}},
        "paths": {},
        "_meta": {"changes": []},
    }


def test_pointers_make_maps_and_refuse_to_overwrite_values() -> None:
    data = set_pointer(PROJECT.encode(), "/paths/logs", "./var/log")
    data = set_pointer(data, "/deployment/web/status", "active")
    assert load(data).plain()["paths"] == {"logs": "./var/log"}
    assert load(data).plain()["deployment"]["web"]["status"] == "active"
    with pytest.raises(WriteRefused):
        set_pointer(data, "/deployment/web/url/deeper", "x")
    assert load(remove_pointer(data, "/paths/logs")).plain().get("paths") is None
