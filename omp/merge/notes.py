"""The note of a conflict on an entry, and what it says about each field.

While an entry is `detected`, `values.<field>` lists what the sides want, and `values.settled.<field>` what a person has
already settled in that field. In a `resolved` one `values.<field>` lists all that was settled, whatever now stands in
the field. Both are needed, so that a decided conflict does not come back from a branch that has not heard of it.

For each field a side is a pair of sets: the values somebody gave it since the ancestor, and those a person has turned
down. Merging unites both; what is left of the first without the second decides. Sets that only grow make the merge
commutative, associative and idempotent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from omp.merge.values import ABSENT, canon
from omp.model import Struct

DELETED = "deleted"
"""The name under which absence against an edit is recorded."""
_SETTLED = "settled."

Values = dict[bytes, Any]


class Wish(Struct, frozen=True, kw_only=True):
    """What a field should be: values given since the ancestor, and those of them that were turned down."""

    given: Values = {}
    settled: Values = {}

    @property
    def open(self) -> Values:
        """The values still wanted. People who turned each other's down have not agreed: then all of them."""
        return {k: v for k, v in self.given.items() if k not in self.settled} or self.given

    def joined(self, other: Wish) -> Wish:
        """Give what both sides wish."""
        return Wish(given={**self.given, **other.given}, settled={**self.settled, **other.settled})


class Note(Struct, frozen=True, kw_only=True):
    """A conflict note as read. `mentions` are the fields it speaks of."""

    status: str = ""
    related: str = ""
    wanted: dict[str, list[Any]] = {}
    settled: dict[str, list[Any]] = {}

    @property
    def mentions(self) -> frozenset[str]:
        """The fields it speaks of."""
        return frozenset({*self.wanted, *self.settled})

    def all_of(self, field: str) -> Values:
        """Every value it lists for a field."""
        return keyed([*self.wanted.get(field, ()), *self.settled.get(field, ())])


def keyed(values: Iterable[Any]) -> Values:
    """Give values by their canonical bytes."""
    return {canon(v): v for v in values}


def ordered(values: Values) -> list[Any]:
    """Give values in the order of their canonical bytes."""
    return [values[k] for k in sorted(values)]


def read_note(value: Any) -> Note:
    """Read a `conflict` field; an empty note for none. A list that is no list counts as its one value."""
    if not isinstance(value, Mapping):
        return Note()
    wanted: dict[str, list[Any]] = {}
    settled: dict[str, list[Any]] = {}
    listed = value.get("values")
    resolved = value.get("status") == "resolved"
    for name, inner in listed.items() if isinstance(listed, Mapping) else ():
        items = inner if isinstance(inner, list) else [inner]
        if name.startswith(_SETTLED):
            settled.setdefault(name.removeprefix(_SETTLED), []).extend(items)
        else:
            (settled if resolved else wanted).setdefault(name, []).extend(items)
    return Note(
        status=str(value.get("status") or ""),
        related=str(value.get("related_id") or ""),
        wanted=wanted,
        settled=settled,
    )


def wish(field: str, now: Any, note: Note, before: Any, base: Note) -> Wish:
    """Read one field of a side: its value and note, beside the ancestor's."""
    here, was, standing = note.all_of(field), base.all_of(field), canon(now)
    if not here and not was:
        return Wish(given={standing: now}) if standing != canon(before) else Wish()
    if not here:  # the note was taken out, which decides for what stands now
        given = {**was, standing: now}
        return Wish(given=given, settled={k: v for k, v in given.items() if k != standing})
    given = {**here, standing: now}
    if note.status == "resolved":
        settled = {k: v for k, v in here.items() if k != standing}
        if was and standing != canon(before):
            given[canon(before)] = settled[canon(before)] = before
        return Wish(given=given, settled=settled)
    settled = keyed(note.settled.get(field, ()))
    if field not in note.wanted:  # decided, in an entry that waits for another field
        settled = {k: v for k, v in settled.items() if k != standing}
    return Wish(given=given, settled=settled)


def removal_wish(is_there: bool, note: Note, base: Note) -> Wish:
    """Read whether a side wants the entry gone: `True` was given by who removed it, `ABSENT` by who kept it."""
    gone, stays = keyed([True]), keyed([ABSENT])
    if not is_there:
        return Wish(given=gone)
    if DELETED in note.wanted:
        return Wish(given=gone)
    if DELETED in base.settled:  # decided before the sides parted, so it says nothing about what they did
        return Wish()
    if DELETED in note.settled or DELETED in base.mentions:
        return Wish(given={**gone, **stays}, settled=gone)
    return Wish()


def note_of(wishes: Mapping[str, Wish], status: str, related: str) -> dict[str, Any] | None:
    """Write the note that says all this; None when there is nothing to say.

    `status` is that of a note without values (a link to another entry that contradicts this one).
    """
    waiting = {f for f, w in wishes.items() if len(w.open) > 1 or (f == DELETED and _wants_removal(w))}
    is_detected = bool(waiting) or status == "detected"
    values: dict[str, list[Any]] = {}
    for field, w in sorted(wishes.items()):
        if field in waiting:
            values[field] = ordered(w.open)
        if w.settled and is_detected:
            values[_SETTLED + field] = ordered(w.settled if field in waiting else w.given)
        elif w.settled:
            values[field] = ordered(w.given) if field != DELETED else [True]
    if not values and not status and not related:
        return None
    note: dict[str, Any] = {"status": "detected" if is_detected else "resolved"}
    if related:
        note["related_id"] = related
    if values:
        note["values"] = values
    return note


def _wants_removal(w: Wish) -> bool:
    return set(w.open) == {canon(True)}
