"""The only writer. `MemoryDir` reads a memory folder with the spool laid over it, and applies batches.

A batch is one transaction (`transaction.py` has its order): a crash between any two steps leaves the old state or the
new one, or an intent that the next writer finishes. Readers need no lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from omp.errors import BrokenFile, Busy, OmpError, SecretFound, WriteRefused
from omp.model import (
    FACT_KINDS,
    Finding,
    Kind,
    Memory,
    Problem,
    Refusal,
    SessionRecord,
    Stored,
    ThemeIndex,
)
from omp.store import atomic, backup, records, refused
from omp.store.batch import Applied, Backup, Batch, Centroids, Counter, Intent, Known
from omp.store.joining import rebased, united
from omp.store.journal import Journal
from omp.store.local import LocalRecords
from omp.store.overlay import SPOOL, lay_over
from omp.store.plan import plan
from omp.store.reading import FACTS_FILE, FileReading, Reader, parse, top_key
from omp.store.settle import settled
from omp.store.spool import Spool
from omp.store.transaction import Desk, Step

__all__ = [
    "SPOOL",
    "Applied",
    "Backup",
    "Batch",
    "Centroids",
    "Counter",
    "Known",
    "MemoryDir",
    "Spool",
    "entry_digest",
]

ATTEMPTS = 8
"""Times a write is computed anew because somebody else saved in between; a person types slower than that."""


def _no_step(name: str) -> None:
    """Do nothing at a step of a write; tests put a crash here."""


class MemoryDir(LocalRecords):
    """One memory folder (`root`) with its spool (`local`): the project's, or the person's own.

    `gate` scans final bytes for secrets; `clock` gives the present time, which only names of backups and intents and
    the counters use. Without `work_tree` (the person's own store) new files are readable by their owner alone.
    """

    def __init__(
        self,
        root: Path,
        local: Path,
        gate: Callable[[bytes], list[Finding]],
        *,
        clock: Callable[[], str],
        work_tree: str = "",
        branch: str = "",
        step: Step = _no_step,
    ) -> None:
        self.root, self.local, self.gate, self.clock = root, local, gate, clock
        self.work_tree, self.branch, self.private = work_tree, branch, not work_tree
        anchor = Path(work_tree) if work_tree and root.is_relative_to(work_tree) else root
        self.spool = Spool(local, work_tree, branch)
        self._anchor = anchor
        self._reader = Reader(root, local, anchor, gate)
        self.journal = Journal(local, self._reader, gate, clock, work_tree, branch)
        self._desk = Desk(root, anchor, self._reader, self.spool, self.journal, gate, clock, step)
        self._seen: dict[str, Memory] = {}
        self._seen_all = False
        self._read: list[FileReading] = []
        self._stored: dict[str, Stored] = {}
        self._thread = threading.RLock()
        self._depth = 0

    # Reading

    def stored(self) -> dict[str, Stored]:
        """Give every entry of the files by id, whatever its status; an id found twice is joined."""
        found = [r for name in self._reader.files() if (r := self._reader.file(name)) is not None]
        if len(found) == len(self._read) and all(a is b for a, b in zip(found, self._read, strict=True)):
            self._seen = {i: s.memory for i, s in self._stored.items()}
            return dict(self._stored)
        out: dict[str, Stored] = {}
        for reading in found:
            for stored in reading.stored():
                first = out.get(stored.memory.id)
                if first is not None:
                    stored = msgspec.structs.replace(first, memory=united(first.memory, stored.memory))
                out[stored.memory.id] = stored
        self._seen = {i: s.memory for i, s in out.items()}
        self._seen_all = True
        self._read, self._stored = found, out
        return dict(out)

    def read(self, kind: Kind | None = None, statuses: Sequence[str] = ("active",), spool: bool = True) -> list[Stored]:
        """Give entries of some statuses, the spool laid over the files; in order of file, then place."""
        out = self.stored()
        if spool:
            out = lay_over(out, self.open_sessions())
        return [s for s in out.values() if (kind is None or s.memory.kind == kind) and s.memory.status in statuses]

    def get(self, identity: str) -> Stored | None:
        """Give one entry, whatever its status, from the files or the spool; None when it is not there."""
        return lay_over(self.stored(), self.open_sessions()).get(identity)

    def problems(self) -> list[Problem]:
        """Give all that could not be read, files of a newer version, and writes that could not be finished."""
        out: list[Problem] = []
        for relative in self._reader.files():
            reading = self._reader.file(relative)
            out += reading.problems if reading is not None else []
        folder = self.root / "sessions"
        days = sorted(folder.glob("*.yaml")) if folder.is_dir() and not folder.is_symlink() else []
        reads: list[tuple[str, Callable[[], object]]] = [
            (records.THEMES_FILE, self.themes),
            (refused.FILE, self.refused),
            *((f"sessions/{d.name}", lambda d=d: self.sessions(d.stem)) for d in days),
        ]
        for path, read in reads:
            try:
                read()
            except BrokenFile as error:
                out += error.problems
            except OmpError as error:
                out.append(_problem(path, "unreadable", error.message, error.mend))
        return [*out, *self._spool_problems(), *self.journal.problems()]

    def _spool_problems(self) -> list[Problem]:
        self.spool.sessions()
        self.spool.staged()
        self.spool.cursors()
        left = [i for i in self.spool.intents() if i.root == str(self.root)]
        out = [_problem(p, "damaged-record", why, "move it away") for p, why in sorted(self.spool.damaged.items())]
        if left:
            try:
                with atomic.locked(self.local / "lock", wait=0):  # else it is being written right now
                    left = [i for i in self.spool.intents() if i.root == str(self.root)]
            except Busy:
                left = []
        for intent in left:
            names = ", ".join(c.path for c in intent.files)
            message = f"a write of {intent.at} is not finished: {names}"
            out.append(
                _problem(
                    intent.files[0].path if intent.files else "",
                    "unfinished-write",
                    message,
                    "mend what it names; the next write finishes it",
                )
            )
        return out

    def themes(self) -> ThemeIndex:
        """Give the theme index; an empty one where there is no file. Raises BrokenFile for a corrupt one."""
        data = self._bytes(records.THEMES_FILE)
        return records.read_themes(data) if data else ThemeIndex()

    def centroids(self) -> Centroids | None:
        """Give the stored centroids; None when they have to be computed."""
        return records.read_centroids(self._bytes(records.CENTROIDS_FILE))

    def sessions(self, day: str) -> list[SessionRecord]:
        """Give the records of a day (`YYYY-MM-DD`). Raises BrokenFile for a corrupt file."""
        path = f"sessions/{day}.yaml"
        data = self._bytes(path)
        return records.read_sessions(path, data) if data else []

    def refused(self) -> list[Refusal]:
        """Give all refusals, those of the file and the local ones. Raises BrokenFile for a corrupt file."""
        data = self._bytes(refused.FILE)
        return [*(refused.read(data) if data else []), *self.spool.refusals()]

    def _bytes(self, relative: str) -> bytes:
        path = self.root / relative
        atomic.refuse_links(self._anchor, path)
        return atomic.read(path).data

    def known(self) -> Known:
        """Give what has been seen before: keys of entries and of the inbox, and what was refused."""
        keys: dict[str, str] = {}
        for memory in (*(s.memory for s in self.stored().values()), *(s.memory for s in self.spool.staged())):
            own = () if memory.kind in FACT_KINDS else (memory.key,)
            for key in (*own, *memory.keys, *(e.key for e in memory.evidence if e.key)):
                keys.setdefault(key, memory.id)
        rows = self.refused()
        return Known(
            keys=keys,
            refused_keys=frozenset(r.key for r in rows if r.key),
            refused_places=frozenset(r.from_ for r in rows if r.from_),
        )

    # Writing

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writers' lock over several calls, what a crash left being finished first. Raises Busy after 5 s."""
        with self._thread:
            if self._depth:
                yield
                return
            atomic.make_folder(self.local, 0o700)
            with atomic.locked(self.local / "lock"):
                self._depth += 1
                try:
                    self._recover()
                    yield
                finally:
                    self._depth -= 1

    def apply(self, batch: Batch) -> Applied:
        """Write a batch as one transaction.

        An entry that somebody changed since this object read it keeps that change; what the batch changed comes on top.
        Raises SecretFound, WriteRefused, BrokenFile (theme index, refusals), Busy or OmpError; nothing is changed then.
        """
        batch = settled(batch)
        with self.writing():
            applied = self._apply(batch, self._rebase, uuid.uuid4().hex)
        self._seen.update((m.id, m) for m in batch.put)
        for identity in {*batch.remove} - {m.id for m in batch.put}:
            self._seen.pop(identity, None)
        return applied

    def _rebase(self, new: Memory, present: Memory) -> Memory:
        return rebased(new, present, self._seen.get(new.id), self._seen_all)

    def _apply(self, batch: Batch, rebase: Callable[[Memory, Memory], Memory], name: str) -> Applied:
        ids = tuple(dict.fromkeys([*(m.id for m in batch.put), *batch.remove]))
        written: list[str] = []
        for _ in range(ATTEMPTS):
            self._check_links(batch)
            planned = plan(batch, self._reader, rebase)
            self._desk.check(planned.contents)
            self._gate(planned.batch, "what was about to be written")
            written += [c.path for c in planned.contents if c.path not in written]
            if not planned.contents:
                self._desk.finish(planned.batch, name, planned.contents)
                return Applied(written=tuple(written), ids=ids)
            try:
                self._desk.commit(planned, name, self.private)
            except atomic.Changed:
                continue
            return Applied(written=tuple(written), ids=ids)
        raise WriteRefused(f"{', '.join(written)} is being changed all the time", "try again when it is quiet")

    def _check_links(self, batch: Batch) -> None:
        for name in (".", backup.FOLDER, refused.FILE, records.THEMES_FILE, "sessions"):
            atomic.refuse_links(self._anchor, self.root / name)

    def recover(self) -> int:
        """Finish what a crash left; the number of writes finished. Every write does this first."""
        if not self.local.is_dir():
            return 0
        with self._thread, atomic.locked(self.local / "lock"):
            return self._recover()

    def _recover(self) -> int:
        intents = [i for i in self.spool.intents() if i.root == str(self.root)]
        if intents or not self._seen_sweep:
            for intent in intents:
                self._desk.rescue(intent)
            folders = {(self.root / c.path).parent for i in intents for c in i.files}
            self._desk.sweep(sorted(folders))
            self.spool.sweep()
            self._seen_sweep = True
        finished = 0
        for intent in intents:
            with contextlib.suppress(OmpError):  # it stays, `problems` tells of it, and other files can be written
                self._finish(intent)
                finished += 1
        return finished

    _seen_sweep = False

    def _finish(self, intent: Intent) -> None:
        if self._desk.closed(intent):
            self._desk.finish(intent.batch, intent.id, None)
            return
        bases = {m.id: m for m in intent.bases}
        self._apply(intent.batch, lambda new, now: rebased(new, now, bases.get(new.id), True), intent.id)

    def put_centroids(self, centroids: Centroids) -> None:
        """Write `themes/embeddings.json`; derived, so without backup. No write when it says so already."""
        path = self.root / records.CENTROIDS_FILE
        data = records.centroid_bytes(centroids)
        with self.writing():
            atomic.refuse_links(self._anchor, path)
            if atomic.read(path).data != data:
                atomic.make_folder(path.parent, 0o700 if self.private else 0o755)
                atomic.write(path, data, 0o600 if self.private else 0o644)

    # Backups

    def backups(self) -> list[Backup]:
        """List the kept versions of all files, oldest first."""
        return backup.listing(self.root)

    def restore(self, name: str) -> str:
        """Put a kept version back in the place of its file; the present one is kept first, so this can be undone.

        Returns the file. Raises OmpError for an unknown name, WriteRefused for a version that is empty or cannot be
        read, SecretFound for one that holds a secret.
        """
        with self.writing():
            found = next((b for b in self.backups() if b.name == name), None)
            if found is None:
                raise OmpError(f"there is no backup {name!r}", "omp backup list")
            version = atomic.read(self.root / backup.FOLDER / name)
            path = self.root / found.path
            atomic.refuse_links(self._anchor, path)
            self._sound(found.path, version)
            if self.gate(version.data):
                raise SecretFound(f"{name} holds a secret", "choose another version")
            present = atomic.read(path)
            if present.digest != version.digest:
                if present.exists:
                    broken = _is_broken(found.path, present)
                    backup.keep(self.root, found.path, present, self.clock(), False, self.gate, broken)
                mode = present.mode if present.exists else 0o600 if self.private else 0o644
                atomic.make_folder(path.parent)
                atomic.write(path, version.data, mode)
                self.journal.record(Batch(reason="restore"), None)
            return found.path

    def _sound(self, path: str, version: atomic.Snapshot) -> None:
        if not version.data.strip() or _is_broken(path, version):
            raise WriteRefused(f"this version of {path} is empty or cannot be read", "choose another: omp backup list")


def _problem(path: str, code: str, message: str, hint: str) -> Problem:
    return Problem(path=path, line=1, column=1, code=code, message=message, hint=hint)


def _is_broken(path: str, version: atomic.Snapshot) -> bool:
    if top_key(path) or path == FACTS_FILE:
        return parse(path, version).broken
    try:
        if path == refused.FILE:
            refused.read(version.data)
        elif path == records.THEMES_FILE:
            records.read_themes(version.data)
        else:
            records.read_sessions(path, version.data)
    except BrokenFile:
        return True
    return False


def entry_digest(memory: Memory) -> str:
    """Give the digest of an entry as it stands, to tell later whether somebody touched it."""
    return hashlib.sha256(msgspec.json.encode(memory)).hexdigest()[:16]
