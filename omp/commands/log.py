"""`omp log`: what was written, when and why."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._find import stores
from omp.commands._options import json_option, print_json, repo_option, say, shorten
from omp.commands._workspace import open_workspace
from omp.errors import OmpError
from omp.store import history

SHOWN = 20
"""Writes shown without `-n`."""
CLAIMS = 5
"""Entries of one write that are shown with their claim."""


@click.command()
@repo_option
@json_option
@click.argument("identity", metavar="[ID]", required=False, default="")
@click.option("-n", "number", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="How many writes.")
@click.option("--mine", is_flag=True, help="Of your own store instead of the project's.")
def command(repo_dir: Path | None, as_json: bool, identity: str, number: int, mine: bool) -> int:
    """Show the writes of this work tree, the newest first; with ID those that changed it. `outside` is not omp's."""
    workspace = open_workspace(repo_dir, need_repo=False)
    found: list[history.Change] = []
    store = workspace.user
    for store in [workspace.user] if mine else stores(workspace):
        found = history.changes(store.journal, identity, number)
        if found or not identity:
            break
    if identity and not found:
        raise OmpError(f"the journal knows no write of {identity}", "omp log")
    shown = [(c, [e for e in c.entries if not identity or e.id == identity]) for c in found]
    read = history.objects(store.journal, [e.after or e.before for _, rows in shown for e in rows[:CLAIMS]])
    for change, rows in shown:
        if as_json:
            print_json(
                {
                    "commit": change.commit,
                    "at": change.at,
                    "reason": change.reason,
                    "branch": change.branch,
                    "head": change.head,
                    "entries": [{"id": e.id, "change": e.verb} for e in rows],
                }
            )
            continue
        where = f" on {change.branch}" if change.branch else ""
        click.echo(f"{change.commit[:8]}  {change.at}  {change.reason}{where}")
        for row in rows[:CLAIMS]:
            click.echo(f"  {row.verb:<8} {row.id}  {shorten(read[row.after or row.before][0].claim, 80)}")
        if len(rows) > CLAIMS:
            click.echo(f"  and {len(rows) - CLAIMS} more")
    if not found:
        say("nothing was written here yet")
    return 0
