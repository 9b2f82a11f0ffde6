"""`omp validate`: checks memory files, here or anywhere, or what is staged."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._options import json_option, repo_option
from omp.commands._validate import validate


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--staged", is_flag=True, help="Check what is staged (for the commit hook).")
@click.option("--strict", is_flag=True, help="Count warnings as errors, and fail when omp itself fails (for CI).")
@json_option
@repo_option
def command(paths: tuple[Path, ...], staged: bool, strict: bool, as_json: bool, repo_dir: Path | None) -> int:
    """Check memory files.

    Without PATHS all files of _omp/ in the work tree; PATHS may be any files or folders. Exit status 1 on any error;
    with --staged only findings on what the commit adds or changes are errors.
    """
    if staged and paths:
        raise click.UsageError("give PATHS or --staged, not both")
    return validate(paths, staged, strict, as_json, repo_dir)
