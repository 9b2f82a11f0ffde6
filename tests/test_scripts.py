"""The contributors' scripts, as they are started: real processes, a copied checkout, the demonstration itself."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ("run", "test", "check", "bench")


def start(*command: str | Path, **surroundings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **surroundings},
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the scripts beside a pyproject.toml, without an environment."""
    folder = tmp_path / "check out"
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def load(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", folder / "scripts" / "environment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`scripts/environment.py` of the copy, installing nothing: what it would install is written down instead."""
    module = load(checkout)
    asked: list[list[str]] = []
    monkeypatch.setattr(module, "asked", asked, raising=False)

    def make(folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").symlink_to(sys.executable)

    monkeypatch.setattr(module, "_make", make)
    monkeypatch.setattr(module, "_install", lambda python, extras: asked.append(list(extras)))
    return module


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_needs_no_package_and_makes_no_environment(name: str, checkout: Path) -> None:
    # -S: no installed package can be imported
    done = start(sys.executable, "-S", checkout / "scripts" / name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"scripts/{name}" in done.stdout
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--once"], "--once goes with DIR"),
        (["no-such-folder"], "there is no folder no-such-folder"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_run_refuses_wrong_usage_before_installing_anything(
    arguments: list[str], complaint: str, checkout: Path
) -> None:
    done = start(checkout / "scripts" / "run", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_second_start_installs_nothing(environment: ModuleType) -> None:
    first = environment.prepare()
    assert environment.prepare() == first
    assert environment.asked == [[]]


def test_an_environment_with_more_serves_those_who_need_less(environment: ModuleType) -> None:
    for extra in ("", "dev", "", "dev"):
        environment.prepare(extra)
    assert environment.asked == [[], ["dev"]]


def test_changed_dependencies_are_installed(environment: ModuleType, checkout: Path) -> None:
    environment.prepare("dev")
    with (checkout / "pyproject.toml").open("a") as out:
        out.write("# changed\n")
    environment.prepare()
    assert environment.asked == [["dev"], ["dev"]]


def test_another_python_in_it_means_installing_anew(environment: ModuleType, checkout: Path) -> None:
    environment.prepare()
    stamp = checkout / ".venv" / environment.STAMP
    stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "python": "3.11.0"}))
    environment.prepare()
    assert environment.asked == [[], []]


def test_an_environment_that_broke_is_made_anew(environment: ModuleType, checkout: Path) -> None:
    python = environment.prepare()
    python.unlink()
    python.symlink_to("/nowhere/python3")
    environment.prepare()
    assert environment.asked == [[], []]


def test_an_interrupted_installation_is_taken_up_again(
    environment: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(python: Path, extras: list[str]) -> None:
        raise environment.Trouble("the package index cannot be reached", "look at the network")

    with monkeypatch.context() as patch:
        patch.setattr(environment, "_install", fail)
        with pytest.raises(environment.Trouble):
            environment.prepare()
    environment.prepare()
    assert environment.asked == [[]]


def test_a_folder_of_somebody_else_is_not_removed(environment: ModuleType, checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "notes.txt").write_text("mine")
    with pytest.raises(environment.Trouble, match="no Python environment that works"):
        environment.prepare()
    assert (checkout / ".venv" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("elsewhere", ["/somewhere/else", "../beside", "."])
def test_the_environment_lies_in_the_checkout(
    elsewhere: str, environment: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_VENV", elsewhere)
    with pytest.raises(environment.Trouble, match="outside this checkout"):
        environment.prepare()


def test_trouble_is_told_in_a_sentence_with_its_mend(
    environment: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    def troubled() -> int:
        raise environment.Trouble("this Python lacks its module venv", "install it")

    assert environment.start("scripts/run", troubled) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "scripts/run: this Python lacks its module venv\n  to mend it: install it\n"


def test_an_old_python_is_told_what_is_needed(environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "OLDEST", (4, 0))
    with pytest.raises(environment.Trouble, match=r"Python 4\.0 or newer is needed"):
        environment._find_python()


def test_a_python_that_lacks_venv_is_told_so(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(checkout)
    python = checkout / "python"
    python.write_text("#!/bin/sh\n[ \"$1\" = -I ] && echo 3.12.1 && exit 0\necho 'No module named venv' >&2; exit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(module, "_find_python", lambda: python)
    with pytest.raises(module.Trouble, match="lacks its module venv"):
        module._make(checkout / ".venv")
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("Failed to establish a new connection: NewConnectionError", "the package index cannot be reached"),
        ("Temporary failure in name resolution", "the package index cannot be reached"),
        ("ERROR: No matching distribution found for numpy", "pip could not install the project: ERROR: No matching"),
    ],
)
def test_a_failed_installation_says_why(said: str, complaint: str, checkout: Path) -> None:
    module = load(checkout)
    python = checkout / "python"
    python.write_text(f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
    python.chmod(0o755)
    with pytest.raises(module.Trouble, match=complaint):
        module._install(python, ["dev"])


def test_ci_runs_the_checks_then_the_tests_in_a_clean_environment(checkout: Path) -> None:
    (checkout / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", checkout / ".ci")
    (checkout / "build" / "ci").mkdir(parents=True)
    (checkout / "build" / "ci" / "left-over").write_text("")
    for name, status in (("check", 3), ("test", 0)):
        script = checkout / "scripts" / name
        script.write_text(
            f'#!/bin/sh\necho "{name} in $OMP_VENV, left over: $(ls "$OMP_VENV" 2>/dev/null)"\nexit {status}\n'
        )
    done = start(checkout / ".ci" / "run", CI="true")
    assert done.stdout.splitlines() == [f"{name} in build/ci, left over: " for name in ("check", "test")]
    assert done.returncode == 3


def test_references_are_in_step() -> None:
    done = start(sys.executable, ROOT / "scripts" / "references.py")
    assert done.returncode == 0, done.stdout


WATCH = """
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
sys.path.insert(0, sys.argv[1])
loader = SourceFileLoader("run", sys.argv[1] + "/run")
run = module_from_spec(spec_from_loader("run", loader))
loader.exec_module(run)
sys.exit(run.watch(sys.argv[2], Path(sys.argv[3]), True))
"""


@pytest.mark.timeout(300)
def test_run_in_a_repository_sets_it_up_and_learns_from_its_logs(repo: Path, tmp_path: Path) -> None:
    said = {
        "type": "user", "uuid": "2c5a1d7e-0000-4000-8000-000000000001", "parentUuid": None, "sessionId": "one",
        "cwd": str(repo), "gitBranch": "main", "timestamp": datetime.now(UTC).isoformat(), "isSidechain": False,
        "message": {"role": "user", "content": "Invoices must never be deleted, only cancelled."},
    }  # fmt: skip
    log = tmp_path / "claude" / "projects" / re.sub("[^A-Za-z0-9-]", "-", str(repo)) / "one.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps(said) + "\n", encoding="utf-8")
    command: list[str | Path] = [
        sys.executable,
        "-c",
        WATCH,
        ROOT / "scripts",
        Path(sys.executable).with_name("omp"),
        repo,
    ]
    surroundings = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CODEX_HOME": str(tmp_path / "codex")}

    first = start(*command, **surroundings)
    assert first.returncode == 0, first.stderr
    assert "made _omp/config.yaml" in first.stdout
    assert "only cancelled" in (repo / "_omp/memory/constraints.yaml").read_text(encoding="utf-8")
    before = {p: p.read_bytes() for p in (repo / "_omp").rglob("*") if p.is_file()}

    second = start(*command, **surroundings)
    assert second.returncode == 0, second.stderr
    assert "_omp/" not in second.stdout
    assert {p: p.read_bytes() for p in (repo / "_omp").rglob("*") if p.is_file()} == before


def test_run_outside_a_repository_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    done = start(sys.executable, "-c", WATCH, ROOT / "scripts", Path(sys.executable).with_name("omp"), folder)
    assert done.returncode not in (0, 3)
    assert "git" in done.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.timeout(300)
def test_the_demonstration_keeps_its_promises() -> None:
    done = start(sys.executable, ROOT / "scripts" / "demo" / "driver.py")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    assert done.stdout.rstrip().splitlines()[-1].startswith("Everything was shown as promised")
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.timeout(300)
def test_bench_measures_ratios() -> None:
    done = start(sys.executable, ROOT / "scripts" / "measure.py", "--json", "--entries", "200", "--repeat", "1")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["entries"] == 200
    ratios = {row["name"]: row["ratio"] for row in told["rows"]}
    assert len(ratios) >= 6
    assert all(ratio > 0 for ratio in ratios.values())
