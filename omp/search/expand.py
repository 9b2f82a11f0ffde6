"""From hits to what an agent reads: whole themes where the question is about one, within a budget of tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from omp.model import Struct
from omp.search.index import Hit

EXPANSION = 0.75
"""Calibrated similarity of question and theme centre from which the whole theme is shown (design, section 7)."""
WIDE_TOKENS, WORD_TOKENS = 1.0, 1.3
"""Tokens of a Chinese character and of an English word, as the usual tokenisers of language models count them."""
_LONG = 8
"""Letters of a word from which it counts once more for every further so many: keys, paths and digests are costly."""

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_WORD = re.compile(r"\w+", re.ASCII)
_MARK = re.compile(r"[^\w\s]", re.ASCII)


class Group(Struct, frozen=True, kw_only=True):
    """A theme as search sees it: `similarity` is that of the question and its centre, calibrated."""

    id: str
    title: str
    members: tuple[str, ...]
    similarity: float = 0.0


class Item(Struct, frozen=True, kw_only=True):
    """One thing to show, with what it costs."""

    kind: Literal["theme", "memory"]
    id: str
    text: str
    tokens: int


class Expanded(Struct, frozen=True, kw_only=True):
    """What fits, in order, its cost, and how many memories did not fit."""

    items: tuple[Item, ...] = ()
    tokens: int = 0
    left_out: int = 0


def tokens(text: str) -> int:
    """Estimate the tokens of a text: 1 a Chinese character, 1.3 an English word, half a mark of punctuation."""
    wide = len(_WIDE.findall(text))
    narrow = _WIDE.sub(" ", text)
    words = sum(WORD_TOKENS + (len(word) - 1) // _LONG for word in _WORD.findall(narrow))
    return math.ceil(wide * WIDE_TOKENS + words + len(_MARK.findall(narrow)) / 2)


def expand(hits: Sequence[Hit], texts: Mapping[str, str], groups: Sequence[Group], budget: int) -> Expanded:
    """Lay out hits: in the place of the first hit of a theme the question is about, its title and all its members.

    texts: id -> text of every memory that may be shown; members without one are passed over. What does not fit into
    `budget` tokens is left out and counted; smaller things after it may still fit. A title never stands alone.
    """
    about = {member: group for group in groups if group.similarity >= EXPANSION for member in group.members}
    items: list[Item] = []
    spent = left_out = 0
    title: Item | None = None
    for item in _ordered(hits, texts, about):
        if item.kind == "theme":
            title = item
            continue
        heading = [title] if title is not None and item.id in about and about[item.id].id == title.id else []
        cost = item.tokens + sum(h.tokens for h in heading)
        if spent + cost > budget:
            left_out += 1
            continue
        items += [*heading, item]
        spent += cost
        title = None if heading else title
    return Expanded(items=tuple(items), tokens=spent, left_out=left_out)


def _ordered(hits: Sequence[Hit], texts: Mapping[str, str], about: Mapping[str, Group]) -> Iterator[Item]:
    rank = {hit.id: place for place, hit in enumerate(hits)}
    shown: set[str] = set()
    for hit in hits:
        if hit.id in shown or hit.id not in texts:
            continue
        group = about.get(hit.id)
        ids: Sequence[str] = (hit.id,)
        if group is not None:
            yield Item(kind="theme", id=group.id, text=group.title, tokens=tokens(group.title))
            ids = sorted(group.members, key=lambda member: (rank.get(member, len(rank)), member))
        for member in ids:
            if member in texts and member not in shown:
                shown.add(member)
                yield Item(kind="memory", id=member, text=texts[member], tokens=tokens(texts[member]))
