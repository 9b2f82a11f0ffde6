"""Cursor's agent transcripts: `~/.cursor/projects/<folder>/agent-transcripts/<id>.jsonl`.

Lines have a role and a message; no times, ids or directories. What a person typed stands inside `<user_query>`; in a
file that never uses it, plain messages are taken instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omp.sources.calls import block_text, call_line, capped
from omp.sources.formats import Draft, Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import INJECTED_LIMIT, element, hear

AGENT = "cursor"
_MARK = "<user_query>"


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell lines that are nothing but a role and a message."""
    return all(r.get("role") in ("user", "assistant") and isinstance(r.get("message"), dict)
               and not {"type", "uuid", "text"} & r.keys() for r in head)  # fmt: skip


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep text and calls; thoughts are dropped."""
    if record.get("role") not in ("user", "assistant"):
        return word(record.get("role")) or "(no role)"
    content = mapping(record.get("message")).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else listed(content)
    parts = [mapping(block) for block in blocks]
    calls = [(word(p.get("name")), call_line(word(p.get("name")), p.get("input"))) for p in parts
             if p.get("type") == "tool_use"]  # fmt: skip
    results = [capped(block_text(p.get("content"))) for p in parts if p.get("type") == "tool_result"]
    texts = [word(p.get("text")) for p in parts if p.get("type") == "text"]
    return {"role": record["role"], "text": "\n".join(texts), "calls": calls, "results": results}


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """The one conversation of the file; one below `subagents/` is a machine's."""
    draft = Draft(AGENT, frame.path.stem)
    helper = frame.path.parent.name == "subagents"
    marked = any(_MARK in record.data["text"] for record in records)
    for record in records:
        data, entry = record.data, f"L{record.line}"
        if data["role"] == "assistant":
            draft.add(entry, "assistant", "agent", data["text"])
        elif helper:
            draft.add(entry, "user", "agent", data["text"])
        else:
            typed = hear(element(data["text"], "user_query") if marked else data["text"]).person
            around = "" if typed == data["text"] else data["text"][:INJECTED_LIMIT]
            draft.add(entry, "user", "injected", around)
            draft.add(entry, "user", "person", typed)
        for name, line in data["calls"]:
            draft.add(entry, "tool", "tool", line, tool=name)
        for result in data["results"]:
            draft.add(entry, "tool", "tool", result, tool="result")
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, machine=helper or nobody(draft.events))
    return Told(sessions=(told,) if told.events else ())


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
