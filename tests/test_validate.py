"""`omp validate` from outside: exit status, output, and the commit hook over real repositories."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from omp.cli import run

GOOD = "version: 1\ndecisions:\n\n  - id: dec-aaaaaaaaaa\n    claim: Deploys happen on Tuesdays\n"
OTHER = "\n  - id: dec-bbbbbbbbbb\n    claim: 日志用 JSON\n"
BAD = "\n  - id: dec-cccccccccc\n    claim: Bad\n    status: gone\n"
Capture = pytest.CaptureFixture[str]


def git(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def write(repo: Path) -> Callable[..., Path]:
    def put(text: str, name: str = "decisions.yaml", add: bool = True) -> Path:
        path = repo / "_omp" / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        if add:
            git(repo, "add", "-A", "_omp")
        return path

    return put


def validate(repo: Path, *arguments: str) -> int:
    return run(["validate", "--repo", str(repo), *arguments])


def lines(capsys: Capture) -> list[tuple[str, int, str, str]]:
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [(p["path"], p["line"], p["code"], p["severity"]) for p in out]


def test_a_clean_work_tree_says_nothing(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write(GOOD)
    assert validate(repo) == 0
    assert capsys.readouterr().out == ""


def test_problems_are_printed_with_their_place(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write(GOOD + BAD)
    assert validate(repo) == 1
    out = capsys.readouterr().out
    assert out.startswith("_omp/memory/decisions.yaml:9:13: schema: status: ")
    assert validate(repo, "--json") == 1
    assert lines(capsys) == [("_omp/memory/decisions.yaml", 9, "schema", "error")]


def test_warnings_count_only_when_strict(repo: Path, write: Callable[..., Path]) -> None:
    write(GOOD + "    owner: somebody\n")
    assert (validate(repo), validate(repo, "--strict")) == (0, 1)


def test_files_anywhere_need_no_repository(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "odd name ' 文.yaml"
    path.write_text(GOOD + BAD, encoding="utf-8")
    assert run(["validate", str(path), "--json"]) == 1
    assert lines(capsys) == [(str(path), 9, "schema", "error")]
    assert run(["validate", str(tmp_path / "absent.yaml"), "--json"]) == 1
    assert lines(capsys)[0][2] == "unreadable"


def test_siblings_of_a_named_file_hold_the_targets(repo: Path, write: Callable[..., Path]) -> None:
    write(GOOD, "decisions/2025-01.yaml")
    path = write("version: 1\ndecisions:\n" + OTHER + "    supersedes: [dec-aaaaaaaaaa]\n")
    assert run(["validate", str(path)]) == 0


def test_links_are_not_followed(repo: Path, write: Callable[..., Path], tmp_path: Path, capsys: Capture) -> None:
    write(GOOD)
    (tmp_path / "outside.yaml").write_text("a: &x 1\n")
    (repo / "_omp" / "memory" / "lessons.yaml").symlink_to(tmp_path / "outside.yaml")
    assert validate(repo, "--json") == 1
    assert [row[2] for row in lines(capsys)] == ["link"]


def test_backups_and_the_inbox_are_not_looked_at(repo: Path, write: Callable[..., Path]) -> None:
    write(GOOD)
    write("a: &x 1\n", ".backup/decisions.yaml")
    assert validate(repo) == 0


def test_the_hook_stops_what_the_commit_brings(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write(GOOD)
    git(repo, "commit", "-qm", "one")
    write(GOOD + BAD)
    assert validate(repo, "--staged", "--json") == 1
    assert lines(capsys) == [("_omp/memory/decisions.yaml", 9, "schema", "error")]


def test_the_hook_warns_of_what_stood_there_before(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write(GOOD + BAD)
    git(repo, "commit", "-qm", "bad already")
    write(GOOD + OTHER + BAD)
    assert validate(repo, "--staged", "--json") == 0
    assert lines(capsys) == [("_omp/memory/decisions.yaml", 12, "schema", "warning")]
    write(GOOD + BAD.replace("claim: Bad", "claim: Bad and changed"))
    assert validate(repo, "--staged") == 1


def test_the_hook_sees_the_index_not_the_work_tree(repo: Path, write: Callable[..., Path]) -> None:
    write(GOOD)
    write(GOOD + BAD, add=False)
    assert validate(repo, "--staged") == 0
    write(GOOD + BAD)
    write(GOOD, add=False)
    assert validate(repo, "--staged") == 1


def test_taking_out_a_target_stops_the_commit(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write(GOOD)
    write(
        "version: 1\nlessons:\n\n  - id: les-aaaaaaaaaa\n    claim: x\n    contradicts: [dec-aaaaaaaaaa]\n",
        "lessons.yaml",
    )
    git(repo, "commit", "-qm", "one")
    assert validate(repo, "--staged") == 0
    (repo / "_omp" / "memory" / "decisions.yaml").unlink()
    git(repo, "add", "-A")
    assert validate(repo, "--staged", "--json") == 1
    assert lines(capsys) == [("_omp/memory/lessons.yaml", 6, "missing-target", "error")]


def test_conflict_markers_stop_the_commit(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    path = write("decisions:\n<<<<<<< HEAD\n  - id: a\n=======\n  - id: b\n>>>>>>> topic\n")
    before = path.read_bytes()
    assert validate(repo, "--staged", "--json") == 1
    assert [row[1:3] for row in lines(capsys)] == [(n, "conflict-marker") for n in (2, 4, 6)]
    assert path.read_bytes() == before


def test_the_hook_looks_at_the_index_of_the_commit_being_made(
    repo: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(GOOD)
    git(repo, "commit", "-qm", "one")
    write(GOOD + BAD)
    index = repo / ".git" / "other-index"
    index.write_bytes((repo / ".git" / "index").read_bytes())
    git(repo, "reset", "-q")
    assert validate(repo, "--staged") == 0
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    assert validate(repo, "--staged") == 1


def test_without_a_memory_folder_commits_go_on(repo: Path, capsys: Capture) -> None:
    assert (validate(repo), validate(repo, "--staged"), validate(repo, "--strict", "--staged")) == (0, 0, 1)
    assert "nothing to check" in capsys.readouterr().err


def test_a_fault_of_ours_lets_the_commit_pass(
    repo: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError

    write(GOOD + BAD)
    monkeypatch.setattr("omp.checks.staged.problems", break_down)
    assert validate(repo, "--staged") == 0
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert validate(repo, "--staged", "--strict") == 3


def test_odd_file_names_are_checked_like_others(repo: Path, write: Callable[..., Path], capsys: Capture) -> None:
    write("a: &x 1\n", 'od"d\t文 *.yaml')
    write(GOOD + BAD)
    assert validate(repo, "--staged", "--json") == 1
    assert sorted(row[2] for row in lines(capsys)) == ["anchor", "schema"]


def test_paths_and_staged_together_are_wrong_usage(repo: Path) -> None:
    assert validate(repo, "--staged", "x.yaml") == 2
