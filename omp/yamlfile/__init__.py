"""YAML files as bytes in, bytes out: a strict dialect, a reader with positions, a canonical writer, a splicer.

Nothing here touches the disk. The dialect (`references/format.md`) is YAML 1.2 core without anchors, tags, duplicate
keys and several documents; a byte pre-scan refuses the rest before any parser sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omp.yamlfile.convert import ReadEntry, ReadFact, read_entries, read_facts, to_struct
    from omp.yamlfile.lists import entry_at, ids_of, insert_entries, remove_entry, replace_entry
    from omp.yamlfile.maps import put_fact, remove_fact, remove_pointer, set_pointer, update_map, update_rows
    from omp.yamlfile.nodes import Document, Node
    from omp.yamlfile.prescan import scan
    from omp.yamlfile.reader import load
    from omp.yamlfile.rescue import salvage
    from omp.yamlfile.scalars import quote
    from omp.yamlfile.writer import dump_entry, dump_value, new_list_file

_HOMES = {
    "convert": ("ReadEntry", "ReadFact", "read_entries", "read_facts", "to_struct"),
    "lists": ("entry_at", "ids_of", "insert_entries", "remove_entry", "replace_entry"),
    "maps": ("put_fact", "remove_fact", "remove_pointer", "set_pointer", "update_map", "update_rows"),
    "nodes": ("Document", "Node"),
    "prescan": ("scan",),
    "reader": ("load",),
    "rescue": ("salvage",),
    "scalars": ("quote",),
    "writer": ("dump_entry", "dump_value", "new_list_file"),
}
"""Module -> names it gives. Loaded when first asked for: a commit hook that only reads pays for the reader alone."""


def __getattr__(name: str) -> Any:
    import importlib

    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"omp.yamlfile.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Document",
    "Node",
    "ReadEntry",
    "ReadFact",
    "dump_entry",
    "dump_value",
    "entry_at",
    "ids_of",
    "insert_entries",
    "load",
    "new_list_file",
    "put_fact",
    "quote",
    "read_entries",
    "read_facts",
    "remove_entry",
    "remove_fact",
    "remove_pointer",
    "replace_entry",
    "salvage",
    "scan",
    "set_pointer",
    "to_struct",
    "update_map",
    "update_rows",
]
