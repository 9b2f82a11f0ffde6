"""The main job through the command line: a line a person wrote becomes masked, evidenced, versioned YAML."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Omp
from tests.logs import claude_folder, claude_log, generic_log

SAID = [
    "We decided to use Valkey for the cache because the licence fits.",
    "部署一律走 main 分支，不允许直接改生产环境。",
    "run the tests please",
    "ok",
]


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines() if line.strip()]


def listed(omp: Omp, *more: str) -> list[dict[str, Any]]:
    status, out, err = omp("list", "--json", *more)
    assert status == 0, err
    return rows(out)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_log_becomes_memories_with_evidence_and_reading_it_again_changes_nothing(omp: Omp, repo: Path) -> None:
    assert omp("init", "--yes")[0] == 0
    log = claude_log(repo.parent / "s.jsonl", SAID, cwd=repo)
    status, out, err = omp("watch", "--once", "--log", str(log))
    assert status == 0, err
    assert "Valkey" in out
    found = {m["kind"]: m for m in listed(omp)}
    assert {"decision", "constraint"} <= found.keys()
    piece = found["decision"]["evidence"][0]
    assert (piece["agent"], piece["session"], piece["entry"]) == ("claude-code", "s-1", "s-1-1")
    assert "Valkey" in piece["quote"]
    assert found["decision"]["date"] == "2026-03-02"
    before = tree(repo / "_omp" / "memory")
    assert omp("watch", "--once", "--log", str(log))[0] == 0
    assert tree(repo / "_omp" / "memory") == before
    assert omp("validate")[0] == 0
    status, out, _ = omp("why", found["decision"]["id"])
    assert "Valkey" in out


def test_search_finds_across_languages_and_says_by_what(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    omp("watch", "--once", "--log", str(claude_log(repo.parent / "s.jsonl", SAID, cwd=repo)))
    for query, word in (("which cache", "Valkey"), ("生产环境", "部署"), ("缓存用什么", "Valkey")):
        hits = rows(omp("search", query, "--json")[1])
        assert word in str(hits[0]["claim"])
        assert hits[0]["signals"] == ["bm25", "dense"]


def test_a_secret_reaches_no_file(omp: Omp, repo: Path) -> None:
    secret = "gh" + "p_" + "R7kQ2mZx9Lw4Tn8Vb3Yc6Hd1Jf5Gs0Pa" + "8eUi"
    omp("init", "--yes")
    said = [f"Remember this: the deploy bot signs in with {secret} and runs on Mondays.", "bye"]
    status, out, err = omp("watch", "--once", "--log", str(claude_log(repo.parent / "s.jsonl", said, cwd=repo)))
    assert status == 0, err
    omp("remember", f"The release token is {secret}, ask Dana for a new one")
    places = [repo / "_omp", repo / ".git" / "omp", Path(os.environ["OMP_DATA_DIR"])]
    for place in places:
        for name, data in tree(place).items() if place.is_dir() else ():
            assert secret.encode() not in data, name
    assert secret not in out + err


def test_what_was_forgotten_does_not_come_back_from_its_log(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    log = claude_log(repo.parent / "s.jsonl", SAID, cwd=repo)
    omp("watch", "--once", "--log", str(log))
    gone = next(m for m in listed(omp) if m["kind"] == "decision")
    assert omp("forget", gone["id"])[0] == 0
    omp("watch", "--once", "--log", str(log))
    assert gone["id"] not in {m["id"] for m in listed(omp, "--status", "all")}
    assert "Valkey" not in (repo / "_omp" / "memory" / "refused.yaml").read_text()
    assert omp("validate")[0] == 0
    assert omp("forget", gone["id"])[0] == 1


def test_an_explicit_wish_lifts_a_refusal(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    status, out, _ = omp("remember", "Always sign release tags", "--kind", "constraint")
    identity = out.split()[0]
    omp("forget", identity)
    status, out, err = omp("remember", "Always sign release tags", "--kind", "constraint")
    assert (status, out.split()[0]) == (0, identity), err


def test_personal_statements_never_enter_the_repository(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    status, _, err = omp("remember", "I prefer short answers without emoji", "--scope", "PERSONAL")
    assert status == 0, err
    assert listed(omp) == []
    assert [m["claim"] for m in listed(omp, "--mine")] == ["I prefer short answers without emoji"]
    assert b"emoji" not in b"".join(tree(repo / "_omp").values())
    assert "emoji" in omp("search", "how should answers look", "--json")[1]


def test_nothing_is_read_or_written_without_trust(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    (Path(os.environ["OMP_DATA_DIR"]) / "settings.yaml").unlink()
    log = claude_log(repo.parent / "s.jsonl", SAID, cwd=repo)
    for arguments in (
        ["watch", "--once", "--log", str(log)],
        ["remember", "Ports are fixed"],
        ["import", "memories", str(log)],
    ):
        status, _, err = omp(*arguments)
        assert status == 1
        assert "omp trust" in err
    assert listed(omp) == []
    assert omp("validate")[0] == 0
    assert omp("trust")[0] == 0
    assert omp("watch", "--once", "--log", str(log))[0] == 0


def test_init_never_overwrites_and_leaves_foreign_hooks_alone(omp: Omp, repo: Path) -> None:
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho mine\n")
    (repo / "_omp").mkdir()
    (repo / "_omp" / "config.yaml").write_text("max_per_session: 3\n")
    status, _, err = omp("init", "--yes")
    assert status == 0
    assert hook.read_text() == "#!/bin/sh\necho mine\n"
    assert "validate --staged" in err
    assert (repo / "_omp" / "config.yaml").read_text() == "max_per_session: 3\n"
    before = tree(repo / "_omp")
    assert omp("init", "--yes")[0] == 0
    assert tree(repo / "_omp") == before


def test_the_hook_stops_a_commit_with_a_broken_memory_and_lets_a_good_one_pass(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    omp("remember", "Always sign release tags", "--kind", "constraint")
    subprocess.run(["git", "add", "-A"], cwd=repo, check=True)
    good = subprocess.run(["git", "commit", "-q", "-m", "memory"], cwd=repo, capture_output=True, text=True)
    assert good.returncode == 0, good.stderr
    file = repo / "_omp" / "memory" / "constraints.yaml"
    file.write_text(file.read_text().replace("kind: constraint", "kind: nonsense"))
    subprocess.run(["git", "add", "-A"], cwd=repo, check=True)
    bad = subprocess.run(["git", "commit", "-q", "-m", "broken"], cwd=repo, capture_output=True, text=True)
    assert bad.returncode != 0
    assert "constraints.yaml:" in bad.stdout + bad.stderr


def test_the_inbox_is_listed_accepted_and_rejected(omp: Omp, repo: Path) -> None:
    from omp.entries import from_candidate
    from omp.model import Candidate, Evidence, Staged
    from omp.store import MemoryDir

    omp("init", "--yes")
    at, memory = "2026-03-02T10:00:00Z", repo / "_omp" / "memory"
    store = MemoryDir(memory, repo / ".git" / "omp", lambda _: [], clock=lambda: at, work_tree=str(repo))
    waiting = []
    for n, claim in enumerate(["The proxy drops empty headers", "测试数据要先清空"]):
        piece = Evidence(agent="generic", session="s", entry=f"m{n}", role="user", at=at)
        waiting.append(from_candidate(Candidate(kind="lesson", claim=claim, confidence=0.5, evidence=(piece,))))
    store.stage(Staged(memory=m, reason="uncertain", at="2026-03-02T10:00:00Z") for m in waiting)
    assert {r["id"] for r in rows(omp("review", "list", "--json")[1])} == {m.id for m in waiting}
    assert omp("review", "accept", waiting[0].id)[0] == 0
    assert omp("review", "reject", waiting[1].id)[0] == 0
    assert [m["id"] for m in listed(omp)] == [waiting[0].id]
    assert rows(omp("review", "list", "--json")[1]) == []
    assert omp("review", "accept", waiting[1].id)[0] == 1
    assert waiting[1].key in store.known().refused_keys


def test_import_keeps_ids_and_joins_equal_texts(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    file = repo.parent / "m.jsonl"
    lines = [
        {"id": "a", "text": "The shop runs on port 3000."},
        {"id": "b", "text": "the shop runs on port 3000"},
        {"id": "c", "text": "日志保留三十天"},
    ]
    file.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines) + "not json\n", "utf-8")
    status, _, err = omp("import", "memories", str(file), "--verbatim")
    assert status == 1
    assert f"{file}:4:" in err
    assert sorted(str(m["external_id"]) for m in listed(omp)) == ["['a', 'b']", "c"]
    queries = repo.parent / "q.jsonl"
    queries.write_text('{"id": "1", "query": "which port"}\n{"id": "2", "query": "日志", "k": 1}\n', "utf-8")
    answers = rows(omp("search", "--queries", str(queries), "--json")[1])
    assert [a["id"] for a in answers] == ["1", "2"]
    assert answers[0]["hits"][0]["external_id"] == ["a", "b"]
    assert answers[1]["hits"][0]["external_id"] == "c"


def test_logs_of_other_repositories_and_branches_do_not_come_here(
    omp: Omp, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repo.parent / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    omp("init", "--yes")
    other = repo.parent / "repo-old"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    mine, theirs = claude_folder(home, repo), claude_folder(home, other)
    claude_log(mine / "a.jsonl", ["We decided to use Valkey for the cache."], cwd=repo, session="a")
    claude_log(theirs / "b.jsonl", ["We decided to use Memcached for the cache."], cwd=other, session="b")
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x", "--no-verify"], cwd=repo, check=True)
    subprocess.run(["git", "branch", "side"], cwd=repo, check=True)
    claude_log(mine / "c.jsonl", ["We decided to use Kafka for events."], cwd=repo, session="c", branch="side")
    status, _, err = omp("watch", "--once", "--since", "all")
    assert status == 0, err
    claims = " ".join(m["claim"] for m in listed(omp))
    assert "Valkey" in claims
    assert "Memcached" not in claims
    assert "Kafka" not in claims


def test_a_session_that_takes_back_what_it_said_loses_the_memory_again(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    log = repo.parent / "s.jsonl"
    omp("watch", "--once", "--log", str(claude_log(log, ["We decided to use Valkey for the cache."], cwd=repo)))
    assert len(listed(omp)) == 1
    said = ["We decided to use Valkey for the cache.", "Scratch that, forget Valkey, I was wrong."]
    omp("watch", "--once", "--log", str(claude_log(log, said, cwd=repo)))
    assert "Valkey" not in " ".join(m["claim"] for m in listed(omp))


def test_extract_writes_nothing_and_needs_no_repository(
    omp: Omp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = generic_log(
        tmp_path / "talk.jsonl", [("user", "We decided to use Valkey for the cache."), ("user", "thanks")]
    )
    before = tree(tmp_path)
    status, out, err = omp("extract", str(log), "--json", "--all")
    assert status == 0, err
    first = rows(out)[0]
    assert (first["kind"], first["verdict"], first["evidence"][0]["entry"]) == ("decision", "keep", "m1")
    assert tree(tmp_path) == before


def test_status_and_unknown_verbs(omp: Omp, repo: Path) -> None:
    told = json.loads(omp("status", "--json")[1])
    assert (told["initialised"], told["memories"]) == (False, {})
    omp("init", "--yes")
    told = json.loads(omp("status", "--json")[1])
    assert told["initialised"]
    assert told["daemon"]["running"] is False
    status, _, err = omp("serach", "x")
    assert status == 2
    assert "search" in err
    assert omp("list", "--repo", "/nonexistent")[0] == 2
    assert omp("show", "dec-aaaaaaaaaa")[0] == 1


def test_a_memory_of_another_branch_waits_until_that_branch_is_there(
    omp: Omp, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repo.parent / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    omp("init", "--yes")
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x", "--no-verify"], cwd=repo, check=True)
    subprocess.run(["git", "branch", "side"], cwd=repo, check=True)
    log = claude_folder(home, repo) / "c.jsonl"
    claude_log(log, ["We decided to use Kafka for events."], cwd=repo, session="c", branch="side")
    assert "waits for branch side" in omp("watch", "--once", "--since", "all")[2]
    assert listed(omp) == []
    subprocess.run(["git", "checkout", "-q", "side"], cwd=repo, check=True)
    assert omp("watch", "--once", "--since", "all")[0] == 0
    assert ["Kafka" in m["claim"] for m in listed(omp)] == [True]


def test_nothing_is_written_while_a_merge_is_open(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    log = claude_log(repo.parent / "s.jsonl", SAID, cwd=repo)
    (repo / ".git" / "MERGE_HEAD").write_text("0" * 40)
    before = tree(repo / "_omp")
    status, _, err = omp("watch", "--once", "--log", str(log))
    assert (status, "merge" in err) == (1, True)
    assert tree(repo / "_omp") == before


def test_forgetting_a_replacement_brings_the_replaced_one_back_and_says_so(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    omp("remember", "Rent is paid in euros", "--kind", "constraint")
    status, out, err = omp("remember", "Rent is no longer paid in euros but in dollars", "--kind", "constraint")
    assert status == 0
    assert "replaces" in err
    status, _, err = omp("forget", out.split()[0])
    assert "is active again: Rent is paid in euros" in err
    assert [(m["claim"], m["status"]) for m in listed(omp)] == [("Rent is paid in euros", "active")]
    assert omp("validate", "--strict")[0] == 0


def test_a_broken_file_is_named_by_whoever_reads(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    omp("remember", "Rent is paid in euros", "--kind", "constraint")
    file = repo / "_omp" / "memory" / "constraints.yaml"
    file.write_text(file.read_text().replace("    kind:", "   kind:"))
    for arguments in (["list"], ["search", "rent"]):
        assert "constraints.yaml" in omp(*arguments)[2]


def test_an_id_from_the_inbox_can_be_shown(omp: Omp, repo: Path) -> None:
    omp("init", "--yes")
    log = generic_log(repo.parent / "t.jsonl", [("user", "we always deploy from main, I think")])
    omp("watch", "--once", "--log", str(log))
    for row in rows(omp("review", "list", "--json")[1]):
        status, out, _ = omp("show", row["id"])
        assert status == 0
        assert "inbox" in out
