"""The labelled pairs these tests measure on, written before the guard was and kept apart from the calibration pairs."""

from __future__ import annotations

import json
from pathlib import Path

Pair = tuple[str, str, str, str]
"""Label, language (en, zh, mix), first text, second text."""

_FOLDER = Path(__file__).resolve().parent
_WITHIN = (("duplicate", "", "2"), ("contradiction", "", "_no"), ("same_theme", "", "_near"))


def own_pairs() -> list[Pair]:
    """Give all pairs: within each language, across languages, unrelated ones from other rows, and the traps."""
    rows = [json.loads(line) for line in (_FOLDER / "statements.jsonl").read_text("utf-8").splitlines()]
    pairs: list[Pair] = []
    for n, row in enumerate(rows):
        other = rows[(n + 7) % len(rows)]
        for lang in ("en", "zh"):
            pairs += [(label, lang, row[lang + one], row[lang + two]) for label, one, two in _WITHIN]
            pairs.append(("contradiction", lang, row[lang + "2"], row[lang + "_no"]))
            pairs.append(("unrelated", lang, row[lang], other[lang]))
        pairs += [
            ("duplicate", "mix", row["en"], row["zh2"]),
            ("contradiction", "mix", row["en_no"], row["zh"]),
            ("same_theme", "mix", row["en_near"], row["zh"]),
            ("unrelated", "mix", row["en2"], other["zh"]),
        ]
    traps = [json.loads(line) for line in (_FOLDER / "traps.jsonl").read_text("utf-8").splitlines()]
    return pairs + [(t["label"], t["lang"], t["a"], t["b"]) for t in traps]
