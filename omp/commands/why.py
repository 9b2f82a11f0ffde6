"""`omp why`: where a memory came from."""

from __future__ import annotations

from pathlib import Path

import click

from omp import git
from omp.commands._entry import as_json_entry, print_evidence
from omp.commands._find import find_entry
from omp.commands._options import json_option, print_json, repo_option
from omp.commands._workspace import open_workspace


@click.command()
@repo_option
@json_option
@click.argument("identity", metavar="ID")
def command(repo_dir: Path | None, as_json: bool, identity: str) -> int:
    """Show what was said, by whom and when, what the memory replaced, and the commit that brought it."""
    workspace = open_workspace(repo_dir, need_repo=False)
    store, stored = find_entry(workspace, identity)
    memory = stored.memory
    commit = None
    if workspace.initialised and store is workspace.project and stored.path not in ("spool", "inbox"):
        commit = git.first_commit_with(workspace.repo, memory.id, f"_omp/memory/{stored.path}")
    if as_json:
        told = dict(zip(("commit", "author", "at", "subject"), commit, strict=True)) if commit else None
        evidence = as_json_entry(stored).get("evidence", [])
        links = {"supersedes": memory.supersedes, "superseded_by": memory.superseded_by}
        print_json({"id": memory.id, "claim": memory.claim, "evidence": evidence, **links, "commit": told})
        return 0
    click.echo(f"{memory.id}  {memory.claim}")
    print_evidence(memory)
    for old in memory.supersedes:
        before = store.get(old)
        click.echo(f"  replaced {old}: {before.memory.claim if before else 'not here any more'}")
    if memory.superseded_by:
        after = store.get(memory.superseded_by)
        click.echo(f"  replaced by {memory.superseded_by}: {after.memory.claim if after else 'not here any more'}")
    if commit:
        click.echo(f"  committed in {commit[0][:12]} by {commit[1]} on {commit[2][:10]}: {commit[3]}")
    return 0
