"""Entries as values: how a candidate becomes one, and how one takes on evidence, wording and status.

Pure functions; the store writes what they return.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from omp import identity, times
from omp.model import (
    EVIDENCE_LIMIT,
    FACT_KINDS,
    LAYOUT,
    TYPES,
    Candidate,
    Entry,
    Evidence,
    Fact,
    Memory,
    Metadata,
    Timestamps,
)

_OWN_FIELDS = ("title", "context", "choice", "alternatives", "impact", "root_cause", "next_action")


def key_of(candidate: Candidate) -> str:
    """Give the candidate's key, made from its normalised, masked claim."""
    return identity.key(candidate.kind, candidate.scope, candidate.claim)


def id_of(candidate: Candidate) -> str:
    """Give the id an entry made from this candidate gets."""
    tail = identity.fact_key(candidate.pointer) if candidate.kind in FACT_KINDS else key_of(candidate)
    return f"{LAYOUT[candidate.kind].prefix}-{tail}"


def from_candidate(candidate: Candidate) -> Memory:
    """Make the entry a candidate becomes. Its times are those of its evidence; its key is kept in the evidence."""
    key = key_of(candidate)
    evidence = cap(msgspec.structs.replace(e, key=e.key or key) for e in candidate.evidence)
    seen = sorted(e.at for e in evidence if e.at)
    first, last = (seen[0], seen[-1]) if seen else (times.NEVER, times.NEVER)
    kind_type = TYPES[candidate.kind]
    names = {f.name for f in msgspec.structs.fields(kind_type)}
    fields: dict[str, Any] = {n: getattr(candidate, n) for n in _OWN_FIELDS if n in names}
    if candidate.kind in FACT_KINDS:
        fields |= {
            "pointer": candidate.pointer,
            "value": candidate.value,
            "of": value_digest(candidate.value),
            "keys": (key,),
        }
    memory: Memory = kind_type(
        id=id_of(candidate),
        claim=candidate.claim,
        date=times.day(first),
        metadata=Metadata(
            scope=candidate.scope,
            confidence=round(candidate.confidence, 2),
            source=candidate.source,
            origin=candidate.origin,
            temporality=candidate.temporality,
        ),
        timestamps=Timestamps(created_at=first, updated_at=last),
        why_useful=candidate.why_useful,
        staleness=candidate.staleness,
        tags=candidate.tags,
        rationale=candidate.rationale,
        marked=candidate.asked,
        evidence=evidence,
        **fields,
    )
    return memory


def value_digest(value: object) -> str:
    """Give the short digest of a fact's value that its metadata speaks about."""
    return identity.quote_digest(msgspec.json.encode(value, order="sorted").decode())


def cap(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Unite evidence: ordered by time, then digest; the first and the last four are kept.

    The same place quoted twice counts once. Taking the union in any order and any grouping gives the same five.
    """
    unique: dict[tuple[str, ...], Evidence] = {}
    for piece in evidence:
        # The time belongs to the place: with it the order does not depend on which of two readings is kept.
        place = (piece.at, piece.digest, piece.agent, piece.session, piece.entry)
        old = unique.get(place)
        if old is None or msgspec.json.encode(piece) < msgspec.json.encode(old):
            unique[place] = piece
    ordered = sorted(unique.values(), key=lambda e: (e.at, e.digest, e.agent, e.session, e.entry))
    if len(ordered) > EVIDENCE_LIMIT:
        ordered = [ordered[0], *ordered[1 - EVIDENCE_LIMIT :]]
    return tuple(ordered)


def with_evidence(memory: Memory, evidence: Iterable[Evidence], key: str = "") -> Memory:
    """Add evidence (and the key it came under) to an entry; unchanged when nothing is new."""
    pieces = [msgspec.structs.replace(e, key=e.key or key) if key else e for e in evidence]
    known = {(e.agent, e.session, e.entry, e.digest) for e in memory.evidence}
    fresh = [e for e in pieces if (e.agent, e.session, e.entry, e.digest) not in known]
    united = cap((*memory.evidence, *fresh))
    keys = memory.keys
    if key and key != memory.key and key not in keys:
        keys = tuple(sorted((*keys, key)))
    if united == memory.evidence and keys == memory.keys:
        return memory
    latest = max((e.at for e in united), default="")
    stamps = msgspec.structs.replace(memory.timestamps, updated_at=max(memory.timestamps.updated_at, latest))
    return msgspec.structs.replace(memory, evidence=united, keys=keys, timestamps=stamps)


def reworded(memory: Memory, candidate: Candidate) -> Memory:
    """Give an entry the fuller wording of a candidate that says the same; id and birth stay."""
    joined = with_evidence(memory, candidate.evidence, key_of(candidate))
    fields: dict[str, Any] = {"claim": candidate.claim}
    names = {f.name for f in msgspec.structs.fields(type(memory))}
    for name in (*_OWN_FIELDS, "rationale"):
        if name in names and getattr(candidate, name, None):
            fields[name] = getattr(candidate, name)
    confidence = max(memory.metadata.confidence, round(candidate.confidence, 2))
    fields["metadata"] = msgspec.structs.replace(memory.metadata, confidence=confidence)
    return msgspec.structs.replace(joined, **fields)


def superseding(new: Memory, old: Memory) -> tuple[Memory, Memory]:
    """Link two entries: `new` supersedes `old`. Returns both, new first."""
    after = msgspec.structs.replace(new, supersedes=tuple(sorted({*new.supersedes, old.id})))
    stamps = msgspec.structs.replace(
        old.timestamps, updated_at=max(old.timestamps.updated_at, new.timestamps.updated_at)
    )
    before = msgspec.structs.replace(old, status="superseded", superseded_by=new.id, timestamps=stamps)
    return after, before


def contradicting(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """Link two entries that cannot both hold and have no order."""
    return (
        msgspec.structs.replace(one, contradicts=tuple(sorted({*one.contradicts, other.id}))),
        msgspec.structs.replace(other, contradicts=tuple(sorted({*other.contradicts, one.id}))),
    )


def pointer_of(*parts: str) -> str:
    """Join parts to a JSON pointer (RFC 6901)."""
    return "".join("/" + p.replace("~", "~0").replace("/", "~1") for p in parts)


def pointer_parts(pointer: str) -> tuple[str, ...]:
    """Split a JSON pointer into its parts (RFC 6901)."""
    return tuple(p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:])


def slug(text: str) -> str:
    """Give a mapping key for a name: letters, digits and CJK kept, the rest joined by `-`, at most 40 characters."""
    folded = identity.normalise(text)
    return re.sub(r"[^\w]+", "-", folded, flags=re.UNICODE).strip("-_")[:40].strip("-_")


def text_of(memory: Entry) -> str:
    """Give the text an entry is embedded and searched by: claim, then what its kind adds to it."""
    parts = [memory.claim]
    for name in ("title", "choice", "rationale", "context", "root_cause", "next_action"):
        extra = getattr(memory, name, "")
        if extra and identity.normalise(extra) not in identity.normalise(parts[0]):
            parts.append(extra)
    if isinstance(memory, Fact) and isinstance(memory.value, str) and memory.value not in memory.claim:
        parts.append(memory.value)
    return "\n".join(parts)
