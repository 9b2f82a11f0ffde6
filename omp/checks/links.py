"""Checks across files of one memory folder: ids once, targets that exist, no circles, themes with real members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from omp.checks.files import File, Row, read
from omp.model import Problem

Others = Callable[[str], Mapping[str, bytes]]
"""Gives the files of a memory folder that are not being checked themselves."""


class Folder:
    """One memory folder: its files and rows, and, read only when a reference needs them, the other files."""

    def __init__(self, name: str, files: list[File], others: Others | None) -> None:
        self.name, self.files = name, files
        self.rows = [row for file in files for row in file.rows if row.id]
        self.by_id: dict[str, Row] = {}
        for row in self.rows:
            self.by_id.setdefault(row.id, row)
        self._others = others
        self._elsewhere: dict[str, Row] | None = None
        self._refused = _refused_keys(files)

    def find(self, identity: str) -> Row | None:
        """Give the entry of that id, from the checked files or, failing that, from the others."""
        row = self.by_id.get(identity)
        return self.elsewhere.get(identity) if row is None else row

    @property
    def elsewhere(self) -> dict[str, Row]:
        """Entries of the files that are not checked themselves."""
        if self._elsewhere is None:
            given = {} if self._others is None else dict(self._others(self.name))
            mine = {file.path for file in self.files}
            files, _ = read({path: data for path, data in given.items() if path not in mine})
            self._elsewhere = {row.id: row for file in files for row in file.rows if row.id}
            self._refused |= _refused_keys(files)
        return self._elsewhere

    def is_refused(self, identity: str) -> bool:
        """Whether the entry of that id was refused or forgotten."""
        _ = self.elsewhere
        return identity.rpartition("-")[2] in self._refused


def _refused_keys(files: list[File]) -> set[str]:
    keys: set[str] = set()
    for file in files:
        node = file.document.root.get("refused") if file.sort == "refused" else None
        for item in node.value if node is not None and node.kind == "seq" else ():
            key = item.get("key")
            if key is not None and key.kind == "scalar":
                keys.add(key.value)
    return keys


def unique(folder: Folder) -> Iterator[Problem]:
    """An id stands once in a memory folder, rotated files included."""
    for row in folder.rows:
        first = folder.by_id[row.id]
        if first is not row:
            where = f"line {first.node.line}" if first.file is row.file else f"{first.file.path}:{first.node.line}"
            yield row.file.problem(row.at("id"), "duplicate-id", f"{row.id} stands already in {where}")


def targets(folder: Folder) -> Iterator[Problem]:
    """Ids that entries refer to exist."""
    for row in folder.rows:
        memory = row.memory
        if memory is None:
            continue
        links = [("supersedes", n, t) for n, t in enumerate(memory.supersedes)]
        links += [("contradicts", n, t) for n, t in enumerate(memory.contradicts)]
        links += [("superseded_by", 0, memory.superseded_by)] if memory.superseded_by else []
        if memory.conflict is not None and memory.conflict.related_id:
            links.append(("conflict", 0, memory.conflict.related_id))
        for name, n, target in links:
            node = row.at(name, "related_id" if name == "conflict" else n)
            if target == row.id:
                yield row.file.problem(node, "cycle", f"{name}: {row.id} refers to itself", "remove it")
            elif folder.find(target) is None:
                code = "target-gone" if folder.is_refused(target) else "missing-target"
                end = "was refused or forgotten" if code == "target-gone" else "does not exist"
                yield row.file.problem(node, code, f"{name}: {target} {end}")


def circles(folder: Folder) -> Iterator[Problem]:
    """No entry supersedes itself by way of others."""
    after: dict[str, set[str]] = {}
    for row in folder.rows:
        if row.memory is not None:
            after.setdefault(row.id, set()).update(row.memory.supersedes)
            if row.memory.superseded_by:
                after.setdefault(row.memory.superseded_by, set()).add(row.id)
    settled: set[str] = set()
    for start in sorted(after):
        circle = _circle(after, start, settled)
        first = folder.by_id.get(circle[0]) if circle else None
        if first is not None:
            names = " -> ".join((*circle, circle[0]))
            field = "supersedes" if first.memory is not None and first.memory.supersedes else "superseded_by"
            yield first.file.problem(first.at(field), "cycle", f"these supersede each other in a circle: {names}")


def _circle(after: Mapping[str, set[str]], start: str, settled: set[str]) -> list[str]:
    """Walk depth first without recursion; give the first circle of two or more entries met from `start`."""
    path: list[str] = []
    on_path: set[str] = set()
    stack: list[tuple[str, bool]] = [(start, False)]
    while stack:
        name, is_left = stack.pop()
        if is_left:
            path.pop()
            on_path.discard(name)
            settled.add(name)
            continue
        if name in on_path:
            circle = path[path.index(name) :]
            if len(circle) > 1:
                settled.update(path)
                return circle
            continue
        if name in settled:
            continue
        path.append(name)
        on_path.add(name)
        stack.append((name, True))
        stack += [(other, False) for other in sorted(after.get(name, ()), reverse=True)]
    return []


def themes(folder: Folder) -> Iterator[Problem]:
    """Members exist, belong to one theme, and that theme exists."""
    for file in folder.files:
        if file.sort != "themes":
            continue
        root = file.document.root
        listed, members = root.get("themes"), root.get("members")
        rows = listed.value if listed is not None and listed.kind == "seq" else []
        names: set[str] = set()
        home: dict[str, str] = {}
        for item in rows:
            told = item.get("id")
            name = told.value if told is not None and told.kind == "scalar" else ""
            if name in names:
                yield file.problem(told or item, "duplicate-id", f"the theme {name} stands twice")
            names.add(name)
            # The seed form lists members below their theme.
            inner = item.get("members")
            for node in inner.value if inner is not None and inner.kind == "seq" else ():
                if node.kind != "scalar":
                    continue
                if home.setdefault(node.value, name) != name:
                    yield file.problem(node, "member-twice", f"{node.value} belongs to {home[node.value]} and {name}")
                elif file.version and folder.find(node.value) is None:
                    yield file.problem(node, "member-missing", f"{node.value}, a member of {name}, does not exist")
        if members is None or members.kind != "map":
            continue
        for identity, node in members.value.items():
            if node.kind != "scalar" or node.value not in names:
                shown = node.value if node.kind == "scalar" else node.kind
                yield file.problem(node, "theme-missing", f"{identity} belongs to {shown}, which does not exist")
            if folder.find(identity) is None:
                yield file.problem(node, "member-missing", f"{identity}, a member of a theme, does not exist")
        filled = {node.value for node in members.value.values() if node.kind == "scalar"} | set(home.values())
        for item in rows:
            told = item.get("id")
            if told is not None and told.kind == "scalar" and told.value not in filled:
                yield file.problem(told, "empty-theme", f"the theme {told.value} has no members")
