"""Copies of one conversation count once."""

from __future__ import annotations

from omp.model import Event, RawSession, Voice
from omp.sources import deduplicate


def told(agent: str, session: str, *rows: tuple[str, Voice, str], at: str = "2026-05-04T08:00:00Z") -> RawSession:
    events = tuple(
        Event(
            agent=agent, session=session, entry=entry, role="user" if voice == "person" else "assistant", voice=voice,
            text=text, at=at,
        )
        for entry, voice, text in rows
    )  # fmt: skip
    return RawSession(agent=agent, session=session, path=f"/logs/{session}", events=events)


def entries(sessions: list[RawSession]) -> dict[str, list[str]]:
    return {session.session: [event.entry for event in session.events] for session in sessions}


def test_forked_copy_keeps_only_what_is_its_own() -> None:
    first = told("claude-code", "s1", ("u-1", "person", "一"), ("a-1", "agent", "two"))
    fork = told("claude-code", "s2", ("u-1", "person", "一"), ("a-1", "agent", "two"), ("u-2", "person", "three"))
    assert entries(deduplicate([fork, first])) == {"s2": ["u-2"], "s1": ["u-1", "a-1"]}


def test_pure_copy_is_dropped_and_twice_changes_nothing() -> None:
    first = told("claude-code", "s1", ("u-1", "person", "one"))
    copy = told("claude-code", "s2", ("u-1", "person", "one"))
    once = deduplicate([first, copy])
    assert entries(once) == {"s1": ["u-1"]}
    assert deduplicate(once) == once


def test_line_numbers_are_no_identity() -> None:
    one = told("cursor", "s1", ("L1", "person", "continue"))
    two = told("cursor", "s2", ("L1", "person", "continue"))
    assert len(deduplicate([one, two])) == 2


def test_ids_of_two_generic_conversations_do_not_meet() -> None:
    one = told("generic", "s1", ("m1", "person", "hi"))
    two = told("generic", "s2", ("m1", "person", "hi"))
    assert len(deduplicate([one, two])) == 2


def test_codex_fork_loses_the_beginning_it_copied() -> None:
    rows: tuple[tuple[str, Voice, str], ...] = (
        ("L2", "person", "Plan the move."), ("L3", "agent", "Here is a plan."), ("L4", "person", "先搬日志"),
    )  # fmt: skip
    parent = told("codex", "p", *rows)
    fork = told("codex", "f", *rows, ("L9", "person", "Now the rest."), at="2026-05-05T08:00:00Z")
    assert entries(deduplicate([parent, fork])) == {"p": ["L2", "L3", "L4"], "f": ["L9"]}


def test_codex_threads_that_begin_alike_by_chance_stay() -> None:
    one = told("codex", "a", ("L2", "person", "hi"), ("L3", "agent", "Hello!"), ("L4", "person", "Use tox."))
    two = told("codex", "b", ("L2", "person", "hi"), ("L3", "agent", "Hello!"), ("L4", "person", "Use nox."))
    assert entries(deduplicate([one, two])) == {"a": ["L2", "L3", "L4"], "b": ["L2", "L3", "L4"]}


def test_answer_that_grew_after_it_was_copied_counts_once() -> None:
    first = told("claude-code", "s1", ("a-1", "agent", "One.\n\nTwo."))
    fork = told("claude-code", "s2", ("a-1", "agent", "One."), ("u-2", "person", "Go on."), at="2026-05-05T08:00:00Z")
    assert entries(deduplicate([first, fork])) == {"s1": ["a-1"], "s2": ["u-2"]}
