"""Following a growing file, and naming what a file is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from omp.errors import UsageError
from omp.sources import LogReader, read_log, unchanged
from omp.sources.lines import Decoded, Line, decode
from tests.sources.writing import Claude, person, write


def row(name: str, text: str) -> str:
    return json.dumps({"id": name, "role": "user", "text": text}) + "\n"


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as stream:
        stream.write(text)


def texts(reader: LogReader) -> list[str] | None:
    reading = reader.read_new()
    return None if reading is None else person(reading)


def test_grown_file_gives_the_whole_session_and_parses_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one"))
    reader = LogReader(path)
    assert texts(reader) == ["one"]
    assert texts(reader) is None
    parsed: list[int] = []

    def watched(line: Line) -> Decoded:
        parsed.append(line.number)
        return decode(line)

    monkeypatch.setattr("omp.sources.reader.decode", watched)
    append(path, row("2", "two") + row("3", "three"))
    assert texts(reader) == ["one", "two", "three"]
    assert parsed == [2, 3]


def test_torn_tail_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = row("2", "换成 pnpm")
    half = line.encode()[:31]
    path.write_bytes(row("1", "one").encode() + half)
    reader = LogReader(path)
    first = reader.read_new()
    assert first is not None
    assert (person(first), first.malformed, first.offset) == (["one"], (), len(row("1", "one")))
    with path.open("ab") as stream:
        stream.write(line.encode()[31:])
    assert texts(reader) == ["one", "换成 pnpm"]


def test_whole_json_without_line_end_counts_in_a_whole_reading_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one") + row("2", "two").rstrip("\n"))
    whole = read_log(path)
    assert (person(whole), whole.offset) == (["one", "two"], len(row("1", "one")))
    assert texts(LogReader(path)) == ["one"]


def test_shorter_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one") + row("2", "two"))
    reader = LogReader(path)
    reader.read_new()
    path.write_text(row("9", "nine"))
    assert texts(reader) == ["nine"]


def test_replaced_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one"))
    reader = LogReader(path)
    reader.read_new()
    aside = tmp_path / "b.jsonl"
    aside.write_text(row("1", "ONE") + row("2", "two"))
    aside.replace(path)
    assert texts(reader) == ["ONE", "two"]


@pytest.mark.parametrize("at", [0, 1])
def test_file_rewritten_in_place_is_read_again(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a.jsonl"
    rows = [row("1", "one" * 600), row("2", "two" * 600)]
    path.write_text("".join(rows))
    reader = LogReader(path)
    reader.read_new()
    rows[at] = rows[at].replace("one", "ONE").replace("two", "TWO")
    path.write_text("".join(rows) + row("3", "x"))
    read = texts(reader)
    assert read is not None
    assert read[at].isupper()


def test_touched_file_has_nothing_new(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one"))
    reader = LogReader(path)
    reader.read_new()
    os.utime(path, (1, 1))
    assert reader.read_new() is None


def test_cursor_says_how_far(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one") + "broken\n" + '{"role":"alien","text":"x"}\n' + '{"id"')
    reader = LogReader(path)
    reader.read_new()
    cursor = reader.cursor()
    assert (cursor.agent, cursor.malformed, cursor.skipped, cursor.refused) == ("generic", 1, {"alien": 1}, "")
    assert cursor.offset == path.stat().st_size - len('{"id"')
    assert cursor.path == str(path)
    assert cursor.size == path.stat().st_size


def test_file_without_a_whole_record_is_no_refusal_and_is_named_later(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("")
    reader = LogReader(path)
    empty = reader.read_new()
    assert empty is not None
    assert (empty.agent, empty.refused, empty.sessions) == ("", "", ())
    append(path, '{"id":"1","ro')
    torn = reader.read_new()
    assert torn is None or torn.refused == ""
    append(path, 'le":"user","text":"one"}\n')
    assert texts(reader) == ["one"]


def test_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_log(tmp_path / "gone.jsonl")


def test_unknown_source_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no source named"):
        read_log(tmp_path / "x", "telegraph")


@pytest.mark.parametrize("name", ["auth.json", ".credentials.json", "oauth_creds.json", "secrets.json"])
def test_key_files_are_never_opened(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / name, [{"id": "1", "role": "user", "text": "x"}])

    def opened(*_: Any, **__: Any) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(Path, "open", opened)
    reading = read_log(path)
    assert "never opened" in reading.refused
    assert reading.sessions == ()


FOREIGN: dict[str, list[Any]] = {
    "claude-session.jsonl": [
        {"type": "message", "role": "user", "timestamp": "2026-05-04T00:00:00Z", "text": "Use tabs."}
    ],
    "rollout-1.jsonl": [
        {"type": "session_meta", "source": "codex"},
        {"type": "message", "role": "user", "text": "Hi."},
    ],
    "plugin.jsonl": [{"type": "user", "timestamp": 1, "content": "Hi."}, {"type": "tool_use", "timestamp": 2}],
    "talk.jsonl": [{"speaker": "me", "line": "Use tabs."}],
    "prose.jsonl": ["this is no log", "at all"],
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_schemas_are_refused_with_a_reason_and_nothing_is_read(tmp_path: Path, name: str) -> None:
    reading = read_log(write(tmp_path / name, FOREIGN[name]))
    assert reading.refused
    assert reading.sessions == ()
    assert "tabs" not in reading.refused


def test_databases_and_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    assert "database" in read_log(path).refused


def test_one_bad_line_hides_nothing(tmp_path: Path) -> None:
    log = Claude()
    log.user("First.")
    log.says("Second.")
    log.user("Third.")
    path = write(
        tmp_path / "s.jsonl", [log.records[0], '{"type":"assist', log.records[1], "\0\0\0", "7", log.records[2]]
    )
    reading = read_log(path)
    assert person(reading) == ["First.", "Third."]
    assert reading.malformed == (2, 4, 5)
    assert reading.offset == path.stat().st_size


def test_every_cut_of_a_file_is_read_without_an_exception(tmp_path: Path) -> None:
    log = Claude()
    log.user("保留旧接口。")
    log.calls("t1", "Bash", {"command": "ls"})
    log.returns("t1", "a")
    log.user("Good 👍")
    data = write(tmp_path / "whole.jsonl", log.records).read_bytes()
    path = tmp_path / "cut.jsonl"
    reader = LogReader(path)
    for end in range(0, len(data) + 1, 7):
        path.write_bytes(data[:end])
        reader.read_new()
        cut = read_log(path)
        assert cut.malformed == ()
        assert set(person(cut)) <= {"保留旧接口。", "Good 👍"}
    path.write_bytes(data)
    reader.read_new()
    assert reader.cursor().offset == len(data)


@pytest.mark.shared
def test_nothing_in_the_data_raises_and_all_is_named(shared: Path) -> None:
    for path in sorted((shared / "data" / "logs").rglob("*")):
        if path.is_file() and path.suffix != ".md":
            reading = read_log(path)
            foreign = path.parent.name == "not-agent-logs"
            assert foreign == (not reading.agent), path.name
            assert reading.refused or not foreign


def test_unchanged_tells_from_a_kept_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row("1", "one"))
    reader = LogReader(path)
    reader.read_new()
    cursor = reader.cursor()
    assert unchanged(cursor)
    path.write_text(row("1", "ONE"))
    assert not unchanged(cursor)
    path.write_text(row("1", "one") + row("2", "two"))
    assert not unchanged(cursor)
    path.unlink()
    assert not unchanged(cursor)
