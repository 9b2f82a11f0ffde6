"""One sentence read through the rules: how strongly it states each kind of memory, and how it is said."""

from __future__ import annotations

from msgspec.structs import replace

from omp.model import Kind, Struct
from omp.rules import Rule, Rules

PRIORITY: dict[Kind, float] = {
    "deployment": 1.1,
    "path": 1.08,
    "skill": 1.12,
    "open_question": 1.12,
    "working_assumption": 1.08,
    "lesson": 1.06,
    "milestone": 1.04,
    "preference": 1.03,
    "service_config": 1.0,
    "constraint": 1.0,
    "decision": 0.97,
}
"""Which kind wins where a sentence could be several: the narrower its signs, the higher."""
_CURED = 0.6
"""A setting named as the cure of a fault speaks of the lesson first."""
UNKNOWN = frozenset({"question.unknown", "question.weak"})
STEPS = frozenset({"question.next_step", "question.weak_step"})
"""Rules that name something unknown, and a next step: an open question takes one of each."""
_LIFT = 0.5
"""Share of the signs of standing that a kind gains: one good sign brings a weak kind just over the limit."""


class Reading(Struct, frozen=True, kw_only=True):
    """What fired in a text: rules by id, strength 0..1 for each kind after what weakens it, and the flags."""

    hits: frozenset[str]
    strength: dict[Kind, float]
    flags: frozenset[str]
    raw: dict[Kind, float]
    """Strength before the flags, to say why something was dropped."""
    standing: float = 0.0
    """How much speaks for a statement that is meant to last, whatever its kind."""

    @property
    def best(self) -> tuple[Kind, float]:
        """The kind that fits best and its strength ("decision", 0 when nothing fired)."""
        return _best(self.strength)

    @property
    def silenced(self) -> tuple[Kind, float]:
        """The same before the flags."""
        return _best(self.raw)


def read(text: str, rules: Rules) -> Reading:
    """Read one sentence (quotations already blanked out)."""
    found: dict[str, Rule] = {r.id: r for r in rules.signals if r.search(text) is not None}
    found = {i: r for i, r in found.items() if not r.needs or any(n in found for n in r.needs)}
    flags = [r for r in rules.trivial if r.search(text) is not None]
    raw: dict[Kind, float] = {}
    for rule in found.values():
        if rule.kind in PRIORITY:
            kind: Kind = rule.kind
            raw[kind] = 1 - (1 - raw.get(kind, 0.0)) * (1 - rule.weight)
    if "lesson.cure" in found and "service_config" in raw:
        raw["service_config"] *= _CURED
    if not (found.keys() & UNKNOWN and found.keys() & STEPS):
        raw.pop("open_question", None)
    standing = 1.0
    for rule in found.values():
        if rule.kind == "standing":
            standing *= 1 - rule.weight
    standing = 1 - standing
    raw = {kind: 1 - (1 - value) * (1 - _LIFT * standing) for kind, value in raw.items()}
    strength = {kind: value * _kept(kind, flags) for kind, value in raw.items()}
    return Reading(
        hits=frozenset(found),
        strength=strength,
        flags=frozenset(r.id for r in flags),
        raw=raw,
        standing=standing * _kept("change", flags),
    )


def boosted(reading: Reading, share: float) -> Reading:
    """Give the reading with `share` of the missing strength added to every kind that fired and was not ruled out."""
    raised = {k: 1 - (1 - v) * (1 - share) if v >= 0.3 else v for k, v in reading.strength.items()}
    return replace(reading, strength=raised)


def leaning(reading: Reading, kind: Kind, strength: float) -> Reading:
    """Give the reading with `kind` at least as strong as said: what the talk, not the words, tells."""
    if max(reading.strength.values(), default=0.0) >= strength:
        return reading
    raised = {**reading.strength, kind: max(strength, reading.strength.get(kind, 0.0))}
    return replace(reading, strength=raised)


def _kept(kind: Kind, flags: list[Rule]) -> float:
    share = 1.0
    for rule in flags:
        if kind not in rule.spares:
            share *= 1 - rule.weight
    return share


def _best(strength: dict[Kind, float]) -> tuple[Kind, float]:
    if not strength:
        return "decision", 0.0
    kind = max(strength, key=lambda k: (strength[k] * PRIORITY[k], k))
    return kind, strength[kind]
