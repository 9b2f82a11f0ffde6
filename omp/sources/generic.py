"""Generic conversations: JSON lines `{"id", "role", "text", "tool"?, "at"?, "session"?, "cwd"?}`.

The layout is part of the contract; other agents' logs can be turned into it by anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from omp import times
from omp.model import Role, Voice
from omp.sources.calls import capped
from omp.sources.formats import Draft, Frame, Lines, Record, Told, word
from omp.sources.voice import hear

AGENT = "generic"
_ROLES: tuple[Role, ...] = get_args(Role)
_FOREIGN = frozenset({"type", "message", "payload", "content", "parts", "uuid", "data", "timestamp"})
"""Keys of other schemas that also have a role and a text."""
_VOICES: dict[Role, Voice] = {"user": "person", "assistant": "agent", "system": "injected", "tool": "tool"}


def _is_turn(record: dict[str, Any]) -> bool:
    return word(record.get("role")) in _ROLES and isinstance(record.get("text"), str)


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the first records, most of them at least, have a role and a text, and no key of another schema."""
    turns = [record for record in head if _is_turn(record)]
    return 2 * len(turns) >= len(head) and not any(_FOREIGN & record.keys() for record in turns)


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep a turn as it is; anything else is unknown."""
    return record if _is_turn(record) else f"{record.get('type') or record.get('role') or '(no role)'}"


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """One conversation for each `session`; lines without one belong to the file's own."""
    drafts: dict[str, Draft] = {}
    for record in records:
        data = record.data
        session = str(data.get("session") or "") or frame.path.stem
        draft = drafts.setdefault(session, Draft(AGENT, session))
        entry = data.get("id")
        _turn(draft, data, f"L{record.line}" if entry in (None, "") else str(entry), frame)
    return Told(sessions=tuple(draft.finish(frame.path) for draft in drafts.values()))


def _turn(draft: Draft, data: dict[str, Any], entry: str, frame: Frame) -> None:
    role: Role = data["role"]
    text: str = data["text"]
    at, cwd, branch = times.utc(data.get("at"), frame.zone), word(data.get("cwd")), word(data.get("branch"))
    if role == "user":
        heard = hear(text)
        draft.add(entry, "user", "injected", heard.injected, at=at, cwd=cwd, branch=branch)
        draft.add(entry, "user", "person", heard.person, at=at, cwd=cwd, branch=branch)
        return
    tool = word(data.get("tool")) if role == "tool" else ""
    draft.add(
        entry, role, _VOICES[role], capped(text) if role == "tool" else text, at=at, cwd=cwd, branch=branch,
        tool=tool, call=word(data.get("call")), failed=data.get("failed") is True,
    )  # fmt: skip


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
