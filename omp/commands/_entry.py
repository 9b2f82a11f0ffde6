"""How an entry is printed whole, as JSON or for reading."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from omp.commands._options import printable
from omp.model import Fact, Memory, Stored
from omp.yamlfile.writer import fields_of


def as_json_entry(stored: Stored) -> dict[str, Any]:
    """Give an entry with all its fields, where it stands, and what this release does not know."""
    out: dict[str, Any] = msgspec.to_builtins(stored.memory)
    out = {**fields_of(stored.memory), **out, "status": stored.memory.status, "path": stored.path}
    if isinstance(stored.memory, Fact):
        out |= {"pointer": stored.memory.pointer, "value": stored.memory.value}
    return {**stored.extra, **out}


def print_entry(stored: Stored) -> None:
    """Print an entry for reading, its evidence last."""
    memory: Memory = stored.memory
    click.echo(f"{memory.id}  {memory.kind}  {memory.metadata.scope}  {memory.status}")
    click.echo(f"  {printable(memory.claim)}")
    skipped = {"id", "kind", "claim", "date", "metadata", "timestamps", "evidence", "status"}
    for name, value in {**fields_of(memory), **stored.extra}.items():
        if name not in skipped:
            shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
            click.echo(f"  {name}: {shown}")
    if isinstance(memory, Fact):
        click.echo(f"  {memory.pointer} = {memory.value}")
    m = memory.metadata
    click.echo(f"  confidence {m.confidence}, {m.source}, from {m.origin}; said {memory.timestamps.created_at or '?'}")
    places = {"spool": "an open conversation", "inbox": "the inbox (omp review)"}
    click.echo(f"  in {places.get(stored.path, f'{stored.path}:{stored.line}')}")


def print_evidence(memory: Memory) -> None:
    """Print where an entry came from."""
    for piece in memory.evidence:
        at = piece.at or "no time"
        click.echo(f"  {piece.agent}  session {piece.session}  entry {piece.entry}  {piece.role}  {at}")
        click.echo(
            f"    “{printable(piece.quote)}”" if piece.quote else f"    (quote not kept here; digest {piece.digest})"
        )
