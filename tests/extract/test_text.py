"""Sentences of both scripts, and claims trimmed to what they state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.extract import shapes, text


def test_sentences_end_in_both_scripts_and_at_lines() -> None:
    said = text.sentences("Use v3.10 of it. 决定用 tar。不要 zip！\n1) first item\n- second")
    assert [s.text for s in said] == ["Use v3.10 of it.", "决定用 tar。", "不要 zip！", "first item", "second"]
    assert [s.item for s in said] == [False, False, False, True, True]


@given(st.text(alphabet="ab1 .!?。！，\n-)'“”；", max_size=80))
def test_every_sentence_stands_at_its_offsets(whole: str) -> None:
    for s in text.sentences(whole):
        assert whole[s.start : s.end] == s.text


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("ok, so we use tar", "we use tar"),
        ("嗯，对了，用 tar 打包", "用 tar 打包"),
        ("Decision: flags are read at start.", "flags are read at start."),
        ("please remember that dates are year first", "dates are year first"),
        ("paths stay relative, and then run the linter please", "paths stay relative"),
    ],
)
def test_trim(said: str, claim: str) -> None:
    assert text.trim(said, 300).rstrip(".") == claim.rstrip(".")


def test_trim_never_exceeds_the_limit_nor_empties() -> None:
    assert len(text.trim("never cache it, " * 60, 300)) <= 300
    assert text.trim("ok", 300) == "ok"


def test_width_counts_a_chinese_character_twice() -> None:
    assert text.width("用空格缩进吧") == 12
    assert text.width("use tabs") == 7


def test_quotations_and_code_are_blanked_and_length_is_kept() -> None:
    whole = 'he wrote "all services must expose health" ok\n```\nnever do x\n```\n> always do y'
    shown = text.own_words(whole)
    assert len(shown) == len(whole)
    assert "must" not in shown
    assert "never" not in shown
    assert "always" not in shown


@pytest.mark.parametrize(
    "line", ["const a = 1;", "  at foo (b.ts:1:2)", "<div class='x'>", "18 │ const x", "return { a, b }"]
)
def test_code_is_told_from_words(line: str) -> None:
    assert shapes.code_shaped(line)
    assert not shapes.code_shaped("POOL_SIZE is 20 in app.toml, for all sites")


def test_other_languages_are_left_alone() -> None:
    assert shapes.foreign("Não aplique a alteração no projeto para já")
    assert shapes.foreign("タブでテキストを再選択してください")
    assert not shapes.foreign("the café serves tea")
    assert not shapes.foreign("决定用 tar 打包")
