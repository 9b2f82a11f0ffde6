"""The byte pre-scan: what the dialect refuses, found before any parser sees the file.

Linear in the size of the file. Knows just enough of YAML to tell quoted and block text from structure: it follows
quotes, comments and literal blocks, so that `&` in a sentence is no anchor.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from omp.model import Problem
from omp.yamlfile.dialect import DEPTH_LIMIT, REPORT_LIMIT, SIZE_LIMIT

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")
"""What no YAML reader takes raw: C0 and C1 controls, DEL, a carriage return alone, U+FFFE and U+FFFF."""
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_MARKER = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: |$)|={7}$")
_BLOCK = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#.*)?$")
_PREFIX = re.compile(
    rb"""[ \t]*(?:-[ \t]+)*(?:(?:"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'"""
    rb"""|(?![-?:][ \t])[^\s"'\[\]{}|>#&*!%@`,][^:#]*+"""
    rb"""(?:(?::(?![ \t]|$)|(?<![ \t])\#)[^:#]*+)*+)[ \t]*:(?:[ \t]+|$))?"""
)
"""Indentation, dashes and a key: what stands before the value of a line."""
_DASHES = re.compile(rb"(?:- +)*")
_SIGN = re.compile(rb"([&*!])[^\s,\[\]{}]*[ \t]*")
_TOKEN = re.compile(rb"""(?:^|(?<=[\s\[{,:]))(?:([&*](?=[^\s,\]}])|!)|(["'])|(\#))|([\[{])|([\]}])""")
_DOUBLE_END = re.compile(rb'(?:[^"\\]|\\.)*?"', re.S)
_SINGLE_END = re.compile(rb"(?:[^']|'')*?'(?!')", re.S)
_NAMES = {b"&": ("anchor", "anchors"), b"*": ("alias", "aliases"), b"!": ("tag", "tags")}


def scan(data: bytes, path: str = "") -> list[Problem]:
    """Give all places where the bytes leave the dialect: size, encoding, control bytes, markers, anchors, aliases,
    tags, tabs in indentation, several documents, depth. Positions are 1-based; columns count bytes."""
    out: list[Problem] = []

    def add(line: int, column: int, code: str, message: str, hint: str) -> None:
        out.append(Problem(path=path, line=line, column=column, code=code, message=message, hint=hint))

    if len(data) > SIZE_LIMIT:
        add(1, 1, "too-large", f"{len(data)} bytes, the limit is {SIZE_LIMIT}", "split the file")
        return out
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        add(line, column, "encoding", "not valid UTF-8", "save the file as UTF-8")
        return out
    if data.startswith(b"\xef\xbb\xbf"):
        add(1, 1, "byte-order-mark", "the file starts with a byte order mark", "save it as UTF-8 without one")
        data = b"   " + data[3:]
    for found in _CONTROL.finditer(data):
        line = data.count(b"\n", 0, found.start()) + 1
        column = found.start() - data.rfind(b"\n", 0, found.start())
        add(
            line,
            column,
            "control-character",
            f"control byte 0x{found[0][0]:02x}",
            "remove it, or write it as an escape",
        )
        if len(out) >= REPORT_LIMIT:
            return out
    _Lines(data, add, out).run()
    return sorted(out, key=lambda p: (p.line, p.column))


class _Lines:
    """Walks the lines once, keeping the state that crosses lines: an open quote, open brackets, a literal block."""

    def __init__(self, data: bytes, add: Callable[[int, int, str, str, str], None], out: list[Problem]) -> None:
        self.data, self.add, self.out = data, add, out
        self.depth = 0  # of flow brackets
        self.indents: list[int] = []  # of block collections
        self.block_indent: int | None = None  # a literal or folded scalar goes on below this indent
        self.quote: bytes = b""

    def run(self) -> None:
        content = False
        for number, found in enumerate(_LINE.finditer(self.data), 1):
            line = found[0].rstrip(b"\r\n")
            if len(self.out) >= REPORT_LIMIT:
                return
            if _MARKER.match(line):
                self.add(
                    number, 1, "conflict-marker", "a conflict marker of git", "choose a side, or keep both, by hand"
                )
                continue
            if self.quote:
                self.inside(number, line, 0)
                continue
            stripped = line.lstrip(b" ")
            indent = len(line) - len(stripped)
            if self.block_indent is not None:
                if not stripped or indent > self.block_indent:
                    continue
                self.block_indent = None
            if not stripped or stripped.startswith(b"#"):
                continue
            if stripped.startswith(b"\t") and stripped.strip():
                self.add(number, indent + 1, "tab", "a tab in the indentation", "indent with blanks")
                continue
            if indent == 0 and (line == b"---" or line.startswith(b"--- ")):
                if content:
                    self.add(number, 1, "several-documents", "a second document starts here", "keep one per file")
                continue
            if indent == 0 and line.startswith(b"%"):
                self.add(number, 1, "directive", "a YAML directive", "remove the line")
                continue
            if indent == 0 and line == b"...":
                continue
            content = True
            self.nest(number, indent, stripped)
            self.inside(number, line, indent)

    def nest(self, number: int, indent: int, stripped: bytes) -> None:
        if self.depth:
            return
        while self.indents and self.indents[-1] >= indent:
            self.indents.pop()
        self.indents.append(indent)
        found = _DASHES.match(stripped)
        dashes = found[0].count(b"-") if found is not None else 0
        if len(self.indents) + max(0, dashes - 1) > DEPTH_LIMIT:
            self.deep(number, indent + 1)

    def deep(self, number: int, column: int) -> None:
        self.add(number, column, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")

    def inside(self, number: int, line: bytes, at: int) -> None:
        """Follow one line from `at`: what may not stand in structure, quotes, brackets, the start of block text.

        Outside brackets a value starts in one place of a line, behind its dashes and its key: what follows there in
        the middle of unquoted text is text. So no line is looked at twice, however long it is.
        """
        if not self.quote and not self.depth:
            at = self.value_start(number, line)
            opening = line[at : at + 1]
            if opening in (b"|", b">") and _BLOCK.match(line, at):
                self.block_indent = len(line) - len(line.lstrip(b" "))
            elif opening in (b'"', b"'"):
                self.quote, at = opening, at + 1
            elif opening not in (b"[", b"{"):
                return
        while at < len(line) and len(self.out) < REPORT_LIMIT:
            if self.quote:
                end = (_DOUBLE_END if self.quote == b'"' else _SINGLE_END).match(line, at)
                if end is None:
                    return  # goes on in the next line
                self.quote, at = b"", end.end()
            elif (found := _TOKEN.search(line, at)) is not None and not found[3]:
                at = self.token(number, line, found)
            else:
                return
            if not self.depth and not self.quote:
                return

    def value_start(self, number: int, line: bytes) -> int:
        """Where the value of a line outside brackets starts; anchors, aliases and tags before it are reported."""
        at = 0
        while True:
            found = _PREFIX.match(line, at)
            at = at if found is None else found.end()
            sign = _SIGN.match(line, at)
            if sign is None:
                return at
            self.sign(number, sign)
            at = sign.end()

    def sign(self, number: int, found: re.Match[bytes]) -> None:
        """Report an anchor, an alias or a tag."""
        name, plural = _NAMES[found[1]]
        hint = (
            "remove it; write the value in quotes" if name == "tag" else "write the value itself, or put it in quotes"
        )
        self.add(number, found.start(1) + 1, name, f"{plural} are not allowed here", hint)

    def token(self, number: int, line: bytes, found: re.Match[bytes]) -> int:
        """Follow one token inside brackets; gives the place behind it."""
        sign, mark, _, opening, closing = found.groups()
        if mark:
            self.quote = mark
        elif opening:
            self.depth += 1
            if self.depth + len(self.indents) == DEPTH_LIMIT + 1:
                self.deep(number, found.start() + 1)
        elif closing:
            self.depth -= 1
        elif sign:
            self.sign(number, found)
        return found.end()
