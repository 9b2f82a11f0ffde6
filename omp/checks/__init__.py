"""What `omp validate` and the commit hook look at: small functions over memory files, and one that runs them all.

Findings are values. Nothing here reads the disk or git (`staged.py` asks git through a function it is given), and
nothing heavy is imported: the masking engine comes in as `gate` and is called only where a cheap pattern fires.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import msgspec

from omp.checks import entries, links
from omp.checks.codes import CODES, Code, reference
from omp.checks.files import File, Row, read
from omp.checks.links import Folder, Others
from omp.checks.secrets import Gate, secrets
from omp.model import Problem

FILE_CHECKS: tuple[Callable[[File], Iterator[Problem]], ...] = (
    entries.version,
    entries.thresholds,
    entries.settings,
    entries.rows_of_others,
    entries.open_values,
)
ROW_CHECKS: tuple[Callable[[Row], Iterator[Problem]], ...] = (
    entries.ids,
    entries.fields,
    entries.dates,
    entries.claim,
    entries.confidence,
    entries.status,
    entries.evidence,
    entries.fact_value,
    entries.orders,
)
FOLDER_CHECKS: tuple[Callable[[Folder], Iterator[Problem]], ...] = (
    links.unique,
    links.targets,
    links.circles,
    links.themes,
)
CHECKS = (*FILE_CHECKS, *ROW_CHECKS, *FOLDER_CHECKS)
"""Every check; to add one, write a function and put it into the table it belongs to."""

__all__ = [
    "CHECKS", "CODES", "FILE_CHECKS", "FOLDER_CHECKS", "ROW_CHECKS", "Code", "Folder", "Others",
    "entry_spans", "reference", "run",
]  # fmt: skip


def run(
    files: Mapping[str, bytes],
    gate: Gate | None = None,
    others: Others | None = None,
    lines: Mapping[str, Collection[int]] | None = None,
) -> list[Problem]:
    """Check files (path -> bytes) and give all problems, ordered by file as given, then line.

    `gate` finds secrets; with `lines` only those lines (1-based) of a file are scanned for them. `others` gives the
    remaining files of a memory folder; it is called only when a reference points outside the files given.
    """
    read_files, problems = read(files)
    for file in read_files:
        for check_file in FILE_CHECKS:
            problems += check_file(file)
        for row in file.rows:
            for check_row in ROW_CHECKS:
                problems += check_row(row)
    folders: dict[str, list[File]] = {}
    for file in read_files:
        folders.setdefault(file.folder, []).append(file)
    for name, members in folders.items():
        folder = Folder(name, members, others)
        for check_folder in FOLDER_CHECKS:
            problems += check_folder(folder)
    if gate is not None:
        for path, data in files.items():
            problems += secrets(path, data, gate, None if lines is None else lines.get(path, ()))
    order = {path: n for n, path in enumerate(files)}
    unique = {msgspec.json.encode(p): p for p in problems}
    return sorted(unique.values(), key=lambda p: (order.get(p.path, len(order)), p.line, p.column))


def entry_spans(path: str, data: bytes) -> list[tuple[int, int]]:
    """Give first and last line of each entry of a file; none for a file that cannot be read."""
    read_files, _ = read({path: data})
    return [(row.node.line, row.end_line) for file in read_files for row in file.rows]
