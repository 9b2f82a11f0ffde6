"""What all tests share: a home of their own, git with a fixed identity, and the optional measuring data."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from omp import cli

Omp = Callable[..., tuple[int, str, str]]
_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole run: compiling the masking rules takes seconds."""
    return tmp_path_factory.mktemp("omp-cache")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, cache_dir: Path) -> None:
    """No test reads or writes the home folder of whoever runs it, nor inherits git settings."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "OMP_", "CLAUDE_", "CODEX_", "GEMINI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    monkeypatch.setenv("OMP_DATA_DIR", str(home / "omp-data"))
    monkeypatch.setenv("OMP_CACHE_DIR", str(cache_dir))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test Person")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.invalid")
        monkeypatch.setenv(f"GIT_{who}_DATE", "2026-03-02T10:00:00Z")
    return


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A fresh git repository on branch main, without a commit."""
    folder = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


@pytest.fixture
def shared() -> Path:
    """The measuring data beside the project; the test is skipped, saying so, where it is absent."""
    if not (_SHARED / "data").is_dir():
        pytest.skip("the measuring data is not beside the project")
    return _SHARED


@pytest.fixture
def omp(repo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Omp:
    """Run a command in the repository: (exit status, standard output, standard error)."""
    monkeypatch.chdir(repo)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = cli.run(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
