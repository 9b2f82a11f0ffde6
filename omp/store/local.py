"""The local half of a memory: inbox, open sessions, refusals, cursors, counters. In the spool, never in git."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from omp.errors import SecretFound
from omp.model import Cursor, Finding, OpenSession, Refusal, Staged
from omp.store import atomic, inbox
from omp.store.batch import Batch, Counter
from omp.store.settle import settled_memory
from omp.store.spool import Spool
from omp.store.transaction import Desk
from omp.yamlfile import dump_value


class LocalRecords(ABC):
    """What `MemoryDir` offers of the spool; every write goes through the gate and holds the writers' lock."""

    root: Path
    spool: Spool
    gate: Callable[[bytes], list[Finding]]
    clock: Callable[[], str]
    work_tree: str
    branch: str
    _anchor: Path
    _desk: Desk

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Hold the writers' lock."""

    def _gate(self, record: object, what: str) -> None:
        """Scan a record of the spool in the form files have. Raises SecretFound."""
        found = self.gate(dump_value(msgspec.to_builtins(record)))
        if found:
            types = ", ".join(sorted({f.type for f in found}))
            raise SecretFound(f"{types} in {what}; nothing was written", "take it out, then try again")

    # Inbox

    def stage(self, staged: Iterable[Staged]) -> None:
        """Put entries into the inbox, and their view into `.staging/`. Raises SecretFound; then nothing is staged."""
        fresh = [msgspec.structs.replace(s, memory=settled_memory(s.memory)) for s in staged]
        for one in fresh:
            self._gate(one, f"{one.memory.id}, which was to wait in the inbox")
        with self.writing():
            present = {s.memory.id: s for s in self.spool.staged()}
            for one in fresh:
                united_one = inbox.joined(one, present.get(one.memory.id))
                if united_one != present.get(one.memory.id):
                    self.spool.put_staged(united_one)
            self._show_inbox()

    def inbox(self) -> list[Staged]:
        """Give what waits for a person, oldest first."""
        return self.spool.staged()

    def unstage(self, ids: Iterable[str]) -> None:
        """Take entries out of the inbox."""
        with self.writing():
            for identity in ids:
                self.spool.drop_staged(identity)
            self._show_inbox()

    def _show_inbox(self) -> None:
        atomic.refuse_links(self._anchor, self.root / inbox.FOLDER)
        inbox.show(self.root, self.spool.staged())

    # Sessions

    def open_sessions(self) -> list[OpenSession]:
        """Give the sessions of this work tree and branch that are not closed: what waits to be written."""
        return [s for s in self.spool.sessions() if not s.closed and self._mine(s)]

    def _mine(self, record: OpenSession) -> bool:
        same_branch = record.branch == self.branch or not record.branch or not self.branch
        return same_branch and record.work_tree in ("", self.work_tree)

    def put_session(self, record: OpenSession) -> None:
        """Replace what a session gives, as a whole. Raises SecretFound."""
        self._gate(record, f"session {record.session}")
        with self.writing():
            self.spool.put_session(record)

    def close_session(self, agent: str, session: str) -> None:
        """Forget a session of this work tree and branch: its memories stand in the files, or are given up."""
        with self.writing():
            self.spool.drop_session(agent, session)

    # Local refusals, cursors, counters, feedback

    def refuse_locally(self, refusals: Iterable[Refusal]) -> None:
        """Keep away what never stood in a file; known to this machine only."""
        with self.writing():
            self._desk.refuse_locally(Batch(refuse_locally=tuple(refusals)))

    def lift_locally(self, keys: Iterable[str]) -> None:
        """Take local refusals back."""
        with self.writing():
            self._desk.refuse_locally(Batch(lift=tuple(keys)))

    def cursors(self) -> dict[str, Cursor]:
        """Give how far each log was read, by path."""
        return self.spool.cursors()

    def put_cursor(self, cursor: Cursor) -> None:
        """Remember how far a log was read: the last step, after what it gave is durable."""
        self.put_cursors((cursor,))

    def put_cursors(self, cursors: Iterable[Cursor]) -> None:
        """Remember how far logs were read; one that stands so already is not written."""
        with self.writing():
            present = self.spool.cursors()
            for cursor in cursors:
                if present.get(cursor.path) != cursor:
                    self.spool.put_cursor(cursor)

    def counters(self) -> dict[str, Counter]:
        """Give how often each entry was asked for, and when last."""
        return self.spool.counters()

    def count_access(self, ids: Iterable[str]) -> None:
        """Count one access of each entry, now."""
        with self.writing():
            counters, now = self.spool.counters(), self.clock()
            for identity in ids:
                before = counters.get(identity, Counter())
                counters[identity] = Counter(count=before.count + 1, at=max(now, before.at))
            self.spool.put_counters(counters)

    def feedback(self) -> dict[str, dict[str, int]]:
        """Give what people answered: a rule or reason -> `accepted`, `rejected`, ... -> how often."""
        return self.spool.feedback()

    def count_feedback(self, answers: Iterable[tuple[str, str]]) -> None:
        """Count answers: pairs of a rule or reason and what the person did."""
        with self.writing():
            counts = self.spool.feedback()
            for name, answer in answers:
                row = counts.setdefault(name, {})
                row[answer] = row.get(answer, 0) + 1
            self.spool.put_feedback(counts)
