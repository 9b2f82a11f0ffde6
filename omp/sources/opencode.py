"""OpenCode: the document that `opencode export <session>` writes, `{info, messages: [{info, parts}]}`."""

from __future__ import annotations

from typing import Any

from omp import times
from omp.sources.calls import call_line, capped
from omp.sources.formats import Document, Draft, Frame, Told, listed, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import INJECTED_LIMIT, hear

AGENT = "opencode"


def recognise(value: Any) -> bool:
    """Tell the export by its session and the parts of its messages."""
    messages = mapping(value).get("messages")
    known = isinstance(messages, list) and all("parts" in mapping(message) for message in messages)
    return known and "id" in mapping(mapping(value).get("info"))


def assemble(value: dict[str, Any], frame: Frame) -> Told:
    """One conversation; text that OpenCode put there (`synthetic`) is nobody's."""
    info = value["info"]
    draft = Draft(AGENT, word(info.get("id")) or frame.path.stem)
    helper = bool(info.get("parentID"))
    cwd = word(info.get("directory"))
    reverted = word(mapping(info.get("revert")).get("messageID"))
    for number, message in enumerate(map(mapping, value["messages"]), 1):
        about = mapping(message.get("info"))
        if reverted and about.get("id") == reverted:
            break
        cwd = word(mapping(about.get("path")).get("cwd")) or cwd
        common = {"at": times.utc(mapping(about.get("time")).get("created"), frame.zone), "cwd": cwd}
        for part in map(mapping, listed(message.get("parts"))):
            _part(draft, part, about, word(about.get("id")) or f"L{number}", common, helper)
    draft.events = unmask(draft.events)
    told = draft.finish(frame.path, machine=helper or nobody(draft.events))
    return Told(sessions=(told,) if told.events else ())


def _part(
    draft: Draft, part: dict[str, Any], about: dict[str, Any], entry: str, common: dict[str, Any], helper: bool
) -> None:
    kind, text = part.get("type"), word(part.get("text"))
    if kind == "tool":
        name, call, state = word(part.get("tool")), word(part.get("callID")), mapping(part.get("state"))
        draft.add(entry, "tool", "tool", call_line(name, state.get("input")), tool=name, call=call, **common)
        output = word(state.get("output")) or word(state.get("error"))
        if output:
            draft.add(entry, "tool", "tool", capped(output), tool=name, call=call,
                      failed=state.get("status") == "error", **common)  # fmt: skip
    elif kind != "text" or part.get("ignored"):
        return
    elif about.get("role") == "assistant":
        draft.add(entry, "assistant", "injected" if about.get("summary") is True else "agent", text, **common)
    elif helper:
        draft.add(entry, "user", "agent", text, **common)
    elif part.get("synthetic"):
        draft.add(entry, "user", "injected", text[:INJECTED_LIMIT], **common)
    else:
        heard = hear(text)
        draft.add(entry, "user", "injected", heard.injected, **common)
        draft.add(entry, "user", "person", heard.person, **common)


SOURCE = Document(agent=AGENT, recognise=recognise, assemble=assemble)
