"""Our reader and other people's readers agree; nothing takes more than linear time; nothing heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from omp.errors import BrokenFile
from omp.model import Problem
from omp.yamlfile import Node, dump_value, load, scan

TOKENS = [
    "a",
    "b c",
    "key",
    "x:y",
    "端口:\u300080",
    "- ",
    " # c",
    "'it''s'",
    "'q",
    '"d"',
    '"e\\n f"',
    "[",
    "]",
    "{",
    "}",
    ",",
    ": ",
    ":",
    "|",
    "|-",
    ">",
    ">-",
    "|2",
    "|+",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    " ",
    "-",
    "k: v",
    "- id: x",
    "\n  b: ",
    "\nc: ",
    "[a, b]",
    "{a: 1, b: c}",
    "[a, 'b c']",
    "\n\n",
    "~",
    "1e3",
    "\\",
    "\r\n",
    "é",
    "𝒳",
    "::",
    "a#b",
    "-a",
    "?a",
    "\n - ",
    "\n- ",
    "\n-   ",
]
STARTS = ["a: ", "a:", "l:\n  - k: ", "a:\n  b: x\n  c: ", "l:\n- ", "x: y\nz: "]


def problems_of(data: bytes) -> tuple[Problem, ...]:
    try:
        load(data, "f.yaml")
    except BrokenFile as broken:
        return broken.problems
    return ()


def theirs(node: Any) -> Any:
    if isinstance(node, ScalarNode):
        return node.value, node.style is None
    if isinstance(node, SequenceNode):
        return [theirs(n) for n in node.value]
    assert isinstance(node, MappingNode)
    return {key.value: theirs(value) for key, value in node.value}


def ours(node: Node) -> Any:
    if node.kind == "scalar":
        return node.value, node.plain
    if node.kind == "seq":
        return [ours(n) for n in node.value]
    return {key: ours(value) for key, value in node.value.items()}


@settings(max_examples=400)
@given(st.sampled_from(STARTS), st.lists(st.sampled_from(TOKENS), max_size=9), st.sampled_from(["", "\n", "\nq: w\n"]))
def test_what_both_readers_take_they_read_alike(start: str, tokens: list[str], end: str) -> None:
    text = start + "".join(tokens) + end
    try:
        mine = ours(load(text.encode()).root)
    except BrokenFile:
        return
    try:
        other = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return  # PyYAML follows YAML 1.1 and has limits of its own
    assert mine == theirs(other)


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), PLAIN, max_size=4))
def test_what_we_write_everybody_reads_back(value: dict[str, Any]) -> None:
    data = dump_value(value)
    assert load(data).plain() == value
    assert yaml.safe_load(data) == value


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b"a: " + b"{" * 100_000,
        b"- " * 100_000,
        b"a: x" + b" &y" * 200_000,
        b"[ " + b"&y " * 100_000,
        b"a: " + b"'x' " * 100_000,
        b'a: "' + b'\\"' * 200_000,
        b"a" + b":b" * 200_000,
        b"a: " * 100_000,
        b"'" * 200_001,
        b"a: x\n" + b"  y\n" * 50_000,
        b"a: [" + b"x,\n" * 50_000 + b"]\n",
        b"a: |\n" + b"  x\n" * 50_000,
        b"a: b\n" + b" # x\n" * 50_000,
        b"a: 1\n" * 5_000,
        b"\x01" * 50_000,
        b"<<<<<<< x\n" * 5_000,
        b"---\n" * 50_000,
    ],
)
@pytest.mark.timeout(20)
def test_hostile_texts_take_linear_time_and_few_words(data: bytes) -> None:
    assert len(problems_of(data)) <= 200


def test_all_problems_are_found_not_just_the_first() -> None:
    data = b"a: &x 1\na: 2\nb: [*x, !t 3]\nc: 'fine & *good'\n<<: {d: 1, d: 2}\n\te: 1\n"
    found = [(p.line, p.column, p.code) for p in problems_of(data)]
    assert found[:4] == [
        (1, 4, "anchor"),
        (3, 5, "alias"),
        (3, 9, "tag"),
        (6, 1, "tab"),
    ]
    text = b"a: 1\na: 2\nm:\n  b: 1\n  b: 2\n<<: 3\n"
    with pytest.raises(BrokenFile) as caught:
        load(text)
    assert [(p.line, p.code) for p in caught.value.problems] == [
        (2, "duplicate-key"),
        (5, "duplicate-key"),
        (6, "merge-key"),
    ]


def test_every_alias_of_a_nest_is_named() -> None:
    nest = b"a0: &a0 [x, x]\na1: &a1 [*a0, *a0]\n"
    assert [p.code for p in scan(nest)] == ["anchor", "anchor", "alias", "alias"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: b\u3000c:\u3000d\n", "b\u3000c:\u3000d"),
        ("a: 注意：\u3000空格\n", "注意：\u3000空格"),
        ("a: |+\n  x\n\n", "x\n\n"),
        ("a: |\n  x", "x"),
        ('a: "x\\\n  y"\n', "xy"),
        ('a: "x\\\\\n  y"\n', "x\\ y"),
        ("a: 'x\n\n  y'\n", "x\ny"),
        ("a: >-\n  x\n  y\n\n  z\n", "x y\nz"),
        ("a: x # c\n", "x"),
        ("a: x#c\n", "x#c"),
        ("? a\n: b\n", "b"),
    ],
)
def test_text_in_all_its_forms(text: str, value: str) -> None:
    assert load(text.encode()).plain() == {"a": value}
    assert yaml.safe_load(text) == {"a": value}


@pytest.mark.parametrize("text", ["a: 'x\ny: z'\n", "l:\n  - 'x\n  - id: y'\n", "a: b # c\n  d\n", "a: 1\n...\nb: 2\n"])
def test_texts_that_would_hide_structure_are_refused(text: str) -> None:
    with pytest.raises(BrokenFile):
        load(text.encode())


def test_numbers_of_absurd_length_are_text() -> None:
    digits = "9" * 5000
    assert load(f"a: {digits}\n".encode()).plain() == {"a": digits}


def test_reading_and_splicing_import_nothing_heavy() -> None:
    code = (
        "import sys\nfrom omp.yamlfile import load, insert_entries, read_entries\n"
        "load(b'a: [1, {b: 2}]\\nc: |\\n  x\\n')\n"
        "assert not {'ruamel', 'yaml', 'numpy'} & set(sys.modules)\n"
        "load(b'? a\\n: b\\n')\nassert 'ruamel.yaml' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
