"""Writes logs of the test's own, record by record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from omp.model import LogReading
from omp.sources import read_log


class Claude:
    """Chains Claude Code records; `at` counts seconds so that times are in order."""

    def __init__(self, session: str = "s-1", cwd: str = "/w/app") -> None:
        self.records: list[Any] = []
        self.last: str | None = None
        self.session = session
        self.cwd = cwd

    def add(self, kind: str, content: Any, **more: Any) -> str:
        number = len(self.records) + 1
        uuid = more.pop("uuid", f"{kind[0]}-{number}")
        message = {"role": kind, "content": content, **({"id": more.pop("answer")} if "answer" in more else {})}
        record = {
            "type": kind, "uuid": uuid, "parentUuid": self.last, "sessionId": self.session, "cwd": self.cwd,
            "timestamp": f"2026-05-04T08:{number // 60:02}:{number % 60:02}.250Z", "gitBranch": "trunk",
            "isSidechain": False, "message": message, **more,
        }  # fmt: skip
        self.records.append(record)
        self.last = uuid
        return str(uuid)

    def user(self, content: Any, **more: Any) -> str:
        return self.add("user", content, **more)

    def says(self, text: str, **more: Any) -> str:
        return self.add("assistant", [{"type": "text", "text": text}], **more)

    def calls(self, call: str, name: str, arguments: dict[str, Any], **more: Any) -> str:
        return self.add("assistant", [{"type": "tool_use", "id": call, "name": name, "input": arguments}], **more)

    def returns(self, call: str, text: Any, *, is_error: bool = False, **more: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": is_error}
        return self.add("user", [block], **more)

    def read(self, folder: Path) -> LogReading:
        return read_log(write(folder / "session.jsonl", self.records))


def write(path: Path, records: list[Any]) -> Path:
    """Write records (text is written as it is) as JSON lines."""
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def person(reading: LogReading) -> list[str]:
    """Give what the reading takes for a person's words."""
    return [event.text for session in reading.sessions for event in session.events if event.voice == "person"]


def turns(reading: LogReading) -> list[tuple[str, str, str]]:
    """Give entry, voice and text of the first session's events."""
    return [(event.entry, event.voice, event.text) for event in reading.sessions[0].events]
