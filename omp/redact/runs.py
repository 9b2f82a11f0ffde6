"""Long unbroken runs of characters that keys, tokens and encoded values are written in.

Found at the speed of the C library: most text has few, and several rules look at nothing else.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from omp.redact import stems

LEAST = 16
"""Characters from which on a run counts; every rule without a key word of its own needs at least as many."""

CHARACTERS = string.ascii_letters + string.digits + "_.~+/=$%:-"
_TABLE = bytes(c if chr(c) in CHARACTERS else 0x20 for c in range(256))

Run = tuple[int, int]
"""Half-open range of characters."""


class Sight(NamedTuple):
    """One view of a text as the rules see it: the characters, the same in lower case, the long runs."""

    text: str
    low: str
    runs: list[Run]
    words: dict[str, list[int]]
    """Key word -> its positions."""


def sight(text: str) -> Sight:
    """Prepare a view for the rules."""
    low = lower(text)
    return Sight(text, low, find(text), stems.find(low))


def bare(text: str) -> Sight:
    """Prepare a view for rules that need its runs only."""
    return Sight(text, "", find(text), {})


def places(seen: Sight, wanted: tuple[str, ...]) -> list[int]:
    """Give every position where one of the key words stands, in order."""
    words = seen.words
    if not words:
        return []
    return sorted({at for word in wanted if word in words for at in words[word]})


def matches(seen: Sight, wanted: tuple[str, ...], form: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Try a pattern that starts with one of the stems at each place where one stands; like `finditer`, but quick."""
    done = 0
    for at in places(seen, wanted):
        if at >= done:
            m = form.match(seen.text, at)
            if m:
                done = m.end()
                yield m


def find(text: str) -> list[Run]:
    """Give the runs of `text`, in order."""
    data = text.encode("ascii", "replace").translate(_TABLE)
    out: list[Run] = []
    at = 0
    for word in data.split():
        if len(word) >= LEAST:
            at = data.find(word, at)
            out.append((at, at + len(word)))
            at += len(word)
    return out


def lower(text: str) -> str:
    """Lower case, character for character: offsets stay (the few letters that would grow are left alone)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
