"""From a model's raw cosine to the scale on which the thresholds of the design hold.

The same cosine means different things in different models, languages and uses: with the default model two English
paraphrases, two Chinese ones and a translation lie on three different stretches. A profile holds, for each of them
and for pairs and centroids, the knots of a piecewise-linear map; `scripts/calibrate` makes it from the labelled
statements that ship beside it. A model without a profile has no calibration: then nothing is merged by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from omp.errors import BrokenFile
from omp.model import Problem, Struct

if TYPE_CHECKING:
    from omp.embed import Embedder

PROFILES = Path(__file__).with_name("data") / "profiles"
LANGUAGE_PAIRS = ("en-en", "zh-zh", "cross")
MARGIN = 0.002
"""Where a similarity lies this near a threshold the careful outcome is taken: machines round differently."""

Knots = tuple[tuple[float, float], ...]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")


class Decision(Struct, frozen=True, kw_only=True):
    """Weights of `compare`: for each label, intercept and one weight a feature, in the order of `features`."""

    features: tuple[str, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weights: dict[str, tuple[float, ...]]


class Calibration(Struct, frozen=True, kw_only=True):
    """The profile of one model, as it stands in `data/profiles/<id>.json`."""

    model: str
    revision: str
    pairs: dict[str, Knots] = {}
    centroids: dict[str, Knots] = {}
    decision: Decision | None = None

    @property
    def known(self) -> bool:
        """Whether this model was calibrated; if not, nothing may be merged by itself."""
        return bool(self.pairs)

    def pair(self, raw: float, langs: str) -> float:
        """Give the calibrated similarity, 0..1, of two texts; `langs` is one of `LANGUAGE_PAIRS`.

        Without calibration the raw cosine comes back, cut to 0..1.
        """
        return _map(self.pairs.get(langs, ()), raw)

    def centroid(self, raw: float, langs: str) -> float:
        """Give the calibrated similarity, 0..1, of a text and the centre of several."""
        return _map(self.centroids.get(langs, ()), raw)


def _map(knots: Knots, raw: float) -> float:
    if not knots:
        return min(1.0, max(0.0, raw))
    at = bisect_right(knots, (raw, 2.0))
    if at == 0:
        return knots[0][1]
    if at == len(knots):
        return knots[-1][1]
    (x0, y0), (x1, y1) = knots[at - 1], knots[at]
    return y0 + (y1 - y0) * (raw - x0) / (x1 - x0)


def calibration(embedder: Embedder) -> Calibration:
    """Give the shipped profile of this model and revision, else one that is not `known`."""
    profile = _profiles().get(embedder.id)
    if profile is None or profile.revision != embedder.revision:
        return Calibration(model=embedder.id, revision=embedder.revision)
    return profile


@lru_cache(maxsize=1)
def _profiles() -> dict[str, Calibration]:
    """Read the shipped profiles. Raises BrokenFile when one is damaged."""
    found = {}
    for path in sorted(PROFILES.glob("*.json")):
        try:
            profile = msgspec.json.decode(path.read_bytes(), type=Calibration)
        except msgspec.DecodeError as error:
            problem = Problem(path=path.name, line=1, column=1, code="profile", message=str(error))
            raise BrokenFile(f"the calibration profile {path.name} is damaged", (problem,), "reinstall omp") from error
        found[profile.model] = profile
    return found


def language(text: str) -> str:
    """Give `zh` for a text with at least as many Chinese characters as words in letters, else `en`."""
    han = len(_HAN.findall(text))
    return "zh" if han and han >= len(_LATIN.findall(text)) else "en"


def language_pair(a: str, b: str) -> str:
    """Give which of `LANGUAGE_PAIRS` two texts are."""
    first, second = language(a), language(b)
    return f"{first}-{second}" if first == second else "cross"
