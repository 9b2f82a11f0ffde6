"""How near an entry is to a candidate: by a model, by a given function, or by shared words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from omp.embed.calibration import Calibration, calibration, language
from omp.embed.compare import Comparison, relate
from omp.embed.guard import guard, read
from omp.model import Memory, Struct

if TYPE_CHECKING:
    from omp.embed import Embedder

NEIGHBOURS = 6
"""Nearest entries of each language that are looked at closely."""
LEXICAL_CEILING = 0.8
"""What shared words alone can reach: below every limit for merging, so that without a model nothing is merged."""

Similarity = Callable[[str, str], float]
"""Calibrated similarity of two claims, 0..1."""


class Found(Struct, frozen=True, kw_only=True):
    """An entry near a candidate."""

    memory: Memory
    comparison: Comparison


class Meaning(Protocol):
    """How near things are found."""

    exact: bool
    merges: bool

    def add(self, memories: Sequence[Memory], vectors: Any = None) -> None:
        """Take in entries to compare with."""

    def near(self, claim: str) -> list[Found]:
        """Give the nearest entries, nearest first."""


def meaning_of(embedder: Embedder | None, cache: Path | None, similarity: Similarity | None) -> Meaning:
    if similarity is not None:
        return Given(similarity, merges=True)
    if embedder is None:
        return Given(shared_words, merges=False)
    return Model(embedder, cache)


def shared_words(a: str, b: str) -> float:
    one, other = read(a).words, read(b).words
    return LEXICAL_CEILING * len(one & other) / len(one | other) if one | other else 0.0


class Given:
    """Similarities from a function: every entry is asked."""

    def __init__(self, similarity: Similarity, *, merges: bool) -> None:
        self.exact, self.merges = True, merges
        self._similarity = similarity
        self._memories: list[Memory] = []

    def add(self, memories: Sequence[Memory], vectors: Any = None) -> None:
        self._memories += memories

    def near(self, claim: str) -> list[Found]:
        scored = [(self._similarity(claim, m.claim), n) for n, m in enumerate(self._memories)]
        nearest = sorted((s, n) for s, n in ((-s, n) for s, n in scored if s > 0))[: 2 * NEIGHBOURS]
        return [self._found(claim, self._memories[n], -s) for s, n in nearest]

    def _found(self, claim: str, memory: Memory, value: float) -> Found:
        reasons = guard(claim, memory.claim)
        relation = relate(claim, memory.claim, value, Calibration(model="", revision="")).relation
        same = value > 0.5 and not reasons and self.merges
        comparison = Comparison(relation="duplicate" if same else relation, similarity=value, raw=value, guard=reasons)
        return Found(memory=memory, comparison=comparison)


class Model:
    """Similarities from an embedder: one matrix product finds the nearest, the guard reads only those."""

    def __init__(self, embedder: Embedder, cache: Path | None) -> None:
        self._embedder, self._cache = embedder, cache
        self._scale = calibration(embedder)
        self.exact, self.merges = False, self._scale.known
        self._memories: list[Memory] = []
        self._languages: list[str] = []
        self._places: dict[str, Any] = {}
        self._blocks: list[Any] = []

    def add(self, memories: Sequence[Memory], vectors: Any = None) -> None:
        if memories:
            self._memories += memories
            self._places = {}
            self._languages += [language(m.claim) for m in memories]
            self._blocks.append(self._encode([m.claim for m in memories]) if vectors is None else vectors)

    def _encode(self, texts: Sequence[str]) -> Any:
        if self._cache is None:
            return self._embedder.encode(texts, "pair")
        from omp.embed import VectorCache

        return VectorCache(self._cache).vectors(texts, self._embedder)

    def near(self, claim: str) -> list[Found]:
        import numpy

        if not self._memories:
            return []
        if len(self._blocks) > 2:  # the first block, all that is stored, is large: it is not copied again and again
            self._blocks = [self._blocks[0], numpy.concatenate(self._blocks[1:])]
        # The vector of a claim that may be dropped is not worth a place in the cache.
        vector = self._embedder.encode([claim], "pair")[0]
        raw = numpy.concatenate([block @ vector for block in self._blocks])
        found = []
        for code in ("en", "zh"):
            if code not in self._places:
                self._places[code] = numpy.flatnonzero([spoken == code for spoken in self._languages])
            places = self._places[code]
            nearest = places[numpy.argsort(-raw[places], kind="stable")[:NEIGHBOURS]]
            for n in nearest:
                memory = self._memories[int(n)]
                found.append(Found(memory=memory, comparison=relate(claim, memory.claim, float(raw[n]), self._scale)))
        return sorted(found, key=lambda f: (-f.comparison.similarity, f.memory.id))
