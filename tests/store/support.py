"""What the store's tests share: entries to write, and a gate that knows one made-up secret."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from omp.identity import fact_key, key
from omp.model import (
    Decision,
    Deployment,
    Evidence,
    Finding,
    Lesson,
    Memory,
    Metadata,
    Preference,
    Timestamps,
)
from omp.store import MemoryDir

NOW = "2026-03-02T10:00:00Z"
SECRET = "tok" + "-" + "Zq7" * 6
_SECRET = re.compile("tok-" + r"(?:[A-Za-z0-9]{18})")


def gate(data: bytes) -> list[Finding]:
    """Find the made-up secret."""
    text = data.decode("utf-8", "replace")
    return [Finding(start=m.start(), end=m.end(), type="token", rule="test") for m in _SECRET.finditer(text)]


def open_dir(folder: Path, **more: Any) -> MemoryDir:
    """Open the memory folder of a made-up work tree."""
    work_tree = folder / "tree"
    root = work_tree / "_omp" / "memory"
    root.mkdir(parents=True, exist_ok=True)
    more = {"clock": lambda: NOW, "work_tree": str(work_tree), "branch": "main", "gate": gate, **more}
    return MemoryDir(root, folder / "git" / "omp", more.pop("gate"), **more)


def evidence(entry: str, at: str = NOW, quote: str = "we keep it in plain files") -> Evidence:
    """Make a piece of evidence."""
    return Evidence(
        agent="claude-code", session="s1", entry=entry, role="user", at=at, quote=quote, digest=f"{hash16(entry)}"
    )


def hash16(text: str) -> str:
    """Give 16 hex for a text."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]


def decision(claim: str, at: str = NOW, **more: Any) -> Decision:
    """Make a decision as `omp` would store it."""
    fields = {"evidence": (evidence("m1", at),), "metadata": Metadata(confidence=0.9), **more}
    return Decision(
        id=f"dec-{key('decision', 'PROJECT', claim)}",
        claim=claim,
        date=at[:10],
        timestamps=Timestamps(created_at=at, updated_at=at),
        **fields,
    )


def lesson(claim: str, at: str = NOW, **more: Any) -> Lesson:
    """Make a lesson."""
    fields = {"evidence": (evidence("m2", at),), **more}
    return Lesson(
        id=f"les-{key('lesson', 'PROJECT', claim)}",
        claim=claim,
        date=at[:10],
        timestamps=Timestamps(created_at=at, updated_at=at),
        **fields,
    )


def preference(claim: str, at: str = NOW, **more: Any) -> Preference:
    """Make a preference."""
    return Preference(
        id=f"pre-{key('preference', 'PROJECT', claim)}",
        claim=claim,
        date=at[:10],
        timestamps=Timestamps(created_at=at, updated_at=at),
        **more,
    )


def deployment(pointer: str, value: Any, at: str = NOW, **more: Any) -> Deployment:
    """Make a fact."""
    return Deployment(
        id=f"fact-{fact_key(pointer)}",
        claim=f"{pointer} is {value}",
        date=at[:10],
        timestamps=Timestamps(created_at=at, updated_at=at),
        pointer=pointer,
        value=value,
        **more,
    )


def files(root: Path) -> dict[str, bytes]:
    """Give every file below a folder with its bytes, backups left out."""
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and ".backup" not in p.parts
    }


def entries_of(memory: MemoryDir) -> dict[str, Memory]:
    """Give all entries of the files by id."""
    return {i: s.memory for i, s in memory.stored().items()}
