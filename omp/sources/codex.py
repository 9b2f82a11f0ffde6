"""OpenAI Codex: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`, with the envelope and before it.

The same thing stands there twice, as an event for the screen and as an item for the model. A person's words are taken
from the accepted prompts (`event_msg/user_message`), an agent's from the items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from omp.sources.calls import block_text, capped
from omp.sources.codex_turns import Rollout
from omp.sources.formats import Document, Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.lines import parse

AGENT = "codex"

_ITEMS = frozenset({
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "local_shell_call_output", "web_search_call", "tool_search_call", "tool_search_output",
    "image_generation_call", "ghost_snapshot", "agent_message", "compaction", "compaction_summary",
    "context_compaction", "mcp_tool_call", "mcp_tool_call_output", "additional_tools", "other",
})  # fmt: skip
_CALLS = frozenset({
    "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "mcp_tool_call",
})  # fmt: skip
_OUTPUTS = frozenset({
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output",
})  # fmt: skip
_SHOWN = re.compile(
    r"token_count|agent_(?:reasoning|message)\w*|\w+_(?:begin|end|delta|update|activity|assessment|updated|applied"
    r"|settings_applied|started|completed|complete|request|response|call|summary|finished|failed|diff)"
    r"|error|warning|stream_error|background_event|plan_update|turn_diff|(?:entered|exited)_review_mode"
    r"|context_compacted|thread_rolled_back|turn_aborted|user_message|shutdown\w*|(?:task|turn|session)[._]\w+"
)
"""Screen events that are known; what they show stands in the items too."""
_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_ENDS = re.compile(
    r"(?:task|turn|session|thread)[._](?:completed?|aborted|end(?:ed)?|finished|closed|done|failed|stopped|cancelled)"
)
_NO_END = frozenset({"token_count", "thread_name_updated", "thread_settings_applied"})
"""Events that may follow an end and say nothing about it."""


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell a rollout by an envelope whose payload is a mapping, or by the bare header of 2025."""
    if any(word(record.get("type")) in _TYPES and isinstance(record.get("payload"), dict) for record in head):
        return True
    first = head[0]
    bare = isinstance(first.get("id"), str) and "timestamp" in first and ("instructions" in first or "git" in first)
    return bare and "type" not in first and "role" not in first


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Bring both generations to one small form: `kind`, `at` and what was said."""
    kind, payload = word(record.get("type")), record.get("payload")
    if isinstance(payload, dict):
        at = record.get("timestamp")
        if kind == "session_meta":
            return {"kind": "header", "at": at, **_header(payload)}
        if kind == "turn_context":
            return {"kind": "context", "at": at, "cwd": word(payload.get("cwd")), "turn": word(payload.get("turn_id"))}
        if kind == "response_item":
            return _ordered(record, _item(payload, at))
        if kind == "event_msg":
            return _ordered(record, _event(payload, at))
        return None if kind == "compacted" else _name(kind)
    if "record_type" in record:
        return None
    if kind in _ITEMS:
        return _item(record, record.get("timestamp"))
    if not kind and isinstance(record.get("id"), str) and "timestamp" in record:
        return {"kind": "header", "at": record["timestamp"], **_header(record)}
    return _name(kind)


def _name(kind: str) -> str:
    return kind or "(no type)"


def _ordered(record: dict[str, Any], slimmed: dict[str, Any] | str | None) -> dict[str, Any] | str | None:
    if isinstance(slimmed, dict) and isinstance(record.get("ordinal"), int):
        slimmed["ordinal"] = record["ordinal"]
    return slimmed


def _header(payload: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "session_id", "forked_from_id", "parent_thread_id", "timestamp", "cwd", "originator", "source",
            "thread_source", "subagent_history_start_ordinal")  # fmt: skip
    return {key: payload[key] for key in kept if payload.get(key)} | {
        "branch": word(mapping(payload.get("git")).get("branch"))
    }


def _item(payload: dict[str, Any], at: object) -> dict[str, Any] | str | None:
    kind = word(payload.get("type"))
    if kind not in _ITEMS:
        return f"response_item/{_name(kind)}"
    kept: dict[str, Any] = {"kind": "item", "at": at, "id": word(payload.get("id"))}
    if kind == "message":
        if payload.get("role") not in ("user", "assistant"):
            return None
        texts = [block_text(part) for part in listed(payload.get("content"))] or [word(payload.get("content"))]
        return kept | {"kind": "said", "role": payload["role"], "texts": [text for text in texts if text.strip()]}
    if kind in _CALLS:
        action = mapping(payload.get("action"))
        arguments = payload.get("arguments", payload.get("input", action or None))
        name = word(payload.get("name")) or ("shell" if kind == "local_shell_call" else kind.removesuffix("_call"))
        return kept | {"kind": "call", "tool": name, "call": word(payload.get("call_id")),
                       "arguments": arguments[:4000] if isinstance(arguments, str) else arguments}  # fmt: skip
    if kind in _OUTPUTS:
        return kept | {"kind": "output", "call": word(payload.get("call_id")), **_output(payload.get("output"))}
    return None


def _output(output: object) -> dict[str, Any]:
    """Give text and success of a call's output, which is text, JSON in text, a mapping or a list of parts."""
    bad = False
    if isinstance(output, str) and output.startswith('{"'):
        value = parse(output.encode("utf-8", "replace"))
        output = value if isinstance(value, dict) and "output" in value else output
    if isinstance(output, dict):
        code = mapping(output.get("metadata")).get("exit_code")
        bad = output.get("success") is False or (isinstance(code, int) and code != 0)
    return {"text": capped(block_text(output)), "failed": bad}


def _event(payload: dict[str, Any], at: object) -> dict[str, Any] | str | None:
    kind = word(payload.get("type"))
    if kind == "user_message":
        if payload.get("kind") not in (None, "plain"):
            return None
        return {"kind": "prompt", "at": at, "text": word(payload.get("message"))}
    if kind == "item_completed" and mapping(payload.get("item")).get("type") == "UserMessage":
        item = payload["item"]
        return {"kind": "accepted", "at": at, "id": word(item.get("id")), "text": block_text(item.get("content"))}
    if kind == "agent_message":
        return {"kind": "shown", "at": at, "text": word(payload.get("message"))}
    if kind == "thread_rolled_back":
        return {"kind": "rollback", "at": at, "turns": payload.get("num_turns")}
    if _ENDS.fullmatch(kind):
        return {"kind": "end", "at": at, "turn": word(payload.get("turn_id"))}
    if kind == "task_started":
        return {"kind": "started", "at": at, "turn": word(payload.get("turn_id"))}
    if kind in _NO_END or _SHOWN.fullmatch(kind):
        return None
    return f"event_msg/{_name(kind)}"


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """One conversation: the file's own, without what it copied from a parent and what was rolled back."""
    session = Rollout(AGENT, records, frame).read()
    return Told(sessions=(session,) if session.events else ())


def recognise_document(value: Any) -> bool:
    """Tell the single JSON document of the very first releases."""
    return isinstance(value, dict) and isinstance(value.get("session"), dict) and isinstance(value.get("items"), list)


def assemble_document(value: dict[str, Any], frame: Frame) -> Told:
    """Read the single document as the lines it later became."""
    rows = [value["session"], *value["items"]]
    slimmed = [(number, slim(row)) for number, row in enumerate(rows, 1) if isinstance(row, dict)]
    return assemble([Record(line=number, data=data) for number, data in slimmed if isinstance(data, dict)], frame)


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
DOCUMENT = Document(agent=AGENT, recognise=recognise_document, assemble=assemble_document)
