"""`omp undo`: take writes back."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._find import find_entry, stores
from omp.commands._options import repo_option
from omp.commands._workspace import Workspace, open_workspace
from omp.commands.forget import refusals
from omp.errors import OmpError, UsageError
from omp.store import MemoryDir, history, journal


@click.command()
@repo_option
@click.argument("identity", metavar="[ID]", required=False, default="")
@click.option("--last", type=click.IntRange(min=1), default=1, show_default=True, help="How many writes to take back.")
@click.option("--mine", is_flag=True, help="In your own store instead of the project's.")
def command(repo_dir: Path | None, identity: str, last: int, mine: bool) -> int:
    """Take back the last write, the last N, or the last that changed ID, exactly.

    Nothing is taken back when an entry was changed since or the write was made on another branch. A new memory that is
    taken back is refused from then on, so that its log does not bring it back. An undo can itself be undone.
    """
    if identity and last > 1:
        raise UsageError("give an ID or --last N, not both", "omp undo --help")
    workspace = open_workspace(repo_dir, need_repo=False)
    store = _store(workspace, identity, mine)
    if store is not workspace.user:
        workspace.need_trust()
    with store.writing():
        undo = history.to_undo(store.journal, identity, last)
        stored = store.stored()
        present = {i: journal.blob(s.memory, s.extra) for i in undo.expected if (s := stored.get(i)) is not None}
        now = workspace.clock()
        batch = history.undoing(undo, present, lambda m: refusals(m, now, "undone"), shared=store is not workspace.user)
        store.apply(workspace.mind.with_themes(store, batch))
    for change in undo.changes:
        click.echo(f"took back {change.reason} of {change.at}")
    for memory in batch.put:
        click.echo(f"  {memory.id} is as it was")
    for gone in batch.remove:
        click.echo(f"  {gone} is gone")
    return 0


def _store(workspace: Workspace, identity: str, mine: bool) -> MemoryDir:
    """Give the store to work on: the one whose journal knows the id, else the project's unless asked otherwise."""
    if mine:
        return workspace.user
    found = stores(workspace)
    if not identity:
        return found[0]
    for store in found:
        if history.changes(store.journal, identity, 1):
            return store
    find_entry(workspace, identity)
    raise OmpError(f"the journal knows no write of {identity}", "omp log")
