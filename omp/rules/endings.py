"""End words: a conversation whose last spoken message is one of them has ended."""

from __future__ import annotations

from functools import cache

from omp import resources
from omp.identity import normalise
from omp.model import Session
from omp.yamlfile import load


@cache
def _endings() -> frozenset[str]:
    words = load(resources.read("rules/endings.yaml"), "rules/endings.yaml").root.get("endings")
    listed = words.python(typed=False) if words is not None else {}
    return frozenset(normalise(w) for language in listed.values() for w in language)


def ends_session(session: Session) -> bool:
    """Tell whether the last thing the person said ends the conversation (bye, exit, 结束, 谢谢, 先这样)."""
    last = next((e.text for e in reversed(session.events) if e.voice == "person"), "")
    return normalise(last) in _endings()
