"""Values inside the structure: unquoted text, quoted text, block text, lists and maps on one line.

Functions over the text of a file and an offset; each gives what it read and where it ends. Only blanks and tabs
are white space here (an ideographic space is text), and only `\\n` and `\\r\\n` end lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from omp.yamlfile.dialect import DEPTH_LIMIT
from omp.yamlfile.nodes import REST, BadText, Node, UnknownShape, is_marker, next_line, twice
from omp.yamlfile.scalars import unescape

Where = Callable[[int], tuple[int, int]]
"""Offset -> line and column."""

KEY = re.compile(
    r"""(?:"((?:[^"\\\n]|\\[^\n])*+)"|'((?:[^'\n]|'')*+)'"""
    r"""|((?:[^ \t\r\n#\[\]{},"'|>%@`:?&*!-]|[:?-](?=[^ \t\r\n]))"""
    r"""(?:[^\n:# \t\r]++|:(?![ \t\r\n]|\Z)|\#|[ \t]++(?!\#|:(?:[ \t\r\n]|\Z)))*+))"""
    r"""[ \t]*+:(?=[ \t\r\n]|\Z)"""
)
_PLAIN_LINE = re.compile(r"(?:[^\n:#\r \t]++|:(?![ \t\r\n]|\Z)|\#|[ \t]++(?![#\r\n]|\Z)|\r(?!\n))*+")
_DOUBLE = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.S)
_SINGLE = re.compile(r"'((?:[^']++|'')*+)'")
_HEADER = re.compile(r"([|>])([-+]?)([1-9]?)([-+]?)[ \t]*(?:(?<=[ \t])#[^\n]*)?\r?\n")
_FLOW_PLAIN = re.compile(r"(?:[^ \t\r\n,\[\]{}:#]++|:(?![ \t\r\n,\[\]{}]|\Z)|#|[ \t]++(?![ \t\r\n,\[\]{}:#]|\Z))++")
_FLOW_SPACE = re.compile(r"(?:[ \t\r\n]++|(?<=[ \t\r\n])#[^\n]*+)*+")
_FOLD = re.compile(r"[ \t]*\r?\n((?:[ \t]*\r?\n)*)[ \t]*")
_DOUBLE_PARTS = re.compile(r"\\\r?\n((?:[ \t]*\r?\n)*)[ \t]*|(\\.)|[ \t]*\r?\n((?:[ \t]*\r?\n)*)[ \t]*", re.S)
_CONTINUED = re.compile(r"\n([ \t]*)([^ \t\r\n])([^\n]{0,2})")


def key_text(found: re.Match[str]) -> str:
    """Give the text of a key matched by `KEY`."""
    double, single, plain = found.groups()
    if double is not None:
        text = unescape(double)
        if text is None:
            raise BadText(found.start(), "syntax", "an unknown escape in a key", "write \\\\ for a backslash")
        return text
    return str(single).replace("''", "'") if single is not None else str(plain)


def plain(text: str, at: int, indent: int) -> tuple[str, int, int]:
    """Read unquoted text, whose further lines are indented deeper than `indent`: (text, end, start of next line)."""
    if text[at] in "%@`&*!,]}#" or (text[at] in "-?:" and text[at + 1 : at + 2] in ("", " ", "\t", "\r", "\n")):
        raise BadText(at, "syntax", f"a value cannot start with {text[at]}", "put it in quotes")
    parts, end, after = _plain_line(text, at)
    size, breaks = len(text), 0
    while after < size:
        i = after
        while i < size and text[i] in " \t":
            i += 1
        if i >= size:
            break
        if text[i] == "\n" or text.startswith("\r\n", i):
            after, breaks = text.index("\n", i) + 1, breaks + 1
            continue
        if _spaces(text, after) <= indent or text[i] == "#" or is_marker(text, after):
            break
        if text[end : text.index("\n", end)].strip(" \t\r"):
            raise BadText(i, "syntax", "text that goes on behind a comment", "put the whole text in quotes")
        if KEY.match(text, i):
            raise BadText(i, "syntax", "a key inside an unquoted text", "check indentation, or put the text in quotes")
        more, end, after = _plain_line(text, i)
        parts += [("\n" * breaks) or " ", *more]
        breaks = 0
    return "".join(parts), end, next_line(text, end)


def _plain_line(text: str, at: int) -> tuple[list[str], int, int]:
    found = _PLAIN_LINE.match(text, at)
    end = at if found is None else found.end()
    rest = REST.match(text, end)
    if rest is None:
        raise BadText(end, "syntax", "`: ` inside an unquoted text", "put the whole text in quotes")
    return [text[at:end]], end, rest.end()


def _spaces(text: str, at: int) -> int:
    i = at
    while text.startswith(" ", i):
        i += 1
    return i - at


def quoted(text: str, at: int, indent: int = -1) -> tuple[str, int]:
    """Read quoted text: (text, end). Further lines must be indented deeper than `indent`."""
    double = text[at] == '"'
    found = (_DOUBLE if double else _SINGLE).match(text, at)
    if found is None:
        raise BadText(at, "syntax", "a quote that never closes", "close it on the same line")
    body = found[1]
    if "\n" in body:
        for line in _CONTINUED.finditer(text, at, found.end()):
            if len(line[1]) <= indent or (not line[1] and line[2] + line[3] in ("---", "...")):
                raise BadText(at, "syntax", "a quoted text goes on further left than its key", "indent its lines")
        body = _DOUBLE_PARTS.sub(_unfold, body) if double else _FOLD.sub(lambda m: _breaks(m[1]) or " ", body)
    if not double:
        return body.replace("''", "'"), found.end()
    plain_text = unescape(body)
    if plain_text is None:
        raise BadText(at, "syntax", "an unknown escape in a quoted text", "write \\\\ for a backslash")
    return plain_text, found.end()


def _breaks(blank_lines: str) -> str:
    return "\n" * blank_lines.count("\n")


def _unfold(found: re.Match[str]) -> str:
    escaped_break, escape, fold = found.groups()
    if escape is not None:
        return str(escape)
    return _breaks(escaped_break) if escaped_break is not None else _breaks(fold) or " "


def literal(text: str, at: int, indent: int) -> tuple[str, int, int]:
    """Read `|` and `>` text: the lines below that are indented deeper: (text, end, start of next line)."""
    header = _HEADER.match(text, at)
    if header is None or (header[2] and header[4]):
        raise UnknownShape
    style, chomp = header[1], header[2] or header[4]
    base = max(indent, 0) + int(header[3]) if header[3] else -1
    lines: list[str] = []
    place, size, end, widest = header.end(), len(text), header.end() - 1, 0
    while place < size:
        stop = text.find("\n", place)
        stop = size if stop < 0 else stop
        line = text[place:stop].removesuffix("\r")
        spaces = _spaces(line, 0)
        if spaces < len(line):
            if base < 0 and spaces > indent:
                base = spaces
            if base < 0 or spaces < base:
                break
            end = place + len(line)
        elif base < 0:
            widest = max(widest, spaces)
        elif spaces > base:
            end = place + len(line)
        lines.append(line[base:] if base >= 0 else "")
        place = stop + 1
    body = list(lines)
    while body and not body[-1]:
        body.pop()
    unclear = base == 0 or widest > max(base, 0) or (not body and chomp == "+")
    if unclear or (style == ">" and any(x.startswith((" ", "\t")) for x in lines)):
        raise UnknownShape
    kept = "\n".join(body) if style == "|" else _fold(body)
    if chomp == "-" or not body or end >= size:
        tail = ""
    else:
        tail = "\n" if chomp != "+" else "\n" * (len(lines) - len(body) + 1)
    if chomp == "+" and not text.endswith("\n") and place >= size:
        raise UnknownShape
    return kept + tail, end, min(place, size)


def _fold(lines: list[str]) -> str:
    out: list[str] = []
    blanks = 0
    for n, line in enumerate(lines):
        if not line:
            blanks += 1
            continue
        out.append(("\n" * blanks if blanks else " " if n else "") + line)
        blanks = 0
    return "".join(out)


class Flow:
    """Reads lists and maps written with brackets; `problems` takes keys that stand twice."""

    def __init__(self, text: str, where: Where, problems: list[BadText], indent: int) -> None:
        self.text, self.where, self.problems, self.indent = text, where, problems, indent

    def node(self, kind: Any, value: Any, start: int, end: int, **more: Any) -> Node:
        """Make a node at its place."""
        line, column = self.where(start)
        return Node(kind, value, start, end, line, column, **more)

    def read(self, at: int, depth: int) -> Node:
        """Read a list or map that opens at `at`."""
        if depth > DEPTH_LIMIT:
            raise BadText(at, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")
        text, opening = self.text, self.text[at]
        closing = "]" if opening == "[" else "}"
        pairs: dict[str, Node] = {}
        keys: dict[str, int] = {}
        items: list[Node] = []
        place = self._space(at + 1)
        while text[place : place + 1] != closing:
            place = self._item(place, depth, items) if opening == "[" else self._pair(place, depth, pairs, keys)
            place = self._space(place)
            following = text[place : place + 1]
            if following == ",":
                place = self._space(place + 1)
            elif not following:
                raise BadText(at, "syntax", f"a {opening} that never closes", "close it")
            elif following != closing:
                raise BadText(place, "syntax", f"expected `,` or `{closing}` here", "put texts with signs in quotes")
        if opening == "[":
            return self.node("seq", items, at, place + 1, flow=True)
        return self.node("map", pairs, at, place + 1, flow=True, at=keys)

    def _item(self, place: int, depth: int, items: list[Node]) -> int:
        node = self._value(place, depth)
        items.append(node)
        if self._next(node.end) == ":":
            raise UnknownShape
        return node.end

    def _pair(self, place: int, depth: int, pairs: dict[str, Node], keys: dict[str, int]) -> int:
        key = self._value(place, depth)
        if key.kind != "scalar":
            raise UnknownShape
        if key.plain and key.value == "<<":
            self.problems.append(BadText(place, "merge-key", "a merge key", "write the fields themselves"))
        if key.value in pairs:
            self.problems.append(twice(place, key.value, key.line))
        keys[key.value] = place
        colon = self._space(key.end)
        if self.text[colon : colon + 1] != ":":
            raise UnknownShape
        value = self._space(colon + 1)
        if self.text[value : value + 1] in (",", "}"):
            raise UnknownShape
        pairs[key.value] = node = self._value(value, depth)
        return node.end

    def _space(self, at: int) -> int:
        found = _FLOW_SPACE.match(self.text, at)
        return found.end() if found else at

    def _next(self, at: int) -> str:
        place = self._space(at)
        return self.text[place : place + 1]

    def _value(self, at: int, depth: int) -> Node:
        c = self.text[at : at + 1]
        if c in ("'", '"'):
            value, end = quoted(self.text, at, self.indent)
            return self.node("scalar", value, at, end)
        if c in ("[", "{"):
            return self.read(at, depth + 1)
        if not c or c == "#" or (c in "-?:" and self.text[at + 1 : at + 2] in ("", *" \t\r\n,[]{}")):
            raise UnknownShape
        found = _FLOW_PLAIN.match(self.text, at)
        if found is None or c in "%@`&*!|>":
            raise BadText(at, "syntax", f"unexpected {c!r} in a list or map on one line", "put the text in quotes")
        end = found.end()
        if self._next(end) not in (",", "]", "}", ":"):
            raise UnknownShape  # text over several lines, or an error that is better explained there
        return self.node("scalar", found[0], at, end, plain=True)
