"""Entries of a list: insert, replace, remove one; every other byte stays as it is.

A file laid out by `omp` is edited where the entry stands, without reading the rest (`layout.py`); any other layout is
read. A shape that cannot be edited exactly is refused, never guessed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from omp.errors import BrokenFile, WriteRefused
from omp.model import ENTRY_FIELDS, Memory
from omp.yamlfile import layout
from omp.yamlfile.edits import Edit, apply, behind_line, field_edits, line_end, line_start, newline_of
from omp.yamlfile.nodes import Node
from omp.yamlfile.reader import load
from omp.yamlfile.scalars import NULLS
from omp.yamlfile.writer import entry_lines, fields_of, list_lines, sort_key


class Item:
    """Where one entry of a list stands: offset of its dash line, end of its last line (line end excluded)."""

    __slots__ = ("dash", "end", "id", "month", "node")

    def __init__(self, dash: int, end: int, identity: str, month: str, node: Node) -> None:
        self.dash, self.end, self.id, self.month, self.node = dash, end, identity, month, node


class Listing:
    """A list of entries in a file: the items, the indent of their dashes, its key's colon and the end of that line."""

    __slots__ = ("colon", "indent", "items", "key_end", "value")

    def __init__(self, items: list[Item], indent: int, colon: int, key_end: int, value: Node) -> None:
        self.items, self.indent, self.colon, self.key_end, self.value = items, indent, colon, key_end, value


def _listing(data: bytes, key: str) -> tuple[str, Listing | None]:
    """Find a list's items; None when the key does not stand in the file."""
    document = load(data)
    text = document.text
    node = document.root.get(key)
    if node is None:
        return text, None
    colon = text.index(":", document.root.at[key] + len(key)) + 1
    key_end = line_end(text, document.root.at[key])
    if document.root.flow:
        raise WriteRefused("the whole file is written on one line", "write its keys below each other")
    if node.kind == "scalar" and node.plain and node.value in NULLS:
        return text, Listing([], 2, colon, key_end, node)
    if node.kind != "seq":
        raise WriteRefused(f"{key} is no list in this file", f"make it a list: `{key}: []`")
    if node.flow:
        if node.value:
            raise WriteRefused(f"{key} is written on one line", "write its entries below it, each behind a dash")
        return text, Listing([], 2, colon, key_end, node)
    items = [_item_of(text, dash, item) for dash, item in zip(node.at or [], node.value, strict=True)]
    return text, Listing(items, node.column - 1, colon, key_end, node)


def _item_of(text: str, dash: int, item: Node) -> Item:
    told, created = item.get("id"), item.get("timestamps", "created_at") or item.get("date")
    end = max(item.end, dash + 1)
    return Item(
        line_start(text, dash),
        line_end(text, end - 1 if text[end - 1 : end] == "\n" else end),
        told.value if told is not None and told.kind == "scalar" else "",
        created.value[:7] if created is not None and created.kind == "scalar" else "",
        item,
    )


def insert_entries(data: bytes, key: str, memories: Sequence[Memory]) -> bytes:
    """Insert entries at their places (by month of `created_at`, then id), one blank line before each, in one pass.

    Raises WriteRefused when the list has a form that cannot be extended exactly, BrokenFile when it cannot be read.
    """
    if not memories:
        return data
    ordered = sorted(memories, key=sort_key)
    return _insert_by_bytes(data, key, ordered) or _insert_by_reading(data, key, ordered)


def _insert_by_bytes(data: bytes, key: str, ordered: Sequence[Memory]) -> bytes | None:
    known = layout.of(data, key)
    if known is None:
        return None
    groups: dict[int, list[Memory]] = {}
    for memory in ordered:
        place = known.place(sort_key(memory))
        if place is None:
            return None
        groups.setdefault(place, []).append(memory)
    parts: list[bytes] = []
    at = 0
    for place, group in sorted(groups.items()):
        parts += [data[at:place], ("\n" + "\n".join(_blocks(group, 2))).encode()]
        at = place
    return b"".join([*parts, data[at:]])


def _insert_by_reading(data: bytes, key: str, ordered: Sequence[Memory]) -> bytes:
    text, listing = _listing(data, key)
    newline = newline_of(text)
    if listing is None:
        lead = "" if not text or text.endswith("\n") else newline
        body = newline.join([f"{key}:", *_blocks(ordered, 2)])
        return (text + lead + body + newline).encode()
    if not listing.items:
        return _fill_empty(text, listing, newline.join(_blocks(ordered, listing.indent)), newline)
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
    return _verified(text, key, apply(text, edits), {m.id for m in ordered})


def _blocks(memories: Sequence[Memory], indent: int) -> list[str]:
    return [line for memory in memories for line in ("", *entry_lines(memory, indent))]


def _fill_empty(text: str, listing: Listing, body: str, newline: str) -> bytes:
    """Put the first entries below a key that holds `[]` or nothing; a comment behind it stays."""
    value = listing.value
    edits: list[Edit] = []
    if value.end > value.start:
        start = value.start - 1 if text[value.start - 1] == " " else value.start
        edits.append((start, value.end, ""))
    edits.append((listing.key_end, listing.key_end, newline + body))
    return apply(text, edits)


def _find(listing: Listing | None, key: str, identity: str) -> tuple[Listing, int]:
    found = [] if listing is None else [n for n, item in enumerate(listing.items) if item.id == identity]
    if listing is None or not found:
        raise WriteRefused(f"{identity} does not stand under {key}", "omp validate")
    if len(found) > 1:
        raise WriteRefused(f"{identity} stands {len(found)} times under {key}", "omp validate")
    return listing, found[0]


def remove_entry(data: bytes, key: str, identity: str) -> bytes:
    """Take an entry out, with the blank line before it; comments above it stay. Raises WriteRefused if not there."""
    known = layout.of(data, key)
    found = known.entry(identity) if known is not None else None
    if known is not None and found is not None:
        start, end = found
        if data.startswith(b"\n\n", start - 2) and start - 2 >= known.key_end:
            start -= 1
        rest = data[end + 1 :]
        if data.find(b"\n  - ", known.key_end, start) >= 0 or data.find(b"\n  - ", end) >= 0:
            return data[:start] + rest
    text, maybe = _listing(data, key)
    listing, n = _find(maybe, key, identity)
    item = listing.items[n]
    if text[line_start(text, item.dash) : item.dash].strip(" "):
        raise WriteRefused(f"{identity} stands behind another dash", "edit the file by hand")
    begin, stop = item.dash, behind_line(text, item.end)
    above = line_start(text, max(begin - 1, 0))
    if begin > 0 and not text[above:begin].strip(" \t\r\n") and above > listing.key_end:
        begin = above
    edits: list[Edit] = [(begin, stop, "")]
    if len(listing.items) == 1:
        edits.append((listing.colon, listing.colon, " []"))
    return _verified(text, key, apply(text, edits), {identity})


def replace_entry(data: bytes, key: str, old: Memory, new: Memory) -> bytes:
    """Change the fields in which `new` differs from `old`; the entry's other fields, comments and layout stay."""
    before, after = fields_of(old), fields_of(new)
    known = layout.of(data, key)
    found = known.entry(old.id) if known is not None else None
    alone = known.read(*found) if known is not None and found is not None else None
    if found is not None and alone is not None and alone.kind == "map" and not alone.flow:
        start, end = found[0], found[1] + 1  # with its line end, which goes along when the last field is taken out
        text = data[start:end].decode()
        changed = apply(text, field_edits(text, alone, before, after, ENTRY_FIELDS))
        _check_fields(alone, load(changed).root.get(0), before, after)
        return b"".join([data[:start], changed, data[end:]])
    text, maybe = _listing(data, key)
    listing, n = _find(maybe, key, old.id)
    item = listing.items[n]
    if item.node.kind != "map" or item.node.flow:
        return _rewrite(text, item, item.node, new, listing.indent)
    changed = apply(text, field_edits(text, item.node, before, after, ENTRY_FIELDS))
    _check_fields(item.node, entry_at(changed, key, new.id), before, after)
    return _verified(text, key, changed, {old.id, new.id})


def _check_fields(old: Node, new: Node | None, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Raise WriteRefused when a field beside those that were to change reads otherwise than before."""
    changed = {n for n in {*before, *after} if before.get(n) != after.get(n)}
    kept = {n: v.python() for n, v in old.value.items() if n not in changed}
    now = {} if new is None else {n: v.python() for n, v in new.value.items() if n not in changed}
    if kept != now:
        raise WriteRefused("the entry has a form that cannot be edited exactly", "edit the file by hand")


def _verified(text: str, key: str, changed: bytes, touched: set[str]) -> bytes:
    """Give `changed` if everything but the entries `touched` reads as before; raise WriteRefused otherwise."""
    try:
        is_same = _others(load(text.encode()).root, key, touched) == _others(load(changed).root, key, touched)
    except BrokenFile as error:
        raise WriteRefused("the file has a form that cannot be edited exactly", "edit it by hand") from error
    if not is_same:
        raise WriteRefused("the file has a form that cannot be edited exactly", "edit it by hand")
    return changed


def _others(root: Node, key: str, touched: set[str]) -> list[Any]:
    node = root.get(key)
    items = node.value if node is not None and node.kind == "seq" else []
    rest = [v.python() for v in items if (told := v.get("id")) is None or told.value not in touched]
    return [{n: v.python() for n, v in root.value.items() if n != key}, rest]


def _rewrite(text: str, item: Item, node: Node, new: Memory, indent: int) -> bytes:
    """Write an entry anew (it stood on one line); what it holds beside the known fields is kept."""
    values = fields_of(new)
    extra = {k: v.python() for k, v in node.value.items() if k not in ENTRY_FIELDS} if node.kind == "map" else {}
    lines = list_lines([{**values, **extra}], indent)
    return apply(text, [(item.dash, item.end, newline_of(text).join(lines))])


def entry_at(data: bytes, key: str, identity: str) -> Node | None:
    """Read one entry alone; None when it does not stand there. Raises WriteRefused when it stands there twice.

    Offsets and lines of the node count from wherever reading began, so they are of use only with its own text.
    """
    known = layout.of(data, key)
    found = known.entry(identity) if known is not None else None
    alone = known.read(*found) if known is not None and found is not None else None
    if alone is not None:
        return alone
    _, listing = _listing(data, key)
    nodes = [] if listing is None else [i.node for i in listing.items if i.id == identity]
    if len(nodes) > 1:
        raise WriteRefused(f"{identity} stands {len(nodes)} times under {key}", "omp validate")
    return nodes[0] if nodes else None


def ids_of(data: bytes, key: str) -> list[str]:
    """List the ids of a list's entries in the order of the file."""
    _, listing = _listing(data, key)
    return [] if listing is None else [i.id for i in listing.items]
