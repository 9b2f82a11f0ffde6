"""From a batch to new file contents, with the proof that they say what was meant. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from omp.errors import OmpError, WriteRefused
from omp.model import LAYOUT, LIST_FILES, Fact, Memory
from omp.store import atomic, facts, lists, records, refused
from omp.store.atomic import Snapshot
from omp.store.batch import Batch
from omp.store.reading import FACTS_FILE, VERSION, FileReading, Reader, Row, decode, top_key

_VERSION = re.compile(rb"^version:[ \t]*['\"]?(\d+)", re.M)

Rebase = Callable[[Memory, Memory], Memory]
"""(what is put, what stands there) -> what is written."""


class NewContent(msgspec.Struct, kw_only=True):
    """One file of a plan: what it was, its new bytes, what those hold, and the stretch of them that is new."""

    path: str
    old: Snapshot
    new: bytes
    before: FileReading
    after: FileReading
    stretch: tuple[int, int]

    @property
    def added(self) -> bytes:
        """The bytes the gate has to see: whole entries or lines."""
        return self.new[self.stretch[0] : self.stretch[1]]


class Plan(msgspec.Struct, kw_only=True):
    """What a batch does to the files as they stand now. `batch` holds the entries as they will be written."""

    contents: list[NewContent]
    batch: Batch
    bases: tuple[Memory, ...]


def plan(batch: Batch, reader: Reader, rebase: Rebase) -> Plan:
    """Compute the new bytes of every file a batch changes; files that stay equal are left out.

    Raises WriteRefused where a file is broken, of a newer version, or of a form that cannot be edited exactly, and
    where the new bytes would not read back as meant; BrokenFile for a theme index or refusals that cannot be read.
    """
    return _Planner(batch, reader, rebase).run()


class _Planner:
    def __init__(self, batch: Batch, reader: Reader, rebase: Rebase) -> None:
        self.batch, self.reader, self.rebase = batch, reader, rebase
        self.snapshots: dict[str, Snapshot] = {}
        self.contents: list[NewContent] = []
        self.written: dict[str, Memory] = {m.id: m for m in batch.put}
        self.bases: list[Memory] = []

    def run(self) -> Plan:
        batch = self.batch
        for path, (puts, removes) in self.places().items():
            self.entries(path, puts, removes)
        if batch.refuse or batch.lift:
            old = self.snapshot(refused.FILE)
            new = refused.edit(old.data, batch.lift, batch.refuse)
            if self.add(refused.FILE, old, new):
                refused.prove(old.data, new, batch.lift, batch.refuse)
        for path, rows in records.by_day(batch.sessions).items():
            old = self.snapshot(path)
            new = records.edit_sessions(path, old.data, rows)
            if self.add(path, old, new):
                records.prove_sessions(path, old.data, new, rows)
        if batch.themes is not None:
            old = self.snapshot(records.THEMES_FILE)
            new = records.edit_themes(old.data, batch.themes)
            if self.add(records.THEMES_FILE, old, new):
                records.prove_themes(new, batch.themes)
        put = tuple(self.written[m.id] for m in batch.put)
        return Plan(contents=self.contents, batch=msgspec.structs.replace(batch, put=put), bases=tuple(self.bases))

    def snapshot(self, path: str) -> Snapshot:
        if path not in self.snapshots:
            self.snapshots[path] = atomic.read(self.reader.root / path)
        return self.snapshots[path]

    def add(self, path: str, old: Snapshot, new: bytes) -> bool:
        """Take up a file without entries; False when nothing changes."""
        if new == old.data:
            return False
        _no_newer(path, old.data)
        self.contents.append(
            NewContent(
                path=path,
                old=old,
                new=new,
                before=self.reader.bare(path, old),
                after=FileReading(path, atomic.digest(new)),
                stretch=lists.changed_lines(old.data, new),
            )
        )
        return True

    # Entries

    def places(self) -> dict[str, tuple[list[Memory], list[str]]]:
        """Give the files concerned, each with what is put there and what is taken out."""
        out: dict[str, tuple[list[Memory], list[str]]] = {}
        wanted: dict[str, set[str]] = {}
        for memory in self.written.values():
            wanted.setdefault(LAYOUT[memory.kind].file, set()).add(memory.id)
        at = self.find(wanted)
        for memory in self.written.values():
            main = LAYOUT[memory.kind].file
            standing = at.get(memory.id, [])
            path = main if main in standing or not standing else standing[0]
            out.setdefault(path, ([], []))[0].append(memory)
        gone = [i for i in self.batch.remove if i not in self.written]
        wanted = {}
        for identity in gone:
            for name in _files_of(identity):
                wanted.setdefault(name, set()).add(identity)
        at = self.find(wanted)
        for identity in gone:
            for path in at.get(identity, []):
                out.setdefault(path, ([], []))[1].append(identity)
        return out

    def find(self, wanted: dict[str, set[str]]) -> dict[str, list[str]]:
        """Give the files in which ids stand; `wanted` says, by list file, which to look for there and in its folder."""
        out: dict[str, list[str]] = {}
        for name, ids in sorted(wanted.items()):
            reading = self.reading(name)
            for identity in ids & self.reader.ids(reading):
                out.setdefault(identity, []).append(name)
            for path in [] if name == FACTS_FILE else self.reader.rotated(name):
                for identity in self.reader.holds(path, ids):
                    out.setdefault(identity, []).append(path)
        return out

    def reading(self, path: str) -> FileReading:
        snapshot = self.snapshot(path)
        return self.reader.of(path, snapshot) if snapshot.exists else FileReading(path, "")

    def entries(self, path: str, puts: list[Memory], removes: list[str]) -> None:
        old, reading = self.snapshot(path), self.reading(path)
        rows = reading.by_id()
        puts = [self.settle(memory, rows.get(memory.id)) for memory in puts]
        if path == FACTS_FILE:
            wanted = [m for m in puts if isinstance(m, Fact)]
            new = facts.edit(reading, old.data, wanted, removes) if not reading.broken else b""
        else:
            wanted = []
            new = lists.edit(reading, old.data, top_key(path), puts, removes) if not reading.broken else b""
        if new == old.data:
            return
        _writable(reading)
        if path == FACTS_FILE:
            after_rows, stretch = (
                facts.prove(reading, old.data, new, wanted, removes),
                lists.changed_lines(old.data, new),
            )
        else:
            after_rows, stretch = lists.prove(reading, old.data, new, top_key(path), puts, removes)
        lists.all_there(path, after_rows, puts, removes)
        after = FileReading(
            path, atomic.digest(new), after_rows, [p for p in reading.problems if p.severity == "warning"]
        )
        self.contents.append(NewContent(path=path, old=old, new=new, before=reading, after=after, stretch=stretch))

    def settle(self, memory: Memory, row: Row | None) -> Memory:
        present = decode(row) if row is not None else None
        if present is None:
            return memory
        self.bases.append(present)
        self.written[memory.id] = settled = self.rebase(memory, present)
        return settled


def _files_of(identity: str) -> list[str]:
    """Give the files an id can stand in: told by its prefix, else (seed forms) any."""
    prefix = identity.partition("-")[0]
    told = {layout.file for layout in LAYOUT.values() if layout.prefix == prefix}
    return sorted(told or {*LIST_FILES, FACTS_FILE})


def _writable(reading: FileReading) -> None:
    if reading.broken:
        first = next((p for p in reading.problems if p.severity == "error"), reading.problems[0])
        where = f"{first.path}:{first.line}:{first.column}"
        raise WriteRefused(f"{where}: {first.message}; a broken file is not written to", first.hint or "omp validate")
    if reading.newer:
        raise _newer(reading.path, reading.newer)


def _no_newer(path: str, data: bytes) -> None:
    found = _VERSION.search(data)
    if found is not None and int(found[1]) > VERSION:
        raise _newer(path, int(found[1]))


def _newer(path: str, version: int) -> OmpError:
    return WriteRefused(f"{path} has version {version}, this omp writes version {VERSION}", "upgrade omp-memory")


def folders_of(root: Path, contents: list[NewContent]) -> list[Path]:
    """Give the folders in which files change, each once."""
    return list(dict.fromkeys((root / c.path).parent for c in contents))
