"""Whose a statement is, how long it holds and how sure we are."""

from __future__ import annotations

import pytest

from omp.classify import classify
from omp.model import Candidate, Evidence, Kind, Role, Scope, Session

SESSION = Session(agent="generic", session="s", path="s.jsonl", events=())


def _candidate(kind: Kind, claim: str, role: Role = "user", **more: object) -> Candidate:
    evidence = (Evidence(agent="generic", session="s", entry="m1", role=role, quote=claim),)
    return Candidate(kind=kind, claim=claim, evidence=evidence, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "claim", "scope"),
    [
        ("preference", "I prefer short answers, in every project", "PERSONAL"),
        ("preference", "我写注释一律用中文，换什么项目也一样", "PERSONAL"),
        ("preference", "our newsletter is dry, no exclamation marks", "PROJECT"),
        ("constraint", "in this repo public functions need a doctest", "PROJECT"),
        ("constraint", "这个仓库的接口必须带版本号", "PROJECT"),
        ("decision", "I decided on sqlite for the cache", "PROJECT"),
        ("skill", "我做了十年嵌入式", "PERSONAL"),
        ("preference", "leave the cache off, for this build only", "EPHEMERAL"),
        ("preference", "这次先跳过钩子，下不为例", "EPHEMERAL"),
    ],
)
def test_scope(kind: Kind, claim: str, scope: Scope) -> None:
    assert classify(_candidate(kind, claim, confidence=0.8), SESSION).scope == scope


def test_what_only_the_assistant_said_stays_below_the_files() -> None:
    settled = classify(
        _candidate("lesson", "the wheel lacks its licence file", role="assistant", confidence=0.9), SESSION
    )
    assert settled.confidence == 0.69
    assert settled.origin == "assistant"


def test_a_wish_to_remember_is_explicit() -> None:
    settled = classify(_candidate("preference", "dates are year first", asked=True, confidence=0.5), SESSION)
    assert settled.confidence == 0.9
    assert settled.source == "explicit"


def test_assumptions_and_what_holds_until_something_are_contextual() -> None:
    assert classify(_candidate("working_assumption", "先按一百人算"), SESSION).temporality == "contextual"
    assert (
        classify(_candidate("constraint", "stay on Qt 5 until the plotter goes"), SESSION).temporality == "contextual"
    )
    assert classify(_candidate("constraint", "档案室的盘不许外借"), SESSION).temporality == "permanent"


def test_a_machine_session_has_nobody_to_quote() -> None:
    session = Session(agent="generic", session="s", path="s.jsonl", events=(), machine=True)
    assert classify(_candidate("decision", "we use tar", confidence=0.9), session).drop
