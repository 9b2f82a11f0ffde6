"""Redundant, obsolete, trivial: whether a candidate is worth keeping, always with a reason. Pure.

`judge` takes candidates in the order they were said and gives one verdict each. A verdict can add evidence to an
entry, give it fuller words, put a newer statement in its place, or link two that cannot both hold; an earlier
candidate of the same batch counts as an entry. Where the guard objects nothing is merged; where nothing says which of
two holds, both stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from omp import entries, identity
from omp.embed.calibration import MARGIN, language
from omp.embed.guard import guard, read
from omp.model import (
    FACT_KINDS,
    Action,
    Candidate,
    Effect,
    Fact,
    Judged,
    Memory,
    Origin,
    Struct,
    Verdict,
)
from omp.rot.nearest import Found, Meaning, Similarity, meaning_of
from omp.rot.replacing import Part, adds, part, retired, same_frame, states
from omp.rot.trivial import length, trivial

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from omp.embed import Embedder

__all__ = ["Limits", "judge", "length", "trivial"]

RELATED = 0.62
"""Least similarity at which a statement can retire another: that at which it would join its theme."""
CONFLICTING = 0.78
"""Least similarity at which two that cannot both hold are linked: that above which two themes are one subject."""
SAME_WORDS = 0.8
"""Least share of all content words that an explicitly kept statement and the one it joins have in common."""
SAME_MATTER = 0.5
"""Least share of the shorter statement's content words that a statement it is joined with must hold."""
_TRUST: dict[Origin, int] = {"user": 3, "repository": 2, "assistant": 1, "tool": 0}


class Limits(Struct, frozen=True, kw_only=True):
    """Thresholds in force: confidence (inclusive) and calibrated similarity (`merge` exclusive, `same` inclusive).

    `margin` is kept from every limit on similarities that a model computed: within it the careful outcome is taken.
    """

    keep: float = 0.7
    stage: float = 0.4
    merge: float = 0.85
    same: float = 0.95
    margin: float = MARGIN


class KnownKeys(Protocol):
    """What the store knows: keys of entries, and what must not come back."""

    @property
    def keys(self) -> Mapping[str, str]:
        """Key -> id of the entry it stands in, whatever its status."""

    @property
    def refused_keys(self) -> Set[str]:
        """Keys that were refused."""

    @property
    def refused_places(self) -> Set[str]:
        """Places that were refused."""


def judge(
    candidates: Sequence[Candidate],
    known: KnownKeys,
    memories: Sequence[Memory],
    *,
    embedder: Embedder | None = None,
    cache: Path | None = None,
    limits: Limits | None = None,
    similarity: Similarity | None = None,
    vectors: NDArray[numpy.float32] | None = None,
    split: bool = False,
) -> list[Judged]:
    """Give a verdict on each candidate, in order.

    `memories` are stored entries and the inbox; only active ones are compared. `vectors` are those of their claims,
    float32 (len(memories), dim), else they are computed, through the vector cache in `cache` where one is given.
    `similarity` takes the model's place (given figures are compared without a margin). With neither, words are
    compared and nothing is merged.

    With `split`, an entry of which a statement retires one part is superseded and its rest comes back as a further
    verdict after those of the candidates; otherwise the two are linked as contradicting.
    """
    judging = _Judging(known, memories, limits or Limits(), meaning_of(embedder, cache, similarity), vectors, split)
    judged = [judging.one(candidate) for candidate in candidates]
    return [*judged, *judging.rests]


class _Judging:
    """One batch: what it is compared with grows by what it keeps."""

    def __init__(
        self,
        known: KnownKeys,
        memories: Sequence[Memory],
        limits: Limits,
        meaning: Meaning,
        vectors: Any,
        split: bool,
    ) -> None:
        self.known, self.limits, self.meaning, self.split = known, limits, meaning, split
        self.by_id = {m.id: m for m in memories}
        self.keys: dict[str, str] = dict(known.keys)
        self.gone: set[str] = set()
        self.rests: list[Judged] = []
        places = [n for n, m in enumerate(memories) if m.status == "active" and not isinstance(m, Fact)]
        self._waiting = ([memories[n] for n in places], None if vectors is None else vectors[places])

    def one(self, candidate: Candidate) -> Judged:
        """Judge one candidate and remember what became of it."""
        key = entries.key_of(candidate)
        verdict = self._early(candidate, key) or self._by_meaning(candidate)
        if verdict.action == "drop":
            return Judged(candidate=candidate, verdict=verdict, key=key)
        if verdict.effect in ("evidence", "merge"):
            self.keys.setdefault(key, verdict.against)
            return Judged(candidate=candidate, verdict=verdict, key=key, id=verdict.against)
        memory = entries.from_candidate(candidate)
        self.keys.setdefault(key, memory.id)
        self.by_id.setdefault(memory.id, memory)
        if candidate.kind not in FACT_KINDS:
            self._waiting[0].append(memory)
        if verdict.effect == "supersede":
            self.gone.add(verdict.against)
        return Judged(candidate=candidate, verdict=verdict, key=key, id=memory.id)

    def _early(self, candidate: Candidate, key: str) -> Verdict | None:
        """Give the verdict that needs no comparison of meaning, if there is one."""
        if candidate.drop:
            return Verdict(action="drop", reason=candidate.drop)
        if candidate.scope == "EPHEMERAL":
            return Verdict(action="drop", reason="ephemeral")
        if not candidate.asked and self._refused(candidate, key):
            return Verdict(action="drop", reason="refused")
        identity_ = self.keys.get(key, "")
        if candidate.kind in FACT_KINDS:
            if fact := self._fact(candidate, identity_):
                return fact
        elif identity_:
            return self._joins(candidate, "known", "evidence", identity_, 1.0)
        if reason := trivial(candidate.claim, candidate.rules):
            return Verdict(action="drop", reason="trivial", detail=reason)
        if candidate.confidence < self.limits.stage:
            return Verdict(action="drop", reason="noise")
        if candidate.kind in FACT_KINDS:
            return self._new(candidate)
        return None

    def _refused(self, candidate: Candidate, key: str) -> bool:
        first = candidate.evidence[0] if candidate.evidence else None
        place = identity.place(first.agent, first.session, first.entry, candidate.kind) if first else ""
        return key in self.known.refused_keys or place in self.known.refused_places

    def _fact(self, candidate: Candidate, known_id: str) -> Verdict | None:
        """Judge a fact by its pointer: the same value is evidence, another one takes its place there."""
        old = self.by_id.get(entries.id_of(candidate))
        if old is None:
            return self._joins(candidate, "known", "evidence", known_id, 1.0) if known_id else None
        if isinstance(old, Fact) and str(old.value) == candidate.value:
            return self._joins(candidate, "known", "evidence", old.id, 1.0)
        if candidate.confidence >= self.limits.keep and not self._newer(candidate, old):
            return Verdict(action="drop", reason="obsolete", against=old.id)
        verdict = self._new(candidate)
        return (
            msgspec.structs.replace(verdict, reason="update", against=old.id) if verdict.action == "keep" else verdict
        )

    def _joins(self, candidate: Candidate, reason: str, effect: Effect, against: str, value: float) -> Verdict:
        """Let a candidate join an entry; one that is not sure enough for the files adds nothing to them."""
        if candidate.confidence < self.limits.keep:
            return Verdict(action="drop", reason=reason, against=against, similarity=value)
        return Verdict(action="keep", reason=reason, effect=effect, against=against, similarity=value)

    def _new(self, candidate: Candidate, near: Found | None = None) -> Verdict:
        action: Action = "keep" if candidate.confidence >= self.limits.keep else "stage"
        return Verdict(
            action=action,
            reason="new" if action == "keep" else "uncertain",
            effect="add" if action == "keep" else "none",
            against=near.memory.id if near else "",
            similarity=round(near.comparison.similarity, 4) if near else 0.0,
        )

    def _by_meaning(self, candidate: Candidate) -> Verdict:
        memories, vectors = self._waiting
        if memories:
            self.meaning.add(memories, vectors)
            self._waiting = ([], None)
        near = [f for f in self.meaning.near(candidate.claim) if f.memory.id not in self.gone]
        for judged in (self._retires, self._redundant, self._updates, self._contradicts):
            if verdict := judged(candidate, near):
                return verdict
        return self._new(candidate, near[0] if near else None)

    def _redundant(self, candidate: Candidate, near: list[Found]) -> Verdict | None:
        margin = 0.0 if self.meaning.exact else self.limits.margin
        for found in near:
            value, same = found.comparison.similarity, found.comparison
            if value <= self.limits.merge + margin or not self.meaning.merges:
                return None
            if same.guard or same.relation != "duplicate" or adds(candidate.claim, found.memory.claim):
                continue
            if adds(found.memory.claim, candidate.claim):
                continue
            if value < self.limits.same and not self.meaning.exact and not _same_matter(candidate, found.memory):
                continue
            if candidate.asked and value < self.limits.same and not _same_words(candidate, found.memory):
                continue
            nearly = value >= self.limits.same + margin
            effect: Effect = "evidence" if nearly or not _fuller(candidate, found.memory) else "merge"
            return self._joins(candidate, "redundant", effect, found.memory.id, value)
        return None

    def _retires(self, candidate: Candidate, near: list[Found]) -> Verdict | None:
        """Find the entry whose value this statement says is over."""
        value = retired(candidate)
        if not value:
            return None
        for found in self._related(near):
            if states(found.memory, value, candidate.claim):
                return self._takes_place(candidate, found, part(found.memory, value))
        return None

    def _updates(self, candidate: Candidate, near: list[Found]) -> Verdict | None:
        """Find the entry that gives the same thing another value."""
        for found in self._related(near):
            if found.comparison.guard and same_frame(candidate.claim, found.memory.claim):
                return self._takes_place(candidate, found, None)
        return None

    def _related(self, near: list[Found]) -> list[Found]:
        margin = 0.0 if self.meaning.exact else self.limits.margin
        return [f for f in near if f.comparison.similarity >= RELATED + margin]

    def _takes_place(self, candidate: Candidate, found: Found, several: Part | None) -> Verdict:
        if self._newer(candidate, found.memory):
            return self._supersedes(candidate, found, several)
        return Verdict(
            action="drop",
            reason="obsolete",
            against=found.memory.id,
            similarity=found.comparison.similarity,
            detail="; ".join(found.comparison.guard),
        )

    def _supersedes(self, candidate: Candidate, found: Found, several: Part | None) -> Verdict:
        effect: Effect = "supersede"
        detail = "; ".join(found.comparison.guard)
        sure = candidate.confidence >= self.limits.keep
        if _TRUST[candidate.origin] < _TRUST[found.memory.metadata.origin]:
            effect = "contradict"  # what an agent says does not retire what a person said
        elif several and not self.split:
            effect, detail = "contradict", f"only in part: {several.gone}"
        elif several and sure:
            self.rests.append(_rest(candidate, found.memory, several))
        return Verdict(
            action="keep" if sure else "stage",
            reason="update" if effect == "supersede" else "contradiction",
            effect=effect if sure else "none",
            against=found.memory.id,
            similarity=found.comparison.similarity,
            detail=detail,
        )

    def _contradicts(self, candidate: Candidate, near: list[Found]) -> Verdict | None:
        for found in near:
            same = found.comparison
            if same.relation != "contradiction" or not same.guard or not self.meaning.merges:
                continue
            if same.similarity <= CONFLICTING or _periodic(candidate.claim, found.memory.claim):
                continue
            sure = candidate.confidence >= self.limits.keep
            return Verdict(
                action="keep" if sure else "stage",
                reason="contradiction",
                effect="contradict" if sure else "none",
                against=found.memory.id,
                similarity=same.similarity,
                detail="; ".join(same.guard),
            )
        return None

    @staticmethod
    def _newer(candidate: Candidate, memory: Memory) -> bool:
        """Tell whether a candidate was said after what an entry holds; of one moment the later in order counts."""
        said = max((e.at for e in candidate.evidence), default="")
        return not said or said >= memory.timestamps.updated_at


def _periodic(new: str, old: str) -> bool:
    """Tell whether two statements differ in nothing but numbers: without an equal frame that is no contradiction."""
    return all(reason.startswith("number") for reason in guard(new, old))


def _fuller(candidate: Candidate, memory: Memory) -> bool:
    """Tell whether a candidate says more than the entry and may give it its words."""
    if _TRUST[candidate.origin] < _TRUST[memory.metadata.origin]:
        return False
    return length(candidate.claim) > length(memory.claim)


def _rest(candidate: Candidate, memory: Memory, several: Part) -> Judged:
    """Make the verdict that keeps what a partly retired entry still says, with the entry's own evidence."""
    kept = Candidate(
        kind=memory.kind,
        claim=several.rest,
        evidence=memory.evidence or candidate.evidence,
        scope=memory.metadata.scope,
        confidence=memory.metadata.confidence,
        origin=memory.metadata.origin,
        source=memory.metadata.source,
        tags=memory.tags,
    )
    verdict = Verdict(action="keep", reason="rest", effect="add", against=memory.id, detail=f"without: {several.gone}")
    return Judged(candidate=kept, verdict=verdict, key=entries.key_of(kept), id=entries.id_of(kept))


def _same_words(candidate: Candidate, memory: Memory) -> bool:
    """Tell whether what a person asked to be kept says, word for word, what stands there: likeness is not enough."""
    if candidate.kind != memory.kind or language(candidate.claim) != language(memory.claim):
        return False
    one, other = read(candidate.claim).words, read(memory.claim).words
    return len(one & other) >= SAME_WORDS * len(one | other)


def _same_matter(candidate: Candidate, memory: Memory) -> bool:
    """Tell whether two statements of one language share enough words to be joined on likeness alone.

    A model finds two rules about Fridays alike; joined, one of them would be lost. Across languages words cannot tell.
    """
    if language(candidate.claim) != language(memory.claim):
        return True
    one, other = read(candidate.claim).words, read(memory.claim).words
    return not one or not other or len(one & other) >= SAME_MATTER * min(len(one), len(other))
