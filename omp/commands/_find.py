"""Finding an entry by id in the project's store or the person's own."""

from __future__ import annotations

from omp.commands._options import say
from omp.commands._workspace import Workspace
from omp.errors import OmpError
from omp.model import Stored
from omp.store import MemoryDir


def stores(workspace: Workspace) -> list[MemoryDir]:
    """Give the stores a reader may look into: the project's where there is one, and the person's own."""
    return [*([workspace.project] if workspace.initialised else []), workspace.user]


def told_apart(workspace: Workspace) -> None:
    """Say on standard error what a reader might miss: no memory here, or files that cannot be read."""
    if workspace.repo_or_none is not None and not workspace.initialised:
        say("there is no _omp/memory here, so only your own memories are looked at (omp init makes it)")
    for store in stores(workspace):
        broken = sorted({p.path for p in store.problems() if p.severity == "error"})
        if broken:
            say(f"{', '.join(broken)} cannot be read as it stands, so memories may be missing here: omp validate")


def find_entry(workspace: Workspace, identity: str) -> tuple[MemoryDir, Stored]:
    """Give the entry with this id and its store. Raises OmpError when it does not exist."""
    for store in stores(workspace):
        stored = store.get(identity)
        if stored is not None:
            return store, stored
    for store in stores(workspace):
        for staged in store.inbox():
            if staged.memory.id == identity:
                return store, Stored(memory=staged.memory, path="inbox")
    told_apart(workspace)
    raise OmpError(f"there is no memory {identity}", "omp list shows those there are, omp review those that wait")
