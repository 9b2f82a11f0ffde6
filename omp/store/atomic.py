"""Files that are never half written: one lock for writers, and a swap that notices what others saved meanwhile.

Readers need no lock: they see the old file or the new one. Below the root that the caller names no symbolic link is
followed, so that nothing outside it can be read or overwritten by way of a link in a repository.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import os
import re
import stat
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from omp.errors import Busy, OmpError, WriteRefused
from omp.model import Struct
from omp.store import exchange

LOCK_WAIT = 5.0
"""Seconds a writer waits for one and the same write of another; hooks must not pile up behind a stopped process."""
LOCK_WAIT_ALL = 60.0
"""Seconds it waits in all while others take turns: the lock is not fair, and a busy repository is not a stuck one."""
REPLACE_WAIT = 2.0
"""Seconds in all that a refused replacement is tried again: scanners and editors hold files for a moment."""
_HOLDER = 32
"""Bytes in the lock's file: the holder's pid, and a mark of this one write."""
_TEMP = re.compile(r"\..+\.[0-9a-f]{32}\.omp-tmp")


class Changed(Exception):
    """The target is no longer what was read; the change must be computed again on the new bytes."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A file as read: its bytes, their sha256 ("" when there is no file) and its permission bits."""

    data: bytes
    digest: str
    mode: int = 0o644

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.digest != ""


NO_FILE = Snapshot(data=b"", digest="")


def digest(data: bytes) -> str:
    """Give the sha256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def refuse_links(anchor: Path, path: Path) -> None:
    """Raise WriteRefused if something below `anchor` on the way to `path`, or `path`, is a symbolic link.

    What is missing is no link; nor is `anchor` itself looked at, which the person named.
    """
    place = str(anchor)
    for part in path.relative_to(anchor).parts:
        place = f"{place}{os.sep}{part}"
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise failure(Path(place), error, "reach") from error
        if stat.S_ISLNK(mode):
            raise WriteRefused(f"{place} is a symbolic link, and none is followed here", "put the real file there")


def read(path: Path) -> Snapshot:
    """Read a file whole; `NO_FILE` when there is none. Raises WriteRefused for a link, OmpError when unreadable."""
    found = read_bytes(path)
    return NO_FILE if found is None else Snapshot(data=found[0], digest=digest(found[0]), mode=found[1])


def read_bytes(path: Path) -> tuple[bytes, int] | None:
    """Read a file's bytes and permission bits; None when there is none. Raises as `read` does."""
    try:
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise WriteRefused(
                f"{path} is a symbolic link, and none is followed here", "put the real file there"
            ) from None
        raise failure(path, error, "read") from error
    try:
        with os.fdopen(handle, "rb") as file:
            told = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(told):
                raise WriteRefused(f"{path} is no ordinary file", "put a file there, or take it away")
            return file.read(), stat.S_IMODE(told)
    except OSError as error:
        raise failure(path, error, "read") from error


def failure(path: Path, error: OSError, verb: str) -> OmpError:
    """Turn an error of the system into one that names the path and the mend."""
    mends = {
        errno.ENOSPC: "free some space on that disk, then try again",
        errno.EDQUOT: "free some space in your quota, then try again",
        errno.EROFS: "the file system is read-only; mount it for writing",
        errno.EACCES: f"give yourself the right to {verb} it (chmod u+rwX)",
        errno.EPERM: f"give yourself the right to {verb} it (chmod u+rwX)",
        errno.ENOTDIR: "a file stands where a folder is due; move it away",
        errno.EISDIR: "a folder stands where a file is due; move it away",
    }
    why = (error.strerror or str(error)).lower()
    return OmpError(f"cannot {verb} {path}: {why}", mends.get(error.errno or 0, "mend it, then try again"))


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable. Does nothing where folders cannot be opened (Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path, mode: int = 0o755) -> None:
    """Make a folder and those above it, durably. Raises OmpError when that is not possible."""
    if folder.is_dir():
        return
    try:
        make_folder(folder.parent, mode)
        with contextlib.suppress(FileExistsError):  # another process was faster
            folder.mkdir(mode)
        sync_folder(folder.parent)
    except OSError as error:
        raise failure(folder, error, "make") from error


def temp_name(path: Path) -> Path:
    """Give a name beside `path` that no other process, thread or attempt uses; `*.omp-tmp` is ignored by git."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.omp-tmp")


def write_temp(path: Path, data: bytes, mode: int = 0o644, durable: bool = True) -> Path:
    """Write `data` to a temporary file beside `path`, durably, and give its name; nothing is left behind on failure."""
    temp = temp_name(path)
    try:
        handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            if os.name != "nt":
                os.fchmod(file.fileno(), mode)
            if durable:
                os.fsync(file.fileno())
    except OSError as error:
        discard(temp)
        raise failure(path, error, "write") from error
    except BaseException:
        discard(temp)
        raise
    return temp


def discard(path: Path) -> None:
    """Remove a file of ours if it is there."""
    with contextlib.suppress(OSError):  # already gone, or the folder became read-only: recovery sweeps it
        path.unlink()


def swap(temp: Path, path: Path, expected: str, new: str) -> None:
    """Put `temp` (digest `new`) in the place of `path` if `path` still has the digest `expected` ("" for no file).

    Where the system can, the two are exchanged, and what came out is looked at: a save of somebody else between the
    check and the swap is put back. Raises Changed when `path` was or became another file, OmpError when the system
    refuses for longer than `REPLACE_WAIT`.
    """
    delay, waited = 0.01, 0.0
    while True:
        mark = _stamp(path)
        if read(path).digest != expected:
            raise Changed(str(path))
        try:
            if exchange.exchange(temp, path) if expected else exchange.put_new(temp, path):
                if expected and _stamp(temp) != mark and read(temp).digest != expected:
                    _put_back(temp, path, new)
                    raise Changed(str(path))
                discard(temp)
            else:
                os.replace(temp, path)  # noqa: PTH105 - named so that a test can stand in for the system
            return
        except (FileExistsError, FileNotFoundError) as error:
            raise Changed(str(path)) from error
        except PermissionError as error:
            if waited + delay > REPLACE_WAIT:
                raise failure(path, error, "replace") from error
            time.sleep(delay)
            waited, delay = waited + delay, delay * 2
        except OSError as error:
            raise failure(path, error, "replace") from error


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        info = os.lstat(path)
    except OSError:  # there is none, or it cannot be reached: reading it says so
        return ()
    return info.st_mtime_ns, info.st_size, info.st_ino


def _put_back(temp: Path, path: Path, inside: str) -> None:
    """Give `path` what came out of it; `inside` is the digest of what stands there now.

    What comes out must be what was put in last: else it is a still later save, and that one is put back.
    """
    while True:
        back = read(temp).digest
        exchange.exchange(temp, path)
        if read(temp).digest == inside:
            return
        inside = back


def outside_save(path: Path, known: Collection[str]) -> Path | None:
    """Find the file that a killed `swap` took out of `path` and that none of the `known` digests is; else None."""
    for temp in sorted(path.parent.glob(f".{glob.escape(path.name)}.*.omp-tmp")):
        if _TEMP.fullmatch(temp.name) and read(temp).digest not in known:
            return temp
    return None


def write(path: Path, data: bytes, mode: int = 0o600, durable: bool = True) -> None:
    """Replace a file of our own as a whole, durably. Raises OmpError; the old file then stands untouched."""
    temp = write_temp(path, data, mode, durable)
    try:
        os.replace(temp, path)  # noqa: PTH105 - as in `swap`
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        discard(temp)
        raise failure(path, error, "write") from error


def sweep(folder: Path) -> None:
    """Remove temporary files that a killed writer left in a folder. Only under the lock."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for name in names:
        if _TEMP.fullmatch(name):
            discard(folder / name)


@contextlib.contextmanager
def locked(path: Path, wait: float = LOCK_WAIT, pause: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Hold the writers' lock: the kernel's, so it ends with its process. The file stays; its pid is information only.

    Raises Busy, naming the holder, when another process keeps it longer than `wait` seconds in one go.
    """
    try:
        handle = os.open(
            path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600
        )
    except OSError as error:
        raise failure(path, error, "lock") from error
    try:
        delay, waited, total, seen = 0.002, 0.0, 0.0, b""
        while not _try_lock(handle):
            told = os.pread(handle, _HOLDER, 0) if hasattr(os, "pread") else b""
            if seen and told != seen:
                waited, delay = 0.0, 0.002  # another write than before: they go on, so does the waiting
            seen = told
            if waited >= wait or total >= LOCK_WAIT_ALL:
                pid = told[:15].decode("ascii", "replace").strip()
                who = f"process {pid}" if pid else "another process"
                raise Busy(f"{who} has been writing this memory for {wait:g} s", "try again when it has ended")
            pause(delay)
            waited, total, delay = waited + delay, total + delay, min(delay * 1.5, 0.05)
        if os.name != "nt":  # one length: cutting the file would cost a sync
            os.pwrite(handle, f"{os.getpid():<15}\n{uuid.uuid4().hex[:15]}\n".encode(), 0)
        yield
    finally:
        _unlock(handle)
        os.close(handle)


if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        with contextlib.suppress(OSError):  # it was never locked
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
