"""Which ids stand in rotated files, remembered between processes: a new entry must not be looked for in all of them.

Rotated files hardly change, so their ids are kept under the stamp of the version they were read from. A file whose
stamp differs is looked at itself.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from omp.errors import OmpError
from omp.store import atomic

_HEAD = 32
"""Bytes of sha256 before the body: a list that a crash left half written is no list."""
_Rows = dict[str, tuple[tuple[int, ...], bytes]]
_rows_of = msgspec.msgpack.Decoder(_Rows)


class IdList:
    """The ids of files by place and stamp, in one small file; may be deleted at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: _Rows | None = None

    def _rows(self) -> _Rows:
        if self._loaded is None:
            try:
                data = self._path.read_bytes()
            except OSError:  # none yet: the files are looked at
                data = b""
            sound = len(data) > _HEAD and hashlib.sha256(data[_HEAD:]).digest() == data[:_HEAD]
            self._loaded = _rows_of.decode(memoryview(data)[_HEAD:]) if sound else {}
        return self._loaded

    def absent(self, relative: str, stamp: tuple[int, ...] | None, ids: Iterable[str]) -> bool:
        """Tell whether it is certain that none of the ids stands in this version of a file."""
        found = self._rows().get(relative)
        return found is not None and found[0] == stamp and not any(b"\n%b\n" % i.encode() in found[1] for i in ids)

    def learn(self, relative: str, stamp: tuple[int, ...], ids: Iterable[str]) -> None:
        """Remember the ids of a version of a file; no write when they are known."""
        rows = self._rows()
        found = rows.get(relative)
        if found is not None and found[0] == stamp:
            return
        rows[relative] = (stamp, b"\n%b\n" % "\n".join(ids).encode())
        body = msgspec.msgpack.encode(rows)
        with contextlib.suppress(OmpError, OSError):  # it only saves time
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            atomic.write(self._path, hashlib.sha256(body).digest() + body, 0o600, durable=False)
