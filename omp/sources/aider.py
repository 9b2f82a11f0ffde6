"""aider: `.aider.chat.history.md`, one Markdown file for all runs in a repository.

`#### ` begins each line of a prompt, `> ` each line of tool output; the rest is the answer. An answer may hold such
lines itself, inside code fences: fences are followed, and an unclosed one ends with its run.
"""

from __future__ import annotations

import re

from omp import times
from omp.sources.calls import capped
from omp.sources.formats import Draft, Frame, Text, Told
from omp.sources.heartbeats import nobody, unmask
from omp.sources.voice import hear

AGENT = "aider"
_RUN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_COMMAND = re.compile(r"/[a-z-]+(?:\s|\Z)|!")


def recognise(text: str) -> bool:
    """Tell the history by the heading that opens each run."""
    return _RUN.match(text.lstrip("\n\r ")) is not None


def assemble(text: str, frame: Frame) -> Told:
    """One conversation a run; entries are lines of the file."""
    sessions = []
    run = _Run("", frame)
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        started = _RUN.fullmatch(line)
        if started:
            sessions.append(run.finish())
            run = _Run(started[1], frame)
        else:
            run.take(number, line)
    sessions.append(run.finish())
    done = [draft.finish(frame.path, machine=nobody(draft.events)) for draft in sessions if draft.events]
    return Told(sessions=tuple(done))


class _Run:
    """Gathers neighbouring lines of one voice into turns."""

    def __init__(self, started: str, frame: Frame) -> None:
        self.at = times.utc(started, frame.zone)
        self.draft = Draft(AGENT, f"{frame.path.stem.lstrip('.')}@{self.at or 'start'}")
        self.cwd = str(frame.path.parent)
        self.kind = ""
        self.lines: list[str] = []
        self.first = 0
        self.fence = ""

    def take(self, number: int, line: str) -> None:
        """Add a line to the present turn, or begin the next one."""
        kind = "answer"
        if not self.fence and (line.startswith("#### ") or line.rstrip() == "####"):
            kind, line = "prompt", line[5:]
        elif not self.fence and (line.startswith("> ") or line.rstrip() == ">"):
            kind, line = "output", line[2:]
        elif not line.strip() and self.kind != "answer":
            return
        else:
            self._follow(line)
        if kind != self.kind:
            self._flush()
            self.kind, self.first = kind, number
        self.lines.append(line.rstrip() if kind != "answer" else line)

    def _follow(self, line: str) -> None:
        mark = _FENCE.match(line.lstrip())
        if mark and not self.fence:
            self.fence = mark[1]
        elif mark and line.strip() == self.fence:
            self.fence = ""

    def _flush(self) -> None:
        text = "\n".join(self.lines).strip()
        entry = f"L{self.first}"
        self.lines = []
        if self.kind == "prompt" and _COMMAND.match(text):
            name, _, typed = text.partition(" ")
            asking = name in ("/ask", "/architect", "/code", "/context", "/help")
            self.draft.add(entry, "user", "injected", text.split("\n")[0][:200], at=self.at, cwd=self.cwd)
            self.draft.add(entry, "user", "person", typed if asking else "", at=self.at, cwd=self.cwd)
        elif self.kind == "prompt":
            self.draft.add(entry, "user", "person", hear(text).person, at=self.at, cwd=self.cwd)
        elif self.kind == "output":
            self.draft.add(entry, "tool", "tool", capped(text), tool="aider", at=self.at, cwd=self.cwd)
        elif text:
            self.draft.add(entry, "assistant", "agent", text, at=self.at, cwd=self.cwd)

    def finish(self) -> Draft:
        """Give what was gathered."""
        self._flush()
        self.draft.events = unmask(self.draft.events)
        return self.draft


SOURCE = Text(agent=AGENT, recognise=recognise, assemble=assemble)
