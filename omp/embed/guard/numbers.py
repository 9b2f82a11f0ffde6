"""Numbers and what they measure, in digits, English words and Chinese numerals, brought to one form.

`15 minutes`, `15 min`, `a quarter of an hour` and 十五分钟 are one quantity; `2k` is 2000; `100 megabytes` is `100MB`.
Times of day are minutes on a clock of twelve hours, because texts leave out which half of the day is meant.
"""

from __future__ import annotations

import re

from omp.embed.guard.lexicon import HAN, Unit, lexicon
from omp.model import Struct


class Quantity(Struct, frozen=True, kw_only=True):
    """A number as said, and its value in the base unit of what it measures ("" for a plain count)."""

    raw: str
    of: str
    value: float
    weak: bool = False
    """A "one" that may be no more than an article."""
    start: int = 0
    end: int = 0


_ONES = {w: n for n, w in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
     "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"])}  # fmt: skip
_TENS = {
    w: 10 * n for n, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = "|".join([*_ONES, *_TENS, *_SCALE, "dozen"])
_ENGLISH = rf"(?:(?:{_WORD})(?:(?:[\s-]+(?:and\s+)?)(?={_WORD})(?:{_WORD}))*)"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*"
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_CLASSIFIER = "个次台条种级位份页行列组张点节名人遍轮层号倍步批段项篇间块架把家所封笔单字列成处副层只件套票分"

_CLOCK = re.compile(
    rf"""(?P<h>\d{{1,2}})[:：](?P<m>\d{{2}})(?::\d{{2}})?(?!\d)\s*(?:[ap]\.?m\b)?
    | \b(?P<ap>\d{{1,2}})\s*[ap]\.?m\b
    | \bhalf\s+past\s+(?P<half>\d{{1,2}}|{_ENGLISH})\b
    | \bquarter\s+past\s+(?P<quarter>\d{{1,2}}|{_ENGLISH})\b
    | \b(?P<word>\d{{1,2}}|{_ENGLISH})(?=\s+(?:o'?clock|at\s+night|in\s+the\s+(?:morning|evening|afternoon)))
    | (?P<zh>\d{{1,2}}|[{_NUMERAL}]{{1,3}})\s*[点點](?!击|数|位|赞|名|评|选|个)
        (?P<zm>半|一刻|整|钟|[{_NUMERAL}]{{1,3}}分|\d{{1,2}}分)?
    """,
    re.X | re.I,
)
_PERCENT = re.compile(rf"百分之(?P<zh>[{_NUMERAL}]+|\d+(?:\.\d+)?)|\b(?P<in>one\s+in\s+a\s+hundred)\b", re.I)
_PLAIN = re.compile(
    rf"""(?<![A-Za-z\d_.-])(?P<version>[vV]\d+(?:\.\d+)*)\b
    | (?<![A-Za-z\d_.])(?P<money>[$€¥])?(?P<digits>{_DIGITS})
        (?P<scale>[kK](?![A-Za-z])|\s*[百千万亿](?!字节|兆))?(?:st|nd|rd|th)?
    | \b(?P<fraction>half\s+an?)(?=\s)
    | (?<![\w-])(?P<words>{_ENGLISH})(?![\w])
    | (?P<half>半)(?=个?(?:小时|钟头|天|年|周|月|星期))
    | (?<![周拜第唯统同])(?<!星期)(?P<zh>[{_NUMERAL}]+)(?=\s*(?:{{units}}|[{_CLASSIFIER}]))
    """.replace("{{units}}", "{units}"),
    re.X | re.I,
)


def english_value(text: str) -> int:
    """Give the value of an English number in words, `two hundred and five`."""
    total = current = 0
    for word in re.split(r"[\s-]+", text.casefold()):
        if word in _ONES:
            current += _ONES[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "dozen":
            current = max(current, 1) * 12
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALE:
            total += max(current, 1) * _SCALE[word]
            current = 0
    return total + current


def chinese_value(text: str) -> int:
    """Give the value of a Chinese numeral, 二百零五."""
    total = section = digit = 0
    plain = ""
    for sign in text:
        if sign in "零〇":
            plain += "0"
        elif sign in "一二三四五六七八九":
            digit = "一二三四五六七八九".index(sign) + 1
            plain += str(digit)
        elif sign == "两":
            digit = 2
            plain += "2"
        elif sign in "十百千":
            section += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit, plain = 0, "x"
        else:
            total = (total + section + digit) * {"万": 10_000, "亿": 100_000_000}[sign]
            section, digit, plain = 0, 0, "x"
    if len(plain) > 1 and plain.isdigit():
        return int(plain)
    return total + section + digit


def _number(text: str) -> int:
    text = text.strip()
    if text.isdigit():
        return int(text)
    return chinese_value(text) if text[0] in _NUMERAL else english_value(text)


def quantities(text: str) -> list[Quantity]:
    """Find the numbers of a text (NFKC form), each once, in order."""
    taken: list[tuple[int, int]] = []
    found: list[Quantity] = []

    def add(quantity: Quantity) -> None:
        if all(quantity.end <= s or quantity.start >= e for s, e in taken):
            taken.append((quantity.start, quantity.end))
            found.append(quantity)

    for match in _CLOCK.finditer(text):
        add(_clock(match))
    for match in _PERCENT.finditer(text):
        value = float(match["zh"]) if match["zh"] and match["zh"][0].isdigit() else _number(match["zh"] or "1")
        add(Quantity(raw=_plain(value), of="percent", value=value, start=match.start(), end=match.end()))
    for match in _pattern().finditer(text):
        quantity = _quantity(match, text)
        if quantity is not None:
            add(quantity)
    return sorted(found, key=lambda q: q.start)


def _pattern() -> re.Pattern[str]:
    global _compiled  # compiled at first use: it needs the unit words of the word list
    if _compiled is None:
        units = "|".join(map(re.escape, lexicon().chinese_units))
        _compiled = re.compile(_PLAIN.pattern.replace("{units}", units), re.X | re.I)
    return _compiled


_compiled: re.Pattern[str] | None = None


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _clock(match: re.Match[str]) -> Quantity:
    hour, minute = 0, 0
    if match["h"]:
        hour, minute = int(match["h"]), int(match["m"])
    elif match["half"] or match["quarter"]:
        hour, minute = _number(match["half"] or match["quarter"]), 30 if match["half"] else 15
    elif match["zh"]:
        hour = _number(match["zh"])
        rest = match["zm"] or ""
        minute = 30 if rest == "半" else 15 if rest == "一刻" else _number(rest[:-1]) if rest.endswith("分") else 0
    else:
        hour = _number(match["ap"] or match["word"])
    return Quantity(
        raw=f"{hour}:{minute:02}", of="clock", value=hour % 12 * 60 + minute, start=match.start(), end=match.end()
    )


_UNIT_AFTER = re.compile(rf"[\s-]*(?:个(?=[{HAN}]))?(?P<word>[A-Za-z°%€$¥]+|per\s+cent)|\s*(?P<zh>[{HAN}]{{1,4}})")


def _unit(text: str, at: int) -> tuple[Unit | None, int]:
    """Give the unit that stands at this place, and where it ends."""
    units = lexicon().units
    match = _UNIT_AFTER.match(text, at)
    if match is None:
        return None, at
    if match["word"]:
        unit = units.get(match["word"].casefold())
        return (unit, match.end()) if unit else (None, at)
    word = match["zh"]
    for size in range(len(word), 0, -1):
        if word[:size] in units:
            return units[word[:size]], match.start("zh") + size
    return None, at


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    if match["version"]:
        raw = match["version"][1:]
        return Quantity(raw=raw, of="", value=-1, start=match.start(), end=match.end())
    raw, weak, number = "", False, 0.0
    if match["digits"]:
        raw = match["digits"].replace(",", "")
        if raw.count(".") > 1:
            return Quantity(raw=raw, of="", value=-1, start=match.start(), end=match.end())
        number = float(raw)
        scale = (match["scale"] or "").strip().casefold()
        number *= {"": 1, "k": 1000, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}[scale]
        raw = _plain(number) if scale or "." not in raw else raw
        weak = match.group().endswith("1st")
    elif match["fraction"] or match["half"]:
        number, raw = 0.5, "0.5"
    elif match["words"]:
        number = english_value(match["words"])
        weak = match["words"].casefold() in ("one", "zero")
        raw = _plain(number)
    else:
        if match["zh"] == "十" and text[match.end() : match.end() + 1] == "分" and text[match.end() + 1 :][:1] != "钟":
            return None
        number = chinese_value(match["zh"])
        weak = match["zh"] == "一"
        raw = _plain(number)
    unit, end = _unit(text, match.end())
    if match["money"]:
        unit = lexicon().units[match["money"]]
    if unit is None:
        if match["fraction"] or match["half"]:
            return None
        return Quantity(raw=raw, of="", value=number, weak=weak, start=match.start(), end=match.end())
    return Quantity(
        raw=raw, of=unit.of, value=number * unit.size, weak=weak and unit.of != "percent", start=match.start(), end=end
    )


def same(a: Quantity, b: Quantity) -> bool:
    """Tell whether two quantities are one: the same value, or one number with its unit left out."""
    if a.of == b.of and a.of:
        # Months and years have no exact length: twelve months and a year are the same statement.
        tolerance = 0.015 if a.of == "time" and min(a.value, b.value) >= 2_592_000 else 1e-9
        return abs(a.value - b.value) <= tolerance * max(a.value, b.value)
    if a.of and b.of and "clock" not in (a.of, b.of):
        return False
    if "clock" in (a.of, b.of):
        clock, other = (a, b) if a.of == "clock" else (b, a)
        return other.of == "" and other.value % 12 * 60 == clock.value
    return a.raw == b.raw
