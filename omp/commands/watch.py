"""`omp watch`: read conversation logs, once or for as long as it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from omp import daemon_state, times
from omp.commands._homes import agent_homes
from omp.commands._options import repo_option, say, shorten
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import OmpError, UsageError
from omp.pipeline import PERSONAL_SCOPES, Written

if TYPE_CHECKING:
    from omp.model import RawSession
    from omp.sources import AgentHomes

START_SECONDS = 20.0
"""How long `--background` waits for its daemon to hold the lock."""


@click.command()
@repo_option
@click.option("--once", is_flag=True, help="Read what is there, write it, and end.")
@click.option("--log", "logs", multiple=True, type=click.Path(path_type=Path), help="Read this file or folder, whole.")
@click.option("--since", default="30d", show_default=True, help="How old logs may be: 30d, 12h, all.")
@click.option("--background", is_flag=True, help="Start the daemon without a terminal.")
@click.option("--detached", is_flag=True, hidden=True)
def command(
    repo_dir: Path | None, once: bool, logs: tuple[Path, ...], since: str, background: bool, detached: bool
) -> int:
    """Read the conversations of this repository and keep what will still matter in 30 days.

    Without --once it goes on watching until Ctrl-C or `omp stop`. With --log everything named is read whole and belongs
    to this repository.
    """
    workspace = open_workspace(repo_dir)
    workspace.need_trust()
    for problem in workspace.config.problems:
        say(f"{problem.path}: {problem.message}")
    try:
        age = times.duration(since)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if logs and not once:
        raise UsageError("--log goes with --once", "omp watch --once --log FILE")
    if background:
        return _background(workspace)
    if once:
        return _once(workspace, logs, age)
    return _follow(workspace, age, detached)


def _once(workspace: Workspace, logs: tuple[Path, ...], age: timedelta | None) -> int:
    from omp import git, watch

    if why := git.busy(workspace.repo):
        raise OmpError(f"a {why} is open here, so nothing is written", f"finish the {why}, then run omp watch again")
    mind, homes = workspace.mind, agent_homes(os.environ)
    if logs:
        files = named_logs(logs)
        written = watch.read_once(mind, files, zone=workspace.config.zone, say=workspace.say, choose=lambda raw: raw)
    else:
        first = not workspace.project.cursors()
        written = catch_up(workspace, age, first, homes)
    report(written)
    return 0


def catch_up(
    workspace: Workspace, age: timedelta | None, first: bool, homes: AgentHomes, open_since: float = float("inf")
) -> Written:
    """Read the logs of this repository found on this machine, newest first; the first time all of `age` at once.

    Logs that grew after `open_since` (Unix seconds) are left to the daemon: their conversations go on.
    """
    from omp import git, sources, watch

    root = workspace.repo.root
    oldest = time.time() - age.total_seconds() if age is not None else 0.0
    found = [p for p in sources.discover(homes, [root]) if oldest <= p.stat().st_mtime <= open_since]
    ignored = watch.Ignored(
        **{n: getattr(workspace.config.settings.ignore, n) for n in ("agents", "paths", "sessions")}
    )
    trees = git.work_trees(workspace.repo)

    held: set[str] = set()

    def choose(raw: RawSession) -> RawSession | None:
        mine = watch.within(raw, root, trees)
        if mine is None or ignored.session(mine):
            return None
        if branch := watch.other_branch(workspace.repo, mine):
            held.add(raw.path)
            workspace.say(f"{raw.path}: waits for branch {branch}")
            return None
        return mine

    logs = sorted((p for p in found if not ignored.log(p)), key=lambda p: -p.stat().st_mtime)
    say(
        f"{len(logs)} log(s) of this repository found"
        + ("" if logs else " (--log names others, --since all older ones)")
    )
    return watch.read_once(
        workspace.mind,
        logs,
        zone=workspace.config.zone,
        say=workspace.say,
        choose=choose,
        held=held,
        first_reading=first,
        reread=False,
    )


def named_logs(logs: tuple[Path, ...]) -> list[Path]:
    """Give the files named by `--log`: folders stand for every file below them, sorted. Raises UsageError."""
    files: list[Path] = []
    for path in logs:
        if path.is_dir():
            files += [p for p in sorted(path.absolute().rglob("*")) if p.is_file()]
        elif path.exists():
            files.append(path.absolute())
        else:
            raise UsageError(f"there is no log {path}")
    return list(dict.fromkeys(files))


def report(written: Written) -> None:
    """Print what was learnt, what waits, what was dropped and why, and what was masked."""
    told = written.report
    for item in told.kept:
        if item.verdict.effect != "evidence":
            mine = " (yours, not in the repository)" if item.candidate.scope in PERSONAL_SCOPES else ""
            click.echo(f"learnt   {item.candidate.kind:18} {shorten(item.candidate.claim, 100)}{mine}")
    for item in told.staged:
        click.echo(f"waiting  {item.candidate.kind:18} {shorten(item.candidate.claim, 100)}")
    reasons = Counter(i.verdict.reason for i in told.dropped)
    known = sum(1 for i in told.kept if i.verdict.effect == "evidence")
    say(f"{told.sessions} conversation(s), {told.events} entries read")
    say(
        f"{len(told.kept) - known} learnt, {known} known already, {len(told.staged)} waiting in the inbox"
        + (" (omp review)" if told.staged else "")
    )
    if reasons:
        say("dropped: " + ", ".join(f"{n} {r}" for r, n in sorted(reasons.items())))
    if told.masked:
        say("masked: " + ", ".join(f"{n} {t}" for t, n in told.masked.items()))
    if written.files:
        say("changed: " + ", ".join(sorted(set(written.files))))


def _follow(workspace: Workspace, age: timedelta | None, detached: bool) -> int:
    from omp import watch

    settings = workspace.config.settings.ignore
    homes = agent_homes(os.environ)
    with daemon_state.hold(workspace.repo.local, workspace.clock()):
        if not workspace.project.cursors():
            say("first reading; this may take a moment")
            idle = workspace.config.shared.idle_minutes * 60.0
            report(catch_up(workspace, age, True, homes, open_since=time.time() - idle))
        daemon = watch.Daemon(
            workspace.mind,
            workspace.repo,
            homes,
            zone=workspace.config.zone,
            say=workspace.say,
            ignored=watch.Ignored(agents=settings.agents, paths=settings.paths, sessions=settings.sessions),
            idle_seconds=workspace.config.shared.idle_minutes * 60.0,
            ends_when_idle=detached,
        )
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: daemon.stop())
        daemon.run()
    say("stopped")
    return 0


def _background(workspace: Workspace) -> int:
    if daemon_state.running(workspace.repo.local) is not None:
        raise OmpError("a daemon of this repository runs already", "omp status shows it, omp stop ends it")
    log = workspace.repo.local / "daemon.log"
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    daemon_state.rotate(log)
    command = [sys.executable, "-m", "omp", "watch", "--detached", "--repo", workspace.repo.work_tree]
    with log.open("ab") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        state = daemon_state.running(workspace.repo.local)
        if state is not None and state.pid == child.pid:
            click.echo(f"watching in the background, process {child.pid}; its log is {log}")
            return 0
        if child.poll() is not None:
            break
        time.sleep(0.05)
    raise OmpError("the daemon did not start", f"look into {log}")
