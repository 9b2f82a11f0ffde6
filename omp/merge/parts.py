"""A file cut into sections (one a top-level key), and lists of entries into rows, each with the text above it.

Every character of the file belongs to exactly one part: blank lines and comments to what stands below them, those at
the end to the tail. Line ends are LF here; the caller puts the file's own back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omp.errors import WriteRefused
from omp.merge.values import plain
from omp.model import Struct
from omp.yamlfile import Node, load, quote
from omp.yamlfile.edits import behind_line, line_end, line_start
from omp.yamlfile.writer import list_lines

_ROW_NAMES = ("id", "key")
"""What tells rows apart; rows of `refused.yaml` have `key`, and `from` beside it."""


class Row(Struct, frozen=True, kw_only=True, eq=False):
    """One entry of a list: its text, the text above it, and where it was read."""

    id: str
    lead: str
    body: str
    node: Node
    start: int
    end: int
    top: int
    """Where its lead begins; `start` and `end` bound the body in the text of the side."""

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as plain values."""
        value: dict[str, Any] = plain(self.node)
        return value


class Section(Struct, frozen=True, kw_only=True, eq=False):
    """A top-level key: the text above it, its own text, its value, and its rows where it is a list of entries."""

    name: str
    lead: str
    text: str
    head: str
    """The line of the key."""
    node: Node
    rows: tuple[Row, ...] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands under the key."""
        return not self.node.value


class Side(Struct, frozen=True, kw_only=True, eq=False):
    """One of the three files."""

    text: str = ""
    sections: Mapping[str, Section] = {}
    tail: str = ""


def split(data: bytes, path: str) -> Side:
    """Cut a file into its parts. Raises BrokenFile when it cannot be read, WriteRefused for a file on one line."""
    data = data.replace(b"\r\n", b"\n")
    if data.strip() and not data.endswith(b"\n"):
        data += b"\n"
    document = load(data, path)
    text, root = document.text, document.root
    if not root.value:
        return Side(text=text, tail=text)
    if root.kind != "map" or root.flow:
        raise WriteRefused(f"{path} is no map of keys below each other", "write one key a line")
    sections: dict[str, Section] = {}
    behind = 0
    for name, at in sorted(root.at.items(), key=lambda pair: pair[1]):
        node, start = root.value[name], line_start(text, at)
        stop = node.end - 1 if node.end > node.start and text[node.end - 1 : node.end] == "\n" else node.end
        end = behind_line(text, line_end(text, max(stop, at)))
        sections[name] = Section(
            name=name,
            lead=text[behind:start],
            text=text[start:end],
            head=text[start : behind_line(text, at)],
            node=node,
            rows=_rows(text, name, node, behind_line(text, at)),
        )
        behind = end
    return Side(text=text, sections=sections, tail=text[behind:])


def _rows(text: str, name: str, node: Node, behind: int) -> tuple[Row, ...] | None:
    """Cut a list into rows; None when it is no list of entries that can be told apart."""
    if node.kind != "seq" or not node.value:
        return None
    ids = [_id(item) for item in node.value]
    if not all(ids):
        return None
    if node.flow or not node.at or any(text[line_start(text, dash) : dash].strip(" ") for dash in node.at):
        return _rewritten(node, ids)
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for identity, dash, item in zip(ids, node.at, node.value, strict=True):
        start = line_start(text, dash)
        stop = item.end - 1 if item.end > item.start and text[item.end - 1 : item.end] == "\n" else item.end
        end = behind_line(text, line_end(text, max(stop, dash)))
        rows.append(
            Row(
                id=_numbered(identity, seen),
                lead=text[behind:start],
                body=text[start:end],
                node=item,
                start=start,
                end=end,
                top=behind,
            )
        )
        behind = end
    return tuple(rows)


def _id(item: Node) -> str:
    if item.kind != "map":
        return ""
    told = [inner for n in _ROW_NAMES if (inner := item.get(n)) is not None and inner.kind == "scalar"]
    if not told or not told[0].value:
        return ""
    place = item.get("from") if item.get("id") is None else None
    return f"{told[0].value} {place.value}" if place is not None else str(told[0].value)


def _numbered(identity: str, seen: dict[str, int]) -> str:
    """Tell entries that share an id in one file apart, so that merging loses neither."""
    seen[identity] = seen.get(identity, 0) + 1
    return identity if seen[identity] == 1 else f"{identity} #{seen[identity]}"


def _rewritten(node: Node, ids: list[str]) -> tuple[Row, ...]:
    """Give the rows of a list that stands on one line, each written on lines of its own."""
    seen: dict[str, int] = {}
    out = []
    for identity, item in zip(ids, node.value, strict=True):
        body = "\n".join(list_lines([plain(item)], 2)) + "\n"
        out.append(Row(id=_numbered(identity, seen), lead="", body=body, node=item, start=0, end=0, top=0))
    return tuple(out)


def open_head(head: str, name: str) -> str:
    """Give the line of a list's key such that rows can follow: what stood behind the colon goes, a comment stays."""
    rest = head[head.index(":", len(name)) + 1 :]
    mark = rest.find(" #")
    return f"{quote(name)}:{rest[mark:].rstrip() if mark >= 0 else ''}\n"


def closed_head(head: str, name: str) -> str:
    """Give the line of a list's key when no row is left."""
    line = quote(name) + ":"
    return f"{line} []{open_head(head, name).removeprefix(line)}"
