"""What two statements are to each other: the same, contradicting, of one theme, or nothing to do with each other.

The guard has the last word on "duplicate"; below it a small linear model decides from what can be measured of a pair:
calibrated and raw similarity, shared words and spelling, and what the guard found. Its weights stand in the model's
profile and come from the labelled statements that ship with `omp` (`scripts/calibrate`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from omp.embed.calibration import MARGIN, Calibration, Decision, calibration, language_pair
from omp.embed.guard import Reading, differences, read
from omp.embed.hashing import grams
from omp.identity import normalise
from omp.model import Relation, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from omp.embed import Embedder
    from omp.embed.guard.differences import Difference

LABELS: tuple[Relation, ...] = ("duplicate", "contradiction", "same_theme", "unrelated")

KINDS = ("number", "quantity", "path", "name", "negation", "modality", "slot", "faint", "word", "order")
"""Kinds of difference that are features, 1 where the guard found one."""

FEATURES = (
    "calibrated", "raw", "raw zh", "raw cross", "words", "words cross", "covered", "spelling", "names", "numbers",
    "negations", "lengths", "any", "any x calibrated", "free words", "free covered", "free spelling", *KINDS,
)  # fmt: skip
"""Features of a pair, in the order of the weights. "Free" ones count only where the guard has no objection."""


class Comparison(Struct, frozen=True, kw_only=True):
    """What two texts are to each other; `similarity` is calibrated, `raw` the cosine, `guard` what differs."""

    relation: Relation
    similarity: float
    raw: float
    guard: tuple[str, ...] = ()


def compare(a: str, b: str, embedder: Embedder) -> Comparison:
    """Compare two texts; see `compare_all`."""
    return compare_all([(a, b)], embedder)[0]


def compare_all(pairs: Sequence[tuple[str, str]], embedder: Embedder) -> list[Comparison]:
    """Compare pairs of texts, encoding every text once. The result does not depend on the order within a pair.

    With a model that has no calibration only texts that are equal but for case, spaces and closing marks are
    duplicates.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = dict(zip(texts, embedder.encode(texts, "pair"), strict=True))
    scale = calibration(embedder)
    return [relate(a, b, float(vectors[a] @ vectors[b]), scale) for a, b in pairs]


def relate(a: str, b: str, raw: float, scale: Calibration) -> Comparison:
    """Say what two texts are to each other, given the raw cosine of their vectors."""
    if normalise(a) == normalise(b):
        return Comparison(relation="duplicate", similarity=1.0, raw=round(raw, 4))
    found = differences(read(a), read(b))
    similarity = scale.pair(raw, language_pair(a, b))
    reasons = tuple(d.reason for d in found if d.hard)
    relation: Relation
    if not scale.known or scale.decision is None:
        relation = "same_theme" if similarity > 0.62 + MARGIN else "unrelated"
    elif not reasons and similarity > 0.85 + MARGIN and read(a).words == read(b).words:
        relation = "duplicate"  # all words that carry a subject are the same, and nothing tells them apart
    else:
        relation = decide(features(a, b, raw, scale, found), scale.decision, bool(reasons))
    return Comparison(relation=relation, similarity=round(similarity, 4), raw=round(raw, 4), guard=reasons)


def decide(values: Sequence[float], decision: Decision, guarded: bool) -> Relation:
    """Give the likeliest label; never "duplicate" for a pair the guard objects to."""
    scores = score(values, decision)
    allowed = [label for label in LABELS if not (guarded and label == "duplicate")]
    return max(allowed, key=lambda label: scores[label])


def score(values: Sequence[float], decision: Decision) -> dict[str, float]:
    """Give the linear score of each label."""
    scaled = [(v - m) / s for v, m, s in zip(values, decision.mean, decision.spread, strict=True)]
    return {
        label: weights[0] + math.fsum(w * v for w, v in zip(weights[1:], scaled, strict=True))
        for label, weights in decision.weights.items()
    }


def features(a: str, b: str, raw: float, scale: Calibration, found: Sequence[Difference]) -> list[float]:
    """Measure a pair: one number for each of `FEATURES`, the same for (b, a)."""
    langs = language_pair(a, b)
    one, other = read(a), read(b)
    similarity = scale.pair(raw, langs)
    cross = float(langs == "cross")
    words = _overlap(one.words, other.words)
    covered = _covered(one.words, other.words)
    spelling = _spelling(a, b) * (1 - cross)
    kinds = {d.kind for d in found}
    guarded = float(any(d.hard for d in found))
    short, long = sorted((len(a), len(b)))
    return [
        similarity,
        raw,
        raw * float(langs == "zh-zh"),
        raw * cross,
        words * (1 - cross),
        words * cross,
        covered,
        spelling,
        _overlap(one.names, other.names),
        _numbers(one, other),
        float((one.negations > 0) != (other.negations > 0)),
        short / max(1, long),
        guarded,
        guarded * similarity,
        (1 - guarded) * words,
        (1 - guarded) * covered,
        (1 - guarded) * spelling,
        *(float(kind in kinds) for kind in KINDS),
    ]


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _covered(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _spelling(a: str, b: str) -> float:
    """Share of character n-grams both texts have (Dice)."""
    one, other = set(grams(a)), set(grams(b))
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _numbers(a: Reading, b: Reading) -> float:
    """1 when both have the same numbers, -1 when only one has any, else 0."""
    from omp.embed.guard.numbers import same

    if not a.quantities and not b.quantities:
        return 0.0
    if not a.quantities or not b.quantities:
        return -1.0
    return 1.0 if any(same(p, q) for p in a.quantities for q in b.quantities) else 0.0
