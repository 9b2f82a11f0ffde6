"""Readers of the further agents: what is a person's, what is not, and that each is named by its content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from omp.sources import read_log
from tests.sources.writing import person, turns, write

IFLOW = "session-01234567-89ab-4cde-8f01-23456789abcd"


def envelope(uuid: str, parent: str | None, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "q-1",
        "type": kind,
        "message": message,
        "cwd": "/w/app",
        "timestamp": "2026-05-04T08:00:00Z",
        **more,
    }


def document(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def test_qwen_code(tmp_path: Path) -> None:
    call = {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a.py"}}}
    answer = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "print(1)"}}}
    reading = read_log(
        write(
            tmp_path / "q.jsonl",
            [
                envelope("1", None, "user", {"role": "user", "parts": [{"text": "读一下"}]}),
                envelope("2", "1", "assistant", {"role": "model", "parts": [{"text": "dead"}]}),
                envelope(
                    "3",
                    "1",
                    "assistant",
                    {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Ok."}, call]},
                ),
                envelope("4", "3", "tool_result", {"role": "user", "parts": [answer]}),
                envelope("5", "4", "user", {"role": "user", "parts": [{"text": "Job done."}]}, subtype="notification"),
                envelope(
                    "6", "5", "user", {"role": "user", "parts": [{"text": "继续"}]}, subtype="mid_turn_user_message"
                ),
            ],
        )
    )
    assert reading.agent == "qwen-code"
    assert turns(reading) == [
        ("1", "person", "读一下"),
        ("3", "tool", "a.py"),
        ("3", "agent", "Ok."),
        ("4", "tool", "print(1)"),
        ("5", "injected", "Job done."),
        ("6", "person", "继续"),
    ]


def test_iflow(tmp_path: Path) -> None:
    wrapped = {"callId": "c1", "responseParts": {"functionResponse": {"response": {"output": "text"}}}}
    reading = read_log(
        write(
            tmp_path / "i.jsonl",
            [
                envelope("1", None, "user", {"role": "user", "content": "Set the port to 81."}, sessionId=IFLOW),
                envelope(
                    "2",
                    "1",
                    "assistant",
                    {"content": [{"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}}]},
                    sessionId=IFLOW,
                ),
                envelope(
                    "3",
                    "1",
                    "user",
                    {"content": [{"type": "tool_result", "tool_use_id": "c1", "content": wrapped}]},
                    sessionId=IFLOW,
                ),
            ],
        )
    )
    assert reading.agent == "iflow"
    assert turns(reading) == [("1", "person", "Set the port to 81."), ("2", "tool", "a"), ("3", "tool", "text")]


def test_pi_follows_the_active_path(tmp_path: Path) -> None:
    def entry(name: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        return {
            "type": "message",
            "id": name,
            "parentId": parent,
            "timestamp": "2026-05-04T08:00:00Z",
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }

    reading = read_log(
        write(
            tmp_path / "p.jsonl",
            [
                {"type": "session", "version": 3, "id": "p-1", "timestamp": "2026-05-04T08:00:00Z", "cwd": "/w/app"},
                entry("a", None, "user", "Name it core."),
                entry("b", "a", "assistant", "core"),
                entry("c", "b", "user", "No, base."),
                entry("d", "b", "user", "就叫 core"),
                {"type": "compaction", "id": "e", "parentId": "d", "summary": "s"},
            ],
        )
    )
    assert person(reading) == ["Name it core.", "就叫 core"]
    assert (reading.agent, reading.sessions[0].session, reading.sessions[0].events[0].cwd) == ("pi", "p-1", "/w/app")


def test_copilot_cli(tmp_path: Path) -> None:
    def happened(number: int, kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "id": f"e{number}", "timestamp": "2026-05-04T08:00:00Z", "parentId": None}

    reading = read_log(
        write(
            tmp_path / "events.jsonl",
            [
                happened(1, "session.start", sessionId="c-1", context={"cwd": "/w/app", "branch": "trunk"}),
                happened(
                    2, "user.message", content="Sort imports.", transformedContent="<reminder>x</reminder>Sort imports."
                ),
                happened(3, "user.message", content="Read the skill.", source="skill-x"),
                happened(4, "tool.execution_start", toolCallId="t", toolName="shell", arguments={"command": "ls"}),
                happened(5, "tool.execution_complete", toolCallId="t", success=False, result={"content": "no"}),
                happened(6, "assistant.message", content="Sorted."),
                happened(7, "session.shutdown"),
            ],
        )
    )
    assert reading.agent == "copilot-cli"
    assert turns(reading) == [
        ("e2", "person", "Sort imports."),
        ("e3", "injected", "Read the skill."),
        ("e4", "tool", "ls"),
        ("e5", "tool", "no"),
        ("e6", "agent", "Sorted."),
    ]
    session = reading.sessions[0]
    assert (session.session, session.closed, session.events[0].branch) == ("c-1", True, "trunk")


def test_cursor_takes_the_query_only(tmp_path: Path) -> None:
    around = "<timestamp>now</timestamp><attached_files>Use tabs.</attached_files>\n<user_query>\n用空格\n</user_query>"
    reading = read_log(
        write(
            tmp_path / "c.jsonl",
            [
                {"role": "user", "message": {"content": [{"type": "text", "text": around}]}},
                {"role": "assistant", "message": {"content": [{"type": "text", "text": "Ok."}]}},
                {"role": "user", "message": {"content": [{"type": "text", "text": "Rules: use tabs."}]}},
            ],
        )
    )
    assert (reading.agent, person(reading)) == ("cursor", ["用空格"])


def test_opencode_export(tmp_path: Path) -> None:
    def said(name: str, role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"info": {"id": name, "role": role, "time": {"created": 1777881600000}, **more}, "parts": list(parts)}

    tool = {
        "type": "tool",
        "tool": "bash",
        "callID": "t",
        "state": {"status": "error", "input": {"command": "ls"}, "error": "no"},
    }
    reading = read_log(
        document(
            tmp_path / "o.json",
            {
                "info": {"id": "ses_1", "directory": "/w/app", "revert": {"messageID": "m4"}},
                "messages": [
                    said(
                        "m1",
                        "user",
                        {"type": "text", "text": "Só em inglês."},
                        {"type": "text", "text": "file", "synthetic": True},
                    ),
                    said("m2", "assistant", {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Ok."}, tool),
                    said("m3", "assistant", {"type": "text", "text": "So far: XML."}, summary=True),
                    said("m4", "user", {"type": "text", "text": "Taken back."}),
                ],
            },
        )
    )
    assert turns(reading) == [
        ("m1", "person", "Só em inglês."),
        ("m1", "injected", "file"),
        ("m2", "agent", "Ok."),
        ("m2", "tool", "ls"),
        ("m2", "tool", "no"),
        ("m3", "injected", "So far: XML."),
    ]
    assert (reading.agent, reading.sessions[0].events[0].at) == ("opencode", "2026-05-04T08:00:00Z")


def test_cline_task(tmp_path: Path) -> None:
    folder = tmp_path / "1777881600000"
    folder.mkdir()
    rows = [
        ("say", "text", "做一个插件"),
        ("say", "api_req_started", '{"request":"x"}'),
        ("say", "text", "I look."),
        ("ask", "followup", '{"question":"Which?","options":["A","B"]}'),
        ("say", "user_feedback", "用 B"),
        ("ask", "command", "npm i"),
        ("ask", "command_output", "ok"),
    ]
    value = [{"ts": 1777881600000 + n, "type": t, t: kind, "text": text} for n, (t, kind, text) in enumerate(rows)]
    reading = read_log(document(folder / "ui_messages.json", value))
    assert turns(reading) == [
        ("L1", "person", "做一个插件"),
        ("L3", "agent", "I look."),
        ("L4", "agent", "Which?\nA, B"),
        ("L5", "person", "用 B"),
        ("L6", "tool", "npm i"),
        ("L7", "tool", "ok"),
    ]
    assert (reading.agent, reading.sessions[0].session) == ("cline", folder.name)


def test_aider_runs_prompts_and_fences(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(
        "\n# aider chat started at 2026-05-04 08:00:00\n\n> Aider v1  \n> Add it? (Y)es/(N)o [Yes]: y  \n\n"
        "#### Rename the field  \n####  \n#### and the test  \n\nSure:\n\n```md\n#### not a prompt\n> not output\n```\n"
        "#### /add a.py  \n> Added a.py  \n#### /ask 为什么慢？  \n\n````\nunclosed\n\n"
        "# aider chat started at 2026-05-05 09:00:00\n\n#### second run  \n",
        encoding="utf-8",
    )
    reading = read_log(path)
    assert [[e.text for e in s.events if e.voice == "person"] for s in reading.sessions] == [
        ["Rename the field\n\nand the test", "为什么慢？"],
        ["second run"],
    ]
    assert "#### not a prompt" in next(e.text for e in reading.sessions[0].events if e.voice == "agent")
    first = reading.sessions[0].events[1]
    assert (first.entry, first.at, first.cwd) == ("L7", "2026-05-04T08:00:00Z", str(tmp_path))


def test_chatgpt_export_follows_the_current_node(tmp_path: Path) -> None:
    def node(name: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
        return {
            "id": name,
            "parent": parent,
            "children": [],
            "message": {
                "id": name,
                "author": {"role": role},
                "create_time": 1777881600.5,
                "content": {"content_type": "text", "parts": [text]},
                **more,
            },
        }

    nodes = [
        node("a", None, "system", "be kind"),
        node("b", "a", "user", "Old."),
        node("c", "a", "user", "改用 Rust"),
        node("d", "c", "assistant", "Ok."),
        node("e", "d", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
    ]
    path = document(
        tmp_path / "conversations.json",
        [{"title": "t", "conversation_id": "k", "current_node": "e", "mapping": {n["id"]: n for n in nodes}}],
    )
    assert turns(read_log(path)) == [("c", "person", "改用 Rust"), ("d", "agent", "Ok.")]


def test_claude_ai_export(tmp_path: Path) -> None:
    path = document(
        tmp_path / "conversations.json",
        [
            {
                "uuid": "k",
                "chat_messages": [
                    {
                        "uuid": "1",
                        "sender": "human",
                        "text": "stale",
                        "content": [{"type": "text", "text": "Only PDF."}],
                        "created_at": "2026-05-04T08:00:00Z",
                        "attachments": [{"extracted_content": "always XML"}],
                    },
                    {"uuid": "2", "sender": "assistant", "text": "Ok.", "content": []},
                ],
            }
        ],
    )
    assert turns(read_log(path)) == [("1", "person", "Only PDF."), ("2", "agent", "Ok.")]


def test_what_is_known_by_sight_is_named(tmp_path: Path) -> None:
    files: dict[str, list[Any]] = {
        "goose": [{"working_dir": "/w", "description": "d", "message_count": 1}],
        "kimi-cli": [{"type": "turn.prompt", "text": "x"}],
        "codex": [{"session_id": "s", "ts": 1, "text": "Hi."}],
        "claude-code": [{"display": "Hi.", "pastedContents": {}, "timestamp": 1, "project": "/w"}],
        "mem0": [{"id": "1", "memory": "likes tea", "user_id": "u"}],
    }
    for agent, records in files.items():
        reading = read_log(write(tmp_path / f"{agent}.jsonl", records))
        assert (reading.agent, reading.sessions) == (agent, ())
        assert reading.refused.startswith(f"{agent}: ")
