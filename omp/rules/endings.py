"""End words: a conversation whose last spoken message is one of them has ended."""

from __future__ import annotations

import re
from functools import cache

from omp import resources
from omp.identity import normalise
from omp.model import Session
from omp.yamlfile import load

_PARTS = re.compile(r"[\s,，、。.!！;；]+")
_POLITE = frozenset(
    ("ok", "okay", "thanks", "thank", "you", "great", "all", "good", "好", "好的", "嗯", "那", "辛苦了", "谢谢")
)
"""What may stand beside an end word without taking its meaning away."""


@cache
def _endings() -> frozenset[str]:
    words = load(resources.read("rules/endings.yaml"), "rules/endings.yaml").root.get("endings")
    listed = words.python(typed=False) if words is not None else {}
    return frozenset(normalise(w) for language in listed.values() for w in language)


def ends_session(session: Session) -> bool:
    """Tell whether the last thing the person said ends the conversation (bye, exit, 结束, 谢谢, 先这样)."""
    last = normalise(next((e.text for e in reversed(session.events) if e.voice == "person"), ""))
    parts = [p for p in _PARTS.split(last) if p]
    words = _endings()
    return last in words or (any(p in words for p in parts) and all(p in words or p in _POLITE for p in parts))
