"""pi and Oh My Pi: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`.

Version 1 is a plain list without ids; from version 2 on entries form a tree (`id`, `parentId`) and the talk is the path
from the last entry to the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omp import times
from omp.sources.calls import block_text, call_line, capped
from omp.sources.formats import Draft, Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.livepath import MISJOINED, live
from omp.sources.voice import hear

AGENT = "pi"
_NO_SPEECH = frozenset({
    "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message", "label",
    "session_info", "hookMessage",
})  # fmt: skip


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell the header, which is the first line."""
    first = head[0]
    return first.get("type") == "session" and isinstance(first.get("id"), str) and "cwd" in first


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep the header, the tree and the messages."""
    kind = word(record.get("type"))
    if kind == "session":
        return {"header": word(record.get("id")), "cwd": word(record.get("cwd"))}
    kept: dict[str, Any] = {"uuid": word(record.get("id")), "parentUuid": word(record.get("parentId")),
                            "timestamp": record.get("timestamp"), "type": kind}  # fmt: skip
    if kind == "message":
        message = mapping(record.get("message"))
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else listed(content)
        texts = [word(b.get("text")) for b in map(mapping, blocks) if b.get("type") == "text"]
        calls = [(word(b.get("id")), word(b.get("name")), call_line(word(b.get("name")), b.get("arguments")))
                 for b in map(mapping, blocks) if b.get("type") == "toolCall"]  # fmt: skip
        return kept | {"role": word(message.get("role")), "text": "\n".join(texts), "calls": calls,
                       "call": word(message.get("toolCallId")), "tool": word(message.get("toolName")),
                       "failed": message.get("isError") is True, "command": word(message.get("command")),
                       "output": block_text(message.get("output"))[:6144]}  # fmt: skip
    if kind in _NO_SPEECH:
        return kept
    return kind or "(no type)"


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """The active path of the one conversation in the file."""
    header = next((record.data for record in records if "header" in record.data), {"header": "", "cwd": ""})
    path = live([record for record in records if "header" not in record.data])
    draft = Draft(AGENT, header["header"] or frame.path.stem)
    for record in path.records:
        if record.data["type"] == "message":
            _message(draft, record, header["cwd"], frame)
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, machine=nobody(draft.events))
    return Told(sessions=(told,) if told.events else (), skipped={} if path.joined else {MISJOINED: 1})


def _message(draft: Draft, record: Record, cwd: str, frame: Frame) -> None:
    data = record.data
    entry = data["uuid"] or f"L{record.line}"
    common: dict[str, Any] = {"at": times.utc(data["timestamp"], frame.zone), "cwd": cwd}
    role = data["role"]
    if role == "user":
        heard = hear(data["text"])
        draft.add(entry, "user", "injected", heard.injected, **common)
        draft.add(entry, "user", "person", heard.person, **common)
    elif role == "assistant":
        draft.add(entry, "assistant", "agent", data["text"], **common)
        for call, name, line in data["calls"]:
            draft.add(entry, "tool", "tool", line, tool=name, call=call, **common)
    elif role == "toolResult":
        draft.add(entry, "tool", "tool", capped(data["text"]), tool=data["tool"], call=data["call"],
                  failed=data["failed"], **common)  # fmt: skip
    elif role == "bashExecution":
        draft.add(entry, "tool", "tool", data["command"], tool="bash", **common)
        draft.add(entry, "tool", "tool", data["output"], tool="bash", **common)


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
