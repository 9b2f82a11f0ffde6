"""Logs with Claude Code's envelope around other contents: Qwen Code (Gemini's parts) and iFlow (fewer fields).

Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`; iFlow: `~/.iflow/projects/<folder>/session-*.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from omp import times
from omp.sources.calls import block_text, call_line, capped
from omp.sources.formats import Draft, Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.livepath import MISJOINED, LivePath, live
from omp.sources.voice import INJECTED_LIMIT, hear

QWEN, IFLOW = "qwen-code", "iflow"
_TYPES = frozenset({"user", "assistant", "tool_result", "system"})
_TYPED = frozenset({"", "mid_turn_user_message"})
"""Subtypes of user records that a person typed; `notification` and whatever comes is not."""
_IFLOW_SESSION = re.compile(r"session-[0-9a-f]{8}-[0-9a-f-]{27}")
_KEPT = ("type", "subtype", "uuid", "parentUuid", "sessionId", "timestamp", "cwd", "gitBranch", "isSidechain", "isMeta")


def recognise_qwen(head: Sequence[dict[str, Any]]) -> bool:
    """Tell the envelope by its tree, and Gemini's parts or a system payload inside."""
    return any(
        isinstance(r.get("uuid"), str) and ("parts" in mapping(r.get("message")) or "systemPayload" in r) for r in head
    )


def recognise_iflow(head: Sequence[dict[str, Any]]) -> bool:
    """Tell the envelope by its tree and the way sessions are named."""
    return any(isinstance(r.get("uuid"), str) and is_iflow(r) for r in head)


def is_iflow(record: dict[str, Any]) -> bool:
    """Tell a record of iFlow: its session is `session-<uuid>`, and it has none of Claude Code's later fields."""
    named = _IFLOW_SESSION.fullmatch(word(record.get("sessionId")))
    return named is not None and not {"entrypoint", "requestId", "promptId"} & record.keys()


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep envelope, text, calls and results; thoughts and payloads are dropped."""
    kind = word(record.get("type"))
    if kind not in _TYPES:
        return kind or "(no type)"
    kept = {key: record[key] for key in _KEPT if record.get(key)}
    message = mapping(record.get("message"))
    content = message.get("parts", message.get("content"))
    parts = [content] if isinstance(content, str) else listed(content)
    kept["parts"] = [part for part in map(_part, parts) if part]
    # the tree walk looks for blocks under `message`
    kept["message"] = {
        "id": "",
        "content": [part for part in kept["parts"] if "tool_use_id" in part or "input" in part],
    }
    return kept


def _part(part: object) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    one = mapping(part)
    call, response = one.get("functionCall"), one.get("functionResponse")
    if isinstance(call, dict) or one.get("type") == "tool_use":
        call = mapping(call) or one
        name = word(call.get("name"))
        return {"type": "tool_use", "id": word(call.get("id")), "name": name,
                "input": call_line(name, call.get("args", call.get("input")))}  # fmt: skip
    if isinstance(response, dict):
        answer = mapping(response.get("response"))
        return {"type": "tool_result", "tool_use_id": word(response.get("id")), "text": capped(block_text(answer)),
                "failed": "error" in answer}  # fmt: skip
    if one.get("type") == "tool_result":
        return {"type": "tool_result", "tool_use_id": word(one.get("tool_use_id")), "text": capped(_nested(one)),
                "failed": one.get("is_error") is True}  # fmt: skip
    if one.get("thought") or word(one.get("type")) in ("thinking", "redacted_thinking"):
        return {}
    return {"text": one["text"]} if isinstance(one.get("text"), str) else {}


def _nested(block: dict[str, Any]) -> str:
    """Give the text of a result, which iFlow wraps in the response of a function."""
    content = block.get("content")
    parts = mapping(mapping(content).get("responseParts"))
    answer = mapping(parts.get("functionResponse")).get("response")
    return block_text(answer if answer is not None else content)


def _assemble(agent: str, records: Sequence[Record], frame: Frame) -> Told:
    main = [record for record in records if not record.data.get("isSidechain")]
    # iFlow's parent links join neighbours at random: its order is the file's
    path = live(main) if agent == QWEN else LivePath(records=tuple(main))
    session = next((word(r.data.get("sessionId")) for r in reversed(main) if r.data.get("sessionId")), frame.path.stem)
    draft = Draft(agent, session)
    tools: dict[str, str] = {}
    for record in path.records:
        _record(draft, record, tools, frame)
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, machine=nobody(draft.events))
    return Told(sessions=(told,) if told.events else (), skipped={} if path.joined else {MISJOINED: 1})


def _record(draft: Draft, record: Record, tools: dict[str, str], frame: Frame) -> None:
    data = record.data
    entry = word(data.get("uuid")) or f"L{record.line}"
    common: dict[str, Any] = {"at": times.utc(data.get("timestamp"), frame.zone), "cwd": word(data.get("cwd")),
                              "branch": word(data.get("gitBranch"))}  # fmt: skip
    for part in data["parts"]:
        if part.get("type") == "tool_use":
            tools[part["id"]] = part["name"]
            draft.add(entry, "tool", "tool", part["input"], tool=part["name"], call=part["id"], **common)
        elif part.get("type") == "tool_result":
            call = part["tool_use_id"]
            draft.add(entry, "tool", "tool", part["text"], tool=tools.get(call, ""), call=call, failed=part["failed"],
                      **common)  # fmt: skip
    text = "\n".join(part["text"] for part in data["parts"] if "type" not in part)
    if data["type"] == "assistant":
        draft.add(entry, "assistant", "agent", text, **common)
    elif data["type"] == "user":
        typed = not data.get("isMeta") and word(data.get("subtype")) in _TYPED
        heard = hear(text)
        draft.add(entry, "user", "injected", heard.injected if typed else text[:INJECTED_LIMIT], **common)
        draft.add(entry, "user", "person", heard.person if typed else "", **common)


def _qwen(records: Sequence[Record], frame: Frame) -> Told:
    return _assemble(QWEN, records, frame)


def _iflow(records: Sequence[Record], frame: Frame) -> Told:
    return _assemble(IFLOW, records, frame)


SOURCES = (
    Lines(agent=QWEN, recognise=recognise_qwen, slim=slim, assemble=_qwen),
    Lines(agent=IFLOW, recognise=recognise_iflow, slim=slim, assemble=_iflow),
)
