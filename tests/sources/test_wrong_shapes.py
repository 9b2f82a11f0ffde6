"""No reader fails, whatever stands where a text, list or mapping is due."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omp.model import LogReading
from omp.sources import read_log
from tests.sources.writing import Claude

AT = "2026-05-04T08:00:00Z"


def claude() -> list[Any]:
    log = Claude()
    log.user("Which one?", promptSource="typed", origin={"kind": "human"})
    log.calls("t1", "AskUserQuestion", {"questions": [{"question": "Which?"}]}, answer="m1")
    log.returns("t1", [{"type": "text", "text": "ok"}], toolUseResult={"answers": {"Which?": "A"}, "annotations": {}})
    log.says("A.", answer="m2", supersedesUuids=["zz"])
    log.user("<command-name>/plan</command-name><command-args>it</command-args>", promptId="p")
    log.user("side", isSidechain=True, agentId="h")
    prompt = {"type": "queued_command", "prompt": "also", "commandMode": "prompt", "origin": {"kind": "human"}}
    log.records.append({"type": "attachment", "uuid": "q", "parentUuid": log.last, "attachment": prompt})
    return log.records


def codex() -> list[Any]:
    rows: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "th", "cwd": "/w", "source": "cli", "git": {"branch": "b"}, "forked_from_id": "x"}),
        ("turn_context", {"turn_id": "0196b001-0000-7000-8000-00000000000c", "cwd": "/w"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]}),
        ("event_msg", {"type": "user_message", "message": "Hi.", "kind": "plain"}),
        ("response_item", {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}),
        (
            "response_item",
            {"type": "function_call_output", "call_id": "c", "output": {"content": "x", "success": True}},
        ),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        ("event_msg", {"type": "item_completed", "item": {"type": "UserMessage", "id": "i", "content": []}}),
        ("event_msg", {"type": "task_complete", "turn_id": "t"}),
    ]
    return [{"timestamp": AT, "type": kind, "payload": payload, "ordinal": n} for n, (kind, payload) in enumerate(rows)]


def gemini() -> list[Any]:
    call = {
        "id": "c",
        "name": "ls",
        "args": {"path": "a"},
        "result": [{"functionResponse": {"response": {"output": "x"}}}],
    }
    message = {"id": "m", "timestamp": AT, "type": "gemini", "content": [{"text": "x"}], "toolCalls": [call]}
    return [
        {"sessionId": "s", "projectHash": "h", "kind": "main"},
        message,
        {"$set": {"messages": [message]}},
        {"$rewindTo": "m"},
    ]


def others() -> list[list[Any]]:
    block = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}
    pi = [
        {"type": "session", "id": "p", "cwd": "/w"},
        {
            "type": "message",
            "id": "a",
            "parentId": None,
            "timestamp": AT,
            "message": {"role": "user", "content": [block]},
        },
    ]
    copilot = [
        {"type": "session.start", "id": "1", "timestamp": AT, "data": {"sessionId": "s", "context": {"cwd": "/w"}}},
        {"type": "user.message", "id": "2", "timestamp": AT, "data": {"content": "x", "source": "user"}},
    ]
    qwen = [
        {
            "uuid": "1",
            "parentUuid": None,
            "sessionId": "s",
            "timestamp": AT,
            "type": "user",
            "cwd": "/w",
            "message": {"role": "user", "parts": [{"text": "x"}, {"functionCall": {"name": "n", "args": {}}}]},
        }
    ]
    cursor = [
        {"role": "user", "message": {"content": [{"type": "text", "text": "x"}, {"type": "tool_use", "input": {}}]}}
    ]
    generic = [{"id": "1", "role": "user", "text": "x", "at": AT, "session": "s", "cwd": "/w"}]
    opencode = [
        {
            "info": {"id": "s", "directory": "/w", "revert": {"messageID": "q"}},
            "messages": [
                {"info": {"id": "m", "role": "user", "time": {"created": 1}}, "parts": [{"type": "text", "text": "x"}]}
            ],
        }
    ]
    cline = [
        [{"ts": 1, "type": "say", "say": "text", "text": "x"}, {"ts": 2, "type": "ask", "ask": "tool", "text": "{}"}]
    ]
    chatgpt = [
        [
            {
                "id": "k",
                "current_node": "a",
                "mapping": {
                    "a": {
                        "parent": None,
                        "message": {
                            "author": {"role": "user"},
                            "content": {"content_type": "text", "parts": ["x"]},
                            "metadata": {},
                        },
                    }
                },
            }
        ]
    ]
    claude_ai = [
        [{"uuid": "k", "chat_messages": [{"uuid": "1", "sender": "human", "content": [{"type": "text", "text": "x"}]}]}]
    ]
    return [pi, copilot, qwen, cursor, generic, opencode, cline, chatgpt, claude_ai]


LOGS = [claude(), codex(), gemini(), *others()]
WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [None, 7, True, -1.5, "x", "", [], {}, [None], [[]], {"a": []}, [{"type": []}], 10**30]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the paths of everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inside for found in ((*path, key), *places(one, (*path, key)))]


@pytest.mark.parametrize("number", range(len(LOGS)))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_wrong_types_anywhere_fail_nothing(tmp_path: Path, number: int, data: st.DataObject) -> None:
    records = copy.deepcopy(LOGS[number])
    for _ in range(data.draw(st.integers(1, 3))):
        spot = data.draw(st.sampled_from(places(records)))
        target: Any = records
        for key in spot[:-1]:
            target = target[key] if isinstance(target, list) or key in target else {}
            if not isinstance(target, (list, dict)):
                break
        if isinstance(target, (list, dict)) and target:
            target[spot[-1] if isinstance(target, dict) else min(int(spot[-1]), len(target) - 1)] = copy.deepcopy(
                data.draw(WRONG)
            )
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert isinstance(read_log(path), LogReading)
