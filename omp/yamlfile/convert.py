"""From nodes to types: one message per bad value, unknown fields kept apart, text taken as it was written."""

from __future__ import annotations

import functools
import re
from typing import Any, TypeVar

import msgspec

from omp.errors import BrokenFile
from omp.model import FACT_KINDS, KINDS, TYPES, Entry, Kind, Memory, Problem, Struct
from omp.yamlfile.nodes import Document, Node
from omp.yamlfile.scalars import NULLS

T = TypeVar("T")

_PATH = re.compile(r" - at `\$((?:[^`])*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_FREE = frozenset({"value", "values"})
_SEED_LINKS = ("tracking", "key", "value")


class ReadEntry(Struct, frozen=True, kw_only=True):
    """One item of a list file: the memory (None when it could not be read), what is unknown, and where it stands."""

    memory: Memory | None
    extra: dict[str, Any]
    line: int
    id: str = ""
    node: Node | None = None


class ReadFact(Struct, frozen=True, kw_only=True):
    """One fact of `project.yaml` with its metadata."""

    memory: Memory
    extra: dict[str, Any]
    line: int
    node: Node | None = None


def to_struct(node: Node, kind: type[T], path: str = "") -> tuple[T | None, dict[str, Any], list[Problem]]:
    """Convert a map node to a struct: (value or None, unknown fields, problems). Text fields take text as written."""
    if node.kind != "map":
        return None, {}, [problem(path, node, "schema", "expected fields here", "write `field: value` lines")]
    known = _known(kind)  # type: ignore[arg-type]
    plain: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, inner in node.value.items():
        if name not in known:
            extra[name] = inner.python()
        elif (value := inner.python() if name in _FREE else _texts(inner)) is not None:
            plain[name] = value
    try:
        return msgspec.convert(plain, kind, strict=False), extra, []
    except msgspec.ValidationError as error:
        return None, extra, [_explain(error, node, path)]


@functools.cache
def _known(kind: type[Any]) -> frozenset[str]:
    fields = {f.encode_name for f in msgspec.structs.fields(kind)}
    tag = kind.__struct_config__.tag_field
    return frozenset(fields | {tag} if tag else fields)


def _texts(node: Node) -> Any:
    """Every scalar as its text, null as None; only what people write freely keeps the type YAML gives it."""
    value = node.value
    if node.kind == "scalar":
        return None if node.plain and value in NULLS else value
    if node.kind == "seq":
        return [_texts(v) for v in value]
    return {k: v.python() if k in _FREE else _texts(v) for k, v in value.items()}


def _explain(error: msgspec.ValidationError, node: Node, path: str) -> Problem:
    """Turn msgspec's message into a problem at the bad field: the one place that reads its text."""
    said = str(error)
    found = _PATH.search(said)
    steps: list[str | int] = []
    if found:
        said = said[: found.start()]
        for name, index in _STEP.findall(found[1]):
            steps.append(name or (int(index) if index.isdigit() else 0))
    bad: Node = node
    for step in steps:
        inner = bad.get(step)
        if inner is None:
            break
        bad = inner
    field = "".join(f".{s}" if isinstance(s, str) else f"[{s}]" for s in steps).lstrip(".")
    said = said[:1].lower() + said[1:]
    return problem(path, bad, "schema", f"{field}: {said}" if field else said, "see references/format.md")


def problem(path: str, node: Node, code: str, message: str, hint: str = "", warning: bool = False) -> Problem:
    """Make a problem at a node."""
    return Problem(
        path=path,
        line=node.line,
        column=node.column,
        code=code,
        message=message,
        hint=hint,
        severity="warning" if warning else "error",
    )


_SINGULAR: dict[str, Kind] = {
    "decisions": "decision",
    "constraints": "constraint",
    "lessons": "lesson",
    "preferences": "preference",
    "assumptions": "working_assumption",
    "questions": "open_question",
    "changes": "change",
    "skills": "skill",
}
"""Top key -> kind of its items that name none (seed form)."""


def _kind_of(node: Node, top_key: str) -> Kind | None:
    told = node.get("kind")
    if told is not None:
        return told.value if told.value in KINDS else None
    return _SINGULAR.get(top_key)


def read_entries(document: Document, top_key: str) -> tuple[list[ReadEntry], list[Problem]]:
    """Read the items of a list file, one message per bad item. Items of the seed form get a claim from their fields."""
    node = document.root.get(top_key)
    path = document.path
    if node is None or (node.kind == "scalar" and node.plain and node.value in NULLS):
        return [], []
    if node.kind != "seq":
        return [], [problem(path, node, "schema", f"{top_key}: expected a list", "write `- id: ...` items below it")]
    out: list[ReadEntry] = []
    problems: list[Problem] = []
    for item in node.value:
        memory, extra, found = _entry(item, top_key, path)
        problems += found
        told = item.get("id")
        out.append(ReadEntry(memory=memory, extra=extra, line=item.line, id=_text(told), node=item))
    return out, problems


def _text(node: Node | None) -> str:
    return str(node.value) if node is not None and node.kind == "scalar" else ""


def _entry(item: Node, top_key: str, path: str) -> tuple[Memory | None, dict[str, Any], list[Problem]]:
    if item.kind != "map":
        return None, {}, [problem(path, item, "schema", "expected an entry with fields", "write `- id: ...` lines")]
    kind = _kind_of(item, top_key)
    if kind is None:
        told = item.get("kind") or item
        hint = f"one of {', '.join(KINDS)}"
        return None, {}, [problem(path, told, "schema", "kind: not a kind of memory", hint)]
    node = _seed(item, kind)
    memory, extra, problems = to_struct(node, TYPES[kind], path)
    return memory, {k: v for k, v in extra.items() if k not in _SEED_LINKS}, problems


def _seed(item: Node, kind: Kind) -> Node:
    """Complete an item of the seed form (no claim; `key`/`value`, or title and choice) so that it can be read."""
    if item.get("claim") is not None:
        return item
    text = {name: node.value for name, node in item.value.items() if node.kind == "scalar"}
    parts = [text[n] for n in ("title", "choice") if text.get(n)] or [text[n] for n in ("key", "value") if text.get(n)]
    parts = parts or [text[n] for n in ("question", "text", "summary") if text.get(n)][:1]
    if not parts:
        return item
    filled = dict(item.value)
    filled["claim"] = Node("scalar", ": ".join(parts), item.start, item.end, item.line, item.column)
    if "id" not in filled and text.get("key"):
        filled["id"] = Node("scalar", text["key"], item.start, item.end, item.line, item.column)
    return Node("map", filled, item.start, item.end, item.line, item.column, at=item.at)


def read_facts(document: Document) -> tuple[list[ReadFact], list[Problem]]:
    """Read the facts of `project.yaml`: each row of `_meta.facts` with the value its pointer names."""
    rows = document.root.get("_meta", "facts")
    if rows is None:
        return [], []
    if rows.kind != "map":
        return [], [problem(document.path, rows, "schema", "_meta.facts: expected pointers here")]
    out: list[ReadFact] = []
    problems: list[Problem] = []
    for pointer, row in rows.value.items():
        fact, found = _fact(document, pointer, row)
        problems += found
        if fact is not None:
            out.append(fact)
    return out, problems


def _fact(document: Document, pointer: str, row: Node) -> tuple[ReadFact | None, list[Problem]]:
    from omp import entries, identity

    path = document.path
    kind = row.get("kind")
    if kind is None or kind.value not in FACT_KINDS:
        hint = f"one of {', '.join(sorted(FACT_KINDS))}"
        return None, [problem(path, kind or row, "schema", f"{pointer}: kind of the fact is missing or unknown", hint)]
    value = document.root.get(*entries.pointer_parts(pointer)) if pointer.startswith("/") else None
    if value is None:
        return None, [
            problem(path, row, "fact-without-value", f"{pointer} names no value in this file", "remove the row")
        ]
    filled = dict(row.value)
    at = (row.start, row.end, row.line, row.column)
    filled["id"] = Node("scalar", f"fact-{identity.fact_key(pointer)}", *at)
    filled["pointer"] = Node("scalar", pointer, *at)
    filled["value"] = value
    memory, extra, problems = to_struct(Node("map", filled, *at), TYPES[kind.value], path)
    if memory is None:
        return None, problems
    assert isinstance(memory, Entry)
    return ReadFact(memory=memory, extra=extra, line=row.line, node=row), problems  # type: ignore[arg-type]


def need(node: Node | None, path: str, what: str) -> Node:
    """Give the node, or raise BrokenFile naming what is missing."""
    if node is None:
        raise BrokenFile(f"{path}: {what} is missing")
    return node
