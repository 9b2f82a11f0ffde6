"""What an entry becomes when somebody else changed it between reading and writing. Pure; nothing of either is lost."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from omp import entries
from omp.model import Memory, Metadata, Status, Timestamps

T = TypeVar("T")

_RANK: dict[Status, int] = {"active": 0, "superseded": 1, "archived": 2}
_SETS = ("tags", "supersedes", "contradicts")


def united(first: Memory, second: Memory) -> Memory:
    """Join two states of one entry: the fields of `first`, the evidence and keys of both, the later status."""
    joined = entries.with_evidence(first, second.evidence)
    changes: dict[str, Any] = {}
    keys = tuple(sorted({*joined.keys, *second.keys} - {joined.key}))
    if keys != joined.keys:
        changes["keys"] = keys
    if _RANK[second.status] > _RANK[joined.status]:
        changes |= {"status": second.status, "superseded_by": joined.superseded_by or second.superseded_by}
    return msgspec.structs.replace(joined, **changes) if changes else joined


def rebased(new: Memory, present: Memory, base: Memory | None, read_before: bool) -> Memory:
    """Give what to write where `present` stands: the writer's changes, made on top of everybody else's.

    `base` is the entry as the writer last saw it; None with `read_before` means the writer took it for new, and then
    what stands there keeps its words and gains the evidence. Without any reading the writer's fields stand.
    """
    if type(new) is not type(present) or base == present:
        return new
    if base is None:
        return united(present, new) if read_before else united(new, present)
    if type(base) is not type(new):
        return new
    changes = {name: _field(name, base, present, new) for name in new.__struct_fields__}
    return msgspec.structs.replace(new, **changes)


def _field(name: str, base: Memory, present: Memory, new: Memory) -> Any:
    before, theirs, ours = getattr(base, name), getattr(present, name), getattr(new, name)
    if name == "evidence":
        dropped = [e for e in before if e not in ours]
        return entries.cap((*(e for e in theirs if e not in dropped), *ours))
    if name == "keys":
        return tuple(sorted({*(set(theirs) - (set(before) - set(ours))), *ours}))
    if ours == before:
        return theirs
    if theirs == before:
        return ours
    if name in _SETS:
        kept = [x for x in ours if x in theirs or x not in before]
        return tuple(dict.fromkeys([*kept, *(x for x in theirs if x not in before)]))
    if isinstance(ours, Timestamps) and isinstance(theirs, Timestamps):
        return Timestamps(
            created_at=min(ours.created_at, theirs.created_at), updated_at=max(ours.updated_at, theirs.updated_at)
        )
    if isinstance(ours, Metadata):
        fields = Metadata.__struct_fields__
        return Metadata(**{n: getattr(theirs if getattr(ours, n) == getattr(before, n) else ours, n) for n in fields})
    return ours
