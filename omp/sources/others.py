"""Formats of other agents that are known by sight: named, so that nobody wonders, and not read yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from omp.sources.formats import Named, listed, mapping, word

_PROMPTS_ONLY = "a list of prompts or titles, not a conversation: the session's own file is read"


def _first(head: Sequence[Any]) -> dict[str, Any]:
    return mapping(head[0]) if head else {}


def _all(head: Sequence[Any], check: Callable[[dict[str, Any]], bool]) -> bool:
    return bool(head) and all(isinstance(record, dict) and check(record) for record in head)


def _vscode_chat(head: Sequence[Any]) -> bool:
    first = _first(head)
    return ("requests" in first and "responderUsername" in first) or (
        "kind" in first and "requests" in mapping(first.get("v"))
    )


def _goose(head: Sequence[Any]) -> bool:
    return "working_dir" in _first(head) and "message_count" in _first(head)


def _amp(head: Sequence[Any]) -> bool:
    first = _first(head)
    return word(first.get("id")).startswith("T-") and isinstance(first.get("messages"), list)


def _kimi(head: Sequence[Any]) -> bool:
    return any(word(mapping(r).get("type")) in ("turn.prompt", "context.append_message", "config.update") for r in head)


def _droid(head: Sequence[Any]) -> bool:
    return _first(head).get("type") == "session_start" and "id" in _first(head)


def _claude_plugin(head: Sequence[Any]) -> bool:
    types = ("user", "assistant", "tool_use", "tool_result")
    return _all(head, lambda r: word(r.get("type")) in types and "uuid" not in r and "timestamp" in r)


def _claude_history(head: Sequence[Any]) -> bool:
    return _all(head, lambda r: "display" in r and "pastedContents" in r)


def _codex_history(head: Sequence[Any]) -> bool:
    return _all(head, lambda r: {"session_id", "ts", "text"} == r.keys() or {"id", "thread_name"} <= r.keys())


def _gemini_history(head: Sequence[Any]) -> bool:
    return _all(head, lambda r: {"sessionId", "messageId", "message"} <= r.keys())


def _cline_api(head: Sequence[Any]) -> bool:
    plain = _all(head, lambda r: r.keys() <= {"role", "content", "ts"} and "role" in r)
    return plain and "<environment_details>" in str(head[0])


def _memories(head: Sequence[Any]) -> bool:
    first = _first(head)
    rows = listed(first.get("results")) or [first]
    return all("memory" in mapping(row) and ("user_id" in mapping(row) or "hash" in mapping(row)) for row in rows)


OTHERS: tuple[Named, ...] = (
    Named(agent="vscode-copilot", recognise=_vscode_chat),
    Named(agent="claude-code", recognise=_claude_history, why=_PROMPTS_ONLY),
    Named(agent="codex", recognise=_codex_history, why=_PROMPTS_ONLY),
    Named(agent="gemini-cli", recognise=_gemini_history, why=_PROMPTS_ONLY),
    Named(agent="cline", recognise=_cline_api, why="the model's side of a task: ui_messages.json beside it is read"),
    Named(agent="goose", recognise=_goose),
    Named(agent="amp", recognise=_amp),
    Named(agent="kimi-cli", recognise=_kimi),
    Named(agent="factory-droid", recognise=_droid),
    Named(
        agent="claude-code-plugin", recognise=_claude_plugin,
        why="a plugin's transcript without ids or working directories, not Claude Code's own log",
    ),
    Named(agent="mem0", recognise=_memories, why='memories of another tool, not a conversation: use "omp import"'),
)  # fmt: skip
