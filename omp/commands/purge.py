"""`omp purge`: erase a memory's words everywhere omp keeps them."""

from __future__ import annotations

from pathlib import Path

import click

from omp import git
from omp.commands._find import stores
from omp.commands._options import repo_option, say
from omp.commands._workspace import Workspace, open_workspace
from omp.commands.forget import refusals, revived
from omp.errors import OmpError
from omp.model import Memory
from omp.store import Batch, MemoryDir, history, purge

REASON = "purged"


@click.command()
@repo_option
@click.argument("identity", metavar="ID")
def command(repo_dir: Path | None, identity: str) -> int:
    """Erase a memory's text: files, inbox, open conversations, backups, journal, caches. It cannot be undone.

    Its key stays, so that its log does not bring it back. What git's history and other copies still hold is printed,
    with the way to erase it there. Exit 1 while something is left.
    """
    workspace = open_workspace(repo_dir, need_repo=False)
    known = [(store, states) for store in stores(workspace) if (states := states_of(store, identity))]
    if not known:
        raise OmpError(f"there is no memory {identity}, nor was there one", "omp list shows those there are")
    if any(store is not workspace.user for store, _ in known):
        workspace.need_trust()
    left = False
    for store, states in known:
        left = erase(workspace, store, identity, states) or left
    click.echo(f"purged {identity}")
    if workspace.initialised:
        left = tell_history(workspace, identity) or left
    return 1 if left else 0


def states_of(store: MemoryDir, identity: str) -> list[Memory]:
    """Give an entry as it stands, waits and stood in the journal."""
    stored = store.get(identity)
    out = [stored.memory] if stored is not None else []
    out += [s.memory for s in store.inbox() if s.memory.id == identity]
    rows = [e for c in history.changes(store.journal, identity) for e in c.entries if e.id == identity]
    return [
        *out,
        *(m for m, _ in history.objects(store.journal, [s for e in rows for s in (e.before, e.after)]).values()),
    ]


def erase(workspace: Workspace, store: MemoryDir, identity: str, states: list[Memory]) -> bool:
    """Erase an entry from one store; True when some file still holds its words, which is told."""
    texts = purge.texts_of(states)
    rows = tuple({r.key: r for m in states for r in refusals(m, workspace.clock(), REASON)}.values())
    shared = store is not workspace.user
    with store.writing():
        batch = Batch(
            put=revived(store, identity),
            remove=(identity,) if identity in store.stored() else (),
            refuse=rows if shared else (),
            refuse_locally=() if shared else rows,
            sessions=purge.session_records(store, texts),
            reason=purge.REASON,
        )
        store.apply(workspace.mind.with_themes(store, batch))
        number = purge.everywhere(store, identity, texts)
    for folder in (workspace.mind.vectors if shared else workspace.mind.personal_vectors,):
        for path in folder.glob("vectors-*.f16"):
            path.unlink(missing_ok=True)
    if number:
        say(f"{number} kept versions of files were changed or dropped")
    found = purge.left(store, texts)
    for path in found:
        say(f"its words still stand in {path}, in another entry or place: edit it there")
    return bool(found)


def tell_history(workspace: Workspace, identity: str) -> bool:
    """Print what git's history holds of an entry and how to erase it; False when nothing."""
    commits = git.run(
        ["log", "--all", "--format=%h %cs", f"-S{identity}", "--", "_omp/memory"], workspace.repo.root, ok=(0, 128)
    )
    rows = commits.decode("utf-8", "replace").splitlines()
    if not rows:
        return False
    click.echo("git's history still holds it, in commits that omp never rewrites:")
    for row in rows:
        click.echo(f"  {row}")
    click.echo("to erase it there: write its text into a file, a line `literal:TEXT==>[purged]` for each place, then")
    click.echo("  git filter-repo --replace-text FILE")
    click.echo("and let everybody who has a copy clone anew; copies and forks elsewhere keep it until then")
    return True
