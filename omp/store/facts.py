"""`project.yaml`: facts are plain nested values, their metadata stands under `_meta.facts.<pointer>`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from omp.entries import pointer_parts
from omp.errors import BrokenFile, WriteRefused
from omp.model import Entry, Fact, Problem
from omp.store.reading import FACTS_FILE, FileReading, Row, decode, row_of
from omp.yamlfile import load, put_fact, read_facts, remove_fact, set_pointer

CHANGES_KEPT = 20
"""Lines of `_meta.changes`: what happened lately, for people; the journal has all of it."""
_FRESH = b"# yaml-language-server: $schema=schema/project.schema.json\nversion: 1\n"
_RESERVED = ("", "_meta", "version")
_OWN = ("facts", "last_updated", "updated_by", "changes")


def edit(reading: FileReading, data: bytes, puts: Sequence[Fact], removes: Sequence[str]) -> bytes:
    """Give the file with facts put and removed; `data` itself when it stands so already."""
    old = standing(reading)
    before = data
    data = data if data.strip() else _FRESH
    for identity in removes:
        if identity in old:
            data = remove_fact(data, old[identity].pointer)
            data = _note(data, old[identity].pointer, old[identity].value, None)
    latest = ""
    for fact in puts:
        if not fact.pointer.startswith("/") or pointer_parts(fact.pointer)[0] in _RESERVED:
            raise WriteRefused(f"{fact.pointer!r} is no place for a fact", "write it like /deployment/web/url")
        present = old.get(fact.id)
        if present == fact:
            continue
        was = _value(data, fact.pointer)
        data = put_fact(data, fact)
        latest = max(latest, fact.timestamps.updated_at or fact.timestamps.created_at)
        if was != fact.value:
            data = _note(data, fact.pointer, was, fact.value)
    if data in (before, _FRESH):
        return before
    told = _value(data, "/_meta/last_updated")
    if latest and latest > (told if isinstance(told, str) else ""):
        data = set_pointer(data, "/_meta/last_updated", latest)
    return set_pointer(data, "/_meta/updated_by", "omp")


def standing(reading: FileReading) -> dict[str, Fact]:
    """Give the facts that stand in the file, by id."""
    return {row.id: fact for row in reading.rows if isinstance(fact := decode(row), Fact)}


def _value(data: bytes, pointer: str) -> Any:
    node = load(data, FACTS_FILE).root.get(*pointer_parts(pointer))
    return node.python() if node is not None else None


def _note(data: bytes, pointer: str, was: Any, now: Any) -> bytes:
    line = f"{'.'.join(pointer_parts(pointer))}: {_said(was)} -> {_said(now)}"
    listed = _value(data, "/_meta/changes")
    changes = [str(c) for c in listed if str(c) != line] if isinstance(listed, list) else []
    return set_pointer(data, "/_meta/changes", [*changes, line][-CHANGES_KEPT:])


def _said(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list, tuple)):
        return f"{len(value)} values"
    return " ".join(str(value).split())


def prove(reading: FileReading, old: bytes, new: bytes, puts: Sequence[Fact], removes: Sequence[str]) -> list[Row]:
    """Read the new bytes back: the facts put are there, those removed are not, all else is what it was.

    Returns the rows of the new file. Raises WriteRefused when the bytes do not say what was meant.
    """
    try:
        document = load(new, FACTS_FILE)
        rows, problems = read_facts(document)
        before, after = load(old, FACTS_FILE).plain(), document.plain()
    except BrokenFile as error:
        raise _unproven(error.problems) from error
    if problems:
        raise _unproven(tuple(problems))
    wanted = {i: fact for i, fact in standing(reading).items() if i not in removes} | {f.id: f for f in puts}
    found = [row_of(r.memory.id, r.line, r.memory, r.extra) for r in rows if isinstance(r.memory, Entry)]
    if {r.id: decode(r) for r in found} != wanted or len(rows) != len(wanted):
        raise _unproven()
    expected: dict[str, Any] = copy.deepcopy(before) if isinstance(before, dict) else {}
    old_facts = standing(reading)
    for identity in removes:
        if identity in old_facts:
            _drop(expected, pointer_parts(old_facts[identity].pointer))
    for fact in puts:
        _set(expected, pointer_parts(fact.pointer), fact.value)
    if _others(expected) != _others(after):
        raise _unproven()
    return found


def _others(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give everything but what a write of facts keeps up by itself."""
    meta = values.get("_meta")
    rest = {k: v for k, v in values.items() if k not in ("_meta", "version")}
    kept = {k: v for k, v in meta.items() if k not in _OWN} if isinstance(meta, Mapping) else {}
    return {**rest, "_meta": kept}


def _set(values: dict[str, Any], parts: Sequence[str], value: Any) -> None:
    for name in parts[:-1]:
        inner = values.get(name)
        values[name] = inner if isinstance(inner, dict) else {}
        values = values[name]
    values[parts[-1]] = value


def _drop(values: dict[str, Any], parts: Sequence[str]) -> None:
    inner = values.get(parts[0])
    if len(parts) > 1 and isinstance(inner, dict):
        _drop(inner, parts[1:])
        if not inner:
            del values[parts[0]]
    else:
        values.pop(parts[0], None)


def _unproven(problems: tuple[Problem, ...] = ()) -> WriteRefused:
    where = f" ({problems[0].line}:{problems[0].column}: {problems[0].message})" if problems else ""
    return WriteRefused(
        f"{FACTS_FILE} would not read back as it was meant{where}; nothing was written", "omp validate, and report this"
    )
