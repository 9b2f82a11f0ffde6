"""The byte pre-scan: what the dialect refuses, found before any parser sees the file.

Linear in the size of the file. Knows just enough of YAML to tell quoted and block text from structure: it follows
quotes, comments and literal blocks, so that `&` in a sentence is no anchor.
"""

from __future__ import annotations

import re

from omp.model import Problem

SIZE_LIMIT = 32 * 1024 * 1024
"""Bytes: about 80,000 entries; beyond that a file is no longer something people read or git merges well."""
DEPTH_LIMIT = 16

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")
"""What no YAML reader takes raw: C0 and C1 controls, DEL, a carriage return alone, U+FFFE and U+FFFF."""
_C1 = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_MARKER = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: |$)|={7}$")
_BLOCK = re.compile(rb"(?:^|[\s:-])[|>][-+0-9]*\s*(?:#.*)?$")
_TOKEN = re.compile(rb"""(?:^|(?<=[\s\[{,:]))(?:([&*](?=[^\s,\]}])|!)|(["'])|(\#))|([\[{])|([\]}])""")
_DOUBLE_END = re.compile(rb'(?:[^"\\]|\\.)*?"', re.S)
_SINGLE_END = re.compile(rb"(?:[^']|'')*?'(?!')", re.S)
_NAMES = {b"&": ("anchor", "anchors"), b"*": ("alias", "aliases"), b"!": ("tag", "tags")}
_REPORT_LIMIT = 200
"""Problems after which a file need not be looked at further: it is no memory file."""


_CONTROL_BYTES = bytes(i for i in range(32) if i not in (9, 10, 13)) + b"\x7f"
_MARKERS = (b"<<<<<<< ", b">>>>>>> ", b"||||||| ", b"<<<<<<<\n", b">>>>>>>\n", b"=======\n", b"=======\r")


def is_clean(data: bytes) -> bool:
    """Tell quickly that size, encoding, control bytes and conflict markers need no closer look."""
    if (
        len(data) > SIZE_LIMIT
        or data.startswith(b"\xef\xbb\xbf")
        or len(data.translate(None, _CONTROL_BYTES)) != len(data)
    ):
        return False
    if data.count(b"\r") != data.count(b"\r\n") or _C1.search(data):
        return False
    if data.startswith(_MARKERS) or any(b"\n" + mark in data for mark in _MARKERS) or data.endswith(b"\n======="):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


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
        if len(out) >= _REPORT_LIMIT:
            return out
    _Lines(data, add, out).run()
    return sorted(out, key=lambda p: (p.line, p.column))


class _Lines:
    """Walks the lines once, keeping the state that crosses lines: an open quote, open brackets, a literal block."""

    def __init__(self, data: bytes, add: object, out: list[Problem]) -> None:
        self.data, self.add, self.out = data, add, out
        self.depth = 0  # of flow brackets
        self.indents: list[int] = []  # of block collections
        self.block_indent: int | None = None  # a literal or folded scalar goes on below this indent
        self.quote: bytes = b""

    def run(self) -> None:
        content = False
        for number, found in enumerate(_LINE.finditer(self.data), 1):
            line = found[0].rstrip(b"\r\n")
            if len(self.out) >= _REPORT_LIMIT:
                return
            if _MARKER.match(line):
                self.add(number, 1, "conflict-marker", "a conflict marker of git", "omp sync, or choose a side by hand")  # type: ignore[operator]
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
                self.add(number, indent + 1, "tab", "a tab in the indentation", "indent with blanks")  # type: ignore[operator]
                continue
            if indent == 0 and (line == b"---" or line.startswith(b"--- ")):
                if content:
                    self.add(number, 1, "several-documents", "a second document starts here", "keep one per file")  # type: ignore[operator]
                continue
            if indent == 0 and line.startswith(b"%"):
                self.add(number, 1, "directive", "a YAML directive", "remove the line")  # type: ignore[operator]
                continue
            if indent == 0 and line == b"...":
                continue
            content = True
            self.nest(number, indent, stripped)
            self.inside(number, line, indent)
            if not self.quote and not self.depth and _BLOCK.search(line):
                self.block_indent = indent

    def nest(self, number: int, indent: int, stripped: bytes) -> None:
        if self.depth:
            return
        while self.indents and self.indents[-1] >= indent:
            self.indents.pop()
        self.indents.append(indent)
        dashes = 0
        while stripped.startswith(b"- "):
            dashes += 1
            stripped = stripped[2:].lstrip(b" ")
        if len(self.indents) + max(0, dashes - 1) > DEPTH_LIMIT:
            self.deep(number, indent + 1)

    def deep(self, number: int, column: int) -> None:
        self.add(number, column, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")  # type: ignore[operator]

    def inside(self, number: int, line: bytes, at: int) -> None:
        """Follow one line from `at`: quotes, comments, brackets, and what may not stand in structure."""
        while at < len(line):
            if self.quote:
                end = (_DOUBLE_END if self.quote == b'"' else _SINGLE_END).match(line, at)
                if end is None:
                    return  # goes on in the next line
                self.quote, at = b"", end.end()
                continue
            found = _TOKEN.search(line, at)
            if found is None:
                return
            at = found.end()
            sign, mark, comment, opening, closing = found.groups()
            if comment:
                return
            if mark and (self.depth or self.starts_value(line, found.start())):
                self.quote = mark
            elif sign and (self.depth or self.starts_value(line, found.start())):
                name, plural = _NAMES[sign]
                hint = "write the value itself" if sign != b"!" else "remove it; write the value in quotes"
                self.add(number, found.start() + 1, name, f"{plural} are not allowed here", hint)  # type: ignore[operator]
            elif opening and (self.depth or self.starts_value(line, found.start())):
                self.depth += 1
                if self.depth + len(self.indents) == DEPTH_LIMIT + 1:
                    self.deep(number, found.start() + 1)
            elif closing and self.depth:
                self.depth -= 1

    @staticmethod
    def starts_value(line: bytes, at: int) -> bool:
        """Whether a token at `at` opens a value: first on its line, or behind `- ` or a key's colon."""
        before = line[:at].rstrip()
        return not before or before.endswith(b":") or re.fullmatch(rb"[ ]*(?:- *)+", line[:at]) is not None
