"""Settles what a candidate is: whose it is (scope), how long it holds, how sure we may be, and from whom it comes.

Pure: the candidate, the session it comes from and the rules in, the candidate out.
"""

from __future__ import annotations

from msgspec.structs import replace

from omp.model import Candidate, Kind, Scope, Session, Temporality
from omp.rules import Rules, load_rules

_PROJECT_KINDS: frozenset[Kind] = frozenset(
    {
        "decision",
        "deployment",
        "service_config",
        "path",
        "milestone",
        "open_question",
        "working_assumption",
        "lesson",
        "change",
    }
)
"""Kinds that speak about the work, whoever says "I" in them."""
_CONTEXTUAL: frozenset[Kind] = frozenset({"working_assumption", "open_question"})
_DEFAULT_PERSONAL = 0.3
"""A preference without any sign of scope is the speaker's own; a sign for the project has to outweigh this."""


def classify(candidate: Candidate, session: Session, rules: Rules | None = None) -> Candidate:
    """Give the candidate with scope, temporality, origin and confidence settled."""
    rules = rules or load_rules()
    scope = _scope(candidate, rules)
    origin = candidate.origin
    confidence = candidate.confidence
    if not any(e.role == "user" for e in candidate.evidence):
        origin = "assistant"
        confidence = min(confidence, rules.thresholds["assistant_ceiling"])
    if candidate.asked:
        confidence = max(confidence, rules.thresholds["explicit"])
    drop = candidate.drop
    if session.machine:
        drop = drop or "nobody's voice"
    return replace(
        candidate,
        scope=scope,
        origin=origin,
        confidence=round(confidence, 2),
        temporality=_lifetime(candidate, scope, rules),
        source="explicit" if confidence >= rules.thresholds["explicit"] else "inferred",
        drop=drop,
    )


def _scope(candidate: Candidate, rules: Rules) -> Scope:
    if candidate.kind == "skill":
        return "PERSONAL"
    text = " ".join((candidate.claim, *(e.quote for e in candidate.evidence if e.role == "user")))
    if _once(text, rules):
        return "EPHEMERAL"
    if candidate.kind in _PROJECT_KINDS:
        return "PROJECT"
    sums: dict[str, float] = {"PERSONAL": _DEFAULT_PERSONAL if candidate.kind == "preference" else 0.0}
    for rule in rules.scope:
        if rule.search(text) is not None:
            sums[rule.kind] = sums.get(rule.kind, 0.0) + rule.weight
    if candidate.kind == "constraint" and "scope.personal_everywhere" not in candidate.rules:
        sums["PROJECT"] = sums.get("PROJECT", 0.0) + 1.0
    best: Scope = max(("PROJECT", "PERSONAL", "UNIVERSAL"), key=lambda s: sums.get(s, 0.0))
    return best


def _once(text: str, rules: Rules) -> bool:
    return any(r.kind == "ephemeral" and r.search(text) is not None for r in rules.lifetimes)


def _lifetime(candidate: Candidate, scope: Scope, rules: Rules) -> Temporality:
    if scope == "EPHEMERAL":
        return "ephemeral"
    if candidate.kind in _CONTEXTUAL:
        return "contextual"
    if any(r.kind == "contextual" and r.search(candidate.claim) is not None for r in rules.lifetimes):
        return "contextual"
    return "permanent"
