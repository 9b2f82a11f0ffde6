"""Meaning as numbers: embedders, their calibration, the guard, and what two statements are to each other.

`embedder(name)` gives a model; nothing heavy is imported before its first `encode`. Every vector is float32 of length
one and does not depend on what else was encoded in the same call. A model's raw cosine means nothing by itself:
`calibration(model)` maps it to the scale on which the thresholds of the design hold. `omp.embed.guard` names what makes
two texts that look alike differ, `omp.embed.compare` says what they are to each other; both load their word lists, so
they are imported by whoever needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from omp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

TextRole = Literal["query", "passage", "pair"]


class Embedder(Protocol):
    """What every embedding model offers."""

    id: str
    """Name of the model, as configured."""
    revision: str
    """Changes whenever the same text would get another vector: version and digest of the weights."""
    dim: int

    def prefix(self, role: TextRole) -> str:
        """Give the text this model wants in front of a text in that role; "" for most."""

    def encode(self, texts: Sequence[str], role: TextRole = "pair") -> Vectors:
        """Give one row a text: float32, shape (len(texts), dim), each of length one, independent of the batch."""


def _usem3(cache_dir: Path | None) -> Embedder:
    from omp.embed.usem3 import Usem3

    return Usem3(cache_dir)


def _hash(cache_dir: Path | None) -> Embedder:
    from omp.embed.hashing import HashEmbedder

    return HashEmbedder()


EMBEDDERS: dict[str, Callable[[Path | None], Embedder]] = {"hash": _hash, "usem3": _usem3}
"""Name -> what makes the embedder, given a folder it may keep prepared forms in."""


def embedder(name: str = "usem3", cache_dir: Path | None = None) -> Embedder:
    """Give an embedder by name; its weights load at the first `encode`. Raises UsageError for an unknown name."""
    if name not in EMBEDDERS:
        raise UsageError(f"there is no embedder {name!r}", f"choose one of {', '.join(sorted(EMBEDDERS))}")
    return EMBEDDERS[name](cache_dir)


from omp.embed.calibration import Calibration, calibration, language_pair  # noqa: E402
from omp.embed.vectors import VectorCache  # noqa: E402

__all__ = [
    "EMBEDDERS",
    "Calibration",
    "Embedder",
    "TextRole",
    "VectorCache",
    "calibration",
    "embedder",
    "language_pair",
]
