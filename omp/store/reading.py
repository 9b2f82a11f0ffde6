"""Reading the memory folder: every entry of every file, rotated ones included, with what could not be read.

Parsing costs about a millisecond an entry, so what a file gave is remembered by the digest of its bytes: in the object,
and in `<local>/parsed/` for other processes. That record also says that these bytes were read whole and went through
the gate; a change then has to prove only the entries it touches.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

import omp
from omp.errors import BrokenFile, OmpError
from omp.model import LIST_FILES, TYPES, Entry, Finding, Memory, Problem, Stored
from omp.store import atomic
from omp.store.atomic import Snapshot
from omp.store.idlist import IdList
from omp.yamlfile import Document, load, read_entries, read_facts

VERSION = 1
"""The greatest `version:` this release writes; a greater one makes a file read-only."""
FACTS_FILE = "project.yaml"
RECORDED_FROM = 50
"""Entries from which parsing (50 ms) costs more than scanning the file and recording what it holds."""
_NOTHING = msgspec.Raw(b"\xc0")
_ITEM = re.compile(rb"^( *)- ", re.M)
_HEAD = 32
"""Bytes of sha256 before the body of a record: a record that a crash left half written is no record."""


class Row(msgspec.Struct, array_like=True):
    """An entry in a file: id, 1-based line, month it is sorted by, the memory (nil when unreadable), unknown fields."""

    id: str
    line: int
    month: str
    memory: msgspec.Raw
    extra: msgspec.Raw


class FileReading(msgspec.Struct, array_like=True):
    """What one version of a file gave. `broken` and `newer` files are never written to."""

    path: str
    digest: str
    rows: list[Row] = []
    problems: list[Problem] = []
    broken: bool = False
    newer: int = 0
    """The `version:` when it is greater than `VERSION`."""
    clean: bool = False

    def by_id(self) -> dict[str, Row]:
        """Give the rows by id; of an id that stands there twice, the first."""
        return {row.id: row for row in reversed(self.rows)}

    def stored(self) -> Iterator[Stored]:
        """Give the file's readable entries in order."""
        for row in self.rows:
            memory = decode(row)
            if memory is not None:
                extra = msgspec.msgpack.decode(row.extra)
                yield Stored(memory=memory, path=self.path, line=row.line, extra=extra or {})


_memory_of: msgspec.msgpack.Decoder[Memory | None] = msgspec.msgpack.Decoder(Memory | None)
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
_reading_of = msgspec.msgpack.Decoder(FileReading)


def decode(row: Row) -> Memory | None:
    """Give the memory of a row; None when it could not be read."""
    return _memory_of.decode(row.memory)


def row_of(identity: str, line: int, memory: Entry | None, extra: object = None) -> Row:
    """Make a row."""
    if memory is None:
        return Row(identity, line, "", _NOTHING, _NOTHING)
    month = (memory.timestamps.created_at or memory.date)[:7]
    return Row(identity, line, month, msgspec.Raw(_packed(memory)), msgspec.Raw(_packed(extra)) if extra else _NOTHING)


def _packed(value: object) -> bytes:
    try:
        return _encode(value)
    except OverflowError:  # a number beyond 64 bits: nobody counts with it, its digits are kept as text
        return _encode(small(msgspec.to_builtins(value, enc_hook=str)))


def small(value: Any) -> Any:
    """Give plain values with integers beyond 64 bits as their digits."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, dict):
        return {k: small(v) for k, v in value.items()}
    return [small(v) for v in value] if isinstance(value, (list, tuple)) else value


def moved(row: Row, by: int) -> Row:
    """Give the row as it stands `by` lines further down."""
    return Row(row.id, row.line + by, row.month, row.memory, row.extra)


def version_of(document: Document) -> int:
    """Give the file's `version:`, 0 when it has none (seed form)."""
    node = document.root.get("version")
    major = node.value.partition(".")[0] if node is not None and node.kind == "scalar" else ""
    return int(major) if major.isdecimal() else 0


def top_key(relative: str) -> str:
    """Give the top key of a list file by its place: `decisions.yaml` and `decisions/2026-01.yaml` hold `decisions`."""
    folder, _, _ = relative.partition("/")
    return LIST_FILES.get(folder if folder.endswith(".yaml") else folder + ".yaml", "")


def parse(relative: str, snapshot: Snapshot) -> FileReading:
    """Read one memory file. Problems are values; nothing is raised for what people wrote."""
    try:
        document = load(snapshot.data, relative)
    except BrokenFile as error:
        rows = _salvage(relative, snapshot.data)
        return FileReading(relative, snapshot.digest, rows, list(error.problems), broken=True)
    version = version_of(document)
    newer = version if version > VERSION else 0
    if relative == FACTS_FILE:
        facts, problems = read_facts(document)
        rows = [row_of(f.memory.id, f.line, f.memory, f.extra) for f in facts if isinstance(f.memory, Entry)]
    else:
        items, problems = read_entries(document, top_key(relative))
        rows = [row_of(i.id, i.line, i.memory if isinstance(i.memory, Entry) else None, i.extra) for i in items]
    if newer:
        problems = [*problems, _newer(relative, newer, document)]
    broken = any(p.severity == "error" for p in problems)
    return FileReading(relative, snapshot.digest, rows, problems, broken=broken, newer=newer)


def _newer(relative: str, version: int, document: Document) -> Problem:
    node = document.root.get("version")
    return Problem(
        path=relative,
        line=node.line if node is not None else 1,
        column=node.column if node is not None else 1,
        code="newer-version",
        message=f"version {version} is newer than this omp ({VERSION}), so the file is read-only",
        hint="upgrade omp-memory",
        severity="warning",
    )


def _salvage(relative: str, data: bytes) -> list[Row]:
    """Read the entries of a broken file that are whole by themselves: one bad place must not hide the rest."""
    key = top_key(relative)
    found = list(_ITEM.finditer(data))
    if not key or not found:
        return []
    indent = len(found[0][1])
    starts = [m.start() for m in found if len(m[1]) == indent]
    out: list[Row] = []
    for start, stop in zip(starts, [*starts[1:], len(data)], strict=True):
        with contextlib.suppress(BrokenFile):  # its place is among the problems of the whole file
            items, _ = read_entries(load(key.encode() + b":\n" + data[start:stop], relative), key)
            line = data.count(b"\n", 0, start) - 1
            out += [row_of(i.id, i.line + line, i.memory, i.extra) for i in items if isinstance(i.memory, Entry)]
    return out


def _types_mark() -> bytes:
    """Name the types and the release that records are made with: others' records are no use."""
    said = [omp.__version__, *(f"{k}:{','.join(t.__struct_fields__)}" for k, t in TYPES.items())]
    return hashlib.sha256("\n".join(said).encode()).digest()[:8]


class Reader:
    """Reads the files of one memory folder; remembers what they gave by stat and by digest."""

    def __init__(self, root: Path, local: Path, anchor: Path, gate: Callable[[bytes], list[Finding]]) -> None:
        self.root, self._anchor, self._gate = root, anchor, gate
        self._records = local / "parsed"
        self._place = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        self._seen: dict[str, tuple[tuple[int, ...], FileReading]] = {}
        self._listed = IdList(self._records / f"{self._place}.ids")
        self._ids: dict[str, tuple[str, frozenset[str]]] = {}
        self._mark = b""

    # Places

    def rotated(self, name: str) -> list[str]:
        """List the files into which a list file's entries were rotated out, `decisions/2026-01.yaml`, in order."""
        folder = self.root / name.removesuffix(".yaml")
        if folder.is_symlink() or not folder.is_dir():
            return []
        return [f"{folder.name}/{p.name}" for p in sorted(folder.iterdir()) if p.suffix == ".yaml" and p.name[0] != "."]

    def files(self) -> list[str]:
        """List the files that hold entries, relative to the memory folder: the present ones, then rotated ones."""
        names = [
            n for n in (*sorted(LIST_FILES), FACTS_FILE) if (self.root / n).exists() or (self.root / n).is_symlink()
        ]
        return [*names, *(r for n in sorted(LIST_FILES) for r in self.rotated(n))]

    # Reading

    def file(self, relative: str) -> FileReading | None:
        """Give what a file holds now; None when it is not there. What cannot be opened is a problem, not an error."""
        path = self.root / relative
        try:
            mark = stamp(path)
            seen = self._seen.get(relative)
            if mark is not None and seen is not None and seen[0] == mark:
                return seen[1]
            atomic.refuse_links(self._anchor, path)
            snapshot = atomic.read(path)
        except OmpError as error:
            found = Problem(path=relative, line=1, column=1, code="unreadable", message=error.message, hint=error.mend)
            return FileReading(relative, "", [], [found], broken=True)
        return self.of(relative, snapshot, mark) if snapshot.exists else None

    def of(self, relative: str, snapshot: Snapshot, mark: tuple[int, ...] | None = None) -> FileReading:
        """Give what these bytes of a file hold."""
        reading = self._known(relative, snapshot)
        if reading is None:
            reading = parse(relative, snapshot)
            if len(reading.rows) >= RECORDED_FROM and self._records.parent.is_dir():
                reading.clean = not self._gate(snapshot.data)
                self._record(reading)
        self._seen[relative] = (mark or (), reading)
        if mark is not None and "/" in relative and not reading.broken and self._records.parent.is_dir():
            self._listed.learn(relative, mark, self.ids(reading))
        return reading

    def bare(self, relative: str, snapshot: Snapshot) -> FileReading:
        """Give what is known of a file without entries: whether its bytes went through the gate."""
        return self._known(relative, snapshot) or FileReading(relative, snapshot.digest)

    def _known(self, relative: str, snapshot: Snapshot) -> FileReading | None:
        seen = self._seen.get(relative)
        if seen is not None and seen[1].digest == snapshot.digest:
            return seen[1]
        return self._recall(relative, snapshot.digest)

    def remember(self, reading: FileReading, mark: tuple[int, ...]) -> None:
        """Take over what a write has proven about a file's new bytes; `mark` is their `stamp`."""
        self._seen[reading.path] = (mark, reading)
        self._record(reading)

    def holds(self, relative: str, ids: set[str]) -> set[str]:
        """Tell which of the ids stand in a file, without parsing it when none of them occurs in its bytes."""
        seen = self._seen.get(relative)
        mark = stamp(self.root / relative)
        if seen is None or seen[0] != mark:
            if self._listed.absent(relative, mark, ids):
                return set()
            found = atomic.read_bytes(self.root / relative)
            ids = {i for i in ids if found is not None and i.encode() in found[0]}
        if not ids:
            return set()
        reading = self.file(relative)
        return ids & self.ids(reading) if reading is not None else set()

    def ids(self, reading: FileReading) -> frozenset[str]:
        """Give the ids that stand in a version of a file."""
        told = self._ids.get(reading.path)
        if told is None or told[0] != reading.digest or not reading.digest:
            self._ids[reading.path] = told = (reading.digest, frozenset(row.id for row in reading.rows))
        return told[1]

    # Records of other processes

    def _record_path(self, relative: str) -> Path:
        name = hashlib.sha256(f"{self._place}/{relative}".encode()).hexdigest()[:24]
        return self._records / f"{name}.bin"

    def _recall(self, relative: str, digest: str) -> FileReading | None:
        try:
            data = self._record_path(relative).read_bytes()
        except OSError:  # no record: the file is parsed
            return None
        if hashlib.sha256(data[_HEAD:]).digest() != data[:_HEAD] or not data[_HEAD:].startswith(self._types()):
            return None
        reading = _reading_of.decode(memoryview(data)[_HEAD + 8 :])
        return reading if reading.digest == digest and reading.path == relative else None

    def _record(self, reading: FileReading) -> None:
        # A record is only there to save time: reading must work on a read-only disk. It holds the entries' text, so
        # there is none of a file in which the gate found something.
        if not reading.clean:
            with contextlib.suppress(OSError):
                self._record_path(reading.path).unlink(missing_ok=True)
            return
        body = self._types() + _encode(reading)
        with contextlib.suppress(OmpError, OSError):
            self._records.mkdir(mode=0o700, exist_ok=True)
            atomic.write(self._record_path(reading.path), hashlib.sha256(body).digest() + body, 0o600, durable=False)

    def _types(self) -> bytes:
        self._mark = self._mark or _types_mark()
        return self._mark


def stamp(path: Path) -> tuple[int, ...] | None:
    """Give what tells versions of a file apart without reading it: time, size, inode; None when there is no file."""
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise atomic.failure(path, error, "reach") from error
    return info.st_mtime_ns, info.st_size, info.st_ino
