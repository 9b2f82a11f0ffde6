"""Redundant, obsolete, trivial: keep, stage or drop, always with a reason, and what it was compared with.

Pure: candidates, what is known, the stored memories and a similarity in; verdicts out. Similarity alone never retires
a memory: that takes a stated change, the same subject and attribute, or a negated restatement said outright.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from omp import entries, identity
from omp.embed.guard import guard
from omp.model import FACT_KINDS, Candidate, Fact, Judged, Memory, Struct, Verdict

MARGIN = 0.002
"""Where a similarity lies this near a threshold the careful outcome is taken: keep both."""
NEAREST = 5
"""Neighbours looked at; further ones are less alike than these."""
TRIVIAL_WIDTH = 10.0
"""Characters below which a text in which no rule fired says nothing (seed documents); a Chinese one counts 2.5."""
CJK_WIDTH = 2.5
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
_LEAK = re.compile(r"\{\{.*?\}\}|<%.*?%>|\$\{[A-Z_]+\}\s*$|^\s*(?:undefined|null|None|\[object Object\])\s*$")


class Limits(Struct, frozen=True, kw_only=True):
    """Confidence from which a candidate is kept or staged; similarity from which it joins or only bears witness."""

    keep: float = 0.7
    stage: float = 0.4
    merge: float = 0.85
    same: float = 0.95


class Known(Protocol):
    """What need not be learnt again, and what must not be."""

    @property
    def keys(self) -> Mapping[str, str]: ...
    @property
    def refused_keys(self) -> frozenset[str]: ...
    @property
    def refused_places(self) -> frozenset[str]: ...


Neighbours = Callable[[Candidate, Sequence[Memory]], list[tuple[Memory, float]]]
"""Gives the memories most like a candidate with their calibrated similarity, best first."""


def judge(
    candidates: Sequence[Candidate],
    known: Known,
    memories: Sequence[Memory],
    neighbours: Neighbours | None,
    limits: Limits,
) -> list[Judged]:
    """Give a verdict on each candidate in order; earlier ones of the batch count as stored for later ones.

    Without `neighbours` (no model) nothing is joined by similarity: exact keys alone tell what is known.
    """
    return _Bench(known, memories, neighbours, limits).run(candidates)


class _Bench:
    def __init__(self, known: Known, memories: Sequence[Memory], neighbours: Neighbours | None, limits: Limits) -> None:
        self.known, self.neighbours, self.limits = known, neighbours, limits
        self.by_id = {m.id: m for m in memories}
        self.keys = dict(known.keys)

    def run(self, candidates: Sequence[Candidate]) -> list[Judged]:
        out = []
        for candidate in candidates:
            key = entries.key_of(candidate)
            verdict = self._verdict(candidate, key)
            became = ""
            if verdict.action != "drop":
                became = verdict.against if verdict.effect in ("evidence", "merge") else entries.id_of(candidate)
                self.keys.setdefault(key, became)
                if verdict.effect not in ("evidence", "merge"):
                    fresh = entries.from_candidate(candidate)
                    self.by_id[fresh.id] = fresh
            out.append(Judged(candidate=candidate, verdict=verdict, key=key, id=became))
        return out

    def _verdict(self, c: Candidate, key: str) -> Verdict:
        if c.drop:
            return Verdict(action="drop", reason=c.drop)
        if c.scope == "EPHEMERAL":
            return Verdict(action="drop", reason="ephemeral")
        if not c.asked and (key in self.known.refused_keys or self._place(c) in self.known.refused_places):
            return Verdict(action="drop", reason="refused")
        if key in self.keys:
            return Verdict(action="keep", reason="known", effect="evidence", against=self.keys[key], similarity=1.0)
        if is_trivial(c):
            return Verdict(action="drop", reason="trivial")
        if c.confidence < self.limits.stage:
            return Verdict(action="drop", reason="uncertain")
        compared = self._compared(c)
        if c.confidence < self.limits.keep and compared.effect not in ("evidence", "merge"):
            return Verdict(
                action="stage",
                reason="uncertain",
                effect="add",
                against=compared.against,
                similarity=compared.similarity,
                detail=f"confidence {c.confidence:.2f}",
            )
        return compared

    @staticmethod
    def _place(c: Candidate) -> str:
        if not c.evidence:
            return ""
        first = c.evidence[0]
        return identity.place(first.agent, first.session, first.entry, c.kind)

    def _compared(self, c: Candidate) -> Verdict:
        """Compare with what stands there: joined, replacing, contradicting, or new."""
        if c.kind in FACT_KINDS:
            return self._fact(c)
        active = [m for m in self.by_id.values() if m.status == "active" and self._comparable(m, c)]
        if self.neighbours is None or not active:
            return Verdict(action="keep", reason="new", effect="add")
        nearest = self.neighbours(c, active)[:NEAREST]
        for memory, similarity in nearest:
            verdict = self._pair(c, memory, similarity)
            if verdict is not None:
                return verdict
        near = nearest[0] if nearest else None
        return Verdict(
            action="keep",
            reason="new",
            effect="add",
            against=near[0].id if near else "",
            similarity=round(near[1], 4) if near else 0.0,
        )

    @staticmethod
    def _comparable(memory: Memory, c: Candidate) -> bool:
        mine = c.scope in ("PERSONAL", "UNIVERSAL")
        return (memory.metadata.scope in ("PERSONAL", "UNIVERSAL")) == mine

    def _fact(self, c: Candidate) -> Verdict:
        old = self.by_id.get(entries.id_of(c))
        if not isinstance(old, Fact):
            return Verdict(action="keep", reason="new", effect="add")
        same = old.value == c.value
        return Verdict(
            action="keep", reason="known" if same else "update", effect="evidence" if same else "add", against=old.id
        )

    def _pair(self, c: Candidate, memory: Memory, similarity: float) -> Verdict | None:
        """Give the verdict two statements lead to; None when they are just two statements."""
        reasons = guard(c.claim, memory.claim)
        sure = similarity > self.limits.merge + MARGIN
        if not reasons and sure and c.kind == memory.kind:
            if similarity >= self.limits.same + MARGIN or len(c.claim) <= len(memory.claim):
                return self._joined("evidence", memory, similarity)
            return self._joined("merge", memory, similarity)
        retired = bool(c.retires) and identity.normalise(c.retires) in identity.normalise(memory.claim)
        negated = any(r.startswith("negation") for r in reasons) and len(reasons) == 1
        newer = _time(c) >= memory.timestamps.updated_at
        if newer and c.confidence >= 0.9 and ((retired and similarity > 0.5) or (negated and sure)):
            return Verdict(
                action="keep",
                reason="obsolete",
                effect="supersede",
                against=memory.id,
                similarity=round(similarity, 4),
                detail="; ".join(reasons),
            )
        return None

    @staticmethod
    def _joined(effect: str, memory: Memory, similarity: float) -> Verdict:
        return Verdict(
            action="keep",
            reason="redundant",
            effect="evidence" if effect == "evidence" else "merge",
            against=memory.id,
            similarity=round(similarity, 4),
        )


def _time(c: Candidate) -> str:
    return max((e.at for e in c.evidence), default="")


def is_trivial(c: Candidate) -> bool:
    """Tell whether a claim says nothing: a leak of a template, or too short with no rule behind it."""
    text = c.claim.strip()
    if _LEAK.search(text):
        return True
    cjk = len(_CJK.findall(text))
    return not c.rules and not c.asked and len(text) - cjk + CJK_WIDTH * cjk < TRIVIAL_WIDTH
