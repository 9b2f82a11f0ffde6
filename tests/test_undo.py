"""Taking back, marking, looking back: the verbs over the journal, in a real repository."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omp import cli

Omp = Callable[..., tuple[int, str, str]]


@pytest.fixture
def omp(repo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Omp:
    """Run a command in the initialised repository: (exit status, standard output, standard error)."""
    monkeypatch.chdir(repo)
    monkeypatch.setenv("OMP_EMBEDDER", "hash")

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = cli.run(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    assert run("init", "--yes")[0] == 0
    return run


def listed(omp: Omp, *more: str) -> list[dict[str, Any]]:
    status, out, err = omp("list", "--json", *more)
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()]


def remember(omp: Omp, text: str, *more: str) -> str:
    status, out, err = omp("remember", text, "--kind", "decision", "--scope", "PROJECT", *more)
    assert status == 0, err
    return out.split()[0]


def test_undo_takes_the_last_write_back_and_can_itself_be_undone(omp: Omp, repo: Path) -> None:
    first = remember(omp, "We keep the cache in Valkey.")
    file = repo / "_omp" / "memory" / "decisions.yaml"
    before = file.read_bytes()
    second = remember(omp, "部署一律走 main 分支。")
    status, out, err = omp("undo")
    assert status == 0, err
    assert second in out
    assert [m["id"] for m in listed(omp)] == [first]
    assert file.read_bytes() == before
    assert second.rpartition("-")[2] in (repo / "_omp" / "memory" / "refused.yaml").read_text()
    assert omp("undo")[0] == 0
    assert {m["id"] for m in listed(omp)} == {first, second}
    assert second.rpartition("-")[2] not in (repo / "_omp" / "memory" / "refused.yaml").read_text()


def test_what_was_undone_does_not_come_back_from_its_log(omp: Omp, repo: Path) -> None:
    log = repo.parent / "talk.jsonl"
    said = "We decided to use Valkey for the cache because the licence fits."
    log.write_text(json.dumps({"id": "m1", "role": "user", "text": said, "at": "2026-03-02T10:00:00Z"}) + "\n")
    assert omp("watch", "--once", "--log", str(log))[0] == 0
    assert len(listed(omp)) == 1
    status, _, err = omp("undo")
    assert status == 0, err
    assert omp("watch", "--once", "--log", str(log))[0] == 0
    assert listed(omp) == []


def test_undo_of_forget_brings_the_entry_back_as_it_was(omp: Omp) -> None:
    identity = remember(omp, "We keep the cache in Valkey.")
    whole = json.loads(omp("show", identity, "--json")[1])
    assert omp("forget", identity)[0] == 0
    status, _, err = omp("undo", identity)
    assert status == 0, err
    assert json.loads(omp("show", identity, "--json")[1]) == whole


def test_an_entry_changed_since_is_not_taken_back(omp: Omp, repo: Path) -> None:
    identity = remember(omp, "We keep the cache in Valkey.")
    path = repo / "_omp" / "memory" / "decisions.yaml"
    path.write_text(path.read_text().replace("claim: We keep the cache", "claim: We hold the cache"))
    changed = path.read_bytes()
    status, _, err = omp("undo")
    assert status == 1
    assert identity in err
    assert "changed since" in err
    assert path.read_bytes() == changed


def test_a_write_of_another_branch_is_not_taken_back(omp: Omp, repo: Path) -> None:
    remember(omp, "We keep the cache in Valkey.")
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/side"], cwd=repo, check=True)
    status, _, err = omp("undo")
    assert status == 1
    assert "made on main" in err
    assert len(listed(omp)) == 1


def test_several_writes_are_taken_back_at_once_and_no_more_than_there_are(omp: Omp) -> None:
    first = remember(omp, "We keep the cache in Valkey.")
    remember(omp, "部署一律走 main 分支。")
    assert omp("unpin", first)[0] == 0
    status, _, err = omp("undo", "--last", "9")
    assert status == 1
    assert "3 writes" in err
    assert omp("undo", "--last", "2")[0] == 0
    assert [m["id"] for m in listed(omp)] == [first]
    assert omp("undo", first, "--last", "2")[0] == 2


def test_pin_and_unpin_change_the_mark_alone(omp: Omp, repo: Path) -> None:
    identity = remember(omp, "We keep the cache in Valkey.")
    assert omp("unpin", identity)[0] == 0
    path = repo / "_omp" / "memory" / "decisions.yaml"
    before = path.read_text()
    assert omp("pin", identity)[0] == 0
    added = [line for line in path.read_text().splitlines() if line not in before.splitlines()]
    assert [line.strip() for line in added] == ["marked: true"]
    assert omp("unpin", identity)[0] == 0
    assert path.read_text() == before
    assert omp("pin", "dec-aaaaaaaaaa")[0] == 1


def test_log_tells_what_was_written_and_why(omp: Omp, repo: Path) -> None:
    first = remember(omp, "We keep the cache in Valkey.")
    remember(omp, "部署一律走 main 分支。")
    omp("forget", first)
    rows = [json.loads(line) for line in omp("log", "--json")[1].splitlines()]
    assert [r["entries"][0]["change"] for r in rows] == ["removed", "added", "added"]
    assert rows[0]["reason"] == "forget"
    assert next(json.loads(line)["reason"] for line in omp("log", first, "--json")[1].splitlines()) == "forget"
    assert "部署一律走 main 分支" in omp("log")[1]
    assert omp("log", "dec-aaaaaaaaaa")[0] == 1


def test_personal_memories_have_a_journal_of_their_own(omp: Omp, repo: Path) -> None:
    status, out, _ = omp("remember", "I like short answers.", "--kind", "preference", "--scope", "PERSONAL")
    assert status == 0
    identity = out.split()[0]
    assert identity in omp("log", "--mine")[1]
    status, _, err = omp("undo", identity)
    assert status == 0, err
    assert omp("show", identity)[0] == 1
    assert (
        not (repo / "_omp" / "memory" / "refused.yaml").exists()
        or identity.rpartition("-")[2] not in (repo / "_omp" / "memory" / "refused.yaml").read_text()
    )


def test_a_backup_is_put_back_and_that_can_be_undone(omp: Omp) -> None:
    first = remember(omp, "We keep the cache in Valkey.")
    second = remember(omp, "部署一律走 main 分支。")
    kept = [json.loads(line) for line in omp("backup", "--json")[1].splitlines()]
    name = next(b["name"] for b in reversed(kept) if b["path"] == "decisions.yaml")
    status, out, err = omp("backup", "restore", name)
    assert status == 0, err
    assert out == "restored decisions.yaml\n"
    assert [m["id"] for m in listed(omp)] == [first]
    assert omp("undo")[0] == 0
    assert {m["id"] for m in listed(omp)} == {first, second}
    assert omp("backup", "restore")[0] == 2
    assert omp("backup", "restore", "nothing")[0] == 1


def test_edit_changes_the_wording_and_the_new_words_are_known(omp: Omp, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = remember(omp, "We keep the cache in Valkey.")
    assert omp("edit", identity, "--claim", "We keep the session cache in Valkey.")[0] == 0
    assert remember(omp, "We keep the session cache in Valkey.") == identity
    assert omp("edit", identity, "--claim", " ")[0] == 2
    monkeypatch.setenv("EDITOR", "sed -i /claim:/s/session/whole/")
    status, _, err = omp("edit", identity)
    assert status == 0, err
    assert [m["claim"] for m in listed(omp)] == ["We keep the whole cache in Valkey."]
    monkeypatch.setenv("EDITOR", "sed -i s/kind:.decision/kind:\\ lesson/")
    assert omp("edit", identity)[0] == 1
    monkeypatch.setenv("EDITOR", "true")
    assert "nothing was changed" in omp("edit", identity)[2]


def test_as_of_reads_commits_and_the_journal(omp: Omp, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NOW", "2026-03-02T10:00:00Z")
    first = remember(omp, "We keep the cache in Valkey.")
    subprocess.run(["git", "add", "_omp"], cwd=repo, check=True)
    subprocess.run(["git", "commit", "-q", "--no-verify", "-m", "memory"], cwd=repo, check=True)
    monkeypatch.setenv("OMP_NOW", "2026-03-05T10:00:00Z")
    second = remember(omp, "部署一律走 main 分支。")

    def at(moment: str) -> set[str]:
        status, out, err = omp("as-of", moment, "--json")
        assert status == 0, err
        return {json.loads(line)["id"] for line in out.splitlines()}

    assert at("HEAD") == at("2026-03-03") == {first}
    assert at("2026-03-06") == {first, second}
    assert omp("as-of", "2026-03-01")[0] == 1
    assert omp("as-of", "no such thing")[0] == 1
