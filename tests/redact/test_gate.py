"""The gate before the engine is sound: proved over the engine's own rules and over values drawn from each of them."""

from __future__ import annotations

import random
import re
import string
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from omp.redact import gate, runs
from omp.redact.engine import _IGNORED, Kingfisher
from omp.redact.redactor import Redactor

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as op  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

_CLASSES = {
    op.CATEGORY_DIGIT: string.digits,
    op.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
    op.CATEGORY_SPACE: " ",
    op.CATEGORY_NOT_SPACE: string.ascii_letters + string.digits,
}


def _parsed(pattern: str) -> Any:
    """Parse a rule's pattern; flags fall away, since neither lengths nor lower-case literals depend on them."""
    verbose = "(?x)" in pattern
    text = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    text = re.sub(r"\(\?-?[imsx]+\)", "", text)
    text = re.sub(r"\(\?-?[imsx]+:", "(?:", text).replace("{{", r"\{\{")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parser.parse(text, re.X if verbose else 0)


def _chars(items: Any) -> set[str]:
    found: set[str] = set()
    for kind, value in items:
        if kind is op.LITERAL:
            found.add(chr(value))
        elif kind is op.RANGE:
            found |= {chr(c) for c in range(value[0], min(value[1], 0x7E) + 1)}
        elif kind is op.CATEGORY:
            found |= set(_CLASSES.get(value, "x"))
    if any(kind is op.NEGATE for kind, _ in items):
        found = set(string.printable[:95]) - found or {"~"}
    return found


def _draw(tree: Any, dice: random.Random) -> str:
    out = []
    for kind, value in tree:
        if kind is op.LITERAL:
            out.append(chr(value))
        elif kind is op.ANY:
            out.append(dice.choice(" abc1"))
        elif kind is op.IN:
            out.append(dice.choice(sorted(_chars(value))))
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            low, high, sub = value
            out += [_draw(sub, dice) for _ in range(dice.randint(low, min(high, low + 3)))]
        elif kind is op.SUBPATTERN:
            out.append(_draw(value[3], dice))
        elif kind is op.BRANCH:
            out.append(_draw(dice.choice(value[1]), dice))
    return "".join(out)


def _longest(tree: Any) -> tuple[int, int, int, bool]:
    """Lengths of run characters that every match has: at its start, at its end, anywhere; whether it is all run."""
    first = current = best = 0
    whole = True
    for kind, value in tree:
        if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
            continue
        part = (0, 0, 0, False)
        if kind is op.LITERAL:
            part = (1, 1, 1, True) if chr(value) in runs.CHARACTERS else part
        elif kind is op.IN:
            plain = not any(k is op.NEGATE for k, _ in value) and _chars(value) <= set(runs.CHARACTERS)
            part = (1, 1, 1, True) if plain else part
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            low, _, sub = value
            a, z, b, all_run = _longest(sub)
            part = (a * low, a * low, a * low, True) if all_run else (a, z, b, False) if low else part
        elif kind is op.SUBPATTERN:
            part = _longest(value[3])
        elif kind is op.BRANCH:
            each = [_longest(branch) for branch in value[1]]
            part = (min(e[0] for e in each), min(e[1] for e in each), min(e[2] for e in each), all(e[3] for e in each))
        a, z, b, all_run = part
        first += a if whole else 0
        best = max(best, b, current + a)
        current = current + a if all_run else z
        whole = whole and all_run
    return first, current, max(best, current), whole


@pytest.fixture(scope="session")
def rules(redactor: Redactor) -> list[dict[str, Any]]:
    """The engine's own rules that count for masking."""
    import kingfisher_sdk

    engine = redactor._engine
    assert isinstance(engine, Kingfisher)
    catalog = kingfisher_sdk.Rules(cache_dir=engine._cache)
    details = [catalog.detail(row["id"]) for row in catalog.metadata()]
    return [d for d in details if d["visible"] and not _IGNORED.search(d["id"])]


def test_every_rule_needs_a_run_or_a_literal(rules: list[dict[str, Any]]) -> None:
    """No rule can match a text that `may_match` turns away: its shortest match has a run, or holds a listed literal."""
    assert len(rules) > 300
    for rule in rules:
        tree = _parsed(rule["pattern"])
        if _longest(tree)[2] < runs.LEAST:
            low = _draw(tree, random.Random(1)).lower()
            assert any(literal in low for literal in gate.LITERALS), rule["id"]


def _drawn(rules: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    dice = random.Random(20261201)
    for rule in rules:
        tree = _parsed(rule["pattern"])
        for _ in range(8):
            yield rule["id"], _draw(tree, dice)


def test_drawn_values_pass_both_steps(rules: list[dict[str, Any]]) -> None:
    """Values drawn from every rule's pattern pass the gate, also glued to Chinese text."""
    for name, value in _drawn(rules):
        for text in (f"see {value} there", f"这是{value}，收好"):
            seen = runs.sight(text)
            assert gate.may_match(seen), name
            assert gate.is_likely(seen), name


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep the store in plain YAML.",
        "决定采用纯文本存储，不用数据库。",
        "session: 9da31827-8486-4385-b98f-1743d845c441\ndigest: 5dceda2483283054\nkey: qxyzabcdef",
        'at: "2026-03-02T10:00:00Z"\nid: dec-abcdefghij\nfile: docs/design/storage.md',
        "commit: 9df55a1241cd680562a7f67eb7e0fc8e3106397d",
    ],
)
def test_our_own_forms_do_not_load_the_engine(text: str) -> None:
    """Ids, digests, times and paths of memory files stay before the gate."""
    redactor = Redactor()
    assert redactor.gate(text.encode()) == []
    engine = redactor._engine
    assert isinstance(engine, Kingfisher)
    assert not engine.loaded
