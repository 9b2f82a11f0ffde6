"""Exports of web chats, imported once: ChatGPT's and Claude.ai's `conversations.json`. They belong to no repository."""

from __future__ import annotations

from typing import Any

from omp import times
from omp.sources.calls import capped
from omp.sources.formats import Document, Draft, Frame, Told, listed, mapping, word
from omp.sources.voice import hear

CHATGPT, CLAUDE = "chatgpt-export", "claude-ai-export"


def recognise_chatgpt(value: Any) -> bool:
    """Tell an array of conversations that are trees under `mapping`."""
    rows = listed(value)
    return bool(rows) and all(isinstance(mapping(row).get("mapping"), dict) for row in rows)


def recognise_claude(value: Any) -> bool:
    """Tell an array of conversations with `chat_messages`."""
    rows = listed(value)
    return bool(rows) and all(isinstance(mapping(row).get("chat_messages"), list) for row in rows)


def assemble_chatgpt(value: list[dict[str, Any]], frame: Frame) -> Told:
    """Each conversation is the path from `current_node` up to the root."""
    sessions = []
    for number, row in enumerate(value, 1):
        draft = Draft(CHATGPT, word(row.get("conversation_id")) or word(row.get("id")) or f"{frame.path.stem}-{number}")
        for node in _path(row):
            _chatgpt_message(draft, mapping(row["mapping"][node].get("message")), node, frame)
        if draft.events:
            sessions.append(draft.finish(frame.path, closed=True))
    return Told(sessions=tuple(sessions))


def _path(row: dict[str, Any]) -> list[str]:
    """Give the node ids from the root to the current one; without a current one, all in their order."""
    nodes = row["mapping"]
    path: list[str] = []
    node = word(row.get("current_node"))
    while node in nodes and isinstance(nodes[node], dict) and node not in path:
        path.append(node)
        node = word(nodes[node].get("parent"))
    return path[::-1] or [name for name, one in nodes.items() if isinstance(one, dict)]


def _chatgpt_message(draft: Draft, message: dict[str, Any], node: str, frame: Frame) -> None:
    content, about = mapping(message.get("content")), mapping(message.get("metadata"))
    role = word(mapping(message.get("author")).get("role"))
    kind = content.get("content_type")
    if about.get("is_visually_hidden_from_conversation") or kind not in ("text", "multimodal_text"):
        return
    parts = (
        part if isinstance(part, str) else word(mapping(part).get("text")) for part in listed(content.get("parts"))
    )
    text = "\n".join(part for part in parts if part)
    common: dict[str, Any] = {"at": times.utc(message.get("create_time"), frame.zone)}
    entry = word(message.get("id")) or node
    if role == "user":
        heard = hear(text)
        draft.add(entry, "user", "injected", heard.injected, **common)
        draft.add(entry, "user", "person", heard.person, **common)
    elif role == "assistant" and message.get("recipient") in (None, "all"):
        draft.add(entry, "assistant", "agent", text, **common)
    elif role == "tool":
        draft.add(entry, "tool", "tool", capped(text), tool="tool", **common)


def assemble_claude(value: list[dict[str, Any]], frame: Frame) -> Told:
    """Each conversation in its order; attached documents are not speech."""
    sessions = []
    for number, row in enumerate(value, 1):
        draft = Draft(CLAUDE, word(row.get("uuid")) or f"{frame.path.stem}-{number}")
        for place, message in enumerate(map(mapping, row["chat_messages"]), 1):
            blocks = [mapping(block) for block in listed(message.get("content"))]
            texts = [word(block.get("text")) for block in blocks if block.get("type") == "text"]
            text = "\n".join(part for part in texts if part) or ("" if blocks else word(message.get("text")))
            common: dict[str, Any] = {"at": times.utc(message.get("created_at"), frame.zone)}
            entry = word(message.get("uuid")) or f"L{place}"
            if message.get("sender") == "human":
                heard = hear(text)
                draft.add(entry, "user", "injected", heard.injected, **common)
                draft.add(entry, "user", "person", heard.person, **common)
            else:
                draft.add(entry, "assistant", "agent", text, **common)
        if draft.events:
            sessions.append(draft.finish(frame.path, closed=True))
    return Told(sessions=tuple(sessions))


SOURCES = (
    Document(agent=CHATGPT, recognise=recognise_chatgpt, assemble=assemble_chatgpt),
    Document(agent=CLAUDE, recognise=recognise_claude, assemble=assemble_claude),
)
