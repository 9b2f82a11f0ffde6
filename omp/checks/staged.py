"""What a commit is about to bring: staged blobs instead of the work tree, and which findings are its own.

Git is asked through a function that takes arguments (and standard input) and gives standard output.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from omp.checks import entry_spans, run
from omp.checks.files import problem
from omp.checks.secrets import Gate
from omp.errors import OmpError
from omp.model import Problem, Struct

Git = Callable[[Sequence[str], bytes], bytes]

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.M)
_ID = re.compile(rb"^[ \t]*(?:-[ \t]+)?id:[ \t]*['\"]?([^\s'\"#]+)", re.M)
_LINK = "120000"
_DIFF = ("diff", "--cached", "--no-renames", "--no-ext-diff", "--no-color", "--ignore-submodules")
_EVERY_LINE: frozenset[int] = frozenset(range(1, 2_000_000))
"""More lines than a file of the greatest size that is read can hold entries on."""
_UNREAD = ("/.backup/", "/.staging/", "/.state/")


class Change(Struct, frozen=True, kw_only=True):
    """A file that the commit adds, changes or deletes; `old` and `new` are blob names, "" for none."""

    path: str
    mode: str
    old: str
    new: str


def is_checked(path: str) -> bool:
    """Whether a path below `_omp/` is a file that `validate` looks at."""
    return path.endswith((".yaml", ".yml")) and not any(part in f"/{path}" for part in _UNREAD)


def problems(git: Git, gate: Gate | None) -> list[Problem]:
    """Check what is staged below `_omp/`. Findings on what the commit adds or changes keep their severity; older
    ones become warnings."""
    changes = _changes(git)
    index = _index(git)
    blobs = _Blobs(git)
    if not changes:
        return []
    blobs.fetch(name for c in changes for name in (c.new, c.old) if c.mode != _LINK)
    fresh = {c.path: blobs(c.new) for c in changes if c.new and c.mode != _LINK}
    lost = _lost_ids(changes, blobs, fresh)
    touched = _touched(git, changes)
    files = dict(fresh)
    if lost:
        blobs.fetch(index.values())
    for path, name in index.items():
        if lost and path not in files:
            data = blobs(name)
            if any(identity in data for identity in lost):
                files[path] = data

    def others(folder: str) -> Mapping[str, bytes]:
        wanted = {p: n for p, n in index.items() if p.startswith(f"{folder}/") and p not in files}
        blobs.fetch(wanted.values())
        return {p: blobs(n) for p, n in wanted.items()}

    added = {path: touched.get(path, frozenset()) for path in files}
    found = run(files, gate, others, added)
    found += [
        problem(c.path, 1, 1, "link", "a symbolic link; none is followed") for c in changes if c.mode == _LINK and c.new
    ]
    return _settle(found, files, touched, lambda: _before(changes, files, fresh, blobs, index))


def _settle(
    found: Sequence[Problem],
    files: Mapping[str, bytes],
    touched: Mapping[str, frozenset[int]],
    before: Callable[[], list[Problem]],
) -> list[Problem]:
    """Turn errors that stood there before, on lines the commit leaves alone, into warnings."""
    spans = {p.path: entry_spans(p.path, files[p.path]) for p in found if p.severity == "error" and p.path in files}
    settled: list[Problem] = []
    old: Counter[tuple[str, str, str]] | None = None
    for p in found:
        if p.severity != "error" or p.code == "link" or _is_touched(p.line, touched.get(p.path), spans.get(p.path, ())):
            settled.append(p)
            continue
        if old is None:
            old = Counter(_same(q) for q in before())
        if old[_same(p)] > 0:
            old[_same(p)] -= 1
            p = msgspec.structs.replace(p, severity="warning", message=f"{p.message} (from before this commit)")
        settled.append(p)
    return settled


def _same(p: Problem) -> tuple[str, str, str]:
    """What makes a finding the same although lines moved."""
    return p.path, p.code, re.sub(r"(?:line |:)\d+", "", p.message)


def _is_touched(line: int, lines: frozenset[int] | None, spans: Sequence[tuple[int, int]]) -> bool:
    if not lines:
        return False
    if line in lines:
        return True
    return any(first <= line <= last and any(first <= n <= last for n in lines) for first, last in spans)


def _before(
    changes: Sequence[Change],
    files: Mapping[str, bytes],
    fresh: Mapping[str, bytes],
    blobs: Callable[[str], bytes],
    index: Mapping[str, str],
) -> list[Problem]:
    """What the same checks said of the files as they were."""
    old = {c.path: blobs(c.old) for c in changes if c.old}
    unchanged = {path: data for path, data in files.items() if path not in fresh}
    changed = {c.path for c in changes}

    def others(folder: str) -> Mapping[str, bytes]:
        return {p: blobs(n) for p, n in index.items() if p.startswith(f"{folder}/") and p not in changed}

    return run({**old, **unchanged}, None, others)


def _changes(git: Git) -> list[Change]:
    raw = git(
        [*_DIFF, "--raw", "-z", "--no-abbrev", "--diff-filter=AMDT", "--", ":(top)_omp"],
        b"",
    )
    parts = raw.decode("utf-8", "surrogateescape").split("\0")
    out: list[Change] = []
    for head, path in zip(parts[::2], parts[1::2], strict=False):
        _, mode, old, new, _status = head.lstrip(":").split(" ")
        if is_checked(path) or mode == _LINK:
            out.append(Change(path=path, mode=mode, old=old.strip("0") and old, new=new.strip("0") and new))
    return out


def _index(git: Git) -> dict[str, str]:
    """Path -> blob of every checked file in the index."""
    raw = git(["ls-files", "-s", "-z", "--full-name", "--", ":(top)_omp"], b"").decode("utf-8", "surrogateescape")
    out: dict[str, str] = {}
    for line in raw.split("\0"):
        if line:
            head, _, path = line.partition("\t")
            mode, name, stage = head.split(" ")
            if is_checked(path) and mode != _LINK and stage == "0":
                out[path] = name
    return out


class _Blobs:
    """Reads blobs by name, each once, many in one call of git."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.known: dict[str, bytes] = {}

    def fetch(self, names: Iterable[str]) -> None:
        """Read all of these that are not read yet. Raises OmpError when one is missing."""
        wanted = [n for n in dict.fromkeys(names) if n and n not in self.known]
        if not wanted:
            return
        raw = self.git(["cat-file", "--batch"], "".join(f"{n}\n" for n in wanted).encode())
        at = 0
        for name in wanted:
            end = raw.index(b"\n", at)
            head = raw[at:end].split(b" ")
            if len(head) != 3 or head[1] != b"blob":
                raise OmpError(f"git has no blob {name}", "run git fsck")
            size = int(head[2])
            self.known[name] = raw[end + 1 : end + 1 + size]
            at = end + 2 + size

    def __call__(self, name: str) -> bytes:
        self.fetch([name])
        return self.known[name]


def _lost_ids(changes: Sequence[Change], blobs: _Blobs, fresh: Mapping[str, bytes]) -> set[bytes]:
    """Ids that stood in the changed files and no longer do: others may refer to them."""
    old = {i for c in changes if c.old for i in _ID.findall(blobs(c.old))}
    return old - {i for data in fresh.values() for i in _ID.findall(data)}


def _touched(git: Git, changes: Sequence[Change]) -> dict[str, frozenset[int]]:
    """Path -> lines that the commit adds or changes; a deletion touches the lines around it.

    Patches come in the order of the paths given, so that no quoted file name needs to be read.
    """
    changed = [c for c in changes if c.new and c.mode != _LINK]
    if not changed:
        return {}
    paths = [f":(top,literal){c.path}" for c in changed]
    raw = git([*_DIFF, "-U0", "--no-textconv", "--text", "--diff-filter=AM", "--", *paths], b"")
    patches = re.split(rb"^diff --git ", raw, flags=re.M)[1:]
    if len(patches) != len(changed):
        # A file that became another type: nothing can be said about its lines, so all of them count.
        return {c.path: _EVERY_LINE for c in changed}
    out: dict[str, frozenset[int]] = {}
    for change, patch in zip(sorted(changed, key=lambda c: os.fsencode(c.path)), patches, strict=True):
        lines: set[int] = set()
        for found in _HUNK.finditer(patch):
            start, count = int(found[1]), int(found[2] or 1)
            lines.update(range(start, start + count) if count else (start, start + 1))
        out[change.path] = frozenset(lines)
    return out
