"""Files that are never half written: the lock's folder, links, full disks, missing rights, backups and restoring."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.errors import OmpError, SecretFound, WriteRefused
from omp.store import Batch, backup, exchange, lists
from tests.store.support import NOW, SECRET, decision, entries_of, files, lesson, open_dir

needs_rights = pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights do not bind this user")
FIRST, SECOND = decision("We keep memories in YAML"), decision("采用端口 8080")


@pytest.mark.parametrize(
    ("call", "code", "said", "mend"),
    [
        ("fsync", errno.ENOSPC, "no space left on device", "free some space"),
        ("fchmod", errno.EDQUOT, "quota", "free some space"),
        ("replace", errno.ENOSPC, "no space left on device", "free some space"),
        ("replace", errno.EROFS, "read-only file system", "mount it for writing"),
        ("fsync", errno.EIO, "input/output error", "mend it, then try again"),
    ],
)
def test_a_failing_disk_changes_nothing_and_names_path_and_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, said: str, mend: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    before = files(tmp_path / "tree")
    with monkeypatch.context() as patch:
        patch.setattr(exchange, "_renameat2", lambda: None)  # the plain rename can be stood in for
        patch.setattr(os, call, fail)
        with pytest.raises(OmpError, match=said) as caught:
            memory.apply(Batch(put=(SECOND,)))
    assert str(tmp_path) in caught.value.message
    assert mend in caught.value.mend
    assert files(tmp_path / "tree") == before
    assert not list(tmp_path.rglob("*.omp-tmp"))
    assert memory.apply(Batch(put=(SECOND,))).written == ("decisions.yaml",)


def test_a_file_held_for_a_moment_is_replaced_when_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    waits: list[float] = []
    replace = os.replace
    tries: list[str] = []

    def held(source: Any, target: Any) -> None:
        if str(target).endswith("decisions.yaml") and len(tries) < 3:
            tries.append(str(target))
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    monkeypatch.setattr(os, "replace", held)
    memory.apply(Batch(put=(SECOND,)))
    assert len(entries_of(memory)) == 2
    assert waits[:3] == sorted(waits[:3])  # what follows are waits for git
    assert sum(waits[:3]) < 2


def test_a_file_held_for_ever_stays_and_the_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    waits: list[float] = []
    replace = os.replace

    def held(source: Any, target: Any) -> None:
        if str(target).endswith("decisions.yaml"):
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    monkeypatch.setattr(os, "replace", held)
    with pytest.raises(OmpError, match=r"cannot replace .*decisions\.yaml: permission denied"):
        memory.apply(Batch(put=(SECOND,)))
    assert sum(waits) <= 2
    assert list(entries_of(memory)) == [FIRST.id]
    assert not list(tmp_path.rglob("*.omp-tmp"))
    assert memory.backups() == []


@needs_rights
def test_a_read_only_folder_can_be_read_and_says_how_to_mend_writing(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    memory.root.chmod(0o500)
    try:
        assert list(entries_of(open_dir(tmp_path))) == [FIRST.id]
        with pytest.raises(OmpError, match="permission denied"):
            memory.apply(Batch(put=(SECOND,)))
    finally:
        memory.root.chmod(0o700)
    assert memory.apply(Batch(put=(SECOND,))).written == ("decisions.yaml",)


@pytest.mark.parametrize("place", ["decisions.yaml", "sessions", ".backup", ".", "refused.yaml", "themes/index.yaml"])
def test_no_link_below_the_work_tree_is_followed(tmp_path: Path, place: str) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(lesson("Retries need a limit"),)))
    outside = tmp_path / "outside"
    link = memory.root / place
    if "." in place[1:]:
        outside.write_text("version: 1\ndecisions: []\n", encoding="utf-8")
        link.parent.mkdir(exist_ok=True)
    else:
        memory.root.rename(outside) if place == "." else outside.mkdir()
    link.symlink_to(outside)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and "git" not in p.parts}
    with pytest.raises(WriteRefused, match="symbolic link"):
        memory.apply(Batch(put=(decision("采用端口 8080"), lesson("日志要带时间"))))
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and "git" not in p.parts} == before
    assert link.is_symlink()


def test_a_linked_file_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, lesson("Retries need a limit"))))
    secret = tmp_path / "outside.yaml"
    secret.write_bytes((memory.root / "decisions.yaml").read_bytes())
    (memory.root / "decisions.yaml").unlink()
    (memory.root / "decisions.yaml").symlink_to(secret)
    assert [m.kind for m in entries_of(memory).values()] == ["lesson"]
    (problem,) = memory.problems()
    assert problem.path == "decisions.yaml"
    assert "symbolic link" in problem.message


def test_the_mode_of_a_file_stays_and_the_own_store_is_private(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    path = memory.root / "decisions.yaml"
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o640)
    memory.apply(Batch(put=(SECOND,)))
    assert path.stat().st_mode & 0o777 == 0o640
    own = open_dir(tmp_path / "own", work_tree="")
    own.apply(Batch(put=(FIRST,)))
    assert (own.root / "decisions.yaml").stat().st_mode & 0o777 == 0o600
    assert all(p.stat().st_mode & 0o77 == 0 for p in own.local.rglob("*"))
    assert own.local.stat().st_mode & 0o77 == 0


# Backups


def test_twenty_versions_of_a_file_are_kept_as_links_and_none_for_equal_content(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    for n in range(25):
        memory.apply(Batch(put=(decision(f"sentence {n}"),)))
        memory.apply(Batch(put=(decision(f"sentence {n}"),)))
    kept = memory.backups()
    assert len(kept) == backup.KEPT
    assert {b.path for b in kept} == {"decisions.yaml"}
    sizes = [(memory.root / ".backup" / b.name).read_text(encoding="utf-8").count("- id:") for b in kept]
    assert sizes == list(range(5, 25))
    inode = (memory.root / "decisions.yaml").stat().st_ino
    memory.apply(Batch(put=(decision("one more"),)))
    assert (memory.root / ".backup" / memory.backups()[-1].name).stat().st_ino == inode


def test_where_links_do_not_work_a_copy_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    before = (memory.root / "decisions.yaml").read_bytes()
    memory.apply(Batch(put=(SECOND,)))
    (kept,) = memory.backups()
    assert (memory.root / ".backup" / kept.name).read_bytes() == before


def test_without_a_backup_there_is_no_write(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    (memory.root / ".backup").write_text("in the way", encoding="utf-8")
    with pytest.raises(OmpError, match=r"\.backup"):
        memory.apply(Batch(put=(SECOND,)))
    assert list(entries_of(memory)) == [FIRST.id]


def test_the_total_of_all_backups_is_bounded_but_the_last_good_version_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "TOTAL", 1500)
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(lesson("Retries need a limit"),)))
    memory.apply(Batch(put=(lesson("日志要带时间"),)))
    for n in range(10):
        memory.apply(Batch(put=(decision(f"sentence {n}"),)))
    kept = memory.backups()
    assert sorted({b.path for b in kept}) == ["decisions.yaml", "lessons.yaml"]
    assert len(kept) == 2


def test_restoring_can_be_undone_and_keeps_a_broken_file_apart(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    path = memory.root / "decisions.yaml"
    memory.apply(Batch(put=(FIRST,)))
    good = path.read_bytes()
    memory.apply(Batch(put=(SECOND,)))
    (version,) = memory.backups()
    path.write_bytes(path.read_bytes()[:-300] + b"\n\tbroken: [")
    torn = path.read_bytes()
    assert memory.restore(version.name) == "decisions.yaml"
    assert path.read_bytes() == good
    (apart,) = [b for b in memory.backups() if b.broken]
    assert (memory.root / ".backup" / apart.name).read_bytes() == torn
    with pytest.raises(WriteRefused, match="cannot be read"):
        memory.restore(apart.name)
    with pytest.raises(OmpError, match="no backup"):
        memory.restore("decisions.yaml.20260101T000000Z-00000000")
    assert path.read_bytes() == good
    memory.apply(Batch(put=(lesson("Retries need a limit"),)))
    (memory.root / ".backup" / f"lessons.yaml.20260101T000000Z-{'0' * 8}").write_text(
        f"version: 1\nlessons: []\n# {SECRET}\n", encoding="utf-8"
    )
    with pytest.raises(SecretFound):
        memory.restore(f"lessons.yaml.20260101T000000Z-{'0' * 8}")


def test_names_of_backups_sort_by_time_and_hold_no_clock_format_of_the_system() -> None:
    assert backup.file_name("decisions/2026-01.yaml", NOW, "ab" * 32) == (
        "decisions~2026-01.yaml.20260302T100000Z-abababab"
    )


@given(
    st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40), st.integers(0, 3)
)
def test_the_common_ends_of_two_files_are_found(
    front: bytes, one: bytes, other: bytes, back: bytes, times: int
) -> None:
    pad = b"0123456789abcdef" * 256 * times
    old, new = front + pad + one + pad + back, front + pad + other + pad + back
    start, end = lists.common_ends(old, new)
    assert old[:start] == new[:start]
    assert end == 0 or old[-end:] == new[-end:]
    assert start + end <= min(len(old), len(new))
    if start + end < min(len(old), len(new)):
        assert old[start : start + 1] != new[start : start + 1]
        assert old[len(old) - end - 1] != new[len(new) - end - 1]
