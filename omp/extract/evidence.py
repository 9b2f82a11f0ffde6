"""The overview and the evidence index: one structure for every extractor, with ids that the host alone issues.

Messages are `M0001`, the input and output of a tool `T0002i` and `T0002o`, numbered in the order of the session; `O`
labels only orient and cannot be cited. Reading and searching are bounded (design of the project, section 4).
"""

from __future__ import annotations

import re

from omp import identity
from omp.errors import UsageError
from omp.model import CleanEvent, Evidence, Session, Struct

MESSAGE_CHARACTERS = 500
SUMMARY_CHARACTERS = 240
HITS, HITS_MOST = 20, 50
ITEMS, ITEMS_MOST = 40, 80
ITEM_BYTES, TOTAL_BYTES = 2048, 32768
_ID = re.compile(r"(?:M\d{4,}|T\d{4,}[io])")


class Item(Struct, frozen=True, kw_only=True):
    """One citable piece: a message, or one side of a tool call."""

    id: str
    event: CleanEvent

    @property
    def summary(self) -> str:
        """One line of at most `SUMMARY_CHARACTERS`."""
        name = f"{self.event.tool}: " if self.event.tool else ""
        return (name + " ".join(self.event.text.split()))[:SUMMARY_CHARACTERS]


class Index:
    """All citable pieces of a session, by id, and the bounded tools over them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.items: dict[str, Item] = {}
        self._place: dict[int, str] = {}
        calls: dict[str, int] = {}
        for position, event in enumerate(session.events):
            number = position + 1
            if event.role != "tool":
                name = f"M{number:04d}"
            elif event.call and event.call not in calls:
                calls[event.call] = number
                name = f"T{number:04d}i"
            else:
                name = f"T{calls.pop(event.call, number):04d}o"
            self.items[name] = Item(id=name, event=event)
            self._place[position] = name

    def id_of(self, position: int) -> str:
        """Give the id of the event at this position (0-based) of the session."""
        return self._place[position]

    def overview(self) -> list[tuple[str, str, str]]:
        """Give (label, role, text) of the messages of user and assistant, each cut to `MESSAGE_CHARACTERS`.

        Labels are `O0001`...; they orient and cannot be cited. Injected text and tools are left out.
        """
        told = [e for e in self.session.events if e.role in ("user", "assistant") and e.voice != "injected"]
        return [(f"O{n:04d}", e.role, e.text[:MESSAGE_CHARACTERS]) for n, e in enumerate(told, 1)]

    def listing(self) -> list[tuple[str, str]]:
        """Give (id, one-line summary) of every citable piece."""
        return [(i, item.summary) for i, item in self.items.items()]

    def search(self, query: str, role: str = "", limit: int = HITS) -> list[tuple[str, str]]:
        """Give (id, summary) of pieces that hold every word of `query`, at most `limit` (and never over 50)."""
        words = identity.normalise(query).split()
        hits = []
        for name, item in self.items.items():
            if role and item.event.role != role:
                continue
            text = identity.normalise(item.event.text)
            if words and all(w in text for w in words):
                hits.append((name, item.summary))
        return hits[: max(0, min(limit, HITS_MOST))]

    def read(self, ids: list[str]) -> list[tuple[str, str]]:
        """Give (id, text) of the pieces named: at most 80, 2 KiB each, 32 KiB in all.

        Raises UsageError for an unknown id.
        """
        result, total = [], 0
        for name in ids[:ITEMS_MOST]:
            text = self.item(name).event.text.encode()[:ITEM_BYTES].decode("utf-8", "ignore")
            total += len(text.encode())
            if total > TOTAL_BYTES:
                break
            result.append((name, text))
        return result

    def item(self, name: str) -> Item:
        """Give one piece. Raises UsageError for an id that was not issued, overview labels among them."""
        if not _ID.fullmatch(name) or name not in self.items:
            raise UsageError(f"no evidence has the id {name!r}", "cite ids from the evidence index")
        return self.items[name]

    def cite(self, name: str, quote: str, limit: int) -> Evidence:
        """Give evidence for a piece; `quote` must stand in it and is cut to `limit` characters."""
        return cite(self.session, self.item(name).event, quote, limit)


def cite(session: Session, event: CleanEvent, quote: str, limit: int) -> Evidence:
    """Give the pointer back to `event`, quoting its own words."""
    quote = " ".join(quote.split())[:limit].rstrip()
    return Evidence(
        agent=session.agent,
        session=session.session,
        entry=event.entry,
        role=event.role,
        at=event.at,
        quote=quote,
        digest=identity.quote_digest(quote),
    )
