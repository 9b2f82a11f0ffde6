"""Which sentences of a message make a statement, and the candidate it becomes."""

from __future__ import annotations

import re

from omp.extract import discourse, fields, shapes
from omp.extract import text as words
from omp.extract.reading import STEPS, UNKNOWN, Reading, read
from omp.extract.text import Sentence
from omp.model import Candidate, Kind
from omp.rules import Rules

LEAST = 0.55
"""Strength below which a sentence is not even staged: one weak sign alone (own conversations: mostly chatter)."""
SURE = 0.78
"""Strength from which a statement counts as said outright."""
JOINING: frozenset[Kind] = frozenset({"decision", "constraint", "service_config", "lesson"})
"""Kinds that explain each other in neighbouring sentences; the rest make statements of their own."""
LONG_PASTE = 1600
"""Characters from which a message is taken for pasted matter: only its first and last paragraph are the person's."""
SALIENT = 0.8
"""Salience from which a message that no rule read is staged (project's own conversations, one file left out)."""
CERTAIN = 0.95
"""Salience from which not even a weak sign is needed."""
WEAK = 0.4
"""Strength before flags from which a weak sign settles the kind of such a message."""
_YEARS = re.compile(
    r"\byears\b.{0,40}\b(?:me|my|i)\b|\b(?:i|my)\b.{0,60}\byears\b|[干做搞写教]了?.{0,3}年", re.IGNORECASE
)
APART = 0.7
"""Strength from which a neighbouring sentence of another kind makes a statement of its own."""
PASTED_LINES = 20
"""Lines from which a message is taken for pasted matter too."""
HEADED_LINES = 6
"""Lines below such a heading that are taken for what it announces."""
_HEADING = re.compile(
    r"[#*\s]*(?:important|critical|rules?|constraints?|principles?|must|重要|注意|原则|约束|规则|要求)[*\s]*[:：]?[*\s]*",
    re.IGNORECASE,
)
SENTENCE_LIMIT = 400
"""Characters from which a stretch without an end is no sentence somebody wrote."""
LEAST_WIDTH = 10
"""Letters and digits (a Chinese character counts two) below which nothing is said that could last."""
_BLOCKED = frozenset(f"trivial.{name}" for name in ("question", "request", "thanks", "chat", "sarcasm", "one_off"))
"""What may not join a statement."""


def own_part(said: list[Sentence], length: int) -> list[Sentence]:
    """Give the sentences that are the person's own words: no code, of a long paste only its first and last lines and
    what stands below a heading such as "IMPORTANT:"."""
    ends = {said[0].paragraph, said[-1].paragraph} if said else set()
    if length >= LONG_PASTE or len({s.paragraph for s in said}) > PASTED_LINES:
        said = [s for s in said if s.paragraph in ends | _headed(said)]
    return [s for s in said if len(s.text) < SENTENCE_LIMIT and not shapes.code_shaped(s.text)]


def _headed(said: list[Sentence]) -> set[int]:
    """Give the lines right below a heading that says they are to hold."""
    lines: set[int] = set()
    for heading in (s for s in said if _HEADING.fullmatch(s.text.strip())):
        lines |= set(range(heading.paragraph + 1, heading.paragraph + 1 + HEADED_LINES))
    return lines


def groups(said: list[Sentence], readings: list[Reading], rules: Rules) -> list[list[int]]:
    """Give the sentences that make one statement each: those that state something, with neighbours that go on.

    A sentence that would state something but was ruled out stands alone, so that it can be told why.
    """
    kinds = [r.best if r.best[1] >= LEAST else None for r in readings]
    open_at = _open_questions(said, readings, rules)
    result: list[list[int]] = []
    n = 0
    while n < len(said):
        if kinds[n] is None and n not in open_at:
            if readings[n].silenced[1] >= LEAST:
                result.append([n])
            n += 1
            continue
        own = kinds[n]
        kind: Kind = "open_question" if n in open_at or own is None else own[0]
        group = [n]
        while n + 1 < len(said) and _joins(kind, said, readings, kinds, n + 1):
            n += 1
            group.append(n)
        result.append(group)
        n += 1
    _look_back(result, said, readings, kinds)
    return result if any(kinds[g[0]] for g in result) else _together(said, readings, rules) or result


def _open_questions(said: list[Sentence], readings: list[Reading], rules: Rules) -> set[int]:
    """Give the sentences that name something unknown, where the message also names a next step."""
    stepped = any(r.hits & STEPS for r in readings)
    if not stepped:
        stepped = "open_question" in read(words.plain(discourse.statement(said, 900)), rules).strength
    return {n for n, r in enumerate(readings) if stepped and r.hits & UNKNOWN}


def _joins(
    kind: Kind, said: list[Sentence], readings: list[Reading], kinds: list[tuple[Kind, float] | None], n: int
) -> bool:
    """Tell whether sentence `n` goes on with the statement of `kind` before it."""
    if said[n].item or said[n].paragraph - said[n - 1].paragraph > 1:
        return False
    if shapes.secret_shaped(said[n].text) or not _goes_on(readings[n], said[n]):
        return False
    own = kinds[n]
    if own is None or own[0] == kind or kind == "open_question" or own[1] < APART:
        return True
    return own[0] in JOINING and kind in JOINING


def _together(said: list[Sentence], readings: list[Reading], rules: Rules) -> list[list[int]]:
    """Give all sentences as one statement where only together they state something strongly."""
    whole = [n for n, s in enumerate(said) if _goes_on(readings[n], s) and not shapes.secret_shaped(s.text)]
    if len(whole) < 2 or any(said[n].item for n in whole):
        return []
    joined = read(words.plain(discourse.statement([said[n] for n in whole], 600)), rules)
    return [whole] if joined.best[1] >= APART else []


def _look_back(
    groups: list[list[int]], said: list[Sentence], readings: list[Reading], kinds: list[tuple[Kind, float] | None]
) -> None:
    """Let a lesson or milestone take in the sentence before it, which often says what the cue sentence concludes."""
    taken = {n for g in groups for n in g}
    for group in groups:
        before = group[0] - 1
        own = kinds[group[0]]
        if own is None or own[0] not in ("lesson", "milestone") or before < 0 or before in taken:
            continue
        same = said[before].paragraph == said[group[0]].paragraph
        if same and _goes_on(readings[before], said[before]) and not shapes.secret_shaped(said[before].text):
            group.insert(0, before)


def _goes_on(reading: Reading, sentence: Sentence) -> bool:
    """Tell whether a sentence may belong to a statement: no question, request, thanks or chatter."""
    return not (reading.flags & _BLOCKED) and not words.asks_or_thanks(sentence.text)


def made(
    group: list[Sentence], readings: list[Reading], asked: bool, rules: Rules
) -> tuple[Candidate, Sentence] | None:
    """Give the candidate that a group of sentences makes (without evidence) and the sentence that states it.

    None when the sentences state nothing; a statement that was ruled out carries `drop`.
    """
    limit = int(rules.thresholds["claim_characters"])
    joined = discourse.statement(group, 2 * limit)
    whole = readings[0]
    if len(group) > 1:
        whole = read(words.plain(words.unglued(words.unfilled(words.own_words(joined)))), rules)
    kind, strength = max((r.best for r in (*readings, whole)), key=lambda b: b[1])
    if whole.strength.get("open_question", 0.0) >= 0.6:
        kind, strength = "open_question", whole.strength["open_question"]
    lost, before = max((r.silenced for r in (*readings, whole)), key=lambda b: b[1])
    drop = ""
    if asked:
        kind, strength = (kind if strength >= 0.3 else _asked_kind(joined)), 0.95
    elif strength < LEAST:
        if before < LEAST:
            return None
        kind, drop = lost, _reason(readings)
    stating = [n for n, s in enumerate(group) if not fields.rejected(s.text)]
    if stating and len(stating) < len(group):
        group, readings = [group[n] for n in stating], [readings[n] for n in stating]
    core = max(zip(group, readings, strict=True), key=lambda p: p[1].strength.get(kind, 0.0))[0]
    claim, rationale = _claim(group, core, limit)
    if words.width(claim) < LEAST_WIDTH and not asked:
        drop = drop or "too short"
    candidate = Candidate(
        kind=kind,
        claim=claim,
        rationale=rationale,
        evidence=(),
        confidence=_confidence(strength),
        rules=tuple(sorted({h for r in (*readings, whole) for h in r.hits})),
        asked=asked,
        drop=drop,
    )
    return fields.filled(candidate), core


def unmarked(
    said: list[Sentence], readings: list[Reading], chance: float, answering: bool, rules: Rules
) -> tuple[Candidate, Sentence] | None:
    """Give the candidate of a message that no rule read but that is built like a durable statement, or None.

    `chance` is its salience; the kind is the likeliest by weak signs, else by form. Never sure enough to be kept
    without asking.
    """
    limit = int(rules.thresholds["claim_characters"])
    whole = [n for n, s in enumerate(said) if _goes_on(readings[n], s) and not shapes.secret_shaped(s.text)]
    if not whole or any(readings[n].flags for n in whole):
        return None
    group = [said[n] for n in whole]
    core = max(group, key=lambda s: words.width(s.text))
    claim, rationale = _claim(group, core, limit)
    reading = read(words.plain(words.unfilled(words.own_words(discourse.statement(group, 2 * limit)))), rules)
    if reading.flags or not (reading.raw or reading.standing or chance >= CERTAIN):
        return None
    candidate = Candidate(
        kind=_likely_kind(reading, claim, answering),
        claim=claim,
        rationale=rationale,
        evidence=(),
        confidence=round(0.45 + 0.24 * (chance - SALIENT) / (1 - SALIENT), 2),
        rules=("salience", *sorted(reading.hits)),
    )
    return fields.filled(candidate), core


def _likely_kind(reading: Reading, claim: str, answering: bool) -> Kind:
    kind, strength = reading.silenced
    if strength >= WEAK:
        return kind
    by_form: tuple[tuple[str, Kind], ...] = (
        ("form.url", "deployment"),
        ("form.path", "path"),
        ("form.setting", "service_config"),
        ("form.host", "service_config"),
    )
    for rule, likely in by_form:
        if rule in reading.hits:
            return likely
    if _YEARS.search(claim):
        return "skill"
    return "decision" if answering else "constraint"


def _claim(group: list[Sentence], core: Sentence, limit: int) -> tuple[str, str]:
    """Give claim and rationale: the sentences as one claim while they fit, else the core and the rest beside it."""
    joined = discourse.statement(group, 2 * limit)
    claim = words.trim(joined, limit)
    if len(claim) <= limit and len(joined) <= limit + 40:
        return claim, fields.reason_in(claim)
    rest = discourse.statement([s for s in group if s is not core], limit)
    return words.trim(core.text, limit), words.trim(rest, limit) if rest else ""


def _confidence(strength: float) -> float:
    if strength >= SURE:
        return 0.9
    if strength < LEAST:
        return round(0.39 * strength / LEAST, 2)
    return round(0.4 + (strength - LEAST) / (SURE - LEAST) * 0.45, 2)


def _asked_kind(text: str) -> Kind:
    personal = any(w in text.lower().split() for w in ("i", "me", "my", "i'm")) or ("我" in text and "我们" not in text)
    return "preference" if personal else "constraint"


def _reason(readings: list[Reading]) -> str:
    flags = sorted({f.partition(".")[2] for r in readings for f in r.flags})
    return ", ".join(flags).replace("_", " ") or "weak"
