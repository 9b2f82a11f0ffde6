"""Options that many verbs share, and how they print."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

F = TypeVar("F", bound=Callable[..., Any])


def repo_option(function: F) -> F:
    """Add `--repo DIR`: the repository to work in (default: the one around the current folder)."""
    return click.option(
        "--repo",
        "repo_dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=None,
        help="The repository to work in (default: the one around this folder).",
    )(function)


def json_option(function: F) -> F:
    """Add `--json`: one JSON object a line on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")(function)


def print_json(value: Any) -> None:
    """Print one object as a line of JSON, Chinese as it is."""
    click.echo(msgspec.json.encode(value).decode())


def say(message: str) -> None:
    """Talk: to standard error, so that results on standard output stay clean."""
    click.echo(printable(message), err=True)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Give a text without control characters (a terminal obeys them) and without bytes that are no text."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def width(text: str) -> int:
    """Columns a text takes in a terminal: wide characters count two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """Cut a text to so many columns, with an ellipsis where something was cut."""
    text = " ".join(printable(text).split())
    if width(text) <= columns:
        return text
    out, used = "", 0
    for c in text:
        used += width(c)
        if used > columns - 1:
            break
        out += c
    return out + "…"


def table(rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows with columns aligned by display width; the last column is not padded."""
    listed = list(rows)
    if not listed:
        return
    widths = [max(width(r[i]) for r in listed) for i in range(len(listed[0]) - 1)]
    for row in listed:
        cells = [cell + " " * (w - width(cell)) for cell, w in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())
