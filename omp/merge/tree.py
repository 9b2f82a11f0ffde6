"""Everything in a file that is no list of entries: nested values by JSON pointer, facts as units with their metadata.

A plain value that both sides changed is noted in `_meta.conflict`, by pointer; a fact's conflict stands in its own row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from omp.entries import pointer_of, pointer_parts
from omp.merge.fields import MergedEntry, Side, merge_entry, merge_flat, side
from omp.merge.notes import note_of, read_note
from omp.merge.parts import Side as File
from omp.merge.values import Flat, canon, plain
from omp.model import Conflict
from omp.yamlfile import Node, load, remove_pointer, set_pointer

CHANGES_KEPT = 20
"""Lines of `_meta.changes`, as the store keeps."""
_FACTS, _NOTE, _CHANGES = "/_meta/facts", "/_meta/conflict", "/_meta/changes"
_DECIDED = frozenset({"themes", "members", "refused", "sessions"})
"""A file with such a key holds nothing to choose between: `omp` makes its values anew."""

Tree = dict[str, Any]


def merge_tree(
    base: File, ours: File, theirs: File, text: str, lists: Collection[str]
) -> tuple[str, tuple[Conflict, ...], bool]:
    """Change `text` (the lists merged, the rest as ours has it) to hold both sides' values; tell what waits."""
    files = (base, ours, theirs)
    shown = [{k: s.text for k, s in f.sections.items() if k not in lists} for f in files]
    trees = [_tree(f.sections, lists) for f in files]
    if shown[1] == shown[2]:
        return text, (), _waits(trees[1])
    rows = [_rows(t) for t in trees]
    pointers = sorted({p for r in rows for p in r if p.startswith("/")})
    decided = any(k in f.sections for f in files for k in _DECIDED)
    facts = {p: _merge_fact(p, trees, rows) for p in pointers}
    plains = [_leaves(t, pointers) for t in trees]
    notes = [read_note(_at(t, _NOTE)) for t in trees]
    sides = [Side(fields={}, flat=flat, note=note) for flat, note in zip(plains, notes, strict=True)]
    flat, wishes = merge_flat(sides[0], sides[1:], lambda _: "", decided)
    changes = _changes([_at(t, _CHANGES) for t in trees])
    if changes:
        flat[_CHANGES] = changes
    note = note_of(wishes, "", "")
    if note is not None:
        flat[_NOTE] = note
    text = _written(text, lists, pointers, flat, facts)
    found = [c for f in facts.values() for c in f.conflicts]
    is_open = note is not None and note["status"] == "detected"
    if note is not None and is_open:
        found += [Conflict(id=p, field="value", values=tuple(v)) for p, v in read_note(note).wanted.items()]
    return text, tuple(found), is_open or any(f.detected for f in facts.values())


def _tree(sections: Mapping[str, Any], lists: Collection[str]) -> Tree:
    return {k: exact(s.node) for k, s in sections.items() if k not in lists}


def exact(node: Node) -> Any:
    """Give plain values; a number whose text would change when written again (3.10, 007) stays text."""
    if node.kind == "map":
        return {k: plain(v, k) if k == "_meta" else exact(v) for k, v in node.value.items()}
    if node.kind == "seq":
        return [exact(v) for v in node.value]
    value = node.python()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return node.value if is_number and repr(value) != node.value else value


def _at(tree: Any, pointer: str) -> Any:
    for part in pointer_parts(pointer):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _rows(tree: Tree) -> Mapping[str, Any]:
    rows = _at(tree, _FACTS)
    return rows if isinstance(rows, dict) else {}


def _waits(tree: Tree) -> bool:
    notes = [_at(tree, _NOTE), *(r.get("conflict") for r in _rows(tree).values() if isinstance(r, dict))]
    return any(isinstance(n, dict) and n.get("status") == "detected" for n in notes)


def _merge_fact(pointer: str, trees: Sequence[Tree], rows: Sequence[Mapping[str, Any]]) -> MergedEntry:
    states = []
    for tree, standing in zip(trees, rows, strict=True):
        row, value = standing.get(pointer), _at(tree, pointer)
        fields = {**(row if isinstance(row, dict) else {}), **({} if value is None else {"value": value})}
        states.append(side(fields or None, unit=True))
    base, ours, theirs = states
    return merge_entry(pointer, base, ours, theirs, lambda _: "")


def _leaves(tree: Tree, facts: Sequence[str]) -> Flat:
    out: Flat = {}
    units = {_FACTS, _NOTE, _CHANGES, *facts}
    _collect(tree, "", units, out)
    return out


def _collect(value: Any, pointer: str, units: set[str], out: Flat) -> None:
    if pointer in units:
        return
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            _collect(inner, pointer + pointer_of(key), units, out)
    elif canon(value) or value is False:
        out[pointer] = value


def _changes(lists: Sequence[Any]) -> list[str]:
    """Unite the lines of what happened: old ones in their order, new ones behind; the last twenty."""
    base, ours, theirs = ([str(x) for x in v] if isinstance(v, list) else [] for v in lists)
    if ours == theirs:
        return ours
    old = [line for line in base if line in ours or line in theirs]
    fresh = sorted({*ours, *theirs} - {*base})
    return [*old, *fresh][-CHANGES_KEPT:]


def _written(
    text: str, lists: Collection[str], pointers: Sequence[str], flat: Flat, facts: Mapping[str, MergedEntry]
) -> str:
    """Bring the text from what it says to what it should say, one value at a time."""
    data = text.encode()
    now = {k: exact(v) for k, v in load(data).root.value.items() if k not in lists}
    present = _leaves(now, pointers)
    for pointer in (_CHANGES, _NOTE):
        if _at(now, pointer) is not None:
            present[pointer] = _at(now, pointer)
    rows = _rows(now)
    for pointer in present:
        if pointer not in flat:
            data = remove_pointer(data, pointer)
    for pointer, fact in facts.items():
        row = _row_place(pointer)
        if fact.fields is None or not canon(fact.fields.get("value")):
            if _at(now, pointer) is not None:
                data = remove_pointer(data, pointer)
            if pointer in rows:
                data = remove_pointer(data, row)
    for pointer, value in flat.items():
        if pointer not in present or canon(present[pointer]) != canon(value):
            data = set_pointer(data, pointer, value)
    for pointer, fact in facts.items():
        if fact.fields is None or not canon(fact.fields.get("value")):
            continue
        if canon(_at(now, pointer)) != canon(fact.fields["value"]):
            data = set_pointer(data, pointer, fact.fields["value"])
        about = {k: v for k, v in fact.fields.items() if k != "value"}
        if about and canon(rows.get(pointer)) != canon(about):
            data = set_pointer(data, _row_place(pointer), about)
    return data.decode()


def _row_place(pointer: str) -> str:
    return _FACTS + pointer_of(pointer)
