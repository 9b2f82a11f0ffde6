"""What a read file consists of: nodes with their places, the document around them, and what reading stumbles on."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from omp.yamlfile.scalars import resolve

REST = re.compile(r"[ \t]*(?:(?<=[ \t])#[^\n]*)?(?:\r?\n|\Z)")
"""What may stand behind a complete value on its line."""
_NULL_TEXTS = frozenset({"", "~", "null", "Null", "NULL"})


class Node(msgspec.Struct, gc=False, eq=False):
    """One value with its place. `start` and `end` are character offsets in the text; line and column are 1-based.

    `value` is a dict of nodes, a list of nodes, or the text of a scalar as written (unescaped). `at` holds where each
    key of a map, or each dash of a sequence, stands. `plain` is an unquoted scalar, `flow` a collection on one line.
    Nodes never form circles, so the collector need not look at the hundreds of thousands a large file has.
    """

    kind: Literal["map", "seq", "scalar"]
    value: Any
    start: int
    end: int
    line: int
    column: int
    plain: bool = False
    flow: bool = False
    at: Any = None

    def get(self, *path: str | int) -> Node | None:
        """Follow keys and indexes; None where there is nothing."""
        node: Node | None = self
        for step in path:
            if node is None or node.kind == "scalar":
                return None
            if isinstance(step, int):
                node = node.value[step] if node.kind == "seq" and -len(node.value) <= step < len(node.value) else None
            else:
                node = node.value.get(step) if node.kind == "map" else None
        return node

    def python(self, typed: bool = True) -> Any:
        """Give plain Python values; with `typed` unquoted scalars are resolved, else every scalar is its text."""
        if self.kind == "scalar":
            if not self.plain:
                return self.value
            if typed:
                return resolve(self.value)
            return None if self.value in _NULL_TEXTS else self.value
        if self.kind == "map":
            return {k: v.python(typed) for k, v in self.value.items()}
        return [v.python(typed) for v in self.value]


class Document:
    """A file as read: its bytes, its text and its root node (an empty map for an empty file)."""

    __slots__ = ("data", "path", "root", "text")

    def __init__(self, data: bytes, text: str, root: Node, path: str) -> None:
        self.data, self.text, self.root, self.path = data, text, root, path

    def plain(self) -> Any:
        """Give plain Python values."""
        return self.root.python()


class BadText(Exception):
    """A place in the text that cannot be read: character offset, code, message, mend. Never leaves the package."""

    def __init__(self, at: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.code, self.message, self.hint = at, code, message, hint


def twice(at: int, key: str, line: int) -> BadText:
    """The finding that a key stands twice in one map."""
    return BadText(at, "duplicate-key", f"the key {key!r} stands already in line {line}", "join the two")


class UnknownShape(Exception):
    """YAML that the fast reader leaves to ruamel.yaml. Never leaves the package."""


def next_line(text: str, at: int) -> int:
    """Behind a value: only blanks or a comment may follow on the line; the start of the next line."""
    found = REST.match(text, at)
    if found is None:
        raise BadText(at, "syntax", "something follows a complete value", "put the whole text in quotes")
    return found.end()


def is_marker(text: str, at: int) -> bool:
    """Whether a line that starts at `at` begins or ends a document."""
    return text.startswith(("---", "..."), at) and text[at + 3 : at + 4] in ("", " ", "\t", "\r", "\n")
