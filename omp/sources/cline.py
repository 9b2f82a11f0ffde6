"""Cline and Roo Code: `ui_messages.json` of a task, a JSON array rewritten at every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omp import times
from omp.sources.calls import call_line, capped
from omp.sources.formats import Document, Draft, Frame, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.lines import parse
from omp.sources.voice import hear

AGENT = "cline"
_SPEECH = frozenset({"task", "user_feedback", "user_feedback_diff"})
_ANSWERS = frozenset({"text", "completion_result", "plan_mode_respond", "followup"})
_CALLS = frozenset({"tool", "command", "use_mcp_server", "browser_action_launch"})
_RESULTS = frozenset({"command_output", "mcp_server_response", "browser_action_result"})
_FAILURES = frozenset({"error", "diff_error"})


def recognise(value: Any) -> bool:
    """Tell an array of timed `say` and `ask` messages."""
    rows = [mapping(row) for row in listed(value)[:20]]
    return bool(rows) and all(
        word(r.get("type")) in ("say", "ask") and "ts" in r and ("say" in r or "ask" in r) for r in rows
    )


def assemble(value: list[Any], frame: Frame) -> Told:
    """The one task of the file. The first message is the task itself; later text is the agent's."""
    draft = Draft(AGENT, _task(frame.path))
    for number, row in enumerate(map(mapping, value), 1):
        kind = word(row.get("say")) or word(row.get("ask"))
        text = word(row.get("text"))
        if row.get("partial") or not text.strip():
            continue
        common: dict[str, Any] = {"at": times.utc(row.get("ts"), frame.zone)}
        entry = f"L{number}"
        if kind in _SPEECH or (number == 1 and row.get("say") == "text"):
            heard = hear(text)
            draft.add(entry, "user", "injected", heard.injected, **common)
            draft.add(entry, "user", "person", heard.person, **common)
        elif kind in _ANSWERS:
            draft.add(entry, "assistant", "agent", _answer(text), **common)
        elif kind in _CALLS:
            tool, line = _call(kind, text)
            draft.add(entry, "tool", "tool", line, tool=tool, **common)
        elif kind in _RESULTS or kind in _FAILURES:
            draft.add(entry, "tool", "tool", capped(text), tool=kind, failed=kind in _FAILURES, **common)
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, machine=nobody(draft.events))
    return Told(sessions=(told,) if told.events else ())


def _task(path: Path) -> str:
    """The task is named by its folder, the time it began in milliseconds."""
    return path.parent.name if path.parent.name.isdigit() else path.stem


def _answer(text: str) -> str:
    """Give the words of an answer or question, which stand in JSON where it offers choices."""
    value = mapping(parse(text.encode("utf-8", "replace"))) if text.startswith("{") else {}
    said = word(value.get("response")) or word(value.get("question"))
    options = ", ".join(option for option in listed(value.get("options")) if isinstance(option, str))
    return "\n".join(part for part in (said, options) if part) or text


def _call(kind: str, text: str) -> tuple[str, str]:
    value = mapping(parse(text.encode("utf-8", "replace"))) if text.startswith("{") else {}
    name = word(value.get("tool")) or word(value.get("toolName")) or kind
    return name, call_line(name, {key: value[key] for key in value if key != "content"} or text)


SOURCE = Document(agent=AGENT, recognise=recognise, assemble=assemble)
