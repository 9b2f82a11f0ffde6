"""The canonical form: what `omp` writes when nobody's layout has to be kept.

Two-space indent, one field a line, long lines never folded, fields in the order of `model.ENTRY_FIELDS`, lists of words
on one line. The last line of an entry is the digest of its last evidence, so that neighbours share no trailing lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from omp.model import ENTRY_FIELDS, FACT_FIELDS, Entry, Memory
from omp.yamlfile.scalars import quote

FLOW_FIELDS = frozenset({"tags", "supersedes", "contradicts", "keys", "external_id", "neighbours"})
"""Lists of single words, written on one line."""
_ALWAYS = ("metadata", "timestamps")


def fields_of(memory: Entry, order: Sequence[str] = ENTRY_FIELDS) -> dict[str, Any]:
    """Give an entry's fields as plain values in the order of the file; those with their default are left out."""
    values = msgspec.to_builtins(memory)
    for name in _ALWAYS:
        values.setdefault(name, msgspec.to_builtins(getattr(memory, name)))
    return {name: values[name] for name in order if name in values}


def fact_fields(memory: Entry) -> dict[str, Any]:
    """Give what stands under `_meta.facts.<pointer>`; the value itself stands at its place in the file."""
    return fields_of(memory, FACT_FIELDS)


def scalar(value: Any, flow: bool = False) -> str:
    """Write one scalar."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value) if value == value and abs(value) != float("inf") else quote(str(value), flow)
    return quote(str(value), flow)


def field_lines(name: str, value: Any, indent: int) -> list[str]:
    """Write `name: value` as lines without line ends."""
    pad, key = " " * indent, quote(name)
    if isinstance(value, Mapping):
        if not value:
            return [f"{pad}{key}: {{}}"]
        return [f"{pad}{key}:", *map_lines(value, indent + 2)]
    if isinstance(value, (list, tuple)):
        if not value:
            return [f"{pad}{key}: []"]
        if name in FLOW_FIELDS and all(not isinstance(v, (Mapping, list, tuple)) for v in value):
            return [f"{pad}{key}: [{', '.join(scalar(v, flow=True) for v in value)}]"]
        return [f"{pad}{key}:", *list_lines(value, indent + 2)]
    return [f"{pad}{key}: {scalar(value)}"]


def map_lines(value: Mapping[str, Any], indent: int) -> list[str]:
    """Write a map as block lines."""
    return [line for name, inner in value.items() for line in field_lines(str(name), inner, indent)]


def list_lines(values: Sequence[Any], indent: int) -> list[str]:
    """Write a list as block lines, each item behind a dash."""
    out: list[str] = []
    pad = " " * indent
    for value in values:
        if isinstance(value, Mapping) and value:
            inner = map_lines(value, indent + 2)
            out += [f"{pad}- {inner[0].lstrip(' ')}", *inner[1:]]
        elif isinstance(value, (list, tuple)) and value:
            inner = list_lines(value, indent + 2)
            out += [f"{pad}- {inner[0].lstrip(' ')}", *inner[1:]]
        elif isinstance(value, (Mapping, list, tuple)):
            out.append(f"{pad}- {'{}' if isinstance(value, Mapping) else '[]'}")
        else:
            out.append(f"{pad}- {scalar(value)}")
    return out


def dump_value(value: Mapping[str, Any]) -> bytes:
    """Write a whole map in canonical form."""
    lines = map_lines(value, 0)
    return ("\n".join(lines) + "\n").encode() if lines else b"{}\n"


def entry_lines(memory: Memory, indent: int = 2) -> list[str]:
    """Write an entry as an item of a list whose dash stands at `indent`."""
    return list_lines([fields_of(memory)], indent)


def dump_entry(memory: Memory, indent: int = 2) -> bytes:
    """Write an entry as an item of a list; ends with a line end."""
    return ("\n".join(entry_lines(memory, indent)) + "\n").encode()


def sort_key(memory: Memory) -> tuple[str, str]:
    """Entries stand by month of `created_at`, then by id."""
    return memory.timestamps.created_at[:7], memory.id


def new_list_file(key: str, memories: Sequence[Memory] = (), schema: str = "") -> bytes:
    """Make a list file: version, top key, entries with one blank line before each, `[]` when there are none.

    `schema` is the file name of a JSON Schema beside it, named in a comment that editors understand.
    """
    head = [f"# yaml-language-server: $schema=schema/{schema}"] if schema else []
    if not memories:
        return "\n".join([*head, "version: 1", f"{key}: []", ""]).encode()
    lines = [*head, "version: 1", f"{key}:"]
    for memory in sorted(memories, key=sort_key):
        lines += ["", *entry_lines(memory)]
    return ("\n".join(lines) + "\n").encode()
