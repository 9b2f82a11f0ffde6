"""YAML files as bytes in, bytes out: a strict dialect, a reader with positions, a canonical writer, a splicer.

Nothing here touches the disk. The dialect (`references/format.md`) is YAML 1.2 core without anchors, tags, duplicate
keys and several documents; a byte pre-scan refuses the rest before any parser sees it.
"""

from omp.yamlfile.convert import ReadFact, read_entries, read_facts, to_struct
from omp.yamlfile.dialect import scan
from omp.yamlfile.lists import entry_at, ids_of, insert_entries, remove_entry, replace_entry
from omp.yamlfile.maps import put_fact, remove_fact, remove_pointer, set_pointer, update_map, update_rows
from omp.yamlfile.reader import Document, Node, load
from omp.yamlfile.scalars import quote
from omp.yamlfile.writer import dump_entry, dump_value, new_list_file

__all__ = [
    "Document",
    "Node",
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
    "scan",
    "set_pointer",
    "to_struct",
    "update_map",
    "update_rows",
]
