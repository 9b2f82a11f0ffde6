"""Vectors that were computed once: append-only float16 files in a folder that can always be rebuilt.

One file for each space (model id, revision, prefix, normaliser, dimension); the header names it and is compared, and
every record is keyed by sha256 over the space and the masked text, so vectors of two models can never be mixed. A
record is key, vector and a checksum. A crash can only leave a torn last record, which is not read and is cut off by
the next writer; a damaged record is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from omp.embed import space
from omp.identity import NORMALISER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy
    from numpy.typing import NDArray

    from omp.embed import Embedder, TextRole

_FEW = 64
_KEY, _CRC, _HEADER = 32, 4, 256
"""Bytes of a key, a checksum and the file header."""


class VectorCache:
    """Gives vectors of masked texts, computing only those not yet stored in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, _SpaceFile] = {}

    def vectors(self, texts: Sequence[str], embedder: Embedder, role: TextRole = "pair") -> NDArray[numpy.float32]:
        """Give one row a text: float32, shape (len(texts), dim), equal to what `embedder.encode` gives."""
        import numpy

        file = self._space(embedder, role)
        keys = [file.key(text) for text in texts]
        found = file.read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = space.narrow(embedder.encode(list(missing.values()), role))
            made = dict(zip(missing, fresh, strict=True))
            # A full disk or a read-only folder costs time, not the answer: the vectors are made again next time.
            with suppress(OSError):
                file.append(made)
            found |= made
        if not texts:
            return numpy.empty((0, embedder.dim), numpy.float32)
        return space.widen(numpy.stack([found[key] for key in keys]))

    def compact(self, texts: Iterable[str], embedder: Embedder, role: TextRole = "pair") -> int:
        """Rewrite a space with the vectors of these texts only; gives the number of records dropped."""
        file = self._space(embedder, role)
        return file.rewrite({file.key(text) for text in texts})

    def _space(self, embedder: Embedder, role: TextRole) -> _SpaceFile:
        name = _name(embedder, role)
        if name not in self._open:
            self._open[name] = _SpaceFile(self._folder, name, embedder.dim)
        return self._open[name]


def _name(embedder: Embedder, role: TextRole) -> str:
    """Give what names a space, one line."""
    parts = (embedder.id, embedder.revision, embedder.prefix(role), str(NORMALISER), str(embedder.dim))
    return "\x1f".join(part.replace("\n", " ") for part in parts)


class _SpaceFile:
    """One file of one space: header, then records of equal length."""

    def __init__(self, folder: Path, name: str, dim: int) -> None:
        self.path = folder / f"vectors-{hashlib.sha256(name.encode()).hexdigest()[:16]}.f16"
        self._name = name
        self._dim = dim
        self._record = _KEY + 2 * dim + _CRC
        self._rows: dict[bytes, int] = {}
        self._seen = 0
        self._inode = 0

    @property
    def _head(self) -> bytes:
        digest = hashlib.sha256(self._name.encode()).hexdigest()
        return f"omp vectors 1 {self._dim} {digest}\n".encode().ljust(_HEADER, b" ")

    def key(self, text: str) -> bytes:
        """Give the 32 bytes a text is found by in this space."""
        return hashlib.sha256(f"{self._name}\x1f{text}".encode(errors="surrogatepass")).digest()

    def read(self, keys: set[bytes]) -> dict[bytes, NDArray[numpy.float16]]:
        """Give the stored vectors among `keys`; damaged records are left out."""
        import numpy

        found: dict[bytes, NDArray[numpy.float16]] = {}
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            self._rows, self._seen = {}, 0
            return found
        with file:
            self._index(file)
            wanted = sorted(keys & self._rows.keys(), key=self._rows.__getitem__)
            whole = len(wanted) * 4 > self._seen > _FEW  # then one read of everything is faster than many of little
            file.seek(0)
            data = memoryview(file.read() if whole else b"")
            for key in wanted:
                start = _HEADER + self._rows[key] * self._record
                if whole:
                    record = data[start : start + self._record]
                else:
                    file.seek(start)
                    record = memoryview(file.read(self._record))
                if self._whole(record, key):
                    found[key] = numpy.frombuffer(record[_KEY:-_CRC], "<f2")
                else:
                    del self._rows[key]
        return found

    def _whole(self, record: memoryview, key: bytes) -> bool:
        body, check = record[:-_CRC], record[-_CRC:]
        return len(record) == self._record and record[:_KEY] == key and zlib.crc32(body).to_bytes(4, "little") == check

    def _index(self, file: IO[bytes]) -> None:
        """Learn the keys of records added since the last look; start again when the file was replaced."""
        stat = os.fstat(file.fileno())
        count = max(0, stat.st_size - _HEADER) // self._record
        if stat.st_ino != self._inode or count < self._seen:
            self._rows, self._seen, self._inode = {}, 0, stat.st_ino
        if file.read(_HEADER) != self._head:
            self._rows, self._seen = {}, 0
            return
        file.seek(_HEADER + self._seen * self._record)
        block = 1024
        while self._seen < count:
            data = file.read(min(block, count - self._seen) * self._record)
            whole = len(data) // self._record
            if not whole:
                break
            for n in range(whole):
                start = n * self._record
                self._rows[data[start : start + _KEY]] = self._seen + n
            self._seen += whole

    def append(self, made: dict[bytes, NDArray[numpy.float16]]) -> None:
        """Add records at the end of the file, after cutting off a torn one, with other writers kept out."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(_pack(key, vector) for key, vector in made.items())
        with self.path.open("a+b") as file, _alone(file):
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            if size < _HEADER or file.read(_HEADER) != self._head:
                file.truncate(0)
                data = self._head + data
            else:
                file.truncate(size - (size - _HEADER) % self._record)
            file.seek(0, os.SEEK_END)
            file.write(data)

    def rewrite(self, keep: set[bytes]) -> int:
        """Replace the file by one that holds only `keep`; gives the number of records dropped."""
        found = self.read(keep)
        dropped = self._seen - len(found)
        if dropped <= 0:
            return 0
        aside = self.path.with_suffix(f".{os.getpid()}.new")
        with aside.open("wb") as file:
            file.write(self._head)
            for key, vector in found.items():
                file.write(_pack(key, vector))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self.path)
        return dropped


def _pack(key: bytes, vector: Any) -> bytes:
    body: bytes = key + vector.astype("<f2").tobytes()
    return body + zlib.crc32(body).to_bytes(_CRC, "little")


@contextlib.contextmanager
def _alone(file: IO[bytes]) -> Iterator[None]:
    """Keep other writers of this file out until the block ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no flock; there an open handle for appending is what we have
        yield
        file.flush()
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
        file.flush()
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
