"""What decides where a memory belongs: thresholds, the margin around them, and the scales they stand on.

All thresholds come from the index's own configuration. `>=` attaches and connects, `>` joins two themes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from omp.model import Struct, ThemeConfig

MARGIN = 0.002
"""Promise 8: this near a threshold the careful outcome is taken, because machines round floating point differently.

Careful is: a memory leaves the theme, members stay unconnected, themes stay apart; of two themes this near each other
the older one counts as the better. What was once decided stands in the index and is not looked at again.
"""
NEIGHBOURS = 10
"""How many nearest themes are noted with each."""

_DEFAULTS = ThemeConfig()


class Scale(Protocol):
    """Raw cosines to the calibrated scale, never falling. An `omp.embed.Calibration` is one.

    `langs` is one of "en-en", "zh-zh", "cross".
    """

    def pair(self, raw: float, langs: str) -> float:
        """For two texts."""

    def centroid(self, raw: float, langs: str) -> float:
        """For a text or a theme and the centre of a theme."""


class Member(Struct, frozen=True, kw_only=True):
    """What themes need to know of an entry: `text` is its claim, `created_at` a time of `times.utc`."""

    id: str
    created_at: str
    text: str


class Rules(Struct, frozen=True, kw_only=True):
    """The decisions. `margin` is 0 only where exact values are meant, as in a table of limits."""

    config: ThemeConfig = _DEFAULTS
    margin: float = MARGIN

    def attaches(self, similarity: float) -> bool:
        """Whether a memory this similar to a theme's centre joins it."""
        return similarity >= self.config.attach + self.margin

    def connects(self, similarity: float) -> bool:
        """Whether two members this similar stay together when their theme is split."""
        return similarity >= self.config.split + self.margin

    def joins(self, similarity: float, size: int) -> bool:
        """Whether two themes with this similarity and this many members together become one."""
        return size <= self.config.max_members and similarity > self.config.merge + self.margin

    def splits(self, size: int) -> bool:
        """Whether a theme of this size is split."""
        return size > self.config.max_members

    def full(self, size: int) -> bool:
        """Whether a theme of this size is passed over."""
        return size >= self.config.max_members


def in_force(config: ThemeConfig) -> ThemeConfig:
    """Give the configuration with every value outside its range replaced by the default. `faults` names them."""
    fields = {name: getattr(_DEFAULTS, name) for name, _ in faults(config)}
    return msgspec.structs.replace(config, **fields)


def faults(config: ThemeConfig) -> list[tuple[str, str]]:
    """Give (field, what is allowed) for every value outside its range."""
    found = [
        (name, "a number above 0 and at most 1")
        for name in ("attach", "split", "merge")
        if not 0 < getattr(config, name) <= 1
    ]
    if config.max_members < 2:
        found.append(("max_members", "2 or more"))
    return found


def least_raw(scale: Callable[[float, str], float], langs: str, wanted: float) -> float:
    """Give the least raw cosine whose calibrated value reaches `wanted` (to 1e-6, from below); 2 when none does."""
    if scale(1.0, langs) < wanted:
        return 2.0
    low, high = -1.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if scale(middle, langs) >= wanted:
            high = middle
        else:
            low = middle
    return low
