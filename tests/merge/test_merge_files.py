"""Merges of whole files: what is kept, what waits, and how the text comes out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from omp import checks
from omp.errors import OmpError
from omp.merge import merge

BASE = """\
# head
version: 1
decisions:

  # why we did it
  - id: dec-aaaaaaaaaa
    kind: decision
    claim: 'the cache holds for a day'  # agreed
    choice: one day
"""


def merged(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    result = merge(base.encode(), ours.encode(), theirs.encode())
    return result.data.decode(), result.detected


def test_comments_of_both_sides_stay() -> None:
    ours = BASE.replace("  # why we did it\n", "  # why we did it\n  # 甲方说明\n").replace("one day", "two days")
    theirs = BASE.replace("# agreed", "# agreed # in March")
    text, detected = merged(BASE, ours, theirs)
    assert not detected
    for comment in ("# head", "# why we did it", "# 甲方说明", "in March", "choice: two days"):
        assert comment in text


def test_line_ends_are_those_of_ours() -> None:
    more = "\n  - id: dec-bbbbbbbbbb\n    kind: decision\n    claim: 端口是 3000\n"
    text, _ = merged(BASE, BASE.replace("\n", "\r\n"), BASE + more)
    assert "\r\n    claim: 端口是 3000\r\n" in text
    assert text.count("\n") == text.count("\r\n")


def test_an_edit_wins_over_absence_and_is_marked() -> None:
    edited = BASE.replace("one day", "one week")
    gone = "# head\nversion: 1\ndecisions: []\n"
    for ours, theirs in ((edited, gone), (gone, edited)):
        text, detected = merged(BASE, ours, theirs)
        assert detected
        assert "choice: one week" in text
        assert "deleted:\n" in text
    text, detected = merged(BASE, gone, BASE)
    assert (text, detected) == (gone, False)


def test_one_id_minted_twice_shows_both() -> None:
    ours = "decisions:\n  - id: dec-2026-03-05-001\n    title: Log format\n"
    text, detected = merged("", ours, ours.replace("Log format", "重试上限"))
    assert detected
    assert "- Log format" in text
    assert "- 重试上限" in text


FACTS = """\
version: 1
web:
  url: https://a.example
  port: 3000
_meta:
  facts:
    /web/url:
      kind: deployment
      claim: the web runs at a
"""


def test_a_fact_and_what_is_said_of_it_are_one_unit() -> None:
    ours, theirs = (FACTS.replace("a.example", f"{x}.example").replace("at a", f"at {x}") for x in "bc")
    text, detected = merged(FACTS, ours, theirs)
    assert detected
    assert "url: https://c.example" in text
    assert "claim: the web runs at c" in text
    assert "value: https://b.example" in text


def test_values_changed_on_one_side_each_meet() -> None:
    text, detected = merged(FACTS, FACTS.replace("3000", "3001"), FACTS.replace("at a", "at A"))
    assert not detected
    assert "port: 3001" in text
    assert "runs at A" in text


def test_rows_that_were_refused_unite() -> None:
    rows = [f"  - key: {k}\n    at: '2026-03-01T10:00:00Z'\n    reason: forgotten\n" for k in ("aaa", "bbb", "ccc")]
    head = "version: 1\nrefused:\n"
    text, _ = merged(head + rows[1], head + rows[0] + rows[1], head + rows[1] + rows[2])
    assert text == head + "".join(rows)


def test_a_side_with_markers_is_refused() -> None:
    with pytest.raises(OmpError):
        merged(BASE, BASE + "<<<<<<< HEAD\n", BASE)


def test_importing_is_light() -> None:
    heavy = {"numpy", "git", "watchdog", "ruamel", "kingfisher_sdk"}
    code = f"import sys, omp.merge; print(sorted({heavy} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plain_value_that_waits_is_found_by_validate() -> None:
    text, detected = merged(FACTS, FACTS.replace("3000", "3001"), FACTS.replace("3000", "3002"))
    assert detected
    assert "conflict-detected" in {p.code for p in checks.run({"project.yaml": text.encode()})}
