"""Memory files as the checks see them: told apart by name, else by top key, and read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from omp.errors import BrokenFile
from omp.model import LIST_FILES, Memory, Problem
from omp.yamlfile.convert import read_entries, read_facts
from omp.yamlfile.nodes import Document, Node
from omp.yamlfile.reader import load

VERSION = 1
"""The greatest `version:` this release writes."""

Sort = Literal["list", "facts", "themes", "refused", "sessions", "config", "other"]

_FOLDERS = {name.removesuffix(".yaml"): key for name, key in LIST_FILES.items()}
_MONTH = re.compile(r"\d{4}-\d{2}\.ya?ml")


class Row:
    """One entry or fact: the memory (None when it could not be read), its id, its node, unknown fields."""

    __slots__ = ("extra", "file", "id", "memory", "node")

    def __init__(self, file: File, identity: str, memory: Memory | None, node: Node, extra: dict[str, Any]) -> None:
        self.file, self.id, self.memory, self.node, self.extra = file, identity, memory, node, extra

    def at(self, *path: str | int) -> Node:
        """The node of a field, as deep as it exists."""
        node = self.node
        for step in path:
            inner = node.get(step)
            if inner is None:
                break
            node = inner
        return node

    @property
    def end_line(self) -> int:
        """The last line of the entry."""
        return self.node.line + self.file.document.text.count("\n", self.node.start, max(self.node.end - 1, 0))


class File:
    """One file of the dialect: what it is, its document, its rows. `folder` is the memory folder it belongs to."""

    __slots__ = ("document", "folder", "key", "path", "rows", "sort", "version")

    def __init__(self, path: str, document: Document) -> None:
        self.path, self.document = path, document
        self.folder, self.sort, self.key = place(path)
        if self.sort == "other":
            self.sort, self.key = by_top_key(document.root)
        node = document.root.get("version")
        told = node.value if node is not None and node.kind == "scalar" else ""
        self.version = int(told) if told.isascii() and told.isdigit() and len(told) < 10 else 0
        self.rows: list[Row] = []

    def problem(self, node: Node, code: str, message: str, hint: str = "") -> Problem:
        """Make a problem at a node, with the severity and the mend of its code."""
        return problem(self.path, node.line, node.column, code, message, hint)


def problem(path: str, line: int, column: int, code: str, message: str, hint: str = "") -> Problem:
    """Make a problem with the severity, and unless `hint` says another, the mend of its code."""
    from omp.checks.codes import CODES

    known = CODES[code]
    return Problem(
        path=path,
        line=line,
        column=column,
        code=code,
        message=message,
        hint=hint or known.mend.replace("`", ""),
        severity=known.severity,
    )


def place(path: str) -> tuple[str, Sort, str]:
    """Tell by name: (memory folder, sort, top key); sort "other" when the name says nothing."""
    parts = PurePosixPath(path.replace("\\", "/"))
    parent, name = parts.parent, parts.name
    if name in LIST_FILES:
        return str(parent), "list", LIST_FILES[name]
    if parent.name in _FOLDERS and _MONTH.fullmatch(name):
        return str(parent.parent), "list", _FOLDERS[parent.name]
    if name == "project.yaml":
        return str(parent), "facts", ""
    if parent.name == "themes" and name == "index.yaml":
        return str(parent.parent), "themes", ""
    if name == "refused.yaml":
        return str(parent), "refused", ""
    if parent.name == "sessions":
        return str(parent.parent), "sessions", ""
    if parent.name == "_omp" and name == "config.yaml":
        return str(parent / "memory"), "config", ""
    return str(parent), "other", ""


def by_top_key(root: Node) -> tuple[Sort, str]:
    """Tell by the keys of the file what it is."""
    for key in _FOLDERS.values():
        inner = root.get(key)
        if inner is not None and inner.kind == "seq":
            return "list", key
    if root.get("_meta", "facts") is not None:
        return "facts", ""
    if root.get("themes") is not None and (root.get("members") is not None or root.get("config") is not None):
        return "themes", ""
    if root.get("refused") is not None:
        return "refused", ""
    return "other", ""


def read(files: Mapping[str, bytes]) -> tuple[list[File], list[Problem]]:
    """Read all files. Those outside the dialect give problems only; bad entries give one message each."""
    read_files: list[File] = []
    problems: list[Problem] = []
    for path, data in files.items():
        try:
            file = File(path, load(data, path))
        except BrokenFile as broken:
            problems += broken.problems
            continue
        read_files.append(file)
        problems += _fill(file)
    return read_files, problems


def _fill(file: File) -> list[Problem]:
    if file.sort == "list":
        if file.key not in file.document.root.value and file.document.root.value:
            return [file.problem(file.document.root, "top-key", f"`{file.key}:` does not stand in this file")]
        entries, problems = read_entries(file.document, file.key)
        file.rows = [Row(file, e.id, e.memory, e.node, e.extra) for e in entries if e.node is not None]
        return problems
    if file.sort == "facts":
        facts, problems = read_facts(file.document)
        file.rows = [Row(file, f.memory.id, f.memory, f.node, f.extra) for f in facts if f.node is not None]
        return problems
    return []
