"""Who watches a repository: a kernel lock tells whether a daemon runs, the file beside it tells which.

A process that is killed loses the lock with its life, so a stale file never keeps the next one from starting, and
`stop` never signals a stranger that got the old number.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from omp.errors import Busy, OmpError
from omp.model import Struct
from omp.store import atomic

LOG_LIMIT = 5 * 1024 * 1024
"""Bytes after which the daemon's log is set aside."""


class State(Struct, frozen=True, kw_only=True):
    """A running daemon: its process and since when it runs."""

    pid: int
    since: str


@contextlib.contextmanager
def hold(local: Path, now: str) -> Iterator[None]:
    """Be the daemon of this repository. Raises OmpError when there is one already."""
    atomic.make_folder(local, 0o700)
    try:
        with atomic.locked(local / "daemon.lock", wait=1.0):
            atomic.write(local / "daemon.json", msgspec.json.encode(State(pid=os.getpid(), since=now)))
            try:
                yield
            finally:
                (local / "daemon.json").unlink(missing_ok=True)
    except Busy:
        state = _read(local)
        who = f" (process {state.pid})" if state else ""
        raise OmpError(
            f"a daemon of this repository runs already{who}", "omp status shows it, omp stop ends it"
        ) from None


def running(local: Path) -> State | None:
    """Give the daemon that holds the lock, None when there is none."""
    if not (local / "daemon.lock").exists():
        return None
    try:
        with atomic.locked(local / "daemon.lock", wait=0.0):
            return None
    except Busy:
        return _read(local)


def _read(local: Path) -> State | None:
    try:
        return msgspec.json.decode((local / "daemon.json").read_bytes(), type=State)
    except (OSError, msgspec.DecodeError):
        return None


def stop(local: Path, seconds: float = 30.0) -> bool:
    """End the daemon and wait until it has let go; False when none runs. Raises OmpError when it does not end."""
    state = running(local)
    if state is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(state.pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if running(local) is None:
            return True
        time.sleep(0.02)
    raise OmpError(f"process {state.pid} has not ended within {seconds:g} s", f"kill {state.pid}")


def rotate(log: Path) -> None:
    """Set a log aside that has grown beyond 5 MB; one older log is kept."""
    try:
        if log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))
    except FileNotFoundError:
        return


def usage(pid: int) -> tuple[float | None, float | None]:
    """Give resident megabytes and processor seconds of a process, None where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, (int(fields[11]) + int(fields[12])) / ticks
    except (OSError, ValueError, IndexError):
        return None, None
