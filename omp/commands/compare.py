"""`omp compare`: say of pairs of statements whether they mean the same."""

from __future__ import annotations

import sys

import click
import msgspec

from omp.commands._options import print_json, say
from omp.commands._workspace import open_workspace
from omp.embed import calibration
from omp.embed.compare import Comparison, compare_all
from omp.errors import UsageError
from omp.model import Struct


class _Line(Struct, frozen=True, kw_only=True):
    """One line of input."""

    a: str
    b: str
    id: str | int | None = None


@click.command("compare")
@click.argument("texts", nargs=-1)
@click.option("--jsonl", is_flag=True, help='Read lines {"id", "a", "b"} from standard input.')
def command(texts: tuple[str, ...], jsonl: bool) -> None:
    """Say whether two statements are duplicates, contradict each other, share a theme or are unrelated.

    Give two TEXTS, or --jsonl and lines on standard input. Needs no repository.
    """
    if jsonl == bool(texts) or (texts and len(texts) != 2):
        raise UsageError("compare takes two texts, or --jsonl and lines on standard input", "omp compare TEXT TEXT")
    lines = _read() if jsonl else [_Line(a=texts[0], b=texts[1])]
    if not lines:
        return
    embedder = open_workspace(None, need_repo=False).embedder
    if not calibration(embedder).known:
        say(f"the embedder {embedder.id} has no calibration: only equal texts are called duplicates")
    for line, found in zip(lines, compare_all([(line.a, line.b) for line in lines], embedder), strict=True):
        print_json(_answer(line, found))


def _read() -> list[_Line]:
    """Read the pairs. Raises UsageError naming the first line that is none."""
    lines: list[_Line] = []
    for number, raw in enumerate(sys.stdin.buffer, 1):
        if not raw.strip():
            continue
        try:
            lines.append(msgspec.json.decode(raw, type=_Line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(
                f"line {number} of standard input is no pair: {error}", 'write {"a": "...", "b": "..."}'
            ) from error
    return lines


def _answer(line: _Line, found: Comparison) -> dict[str, object]:
    return {
        "id": line.id,
        "relation": found.relation,
        "similarity": found.similarity,
        "raw": found.raw,
        "guard": list(found.guard),
    }
