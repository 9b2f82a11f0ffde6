"""The spool: open sessions over the files, the inbox and its view, cursors, counters, local refusals."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from omp import entries, yamlfile
from omp.errors import OmpError, SecretFound
from omp.model import Candidate, Cursor, Judged, OpenSession, Refusal, Staged, Verdict
from omp.store import SPOOL, Batch, Counter, MemoryDir
from tests.store.support import NOW, SECRET, decision, deployment, entries_of, evidence, open_dir

LATER = "2026-03-05T08:00:00Z"


def candidate(claim: str, entry: str = "m5") -> Candidate:
    return Candidate(kind="decision", claim=claim, evidence=(evidence(entry, LATER),), confidence=0.9)


def keep(claim: str, effect: str = "add", against: str = "", identity: str = "", entry: str = "m5") -> Judged:
    verdict = Verdict(action="keep", reason="new", effect=effect, against=against)  # type: ignore[arg-type]
    return Judged(candidate=candidate(claim, entry), verdict=verdict, id=identity)


def session(
    memory: MemoryDir, *items: Judged, name: str = "s9", work_tree: str | None = None, branch: str | None = None
) -> OpenSession:
    return OpenSession(
        agent="codex",
        session=name,
        items=items,
        updated_at=LATER,
        work_tree=memory.work_tree if work_tree is None else work_tree,
        branch=memory.branch if branch is None else branch,
    )


def test_open_sessions_lie_over_the_files_and_are_replaced_as_a_whole(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    old = decision("We keep memories in YAML")
    memory.apply(Batch(put=(old,)))
    memory.put_session(session(memory, keep("采用端口 8080"), keep("We keep memories in YAML")))
    first, second = memory.read()
    assert [e.entry for e in first.memory.evidence] == ["m1", "m5"]
    assert first.memory.claim == old.claim
    assert (second.memory.claim, second.path) == ("采用端口 8080", SPOOL)
    assert memory.get(second.memory.id) == second
    assert [s.memory for s in memory.read(spool=False)] == [old]
    memory.put_session(session(memory, keep("采用端口 9090")))
    assert [s.memory.claim for s in open_dir(tmp_path).read()] == [old.claim, "采用端口 9090"]
    memory.close_session("codex", "s9")
    assert memory.open_sessions() == []
    assert [s.memory for s in memory.read()] == [old]


def test_a_statement_that_retires_another_retires_it_in_what_is_read(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    old = decision("The port is 8080")
    memory.apply(Batch(put=(old,)))
    memory.put_session(session(memory, keep("The port is 9090", "supersede", old.id)))
    assert [s.memory.claim for s in memory.read()] == ["The port is 9090"]
    stored = memory.get(old.id)
    assert stored is not None
    assert stored.memory.status == "superseded"
    assert entries_of(memory)[old.id].status == "active"


def test_another_work_tree_branch_or_a_closed_session_is_not_laid_over(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.put_session(session(memory, keep("on another branch"), name="a", branch="side"))
    memory.put_session(session(memory, keep("in another tree"), name="b", work_tree="/elsewhere"))
    closed = msgspec.structs.replace(session(memory, keep("closed"), name="c"), closed=True, written={"x": "y"})
    memory.put_session(closed)
    assert memory.read() == []
    assert memory.spool.session("codex", "c") == closed
    assert [s.session for s in open_dir(tmp_path, branch="side").open_sessions()] == ["a"]


def test_a_damaged_record_is_reported_and_hides_nothing_else(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.put_session(session(memory, keep("采用端口 8080"), name="a"))
    memory.put_session(session(memory, keep("采用端口 9090"), name="b"))
    record = sorted((memory.local / "sessions").iterdir())[0]
    record.write_bytes(b"{")
    assert len(memory.read()) == 1
    (problem,) = memory.problems()
    assert problem.code == "damaged-record"
    (memory.local / "refusals.json").write_bytes(b"")
    with pytest.raises(OmpError, match="damaged"):
        memory.known()  # what was refused must not slip back


def test_the_inbox_stands_in_the_spool_and_is_shown_in_staging(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    waiting = decision("也许采用 SQLite", evidence=(evidence("m1"),))
    fact = deployment("/services/api/port", 8080)
    memory.stage([Staged(memory=waiting, reason="uncertain", at=NOW), Staged(memory=fact, at=LATER)])
    assert [s.memory for s in memory.inbox()] == [waiting, fact]
    view = memory.root / ".staging" / f"{waiting.id}.yaml"
    shown = yamlfile.load(view.read_bytes()).plain()
    assert (shown["claim"], shown["reason"]) == ("也许采用 SQLite", "uncertain")
    assert yamlfile.load((view.parent / f"{fact.id}.yaml").read_bytes()).plain()["value"] == 8080
    assert memory.known().keys[waiting.key] == waiting.id
    again = decision("也许采用 SQLite", evidence=(evidence("m2", LATER),))
    memory.stage([Staged(memory=again, reason="uncertain", at=LATER, deferred=True)])
    first = memory.inbox()[0]
    assert [e.entry for e in first.memory.evidence] == ["m1", "m2"]
    assert (first.at, first.deferred) == (NOW, True)
    view.unlink()  # git clean -xdf
    assert len(open_dir(tmp_path).inbox()) == 2
    memory.unstage([fact.id])
    assert [p.name for p in view.parent.iterdir()] == [view.name]
    memory.unstage([waiting.id, "dec-aaaaaaaaaa"])
    assert memory.inbox() == []
    assert list(view.parent.iterdir()) == []


def test_the_gate_stands_before_the_spool_too(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    with pytest.raises(SecretFound):
        memory.stage([Staged(memory=decision("fine")), Staged(memory=decision(f"the token is {SECRET}"))])
    with pytest.raises(SecretFound):
        memory.put_session(session(memory, keep(f"the token is {SECRET}")))
    assert memory.inbox() == []
    assert memory.open_sessions() == []
    assert all(SECRET.encode() not in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_known_names_every_key_an_entry_goes_by(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    put = entries.from_candidate(candidate("采用端口 8080"))
    merged = entries.with_evidence(put, [evidence("m6", LATER)], "mergedkeyx")
    retired = msgspec.structs.replace(decision("We keep memories in YAML"), status="archived")
    memory.apply(Batch(put=(merged, retired)))
    keys = memory.known().keys
    assert keys[put.key] == keys["mergedkeyx"] == put.id
    assert keys[retired.key] == retired.id


def test_cursors_counters_feedback_and_local_refusals_outlive_the_object(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    cursor = Cursor(path="/logs/会话.jsonl", agent="codex", size=10, offset=10)
    memory.put_cursor(cursor)
    memory.put_cursors([msgspec.structs.replace(cursor, offset=12), Cursor(path="/logs/b.jsonl")])
    memory.count_access(["dec-a", "dec-b"])
    open_dir(tmp_path, clock=lambda: LATER).count_access(["dec-a"])
    memory.count_feedback([("decision.chosen", "accepted"), ("decision.chosen", "rejected")])
    memory.count_feedback([("decision.chosen", "accepted")])
    memory.refuse_locally([Refusal(key="k", at=NOW, reason="rejected", from_="0" * 16)])
    again = open_dir(tmp_path)
    assert {p: c.offset for p, c in again.cursors().items()} == {"/logs/会话.jsonl": 12, "/logs/b.jsonl": 0}
    assert again.counters() == {"dec-a": Counter(count=2, at=LATER), "dec-b": Counter(count=1, at=NOW)}
    assert again.feedback() == {"decision.chosen": {"accepted": 2, "rejected": 1}}
    assert again.known().refused_keys == {"k"}
    again.lift_locally(["k"])
    assert memory.known().refused_keys == frozenset()
    assert not list(tmp_path.rglob("*.omp-tmp"))
    assert not (memory.root / "refused.yaml").exists()


def test_several_calls_can_share_one_lock(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    with memory.writing():
        memory.apply(Batch(put=(decision("采用端口 8080"),)))
        memory.put_cursor(Cursor(path="/logs/a.jsonl"))
    assert len(memory.read()) == 1
