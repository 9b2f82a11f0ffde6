"""Who proposed and who approved: what a short answer means, which takes its content from the turn before.

Everything here is a function of a message's words and the assistant's last turn.
"""

from __future__ import annotations

import re

from omp.extract import text as words
from omp.extract.text import Sentence
from omp.model import CleanEvent, Struct
from omp.rules import Rules

_ORDINAL = re.compile(
    r"\b(?:(?P<first>first|1st|former|number one|option (?:1|a)|#1)|(?P<second>second|2nd|number two"
    r"|option (?:2|b)|#2)"
    r"|(?P<third>third|3rd|number three|option (?:3|c)|#3)|(?P<last>last|latter))\b"
    r"|(?P<zh1>第[一1]|前者|前一?个|方案[一1A])|(?P<zh2>第[二两2]|方案[二2B])|(?P<zh3>第[三3]|方案[三3C])"
    r"|(?P<zh4>最后|后者|后一?个)"
    r"|(?:\b(?:with|take|use|pick|option)|用|选|就|走)\s*(?P<letter>[A-D])(?![A-Za-z])",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"(?:^|\n|[：:。.;；]\s*)\s*(?:option|方案|选项|办法)?\s*(?:[1-9一二三][.)、:：]|[A-D][.)、:：]|\(?[a-d]\)"
    r"|[①②③④])\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:i(?:'d| would)? (?:propose|suggest|recommend|go for|go with|rather|pick|take|say)(?: to| that"
    r"| we)?|my (?:proposal|suggestion|recommendation)(?: is)?|proposal|suggestion"
    r"|we (?:can|could)|i (?:can|could)|(?:you|one) could|how about|the (?:simple|simplest|clean|cleanest|cheap"
    r"|safe|better|best|usual|easy) (?:way|option|fix|approach|choice)(?: is| would be)?(?: to)?|then)\b"
    r"|(?:我)?(?:建议|推荐|提议|倾向)(?:是|用)?|可以(?:先)?|我可以|不如|我来|方案(?:是)?)[:：,，]?\s*",
    re.IGNORECASE,
)
_CHOICE_EN = re.compile(r"^(?P<head>.*?)(?P<a>[\w.\-/%]+) or (?P<b>[\w.\-/%]+)(?P<tail>[^?]*)\?\s*$", re.IGNORECASE)
_CHOICE_ZH = re.compile(
    r"^(?P<head>.*?)(?P<a>[^，。\s]{1,12}?)(?:还是|或)(?P<b>[^，。？?\s]{1,12})(?P<tail>[^？?]*)[？?]\s*$"
)
_SHALL = re.compile(r"^(?:so[, ]+)?(?:shall|should|do|will|would) (?:the |we |i )?", re.IGNORECASE)


class Turn(Struct, frozen=True, kw_only=True):
    """The assistant's last turn: its messages, whether a tool ran in it, and whether it is still unanswered."""

    events: tuple[CleanEvent, ...] = ()
    tools: tuple[CleanEvent, ...] = ()

    @property
    def text(self) -> str:
        """All that was said in it."""
        return "\n".join(e.text for e in self.events)


class Proposal(Struct, frozen=True, kw_only=True):
    """What was proposed: the words, the message they stand in, and the options that were not taken."""

    text: str
    quote: str
    event: CleanEvent
    others: tuple[str, ...] = ()


def acts(text: str, rules: Rules) -> frozenset[str]:
    """Give the ids of the discourse rules that fire in a message or sentence."""
    return frozenset(r.id for r in rules.discourse if r.search(text) is not None)


def options(text: str) -> list[str]:
    """Give the listed options of a message ("1. ...", "Option A: ...", "①"), in order; fewer than two count as none."""
    marks = list(_OPTION.finditer(text))
    parts = []
    for n, mark in enumerate(marks):
        end = marks[n + 1].start() if n + 1 < len(marks) else len(text)
        part = text[mark.end() : end].strip().split("\n")[0].strip()
        if part:
            parts.append(part)
    if len(parts) > 1:
        return parts
    inline = _EITHER.search(text)
    return [p.strip() for p in inline.groups() if p] if inline else []


_EITHER = re.compile(
    r"\beither ([^.?!\n]{2,80}?),? or ([^.?!\n]{2,120}?)(?=[.?!\n]|$)"
    r"|要么([^，,。\n]{2,40})[，,]?\s*要么([^，,。\n]{2,40})",
    re.IGNORECASE,
)


def proposed(turn: Turn, answer: str, rules: Rules) -> Proposal | None:
    """Give what `answer` approves of in the assistant's last turn, or None when nothing durable was proposed there."""
    for event in reversed(turn.events):
        found = _listed(event, answer) or _spoken(event, answer, rules)
        if found is not None:
            return found
    return None


def _listed(event: CleanEvent, answer: str) -> Proposal | None:
    listed = options(event.text)
    if not listed:
        return None
    if not _OFFERED.search(event.text) and not _ORDINAL.search(answer):
        return None
    chosen = _chosen(listed, answer)
    if chosen is None:
        return None
    others = tuple(words.shorten(o, 120) for n, o in enumerate(listed) if n != chosen)
    first = words.sentences(listed[chosen])
    quote = first[0].text if first else listed[chosen]
    return Proposal(text=listed[chosen], quote=quote, event=event, others=others)


_OFFERED = re.compile(
    r"\boptions?\b|\b(?:two|three|four|several) (?:ways|options|approaches|choices|possibilities|routes)\b"
    r"|either|alternativ"
    r"|方案|思路|办法|选项|做法|两种|三种|要么",
    re.IGNORECASE,
)
"""A list is one of options only where the message says so; other lists tell what was done."""


def _chosen(listed: list[str], answer: str) -> int | None:
    found = _ORDINAL.search(answer)
    if found is not None:
        if found["letter"]:
            place = "ABCD".index(found["letter"].upper())
        else:
            name = next(n for n, v in found.groupdict().items() if v is not None)
            place = {"first": 0, "zh1": 0, "second": 1, "zh2": 1, "third": 2, "zh3": 2}.get(name, len(listed) - 1)
        return place if place < len(listed) else None
    asked = words.content(answer)
    scores = [len(asked & words.content(o)) for o in listed]
    best = max(scores)
    return scores.index(best) if best and scores.count(best) == 1 else None


def _spoken(event: CleanEvent, answer: str, rules: Rules) -> Proposal | None:
    said = words.sentences(event.text)
    marked = [(s, acts(words.plain(s.text), rules)) for s in said]
    offers = [
        n
        for n, (s, a) in enumerate(marked)
        if "talk.proposal" in a
        and "talk.errand" not in a
        and not s.text.endswith(("?", "？"))
        and not _REPORT.match(s.text)
    ]
    if not offers:
        return None
    asked = words.content(answer)
    overlap = {
        n: len(asked & words.content(s.text))
        for n, s in enumerate(said)
        if not s.text.endswith(("?", "？")) and not _REPORT.match(s.text)
    }
    most = max(overlap.values(), default=0)
    first = [n for n in offers if "talk.alternative" not in marked[n][1]] or offers
    start = max(overlap, key=lambda n: (overlap[n], -n)) if most else first[0]
    taken = said[start].text
    end = start
    for n in range(start + 1, len(said)):
        nearby = said[n]
        if (
            "talk.alternative" in marked[n][1]
            or nearby.text.endswith(("?", "？"))
            or len(taken) + len(nearby.text) > 280
        ):
            break
        taken, end = f"{taken} {nearby.text}" if not words.chinese(taken) else taken + nearby.text, n
    others = tuple(
        words.shorten(s.text, 120)
        for n, (s, a) in enumerate(marked)
        if "talk.alternative" in a and not start <= n <= end
    )
    if words.width(taken) < 24:
        return None
    return Proposal(text=_LEAD.sub("", taken), quote=said[start].text, event=event, others=others)


OFFER_LIMIT = 400
"""Characters up to which a message can be a short offer of options; longer ones name too much."""
_REPORT = re.compile(
    r"^\W*(?:let me|now let|i'll (?:check|look|see|start|run|read)|i (?:have|will)|looking|checking|created"
    r"|added|fixed"
    r"|updated|done|changed|removed|moved|已|我先|我来(?:看|查|检)|让我|现在|好的)",
    re.IGNORECASE,
)
_DOING = re.compile(r"(?:i|you|we) (?:\w+ed|did|am|was|were|just)\b|我(?:刚|已|把)|你(?:怎么|刚|又)", re.IGNORECASE)
_OPTIONS = re.compile(
    r"[\w./-]+ or [\w./-]+|还是|或者?|要么|either|both work|都行|都可以|折中|[，,、].{1,16}[？?]$", re.IGNORECASE
)


def chosen(turn: Turn, question: str, answer: str) -> bool:
    """Tell whether `answer` picks one of the options that the person (`question`) or the assistant has just named."""
    named_by = [t for t in (question, turn.events[-1].text if turn.events else "") if len(t) <= OFFER_LIMIT]
    offered = "\n".join(named_by)
    if not _OPTIONS.search(offered):
        return False
    lead = re.split(r"[.。!！;；]|(?<![\d])[，,]", words.unfilled(answer), maxsplit=1)[0]
    picked = words.content(lead)
    named = words.content(offered)
    return bool(picked & named) and words.width(lead) <= 40 and not _DOING.match(lead)


def answered(turn: Turn, answer: str) -> Proposal | None:
    """Give the statement made by a bare answer to a choice ("3 or 5?" "5"), or None when the turn asked no choice."""
    if not turn.events:
        return None
    event = turn.events[-1]
    said = words.sentences(event.text)
    reply = words.unfilled(answer).strip(" .。!！吧")
    if not said or not reply:
        return None
    question = said[-1].text
    for pattern in (_CHOICE_EN, _CHOICE_ZH):
        found = pattern.match(question)
        if found is None:
            continue
        taken = [x for x in ("a", "b") if _means(reply, found[x])]
        if len(taken) != 1:
            return None
        other = found["b" if taken[0] == "a" else "a"]
        picked = reply if words.width(reply) >= words.width(found[taken[0]]) else found[taken[0]]
        statement = f"{_SHALL.sub('', found['head'])}{picked}{found['tail']}"
        return Proposal(text=statement, quote=question, event=event, others=(other,))
    return None


def _means(reply: str, option: str) -> bool:
    a, b = words.plain(reply).lower(), words.plain(option).lower()
    return bool(b) and (a == b or a.split()[-1:] == b.split()[-1:] or (len(b) > 1 and b in a))


def statement(sentences: list[Sentence], limit: int) -> str:
    """Join sentences of one message to a statement of at most `limit` characters."""
    joined = ""
    for s in sentences:
        glue = "" if not joined or words.chinese(joined[-1:]) or joined[-1:] in "。！？；" else " "
        if joined and len(joined) + len(s.text) + 1 > limit:
            break
        joined = f"{joined}{glue}{s.text}"
    return joined
