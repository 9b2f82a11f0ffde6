"""Erasing an entry's words: spool, backups, session records, records of readings, and the journal's whole history.

The entry itself leaves its file by an ordinary write before this; its key stays among the refusals.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from omp.errors import BrokenFile, OmpError, WriteRefused
from omp.model import Judged, Memory, OpenSession, SessionRecord
from omp.store import atomic, backup
from omp.store.journal import Journal, path_of
from omp.store.reading import top_key
from omp.store.spool import Spool

if TYPE_CHECKING:
    from omp.store import MemoryDir

REASON = "purge"
"""Reason of the write that takes a purged entry out of its file; never undone."""
SHORTEST = 8
"""Characters from which a text is looked for by itself; shorter ones stand in too much that is not theirs."""


def texts_of(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Give what has to go: every free text of an entry's states, the longest first."""
    found: set[str] = set()
    for memory in memories:
        named = ("claim", "title", "context", "choice", "rationale", "impact", "root_cause", "next_action", "value")
        found |= {v for name in named if isinstance(v := getattr(memory, name, ""), str)}
        found |= {e.quote for e in memory.evidence}
    return tuple(sorted((t for t in found if len(t) >= SHORTEST), key=lambda t: (-len(t), t)))


def holds(data: bytes, identity: str, texts: Sequence[str]) -> bool:
    """Tell whether bytes hold an entry or one of its texts, as they stand or as JSON writes them."""
    ways = {w for t in texts for w in (t, t.replace("'", "''"), msgspec.json.encode(t).decode()[1:-1])}
    return (bool(identity) and identity.encode() in data) or any(
        w.encode("utf-8", "surrogateescape") in data for w in ways
    )


def everywhere(store: MemoryDir, identity: str, texts: Sequence[str]) -> int:
    """Erase an entry from all but the files, under the lock; the number of kept versions it stood in."""
    with store.writing():
        from_spool(store.spool, identity, texts)
        store.unstage([identity])
        from_readings(store.local)
        number = from_backups(store.root, identity, texts)
        from_journal(store.journal, identity)
    return number


def session_records(store: MemoryDir, texts: Sequence[str]) -> tuple[SessionRecord, ...]:
    """Give the conversations' records that quote the texts, without them."""
    folder = store.root / "sessions"
    days = sorted(p.stem for p in folder.glob("*.yaml")) if folder.is_dir() else []
    records = [r for day in days for r in store.sessions(day)]
    return tuple(new for r in records if (new := from_record(r, texts)) != r)


def left(store: MemoryDir, texts: Sequence[str]) -> list[Path]:
    """List files of the memory and its spool in which a text still stands (the journal is packed: not looked into)."""
    found = []
    for folder in (store.root, store.local):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and store.journal.folder not in path.parents:
                found += [path] if holds(atomic.read(path).data, "", texts) else []
    return found


def from_spool(spool: Spool, identity: str, texts: Sequence[str]) -> None:
    """Take an entry out of the inbox and of what conversations gave."""
    spool.drop_staged(identity)
    for record in spool.sessions():
        items = tuple(j for j in record.items if j.id != identity and j.candidate.claim not in texts)
        written = {i: d for i, d in record.written.items() if i != identity}
        if (items, written) != (record.items, record.written):
            spool.put_session(_with(record, items, written))


def _with(record: OpenSession, items: tuple[Judged, ...], written: dict[str, str]) -> OpenSession:
    return msgspec.structs.replace(record, items=items, written=written)


def from_backups(root: Path, identity: str, texts: Sequence[str]) -> int:
    """Take an entry out of the kept versions; one it cannot be taken out of exactly is dropped. Gives their number."""
    from omp.yamlfile import remove_entry

    number = 0
    for version in backup.listing(root):
        path = root / backup.FOLDER / version.name
        data = atomic.read(path).data
        if not holds(data, identity, texts):
            continue
        number += 1
        left = b""
        if key := top_key(version.path):
            with contextlib.suppress(BrokenFile, WriteRefused):  # then the whole version goes
                left = remove_entry(data, key, identity)
        if left and not holds(left, "", texts):
            mark = atomic.digest(left)[:8]
            name = backup.file_name(version.path, version.stamp, mark, version.broken)
            atomic.write(path.with_name(name), left, 0o600)
            if name == version.name:
                continue
        atomic.discard(path)
    return number


def from_record(record: SessionRecord, texts: Sequence[str]) -> SessionRecord:
    """Give a conversation's record without the texts."""

    def rest(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(v for v in values if not any(t in v for t in texts))

    said = record.summary if not any(t in record.summary or _cut(record.summary, t) for t in texts) else ""
    return msgspec.structs.replace(
        record,
        summary=said,
        key_actions=rest(record.key_actions),
        decisions=rest(record.decisions),
        errors=rest(record.errors),
    )


def _cut(summary: str, text: str) -> bool:
    return summary.endswith("…") and len(summary) > SHORTEST and text.startswith(summary[:-1])


def from_readings(local: Path) -> None:
    """Drop the records of what files held; they are made again."""
    folder = local / "parsed"
    for path in folder.iterdir() if folder.is_dir() else ():
        atomic.discard(path)


def from_journal(journal: Journal, identity: str) -> bool:
    """Write the journal's history anew without an entry, for all work trees; False when it was not there.

    Raises OmpError; the old history then stands as it was.
    """
    if not (journal.folder / "HEAD").is_file():
        return False
    path = path_of(identity)
    if not journal.git("log", "--all", "-1", "--format=%H", "--", path).strip():
        return False
    stream = journal.git("fast-export", "--all", "--no-data", "--signed-tags=strip", "--reencode=no")
    journal.git("fast-import", "--quiet", "--force", stdin=without(stream, path))
    journal.git("reflog", "expire", "--expire=now", "--all")
    journal.git("repack", "-a", "-d", "-q")
    journal.git("prune", "--expire=now")
    if journal.git("log", "--all", "-1", "--format=%H", "--", path).strip():
        raise OmpError(
            f"the journal in {journal.folder} still holds {identity}", "remove that folder: it holds history only"
        )
    return True


def without(stream: bytes, path: str) -> bytes:
    """Give a fast-export stream without the changes of one path. Messages are taken over as they are."""
    out: list[bytes] = []
    at = 0
    ending = b" " + path.encode()
    while at < len(stream):
        end = stream.index(b"\n", at) + 1
        line = stream[at:end]
        at = end
        if line.startswith(b"data "):
            size = int(line[5:])
            out += [line, stream[at : at + size]]
            at += size
        elif not (line[:2] in (b"M ", b"D ") and line.rstrip(b"\n").endswith(ending)):
            out.append(line)
    return b"".join(out)
