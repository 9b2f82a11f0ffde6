"""The guard's word lists, compiled once: phrases by stem for English, one pattern a list for Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from omp.model import Struct

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORDS = Path(__file__).with_name("words.yaml")


def stem(word: str) -> str:
    """Cut an English word to what its forms share; not a dictionary form, equal for equal words is all that counts."""
    w = word.casefold().removesuffix("'s").strip("'")
    if len(w) < 4 or not w.isascii() or not w.isalpha():
        return w
    if w.endswith("ies"):
        w = w[:-3] + "y"
    elif w.endswith("s") and w[-2] not in "sui":
        w = w[:-1]
    for ending, least in (("ing", 6), ("ed", 5)):
        if w.endswith(ending) and len(w) >= least and any(c in "aeiouy" for c in w[: -len(ending)]):
            w = w[: -len(ending)]
            if len(w) > 3 and w[-1] == w[-2] and w[-1] not in "aeiousl":
                w = w[:-1]
            break
    return w[:-1] if len(w) > 3 and w.endswith("e") else w


class Phrases:
    """A list of phrases, each with what it stands for."""

    def __init__(self, english: Iterable[tuple[str, str]], chinese: Iterable[tuple[str, str]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase, meaning in english:
            stems = tuple(stem(w) for w in re.split(r"[\s-]+", phrase.casefold()))
            self._by_first.setdefault(stems[0], []).append((stems, meaning))
        for entries in self._by_first.values():
            entries.sort(key=lambda e: (-len(e[0]), e[1]))
        self._meaning = {word.casefold(): meaning for word, meaning in reversed(list(chinese))}
        longest_first = sorted(self._meaning, key=lambda w: (-len(w), w))
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def at(self, stems: Sequence[str], start: int) -> tuple[int, str] | None:
        """Give length and meaning of the longest English phrase that starts at this word."""
        for phrase, meaning in self._by_first.get(stems[start], ()):
            if tuple(stems[start : start + len(phrase)]) == phrase:
                return len(phrase), meaning
        return None

    def within(self, chinese: str) -> list[tuple[int, int, str]]:
        """Give start, end and meaning of each phrase in a run of Chinese."""
        return [(m.start(), m.end(), self._meaning[m.group()]) for m in self._pattern.finditer(chinese)]


class Unit(Struct, frozen=True, kw_only=True):
    """What a unit measures, and how many of the base one of it is."""

    of: str
    size: float


class Lexicon:
    """Everything in `words.yaml`, ready to match."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.negators = _phrases(data["negators"], "not")
        self.contrast = _phrases(data["contrast"], "not")
        self.denials = _phrases(data["denials"], "not")
        self.harmless = _phrases(data["harmless"], "yes")
        self.doers = Phrases([(w, "doer") for w in data["doers"]["en"]], [])
        verbs = "|".join(map(re.escape, data["doers"]["zh"]))
        self.chinese_doer = re.compile(
            rf"(?:由|归|交给|找)(?P<by>[{HAN}]{{2,3}}?)(?:来|去)?(?:{verbs}|管)|^(?P<first>[{HAN}]{{2,3}}?)(?:{verbs})"
            rf"|^(?P<is>[{HAN}]{{2,3}}?)是[{HAN}]*(?:负责人|主管|维护者|组长)|(?:负责人|主管|维护者|组长)是(?P<last>[{HAN}]{{2,3}})$"
        )
        self.turning = _phrases(data["turning"], "not")
        self.roles = _phrases(data["roles"], None)
        self.empty_words = frozenset(stem(w) for w in data["empty"]["en"])
        self.empty_signs = frozenset(data["empty"]["zh"])
        self.slots = {name: _slot(values) for name, values in data["slots"].items()}
        self.slot_words = {
            name: frozenset(
                stem(w) if w.isascii() else w for words in values.values() for w in (*words["en"], *words["zh"])
            )
            for name, values in data["slots"].items()
        }
        self.flips = {name: tuple(data["slots"][name]) for name in data["flips"]}
        self.faint = frozenset(data["faint"])
        equal = data["equals"]
        self.equals = Phrases(
            [(w, e["key"]) for e in equal for w in e["en"]], [(w, e["key"]) for e in equal for w in e["zh"]]
        )
        self.latin_equals = {w: e["key"] for e in equal for w in e["zh"] if w.isascii()}
        self.names = {alias: names[0] for names in data["names"] for alias in names}
        self.distinct = frozenset(data["distinct"])
        self.not_names = frozenset(data["not_names"])
        self.everyday = frozenset(data["everyday"])
        units = {key: Unit(of=u["of"], size=float(u["size"])) for key, u in data["units"].items()}
        self.units = {word: units[key] for key, u in data["units"].items() for word in (*u["en"], *u["zh"])}
        self.chinese_units = tuple(sorted({w for u in data["units"].values() for w in u["zh"]}, key=lambda w: -len(w)))


def _phrases(lists: dict[str, list[str]], meaning: str | None) -> Phrases:
    """Make phrases that all mean the same, or each its own stem when `meaning` is None."""
    english = [(w, meaning or stem(w.split()[0])) for w in lists["en"]]
    return Phrases(english, [(w, meaning or w) for w in lists["zh"]])


def _slot(values: dict[str, dict[str, list[str]]]) -> Phrases:
    return Phrases(
        [(w, value) for value, words in values.items() for w in words["en"]],
        [(w, value) for value, words in values.items() for w in words["zh"]],
    )


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Read the shipped word lists. Raises BrokenFile when the installation's file is damaged."""
    from omp.yamlfile import load

    return Lexicon(load(_WORDS.read_bytes(), _WORDS.name).plain())
