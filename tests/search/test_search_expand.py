"""Token estimates, and themes laid out within a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.search import Group, Hit, expand, tokens

TEXTS = {
    "a": "Redis caches pages",
    "b": "Cache keys carry a version",
    "c": "价格导入后清空缓存",
    "d": "Deploy on Tuesday",
}
HITS = [Hit(id="b", score=3), Hit(id="d", score=2), Hit(id="a", score=1)]
CACHE = Group(id="th-1", title="Caching", members=("a", "b", "c"), similarity=0.8)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("缓存用数据库", 6, 6),
        ("ten plain words that a model would count as thirteen", 13, 16),
        ("用 Redis 做缓存。", 5, 8),
        ("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 9, 40),
    ],
)
def test_tokens_are_counted_by_script(text: str, least: int, most: int) -> None:
    assert least <= tokens(text) <= most


def test_a_theme_the_question_is_about_comes_whole_in_the_place_of_its_first_hit() -> None:
    shown = expand(HITS, TEXTS, [CACHE], budget=200)
    assert [(i.kind, i.id) for i in shown.items] == [
        ("theme", "th-1"),
        ("memory", "b"),
        ("memory", "a"),
        ("memory", "c"),
        ("memory", "d"),
    ]
    assert shown.left_out == 0
    assert shown.tokens == sum(i.tokens for i in shown.items)


@pytest.mark.parametrize(("similarity", "expanded"), [(0.7499, False), (0.75, True)])
def test_a_theme_expands_from_the_limit_on(similarity: float, expanded: bool) -> None:
    group = Group(id="th-1", title="Caching", members=("a", "b", "c"), similarity=similarity)
    assert (expand(HITS, TEXTS, [group], budget=200).items[0].kind == "theme") is expanded


def test_what_does_not_fit_is_counted_and_smaller_things_still_come() -> None:
    texts = {"b": "word " * 50, "d": "Deploy on Tuesday"}
    shown = expand(HITS, texts, [], budget=20)
    assert [i.id for i in shown.items] == ["d"]
    assert shown.left_out == 1


def test_a_title_never_stands_alone() -> None:
    group = Group(id="th-1", title="Caching", members=("b",), similarity=0.9)
    shown = expand(HITS[:1], {"b": "word " * 50}, [group], budget=20)
    assert shown.items == ()
    assert shown.left_out == 1


@given(st.lists(st.sampled_from("abcd"), unique=True), st.integers(0, 60), st.floats(0, 1))
def test_the_budget_holds_and_every_memory_comes_once(order: list[str], budget: int, similarity: float) -> None:
    group = Group(id="th-1", title="Caching", members=("a", "b", "c"), similarity=similarity)
    shown = expand([Hit(id=i, score=0) for i in order], TEXTS, [group], budget)
    memories = [i.id for i in shown.items if i.kind == "memory"]
    assert shown.tokens == sum(i.tokens for i in shown.items) <= budget
    assert len(set(memories)) == len(memories)
    wanted = set(order) | ({"a", "b", "c"} if similarity >= 0.75 and set(order) & {"a", "b", "c"} else set())
    assert len(memories) + shown.left_out == len(wanted)
