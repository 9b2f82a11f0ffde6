"""A writer is killed at every step of a write; the next one finds the old state or the new one, and finishes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from omp.model import Refusal, SessionRecord, Theme, ThemeIndex
from omp.store import Batch
from tests.store.support import NOW, decision, deployment, entries_of, files, lesson, open_dir

OLD = decision("We keep memories in YAML")
REPLACED = msgspec.structs.replace(OLD, status="superseded", superseded_by=decision("记忆改用 JSON 存储").id)
FIRST = Batch(put=(OLD, lesson("Retries need a limit"), deployment("/deployment/web/status", "pending")))
SECOND = Batch(
    put=(
        REPLACED,
        decision("记忆改用 JSON 存储", supersedes=(OLD.id,)),
        deployment("/deployment/web/status", "active", "2026-03-03T10:00:00Z"),
    ),
    remove=(lesson("Retries need a limit").id,),
    refuse=(Refusal(key="k" * 10, at=NOW, reason="forgotten", from_="0" * 16),),
    refuse_locally=(Refusal(key="l" * 10, at=NOW, reason="rejected"),),
    sessions=(SessionRecord(id="s1", agent="codex", start=NOW, end=NOW, summary="定了存储格式"),),
    themes=ThemeIndex(themes=(Theme(id="th-aaaaaaaaaa", title="storage"),), members={OLD.id: "th-aaaaaaaaaa"}),
    reason="test",
)
FILES = (
    "decisions.yaml",
    "lessons.yaml",
    "project.yaml",
    "refused.yaml",
    "sessions/2026-03-02.yaml",
    "themes/index.yaml",
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

CALLS = frozenset({"open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.scandir", "os.chmod", "fcntl.flock"})
"""Calls of the system that Python announces before they are made."""


class Run(NamedTuple):
    """How a forked writer ended: by its own SIGKILL, or after how many places where it could have been killed."""

    killed: bool
    places: int


def run(folder: Path, stop: int, calls: bool = False) -> Run:
    """Apply SECOND in a process of its own that kills itself at the place number `stop`: a step, or a system call."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _die_at(folder, stop, calls, writing)
    os.close(writing)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0), told.decode()
    return Run(killed, int(told) if told else 0)


def _die_at(folder: Path, stop: int, calls: bool, writing: int) -> None:
    seen = 0

    def place(name: str, *_: object) -> None:
        nonlocal seen
        if calls and name not in CALLS:
            return
        if seen == stop:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    status = 1
    try:
        memory = open_dir(folder) if calls else open_dir(folder, step=place)
        if calls:
            sys.addaudithook(place)
        memory.apply(SECOND)
        os.write(writing, str(seen).encode())
        status = 0
    except BaseException:  # noqa: BLE001 - the parent is told, and the child must not run the rest of the tests
        os.write(writing, traceback.format_exc().encode())
    finally:
        os._exit(status)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, bytes], int]:
    """The files before, after, and how many steps a write has."""
    folder = tmp_path_factory.mktemp("whole")
    open_dir(folder).apply(FIRST)
    before = files(folder / "tree")
    places = run(folder, 10_000).places
    return before, files(folder / "tree"), places


def test_a_whole_write_touches_every_file_and_leaves_nothing_beside_them(
    wanted: tuple[dict[str, bytes], dict[str, bytes], int],
) -> None:
    before, after, steps = wanted
    assert set(after) - {f"_omp/memory/{f}" for f in FILES} == set()
    assert before != after
    assert steps >= 1 + 4 * 2 + 3


@pytest.mark.parametrize("calls", [False, True])
def test_killed_at_any_step_or_system_call_nothing_is_lost_or_doubled(
    wanted: tuple[dict[str, bytes], dict[str, bytes], int], tmp_path: Path, calls: bool
) -> None:
    before, after, _ = wanted
    open_dir(tmp_path / "count").apply(FIRST)
    places = run(tmp_path / "count", 10_000, calls).places
    finished = 0
    for stop in range(places):
        folder = tmp_path / str(stop)
        open_dir(folder).apply(FIRST)
        assert run(folder, stop, calls).killed
        memory = open_dir(folder)
        readable = entries_of(memory)  # readers need no recovery
        assert OLD.id in readable
        memory.recover()
        present = files(folder / "tree")
        assert present in (before, after), f"place {stop}"
        assert present == after or not finished, f"place {stop}"  # once the intent stands, the write is finished
        finished += present == after
        assert not list((memory.local / "intents").iterdir())
        memory.apply(SECOND)
        assert files(folder / "tree") == after
        assert [r.key for r in memory.refused()] == ["k" * 10, "l" * 10]
        assert not list(folder.rglob("*.omp-tmp"))
        assert memory.problems() == []


def test_recovery_keeps_what_a_person_wrote_after_the_crash(tmp_path: Path) -> None:
    open_dir(tmp_path).apply(FIRST)
    whole = tmp_path / "whole"
    open_dir(whole).apply(FIRST)
    assert run(tmp_path, run(whole, 10_000).places - 1).killed
    path = tmp_path / "tree/_omp/memory/decisions.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("记忆改用 JSON 存储", "记忆改用 SQLite 存储"), encoding="utf-8"
    )
    memory = open_dir(tmp_path)
    assert memory.recover() == 1
    claims = sorted(m.claim for m in entries_of(memory).values() if m.kind == "decision")
    assert claims == ["We keep memories in YAML", "记忆改用 SQLite 存储"]


def test_an_intent_whose_file_broke_waits_and_does_not_stop_other_files(tmp_path: Path) -> None:
    open_dir(tmp_path).apply(FIRST)
    assert run(tmp_path, 4).killed
    path = tmp_path / "tree/_omp/memory/decisions.yaml"
    good = path.read_bytes()
    path.write_bytes(good + b"<<<<<<< HEAD\n")
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(lesson("日志要带时间"),)))
    assert path.read_bytes() == good + b"<<<<<<< HEAD\n"
    assert {p.code for p in memory.problems()} == {"conflict-marker", "unfinished-write"}
    path.write_bytes(good)
    assert memory.recover() == 1
    assert entries_of(memory)[OLD.id].status == "superseded"


def test_another_work_tree_leaves_the_intent_alone(tmp_path: Path) -> None:
    open_dir(tmp_path).apply(FIRST)
    assert run(tmp_path, 4).killed
    other = tmp_path / "other"
    (other / "_omp/memory").mkdir(parents=True)
    linked = type(open_dir(tmp_path))(
        other / "_omp/memory",
        tmp_path / "git/omp",
        lambda data: [],
        clock=lambda: NOW,
        work_tree=str(other),
        branch="side",
    )
    assert linked.recover() == 0
    linked.apply(Batch(put=(lesson("日志要带时间"),)))
    assert list((tmp_path / "git/omp/intents").iterdir())
    assert not (other / "_omp/memory/decisions.yaml").exists()
