"""The theme index kept in step with the entries: attach, sync, rebuild, check. Pure functions of values.

`entries` are all active entries and `vectors` their embeddings, row for row: float32 (n, dim), of length one, all of
the one model whose name is given. An index made with another model is left alone until it is rebuilt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from omp import identity
from omp.embed.calibration import language
from omp.errors import UsageError
from omp.model import Entry, Problem, Severity, Struct, Theme, ThemeConfig, ThemeIndex
from omp.themes.grouping import Grouping
from omp.themes.rules import MARGIN, NEIGHBOURS, Member, Rules, Scale, faults, in_force
from omp.themes.titles import key_terms, shorten, terms_of, title_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

INDEX_FILE = "themes/index.yaml"


class Synced(Struct, frozen=True, kw_only=True):
    """What `sync` or `attach` gave. With `stale` (a sentence) nothing was done: `rebuild` is asked for."""

    index: ThemeIndex
    moved: tuple[str, ...] = ()
    """Entries whose theme is another one now, or that have none any more, sorted."""
    stale: str = ""


def member_of(memory: Entry) -> Member:
    """Give what themes need to know of an entry."""
    return Member(id=memory.id, created_at=memory.timestamps.created_at, text=memory.claim)


def attach(
    index: ThemeIndex, entries: Sequence[Member], vectors: Vectors, scale: Scale, *, model: str, margin: float = MARGIN
) -> Synced:
    """Place the entries that have no theme yet, oldest first; nothing else moves."""
    return _kept(index, entries, vectors, scale, model, margin, whole=False)


def sync(
    index: ThemeIndex, entries: Sequence[Member], vectors: Vectors, scale: Scale, *, model: str, margin: float = MARGIN
) -> Synced:
    """Place new entries, drop vanished ones, split what is too large, join what is alike; the rest stays.

    Doing it again changes nothing. Raises UsageError when vectors and entries do not match.
    """
    return _kept(index, entries, vectors, scale, model, margin, whole=True)


def rebuild(
    entries: Sequence[Member],
    vectors: Vectors,
    scale: Scale,
    *,
    model: str,
    config: ThemeConfig | None = None,
    margin: float = MARGIN,
) -> ThemeIndex:
    """Make the index anew: the same for every order of `entries`, and `sync` finds nothing to do in it.

    `config` gives thresholds and knots; its model is replaced by `model`.
    """
    settings = msgspec.structs.replace(config or ThemeConfig(), model=model)
    return _kept(ThemeIndex(config=settings), entries, vectors, scale, model, margin, whole=True).index


def centres(index: ThemeIndex, entries: Sequence[Member], vectors: Vectors) -> tuple[tuple[str, ...], Vectors]:
    """Give the ids of the index's themes and their centres (mean of the members' vectors, of length one)."""
    import numpy as np

    rows: dict[str, list[int]] = {theme.id: [] for theme in index.themes}
    for row, entry in enumerate(entries):
        theme = index.members.get(entry.id)
        if theme in rows:
            rows[theme].append(row)
    ids = tuple(theme for theme, members in rows.items() if members)
    means = [vectors[rows[theme]].astype(np.float64).mean(axis=0) for theme in ids]
    lengths = [max(float(np.linalg.norm(mean)), 1e-12) for mean in means]
    shape = (len(ids), vectors.shape[1] if vectors.ndim == 2 else 0)
    stacked = np.array([m / n for m, n in zip(means, lengths, strict=True)], dtype=np.float32).reshape(shape)
    return ids, stacked


def check(index: ThemeIndex, ids: Collection[str]) -> list[Problem]:
    """Give what is wrong with an index beside the ids of the active entries. An entry not placed yet is no fault."""
    found: list[Problem] = []

    def add(code: str, message: str, hint: str, severity: Severity = "error") -> None:
        found.append(
            Problem(path=INDEX_FILE, line=1, column=1, code=code, message=message, hint=hint, severity=severity)
        )

    for name, allowed in faults(index.config):
        value = getattr(index.config, name)
        add("theme-config", f"{name} is {value}, allowed is {allowed}", "the default is in force until it is mended")
    themes = {theme.id for theme in index.themes}
    living = set(ids)
    filled = {theme for entry, theme in index.members.items() if entry in living}
    for theme_id in sorted(themes - filled):
        if theme_id in index.members.values():
            add("member-missing", f"no member of {theme_id} exists", "run `omp themes rebuild`")
        else:
            add("empty-theme", f"{theme_id} has no members", "run `omp themes rebuild`", severity="warning")
    for entry, theme_id in sorted(index.members.items()):
        if theme_id not in themes:
            add("theme-missing", f"{entry} belongs to {theme_id}, which does not exist", "run `omp themes rebuild`")
        elif entry not in living and theme_id in filled:
            add("member-missing", f"{entry} of {theme_id} does not exist", "run `omp themes rebuild`")
    return found


def _kept(
    index: ThemeIndex,
    entries: Sequence[Member],
    vectors: Vectors,
    scale: Scale,
    model: str,
    margin: float,
    whole: bool,
) -> Synced:
    if index.config.model not in ("", model):
        sentence = f"the themes were made with the model {index.config.model}, not {model}; run `omp themes rebuild`"
        return Synced(index=index, stale=sentence)
    if vectors.ndim != 2 or len(entries) != len(vectors):
        raise UsageError(f"{len(entries)} entries need as many vectors, not an array of shape {vectors.shape}")
    age = sorted(range(len(entries)), key=lambda i: (entries[i].created_at, entries[i].id))
    members = [entries[i] for i in age]
    if len({m.id for m in members}) < len(members):
        raise UsageError("an entry was given twice")
    rules = Rules(config=in_force(index.config), margin=margin)
    known = {theme.id for theme in index.themes}
    groups: dict[str, list[int]] = {}
    homeless: list[int] = []
    for number, member in enumerate(members):
        theme = index.members.get(member.id, "")
        if theme in known:
            groups.setdefault(theme, []).append(number)
        else:
            homeless.append(number)
    started = [groups[theme] for theme in sorted(groups)]
    grouping = Grouping(vectors[age], [language(m.text) for m in members], scale, rules, started)
    for number in homeless:
        grouping.place(number)
    if whole:
        grouping.split()
        grouping.join()
    config = msgspec.structs.replace(index.config, model=model)
    return _written(index, config, members, grouping)


def _written(index: ThemeIndex, config: ThemeConfig, members: Sequence[Member], grouping: Grouping) -> Synced:
    """Turn groups into an index; a theme with the members it had keeps its title."""
    had: dict[str, set[str]] = {}
    for entry, theme in index.members.items():
        had.setdefault(theme, set()).add(entry)
    titles = {theme.id: theme.title for theme in index.themes}
    ids = _ids([members[group[0]] for group in grouping.groups])
    everywhere: Counter[str] = Counter()
    terms = [terms_of(member.text) for member in members]
    for found in terms:
        everywhere.update(found)
    themes, places = [], {}
    neighbours = _neighbours(grouping, ids)
    for number, group in enumerate(grouping.groups):
        own = {members[i].id for i in group}
        title = titles.get(ids[number], "")
        heads = [shorten(members[i].text) for i in group]
        if not (own == had.get(ids[number]) and any(title.startswith(head) for head in heads)):
            head = heads[_central(grouping, number)]
            spoken = language(head)
            title = title_of(head, key_terms([terms[i] for i in group], everywhere, len(members), head), spoken)
        oldest = members[group[0]]
        themes.append(Theme(id=ids[number], title=title, created_at=oldest.created_at, neighbours=neighbours[number]))
        places.update(dict.fromkeys(own, ids[number]))
    result = ThemeIndex(
        config=config,
        themes=tuple(sorted(themes, key=lambda theme: theme.id)),
        members=dict(sorted(places.items())),
    )
    moved = {entry for entry in places.keys() | index.members.keys() if places.get(entry) != index.members.get(entry)}
    return Synced(index=result, moved=tuple(sorted(moved)))


def _ids(oldest: Sequence[Member]) -> list[str]:
    """Give each theme's id: `th-` and the key of its oldest member, or a key made of that id where it is taken."""
    taken: set[str] = set()
    ids = [""] * len(oldest)
    for number in sorted(range(len(oldest)), key=lambda n: (oldest[n].created_at, oldest[n].id)):
        entry = oldest[number].id
        key = entry.rpartition("-")[2] if identity.is_id(entry) else identity.fact_key(entry)
        if key in taken:
            key = identity.fact_key(entry)
        taken.add(key)
        ids[number] = f"th-{key}"
    return ids


def _central(grouping: Grouping, number: int) -> int:
    """Give the place in its group of the member nearest the centre; of near equals the older."""
    near = (grouping.vectors[grouping.groups[number]] @ grouping.centres()[number]).tolist()
    return next(place for place, value in enumerate(near) if value >= max(near) - MARGIN)


def _neighbours(grouping: Grouping, ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Give each theme's nearest themes by the cosine of the centres, nearest first; equals by id."""
    import numpy as np

    found: list[tuple[str, ...]] = []
    centres = grouping.centres()
    names = np.array(ids, dtype=np.str_)
    for number in range(len(ids)):
        raw = np.round(np.einsum("ij,j->i", centres, centres[number]), 3)
        raw[number] = -2
        order = np.lexsort((names, -raw))[: min(NEIGHBOURS, len(ids) - 1)]
        found.append(tuple(ids[i] for i in order.tolist()))
    return found
