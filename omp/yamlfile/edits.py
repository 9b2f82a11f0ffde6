"""Edits of a text: (start, end, new text), collected and applied in one pass, and those that change fields of a map.

Only the bytes of what changes are touched: a field that stays keeps its quotes, its comment and its layout.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from omp.errors import WriteRefused
from omp.yamlfile.nodes import Node
from omp.yamlfile.scalars import quote
from omp.yamlfile.values import KEY
from omp.yamlfile.writer import FLOW_FIELDS, field_lines, list_lines

Edit = tuple[int, int, str]


def apply(text: str, edits: Sequence[Edit]) -> bytes:
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        if start < at:
            raise WriteRefused("two changes of one place in a file", "report this")
        out += [text[at:start], new]
        at = end
    out.append(text[at:])
    return "".join(out).encode("utf-8")


def newline_of(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The end of the line that holds `at`, its line end (and a carriage return) excluded."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def behind_line(text: str, end: int) -> int:
    """The start of the line behind a line end."""
    found = text.find("\n", end)
    return len(text) if found < 0 else found + 1


def new_lines(text: str, at: int, lines: Sequence[str], newline: str) -> Edit:
    """Put whole lines at the start of a line, or behind a last line that has no line end."""
    if at == len(text) and not text.endswith("\n"):
        return at, at, "".join(newline + line for line in lines)
    return at, at, "".join(line + newline for line in lines)


def field_edits(
    text: str, node: Node, before: Mapping[str, Any], after: Mapping[str, Any], order: Sequence[str] = ()
) -> list[Edit]:
    """Give the edits that turn the fields `before` of a block map into `after`."""
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    indent = indent_of(text, node)
    for name in [*before, *(n for n in after if n not in before)]:
        if name in before and name in after and before[name] == after[name]:
            continue
        place = node.value.get(name)
        if name not in after:
            if place is not None:
                edits.append(removal(text, node, name))
        elif place is None:
            at = _insertion_point(text, node, name, order or list(after))
            added.setdefault(at, []).extend(field_lines(name, after[name], indent))
        else:
            edits += value_edits(text, node, name, place, before.get(name), after[name], indent)
    newline = newline_of(text)
    return [*edits, *((at, at, "".join(newline + line for line in lines)) for at, lines in added.items())]


def indent_of(text: str, node: Node) -> int:
    first = min(node.at.values()) if node.at else node.start
    return first - line_start(text, first)


def removal(text: str, node: Node, name: str) -> Edit:
    start, end = node.at[name], value_end(text, node, name)
    line = line_start(text, start)
    if text[line:start].strip():
        raise WriteRefused(f"{name} stands on the line of its dash and cannot be taken out", "edit the file by hand")
    return line, behind_line(text, end), ""


def value_end(text: str, node: Node, name: str) -> int:
    inner = node.value[name]
    end = inner.end - 1 if inner.end > inner.start and text[inner.end - 1 : inner.end] == "\n" else inner.end
    return line_end(text, max(end, node.at[name]))


def _insertion_point(text: str, node: Node, name: str, order: Sequence[str]) -> int:
    """Behind the last field that stands before `name` in the order of the file."""
    rank = {n: i for i, n in enumerate(order)}
    mine = rank.get(name, len(rank))
    earlier = [n for n in node.value if rank.get(n, -1) < mine and n in rank]
    if not earlier:
        first = min(node.at, key=lambda n: node.at[n])
        return value_end(text, node, first)
    return max(value_end(text, node, n) for n in earlier)


def value_edits(text: str, node: Node, name: str, place: Node, before: Any, after: Any, indent: int) -> list[Edit]:
    is_map = isinstance(after, Mapping) and isinstance(before, Mapping) and place.kind == "map" and not place.flow
    if is_map and after.keys() & before.keys():
        return field_edits(text, place, before, after)
    is_list = isinstance(after, (list, tuple))
    if is_list and place.kind == "seq" and not place.flow and name not in FLOW_FIELDS and after and place.at:
        rebuilt = _list_edits(text, place, before, after)
        if rebuilt is not None:
            return rebuilt
    return _whole_value(text, node.at[name], place, field_lines(name, after, indent), name)


def _whole_value(text: str, key: int, place: Node, lines: Sequence[str], name: str) -> list[Edit]:
    """Write a value anew behind its key; the key as it stands and a comment on its line stay."""
    rest = "".join(newline_of(text) + line for line in lines[1:])
    value = lines[0].lstrip(" ")[len(quote(name)) + 1 :]
    end = place.end - 1 if place.end > place.start and text[place.end - 1] == "\n" else place.end
    first_end = line_end(text, key)
    if place.start > first_end:  # a list or map below its key
        found = KEY.match(text, key)
        if found is None:
            raise WriteRefused(f"{name} has a form that cannot be edited exactly", "edit the file by hand")
        return [(found.end(), found.end(), value), (first_end, line_end(text, end), rest)]
    start = place.start - (place.end > place.start and text[place.start - 1] == " ")
    if "\n" in text[place.start : end]:  # text over several lines
        return [(start, line_end(text, end), value + rest)]
    return [(start, place.end, value), (line_end(text, end), line_end(text, end), rest)]


def _list_edits(text: str, place: Node, before: Any, after: Sequence[Any]) -> list[Edit] | None:
    """Edit a block list item by item, so that untouched items keep their bytes; None when it does not fit `before`."""
    if not isinstance(before, (list, tuple)) or len(before) != len(place.value):
        return None
    indent = place.at[0] - line_start(text, place.at[0])
    if text[line_start(text, place.at[0]) : place.at[0]].strip():
        return None
    newline = newline_of(text)
    starts = [line_start(text, d) for d in place.at]
    ends = [
        line_end(text, max(n.end - (text[n.end - 1 : n.end] == "\n"), d))
        for n, d in zip(place.value, place.at, strict=True)
    ]
    old = [msgspec.json.encode(v, order="sorted") for v in before]
    new = [msgspec.json.encode(v, order="sorted") for v in after]
    edits: list[Edit] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        lines = list_lines(after[j1:j2], indent)
        if tag == "insert" and i1 == len(starts):
            edits.append((ends[-1], ends[-1], "".join(newline + line for line in lines)))
        elif tag == "insert":
            edits.append((starts[i1], starts[i1], "".join(line + newline for line in lines)))
        elif tag == "delete":
            last = i2 == len(starts)
            start = ends[i1 - 1] if last and i1 else starts[i1]
            edits.append((start, ends[i2 - 1] if last and i1 else behind_line(text, ends[i2 - 1]), ""))
        else:
            edits.append((starts[i1], ends[i2 - 1], newline.join(lines)))
    return edits
