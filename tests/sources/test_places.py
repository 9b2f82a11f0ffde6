"""Which logs belong to which repository."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from omp.sources import AgentHomes, belongs, discover, watch_folders
from omp.sources.places import Looked
from tests.sources.writing import Claude, write


def encoded(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", str(path))


def claude_log(home: Path, cwd: Path, session: str, *moved: Path) -> Path:
    log = Claude(session, str(cwd))
    log.user("Hello.")
    for place in moved:
        log.user("On.", cwd=str(place))
    folder = home / "projects" / encoded(cwd)
    folder.mkdir(parents=True, exist_ok=True)
    return write(folder / f"{session}.jsonl", log.records)


def test_innermost_work_tree_wins(tmp_path: Path) -> None:
    outer, inner = tmp_path / "app", tmp_path / "app" / "vendor" / "lib"
    assert belongs(str(inner / "src"), [outer, inner]) == inner
    assert belongs(str(outer / "src"), [inner, outer]) == outer


@pytest.mark.parametrize("cwd", ["api-old", "api.bak", "apix", "", "../api-old/api"])
def test_names_that_only_begin_alike_do_not_belong(tmp_path: Path, cwd: str) -> None:
    assert belongs(str(tmp_path / cwd) if cwd else "", [tmp_path / "api"]) is None


def test_links_are_resolved_on_both_sides(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert belongs(str(tmp_path / "link" / "sub"), [tmp_path / "real"]) == tmp_path / "real"
    assert belongs(str(tmp_path / "real" / "sub"), [tmp_path / "link"]) == tmp_path / "link"


def test_windows_directories_match_with_either_slash_and_any_case() -> None:
    tree = Path("C:\\Code\\Api")
    assert belongs("c:/code/api/src", [tree]) == tree
    assert belongs("C:\\Code\\Api-old", [tree]) is None
    assert belongs("C:\\Code\\Api", [Path("/Code/Api")]) is None


def test_relative_directories_belong_nowhere(tmp_path: Path) -> None:
    assert belongs("api", [tmp_path]) is None


def test_logs_are_chosen_by_the_directory_inside_not_by_the_folders_name(tmp_path: Path) -> None:
    home = tmp_path / "claude"
    mine, twin, other = tmp_path / "a.b" / "api", tmp_path / "a-b" / "api", tmp_path / "a.b" / "api-old"
    assert encoded(mine) == encoded(twin)
    wanted = claude_log(home, mine, "s1")
    claude_log(home, twin, "s2")
    claude_log(home, other, "s3")
    worktree = claude_log(home, tmp_path / "trees" / "fix", "s4")
    homes = AgentHomes(claude=(home,))
    assert discover(homes, [mine, tmp_path / "trees" / "fix"]) == sorted([wanted, worktree])


def test_session_that_moves_into_the_repository_later_is_found(tmp_path: Path) -> None:
    home = tmp_path / "claude"
    log = claude_log(home, tmp_path / "elsewhere", "s1", tmp_path / "app" / "src")
    assert discover(AgentHomes(claude=(home,)), [tmp_path / "app"]) == [log]


def test_new_log_without_a_directory_counts_where_its_folder_fits(tmp_path: Path) -> None:
    home = tmp_path / "claude"
    for name in (encoded(tmp_path / "app"), encoded(tmp_path / "xyz")):
        (home / "projects" / name).mkdir(parents=True)
        (home / "projects" / name / "s.jsonl").touch()
    found = discover(AgentHomes(claude=(home,)), [tmp_path / "app"])
    assert [path.parent.name for path in found] == [encoded(tmp_path / "app")]


def test_second_look_searches_changed_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "claude"
    log = claude_log(home, tmp_path / "app", "s1")
    looked: Looked = {}
    assert discover(AgentHomes(claude=(home,)), [tmp_path / "app"], looked) == [log]
    monkeypatch.setattr("omp.sources.places._directories", lambda file: pytest.fail("searched again"))
    assert discover(AgentHomes(claude=(home,)), [tmp_path / "app"], looked) == [log]


def test_codex_logs_and_key_files(tmp_path: Path) -> None:
    home = tmp_path / "codex"
    day = home / "sessions" / "2026" / "05" / "04"
    day.mkdir(parents=True)
    for name, cwd in (("mine", tmp_path / "app"), ("other", tmp_path / "app2")):
        write(day / f"rollout-{name}.jsonl", [{"type": "session_meta", "payload": {"id": name, "cwd": str(cwd)}}])
    write(home / "auth.json", [{"cwd": str(tmp_path / "app")}])
    assert [p.name for p in discover(AgentHomes(codex=home), [tmp_path / "app"])] == ["rollout-mine.jsonl"]


def test_gemini_projects_are_found_by_hash_and_by_their_note(tmp_path: Path) -> None:
    home, tree = tmp_path / "gemini", tmp_path / "app"
    for name, root in ((hashlib.sha256(str(tree).encode()).hexdigest(), None), ("app", str(tree)), ("zoo", "/zoo")):
        chats = home / "tmp" / name / "chats"
        chats.mkdir(parents=True)
        (chats / "session-1.json").touch()
        if root:
            (chats.parent / ".project_root").write_text(root)
    assert len(discover(AgentHomes(gemini=home), [tree])) == 2


def test_watched_folders_are_narrow_and_never_inside_a_work_tree(tmp_path: Path) -> None:
    home, codex, tree = tmp_path / "claude", tmp_path / "codex", tmp_path / "app"
    claude_log(home, tree, "s1")
    claude_log(home, tmp_path / "zoo", "s2")
    (codex / "sessions" / "2025" / "12" / "31").mkdir(parents=True)
    (codex / "sessions" / "2026" / "05" / "04").mkdir(parents=True)
    (tree / ".codex" / "sessions").mkdir(parents=True)
    folders = watch_folders(AgentHomes(claude=(home,), codex=codex, logs=(tree / ".codex" / "sessions",)), [tree])
    assert folders == sorted([
        home / "projects", home / "projects" / encoded(tree), codex / "sessions", codex / "sessions" / "2026",
        codex / "sessions" / "2026" / "05", codex / "sessions" / "2026" / "05" / "04",
    ])  # fmt: skip


def test_homes_that_do_not_exist_give_nothing(tmp_path: Path) -> None:
    homes = AgentHomes(claude=(tmp_path / "no",), codex=tmp_path / "none", gemini=tmp_path / "nil")
    assert discover(homes, [tmp_path]) == []


def test_files_of_helpers_are_left_out(tmp_path: Path) -> None:
    home = tmp_path / "claude"
    log = claude_log(home, tmp_path / "app", "s1")
    for helper in (log.parent / "agent-7.jsonl", log.parent / "s1" / "subagents" / "workflows" / "w" / "agent-8.jsonl"):
        helper.parent.mkdir(parents=True, exist_ok=True)
        helper.write_bytes(log.read_bytes())
    assert discover(AgentHomes(claude=(home,)), [tmp_path / "app"]) == [log]


def test_history_of_aider_in_the_work_tree_is_found(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").touch()
    assert discover(AgentHomes(), [tmp_path]) == [tmp_path / ".aider.chat.history.md"]
