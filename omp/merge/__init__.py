"""Merges memory files three-way: by entry, then by field. Pure: three byte strings in, bytes and conflicts out.

What each entry becomes is decided first (`fields`, `notes`: values only), the text is made after (`rows`, `tree`), so
that comments, quotes and the layout of whatever did not change stay as they were.
"""

from __future__ import annotations

from collections.abc import Sequence

from omp.merge.comments import comments, missing
from omp.merge.parts import Section, Side, closed_head, open_head, split
from omp.merge.rows import merge_rows
from omp.merge.tree import merge_tree
from omp.model import Conflict, Struct
from omp.yamlfile import load

__all__ = ["Merged", "merge"]

_DECIDED = frozenset({"themes", "refused", "sessions"})
"""Lists without a conflict note: what `omp` can make anew, and rows that are the same wherever they were written."""


class Merged(Struct, frozen=True, kw_only=True):
    """The merged file, the fields this merge found changed on both sides, and whether anything in it waits."""

    data: bytes
    conflicts: tuple[Conflict, ...] = ()
    detected: bool = False


def merge(base: bytes, ours: bytes, theirs: bytes, path: str = "") -> Merged:
    """Merge two versions of a memory file. An empty `base` means that nothing is known of their ancestor.

    The result has the line ends of `ours`. Raises BrokenFile when a side cannot be read, WriteRefused when it has a
    form that cannot be merged exactly.
    """
    name = path or "the file"
    before, mine, other = (
        split(data, f"{name} ({label})") for data, label in ((base, "base"), (ours, "ours"), (theirs, "theirs"))
    )
    if not mine.sections and not mine.text.strip():
        mine = Side()
    parts: list[str] = []
    conflicts: list[Conflict] = []
    detected = False
    lists = _lists((before, mine, other))
    for key in _keys(before, mine, other, lists):
        section, foreign, old = (f.sections.get(key) for f in (mine, other, before))
        frame = section or foreign
        assert frame is not None
        lead = _lead(section, foreign, old)
        if key not in lists:
            parts += [lead, frame.text]
            continue
        merged = merge_rows(before, mine, other, key, key in _DECIDED)
        conflicts += merged.conflicts
        detected = detected or merged.detected
        if merged.text:
            parts += [lead, open_head(frame.head, key), merged.text]
        elif section is not None or old is None:
            parts += [lead, closed_head(frame.head, key)]
    tail = mine.tail + "".join(f"{c}\n" for c in _new_comments(other.tail, mine.tail, before.tail))
    text = "".join(parts) + tail
    text, found, waits = merge_tree(before, mine, other, text, lists)
    data = text.encode()
    load(data, path)
    if b"\r\n" in (ours or theirs):
        data = data.replace(b"\n", b"\r\n")
    return Merged(data=data, conflicts=(*conflicts, *found), detected=detected or waits)


def _lists(files: Sequence[Side]) -> frozenset[str]:
    """Name the top-level keys that are lists of entries in every file that has something under them."""
    keys = {key for f in files for key in f.sections}
    shown = {key: [s for f in files if (s := f.sections.get(key)) is not None and not s.is_empty] for key in keys}
    return frozenset(key for key, found in shown.items() if found and all(s.rows is not None for s in found))


def _keys(base: Side, ours: Side, theirs: Side, lists: frozenset[str]) -> list[str]:
    """Give the top-level keys of the frame: ours, then what theirs adds (lists decide by entry)."""
    more = [k for k in theirs.sections if k not in ours.sections and (k in lists or k not in base.sections)]
    return [*ours.sections, *more]


def _lead(ours: Section | None, theirs: Section | None, base: Section | None) -> str:
    if ours is None:
        assert theirs is not None
        return theirs.lead
    if theirs is None or theirs.lead == ours.lead:
        return ours.lead
    return ours.lead + "".join(f"{c}\n" for c in _new_comments(theirs.lead, ours.lead, base.lead if base else ""))


def _new_comments(other: str, frame: str, base: str) -> list[str]:
    found = [comments(text, 0, len(text), None) for text in (other, frame, base)]
    return missing(*found)
