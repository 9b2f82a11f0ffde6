"""`sessions/<day>.yaml` and `themes/`: what is kept about conversations, and which memories belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from omp.errors import BrokenFile, WriteRefused
from omp.model import Problem, SessionRecord, Theme, ThemeConfig, ThemeIndex
from omp.store.batch import Centroids
from omp.yamlfile import dump_value, load, set_pointer, to_struct, update_map, update_rows

THEMES_FILE = "themes/index.yaml"
CENTROIDS_FILE = "themes/embeddings.json"
_DECIMALS = 6
"""Of a centroid's coordinates: more than float16 vectors carry, and the same text on every machine."""


# Sessions


def by_day(records: tuple[SessionRecord, ...]) -> dict[str, list[SessionRecord]]:
    """Group records by the file they belong to: the UTC day of the first entry. Raises WriteRefused without a time."""
    out: dict[str, list[SessionRecord]] = {}
    for record in records:
        day = (record.start or record.end)[:10]
        if len(day) != 10 or not day.replace("-", "").isdecimal():
            raise WriteRefused(f"session {record.id} has no start", "give the time of its first entry")
        out.setdefault(f"sessions/{day}.yaml", []).append(record)
    return out


def edit_sessions(path: str, data: bytes, records: list[SessionRecord]) -> bytes:
    """Give a day's file with the records in it; the row of a session that stands there is replaced."""
    day = path.rpartition("/")[2].removesuffix(".yaml")
    data = data if data.strip() else f"version: 1\ndate: '{day}'\nsessions: []\n".encode()
    present = {r.id: r for r in read_sessions(path, data)}
    rows = {r.id: _plain(r) for r in records if present.get(r.id) != r}
    return update_rows(data, "sessions", rows) if rows else data


def read_sessions(path: str, data: bytes) -> list[SessionRecord]:
    """Read a day's records. Raises BrokenFile."""
    node = load(data, path).root.get("sessions")
    out: list[SessionRecord] = []
    problems: list[Problem] = []
    for row in node.value if node is not None and node.kind == "seq" else ():
        value, _, found = to_struct(row, SessionRecord, path)
        problems += found
        if value is not None:
            out.append(value)
    if problems:
        raise BrokenFile(f"{path} cannot be read", tuple(problems))
    return out


def prove_sessions(path: str, old: bytes, new: bytes, records: list[SessionRecord]) -> None:
    """Read the new bytes back. Raises WriteRefused when they do not hold the records that were meant."""
    wanted = {r.id: r for r in read_sessions(path, old)} if old.strip() else {}
    wanted |= {r.id: r for r in records}
    found = read_sessions(path, new)
    if {r.id: r for r in found} != wanted or len(found) != len(wanted):
        raise WriteRefused(f"{path} would not read back as it was meant; nothing was written", "omp validate")


def _plain(value: msgspec.Struct) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(value)
    return built


# Themes


def read_themes(data: bytes) -> ThemeIndex:
    """Read `themes/index.yaml`. Raises BrokenFile for a corrupt one: it is never treated as empty."""
    root = load(data, THEMES_FILE).root
    config_node, themes_node, members_node = (root.get(k) for k in ("config", "themes", "members"))
    problems: list[Problem] = []
    config = ThemeConfig()
    if config_node is not None:
        value, _, found = to_struct(config_node, ThemeConfig, THEMES_FILE)
        config, problems = value or config, found
    themes: list[Theme] = []
    if themes_node is not None and themes_node.kind != "seq" and themes_node.value:
        problems.append(_problem(themes_node, "themes: expected a list"))
    for node in themes_node.value if themes_node is not None and themes_node.kind == "seq" else ():
        theme, _, found = to_struct(node, Theme, THEMES_FILE)
        problems += found
        if theme is not None:
            themes.append(theme)
    members: dict[str, str] = {}
    if members_node is not None and members_node.kind == "map":
        problems += [
            _problem(n, "members: expected a theme's id") for n in members_node.value.values() if n.kind != "scalar"
        ]
        members = {k: n.value for k, n in members_node.value.items() if n.kind == "scalar"}
    elif members_node is not None and members_node.value:
        problems.append(_problem(members_node, "members: expected `entry id: theme id` lines"))
    if problems:
        raise BrokenFile(f"{THEMES_FILE} cannot be read", tuple(problems))
    return ThemeIndex(config=config, themes=tuple(themes), members=members)


def _problem(node: Any, message: str) -> Problem:
    hint = "restore it with omp backup, or omp themes rebuild"
    return Problem(path=THEMES_FILE, line=node.line, column=node.column, code="schema", message=message, hint=hint)


def _settings(config: ThemeConfig) -> dict[str, Any]:
    settings = _plain(config)
    knots = settings.pop("knots")
    return {**settings, "knots": {k: [list(p) for p in points] for k, points in sorted(knots.items())}}


def edit_themes(data: bytes, index: ThemeIndex) -> bytes:
    """Give the index file saying what `index` says: only rows and pairs that differ are changed. Raises BrokenFile."""
    settings = _settings(index.config)
    if not data.strip():
        rows = [_plain(t) for t in sorted(index.themes, key=lambda t: t.id)]
        members = dict(sorted(index.members.items()))
        return dump_value({"version": 1, "config": settings, "themes": rows, "members": members})
    before = read_themes(data)
    told = _settings(before.config)
    for name, value in settings.items():
        if told[name] != value:
            data = set_pointer(data, f"/config/{name}", value)
    old, new = {t.id: t for t in before.themes}, {t.id: t for t in index.themes}
    changed: dict[str, Mapping[str, Any] | None] = {i: None for i in old if i not in new}
    changed |= {i: _plain(t) for i, t in new.items() if old.get(i) != t}
    data = update_rows(data, "themes", changed) if changed else data
    pairs: dict[str, str | None] = {i: None for i in before.members if i not in index.members}
    pairs |= {i: t for i, t in index.members.items() if before.members.get(i) != t}
    return update_map(data, "members", pairs) if pairs else data


def prove_themes(new: bytes, index: ThemeIndex) -> None:
    """Read the new bytes back. Raises WriteRefused when they do not say what `index` says."""
    found = read_themes(new)
    same = (
        found.members == index.members
        and sorted(found.themes, key=lambda t: t.id) == sorted(index.themes, key=lambda t: t.id)
        and _settings(found.config) == _settings(index.config)
    )
    if not same:
        raise WriteRefused(f"{THEMES_FILE} would not read back as it was meant; nothing was written", "omp validate")


def centroid_bytes(centroids: Centroids) -> bytes:
    """Write centroids in canonical form: sorted, one theme a line, six decimals."""
    lines = []
    for theme, vector in sorted(centroids.vectors.items()):
        numbers = ",".join(f"{x:.{_DECIMALS}f}" for x in vector)
        lines.append(f"  {msgspec.json.encode(theme).decode()}: [{numbers}]")
    body = ",\n".join(lines)
    inner = f"{{\n{body}\n }}" if lines else "{}"
    return f'{{"model": {msgspec.json.encode(centroids.model).decode()},\n "vectors": {inner}}}\n'.encode()


def read_centroids(data: bytes) -> Centroids | None:
    """Read centroids; None when there are none, or none that can be read (they are computed again)."""
    try:
        return msgspec.json.decode(data, type=Centroids) if data else None
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
