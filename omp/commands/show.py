"""`omp show`: one memory whole."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._entry import as_json_entry, print_entry, print_evidence
from omp.commands._find import find_entry
from omp.commands._options import json_option, print_json, repo_option
from omp.commands._workspace import open_workspace


@click.command()
@repo_option
@json_option
@click.argument("identity", metavar="ID")
def command(repo_dir: Path | None, as_json: bool, identity: str) -> int:
    """Show one memory with all its fields and its evidence."""
    workspace = open_workspace(repo_dir, need_repo=False)
    store, stored = find_entry(workspace, identity)
    store.count_access([stored.memory.id])
    if as_json:
        print_json(as_json_entry(stored))
    else:
        print_entry(stored)
        print_evidence(stored.memory)
    return 0
