"""What `omp validate` does, without click: a commit hook pays for every import.

`quick` answers plain calls before the command line is loaded; the click command in `validate.py` answers the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from omp import checks
from omp.checks.files import problem
from omp.errors import OmpError
from omp.model import Finding, Problem

_SKIPPED = frozenset({".backup", ".staging", ".state"})


def validate(
    paths: Sequence[Path] = (),
    staged: bool = False,
    strict: bool = False,
    as_json: bool = False,
    repo_dir: Path | None = None,
) -> int:
    """Check files, the work tree or what is staged; print what is found; give the exit status."""
    if staged:
        return check_staged(repo_dir, strict, as_json)
    if paths:
        return report(_check_paths(paths, repo_dir), strict, as_json)
    root = _root(repo_dir)
    if not (root / "_omp").is_dir():
        _say(f"there is no _omp/ in {root}: nothing to check (omp init makes one)")
        return int(strict)
    return report(_check_tree(root, repo_dir), strict, as_json)


def quick(arguments: Sequence[str]) -> int | None:
    """Answer `omp validate` with these arguments if they are simple; None leaves them to the whole command line.

    Raises what `validate` raises; the caller is the error boundary.
    """
    flags = {"--staged", "--strict", "--json"}
    given = {a for a in arguments if a in flags}
    paths = [a for a in arguments if a not in flags]
    if any(a.startswith("-") or not a for a in paths) or (paths and "--staged" in given):
        return None
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    return validate([Path(p) for p in paths], "--staged" in given, "--strict" in given, "--json" in given)


def _say(message: str) -> None:
    print(message, file=sys.stderr)


def report(problems: Sequence[Problem], strict: bool, as_json: bool) -> int:
    for p in problems:
        if as_json:
            print(msgspec.json.encode({name: getattr(p, name) for name in p.__struct_fields__}).decode())
        else:
            print(f"{p.path}:{p.line}:{p.column}: {p.code}: {p.message}")
            if p.hint:
                _say(f"    {p.severity}; to mend it: {p.hint}")
    errors = sum(p.severity == "error" for p in problems)
    if problems and not as_json:
        _say(f"errors: {errors}, warnings: {len(problems) - errors}")
    return int(bool(errors or (strict and problems)))


def _root(repo_dir: Path | None) -> Path:
    from omp import git

    return git.find(Path.cwd() if repo_dir is None else repo_dir).root


def _check_tree(root: Path, repo_dir: Path | None) -> list[Problem]:
    files, problems = _read(_listed(root / "_omp"), lambda p: p.relative_to(root).as_posix())
    return [*problems, *checks.run(files, _gate(repo_dir))]


def _check_paths(paths: Sequence[Path], repo_dir: Path | None) -> list[Problem]:
    listed = [p for given in paths for p in (_listed(given) if given.is_dir() else [given])]
    files, problems = _read(listed, str)

    def others(folder: str) -> Mapping[str, bytes]:
        return _read([p for p in _listed(Path(folder)) if str(p) not in files], str)[0]

    return [*problems, *checks.run(files, _gate(repo_dir), others)]


def _listed(folder: Path) -> list[Path]:
    """Every YAML file below a folder that is ours to check, sorted; no link is followed."""
    out: list[Path] = []
    for place, folders, names in os.walk(folder, followlinks=False):
        out += [Path(place, d) for d in folders if Path(place, d).is_symlink()]
        folders[:] = sorted(d for d in folders if d not in _SKIPPED and not d.startswith(".git"))
        out += [Path(place, n) for n in names if n.endswith((".yaml", ".yml"))]
    return sorted(out)


def _read(paths: Sequence[Path], name: Callable[[Path], str]) -> tuple[dict[str, bytes], list[Problem]]:
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    for path in paths:
        shown = name(path)
        if path.is_symlink() and "_omp" in path.absolute().parts:
            problems.append(problem(shown, 1, 1, "link", "a symbolic link; none is followed"))
            continue
        if path.exists() and not path.is_file():
            problems.append(problem(shown, 1, 1, "unreadable", "no ordinary file"))
            continue
        try:
            files[shown] = path.read_bytes()
        except OSError as error:
            problems.append(problem(shown, 1, 1, "unreadable", error.strerror or "cannot be opened"))
    return files, problems


def _gate(repo_dir: Path | None) -> Callable[[bytes], list[Finding]]:
    """The masking engine behind a door that opens only when something looks like a secret."""
    opened: list[Callable[[bytes], list[Finding]]] = []

    def gate(data: bytes) -> list[Finding]:
        if not opened:
            from omp.commands._workspace import open_workspace

            opened.append(open_workspace(repo_dir, need_repo=False).redactor.gate)
        return opened[0](data)

    return gate


def check_staged(repo_dir: Path | None, strict: bool, as_json: bool) -> int:
    """The commit hook: a fault of ours prints a line and lets the commit pass, unless `--strict`."""
    from omp.checks import staged

    try:
        root = _root(repo_dir)
        if not (root / "_omp").is_dir() and not _git(root)(["ls-files", "--", ":(top)_omp"], b""):
            _say(f"there is no _omp/ in {root}: nothing to check")
            return int(strict)
        problems = staged.problems(_git(root), _gate(repo_dir))
    except OmpError as error:
        if strict:
            raise
        _say(f"omp: could not check what is staged ({error.message}); the commit goes on")
        return 0
    except Exception as error:  # a fault of ours must never stop somebody's commit
        if strict:
            raise
        _say(f"omp: a fault in omp ({type(error).__name__}) kept it from checking what is staged; the commit goes on")
        _say("  omp validate --staged --strict shows it whole")
        return 0
    return report(problems, strict, as_json)


def _git(root: Path) -> Callable[[Sequence[str], bytes], bytes]:
    """Git as the hook needs it: with the index of the commit being made, which need not be the repository's own."""
    from omp import git

    told = os.environ.get("GIT_INDEX_FILE", "")
    index = str(Path(told).absolute()) if told else ""
    return lambda arguments, stdin: git.run(arguments, root, stdin, index=index)
