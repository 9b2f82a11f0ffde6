"""Titles of themes: the most central claim, shortened, and the terms that set the theme apart from the others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

CLAIM_COLUMNS = 60
"""Columns of the claim in a title; a Chinese character takes two."""
KEY_TERMS = 3
_SHARE = 0.25
"""A key term stands in at least two members and in this share of them: else it says more of one than of the theme."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.+#-]*[A-Za-z0-9_+#]|[A-Za-z]")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_STOP = (
    "a an the this that these those it its we our us you your they them their he she i my is are was were be been do "
    "does did has have had will would should shall can could may might must not no and or but if then than so as of to "
    "in on at by for from with without into over under up down out off about all any each every only also always never "
    "use uses used using make makes made when where what which who how why there here new one two more most per via let"
)
_STOP_WORDS = frozenset(_STOP.split())
_STOP_HAN = frozenset(
    "的了是在和与及或也都就还又很吗呢吧我你他她它们这那此其之于以而但被把对从到给让要会能可用不有必须应该所一"
)


def shorten(text: str, columns: int = CLAIM_COLUMNS) -> str:
    """Give the first sentence or line of a text, cut at `columns` with an ellipsis. Chinese counts two a character."""
    line = " ".join(text.split("\n", 1)[0].split())
    line = re.split(r"(?<=[。！？；])|(?<=[.!?;])\s", line, maxsplit=1)[0].rstrip(" .。;；")
    width = 0
    for place, character in enumerate(line):
        width += 2 if character >= "\u2e80" else 1
        if width > columns:
            cut = line[: max(1, place - 1)]
            blank = cut.rfind(" ")
            return (cut[:blank] if blank > len(cut) * 2 // 3 else cut).rstrip(" ,，、:：") + "…"
    return line


def terms_of(text: str) -> frozenset[str]:
    """Give the words of a text, lower case, and its Chinese strings of two to four characters."""
    words = {w.lower() for w in _WORD.findall(text)}
    found = {w for w in words if len(w) > 2 and w not in _STOP_WORDS}
    for run in _HAN.findall(text):
        for size in (2, 3, 4):
            pieces = (run[i : i + size] for i in range(len(run) - size + 1))
            found |= {p for p in pieces if not _STOP_HAN & set(p)}
    return frozenset(found)


def key_terms(members: Sequence[frozenset[str]], everywhere: Counter[str], total: int, title: str) -> list[str]:
    """Give up to three terms common in a theme and rare elsewhere that its title does not hold yet.

    members: terms of each member; everywhere: in how many of all `total` entries a term stands.
    """
    inside = Counter(term for terms in members for term in terms)
    least = max(2, math.ceil(len(members) * _SHARE))
    folded = title.lower()
    scored = []
    for term, count in inside.items():
        if count >= least and term not in folded:
            rest = (everywhere[term] - count + 0.5) / (total - len(members) + 1)
            scored.append((round(count / len(members) * math.log(1 / rest) * (1 + len(term) / 50), 6), term))
    chosen: list[str] = []
    for _, term in sorted(scored, key=lambda pair: (-pair[0], pair[1])):
        if not any(term in other or other in term for other in chosen):
            chosen.append(term)
        if len(chosen) == KEY_TERMS:
            break
    return chosen


def title_of(claim: str, terms: Sequence[str], language: str) -> str:
    """Join a shortened claim and key terms in the theme's language."""
    if not terms:
        return claim
    return f"{claim}（{'、'.join(terms)}）" if language == "zh" else f"{claim} ({', '.join(terms)})"
