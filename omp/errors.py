"""What stops the work.

Expected findings in people's data are values (`Problem`, `Verdict`, `Conflict`); these are for the rest.

    OmpError                      exit 1: an expected failure, said in one sentence with its mend
    ├── UsageError                exit 2: the call itself is wrong
    ├── NotInitialised            there is no `_omp/` here
    ├── NotTrusted                this user has not run `omp init` or `omp trust` here
    ├── BrokenFile                a file that cannot be read; carries its problems
    ├── WriteRefused              a write that would lose or leak something
    │   └── SecretFound           the last gate saw a secret in the final bytes
    ├── Busy                      another process holds the lock
    └── MissingPart               an optional package is not installed
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class OmpError(Exception):
    """An expected failure: what happened and where, and `mend`, the command or step that puts it right."""

    exit_status = 1

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class UsageError(OmpError):
    """The call itself is wrong: an unknown format, a missing argument, a folder without git."""

    exit_status = 2


class NotInitialised(OmpError):
    """The work tree has no `_omp/` at its root."""


class NotTrusted(OmpError):
    """This user has not run `omp init` or `omp trust` in this repository."""


class BrokenFile(OmpError):
    """A file that the dialect or the schema refuses; `problems` says where."""

    def __init__(self, message: str, problems: Sequence[Any] = (), mend: str = "omp validate") -> None:
        super().__init__(message, mend)
        self.problems: tuple[Any, ...] = tuple(problems)
        """`Problem` values; the type lives a floor above."""


class WriteRefused(OmpError):
    """A write that would lose or leak something; nothing was changed."""


class SecretFound(WriteRefused):
    """The last gate saw a secret in the bytes about to be written. Never quotes it."""


class Busy(OmpError):
    """Another process holds the lock."""


class MissingPart(OmpError):
    """An optional package is not installed; `mend` is the command that adds it."""
