"""Gemini CLI, both generations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from omp.sources import read_log
from tests.sources.writing import person, turns, write

HEAD = {"sessionId": "g-1", "projectHash": "ab" * 32, "startTime": "2026-05-04T08:00:00Z", "kind": "main"}


def message(name: str, kind: str, text: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-05-04T08:00:01Z", "type": kind, "content": text, **more}


def test_document_of_the_first_generation(tmp_path: Path) -> None:
    call = {
        "id": "c1",
        "name": "run_shell_command",
        "args": {"command": "ls"},
        "status": "error",
        "resultDisplay": "no",
    }
    path = tmp_path / "session-1.json"
    path.write_text(
        json.dumps(
            {
                **HEAD,
                "messages": [
                    message("m1", "user", "<session_context>\nThis is the Gemini CLI.\n</session_context>"),
                    message("m2", "user", [{"text": "日志按天切割"}]),
                    message("m3", "gemini", "Ok.", toolCalls=[call]),
                    message("m4", "info", "quota"),
                    message("m5", "poem", "x"),
                ],
            },
            indent=2,
        )
    )
    reading = read_log(path)
    assert turns(reading)[1:] == [
        ("m2", "person", "日志按天切割"),
        ("m3", "agent", "Ok."),
        ("m3", "tool", "ls"),
        ("m3", "tool", "no"),
    ]
    assert reading.sessions[0].events[-1].failed
    assert (reading.agent, reading.skipped, reading.sessions[0].session) == ("gemini-cli", {"poem": 1}, "g-1")


def test_lines_with_rewritten_and_rewound_messages(tmp_path: Path) -> None:
    path = write(
        tmp_path / "session-1.jsonl",
        [
            HEAD,
            message("m1", "user", "Use port 81."),
            message("m2", "gemini", "par"),
            message("m2", "gemini", "partial no more"),
            {"$set": {"lastUpdated": "x"}},
            message("m3", "user", "Use Perl."),
            message("m4", "gemini", "Perl."),
            {"$rewindTo": "m3"},
            HEAD,
            message("m5", "user", "expanded @a", displayContent="看 @a"),
        ],
    )
    assert turns(read_log(path)) == [
        ("m1", "person", "Use port 81."),
        ("m2", "agent", "partial no more"),
        ("m5", "person", "看 @a"),
    ]


def test_set_messages_replaces_the_list(tmp_path: Path) -> None:
    path = write(
        tmp_path / "session-1.jsonl",
        [
            HEAD,
            message("m1", "user", "Old."),
            {"$set": {"messages": [message("m2", "user", "New.")]}},
        ],
    )
    assert person(read_log(path)) == ["New."]


def test_header_alone_and_helpers(tmp_path: Path) -> None:
    assert read_log(write(tmp_path / "a.jsonl", [HEAD])).sessions == ()
    helper = read_log(
        write(tmp_path / "b.jsonl", [{**HEAD, "kind": "subagent"}, message("m1", "user", "Prefer tables.")])
    )
    assert (person(helper), helper.sessions[0].machine) == ([], True)
