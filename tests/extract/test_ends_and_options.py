"""Ends of sentences that look like thanks, and options offered in one sentence."""

from __future__ import annotations

import pytest

from omp.extract import candidates
from omp.extract.discourse import options
from omp.extract.text import trim
from omp.model import CleanEvent, Role, Session, Voice
from omp.rules import load_rules


@pytest.mark.parametrize(
    "claim",
    ["We keep tabs for accessibility", "It is there for safety", "We stay on the right", "放在三号柜吧台"],
)
def test_a_word_that_ends_like_thanks_keeps_its_end(claim: str) -> None:
    assert trim(claim, 300) == claim


def test_thanks_behind_a_statement_are_taken_off() -> None:
    assert trim("We deploy from main, thanks", 300) == "We deploy from main"
    assert trim("We deploy from main ty", 300) == "We deploy from main"


def test_either_and_or_are_two_options() -> None:
    assert options("I would take either a table or a stream of events.") == ["a table", "a stream of events"]
    assert options("要么用定时任务，要么用队列") == ["用定时任务", "用队列"]
    assert options("we do not need either") == []


def test_the_second_of_two_options_is_what_was_approved() -> None:
    said: list[tuple[Role, Voice, str]] = [
        ("assistant", "agent", "I suggest either a cron job or a worker with a queue. Which one?"),
        ("user", "person", "Go with the second."),
    ]
    events = tuple(
        CleanEvent(agent="generic", session="s", entry=f"m{n}", role=role, voice=voice, text=text)
        for n, (role, voice, text) in enumerate(said)
    )
    found = candidates(Session(agent="generic", session="s", path="", events=events), load_rules())
    assert [(c.kind, c.claim) for c in found] == [("decision", "a worker with a queue")]


def test_of_a_long_brief_what_stands_below_an_emphatic_heading_counts() -> None:
    filler = "\n".join(f"Step {n}: look at part {n} of the list and adapt it." for n in range(40))
    rule = "The gallery must never block on a missing picture."
    text = f"Rework the gallery.\n\nIMPORTANT:\n{rule}\n\n{filler}\nThat is all."
    event = CleanEvent(agent="generic", session="s", entry="m1", role="user", voice="person", text=text)
    found = candidates(Session(agent="generic", session="s", path="", events=(event,)), load_rules())
    assert [c.claim for c in found if not c.drop] == [rule]
