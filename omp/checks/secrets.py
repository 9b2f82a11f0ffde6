"""Secrets in memory files. The masking engine is slow to load, so it is asked only where something cheap fires."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator

from omp.checks.files import problem
from omp.model import Finding, Problem

Gate = Callable[[bytes], list[Finding]]

_LITERALS = (
    "AKIA", "ASIA", "LTAI", "AKID", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glrt-", "gldt-",
    "xoxa-", "xoxb-", "xoxe", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "sk-", "sk_", "rk_", "pk_", "AIza", "ya29.", "eyJ",
    "-----BEGIN", "npm_", "pypi-", "hf_", "SG.", "doo_v1", "dop_v1", "dor_v1", "shpat_", "shpca_", "shpss_", "shppa_",
    "AGE-SECRET", "tskey", "EAAC", "whsec", "hvs.", "dapi", "lin_api", "r8_", "gsk_", "xai-", "PMAK", "NRAK", "key-",
    "密码", "口令", "密钥", "秘钥", "令牌", "凭证", "凭据", "身份证", "手机", "电话", "银行卡", "护照", "住址",
    "卡号", "@",
)  # fmt: skip
_WORDS = (
    "passw", "passphrase", "passcode", "pwd", "secret", "token", "api key", "apikey", "api_key", "api-key",
    "access key",
       "accesskey", "access_key", "access-key", "private key", "private_key", "private-key", "credential", "bearer",
    "authoriz", "cookie", "phone", "ssn", "passport", "iban",
)  # fmt: skip
"""Beginnings of tokens; and, in lower case, words that stand near secrets and personal data."""
_LONG_NUMBER = r"\d[\d ()-]{9,}[\dXx]"
_LONG_WORD = r"[A-Za-z0-9+/_=-]{20,}"
_HEX = r"[0-9a-fA-F]{32,}"


def secrets(path: str, data: bytes, gate: Gate, lines: Collection[int] | None = None) -> Iterator[Problem]:
    """Give what the gate finds, with line and column; with `lines` only those (1-based) are looked at.

    Only blocks (between blank lines) in which something cheap fires are handed to the gate, all at once. Nothing found
    is quoted.
    """
    text = data.decode("utf-8", "replace")
    numbers: list[int] | None = None
    if lines is not None:
        rows = text.split("\n")
        numbers = sorted(n for n in lines if 0 < n <= len(rows))
        text = "\n".join(rows[n - 1] for n in numbers)
    places = sorted(suspicious(text))
    if not places:
        return
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    blocks = list(_blocks(text, places))
    joined = "\n\n".join(text[start:end] for start, end in blocks)
    heads = [0]
    for start, end in blocks:
        heads.append(heads[-1] + end - start + 2)
    for found in gate(joined.encode()):
        block = bisect_right(heads, found.start) - 1
        at = blocks[block][0] + found.start - heads[block]
        row = bisect_right(starts, at) - 1
        number = row + 1 if numbers is None else numbers[row]
        yield problem(path, number, at - starts[row] + 1, "secret", f"what looks like {found.type} stands here")


def suspicious(text: str) -> set[int]:
    """Give places that deserve a look: token beginnings, telling words, long numbers, long words of mixed signs."""
    places: set[int] = set()
    folded = text.lower()
    for whole, literals in ((text, _LITERALS), (folded, _WORDS)):
        for literal in literals:
            at = whole.find(literal)
            while at >= 0:
                if not (literal[0].isascii() and literal[0].isalpha() and whole is text and _is_inside(text, at)):
                    places.add(at)
                at = whole.find(literal, at + 1)
    for found in _pattern(_LONG_NUMBER).finditer(text):
        before = text[found.start() - 1 : found.start()]
        if sum(c.isdigit() for c in found[0]) >= 10 and not (before.isalnum() or before in "_."):
            places.add(found.start())
    for found in _pattern(_LONG_WORD).finditer(text):
        word = found[0]
        is_mixed = not word.islower() and not word.isupper() and any(c.isdigit() for c in word)
        if is_mixed or _pattern(_HEX).search(word):
            places.add(found.start())
    if "://" in text:
        places.update(m.start() for m in _pattern(r"://[^\s/]{0,200}:[^\s/]{0,200}@").finditer(text))
    return places


def _is_inside(text: str, at: int) -> bool:
    """Whether a place lies inside a word: the `sk-` of `risk-free` begins no token."""
    return at > 0 and text[at - 1].isascii() and text[at - 1].isalnum()


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile when first needed."""
    return re.compile(source, re.A)


def _blocks(text: str, places: list[int]) -> Iterator[tuple[int, int]]:
    """The blocks between blank lines that hold one of the places."""
    done = 0
    while (n := bisect_left(places, done)) < len(places):
        above = text.rfind("\n\n", done, places[n])
        start = done if above < 0 else above + 2
        end = text.find("\n\n", places[n])
        end = len(text) if end < 0 else end
        yield start, end
        done = max(end, places[n] + 1)
