"""The generic layout of the contract."""

from __future__ import annotations

from pathlib import Path

from omp.sources import read_log
from tests.sources.writing import person, write


def test_turns_sessions_and_fallback_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "talk.jsonl", [
        {"id": "m1", "role": "user", "text": "默认用深色主题", "at": "2026-05-04T18:00:00+08:00", "cwd": "/w/app"},
        {"id": 2, "role": "assistant", "text": "好的"},
        {"role": "tool", "text": "ok", "tool": "shell", "session": "other"},
        {"id": "m4", "role": "system", "text": "be brief", "session": "other"},
        {"id": "m5", "role": "user", "text": "Fine.\n<system-reminder>x</system-reminder>", "session": "other"},
    ])  # fmt: skip
    reading = read_log(path)
    assert [(s.session, [(e.entry, e.role, e.voice) for e in s.events]) for s in reading.sessions] == [
        ("talk", [("m1", "user", "person"), ("2", "assistant", "agent")]),
        ("other", [("L3", "tool", "tool"), ("m4", "system", "injected"), ("m5", "user", "injected"),
                   ("m5", "user", "person")]),
    ]  # fmt: skip
    assert reading.sessions[0].events[0].at == "2026-05-04T10:00:00Z"
    assert reading.sessions[0].events[0].cwd == "/w/app"
    assert person(reading) == ["默认用深色主题", "Fine."]
    assert (reading.agent, reading.refused, reading.offset) == ("generic", "", path.stat().st_size)


def test_unknown_rows_are_counted(tmp_path: Path) -> None:
    rows = [{"id": "a", "role": "user", "text": "One."}, {"id": "b", "role": "critic", "text": "x"}, {"note": 1}]
    path = write(tmp_path / "talk.jsonl", rows)
    assert read_log(path, "generic").skipped == {"critic": 1, "(no role)": 1}
