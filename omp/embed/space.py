"""How vectors are kept: as float16, made long one again when they are read.

An embedder passes what it computed through `settle` before handing it out, and the vector cache stores the float16
form: a vector read from the cache equals the one computed, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def widen(halves: NDArray[numpy.float16]) -> NDArray[numpy.float32]:
    """Give float32 rows of length one from stored float16 rows, shape (n, dim). Rows of zeros stay zeros."""
    import numpy

    wide = halves.astype(numpy.float32)
    # One dot product a row: the sum then never depends on how many rows there are.
    lengths = numpy.fromiter((float(numpy.dot(row, row)) ** 0.5 for row in wide), numpy.float32, len(wide))
    lengths[lengths == 0] = 1
    result: NDArray[numpy.float32] = wide / lengths[:, None]
    return result


def narrow(vectors: NDArray[numpy.float32]) -> NDArray[numpy.float16]:
    """Give the float16 form that is stored; of a vector made by `widen` it is the form it was made from."""
    import numpy

    return vectors.astype(numpy.float16)


def settle(vectors: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Round computed rows to what the cache would give back."""
    return widen(narrow(vectors))
