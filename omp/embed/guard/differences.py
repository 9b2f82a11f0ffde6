"""What two readings state differently: one check a kind, each giving differences with a reason a person can read.

A check speaks only where both texts say something: a detail that one of them leaves out is no contradiction.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import product

from omp.embed.guard.lexicon import HAN, lexicon, stem
from omp.embed.guard.numbers import Quantity, same
from omp.embed.guard.order import order
from omp.embed.guard.reading import Reading
from omp.model import Struct

ALIKE = 0.6
"""Share of content words in the same order from which one exchanged word is taken to be the difference."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing two texts state differently. `hard`: enough by itself that they are not one statement."""

    kind: str
    reason: str
    hard: bool = True


def differences(a: Reading, b: Reading) -> list[Difference]:
    """Give all differences of two readings, in a fixed order of kinds."""
    found = [*_numbers(a, b), *_paths(a, b), *_names(a, b), *_negation(a, b), *_slots(a, b)]
    if word := _word(a, b):
        found.append(word)
    if order(a, b):
        found.append(Difference(kind="order", reason="order"))
    return found


def _numbers(a: Reading, b: Reading) -> list[Difference]:
    left, right = list(a.quantities), list(b.quantities)
    for one in a.quantities:
        partner = next((q for q in right if same(one, q)), None)
        if partner is not None:
            left.remove(one)
            right.remove(partner)
    left = [q for q in left if not _said_twice(q, b.quantities)]
    right = [q for q in right if not _said_twice(q, a.quantities)]
    if not left or not right or all(q.weak for q in (*left, *right)):
        return []
    one, other = next(((p, q) for p, q in product(left, right) if p.of == q.of), (left[0], right[0]))
    kind = "number" if one.of == other.of and _same_thing_counted(a, one, b, other) else "quantity"
    if one.of != other.of and (one.weak or other.weak):
        return []
    texts = (a.text[one.start : one.end].strip(), b.text[other.start : other.end].strip())
    return [Difference(kind=kind, reason=f"number: {texts[0]} / {texts[1]}")]


_COUNTED = re.compile(rf"[\s-]*(?P<en>[A-Za-z]+)|\s*(?P<zh>[{HAN}])")


def _same_thing_counted(a: Reading, one: Quantity, b: Reading, other: Quantity) -> bool:
    """Tell whether two plain numbers count the same thing as far as the next word shows."""
    if one.of or other.of:
        return True
    after = [_COUNTED.match(r.text, q.end) for r, q in ((a, one), (b, other))]
    if after[0] is None or after[1] is None or (after[0]["en"] is None) != (after[1]["en"] is None):
        return True
    if after[0]["zh"]:
        return after[0]["zh"] == after[1]["zh"] or "个" in (after[0]["zh"], after[1]["zh"])
    left, right = stem(after[0]["en"]), stem(after[1]["en"])
    empty = lexicon().empty_words
    return left == right or left in empty or right in empty


def _said_twice(quantity: Quantity, others: tuple[Quantity, ...]) -> bool:
    return any(same(quantity, other) for other in others)


def _paths(a: Reading, b: Reading) -> list[Difference]:
    left = sorted(p for p in a.paths if not any(_same_path(p, q) for q in b.paths))
    right = sorted(q for q in b.paths if not any(_same_path(p, q) for p in a.paths))
    if not left or not right:
        return []
    return [Difference(kind="path", reason=f"path: {left[0]} / {right[0]}")]


def _same_path(a: str, b: str) -> bool:
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def _names(a: Reading, b: Reading) -> list[Difference]:
    left = sorted(n for n in a.names - a.denied.keys() if not _known_to(n, b))
    right = sorted(n for n in b.names - b.denied.keys() if not _known_to(n, a))
    # A person's name in Chinese characters may be the same person's as one in letters: nobody can tell from here.
    pairs = [(p, q) for p, q in product(left, right) if p.isascii() == q.isascii()]
    pairs = pairs or _variants(a, b)
    return [Difference(kind="name", reason=f"name: {one} / {other}") for one, other in pairs[:1]]


_PARTS = re.compile(r"[-_.]")


def _variants(a: Reading, b: Reading) -> list[tuple[str, str]]:
    """Find identifiers that share a part and differ in another, `logs-eu` and `logs-us`, each unknown to the other."""
    left = sorted(w for w in a.words - b.words if _PARTS.search(w) and w.isascii())
    right = sorted(w for w in b.words - a.words if _PARTS.search(w) and w.isascii())
    found = []
    for p, q in product(left, right):
        one, other = ({stem(part) for part in _PARTS.split(word)} for word in (p, q))
        if one & other and one - other and other - one:
            found.append((p, q))
    return found


def _known_to(name: str, other: Reading) -> bool:
    """Tell whether the other text speaks of this name, in any form."""
    return any(_same_name(name, word) for word in other.words) or any(name in p for p in other.paths)


def _same_name(a: str, b: str) -> bool:
    if a == b:
        return True
    distinct = lexicon().distinct
    short, long = sorted((a, b), key=len)
    return len(short) >= 3 and long.startswith(short) and short not in distinct and long not in distinct


def _negation(a: Reading, b: Reading) -> list[Difference]:
    """Compare what one text denies with what the other states: more against than with it is a difference."""
    against: dict[str, int] = {}
    agree = 0
    for one, other in ((a, b), (b, a)):
        stated, denied = other.stated, other.words - other.stated
        for word, weight in one.denied.items():
            if word in one.stated:
                continue
            if word in stated:
                against[word] = max(weight, against.get(word, 0))
            elif word in denied:
                agree += weight
    if not against or sum(against.values()) * 2 <= agree:
        return []
    word = min(against, key=lambda w: (-against[w], w))
    return [Difference(kind="negation", reason=f"negation: {word}")]


def _slots(a: Reading, b: Reading) -> list[Difference]:
    words = lexicon()
    found = []
    for name in sorted(a.slots.keys() & b.slots.keys()):
        left, right = a.slots[name], b.slots[name]
        if left & right:
            continue
        faint = name in words.faint
        shared_number = any(same(p, q) for p in a.quantities for q in b.quantities)
        if faint and any(v.startswith("not ") for v in left | right):
            continue
        if name == "modality" and left | right <= {"must", "forbid"}:
            continue  # "at least 90 is a must" and "less than 90 is forbidden"; polarity is the negation check's
        if name in ("modality", "daypart", "bound") and shared_number:
            continue  # a limit or time said in other words: "at 1:00 in the night", "one in the morning"
        found.append(
            Difference(
                kind="modality" if name == "modality" else "faint" if faint else "slot",
                reason=f"{name.replace('_', ' ')}: {min(left)} / {min(right)}",
                hard=name == "modality" or not faint or _alike(a, b) >= ALIKE,
            )
        )
    for one, other, turn in ((a, b, False), (b, a, True)):
        if one.exclusive and not other.exclusive and "all" in other.slots.get("amount", ()) and _alike(a, b) >= ALIKE:
            found.append(Difference(kind="slot", reason="amount: all / only" if turn else "amount: only / all"))
    return found


def _alike(a: Reading, b: Reading) -> float:
    """Give the share of words that both texts have."""
    one, other = a.words, b.words
    return len(one & other) / max(1, min(len(one), len(other)))


def _word(a: Reading, b: Reading) -> Difference | None:
    """Find the one word that was exchanged where all else stands word for word, in one language."""
    if a.chinese != b.chinese:
        return None
    left, right = [t.key for t in a.tokens], [t.key for t in b.tokens]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    changed = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    same_words = len(left) - sum(op[2] - op[1] for op in changed)
    limit = 3 if a.chinese else 2
    if len(changed) != 1 or changed[0][0] != "replace" or same_words < ALIKE * max(len(left), len(right)):
        return None
    _, i, j, k, m = changed[0]
    if j - i > limit or m - k > limit:
        return None
    if any(len(w) == 1 and not w.isascii() for w in (*left[i:j], *right[k:m])):
        return None  # what is left of a Chinese word where neighbours were known says little
    slots = lexicon().slot_words
    for name in a.slots.keys() & b.slots.keys():
        if a.slots[name] & b.slots[name] and all(w in slots[name] for w in (*left[i:j], *right[k:m])):
            return None  # two words for one value
    return Difference(kind="word", reason=f"word: {' '.join(left[i:j])} / {' '.join(right[k:m])}")
