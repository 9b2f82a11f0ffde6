"""`omp trust`: let omp read logs and write memory in a repository that has `_omp/` already."""

from __future__ import annotations

from pathlib import Path

import click

from omp import config
from omp.commands._options import repo_option
from omp.commands._workspace import open_workspace


@click.command()
@repo_option
def command(repo_dir: Path | None) -> int:
    """Write into your own settings that omp may work here. A repository cannot do this for itself."""
    workspace = open_workspace(repo_dir)
    workspace.need_init()
    if config.trust(Path(workspace.config.data_dir), workspace.repo.common_dir):
        click.echo(f"trusted: {workspace.repo.work_tree}")
    else:
        click.echo(f"{workspace.repo.work_tree} was trusted already")
    return 0
