"""What sentences can say, as data: the rule files beside this module, compiled once.

A rule holds every language side by side with examples from which tests are made; `load_rules` says file and line of
whatever is wrong with one. Nothing here knows what extraction does with a rule that fires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from omp import resources
from omp.errors import BrokenFile
from omp.model import Problem, Struct
from omp.yamlfile import Node, load

FILES = ("signals.yaml", "trivial.yaml", "discourse.yaml", "scope.yaml", "lifetimes.yaml")
TABLES = ("defaults.yaml", "salience.yaml")
LANGUAGES = ("en", "zh")
_FIELDS = {"id", "kind", "weight", "en", "zh", "any", "unless", "needs", "spares", "why_only", "examples"}
_FLAGS = re.IGNORECASE | re.ASCII
"""ASCII, so that a Chinese character beside a word or a path counts as its end."""


class Example(Struct, frozen=True, kw_only=True):
    """A sentence and whether the rule's own patterns fire on it (`needs` left aside)."""

    text: str
    fires: bool


class Rule(Struct, frozen=True, kw_only=True):
    """One rule: its patterns of all languages joined, and where it stands."""

    id: str
    kind: str
    weight: float
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    needs: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    file: str = ""
    line: int = 0

    def search(self, text: str) -> re.Match[str] | None:
        """Give the first place where the rule fires in `text`, or None; an exception in `unless` silences it."""
        found = self.pattern.search(text)
        if found is None or (self.unless is not None and self.unless.search(text)):
            return None
        return found


class Rules(Struct, frozen=True, kw_only=True):
    """All rules by group, and the named thresholds."""

    signals: tuple[Rule, ...]
    trivial: tuple[Rule, ...]
    discourse: tuple[Rule, ...]
    scope: tuple[Rule, ...]
    lifetimes: tuple[Rule, ...]
    thresholds: dict[str, float]
    salience: dict[str, float] = {}
    """Weights of the trained model of omp/extract/salience.py, by feature."""

    @property
    def all(self) -> tuple[Rule, ...]:
        """Every rule, in the order of the files."""
        return (*self.signals, *self.trivial, *self.discourse, *self.scope, *self.lifetimes)


def fired(rules: Iterable[Rule], text: str) -> dict[str, Rule]:
    """Give the rules that fire in `text`, by id; one that needs others counts only beside one of them."""
    found = {r.id: r for r in rules if r.search(text) is not None}
    return {i: r for i, r in found.items() if not r.needs or any(n in found for n in r.needs)}


@lru_cache(maxsize=1)
def load_rules() -> Rules:
    """Give the rules shipped with the program. Raises BrokenFile naming file and line of what is wrong."""
    return read_rules({name: resources.read(f"rules/{name}") for name in (*FILES, *TABLES)})


def read_rules(files: Mapping[str, bytes], base: Rules | None = None) -> Rules:
    """Compile rule files given as bytes by name; a rule of `files` replaces the one of the same id in `base`.

    Raises BrokenFile with every problem found: unknown fields, bad patterns, a language left out without a reason.
    """
    problems: list[Problem] = []
    groups: dict[str, tuple[Rule, ...]] = {}
    for name in FILES:
        group = name.removesuffix(".yaml")
        fresh = _read_file(name, files[name], problems) if name in files else []
        groups[group] = _overlay(getattr(base, group) if base else (), fresh)
    limits = dict(base.thresholds) if base else {}
    if "defaults.yaml" in files:
        limits |= load(files["defaults.yaml"], "defaults.yaml").plain().get("thresholds", {})
    weights = dict(base.salience) if base else {}
    if "salience.yaml" in files:
        weights |= load(files["salience.yaml"], "salience.yaml").plain().get("salience") or {}
    known = {r.id for rules in groups.values() for r in rules}
    for rule in (r for rules in groups.values() for r in rules):
        problems += [
            _problem(rule.file, rule.line, f"{rule.id} needs {n}, which no rule is called")
            for n in rule.needs
            if n not in known
        ]
    if problems:
        raise BrokenFile("the rules cannot be used", tuple(problems), "mend the lines named")
    return Rules(**groups, thresholds=limits, salience=weights)


def _overlay(old: Iterable[Rule], fresh: list[Rule]) -> tuple[Rule, ...]:
    replaced = {r.id: r for r in fresh}
    kept = [replaced.pop(r.id, r) for r in old]
    return (*kept, *replaced.values())


def _read_file(name: str, data: bytes, problems: list[Problem]) -> list[Rule]:
    root = load(data, name).root
    top: Any = root.value if root.kind == "map" else {}
    lists = top["lists"].python() if "lists" in top else {}
    rules: list[Rule] = []
    seen: set[str] = set()
    for node in top["rules"].value if "rules" in top else []:
        rule = _rule(name, node, lists, problems)
        if rule is None:
            continue
        if rule.id in seen:
            problems.append(_problem(name, node.line, f"{rule.id} stands twice"))
        seen.add(rule.id)
        rules.append(rule)
    return rules


def _rule(name: str, node: Node, lists: Mapping[str, Mapping[str, str]], problems: list[Problem]) -> Rule | None:
    raw = node.python()
    if not isinstance(raw, dict) or not raw.get("id") or not raw.get("kind"):
        problems.append(_problem(name, node.line, "a rule needs id and kind"))
        return None
    before = len(problems)
    problems += [_problem(name, node.line, f"{raw['id']}: unknown field {f}") for f in sorted(set(raw) - _FIELDS)]
    missing = [lang for lang in LANGUAGES if not raw.get(lang)]
    if missing and not raw.get("any") and not raw.get("why_only"):
        problems.append(_problem(name, node.line, f"{raw['id']} has no {missing[0]} and no why_only"))
    try:
        pattern = _compile(raw, lists)
        unless = _compile(raw["unless"], lists) if raw.get("unless") else None
    except re.error as error:
        problems.append(_problem(name, node.line, f"{raw['id']}: {error}"))
        return None
    if len(problems) > before:
        return None
    return Rule(
        id=raw["id"],
        kind=raw["kind"],
        weight=float(raw.get("weight", 0)),
        pattern=pattern,
        unless=unless,
        needs=tuple(raw.get("needs", ())),
        spares=tuple(raw.get("spares", ())),
        examples=tuple(Example(text=str(e["text"]), fires=bool(e["fires"])) for e in raw.get("examples", ())),
        file=name,
        line=node.line,
    )


def _compile(raw: Mapping[str, Any], lists: Mapping[str, Mapping[str, str]]) -> re.Pattern[str]:
    parts = []
    for lang in (*LANGUAGES, "any"):
        for text in raw.get(lang, ()):
            filled = re.sub(r"<(\w+)>", lambda m, lang=lang: _listed(lists, m[1], lang, m[0]), text)  # type: ignore[misc]
            if lang == "en":
                filled = r"(?<![A-Za-z0-9_])(?:" + filled.replace(" ", r"\s+") + r")(?![A-Za-z0-9_])"
            parts.append(f"(?:{filled})")
    return re.compile("|".join(parts), _FLAGS)


def _listed(lists: Mapping[str, Mapping[str, str]], name: str, lang: str, otherwise: str) -> str:
    words = lists.get(name)
    return f"(?:{words[lang]})" if words and lang in words else otherwise


def _problem(path: str, line: int, message: str) -> Problem:
    return Problem(path=path, line=line, column=1, code="rule", message=message, severity="error")
