"""Entries outside conflict markers stay readable, with the lines they have in the file."""

from __future__ import annotations

import omp.yamlfile
from omp.yamlfile import read_entries, salvage

TEXT = """\
version: 1
decisions:
  - id: dec-aaaaaaaaaa
    claim: Before
<<<<<<< HEAD
  - id: dec-bbbbbbbbbb
    claim: Ours
=======
  - id: dec-bbbbbbbbbb
    claim: 他们的
>>>>>>> topic
  - id: dec-cccccccccc
    claim: After
"""


def test_what_stands_outside_the_markers_is_read() -> None:
    for text in (TEXT, TEXT.replace("\n", "\r\n")):
        document, markers = salvage(text.encode(), "decisions.yaml")
        assert [(p.line, p.code) for p in markers] == [(n, "conflict-marker") for n in (5, 8, 11)]
        assert document is not None
        found, problems = read_entries(document, "decisions")
        assert problems == []
        assert [(e.id, e.line) for e in found] == [("dec-aaaaaaaaaa", 3), ("dec-cccccccccc", 12)]


def test_a_file_that_is_broken_otherwise_too_is_not_guessed_at() -> None:
    document, problems = salvage(TEXT.replace("claim: After", "claim: &x After").encode())
    assert document is None
    assert {p.code for p in problems} == {"conflict-marker", "anchor"}
    assert salvage(b"a: 1\n") == (None, [])


def test_the_list_of_names_is_the_truth() -> None:
    assert omp.yamlfile.__all__ == sorted(omp.yamlfile.__all__)
    assert all(hasattr(omp.yamlfile, name) for name in omp.yamlfile.__all__)
