"""Measures omp against something plain that does the least of the same work, in one run on one machine.

A ratio says how many times the plain thing fits into ours; it travels between machines where milliseconds do not.
Started by `scripts/bench`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import yaml

from omp import checks, identity
from omp.model import Decision, Evidence, Metadata, Timestamps
from omp.yamlfile import insert_entries, new_list_file

NOW = "2026-03-02T10:00:00Z"
A_MONTH = 400
"""Entries in a file that was rotated out (the limit of the layout)."""
THINGS = [
    "ladder",
    "drill",
    "saw",
    "loan",
    "deposit",
    "member",
    "reminder",
    "label",
    "photo",
    "invoice",
    "depot",
    "backup",
    "queue",
    "worker",
    "catalogue",
]
DEEDS = ["keeps", "sends", "checks", "stores", "counts", "prints", "moves", "reads", "signs", "caches"]
WHYS = ["one file is easy to back up", "two people write at once", "the auditors ask for it", "phones can scan it"]
HANZI = ("梯子", "电钻", "押金", "会员", "标签", "照片", "仓库", "备份", "队列", "目录")


class Row(NamedTuple):
    """One comparison: seconds of ours and of the plain thing."""

    name: str
    ours: float
    plain: str
    base: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times the plain thing fits into ours."""
        return self.ours / self.base


def claims(number: int) -> list[str]:
    """Make up statements, a fifth of them Chinese; the same ones in every run."""
    dice = random.Random(20260302)
    out = []
    for n in range(number):
        if n % 5 == 4:
            out.append(
                f"{dice.choice(HANZI)}第 {n} 号规则：{dice.choice(HANZI)}必须先登记，再由{dice.choice(HANZI)}核对。"
            )
        else:
            thing, deed, other = dice.choice(THINGS), dice.choice(DEEDS), dice.choice(THINGS)
            out.append(f"The {thing} module {deed} every {other} under number {n}, because {dice.choice(WHYS)}.")
    return out


def memory(claim: str, number: int) -> Decision:
    """Make an entry as omp would store it, in a month of its own for every `A_MONTH` entries."""
    months = number // A_MONTH
    at = f"{2024 + months // 12}-{months % 12 + 1:02d}-{number % 28 + 1:02d}T{number % 24:02d}:00:00Z"
    said = Evidence(
        agent="claude-code", session=f"s{number // 7}", entry=f"m{number}", role="user", at=at, quote=claim,
        digest=identity.quote_digest(claim),
    )  # fmt: skip
    return Decision(
        id=f"dec-{identity.key('decision', 'PROJECT', claim)}",
        claim=claim,
        date=at[:10],
        title=claim[:40],
        choice=claim[:60],
        metadata=Metadata(confidence=0.9),
        timestamps=Timestamps(created_at=at, updated_at=at),
        evidence=(said,),
    )


def median(repeat: int, work: Callable[[], object]) -> float:
    """Run something once to warm up, then `repeat` times; give the median of the seconds."""
    work()
    taken = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def validating(folder: Path, entries: list[Decision], repeat: int) -> Row:
    """All checks of one file, against a C parser reading the same bytes without checking anything."""
    data = new_list_file("decisions", entries)
    name = str(folder / "decisions.yaml")
    ours = median(repeat, lambda: checks.run({name: data}, lambda _: []))
    base = median(1, lambda: yaml.load(data, Loader=yaml.CSafeLoader))
    return Row("validate one file", ours, "PyYAML's C loader on it", base, f"{len(data) / 1e6:.1f} MB")


def splicing(folder: Path, entries: list[Decision], repeat: int) -> Row:
    """One entry into a file, written aside, against a copy of that file by the kernel."""
    path, aside = folder / "decisions.yaml", folder / "aside.yaml"
    path.write_bytes(new_list_file("decisions", entries))
    fresh = memory("A statement that is spliced in.", len(entries) // 2)

    def splice() -> None:
        aside.write_bytes(insert_entries(path.read_bytes(), "decisions", [fresh]))

    ours = median(repeat, splice)
    return Row(
        "splice an entry in", ours, "a kernel copy of the file", median(repeat, lambda: shutil.copyfile(path, aside))
    )


def remembering(folder: Path, entries: list[Decision], repeat: int) -> Row:
    """One entry into a store until durable, against a small file written aside, synced and renamed."""
    from omp.store import Batch, MemoryDir

    root = folder / "_omp" / "memory"
    (root / "decisions").mkdir(parents=True)
    months = {m: list(group) for m, group in itertools.groupby(entries, lambda e: e.timestamps.created_at[:7])}
    last = max(months)
    for month, group in months.items():
        path = root / "decisions.yaml" if month == last else root / "decisions" / f"{month}.yaml"
        path.write_bytes(new_list_file("decisions", group))
    store = MemoryDir(root, folder / "local", lambda _: [], clock=lambda: NOW, work_tree=str(folder), branch="main")
    number = itertools.count(len(entries))

    def apply() -> None:
        n = next(number)
        store.apply(
            Batch(put=(memory(f"Remembered statement {n} of the measuring run.", len(entries) - 1),), reason="bench")
        )

    def write() -> None:
        aside = folder / "plain.tmp"
        with aside.open("wb") as out:
            out.write(b"x" * 2000)
            out.flush()
            os.fsync(out.fileno())
        aside.replace(folder / "plain")

    return Row("remember until durable", median(repeat, apply), "write aside, sync, rename", median(repeat, write))


def searching(entries: list[Decision], repeat: int) -> Row:
    """Answer queries from a warm index, against looking for their first word in every text."""
    from omp.embed import embedder
    from omp.search import Document, Index

    texts = [e.claim for e in entries]
    model = embedder("hash")
    index = Index.build(
        [Document(id=e.id, text=e.claim, kind="decision") for e in entries],
        model.encode(texts, "passage"),
        model=model.id,
    )
    queries = ["which module keeps the ladder", "梯子必须登记吗", "who sends reminders", "number 77"]
    vectors = model.encode(queries, "query")

    def ask() -> None:
        for n, query in enumerate(queries):
            index.search(query, 10, vectors[n])

    def scan() -> None:
        for query in queries:
            word = query.split()[0]
            _ = [n for n, text in enumerate(texts) if word in text.lower()]

    return Row("warm search, 4 queries", median(repeat, ask), "a word in every text, lowered", median(repeat, scan))


def extracting(repeat: int) -> Row:
    """Candidates from a conversation of 300 entries, against decoding its lines."""
    from omp.extract import candidates
    from omp.model import RawSession
    from omp.redact import Redactor
    from omp.rules import load_rules
    from omp.sources import read_log

    lines = []
    for n, claim in enumerate(claims(150)):
        lines.append({"id": f"m{n}", "role": "user", "text": f"We decided: {claim}", "at": NOW})
        lines.append({"id": f"a{n}", "role": "assistant", "text": "Done, the tests pass.", "at": NOW})
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "talk.jsonl"
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        raw: RawSession = read_log(path, "generic").sessions[0]
        session = Redactor(Path(place)).clean_session(raw)
        data = path.read_bytes()
    rules = load_rules()
    ours = median(repeat, lambda: candidates(session, rules))
    base = median(repeat, lambda: [json.loads(line) for line in data.splitlines()])
    return Row("extract from 300 entries", ours, "decoding their JSON", base, f"{300 / ours:,.0f} entries/s")


def starting(folder: Path, repeat: int) -> list[Row]:
    """Whole processes: help, and validating a small repository, against a Python that does nothing."""
    omp = str(Path(sys.executable).with_name("omp"))
    repo = folder / "repo"
    surroundings = {**os.environ, "OMP_DATA_DIR": str(folder / "data"), "HOME": str(folder)}

    def process(*command: str) -> Callable[[], object]:
        return lambda: subprocess.run(command, cwd=repo, env=surroundings, capture_output=True, check=True)

    repo.mkdir()
    process("git", "init", "-q")()
    process(omp, "init")()
    base = median(repeat, process(sys.executable, "-c", "pass"))
    return [
        Row("omp --help", median(repeat, process(omp, "--help")), "python -c pass", base),
        Row("omp validate, fresh _omp/", median(repeat, process(omp, "validate")), "python -c pass", base),
    ]


def measure(number: int, repeat: int) -> list[Row]:
    """Run every comparison in a temporary folder."""
    entries = [memory(claim, n) for n, claim in enumerate(claims(number))]
    entries.sort(key=lambda e: (e.timestamps.created_at[:7], e.id))
    with tempfile.TemporaryDirectory(prefix="omp-bench-") as place:
        folder = Path(place)
        return [
            validating(folder, entries, repeat),
            splicing(folder, entries, repeat),
            remembering(folder / "store", entries, repeat),
            searching(entries, repeat),
            extracting(repeat),
            *starting(folder, repeat),
        ]


def main() -> int:
    """Measure and print a table, or with `--json` an object."""
    told = argparse.ArgumentParser(prog="scripts/measure.py", description=__doc__)
    told.add_argument("--entries", type=int, default=10000)
    told.add_argument("--repeat", type=int, default=5)
    told.add_argument("--json", action="store_true")
    given = told.parse_args()
    rows = measure(given.entries, given.repeat)
    if given.json:
        shown = [
            {"name": r.name, "ms": round(r.ours * 1e3, 3), "against": r.plain, "against_ms": round(r.base * 1e3, 3),
             "ratio": round(r.ratio, 3), "note": r.note}
            for r in rows
        ]  # fmt: skip
        print(json.dumps({"entries": given.entries, "repeat": given.repeat, "rows": shown}))
        return 0
    print(f"{given.entries:,} entries, median of {given.repeat}\n")
    for r in rows:
        against = f"{r.plain} ({r.base * 1e3:.2f} ms)"
        print(f"{r.name:26} {r.ours * 1e3:9.2f} ms  {r.ratio:8.2f} x  {against}  {r.note}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
