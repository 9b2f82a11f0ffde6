"""The swap looks at what came out: a save in the gap between check and swap is never lost."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from omp.store import Batch, atomic, exchange
from tests.store.support import decision, entries_of, open_dir

FIRST, SECOND = decision("We keep memories in YAML"), decision("采用端口 8080")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the exchange is Linux's")


def save(path: Path, text: str) -> None:
    """Save a file as editors do: write aside, rename over."""
    aside = path.with_name("editor.tmp")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)  # noqa: PTH105 - not what the tests stand in for


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_saves_in_the_gap_are_kept_and_the_write_comes_on_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    path = memory.root / "decisions.yaml"
    text = path.read_text(encoding="utf-8")
    saves = [text.replace("We keep memories", f"We keep {n + 1} memories") for n in range(number)]
    before = exchange.exchange

    def gap(one: Path, other: Path) -> bool:
        if saves and other == path:
            save(path, saves.pop(0))
        return before(one, other)

    monkeypatch.setattr(exchange, "exchange", gap)
    memory.apply(Batch(put=(SECOND,)))
    assert sorted(m.claim for m in entries_of(memory).values()) == [
        f"We keep {number} memories in YAML",
        "采用端口 8080",
    ]
    assert not list(tmp_path.rglob("*.omp-tmp"))


def test_a_file_that_appears_in_the_gap_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = open_dir(tmp_path / "other")
    other.apply(Batch(put=(FIRST,)))
    theirs = (other.root / "decisions.yaml").read_bytes()
    memory = open_dir(tmp_path)
    put_new, saves = exchange.put_new, [theirs]

    def gap(source: Path, target: Path) -> bool:
        if saves and target.name == "decisions.yaml":
            target.write_bytes(saves.pop())
        return put_new(source, target)

    monkeypatch.setattr(exchange, "put_new", gap)
    memory.apply(Batch(put=(SECOND,)))
    assert set(entries_of(memory)) == {FIRST.id, SECOND.id}


def test_a_file_removed_in_the_gap_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    before, gone = exchange.exchange, [memory.root / "decisions.yaml"]

    def gap(one: Path, other: Path) -> bool:
        if gone and other == gone[0]:
            gone.pop().unlink()
        return before(one, other)

    monkeypatch.setattr(exchange, "exchange", gap)
    memory.apply(Batch(put=(SECOND,)))
    assert set(entries_of(memory)) == {SECOND.id}


@pytest.mark.parametrize("offset", [0, 1])
def test_killed_between_exchange_and_putting_back_the_save_is_still_there(tmp_path: Path, offset: int) -> None:
    path = open_dir(tmp_path).root / "decisions.yaml"
    open_dir(tmp_path).apply(Batch(put=(FIRST,)))
    text = path.read_text(encoding="utf-8").replace("We keep memories", "We keep them")
    pid = os.fork()
    if pid == 0:
        before, made = exchange.exchange, [0]

        def gap(one: Path, other: Path) -> bool:
            if not made[0]:
                save(path, text)
            done = before(one, other)
            made[0] += 1
            if made[0] > offset:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        exchange.exchange = gap
        open_dir(tmp_path).apply(Batch(put=(SECOND,)))
        os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    memory = open_dir(tmp_path)
    memory.recover()
    assert sorted(m.claim for m in entries_of(memory).values()) == ["We keep them in YAML", "采用端口 8080"]
    assert not list(tmp_path.rglob("*.omp-tmp"))


def test_without_the_call_a_plain_rename_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    memory.apply(Batch(put=(SECOND,)))
    assert set(entries_of(memory)) == {FIRST.id, SECOND.id}


def test_the_system_refusing_an_exchange_is_told_apart_from_not_having_it(tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.write_text("1")
    with pytest.raises(FileNotFoundError):
        exchange.exchange(one, tmp_path / "none")
    with pytest.raises(FileExistsError):
        exchange.put_new(one, one.with_name("one"))
    assert atomic.read(one).data == b"1"
