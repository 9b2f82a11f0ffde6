"""Rules are data: their examples are tests, and what is wrong with a file is said with its line."""

from __future__ import annotations

import pytest

from omp.errors import BrokenFile
from omp.rules import Example, Rule, fired, load_rules, read_rules

RULES = load_rules()
CASES = [(rule, example) for rule in RULES.all for example in rule.examples]


@pytest.mark.parametrize(("rule", "example"), CASES, ids=[f"{r.id}-{n}" for n, (r, _) in enumerate(CASES)])
def test_example_fires_as_it_says(rule: Rule, example: Example) -> None:
    beside = RULES.signals if rule.needs else (rule,)
    assert (rule.id in fired(beside, example.text)) is example.fires


def test_every_rule_shows_hits_and_near_misses_in_both_languages() -> None:
    for rule in RULES.all:
        hits = [e.text for e in rule.examples if e.fires]
        assert any(e.fires for e in rule.examples), rule.id
        assert any(not e.fires for e in rule.examples), rule.id
        chinese = [t for t in hits if any("\u4e00" <= c <= "\u9fff" for c in t)]
        assert chinese, f"{rule.id} shows no Chinese sentence"
        assert len(chinese) < len(hits), f"{rule.id} shows no English sentence"


def test_ids_are_unique_over_all_files() -> None:
    ids = [r.id for r in RULES.all]
    assert len(ids) == len(set(ids))


def _file(body: str) -> dict[str, bytes]:
    return {"signals.yaml": f"version: 1\nrules:\n{body}".encode()}


def _problems(body: str) -> list[tuple[int, str]]:
    with pytest.raises(BrokenFile) as broken:
        read_rules(_file(body))
    return [(p.line, p.message) for p in broken.value.problems]


def test_a_bad_pattern_is_named_with_its_line() -> None:
    body = "  - id: a.b\n    kind: decision\n    weight: 0.5\n    en:\n      - '(unclosed'\n    zh:\n      - '好'\n"
    ((line, message),) = _problems(body)
    assert line == 3
    assert message.startswith("a.b: missing )")


def test_a_language_left_out_needs_a_reason() -> None:
    body = "  - id: a.b\n    kind: decision\n    weight: 0.5\n    en:\n      - 'yes'\n"
    assert _problems(body) == [(3, "a.b has no zh and no why_only")]
    rules = read_rules(_file(body + "    why_only: 'a pun that Chinese lacks'\n"))
    assert [r.id for r in rules.signals] == ["a.b"]


def test_unknown_fields_doubled_ids_and_missing_needs_are_all_named() -> None:
    one = "  - id: a.b\n    kind: decision\n    en:\n      - 'x'\n    zh:\n      - '好'\n"
    assert _problems(one + "    wieght: 1\n") == [(3, "a.b: unknown field wieght")]
    assert _problems(one + one) == [(9, "a.b stands twice")]
    assert _problems(one + "    needs: [c.d]\n") == [(3, "a.b needs c.d, which no rule is called")]


def test_a_repository_overrides_by_id_and_adds() -> None:
    one = "  - id: decision.word\n    kind: decision\n    weight: 0.1\n"
    one += "    en:\n      - 'so be it'\n    zh:\n      - '就这样办'\n"
    two = "  - id: decision.house\n    kind: decision\n    weight: 0.9\n"
    two += "    en:\n      - 'house says'\n    zh:\n      - '组里说'\n"
    body = one + two
    rules = read_rules(_file(body), load_rules())
    assert len(rules.signals) == len(RULES.signals) + 1
    assert "decision.word" not in fired(rules.signals, "we decided to use tar")
    assert "decision.house" in fired(rules.signals, "组里说用 tar")
    assert rules.thresholds == RULES.thresholds
