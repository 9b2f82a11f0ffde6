"""Members in groups: attach, split, join. Pure geometry; ids of themes and titles come later.

A group is a list of member numbers. Numbers follow age (`created_at`, then id), so the first member of a group is its
oldest, a group is older than another when its first member is, and every tie goes to the older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from omp.themes.rules import Rules, Scale, least_raw

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

LANGS = {("en", "en"): "en-en", ("zh", "zh"): "zh-zh", ("en", "zh"): "cross", ("zh", "en"): "cross"}
_TIE = 0.001
"""Gaps on the principal axis this near count as equal."""


class Grouping:
    """All members' vectors, and the groups they are in."""

    def __init__(
        self, vectors: Vectors, languages: Sequence[str], scale: Scale, rules: Rules, groups: Iterable[list[int]] = ()
    ) -> None:
        import numpy as np

        self.vectors, self.languages, self.scale, self.rules = vectors, languages, scale, rules
        self.groups: list[list[int]] = []
        self._centres: Vectors = np.zeros((64, vectors.shape[1] if vectors.ndim == 2 else 0), dtype=np.float32)
        self._spoken: list[str] = []
        self._lengths: list[float] = []
        margin = rules.margin
        either = [(function, langs) for function in (scale.pair, scale.centroid) for langs in set(LANGS.values())]
        self._attach_raw = min(least_raw(f, langs, rules.config.attach + margin) for f, langs in either)
        self._join_raw = min(least_raw(f, langs, rules.config.merge + margin) for f, langs in either)
        for group in groups:
            self._append(sorted(group))

    def centres(self) -> Vectors:
        """Give the groups' centres: float32 (number of groups, dim), each of length one."""
        return self._centres[: len(self.groups)]

    def place(self, member: int) -> int:
        """Put a member into the best group that takes it, else into a new one; give the group's number.

        The best is the most similar one that attaches and is not full; within the margin of it the older one.
        """
        import numpy as np

        raw = np.einsum("ij,j->i", self.centres(), self.vectors[member])  # no BLAS: the same with any number of threads
        able: list[tuple[float, int]] = []
        for number in np.flatnonzero(raw >= self._attach_raw - 1e-5).tolist():
            if not self.rules.full(len(self.groups[number])):
                langs = LANGS[self.languages[member], self._spoken[number]]
                similarity = self._scaled(float(raw[number]), langs, single=len(self.groups[number]) == 1)
                if self.rules.attaches(similarity):
                    able.append((similarity, number))
        if not able:
            self._append([member])
            return len(self.groups) - 1
        best = max(able)[0]
        near = [number for similarity, number in able if similarity >= best - self.rules.margin]
        chosen = min(near, key=lambda number: self.groups[number][0])
        self.groups[chosen] = sorted([*self.groups[chosen], member])
        self._renew(chosen)
        return chosen

    def split(self) -> None:
        """Split every group that is too large, until none is."""
        settled: list[list[int]] = []
        waiting = list(self.groups)
        changed = False
        while waiting:
            group = waiting.pop()
            if self.rules.splits(len(group)):
                waiting += self._parts(group)
                changed = True
            else:
                settled.append(group)
        if changed:
            self._restart(settled)

    def join(self) -> None:
        """Join the most similar two groups while their similarity and their size allow it.

        A joined group never exceeds the limit on members, so it is never split again; and the parts of a split group
        are together too many to become it again.
        """
        alive = set(range(len(self.groups)))
        pairs = self._joinable(alive, alive)
        while pairs:
            best = max(pairs.values())
            near = [pair for pair, similarity in pairs.items() if similarity >= best - self.rules.margin]
            one, other = min(near, key=lambda pair: sorted((self.groups[pair[0]][0], self.groups[pair[1]][0])))
            self.groups[one] = sorted(self.groups[one] + self.groups[other])
            self._renew(one)
            alive.discard(other)
            pairs = {pair: similarity for pair, similarity in pairs.items() if not {one, other} & set(pair)}
            pairs |= self._joinable({one}, alive)
        if len(alive) < len(self.groups):
            self._restart([self.groups[number] for number in alive])

    def _joinable(self, some: set[int], alive: set[int]) -> dict[tuple[int, int], float]:
        """Give the pairs of one group of `some` and another of `alive` that may be joined, with their similarity."""
        import numpy as np

        found: dict[tuple[int, int], float] = {}
        least = self._join_raw - 1e-5
        centres = self.centres()
        for one in some:
            for other in np.flatnonzero(np.einsum("ij,j->i", centres, centres[one]) >= least).tolist():
                if other == one or other not in alive:
                    continue
                pair = (min(one, other), max(one, other))
                if pair in found:
                    continue
                similarity = self._alike(*pair)
                if self.rules.joins(similarity, len(self.groups[one]) + len(self.groups[other])):
                    found[pair] = similarity
        return found

    def _alike(self, one: int, other: int) -> float:
        """Give how well the members of either group fit the other one's centre on average, the lesser of the two.

        Centres are more alike than texts are, because averaging takes out what is particular. The mean cosine of a
        group's members with another centre is the length of the group's mean times the cosine of the centres: that
        stands on the scale of a text and a centre, and 0.78 means what it means there.
        """
        shrunk = min(self._lengths[one], self._lengths[other])
        raw = shrunk * float(self._centres[one] @ self._centres[other])
        single = len(self.groups[one]) == len(self.groups[other]) == 1
        return self._scaled(raw, LANGS[self._spoken[one], self._spoken[other]], single)

    def _scaled(self, raw: float, langs: str, single: bool) -> float:
        """Calibrate a cosine with a centre; the centre of a single member is a text, so two texts are compared."""
        return self.scale.pair(raw, langs) if single else self.scale.centroid(raw, langs)

    def _parts(self, group: list[int]) -> list[list[int]]:
        """Split a group into its components; if it has only one, in two along its principal axis."""
        components = self._components(group)
        return components if len(components) > 1 else self._halves(group)

    def _components(self, group: list[int]) -> list[list[int]]:
        import numpy as np

        raw = np.einsum("ik,jk->ij", self.vectors[group], self.vectors[group])
        left, parts = set(range(len(group))), []
        while left:
            reached = [min(left)]
            left.discard(reached[0])
            for here in reached:
                for there in sorted(left):
                    langs = LANGS[self.languages[group[here]], self.languages[group[there]]]
                    if self.rules.connects(self.scale.pair(float(raw[here, there]), langs)):
                        reached.append(there)
                        left.discard(there)
            parts.append(sorted(group[i] for i in reached))
        return parts

    def _halves(self, group: list[int]) -> list[list[int]]:
        """Cut a group at the widest gap along its principal axis, a quarter or more on each side.

        The axis points so that the oldest member off its middle is on the positive side. Members that do not differ
        are cut by age.
        """
        import numpy as np

        rows = self.vectors[group].astype(np.float64)
        centred = rows - rows.mean(axis=0)
        _, axes = np.linalg.eigh(centred @ centred.T)
        along = axes[:, -1] * np.sqrt(np.abs((centred @ centred.T) @ axes[:, -1] @ axes[:, -1]))
        off = np.flatnonzero(np.abs(along) > _TIE)
        if not len(off):
            middle = (len(group) + 1) // 2
            return [group[:middle], group[middle:]]
        along = along * np.sign(along[off[0]])
        order = np.lexsort((np.arange(len(group)), np.round(-along, 6)))
        gaps = -np.diff(along[order])
        least = max(1, len(group) // 4)
        cuts = range(least, len(group) - least + 1)
        widest = max(gaps[cut - 1] for cut in cuts)
        near = [cut for cut in cuts if gaps[cut - 1] >= widest - _TIE]
        cut = min(near, key=lambda c: (abs(len(group) - 2 * c), c))
        return [sorted(group[i] for i in part.tolist()) for part in (order[:cut], order[cut:])]

    def _append(self, group: list[int]) -> None:
        import numpy as np

        self.groups.append(group)
        self._spoken.append("")
        self._lengths.append(0.0)
        if len(self.groups) > len(self._centres):
            self._centres = np.concatenate((self._centres, np.zeros_like(self._centres)))
        self._renew(len(self.groups) - 1)

    def _renew(self, number: int) -> None:
        """Recompute a group's centre (mean of its members, of length one) and its language."""
        import numpy as np

        group = self.groups[number]
        mean = self.vectors[group].astype(np.float64).mean(axis=0)
        self._lengths[number] = max(float(np.linalg.norm(mean)), 1e-12)
        self._centres[number] = mean / self._lengths[number]
        spoken = [self.languages[i] for i in group]
        self._spoken[number] = "zh" if spoken.count("zh") * 2 + (spoken[0] == "zh") > len(spoken) else "en"

    def _restart(self, groups: Iterable[list[int]]) -> None:
        self.groups, self._spoken, self._lengths = [], [], []
        for group in sorted(groups):
            self._append(group)
