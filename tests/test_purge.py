"""Erasing: the words are gone from everything omp keeps, the rest is as it was, and git's history is told."""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from pathlib import Path

from tests.test_undo import Omp, listed, omp, remember

__all__ = ["omp"]

WORDS = "We keep the cache of Project Heron in Valkey."


def holders(folder: Path, words: str) -> list[Path]:
    """Give the files below a folder that hold words, git's loose objects unpacked."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if data[:2] in (b"\x78\x01", b"\x78\x9c"):
                data = zlib.decompress(data)
            found += [path] if words.encode() in data else []
    return found


def packed(folder: Path) -> bytes:
    """Give every object of a repository, reachable or not."""
    listing = ["git", f"--git-dir={folder}", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    return subprocess.run(listing, capture_output=True, check=True).stdout


def test_purge_leaves_no_word_and_everything_else(omp: Omp, repo: Path) -> None:
    kept = remember(omp, "部署一律走 main 分支。")
    gone = remember(omp, WORDS)
    assert omp("unpin", gone)[0] == 0
    other = remember(omp, "Tests never touch the network.")
    assert holders(repo, "Heron")
    journal = repo / ".git" / "omp" / "journal.git"
    assert b"Heron" in packed(journal)
    status, out, err = omp("purge", gone)
    assert (status, out) == (0, f"purged {gone}\n"), err
    assert holders(repo, "Heron") == []
    assert b"Heron" not in packed(journal)
    assert {m["id"] for m in listed(omp)} == {kept, other}
    assert gone.rpartition("-")[2] in (repo / "_omp" / "memory" / "refused.yaml").read_text()
    claims = [json.loads(line)["entries"] for line in omp("log", "--json")[1].splitlines()]
    assert {e["id"] for rows in claims for e in rows} == {kept, other}
    assert omp("validate")[0] == 0
    assert omp("undo")[0] == 0  # the last write that is left: not the purge
    assert [m["id"] for m in listed(omp)] == [kept]
    assert gone.rpartition("-")[2] in (repo / "_omp" / "memory" / "refused.yaml").read_text()


def test_what_was_forgotten_can_still_be_purged(omp: Omp, repo: Path) -> None:
    gone = remember(omp, WORDS)
    assert omp("forget", gone)[0] == 0
    status, _, err = omp("purge", gone)
    assert status == 0, err
    assert holders(repo, "Heron") == []
    assert b"Heron" not in packed(repo / ".git" / "omp" / "journal.git")
    assert omp("purge", "dec-aaaaaaaaaa")[0] == 1


def test_what_git_holds_is_told_with_the_way_to_erase_it(omp: Omp, repo: Path) -> None:
    gone = remember(omp, WORDS)
    subprocess.run(["git", "add", "_omp"], cwd=repo, check=True)
    subprocess.run(["git", "commit", "-q", "--no-verify", "-m", "memory"], cwd=repo, check=True)
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=repo, capture_output=True, text=True, check=True)
    status, out, _ = omp("purge", gone)
    assert status == 1
    assert head.stdout.strip() in out
    assert "git filter-repo" in out


def test_a_personal_memory_is_purged_from_its_own_store(omp: Omp) -> None:
    said = omp("remember", "I write to the Heron team in English.", "--kind", "preference", "--scope", "PERSONAL")[1]
    home = Path(os.environ["HOME"])
    assert holders(home, "Heron")
    status, _, err = omp("purge", said.split()[0])
    assert status == 0, err
    assert holders(home, "Heron") == []


def test_what_a_conversation_gave_is_purged_with_its_record_and_does_not_come_back(omp: Omp, repo: Path) -> None:
    log = repo.parent / "talk.jsonl"
    said = "We decided to use Heron for the cache because the licence fits."
    rows = [
        {"id": "m1", "role": "user", "text": said, "at": "2026-03-02T10:00:00Z"},
        {"id": "m2", "role": "user", "text": "规定：部署一律走 main 分支。", "at": "2026-03-02T10:01:00Z"},
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert omp("watch", "--once", "--log", str(log))[0] == 0
    gone = next(m["id"] for m in listed(omp) if "Heron" in m["claim"])
    others = {m["id"] for m in listed(omp)} - {gone}
    assert holders(repo / "_omp" / "memory" / "sessions", "Heron")
    status, _, err = omp("purge", gone)
    assert status == 0, err
    assert holders(repo, "Heron") == []
    assert b"Heron" not in packed(repo / ".git" / "omp" / "journal.git")
    assert {m["id"] for m in listed(omp)} == others


def test_what_a_purged_entry_had_replaced_is_active_again_without_a_link_to_it(omp: Omp, repo: Path) -> None:
    old = remember(omp, "部署一律走 main 分支。")
    gone = remember(omp, WORDS)
    path = repo / "_omp" / "memory" / "decisions.yaml"
    at = path.read_text(encoding="utf-8").index(f"id: {old}")
    text = path.read_text(encoding="utf-8")
    head, tail = text[:at], text[at:]
    tail = tail.replace(
        "    marked: true\n", f"    status: superseded\n    superseded_by: {gone}\n    marked: true\n", 1
    )
    path.write_text(head + tail, encoding="utf-8")
    assert [m["id"] for m in listed(omp)] == [gone]
    status, _, err = omp("purge", gone)
    assert status == 0, err
    assert [m["id"] for m in listed(omp)] == [old]
    assert gone not in path.read_text(encoding="utf-8")
    assert omp("validate")[0] == 0
