"""The spool laid over the files: what open sessions would give, as entries. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from omp import entries
from omp.model import Judged, OpenSession, Stored
from omp.store.joining import united

SPOOL = "spool"
"""`Stored.path` of an entry that waits in the spool."""


def lay_over(files: dict[str, Stored], sessions: Iterable[OpenSession]) -> dict[str, Stored]:
    """Give the entries of the files with what the sessions keep: new ones added, evidence united, old ones retired.

    An id that stands in both keeps the file's fields.
    """
    out = dict(files)
    for session in sessions:
        for item in session.items:
            if item.verdict.action == "keep":
                _lay(out, item)
    return out


def _lay(out: dict[str, Stored], item: Judged) -> None:
    fresh = entries.from_candidate(item.candidate)
    identity = item.id or fresh.id
    stored = out.get(identity)
    if stored is not None:
        if fresh.kind == stored.memory.kind:
            key = item.key or entries.key_of(item.candidate)
            joined = entries.with_evidence(stored.memory, fresh.evidence, key)
        else:
            joined = united(stored.memory, fresh)
        out[identity] = msgspec.structs.replace(stored, memory=joined)
        return
    if identity != fresh.id:
        fresh = msgspec.structs.replace(fresh, id=identity)
    other = out.get(item.verdict.against)
    if other is not None and other.memory.id != identity and item.verdict.effect in ("supersede", "contradict"):
        link = entries.superseding if item.verdict.effect == "supersede" else entries.contradicting
        fresh, changed = link(fresh, other.memory)
        out[changed.id] = msgspec.structs.replace(other, memory=changed)
    out[identity] = Stored(memory=fresh, path=SPOOL)
