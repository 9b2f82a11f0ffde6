"""The daemon as a real process: what is said while it runs can be found; there is one; it ends when told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logs import claude_folder, claude_line

LIMIT = 60.0
"""Seconds after which something that should happen did not; no speed is measured here."""


class Daemon:
    """`omp watch` in a process of its own, its talk collected in a file."""

    def __init__(self, repo: Path, talk: Path) -> None:
        self.repo, self.talk = repo, talk
        self.out = talk.open("wb")
        command = [sys.executable, "-m", "omp", "watch"]
        self.process = subprocess.Popen(command, cwd=repo, stderr=self.out, stdin=subprocess.DEVNULL)

    def wait_for(self, word: str) -> None:
        """Wait until the daemon says something."""
        until = time.monotonic() + LIMIT
        while word not in self.talk.read_text("utf-8"):
            assert time.monotonic() < until, self.talk.read_text("utf-8")
            assert self.process.poll() is None, self.talk.read_text("utf-8")
            time.sleep(0.02)


def omp(repo: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "omp", *arguments], cwd=repo, capture_output=True, text=True, timeout=LIMIT
    )


@pytest.fixture
def watched(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Daemon, Path]]:
    """A repository with a running daemon and the folder of its agent's logs."""
    home = repo.parent / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    folder = claude_folder(home, repo)
    assert omp(repo, "init", "--yes").returncode == 0
    daemon = Daemon(repo, repo.parent / "talk.txt")
    daemon.wait_for("watching")
    yield repo, daemon, folder
    if daemon.process.poll() is None:
        daemon.process.kill()
    daemon.process.wait()
    daemon.out.close()


def append(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as out:
        out.write(line)


def until_found(repo: Path, query: str, word: str) -> None:
    until = time.monotonic() + LIMIT
    while word not in (out := omp(repo, "search", query, "--json").stdout):
        assert time.monotonic() < until, out


def test_what_is_said_while_it_runs_is_found_and_filed(watched: tuple[Path, Daemon, Path]) -> None:
    repo, daemon, folder = watched
    log = folder / "s-1.jsonl"
    append(log, claude_line(1, "hello, please look at the build", cwd=repo))
    append(log, claude_line(2, "Remember this: the staging database is refreshed every Monday.", cwd=repo))
    until_found(repo, "staging database", "refreshed every Monday")
    append(log, claude_line(3, "我们决定缓存用 Valkey。", cwd=repo))
    until_found(repo, "缓存", "Valkey")
    append(log, claude_line(4, "bye", cwd=repo))
    daemon.wait_for("learnt   decision")
    assert "Valkey" in (repo / "_omp" / "memory" / "decisions.yaml").read_text("utf-8")
    assert omp(repo, "validate").returncode == 0


def test_there_is_one_daemon_and_it_ends_when_told(watched: tuple[Path, Daemon, Path]) -> None:
    repo, daemon, _ = watched
    second = omp(repo, "watch")
    assert second.returncode == 1
    assert "runs already" in second.stderr
    status = json.loads(omp(repo, "status", "--json").stdout)
    assert status["daemon"]["pid"] == daemon.process.pid
    assert omp(repo, "stop").returncode == 0
    assert daemon.process.wait(LIMIT) == 0
    assert omp(repo, "stop").stdout.strip() == "no daemon runs here"


def test_after_a_kill_the_next_one_starts_and_a_stranger_is_left_alone(watched: tuple[Path, Daemon, Path]) -> None:
    repo, daemon, _ = watched
    daemon.process.kill()
    daemon.process.wait()
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        state = repo / ".git" / "omp" / "daemon.json"
        state.write_text(json.dumps({"pid": stranger.pid, "since": "2026-03-02T10:00:00Z"}))
        assert "no daemon" in omp(repo, "stop").stdout
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
    following = Daemon(repo, repo.parent / "talk2.txt")
    following.wait_for("watching")
    assert omp(repo, "stop").returncode == 0
    assert following.process.wait(LIMIT) == 0
    following.out.close()


def test_a_folder_that_comes_later_is_watched(watched: tuple[Path, Daemon, Path]) -> None:
    repo, _, folder = watched
    folder.rmdir()
    folder.mkdir()
    (folder / "s-9.jsonl").write_text(
        claude_line(1, "Remember this: releases are tagged by Dana.", cwd=repo, session="s-9"), "utf-8"
    )
    until_found(repo, "who tags releases", "Dana")


def test_nothing_of_the_daemon_is_inherited_from_git_hooks(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    omp(repo, "init", "--yes")
    monkeypatch.setenv("GIT_DIR", os.devnull)
    assert omp(repo, "status", "--json").returncode == 0


def test_what_a_killed_daemon_left_open_is_filed_by_the_next_one_even_if_its_log_is_gone(
    watched: tuple[Path, Daemon, Path],
) -> None:
    repo, daemon, folder = watched
    log = folder / "s-1.jsonl"
    append(log, claude_line(1, "We decided to use Valkey for the cache.", cwd=repo))
    until_found(repo, "which cache", "Valkey")
    daemon.process.kill()
    daemon.process.wait()
    assert "Valkey" not in (repo / "_omp" / "memory" / "decisions.yaml").read_text("utf-8")
    log.unlink()
    following = Daemon(repo, repo.parent / "talk2.txt")
    following.wait_for("watching")
    assert "Valkey" in (repo / "_omp" / "memory" / "decisions.yaml").read_text("utf-8")
    assert omp(repo, "stop").returncode == 0
    following.process.wait(LIMIT)
    following.out.close()
