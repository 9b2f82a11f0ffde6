"""The spool: local, not rebuildable, owner only, in the git common directory.

`git clean -xdf` and `git worktree remove` do not reach it. One small JSON file a record, each replaced as a whole and
durably. What goes in went through the gate; `MemoryDir` sees to that, and holds the lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from omp.errors import OmpError
from omp.model import Cursor, OpenSession, Refusal, Staged
from omp.store import atomic
from omp.store.batch import Counter, Intent

T = TypeVar("T")

FOLDERS = ("sessions", "inbox", "intents", "cursors", "parsed")


class Spool:
    """Records below one folder: open sessions, inbox, intents, cursors, counters, local refusals, feedback."""

    def __init__(self, folder: Path, work_tree: str = "", branch: str = "") -> None:
        self.folder, self.work_tree, self.branch = folder, work_tree, branch
        self.damaged: dict[str, str] = {}
        """Records that could not be read when they were last looked at: path -> why. The others are still given."""

    # Records

    def _write(self, name: str, value: Any) -> None:
        path = self.folder / name
        atomic.make_folder(path.parent, 0o700)
        atomic.write(path, msgspec.json.encode(value), 0o600)

    def _read(self, name: str, kind: Any) -> Any:
        path = self.folder / name
        found = atomic.read(path)
        if not found.exists:
            return None
        try:
            return msgspec.json.decode(found.data, type=kind)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise OmpError(f"{path} is damaged and cannot be read", f"move it out of {path.parent}") from error

    def _all(self, folder: str, kind: type[T]) -> list[T]:
        place = self.folder / folder
        try:
            names = sorted(p.name for p in place.iterdir() if p.suffix == ".json")
        except FileNotFoundError:
            return []
        out: list[T] = []
        for name in (f"{folder}/{n}" for n in names):
            try:
                value = self._read(name, kind)
            except OmpError as error:
                self.damaged[str(self.folder / name)] = error.message
                continue
            self.damaged.pop(str(self.folder / name), None)
            out += [] if value is None else [value]
        return out

    def _drop(self, name: str) -> None:
        path = self.folder / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise atomic.failure(path, error, "remove") from error

    def sweep(self) -> None:
        """Remove temporary files that a killed writer left. Only under the lock."""
        for folder in (self.folder, *(self.folder / name for name in FOLDERS)):
            atomic.sweep(folder)

    # Sessions

    @staticmethod
    def _session_name(agent: str, session: str, work_tree: str, branch: str) -> str:
        return f"sessions/{_hash(agent, session, work_tree, branch)}.json"

    def put_session(self, record: OpenSession) -> None:
        """Replace what a session gives on its work tree and branch, as a whole."""
        self._write(self._session_name(record.agent, record.session, record.work_tree, record.branch), record)

    def drop_session(self, agent: str, session: str) -> None:
        """Forget a session's record of our work tree and branch."""
        self._drop(self._session_name(agent, session, self.work_tree, self.branch))

    def session(self, agent: str, session: str) -> OpenSession | None:
        """Give one session's record of our work tree and branch; None when there is none."""
        name = self._session_name(agent, session, self.work_tree, self.branch)
        found: OpenSession | None = self._read(name, OpenSession)
        return found

    def sessions(self) -> list[OpenSession]:
        """Give all sessions of all work trees and branches, closed ones included; in order of time, then name."""
        return sorted(self._all("sessions", OpenSession), key=lambda s: (s.updated_at, s.agent, s.session))

    # Inbox

    def put_staged(self, staged: Staged) -> None:
        """Put an entry into the inbox, by id."""
        self._write(f"inbox/{name_of(staged.memory.id)}.json", staged)

    def staged(self) -> list[Staged]:
        """Give the inbox, oldest first."""
        return sorted(self._all("inbox", Staged), key=lambda s: (s.at, s.memory.id))

    def drop_staged(self, identity: str) -> None:
        """Take an entry out of the inbox."""
        self._drop(f"inbox/{name_of(identity)}.json")

    # Intents

    def put_intent(self, intent: Intent) -> None:
        """Write down what is about to be written."""
        self._write(f"intents/{intent.id}.json", intent)

    def intents(self) -> list[Intent]:
        """Give what a crash may have left unfinished, oldest first."""
        return sorted(self._all("intents", Intent), key=lambda i: (i.at, i.id))

    def drop_intent(self, identity: str) -> None:
        """The write is done."""
        self._drop(f"intents/{identity}.json")

    # Cursors, counters, refusals, feedback

    def cursors(self) -> dict[str, Cursor]:
        """Give how far each log was read, by path."""
        return {c.path: c for c in self._all("cursors", Cursor)}

    def put_cursor(self, cursor: Cursor) -> None:
        """Write how far one log was read: the last step of a write."""
        self._write(f"cursors/{_hash(cursor.path)}.json", cursor)

    def counters(self) -> dict[str, Counter]:
        """Give how often each entry was asked for, and when last."""
        return self._read("counters.json", dict[str, Counter]) or {}

    def put_counters(self, counters: dict[str, Counter]) -> None:
        """Replace the counters."""
        self._write("counters.json", dict(sorted(counters.items())))

    def refusals(self) -> list[Refusal]:
        """Give what must not come back, kept here because it never stood in a file."""
        return self._read("refusals.json", list[Refusal]) or []

    def put_refusals(self, refusals: Iterable[Refusal]) -> None:
        """Replace the local refusals."""
        self._write("refusals.json", sorted(refusals, key=lambda r: (r.key, r.from_)))

    def feedback(self) -> dict[str, dict[str, int]]:
        """Give what a person said about judgements: a name (a rule, a reason) -> answer -> how often."""
        return self._read("feedback.json", dict[str, dict[str, int]]) or {}

    def put_feedback(self, feedback: dict[str, dict[str, int]]) -> None:
        """Replace the feedback."""
        self._write("feedback.json", feedback)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def name_of(identity: str) -> str:
    """Give the id if it can be a file name. Raises OmpError for anything that could leave the folder."""
    # Ids of the seed form are words and digits too.
    if not identity or len(identity) > 120 or not all(c.isascii() and (c.isalnum() or c in "-_") for c in identity):
        raise OmpError(f"{identity!r} is no id", "omp list shows the ids")
    return identity
