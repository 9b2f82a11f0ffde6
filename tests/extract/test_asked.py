"""What a person asks to be remembered is kept, whether a rule finds it worth keeping or not."""

from __future__ import annotations

import pytest

from omp.extract import candidates
from omp.model import CleanEvent, Session
from omp.rules import load_rules


def said(*texts: str) -> list[tuple[str, bool]]:
    events = tuple(
        CleanEvent(agent="generic", session="s", entry=f"m{n}", role="user", voice="person", text=t)
        for n, t in enumerate(texts)
    )
    found = candidates(Session(agent="generic", session="s", path="", events=events), load_rules())
    return [(c.claim, c.asked) for c in found if not c.drop]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Remember this: the lab key hangs behind the door.", "the lab key hangs behind the door."),
        ("Please remember that Ines signs off every release", "Ines signs off every release"),
        ("Remember this. The build machine is called otter.", "The build machine is called otter."),
        ("记住：样机放在三号柜。", "样机放在三号柜。"),
        ("记住这个：发版都在周二", "发版都在周二"),
    ],
)
def test_a_wish_to_remember_needs_no_other_sign(text: str, claim: str) -> None:
    assert said(text) == [(claim, True)]


@pytest.mark.parametrize("text", ["do you remember the name?", "I don't remember the name", "你还记得吗？"])
def test_talk_about_remembering_is_no_wish(text: str) -> None:
    assert said(text) == []
