"""Finding an entry by id in the project's store or the person's own."""

from __future__ import annotations

from omp.commands._workspace import Workspace
from omp.errors import OmpError
from omp.model import Stored
from omp.store import MemoryDir


def stores(workspace: Workspace) -> list[MemoryDir]:
    """Give the stores a reader may look into: the project's where there is one, and the person's own."""
    return [*([workspace.project] if workspace.initialised else []), workspace.user]


def find_entry(workspace: Workspace, identity: str) -> tuple[MemoryDir, Stored]:
    """Give the entry with this id and its store. Raises OmpError when it does not exist."""
    for store in stores(workspace):
        stored = store.get(identity)
        if stored is not None:
            return store, stored
    raise OmpError(f"there is no memory {identity}", "omp list shows those there are")
