"""When a statement takes another's place: it says so, or it gives the same thing another value.

Similarity never decides that. A statement retires another if it names the old value ("switched from X to Y", 从 X 换成
Y, 不再用 X) and the other states that value; or if both speak of the same thing in the same respect and differ only in
the value, of which the later one holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from omp.embed.guard import Reading, differences, read
from omp.embed.guard.differences import Difference
from omp.embed.guard.lexicon import lexicon
from omp.identity import normalise
from omp.model import Candidate, Memory, Struct

SAME_FRAME = 0.75
"""Share of the words around the values that two statements must have in common to speak of the same thing."""

_VALUE_KINDS = frozenset({"number", "path", "name", "negation", "modality", "slot", "word"})
_RETIRED = tuple(
    re.compile(p, re.I)
    for p in (
        r"\b(?:switch|switched|switching|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|chang(?:e|ed|ing)|went|upgraded|port(?:ed)?)\b"
        r"[^.;]{0,40}?\bfrom\s+(?P<x>[^.,;]+?)\s+(?:to|over to|onto)\b",
        r"\breplac(?:e|ed|ing)\s+(?P<x>[^.,;]+?)\s+(?:with|by)\b",
        r"\b(?:no longer|not any more|stopped|stop)\s+(?:us(?:e|ing)|need(?:ing)?|support(?:ing)?|run(?:ning)?"
        r"|on|want(?:ing)?|rely(?:ing)? on|depend(?:ing)? on|do(?:ing)?)?\s*(?P<x>[^.,;]+)",
        r"(?P<x>[^.,;，。；\s]+)\s+is (?:no longer (?:used|needed|supported)|gone|retired|deprecated|obsolete)\b",
        r"从\s*(?P<x>[^，。；]+?)\s*(?:迁移|切换|换|改|转|升级|搬|迁)(?:到|成|为|至)",
        r"(?:不再|不要再|停止|弃用|废弃|停用)\s*(?:使用|用|依赖|支持|采用|需要|跑在|走)?\s*(?P<x>[^，。；]+)",
        r"把\s*(?P<x>[^，。；]+?)\s*(?:换成|改成|改为|替换成|替换为|迁移到)",
        r"用\s*[^，。；]+?\s*(?:代替|替代|取代|替换)(?:了|掉)?\s*(?P<x>[^，。；]+)",
    )
)
_PERIOD = re.compile(r"(?:week|sprint|iteration|month|quarter|phase|round|year|day)\s*$|第\s*$", re.I)
_PERIOD_AFTER = re.compile(r"^\s*(?:周|期|轮|阶段|次|季度|个?迭代|年|月)")
_CLAUSE = re.compile(r"[，,;；。]|\.\s|\band\b|、")
_REASON = re.compile(
    r"^\s*(?:because|since|as it|so that|due to|for the|which|when|if|after|before|原因|因为|由于|以便|所以|当|如果)",
    re.I,
)
_REMINDER = re.compile(
    r"^\s*(?:please\s+)?(?:do not|don'?t|never)\s+forget\s+to\s+(?P<en>\w+)"
    r"|^\s*(?:please\s+)?remember\s+to\s+(?P<en2>\w+)"
    r"|(?:别忘了|不要忘了|不要忘记|记得)(?P<zh>[^，。；]{2})",
    re.I,
)


class Part(Struct, frozen=True, kw_only=True):
    """What a retirement leaves of a statement that said several things: the retired part and the rest."""

    gone: str
    rest: str


def retired(candidate: Candidate) -> str:
    """Give the old value or statement that a candidate says is over, "" if it says nothing of the kind."""
    return candidate.retires or retired_by(candidate.claim)


def retired_by(claim: str) -> str:
    """Give the old value or statement that a text says is over, "" if it says nothing of the kind."""
    for pattern in _RETIRED:
        if match := pattern.search(claim):
            return match["x"].strip()
    return ""


def states(memory: Memory, value: str, claim: str) -> bool:
    """Tell whether an entry states the value that a claim retires: it names it, without denying it itself."""
    if not value:
        return False
    reading, wanted = read(memory.claim), read(value)
    if read(claim).words == reading.words or _plain(retired_by(memory.claim)) == _plain(value):
        return False
    names = wanted.names or wanted.words
    if not names:
        return _plain(value) in _plain(memory.claim)
    return names <= (reading.words - {w for w, _ in reading.denied.items() if w not in reading.stated})


def _plain(text: str) -> str:
    return normalise(unicodedata.normalize("NFKC", text))


def part(memory: Memory, value: str) -> Part | None:
    """Split an entry that says several things of its own into what names `value` and the rest; None if it says one."""
    cuts = [m.span() for m in _CLAUSE.finditer(memory.claim)]
    edges = [0, *(e for _, e in cuts)]
    ends = [*(s for s, _ in cuts), len(memory.claim)]
    clauses = [memory.claim[s:e].strip() for s, e in zip(edges, ends, strict=True)]
    clauses = [c for c in clauses if c]
    wanted = read(value).names or read(value).words
    gone = [c for c in clauses if wanted & read(c).words or _plain(value) in _plain(c)]
    rest = [c for c in clauses if c not in gone]
    if not gone or not any(len(read(c).tokens) >= 2 for c in rest) or any(_REASON.match(c) for c in rest):
        return None
    joint = "，" if read(memory.claim).chinese else ", "
    return Part(gone=joint.join(gone), rest=joint.join(rest))


def same_frame(new: str, old: str) -> bool:
    """Tell whether two statements give the same thing, in the same respect, other values.

    The words that are no values (names, numbers, what the guard found to differ) must be mostly the same, and every
    difference must be one of value. Two times ("in week 3", "in week 9") are two events, not an update.
    """
    one, other = read(new), read(old)
    found = [d for d in differences(one, other) if d.hard]
    if not found or any(d.kind not in _VALUE_KINDS for d in found) or _periods(one, other):
        return False
    if all(d.kind == "word" for d in found):  # another word may be another thing; no value says that it is the same
        return False
    values = _values(one, other, found)
    left, right = _frame(one, values), _frame(other, values)
    if not left and not right:
        return True
    if not left or not right:
        return False
    return len(left & right) >= SAME_FRAME * len(left | right)


def _values(one: Reading, other: Reading, found: Sequence[Difference]) -> frozenset[str]:
    """Give the words that are the differing values themselves."""
    words: set[str] = set(lexicon().slot_words["modality"])
    for difference in found:
        if difference.kind in ("word", "name"):
            words |= {w for side in difference.reason.partition(":")[2].split(" / ") for w in side.split()}
    for slot in one.slots.keys() & other.slots.keys():
        if not one.slots[slot] & other.slots[slot]:
            words |= lexicon().slot_words[slot]
    return frozenset(words)


def _frame(reading: Reading, values: frozenset[str]) -> frozenset[str]:
    return frozenset(t.key for t in reading.tokens if not t.name and t.key not in values)


def _periods(one: Reading, other: Reading) -> bool:
    """Tell whether both texts number a period, and number it differently."""
    numbered = [
        {
            q.raw
            for q in r.quantities
            if _PERIOD.search(r.text[: q.start])
            or (not q.of and _PERIOD_AFTER.match(r.text[q.end :]) and r.text[: q.start].endswith("第"))
        }
        for r in (one, other)
    ]
    return bool(numbered[0] and numbered[1] and numbered[0] != numbered[1])


def adds(new: str, old: str) -> bool:
    """Tell whether a reminder ("do not forget to X") adds something the other statement does not speak of."""
    match = _REMINDER.search(new)
    if match is None or _REMINDER.search(old):
        return False
    verb = match["en"] or match["en2"] or match["zh"]
    return not read(verb).words <= read(old).words
