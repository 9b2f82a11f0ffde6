"""`omp extract`: what it prints, and that a file it cannot read never changes the exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from omp.commands.extract import command


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / "a.jsonl"
    path.parent.mkdir()
    rows = [
        {"id": "m1", "role": "user", "text": "决定用 tar 打包，因为老机器没有 zip", "at": "2026-04-01T09:00:00Z"},
        {"id": "m2", "role": "assistant", "text": "好的。", "at": "2026-04-01T09:01:00Z"},
        {"id": "m3", "role": "user", "text": "have we decided to ship on Fridays?", "at": "2026-04-01T09:02:00Z"},
    ]
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), "utf-8")
    return path


def test_json_lines_hold_what_the_contract_names(talk: Path) -> None:
    result = CliRunner().invoke(command, [str(talk), "--json", "--source", "generic"])
    assert result.exit_code == 0
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert row["file"] == str(talk)
    assert (row["kind"], row["scope"], row["verdict"]) == ("decision", "PROJECT", "keep")
    assert row["claim"] == "决定用 tar 打包，因为老机器没有 zip"
    assert row["rationale"] == "老机器没有 zip"
    assert row["evidence"] == [
        {"entry": "m1", "role": "user", "quote": "决定用 tar 打包，因为老机器没有 zip", "at": "2026-04-01T09:00:00Z"}
    ]


def test_all_shows_what_is_dropped_with_the_reason(talk: Path) -> None:
    result = CliRunner().invoke(command, [str(talk.parent), "--json", "--all"])
    verdicts = [(row["verdict"], row["evidence"][0]["entry"]) for row in map(json.loads, result.stdout.splitlines())]
    assert verdicts == [("keep", "m1"), ("drop", "m3")]


def test_unreadable_files_are_named_and_do_not_change_the_status(talk: Path, tmp_path: Path) -> None:
    other = talk.parent / "notes.txt"
    other.write_text("just notes\n", "utf-8")
    missing = tmp_path / "none.jsonl"
    result = CliRunner().invoke(command, [str(talk.parent), str(missing), "--json"])
    assert result.exit_code == 0
    assert str(other) in result.stderr
    assert str(missing) in result.stderr
    assert len(result.stdout.splitlines()) == 1


def test_people_get_lines_to_read(talk: Path) -> None:
    result = CliRunner().invoke(command, [str(talk)])
    assert result.stdout.startswith("+ decision PROJECT 0.90  决定用 tar 打包")
    assert "why: 老机器没有 zip" in result.stdout


def test_extraction_imports_no_arrays() -> None:
    code = "import sys, omp.extract, omp.classify, omp.rules; omp.rules.load_rules(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_weights_are_what_training_gives() -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "train_classifier"
    assert subprocess.run([sys.executable, str(script), "--check"], check=False).returncode == 0
