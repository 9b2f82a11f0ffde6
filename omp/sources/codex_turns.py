"""From the slim records of a rollout to events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from omp import times
from omp.model import RawSession
from omp.sources.calls import call_line
from omp.sources.calls import failed as shell_failed
from omp.sources.formats import Draft, Frame, Record, word
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import INJECTED_LIMIT, element, hear

_COPIED_WITHIN = timedelta(seconds=1)
"""A fork writes the lines it copies in one go, with the time of the copying; nobody types a prompt so soon."""
_UNATTENDED = frozenset({"exec", "mcp", "sdk", "subagent", "review", "guardian"})
"""Values of `source` and `thread_source` that mean no person sits there."""
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-")


class Rollout:
    """One rollout file: whose it is, where its own part begins, and what was said."""

    def __init__(self, agent: str, records: Sequence[Record], frame: Frame) -> None:
        headers = [record for record in records if record.data["kind"] == "header"]
        self.header: dict[str, Any] = headers[0].data if headers else {}
        others = {word(header.data.get("id")) for header in headers} - {word(self.header.get("id"))}
        self.forked = bool(others) or bool(self.header.get("forked_from_id"))
        self.frame = frame
        self.records = records
        self.draft = Draft(agent, word(self.header.get("id")) or frame.path.stem)
        self.cwd = word(self.header.get("cwd"))
        self.tools: dict[str, str] = {}
        self.turns: list[int] = []
        """Places of the events that began a turn."""
        kinds = {record.data["kind"] for record in records}
        self.prompts = next((kind for kind in ("prompt", "accepted") if kind in kinds), "said")
        self.answers = (
            "said" if any(r.data["kind"] == "said" and r.data["role"] == "assistant" for r in records) else "shown"
        )

    def read(self) -> RawSession:
        """Give the conversation; `machine` when it belongs to a sub-agent, a review or a program."""
        machine = self._unattended()
        closed = False
        for record in self._own():
            closed = record.data["kind"] == "end"
            self._take(record, machine)
        self.draft.events = unmask(self.draft.events)
        return self.draft.finish(self.frame.path, closed=closed, machine=machine or nobody(self.draft.events))

    def _unattended(self) -> bool:
        source = self.header.get("source")
        if isinstance(source, dict):
            return True
        return word(source) in _UNATTENDED or word(self.header.get("thread_source")) in _UNATTENDED

    def _own(self) -> list[Record]:
        """Leave out what a fork or a sub-agent copied from its parent."""
        start = self.header.get("subagent_history_start_ordinal")
        if isinstance(start, int):
            return [r for r in self.records if r.data["kind"] == "header" or r.data.get("ordinal", start) >= start]
        if not self.forked or not self.records:
            return list(self.records)
        last = -1
        born = _uuid_time(self.draft.session)
        for index, record in enumerate(self.records):
            turn = _uuid_time(word(record.data.get("turn")))
            # the turn's own id carries the time it began: older than this thread means copied
            if (turn and born and turn < born) or (not turn and self._at_once(record)):
                last = index
        return list(self.records[last + 1 :])

    def _at_once(self, record: Record) -> bool:
        first, now = times.utc(self.records[0].data["at"], self.frame.zone), self._time(record)
        return bool(first and now) and now <= times.shift(first, _COPIED_WITHIN)

    def _time(self, record: Record) -> str:
        return times.utc(record.data.get("at") or self.header.get("at"), self.frame.zone)

    def _take(self, record: Record, machine: bool) -> None:
        data = record.data
        kind = data["kind"]
        common: dict[str, Any] = {"at": self._time(record), "cwd": self.cwd, "branch": word(self.header.get("branch"))}
        entry = word(data.get("id")) or f"L{record.line}"
        if kind == "context":
            self.cwd = data["cwd"] or self.cwd
        elif kind == "rollback":
            self._roll_back(data["turns"])
        elif kind in ("prompt", "accepted") and kind == self.prompts:
            self._prompt(entry, data["text"], machine, common)
        elif kind == "shown" and self.answers == "shown":
            self.draft.add(entry, "assistant", "agent", data["text"], **common)
        elif kind == "said":
            self._said(entry, data, machine, common)
        elif kind == "call":
            self.tools[data["call"]] = data["tool"]
            text = call_line(data["tool"], data["arguments"])
            self.draft.add(entry, "tool", "tool", text, tool=data["tool"], call=data["call"], **common)
        elif kind == "output":
            tool = self.tools.get(data["call"], "")
            bad = data["failed"] or shell_failed(data["text"])
            self.draft.add(entry, "tool", "tool", data["text"], tool=tool, call=data["call"], failed=bad, **common)

    def _said(self, entry: str, data: dict[str, Any], machine: bool, common: dict[str, Any]) -> None:
        text = "\n".join(data["texts"])
        if data["role"] == "assistant":
            self.draft.add(entry, "assistant", "agent", text, **common)
            return
        for part in data["texts"]:
            self.cwd = (
                element(part, "cwd") or self.cwd if part.lstrip().startswith("<environment_context>") else self.cwd
            )
        common = common | {"cwd": self.cwd}
        if self.prompts == "said":
            for part in data["texts"]:
                self._prompt(entry, part, machine, common)
        elif not any(hear(part).person for part in data["texts"]):
            self.draft.add(entry, "user", "injected", text[:INJECTED_LIMIT], **common)

    def _prompt(self, entry: str, text: str, machine: bool, common: dict[str, Any]) -> None:
        if machine:
            self.turns.append(len(self.draft.events))
            self.draft.add(entry, "user", "agent", text, **common)
            return
        heard = hear(text)
        if heard.person or self.prompts != "said":
            self.turns.append(len(self.draft.events))
        self.draft.add(entry, "user", "injected", heard.injected, **common)
        self.draft.add(entry, "user", "person", heard.person, **common)

    def _roll_back(self, turns: object) -> None:
        """Withdraw the last turns, as the person did."""
        if isinstance(turns, int) and turns > 0 and self.turns:
            place = self.turns[max(0, len(self.turns) - turns)]
            del self.draft.events[place:]
            del self.turns[max(0, len(self.turns) - turns) :]


def _uuid_time(text: str) -> int:
    """Give the milliseconds in a UUID of version 7, or 0."""
    found = _UUID7.match(text)
    return int(found[1] + found[2], 16) if found else 0
