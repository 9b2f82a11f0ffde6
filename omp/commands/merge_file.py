"""`omp merge-file`: git's merge driver for memory files."""

from __future__ import annotations

from pathlib import Path

import click

from omp.commands._driver import MERGED
from omp.commands._options import say
from omp.errors import OmpError


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
@click.option("--path", "name", default="", help="The file's path in the repository, for messages.")
@click.option("--acknowledge", is_flag=True, hidden=True, help="Say on standard output that the merge was done.")
def command(base: Path, ours: Path, theirs: Path, name: str, acknowledge: bool) -> int:
    """Merge OURS and THEIRS, grown from BASE, entry by entry; the result replaces OURS.

    Exit status 0 when nothing waits for a choice, 1 when an entry holds both sides' values (still valid YAML), 2 when a
    side cannot be read or merged exactly (OURS is untouched then).
    """
    from omp.merge import merge

    try:
        sides = [_read(place) for place in (base, ours, theirs)]
        merged = merge(sides[0], sides[1], sides[2], name or ours.name)
        if merged.data != sides[1]:
            aside = ours.with_name(ours.name + ".merged")
            aside.write_bytes(merged.data)
            aside.chmod(ours.stat().st_mode)
            aside.replace(ours)
    except OmpError as error:
        say(f"omp merge-file: {error.message}")
        for problem in getattr(error, "problems", ())[:5]:
            say(f"  {problem.path}:{problem.line}:{problem.column}: {problem.code}: {problem.message}")
        return 2
    except OSError as error:
        say(f"omp merge-file: {error.filename}: {error.strerror}")
        return 2
    for conflict in merged.conflicts:
        say(f"{name or ours.name}: {conflict.id}: both sides changed {conflict.field} (omp resolve {conflict.id})")
    if acknowledge:
        click.echo(MERGED)
    return 1 if merged.detected else 0


def _read(place: Path) -> bytes:
    """Read a side. Raises OSError; a base that is not there is one nothing is known of."""
    return place.read_bytes()
