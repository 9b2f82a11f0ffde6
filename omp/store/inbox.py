"""The inbox: what waits for a person. The spool holds it; `.staging/` shows it as YAML, one file an entry."""

from __future__ import annotations

from pathlib import Path

import msgspec

from omp import entries
from omp.model import FACT_KINDS, Memory, Staged
from omp.store import atomic
from omp.store.spool import name_of
from omp.yamlfile import dump_value
from omp.yamlfile.writer import fact_fields, fields_of

FOLDER = ".staging"


def view(staged: Staged) -> bytes:
    """Write an entry of the inbox for people: why it waits, then the entry."""
    head = {"version": 1, "reason": staged.reason, "at": staged.at, "deferred": staged.deferred}
    fields = {"id": staged.memory.id, **as_fields(staged.memory)}
    return dump_value({**{k: v for k, v in head.items() if v}, **fields})


def as_fields(memory: Memory) -> dict[str, object]:
    """Give an entry's fields as they stand in files, the value of a fact among them."""
    if memory.kind not in FACT_KINDS:
        return fields_of(memory)
    return {"pointer": getattr(memory, "pointer", ""), "value": getattr(memory, "value", None), **fact_fields(memory)}


def joined(new: Staged, old: Staged | None) -> Staged:
    """Join what is staged anew with what waits already: the evidence of both, the earlier time, deferred if one is."""
    if old is None:
        return new
    memory = entries.with_evidence(new.memory, old.memory.evidence)
    at = min(t for t in (new.at, old.at, "9") if t)
    return msgspec.structs.replace(
        new, memory=memory, at="" if at == "9" else at, deferred=new.deferred or old.deferred
    )


def show(root: Path, waiting: list[Staged]) -> None:
    """Bring `.staging/` in step with the inbox; other files there are left. Raises OmpError."""
    folder = root / FOLDER
    wanted = {f"{name_of(s.memory.id)}.yaml": view(s) for s in waiting}
    if not wanted and not folder.is_dir():
        return
    atomic.refuse_links(root, folder)
    atomic.make_folder(folder, 0o700)
    for file in folder.iterdir():
        if file.suffix == ".yaml" and file.name not in wanted:
            atomic.discard(file)
    for name, data in wanted.items():
        path = folder / name
        if path.is_symlink() or atomic.read(path).data != data:
            atomic.write(path, data, 0o600, durable=False)
