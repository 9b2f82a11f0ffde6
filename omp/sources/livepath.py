"""The live path of a tree of records: what a person took back by rewinding is not on it.

Records have `uuid` and `parentUuid`; `logicalParentUuid` joins over a compaction. Parallel tool calls fork the tree
too, and are no rewinds.
"""

from __future__ import annotations

from collections.abc import Sequence

from omp.model import Struct
from omp.sources.formats import Record, listed, mapping, word

MISJOINED = "(tree broken: read in file order)"
"""Name under which a file is counted whose parent links lead nowhere or in a circle."""


class LivePath(Struct, frozen=True, kw_only=True):
    """The records of the conversation in file order, and whether the links held together."""

    records: tuple[Record, ...]
    joined: bool = True


def live(records: Sequence[Record]) -> LivePath:
    """Walk from the newest record with an id to the root. A missing parent or a circle gives file order."""
    places = {word(record.data.get("uuid")): index for index, record in enumerate(records)}
    places.pop("", None)
    if not places or not any(word(record.data.get("parentUuid")) for record in records):
        return LivePath(records=tuple(records))
    newest = max(places.values())
    path: set[int] = set()
    index = newest
    while True:
        if index in path:
            return LivePath(records=tuple(records), joined=False)
        path.add(index)
        above = _above(records, places, index)
        if above is None:
            return LivePath(records=tuple(records), joined=False)
        if above < 0:
            break
        index = above
    kept = _with_parallel_calls(records, path)
    return LivePath(records=tuple(r for i, r in enumerate(records) if i in kept or not word(r.data.get("uuid"))))


def _above(records: Sequence[Record], places: dict[str, int], index: int) -> int | None:
    """Give the place of the record above: -1 at a root, None when the link leads nowhere."""
    data = records[index].data
    parent = word(data.get("parentUuid"))
    if parent:
        return places.get(parent)
    logical = word(data.get("logicalParentUuid"))
    if logical and logical in places:
        return places[logical]
    # A compaction whose other side is gone, or what a restart put in front of a conversation, is no beginning:
    # only a prompt without parent is (somebody rewound to the very first one).
    if logical or data.get("type") != "user" or data.get("isCompactSummary"):
        return index - 1
    return -1


def _with_parallel_calls(records: Sequence[Record], path: set[int]) -> set[int]:
    """Add what hangs beside the path and was not taken back: lines of an answer on it, results of its calls."""
    kept = set(path)
    uuids = {word(records[index].data.get("uuid")) for index in path}
    messages: set[str] = set()
    calls: set[str] = set()
    looked: set[int] = set()
    grown = True
    while grown:
        grown = False
        for index, record in enumerate(records):
            if index in looked:
                continue
            data = record.data
            message = mapping(data.get("message"))
            name = word(message.get("id"))
            blocks = [b for b in listed(message.get("content")) if isinstance(b, dict)]
            if index not in kept and not (
                word(data.get("uuid")) in uuids
                or (data.get("type") == "assistant" and name in messages)
                or any(b.get("type") == "tool_result" and b.get("tool_use_id") in calls for b in blocks)
                or ("attachment" in data and word(data.get("parentUuid")) in uuids)
            ):
                continue
            looked.add(index)
            kept.add(index)
            grown = True
            uuids.add(word(data.get("uuid")))
            messages.update([name] if name else [])
            calls.update(word(b.get("id")) for b in blocks if b.get("type") == "tool_use" and b.get("id"))
    return kept
