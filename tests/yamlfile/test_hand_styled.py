"""Splices into files that people laid out in their own way: all else reads, and stays, as it was."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omp.errors import WriteRefused
from omp.model import Memory
from omp.yamlfile import (
    insert_entries,
    lists,
    load,
    new_list_file,
    read_entries,
    remove_entry,
    remove_pointer,
    replace_entry,
    set_pointer,
)
from tests.yamlfile.test_splice import LETTERS, decision

TAIL = st.text(LETTERS, min_size=10, max_size=10)
CLAIMS = [
    "claim: plain text", "claim: 'single: quoted'", 'claim: "double \\"q\\""',
    "claim: |\n@  literal # text\n@  - id: x",
    "claim: >-\n@    folded\n@    text", "claim: two lines\n@  go on", "claim: 'quoted over\n\n@  lines'",
    "claim: 中文 # 注释", "claim: |+\n@  kept\n\n", "claim: 👩‍💻 emoji   # 🚀",
]  # fmt: skip
FIELDS = [
    "tags: [a, b]", "owner: x", "# inner comment", "rationale: because", "status: active", "tags:\n@- a\n@- b",
    "evidence:\n@  - agent: g\n@    session: s\n@    entry: m1\n@    role: user",
    "alternatives:\n@  - one # 1\n@  - two",
]  # fmt: skip
STAMPS = [
    "timestamps: {created_at: '2026-03-04T00:00:00Z', updated_at: '2026-03-05T00:00:00Z'}",
    "timestamps:\n@  created_at: '2026-02-01T00:00:00Z'",
]
CHANGES: list[dict[str, Any]] = [
    {"claim": "new: claim"}, {"status": "archived"}, {"tags": ("q",)}, {"tags": ()}, {"rationale": ""},
    {"rationale": "new"}, {"evidence": decision("x", quotes=2).evidence}, {"evidence": ()},
    {"alternatives": ("one", "three")}, {"marked": True}, {"supersedes": ("dec-aaaaaaaaaa",)}, {"alternatives": ()},
]  # fmt: skip


@st.composite
def entries(draw: st.DrawFn, tail: str, indent: int, step: int) -> str:
    rows = [draw(st.sampled_from(["id: {}", "id: '{}'", 'id: "{}" # c'])).format(f"dec-{tail}"), "kind: decision"]
    rows = draw(st.permutations(rows))
    more = draw(st.lists(st.sampled_from(FIELDS), max_size=3, unique_by=lambda f: f.partition(":")[0]))
    rows = [*rows, draw(st.sampled_from(CLAIMS)), draw(st.sampled_from(STAMPS)), *more]
    pad = " " * (indent + step)
    lines = [f"{pad}{row}".replace("@", pad) for row in rows]
    return " " * indent + "-" + " " * (step - 1) + "\n".join(lines).lstrip(" ") + "\n"


@st.composite
def files(draw: st.DrawFn) -> str:
    indent, step = draw(st.sampled_from([0, 2, 4])), draw(st.sampled_from([2, 4]))
    tails = draw(st.lists(TAIL, min_size=1, max_size=4, unique=True))
    before = st.sampled_from(["", "\n", "# before\n", " " * indent + "# before\n", "\n# a\n\n"])
    text = draw(st.sampled_from(["", "# head\n", "---\n"])) + draw(
        st.sampled_from(["", "version: 1\n", "note: x  # y\n"])
    )
    text += draw(st.sampled_from(["decisions:\n", "decisions: # list\n"]))
    for tail in tails:
        text += draw(before) + draw(entries(tail, indent, step))
    text += draw(st.sampled_from(["", "# end\n", "\n", "other: 1\n", "\n\nother:\n  - id: dec-x\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text


def read(data: bytes) -> tuple[dict[str, Memory], dict[str, Any], Any]:
    document = load(data)
    found, problems = read_entries(document, "decisions")
    assert problems == []
    rest = {k: v for k, v in document.plain().items() if k != "decisions"}
    return {e.id: e.memory for e in found if e.memory}, {e.id: e.extra for e in found}, rest


@settings(max_examples=150)
@given(files(), st.lists(TAIL, min_size=1, max_size=3, unique=True))
def test_inserting_and_removing_again_is_the_same_file(text: str, tails: list[str]) -> None:
    data = text.encode()
    old, extra, rest = read(data)
    fresh = [decision(t) for t in tails if f"dec-{t}" not in old]
    try:
        grown = insert_entries(data, "decisions", fresh)
    except WriteRefused:
        assert "|+" in text  # blank lines behind such a text belong to it
        return
    after, extra_after, rest_after = read(grown)
    assert after == old | {m.id: m for m in fresh}
    assert ({k: extra_after[k] for k in extra}, rest_after) == (extra, rest)
    remaining = iter(grown.splitlines(keepends=True))
    assert all(line in remaining for line in data.splitlines(keepends=True))
    for memory in fresh:
        grown = remove_entry(grown, "decisions", memory.id)
    assert grown == data


@settings(max_examples=150)
@given(files(), st.sampled_from(CHANGES), st.data())
def test_replacing_leaves_everything_else_as_it_was(text: str, change: dict[str, Any], data: st.DataObject) -> None:
    old, extra, rest = read(text.encode())
    mine = data.draw(st.sampled_from(sorted(old)))
    new = msgspec.structs.replace(old[mine], **change)
    try:
        changed = replace_entry(text.encode(), "decisions", old[mine], new)
    except WriteRefused:
        assert "|+" in text
        return
    assert read(changed) == (old | {mine: new}, extra, rest)
    comments = [line.partition("# ")[2].strip() for line in text.splitlines() if "# " in line]
    left = changed.decode()
    assert all(c in left for c in comments if c not in ("1", "literal # text"))
    if "\r\n" in text:
        assert changed.count(b"\n") == changed.count(b"\r\n")
    assert replace_entry(text.encode(), "decisions", old[mine], old[mine]) == text.encode()


def test_a_file_of_ours_is_edited_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the whole file was read")

    memories = [decision(c * 10, month=m) for m in (1, 2, 3) for c in "abc"]
    unique = [msgspec.structs.replace(m, id=f"dec-{n:a>10}".replace("0", "z")) for n, m in enumerate(memories)]
    data = new_list_file("decisions", unique[1:])
    monkeypatch.setattr(lists, "_listing", refuse)
    grown = insert_entries(data, "decisions", unique[:1])
    assert grown == new_list_file("decisions", unique)
    old, new = unique[4], msgspec.structs.replace(unique[4], claim="x: y", status="archived", rationale="why")
    changed = replace_entry(grown, "decisions", old, new)
    assert changed == new_list_file("decisions", [new if m is old else m for m in unique])
    assert remove_entry(changed, "decisions", unique[0].id).count(b"- id:") == len(unique) - 1


def test_text_that_looks_like_a_comment_at_the_end_of_an_entry_stays_inside_it() -> None:
    text = "version: 1\ndecisions:\n  - id: dec-aaaaaaaaaa\n    claim: |\n      text\n      # more text\n"
    grown = insert_entries(text.encode(), "decisions", [decision("zzzzzzzzzz")])
    assert grown.startswith(text.encode())
    assert read(grown)[0]["dec-aaaaaaaaaa"].claim == "text\n# more text\n"


@pytest.mark.parametrize(
    "empty", ["decisions: []\n", "decisions:\n", "decisions: [] # none yet\n", "decisions: null\n", "", "a: 1\n"]
)
def test_the_first_entry_goes_into_an_empty_list(empty: str) -> None:
    grown = insert_entries(empty.encode(), "decisions", [decision("aaaaaaaaaa")])
    assert list(read(grown)[0]) == ["dec-aaaaaaaaaa"]
    assert ("# none yet" in empty) == (b"# none yet" in grown)


@pytest.mark.parametrize(
    "shape", ["decisions: [{id: dec-aaaaaaaaaa, claim: x}]\n", "{decisions: []}\n", "decisions: text\n"]
)
def test_shapes_that_cannot_be_edited_exactly_are_refused(shape: str) -> None:
    with pytest.raises(WriteRefused):
        insert_entries(shape.encode(), "decisions", [decision("bbbbbbbbbb")])


VALUES = ["v", "a: b", 1, True, ["x", "y"], {"u": 1, "w": {"z": "no"}}, [], {}]


@given(st.sampled_from(VALUES), st.sampled_from(VALUES), st.sampled_from(["", "  # why", "   # 说明"]), st.booleans())
def test_values_change_and_their_comments_stay(old: Any, new: Any, comment: str, windows: bool) -> None:
    text = f"# head\nfirst: 1\nm:\n    # above\n    k: 'old'{comment}\n    other: [1, 2]   # o\n\n# end\n"
    data = (text.replace("\n", "\r\n") if windows else text).encode()
    for value in (old, new):
        data = set_pointer(data, "/m/k", value)
        assert load(data).plain() == {"first": 1, "m": {"k": value, "other": [1, 2]}}
    for note in ("# head", "# above", "   # o", "# end", comment):
        assert note.encode() in data
    assert data.count(b"\n") == (data.count(b"\r\n") if windows else data.count(b"\n"))
    gone = remove_pointer(data, "/m/k")
    assert load(gone).plain() == {"first": 1, "m": {"other": [1, 2]}}
