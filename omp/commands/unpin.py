"""`omp unpin`: take the mark of a memory away."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._options import repo_option
from omp.commands.pin import mark


@click.command()
@repo_option
@click.argument("identity", metavar="ID")
def command(repo_dir: Path | None, identity: str) -> int:
    """Take the mark of a memory away; it fades like any other from then on."""
    return mark(repo_dir, identity, False)
