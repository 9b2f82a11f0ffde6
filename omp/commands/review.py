"""`omp review`: go through what waits for a person."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from omp.commands._entry import print_evidence
from omp.commands._find import stores
from omp.commands._options import json_option, print_json, repo_option, say, shorten
from omp.commands._workspace import Workspace, open_workspace
from omp.commands.forget import forget
from omp.errors import OmpError, UsageError
from omp.model import Staged
from omp.pipeline import PERSONAL_SCOPES
from omp.store import Batch, MemoryDir

ACTIONS = ("list", "accept", "reject")
ACCEPTED = 0.9
"""Confidence of what a person accepted: they said so explicitly."""


@click.command()
@repo_option
@json_option
@click.argument("action", type=click.Choice(ACTIONS), default="list")
@click.argument("ids", nargs=-1, metavar="[ID ...]")
def command(repo_dir: Path | None, as_json: bool, action: str, ids: tuple[str, ...]) -> int:
    """List what waits in the inbox; accept or reject entries by id (`all` for every one)."""
    workspace = open_workspace(repo_dir, need_repo=False)
    waiting = [(store, staged) for store in stores(workspace) for staged in store.inbox()]
    if action == "list":
        _show(waiting, as_json)
        return 0
    if not ids:
        raise UsageError(f"{action} what? Name ids, or all", "omp review list")
    chosen = waiting if ids == ("all",) else _choose(waiting, ids)
    if workspace.initialised and any(store is workspace.project for store, _ in chosen):
        workspace.need_trust()
    for store, staged in chosen:
        if action == "accept":
            accept(workspace, store, staged)
            click.echo(f"accepted {staged.memory.id}")
        else:
            forget(workspace, store, staged.memory, "rejected", filed=False)
            click.echo(f"rejected {staged.memory.id}")
        store.count_feedback([(staged.memory.kind, f"{action}ed")])
    return 0


def _choose(waiting: list[tuple[MemoryDir, Staged]], ids: tuple[str, ...]) -> list[tuple[MemoryDir, Staged]]:
    by_id = {s.memory.id: (store, s) for store, s in waiting}
    missing = [i for i in ids if i not in by_id]
    if missing:
        raise OmpError(f"{', '.join(missing)} does not wait in the inbox", "omp review list")
    return [by_id[i] for i in dict.fromkeys(ids)]


def _show(waiting: list[tuple[MemoryDir, Staged]], as_json: bool) -> None:
    for _, staged in waiting:
        memory = staged.memory
        if as_json:
            print_json({"id": memory.id, "kind": memory.kind, "scope": memory.metadata.scope, "claim": memory.claim,
                        "confidence": memory.metadata.confidence, "reason": staged.reason, "at": staged.at,
                        "evidence": memory.evidence})  # fmt: skip
            continue
        mine = "  yours" if memory.metadata.scope in PERSONAL_SCOPES else ""
        click.echo(f"{memory.id}  {memory.kind}  {memory.metadata.confidence:.2f}{mine}  {shorten(memory.claim, 90)}")
        click.echo(f"  waits because: {staged.reason}")
        print_evidence(memory)
    if not waiting:
        say("the inbox is empty")
    elif not as_json:
        say("omp review accept ID, or reject ID; all stands for every one")


def accept(workspace: Workspace, store: MemoryDir, staged: Staged) -> None:
    """Write an inbox entry into the files, as sure as a person's word."""
    memory = staged.memory
    confidence = max(ACCEPTED, memory.metadata.confidence)
    metadata = msgspec.structs.replace(memory.metadata, confidence=confidence)
    memory = msgspec.structs.replace(memory, metadata=metadata)
    present = store.get(memory.id)
    if present is not None and present.path != "spool":
        from omp import entries

        memory = entries.with_evidence(present.memory, memory.evidence)
    store.apply(workspace.mind.with_themes(store, Batch(put=(memory,), reason="review")))
    store.unstage([memory.id])
