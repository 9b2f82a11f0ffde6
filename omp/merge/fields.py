"""One entry, three-way, field by field. Every rule is a union, a greatest or a least element: order never matters.

A field that one side changed is that side's. What both changed: times, ranks, counters and sets have a rule; the rest
keeps, until a person resolves it, the value whose canonical bytes sort last, and lists all in the note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from omp import times
from omp.merge.notes import DELETED, Note, Wish, note_of, ordered, read_note, removal_wish, wish
from omp.merge.values import ABSENT, UNIT, UNIT_PARTS, Flat, canon, flatten, is_counter, unflatten
from omp.model import EVIDENCE_LIMIT, Conflict, Struct

SETS = frozenset({"tags", "supersedes", "contradicts", "keys", "external_id", "neighbours",
                  "key_actions", "decisions", "errors"})  # fmt: skip
"""Fields merged element by element."""
_RANK = {"active": 0, "superseded": 1, "archived": 2}
_LATER, _EARLIER = ("updated_at", "last_updated"), ("created_at", "date", "at")
_PLACE = ("at", "digest", "agent", "session", "entry")

Born = Callable[[str], str]
"""Id of an entry -> when it was made; "" where nobody knows."""


class Side(Struct, frozen=True, kw_only=True):
    """One entry as one of the three files has it; `fields` is None where it is not there."""

    fields: Mapping[str, Any] | None = None
    flat: Flat = {}
    note: Note = Note()

    @property
    def is_there(self) -> bool:
        """Whether the file has the entry."""
        return self.fields is not None


class MergedEntry(Struct, frozen=True, kw_only=True):
    """What became of an entry: its fields (None when it is gone), and the fields nobody has decided."""

    fields: dict[str, Any] | None = None
    conflicts: tuple[Conflict, ...] = ()
    detected: bool = False


def side(fields: Mapping[str, Any] | None, unit: bool = False) -> Side:
    """Read one state of an entry. With `unit` the claim and digest of a fact belong to its value."""
    if fields is None:
        return Side()
    fields = dict(fields)
    note = read_note(fields.pop("conflict", None))
    shown = dict(fields)
    if unit and UNIT in shown:
        shown[UNIT] = {name: shown.pop(name) for name in UNIT_PARTS if name in shown}
    return Side(fields=fields, flat=flatten(shown), note=note)


def merge_entry(identity: str, base: Side, ours: Side, theirs: Side, born: Born, decided: bool = False) -> MergedEntry:
    """Merge one entry. With `decided` (derived files) nothing is left open: the greatest value stands."""
    sides = (ours, theirs)
    if base.is_there and not all(s.is_there for s in sides):
        left = next((s for s in sides if s.is_there), None)
        if left is None or is_same(left, base) or decided:
            return MergedEntry()
    before = Side(fields={}) if not base.is_there else base
    there = [s for s in sides if s.is_there]
    flat, wishes = merge_flat(before, there, born, decided)
    if base.is_there:
        gone = removal_wish(ours.is_there, ours.note, base.note).joined(
            removal_wish(theirs.is_there, theirs.note, base.note)
        )
        if gone.given and not decided:
            wishes[DELETED] = gone
    return _built(identity, flat, wishes, _link(there), there)


def merge_flat(before: Side, there: Sequence[Side], born: Born, decided: bool) -> tuple[Flat, dict[str, Wish]]:
    """Merge the fields of sides that have the entry: the values that stand, and the fields a note has to speak of."""
    flat: Flat = {}
    wishes: dict[str, Wish] = {}
    for name in _names(there):
        if name in ("evidence", *SETS):
            value: Any = _collection(name, before, there)
        else:
            value, left_open = _field(name, before, there, born)
            if left_open is not None and not decided:
                wishes[name] = left_open
        if canon(value) or value is False:
            flat[name] = value
    return flat, wishes


def is_same(one: Side, other: Side) -> bool:
    """Tell whether two states of an entry say the same."""
    if one.fields is None or other.fields is None:
        return one.fields is other.fields
    return one.note == other.note and canon(one.flat) == canon(other.flat)


def _names(there: Sequence[Side]) -> list[str]:
    names = dict.fromkeys(name for s in there for name in s.flat)
    mentioned = {name for s in there for name in s.note.mentions if name != DELETED}
    return [*names, *sorted(mentioned - names.keys())]


def _field(name: str, base: Side, there: Sequence[Side], born: Born) -> tuple[Any, Wish | None]:
    before = base.flat.get(name, ABSENT)
    rank = _rank_of(name, born)
    if rank is not None:
        changed = [v for s in there if canon(v := s.flat.get(name, ABSENT)) != canon(before) and _speaks(v, base)]
        return (max(changed, key=lambda v: (rank(v), canon(v))) if changed else before), None
    joined = Wish()
    for s in there:
        now = s.flat.get(name, ABSENT)
        if base.flat or name in s.note.mentions or canon(now):  # without an ancestor, a missing field says nothing
            joined = joined.joined(wish(name, now, s.note, before, base.note))
    value = ordered(joined.open)[-1] if joined.given else before
    return value, joined if joined.settled or len(joined.open) > 1 else None


def _speaks(value: Any, base: Side) -> bool:
    return bool(base.flat) or bool(canon(value))


def _rank_of(name: str, born: Born) -> Callable[[Any], Any] | None:
    """Give what orders the values of a field that has an order; None for the others."""
    last = name.replace("/", ".").rpartition(".")[2]
    if last == "updated_by":
        return lambda v: 0
    if last in _LATER:
        return lambda v: times.utc(v) or str(v or "")
    if last in _EARLIER:
        return _Reversed
    if name == "status":
        return lambda v: _RANK.get(v or "active", -1)
    if name == "superseded_by":
        return lambda v: born(str(v or ""))
    if is_counter(name):
        return lambda v: v if isinstance(v, (int, float)) else -1
    return None


class _Reversed:
    """A time that sorts the other way round; none at all sorts first."""

    __slots__ = ("told",)

    def __init__(self, value: Any) -> None:
        self.told = times.utc(value) or str(value or "")

    def __lt__(self, other: _Reversed) -> bool:
        return self.told > other.told if self.told and other.told else not self.told and bool(other.told)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and self.told == other.told

    def __hash__(self) -> int:
        return hash(self.told)


def _collection(name: str, base: Side, there: Sequence[Side]) -> list[Any]:
    before, *lists = ([*_items(s.flat.get(name))] for s in (base, *there))
    if name == "evidence":
        return capped(piece for pieces in lists for piece in pieces)
    old = {canon(v) for v in before}
    held = [{canon(v) for v in pieces} for pieces in lists]
    found = {canon(v): v for pieces in lists for v in pieces}
    kept = {k: v for k, v in found.items() if k not in old or all(k in h for h in held)}
    as_written = [pieces for pieces, h in zip(lists, held, strict=True) if h == kept.keys() and len(pieces) == len(h)]
    return min(as_written, key=canon) if as_written else ordered(kept)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def capped(pieces: Iterable[Any]) -> list[Any]:
    """Unite evidence as `entries.cap` does, with fields this release does not know: by time, then digest."""
    unique: dict[tuple[str, ...], Any] = {}
    for piece in pieces:
        place = tuple(str(piece.get(n) or "") if isinstance(piece, Mapping) else str(piece) for n in _PLACE)
        if place not in unique or canon(piece) < canon(unique[place]):
            unique[place] = piece
    kept = [unique[place] for place in sorted(unique)]
    return [kept[0], *kept[1 - EVIDENCE_LIMIT :]] if len(kept) > EVIDENCE_LIMIT else kept


def _link(there: Sequence[Side]) -> tuple[str, str]:
    """Give what a note says beside values: the related entry, and whether that was resolved."""
    related = max((s.note.related for s in there), default="")
    told = {s.note.status for s in there if s.note.related or not s.note.mentions}
    status = next((word for word in ("resolved", "detected") if word in told), "")
    return related, status


def _built(
    identity: str, flat: Flat, wishes: Mapping[str, Wish], link: tuple[str, str], there: Sequence[Side]
) -> MergedEntry:
    order: dict[str, Any] = {}
    for s in there:
        order |= {k: v for k, v in (s.fields or {}).items() if k not in order}
    unit = flat.get(UNIT)
    if isinstance(unit, Mapping) and unit.keys() <= set(UNIT_PARTS) and UNIT in unit:
        flat = {**{k: v for k, v in flat.items() if k != UNIT}, **unit}
    fields = unflatten(flat, order)
    related, status = link
    note = note_of(wishes, status, related)
    if note is not None:
        fields["conflict"] = note
    detected = note is not None and note["status"] == "detected"
    listed = read_note(note).wanted if detected else {}
    conflicts = tuple(Conflict(id=identity, field=f, values=tuple(v)) for f, v in listed.items())
    return MergedEntry(fields=fields, conflicts=conflicts, detected=detected)
