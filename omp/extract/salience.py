"""How likely a message says something that lasts, whatever words it uses: a small trained model over its build.

Most durable statements hold no cue word. What marks them is how they are built and where they stand: length, clauses,
an answer to what the assistant asked or proposed, numbers and names, signs of standing; and what speaks against them:
questions, requests, the first message of a talk, a remark on a bare "Done." The weights are data in
`rules/salience.yaml`, trained by `scripts/train_classifier` on the project's own labelled conversations.
"""

from __future__ import annotations

import math
import re

from omp.extract import discourse
from omp.extract import text as words
from omp.extract.discourse import Turn
from omp.extract.reading import Reading, read
from omp.rules import Rules

_CLAUSE = re.compile(r"[,，;；。.!！?？\n—:：]+")
_SELF = re.compile(r"\b(?:i|i'm|i've|my|me)\b|我(?!们)", re.IGNORECASE)
_GROUP = re.compile(r"\b(?:we|our|us)\b|我们|咱", re.IGNORECASE)
_OTHER = re.compile(r"\byou\b|你", re.IGNORECASE)
_POINTING = re.compile(r"\s*(?:it|that|this|still|there)\b", re.IGNORECASE)
_PAST = re.compile(r"\b\w+ed\b", re.IGNORECASE)
_PRESENT = re.compile(
    r"\b(?:is|are|goes|go|has|have|needs?|stays?|lives?|sits?|gets?|keeps?|uses?|runs?|sorts?|belongs?|comes?|takes?|reads?"
    r"|means?|works?|wants?)\b",
    re.IGNORECASE,
)
_STATE_ZH = re.compile(r"是|有|得|要|只|都|能|会|用|按|留|归|放|走")
_DONE_ZH = re.compile(r"了[。！!]?$")
_MOOD = re.compile(r"[😂🎉👍😄😅]|haha|\blol\b|哈哈", re.IGNORECASE)
_PEOPLE = re.compile(r"\b(?:they|them|he|she|nobody|people|users?|customers?)\b|他们|客户|用户", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+")
_IDENTIFIERS = frozenset({"form.path", "form.setting", "form.host", "form.url"})
SHORT_REPORT = 25
"""Width below which the assistant's turn is a bare report ("Done.")."""


def features(message: str, turn: Turn, rules: Rules) -> dict[str, float]:
    """Give the features of a message by name; `message` in plain forms with quotations blanked out."""
    text = words.unglued(words.unfilled(message.strip())) or message
    reading = read(text, rules)
    width = words.width(message)
    clauses = sum(words.width(c) >= 4 for c in _CLAUSE.split(text))
    before = turn.events[-1].text if turn.events else ""
    acts = discourse.acts(words.plain(before), rules) if before else frozenset()
    zh = words.chinese(message)
    return {
        "width": math.log1p(width) / 4,
        **{f"width_{n}": float(width >= n) for n in (30, 45, 60, 80)},
        **{f"clauses_{n}": float(clauses >= n) for n in (2, 3, 4)},
        **_how(text, reading, zh),
        "invited": float(before.rstrip().endswith(("?", "？"))),
        "proposed": float("talk.proposal" in acts),
        "after_report": float(bool(before) and words.width(before) < SHORT_REPORT),
        "opening": float(not before),
        "retract": float("talk.retract" in discourse.acts(message, rules)),
    }


def _how(text: str, reading: Reading, zh: bool) -> dict[str, float]:
    """Features of the wording alone."""
    found = {
        "asks": "?" in text or "？" in text,
        "question": "trivial.question" in reading.flags,
        "request": "trivial.request" in reading.flags,
        "flagged": bool(reading.flags),
        "self": _SELF.search(text),
        "group": _GROUP.search(text),
        "you": _OTHER.search(text),
        "pointing": _POINTING.match(text),
        "past": _PAST.search(text),
        "digits": any(c.isdigit() for c in text),
        "identifier": reading.hits & _IDENTIFIERS,
        "quantity": "form.quantity" in reading.hits,
        "present": _PRESENT.search(text),
        "state_zh": zh and _STATE_ZH.search(text),
        "done_zh": _DONE_ZH.search(text.strip()),
        "chinese": zh,
        "mood": _MOOD.search(text),
        "people": _PEOPLE.search(text),
        "name": _NAME.search(text),
    }
    return {
        **{name: float(bool(value)) for name, value in found.items()},
        "flags": float(len(reading.flags)),
        "standing": reading.standing,
    }


def salience(message: str, turn: Turn, rules: Rules) -> float:
    """Give the probability (0..1) that a message of the person says something durable."""
    total = rules.salience.get("bias", 0.0)
    for name, value in features(message, turn, rules).items():
        total += rules.salience.get(name, 0.0) * value
    return 1 / (1 + math.exp(-total))
