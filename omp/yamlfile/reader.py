"""A strict, fast reader that keeps what other readers drop: positions, quotes, and the text of plain scalars.

`3.10` where a string is due is `3.10`, never 3.1, because resolving is left to the one who knows the type. Measured at
10,000 entries of our layout (4 MB): this reader is many times faster than ruamel.yaml's pure composer, which reads the
few shapes unknown here (complex keys, odd block headers).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, Literal

from omp.errors import BrokenFile
from omp.model import Problem
from omp.yamlfile.dialect import DEPTH_LIMIT, scan
from omp.yamlfile.scalars import resolve, unescape


class Node:
    """One value with its place. `start` and `end` are character offsets in the text; line and column are 1-based.

    `value` is a dict of nodes, a list of nodes, or the text of a scalar as written (unescaped). `at` holds where each
    key of a map, or each dash of a sequence, stands. `plain` is an unquoted scalar.
    """

    __slots__ = ("at", "column", "end", "flow", "kind", "line", "plain", "start", "value")

    def __init__(
        self,
        kind: Literal["map", "seq", "scalar"],
        value: Any,
        start: int,
        end: int,
        line: int,
        column: int,
        plain: bool = False,
        flow: bool = False,
        at: Any = None,
    ) -> None:
        self.kind, self.value, self.start, self.end = kind, value, start, end
        self.line, self.column, self.plain, self.flow, self.at = line, column, plain, flow, at

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
        if self.kind == "map":
            return {k: v.python(typed) for k, v in self.value.items()}
        if self.kind == "seq":
            return [v.python(typed) for v in self.value]
        if self.plain and typed:
            return resolve(self.value)
        return None if self.plain and self.value in ("", "~", "null") else self.value


class Document:
    """A file as read: its bytes, its text and its root node (an empty map for an empty file)."""

    __slots__ = ("data", "path", "root", "text")

    def __init__(self, data: bytes, text: str, root: Node, path: str) -> None:
        self.data, self.text, self.root, self.path = data, text, root, path

    def plain(self) -> Any:
        """Give plain Python values."""
        return self.root.python()


class _Bad(Exception):
    def __init__(self, at: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.code, self.message, self.hint = at, code, message, hint


class _Unknown(Exception):
    """A shape this reader leaves to ruamel.yaml."""


def load(data: bytes, path: str = "") -> Document:
    """Read a file of the dialect. Raises BrokenFile with all the pre-scan found, else the first of the parse."""
    problems = scan(data, path)
    if problems:
        raise BrokenFile(f"{path or 'the text'} cannot be read", tuple(problems))
    text = data.decode("utf-8")
    try:
        root = _Reader(text).document()
    except _Unknown:
        root = _compose(text, path)
    except _Bad as bad:
        raise BrokenFile(f"{path or 'the text'} cannot be read", (_problem(text, path, bad),)) from None
    return Document(data, text, root, path)


def _problem(text: str, path: str, bad: _Bad) -> Problem:
    line = text.count("\n", 0, bad.at) + 1
    column = bad.at - text.rfind("\n", 0, bad.at)
    return Problem(path=path, line=line, column=column, code=bad.code, message=bad.message, hint=bad.hint)


_KEY = re.compile(
    r"""(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\n]|'')*)'|([^\s#\[\]{},"'|>%@`:?&*!-](?:[^\n:#]|:(?=[^\s])|(?<=\S)\#)*?|"""
    r"""[:?-](?=\S)(?:[^\n:#]|:(?=[^\s])|(?<=\S)\#)*?))[ \t]*:(?=[ \t\r\n]|\Z)"""
)
_REST = re.compile(r"[ \t]*(?:(?<=[ \t])\#[^\n]*)?(?:\r?\n|\Z)")
_PLAIN_LINE = re.compile(r"(?:[^\n:#\r]|:(?=[^\s])|(?<=[^\s])\#|\r(?!\n))*")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_HEADER = re.compile(r"([|>])([-+]?)([1-9]?)([-+]?)[ \t]*(?:(?<=[ \t])\#[^\n]*)?\r?\n")
_FLOW_PLAIN = re.compile(r"(?:[^\s,\[\]{}:#]|:(?=[^\s,\[\]{}])|(?<=\S)\#|[ \t]+(?=[^\s,\[\]{}:#]))+")
_FLOW_SPACE = re.compile(r"(?:[ \t\r\n]|(?<=[\s])\#[^\n]*)*")
_FOLD = re.compile(r"[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.size = len(text)
        self.lines = [0, *(m.end() for m in re.finditer("\n", text))]

    # Places

    def where(self, at: int) -> tuple[int, int]:
        number = bisect_right(self.lines, at)
        return number, at - self.lines[number - 1] + 1

    def node(self, kind: Any, value: Any, start: int, end: int, **more: Any) -> Node:
        line, column = self.where(start)
        return Node(kind, value, start, end, line, column, **more)

    def content(self, at: int) -> tuple[int, int]:
        """From the start of a line: skip blank and comment lines; (indent, offset of the content), -1 at the end."""
        text, size = self.text, self.size
        while at < size:
            i = at
            while i < size and text[i] == " ":
                i += 1
            if i >= size:
                return -1, size
            c = text[i]
            if c == "\n" or (c == "\r" and text[i + 1 : i + 2] == "\n"):
                at = text.index("\n", i) + 1
            elif c == "#":
                end = text.find("\n", i)
                at = size if end < 0 else end + 1
            elif i == at and text.startswith(("---", "..."), i) and text[i + 3 : i + 4] in ("", " ", "\r", "\n"):
                if text[i : i + 3] == "---" and text[i + 3 : i + 4] == " ":
                    raise _Unknown
                end = text.find("\n", i)
                at = size if end < 0 else end + 1
            else:
                return i - at, i
        return -1, size

    def next_line(self, at: int) -> int:
        """Behind a value: only blanks or a comment may follow on the line; the start of the next line."""
        found = _REST.match(self.text, at)
        if found is None:
            raise _Bad(at, "syntax", "something follows a complete value", "put the whole text in quotes")
        return found.end()

    # Blocks

    def document(self) -> Node:
        indent, at = self.content(0)
        if indent < 0:
            return self.node("map", {}, 0, 0, at={})
        node, after = self.block(at, indent, 1)
        indent, at = self.content(after)
        if indent >= 0:
            raise _Bad(at, "syntax", "this line does not fit the structure above it", "check its indentation")
        return node

    def block(self, at: int, indent: int, depth: int) -> tuple[Node, int]:
        if depth > DEPTH_LIMIT:
            raise _Bad(at, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")
        text = self.text
        if text[at] == "-" and text[at + 1 : at + 2] in (" ", "\n", "\r", ""):
            return self.sequence(at, indent, depth)
        if text[at] == "?" and text[at + 1 : at + 2] in (" ", "\n"):
            raise _Unknown
        if _KEY.match(text, at):
            return self.mapping(at, indent, depth)
        return self.value(at, indent - 1, depth)

    def sequence(self, at: int, indent: int, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        dashes: list[int] = []
        start, end, text = at, at, self.text
        while True:
            dashes.append(at)
            inner = at + 1
            while text[inner : inner + 1] == " ":
                inner += 1
            if text[inner : inner + 1] in ("", "\n", "\r", "#"):
                after = self.next_line(inner)
                deeper, place = self.content(after)
                if deeper > indent:
                    node, after = self.block(place, deeper, depth + 1)
                else:
                    node = self.node("scalar", "", at + 1, at + 1, plain=True)
            else:
                node, after = self.block(inner, indent + inner - at, depth + 1)
            items.append(node)
            end = node.end
            deeper, place = self.content(after)
            if deeper != indent or text[place] != "-" or text[place + 1 : place + 2] not in (" ", "\n", "\r", ""):
                if deeper > indent:
                    raise _Bad(place, "syntax", "this line is indented deeper than its list", "check its indentation")
                return self.node("seq", items, start, end, at=dashes), after
            at = place

    def mapping(self, at: int, indent: int, depth: int) -> tuple[Node, int]:
        pairs: dict[str, Node] = {}
        keys: dict[str, int] = {}
        start, end, text = at, at, self.text
        while True:
            found = _KEY.match(text, at)
            if found is None:
                raise _Bad(at, "syntax", "expected `key: value` here", "check indentation, colons and quotes")
            key = self.key(found)
            if key in pairs:
                line = self.where(keys[key])[0]
                raise _Bad(at, "duplicate-key", f"the key {key!r} stands already in line {line}", "join the two")
            keys[key] = at
            node, after = self.behind_key(found.end(), indent, depth)
            pairs[key] = node
            end = max(found.end(), node.end)
            deeper, place = self.content(after)
            if deeper < indent or (
                deeper == indent and text[place] == "-" and text[place + 1 : place + 2] in (" ", "\n")
            ):
                return self.node("map", pairs, start, end, at=keys), after
            if deeper > indent:
                raise _Bad(place, "syntax", "this line is indented deeper than its map", "check its indentation")
            if text.startswith("? ", place):
                raise _Unknown
            at = place

    def key(self, found: re.Match[str]) -> str:
        double, single, plain = found.groups()
        if double is not None:
            text = unescape(double)
            if text is None:
                raise _Bad(found.start(), "syntax", "an unknown escape in a key", "write \\\\ for a backslash")
            return text
        return single.replace("''", "'") if single is not None else plain.rstrip()

    def behind_key(self, at: int, indent: int, depth: int) -> tuple[Node, int]:
        text = self.text
        value = at
        while text[value : value + 1] in (" ", "\t") and value < self.size:
            value += 1
        rest = _REST.match(text, at)
        if rest is None:
            return self.value(value, indent, depth)
        deeper, place = self.content(rest.end())
        is_dash = deeper >= 0 and text[place] == "-" and text[place + 1 : place + 2] in (" ", "\n", "\r", "")
        if deeper > indent or (deeper == indent and is_dash):
            return self.block(place, deeper, depth + 1)
        return self.node("scalar", "", at, at, plain=True), rest.end()

    # Values

    def value(self, at: int, indent: int, depth: int) -> tuple[Node, int]:
        """A value that starts on this line; its further lines are indented deeper than `indent`."""
        c = self.text[at]
        if c in "|>":
            return self.literal(at, indent)
        if c in "\"'":
            node = self.quoted(at)
            return node, self.next_line(node.end)
        if c in "[{":
            node = self.flow(at, depth)
            return node, self.next_line(node.end)
        return self.plain(at, indent)

    def plain(self, at: int, indent: int) -> tuple[Node, int]:
        text = self.text
        if text[at] in "%@`&*!":
            raise _Bad(at, "syntax", f"a value cannot start with {text[at]}", "put it in quotes")
        found = _PLAIN_LINE.match(text, at)
        assert found is not None  # the pattern matches the empty text
        first = found[0].rstrip(" \t")
        end = at + len(first)
        parts, after = [first], self.next_line(end) if _REST.match(text, end) else -1
        if after < 0:
            raise _Bad(end, "syntax", "`: ` inside an unquoted text", "put the whole text in quotes")
        breaks = 0
        while after < self.size:
            i = after
            while text[i : i + 1] == " ":
                i += 1
            if text[i : i + 1] in ("\n", "\r"):
                breaks += 1
                after_blank = text.find("\n", i) + 1
                if not after_blank or after_blank >= self.size:
                    break
                after, keep = after_blank, after
                deeper, _ = self.content(after)
                if deeper <= indent:
                    after = keep
                    break
                continue
            if i - after <= indent or text[i : i + 1] in ("#", ""):
                break
            if _KEY.match(text, i):
                raise _Bad(i, "syntax", "a key inside an unquoted text", "check indentation, or put the text in quotes")
            found = _PLAIN_LINE.match(text, i)
            assert found is not None
            more = found[0].rstrip(" \t")
            parts.append("\n" * breaks if breaks else " ")
            parts.append(more)
            breaks, end = 0, i + len(more)
            if not _REST.match(text, end):
                raise _Bad(end, "syntax", "`: ` inside an unquoted text", "put the whole text in quotes")
            after = self.next_line(end)
        return self.node("scalar", "".join(parts), at, end, plain=True), after

    def quoted(self, at: int) -> Node:
        double = self.text[at] == '"'
        found = (_DOUBLE if double else _SINGLE).match(self.text, at)
        if found is None:
            raise _Bad(at, "syntax", "a quote that never closes", "close it on the same line")
        body = found[1]
        if "\n" in body:
            body = re.sub(r"\\\r?\n[ \t]*", "", body) if double else body
            body = _FOLD.sub(lambda m: "\n" * (m[0].count("\n") - 1) or " ", body)
        if double:
            text = unescape(body)
            if text is None:
                raise _Bad(at, "syntax", "an unknown escape in a quoted text", "write \\\\ for a backslash")
            body = text
        else:
            body = body.replace("''", "'")
        return self.node("scalar", body, at, found.end())

    def literal(self, at: int, indent: int) -> tuple[Node, int]:
        """`|` and `>`: the lines below that are indented deeper."""
        header = _HEADER.match(self.text, at)
        if header is None:
            raise _Unknown
        style, chomp = header[1], header[2] or header[4]
        place, lines, base = header.end(), [], (max(indent, 0) + int(header[3])) if header[3] else -1
        end = header.end() - 1
        while place < self.size:
            stop = self.text.find("\n", place)
            stop = self.size if stop < 0 else stop
            line = self.text[place:stop].removesuffix("\r")
            spaces = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                if base < 0:
                    base = spaces if spaces > indent else -1
                if base < 0 or spaces < base:
                    break
                end = place + len(line)
            lines.append(line[base:] if base >= 0 else "")
            place = stop + 1
        if style == ">" and any(x.startswith((" ", "\t")) for x in lines):
            raise _Unknown
        body = [*lines]
        while body and not body[-1]:
            body.pop()
        kept = "\n".join(body) if style == "|" else _fold(body)
        tail = "" if chomp == "-" or not body else "\n" if chomp != "+" else "\n" * (len(lines) - len(body) + 1)
        return self.node("scalar", kept + tail, at, end), min(place, self.size)

    # Flow collections

    def flow(self, at: int, depth: int) -> Node:
        if depth > DEPTH_LIMIT:
            raise _Bad(at, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")
        opening = self.text[at]
        pairs: dict[str, Node] = {}
        keys: dict[str, int] = {}
        items: list[Node] = []
        place = at + 1
        while True:
            place = self.flow_space(place)
            c = self.text[place : place + 1]
            if not c:
                raise _Bad(at, "syntax", f"a {opening} that never closes", "close it")
            if c == ("]" if opening == "[" else "}"):
                kind, value, marks = ("seq", items, None) if opening == "[" else ("map", pairs, keys)
                return self.node(kind, value, at, place + 1, flow=True, at=marks)
            if opening == "[":
                node = self.flow_value(place, depth)
                items.append(node)
                place = self.flow_space(node.end)
                if self.text[place : place + 1] == ":":
                    raise _Unknown
            else:
                key = self.flow_value(place, depth)
                if key.kind != "scalar":
                    raise _Unknown
                if key.value in pairs:
                    raise _Bad(place, "duplicate-key", f"the key {key.value!r} stands already here", "join the two")
                keys[key.value] = place
                place = self.flow_space(key.end)
                if self.text[place : place + 1] != ":":
                    raise _Unknown
                place = self.flow_space(place + 1)
                if self.text[place : place + 1] in (",", "}"):
                    raise _Unknown
                pairs[key.value] = node = self.flow_value(place, depth)
                place = self.flow_space(node.end)
            if self.text[place : place + 1] == ",":
                place += 1

    def flow_space(self, at: int) -> int:
        found = _FLOW_SPACE.match(self.text, at)
        return found.end() if found else at

    def flow_value(self, at: int, depth: int) -> Node:
        c = self.text[at]
        if c in "\"'":
            return self.quoted(at)
        if c in "[{":
            return self.flow(at, depth + 1)
        found = _FLOW_PLAIN.match(self.text, at)
        if found is None or c in "%@`&*!|>":
            raise _Bad(at, "syntax", f"unexpected {c!r} in a list or map on one line", "put the text in quotes")
        if self.text[found.end() : found.end() + 1] in ("\n", "\r"):
            raise _Unknown
        return self.node("scalar", found[0], at, found.end(), plain=True)


def _fold(lines: list[str]) -> str:
    out, blanks = "", 0
    for n, line in enumerate(lines):
        if not line:
            blanks += 1
            continue
        out += ("\n" * blanks if blanks else " " if n else "") + line
        blanks = 0
    return out


def _compose(text: str, path: str) -> Node:
    """Read with ruamel.yaml's composer the shapes this reader does not know."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = mark.index if mark is not None else 0
        raise BrokenFile(
            f"{path or 'the text'} cannot be read",
            (
                _problem(
                    text, path, _Bad(at, "syntax", str(error.problem or "not YAML"), "check indentation and quotes")
                ),
            ),
        ) from None
    if root is None:
        return Node("map", {}, 0, 0, 1, 1, at={})
    return _convert(root, path, text, 1)


def _convert(node: Any, path: str, text: str, depth: int) -> Node:
    start, end = node.start_mark, node.end_mark
    where = (start.index, end.index, start.line + 1, start.column + 1)

    def refuse(code: str, message: str, hint: str) -> BrokenFile:
        return BrokenFile(
            f"{path or 'the text'} cannot be read", (_problem(text, path, _Bad(start.index, code, message, hint)),)
        )

    if depth > DEPTH_LIMIT:
        raise refuse("too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")
    flow = bool(getattr(node, "flow_style", False))
    if node.id == "scalar":
        return Node("scalar", node.value, *where, plain=node.style in (None, ""))
    if node.id == "sequence":
        return Node("seq", [_convert(v, path, text, depth + 1) for v in node.value], *where, flow=flow)
    pairs: dict[str, Node] = {}
    keys: dict[str, int] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise refuse("complex-key", "a key that is no text", "write the key as text")
        if key.value in pairs:
            raise refuse("duplicate-key", f"the key {key.value!r} stands twice", "join the two")
        pairs[key.value] = _convert(value, path, text, depth + 1)
        keys[key.value] = key.start_mark.index
    return Node("map", pairs, *where, flow=flow, at=keys)
