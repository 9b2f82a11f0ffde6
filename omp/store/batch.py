"""What is handed to the store and what it hands back, as values."""

from __future__ import annotations

from omp.model import Memory, Refusal, SessionRecord, Struct, ThemeIndex


class Batch(Struct, frozen=True, kw_only=True):
    """Changes that belong together: all of them reach the disk, or none. Applying one twice is applying it once."""

    put: tuple[Memory, ...] = ()
    """Entries to insert, or to replace by id. An id that also stands in `remove` is put."""
    remove: tuple[str, ...] = ()
    """Ids to take out of the files; one that stands nowhere is already out."""
    refuse: tuple[Refusal, ...] = ()
    """Rows for `refused.yaml`."""
    refuse_locally: tuple[Refusal, ...] = ()
    """The same, kept beside the repository and never shared."""
    lift: tuple[str, ...] = ()
    """Keys whose refusals end, in both places; done before `refuse`."""
    sessions: tuple[SessionRecord, ...] = ()
    themes: ThemeIndex | None = None
    reason: str = ""


class Applied(Struct, frozen=True, kw_only=True):
    """What a batch changed: files relative to the memory folder, and ids. Both empty when all stood there already."""

    written: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


class Known(Struct, frozen=True, kw_only=True):
    """What need not be learnt again, and what must not be."""

    keys: dict[str, str] = {}
    """Key -> id of the entry (any status, inbox included) that carries or absorbed it."""
    refused_keys: frozenset[str] = frozenset()
    refused_places: frozenset[str] = frozenset()


class Counter(Struct, frozen=True, kw_only=True):
    """How often an entry was asked for, and when last; local, never in a tracked file."""

    count: int = 0
    at: str = ""


class Centroids(Struct, frozen=True, kw_only=True):
    """`themes/embeddings.json`: one vector a theme, of one embedding model. Derived; may be deleted at any time."""

    model: str
    vectors: dict[str, list[float]] = {}


class Backup(Struct, frozen=True, kw_only=True):
    """A kept version of a file: its name in `.backup/`, the file it is a version of, when it was set aside, bytes."""

    name: str
    path: str
    stamp: str
    size: int
    broken: bool = False


class FileChange(Struct, frozen=True, kw_only=True):
    """A file a batch changes, relative to the memory folder, with the sha256 before ("" when new) and after."""

    path: str
    old: str
    new: str


class Intent(Struct, frozen=True, kw_only=True):
    """A write under way, as it stands in the spool: the files with their digests, and the batch to finish it with."""

    id: str
    root: str
    """The memory folder it is for: linked work trees share one spool."""
    at: str
    files: tuple[FileChange, ...] = ()
    batch: Batch = Batch()
    bases: tuple[Memory, ...] = ()
    """The entries that `batch.put` replaces, as they stood when it was made."""
