"""The journal: every write as a commit of our own; nothing of it in the user's repository, nothing lost without it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest

from omp.store import Batch, MemoryDir, history, journal
from tests.store.support import NOW, SECRET, decision, entries_of, gate, lesson, open_dir

FIRST, SECOND = decision("We keep memories in YAML"), decision("缓存改用 Valkey")


def of_repo(repo: Path, **more: object) -> MemoryDir:
    """Open the memory of a real repository."""
    common = subprocess.run(
        ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"],
        cwd=repo, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    root = repo / "_omp" / "memory"
    root.mkdir(parents=True, exist_ok=True)
    return MemoryDir(root, Path(common) / "omp", gate, clock=lambda: NOW, work_tree=str(repo), branch="main")


def journalled(memory: MemoryDir) -> dict[str, object]:
    """Give what the journal's last commit holds, by id."""
    book = memory.journal
    read = history.objects(book, book.tree(book.head()).values())
    return {m.id: m for m, _ in read.values()}


def reasons(memory: MemoryDir) -> list[str]:
    """Give the reasons of all writes, the oldest first."""
    return [c.reason for c in reversed(history.changes(memory.journal))]


def test_each_write_is_a_commit_with_the_entries_it_changed(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND), reason="watch"))
    changed = msgspec.structs.replace(FIRST, marked=True)
    memory.apply(Batch(put=(changed,), remove=(SECOND.id,), reason="review"))
    last, first = history.changes(memory.journal)
    assert [(e.id, e.verb) for e in sorted(last.entries, key=lambda e: e.verb)] == [
        (FIRST.id, "changed"),
        (SECOND.id, "removed"),
    ]
    assert (first.reason, last.reason, last.branch, last.at) == ("watch", "review", "main", NOW)
    assert journalled(memory) == {FIRST.id: changed}


def test_what_was_changed_by_hand_is_recorded_as_outside_before_the_next_write(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND), reason="watch"))
    path = memory.root / "decisions.yaml"
    path.write_text(path.read_text().replace("We keep memories in YAML", "We keep them in YAML files"))
    other = open_dir(tmp_path)
    other.apply(Batch(put=(lesson("Retries need a limit"),), reason="watch"))
    assert reasons(memory) == ["watch", "outside", "watch"]
    assert history.changes(memory.journal)[1].entries[0].id == FIRST.id
    assert journalled(memory) == entries_of(other)


def test_a_secret_typed_by_hand_stays_out_of_the_journal(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND), reason="watch"))
    path = memory.root / "decisions.yaml"
    path.write_text(path.read_text().replace("We keep memories in YAML", f"We keep {SECRET} in YAML"))
    open_dir(tmp_path).apply(Batch(put=(decision("Tests run offline"),), reason="watch"))
    said = memory.journal.git("log", "-p", memory.journal.ref)
    assert SECRET.encode() not in said
    assert b"Tests run offline" in said


def test_nothing_of_it_shows_in_the_repository_of_the_user(repo: Path) -> None:
    subprocess.run(["git", "config", "commit.gpgSign", "true"], cwd=repo, check=True)
    subprocess.run(["git", "config", "gpg.program", "false"], cwd=repo, check=True)
    (Path(repo) / ".git" / "index.lock").touch()
    before = {p for p in (repo / ".git").rglob("*") if "omp" not in p.parts}
    memory = of_repo(repo)
    memory.apply(Batch(put=(FIRST,), reason="remember"))
    assert reasons(memory) == ["remember"]
    assert {p for p in (repo / ".git").rglob("*") if "omp" not in p.parts} == before
    log = subprocess.run(["git", "log", "--all", "--oneline"], cwd=repo, capture_output=True, check=False)
    assert log.stdout == b""
    assert subprocess.run(["git", "for-each-ref"], cwd=repo, capture_output=True, check=True).stdout == b""


def test_a_linked_work_tree_has_a_branch_of_its_own_in_the_same_journal(repo: Path) -> None:
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "start"], cwd=repo, check=True)
    linked = repo.parent / "linked"
    subprocess.run(["git", "worktree", "add", "-q", "-b", "side", str(linked)], cwd=repo, check=True)
    one, two = of_repo(repo), of_repo(linked)
    one.apply(Batch(put=(FIRST,), reason="remember"))
    two.apply(Batch(put=(SECOND,), reason="remember"))
    assert one.journal.folder == two.journal.folder
    assert one.journal.ref != two.journal.ref
    assert journalled(one) == {FIRST.id: FIRST}
    assert journalled(two) == {SECOND.id: SECOND}
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repo, capture_output=True, check=True, text=True)
    assert history.changes(one.journal)[0].head == history.changes(two.journal)[0].head == head.stdout.strip()


def test_a_journal_that_cannot_be_written_stops_no_write_and_is_caught_up(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.journal.folder.parent.mkdir(parents=True)
    memory.journal.folder.write_text("in the way")
    memory.apply(Batch(put=(FIRST,), reason="watch"))
    assert entries_of(memory) == {FIRST.id: FIRST}
    assert [p.code for p in open_dir(tmp_path).problems()] == ["journal-behind"]
    memory.journal.folder.unlink()
    memory.apply(Batch(put=(SECOND,), reason="watch"))
    assert memory.problems() == []
    assert reasons(memory) == ["outside", "watch"]
    assert journalled(memory) == entries_of(memory)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize("place", ["journal", "done"])
def test_killed_around_the_journal_the_next_writer_records_the_write_once(tmp_path: Path, place: str) -> None:
    open_dir(tmp_path).apply(Batch(put=(FIRST,), reason="watch"))
    pid = os.fork()
    if pid == 0:
        stop = open_dir(tmp_path, step=lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == place else None)
        stop.apply(Batch(put=(SECOND,), reason="remember"))
        os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    memory = open_dir(tmp_path)
    memory.recover()
    assert reasons(memory) == ["watch", "remember"]
    memory.apply(Batch(put=(lesson("Retries need a limit"),), reason="watch"))
    assert reasons(memory) == ["watch", "remember", "watch"]
    assert journalled(memory) == entries_of(memory)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_killed_with_git_at_any_moment_the_journal_stays_whole(tmp_path: Path) -> None:
    open_dir(tmp_path).apply(Batch(put=(FIRST,), reason="watch"))
    for number in range(6):
        pid = os.fork()
        if pid == 0:
            os.setsid()
            for more in range(50):
                open_dir(tmp_path).apply(Batch(put=(decision(f"Choice {number} of {more}"),), reason="remember"))
            os._exit(0)
        # Wherever it is after so many commits: the kernel ends it and its git together.
        book = open_dir(tmp_path).journal
        start = book.head()
        while book.head() == start:
            assert os.waitpid(pid, os.WNOHANG) == (0, 0)
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        lock = book.folder / f"{book.ref}.lock"
        lock.unlink(missing_ok=True)  # taken away by age otherwise
        memory = open_dir(tmp_path)
        memory.recover()
        memory.apply(Batch(put=(decision(f"After {number}"),), reason="watch"))
        assert journalled(memory) == entries_of(memory)
        assert memory.problems() == []
    assert book.git("fsck", "--full", "--no-dangling") == b""


def test_a_lock_that_a_killed_git_left_is_taken_away_when_old(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,), reason="watch"))
    lock = memory.journal.folder / f"{memory.journal.ref}.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    memory.apply(Batch(put=(SECOND,), reason="watch"))
    assert memory.problems() == []
    assert reasons(memory) == ["watch", "watch"]


def test_packs_are_joined_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "REPACK_EVERY", 4)
    memory = open_dir(tmp_path)
    for number in range(6):
        memory.apply(Batch(put=(decision(f"Choice {number}"),), reason="watch"))
    assert len(list((memory.journal.folder / "objects" / "pack").glob("*.pack"))) < 4
    assert journalled(memory) == entries_of(memory)


def test_an_entry_as_it_was_at_a_time(tmp_path: Path) -> None:
    now = ["2026-03-01T10:00:00Z"]
    memory = open_dir(tmp_path, clock=lambda: now[0])
    memory.apply(Batch(put=(FIRST,), reason="watch"))
    now[0] = "2026-03-05T10:00:00Z"
    memory.apply(Batch(put=(SECOND,), remove=(FIRST.id,), reason="watch"))
    assert history.entries_at(memory.journal, "2026-02-01T00:00:00Z") is None
    assert history.entries_at(memory.journal, "2026-03-02T00:00:00Z") == [FIRST]
    assert history.entries_at(memory.journal, "2026-03-06T00:00:00Z") == [SECOND]
