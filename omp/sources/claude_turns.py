"""From Claude Code's records to events: one answer is one turn, and only what a person typed is the person's voice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from omp import times
from omp.model import RawSession, Voice
from omp.sources.calls import call_line
from omp.sources.calls import failed as shell_failed
from omp.sources.formats import Draft, Frame, Record, mapping, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import INJECTED_LIMIT, command, element, hear

_REFUSED = "The user doesn't want to "
_REASON = re.compile(
    r"(?:the user said:|reason for the rejection:)\s*(?P<reason>.+?)"
    r"(?:\n+Note: The user's next message .*|\n+<system-reminder>.*)?\Z",
    re.S,
)
_QUESTION = "AskUserQuestion"
_END_COMMANDS = frozenset({"/exit", "/quit"})
_MACHINE_SOURCES = frozenset(
    {"system", "sdk", "schedule", "scheduled", "cron", "loop", "hook", "agent", "background", "auto"}
)
"""Values of `promptSource` that mean nobody typed it: the two that are known, and what newer ones would be called."""


class Turns:
    """Turns records, in conversation order, into the events of one session.

    `gone` are uuids of records that a later one replaced; `machine` says that nobody's voice is in these records.
    """

    def __init__(self, agent: str, session: str, frame: Frame, gone: set[str], *, machine: bool = False) -> None:
        self.draft = Draft(agent, session)
        self.frame = frame
        self.gone = gone
        self.machine = machine
        self.tools: dict[str, str] = {}
        self.answers: dict[str, int] = {}
        """Message id -> place of the event that holds its text."""
        self.typed: set[str] = set()
        self.after_command: dict[str, Any] | None = None
        self.closed = False

    def read(self, records: Sequence[Record]) -> RawSession:
        """Give the session. It is a machine's when every prompt in it came from a program."""
        queued = []
        for record in records:
            data = record.data
            if word(data.get("uuid")) in self.gone:
                continue
            if data.get("type") == "assistant":
                self._assistant(record)
            elif data.get("type") == "user":
                self._user(record)
            elif mapping(data.get("attachment")).get("type") == "queued_command":
                queued.append((len(self.draft.events), record))
        for place, record in reversed(queued):
            self._queued(place, record)
        self.draft.events = unmask(self.draft.events)
        machine = self.machine or nobody(self.draft.events)
        return self.draft.finish(self.frame.path, closed=self.closed, machine=machine)

    def _common(self, record: Record) -> dict[str, Any]:
        data = record.data
        return {
            "at": times.utc(data.get("timestamp"), self.frame.zone),
            "cwd": word(data.get("cwd")),
            "branch": word(data.get("gitBranch")),
        }

    def _assistant(self, record: Record) -> None:
        entry, common = _entry(record), self._common(record)
        message = record.data["message"]
        self.after_command, self.closed = None, False
        voice: Voice = "injected" if record.data.get("isApiErrorMessage") else "agent"
        for block in _blocks(message["content"]):
            if block["type"] == "text" and block["text"].strip():
                self._say(message["id"], entry, voice, block["text"], common)
            elif block["type"] == "tool_use":
                name, call = word(block.get("name")), word(block.get("id"))
                self.tools[call] = name
                text = call_line(name, block["input"])
                self.draft.add(entry, "tool", "tool", text, tool=name, call=call, **common)

    def _say(self, message: str, entry: str, voice: Voice, text: str, common: dict[str, Any]) -> None:
        """Add a piece of an answer: to the event that holds the rest of it, where there is one."""
        place = self.answers.get(message) if message else None
        if place is None:
            if message:
                self.answers[message] = len(self.draft.events)
            self.draft.add(entry, "assistant", voice, text, **common)
            return
        event = self.draft.events[place]
        self.draft.events[place] = msgspec.structs.replace(event, text=f"{event.text}\n\n{text.strip(chr(10))}")

    def _user(self, record: Record) -> None:
        entry, common = _entry(record), self._common(record)
        blocks = list(_blocks(record.data["message"]["content"]))
        results = [block for block in blocks if block["type"] == "tool_result"]
        for block in results:
            self._result(record, block, entry, common)
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        if not text.strip():
            return
        if results or record.data.get("toolUseResult") or not self._by_person(record.data):
            self._not_person(entry, text, common)
        elif "<bash-input>" in text:
            self.draft.add(entry, "tool", "tool", element(text, "bash-input"), tool="Bash", **common)
        else:
            self._prompt(record, entry, text, common)

    def _not_person(self, entry: str, text: str, common: dict[str, Any]) -> None:
        voice: Voice = "agent" if self.machine else "injected"
        self.draft.add(entry, "user", voice, text if self.machine else text[:INJECTED_LIMIT], **common)

    def _by_person(self, data: dict[str, Any]) -> bool:
        """Use the provenance that the record carries; older ones carry none and count as a person's."""
        if self.machine or data.get("isMeta") or data.get("isCompactSummary") or data.get("isVisibleInTranscriptOnly"):
            return False
        origin, source = data.get("origin"), word(data.get("promptSource"))
        kind = word(origin.get("kind")) if isinstance(origin, dict) else word(origin)
        if source in _MACHINE_SOURCES or kind not in ("", "human"):
            return False
        return bool(source) or not word(data.get("entrypoint")).startswith("sdk")

    def _prompt(self, record: Record, entry: str, text: str, common: dict[str, Any]) -> None:
        name, arguments = command(text)
        if name:
            self.after_command, self.closed = record.data, name in _END_COMMANDS
            self.draft.add(entry, "user", "injected", name, **common)
            self._person(entry, hear(arguments).person, common)
            return
        heard = hear(text)
        if heard.person and self._expanded(record.data):
            self.draft.add(entry, "user", "injected", text[:INJECTED_LIMIT], **common)
            return
        self.draft.add(entry, "user", "injected", heard.injected, **common)
        self._person(entry, heard.person, common)
        if heard.person:
            self.closed = False
        elif "local-command-stdout" in text and self.after_command:
            # the command answered at once: what follows is typed
            self.after_command = {**self.after_command, "answered": True}

    def _person(self, entry: str, text: str, common: dict[str, Any]) -> None:
        if text:
            self.typed.add(text)
            self.draft.add(entry, "user", "person", text, **common)

    def _expanded(self, data: dict[str, Any]) -> bool:
        """Tell the body of a command, which follows its name unmarked, from a prompt that a person typed next."""
        before = self.after_command
        self.after_command = None
        if before is None or data.get("promptSource") in ("typed", "queued"):
            return False
        if before.get("promptId") and data.get("promptId"):
            return bool(before["promptId"] == data["promptId"])
        return not before.get("answered")

    def _result(self, record: Record, block: dict[str, Any], entry: str, common: dict[str, Any]) -> None:
        call, text = block["tool_use_id"], block["text"]
        tool = self.tools.get(call, "")
        failed = block["is_error"] or (tool == "Bash" and shell_failed(text))
        reason = "" if self.machine else self._refusal(record.data, block, tool)
        kept = text.replace(reason, "[the person's reason]") if reason else text
        self.draft.add(entry, "tool", "tool", kept, tool=tool, call=call, failed=failed, **common)
        self._person(entry, reason, common)
        if tool == _QUESTION and not self.machine:
            self._dialog(mapping(record.data.get("toolUseResult")), entry, common)

    def _refusal(self, data: dict[str, Any], block: dict[str, Any], tool: str) -> str:
        """Give the reason a person typed when refusing a call.

        A tool can print the same words, so they count only where the record says who refused, or where the
        text is the harness's own (an outside server's error text is not).
        """
        if not block["is_error"] or not block["text"].startswith(_REFUSED):
            return ""
        said = word(data.get("toolUseResult"))
        marked = data.get("toolDenialKind") == "user-rejected" or said.startswith("User rejected")
        if not marked and (tool.startswith("mcp__") or data.get("toolDenialKind")):
            return ""
        found = _REASON.search(block["text"])
        return hear(found["reason"]).person if found else ""

    def _dialog(self, result: dict[str, Any], entry: str, common: dict[str, Any]) -> None:
        """Add each question of a dialog and the person's answer to it."""
        for question, answer in mapping(result.get("answers")).items():
            chosen = ", ".join(map(str, answer)) if isinstance(answer, list) else word(answer)
            notes = word(mapping(mapping(result.get("annotations")).get(question)).get("notes"))
            if chosen.strip():
                self.draft.add(entry, "assistant", "agent", question, **common)
                self._person(entry, hear(chosen + (f"\n{notes}" if notes else "")).person, common)

    def _queued(self, place: int, record: Record) -> None:
        """Insert text typed while the agent was busy, unless it stands in the log as a prompt too."""
        attachment = record.data["attachment"]
        origin = mapping(attachment.get("origin"))
        human = attachment.get("commandMode") in (None, "prompt") and origin.get("kind") in (None, "human")
        heard = hear(word(attachment.get("prompt")))
        if self.machine or not human or not heard.person or heard.person in self.typed:
            return
        aside = Draft(self.draft.agent, self.draft.session)
        aside.add(_entry(record), "user", "person", heard.person, **self._common(record))
        self.typed.add(heard.person)
        self.draft.events[place:place] = aside.events


def _entry(record: Record) -> str:
    return word(record.data.get("uuid")) or f"L{record.line}"


def _blocks(content: str | list[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    return ({"type": "text", "text": content},) if isinstance(content, str) else content
