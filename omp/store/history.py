"""Reading the journal: what each write changed, what an entry was, what all entries were at a time; taking back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from omp.errors import OmpError, WriteRefused
from omp.model import Memory, Refusal, Struct
from omp.store.batch import Batch
from omp.store.journal import OUTSIDE, Journal, blob_id, path_of
from omp.store.purge import REASON

_NONE = "0" * 40


class EntryChange(Struct, frozen=True, kw_only=True):
    """One entry in one write: its id, and what it was and became as object ids ("" for not there)."""

    id: str
    before: str = ""
    after: str = ""

    @property
    def verb(self) -> str:
        """`added`, `removed` or `changed`."""
        return "added" if not self.before else "removed" if not self.after else "changed"


class Change(Struct, frozen=True, kw_only=True):
    """One write as the journal has it."""

    commit: str
    at: str
    reason: str
    branch: str = ""
    head: str = ""
    refused: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    entries: tuple[EntryChange, ...] = ()


class Undo(Struct, frozen=True, kw_only=True):
    """What taking writes back needs: for each entry what it must still be, and what it was before (None: not there)."""

    changes: tuple[Change, ...]
    expected: dict[str, str]
    """Id -> object id of the state the writes left ("" for not there)."""
    before: dict[str, Memory | None]
    after: dict[str, Memory | None]


def changes(journal: Journal, identity: str = "", limit: int = 0, outside: bool = True) -> list[Change]:
    """List writes of this work tree, the newest first; of one entry only when `identity` is given; 0 for all."""
    head = journal.head()
    if not head:
        return []
    arguments = ["log", "--raw", "--no-abbrev", "--no-renames", "--root", "--date=format:%Y-%m-%dT%H:%M:%SZ"]
    arguments += [
        "--full-diff",
        "--format=%x01%H%x02%cd%x02%s%x02%b%x03",
        *([f"-{limit}"] if limit and outside else []),
    ]
    said = journal.git(*arguments, head, "--", *([path_of(identity)] if identity else [])).decode("utf-8", "replace")
    out = [_change(text) for text in said.split("\x01")[1:]]
    out = [c for c in out if outside or c.reason not in (OUTSIDE, REASON)]
    return out[:limit] if limit else out


def _change(text: str) -> Change:
    head, _, raw = text.partition("\x03")
    commit, at, reason, body = head.split("\x02")
    told: dict[str, list[str]] = {}
    for line in body.splitlines():
        name, _, value = line.partition(": ")
        told.setdefault(name, []).append(value)
    rows = []
    for line in raw.splitlines():
        if line.startswith(":"):
            fields, _, path = line.partition("\t")
            _, _, before, after, _ = fields.split()
            name = path.rpartition("/")[2].removesuffix(".json")
            rows.append(EntryChange(id=name, before=before.replace(_NONE, ""), after=after.replace(_NONE, "")))
    return Change(
        commit=commit,
        at=at,
        reason=reason,
        branch=told.get("branch", [""])[0],
        head=told.get("head", [""])[0],
        refused=tuple(told.get("refused", ())),
        lifted=tuple(told.get("lifted", ())),
        entries=tuple(rows),
    )


def objects(journal: Journal, shas: Iterable[str]) -> dict[str, tuple[Memory, bytes]]:
    """Read entries by object id: the entry and its bytes. Raises OmpError for one the journal does not have."""
    wanted = sorted({s for s in shas if s})
    if not wanted:
        return {}
    data = journal.git("cat-file", "--batch", stdin="".join(f"{s}\n" for s in wanted).encode())
    out: dict[str, tuple[Memory, bytes]] = {}
    at = 0
    for sha in wanted:
        line, _, _ = data[at:].partition(b"\n")
        fields = line.split()
        if len(fields) != 3 or fields[1] != b"blob":
            raise OmpError(f"the journal in {journal.folder} is damaged: {sha} is missing", "omp backup list")
        at += len(line) + 1
        body = data[at : at + int(fields[2])]
        out[sha] = msgspec.json.decode(body, type=Memory), body
        at += int(fields[2]) + 1
    return out


def entries_at(journal: Journal, moment: str) -> list[Memory] | None:
    """Give all entries as the journal had them at a time (ISO, UTC); None when it begins later."""
    head = journal.head()
    commit = journal.git("rev-list", "-1", f"--before={moment}", head).decode().strip() if head else ""
    if not commit:
        return None
    found = objects(journal, journal.tree(commit).values())
    return sorted((memory for memory, _ in found.values()), key=lambda m: m.id)


def to_undo(journal: Journal, identity: str, last: int) -> Undo:
    """Choose what to take back: the last write, the last `last` ones, or the last that changed `identity`.

    Raises OmpError when there are not so many, WriteRefused when one was made on another branch.
    """
    found = changes(journal, identity, last, outside=False)
    if len(found) < last:
        of = f" of {identity}" if identity else ""
        raise OmpError(f"the journal holds {len(found)} writes{of} here, not {last}", "omp log")
    for change in found:
        if change.branch != journal.branch:
            where = change.branch or "a detached HEAD"
            raise WriteRefused(f"write {change.commit[:8]} ({change.reason}) was made on {where}", "switch to it first")
    expected: dict[str, str] = {}
    first: dict[str, str] = {}
    for change in found:
        for row in change.entries:
            expected.setdefault(row.id, row.after)
            first[row.id] = row.before
    read = objects(journal, [*expected.values(), *first.values()])
    memories = {sha: memory for sha, (memory, _) in read.items()}
    return Undo(
        changes=tuple(found),
        expected=expected,
        before={i: memories.get(sha) for i, sha in first.items()},
        after={i: memories.get(sha) for i, sha in expected.items()},
    )


def undoing(
    undo: Undo, present: Mapping[str, bytes], refusals: Callable[[Memory], Sequence[Refusal]], shared: bool
) -> Batch:
    """Make the batch that takes writes back. `present` are the entries as they stand, as the journal writes them.

    An entry the writes brought in is refused from now on, so that its log does not bring it back; one that comes back
    is no longer refused. Raises WriteRefused, naming them, for entries changed since.
    """
    touched = [i for i, sha in undo.expected.items() if (blob_id(present[i]) if i in present else "") != sha]
    if touched:
        raise WriteRefused(
            f"{', '.join(sorted(touched))} changed since; nothing was taken back", "omp log ID shows how"
        )
    put = tuple(m for i, m in undo.before.items() if m is not None and m != undo.after[i])
    gone = [m for i, m in undo.after.items() if m is not None and undo.before[i] is None]
    rows = tuple(r for m in gone for r in refusals(m))
    refused = {r.key for r in rows}
    lift = tuple(sorted({key for change in undo.changes for key in change.refused} - refused))
    return Batch(
        put=put,
        remove=tuple(sorted(m.id for m in gone)),
        refuse=rows if shared else (),
        refuse_locally=() if shared else rows,
        lift=lift,
        reason="undo",
    )
