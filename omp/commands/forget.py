"""`omp forget`: take a memory away so that its log cannot bring it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from omp import identity
from omp.commands._find import stores
from omp.commands._options import repo_option, say
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import OmpError
from omp.model import FACT_KINDS, Memory, Refusal
from omp.store import Batch, MemoryDir


@click.command()
@repo_option
@click.argument("identity_", metavar="ID")
@click.option("--reason", default="forgotten", show_default=True, help="Why; stands in refused.yaml.")
def command(repo_dir: Path | None, identity_: str, reason: str) -> int:
    """Take a memory out of the files (or the inbox). Its key is kept, so that it is not learnt again."""
    workspace = open_workspace(repo_dir, need_repo=False)
    reason = workspace.redactor.mask(reason).text
    for store in stores(workspace):
        stored = store.get(identity_)
        waiting = next((s.memory for s in store.inbox() if s.memory.id == identity_), None)
        if stored is None and waiting is None:
            continue
        if store is not workspace.user:
            workspace.need_trust()
        memory = stored.memory if stored is not None else waiting
        if memory is not None:
            forget(workspace, store, memory, reason, filed=stored is not None)
        click.echo(f"forgot {identity_}")
        return 0
    raise OmpError(f"there is no memory {identity_}", "omp list shows those there are")


def forget(workspace: Workspace, store: MemoryDir, memory: Memory, reason: str, *, filed: bool) -> None:
    """Remove an entry and refuse its keys and the place it came from; what was never filed is refused locally."""
    rows = refusals(memory, workspace.clock(), reason)
    shared = filed and store is not workspace.user
    if not filed:
        store.unstage([memory.id])
        store.refuse_locally(rows)
        return
    back = revived(store, memory.id)
    for one in back:
        say(f"{one.id} is active again: {one.claim}")
    batch = Batch(
        put=back,
        remove=(memory.id,),
        refuse=rows if shared else (),
        refuse_locally=() if shared else rows,
        reason="forget",
    )
    store.apply(workspace.mind.with_themes(store, batch))


def revived(store: MemoryDir, gone: str) -> tuple[Memory, ...]:
    """Give the entries that `gone` had replaced or contradicted, without links to it; replaced ones are active."""
    out: list[Memory] = []
    for stored in store.stored().values():
        memory = stored.memory
        if gone not in (memory.superseded_by, *memory.contradicts, *memory.supersedes):
            continue
        fields: dict[str, Any] = {
            "contradicts": tuple(i for i in memory.contradicts if i != gone),
            "supersedes": tuple(i for i in memory.supersedes if i != gone),
        }
        if memory.superseded_by == gone:
            fields |= {"superseded_by": "", "status": "active" if memory.status == "superseded" else memory.status}
        out.append(msgspec.structs.replace(memory, **fields))
    return tuple(out)


def refusals(memory: Memory, now: str, reason: str) -> tuple[Refusal, ...]:
    """Give the rows that keep an entry away: one for each key it had or absorbed, with the place it came from."""
    first = memory.evidence[0] if memory.evidence else None
    place = identity.place(first.agent, first.session, first.entry, memory.kind) if first else ""
    own = () if memory.kind in FACT_KINDS else (memory.key,)
    keys = dict.fromkeys((*own, *memory.keys, *(e.key for e in memory.evidence if e.key)))
    return tuple(Refusal(key=k, at=now, reason=reason, from_=place) for k in keys)
