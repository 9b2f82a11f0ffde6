"""Text to search terms, the same for documents and queries, in English and Chinese alike.

Three sorts of terms come out of one text: stems of words; Chinese (and Japanese, Korean) characters and pairs of
neighbouring characters; and identifiers, paths and versions, once whole (written `=whole`) and once split into words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from omp.search.english import STOP_WORDS, stem

_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Scripts written without blanks between words."""
_RUN = re.compile(rf"[{_WIDE}]+|[^\W{_WIDE}](?:[^\W{_WIDE}]|[-./\\:@#+'’](?=[^\W{_WIDE}]))*")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_EXACT = re.compile(r"[_/\\@#]|[^\W\d_]\.[^\W\d_]|:[^\W_]|\d[-.]|\d[A-Za-z]|[A-Za-z]-?\d|[a-z][A-Z]|[A-Z]{2,}[a-z]")
"""What makes a run an identifier, a path or a version and not a plain (perhaps hyphenated) word."""

WHOLE = "="
"""First character of a term that stands for a whole identifier, path or version."""
SINGLE_WEIGHT = 0.3
"""Weight of one character against a pair: a character alone says little, but finds what was cut otherwise."""

_STOP_CHARACTERS = frozenset(
    "的了是在和与及或也都就还又很吗呢吧啊呀嘛哦我你您他她它们这那此其之于以而但被把对从到给让个些没不有为什么怎哪谁几"
)
_PAIRS = (
    "什么 怎么 怎样 哪个 哪些 哪里 为何 如何 多少 是否 我们 你们 他们 她们 它们 咱们 这个 那个 这些 那些 这里 那里 "
    "一个 可以 以及 或者 但是 因为 所以 如果 什麼 时候 的是 是在"
)
_STOP_PAIRS = frozenset(_PAIRS.split())


class Analysis(NamedTuple):
    """The terms of one text, in order and with repetitions, and how it is written."""

    terms: tuple[str, ...]
    length: float
    """Words and pairs, for the length part of BM25: wholes and single characters are other views of the same text."""
    wide: bool
    """Most of it is Chinese, Japanese or Korean."""


def is_whole(term: str) -> bool:
    """Tell whether a term stands for a whole identifier, path or version."""
    return term[0] == WHOLE


def is_single(term: str) -> bool:
    """Tell whether a term is a single character of a script written without blanks."""
    return len(term) == 1 and term >= "\u3040"


def analyse(text: str) -> Analysis:
    """Give the terms of a text. Width and compatibility forms are folded first (ＡＢＣ is ABC)."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    terms: list[str] = []
    length, wide, narrow = 0, 0, 0
    for run in _RUN.findall(text):
        if run[0] >= "\u3040":
            pairs = _wide_terms(run)
            terms += pairs
            length += sum(len(t) > 1 for t in pairs)
            wide += len(run)
        else:
            found = _terms_of(run)
            terms += found
            length += sum(not is_whole(t) for t in found)
            narrow += 1
    return Analysis(tuple(terms), float(max(length, 1)), wide > 1.5 * narrow)


@lru_cache(maxsize=1 << 16)
def _wide_terms(run: str) -> tuple[str, ...]:
    singles = [c for c in run if c not in _STOP_CHARACTERS]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    kept = [p for p in pairs if p not in _STOP_PAIRS and not (p[0] in _STOP_CHARACTERS and p[1] in _STOP_CHARACTERS)]
    return (*singles, *kept)


@lru_cache(maxsize=1 << 16)
def _terms_of(run: str) -> tuple[str, ...]:
    """Give the terms of one run of letters and digits, with what joins them."""
    run = _POSSESSIVE.sub("", run)
    parts = _PART.findall(run)
    exact = _EXACT.search(run) is not None
    pieces = [w.lower() for p in parts for w in ([*_HUMP.findall(p)] if exact and not p.isdigit() else [p])]
    terms = [stem(w) for w in pieces if w not in STOP_WORDS]
    if exact or (len(parts) > 1 and "'" not in run and "’" not in run):
        terms += [WHOLE + w for w in _wholes(run, parts)] if exact else [run.lower()]
    return tuple(terms)


def _wholes(run: str, parts: list[str]) -> list[str]:
    """Give the forms under which an identifier is looked for: as it is, a path's last part, a version's beginnings."""
    folded = run.lower().replace("\\", "/")
    forms = [folded]
    if "/" in folded:
        forms.append(folded.rpartition("/")[2])
    version = _VERSION.fullmatch(run)
    if version:
        numbers = version[1].split(".")
        forms = [".".join(numbers[:n]) for n in range(len(numbers), 1, -1)]
    elif len(parts) == 1 and "_" not in run and not run.isalpha():
        return [folded]
    joined = re.sub(r"[-_]", "", folded)
    if joined != folded and "/" not in joined and not version:
        forms.append(joined)  # max_retries, max-retries and maxRetries are one name
    return list(dict.fromkeys(forms))
