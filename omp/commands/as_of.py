"""`omp as-of`: what was remembered at a commit or a time."""

from __future__ import annotations

from pathlib import Path

import click

from omp import git, times
from omp.commands._options import json_option, print_json, repo_option, say, shorten, table
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import OmpError
from omp.git import Repo
from omp.model import Memory
from omp.store import history
from omp.store.atomic import Snapshot, digest
from omp.store.reading import FACTS_FILE, parse, top_key

_PLACE = "_omp/memory/"


@click.command()
@repo_option
@json_option
@click.argument("moment", metavar="REV-OR-DATE")
def command(repo_dir: Path | None, as_json: bool, moment: str) -> int:
    """List the memories that were active at a commit (any name git knows) or a date.

    For a date: the last commit before it on the first-parent line of HEAD, or the journal where that is newer.
    """
    workspace = open_workspace(repo_dir)
    memories, told = at(workspace, moment)
    say(told)
    active = [m for m in memories if m.status == "active"]
    if as_json:
        for memory in active:
            print_json({"id": memory.id, "kind": memory.kind, "scope": memory.metadata.scope, "claim": memory.claim})
    else:
        table((m.id, m.kind, shorten(m.claim, 90)) for m in active)
    return 0


def at(workspace: Workspace, moment: str) -> tuple[list[Memory], str]:
    """Give the entries at a commit or time, and where that was read. Raises OmpError when neither is known."""
    repo = workspace.repo
    commit = _first(repo, ["rev-parse", "-q", "--verify", "--end-of-options", f"{moment}^{{commit}}"])
    if commit:
        return committed(repo, commit), f"at commit {commit[:10]}"
    when = times.utc(f"{moment}T23:59:59Z" if len(moment) == 10 else moment)
    if not when:
        raise OmpError(f"{moment!r} is neither a commit nor a date", "write 2026-03-02, or a name git knows")
    line = ["log", "-1", "--first-parent", f"--before={when}", "--format=%H %ct", "HEAD", "--", _PLACE]
    commit, _, seconds = _first(repo, line).partition(" ")
    committed_at = times.utc(int(seconds)) if seconds else ""
    book = workspace.project.journal
    journalled = next((c for c in history.changes(book) if c.at <= when), None)
    if journalled is not None and journalled.at > committed_at:
        return history.entries_at(book, when) or [], f"at {journalled.at}, from the journal"
    if commit:
        return committed(repo, commit), f"at commit {commit[:10]} of {committed_at}"
    raise OmpError(f"nothing was kept here at {when}", "omp log")


def _first(repo: Repo, arguments: list[str]) -> str:
    return git.run(arguments, repo.root, ok=(0, 1, 128)).decode("utf-8", "replace").strip()


def committed(repo: Repo, commit: str) -> list[Memory]:
    """Give the entries of the memory files in a commit; what cannot be read there is left out."""
    names = git.run(["ls-tree", "-r", "-z", "--name-only", commit, "--", _PLACE], repo.root).decode("utf-8", "replace")
    out: dict[str, Memory] = {}
    for name in sorted(filter(None, names.split("\0"))):
        relative = name.removeprefix(_PLACE)
        if top_key(relative) or relative == FACTS_FILE:
            data = git.run(["cat-file", "blob", f"{commit}:{name}"], repo.root)
            for stored in parse(relative, Snapshot(data=data, digest=digest(data))).stored():
                out.setdefault(stored.memory.id, stored.memory)
    return list(out.values())
