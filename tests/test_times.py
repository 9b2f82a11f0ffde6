"""Every time becomes one form of text, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp import times


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("2026-02-03T10:00:00+08:00", "2026-02-03T02:00:00Z"),
        ("2026-02-03T03:30:00Z", "2026-02-03T03:30:00Z"),
        ("2026-02-03T03:30:00.123456Z", "2026-02-03T03:30:00Z"),
        ("2026-02-03 03:30", "2026-02-03T03:30:00Z"),
        ("2026-02-03", "2026-02-03T00:00:00Z"),
        (1_770_000_000, "2026-02-02T02:40:00Z"),
        (1_770_000_000_000, "2026-02-02T02:40:00Z"),
        (1_770_000_000.5, "2026-02-02T02:40:00Z"),
    ],
)
def test_times_of_all_forms_become_utc(given_: object, wanted: str) -> None:
    assert times.utc(given_) == wanted


@pytest.mark.parametrize("given_", ["", "soon", None, True, [], "2026-13-01", float("inf"), 10**20, "明天"])
def test_what_is_no_time_gives_none(given_: object) -> None:
    assert times.utc(given_) == times.NEVER


def test_a_time_without_zone_is_read_in_the_zone_given() -> None:
    assert times.utc("2026-01-15T12:00:00", ZoneInfo("Asia/Shanghai")) == "2026-01-15T04:00:00Z"


@given(st.datetimes(datetime(1980, 1, 1), datetime(2100, 1, 1)), st.timedeltas(timedelta(0), timedelta(days=400)))
def test_later_times_sort_behind_earlier_ones(moment: datetime, delta: timedelta) -> None:
    first = times.utc(moment.replace(tzinfo=UTC))
    assert first <= times.shift(first, delta)
    assert times.utc(times.parse(first)) == first


@pytest.mark.parametrize(("text", "days"), [("30d", 30.0), ("12h", 0.5), ("90s", 90 / 86400)])
def test_durations_are_read(text: str, days: float) -> None:
    assert times.duration(text) == timedelta(days=days)


def test_all_is_no_limit_and_nonsense_is_refused() -> None:
    assert times.duration("all") is None
    for bad in ("", "d", "30", "-3d", "3 d", "三天", "1w"):
        with pytest.raises(ValueError, match="not a duration"):
            times.duration(bad)
