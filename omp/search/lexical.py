"""BM25 over arrays: postings sorted by term, a forward index for feedback, and a form on disk.

Parameters are those for short texts: k1 0.9 and b 0.4 (the defaults of Anserini, tuned there on news and passages, not
on anything of ours). A term's weight in a document is computed when the index is made, so that a query adds up slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from omp.search.words import SINGLE_WEIGHT, analyse, is_single

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]
    Ints = NDArray[numpy.int32]

K1, B = 0.9, 0.4
FEEDBACK_DOCUMENTS, FEEDBACK_TERMS, FEEDBACK_SHARE = 5, 20, 0.3
"""Pseudo-relevance feedback: terms taken from the best hits, and their weight against the whole query's. Few and light,
so that a wrong first hit cannot carry the query away (the usual range in the literature is 5-10, 10-30, 0.3-0.5)."""


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Documents as term counts, row after row: what tokenising gave, and all that goes to disk."""

    vocabulary: tuple[str, ...]
    starts: Ints
    """Where each row begins in `terms`, with the end added: shape (n + 1,)."""
    terms: Ints
    counts: Ints
    lengths: Floats
    wide: NDArray[numpy.bool_]


def rows_of(texts: Sequence[str], old: Rows | None = None, reuse: Mapping[int, int] | None = None) -> Rows:
    """Count the terms of each text. Row `reuse[i]` of `old` is copied for text i instead of reading it again."""
    import numpy as np

    numbers: dict[str, int] = {}
    terms: list[int] = []
    counts: list[int] = []
    starts, lengths, wide = [0], [], []
    for place, text in enumerate(texts):
        if old is not None and reuse is not None and place in reuse:
            row = reuse[place]
            span = slice(int(old.starts[row]), int(old.starts[row + 1]))
            words = [old.vocabulary[t] for t in old.terms[span].tolist()]
            tally = dict(zip(words, old.counts[span].tolist(), strict=True))
            length, is_wide = float(old.lengths[row]), bool(old.wide[row])
        else:
            found = analyse(text)
            tally = {}
            for term in found.terms:
                tally[term] = tally.get(term, 0) + 1
            length, is_wide = found.length, found.wide
        terms += [numbers.setdefault(t, len(numbers)) for t in tally]
        counts += tally.values()
        starts.append(len(terms))
        lengths.append(length)
        wide.append(is_wide)
    return Rows(
        vocabulary=tuple(numbers),
        starts=np.array(starts, dtype=np.int32),
        terms=np.array(terms, dtype=np.int32),
        counts=np.array(counts, dtype=np.int32),
        lengths=np.array(lengths, dtype=np.float32),
        wide=np.array(wide, dtype=np.bool_),
    )


class Lexical:
    """BM25 over `Rows`. Scores of a query are float32 of shape (n,); a document without any of its terms has 0."""

    def __init__(self, rows: Rows) -> None:
        import numpy as np

        self.rows = rows
        self.size = len(rows.lengths)
        self.numbers = {term: number for number, term in enumerate(rows.vocabulary)}
        found_in = np.bincount(rows.terms, minlength=len(rows.vocabulary))
        rarity = np.log1p((self.size - found_in + 0.5) / (found_in + 0.5))
        singles = np.fromiter((is_single(t) for t in rows.vocabulary), dtype=np.bool_, count=len(rows.vocabulary))
        self.rarity: Floats = np.where(singles, rarity * SINGLE_WEIGHT, rarity).astype(np.float32)
        owners = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(rows.starts))
        mean = float(rows.lengths.sum(dtype=np.float64)) / self.size if self.size else 1.0
        saturation = K1 * (1 - B + B * rows.lengths[owners] / mean)
        self._row_weights: Floats = (
            self.rarity[rows.terms] * rows.counts * (K1 + 1) / (rows.counts + saturation)
        ).astype(np.float32)
        order = np.argsort(rows.terms, kind="stable")
        self._owners: Ints = owners[order]
        self._weights: Floats = self._row_weights[order]
        self._bounds = np.concatenate(([0], np.cumsum(found_in)))

    def terms_of(self, query: str) -> dict[str, float]:
        """Give the query's terms that any document has, each with weight 1."""
        return {t: 1.0 for t in analyse(query).terms if t in self.numbers}

    def scores(self, terms: Mapping[str, float]) -> Floats:
        """Add up the documents' weights for weighted terms, unknown ones left out."""
        import numpy as np

        total = np.zeros(self.size, dtype=np.float32)
        for term, weight in terms.items():
            number = self.numbers.get(term)
            if number is not None:
                span = slice(self._bounds[number], self._bounds[number + 1])
                total[self._owners[span]] += np.float32(weight) * self._weights[span]
        return total

    def holding(self, term: str) -> Ints:
        """Give the documents that hold a term."""
        number = self.numbers[term]
        return self._owners[self._bounds[number] : self._bounds[number + 1]]

    def widened(self, terms: Mapping[str, float], best: Iterable[tuple[int, float]]) -> dict[str, float]:
        """Add to a query the terms that stand out in its best documents, given with their shares (sum 1)."""
        gathered: dict[int, float] = {}
        for row, share in best:
            span = slice(int(self.rows.starts[row]), int(self.rows.starts[row + 1]))
            scale = share / max(1, span.stop - span.start)
            for number, weight in zip(self.rows.terms[span].tolist(), self._row_weights[span].tolist(), strict=True):
                gathered[number] = gathered.get(number, 0.0) + scale * weight
        chosen = sorted(gathered.items(), key=lambda item: (-round(item[1], 6), self.rows.vocabulary[item[0]]))
        chosen = chosen[:FEEDBACK_TERMS]
        whole = sum(weight for _, weight in chosen)
        widened = dict(terms)
        for number, weight in chosen if whole > 0 else ():
            term = self.rows.vocabulary[number]
            widened[term] = widened.get(term, 0.0) + FEEDBACK_SHARE * len(terms) * weight / whole
        return widened


def to_parts(rows: Rows) -> dict[str, Any]:
    """Give `Rows` as plain values and little-endian bytes."""
    return {
        "vocabulary": "\n".join(rows.vocabulary),
        "starts": rows.starts.astype("<i4").tobytes(),
        "terms": rows.terms.astype("<i4").tobytes(),
        "counts": rows.counts.clip(0, 255).astype("u1").tobytes(),
        "lengths": rows.lengths.astype("<f4").tobytes(),
        "wide": rows.wide.tobytes(),
    }


def from_parts(parts: Mapping[str, Any]) -> Rows:
    """Read what `to_parts` gave. Raises ValueError or KeyError for anything else."""
    import numpy as np

    rows = Rows(
        vocabulary=tuple(parts["vocabulary"].split("\n")) if parts["vocabulary"] else (),
        starts=np.frombuffer(parts["starts"], dtype="<i4").astype(np.int32),
        terms=np.frombuffer(parts["terms"], dtype="<i4").astype(np.int32),
        counts=np.frombuffer(parts["counts"], dtype="u1").astype(np.int32),
        lengths=np.frombuffer(parts["lengths"], dtype="<f4").astype(np.float32),
        wide=np.frombuffer(parts["wide"], dtype=np.bool_),
    )
    sound = len(rows.starts) == len(rows.lengths) + 1 == len(rows.wide) + 1 and len(rows.terms) == len(rows.counts)
    if (
        not sound
        or rows.starts[-1] != len(rows.terms)
        or (len(rows.terms) and rows.terms.max() >= len(rows.vocabulary))
    ):
        raise ValueError("the parts of the index do not fit together")
    return rows
