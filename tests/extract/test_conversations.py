"""Figures over the project's own labelled conversations; floors stand a little below what is reached.

`conversations.jsonl` was written before the rules, `later_conversations.jsonl` after the first rules and before they
were widened, `last_conversations.jsonl` after that. Each met the rules unseen once (the two later ones, written
without cue words on purpose, at precision .80 and .90, recall .33 and .32); all were then used to find kinds of fault
and to train the salience weights, so the figures say that nothing got worse, not how other people's talks would fare.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from omp.classify import classify
from omp.extract import candidates
from omp.model import Candidate
from omp.rules import load_rules
from tests.extract.talks import session

HERE = Path(__file__).parent
LETTER = {"user": "U", "assistant": "A", "tool": "T"}


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def _kept(case: dict[str, Any]) -> list[Candidate]:
    rules = load_rules()
    talk = session(*(f"{LETTER[e['role']]} {e['text']}" for e in case["entries"]))
    found = [classify(c, talk, rules) for c in candidates(talk, rules)]
    return [c for c in found if not c.drop and c.confidence >= 0.4 and c.scope != "EPHEMERAL"]


def _matches(candidate: Candidate, memory: dict[str, Any]) -> bool:
    said = f"{candidate.claim}\n{candidate.rationale}".casefold()
    terms = [t if isinstance(t, list) else [t] for t in memory["must"]]
    cited = {e.entry for e in candidate.evidence} & set(memory["evidence"])
    return bool(cited) and all(any(word.casefold() in said for word in term) for term in terms)


@pytest.mark.parametrize(
    ("name", "floors"),
    [
        ("conversations.jsonl", {"precision": 0.95, "recall": 0.92, "empty": 0.95, "kind": 0.9, "scope": 0.95}),
        ("later_conversations.jsonl", {"precision": 0.9, "recall": 0.88, "empty": 0.9, "kind": 0.8, "scope": 0.9}),
        ("last_conversations.jsonl", {"precision": 0.95, "recall": 0.88, "empty": 0.95, "kind": 0.68, "scope": 0.85}),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_figures_hold(name: str, floors: dict[str, float], lang: str) -> None:
    hits = found = wanted = kind = scope = empty = silent = 0
    for case in _read(name):
        if case["lang"] != lang:
            continue
        kept = _kept(case)
        found += len(kept)
        wanted += len(case["memories"])
        if not case["memories"]:
            empty += 1
            silent += not kept
        for memory in case["memories"]:
            pair = next((c for c in kept if _matches(c, memory)), None)
            if pair is None:
                continue
            kept.remove(pair)
            hits += 1
            kind += pair.kind in (memory["kind"], *memory.get("kind_alt", ()))
            scope += pair.scope == memory["scope"]
        for candidate in kept:
            assert not any(f.casefold() in candidate.claim.casefold() for f in case["forbidden"]), candidate.claim
    assert hits / found >= floors["precision"]
    assert hits / wanted >= floors["recall"]
    assert silent / empty >= floors["empty"]
    assert kind / hits >= floors["kind"]
    assert scope / hits >= floors["scope"]
