"""What can still be read of a file that holds git's conflict markers: all that stands outside them."""

from __future__ import annotations

import re

from omp.errors import BrokenFile
from omp.model import Problem
from omp.yamlfile.nodes import Document
from omp.yamlfile.prescan import scan
from omp.yamlfile.reader import load

_CONFLICT = re.compile(rb"^<{7}(?: [^\n]*)?\r?\n.*?^>{7}(?: [^\n]*)?$", re.M | re.S)


def salvage(data: bytes, path: str = "") -> tuple[Document | None, list[Problem]]:
    """Read what stands outside conflict markers, for readers that must not lose the rest: (document, markers).

    The document's lines are those of the file; it must never be written from. None when the rest cannot be read
    either; the problems then say why.
    """
    problems = scan(data, path)
    markers = [p for p in problems if p.code == "conflict-marker"]
    if not markers:
        return None, problems
    try:
        return load(_CONFLICT.sub(lambda m: b"\n" * m[0].count(b"\n"), data), path), markers
    except BrokenFile as broken:
        return None, [*markers, *broken.problems]
