"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*`, one JSON document before 0.39, JSON lines since.

In the lines a header may come again (resumed), a message may be written again (the last one wins, at its first
place), `$set` changes the header or replaces the messages, `$rewindTo` takes back a message and all after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omp import times
from omp.model import RawSession
from omp.sources.calls import block_text, call_line, capped
from omp.sources.formats import Document, Draft, Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import hear

AGENT = "gemini-cli"
_TYPES = frozenset({"user", "gemini", "model", "info", "error", "warning"})


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell the header: a session and the hash of its project, and no type."""
    return "projectHash" in head[0] and "sessionId" in head[0] and "messages" not in head[0]


def recognise_document(value: Any) -> bool:
    """Tell the single document by its header and its list of messages."""
    return isinstance(value, dict) and "projectHash" in value and isinstance(value.get("messages"), list)


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep headers, changes, and messages without thoughts and payloads."""
    if "sessionId" in record and "projectHash" in record:
        return {"header": word(record["sessionId"]), "kind": word(record.get("kind"))}
    if "$set" in record:
        changed = mapping(record["$set"])
        if not isinstance(changed.get("messages"), list):
            return None
        return {"replace": [m for m in map(_message, changed["messages"]) if isinstance(m, dict)]}
    if "$rewindTo" in record:
        return {"rewind": word(record["$rewindTo"])}
    return _message(record)


def _message(value: object) -> dict[str, Any] | str | None:
    message = mapping(value)
    kind = word(message.get("type"))
    if kind not in _TYPES:
        return kind or "(no type)"
    if kind not in ("user", "gemini", "model"):
        return None
    calls = [_call(call) for call in map(mapping, listed(message.get("toolCalls")))]
    content = message.get("displayContent") or message.get("content")
    return {"id": word(message.get("id")), "at": message.get("timestamp"), "type": kind, "calls": calls,
            "text": block_text(content)}  # fmt: skip


def _call(call: dict[str, Any]) -> dict[str, Any]:
    name = word(call.get("name"))
    shown = call.get("resultDisplay")
    output = (
        shown
        if isinstance(shown, str)
        else block_text(
            [mapping(mapping(part).get("functionResponse")).get("response") for part in listed(call.get("result"))]
        )
    )
    return {"id": word(call.get("id")), "name": name, "line": call_line(name, call.get("args")),
            "output": capped(output), "failed": call.get("status") in ("error", "cancelled")}  # fmt: skip


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """Replay the lines into one list of messages, and that into one conversation."""
    session, kind = frame.path.stem, ""
    messages: dict[str, tuple[dict[str, Any], str]] = {}
    for record in records:
        data = record.data
        if "header" in data:
            session, kind = data["header"] or session, data["kind"] or kind
        elif "replace" in data:
            messages = {m["id"] or f"L{record.line}.{n}": (m, m["id"] or f"L{record.line}")
                        for n, m in enumerate(data["replace"])}  # fmt: skip
        elif "rewind" in data:
            names = list(messages)
            if data["rewind"] in messages:
                for name in names[names.index(data["rewind"]) :]:
                    del messages[name]
        else:
            name = data["id"] or f"L{record.line}"
            messages[name] = (data, name)
    return _told(session, kind, list(messages.values()), frame)


def assemble_document(value: dict[str, Any], frame: Frame) -> Told:
    """Read the single document."""
    skipped: dict[str, int] = {}
    messages: list[tuple[dict[str, Any], str]] = []
    for number, one in enumerate(value["messages"], 1):
        slimmed = _message(one)
        if isinstance(slimmed, dict):
            messages.append((slimmed, slimmed["id"] or f"L{number}"))
        elif isinstance(slimmed, str):
            skipped[slimmed] = skipped.get(slimmed, 0) + 1
    told = _told(word(value.get("sessionId")) or frame.path.stem, word(value.get("kind")), messages, frame)
    return Told(sessions=told.sessions, skipped=skipped)


def _told(session: str, kind: str, messages: Sequence[tuple[dict[str, Any], str]], frame: Frame) -> Told:
    draft = Draft(AGENT, session)
    machine = kind == "subagent"
    for message, entry in messages:
        at = times.utc(message["at"], frame.zone)
        if message["type"] != "user":
            draft.add(entry, "assistant", "agent", message["text"], at=at)
            for call in message["calls"]:
                draft.add(entry, "tool", "tool", call["line"], at=at, tool=call["name"], call=call["id"])
                draft.add(entry, "tool", "tool", call["output"], at=at, tool=call["name"], call=call["id"],
                          failed=call["failed"])  # fmt: skip
        elif machine:
            draft.add(entry, "user", "agent", message["text"], at=at)
        else:
            heard = hear(message["text"])
            draft.add(entry, "user", "injected", heard.injected, at=at)
            draft.add(entry, "user", "person", heard.person, at=at)
    return Told(sessions=_finished(draft, frame, machine))


def _finished(draft: Draft, frame: Frame, machine: bool) -> tuple[RawSession, ...]:
    draft.events = unmask(draft.events)
    session = draft.finish(frame.path, machine=machine or nobody(draft.events))
    return (session,) if session.events else ()


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
DOCUMENT = Document(agent=AGENT, recognise=recognise_document, assemble=assemble_document)
