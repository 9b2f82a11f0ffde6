"""Time words in a query ("last week", 上周, "in March 2025") as a window of days.

A soft signal only: memories whose time lies in the window come a little earlier, none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from omp import times

_DAY = timedelta(days=1)
_YEAR = "january february march april may june july august september october november december"
_MONTHS = _YEAR.split()
_WORDS: tuple[tuple[str, str], ...] = (
    (r"\b(?:the )?day before yesterday\b|前天", "day-2"),
    (r"\byesterday\b|昨天|昨日", "day-1"),
    (r"\btoday\b|今天|今日", "day0"),
    (r"\blast week\b|上周|上星期|上个?礼拜", "week-1"),
    (r"\bthis week\b|本周|这周|这个?星期", "week0"),
    (r"\blast month\b|上个?月", "month-1"),
    (r"\bthis month\b|本月|这个月", "month0"),
    (r"\blast year\b|去年", "year-1"),
    (r"\bthis year\b|今年", "year0"),
)
_TABLE = tuple((re.compile(pattern, re.IGNORECASE), step) for pattern, step in _WORDS)
_AGO = re.compile(r"\b(\d{1,3}) (day|week|month)s? ago\b|(\d{1,3}) ?(天|周|个月)(?:之?前)", re.IGNORECASE)
_NAMED = re.compile(rf"\b(?:in|since|during|of) ({'|'.join(_MONTHS)})\b(?: ([12]\d{{3}}))?", re.IGNORECASE)
_NAMED_ZH = re.compile(r"(?:([12]\d{3})年)?(?<!\d)(1[0-2]|[1-9])月(?!\d)")


def window(query: str, now: str) -> tuple[str, str] | None:
    """Give the window [from, to) a query speaks of, as times of `times.utc`; None when it names none.

    `now` is a time of `times.utc`; without one nothing can be said.
    """
    if not now:
        return None
    today = times.parse(now).replace(hour=0, minute=0, second=0)
    for read in (_ago, _word, _month):
        found = read(query, today)
        if found:
            return times.utc(found[0]), times.utc(found[1])
    return None


_Span = tuple[datetime, datetime]


def _word(query: str, today: datetime) -> _Span | None:
    for pattern, step in _TABLE:
        if pattern.search(query):
            unit, number = step.rstrip("-0123456789"), int(step.lstrip("adehkmnortwy"))
            return _SPANS[unit](today, number)
    return None


def _ago(query: str, today: datetime) -> _Span | None:
    found = _AGO.search(query)
    if not found:
        return None
    number, unit = int(found[1] or found[3]), (found[2] or found[4]).lower()
    if unit in ("day", "天"):
        return _days(today, -number)
    if unit in ("week", "周"):
        return _weeks(today, -number)
    return _months(today, -number)


def _month(query: str, today: datetime) -> _Span | None:
    found, year = _NAMED.search(query), ""
    if found:
        number, year = _MONTHS.index(found[1].lower()) + 1, found[2] or ""
    else:
        found = _NAMED_ZH.search(query)
        if not found:
            return None
        number, year = int(found[2]), found[1] or ""
    if not year:
        year = str(today.year if number <= today.month else today.year - 1)
    start = today.replace(year=int(year), month=number, day=1)
    return start, _later(start)


def _days(today: datetime, number: int) -> _Span:
    return today + number * _DAY, today + (number + 1) * _DAY


def _weeks(today: datetime, number: int) -> _Span:
    monday = today - today.weekday() * _DAY + 7 * number * _DAY
    return monday, monday + 7 * _DAY


def _months(today: datetime, number: int) -> _Span:
    count = today.year * 12 + today.month - 1 + number
    start = today.replace(year=count // 12, month=count % 12 + 1, day=1)
    return start, _later(start)


def _years(today: datetime, number: int) -> _Span:
    start = today.replace(year=today.year + number, month=1, day=1)
    return start, start.replace(year=start.year + 1)


def _later(month: datetime) -> datetime:
    return month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)


_SPANS: dict[str, Callable[[datetime, int], _Span]] = {"day": _days, "week": _weeks, "month": _months, "year": _years}
