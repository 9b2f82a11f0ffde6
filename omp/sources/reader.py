"""Reads one log file, whole or what was added since.

What a line gave is kept in slim form, so a growing file is parsed once; a file that shrank, was replaced or was
rewritten is told by inode, size and the digests of its first and last read bytes, and is read from the start again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from omp.errors import UsageError
from omp.model import Cursor, LogReading
from omp.sources.formats import HEAD, Document, Frame, Lines, Named, Record, Source, Text, Told
from omp.sources.lines import OVERSIZED, Decoded, Line, decode, parse, split
from omp.sources.table import SOURCES

NEVER_OPENED = frozenset({
    "auth.json", ".credentials.json", "credentials.json", "oauth_creds.json", "secrets.json", "google_accounts.json",
    "mcp-oauth-tokens.json",
})  # fmt: skip
"""Files that lie beside logs and hold keys (log-formats.md, section 0.10)."""
DOCUMENT_LIMIT = 256 << 20
"""Bytes of a document or text that is read whole; more is refused."""
_DIGESTED = 1024
"""Bytes at the beginning, and before the offset, whose digests tell whether a file is still the same."""
_BINARY = (
    (b"SQLite format 3\0", "a database, not read yet"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd), not read yet"),
    (b"\x1f\x8b", "compressed (gzip), not read yet"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
)


class LogReader:
    """Follows one log file.

    `source` is an agent's name or "auto"; `zone` holds for times that name none. With `whole`, an unterminated last
    line counts when it is whole JSON (it still is not part of the offset). Raises UsageError for an unknown source.
    """

    def __init__(
        self,
        path: Path,
        source: str = "auto",
        zone: tzinfo = UTC,
        *,
        whole: bool = False,
        sources: Sequence[Source] = SOURCES,
    ) -> None:
        if source != "auto" and source not in {one.agent for one in sources}:
            known = ", ".join(sorted({one.agent for one in sources if not isinstance(one, Named)}))
            raise UsageError(f"no source named {source!r}; there are {known}", "omp extract --source auto")
        self.path = path
        self.frame = Frame(path=path, zone=zone)
        self.whole = whole
        self._offered = [one for one in sources if source in ("auto", one.agent)]
        self._forced = source != "auto"
        self._begin()

    def _begin(self) -> None:
        self._format: Source | None = None
        self._records: list[Record] = []
        self._skipped: dict[str, int] = {}
        self._malformed: list[int] = []
        self._number = 1
        self._offset = self._size = 0
        self._head = self._tail = b""
        self._stamp = (0, 0, 0, 0)
        self._refused = ""
        self._read_before = False

    def read_new(self) -> LogReading | None:
        """Read what was added. Gives the whole file's conversations so far, or None when nothing changed.

        Raises OSError when the file cannot be read (FileNotFoundError when it is gone).
        """
        if self.path.name in NEVER_OPENED:
            return self._refuse_once("holds keys: never opened")
        with self.path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            if self._read_before and stamp == self._stamp:
                return None
            if self._read_before and not self._same(stream, status):
                self._begin()
            self._stamp, self._size = stamp, status.st_size
            grown = self._take(stream, status)
            self._size = max(self._size, self._offset)
            first, self._read_before = not self._read_before, True
            self._head, self._tail = _ends(stream, self._offset)
            return grown if grown is not None or not first else self._reading(Told())

    def cursor(self) -> Cursor:
        """How far the file was read, as a value to keep."""
        return Cursor(
            path=str(self.path), agent=self._format.agent if self._format else "", device=self._stamp[0],
            inode=self._stamp[1], size=self._size, offset=self._offset, head=_digest(self._head),
            tail=_digest(self._tail), skipped=dict(self._skipped), malformed=len(self._malformed),
            refused=self._refused,
        )  # fmt: skip

    def _same(self, stream: BinaryIO, status: os.stat_result) -> bool:
        """Tell whether what was read before still stands there."""
        if not isinstance(self._format, Lines) or (status.st_dev, status.st_ino) != self._stamp[:2]:
            return False
        if status.st_size < self._offset:
            return False
        return _ends(stream, self._offset) == (self._head, self._tail)

    def _take(self, stream: BinaryIO, status: os.stat_result) -> LogReading | None:
        if self._format is None:
            if not status.st_size:
                return None
            refused = self._name(stream, status.st_size)
            if refused:
                self._refused = refused
                return self._reading(Told())
        if isinstance(self._format, Lines):
            return self._add_lines(stream, self._format)
        return self._read_whole(stream, status.st_size)

    # --- naming ---

    def _name(self, stream: BinaryIO, size: int) -> str:
        """Choose the format; give the reason of a refusal, or ""."""
        stream.seek(0)
        start = stream.read(64)
        for magic, why in _BINARY:
            if start.startswith(magic):
                return why
        head, broken = _head_records(stream)
        tries = [self._name_document, self._name_lines] if self.path.suffix == ".json" else [
            self._name_lines, self._name_document]  # fmt: skip
        for attempt in tries:
            if (refused := attempt(stream, head, size)) is not None:
                return refused
        for one in self._offered:
            if isinstance(one, Text) and (self._forced or one.recognise(_text_start(stream))):
                self._format = one
                return ""
        if not head and start.lstrip()[:1] in (b"{", b"["):
            return "no log of a known agent: a JSON document of another kind" if broken else ""
        if not head:
            return "no log of a known agent: it holds no JSON record" if broken else ""
        return _foreign(head)

    def _name_lines(self, stream: BinaryIO, head: list[dict[str, Any]], size: int) -> str | None:
        if not head:
            return None
        for one in self._offered:
            if isinstance(one, Lines) and one.recognise(head):
                self._format = one
                return ""
            if isinstance(one, Named) and one.recognise(head):
                self._format = one
                return f"{one.agent}: {one.why}"
        if self._forced and (forced := next((o for o in self._offered if isinstance(o, Lines)), None)):
            self._format = forced
            return ""
        return None

    def _name_document(self, stream: BinaryIO, head: list[dict[str, Any]], size: int) -> str | None:
        value = _document(stream, size)
        if value is None:
            return None
        for one in self._offered:
            if isinstance(one, Document) and one.recognise(value):
                self._format = one
                return ""
            if isinstance(one, Named) and one.recognise(value if isinstance(value, list) else [value]):
                self._format = one
                return f"{one.agent}: {one.why}"
        return None

    # --- reading ---

    def _add_lines(self, stream: BinaryIO, form: Lines) -> LogReading | None:
        stream.seek(self._offset)
        grown = False
        loose: list[Record] = []
        for line in split(stream, self._number):
            if not line.ended:
                if self.whole:
                    loose = self._loose(line, form)
                break
            grown = True
            self._offset += line.length
            self._number = line.number + 1
            self._records += self._slimmed(line, form)
        if not grown and not loose and self._read_before:
            return None
        return self._reading(form.assemble([*self._records, *loose], self.frame))

    def _slimmed(self, line: Line, form: Lines) -> list[Record]:
        if line.data is None:
            self._skipped[OVERSIZED] = self._skipped.get(OVERSIZED, 0) + 1
            return []
        decoded = decode(line)
        if decoded.broken:
            self._malformed.append(line.number)
        return self._kept(decoded, line.number, form)

    def _kept(self, decoded: Decoded, number: int, form: Lines) -> list[Record]:
        kept = []
        for record in decoded.records:
            slim = form.slim(record)
            if isinstance(slim, str):
                self._skipped[slim] = self._skipped.get(slim, 0) + 1
            elif slim is not None:
                kept.append(Record(line=number, data=slim))
        return kept

    def _loose(self, line: Line, form: Lines) -> list[Record]:
        """Use an unterminated last line that is whole JSON; it is not counted as read."""
        decoded = decode(line)
        return [] if decoded.broken else self._kept(decoded, line.number, form)

    def _read_whole(self, stream: BinaryIO, size: int) -> LogReading:
        form = self._format
        self._offset = size if isinstance(form, (Document, Text)) else 0
        if isinstance(form, Document):
            value = _document(stream, size)
            if value is None or not form.recognise(value):
                self._begin()
                self._refused = "no whole JSON document at the moment"
                return self._reading(Told())
            return self._reading(form.assemble(value, self.frame))
        if isinstance(form, Text):
            stream.seek(0)
            text = stream.read(DOCUMENT_LIMIT).decode("utf-8-sig", "replace")
            return self._reading(form.assemble(text, self.frame))
        return self._reading(Told())

    def _reading(self, told: Told) -> LogReading:
        return LogReading(
            path=str(self.path), agent=self._format.agent if self._format else "", sessions=told.sessions,
            skipped={**self._skipped, **told.skipped}, malformed=tuple(self._malformed), offset=self._offset,
            size=self._size, refused=self._refused,
        )  # fmt: skip

    def _refuse_once(self, why: str) -> LogReading | None:
        if self._read_before:
            return None
        self._read_before, self._refused = True, why
        return LogReading(path=str(self.path), refused=why)


def unchanged(cursor: Cursor) -> bool:
    """Tell whether the file that a cursor kept from an earlier run speaks of is still as it was, without parsing it."""
    path = Path(cursor.path)
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if (status.st_dev, status.st_ino, status.st_size) != (cursor.device, cursor.inode, cursor.size):
                return False
            head, tail = _ends(stream, cursor.offset)
    except OSError:
        # gone or not ours to read any more: reading it says so
        return False
    return (_digest(head), _digest(tail)) == (cursor.head, cursor.tail)


def _ends(stream: BinaryIO, offset: int) -> tuple[bytes, bytes]:
    """Give the first and the last bytes of what was read."""
    stream.seek(0)
    head = stream.read(min(_DIGESTED, offset))
    stream.seek(max(0, offset - _DIGESTED))
    return head, stream.read(min(_DIGESTED, offset))


def _head_records(stream: BinaryIO) -> tuple[list[dict[str, Any]], bool]:
    """Give the first records, and whether there was any line that was none."""
    stream.seek(0)
    records: list[dict[str, Any]] = []
    broken = False
    for line in islice(split(stream), 4 * HEAD):
        decoded = decode(line)
        broken = broken or (decoded.broken and line.ended)
        records += decoded.records
        if len(records) >= HEAD:
            break
    return records, broken


def _document(stream: BinaryIO, size: int) -> Any:
    stream.seek(0)
    if size > DOCUMENT_LIMIT or stream.read(64).lstrip(b"\0 \t\r\n\xef\xbb\xbf")[:1] not in (b"{", b"["):
        return None
    stream.seek(0)
    data = stream.read().strip(b"\0 \t\r\n\xef\xbb\xbf")
    return parse(data)


def _text_start(stream: BinaryIO) -> str:
    stream.seek(0)
    return stream.read(1 << 16).decode("utf-8-sig", "replace")


def _foreign(head: Sequence[dict[str, Any]]) -> str:
    """Say what stands in a file that no reader knows. Names keys and types only, never values."""
    if any(record.get("type") == "session_meta" for record in head):
        return "no log of a known agent: it names a Codex header that has no payload"
    keys = ", ".join(sorted({str(key)[:24] for record in head for key in record})[:8])
    return f"no log of a known agent: its records have the keys {keys}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16] if data else ""
