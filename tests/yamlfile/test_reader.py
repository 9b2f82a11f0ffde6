"""The reader keeps text as written, knows places, and agrees with other readers."""

from __future__ import annotations

import pytest
import yaml

from omp.errors import BrokenFile
from omp.yamlfile import load, scan

HAND = """\
# head comment
version: 1

decisions:   # the list
  # about the first
  - id: dec-aaaaaaaaaa
    claim: plain text with a # that is none, and a: colon
    "quoted key": 'it''s'
    tags: [a, 'b c', "d"]   # end of line
    nested: {x: 1, y: [2, 3]}
    long: first line
      goes on here

      after a blank
    block: |
      two
        lines
    folded: >-
      one
      sentence
- id: second
  empty:
  list:
  - 1
  - - 2
    - 3
"""


def test_a_hand_styled_file_reads_as_other_readers_do() -> None:
    text = (
        HAND.replace("- id: second", "  - id: second")
        .replace("\n  empty", "\n    empty")
        .replace("\n  list", "\n    list")
    )
    text = text.replace("\n  - 1\n  - - 2\n    - 3", "\n    - 1\n    - - 2\n      - 3").replace(
        "and a: colon", "and no colon"
    )
    assert load(text.encode()).plain() == yaml.safe_load(text)


def test_text_of_unquoted_scalars_is_kept_as_written() -> None:
    root = load(b"version: 3.10\ncommit: 905173e1\ncountry: NO\n").root
    assert [root.get(k).value for k in ("version", "commit", "country")] == ["3.10", "905173e1", "NO"]  # type: ignore[union-attr]


def test_every_value_has_its_place() -> None:
    node = load("a:\n  b:\n    - x\n    - 键: 值\n".encode()).root.get("a", "b", 1, "键")
    assert node is not None
    assert (node.line, node.column) == (4, 10)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"a: 1\nb: &x 2\n", "anchor", 2),
        (b"a: *x\n", "alias", 1),
        (b"a: !!python/object:os.system x\n", "tag", 1),
        (b"- [a, *x]\n", "alias", 1),
        (b"a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n", "conflict-marker", 2),
        (b"a: 1\n---\nb: 2\n", "several-documents", 2),
        (b"\xef\xbb\xbfa: 1\n", "byte-order-mark", 1),
        (b"a:\n\tb: 1\n", "tab", 2),
        (b"a: \x00\n", "control-character", 1),
        (b"a: 1\nb: \xff\n", "encoding", 2),
        (b"a: 1\na: 2\n", "duplicate-key", 2),
        (b"x: {a: 1, a: 2}\n", "duplicate-key", 1),
        (b"a: b: c\n", "syntax", 1),
        (b"a: 'open\n", "syntax", 1),
        (b"[" * 100_000, "too-deep", 1),
        (b"%YAML 1.1\na: 1\n", "directive", 1),
    ],
)
def test_what_the_dialect_refuses_is_named_with_its_line(data: bytes, code: str, line: int) -> None:
    with pytest.raises(BrokenFile) as caught:
        load(data, "f.yaml")
    assert (caught.value.problems[0].code, caught.value.problems[0].line) == (code, line)


@pytest.mark.parametrize(
    "text",
    [
        "claim: R&D and *stars* and !bang stay\n",
        "claim: 'a & b *c !d'\n",
        "claim: |\n  &anchor in text\n  *alias\n  <<<<< not a marker\n",
        'claim: "tab\\t, [open { brackets"\n',
        "claim: 价格 * 数量，用 ! 表示取反\n",
        "- \"a [ b\"\n- 'c { d'\n",
        "说明: 第一行\n  第二行 [未闭合\n",
    ],
)
def test_signs_inside_text_are_no_structure(text: str) -> None:
    assert scan(text.encode()) == []
    assert load(text.encode()).plain() == yaml.safe_load(text)


def test_crlf_and_a_missing_final_newline_are_read() -> None:
    assert load(b"a: x\r\nb:\r\n  - y\r\n  - z").plain() == {"a": "x", "b": ["y", "z"]}
