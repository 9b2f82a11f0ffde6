"""Terms of texts: stems, Chinese pairs, identifiers whole and split, time words."""

from __future__ import annotations

import pytest

from omp.search.english import STOP_WORDS, stem
from omp.search.when import window
from omp.search.words import analyse

NOW = "2026-03-11T15:30:00Z"  # a Wednesday


@pytest.mark.parametrize(
    "family",
    [
        "deploy deploys deployed deploying",
        "cache caches cached caching",
        "run runs ran running",
        "choose chose chosen choosing",
        "stop stops stopped stopping",
        "migration migrations",
        "company companies",
        "quickly quick",
        "write wrote written writing",
        "configure configured configures configuring",
        "child children",
        "index indexes indices indexed",
        "play played playing plays",
        "apply applies applied applying",
        "agree agreed agrees",
    ],
)
def test_forms_of_a_word_share_a_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("news", "new"),
        ("evening", "even"),
        ("sky", "ski"),
        ("apply", "app"),
        ("early", "ear"),
        ("adding", "ad"),
        ("hope", "hop"),
        ("family", "fame"),
        ("redis", "red"),
        ("organization", "organ"),
        ("university", "universe"),
    ],
)
def test_other_words_keep_other_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["", "a", "is", "x9", "naïve", "数据", "yy", "ing", "ied", "ss", "lly", "eed"])
def test_stem_takes_any_word(word: str) -> None:
    assert isinstance(stem(word), str)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The caches were flushed", ["cach", "flush"]),
        ("Anna's cat doesn't sleep", ["anna", "cat", "sleep"]),
        ("set max_retry_count", ["set", "max", "retri", "count", "=max_retry_count", "=maxretrycount"]),
        ("maxRetryCount", ["max", "retri", "count", "=maxretrycount"]),
        ("HTTPServer", ["http", "server", "=httpserver"]),
        ("see src/app/main.py.", ["see", "src", "app", "main", "py", "=src/app/main.py", "=main.py"]),
        ("Python v3.10.2!", ["python", "v", "3", "10", "2", "=3.10.2", "=3.10"]),
        ("well-known", ["well", "know", "well-known"]),
        ("ＡＰＩ　２", ["api", "2"]),
        ("端口改为5433", ["端", "口", "改", "端口", "口改", "改为", "5433"]),
        ("用 Redis 缓存", ["用", "redi", "缓", "存", "缓存"]),
        ("what is it?", []),
        ("的了吗", []),
        ("", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert list(analyse(text).terms) == terms


@pytest.mark.parametrize(
    ("text", "wide"),
    [("数据库用 PostgreSQL", True), ("use 缓存 here and there", False), ("only English", False), ("", False)],
)
def test_the_script_of_a_text(text: str, wide: bool) -> None:
    assert analyse(text).wide is wide


def test_question_words_are_no_terms() -> None:
    assert {"which", "what", "how", "did"} <= STOP_WORDS


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("what did we decide today", "2026-03-11", "2026-03-12"),
        ("yesterday's deployment", "2026-03-10", "2026-03-11"),
        ("the day before yesterday", "2026-03-09", "2026-03-10"),
        ("bugs of last week", "2026-03-02", "2026-03-09"),
        ("this week", "2026-03-09", "2026-03-16"),
        ("上周定了什么", "2026-03-02", "2026-03-09"),
        ("上个月的发布", "2026-02-01", "2026-03-01"),
        ("本月", "2026-03-01", "2026-04-01"),
        ("去年的方案", "2025-01-01", "2026-01-01"),
        ("3 days ago", "2026-03-08", "2026-03-09"),
        ("两天前 或 2天前", "2026-03-09", "2026-03-10"),
        ("3个月前", "2025-12-01", "2026-01-01"),
        ("decided in December", "2025-12-01", "2026-01-01"),
        ("in March 2025", "2025-03-01", "2025-04-01"),
        ("2025年12月", "2025-12-01", "2026-01-01"),
        ("5月的会议", "2025-05-01", "2025-06-01"),
    ],
)
def test_time_words(query: str, start: str, end: str) -> None:
    assert window(query, NOW) == (f"{start}T00:00:00Z", f"{end}T00:00:00Z")


@pytest.mark.parametrize("query", ["which cache", "march on", "the week of code", "数据库", "may we deploy"])
def test_no_time_words(query: str) -> None:
    assert window(query, NOW) is None
    assert window("last week", "") is None
