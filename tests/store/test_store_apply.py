"""What a batch does to the files: only the bytes of its entries change, and doing it twice is doing it once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from omp import entries
from omp.errors import OmpError, SecretFound, WriteRefused
from omp.model import Candidate, ConflictNote, Evidence, Memory, Metadata, Refusal
from omp.store import Batch, MemoryDir
from tests.store.support import (
    NOW,
    SECRET,
    decision,
    deployment,
    entries_of,
    evidence,
    files,
    lesson,
    open_dir,
    preference,
)

LATER = "2026-03-05T08:00:00Z"


def test_a_new_entry_makes_its_file_and_reads_back_as_it_was(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    put = decision(
        "采用 YAML 存储记忆: 便于评审", rationale="no: `#` and 'quotes'\nand a second line", tags=("yaml", "no")
    )
    applied = memory.apply(Batch(put=(put,)))
    assert applied.written == ("decisions.yaml",)
    assert applied.ids == (put.id,)
    stored = open_dir(tmp_path).get(put.id)
    assert stored is not None
    assert stored.memory == put
    assert stored.path == "decisions.yaml"
    assert (
        (memory.root / "decisions.yaml").read_text(encoding="utf-8").splitlines()[stored.line - 1].startswith("  - id:")
    )


def test_equal_content_is_not_written(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    put = decision("We keep memories in YAML")
    memory.apply(Batch(put=(put,)))
    before = (memory.root / "decisions.yaml").stat()
    assert memory.apply(Batch(put=(put,))).written == ()
    assert open_dir(tmp_path).apply(Batch(put=(put,), remove=("les-aaaaaaaaaa",))).written == ()
    after = (memory.root / "decisions.yaml").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert memory.backups() == []


HAND = """\
# 团队的决定 - please keep sorted
version: 1
decisions:

  # why we are here
  - id: dec-aaaaaaaaaa
    kind: decision
    claim: We keep memories in YAML   # for now
    owner: 小王          # unknown to omp
    date: '2026-01-02'
    metadata: {scope: PROJECT, confidence: 0.9, source: explicit, origin: user, temporality: permanent}
    timestamps:
      created_at: '2026-01-02T10:00:00Z'
      updated_at: '2026-01-02T10:00:00Z'

  - id: "dec-bbbbbbbbbb"
    claim: >-
      Long texts are folded
      by hand
    timestamps: {created_at: '2026-01-03T10:00:00Z', updated_at: '2026-01-03T10:00:00Z'}
# the end
"""


def test_comments_unknown_fields_and_order_survive(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    path = memory.root / "decisions.yaml"
    path.write_text(HAND, encoding="utf-8")
    old = memory.get("dec-aaaaaaaaaa")
    assert old is not None
    assert old.extra == {"owner": "小王"}
    changed = msgspec.structs.replace(old.memory, status="archived")
    fresh = decision("采用端口 8080", "2026-02-01T10:00:00Z")
    memory.apply(Batch(put=(changed, fresh)))
    text = path.read_text(encoding="utf-8")
    assert entries_of(open_dir(tmp_path))["dec-aaaaaaaaaa"].status == "archived"
    assert list(entries_of(memory)) == ["dec-aaaaaaaaaa", "dec-bbbbbbbbbb", fresh.id]
    memory.apply(Batch(put=(old.memory,), remove=(fresh.id,)))
    assert path.read_text(encoding="utf-8").replace("    status: active\n", "") == HAND
    assert all(line in text.splitlines() for line in HAND.splitlines())


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    path = memory.root / "decisions.yaml"
    path.write_bytes(HAND.replace("\n", "\r\n").encode())
    memory.apply(Batch(put=(decision("采用端口 8080", "2026-02-01T10:00:00Z"),)))
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    memory.apply(Batch(remove=("dec-bbbbbbbbbb",)))
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert len(memory.read()) == 2


def test_an_entry_that_was_rotated_out_is_changed_where_it_stands(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    old = decision("We keep memories in YAML", "2026-01-02T10:00:00Z")
    memory.apply(Batch(put=(old, decision("采用端口 8080"))))
    rotated = memory.root / "decisions" / "2026-01.yaml"
    rotated.parent.mkdir()
    rotated.write_bytes((memory.root / "decisions.yaml").read_bytes())
    memory.apply(Batch(remove=(decision("采用端口 8080").id,)))
    assert len(entries_of(memory)) == 1
    (memory.root / "decisions.yaml").unlink()
    changed = msgspec.structs.replace(old, marked=True)
    assert open_dir(tmp_path).apply(Batch(put=(changed,))).written == ("decisions/2026-01.yaml",)
    assert entries_of(open_dir(tmp_path)) == {old.id: changed}
    assert open_dir(tmp_path).apply(Batch(remove=(old.id,))).written == ("decisions/2026-01.yaml",)
    assert entries_of(memory) == {}


def test_a_fact_is_value_metadata_and_a_line_of_what_changed(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    (memory.root / "project.yaml").write_text("version: 1\nproject:\n  name: 记忆  # ours\n", encoding="utf-8")
    memory.apply(Batch(put=(deployment("/deployment/vercel/status", "pending"),)))
    for n in range(25):
        memory.apply(Batch(put=(deployment("/services/api/port", 8000 + n, LATER),)))
    memory.apply(Batch(put=(deployment("/deployment/vercel/status", "active", NOW),)))
    text = (memory.root / "project.yaml").read_text(encoding="utf-8")
    assert "name: 记忆  # ours" in text
    assert "last_updated: '2026-03-05T08:00:00Z'" in text
    assert "updated_by: omp" in text
    lines = [x.strip(" -'") for x in text.partition("changes:")[2].partition("facts:")[0].splitlines() if x.strip()]
    assert len(lines) == 20
    assert lines[-2:] == ["services.api.port: 8023 -> 8024", "deployment.vercel.status: pending -> active"]
    fact = deployment("/deployment/vercel/status", "active", NOW)
    assert entries_of(memory)[fact.id] == fact
    memory.apply(Batch(remove=(fact.id,)))
    text = (memory.root / "project.yaml").read_text(encoding="utf-8")
    assert "vercel:" not in text.partition("_meta")[0]
    assert list(entries_of(memory)) == [deployment("/services/api/port", 1).id]


def test_what_somebody_changed_since_is_kept_under_what_the_batch_changes(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    old = decision("We keep memories in YAML")
    memory.apply(Batch(put=(old,)))
    seen = memory.get(old.id)
    assert seen is not None
    path = memory.root / "decisions.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("keep memories", "keep all memories"), encoding="utf-8")
    open_dir(tmp_path).apply(Batch(put=(entries.with_evidence(_present(tmp_path, old.id), [evidence("m7", LATER)]),)))
    memory.apply(Batch(put=(entries.with_evidence(seen.memory, [evidence("m8", LATER)]),)))
    now = _present(tmp_path, old.id)
    assert now.claim == "We keep all memories in YAML"
    assert sorted(e.entry for e in now.evidence) == ["m1", "m7", "m8"]
    marked = msgspec.structs.replace(seen.memory, marked=True)
    memory.apply(Batch(put=(marked,)))
    assert _present(tmp_path, old.id).marked
    assert _present(tmp_path, old.id).claim == "We keep all memories in YAML"


def _present(folder: Path, identity: str) -> Memory:
    stored = open_dir(folder).get(identity)
    assert stored is not None
    return stored.memory


def test_two_that_found_the_same_thing_make_one_entry_with_both_evidences(tmp_path: Path) -> None:
    one, other = open_dir(tmp_path), open_dir(tmp_path)
    assert one.read() == other.read() == []
    one.apply(Batch(put=(decision("采用 YAML 存储记忆", evidence=(evidence("m1"),)),)))
    other.apply(Batch(put=(decision("采用 YAML 存储记忆", evidence=(evidence("m9", LATER),)),)))
    (stored,) = one.read()
    assert [e.entry for e in stored.memory.evidence] == ["m1", "m9"]


def test_a_save_between_reading_and_swapping_is_not_lost(tmp_path: Path) -> None:
    saves: list[str] = []

    def save(name: str) -> None:
        if name.startswith("swap decisions") and len(saves) < 3:
            saves.append(name)
            path = tmp_path / "tree/_omp/memory/decisions.yaml"
            path.write_bytes(path.read_bytes().replace(b"version: 1", b"# saved by hand\nversion: 1"))

    memory = open_dir(tmp_path, step=save)
    open_dir(tmp_path).apply(Batch(put=(decision("We keep memories in YAML"),)))
    memory.apply(Batch(put=(decision("采用端口 8080"), lesson("Retries need a limit"))))
    text = (memory.root / "decisions.yaml").read_text(encoding="utf-8")
    assert text.count("# saved by hand") == 3
    assert len(entries_of(memory)) == 3
    assert not list(tmp_path.rglob("*.omp-tmp"))
    assert len(memory.backups()) == 1
    assert memory.problems() == []


def test_endless_outside_saves_end_in_a_refusal_that_changes_nothing(tmp_path: Path) -> None:
    def save(name: str) -> None:
        if name.startswith("swap"):
            path = tmp_path / "tree/_omp/memory/decisions.yaml"
            path.write_bytes(path.read_bytes() + b"#\n")

    open_dir(tmp_path).apply(Batch(put=(decision("We keep memories in YAML"),)))
    with pytest.raises(WriteRefused, match="all the time"):
        open_dir(tmp_path, step=save).apply(Batch(put=(decision("采用端口 8080"),)))
    memory = open_dir(tmp_path)
    assert len(entries_of(memory)) == 1
    assert not list(tmp_path.rglob("*.omp-tmp"))
    assert not list((memory.local / "intents").iterdir())


@pytest.mark.parametrize(
    "batch",
    [
        Batch(put=(decision(f"The key is {SECRET} for now"),)),
        Batch(put=(decision("A plain thing", evidence=(evidence("m1", quote=f"口令 {SECRET}"),)),)),
        Batch(put=(lesson("fine"), deployment("/services/api/key", SECRET))),
        Batch(refuse=(Refusal(key="a" * 10, at=NOW, reason=SECRET),)),
        Batch(refuse_locally=(Refusal(key="a" * 10, at=NOW, reason=SECRET),)),
        Batch(reason=SECRET, put=(decision("A plain thing"),)),
    ],
)
def test_a_secret_never_reaches_the_disk(tmp_path: Path, batch: Batch) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(decision("We keep memories in YAML"),)))
    before = files(tmp_path / "tree")
    with pytest.raises(SecretFound) as caught:
        memory.apply(batch)
    assert SECRET not in str(caught.value)
    assert files(tmp_path / "tree") == before
    assert all(SECRET.encode() not in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_a_secret_a_person_typed_does_not_stop_others_and_is_masked_in_the_backup(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(put=(decision("We keep memories in YAML"), decision("采用端口 8080", rationale="no reason"))))
    path = memory.root / "decisions.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("no reason", SECRET), encoding="utf-8")
    memory.apply(Batch(put=(decision("Zebra crossings count"), decision("Apples count"))))
    assert len(entries_of(memory)) == 4
    (kept,) = memory.backups()
    text = (memory.root / ".backup" / kept.name).read_text(encoding="utf-8")
    assert SECRET not in text
    assert "rationale: [REDACTED:token:1]" in text
    assert (memory.root / ".backup" / kept.name).stat().st_mode & 0o777 == 0o600
    inside = [p for p in tmp_path.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert inside == [path]


def test_put_wins_over_remove_and_the_last_of_two_puts_counts(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    put = decision("We keep memories in YAML")
    marked = msgspec.structs.replace(put, marked=True)
    memory.apply(Batch(put=(put, marked), remove=(put.id,)))
    assert entries_of(memory) == {put.id: marked}


def test_awkward_texts_read_back(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    claims = [
        "no",
        "12:30",
        "~",
        "- dash",
        "# hash",
        "a: b",
        "tab\tand\x07bell",
        "end\n",
        "{x}",
        "👩‍👩‍👧 表情",
        "'",
        '"',
        "1e3",
    ]
    put = tuple(decision(c + " " * n, rationale=c) for n, c in enumerate(claims))
    memory.apply(Batch(put=put))
    assert {m.claim for m in entries_of(open_dir(tmp_path)).values()} == {m.claim for m in put}
    torn = msgspec.structs.replace(decision("half a pair"), claim="half \ud83d a pair")
    memory.apply(Batch(put=(torn,)))
    assert any(m.claim == "half � a pair" for m in entries_of(memory).values())


@pytest.mark.parametrize("pointer", ["/_meta/facts/x", "/version", "no-slash", "", "//x"])
def test_a_fact_does_not_stand_where_metadata_stands(tmp_path: Path, pointer: str) -> None:
    memory = open_dir(tmp_path)
    with pytest.raises(WriteRefused, match="no place for a fact"):
        memory.apply(Batch(put=(deployment(pointer, "x"),)))
    assert not (memory.root / "project.yaml").exists()


def test_an_id_that_could_leave_the_folder_is_refused(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    with pytest.raises(OmpError, match="no id"):
        memory.unstage(("../../etc/passwd",))


# Laws

_TEXT = st.text(alphabet="abcz 采用存储记忆:#-'\"\n{}[]0129.", min_size=1, max_size=30)
_AT = st.sampled_from(["2026-01-05T10:00:00Z", "2026-02-05T10:00:00Z", NOW, LATER])
_EVIDENCE = st.lists(st.builds(evidence, st.sampled_from(["m1", "m2", "m3", "m4", "m5", "m6", "m7"]), _AT), max_size=7)


@st.composite
def _memory(draw: st.DrawFn) -> Memory:
    make: Callable[..., Memory] = draw(st.sampled_from([decision, lesson, preference]))
    if draw(st.integers(0, 3)) == 0:
        pointer = draw(st.sampled_from(["/a/b", "/a/c", "/paths/src", "/服务/端口"]))
        return deployment(
            pointer,
            draw(st.one_of(_TEXT, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))),
            draw(_AT),
        )
    more = {"evidence": entries.cap(draw(_EVIDENCE)), "rationale": draw(st.one_of(st.just(""), _TEXT))}
    note = draw(st.one_of(st.none(), st.just(ConflictNote(values={"claim": ["a", "b"]}))))
    claim = draw(st.sampled_from([f"sentence {n} 句子" for n in range(12)]))
    return make(
        claim,
        draw(_AT),
        tags=tuple(draw(st.lists(st.sampled_from(["a", "no", "中"]), unique=True))),
        conflict=note,
        **more,
    )


_IDS = [m(f"sentence {n} 句子").id for m in (decision, lesson, preference) for n in range(12)]
_BATCH = st.builds(
    lambda put, remove, keys, lift: Batch(
        put=tuple(put),
        remove=tuple(remove),
        refuse=tuple(Refusal(key=k, at=NOW, reason="r", from_=f) for k, f in keys),
        lift=tuple(lift),
    ),
    st.lists(_memory(), max_size=6),
    st.lists(st.sampled_from(_IDS), max_size=3),
    st.lists(
        st.tuples(st.sampled_from(["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"]), st.sampled_from(["", "0" * 16])),
        max_size=3,
    ),
    st.lists(st.sampled_from(["aaaaaaaaaa", "bbbbbbbbbb"]), max_size=1),
)


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(_BATCH, min_size=1, max_size=3), st.booleans())
def test_any_batch_applied_twice_changes_no_byte(
    tmp_path_factory: pytest.TempPathFactory, batches: list[Batch], fresh: bool
) -> None:
    folder = tmp_path_factory.mktemp("twice")
    memory = open_dir(folder)
    wanted: dict[str, Memory] = {}
    for batch in batches:
        memory.apply(batch)
        wanted = {i: m for i, m in wanted.items() if i not in batch.remove}
        once = files(folder / "tree")
        again: MemoryDir = open_dir(folder) if fresh else memory
        assert again.apply(batch).written == ()
        assert files(folder / "tree") == once
        present = entries_of(open_dir(folder))
        last = {m.id: m for m in batch.put}
        assert all(present[i].claim == m.claim for i, m in last.items())
        wanted |= last
        assert set(present) == set(wanted)
    assert open_dir(folder).problems() == []


def test_a_candidate_becomes_the_entry_that_is_stored(tmp_path: Path) -> None:
    candidate = Candidate(
        kind="decision",
        claim="决定采用 YAML 存储记忆",
        evidence=(
            Evidence(agent="codex", session="s", entry="L1", role="user", at=NOW, quote="决定采用 YAML 存储记忆"),
        ),
        confidence=0.93,
        choice="YAML",
        alternatives=("JSON",),
    )
    memory = open_dir(tmp_path)
    put = entries.from_candidate(candidate)
    memory.apply(Batch(put=(put,)))
    assert entries_of(open_dir(tmp_path)) == {put.id: put}
    assert put.metadata == Metadata(confidence=0.93)
