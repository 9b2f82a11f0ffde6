"""What is written reads back as the same string in every reader."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from omp.yamlfile import dump_value, load, quote

AWKWARD = [
    "", " ", "no", "Yes", "OFF", "y", "null", "~", "12:30:00", "2026-03-02", ".inf", "0x1f", "0o17", "1_000", "1e3",
    "905173e1", "3.10", "- a", "# b", "@c", "%d", "&e", "*f", "!g", "`h", "a: b", "a #b", "a:", "'", '"', "\\", "tail ",
    "line\nbreak", "tab\there", "zero\u200dwidth", "---", "...", "=", "<<", "[x]", "{x}", "a,b", "\x07bell",
    "\x85", "\u2028",
    "\ufeff", "决定：采用 YAML", "用 # 号", "emoji 👩‍👩‍👧", "?", "? x", "-", "|", ">", "x" * 5000,
]  # fmt: skip
TEXT = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=["Cs"]), max_size=60))


def read_back(data: bytes) -> list[object]:
    safe = YAML(typ="safe", pure=True)
    return [load(data).plain(), yaml.safe_load(data), safe.load(data)]


@given(TEXT)
def test_a_string_comes_back_as_value_from_every_reader(text: str) -> None:
    for value in read_back(dump_value({"claim": text})):
        assert value == {"claim": text}


@given(TEXT)
def test_a_string_comes_back_as_key_from_every_reader(text: str) -> None:
    if len(text) > 100:  # readers limit simple keys to 1024 bytes; nothing of ours comes near
        text = text[:100]
    for value in read_back(dump_value({text: "x"})):
        assert value == {text: "x"}


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_strings_come_back_from_lists_in_both_styles(texts: list[str]) -> None:
    for value in read_back(dump_value({"tags": texts, "alternatives": texts})):
        assert value == {"tags": texts, "alternatives": texts}


def test_plain_words_stay_without_quotes() -> None:
    assert quote("Never force-push to main") == "Never force-push to main"
    assert quote("日志统一采用 JSON 格式") == "日志统一采用 JSON 格式"


def test_printable_text_is_never_escaped() -> None:
    assert "\\u" not in quote("“引号”, café, 👩‍👩‍👧 'x'")
