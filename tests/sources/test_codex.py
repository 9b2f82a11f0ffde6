"""Codex rollouts of all generations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omp.model import LogReading
from omp.sources import read_log
from tests.sources.writing import person, turns, write

AT = "2026-05-04T10:00:{:02}.000Z"


def meta(**more: Any) -> dict[str, Any]:
    payload = {"id": "th-1", "cwd": "/w/app", "source": "cli", "git": {"branch": "trunk"}, **more}
    return {"timestamp": AT.format(0), "type": "session_meta", "payload": payload}


def event(second: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": AT.format(second), "type": "event_msg", "payload": {"type": kind, **more}}


def item(second: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": AT.format(second), "type": "response_item", "payload": {"type": kind, **more}}


def said(second: int, role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": text}])


def prompt(second: int, text: str) -> list[dict[str, Any]]:
    return [said(second, "user", text), event(second, "user_message", message=text, images=[])]


def read(folder: Path, *records: Any) -> LogReading:
    flat = [one for record in records for one in (record if isinstance(record, list) else [record])]
    return read_log(write(folder / "rollout.jsonl", flat))


def test_prompts_count_once_and_injected_items_are_nobodys(tmp_path: Path) -> None:
    reading = read(
        tmp_path, meta(), said(1, "developer", "<permissions instructions>x</permissions instructions>"),
        said(1, "user", "<environment_context>\n  <cwd>/w/app</cwd>\n</environment_context>"),
        prompt(9, "以后测试都用 pytest"), event(10, "agent_message", message="Fine."), said(10, "assistant", "Fine."),
    )  # fmt: skip
    assert turns(reading)[1:] == [("L5", "person", "以后测试都用 pytest"), ("L7", "agent", "Fine.")]
    first = reading.sessions[0].events[1]
    assert (first.at, first.cwd, first.branch, first.session) == ("2026-05-04T10:00:09Z", "/w/app", "trunk", "th-1")
    assert reading.skipped == {}


def test_without_accepted_prompts_the_items_count(tmp_path: Path) -> None:
    reading = read(
        tmp_path, meta(), said(1, "user", "# AGENTS.md instructions for /w/app\n\nUse tabs."),
        said(2, "user", "Name the branch after the ticket."),
    )  # fmt: skip
    assert person(reading) == ["Name the branch after the ticket."]


def test_accepted_items_of_paginated_threads_count(tmp_path: Path) -> None:
    accepted = {"type": "UserMessage", "id": "it-4", "content": [{"type": "text", "text": "Only ES modules."}]}
    reading = read(tmp_path, meta(), said(1, "user", "Only ES modules."), event(1, "item_completed", item=accepted))
    assert turns(reading) == [("it-4", "person", "Only ES modules.")]


@pytest.mark.parametrize("end", ["task_complete", "turn_completed", "turn_aborted", "turn.completed"])
def test_end_records_close_under_all_their_names(tmp_path: Path, end: str) -> None:
    head = (meta(), prompt(2, "Hi."), said(3, "assistant", "Hi."), event(4, end))
    assert read(tmp_path, *head, event(5, "token_count", info=None)).sessions[0].closed
    assert not read(tmp_path, *head, prompt(6, "More.")).sessions[0].closed


@pytest.mark.parametrize(
    "mark", [{"source": {"subagent": "review"}}, {"source": "exec"}, {"thread_source": "subagent"}]
)
def test_nobody_speaks_in_a_machines_thread(tmp_path: Path, mark: dict[str, Any]) -> None:
    reading = read(tmp_path, meta(**mark), prompt(2, "Review the change. Prefer tables."), said(3, "assistant", "Ok."))
    assert person(reading) == []
    assert reading.sessions[0].machine


def test_rolled_back_turns_are_withdrawn(tmp_path: Path) -> None:
    reading = read(
        tmp_path, meta(), prompt(2, "Take Redis."), said(3, "assistant", "Redis."), prompt(4, "And Kafka."),
        said(5, "assistant", "Kafka."), prompt(6, "And Solr."), event(7, "thread_rolled_back", num_turns=2),
        prompt(8, "换成 SQLite"),
    )  # fmt: skip
    assert person(reading) == ["Take Redis.", "换成 SQLite"]


def test_copied_beginning_of_a_fork_is_cut_by_turn_ids(tmp_path: Path) -> None:
    old, born, new = ("0196a000-0000-7000-8000-00000000000a", "0196b000-0000-7000-8000-00000000000b",
                      "0196b001-0000-7000-8000-00000000000c")  # fmt: skip

    def turn(second: int, name: str) -> dict[str, Any]:
        return {"timestamp": AT.format(second), "type": "turn_context", "payload": {"turn_id": name, "cwd": "/w/app"}}

    reading = read(
        tmp_path, meta(id=born, forked_from_id="p"), meta(id="p"), event(0, "task_started", turn_id=old),
        prompt(0, "Old words."), turn(30, old), event(40, "task_started", turn_id=new), turn(40, new),
        prompt(41, "New words."),
    )  # fmt: skip
    assert person(reading) == ["New words."]


def test_copied_beginning_of_an_old_fork_is_cut_by_time(tmp_path: Path) -> None:
    reading = read(tmp_path, meta(), meta(id="parent"), prompt(0, "Old words."), prompt(30, "New words."))
    assert person(reading) == ["New words."]
    assert reading.sessions[0].session == "th-1"


def test_header_written_again_on_resume_is_no_fork(tmp_path: Path) -> None:
    assert person(read(tmp_path, meta(), prompt(0, "One."), meta(), prompt(9, "Two."))) == ["One.", "Two."]


def test_calls_results_and_failures(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a/b.py\n@@\n-x\n+y\n*** End Patch"
    reading = read(
        tmp_path, meta(), prompt(1, "Go."),
        item(2, "function_call", name="shell", arguments='{"command":["bash","-lc","ls -a"]}', call_id="c1"),
        item(2, "function_call_output", call_id="c1", output='{"output":"a\\n","metadata":{"exit_code":0}}'),
        item(3, "custom_tool_call", name="apply_patch", input=patch, call_id="c2"),
        item(3, "custom_tool_call_output", call_id="c2", output='{"output":"bad","metadata":{"exit_code":1}}'),
        item(4, "local_shell_call", call_id="c3", action={"type": "exec", "command": ["pwd"]}),
        item(4, "function_call_output", call_id="c3", output="Exit code: 127\nOutput:\nnot found"),
        item(5, "reasoning", summary=[], encrypted_content="xxx"),
    )  # fmt: skip
    rest = reading.sessions[0].events[1:]
    assert [(e.tool, e.call, e.text.split("\n")[0], e.failed) for e in rest] == [
        ("shell", "c1", "bash -lc ls -a", False), ("shell", "c1", "a", False),
        ("apply_patch", "c2", "update a/b.py", False), ("apply_patch", "c2", "bad", True),
        ("shell", "c3", "pwd", False), ("shell", "c3", "Exit code: 127", True),
    ]  # fmt: skip


def test_working_directory_follows_the_turns(tmp_path: Path) -> None:
    moved = {"timestamp": AT.format(3), "type": "turn_context", "payload": {"cwd": "C:\\w\\two"}}
    reading = read(tmp_path, meta(), prompt(1, "One."), moved, prompt(4, "Two."))
    assert [event.cwd for event in reading.sessions[0].events] == ["/w/app", "C:\\w\\two"]


def test_lines_before_the_envelope(tmp_path: Path) -> None:
    reading = read(
        tmp_path, {"id": "old-1", "timestamp": AT.format(0), "instructions": None, "git": {"branch": "dev"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "<environment_context>\n<cwd>/w/old</cwd>\n</environment_context>"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Use spaces."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Spaces."}]},
    )  # fmt: skip
    assert turns(reading)[1:] == [("L4", "person", "Use spaces."), ("L5", "agent", "Spaces.")]
    last = reading.sessions[0].events[-1]
    assert (last.session, last.cwd, last.branch, last.at) == ("old-1", "/w/old", "dev", "2026-05-04T10:00:00Z")


def test_single_document_of_the_first_releases(tmp_path: Path) -> None:
    path = tmp_path / "rollout.json"
    path.write_text(
        '{"session":{"id":"r0","timestamp":"2025-04-20T09:00:00Z","instructions":""},"items":'
        '[{"type":"message","role":"user","content":[{"type":"input_text","text":"Write docs in Markdown."}]}]}'
    )
    assert person(read_log(path)) == ["Write docs in Markdown."]


def test_unknown_types_are_counted_by_name(tmp_path: Path) -> None:
    reading = read(
        tmp_path, meta(), prompt(1, "Hi."), {"timestamp": AT.format(2), "type": "star_map", "payload": {}},
        event(3, "telepathy"), item(4, "dream"), event(5, "token_count", info=None),
    )  # fmt: skip
    assert reading.skipped == {"star_map": 1, "event_msg/telepathy": 1, "response_item/dream": 1}


@pytest.mark.shared
def test_all_real_rollouts_are_read(shared: Path) -> None:
    for path in sorted((shared / "data" / "logs" / "codex").rglob("*.jsonl")):
        reading = read_log(path)
        assert (reading.agent, reading.refused) == ("codex", "")
        assert not [text for text in person(reading) if text.startswith(("<", "# "))], path.name
