"""Keeps the pipeline running: reads logs once, or follows them as a daemon, one a repository.

The daemon watches narrow folders only, never a repository; it sleeps between changes, wakes for timers, reconciles
every five minutes, and holds a kernel lock, so that two cannot run. What a session would give sits in the spool from
its first line on and is replaced as a whole; it enters the files when the session ends.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from omp import git, sources
from omp.errors import OmpError
from omp.git import Repo
from omp.model import CleanEvent, Cursor, Event, LogReading, OpenSession, RawSession, Session, Struct
from omp.pipeline import Mind, Written
from omp.rules.endings import ends_session

if TYPE_CHECKING:
    from omp.sources import AgentHomes, LogReader

SETTLE_SECONDS = 0.08
"""Changes this close together are read in one go: writers append in bursts."""
RECONCILE_SECONDS = 300.0
NAME_LIMIT = 4096
"""Characters of a path or branch; systems allow no more (PATH_MAX)."""
LOOK_SECONDS = 10.0
"""How often missing log folders are looked for; a new one must be read within 15 s."""
UNLOAD_SECONDS = 60.0
"""A model that nobody used for so long is dropped."""
IDLE_END_SECONDS = 30 * 60.0
"""A background daemon without any change for so long ends."""

Say = Callable[[str], None]


class Ignored(Struct, frozen=True, kw_only=True):
    """What the user told omp not to read."""

    agents: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    def log(self, path: Path) -> bool:
        """Whether this log lies below an ignored path."""
        return any(path.is_relative_to(Path(p).expanduser()) for p in self.paths)

    def session(self, raw: RawSession) -> bool:
        """Whether this session, or its agent, is ignored."""
        return raw.agent in self.agents or raw.session in self.sessions


def within(raw: RawSession, work_tree: Path, work_trees: Sequence[Path]) -> RawSession | None:
    """Give the part of a session that was said in `work_tree`; None when nothing was.

    An entry without a working directory belongs where the one before it was.
    """
    raw = msgspec.structs.replace(raw, events=tuple(_with_places(e) for e in raw.events))
    kept, place = [], next((e.cwd for e in raw.events if e.cwd), "")
    inside = {cwd: sources.belongs(cwd, work_trees) == work_tree for cwd in {place, *(e.cwd for e in raw.events)}}
    for event in raw.events:
        place = event.cwd or place
        if inside[place]:
            kept.append(event)
    if not kept:
        return None
    return raw if len(kept) == len(raw.events) else msgspec.structs.replace(raw, events=tuple(kept))


def _with_places(event: Event) -> Event:
    """Drop a working directory or branch that cannot be one: control characters, or longer than any system allows."""
    cwd = event.cwd if _is_name(event.cwd) else ""
    branch = event.branch if _is_name(event.branch) else ""
    return (
        event if (cwd, branch) == (event.cwd, event.branch) else msgspec.structs.replace(event, cwd=cwd, branch=branch)
    )


def _is_name(text: str) -> bool:
    return len(text) <= NAME_LIMIT and not any(c < " " or c == "\x7f" for c in text)


def other_branch(repo: Repo, raw: RawSession) -> str:
    """Name the branch a session belongs to if it is not the present one and still exists, else ""."""
    told = next((e.branch for e in reversed(raw.events) if e.branch), "")
    present = git.branch(repo)
    if not told or told == "HEAD" or told == present or not git.branch_exists(repo, told):
        return ""
    return told


class Cleaner:
    """Masks sessions; an event that was masked before is not masked again."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.known: dict[tuple[str, str, str], dict[bytes, CleanEvent]] = {}

    def clean(self, raw: RawSession) -> Session:
        """Give the masked session."""
        place = (raw.path, raw.agent, raw.session)
        before, now = self.known.get(place, {}), {}
        events = []
        for event in raw.events:
            mark = hashlib.blake2b(msgspec.msgpack.encode(event), digest_size=16).digest()
            now[mark] = before.get(mark) or self.mind.redactor.clean(event)
            events.append(now[mark])
        self.known[place] = now
        return Session(
            agent=raw.agent,
            session=self.mind.redactor.mask(raw.session).text,
            path=raw.path,
            events=tuple(events),
            closed=raw.closed,
            machine=raw.machine,
        )

    def forget(self, raw_path: str) -> None:
        """Drop what is held of one log."""
        self.known = {k: v for k, v in self.known.items() if k[0] != raw_path}


def read_once(
    mind: Mind,
    logs: Sequence[Path],
    *,
    zone: tzinfo,
    say: Say,
    choose: Callable[[RawSession], RawSession | None],
    held: Set[str] = frozenset(),
    first_reading: bool = False,
    reread: bool = True,
) -> Written:
    """Read logs whole, treat every session as closed, and write what they teach. Cursors move last.

    `choose` gives the part of a session to take, None for nothing; logs it puts into `held` are read again next time.
    Without `reread` logs that have not changed since they were last read are passed over, unless a session was left
    open. Refused logs are named through `say`.
    """
    cursors = mind.project.cursors()
    reread = reread or bool(unfinished(mind))
    readers: list[LogReader] = []
    raws: list[RawSession] = []
    for path in logs:
        cursor = cursors.get(str(path))
        if not reread and cursor is not None and sources.unchanged(cursor):
            continue
        if not path.is_file():
            say(f"{path}: not read: no ordinary file")
            continue
        try:
            reader = sources.LogReader(path, zone=zone, whole=True)
            reading = reader.read_new()
            if reading is not None:
                tell(reading, say)
                raws += [chosen for raw in reading.sessions if (chosen := choose(raw)) is not None]
        except Exception as error:  # noqa: BLE001 - one odd log must not keep the others from being read
            say(f"{path}: not read: {_fault(error)}")
            continue
        readers.append(reader)
    sessions = [mind.redactor.clean_session(r) for r in sources.deduplicate(raws)]
    written = mind.finish(sessions, first_reading=first_reading)
    mind.project.put_cursors([c for r in readers if (c := r.cursor()).path not in held])
    return written


def _fault(error: Exception) -> str:
    """Say what went wrong without a word of the log."""
    told = error.strerror if isinstance(error, OSError) else None
    return told or f"a fault in omp ({type(error).__name__})"


def unfinished(mind: Mind) -> dict[tuple[str, str], OpenSession]:
    """Give the sessions of this work tree and branch that a run left open: killed, or on another branch."""
    return {(s.agent, s.session): s for s in mind.project.open_sessions()}


def tell(reading: LogReading, say: Say) -> None:
    """Say what could not be read of a log: refused, unknown record types, malformed lines."""
    if reading.refused:
        say(f"{reading.path}: not read: {reading.refused}")
    if reading.malformed:
        shown = ", ".join(map(str, reading.malformed[:5])) + (", ..." if len(reading.malformed) > 5 else "")
        say(f"{reading.path}: {len(reading.malformed)} malformed line(s) skipped: {shown}")


class Live(Struct, frozen=True, kw_only=True):
    """A session that has not ended: as it stands, when it last grew (monotonic seconds), why it has to wait."""

    raw: RawSession
    session: Session
    at: float
    waits: str = ""
    due: bool = False
    """It ended, but could not be written yet."""


class Daemon:
    """Follows the logs of one work tree until it is told to stop."""

    def __init__(
        self,
        mind: Mind,
        repo: Repo,
        homes: AgentHomes,
        *,
        zone: tzinfo,
        say: Say,
        ignored: Ignored,
        idle_seconds: float,
        ends_when_idle: bool = False,
    ) -> None:
        self.mind, self.repo, self.homes, self.zone, self.say = mind, repo, homes, zone, say
        self.ignored, self.idle_seconds, self.ends_when_idle = ignored, idle_seconds, ends_when_idle
        self.changes: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.cleaner = Cleaner(mind)
        self.readers: dict[Path, LogReader] = {}
        self.raws: dict[str, tuple[RawSession, ...]] = {}
        self.looked: dict[Any, Any] = {}
        self.told: dict[Path, tuple[str, tuple[int, ...]]] = {}
        self.live: dict[tuple[str, str], Live] = {}
        self.watched: dict[Path, Any] = {}
        self.observer: Any = None
        self.model_used = 0.0
        self.last_change = time.monotonic()

    def stop(self) -> None:
        """Ask the daemon to end; it finishes the write under way."""
        self.stopping.set()
        self.changes.put("")

    def run(self) -> None:
        """Follow the logs until `stop`. What is open stays in the spool and is taken up at the next start."""
        self._start_watching()
        try:
            self.reconcile()
            next_reconcile = time.monotonic() + RECONCILE_SECONDS
            self.say("watching; stop with Ctrl-C or omp stop")
            while not self.stopping.is_set():
                changed = self._wait(min(self._next_timer(), next_reconcile))
                if self.stopping.is_set():
                    return
                now = time.monotonic()
                if changed:
                    self.last_change = now
                    self._changed(changed)
                self._timers(now)
                if now >= next_reconcile:
                    self.reconcile()
                    next_reconcile = now + RECONCILE_SECONDS
                elif any(not p.is_dir() for p in self.watched) or not self.watched:
                    self._watch_folders()
                if self.ends_when_idle and now - self.last_change > IDLE_END_SECONDS and not self.live:
                    self.say("nothing to do for 30 minutes; ending")
                    return
        finally:
            if self.observer is not None:
                self.observer.stop()
                self.observer.join(timeout=5)

    # Watching

    def _start_watching(self) -> None:
        from watchdog.events import FileSystemEvent, FileSystemEventHandler
        from watchdog.observers import Observer

        changes = self.changes

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in ("created", "modified", "moved", "deleted"):
                    changes.put(str(getattr(event, "dest_path", "") or event.src_path))

        self.handler = Handler()
        self.observer = Observer()
        self.observer.start()
        self._watch_folders()

    def _watch_folders(self) -> None:
        """Watch the folders where logs of this work tree may appear; each by itself, never what lies below it."""
        wanted = {p for p in sources.watch_folders(self.homes, [self.repo.root]) if p.is_dir()}
        for gone in [p for p in self.watched if p not in wanted]:
            try:
                self.observer.unschedule(self.watched.pop(gone))
            except (KeyError, OSError):
                continue  # the system has dropped the watch with its folder
        for folder in sorted(wanted - set(self.watched)):
            try:
                self.watched[folder] = self.observer.schedule(self.handler, str(folder), recursive=False)
            except OSError as error:
                self.say(f"cannot watch {folder}: {error.strerror}; it is looked at every five minutes")

    def _wait(self, until: float) -> set[Path]:
        """Sleep until something changes or `until`; then gather what changes within a moment."""
        paths: set[Path] = set()
        try:
            first = self.changes.get(timeout=max(0.01, until - time.monotonic()))
        except queue.Empty:
            return paths
        if first:
            paths.add(Path(first))
        settled = time.monotonic() + SETTLE_SECONDS
        while (left := settled - time.monotonic()) > 0:
            try:
                name = self.changes.get(timeout=left)
            except queue.Empty:
                break
            if name:
                paths.add(Path(name))
        return paths

    def _next_timer(self) -> float:
        now = time.monotonic()
        timers = [now + LOOK_SECONDS if not self.watched else now + RECONCILE_SECONDS]
        timers += [s.at + self.idle_seconds for s in self.live.values() if not s.due]
        timers += [now + LOOK_SECONDS for s in self.live.values() if s.due]
        if self.model_used:
            timers.append(self.model_used + UNLOAD_SECONDS)
        return max(min(timers), now + 0.5)

    def _changed(self, paths: Iterable[Path]) -> None:
        logs: set[Path] = set()
        look = False
        for path in paths:
            if path in self.readers or path.suffix in (".jsonl", ".json", ".md"):
                logs.add(path)
            else:
                look = True
        if look:
            self._watch_folders()
            logs |= set(self._discover()) - set(self.readers)
        for path in sorted(logs):
            self.read(path)

    # Reading

    def _discover(self) -> list[Path]:
        found = sources.discover(self.homes, [self.repo.root], self.looked)
        return [p for p in found if not self.ignored.log(p)]

    def reconcile(self) -> None:
        """Look at every log, whatever the system told us: sleep, lost events and network folders hide changes."""
        self._watch_folders()
        cursors = self.mind.project.cursors()
        left = unfinished(self.mind).keys() - self.live.keys()
        for path in self._discover():
            reader = self.readers.get(path)
            if reader is None and not left and self._over(path, cursors.get(str(path))):
                continue
            self.read(path)
        self._orphans()

    def _blocked(self) -> str:
        """Say why nothing may be written now: an open merge or the like, or the memory folder is gone."""
        return git.busy(self.repo) or ("" if self.repo.memory.is_dir() else "no _omp/memory")

    def _orphans(self) -> None:
        """Write what a session gave whose log is gone: it ended, and nothing more will come."""
        if self._blocked():
            return
        for place, record in unfinished(self.mind).items():
            if place in self.live:
                continue
            try:
                self.mind.file(record)
            except OmpError as error:
                self.say(f"session {record.session} waits: {error.message}")

    def _over(self, path: Path, cursor: Cursor | None) -> bool:
        """Whether a log was read before, has not changed, and its sessions have ended since."""
        try:
            quiet = time.time() - path.stat().st_mtime > self.idle_seconds
        except FileNotFoundError:
            return True
        return quiet and cursor is not None and sources.unchanged(cursor)

    def read(self, path: Path) -> None:
        """Read what is new in one log and bring its sessions up to date."""
        reader = self.readers.get(path)
        if reader is None:
            if not path.is_file() or self.ignored.log(path):
                return
            reader = self.readers[path] = sources.LogReader(path, zone=self.zone)
        try:
            reading = reader.read_new()
            if reading is None:
                return
            if (reading.refused, reading.malformed) != self.told.get(path, ("", ())):
                self.told[path] = (reading.refused, reading.malformed)
                tell(reading, self.say)
            age = max(0.0, time.time() - path.stat().st_mtime)
            for raw in self._own_part(reading):
                self._grow(raw, time.monotonic() - age)
            self.mind.project.put_cursors([reader.cursor()])
        except FileNotFoundError:
            self.readers.pop(path, None)
            self.raws.pop(str(path), None)
            self.cleaner.forget(str(path))
        except OmpError as error:
            self.readers.pop(path, None)  # read again at the next change or reconciling
            self.say(f"{path}: {error.message}")
        except Exception as error:  # noqa: BLE001 - one odd log must not end the daemon
            self.readers.pop(path, None)
            self.say(f"{path}: not read: {_fault(error)}")

    def _own_part(self, reading: LogReading) -> list[RawSession]:
        """Give the sessions of one log without what it copied from the other logs that are open (forks, resumes)."""
        self.raws[reading.path] = reading.sessions
        every = [s for path in sorted(self.raws) for s in self.raws[path]]
        return [s for s in sources.deduplicate(every) if s.path == reading.path]

    def _grow(self, raw: RawSession, at: float) -> None:
        trees = git.work_trees(self.repo)
        chosen = within(raw, self.repo.root, trees)
        if chosen is None or self.ignored.session(chosen):
            return
        session = self.cleaner.clean(chosen)
        place = (session.agent, session.session)
        waits = other_branch(self.repo, chosen)
        live = Live(raw=chosen, session=session, at=at, waits=waits)
        ended = chosen.closed or ends_session(session) or time.monotonic() - at > self.idle_seconds
        if ended and self._finish(live):
            return
        self.live[place] = msgspec.structs.replace(live, due=ended)
        self._spool(live)

    def _spool(self, live: Live) -> None:
        """Put what a session would give into the spool, searchable at once; what was asked for is final at once."""
        session = live.session
        judged = self.mind.judge(self.mind.learn(session), meaning=False)
        old = self.mind.project.spool.session(session.agent, session.session)
        record = OpenSession(
            agent=session.agent,
            session=session.session,
            work_tree=self.repo.work_tree,
            branch=live.waits or git.branch(self.repo),
            updated_at=next((e.at for e in reversed(session.events) if e.at), ""),
            items=tuple(judged),
            written=old.written if old is not None else {},
        )
        if record != old:
            self.mind.project.put_session(record)
        asked = [j.candidate for j in judged if j.candidate.asked and j.verdict.effect == "add"]
        if asked and not live.waits and not self._blocked():
            self.mind.keep(asked)
            self.model_used = time.monotonic()
            for item in asked:
                self.say(f"remembered: {item.claim}")

    def _finish(self, live: Live) -> bool:
        """Write an ended session into the files; False when it has to wait (another branch, an open merge)."""
        if live.waits or self._blocked():
            return False
        try:
            written = self.mind.finish([live.session])
        except OmpError as error:
            self.say(f"session {live.session.session} waits: {error.message}")
            return False
        self.model_used = time.monotonic()
        self.live.pop((live.session.agent, live.session.session), None)
        for item in written.report.kept:
            if item.verdict.effect in ("add", "supersede", "contradict"):
                self.say(f"learnt   {item.candidate.kind:18} {item.candidate.claim}")
        return True

    def _timers(self, now: float) -> None:
        for live in list(self.live.values()):
            if live.due or now - live.at >= self.idle_seconds:
                waits = other_branch(self.repo, live.raw)
                fresh = msgspec.structs.replace(live, waits=waits, due=True)
                if not self._finish(fresh):
                    self.live[(live.session.agent, live.session.session)] = fresh
        if self.model_used and now - self.model_used >= UNLOAD_SECONDS:
            unload = getattr(self.mind.embedder(), "unload", None)
            if unload is not None:
                unload()
            self.model_used = 0.0
