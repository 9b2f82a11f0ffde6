"""From outside: the wheel is built, installed bare into an environment of its own, and run."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network: what builds it is one of the development dependencies."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it says it needs, nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    command = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--no-input", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode and any(sign in done.stderr for sign in ("ConnectionError", "name resolution", "timed out")):
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    return programs


def test_the_wheel_carries_what_it_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert "omp" in tops
    assert all(top == "omp" or top.endswith(".dist-info") for top in tops)
    shipped = {"omp/templates/config.yaml", "omp/templates/pre-commit", "omp/references/problems.md", "omp/py.typed"}
    assert shipped <= set(names)
    assert {f"omp/rules/{p.name}" for p in (ROOT / "omp" / "rules").glob("*.yaml")} <= set(names)


def test_installed_bare_it_sets_up_a_repository_and_validates_it(bare: Path, repo: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([str(bare / "omp"), *arguments], cwd=repo, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    assert run("--version").stdout.startswith("omp")
    run("init", "--yes")
    assert (repo / "_omp/memory/decisions.yaml").is_file()
    assert (repo / ".git/hooks/pre-commit").is_file()
    run("validate")
    run("remember", "Prices are kept in cents, never as floating point numbers.", "--kind", "constraint")
    assert "cents" in run("search", "how are prices kept").stdout
    run("validate", "--strict")
    subprocess.run(["git", "add", "-A"], cwd=repo, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "Begin"], cwd=repo, check=True)


def test_installed_bare_both_names_start_it(bare: Path) -> None:
    for name in ("omp", "omp-memory"):
        done = subprocess.run([str(bare / name), "--help"], capture_output=True, text=True)
        assert done.returncode == 0
        assert "validate" in done.stdout
