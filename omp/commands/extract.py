"""`omp extract`: what would be learnt from conversations; writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omp.commands._options import json_option, print_json, repo_option, say, shorten
from omp.commands._workspace import open_workspace

if TYPE_CHECKING:
    from omp.commands._workspace import Workspace
    from omp.model import Judged, Session

_SHOWN = {"keep": "+", "stage": "?", "drop": "-"}


@click.command("extract")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--source", default="auto", help="Format of the logs; auto looks at what they hold.")
@click.option("--backend", type=click.Choice(["rules"]), default="rules", help="What does the extraction.")
@click.option("--all", "show_all", is_flag=True, help="Show what is dropped too, with the reason.")
@repo_option
@json_option
def command(
    paths: tuple[Path, ...], source: str, backend: str, show_all: bool, repo_dir: Path | None, as_json: bool
) -> None:
    """Show what would be learnt from conversations. Writes nothing and needs no repository.

    Each PATH is a conversation of its own, judged by itself; a folder stands for every file below it. With --repo
    the memories of that repository are compared with, without it no store is read.
    """
    del backend  # one choice so far; the option is part of the contract
    workspace = open_workspace(repo_dir, need_repo=repo_dir is not None)
    for path in _files(paths):
        for session in _sessions(path, source, workspace):
            for judged in _judged(session, workspace, repo_dir is not None):
                if judged.verdict.action == "drop" and not show_all:
                    continue
                if as_json:
                    print_json(_row(path, session, judged))
                else:
                    _show(path, judged)


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    """Give the files named, folders as every file below them, sorted; what does not exist is said and passed over."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.is_file())
        elif path.is_file():
            yield path
        else:
            say(f"{path}: there is no such file")


def _sessions(path: Path, source: str, workspace: Workspace) -> Iterator[Session]:
    from omp.sources import read_log

    reading = read_log(path, source)
    if reading.refused:
        say(f"{path}: not read: {reading.refused}")
        return
    for number in reading.malformed:
        say(f"{path}:{number}: this line cannot be read and was passed over")
    for name, count in sorted(reading.skipped.items()):
        say(f"{path}: {count} records of the unknown type {name} were passed over")
    for raw in reading.sessions:
        yield workspace.redactor.clean_session(raw)


def _judged(session: Session, workspace: Workspace, with_store: bool) -> list[Judged]:
    if with_store:
        mind = workspace.mind
        return mind.judge(mind.learn(session))
    from omp import rot
    from omp.classify import classify
    from omp.extract import candidates
    from omp.store import Known

    rules = workspace.rules
    most = workspace.config.shared.max_per_session
    found = [classify(c, session, rules) for c in candidates(session, rules, max_per_session=most)]
    limits = workspace.config.shared.thresholds
    return rot.judge(found, Known(), (), limits=rot.Limits(keep=limits.keep, stage=limits.stage))


def _row(path: Path, session: Session, judged: Judged) -> dict[str, Any]:
    c = judged.candidate
    return {
        "file": str(path),
        "session": session.session,
        "kind": c.kind,
        "scope": c.scope,
        "claim": c.claim,
        "rationale": c.rationale or None,
        "confidence": c.confidence,
        "verdict": judged.verdict.action,
        "reason": judged.verdict.reason,
        "evidence": [{"entry": e.entry, "role": e.role, "quote": e.quote, "at": e.at} for e in c.evidence],
        "alternatives": list(c.alternatives),
        "choice": c.choice,
        "next_action": c.next_action,
        "root_cause": c.root_cause,
        "occurrences": c.occurrences,
        "asked": c.asked,
        "rules": list(c.rules),
        "detail": judged.verdict.detail,
    }


def _show(path: Path, judged: Judged) -> None:
    c = judged.candidate
    why = f" ({judged.verdict.reason})" if judged.verdict.action != "keep" else ""
    click.echo(f"{_SHOWN[judged.verdict.action]} {c.kind} {c.scope} {c.confidence:.2f}{why}  {c.claim}")
    if c.rationale:
        click.echo(f"    why: {shorten(c.rationale, 100)}")
    for e in c.evidence:
        click.echo(f"    {path}:{e.entry} {e.role}: {shorten(e.quote, 90)}")
