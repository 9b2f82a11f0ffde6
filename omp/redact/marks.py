"""Marks: their types, their form, and how findings become a masked text.

A mark is `[REDACTED:type:n]`; n is the ordinal of that distinct value within one text. Nothing else of a value is
kept: no hash, no length, no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from omp.model import Finding

TYPES: frozenset[str] = frozenset({
    "api_key", "token", "jwt", "password", "secret", "private_key", "cookie", "webhook", "recovery_code", "totp",
    "mnemonic", "encoded", "private", "cn_id", "bank_card", "iban", "phone", "email", "passport", "national_id",
})  # fmt: skip
"""Types a mark may carry; a mark of any other type is scanned like other text."""

_MARK = re.compile(r"\[REDACTED:(?:" + "|".join(sorted(TYPES)) + r"):[1-9][0-9]{0,5}\]")
BARRIER = "\x00"
"""Stands for each character of a mark while its surroundings are scanned; no rule reads across it."""

_RANK = {"private": 0, "private_key": 1, "mnemonic": 2, "jwt": 3, "webhook": 4, "cookie": 6, "totp": 7}


class Hit(NamedTuple):
    """A finding in the coordinates of one view: half-open character range, type of the mark, rule id."""

    start: int
    end: int
    type: str
    rule: str


def hide_marks(text: str) -> str:
    """Blank well-formed marks of known types, length unchanged, so that they are never findings themselves."""
    if "[REDACTED:" not in text:
        return text
    return _MARK.sub(lambda m: BARRIER * len(m.group()), text)


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Unite overlapping hits; the union carries the type that says most, then that of the longest."""
    out: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start, -h.end)):
        if hit.end <= hit.start:
            continue
        if not out or hit.start >= out[-1].end:
            out.append(hit)
            continue
        last = out[-1]
        best = min(last, hit, key=lambda h: (_RANK.get(h.type, 9), h.rule.startswith("context-"), h.start - h.end))
        out[-1] = Hit(last.start, max(last.end, hit.end), best.type, best.rule)
    return out


def apply(text: str, hits: list[Hit], same: dict[int, str]) -> tuple[str, tuple[Finding, ...]]:
    """Put marks in place of settled hits.

    `same` maps a hit's start to the value it stands for where that differs from the characters it covers (a value
    written in another encoding or in pieces), so that equal values get equal ordinals.
    """
    if not hits:
        return text, ()
    pieces: list[str] = []
    ordinals: dict[str, int] = {}
    at = 0
    for hit in hits:
        value = same.get(hit.start) or text[hit.start : hit.end]
        ordinal = ordinals.setdefault(value, len(ordinals) + 1)
        pieces += (text[at : hit.start], f"[REDACTED:{hit.type}:{ordinal}]")
        at = hit.end
    pieces.append(text[at:])
    findings = tuple(Finding(start=h.start, end=h.end, type=h.type, rule=h.rule) for h in hits)
    return "".join(pieces), findings
