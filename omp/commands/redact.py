"""`omp redact`: text in, masked text out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from omp.commands._workspace import open_workspace
from omp.errors import UsageError


@click.command("redact")
@click.option("--jsonl", is_flag=True, help='Read lines {"id", "text"}, answer each with its masked text and findings.')
def command(jsonl: bool) -> None:
    """Mask secrets and personal data in the text on standard input.

    The masked text goes to standard output; nothing else of the input is kept. Needs no repository.
    """
    redactor = open_workspace(None, need_repo=False).redactor
    out = sys.stdout.buffer
    if not jsonl:
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        out.write(redactor.mask(text).text.encode("utf-8", "surrogateescape"))
        out.flush()
        return
    for number, row in _rows():
        text = row.get("text")
        if not isinstance(text, str):
            raise UsageError(
                f"line {number} of the input lacks its text", 'write lines like {"id": "1", "text": "..."}'
            )
        masked = redactor.mask(text)
        findings = [{"start": f.start, "end": f.end, "type": f.type, "rule": f.rule} for f in masked.findings]
        out.write(msgspec.json.encode({"id": row.get("id"), "text": masked.text, "findings": findings}) + b"\n")
        out.flush()


def _rows() -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the input line by line, each as it comes."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            raise UsageError(
                f"line {number} of the input is no JSON object", 'write lines like {"id": "1", "text": "..."}'
            ) from None
        if not isinstance(row, dict):
            raise UsageError(f"line {number} of the input is no JSON object")
        yield number, row
