"""The evidence index: host-issued ids and hard bounds."""

from __future__ import annotations

import pytest

from omp import identity
from omp.errors import UsageError
from omp.extract import Index
from omp.model import CleanEvent, Session
from tests.extract.talks import session


def test_messages_and_tools_have_ids_by_place() -> None:
    call = CleanEvent(agent="g", session="s", entry="c", role="tool", voice="tool", text="ls", tool="bash", call="1")
    result = CleanEvent(agent="g", session="s", entry="r", role="tool", voice="tool", text="a b", tool="bash", call="1")
    talk = session("U list it", "A ok")
    index = Index(Session(agent="g", session="s", path="p", events=(*talk.events, call, result)))
    assert [i for i, _ in index.listing()] == ["M0001", "M0002", "T0003i", "T0003o"]
    assert index.listing()[2][1] == "bash: ls"


def test_overview_labels_orient_but_cannot_be_cited() -> None:
    index = Index(session("U " + "x" * 900, "T noise", "A ok", "I injected"))
    labels = index.overview()
    assert [(label, role, len(text)) for label, role, text in labels] == [
        ("O0001", "user", 500),
        ("O0002", "assistant", 2),
    ]
    with pytest.raises(UsageError, match="O0001"):
        index.item("O0001")
    with pytest.raises(UsageError, match="M0099"):
        index.read(["M0099"])


def test_search_finds_every_word_in_either_language_within_bounds() -> None:
    index = Index(session(*["U 我们用 tar 打包"] * 60))
    assert len(index.search("tar 打包")) == 20
    assert len(index.search("tar", limit=500)) == 50
    assert index.search("zip") == []
    assert index.search("tar", role="assistant") == []


def test_reading_is_bounded_by_item_and_in_all() -> None:
    index = Index(session(*["T " + "字" * 3000] * 30))
    read = index.read([i for i, _ in index.listing()])
    assert all(len(text.encode()) <= 2048 for _, text in read)
    assert sum(len(text.encode()) for _, text in read) <= 32768
    assert len(read) == 16


def test_a_citation_quotes_and_signs() -> None:
    index = Index(session("U we use tar"))
    piece = index.cite("M0001", "we use tar", 240)
    assert (piece.entry, piece.role, piece.quote) == ("m1", "user", "we use tar")
    assert piece.digest == identity.quote_digest("we use tar")
