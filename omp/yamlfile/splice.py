"""The splicer: one entry, one field or one value is changed; every other byte stays as it is.

Edits are collected as (start, end, text) over the text and applied in one pass. Entries of a file laid out by `omp` are
found by one regular expression, without parsing the file; any other layout is parsed. A shape that cannot be edited
exactly is refused, never guessed.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from omp.entries import pointer_parts
from omp.errors import WriteRefused
from omp.model import ENTRY_FIELDS, FACT_FIELDS, Fact, Memory
from omp.yamlfile.reader import Document, Node, load
from omp.yamlfile.writer import (
    FLOW_FIELDS,
    entry_lines,
    fact_fields,
    field_lines,
    fields_of,
    list_lines,
    map_lines,
    scalar,
    sort_key,
)

Edit = tuple[int, int, str]

_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*[ \t]*\r?$", re.M)
_CANONICAL = re.compile(r"^  - id: ['\"]?([^\s'\"]+)['\"]?[ \t]*\r?$", re.M)
_ANY_ITEM = re.compile(r"^ {0,8}- ", re.M)
_CREATED = re.compile(r"^      created_at: ['\"]?(\d{4}-\d\d)", re.M)


class Item:
    """Where one entry of a list stands: offset of its dash line, end of its last line (line end excluded)."""

    __slots__ = ("dash", "end", "id", "month", "node")

    def __init__(self, dash: int, end: int, identity: str, month: str, node: Node | None = None) -> None:
        self.dash, self.end, self.id, self.month, self.node = dash, end, identity, month, node


class Listing:
    """A list of entries in a file: the items, the indent of their dashes, and where its key's line ends."""

    __slots__ = ("indent", "items", "key_end", "value")

    def __init__(self, items: list[Item], indent: int, key_end: int, value: Node | None = None) -> None:
        self.items, self.indent, self.key_end, self.value = items, indent, key_end, value


def _apply(text: str, edits: Sequence[Edit]) -> bytes:
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        if start < at:
            raise WriteRefused("two changes of one place in a file", "report this")
        out += [text[at:start], new]
        at = end
    out.append(text[at:])
    return "".join(out).encode("utf-8")


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """The end of the line that holds `at`, its line end (and a carriage return) excluded."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _behind_line(text: str, end: int) -> int:
    """The start of the line behind a line end."""
    found = text.find("\n", end)
    return len(text) if found < 0 else found + 1


# Entries of a list


def _listing(data: bytes, key: str) -> tuple[str, Listing | None]:
    """Find a list's items; None when the key does not stand in the file."""
    text = data.decode("utf-8")
    fast = _fast_listing(text, key)
    if fast is not None:
        return text, fast
    document = load(data)
    node = document.root.get(key)
    if node is None:
        return text, None
    key_end = _line_end(text, document.root.at[key])
    if node.kind == "scalar" and node.plain and not node.value:
        return text, Listing([], 2, key_end, node)
    if node.kind != "seq":
        raise WriteRefused(f"{key} is no list in this file", f"make it a list: `{key}: []`")
    if node.flow:
        if node.value:
            raise WriteRefused(f"{key} is written on one line", "write its entries below it, each behind a dash")
        return text, Listing([], 2, key_end, node)
    items = [_item_of(text, dash, item) for dash, item in zip(node.at or [], node.value, strict=True)]
    return text, Listing(items, node.column - 1, key_end, node)


def _item_of(text: str, dash: int, item: Node) -> Item:
    told, created = item.get("id"), item.get("timestamps", "created_at") or item.get("date")
    end = max(item.end, dash + 1)
    return Item(
        _line_start(text, dash),
        _line_end(text, end - 1 if text[end - 1 : end] == "\n" else end),
        told.value if told is not None and told.kind == "scalar" else "",
        created.value[:7] if created is not None and created.kind == "scalar" else "",
        item,
    )


def _fast_listing(text: str, key: str) -> Listing | None:
    """Find the items of a file in our own layout by pattern alone; None for any other layout."""
    head = re.search(rf"^{re.escape(key)}:[ \t]*\r?$", text, re.M)
    if head is None or text.find(f"\n{key}:", head.end()) >= 0:
        return None
    following = re.compile(r"^[^\s#-]", re.M).search(text, head.end() + 1)
    stop = following.start() if following else len(text)
    heads = list(_CANONICAL.finditer(text, head.end(), stop))
    months = _CREATED.findall(text, head.end(), stop)
    dashes = sum(1 for m in _ANY_ITEM.finditer(text, head.end(), stop) if m.end() - m.start() <= 4)
    if not heads or len(heads) != len(months) or dashes != len(heads):
        return None
    if _BLOCK_TEXT.search(text, head.end(), stop):
        return None
    items = []
    for found, after, month in zip(heads, [*(h.start() for h in heads[1:]), stop], months, strict=False):
        items.append(Item(found.start(), _content_end(text, found.end(), after), found[1], month))
    return Listing(items, 2, head.end() - (text[head.end() - 1] == "\r"))


def _content_end(text: str, start: int, stop: int) -> int:
    """Walk back from `stop` over blank and comment lines; the end of the last line of content."""
    while stop > start:
        line = _line_start(text, stop - 1)
        body = text[line:stop].strip()
        if body and not body.startswith("#"):
            break
        stop = line
    return _line_end(text, max(start, _line_start(text, stop - 1)))


def insert_entries(data: bytes, key: str, memories: Sequence[Memory]) -> bytes:
    """Insert entries at their places (by month of `created_at`, then id), one blank line before each, in one pass.

    Raises WriteRefused when the list has a form that cannot be extended exactly, BrokenFile when it cannot be read.
    """
    if not memories:
        return data
    text, listing = _listing(data, key)
    newline = _newline(text)
    ordered = sorted(memories, key=sort_key)
    if listing is None:
        lead = "" if not text or text.endswith("\n") else newline
        body = newline.join([f"{key}:", *_blocks(ordered, 2)])
        return (text + lead + body + newline).encode()
    if not listing.items:
        return _fill_empty(text, listing, key, newline.join(_blocks(ordered, listing.indent)), newline)
    places = [(i.month, i.id) for i in listing.items]
    is_sorted = all(a <= b for a, b in pairwise(places))
    groups: dict[int, list[Memory]] = {}
    for memory in ordered:
        mine = sort_key(memory)
        n = bisect_left(places, mine) if is_sorted else next((i for i, p in enumerate(places) if p > mine), len(places))
        groups.setdefault(n, []).append(memory)
    edits: list[Edit] = []
    for n, group in groups.items():
        at = listing.items[n - 1].end if n else listing.key_end
        edits.append((at, at, newline + newline.join(_blocks(group, listing.indent))))
    return _apply(text, edits)


def _blocks(memories: Sequence[Memory], indent: int) -> list[str]:
    return [line for memory in memories for line in ("", *entry_lines(memory, indent))]


def _fill_empty(text: str, listing: Listing, key: str, body: str, newline: str) -> bytes:
    """Put the first entries below a key that holds `[]` or nothing; a comment behind it stays."""
    value = listing.value
    if value is None:
        raise WriteRefused(f"{key} cannot be found in the file", "omp validate")
    edits: list[Edit] = []
    if value.kind == "seq":
        start = value.start - 1 if text[value.start - 1] == " " else value.start
        edits.append((start, value.end, ""))
    edits.append((listing.key_end, listing.key_end, newline + body))
    return _apply(text, edits)


def _find(listing: Listing | None, key: str, identity: str) -> tuple[Listing, int]:
    found = [] if listing is None else [n for n, item in enumerate(listing.items) if item.id == identity]
    if listing is None or not found:
        raise WriteRefused(f"{identity} does not stand under {key}", "omp validate")
    if len(found) > 1:
        raise WriteRefused(f"{identity} stands {len(found)} times under {key}", "omp validate")
    return listing, found[0]


def remove_entry(data: bytes, key: str, identity: str) -> bytes:
    """Take an entry out, with the blank line before it; comments above it stay. Raises WriteRefused if not there."""
    text, maybe = _listing(data, key)
    listing, n = _find(maybe, key, identity)
    item = listing.items[n]
    start, stop = item.dash, _behind_line(text, item.end)
    above = _line_start(text, max(start - 1, 0))
    if start > 0 and not text[above:start].strip() and above > listing.key_end:
        start = above
    if len(listing.items) > 1:
        return _apply(text, [(start, stop, "")])
    colon = text.index(":", _line_start(text, listing.key_end)) + 1
    return _apply(text, [(colon, colon, " []"), (start, stop, "")])


def replace_entry(data: bytes, key: str, old: Memory, new: Memory) -> bytes:
    """Change the fields in which `new` differs from `old`; the entry's other fields, comments and layout stay."""
    text, maybe = _listing(data, key)
    listing, n = _find(maybe, key, old.id)
    item = listing.items[n]
    node = item.node or _parse_item(text, item)
    if node.kind != "map" or node.flow:
        return _rewrite(text, item, node, new, listing.indent)
    before, after = fields_of(old), fields_of(new)
    return _apply(text, _field_edits(text, node, before, after, ENTRY_FIELDS))


def _parse_item(text: str, item: Item) -> Node:
    """Parse one entry alone, with offsets of the whole text."""
    document = load(text[item.dash : item.end].encode())
    node = document.root.get(0)
    if document.root.kind != "seq" or node is None:
        raise WriteRefused(f"{item.id} cannot be read on its own", "omp validate")
    _move(node, item.dash)
    return node


def _move(node: Node, by: int) -> None:
    node.start += by
    node.end += by
    if node.kind == "map":
        node.at = {k: v + by for k, v in node.at.items()}
        for inner in node.value.values():
            _move(inner, by)
    elif node.kind == "seq":
        node.at = None if node.at is None else [v + by for v in node.at]
        for inner in node.value:
            _move(inner, by)


def _rewrite(text: str, item: Item, node: Node, new: Memory, indent: int) -> bytes:
    """Write an entry anew (it stood on one line); what it holds beside the known fields is kept."""
    values = fields_of(new)
    extra = {k: v.python() for k, v in node.value.items() if k not in ENTRY_FIELDS} if node.kind == "map" else {}
    lines = list_lines([{**values, **extra}], indent)
    return _apply(text, [(item.dash, item.end, _newline(text).join(lines))])


def entry_at(data: bytes, key: str, identity: str) -> Node | None:
    """Read one entry alone; None when it does not stand there. Raises WriteRefused when it stands there twice."""
    text, listing = _listing(data, key)
    found = [] if listing is None else [i for i in listing.items if i.id == identity]
    if len(found) > 1:
        raise WriteRefused(f"{identity} stands {len(found)} times under {key}", "omp validate")
    return (found[0].node or _parse_item(text, found[0])) if found else None


def ids_of(data: bytes, key: str) -> list[str]:
    """List the ids of a list's entries in the order of the file."""
    _, listing = _listing(data, key)
    return [] if listing is None else [i.id for i in listing.items]


def update_rows(data: bytes, key: str, rows: Mapping[str, Mapping[str, Any] | None], name: str = "id") -> bytes:
    """Insert, change or (None) remove rows of a list of small maps told apart by the field `name`, sorted by it."""
    document = load(data)
    text, node = document.text, document.root.get(key)
    newline = _newline(text)
    if node is None or (node.kind == "scalar" and node.plain) or (node.kind == "seq" and not node.value):
        fresh = [dict(r) for _, r in sorted(rows.items()) if r is not None]
        return set_pointer(data, f"/{key}", fresh) if fresh or node is None else data
    if node.kind != "seq" or node.flow or not node.at:
        raise WriteRefused(f"{key} is written on one line", "write its rows below it, each behind a dash")
    present = {told.value: n for n, item in enumerate(node.value) if (told := item.get(name)) is not None}
    order = sorted(present)
    ends = [
        _line_end(text, max(v.end - (text[v.end - 1] == "\n"), d)) for v, d in zip(node.value, node.at, strict=True)
    ]
    indent = node.column - 1
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    gone = 0
    for identity, row in sorted(rows.items()):
        n = present.get(identity)
        if row is None:
            if n is not None:
                start = _line_start(text, node.at[n])
                edits.append((start, _behind_line(text, ends[n]), ""))
                gone += 1
        elif n is not None:
            edits += _field_edits(text, node.value[n], node.value[n].python(), row, list(row))
        else:
            place = bisect_left(order, identity)
            at = _behind_line(text, ends[present[order[place - 1]]] if place else document.root.at[key])
            added.setdefault(at, []).extend(list_lines([row], indent))
    edits += [_new_lines(text, at, lines, newline) for at, lines in added.items()]
    if gone == len(node.value) and not added:
        colon = text.index(":", document.root.at[key]) + 1
        edits.append((colon, colon, " []"))
    return _apply(text, edits)


def _new_lines(text: str, at: int, lines: Sequence[str], newline: str) -> Edit:
    """Put whole lines at the start of a line, or behind a last line that has no line end."""
    if at == len(text) and not text.endswith("\n"):
        return at, at, "".join(newline + line for line in lines)
    return at, at, "".join(line + newline for line in lines)


def update_map(data: bytes, key: str, pairs: Mapping[str, str | None]) -> bytes:
    """Set or (None) remove pairs of a top-level map of plain texts, sorted by name, in one pass."""
    document = load(data)
    text, node = document.text, document.root.get(key)
    newline = _newline(text)
    if node is None or not node.value:
        fresh = {k: v for k, v in sorted(pairs.items()) if v is not None}
        return set_pointer(data, f"/{key}", fresh) if fresh or node is None else data
    if node.kind != "map" or node.flow:
        raise WriteRefused(f"{key} is written on one line", "write its pairs below it, one a line")
    order = sorted(node.value)
    indent = _indent_of(text, node)
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    gone = 0
    for name, value in sorted(pairs.items()):
        inner = node.value.get(name)
        if value is None:
            if inner is not None:
                edits.append(_removal(text, node, name))
                gone += 1
        elif inner is not None:
            if inner.value != value:
                edits.append((inner.start, inner.end, scalar(value)))
        else:
            place = bisect_left(order, name)
            at = _behind_line(text, _value_end(text, node, order[place - 1]) if place else document.root.at[key])
            added.setdefault(at, []).extend(field_lines(name, value, indent))
    edits += [_new_lines(text, at, lines, newline) for at, lines in added.items()]
    if gone == len(node.value) and not added:
        colon = text.index(":", document.root.at[key]) + 1
        edits.append((colon, colon, " {}"))
    return _apply(text, edits)


# Fields of a map


def _field_edits(
    text: str, node: Node, before: Mapping[str, Any], after: Mapping[str, Any], order: Sequence[str] = ()
) -> list[Edit]:
    """Give the edits that turn the fields `before` of a block map into `after`."""
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    indent = _indent_of(text, node)
    for name in [*before, *(n for n in after if n not in before)]:
        if name in before and name in after and before[name] == after[name]:
            continue
        place = node.value.get(name)
        if name not in after:
            if place is not None:
                edits.append(_removal(text, node, name))
        elif place is None:
            at = _insertion_point(text, node, name, order or list(after))
            added.setdefault(at, []).extend(field_lines(name, after[name], indent))
        else:
            edits += _value_edits(text, node, name, place, before.get(name), after[name], indent)
    newline = _newline(text)
    return [*edits, *((at, at, "".join(newline + line for line in lines)) for at, lines in added.items())]


def _indent_of(text: str, node: Node) -> int:
    first = min(node.at.values()) if node.at else node.start
    return first - _line_start(text, first)


def _removal(text: str, node: Node, name: str) -> Edit:
    start, end = node.at[name], _value_end(text, node, name)
    line = _line_start(text, start)
    if text[line:start].strip():
        raise WriteRefused(f"{name} stands on the line of its dash and cannot be taken out", "edit the file by hand")
    return line, _behind_line(text, end), ""


def _value_end(text: str, node: Node, name: str) -> int:
    inner = node.value[name]
    end = inner.end - 1 if inner.end > inner.start and text[inner.end - 1 : inner.end] == "\n" else inner.end
    return _line_end(text, max(end, node.at[name]))


def _insertion_point(text: str, node: Node, name: str, order: Sequence[str]) -> int:
    """Behind the last field that stands before `name` in the order of the file."""
    rank = {n: i for i, n in enumerate(order)}
    mine = rank.get(name, len(rank))
    earlier = [n for n in node.value if rank.get(n, -1) < mine and n in rank]
    if not earlier:
        first = min(node.at, key=lambda n: node.at[n])
        return _value_end(text, node, first)
    return max(_value_end(text, node, n) for n in earlier)


def _value_edits(text: str, node: Node, name: str, place: Node, before: Any, after: Any, indent: int) -> list[Edit]:
    if isinstance(after, Mapping) and isinstance(before, Mapping) and place.kind == "map" and not place.flow and after:
        return _field_edits(text, place, before, after)
    is_list = isinstance(after, (list, tuple))
    if is_list and place.kind == "seq" and not place.flow and name not in FLOW_FIELDS and after and place.at:
        rebuilt = _list_edits(text, place, before, after)
        if rebuilt is not None:
            return rebuilt
    one_line = not isinstance(after, (Mapping, list, tuple)) or (is_list and (name in FLOW_FIELDS or not after))
    in_line = "\n" not in text[place.start : place.end] and (place.kind == "scalar" or place.flow)
    if one_line and in_line:
        fresh = field_lines(name, after, 0)
        if len(fresh) == 1:
            value = fresh[0].split(": ", 1)[1]
            lead = "" if text[place.start - 1 : place.start] == " " else " "
            return [(place.start, place.end, lead + value)]
    start, end = node.at[name], _value_end(text, node, name)
    lines = field_lines(name, after, indent)
    return [(start, end, _newline(text).join([lines[0].lstrip(" "), *lines[1:]]))]


def _list_edits(text: str, place: Node, before: Any, after: Sequence[Any]) -> list[Edit] | None:
    """Edit a block list item by item, so that untouched items keep their bytes; None when it does not fit `before`."""
    if not isinstance(before, (list, tuple)) or len(before) != len(place.value):
        return None
    indent = place.at[0] - _line_start(text, place.at[0])
    if text[_line_start(text, place.at[0]) : place.at[0]].strip():
        return None
    newline = _newline(text)
    starts = [_line_start(text, d) for d in place.at]
    ends = [
        _line_end(text, max(n.end - (text[n.end - 1 : n.end] == "\n"), d))
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
            edits.append((start, ends[i2 - 1] if last and i1 else _behind_line(text, ends[i2 - 1]), ""))
        else:
            edits.append((starts[i1], ends[i2 - 1], newline.join(lines)))
    return edits


# Values by pointer


def set_pointer(data: bytes, pointer: str, value: Any) -> bytes:
    """Set one value of nested maps, making maps on the way. Raises WriteRefused where a plain value is in the way."""
    document = load(data)
    parts = pointer_parts(pointer)
    if not parts or not all(parts):
        raise WriteRefused(f"{pointer!r} is no pointer to a value", "write it like /deployment/web/url")
    return _set(document, parts, value)


def _set(document: Document, parts: tuple[str, ...], value: Any) -> bytes:
    text, node = document.text, document.root
    for depth, name in enumerate(parts):
        inner = node.value.get(name) if node.kind == "map" else None
        if inner is None:
            return _insert_key(text, node, parts[: depth + 1], _nested(parts[depth + 1 :], value), parts)
        if depth == len(parts) - 1:
            before = inner.python()
            if before == value:
                return document.data
            return _apply(text, _value_edits(text, node, name, inner, before, value, _indent_of(text, node)))
        is_empty = (inner.kind == "map" and not inner.value) or (
            inner.kind == "scalar" and inner.plain and not inner.value
        )
        if is_empty:
            rest = _nested(parts[depth + 1 :], value)
            lines = map_lines(rest, _indent_of(text, node) + 2)
            newline = _newline(text)
            end = _line_end(text, inner.end)
            edits: list[Edit] = [(end, end, "".join(newline + line for line in lines))]
            if inner.kind == "map":
                edits.append((inner.start - (text[inner.start - 1] == " "), inner.end, ""))
            return _apply(text, edits)
        if inner.kind != "map":
            place = "/" + "/".join(parts[: depth + 1])
            raise WriteRefused(f"{place} holds a value, so nothing can stand below it", "rename one of the two")
        if inner.flow:
            place = "/" + "/".join(parts[: depth + 1])
            raise WriteRefused(f"{place} is written on one line", "write its fields below it, one a line")
        node = inner
    raise WriteRefused("an empty pointer", "write it like /deployment/web/url")


def _nested(parts: Sequence[str], value: Any) -> Any:
    for name in reversed(parts):
        value = {name: value}
    return value


def _insert_key(text: str, node: Node, path: tuple[str, ...], value: Any, full: tuple[str, ...]) -> bytes:
    name = path[-1]
    newline = _newline(text)
    if node.kind != "map" or (node.flow and node.value):
        raise WriteRefused(f"/{'/'.join(path[:-1])} is written on one line", "write its fields below it, one a line")
    if not node.value:
        lead = "" if not text or text.endswith("\n") else newline
        return (text + lead + newline.join(field_lines(name, value, 0)) + newline).encode()
    indent = _indent_of(text, node)
    lines = field_lines(name, value, indent)
    names = list(node.value)
    keys = [n for n in names if n != "_meta"] if len(path) == 1 else names
    is_sorted = all(a <= b for a, b in pairwise(keys))
    earlier = [n for n in keys if n < name] if is_sorted and len(path) > 1 else keys
    if not earlier:
        start = _line_start(text, node.at[keys[0] if keys else names[0]])
        return _apply(text, [(start, start, "".join(line + newline for line in lines))])
    at = max(_value_end(text, node, n) for n in earlier)
    return _apply(text, [(at, at, "".join(newline + line for line in lines))])


def remove_pointer(data: bytes, pointer: str) -> bytes:
    """Take one value out; maps that become empty go with it. Raises WriteRefused when it is not there."""
    document = load(data)
    parts = list(pointer_parts(pointer))
    while parts:
        parent = document.root.get(*parts[:-1])
        if parent is None or parent.kind != "map" or parts[-1] not in parent.value:
            raise WriteRefused(f"{pointer} does not stand in the file", "omp validate")
        if len(parent.value) > 1 or len(parts) == 1:
            return _apply(document.text, [_removal(document.text, parent, parts[-1])])
        parts.pop()
    raise WriteRefused("an empty pointer", "write it like /deployment/web/url")


# Facts


def put_fact(data: bytes, fact: Fact) -> bytes:
    """Write a fact: the value at its pointer and its row under `_meta.facts`, as one unit."""
    data = set_pointer(data, fact.pointer, fact.value)
    document = load(data)
    row = document.root.get("_meta", "facts", fact.pointer)
    after = fact_fields(fact)
    if row is None or row.kind != "map" or row.flow:
        return _set(document, ("_meta", "facts", fact.pointer), after)
    before = {k: v.python() for k, v in row.value.items() if k in FACT_FIELDS}
    texts = {k: v.python(typed=False) for k, v in row.value.items() if k in FACT_FIELDS}
    same = {k: after[k] for k, v in texts.items() if k in after and _as_text(after[k]) == v}
    return _apply(document.text, _field_edits(document.text, row, {**before, **same}, after, FACT_FIELDS))


def _as_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _as_text(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(v) for v in value]
    return value if isinstance(value, str) else scalar(value)


def remove_fact(data: bytes, pointer: str) -> bytes:
    """Take a fact out: its row and its value."""
    return remove_pointer(
        remove_pointer(data, f"/_meta/facts/{pointer.replace('~', '~0').replace('/', '~1')}"), pointer
    )
