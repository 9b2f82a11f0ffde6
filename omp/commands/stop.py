"""`omp stop`: end the daemon of this repository."""

from __future__ import annotations

from pathlib import Path

import click

from omp import daemon_state
from omp.commands._options import repo_option
from omp.commands._workspace import open_workspace


@click.command()
@repo_option
def command(repo_dir: Path | None) -> int:
    """End the daemon; it finishes the write under way first."""
    workspace = open_workspace(repo_dir)
    if daemon_state.stop(workspace.repo.local):
        click.echo("stopped")
    else:
        click.echo("no daemon runs here")
    return 0
