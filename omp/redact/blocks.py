# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Secrets of many lines: private keys (whole or cut short), `<private>` spans, word lists of wallets."""

from __future__ import annotations

import re

from omp.redact import stems
from omp.redact.marks import Hit
from omp.redact.runs import Sight, matches

_BEGIN = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:\\n|\\r)*")
_GLUE = r"(?:\s|\\[nr\"\\]|[\"'+,>|#*]|//)"
_BODY = re.compile(
    rf"(?:{_GLUE}{{0,80}}(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): ?[^\n\\]{{1,100}}|=?[A-Za-z0-9+/]{{4,}}={{0,2}}(?![a-z ]*[.,;:?!])))+"
)
_TAIL = re.compile(
    rf"(?:=?[A-Za-z0-9+/]{{32,80}}={{0,2}}{_GLUE}{{1,40}}){{1,200}}(?:=?[A-Za-z0-9+/]{{1,80}}={{0,2}}{_GLUE}{{1,40}})?$"
)
_LONGEST = 40_000
"""Characters a key block may have: an RSA key of 16,384 bits in PEM has about 13,000."""
_PUTTY = re.compile(r"Private-Lines: ?\d+(?:\s|\\[nr])+((?:[A-Za-z0-9+/=]{4,80}(?:\s|\\[nr])*)+)")
_PRIVATE = re.compile(r"<private>(.*?)</private>|<private>(.+)", re.S | re.I)
_MNEMONIC = re.compile(
    r"(?i)(?:seed|recovery|mnemonic|secret recovery|backup|wallet)[ -]?(?:phrase|words?|seed)?\b[^\n:：=是]{0,30}(?:is|are|[:：=])\s*[\"'`「]?"
    r"((?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[ ,]+){11,23}(?:\d{1,2}[.)] ?)?[a-z]{3,8})(?![a-z])"
    r"|(?:助记词|種子短語|种子短语|恢复词|恢复短语)[^\na-zA-Z]{0,12}((?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[ ,、]+){11,23}[a-z]{3,8})(?![a-z])"
)


def find(seen: Sight) -> list[Hit]:
    """Find key blocks, private spans and wallet phrases in one view."""
    text = seen.text
    hits: list[Hit] = []
    if "PRIVATE KEY" in text:
        hits += _keys(text)
    if "Private-Lines" in text:
        hits += [Hit(m.start(1), m.end(1), "private_key", "putty-key") for m in _PUTTY.finditer(text)]
    if "<private>" in text or "<PRIVATE>" in text:
        for m in _PRIVATE.finditer(text):
            inner = m.lastindex or 1
            if m.group(inner).strip("\x00 \n"):
                hits.append(Hit(m.start(inner), m.end(inner), "private", "private-span"))
    for m in matches(seen, stems.WALLETS, _MNEMONIC):
        group = m.lastindex or 1
        hits.append(Hit(m.start(group), m.end(group), "mnemonic", "wallet-words"))
    return hits


def _keys(text: str) -> list[Hit]:
    hits: list[Hit] = []
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        end = _END.search(text, begin.end(), begin.end() + _LONGEST)
        inner = text[begin.end() : end.start()] if end else ""
        if end and _BEGIN.search(inner) is None:
            if sum(c.isalnum() for c in inner) >= 16 and " " not in inner.strip()[:12]:
                hits.append(Hit(begin.start(), end.end(), "private_key", "key-block"))
                done = end.end()
            continue
        body = _BODY.match(text, begin.end(), begin.end() + _LONGEST)
        if body and max(map(len, re.findall(r"[A-Za-z0-9+/]+", body.group())), default=0) >= 16:
            hits.append(Hit(begin.start(), body.end(), "private_key", "key-block-cut"))
            done = body.end()
    for end in _END.finditer(text):
        if end.start() >= done and not any(h.start <= end.start() < h.end for h in hits):
            before = text[max(0, end.start() - 8000) : end.start()]
            tail = _TAIL.search(before)
            if tail:
                hits.append(Hit(end.start() - len(before) + tail.start(), end.end(), "private_key", "key-block-end"))
    return hits
