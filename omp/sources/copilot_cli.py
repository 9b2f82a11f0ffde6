"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, older `session-state/<id>.jsonl`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omp import times
from omp.sources.calls import block_text, call_line, capped
from omp.sources.formats import Draft, Frame, Lines, Record, Told, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import INJECTED_LIMIT, hear

AGENT = "copilot-cli"
_FAMILIES = frozenset({
    "session", "user", "assistant", "tool", "hook", "subagent", "skill", "system", "permission", "external_tool",
    "model", "mcp", "pending_messages", "user_input", "exit_plan_mode", "command",
})  # fmt: skip
"""First words of the types that are known and hold nothing said, beside those that are read."""
_TYPED_SOURCES = frozenset({"", "user", "cli", "prompt"})


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell events by their dotted types and a `data` mapping, all in Copilot's families."""
    dotted = [r for r in head if "." in word(r.get("type")) and isinstance(r.get("data"), dict)]
    known = [r for r in dotted if r["type"].split(".")[0] in _FAMILIES]
    return bool(known) and 2 * len(known) > len(head) and not any("payload" in r for r in head)


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep session starts, prompts, answers and tool runs."""
    kind, data = word(record.get("type")), mapping(record.get("data"))
    kept: dict[str, Any] = {"type": kind, "id": word(record.get("id")), "at": record.get("timestamp")}
    if kind in ("session.start", "session.resume"):
        return kept | {"session": word(data.get("sessionId")), "context": mapping(data.get("context"))}
    if kind == "user.message":
        return kept | {"text": word(data.get("content")), "source": word(data.get("source"))}
    if kind == "assistant.message":
        return kept | {"text": word(data.get("content")), "inner": bool(data.get("parentToolCallId"))}
    call = word(data.get("toolCallId"))
    if kind == "tool.execution_start":
        name = word(data.get("toolName"))
        return kept | {"tool": name, "call": call, "text": call_line(name, data.get("arguments"))}
    if kind == "tool.execution_complete":
        result = block_text(data.get("result")) or word(mapping(data.get("error")).get("message"))
        return kept | {"call": call, "text": capped(result), "failed": data.get("success") is False}
    if kind == "session.shutdown":
        return kept
    return None if kind.split(".")[0] in _FAMILIES or kind == "abort" else kind or "(no type)"


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """The one conversation of the file."""
    name = next((r.data["session"] for r in records if r.data.get("session")), "")
    draft = Draft(AGENT, name or (frame.path.parent.name if frame.path.name == "events.jsonl" else frame.path.stem))
    place: dict[str, Any] = {}
    tools: dict[str, str] = {}
    closed = False
    for record in records:
        data = record.data
        closed = data["type"] == "session.shutdown"
        if "context" in data:
            place = {"cwd": word(data["context"].get("cwd")), "branch": word(data["context"].get("branch"))}
        else:
            _event(draft, record, place | {"at": times.utc(data["at"], frame.zone)}, tools)
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, closed=closed, machine=nobody(draft.events))
    return Told(sessions=(told,) if told.events else ())


def _event(draft: Draft, record: Record, common: dict[str, Any], tools: dict[str, str]) -> None:
    data = record.data
    entry, kind = data["id"] or f"L{record.line}", data["type"]
    if kind == "user.message":
        typed = data["source"].lower() in _TYPED_SOURCES
        heard = hear(data["text"])
        draft.add(entry, "user", "injected", heard.injected if typed else data["text"][:INJECTED_LIMIT], **common)
        draft.add(entry, "user", "person", heard.person if typed else "", **common)
    elif kind == "assistant.message" and not data["inner"]:
        draft.add(entry, "assistant", "agent", data["text"], **common)
    elif kind == "tool.execution_start":
        tools[data["call"]] = data["tool"]
        draft.add(entry, "tool", "tool", data["text"], tool=data["tool"], call=data["call"], **common)
    elif kind == "tool.execution_complete":
        draft.add(entry, "tool", "tool", data["text"], tool=tools.get(data["call"], ""), call=data["call"],
                  failed=data["failed"], **common)  # fmt: skip


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
