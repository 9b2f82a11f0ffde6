"""One conversation may stand in several files: resumed, forked and moved sessions copy what was said before.

What counts is the record, not the file. Claude Code keeps the uuid of a copied record; Codex gives copies new times
and no ids, so there the beginning that two threads share is found by comparing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from omp.model import Event, RawSession

_SHARED_BY_CHANCE = 2
"""Spoken turns that two unrelated threads may begin with alike ("hi", "continue")."""


def deduplicate(sessions: Sequence[RawSession]) -> list[RawSession]:
    """Give the sessions, in the same order, with what was said counted once.

    The copy loses: of two sessions with the same record the one that began later, or was given later. A session of
    which nothing is left is dropped.
    """
    order = sorted(range(len(sessions)), key=lambda i: (_began(sessions[i]), _own_size(sessions[i]), i))
    seen: set[tuple[str, ...]] = set()
    threads: list[list[tuple[str, ...]]] = []
    kept: dict[int, RawSession] = {}
    for index in order:
        session = sessions[index]
        events = session.events
        if session.agent == "codex":
            shape = [_shape(event) for event in events]
            events = events[max((_copied(shape, other) for other in threads), default=0) :]
            threads.append(shape)
        fresh = tuple(event for event in events if not _known(event, seen))
        seen.update(identity for event in fresh for identity in (_identity(event),) if identity)
        if fresh:
            kept[index] = (
                session if len(fresh) == len(session.events) else msgspec.structs.replace(session, events=fresh)
            )
    return [kept[index] for index in sorted(kept)]


def _identity(event: Event) -> tuple[str, ...]:
    """Name a record across files; a line number names none."""
    if event.entry.startswith("L") and event.entry[1:].split(".")[0].isdigit():
        return ()
    if event.agent == "generic":
        return (event.agent, event.session, event.entry, event.role, event.voice, event.text)
    if event.agent == "claude-code":
        # its uuids are unique for ever; the text of an answer may have grown since it was copied
        return (event.agent, event.entry, event.role, event.voice, event.call)
    return (event.agent, event.entry, event.role, event.voice, event.call, event.text)


def _known(event: Event, seen: set[tuple[str, ...]]) -> bool:
    identity = _identity(event)
    return bool(identity) and identity in seen


def _began(session: RawSession) -> str:
    return next((event.at for event in session.events if event.at), "")


def _own_size(session: RawSession) -> int:
    return len(session.events)


def _shape(event: Event) -> tuple[str, ...]:
    return (event.role, event.voice, event.call, event.text)


def _copied(shape: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]) -> int:
    """Give the length of the beginning that is a copy: a shared tool call, or more shared turns than chance gives."""
    length = 0
    for mine, theirs in zip(shape, other, strict=False):
        if mine != theirs:
            break
        length += 1
    shared = shape[:length]
    spoken = sum(voice in ("person", "agent") for _, voice, _, _ in shared)
    return length if any(call for _, _, call, _ in shared) or spoken > _SHARED_BY_CHANCE else 0
