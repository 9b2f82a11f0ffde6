"""Claude Code's logs: one answer one turn, the live path, and whose voice a text is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omp.sources import read_log
from tests.sources.writing import Claude, person, turns, write

REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file). "
)


def test_event_carries_record_time_place_and_branch(tmp_path: Path) -> None:
    log = Claude()
    log.user("Which port?")
    (event,) = log.read(tmp_path).sessions[0].events
    assert (event.entry, event.at, event.cwd, event.branch) == ("u-1", "2026-05-04T08:00:01Z", "/w/app", "trunk")
    assert (event.agent, event.session, event.role, event.voice) == ("claude-code", "s-1", "user", "person")


def test_one_answer_over_several_lines_is_one_turn(tmp_path: Path) -> None:
    log = Claude()
    log.user("Where do the fonts live?")
    log.add("assistant", [{"type": "thinking", "thinking": "hm", "signature": "x"}], answer="m1")
    log.says("I look first.", answer="m1")
    log.calls("t1", "Grep", {"pattern": "font"}, answer="m1")
    log.returns("t1", "assets/fonts")
    log.says("In assets/fonts.", answer="m1")
    log.user("好，就放那里。")
    assert turns(log.read(tmp_path)) == [
        ("u-1", "person", "Where do the fonts live?"),
        ("a-3", "agent", "I look first.\n\nIn assets/fonts."),
        ("a-4", "tool", "font"),
        ("u-5", "tool", "assets/fonts"),
        ("u-7", "person", "好，就放那里。"),
    ]


def test_rewound_branch_is_not_read(tmp_path: Path) -> None:
    log = Claude()
    log.user("Which format for the cache?")
    fork = log.says("JSON or CBOR?")
    log.user("CBOR.")
    log.calls("t9", "Write", {"file_path": "cache.cbor"})
    log.returns("t9", "written")
    log.last = fork
    log.user("JSON 吧。")
    log.says("JSON.")
    assert [text for _, _, text in turns(log.read(tmp_path))] == [
        "Which format for the cache?", "JSON or CBOR?", "JSON 吧。", "JSON.",
    ]  # fmt: skip


def test_first_prompt_may_be_rewound(tmp_path: Path) -> None:
    log = Claude()
    log.user("Use yarn.")
    log.says("yarn it is")
    log.last = None
    log.user("Use bun.")
    assert person(log.read(tmp_path)) == ["Use bun."]


def test_parallel_calls_are_no_rewind(tmp_path: Path) -> None:
    log = Claude()
    log.user("Check both.")
    first = log.calls("t1", "Read", {"file_path": "a.py"}, answer="m1")
    second = log.calls("t2", "Read", {"file_path": "b.py"}, answer="m1")
    log.last = first
    log.returns("t1", "A")
    log.last = second
    log.returns("t2", "B")
    log.says("Both fine.")
    assert [text for _, _, text in turns(log.read(tmp_path))] == ["Check both.", "a.py", "b.py", "A", "B", "Both fine."]


def test_compaction_joins_what_came_before(tmp_path: Path) -> None:
    log = Claude()
    log.user("接口统一返回 JSON。")
    before = log.says("好的。")
    log.records.append({
        "type": "system", "subtype": "compact_boundary", "uuid": "b-1", "parentUuid": None,
        "logicalParentUuid": before, "sessionId": "s-1", "timestamp": "2026-05-04T09:00:00Z",
    })  # fmt: skip
    log.last = "b-1"
    log.user("The talk so far: the user wants XML.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.user("Go on with the tests.")
    assert person(log.read(tmp_path)) == ["接口统一返回 JSON。", "Go on with the tests."]


@pytest.mark.parametrize("parent", ["nowhere", "u-3"])
def test_broken_links_fall_back_to_file_order_and_say_so(tmp_path: Path, parent: str) -> None:
    log = Claude()
    log.user("one")
    log.says("two")
    log.user("three")
    log.records[1]["parentUuid"] = parent
    reading = log.read(tmp_path)
    assert [text for _, _, text in turns(reading)] == ["one", "two", "three"]
    assert sum(reading.skipped.values()) == 1


def test_side_chains_are_sessions_without_anybodys_voice(tmp_path: Path) -> None:
    log = Claude()
    log.user("Let a helper look at it.")
    log.user("You are a critic. I hate comments.", isSidechain=True, agentId="h1", parentUuid=None, uuid="x-1")
    log.last = "u-1"
    log.says("It found nothing.")
    main, side = log.read(tmp_path).sessions
    assert [event.voice for event in main.events] == ["person", "agent"]
    assert (side.machine, [event.voice for event in side.events]) == (True, ["agent"])
    assert side.session != main.session


@pytest.mark.parametrize("mark", [
    {"isMeta": True}, {"isCompactSummary": True}, {"isVisibleInTranscriptOnly": True}, {"promptSource": "system"},
    {"promptSource": "sdk"}, {"entrypoint": "sdk-py"}, {"origin": {"kind": "task-notification"}},
])  # fmt: skip
def test_provenance_says_that_nobody_typed_it(tmp_path: Path, mark: dict[str, Any]) -> None:
    log = Claude()
    log.user("Always answer in French.", **mark)
    log.says("Oui.")
    reading = log.read(tmp_path)
    assert person(reading) == []
    assert reading.sessions[0].machine


def test_typed_prompt_of_an_editor_counts(tmp_path: Path) -> None:
    log = Claude()
    log.user("Keep lines short.", promptSource="typed", origin={"kind": "human"}, entrypoint="claude-vscode")
    assert person(log.read(tmp_path)) == ["Keep lines short."]


def test_arguments_of_a_command_are_typed_and_its_body_is_not(tmp_path: Path) -> None:
    log = Claude()
    wrapper = (
        "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>{}</command-args>"
    )
    log.user(wrapper.format("the offline mode"), promptId="p1")
    log.user("You plan features. Always write ten steps.", promptId="p1")
    log.says("Step 1")
    log.user("少一点步骤", promptId="p2")
    assert person(log.read(tmp_path)) == ["the offline mode", "少一点步骤"]


def test_prompt_after_a_command_that_answered_at_once_is_typed(tmp_path: Path) -> None:
    log = Claude()
    log.user("<command-name>/model</command-name><command-args></command-args>")
    log.user("<local-command-stdout>Set model</local-command-stdout>")
    log.user("Ship it on Tuesdays.")
    assert person(log.read(tmp_path)) == ["Ship it on Tuesdays."]


def test_exit_closes_and_going_on_opens_again(tmp_path: Path) -> None:
    log = Claude()
    log.user("Hello.")
    log.user("<command-name>/exit</command-name>")
    assert log.read(tmp_path).sessions[0].closed
    log.user("<local-command-stdout>Bye!</local-command-stdout>")
    assert log.read(tmp_path).sessions[0].closed
    log.user("One more thing.")
    assert not log.read(tmp_path).sessions[0].closed


def test_reason_of_a_refusal_is_the_persons(tmp_path: Path) -> None:
    log = Claude()
    log.user("Clean up.")
    log.calls("t1", "Bash", {"command": "rm -r old"})
    said = "To tell you how to proceed, the user said:\n不要删 old，先归档"
    said += "\n\nNote: The user's next message may contain more."
    log.returns("t1", REFUSAL + said, is_error=True, toolUseResult="Error: " + REFUSAL)
    events = log.read(tmp_path).sessions[0].events
    assert [(e.voice, e.text) for e in events if e.entry == "u-3"][1] == ("person", "不要删 old，先归档")
    assert events[2].failed
    assert "归档" not in events[2].text


@pytest.mark.parametrize(("tool", "is_error", "text"), [
    ("Bash", False, REFUSAL + "the user said:\nremember to use http"),
    ("mcp__web__fetch", True, REFUSAL + "the user said:\nremember to use http"),
    ("Bash", True, "Exit code 1\n" + REFUSAL + "the user said:\nremember to use http"),
])  # fmt: skip
def test_a_tool_that_prints_a_refusal_is_no_person(tmp_path: Path, tool: str, is_error: bool, text: str) -> None:
    log = Claude()
    log.user("Look it up.")
    log.calls("t1", tool, {"command": "curl x"})
    log.returns("t1", text, is_error=is_error, toolUseResult="Error: " + text)
    assert person(log.read(tmp_path)) == ["Look it up."]


def test_dialog_answer_is_the_persons_and_follows_its_question(tmp_path: Path) -> None:
    log = Claude()
    log.user("Set up storage.")
    log.calls("t1", "AskUserQuestion", {"questions": [{"question": "Which store?"}]})
    log.returns("t1", "User has answered.", toolUseResult={"questions": [], "answers": {"Which store?": "LMDB"}})
    log.calls("t2", "mcp__x__ask", {"q": 1})
    log.returns("t2", "ok", toolUseResult={"answers": {"Which store?": "Oracle"}})
    reading = log.read(tmp_path)
    assert person(reading) == ["Set up storage.", "LMDB"]
    assert ("u-3", "agent", "Which store?") in turns(reading)


def test_queued_prompt_counts_once(tmp_path: Path) -> None:
    log = Claude()
    log.user("Start.")
    for text in ("Also rename it.", "只改一处"):
        log.records.append({
            "type": "attachment", "uuid": f"q-{text}", "parentUuid": log.last, "sessionId": "s-1",
            "timestamp": "2026-05-04T08:30:00Z",
            "attachment": {"type": "queued_command", "prompt": text, "commandMode": "prompt"},
        })  # fmt: skip
        log.last = f"q-{text}"
    log.user("只改一处")
    assert person(log.read(tmp_path)) == ["Start.", "Also rename it.", "只改一处"]


def test_prompts_answered_by_a_sentinel_are_a_machines(tmp_path: Path) -> None:
    log = Claude()
    log.user("Anything new in the mailbox? Prefer short reports.")
    log.says("NO_REPLY")
    reading = log.read(tmp_path)
    assert person(reading) == []
    assert reading.sessions[0].machine


def test_calls_become_one_line_and_results_are_shortened(tmp_path: Path) -> None:
    log = Claude()
    log.user("Run it.")
    log.calls("t1", "Bash", {"command": "make all\n  && make test", "description": "build"})
    log.returns("t1", [{"type": "text", "text": "a" * 9000 + "END"}, {"type": "image", "source": {"data": "QUJD"}}])
    log.calls("t2", "Bash", {"command": "false"})
    log.returns("t2", "Exit code 2\nno", is_error=True)
    events = log.read(tmp_path).sessions[0].events
    assert (events[1].tool, events[1].call, events[1].text) == ("Bash", "t1", "make all && make test")
    assert len(events[2].text) < 6300
    assert events[2].text.endswith("END")
    assert "QUJD" not in events[2].text
    assert [event.failed for event in events] == [False, False, False, False, True]


def test_unknown_types_are_counted_and_known_ones_are_not(tmp_path: Path) -> None:
    log = Claude()
    log.user("Hi there.")
    log.records += [
        {"type": "hologram", "uuid": "z"},
        {"type": "hologram"},
        {"type": "last-prompt", "sessionId": "s-1"},
        {},
    ]
    reading = log.read(tmp_path)
    assert reading.skipped == {"hologram": 2, "(no type)": 1}
    assert person(reading) == ["Hi there."]


def test_copied_record_of_one_file_counts_once(tmp_path: Path) -> None:
    log = Claude()
    log.user("Once.")
    log.records.append(dict(log.records[0]))
    assert person(log.read(tmp_path)) == ["Once."]


def test_helper_file_is_a_machines(tmp_path: Path) -> None:
    record = {
        "type": "user", "uuid": "k-1", "parentUuid": None, "isSidechain": True, "agentId": "k9", "sessionId": "s-1",
        "message": {"role": "user", "content": "Find all TODOs. I prefer lists."}, "timestamp": "2026-05-04T08:00:00Z",
    }  # fmt: skip
    reading = read_log(write(tmp_path / "agent-k9.jsonl", [record]))
    assert (person(reading), reading.sessions[0].machine) == ([], True)


@pytest.mark.shared
def test_all_real_logs_are_read(shared: Path) -> None:
    for path in sorted((shared / "data" / "logs" / "claude-code").rglob("*.jsonl")):
        reading = read_log(path)
        assert (reading.agent, reading.refused) == ("claude-code", "")
        assert not [text for text in person(reading) if text.startswith("<")], path.name


def test_boot_prompt_in_front_of_heartbeats_is_a_machines(tmp_path: Path) -> None:
    log = Claude()
    log.user("Open ROUTINE.md, I want it done in order.")
    log.says("Read it.")
    for hour in (1, 2):
        log.user(f"[heartbeat {hour}:00] status?")
        log.says("HEARTBEAT_OK")
    assert person(log.read(tmp_path)) == []
    log.user("Hello, it is me.")
    assert person(log.read(tmp_path)) == ["Open ROUTINE.md, I want it done in order.", "Hello, it is me."]


def test_name_of_a_session_does_not_make_it_another_agents(tmp_path: Path) -> None:
    log = Claude("session-one")
    log.user("Hi.")
    assert log.read(tmp_path).agent == "claude-code"
