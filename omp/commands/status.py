"""`omp status`: what is read, kept and waiting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from omp import daemon_state
from omp.commands._options import json_option, print_json, repo_option, table
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import BrokenFile


@click.command()
@repo_option
@json_option
def command(repo_dir: Path | None, as_json: bool) -> int:
    """Show the daemon, the logs, the memories and what waits. Exit 1 when something needs a person."""
    workspace = open_workspace(repo_dir)
    told = gather(workspace)
    if as_json:
        print_json(told)
    else:
        _print(told)
    return 1 if told["problems"] or told["conflicts"] else 0


def gather(workspace: Workspace) -> dict[str, Any]:
    """Give the object of the contract."""
    if not workspace.initialised:
        return {
            "repo": workspace.repo.work_tree, "initialised": False, "trusted": False, "daemon": _daemon(workspace),
            "logs": [], "memories": {}, "staged": 0, "themes": 0, "pending": 0, "conflicts": 0,
            "embedder": _embedder(workspace), "user_store": {"backend": "embedded", "ok": True}, "problems": [],
        }  # fmt: skip
    store = workspace.project
    read = store.read()
    problems = store.problems()
    notes = [f"{p.path}:{p.line}:{p.column}: {p.code}: {p.message}" for p in problems]
    try:
        index = store.themes()
        themes = len(index.themes)
        if index.config.model not in ("", workspace.embedder.id):
            made, now = index.config.model, workspace.embedder.id
            notes.append(f"themes were made with the model {made}, {now} is in use: omp themes rebuild")
    except BrokenFile:
        themes = 0
    return {
        "repo": workspace.repo.work_tree,
        "initialised": True,
        "trusted": workspace.config.trusted,
        "daemon": _daemon(workspace),
        "logs": [
            {
                "agent": c.agent, "path": c.path, "offset": c.offset, "size": c.size, "skipped": c.skipped,
                "malformed": c.malformed, "refused": c.refused,
            }
            for c in sorted(store.cursors().values(), key=lambda c: c.path)
        ],
        "memories": dict(sorted(Counter(s.memory.kind for s in read).items())),
        "staged": len(store.inbox()),
        "themes": themes,
        "pending": sum(1 for s in read if s.path == "spool"),
        "conflicts": sum(1 for s in read if s.memory.conflict is not None and s.memory.conflict.status == "detected"),
        "embedder": _embedder(workspace),
        "user_store": {"backend": "embedded", "ok": not workspace.user.problems()},
        "problems": notes,
    }  # fmt: skip


def _daemon(workspace: Workspace) -> dict[str, Any]:
    state = daemon_state.running(workspace.repo.local)
    if state is None:
        return {"running": False, "pid": None, "rss_mb": None, "cpu_s": None, "since": None}
    rss, cpu = daemon_state.usage(state.pid)
    rounded = (round(rss, 1) if rss is not None else None, round(cpu, 2) if cpu is not None else None)
    return {"running": True, "pid": state.pid, "rss_mb": rounded[0], "cpu_s": rounded[1], "since": state.since}


def _embedder(workspace: Workspace) -> dict[str, Any]:
    model = workspace.embedder
    return {"id": model.id, "revision": model.revision, "dim": model.dim}


def _print(told: dict[str, Any]) -> None:
    daemon = told["daemon"]
    watching = f"yes, process {daemon['pid']} since {daemon['since']}" if daemon["running"] else "no"
    rows = [
        ("repository", told["repo"]),
        ("initialised", "yes" if told["initialised"] else "no (omp init)"),
        ("trusted", "yes" if told["trusted"] else "no (omp trust)"),
        ("watching", watching),
        ("memories", ", ".join(f"{n} {k}" for k, n in told["memories"].items()) or "none"),
        ("waiting", f"{told['staged']} in the inbox, {told['pending']} of open conversations"),
        ("themes", str(told["themes"])),
        ("conflicts", str(told["conflicts"])),
        ("embedder", f"{told['embedder']['id']} {told['embedder']['revision']}"),
    ]
    table(rows)
    for log in told["logs"]:
        note = log["refused"] or f"{log['offset']} of {log['size']} bytes read"
        drift = (
            f"; unknown: {', '.join(f'{k} x{n}' for k, n in sorted(log['skipped'].items()))}" if log["skipped"] else ""
        )
        bad = f"; {log['malformed']} malformed line(s)" if log["malformed"] else ""
        click.echo(f"log  {log['agent'] or '?':12} {log['path']}: {note}{drift}{bad}")
    for problem in told["problems"]:
        click.echo(f"problem  {problem}")
