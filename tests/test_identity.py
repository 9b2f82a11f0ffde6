"""Keys and ids: equal for what is the same, different for what is not, safe as names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp import identity

SAME = [
    ("Use YAML for memory.", "use  yaml for memory"),
    ("端口是 8080。", "端口是 8080"),
    ("Ｕｓｅ ＹＡＭＬ", "use yaml"),
    ("key [REDACTED:api_key:1] is read from env", "key [REDACTED:api_key:3] is read from env"),
    ("Never on Fridays!", "never on fridays"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_wordings_that_say_the_same_have_one_key(one: str, other: str) -> None:
    assert identity.key("decision", "PROJECT", one) == identity.key("decision", "PROJECT", other)


@pytest.mark.parametrize(
    ("one", "other"), [("port 8080", "port 8081"), ("use tabs", "use no tabs"), ("允许", "不允许"), ("v1.0", "v10")]
)
def test_other_statements_have_other_keys(one: str, other: str) -> None:
    assert identity.key("decision", "PROJECT", one) != identity.key("decision", "PROJECT", other)


def test_kind_and_scope_belong_to_the_key() -> None:
    keys = {identity.key(k, s, "x") for k in ("decision", "lesson") for s in ("PROJECT", "PERSONAL")}
    assert len(keys) == 4


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = identity.normalise(text)
    assert identity.normalise(once) == once


@given(st.text(), st.text())
def test_keys_are_safe_names(kind: str, claim: str) -> None:
    assert identity.is_id(f"dec-{identity.key(kind, 'PROJECT', claim)}")


@pytest.mark.parametrize(
    "bad", ["", "dec", "dec-", "dec-../../etc", "dec-aaaaaaaaa1", "DEC-aaaaaaaaaa", "dec-aaaaaaaaaa\n"]
)
def test_what_could_leave_a_folder_is_no_id(bad: str) -> None:
    assert not identity.is_id(bad)


def test_places_tell_kinds_and_entries_apart() -> None:
    assert identity.place("a", "s", "m1", "decision") != identity.place("a", "s", "m1", "lesson")
    assert identity.place("a", "s", "m1", "decision") != identity.place("a", "s1", "m", "decision")
