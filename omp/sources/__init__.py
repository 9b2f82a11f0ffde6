"""Where events come from: conversation logs of coding agents, one reader a format.

    read_log(path)                  a whole file
    LogReader(path).read_new()      what was added since
    unchanged(cursor)               whether a file is as an earlier run left it
    discover(homes, work_trees)     which files may belong to these repositories
    belongs(cwd, work_trees)        whose a working directory is
    deduplicate(sessions)           copies of one conversation counted once

Nothing here reads the environment or the clock, and nothing is masked yet: see `omp.redact`.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from pathlib import Path

from omp.model import LogReading
from omp.sources.deduplicate import deduplicate
from omp.sources.places import AgentHomes, belongs, discover, watch_folders
from omp.sources.reader import LogReader, unchanged
from omp.sources.table import SOURCES

__all__ = [
    "SOURCES",
    "AgentHomes",
    "LogReader",
    "belongs",
    "deduplicate",
    "discover",
    "read_log",
    "unchanged",
    "watch_folders",
]


def read_log(path: Path, source: str = "auto", zone: tzinfo = UTC) -> LogReading:
    """Read a whole log file.

    `source` is the name of an agent, or "auto" to find it by content; `zone` holds for times that name none. A file
    that is no log of a known agent comes back with `refused`, the reason. Raises UsageError for an unknown `source`
    and OSError when the file cannot be read.
    """
    reading = LogReader(path, source, zone, whole=True).read_new()
    return reading if reading is not None else LogReading(path=str(path))
