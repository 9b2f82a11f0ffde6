"""Times as text: `YYYY-MM-DDTHH:MM:SSZ`, always UTC, so that they sort as they stand.

Every time that enters `omp` goes through `utc()`; nothing compares times written in another form.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

NEVER = ""
"""The absence of a time; sorts before every time."""


def utc(value: object, zone: tzinfo = UTC) -> str:
    """Give `value` as `YYYY-MM-DDTHH:MM:SSZ`, or `NEVER` when it is no time.

    Takes ISO-8601 text (a missing zone means `zone`), Unix seconds or milliseconds (above 10^11), or a datetime.
    """
    try:
        moment = _moment(value, zone)
        return NEVER if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return NEVER


def _moment(value: object, zone: tzinfo) -> datetime | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        seconds = value / 1000 if abs(value) > 1e11 else value
        return datetime.fromtimestamp(seconds, UTC)
    if isinstance(value, str):
        if not value.strip():
            return None
        value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    return None


def parse(text: str) -> datetime:
    """Read a time made by `utc()`. Raises ValueError for any other text."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def day(text: str) -> str:
    """Give the UTC day (`YYYY-MM-DD`) of a time made by `utc()`."""
    return text[:10]


def shift(text: str, delta: timedelta) -> str:
    """Give the time `delta` later than `text`."""
    return utc(parse(text) + delta)


def duration(text: str) -> timedelta | None:
    """Read `30d`, `2h`, `45m` or `90s`; `all` is None. Raises ValueError for anything else."""
    if text == "all":
        return None
    units = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
    if len(text) < 2 or text[-1] not in units or not text[:-1].isascii() or not text[:-1].isdigit():
        raise ValueError(f"not a duration: {text!r} (write 30d, 2h, 45m or all)")
    return timedelta(**{units[text[-1]]: int(text[:-1])})
