"""Values that can be compared: the canonical bytes of a value, and an entry as flat fields.

A field is named by the keys that lead to it, joined by dots (`metadata.confidence`). What has no content (null, empty
text, empty collection) counts as not there, so that an explicit default and a missing field are one thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from omp.yamlfile import Node

ABSENT: Final = None
"""The value of a field that is not there."""
UNIT: Final = "value"
"""The field that holds a fact's value together with the claim and the digest that speak about it."""
UNIT_PARTS: Final = ("value", "claim", "of")
_TYPED = frozenset({"confidence", "marked", "value", "conflict"})
"""Fields that are no text; every other field is taken as it was written (3.10 stays 3.10)."""
_EMPTY: tuple[Any, ...] = (None, "", [], {}, False)

Flat = dict[str, Any]


def canon(value: Any) -> bytes:
    """Give bytes that are equal for equal values and sort values; a field that is not there sorts first."""
    if is_empty(value):
        return b""
    if isinstance(value, Mapping) and UNIT in value and value.keys() <= set(UNIT_PARTS):
        value = [value.get(name) for name in UNIT_PARTS]
    return msgspec.json.encode(value, order="sorted")


def is_empty(value: Any) -> bool:
    """Tell whether a value says nothing (0 does say something)."""
    return any(value is e or (type(value) is type(e) and value == e) for e in _EMPTY)


def plain(node: Node, name: str = "") -> Any:
    """Give the plain value of a field: text as written, but numbers and truth values where no text is due."""
    if node.kind == "map":
        if name == "conflict":
            return {k: v.python() for k, v in node.value.items()}
        return {k: plain(v, k) for k, v in node.value.items()}
    if node.kind == "seq":
        return [plain(v) for v in node.value]
    if name in _TYPED or is_counter(name):
        return node.python()
    return node.python(typed=False)


def is_counter(name: str) -> bool:
    """Tell whether a field counts something or numbers a layout, so that the greater one is the later one."""
    last = name.replace("/", ".").rpartition(".")[2]
    return last in ("version", "occurrences") or last.endswith("count")


def flatten(fields: Mapping[str, Any]) -> Flat:
    """Give the fields of an entry under their dotted names, those that say nothing left out."""
    out: Flat = {}
    _flatten(fields, "", out)
    return out


def _flatten(fields: Mapping[str, Any], lead: str, out: Flat) -> None:
    for key, value in fields.items():
        name = f"{lead}{key}"
        if isinstance(value, dict) and name not in ("conflict", UNIT) and not any("." in str(k) for k in value):
            _flatten(value, f"{name}.", out)
        elif not is_empty(value):
            out[name] = value


def unflatten(flat: Flat, order: Mapping[str, Any]) -> dict[str, Any]:
    """Give nested fields again, in the order of `order` (nested fields of a side), new ones behind."""
    out: dict[str, Any] = {}
    for name, value in flat.items():
        place = out
        *parents, last = name.split(".") if name not in order else [name]
        for parent in parents:
            inner = place.setdefault(parent, {})
            if not isinstance(inner, dict):  # one side has a map where the other has a value: the map's parts win
                inner = place[parent] = {}
            place = inner
        place[last] = value
    return {k: out[k] for k in (*(k for k in order if k in out), *(k for k in out if k not in order))}
