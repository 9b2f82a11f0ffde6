"""Who does what to whom, and what comes first: the same words in another order can state another thing.

Four cues, each read from both texts and compared: the two sides of a verb with roles ("A depends on B"), from and to
("copies from A to B", 从 A 到 B), before and after, and which words stand together ("the small one for summaries, the
large one for code"). Where no cue is found, the same words in another order inside one clause.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import combinations, pairwise

from omp.embed.guard.reading import Reading

Sides = tuple[frozenset[str], frozenset[str]]

_FROM_TO = (
    re.compile(r"\bfrom\b(?P<one>.+?)\b(?:to|into)\b(?P<two>[^.,;]+)", re.I),
    re.compile(r"(?:从|由)(?P<one>.+?)(?:到|至|进|迁移到|流入|拷给|改为|换成|切换到|改成)(?P<two>[^，。；]+)"),
    re.compile(r"(?P<one>[^，。；]+?把.+?)(?:给|到|至|进)(?P<two>[^，。；]+)"),
)
_BEFORE = re.compile(r"\bbefore\b|\bprior to\b|\bahead of\b|\bfollowed by\b|\bprecedes?\b", re.I)
_AFTER = re.compile(r"\bafter\b|\bonce\b|\bfollowing\b|\bfollows?\b", re.I)
_FIRST_THEN = re.compile(r"\b(?:first|start with)\b(?P<one>.+?)(?:\bthen\b|\bafterwards\b|\bnext\b)(?P<two>.+)", re.I)
_CHINESE_THEN = re.compile(r"先(?P<one>.+?)(?:，|,)?(?:再|然后|才|后)(?P<two>[^。；]+)")
_CHINESE_BEFORE = re.compile(r"(?P<two>[^，。；]+?)(?:之前|以前|前)(?:，|,)?(?P<one>[^。；]+)")
_CHINESE_AFTER = re.compile(r"(?P<one>[^，。；]+?)(?:之后|以后|后)(?:，|,)?(?:再|才)?(?P<two>[^。；]+)")


def order(a: Reading, b: Reading) -> bool:
    """Tell whether two texts give the same words other places: roles, direction, sequence or partners exchanged."""
    for cue in (_role_sides, _direction_sides, _sequence_sides):
        one, other = cue(a), cue(b)
        if one and other:
            crossed = (len(one[0] & other[1]), len(one[1] & other[0]))
            straight = (len(one[0] & other[0]), len(one[1] & other[1]))
            if min(crossed) and (sum(crossed) > sum(straight) or not min(straight)):
                return True
            if sum(straight) > sum(crossed):
                return False
            if sum(crossed) > sum(straight):
                return True
    return _partners(a, b) or _shuffled(a, b)


def _between(reading: Reading, start: int, end: int) -> frozenset[str]:
    return frozenset(t.key for t in reading.tokens if start <= t.start < end)


def _split(first: frozenset[str], second: frozenset[str]) -> Sides | None:
    """Leave out what stands on both sides; None when a side is empty."""
    both = first & second
    one, two = first - both, second - both
    return (one, two) if one and two else None


def _role_sides(reading: Reading) -> Sides | None:
    for key, place, turned in reading.roles:
        clause = next((t.clause for t in reading.tokens if t.start >= place), -1)
        left = frozenset(t.key for t in reading.tokens if t.clause == clause and t.start < place)
        right = frozenset(t.key for t in reading.tokens if t.clause == clause and t.start > place and t.key != key)
        sides = _split(left, right)
        if sides:
            return (sides[1], sides[0]) if turned else sides
    return None


def _direction_sides(reading: Reading) -> Sides | None:
    for pattern in _FROM_TO:
        if match := pattern.search(reading.text):
            return _split(_between(reading, *match.span("one")), _between(reading, *match.span("two")))
    return None


def _sequence_sides(reading: Reading) -> Sides | None:
    """Give what comes first and what comes after it."""
    text = reading.text
    for pattern in (_FIRST_THEN, _CHINESE_THEN, _CHINESE_BEFORE, _CHINESE_AFTER):
        if match := pattern.search(text):
            return _split(_between(reading, *match.span("one")), _between(reading, *match.span("two")))
    for pattern, later in ((_BEFORE, True), (_AFTER, False)):
        if match := pattern.search(text):
            return _around(reading, match, later)
    return None


def _around(reading: Reading, match: re.Match[str], later: bool) -> Sides | None:
    """Split a text at "before" or "after"; what follows the word ends at a comma if the text began with it."""
    text = reading.text
    named_end = len(text)
    opening = not _between(reading, 0, match.start())
    if opening:
        comma = re.search(r"[,，]", text[match.end() :])
        if comma is None:
            return None
        named_end = match.end() + comma.start()
    named = _between(reading, match.end(), named_end)
    rest = _between(reading, named_end, len(text)) if opening else _between(reading, 0, match.start())
    return _split(rest, named) if later else _split(named, rest)


_TURNING = frozenset({"is", "are", "was", "were", "be", "by", "是", "被", "由"})
"""Small words that let a sentence be turned around without saying anything else."""
_JOINTS = re.compile(r"[,;，；、:：]|\band\b|\bbut\b|\bwhile\b|而(?!不是|非)|和|则", re.I)


def _segments(reading: Reading) -> list[frozenset[str]]:
    cuts = [0, *(m.start() for m in _JOINTS.finditer(reading.text)), len(reading.text) + 1]
    parts = [_between(reading, s, e) for s, e in pairwise(cuts)]
    return [p for p in parts if p]


def _partners(a: Reading, b: Reading) -> bool:
    """Tell whether words that stand together in one text stand with each other's partners in the other."""
    one, other = _segments(a), _segments(b)
    if len(one) < 2 or len(other) < 2:
        return False
    shared = a.words & b.words
    together = [_pairs(parts, shared) for parts in (one, other)]
    apart = [{p for p in combinations(sorted(shared), 2) if p not in pairs} for pairs in together]
    crossed = len(together[0] & apart[1]) + len(together[1] & apart[0])
    kept = len(together[0] & together[1])
    return len(shared) >= 4 and crossed >= 4 and kept == 0


def _pairs(parts: list[frozenset[str]], shared: frozenset[str]) -> set[tuple[str, str]]:
    return {pair for part in parts for pair in combinations(sorted(part & shared), 2)}


def _shuffled(a: Reading, b: Reading) -> bool:
    """Tell whether one text is the other with words changed about: nothing added, nothing left out, other neighbours.

    A paraphrase that moves words about needs other small words; one that has all of them, each once, in another
    order most likely states something else. A clause moved as a whole is no change.
    """
    if a.chinese != b.chinese or a.line == b.line or len(a.line) < 3:
        return False
    added, left_out = Counter(a.line) - Counter(b.line), Counter(b.line) - Counter(a.line)
    if added.total() + left_out.total() > (2 if a.chinese else 1):
        return False
    if (added.keys() | left_out.keys()) & _TURNING:
        return False
    kept = sum(block.size for block in SequenceMatcher(None, a.line, b.line, autojunk=False).get_matching_blocks())
    moved = min(len(a.line), len(b.line)) - kept
    one, other = _clauses(a), _clauses(b)
    return moved > 0 and one != other and len(one) == len(other)


def _clauses(reading: Reading) -> list[tuple[str, ...]]:
    by_clause: dict[int, list[str]] = {}
    for token in reading.tokens:
        by_clause.setdefault(token.clause, []).append(token.key)
    return sorted(tuple(keys) for keys in by_clause.values())
