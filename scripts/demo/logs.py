"""Writes conversations in the formats of two coding agents, line by line as the agents do."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from talks import Turn

STEP = timedelta(seconds=20)
"""How far apart two turns lie."""


class Log:
    """One log file that grows. `began` is the time of its first line."""

    def __init__(self, path: Path, work_tree: Path, began: datetime, session: str) -> None:
        self.path, self.work_tree, self.session = path, work_tree, session
        self.now = began
        path.parent.mkdir(parents=True, exist_ok=True)

    def say(self, turns: Sequence[Turn]) -> None:
        """Append turns; the file's time becomes that of its last line when that lies in the past."""
        for turn in turns:
            self.now += STEP
            self.append(self.lines(turn))
        if self.now < datetime.now(UTC) - STEP:
            os.utime(self.path, (self.now.timestamp(), self.now.timestamp()))

    def lines(self, turn: Turn) -> list[dict[str, Any]]:
        """Give the records of one turn."""
        raise NotImplementedError

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        """Append records, one JSON object a line."""
        with self.path.open("a", encoding="utf-8") as out:
            for record in records:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")

    @property
    def at(self) -> str:
        """The present time of the conversation, as both agents write it."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class ClaudeCode(Log):
    """`<config>/projects/<folder>/<session>.jsonl`: a tree of records."""

    def __init__(self, config: Path, work_tree: Path, began: datetime) -> None:
        session = str(uuid.uuid4())
        folder = "".join(c if c.isascii() and (c.isalnum() or c == "-") else "-" for c in str(work_tree))
        super().__init__(config / "projects" / folder / f"{session}.jsonl", work_tree, began, session)
        self.parent: str | None = None
        self.append([{"type": "permission-mode", "permissionMode": "default", "sessionId": session}])

    def lines(self, turn: Turn) -> list[dict[str, Any]]:
        """Give the records of one turn; a tool call is two, the call and its result."""
        if turn.who == "assistant":
            return [self._record("assistant", [{"type": "text", "text": turn.text}])]
        if turn.who == "tool":
            call = f"toolu_{uuid.uuid4().hex[:20]}"
            used = {"type": "tool_use", "id": call, "name": turn.tool, "input": {"command": turn.command}}
            result = {"type": "tool_result", "tool_use_id": call, "content": turn.text}
            return [self._record("assistant", [used]), self._record("user", [result])]
        return [
            self._record("user", turn.text, isMeta=True) if turn.who == "injected" else self._record("user", turn.text)
        ]

    def _record(self, role: str, content: object, **more: Any) -> dict[str, Any]:
        own = str(uuid.uuid4())
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg_{own[:8]}", "type": "message", "model": "sample"}
        record = {
            "parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": str(self.work_tree),
            "sessionId": self.session, "version": "2.1.0", "gitBranch": "main", "type": role, "message": message,
            "uuid": own, "timestamp": self.at, **more,
        }  # fmt: skip
        self.parent = own
        return record


class Codex(Log):
    """`<home>/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`: the same words in two streams."""

    def __init__(self, home: Path, work_tree: Path, began: datetime) -> None:
        session = str(uuid.uuid4())
        name = f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
        super().__init__(home / "sessions" / f"{began:%Y/%m/%d}" / name, work_tree, began, session)
        header = {
            "id": session, "timestamp": self.at, "cwd": str(work_tree), "originator": "codex_cli_rs",
            "cli_version": "0.98.0", "source": "cli", "git": {"branch": "main"},
        }  # fmt: skip
        turn = {"turn_id": str(uuid.uuid4()), "cwd": str(work_tree), "model": "sample"}
        self.append([self._record("session_meta", header), self._record("turn_context", turn)])

    def lines(self, turn: Turn) -> list[dict[str, Any]]:
        """Give the records of one turn; what a person typed stands as prompt and as message."""
        if turn.who == "tool":
            call = f"call_{uuid.uuid4().hex[:16]}"
            arguments = json.dumps({"command": ["bash", "-lc", turn.command]})
            return [
                self._item({"type": "function_call", "name": turn.tool, "arguments": arguments, "call_id": call}),
                self._item({"type": "function_call_output", "call_id": call, "output": turn.text}),
            ]
        role, part = ("assistant", "output_text") if turn.who == "assistant" else ("user", "input_text")
        message = self._item({"type": "message", "role": role, "content": [{"type": part, "text": turn.text}]})
        if turn.who == "injected":
            return [message]
        shown = {"type": "agent_message" if turn.who == "assistant" else "user_message", "message": turn.text}
        return [message, self._record("event_msg", shown)]

    def _item(self, payload: dict[str, Any]) -> dict[str, Any]:
        return self._record("response_item", payload)

    def _record(self, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": self.at, "type": kind, "payload": payload}
