"""What a reader of one log format offers: the contract of the peers in this folder.

A format made of lines keeps a slim form of each record, so that a growing file is parsed once and put together
again as a whole; a format that is one document, or text, is read whole each time it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from omp.model import Event, RawSession, Role, Struct, Voice

HEAD = 60
"""Records looked at to name a format: more than any agent writes before its first telling record."""


class Record(Struct, frozen=True, kw_only=True):
    """One record: the 1-based number of its line, and what the reader wants to keep of it."""

    line: int
    data: dict[str, Any]


class Frame(Struct, frozen=True, kw_only=True):
    """What a reader may know besides the records: the file's path, and the zone of times that name none."""

    path: Path
    zone: tzinfo = UTC


class Told(Struct, frozen=True, kw_only=True):
    """What a file told: its conversations, types nobody knew (by name), and notices (by name)."""

    sessions: tuple[RawSession, ...] = ()
    skipped: dict[str, int] = {}


Slim = Callable[[dict[str, Any]], dict[str, Any] | str | None]
"""What to keep of a record; a text is the name of a type nobody knows; None is known and of no use."""


class Lines(Struct, frozen=True, kw_only=True):
    """A format of JSON lines."""

    agent: str
    recognise: Callable[[Sequence[dict[str, Any]]], bool]
    slim: Slim
    assemble: Callable[[Sequence[Record], Frame], Told]


class Document(Struct, frozen=True, kw_only=True):
    """A format that is one JSON value, rewritten whole."""

    agent: str
    recognise: Callable[[Any], bool]
    assemble: Callable[[Any, Frame], Told]


class Text(Struct, frozen=True, kw_only=True):
    """A format that is plain text."""

    agent: str
    recognise: Callable[[str], bool]
    assemble: Callable[[str, Frame], Told]


class Named(Struct, frozen=True, kw_only=True):
    """A format that is known by sight and not read yet. Takes the first records, or the document."""

    agent: str
    recognise: Callable[[Sequence[Any]], bool]
    why: str = "recognised, not read yet"


Source = Lines | Document | Text | Named


class Draft:
    """Collects the events of one conversation; everything that is equal for all of them is given once."""

    def __init__(self, agent: str, session: str) -> None:
        self.agent = agent
        self.session = session
        self.events: list[Event] = []

    def add(
        self,
        entry: str,
        role: Role,
        voice: Voice,
        text: str,
        *,
        at: str = "",
        cwd: str = "",
        branch: str = "",
        tool: str = "",
        call: str = "",
        failed: bool = False,
    ) -> None:
        """Append an event; one without text is dropped unless it is a tool's."""
        if text.strip() or tool or call:
            self.events.append(
                Event(
                    agent=self.agent, session=self.session, entry=entry, role=role, voice=voice, text=text.strip("\n"),
                    at=at, cwd=cwd, branch=branch, tool=tool, call=call, failed=failed,
                )
            )  # fmt: skip

    def finish(self, path: Path, *, closed: bool = False, machine: bool = False) -> RawSession:
        """Give the conversation as read."""
        return RawSession(
            agent=self.agent, session=self.session, path=str(path), events=tuple(self.events), closed=closed,
            machine=machine,
        )  # fmt: skip


def word(value: object) -> str:
    """Give `value` when it is text, else ""."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    """Give `value` when it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """Give `value` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []
