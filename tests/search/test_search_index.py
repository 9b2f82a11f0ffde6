"""The index: ranking, filters, signals, other language, the form on disk, determinism."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omp.errors import UsageError
from omp.search import Document, Hits, Index, dense_weight, digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def day(month_and_day: str) -> str:
    return f"2026-{month_and_day}T10:00:00Z"


DOCUMENTS = [
    Document(id="dec-a", text="We chose PostgreSQL for orders.", kind="decision", scope="PROJECT", at=day("01-05")),
    Document(id="con-b", text="Never deploy on Fridays.", kind="constraint", scope="PROJECT", at=day("02-01")),
    Document(id="les-c", text="max_retry_count above 5 overloads the provider.", kind="lesson", at=day("02-10")),
    Document(id="pre-d", text="回答要简短。", kind="preference", scope="UNIVERSAL", at=day("02-11")),
    Document(id="dec-e", text="数据库端口改为 5433。", kind="decision", scope="PROJECT", at=day("03-03")),
    Document(id="dec-f", text="Deploys happened from the release branch.", kind="decision", status="superseded"),
    Document(id="fac-g", text="The entry point is src/shop/main.py, on Python 3.11.", kind="path", at=day("03-04")),
]  # fmt: skip


def ids(hits: Hits) -> list[str]:
    return [hit.id for hit in hits.hits]


def vectors(*rows: tuple[float, ...]) -> NDArray[np.float32]:
    made = np.array(rows, dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("which database was chosen for orders", "dec-a"),
        ("can I deploy on a Friday?", "con-b"),
        ("maxRetryCount", "les-c"),
        ("retry count", "les-c"),
        ("端口是多少", "dec-e"),
        ("5433", "dec-e"),
        ("怎么回答", "pre-d"),
        ("main.py", "fac-g"),
        ("src/shop/main.py", "fac-g"),
        ("python 3.11", "fac-g"),
    ],
)
def test_words_find_the_memory(query: str, first: str) -> None:
    found = Index.build(DOCUMENTS).search(query)
    assert ids(found)[0] == first
    assert found.signals == ("bm25",)


@pytest.mark.parametrize("query", ["", "the of and", "什么的", "zzzz", "?!"])
def test_without_a_shared_word_words_find_nothing(query: str) -> None:
    assert Index.build(DOCUMENTS).search(query) == Hits()


def test_superseded_memories_come_only_on_request() -> None:
    index = Index.build(DOCUMENTS)
    assert ids(index.search("release branch")) == []
    assert ids(index.search("release branch", statuses=("active", "superseded"))) == ["dec-f"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kinds": ("lesson", "path")}, {"les-c", "fac-g"}),
        ({"scopes": ("UNIVERSAL",)}, {"pre-d"}),
        ({"since": "2026-03-01T00:00:00Z"}, {"dec-e", "fac-g"}),
        ({"kinds": ("decision",), "since": "2026-03-01T00:00:00Z"}, {"dec-e"}),
        ({"kinds": ("question",)}, set()),
        ({"statuses": ("archived",)}, set()),
    ],
)
def test_filters(filters: dict[str, tuple[str, ...]], expected: set[str]) -> None:
    everything = " ".join(d.text for d in DOCUMENTS)
    assert set(ids(Index.build(DOCUMENTS).search(everything, **filters))) == expected  # type: ignore[arg-type]


def test_an_exact_identifier_comes_before_its_parts() -> None:
    documents = [
        Document(id="a", text="The retry count has a max of five; every retry is counted, max five."),
        Document(id="b", text="A long note on payments, providers, invoices and queues; names max_retry_count."),
        *(Document(id=f"n{i}", text=f"Note {i} on invoices") for i in range(60)),
    ]  # fmt: skip
    found = Index.build(documents).search("what is max_retry_count")
    assert ids(found)[:2] == ["b", "a"]
    assert "exact" in found.hits[0].signals
    assert "exact" not in found.hits[1].signals


def test_a_time_the_query_names_decides_between_equals() -> None:
    documents = [
        Document(id="a", text="Deployment failed in staging", at="2026-01-10T00:00:00Z"),
        Document(id="b", text="Deployment failed in staging", at="2026-03-04T00:00:00Z"),
    ]
    index = Index.build(documents)
    assert ids(index.search("which deployment failed last week")) == ["a", "b"]
    found = index.search("which deployment failed last week", now="2026-03-11T09:00:00Z")
    assert ids(found) == ["b", "a"]
    assert [("time" in hit.signals) for hit in found.hits] == [True, False]


def test_meaning_finds_what_shares_no_word() -> None:
    texts = ["Sign-in happens by magic link.", "Invoices are sent monthly.", "Stock is counted weekly."]
    documents = [Document(id=str(i), text=t) for i, t in enumerate(texts)]
    index = Index.build(documents, vectors((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    found = index.search("authentication", query_vector=vectors((0.9, 0.1, 0.2))[0])
    assert ids(found)[0] == "0"
    assert found.signals == ("bm25", "dense")
    assert found.hits[0].signals == ("dense",)


@pytest.mark.parametrize(
    ("query", "target"),
    [("which cache do we run", "缓存使用 Redis 集群"), ("缓存用什么", "The cache is a Redis cluster")],
)
def test_a_memory_in_the_other_language_comes_before_accidental_words(query: str, target: str) -> None:
    wide = not query.isascii()
    noise = [f"我们用{w}做了一次记录" if wide else f"we do run {w} once" for w in "abcdefgh"]
    documents = [Document(id="target", text=target), *(Document(id=f"n{i}", text=t) for i, t in enumerate(noise))]
    rows = vectors((1, 0.1), *[(0.2, 1 + i / 50) for i in range(len(noise))])
    found = Index.build(documents, rows).search(query, query_vector=vectors((1, 0.2))[0])
    assert ids(found)[0] == "target"


def test_equal_documents_are_ordered_by_id_whatever_their_place() -> None:
    documents = [Document(id=i, text="flush the cache") for i in ("c", "a", "b")]
    assert ids(Index.build(documents).search("cache flush")) == ["a", "b", "c"]


def test_k_bounds_the_hits() -> None:
    documents = [Document(id=f"{i:03d}", text=f"cache number {i}") for i in range(300)]
    index = Index.build(documents)
    assert [len(index.search("cache", k).hits) for k in (0, 1, 250, 1000)] == [0, 1, 250, 300]


def test_an_empty_index_answers() -> None:
    assert Index.build([]).search("anything") == Hits()
    assert Index.build([], np.zeros((0, 4), np.float32)).search("x", query_vector=np.ones(4, np.float32)).hits == ()


def test_vectors_must_match_the_documents() -> None:
    with pytest.raises(UsageError, match="7 documents need as many vectors, not 2"):
        Index.build(DOCUMENTS, vectors((1, 0), (0, 1)))


def test_each_model_has_its_weight() -> None:
    assert 0 < dense_weight("hash") < dense_weight("usem3") < dense_weight("some/retrieval-model") <= 0.5


# --- the form on disk, and changes ---

WORDS = (
    "cache",
    "redis",
    "deploy",
    "friday",
    "缓存",
    "数据库",
    "端口",
    "main.py",
    "max_retry",
    "3.11",
    "the",
    "的",
    "naïve",
)
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=8).map(" ".join)


@given(st.lists(texts, max_size=12), texts)
@settings(max_examples=50, deadline=None)
def test_an_index_read_back_answers_the_same(contents: list[str], query: str) -> None:
    documents = [Document(id=f"d{i}", text=t) for i, t in enumerate(contents)]
    index = Index.build(documents)
    again = Index.from_bytes(index.to_bytes(), documents)
    assert again is not None
    assert again.search(query) == index.search(query)
    assert again.to_bytes() == index.to_bytes()


def test_an_index_of_other_documents_or_damaged_bytes_is_not_read() -> None:
    data = Index.build(DOCUMENTS).to_bytes()
    assert Index.from_bytes(data, DOCUMENTS[:-1]) is None
    changed = [*DOCUMENTS[:-1], Document(id="fac-g", text="other")]
    assert Index.from_bytes(data, changed) is None
    for broken in (b"", b"\x93", data[:-9], data[: len(data) // 2], b"\x81\xa6digest\xc0"):
        assert Index.from_bytes(broken, DOCUMENTS) is None
    assert digest_of(DOCUMENTS) != digest_of(changed)


@given(st.lists(texts, max_size=10), st.lists(texts, max_size=10), st.randoms(use_true_random=False), texts)
@settings(max_examples=50, deadline=None)
def test_an_updated_index_equals_a_new_one(
    before: list[str], added: list[str], shuffler: random.Random, query: str
) -> None:
    old = [Document(id=f"d{i}", text=t) for i, t in enumerate(before)]
    new = [d for d in old if shuffler.random() < 0.7] + [Document(id=f"n{i}", text=t) for i, t in enumerate(added)]
    shuffler.shuffle(new)
    updated = Index.build(old).updated(new)
    assert updated.search(query) == Index.build(new).search(query)
    assert updated.to_bytes() == Index.build(new).to_bytes()


@given(st.lists(texts, min_size=1, max_size=80), st.randoms(use_true_random=False), texts)
@settings(max_examples=40, deadline=None)
def test_the_answer_does_not_depend_on_the_order_of_documents(
    contents: list[str], shuffler: random.Random, query: str
) -> None:
    documents = [Document(id=f"d{i:02d}", text=t) for i, t in enumerate(contents)]
    rows = np.random.default_rng(len(contents)).normal(size=(len(contents), 6)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    order = list(range(len(contents)))
    shuffler.shuffle(order)
    one = Index.build(documents, rows).search(query, 80, query_vector=rows[0])
    other = Index.build([documents[i] for i in order], rows[order]).search(query, 80, query_vector=rows[0])
    assert {hit.id: hit.score for hit in one.hits} == pytest.approx({hit.id: hit.score for hit in other.hits}, abs=1e-3)
