"""Where logs lie, and which of them belong to a repository.

Folder names of logs are a first filter only: they are shortened and ambiguous. What decides is the working
directory inside the records (bug class: two projects with the same folder name).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PureWindowsPath

from omp.model import Struct
from omp.sources.formats import word
from omp.sources.lines import CHUNK, parse
from omp.sources.reader import NEVER_OPENED

_CWD_LIMIT = 4200
"""Bytes that may lie on both sides of a cut between two reads: the longest path (4,096) and its key."""
_CWD = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')
_AIDER = ".aider.chat.history.md"
"""aider's history lies in the work tree's root; it is not watched there, a regular look finds it."""
_NAME_LIMIT = 200
"""From this length on Claude Code cuts folder names and appends a hash."""
_DATE = re.compile(r"\d{2,4}")


NAME_LIMIT = 4096
"""Characters of a path; systems allow no more (PATH_MAX), and no control character."""


class AgentHomes(Struct, frozen=True, kw_only=True):
    """Where each agent keeps its data; made by the caller from environment and home folder.

    `claude`: folders that hold `projects/`. `codex`: the folder that holds `sessions/`. `gemini`: the folder that holds
    `tmp/`, or None. `others`: folders of agents whose records name their working directory (pi, Qwen Code, iFlow,
    Copilot CLI). `logs`: further files and folders a person named.
    """

    claude: tuple[Path, ...] = ()
    codex: Path | None = None
    gemini: Path | None = None
    others: tuple[Path, ...] = ()
    logs: tuple[Path, ...] = ()


def belongs(event_cwd: str, work_trees: Sequence[Path]) -> Path | None:
    """Give the innermost work tree that contains a working directory, or None.

    Links are resolved on both sides; /a/api does not contain /a/api-old; a directory that is gone is compared as it is
    written; a Windows path matches a work tree written with either kind of slash, case ignored.
    """
    if not event_cwd or len(event_cwd) > NAME_LIMIT or any(c < " " for c in event_cwd):
        return None
    best: tuple[int, Path] | None = None
    wanted = _forms(event_cwd)
    for tree in work_trees:
        for parts in _tree_forms(str(tree)):
            if any(form[: len(parts)] == parts for form in wanted) and (best is None or len(parts) > best[0]):
                best = (len(parts), tree)
    return best[1] if best else None


@lru_cache(maxsize=256)
def _tree_forms(path: str) -> list[tuple[str, ...]]:
    """The same for a work tree: asked for every event, so looked up once (its own links do not move under us)."""
    return _forms(path)


def _forms(path: str) -> list[tuple[str, ...]]:
    """Give the parts of a path as written and, where it is one of this system's, with links resolved."""
    if re.match(r"[A-Za-z]:[\\/]|\\\\", path):
        return [tuple(part.casefold() for part in PureWindowsPath(path).parts)]
    if not path.startswith("/"):
        return []
    forms = [Path(os.path.normpath(path)).parts]
    resolved = Path(os.path.realpath(path)).parts
    return forms if resolved in forms else [*forms, resolved]


Looked = dict[Path, tuple[int, int, frozenset[str]]]
"""What `discover` remembers of a file between two calls: size, time of change, working directories in it."""


def discover(agent_homes: AgentHomes, work_trees: Sequence[Path], looked: Looked | None = None) -> list[Path]:
    """Give the log files, sorted, that may belong to these work trees (linked ones are to be among them).

    A file is let in when any working directory in it lies in one of the trees (a session may move), or when its
    folder's name could be one of them and it names no directory yet. A caller that asks again and again passes the
    same `looked`, so that only changed files are searched. Files of sub-agents are left out.
    """
    found: set[Path] = set()
    looked = {} if looked is None else looked
    names = _encoded_names(work_trees)
    for home in agent_homes.claude:
        for folder in _folders(home / "projects"):
            likely = _may_be(folder.name, names)
            logs = (file for file in _files(folder, ".jsonl") if not _helper(file))
            found.update(file for file in logs if _inside(file, work_trees, looked, likely=likely))
    if agent_homes.codex is not None:
        for root in (agent_homes.codex / "sessions", agent_homes.codex / "archived_sessions"):
            found.update(f for f in _files(root, ".jsonl") if _inside(f, work_trees, looked, likely=False))
    if agent_homes.gemini is not None:
        found.update(_gemini(agent_homes.gemini, work_trees))
    for root in agent_homes.others:
        found.update(f for f in _files(root, ".jsonl") if _inside(f, work_trees, looked, likely=False))
    found.update(history for tree in work_trees if (history := tree / _AIDER).is_file())
    for named in agent_homes.logs:
        found.update([named] if named.is_file() else _files(named, ""))
    return sorted(found)


def watch_folders(agent_homes: AgentHomes, work_trees: Sequence[Path], today: Sequence[str] = ()) -> list[Path]:
    """Give the existing folders to watch, each without its sub-folders.

    `today` are days `YYYY-MM-DD` whose Codex folder counts beside the newest one; a folder that does not exist yet is
    stood for by its nearest existing parent. Folders inside the work trees are never among them.
    """
    names = _encoded_names(work_trees)
    folders: set[Path] = set()
    for home in agent_homes.claude:
        projects = home / "projects"
        folders.add(projects)
        folders.update(folder for folder in _folders(projects) if _may_be(folder.name, names))
    if agent_homes.codex is not None:
        sessions = agent_homes.codex / "sessions"
        folders.update([sessions, *_newest_days(sessions), *(sessions.joinpath(*day.split("-")) for day in today)])
    if agent_homes.gemini is not None:
        folders.add(agent_homes.gemini / "tmp")
        folders.update(chats for project, _ in _gemini_projects(agent_homes.gemini, work_trees)
                       if (chats := project / "chats").is_dir())  # fmt: skip
    for root in agent_homes.others:
        folders.update([root, *_folders(root)])
    for named in agent_homes.logs:
        folders.add(named if named.is_dir() else named.parent)
    standing = {_standing(folder) for folder in folders}
    return sorted(folder for folder in standing if folder is not None and belongs(str(folder), work_trees) is None)


def _standing(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        if place.is_dir():
            return place if len(place.parts) > 2 else None
    return None


def _newest_days(sessions: Path) -> list[Path]:
    """Give the newest year, month and day folder of Codex's tree."""
    found = []
    place = sessions
    for _ in range(3):
        below = [folder for folder in _folders(place) if _DATE.fullmatch(folder.name)]
        if not below:
            break
        place = max(below, key=lambda folder: folder.name)
        found.append(place)
    return found


def _encoded_names(work_trees: Sequence[Path]) -> set[str]:
    """Give the names Claude Code would give to these folders: every character but A-Z, a-z, 0-9 and - becomes -."""
    paths = {text for tree in work_trees for text in (str(tree), os.path.realpath(tree))}
    return {re.sub(r"[^A-Za-z0-9-]", "-", path) for path in paths}


def _may_be(name: str, encoded: Iterable[str]) -> bool:
    """Tell whether a folder's name could be a work tree, a folder in it, or one of them shortened."""
    cut = name[: _NAME_LIMIT - 20] if len(name) >= _NAME_LIMIT else None
    return any(name == one or name.startswith(f"{one}-") or (cut and one.startswith(cut)) for one in encoded)


def _helper(file: Path) -> bool:
    """Tell a sub-agent's own file by its place: nobody's voice is in it, and most files can be such."""
    return file.name.startswith("agent-") or "subagents" in file.parts[-4:-1]


def _inside(file: Path, work_trees: Sequence[Path], looked: Looked, *, likely: bool) -> bool:
    """Tell by the working directories in a file whose it is; without any, by `likely` (its folder's name fits)."""
    try:
        status = file.stat()
        known = looked.get(file)
        if known is None or known[:2] != (status.st_size, status.st_mtime_ns):
            known = looked[file] = (status.st_size, status.st_mtime_ns, frozenset(_directories(file)))
    except OSError:
        # gone or not ours to read between listing and opening: it is found again next time
        return False
    return any(belongs(directory, work_trees) for directory in known[2]) if known[2] else likely


def _directories(file: Path) -> set[str]:
    """Search a file for the working directories that its records name, without decoding it."""
    found: set[str] = set()
    with file.open("rb") as stream:
        rest = b""
        while chunk := stream.read(CHUNK):
            found.update(word(parse(b'"' + match + b'"')) for match in set(_CWD.findall(rest + chunk)))
            rest = chunk[-_CWD_LIMIT:]
    return found - {""}


def _folders(place: Path) -> list[Path]:
    try:
        return sorted(entry for entry in place.iterdir() if entry.is_dir())
    except OSError:
        return []


def _files(place: Path, suffix: str) -> list[Path]:
    """Give the files below a folder whose names end so, key files never among them."""
    found = []
    for folder, below, names in os.walk(place):
        below.sort()
        found += [Path(folder, name) for name in names if name.endswith(suffix) and name not in NEVER_OPENED]
    return sorted(p for p in found if p.is_file())


def _gemini_projects(home: Path, work_trees: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Give the project folders of Gemini CLI that stand for one of the work trees: by hash, or by their own note."""
    import hashlib

    hashes = {hashlib.sha256(text.encode()).hexdigest(): tree
              for tree in work_trees for text in (str(tree), os.path.realpath(tree))}  # fmt: skip
    for folder in _folders(home / "tmp"):
        tree = hashes.get(folder.name)
        if tree is None:
            try:
                tree = belongs((folder / ".project_root").read_text("utf-8").strip(), work_trees)
            except (OSError, UnicodeDecodeError):
                continue
        if tree is not None:
            yield folder, tree


def _gemini(home: Path, work_trees: Sequence[Path]) -> list[Path]:
    return [file for folder, _ in _gemini_projects(home, work_trees) for file in _files(folder / "chats", "")]
