"""Shows omp at work, for real: a temporary repository, two agents' logs, the daemon, and a commit at the end.

Every command printed after `$` is run as it stands and what it prints is shown. Each step says what it promises; when
one does not keep it, the demonstration says so, leaves its folder for a look, and ends with status 1. Nothing outside
the temporary folder is read or written.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import talks
from logs import ClaudeCode, Codex

PATIENCE = 60.0
"""Seconds after which something that should have happened counts as not happening. Far more than it takes."""
PERSON = {"NAME": "Robin Example", "EMAIL": "robin@example.invalid"}


class Broken(Exception):
    """A step did not show what it promises."""


class Stage:
    """The temporary folder, the surroundings the commands run in, and how they are shown."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "toolshed"
        self.claude, self.codex = folder / "home" / ".claude", folder / "home" / ".codex"
        self.environment = surroundings(folder)

    def run(self, *command: str, status: int = 0, stdin: str = "", only: str = "") -> str:
        """Run a command in the repository and print what it says, lines that start with `only`. Raises Broken."""
        fed = f"echo {shlex.quote(stdin.strip())} | " if stdin else ""
        picked = f" | grep {shlex.quote('^' + only)}" if only else ""
        print(self.tidy(f"\n$ {fed}{shlex.join(command)}{picked}"), flush=True)
        done = subprocess.run(
            command, cwd=self.repo, env=self.environment, input=stdin, capture_output=True, encoding="utf-8"
        )
        told = done.stdout + done.stderr
        print(self.tidy("\n".join(line for line in told.splitlines() if line.startswith(only))), flush=True)
        if done.returncode != status:
            raise Broken(f"{command[0]} ended with status {done.returncode}, not {status}:\n{told}")
        return told

    def ask(self, *command: str) -> str:
        """Run a command without showing it and give what it prints on standard output."""
        done = subprocess.run(command, cwd=self.repo, env=self.environment, capture_output=True, encoding="utf-8")
        return done.stdout

    def tidy(self, text: str) -> str:
        """Shorten the temporary folder's name in what is printed."""
        return text.replace(str(self.folder / "home"), "~").replace(str(self.folder), "...")


class Daemon:
    """`omp watch`, running; what it says is printed as it comes."""

    def __init__(self, stage: Stage) -> None:
        print("\n$ omp watch &", flush=True)
        self.stage = stage
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            ["omp", "watch"],
            cwd=stage.repo,
            env=stage.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            print(f"  watch | {self.stage.tidy(line.rstrip())}", flush=True)

    def wait_for(self, words: str) -> None:
        """Wait until it says these words. Raises Broken when it ends or stays silent."""
        until(lambda: any(words in line for line in self.lines) or self._gone(), f"omp watch never said: {words}")

    def _gone(self) -> bool:
        if self.process.poll() is not None:
            raise Broken(f"omp watch ended by itself with status {self.process.returncode}")
        return False

    def ended(self) -> int:
        """Wait for its end and give its exit status."""
        status = self.process.wait(timeout=PATIENCE)
        self.listener.join(timeout=5)
        return status

    def kill(self) -> None:
        """End it whatever happens; used when the demonstration is broken off."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()


def surroundings(folder: Path) -> dict[str, str]:
    """Give an environment with a home of its own and nothing of this person's git, agents or omp."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("GIT_", "OMP_", "CLAUDE_", "CODEX_", "GEMINI_", "XDG_"))
    }
    home = folder / "home"
    kept |= {
        "HOME": str(home),
        "OMP_DATA_DIR": str(folder / "data"),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CODEX_HOME": str(home / ".codex"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUTF8": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)]),
    }
    for who in ("AUTHOR", "COMMITTER"):
        kept |= {f"GIT_{who}_{key}": value for key, value in PERSON.items()}
    return kept


def until(happened: Callable[[], bool], otherwise: str) -> float:
    """Wait until something happens; give the seconds it took. Raises Broken after `PATIENCE`."""
    began = time.monotonic()
    while not happened():
        if time.monotonic() - began > PATIENCE:
            raise Broken(otherwise)
        time.sleep(0.05)
    return time.monotonic() - began


def must(kept: bool, promise: str) -> None:
    """Raise Broken unless a promise is kept."""
    if not kept:
        raise Broken(f"not so: {promise}")


def heading(text: str) -> None:
    """Print what comes next."""
    print(f"\n\n=== {text}", flush=True)


def holding(text: str, folders: Sequence[Path]) -> list[Path]:
    """Give the files below these folders in which a text stands."""
    files = [p for folder in folders for p in sorted(folder.rglob("*")) if p.is_file()]
    return [p for p in files if text.encode() in p.read_bytes()]


def found_repository(stage: Stage) -> None:
    """A new git repository with one commit, and `omp init`."""
    heading("A repository, and omp set up in it")
    stage.repo.mkdir(parents=True)
    (stage.repo / "README.md").write_text("# Toolshed\n\nLends out ladders.\n", encoding="utf-8")
    for command in (["git", "init", "-q", "-b", "main"], ["git", "add", "."], ["git", "commit", "-q", "-m", "Begin"]):
        subprocess.run(command, cwd=stage.repo, env=stage.environment, check=True)
    stage.run("omp", "init", "--yes")
    must((stage.repo / ".git" / "hooks" / "pre-commit").is_file(), "omp init --yes installs the pre-commit hook")
    subprocess.run(["git", "add", "_omp"], cwd=stage.repo, env=stage.environment, check=True)
    stage.run("git", "commit", "-q", "-m", "Set up omp")


def catch_up(stage: Stage, secret: dict[str, str]) -> tuple[Daemon, list[Path]]:
    """Two conversations that ended this morning; the daemon starts and reads them."""
    heading("Two conversations of this morning: Claude Code in English, Codex in Chinese. The daemon starts")
    now = datetime.now(UTC)
    english = ClaudeCode(stage.claude, stage.repo, now - timedelta(hours=5))
    english.say(talks.english(secret))
    chinese = Codex(stage.codex, stage.repo, now - timedelta(hours=4))
    chinese.say(talks.chinese(secret))
    daemon = Daemon(stage)
    try:
        daemon.wait_for("watching;")
        told = "".join(daemon.lines)
        must("learnt" in told and "masked:" in told, "the daemon says what it learnt and what it masked")
    except BaseException:
        daemon.kill()
        raise
    return daemon, [english.path, chinese.path]


def follow(stage: Stage, daemon: Daemon, secret: dict[str, str]) -> list[Path]:
    """Lines are appended while the daemon watches: what was asked for is found at once, the rest at the end."""
    heading("Lines are appended while it watches: a wish to remember is found at once")
    now = datetime.now(UTC) - timedelta(minutes=2)
    english = ClaudeCode(stage.claude, stage.repo, now)
    english.say(talks.live_english(secret))
    taken = until(
        lambda: "18:00" in stage.ask("omp", "search", "when is a late return counted", "--json"),
        "what was said to be remembered is never found",
    )
    print(f"\nfound {taken:.1f} s after it was written to the log")
    stage.run("omp", "search", "when is a late return counted", "-k", "3")
    heading("A conversation ends (先这样), and what it taught enters the files")
    chinese = Codex(stage.codex, stage.repo, now)
    chinese.say(talks.live_chinese())
    daemon.wait_for("二维码")
    until(
        lambda: "二维码" in (stage.repo / "_omp/memory/decisions.yaml").read_text(encoding="utf-8"),
        "the ended conversation never enters the files",
    )
    return [english.path, chinese.path]


def look(stage: Stage, logs: list[Path], secret: dict[str, str]) -> None:
    """What was learnt, dropped and masked, the files, the theme, and searching in both languages."""
    heading("What was learnt")
    told = stage.run("omp", "list")
    for promise in ("Put each reminder into a queue", "照片放到对象存储", "Postgres", "不许物理删除", "18:00", "欧元"):
        must(promise in told, f"omp list shows {promise}")
    must("in SQLite, because" not in told, "the plan that was changed is not kept")
    heading("What was dropped, and why")
    told = stage.run("omp", "extract", "--all", *map(str, sorted({p.parent for p in logs})), only="-")
    must("replaced later" in told and "not to be remembered" in told, "dropped statements carry their reasons")
    heading("What was masked: values shaped like secrets stood in the logs, none stands anywhere else")
    places = [stage.repo / "_omp", stage.repo / ".git" / "omp", stage.folder / "data"]
    for name, value in secret.items():
        there, kept = holding(value, [stage.claude, stage.codex]), holding(value, places)
        print(f"{name}: in {len(there)} log(s), in {len(kept)} file(s) of omp")
        must(bool(there) and not kept, f"the {name} is masked before anything is kept")
    told = stage.run("omp", "redact", stdin=f"the new one is {secret['github token']}\n")
    must("[REDACTED:" in told, "omp redact masks it")
    heading("The files: plain YAML in the repository, every entry with its evidence")
    stage.run("head", "-27", "_omp/memory/constraints.yaml")
    told = stage.run("omp", "themes", "list")
    must("th-" in told, "memories belong to themes")
    theme = max((line.split() for line in told.splitlines() if line.startswith("th-")), key=lambda row: int(row[1]))
    stage.run("omp", "themes", "show", theme[0])
    heading("Search, in both languages")
    must("Postgres" in stage.run("omp", "search", "which database does the catalogue use", "-k", "3"), "a hit")
    must("照片" in stage.run("omp", "search", "照片放哪里", "-k", "3"), "a hit in Chinese")
    must("error messages" in stage.run("omp", "search", "how should errors be worded", "-k", "1"), "a personal wish")
    entry = next(line.split()[0] for line in stage.ask("omp", "list").splitlines() if "queue" in line)
    must("Go with the second" in stage.run("omp", "why", entry), "omp why shows the approval")
    heading("What was said half-heartedly waits for a person")
    stage.run("omp", "review", "list")


def commit(stage: Stage, secret: dict[str, str]) -> None:
    """The hook lets good files pass and stops a secret that somebody typed into one."""
    heading("A commit, checked by the hook")
    stage.run("omp", "validate")
    stage.run("git", "add", "_omp")
    stage.run("git", "commit", "-m", "Keep what we learnt today")
    must(not stage.ask("git", "status", "--porcelain", "_omp").strip(), "the commit holds all memory files")
    heading("Somebody types a key into a memory file: the hook stops that commit")
    file = stage.repo / "_omp/memory/constraints.yaml"
    good = file.read_text(encoding="utf-8")
    file.write_text(good + f"# the key is {secret['aws key']}\n", encoding="utf-8")
    told = stage.run("git", "commit", "-q", "-a", "-m", "Oops", status=1)
    must(": secret:" in told, "the hook names the secret")
    file.write_text(good, encoding="utf-8")
    subprocess.run(["git", "add", "_omp"], cwd=stage.repo, env=stage.environment, check=True)


def play(stage: Stage) -> None:
    """Show everything, in order."""
    secret = talks.secrets()
    found_repository(stage)
    daemon, logs = catch_up(stage, secret)
    try:
        logs += follow(stage, daemon, secret)
        look(stage, logs, secret)
        commit(stage, secret)
        heading("The end")
        stage.run("omp", "status")
        stage.run("omp", "stop")
        must(daemon.ended() == 0, "omp stop ends the daemon cleanly")
    finally:
        daemon.kill()


def main() -> int:
    """Play in a temporary folder; 0 when every promise was kept."""
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="omp-demonstration-")).resolve()
    try:
        play(Stage(folder))
    except Broken as broken:
        print(f"\nThe demonstration failed: {broken}\nIts folder is left for a look: {folder}", flush=True)
        return 1
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder)
    print(f"\nEverything was shown as promised, in {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
