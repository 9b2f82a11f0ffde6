"""Values by pointer, facts, rows and pairs: edits of the maps of `project.yaml`, `themes/index.yaml` and the like."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from omp.entries import pointer_parts
from omp.errors import WriteRefused
from omp.model import FACT_FIELDS, Fact
from omp.yamlfile.edits import (
    Edit,
    apply,
    behind_line,
    field_edits,
    indent_of,
    line_end,
    line_start,
    new_lines,
    newline_of,
    removal,
    value_edits,
    value_end,
)
from omp.yamlfile.nodes import Document, Node
from omp.yamlfile.reader import load
from omp.yamlfile.writer import fact_fields, field_lines, list_lines, map_lines, scalar


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
            return apply(text, value_edits(text, node, name, inner, before, value, indent_of(text, node)))
        is_empty = (inner.kind == "map" and not inner.value) or (
            inner.kind == "scalar" and inner.plain and not inner.value
        )
        if is_empty:
            rest = _nested(parts[depth + 1 :], value)
            lines = map_lines(rest, indent_of(text, node) + 2)
            newline = newline_of(text)
            end = line_end(text, inner.end)
            edits: list[Edit] = [(end, end, "".join(newline + line for line in lines))]
            if inner.kind == "map":
                edits.append((inner.start - (text[inner.start - 1] == " "), inner.end, ""))
            return apply(text, edits)
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
    newline = newline_of(text)
    if node.kind != "map" or (node.flow and node.value):
        raise WriteRefused(f"/{'/'.join(path[:-1])} is written on one line", "write its fields below it, one a line")
    if not node.value:
        lead = "" if not text or text.endswith("\n") else newline
        return (text + lead + newline.join(field_lines(name, value, 0)) + newline).encode()
    indent = indent_of(text, node)
    lines = field_lines(name, value, indent)
    names = list(node.value)
    keys = [n for n in names if n != "_meta"] if len(path) == 1 else names
    is_sorted = all(a <= b for a, b in pairwise(keys))
    earlier = [n for n in keys if n < name] if is_sorted and len(path) > 1 else keys
    if not earlier:
        start = line_start(text, node.at[keys[0] if keys else names[0]])
        return apply(text, [(start, start, "".join(line + newline for line in lines))])
    at = max(value_end(text, node, n) for n in earlier)
    return apply(text, [(at, at, "".join(newline + line for line in lines))])


def remove_pointer(data: bytes, pointer: str) -> bytes:
    """Take one value out; maps that become empty go with it. Raises WriteRefused when it is not there."""
    document = load(data)
    parts = list(pointer_parts(pointer))
    while parts:
        parent = document.root.get(*parts[:-1])
        if parent is None or parent.kind != "map" or parts[-1] not in parent.value:
            raise WriteRefused(f"{pointer} does not stand in the file", "omp validate")
        if len(parent.value) > 1 or len(parts) == 1:
            return apply(document.text, [removal(document.text, parent, parts[-1])])
        parts.pop()
    raise WriteRefused("an empty pointer", "write it like /deployment/web/url")


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
    return apply(document.text, field_edits(document.text, row, {**before, **same}, after, FACT_FIELDS))


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


def update_rows(data: bytes, key: str, rows: Mapping[str, Mapping[str, Any] | None], name: str = "id") -> bytes:
    """Insert, change or (None) remove rows of a list of small maps told apart by the field `name`, sorted by it."""
    document = load(data)
    text, node = document.text, document.root.get(key)
    newline = newline_of(text)
    if node is None or (node.kind == "scalar" and node.plain) or (node.kind == "seq" and not node.value):
        fresh = [dict(r) for _, r in sorted(rows.items()) if r is not None]
        return set_pointer(data, f"/{key}", fresh) if fresh or node is None else data
    if node.kind != "seq" or node.flow or not node.at:
        raise WriteRefused(f"{key} is written on one line", "write its rows below it, each behind a dash")
    present = {told.value: n for n, item in enumerate(node.value) if (told := item.get(name)) is not None}
    order = sorted(present)
    ends = [line_end(text, max(v.end - (text[v.end - 1] == "\n"), d)) for v, d in zip(node.value, node.at, strict=True)]
    indent = node.column - 1
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    gone = 0
    for identity, row in sorted(rows.items()):
        n = present.get(identity)
        if row is None:
            if n is not None:
                start = line_start(text, node.at[n])
                edits.append((start, behind_line(text, ends[n]), ""))
                gone += 1
        elif n is not None:
            edits += field_edits(text, node.value[n], node.value[n].python(), row, list(row))
        else:
            place = bisect_left(order, identity)
            at = behind_line(text, ends[present[order[place - 1]]] if place else document.root.at[key])
            added.setdefault(at, []).extend(list_lines([row], indent))
    edits += [new_lines(text, at, lines, newline) for at, lines in added.items()]
    if gone == len(node.value) and not added:
        colon = text.index(":", document.root.at[key]) + 1
        edits.append((colon, colon, " []"))
    return apply(text, edits)


def update_map(data: bytes, key: str, pairs: Mapping[str, str | None]) -> bytes:
    """Set or (None) remove pairs of a top-level map of plain texts, sorted by name, in one pass."""
    document = load(data)
    text, node = document.text, document.root.get(key)
    newline = newline_of(text)
    if node is None or not node.value:
        fresh = {k: v for k, v in sorted(pairs.items()) if v is not None}
        return set_pointer(data, f"/{key}", fresh) if fresh or node is None else data
    if node.kind != "map" or node.flow:
        raise WriteRefused(f"{key} is written on one line", "write its pairs below it, one a line")
    order = sorted(node.value)
    indent = indent_of(text, node)
    edits: list[Edit] = []
    added: dict[int, list[str]] = {}
    gone = 0
    for name, value in sorted(pairs.items()):
        inner = node.value.get(name)
        if value is None:
            if inner is not None:
                edits.append(removal(text, node, name))
                gone += 1
        elif inner is not None:
            if inner.value != value:
                edits.append((inner.start, inner.end, scalar(value)))
        else:
            place = bisect_left(order, name)
            at = behind_line(text, value_end(text, node, order[place - 1]) if place else document.root.at[key])
            added.setdefault(at, []).extend(field_lines(name, value, indent))
    edits += [new_lines(text, at, lines, newline) for at, lines in added.items()]
    if gone == len(node.value) and not added:
        colon = text.index(":", document.root.at[key]) + 1
        edits.append((colon, colon, " {}"))
    return apply(text, edits)
