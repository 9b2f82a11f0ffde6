"""Odd logs, odd places and odd words: one of them never stops the rest, leaks, or leads out of the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import Omp
from tests.logs import claude_folder, claude_log
from tests.test_main_job import listed, tree

SECRET = "gh" + "p_" + "Q4wE7rT2yU9iO1pA" + "5sD8fG3hJ6kL0zXc"
GOOD = {"id": "m1", "role": "user", "text": "We decided to use Valkey for the cache.", "at": "2026-03-02T10:00:00Z"}


def write(path: Path, *rows: Mapping[str, object]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


@pytest.mark.parametrize("field", ["session", "id"])
def test_a_secret_as_a_name_is_masked_and_costs_no_memory(omp: Omp, repo: Path, field: str) -> None:
    omp("init", "--yes")
    folder = repo.parent / "logs"
    write(folder / "a.jsonl", {**GOOD, field: SECRET})
    write(folder / "b.jsonl", {**GOOD, "text": "We decided to deploy with Nomad.", "session": "other"})
    status, out, err = omp("watch", "--once", "--log", str(folder))
    assert (status, SECRET in out + err) == (0, False), err
    assert {"Valkey", "Nomad"} <= {w.strip(".") for m in listed(omp) for w in m["claim"].split()}
    for place in (repo / "_omp", repo / ".git" / "omp"):
        assert not any(SECRET.encode() in data for data in tree(place).values())


@pytest.mark.parametrize("place", ["/a\0b", "x" * 200_000, "\x1b[2J"])
def test_a_place_that_is_none_stops_no_log(omp: Omp, repo: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    home = repo.parent / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    omp("init", "--yes")
    folder = claude_folder(home, repo)
    claude_log(folder / "a.jsonl", ["We decided to use Valkey for the cache."], cwd=repo, session="a", branch=place)
    claude_log(folder / "b.jsonl", ["We decided to deploy with Nomad."], cwd=repo, session="b")
    row = json.loads((folder / "b.jsonl").read_text())
    write(folder / "c.jsonl", {**row, "cwd": place, "uuid": "c-1", "sessionId": "c"})
    status, _, err = omp("watch", "--once", "--since", "all")
    assert status == 0, err
    assert len(listed(omp)) == 2


def test_a_pipe_and_a_folder_in_place_of_files_are_named_and_passed_over(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    os.mkfifo(repo.parent / "x.jsonl")
    log = write(repo.parent / "y.jsonl", GOOD)
    status, _, err = omp("watch", "--once", "--log", str(repo.parent / "x.jsonl"), "--log", str(log))
    assert (status, "no ordinary file" in err) == (0, True)
    lessons = repo / "_omp" / "memory" / "lessons.yaml"
    lessons.unlink()
    os.mkfifo(lessons)
    assert [m["kind"] for m in listed(omp)] == ["decision"]
    assert omp("validate")[0] == 1


def test_a_link_for_the_state_folder_leads_nowhere(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    outside = repo.parent / "outside"
    outside.mkdir()
    (repo / "_omp" / ".state").symlink_to(outside)
    assert omp("remember", "Caches must be cleared nightly")[0] == 0
    assert omp("search", "caches")[0] == 0
    assert list(outside.iterdir()) == []


def test_different_statements_a_person_makes_are_all_kept(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    said = ["caches must be cleared nightly", "caches must be warmed daily", "缓存每晚清空日志", "缓存每天预热数据"]
    for text in said:
        assert omp("remember", text, "--kind", "constraint")[0] == 0
    assert sorted(m["claim"] for m in listed(omp)) == sorted(said)
    assert omp("remember", "Caches must be cleared nightly.", "--kind", "constraint")[2].startswith("known already")


def test_wishes_to_remember_are_under_no_limit(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    names = [
        "alder",
        "birch",
        "cedar",
        "elm",
        "fir",
        "hazel",
        "ivy",
        "juniper",
        "larch",
        "maple",
        "oak",
        "pine",
        "rowan",
        "spruce",
    ]
    rows = [
        {**GOOD, "id": f"m{n}", "text": f"Remember this: server {w} belongs to team {w}."} for n, w in enumerate(names)
    ]
    omp("watch", "--once", "--log", str(write(repo.parent / "l.jsonl", *rows)))
    assert len(listed(omp)) == len(names)


def test_words_that_are_no_text_and_too_long_ones_are_refused_or_cleaned(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    assert omp("remember", "x" * 1001)[0] == 2
    status, _, err = omp("remember", "titles \x1b]0;p\x07 must be \udcff plain", "--kind", "constraint")
    assert status == 0, err
    assert "\x1b" not in omp("list")[1]
    assert omp("search", "plain \udcff titles")[0] == 0
    assert omp("validate")[0] == 0
