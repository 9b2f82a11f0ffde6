"""`omp themes`: what belongs together."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._options import json_option, print_json, repo_option, shorten, table
from omp.commands._workspace import open_workspace
from omp.errors import OmpError, UsageError


@click.command()
@repo_option
@json_option
@click.argument("action", type=click.Choice(["list", "show", "rebuild"]), default="list")
@click.argument("identity", metavar="[THEME]", default="")
def command(repo_dir: Path | None, as_json: bool, action: str, identity: str) -> int:
    """List themes with their size, show the members of one, or make them all anew from the memories."""
    workspace = open_workspace(repo_dir)
    workspace.need_init()
    if action == "rebuild":
        workspace.need_trust()
        index = workspace.mind.rebuild_themes(workspace.project)
        click.echo(f"{len(index.themes)} themes of {len(index.members)} memories")
        return 0
    store = workspace.project
    index = store.themes()
    if action == "list":
        sizes = {t.id: 0 for t in index.themes}
        for owner in index.members.values():
            sizes[owner] = sizes.get(owner, 0) + 1
        for one in index.themes if as_json else ():
            print_json({"id": one.id, "title": one.title, "size": sizes[one.id],
                        "created_at": one.created_at, "neighbours": one.neighbours})  # fmt: skip
        if not as_json:
            table([(t.id, str(sizes[t.id]), shorten(t.title, 90)) for t in index.themes])
        return 0
    if not identity:
        raise UsageError("show which theme?", "omp themes list")
    theme = next((t for t in index.themes if t.id == identity), None)
    if theme is None:
        raise OmpError(f"there is no theme {identity}", "omp themes list shows those there are")
    stored = store.stored()
    members = [stored[i].memory for i, t in sorted(index.members.items()) if t == identity and i in stored]
    if as_json:
        print_json({"id": theme.id, "title": theme.title, "created_at": theme.created_at,
                    "neighbours": theme.neighbours,
                    "members": [{"id": m.id, "kind": m.kind, "claim": m.claim} for m in members]})  # fmt: skip
        return 0
    click.echo(f"{theme.id}  {theme.title}")
    table([(m.id, m.kind, shorten(m.claim, 90)) for m in members])
    return 0
