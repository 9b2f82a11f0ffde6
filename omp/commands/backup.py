"""`omp backup`: list the kept versions of memory files, put one back."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._options import json_option, print_json, repo_option, say, table
from omp.commands._workspace import open_workspace
from omp.errors import UsageError


@click.command()
@repo_option
@json_option
@click.argument("action", type=click.Choice(("list", "restore")), default="list")
@click.argument("name", required=False, default="")
@click.option("--mine", is_flag=True, help="Of your own store instead of the project's.")
def command(repo_dir: Path | None, as_json: bool, action: str, name: str, mine: bool) -> int:
    """List the versions of files that were kept before each change, or put one back by NAME.

    The file that stands there is kept too, so a restore can be taken back by another one, or by omp undo.
    """
    workspace = open_workspace(repo_dir, need_repo=False)
    store = workspace.project if workspace.initialised and not mine else workspace.user
    if action == "restore":
        if not name:
            raise UsageError("restore which version? Give its name", "omp backup list")
        if store is not workspace.user:
            workspace.need_trust()
        click.echo(f"restored {store.restore(name)}")
        return 0
    if name:
        raise UsageError("list takes no name", "omp backup restore NAME")
    kept = store.backups()
    if as_json:
        for version in kept:
            print_json({"name": version.name, "path": version.path, "at": version.stamp, "size": version.size,
                        "broken": version.broken})  # fmt: skip
    else:
        table((b.path, b.stamp, f"{b.size} B", "broken" if b.broken else "", b.name) for b in kept)
    if not kept:
        say("there are no backups yet; one is made before each change of a file")
    return 0
