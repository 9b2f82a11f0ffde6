"""Secrets in memory files. The masking engine is slow to load, so it is asked only where a cheap pattern fires."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator

from omp.checks.files import problem
from omp.model import Finding, Problem

Gate = Callable[[bytes], list[Finding]]

_LITERAL = re.compile(
    r"AKIA|ASIA|LTAI|AKID|gh[opsur]_|github_pat_|gl[a-z]{2,6}-|xox[abeoprs]|sk[-_]|[rp]k_(?:live|test)|AIza|ya29\.|eyJ"
    r"|-----BEGIN|npm_|pypi-|hf_|SG\.|do[opr]_v1|shp[a-z]{2}_|AGE-SECRET|tskey|SK[0-9a-f]{8}|AC[0-9a-f]{8}"
    r"|EAA[A-Za-z0-9]|whsec|hvs\.|dapi[0-9a-f]|lin_api|r8_|gsk_|xai-|PMAK|NRAK|key-[0-9a-f]"
    r"|://[^\s/]{0,200}:[^\s/]{0,200}@|[\w.+-]@[\w-]"
    r"|(?i:passw|passphrase|pwd|secret|token|(?:api|access|private)[ _-]?key|credential|bearer|authoriz|cookie)"
    r"|密码|口令|密钥|秘钥|令牌|凭证|凭据|身份证|手机|电话|银行卡|护照|住址|卡号"
    r"|(?<![\w.])\+?\d[\d ()-]{9,}\d(?![\w-])|(?<!\w)\d{17}[\dXx](?!\w)"
    r"|(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])"
    r"|(?<![\w+/=-])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[0-9])[A-Za-z0-9+/_=-]{20,}"
)
"""What stands near or in every kind of secret and personal datum; a hit means no more than "look closely"."""


def secrets(path: str, data: bytes, gate: Gate, lines: Collection[int] | None = None) -> Iterator[Problem]:
    """Give what the gate finds, with line and column; with `lines` only those (1-based) are looked at.

    Only blocks (between blank lines) in which the cheap pattern fires are handed to the gate. Nothing found is quoted.
    """
    rows = data.decode("utf-8", "replace").split("\n")
    for first, block in _blocks(rows, lines):
        text = "\n".join(rows[n] for n in block)
        if _LITERAL.search(text) is None:
            continue
        starts, at = [], 0
        for n in block:
            starts.append(at)
            at += len(rows[n]) + 1
        for found in gate(text.encode()):
            place = max(bisect_right(starts, found.start) - 1, 0)
            number = block[place] if place < len(block) else first
            column = found.start - starts[place] + 1
            yield problem(path, number + 1, column, "secret", f"what looks like {found.type} stands here")


def _blocks(rows: list[str], lines: Collection[int] | None) -> Iterator[tuple[int, list[int]]]:
    block: list[int] = []
    for n, row in enumerate(rows):
        if row.strip() == "":
            if block:
                yield block[0], block
            block = []
        elif lines is None or n + 1 in lines:
            block.append(n)
    if block:
        yield block[0], block
