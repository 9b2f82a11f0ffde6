"""Several processes write one memory at once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from omp import yamlfile
from omp.errors import Busy
from omp.store import Batch, atomic
from tests.store.support import decision, entries_of, open_dir

ROOT = Path(__file__).resolve().parents[2]
WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from omp.store import Batch, atomic
from tests.store.support import decision, lesson, open_dir
memory = open_dir(Path(sys.argv[1]))
for n in range(50):
    make = lesson if n % 5 == 0 else decision
    memory.apply(Batch(put=(make(f"writer {sys.argv[2]} says sentence {n}"),)))
"""
HOLDER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tests.store.support import open_dir
with open_dir(Path(sys.argv[1])).writing():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_four_writers_of_fifty_entries_lose_and_double_nothing(tmp_path: Path) -> None:
    open_dir(tmp_path)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(n)], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    said = [w.communicate()[1] for w in writers]
    assert said == [""] * 4
    memory = open_dir(tmp_path)
    claims = sorted(m.claim for m in entries_of(memory).values())
    assert claims == sorted(f"writer {w} says sentence {n}" for w in range(4) for n in range(50))
    for name, key, number in (("decisions.yaml", "decisions", 160), ("lessons.yaml", "lessons", 40)):
        document = yamlfile.load((memory.root / name).read_bytes())
        assert len(document.root.value[key].value) == number
    assert memory.problems() == []
    assert not list(tmp_path.rglob("*.omp-tmp"))


def test_a_writer_waits_and_then_names_the_holder_while_readers_go_on(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(decision("We keep memories in YAML"),)))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"process {holder.pid} "):
            memory.apply(Batch(put=(decision("采用 YAML 存储记忆"),)))
        assert len(memory.read()) == 1
        holder.kill()
    memory.apply(Batch(put=(decision("采用 YAML 存储记忆"),)))  # the kernel gave the lock back with the process
    assert len(memory.read()) == 2


def test_threads_of_one_process_share_an_object(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: memory.apply(Batch(put=(decision(f"sentence {n}"),))), range(20)))
    assert len(entries_of(open_dir(tmp_path))) == 20


def test_waiting_counts_anew_with_every_other_write_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "LOCK_WAIT_ALL", 3.0)
    path = tmp_path / "lock"
    waited: list[float] = []

    def others_go_on(seconds: float) -> None:
        waited.append(seconds)
        path.write_bytes(f"{'4711':<15}\n{len(waited):<15}\n".encode())

    with atomic.locked(path):
        with pytest.raises(Busy, match="process 4711 "), atomic.locked(path, wait=1, pause=others_go_on):
            pass
        assert 3 <= sum(waited) < 4
        waited.clear()
        with pytest.raises(Busy), atomic.locked(path, wait=1, pause=waited.append):
            pass
        assert 1 <= sum(waited) < 2
