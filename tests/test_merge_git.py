"""The merge driver under real git: set by `omp init --yes`, and whatever becomes of the program, no side is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from omp.commands._driver import driver

FILE = "_omp/memory/decisions.yaml"
PROGRAM = Path(sys.executable).parent / "omp-memory"


def git(repo: Path, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode in ok, done.stderr
    return done.stdout


def entry(number: int, choice: str) -> str:
    return (
        f"\n  - id: dec-aaaaaaaa{number}{number}\n    kind: decision\n    claim: the claim {number}\n"
        f"    choice: {choice}\n    timestamps:\n      created_at: '2026-03-0{number}T10:00:00Z'\n"
    )


def commit(repo: Path, *entries: str) -> None:
    (repo / FILE).write_text("version: 1\ndecisions:\n" + "".join(entries), "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a change", "--no-verify")


@pytest.fixture
def sides(repo: Path) -> Path:
    """Main and topic both added an entry at the same place; main is checked out."""
    (repo / FILE).parent.mkdir(parents=True)
    (repo / "_omp/.gitattributes").write_text("memory/*.yaml merge=omp\n", "utf-8")
    commit(repo, entry(2, "alpha"))
    git(repo, "checkout", "-qb", "topic")
    commit(repo, entry(2, "alpha"), entry(4, "from topic"))
    git(repo, "checkout", "-q", "main")
    commit(repo, entry(2, "alpha"), entry(3, "from main"))
    return repo


def set_driver(repo: Path, program: Path) -> None:
    git(repo, "config", "merge.omp.driver", driver(str(program)))


def test_both_sides_entries_merge_without_a_person(sides: Path) -> None:
    set_driver(sides, PROGRAM)
    git(sides, "merge", "-q", "--no-edit", "topic")
    text = (sides / FILE).read_text("utf-8")
    assert [line for line in text.splitlines() if "id:" in line] == [f"  - id: dec-aaaaaaaa{n}{n}" for n in (2, 3, 4)]
    assert git(sides, "status", "--porcelain") == ""


def test_a_field_changed_on_both_sides_stops_the_merge_and_holds_both(sides: Path) -> None:
    set_driver(sides, PROGRAM)
    git(sides, "checkout", "-q", "topic")
    commit(sides, entry(2, "beta"))
    git(sides, "checkout", "-q", "main")
    commit(sides, entry(2, "gamma"))
    git(sides, "merge", "-q", "--no-edit", "topic", ok=(1,))
    text = (sides / FILE).read_text("utf-8")
    assert "status: detected" in text
    assert "- beta" in text
    assert "- gamma" in text
    assert "<<<<" not in text


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("", id="removed"),
        pytest.param("exit 3", id="crashing"),
        pytest.param('echo rubbish > "$6"; kill -9 $$', id="killed"),
        pytest.param("exit 0", id="foreign, says nothing and succeeds"),
        pytest.param('echo done; echo "" > "$6"; exit 0', id="foreign, writes rubbish"),
    ],
)
def test_without_omp_both_sides_stand_between_markers(sides: Path, tmp_path: Path, script: str) -> None:
    program = tmp_path / "a folder 100%" / "omp-memory"
    if script:
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        program.chmod(0o755)
    set_driver(sides, program)
    git(sides, "merge", "-q", "--no-edit", "topic", ok=(1,))
    text = (sides / FILE).read_text("utf-8")
    assert "from main" in text
    assert "from topic" in text
    assert "<<<<<<< " in text
    assert git(sides, "status", "--porcelain") == f"UU {FILE}\n"


def test_init_sets_the_driver_only_when_told(repo: Path) -> None:
    subprocess.run([str(PROGRAM), "init"], cwd=repo, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert git(repo, "config", "--get", "merge.omp.driver", ok=(1,)) == ""
    subprocess.run([str(PROGRAM), "init", "--yes"], cwd=repo, check=True, capture_output=True)
    assert str(PROGRAM) in git(repo, "config", "--get", "merge.omp.driver")


def omp(repo: Path, *arguments: str, ok: int = 0) -> str:
    done = subprocess.run([str(PROGRAM), *arguments], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == ok, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("take", "stands"), [("ours", "gamma"), ("theirs", "beta"), ("delta 第三", "delta 第三")])
def test_resolve_settles_a_field_and_it_does_not_come_back(sides: Path, take: str, stands: str) -> None:
    omp(sides, "init", "--yes")
    git(sides, "checkout", "-q", "topic")
    commit(sides, entry(2, "beta"))
    git(sides, "checkout", "-q", "main")
    commit(sides, entry(2, "gamma"))
    git(sides, "merge", "-q", "--no-edit", "topic", ok=(1,))
    omp(sides, "validate", ok=1)
    omp(sides, "resolve", "dec-aaaaaaaa22", "--take", take)
    text = (sides / FILE).read_text("utf-8")
    assert f"choice: {stands}\n" in text
    assert "status: resolved" in text
    git(sides, "add", "-A")
    git(sides, "commit", "-qm", "merged", "--no-verify")
    git(sides, "checkout", "-q", "topic")
    git(sides, "commit", "-q", "--allow-empty", "-m", "goes on", "--no-verify")
    git(sides, "merge", "-q", "--no-edit", "main")
    assert f"choice: {stands}\n" in (sides / FILE).read_text("utf-8")
