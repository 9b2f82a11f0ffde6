"""`omp list`: the memories of this repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from omp import times
from omp.commands._entry import as_json_entry
from omp.commands._find import told_apart
from omp.commands._options import json_option, print_json, repo_option, say, shorten, table
from omp.commands._workspace import open_workspace
from omp.errors import UsageError
from omp.model import KINDS

STATUSES = ("active", "superseded", "archived")


@click.command()
@repo_option
@json_option
@click.option("--kind", type=click.Choice(KINDS), default=None, help="Only this kind.")
@click.option("--status", type=click.Choice(("all", *STATUSES)), default="active", show_default=True)
@click.option("--since", default=None, help="Only what was said since: 30d, 12h, or a day such as 2026-03-02.")
@click.option("--mine", is_flag=True, help="Your own store instead of the project's.")
def command(repo_dir: Path | None, as_json: bool, kind: Any, status: str, since: str | None, mine: bool) -> int:
    """List memories: files with open conversations laid over them. The inbox is `omp review`."""
    workspace = open_workspace(repo_dir, need_repo=not mine)
    if not mine:
        workspace.need_init()
    told_apart(workspace)
    store = workspace.user if mine else workspace.project
    after = moment(since, workspace.clock())
    found = store.read(kind, STATUSES if status == "all" else (status,))
    found = [s for s in found if s.memory.timestamps.updated_at >= after]
    if as_json:
        for stored in found:
            print_json(as_json_entry(stored))
    else:
        table([(s.memory.id, s.memory.kind, shorten(s.memory.claim, 100)) for s in found])
        if not found:
            say("no memories")
    return 0


def moment(since: str | None, now: str) -> str:
    """Give the time `--since` means. Raises UsageError for anything else."""
    if not since:
        return times.NEVER
    if told := times.utc(since):
        return told
    try:
        age = times.duration(since)
    except ValueError as error:
        raise UsageError(f"--since {since}: neither an age (30d, 12h) nor a day (2026-03-02)") from error
    return times.shift(now, -age) if age is not None else times.NEVER
