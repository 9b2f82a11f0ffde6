"""Founding a memory: the files `omp init` makes below `_omp/`. Never overwrites."""

from __future__ import annotations

import json
from pathlib import Path

from omp import resources
from omp.model import LIST_FILES
from omp.schema import schemas
from omp.store import atomic
from omp.yamlfile import new_list_file

USER_FILES = frozenset({"skills.yaml"})
"""List files that only the person's own store has."""


def founding_files() -> dict[str, bytes]:
    """Give every file of a fresh `_omp/` by its place below it."""
    files = {
        "config.yaml": resources.read("templates/config.yaml"),
        ".gitignore": resources.read("templates/gitignore"),
        ".gitattributes": resources.read("templates/gitattributes"),
        "memory/project.yaml": b"# yaml-language-server: $schema=schema/project.schema.json\nversion: 1\n",
    }
    for name, key in LIST_FILES.items():
        if name not in USER_FILES:
            files[f"memory/{name}"] = new_list_file(key, (), name.replace(".yaml", ".schema.json"))
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True)
        files[f"memory/schema/{name}"] = (text + "\n").encode()
    return files


def found(folder: Path) -> list[str]:
    """Make what is missing of a memory in `folder` (`_omp/`); give the places made. Raises OmpError, WriteRefused."""
    made = []
    for place, data in founding_files().items():
        target = folder / place
        atomic.refuse_links(folder.parent, target.parent)
        if target.exists() or target.is_symlink():
            continue
        atomic.make_folder(target.parent)
        atomic.swap(atomic.write_temp(target, data), target, "", atomic.digest(data))
        atomic.sync_folder(target.parent)
        made.append(place)
    return made
