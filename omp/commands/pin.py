"""`omp pin`: mark a memory so that it does not fade."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from omp.commands._find import find_entry
from omp.commands._options import repo_option
from omp.commands._workspace import open_workspace
from omp.store import SPOOL, Batch


def mark(repo_dir: Path | None, identity: str, marked: bool) -> int:
    """Set or take away the mark of one entry."""
    workspace = open_workspace(repo_dir, need_repo=False)
    store, stored = find_entry(workspace, identity)
    if store is not workspace.user:
        workspace.need_trust()
    word = "pinned" if marked else "unpinned"
    if stored.memory.marked == marked and stored.path != SPOOL:
        click.echo(f"{identity} is {word} already")
        return 0
    memory = msgspec.structs.replace(stored.memory, marked=marked)
    batch = Batch(put=(memory,), reason="pin" if marked else "unpin")
    store.apply(workspace.mind.with_themes(store, batch) if stored.path == SPOOL else batch)
    click.echo(f"{word} {identity}")
    return 0


@click.command()
@repo_option
@click.argument("identity", metavar="ID")
def command(repo_dir: Path | None, identity: str) -> int:
    """Mark a memory: it ranks higher, fades later and is never proposed for cleaning."""
    return mark(repo_dir, identity, True)
