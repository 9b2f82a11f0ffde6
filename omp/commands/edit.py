"""`omp edit`: change a memory by hand, with the store's care."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import msgspec

from omp import identity as identities
from omp.commands._find import find_entry
from omp.commands._options import repo_option, say
from omp.commands._workspace import open_workspace
from omp.errors import BrokenFile, UsageError, WriteRefused
from omp.model import FACT_KINDS, LAYOUT, Memory
from omp.store import Batch


@click.command()
@repo_option
@click.argument("identity", metavar="ID")
@click.option("--claim", default=None, help="The new wording, without an editor.")
def command(repo_dir: Path | None, identity: str, claim: str | None) -> int:
    """Change a memory: in $EDITOR as YAML, or its wording by --claim. Its id stays, so its log does not double it."""
    workspace = open_workspace(repo_dir, need_repo=False)
    store, stored = find_entry(workspace, identity)
    if store is not workspace.user:
        workspace.need_trust()
    old = stored.memory
    if claim is not None:
        wording = " ".join(workspace.redactor.mask(claim).text.split())
        if not wording:
            raise UsageError("the new wording is empty", "omp forget ID takes a memory away")
        new: Memory = msgspec.structs.replace(old, claim=wording)
    else:
        new = in_editor(old)
    if new == old:
        say("nothing was changed")
        return 0
    if new.claim != old.claim:
        key = identities.key(new.kind, new.metadata.scope, new.claim)
        if key != new.key:  # said again in the new words it is known
            new = msgspec.structs.replace(new, keys=tuple(sorted({*new.keys, key})))
    store.apply(workspace.mind.with_themes(store, Batch(put=(new,), reason="edit")))
    click.echo(f"changed {identity}")
    return 0


def in_editor(old: Memory) -> Memory:
    """Show an entry in the person's editor and read it back.

    Raises UsageError without an editor, BrokenFile for what does not read, WriteRefused when it became another entry.
    """
    from omp.yamlfile import load, new_list_file, read_entries

    if old.kind in FACT_KINDS:
        raise UsageError(f"{old.id} is a fact: its value stands in project.yaml", "edit it there, or give --claim")
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR") or sys.stdin.isatty()):
        raise UsageError("there is no terminal and no $EDITOR", 'omp edit ID --claim "..."')
    key = LAYOUT[old.kind].key
    said = click.edit(new_list_file(key, [old]).decode(), extension=".yaml")
    if said is None:
        return old
    items, problems = read_entries(load(said.encode("utf-8", "replace"), old.id), key)
    errors = tuple(p for p in problems if p.severity == "error")
    if errors:
        raise BrokenFile("what the editor saved cannot be read; nothing was changed", errors, "omp edit again")
    memory = items[0].memory if len(items) == 1 else None
    if memory is None or (memory.id, memory.kind) != (old.id, old.kind):
        raise WriteRefused("the id and kind of a memory cannot be changed; nothing was", "omp remember makes a new one")
    return memory
