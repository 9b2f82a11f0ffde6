"""Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its sub-agents.

Nothing is promised about this format. Records form a tree; the conversation is its live path. One answer stands on
several lines; the user's role carries tool results, reminders and commands beside what a person typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omp.sources.calls import block_text, capped
from omp.sources.claude_like import is_iflow
from omp.sources.claude_turns import Turns
from omp.sources.formats import Frame, Lines, Record, Told, listed, mapping, word
from omp.sources.livepath import MISJOINED, live

AGENT = "claude-code"

_SPOKEN = frozenset({"user", "assistant"})
_CHAINED = frozenset({"system", "attachment", "progress"})
_HOUSEKEEPING = frozenset({
    "summary", "ai-title", "custom-title", "agent-name", "agent-color", "agent-setting", "last-prompt", "mode",
    "permission-mode", "pr-link", "frame-link", "worktree-state", "relocated", "bridge-session", "tag",
    "file-history-snapshot", "file-history-delta", "queue-operation", "started", "result",
})  # fmt: skip
"""Types without a place in the tree that hold nothing said (log-formats.md, section 1)."""
_OWN_ONLY = _HOUSEKEEPING - {"summary", "tag", "mode", "result", "started"}
"""Housekeeping types whose name alone tells Claude Code."""
_KEPT = (
    "type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "cwd", "gitBranch",
    "isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "agentId", "promptId", "promptSource",
    "origin", "entrypoint", "isApiErrorMessage", "supersedesUuids", "retractedMessageUuids", "toolDenialKind",
    "sourceToolAssistantUUID",
)  # fmt: skip


def recognise(head: Sequence[dict[str, Any]]) -> bool:
    """Tell Claude Code's records by their tree and envelope, or by housekeeping types of its own."""
    spoken = [r for r in head if word(r.get("type")) in _SPOKEN | _CHAINED and isinstance(r.get("uuid"), str)]
    if spoken:
        return any(
            isinstance(mapping(r.get("message")).get("content"), (str, list)) or r["type"] in _CHAINED for r in spoken
        ) and not any(_foreign(r) for r in spoken)
    return any(
        (word(r.get("type")) in _OWN_ONLY and ("sessionId" in r or "messageId" in r))
        or (r.get("type") == "summary" and "leafUuid" in r)
        or (word(r.get("type")) in ("started", "result") and "agentId" in r and "key" in r)
        for r in head
    )


def _foreign(record: dict[str, Any]) -> bool:
    """Tell the look-alikes: Qwen Code has `parts`, iFlow names its sessions in its own way."""
    return "parts" in mapping(record.get("message")) or "systemPayload" in record or is_iflow(record)


def slim(record: dict[str, Any]) -> dict[str, Any] | str | None:
    """Keep the envelope and what was said; payloads, reasoning and rich results are dropped."""
    kind = word(record.get("type"))
    if kind in _HOUSEKEEPING:
        return None
    if kind not in _SPOKEN and kind not in _CHAINED:
        return kind or "(no type)"
    kept = {key: record[key] for key in _KEPT if record.get(key)}
    if kind in _SPOKEN:
        message = mapping(record.get("message"))
        content = message.get("content")
        kept["message"] = {"id": word(message.get("id")), "content": _slim_content(content)}
        result = record.get("toolUseResult")
        if isinstance(result, str):
            kept["toolUseResult"] = result[:120]
        elif isinstance(result, dict) and isinstance(result.get("answers"), dict):
            kept["toolUseResult"] = {"answers": result["answers"], "annotations": result.get("annotations")}
    elif kind == "attachment":
        attachment = mapping(record.get("attachment"))
        if attachment.get("type") == "queued_command":
            kept["attachment"] = {key: attachment.get(key) for key in ("type", "prompt", "commandMode", "origin")}
            kept["attachment"]["prompt"] = block_text(attachment.get("prompt"))
    return kept


def _slim_content(content: object) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    blocks: list[dict[str, Any]] = []
    for block in listed(content):
        if isinstance(block, str):
            blocks.append({"type": "text", "text": block})
        elif not isinstance(block, dict):
            continue
        elif block.get("type") == "text":
            blocks.append({"type": "text", "text": word(block.get("text"))})
        elif block.get("type") == "tool_use":
            blocks.append({key: block.get(key) for key in ("type", "id", "name", "input")})
            blocks[-1]["input"] = _slim_input(block.get("input"))
        elif block.get("type") == "tool_result":
            text = capped(block_text(block.get("content")))
            blocks.append({"type": "tool_result", "tool_use_id": word(block.get("tool_use_id")), "text": text,
                           "is_error": block.get("is_error") is True})  # fmt: skip
    return blocks


def _slim_input(value: object) -> dict[str, Any]:
    return {key: item[:2000] if isinstance(item, str) else item for key, item in mapping(value).items()
            if isinstance(item, (str, int, list))}  # fmt: skip


def assemble(records: Sequence[Record], frame: Frame) -> Told:
    """The live path as one conversation, and each side chain as one that nobody's voice is in."""
    places: dict[str, int] = {}
    main: list[Record] = []
    sides: dict[str, list[Record]] = {}
    session = frame.path.stem
    gone: set[str] = set()
    for record in records:
        data = record.data
        gone.update(
            word(uuid) for key in ("supersedesUuids", "retractedMessageUuids") for uuid in listed(data.get(key))
        )
        uuid = word(data.get("uuid"))
        if uuid and uuid in places:
            place = places[uuid]
            if 0 <= place < len(main) and not mapping(main[place].data.get("message")).get("content"):
                main[place] = record
            continue
        if data.get("isSidechain"):
            places[uuid] = -1
            sides.setdefault(word(data.get("agentId")) or "side", []).append(record)
        else:
            places[uuid] = len(main)
            main.append(record)
            session = word(data.get("sessionId")) or session
    path = live(main)
    sessions = []
    if path.records:
        sessions.append(Turns(AGENT, session, frame, gone).read(path.records))
    for name, side in sides.items():
        parent = word(side[-1].data.get("sessionId")) or session
        sessions.append(Turns(AGENT, f"{parent}/{name}", frame, gone, machine=True).read(side))
    return Told(sessions=tuple(s for s in sessions if s.events), skipped={} if path.joined else {MISJOINED: 1})


SOURCE = Lines(agent=AGENT, recognise=recognise, slim=slim, assemble=assemble)
