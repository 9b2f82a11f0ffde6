"""All of git: plumbing by subprocess, history through GitPython (opened, used, closed).

Nothing here moves HEAD, touches the index, runs a hook or asks for a key. Every call has a time limit, inherits no
`GIT_*` variable, takes no optional lock and never prompts.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from omp.errors import OmpError, UsageError
from omp.model import Struct

TIME_LIMIT = 20.0
"""Seconds a git call may take; index-free plumbing on large repositories stays far below it."""

_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_BUSY = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


class Repo(Struct, frozen=True, kw_only=True):
    """Where a repository lies. `work_tree` is "" for a bare one; paths are real and absolute."""

    work_tree: str
    git_dir: str
    common_dir: str

    @property
    def root(self) -> Path:
        """The work tree. Raises UsageError for a bare repository."""
        if not self.work_tree:
            raise UsageError(f"{self.common_dir} is a bare repository", "run omp in a work tree")
        return Path(self.work_tree)

    @property
    def memory(self) -> Path:
        """`_omp/memory` in the work tree."""
        return self.root / "_omp" / "memory"

    @property
    def local(self) -> Path:
        """The folder of what is local and not rebuildable; never touched by `git clean` or `git worktree remove`."""
        return Path(self.common_dir) / "omp"


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Give the environment for a git call in the background: no `GIT_*` of the caller, no prompts, no locks."""
    kept = {k: v for k, v in inherited.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG_NOSYSTEM")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


def run(
    arguments: Sequence[str], cwd: Path | str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), index: str = ""
) -> bytes:
    """Run git and give its standard output. Raises OmpError when it fails, takes too long or is not installed.

    `index` is the index to look at when it is not the repository's own (git names it to hooks of `git commit -a`).
    """
    env = environment(os.environ) | ({"GIT_INDEX_FILE": index} if index else {})
    command = ["git", *_QUIET, *arguments]
    try:
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=TIME_LIMIT, env=env)
    except FileNotFoundError as error:
        if not Path(cwd).is_dir():
            raise UsageError(f"there is no folder {cwd}") from error
        raise OmpError("git is not installed or not on PATH", "install git 2.30 or newer") from error
    except subprocess.TimeoutExpired as error:
        raise OmpError(f"git {arguments[0]} took more than {TIME_LIMIT:g} s in {cwd}") from error
    if done.returncode not in ok:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OmpError(f"git {arguments[0]} failed in {cwd}: {said[-1] if said else f'status {done.returncode}'}")
    return done.stdout


def find(folder: Path | str) -> Repo:
    """Find the repository that holds `folder`. Raises UsageError where there is none."""
    try:
        out = run(
            ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--is-bare-repository"], folder
        )
    except UsageError:
        raise
    except OmpError as error:
        if "not a git repository" in error.message:
            raise UsageError(
                f"{folder} is not in a git repository", "run git init there, or give --repo DIR"
            ) from error
        raise
    git_dir, common_dir, bare = out.decode("utf-8", "surrogateescape").split("\n")[:3]
    top = ""
    if bare != "true":
        top = run(["rev-parse", "--show-toplevel"], folder).decode("utf-8", "surrogateescape").rstrip("\n")
    return Repo(
        work_tree=os.path.realpath(top) if top else "",
        git_dir=os.path.realpath(git_dir),
        common_dir=os.path.realpath(common_dir),
    )


def branch(repo: Repo) -> str:
    """Give the present branch, "" when HEAD is detached. Reads one file; works before the first commit."""
    try:
        head = Path(repo.git_dir, "HEAD").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def branch_exists(repo: Repo, name: str) -> bool:
    """Tell whether a local branch of this name exists."""
    if name.startswith("-"):
        return False
    arguments = ["for-each-ref", "--format=%(refname)", f"refs/heads/{name}"]
    return f"refs/heads/{name}" in run(arguments, repo.work_tree or repo.common_dir).decode("utf-8", "replace").split(
        "\n"
    )


def busy(repo: Repo) -> str:
    """Name the operation that is open (merge, rebase, cherry-pick, revert, bisect), "" when there is none."""
    return next((name for mark, name in _BUSY.items() if Path(repo.git_dir, mark).exists()), "")


def work_trees(repo: Repo) -> list[Path]:
    """List the work trees of the repository, linked ones included, those that still exist."""
    out = run(["worktree", "list", "--porcelain", "-z"], repo.work_tree or repo.common_dir)
    listed = [
        f[len("worktree ") :] for f in out.decode("utf-8", "surrogateescape").split("\0") if f.startswith("worktree ")
    ]
    return [Path(os.path.realpath(p)) for p in listed if Path(p).is_dir()]


def config(repo: Repo, name: str) -> str:
    """Give a value of git's configuration, "" when it is not set."""
    return run(["config", "--get", name], repo.work_tree or repo.common_dir, ok=(0, 1)).decode().rstrip("\n")


def hooks_folder(repo: Repo) -> tuple[Path, bool]:
    """Give the folder hooks run from, and whether `core.hooksPath` moved it there."""
    done = subprocess.run(
        ["git", "config", "--get", "core.hooksPath"],
        cwd=repo.root,
        capture_output=True,
        timeout=TIME_LIMIT,
        env=environment(os.environ),
    )
    moved = done.stdout.decode("utf-8", "surrogateescape").strip()
    if moved:
        return repo.root / Path(moved).expanduser(), True
    return Path(repo.common_dir) / "hooks", False


@contextmanager
def history(repo: Repo) -> Iterator[Any]:
    """Open the repository with GitPython for reading history; closed when the block ends."""
    import git

    opened = git.Repo(repo.work_tree or repo.common_dir)
    try:
        yield opened
    finally:
        opened.close()


def first_commit_with(repo: Repo, text: str, path: str) -> tuple[str, str, str, str] | None:
    """Give (commit, author, ISO date, subject) of the first commit that brought `text` into `path`, or None."""
    with history(repo) as opened:
        if not opened.head.is_valid():
            return None
        for commit in opened.iter_commits("HEAD", paths=path, reverse=True, max_count=5000):
            try:
                blob = commit.tree / path
            except KeyError:
                continue
            if text.encode() in blob.data_stream.read():
                return (
                    commit.hexsha,
                    str(commit.author.name),
                    commit.committed_datetime.isoformat(),
                    str(commit.summary),
                )
    return None
