"""A list of entries, three-way: first what becomes of each entry, then the text that says so."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from omp.errors import OmpError
from omp.merge.comments import comments, missing
from omp.merge.fields import MergedEntry, is_same, merge_entry, side
from omp.merge.fields import Side as Entry
from omp.merge.parts import Row, Section
from omp.merge.parts import Side as File
from omp.merge.values import canon, plain
from omp.model import ENTRY_FIELDS, Conflict, Struct
from omp.yamlfile import load
from omp.yamlfile.edits import apply, field_edits
from omp.yamlfile.writer import list_lines


class MergedList(Struct, frozen=True, kw_only=True):
    """The rows' text in order (empty when no row is left), and what nobody has decided."""

    text: str
    conflicts: tuple[Conflict, ...] = ()
    detected: bool = False


class _Piece(Struct, frozen=True, kw_only=True):
    """One entry of the result."""

    id: str
    text: str
    month: str


def merge_rows(base: File, ours: File, theirs: File, key: str, decided: bool) -> MergedList:
    """Merge the list under `key`. With `decided` no entry is left open (files that `omp` can make anew)."""
    files = (base, ours, theirs)
    sections = [f.sections.get(key) for f in files]
    rows = [{r.id: r for r in _rows_of(s)} for s in sections]
    born = _births(rows)
    pieces: dict[str, _Piece] = {}
    conflicts: list[Conflict] = []
    detected = False
    indent = next((len(r.body) - len(r.body.lstrip(" ")) for n in (1, 2) for r in rows[n].values()), 2)
    for identity in dict.fromkeys([*rows[1], *rows[2]]):
        b, o, t = (r.get(identity) for r in rows)
        if o is not None and t is not None and o.lead == t.lead and o.body == t.body:
            merged, text = MergedEntry(detected=_is_detected(o)), o.lead + o.body
        else:
            merged, told = _decide(identity, (b, o, t), files, born, decided, indent)
            if told is None:
                continue
            text = told
        row = o or t
        assert row is not None
        pieces[identity] = _Piece(id=identity, text=text, month=_month(row))
        conflicts += merged.conflicts
        detected = detected or merged.detected
    ordered = _in_order([list(r) for r in rows[1:]], pieces)
    return MergedList(text="".join(p.text for p in ordered), conflicts=tuple(conflicts), detected=detected)


def _rows_of(section: Section | None) -> Sequence[Row]:
    return section.rows or () if section is not None else ()


def _births(rows: Sequence[Mapping[str, Row]]) -> Callable[[str], str]:
    """Tell when an entry was made: as the ancestor says, else as the sides do."""

    def born(identity: str) -> str:
        row = next((r[identity] for r in rows if identity in r), None)
        told = row.node.get("timestamps", "created_at") if row is not None else None
        return str(told.value) if told is not None and told.kind == "scalar" else ""

    return born


def _month(row: Row) -> str:
    told = row.node.get("timestamps", "created_at") or row.node.get("date")
    return str(told.value)[:7] if told is not None and told.kind == "scalar" else ""


def _is_detected(row: Row) -> bool:
    told = row.node.get("conflict", "status")
    return told is not None and told.value == "detected"


def _decide(
    identity: str,
    states: tuple[Row | None, Row | None, Row | None],
    files: tuple[File, File, File],
    born: Callable[[str], str],
    decided: bool,
    indent: int,
) -> tuple[MergedEntry, str | None]:
    """Give what an entry becomes and its text, None when it goes."""
    base, ours, theirs = states
    b, o, t = (side(r.fields if r is not None else None) for r in states)
    standing = _standing(states, (b, o, t))
    if standing is not None:
        frame, n = standing
        other = theirs if n == 1 else ours
        text = _with_comments(frame, n, (base, other), files, indent)
        return MergedEntry(detected=_is_detected(frame)), text
    merged = merge_entry(identity, b, o, t, born, decided)
    if merged.fields is None:
        return merged, None
    frame, n = (ours, 1) if ours is not None else (theirs, 2)  # type: ignore[assignment]
    return merged, _with_comments(frame, n, (base, theirs if n == 1 else None), files, indent, merged.fields)


def _standing(
    states: tuple[Row | None, Row | None, Row | None], sides: tuple[Entry, Entry, Entry]
) -> tuple[Row, int] | None:
    """Give the row that is the result as it stands, and its side (1 ours, 2 theirs); None if there is none."""
    (base, ours, theirs), (b, o, t) = states, sides
    if ours is None or theirs is None:
        if base is not None:
            return None
        return (ours, 1) if ours is not None else (theirs, 2)  # type: ignore[return-value]
    if is_same(o, t) or is_same(t, b):
        return ours, 1
    return (theirs, 2) if is_same(o, b) else None


def _with_comments(
    frame: Row,
    n: int,
    others: tuple[Row | None, Row | None],
    files: tuple[File, File, File],
    indent: int,
    rewritten: Mapping[str, Any] | None = None,
) -> str:
    """Give a row's text with the other side's comments above it; with `rewritten`, its fields become those."""
    base, other = (
        _comments(row, files[k].text) if row is not None else [] for row, k in zip(others, (0, 3 - n), strict=True)
    )
    mine = _comments(frame, files[n].text)
    more = missing(other, mine, base) if other else []
    body = frame.body
    if rewritten is not None:
        body, kept = _edited(body, rewritten)
        if not kept:
            inside = comments(files[n].text, frame.start, frame.end, frame.node)
            more = [*inside, *more]
    pad = " " * indent
    return frame.lead + "".join(f"{pad}{c}\n" for c in more) + _indented(body, indent)


def _comments(row: Row, text: str) -> list[str]:
    return comments(text, row.top, row.end, row.node) if row.end else []


def _indented(body: str, indent: int) -> str:
    """Move a row from another file to the indent of this list, unless text over several lines stands in its way."""
    now = len(body) - len(body.lstrip(" "))
    if now == indent:
        return body
    lines = body.split("\n")
    if indent > now:
        return "\n".join(" " * (indent - now) + line if line else line for line in lines)
    cut = now - indent
    if any(line[:cut].strip(" ") for line in lines):
        return "\n".join(list_lines(load(f"x:\n{body}".encode()).root.get("x").python(), indent)) + "\n"  # type: ignore[union-attr]
    return "\n".join(line[cut:] for line in lines)


def _edited(body: str, wanted: Mapping[str, Any]) -> tuple[str, bool]:
    """Turn a row's fields into `wanted`, touching only what differs; False when it had to be written anew."""
    text = f"x:\n{body}"
    item = load(text.encode()).root.get("x", 0)
    indent = len(body) - len(body.lstrip(" "))
    if item is not None and item.kind == "map" and not item.flow:
        before = plain(item)
        same = {k: v for k, v in before.items() if k in wanted and canon(v) == canon(wanted[k])}
        empty = {k: v for k, v in before.items() if k not in wanted and not canon(v)}
        try:
            after = {**wanted, **same, **empty}
            changed = apply(text, field_edits(text, item, before, after, ENTRY_FIELDS)).decode()
            now = load(changed.encode()).root.get("x", 0)
            if now is not None and canon(plain(now)) == canon(after):
                return changed.removeprefix("x:\n"), True
        except OmpError:
            pass  # a shape that cannot be edited exactly is written anew, its comments above it
    return "\n".join(list_lines([dict(wanted)], indent)) + "\n", False


def _in_order(sides: Sequence[Sequence[str]], pieces: Mapping[str, _Piece]) -> list[_Piece]:
    """Ours in its order; what only theirs has at its sorted place, or behind in a file that is not sorted."""
    ours, theirs = ([pieces[i] for i in ids if i in pieces] for ids in sides)
    mine = {p.id for p in ours}
    fresh = [p for p in theirs if p.id not in mine]
    places = [(p.month, p.id) for p in ours]
    if any(a > b for a, b in pairwise(places)):
        return [*ours, *fresh]
    out = list(ours)
    for piece in fresh:
        place = (piece.month, piece.id)
        at = bisect_left(places, place)
        places.insert(at, place)
        out.insert(at, piece)
    return out
