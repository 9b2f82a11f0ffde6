"""git is asked, never disturbed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from omp import git
from omp.errors import UsageError


def sh(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True, text=True).stdout


def commit(repo: Path, name: str, text: str) -> None:
    (repo / name).write_text(text)
    sh(repo, "add", name)
    sh(repo, "commit", "-q", "-m", f"add {name}")


def test_a_repository_is_found_from_below_and_linked_work_trees_share_its_folder(repo: Path) -> None:
    commit(repo, "a", "1")
    (repo / "sub" / "dir").mkdir(parents=True)
    found = git.find(repo / "sub" / "dir")
    assert found.root == repo
    linked = repo.parent / "linked 工作树"
    sh(repo, "worktree", "add", "-q", str(linked), "-b", "side")
    other = git.find(linked)
    assert (other.common_dir, other.work_tree) == (found.common_dir, str(linked))
    assert (git.branch(found), git.branch(other)) == ("main", "side")
    assert git.work_trees(found) == [repo, linked]


def test_outside_a_repository_and_in_a_bare_one_the_message_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        git.find(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "b.git")], check=True)
    with pytest.raises(UsageError, match="bare"):
        _ = git.find(tmp_path / "b.git").root


def test_an_open_merge_is_named(repo: Path) -> None:
    commit(repo, "a", "1")
    assert git.busy(git.find(repo)) == ""
    (repo / ".git" / "MERGE_HEAD").write_text("0" * 40)
    assert git.busy(git.find(repo)) == "merge"


def test_branches_are_known_by_their_whole_name(repo: Path) -> None:
    commit(repo, "a", "1")
    sh(repo, "branch", "feature/x")
    found = git.find(repo)
    assert git.branch_exists(found, "feature/x")
    assert not git.branch_exists(found, "feature")
    assert not git.branch_exists(found, "--all")


def test_a_moved_hooks_path_is_seen(repo: Path) -> None:
    found = git.find(repo)
    assert git.hooks_folder(found) == (repo / ".git" / "hooks", False)
    sh(repo, "config", "core.hooksPath", ".githooks")
    assert git.hooks_folder(found) == (repo / ".githooks", True)


def test_the_commit_that_brought_a_text_is_the_first_one(repo: Path) -> None:
    assert git.first_commit_with(git.find(repo), "dec-1", "m.yaml") is None
    commit(repo, "m.yaml", "nothing")
    commit(repo, "m.yaml", "id: dec-1")
    commit(repo, "m.yaml", "id: dec-1 and more")
    found = git.first_commit_with(git.find(repo), "dec-1", "m.yaml")
    assert found is not None
    assert found[0] == sh(repo, "rev-parse", "HEAD~1").strip()


def test_background_calls_inherit_no_git_variables_and_take_no_locks() -> None:
    env = git.environment({"GIT_DIR": "/elsewhere", "GIT_INDEX_FILE": "x", "PATH": "/bin"})
    assert "GIT_DIR" not in env
    assert "GIT_INDEX_FILE" not in env
    assert (env["GIT_OPTIONAL_LOCKS"], env["GIT_TERMINAL_PROMPT"], env["PATH"]) == ("0", "0", "/bin")
