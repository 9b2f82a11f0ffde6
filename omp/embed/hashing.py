"""Embedder `hash`: counts of character n-grams in 1,024 slots. No weights, no loading, the same on every machine.

It sees spelling, not meaning: the fallback where the model cannot be had, which whoever falls back must say aloud. It
has no calibration, so nothing is ever merged by it.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from typing import TYPE_CHECKING

from omp.embed import space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy
    from numpy.typing import NDArray

    from omp.embed import TextRole

_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PIECES = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")


class HashEmbedder:
    """Embedder `hash`: words as character 3- and 4-grams, Chinese as characters and pairs, hashed with a sign."""

    id = "hash"
    revision = "1"
    dim = 1024

    def prefix(self, role: TextRole) -> str:
        """Give "": there are no roles."""
        return ""

    def encode(self, texts: Sequence[str], role: TextRole = "pair") -> NDArray[numpy.float32]:
        """Give one row a text: float32, shape (len(texts), 1024), each of length one (a text without words: zeros)."""
        import numpy

        rows = numpy.zeros((len(texts), self.dim), numpy.float32)
        for row, text in zip(rows, texts, strict=True):
            counts: dict[str, int] = {}
            for gram in grams(text):
                counts[gram] = counts.get(gram, 0) + 1
            for gram, count in sorted(counts.items()):
                code = zlib.crc32(gram.encode())
                row[code % self.dim] += (1 if code & 0x80000000 else -1) * (1 + math.log(count))
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0] = 1
        return space.settle(rows / lengths[:, None])


def grams(text: str) -> Iterator[str]:
    """Give the n-grams a text is counted by: `<word>` in 3- and 4-grams and whole, Chinese characters and pairs."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for piece in _PIECES.findall(folded):
        if "\u3400" <= piece[0] <= "\u9fff" or "\uf900" <= piece[0] <= "\ufaff":
            yield from piece
            yield from (piece[i : i + 2] for i in range(len(piece) - 1))
            continue
        word = f"<{piece}>"
        yield word
        for size in (3, 4):
            yield from (word[i : i + size] for i in range(len(word) - size + 1) if len(word) > size)
