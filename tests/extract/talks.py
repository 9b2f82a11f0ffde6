"""Short conversations written as lines: `U` the person, `A` the assistant, `T` a tool."""

from __future__ import annotations

from omp.extract import candidates
from omp.model import Candidate, CleanEvent, Role, Session, Voice
from omp.rules import load_rules

ROLES: dict[str, tuple[Role, Voice]] = {
    "U": ("user", "person"),
    "A": ("assistant", "agent"),
    "T": ("tool", "tool"),
    "I": ("user", "injected"),
}


def session(*lines: str) -> Session:
    """Make a session; entries are m1, m2, ..."""
    events = []
    for number, line in enumerate(lines, 1):
        role, voice = ROLES[line[0]]
        at = f"2026-04-01T09:{number % 60:02d}:00Z"
        text = line[2:]
        events.append(
            CleanEvent(agent="generic", session="s", entry=f"m{number}", role=role, voice=voice, text=text, at=at)
        )
    return Session(agent="generic", session="s", path="s.jsonl", events=tuple(events))


def learnt(*lines: str) -> list[Candidate]:
    """Give what is worth keeping of a conversation."""
    return [c for c in candidates(session(*lines), load_rules()) if not c.drop and c.confidence >= 0.4]


def dropped(*lines: str) -> list[Candidate]:
    """Give what was seen and thrown away, with its reason."""
    return [c for c in candidates(session(*lines), load_rules()) if c.drop or c.confidence < 0.4]
