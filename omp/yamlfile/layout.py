"""Where entries stand in a file laid out by `omp`, found in the bytes without reading the file.

The layout: simple lines, the list's key, then nothing at the left margin but comments and blank lines; each entry
starts with `  - id: `. No line inside an entry can look like that: block text is indented deeper, and
quoted text that goes on further left than its key is refused. One pass of a pattern makes sure of the margin, and
binary search does the rest, so that a change costs little more than a copy of the file.
"""

from __future__ import annotations

import re

from omp.errors import BrokenFile
from omp.yamlfile.nodes import Node
from omp.yamlfile.reader import load

_HEAD_LIMIT = 4096
"""Bytes before the list's key: a comment and `version:`."""
_HEAD = re.compile(rb"(?:#[^\n\r]*\n|\n|[A-Za-z_]\w*: (?:[A-Za-z0-9][\w./-]*|'[^'\n\r]*')\n)*")
_MARGIN = re.compile(rb"\n[^ \n#]")
_ITEM = b"\n  - "
_ENTRY = b"\n  - id: "
_ID = re.compile(rb"['\"]?([^\s'\"]+)")
_CREATED = re.compile(rb"[ {]created_at: ['\"]?(\d{4}-\d\d)")
_DATE = re.compile(rb"\n    date: ['\"]?(\d{4}-\d\d)")
_FIRST = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*  - id: ")
_KEPT_BREAKS = re.compile(rb"[|>][0-9]?\+")


class Layout:
    """A list whose entries can be found by bytes. `key_end` is the end of its key's line, line end excluded."""

    __slots__ = ("data", "key_end")

    def __init__(self, data: bytes, key_end: int) -> None:
        self.data, self.key_end = data, key_end

    def entry(self, identity: str) -> tuple[int, int] | None:
        """Give start and end of an entry that stands there once, at the head of its item; None otherwise."""
        name = identity.encode()
        data = self.data
        start = data.find(_ENTRY + name, self.key_end - 1)
        if start < 0 or not data.startswith((b"\n", b" "), start + len(_ENTRY) + len(name)):
            return None
        if data.find(b"id: " + name, start + len(_ENTRY)) >= 0 or data.find(b"id: " + name, 0, start) >= 0:
            return None  # perhaps a second entry of that id: let the reader see
        end = self.content_end(start + 1, self.behind(start))
        return None if end is None else (start + 1, end)

    def behind(self, start: int) -> int:
        """The line end before the next item, or the end of the file."""
        found = self.data.find(_ITEM, start + 1)
        return len(self.data) if found < 0 else found

    def content_end(self, start: int, stop: int) -> int | None:
        """The end of the last line of the item that starts at `start`; None when it cannot be told."""
        data, end, is_unclear = self.data, stop, False
        while True:
            line = data.rfind(b"\n", start, end) + 1
            if line == 0:
                return None if is_unclear else end
            body = data[line:end].strip(b" ")
            if body and not body.startswith(b"#"):
                break
            is_unclear = is_unclear or line < end
            end = line - 1
        if not is_unclear and _KEPT_BREAKS.search(data, start, end) is None:
            return end
        # A comment, or a line of blanks, may be text of a block: the reader knows.
        node = self.read(start, stop)
        if node is None:
            return None
        last = len(data[start:stop].decode()[: node.end].rstrip("\n").encode()) + start
        line_end = data.find(b"\n", last)
        return len(data) if line_end < 0 else line_end

    def read(self, start: int, end: int) -> Node | None:
        """Read one item alone; offsets count characters from `start`."""
        try:
            document = load(self.data[start:end])
        except BrokenFile:
            return None
        node = document.root.get(0)
        return node if document.root.kind == "seq" and len(document.root.value) == 1 else None

    def place(self, key: tuple[str, str]) -> int | None:
        """Where an entry of that sort key goes: the end of the entry before it; None when that cannot be told."""
        data, needle = self.data, len(_ENTRY)
        low, high, after = self.key_end, len(data), len(data)
        while low < high:
            middle = (low + high) // 2
            found = data.find(_ENTRY, middle, min(high + needle - 1, len(data)))
            if found < 0:
                high = middle
            elif self._sort_key(found) >= key:
                high, after = middle, found
            else:
                low = found + 1
        before = data.rfind(_ITEM, self.key_end, after) if after > self.key_end else -1
        return self.key_end if before < 0 else self.content_end(before + 1, after)

    def _sort_key(self, start: int) -> tuple[str, str]:
        told = _ID.match(self.data, start + len(_ENTRY))
        stop = self.behind(start)
        created = _CREATED.search(self.data, start, stop) or _DATE.search(self.data, start, stop)
        return (created[1].decode() if created else "", told[1].decode("utf-8", "replace") if told else "")


def of(data: bytes, key: str) -> Layout | None:
    """Give the layout of the list `key`; None for a file in any other layout."""
    line = f"{key}:\n".encode()
    head = 0 if data.startswith(line) else data.find(b"\n" + line, 0, _HEAD_LIMIT) + 1
    if head == 0 and not data.startswith(line):
        return None
    found = _HEAD.match(data, 0, head)
    if found is None or found.end() != head:
        return None
    key_end = head + len(line) - 1
    if _FIRST.match(data, key_end + 1) is None or _MARGIN.search(data, key_end) is not None:
        return None
    return Layout(data, key_end)
