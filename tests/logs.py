"""Small logs for tests, in the forms agents write them."""

from __future__ import annotations

import json
import re
from pathlib import Path


def claude_line(
    number: int, text: str, *, cwd: Path, session: str = "s-1", role: str = "user", branch: str = "main"
) -> str:
    """Give one line of a Claude Code log; each follows the one before it."""
    content: object = text if role == "user" else [{"type": "text", "text": text}]
    message = {"role": role, "content": content, **({"id": f"msg-{number}"} if role == "assistant" else {})}
    record = {
        "type": role,
        "uuid": f"{session}-{number}",
        "parentUuid": f"{session}-{number - 1}" if number > 1 else None,
        "sessionId": session,
        "timestamp": f"2026-03-02T10:{number:02d}:00.000Z",
        "cwd": str(cwd),
        "gitBranch": branch,
        "version": "2.1.0",
        "userType": "external",
        "isSidechain": False,
        "message": message,
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def claude_folder(home: Path, cwd: Path) -> Path:
    """Make and give the folder where Claude Code keeps the logs of a work tree."""
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9-]", "-", str(cwd))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def claude_log(path: Path, said: list[str], *, cwd: Path, session: str = "s-1", branch: str = "main") -> Path:
    """Write a log in which a person says these things."""
    lines = [claude_line(n, t, cwd=cwd, session=session, branch=branch) for n, t in enumerate(said, 1)]
    path.write_text("".join(lines), "utf-8")
    return path


def generic_log(path: Path, said: list[tuple[str, str]]) -> Path:
    """Write a generic conversation of (role, text)."""
    rows = [
        {"id": f"m{n}", "role": role, "text": text, "at": f"2026-03-02T10:{n:02d}:00Z"}
        for n, (role, text) in enumerate(said, 1)
    ]
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), "utf-8")
    return path
