"""`omp resolve`: choose between what two branches made of a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from omp import git
from omp.commands._find import find_entry
from omp.commands._options import repo_option
from omp.commands._workspace import open_workspace
from omp.errors import BrokenFile, OmpError, UsageError
from omp.model import LIST_FILES, ConflictNote, Memory, Metadata
from omp.store import Batch

_SIDES = {"ours": ("HEAD", "HEAD^1"), "theirs": ("MERGE_HEAD", "HEAD^2")}
"""Where a side stands while the merge is open, and once it is committed."""


@click.command()
@repo_option
@click.argument("identity", metavar="ID")
@click.option("--take", required=True, metavar="ours|theirs|TEXT", help="A side, or the text that shall stand.")
@click.option("--field", default="", help="The field to decide, where several wait.")
def command(repo_dir: Path | None, identity: str, take: str, field: str) -> int:
    """Decide what two branches left open in a memory. What was decided is noted, so that it does not come back."""
    workspace = open_workspace(repo_dir)
    workspace.need_trust()
    store, stored = find_entry(workspace, identity)
    memory, note = stored.memory, stored.memory.conflict
    if note is None or note.status != "detected":
        raise OmpError(f"nothing waits in {identity}", "omp status tells how many conflicts there are")
    waiting = [f for f in note.values if not f.startswith("settled.")]
    fields = [field] if field else waiting
    if field and field not in waiting:
        raise OmpError(f"{field} is not open in {identity}", f"one of {', '.join(waiting)}")
    if take not in _SIDES:
        if len(fields) != 1 or fields[0] in ("deleted", "value"):
            raise UsageError("a text can stand in one text field only", "give --field NAME, or --take ours or theirs")
        chosen: dict[str, Any] = {fields[0]: workspace.redactor.mask(take).text}
    else:
        side = _side(workspace.repo, identity, stored.path, take)
        if side is None and "deleted" in fields:
            store.apply(workspace.mind.with_themes(store, Batch(remove=(identity,), reason="resolve")))
            click.echo(f"removed {identity}")
            return 0
        chosen = {f: _chosen(side, f) for f in fields if f != "deleted"}
    store.apply(Batch(put=(_decided(memory, note, fields, chosen),), reason="resolve"))
    click.echo(f"resolved {', '.join(fields)} of {identity}")
    return 0


def _side(repo: git.Repo, identity: str, path: str, take: str) -> Memory | None:
    """Find the entry as one side of the merge has it; None when that side has removed it. Raises OmpError."""
    from omp.yamlfile import load, read_entries

    is_open = (Path(repo.git_dir) / "MERGE_HEAD").exists()
    revision = _SIDES[take][0 if is_open else 1]
    key = LIST_FILES.get(path) or LIST_FILES.get(f"{path.partition('/')[0]}.yaml")
    if key is None:
        raise OmpError(f"{identity} is a fact; its sides are listed in {path}", "edit the file by hand")
    try:
        git.run(["rev-parse", "--verify", "-q", f"{revision}^{{commit}}"], repo.root)
        data = git.run(["show", f"{revision}:_omp/memory/{path}"], repo.root)
        entries, _ = read_entries(load(data, path), key)
    except (OmpError, BrokenFile) as error:
        raise OmpError(
            f"{revision} does not tell what {take} was", "give the text: --take TEXT --field NAME"
        ) from error
    return next((e.memory for e in entries if e.id == identity), None)


def _chosen(side: Memory | None, field: str) -> Any:
    if side is None:
        raise OmpError(f"that side has no {field}", "give the text: --take TEXT --field NAME")
    value: Any = side
    for part in field.split("."):
        value = getattr(value, part, None)
    return value


def _decided(memory: Memory, note: ConflictNote, fields: list[str], chosen: dict[str, Any]) -> Memory:
    """Give the entry with the chosen values, and the note of what was settled."""
    changes: dict[str, Any] = {}
    metadata: Metadata = memory.metadata
    for name, value in chosen.items():
        if name.startswith("metadata."):
            metadata = msgspec.structs.replace(metadata, **{name.partition(".")[2]: value})
        elif name in memory.__struct_fields__:
            changes[name] = value
        else:
            raise OmpError(f"{name} is no field that omp knows", "edit the file by hand")
    left = {f for f in note.values if not f.startswith("settled.") and f not in fields}
    values: dict[str, list[Any]] = {}
    for name, listed in note.values.items():
        plain = name.removeprefix("settled.")
        is_done = name not in left and plain not in left
        target = name if not is_done else plain if not left else f"settled.{plain}"
        values[target] = [*values.get(target, []), *(v for v in listed if v not in values.get(target, []))]
    decided = ConflictNote(
        status="detected" if left else "resolved", related_id=note.related_id, values=dict(sorted(values.items()))
    )
    result: Memory = msgspec.structs.replace(memory, **changes, metadata=metadata, conflict=decided)
    return result
