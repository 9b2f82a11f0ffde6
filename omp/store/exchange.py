"""Two names of files exchanged in one step, and a name given only where none stands: what the system can do of it.

Linux offers both as `renameat2` (since 3.15) where the file system knows it; elsewhere the caller uses a plain rename.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_HERE = -100
"""AT_FDCWD: names are taken as they stand."""
_NOREPLACE, _EXCHANGE = 1, 2
_NOT_HERE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM})
"""What a kernel, a file system or a sandbox that does not know the call says."""


@cache
def _renameat2() -> Callable[[bytes, bytes, int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:  # a C library older than the call
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def call(one: bytes, other: bytes, flags: int) -> int:
        return 0 if function(_HERE, one, _HERE, other, flags) == 0 else ctypes.get_errno()

    return call


def _rename(one: Path, other: Path, flags: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    sys.audit("os.rename", str(one), str(other), -1, -1)  # announced as Python announces its own
    code = call(os.fsencode(one), os.fsencode(other), flags)
    if code in _NOT_HERE:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(one), None, str(other))
    return True


def exchange(one: Path, other: Path) -> bool:
    """Exchange two files; False where the system cannot. Raises OSError, FileNotFoundError when one is not there."""
    return _rename(one, other, _EXCHANGE)


def put_new(source: Path, target: Path) -> bool:
    """Rename to a name that is free; False where the system cannot. Raises FileExistsError when it is taken."""
    return _rename(source, target, _NOREPLACE)
