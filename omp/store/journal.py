"""Every write as a commit in a bare repository of our own, one branch a work tree; the user's repository has no part.

The tree holds each entry as `entries/<x>/<y>/<id>.json` (two hex digits of a hash, so that no folder grows large). What
a file held before a write and the journal does not know was changed by hand, by git or by an older `omp`: it is
recorded first, as `outside`, after the gate saw it. One `git fast-import` writes all of it: it needs no identity, no
index and no work tree, signs nothing and runs no hook.

A journal that fails never stops a write: it says so, and the next write catches up by comparing tree and files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from omp import git, times
from omp.errors import OmpError
from omp.model import Finding, Memory, Problem, Struct
from omp.store import atomic
from omp.store.batch import Batch
from omp.store.plan import NewContent
from omp.store.reading import FACTS_FILE, FileReading, Reader, Row, decode, stamp, top_key
from omp.yamlfile import dump_value

FOLDER = "journal.git"
OUTSIDE = "outside"
REPACK_EVERY = 200
"""Writes, of one small pack each, after which the packs are joined; looking an object up asks every pack."""
STALE_LOCK = 60.0
"""Seconds after which a lock that a killed git left is taken away; a git call of ours ends after 20."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,119}")
_OURS = (
    *("-c", "gc.auto=0", "-c", "core.logAllRefUpdates=false", "-c", "commit.gpgSign=false"),
    *("-c", "core.fsync=committed,reference", "-c", "fastimport.unpackLimit=1"),  # one durable pack: no second process
)


class Mark(Struct, frozen=True, kw_only=True):
    """Where the journal stands: its last commit, and for each file the digest and stamp it had there."""

    commit: str = ""
    files: dict[str, tuple[str, tuple[int, ...]]] = {}
    writes: int = 0


class Commit(Struct, frozen=True, kw_only=True):
    """What is about to be recorded: a reason, and for each path its new bytes (None: gone)."""

    reason: str
    changes: dict[str, bytes | None]
    lines: tuple[str, ...] = ()


def path_of(identity: str) -> str:
    """Give an entry's path in the journal; ids that are no safe names go by their hash."""
    mark = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()
    name = identity if _SAFE.fullmatch(identity) else f"x{mark}"
    return f"entries/{mark[0]}/{mark[1]}/{name}.json"


def blob(memory: Memory, extra: Mapping[str, Any]) -> bytes:
    """Give an entry as canonical JSON, unknown fields included."""
    values = {**extra, **msgspec.to_builtins(memory)}
    return msgspec.json.encode(values, order="sorted", enc_hook=str) + b"\n"


def blob_id(data: bytes) -> str:
    """Give the object id git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Journal:
    """The journal of one memory folder. All writing happens under the writers' lock."""

    def __init__(
        self,
        local: Path,
        reader: Reader,
        gate: Callable[[bytes], list[Finding]],
        clock: Callable[[], str],
        work_tree: str,
        branch: str,
    ) -> None:
        self.folder, self.reader, self.gate, self.clock = local / FOLDER, reader, gate, clock
        self.work_tree, self.branch = work_tree, branch
        place = work_tree or str(reader.root)
        self.name = f"w{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
        self.ref = f"refs/heads/{self.name}"
        self._mark_file = local / f"journal-{self.name}.json"
        self._failed_file = local / f"journal-{self.name}.failed"

    # Writing

    def record(self, batch: Batch, contents: Sequence[NewContent] | None) -> None:
        """Record a write, and before it what changed outside. Never raises for a journal that cannot be written.

        `contents` are the files of the write as they were and are; None means they are not known any more (a crash,
        a restored file): then every difference between journal and files belongs to the batch.
        """
        try:
            self._record(batch, contents)
            self._failed_file.unlink(missing_ok=True)
        except (OmpError, OSError) as error:
            # The entries are safe in their files; this is told by `problems` and caught up by the next write.
            with contextlib.suppress(OmpError, OSError):
                atomic.write(self._failed_file, str(error).encode("utf-8", "replace"), durable=False)

    def _record(self, batch: Batch, contents: Sequence[NewContent] | None) -> None:
        held = [c for c in contents or () if _holds_entries(c.path)]
        if contents is not None and not held:
            return
        head, mark = self.head(), self._mark()
        ids = {*(m.id for m in batch.put), *batch.remove}
        commits: list[Commit] = []
        lines = (
            *(f"refused: {r.key}" for r in (*batch.refuse, *batch.refuse_locally)),
            *(f"lifted: {key}" for key in batch.lift),
        )
        if contents is not None and self._current(head, mark, held):
            changes: dict[str, bytes | None] = {path_of(i): None for i in ids}
            for content in held:
                changes |= self._blobs(content.after, [r for r in content.after.rows if r.id in ids])
                for path in [path_of(r.id) for r in content.after.rows if r.id in ids]:
                    if changes[path] is None:  # kept out: what the journal has of it stays
                        del changes[path]
        else:
            tree = self.tree(head) if head else {}
            if contents is not None:
                outside = self._difference(tree, {c.path: c.before for c in held})
                meant = {path_of(i): None for i in batch.remove} | {path_of(m.id): m for m in batch.put}
                outside = {p: d for p, d in outside.items() if not _is_meant(p, d, meant)}
                if outside:
                    commits.append(Commit(reason=OUTSIDE, changes=outside))
                    tree |= {p: blob_id(d) if d is not None else "" for p, d in outside.items()}
            changes = self._difference(tree, {c.path: c.after for c in held})
        if changes:
            commits.append(Commit(reason=batch.reason or "write", changes=changes, lines=lines))
        new = self._commit(head, commits) if commits else head
        writes = mark.writes + len(commits)
        if writes >= REPACK_EVERY:
            self.git("repack", "-a", "-d", "-q")
            writes = 0
        self._put_mark(new, held, mark if contents is not None else Mark(), writes)

    def _current(self, head: str, mark: Mark, held: Sequence[NewContent]) -> bool:
        """Tell whether the journal knows every file as it stood before this write."""
        before = {c.path: c.old.digest for c in held}
        if not head or mark.commit != head or {*mark.files, *before} != {*self.reader.files(), *mark.files, *before}:
            return False
        for path in {*mark.files, *before}:
            digest, seen = mark.files.get(path, ("", ()))
            if path in before:
                if before[path] != digest:
                    return False
            elif (stamp(self.reader.root / path) or ()) != seen:
                return False
        return True

    def _difference(self, tree: Mapping[str, str], instead: Mapping[str, FileReading]) -> dict[str, bytes | None]:
        """Give what differs between the journal's tree and the files, of which `instead` gives other states."""
        rows: dict[str, bytes | None] = {}
        whole = True
        names = dict.fromkeys([*self.reader.files(), *instead])
        for name in names:
            reading = instead.get(name) or self.reader.file(name)
            if reading is None:
                continue
            whole = whole and not reading.broken
            for path, data in self._blobs(reading, reading.rows, tree).items():
                rows.setdefault(path, data)
        gone = {p: None for p, sha in tree.items() if sha and p not in rows} if whole else {}
        return {p: d for p, d in rows.items() if d is not None and blob_id(d) != tree.get(p)} | gone

    def _blobs(
        self, reading: FileReading, rows: Sequence[Row], tree: Mapping[str, str] | None = None
    ) -> dict[str, bytes | None]:
        """Give entries as they are recorded; one in which the gate finds something is kept out (path -> None)."""
        out: dict[str, bytes | None] = {}
        for row in rows:
            memory = decode(row)
            if memory is None:
                continue
            path, data = path_of(row.id), blob(memory, msgspec.msgpack.decode(row.extra) or {})
            known = tree is not None and tree.get(path) == blob_id(data)
            if not known and not reading.clean and self.gate(dump_value(msgspec.json.decode(data))):
                out.setdefault(path, None)
            else:
                out.setdefault(path, data)
        return out

    def _commit(self, head: str, commits: Sequence[Commit]) -> str:
        if not (self.folder / "HEAD").is_file():
            self._make()
        stream = [b"feature done\n"]
        for number, commit in enumerate(commits, 1):
            message = self._message(commit).encode("utf-8", "surrogateescape")
            stream.append(
                b"commit %b\nmark :%d\ncommitter omp <omp@localhost> %d +0000\ndata %d\n%b\n"
                % (self.ref.encode(), number, self._seconds(), len(message), message)
            )
            if head and number == 1:
                stream.append(b"from %b\n" % head.encode())
            for path, data in sorted(commit.changes.items()):
                if data is None:
                    stream.append(b"D %b\n" % path.encode())
                else:
                    stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data))
        stream.append(b"get-mark :%d\ndone\n" % len(commits))
        self._unlock()
        said = self.git("fast-import", "--quiet", stdin=b"".join(stream))
        return said.decode().split()[-1]

    def _message(self, commit: Commit) -> str:
        head = _head_of(self.work_tree) if self.work_tree else ""
        lines = [f"work-tree: {self.work_tree}", f"branch: {self.branch}", f"head: {head}", *commit.lines]
        return f"{commit.reason.splitlines()[0]}\n\n" + "".join(f"{' '.join(line.splitlines())}\n" for line in lines)

    def _seconds(self) -> int:
        try:
            return max(0, int(times.parse(self.clock()).timestamp()))
        except ValueError:  # a clock that gives no time: the order of commits still tells
            return 0

    def _make(self) -> None:
        atomic.make_folder(self.folder.parent, 0o700)
        git.run(
            ["init", "-q", "--bare", "--template=", "--shared=0600", "--object-format=sha1", str(self.folder)],
            self.folder.parent,
        )
        self.folder.chmod(0o700)
        self.git("config", "gc.auto", "0")

    def _unlock(self) -> None:
        """Take away what a killed git left: a stale lock of our branch, crash reports."""
        for left in (self.folder / f"{self.ref}.lock", *self.folder.glob("fast_import_crash_*")):
            with contextlib.suppress(FileNotFoundError):
                if left.suffix != ".lock" or time.time() - left.stat().st_mtime > STALE_LOCK:
                    left.unlink()

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git in the journal. Raises OmpError."""
        return git.run([*_OURS, f"--git-dir={self.folder}", *arguments], self.folder.parent, stdin)

    # The mark

    def _mark(self) -> Mark:
        with contextlib.suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):  # only there to save time
            return msgspec.json.decode(self._mark_file.read_bytes(), type=Mark)
        return Mark()

    def _put_mark(self, commit: str, held: Sequence[NewContent], mark: Mark, writes: int) -> None:
        files: dict[str, tuple[str, tuple[int, ...]]] = {}
        after = {c.path: c.after.digest for c in held}
        for path in dict.fromkeys([*self.reader.files(), *after]):
            seen = stamp(self.reader.root / path) or ()
            old = mark.files.get(path)
            if path in after:
                files[path] = (after[path], seen)
            elif old is not None and old[1] == seen:
                files[path] = old
            else:
                reading = self.reader.file(path)
                files[path] = (reading.digest if reading is not None else "", seen)
        data = msgspec.json.encode(Mark(commit=commit, files=files, writes=writes))
        atomic.write(self._mark_file, data, durable=False)

    # Reading

    def head(self) -> str:
        """Give the last commit of this work tree's branch, "" when there is none yet."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / self.ref).read_text("ascii").strip()
        if not (self.folder / "packed-refs").is_file():
            return ""
        return self.git("for-each-ref", "--format=%(objectname)", self.ref).decode().strip()

    def tree(self, commit: str) -> dict[str, str]:
        """Give the entries of a commit: path -> object id."""
        rows = self.git("ls-tree", "-r", "-z", commit, "entries/").decode().split("\0")
        return {row.partition("\t")[2]: row.split()[2] for row in rows if row}

    def problems(self) -> list[Problem]:
        """Give why the last write could not be recorded, if it could not."""
        try:
            why = self._failed_file.read_text("utf-8", "replace")
        except OSError:  # no such file: the journal is whole
            return []
        return [
            Problem(
                path=FOLDER,
                line=1,
                column=1,
                code="journal-behind",
                message=f"the last write is in its file but not in the journal: {why}",
                hint="the next write catches up",
                severity="warning",
            )
        ]


def _holds_entries(path: str) -> bool:
    return path == FACTS_FILE or bool(top_key(path))


def _is_meant(path: str, data: bytes | None, meant: Mapping[str, Memory | None]) -> bool:
    """Tell whether a state is what the batch itself makes: an interrupted write, not somebody else's change."""
    if path not in meant:
        return False
    memory = meant[path]
    if data is None or memory is None:
        return data is None and memory is None
    return msgspec.json.decode(data, type=Memory) == memory


def _head_of(work_tree: str) -> str:
    """Give the commit the work tree's HEAD names, "" when there is none. Reads files only."""
    folder = Path(work_tree) / ".git"
    with contextlib.suppress(OSError):
        if folder.is_file():
            folder = folder.parent / folder.read_text("utf-8", "surrogateescape").strip().removeprefix("gitdir: ")
        head = (folder / "HEAD").read_text("utf-8", "surrogateescape").strip()
        if not head.startswith("ref: "):
            return head
        common = folder
        with contextlib.suppress(OSError):
            common = Path(os.path.normpath(folder / (folder / "commondir").read_text("utf-8").strip()))
        name = head.removeprefix("ref: ")
        with contextlib.suppress(OSError):
            return (common / name).read_text("ascii").strip()
        for line in (common / "packed-refs").read_text("utf-8", "surrogateescape").splitlines():
            if line.endswith(f" {name}"):
                return line.split()[0]
    return ""
