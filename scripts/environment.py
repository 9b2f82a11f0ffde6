"""Makes the environment that `scripts/*` run in: a folder of its own in this checkout, the project installed in it.

Standard library only, and written so that an old Python can still read it and say what is wrong. Nothing outside the
checkout is touched. A stamp in the folder holds the digest of `pyproject.toml` and the Python version, so that a second
start costs nothing. Talk and progress go to standard error.

`OMP_VENV` names another folder, inside the checkout, than `.venv` (`.ci/run` uses it for a clean one).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
"""The oldest Python the project runs on (`requires-python` in pyproject.toml)."""
STAMP = "omp-environment.json"
_NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")


class Trouble(Exception):
    """What keeps the environment from being made, in one sentence, and what to do about it."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


def prepare(extra: str = "") -> Path:
    """Give the Python of the environment, made and installed where needed. Raises Trouble.

    `extra` names the group of optional dependencies to install besides ("dev" for tests and checks); an environment
    that has it serves those who need less.
    """
    folder = place()
    with _alone():
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        stamp, version = _stamp(folder), _version(python)
        kept = stamp.get("digest") == _digest() and stamp.get("python") == version
        if version and kept and (not extra or extra in stamp["extras"]):
            return python
        if folder.exists() and not _new_enough(version):
            if not stamp:
                raise Trouble(
                    f"{_short(folder)} is there, but it is no Python environment that works",
                    "move it away and run this again",
                )
            shutil.rmtree(folder)
        if not folder.exists():
            _make(folder)
        extras = sorted({*stamp.get("extras", []), *([extra] if extra else [])})
        _install(python, extras)
        stamp = {"digest": _digest(), "python": _version(python), "extras": extras}
        (folder / STAMP).write_text(json.dumps(stamp) + "\n", encoding="utf-8")
        return python


def place() -> Path:
    """Give the folder of the environment. Raises Trouble when `OMP_VENV` lies outside the checkout."""
    folder = (ROOT / os.environ.get("OMP_VENV", ".venv")).resolve()
    if ROOT not in folder.parents:
        raise Trouble("OMP_VENV lies outside this checkout", "name a folder inside it, such as build/venv")
    return folder


def program(python: Path, name: str) -> Path:
    """Give the path of a command installed beside the environment's Python."""
    return python.parent / (name + (".exe" if os.name == "nt" else ""))


def start(script: str, main: Callable[[], int]) -> int:
    """Run the main function of a script: its exit status, or the trouble in one sentence with its mend."""
    try:
        return main()
    except Trouble as trouble:
        say(f"{script}: {trouble.message}\n  to mend it: {trouble.mend}")
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130


def say(message: str) -> None:
    """Talk, on standard error."""
    print(message, file=sys.stderr, flush=True)


def _make(folder: Path) -> None:
    python = _find_python()
    say(f"making {_short(folder)} with Python {_version(python)}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(python), "-m", "venv", str(folder)], capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        told = done.stdout + done.stderr
        if "ensurepip" in told or "No module named venv" in told:
            raise Trouble(
                "this Python lacks its module venv", "install it (on Debian and Ubuntu: apt-get install python3-venv)"
            )
        raise Trouble("python -m venv failed: " + _last(told), "see that the disk has room and the folder is yours")
    (folder / STAMP).write_text('{"extras": []}\n', encoding="utf-8")


def _find_python() -> Path:
    """Give a Python that is new enough: this one, or another on the path. Raises Trouble."""
    if sys.version_info >= OLDEST:
        return Path(sys.executable)
    for name in _NEWER:
        found = shutil.which(name)
        if found and _new_enough(_version(Path(found))):
            return Path(found)
    raise Trouble(
        f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, this is {sys.version_info[0]}.{sys.version_info[1]}",
        "install a newer Python, then run this again with it",
    )


def _install(python: Path, extras: Sequence[str]) -> None:
    group = f"[{','.join(extras)}]" if extras else ""
    say(f"installing the project{group} (once; a minute or two)")
    wanted = f"{ROOT}{group}"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "-e", wanted]
    environment = dict(os.environ, PIP_ROOT_USER_ACTION="ignore")
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(pip, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return
    told = done.stdout + done.stderr
    say(told.strip()[-2000:])
    if any(
        sign in told for sign in ("ConnectionError", "NewConnectionError", "name resolution", "timed out", "SSLError")
    ):
        raise Trouble("the package index cannot be reached", "look at the network or the proxy, then run this again")
    raise Trouble("pip could not install the project: " + _last(told), "mend what the lines above say, run this again")


def _new_enough(version: str) -> bool:
    return bool(version) and tuple(int(part) for part in version.split(".")[:2]) >= OLDEST


def _version(python: Path) -> str:
    """Give the version of a Python, "" where there is none that starts."""
    if not python.exists():
        return ""
    code = "import platform; print(platform.python_version())"
    try:
        done = subprocess.run([str(python), "-I", "-S", "-c", code], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _digest() -> str:
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()[:16]


def _stamp(folder: Path) -> dict[str, Any]:
    try:
        told = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


@contextmanager
def _alone() -> Iterator[None]:
    """Let one start at a time make the environment; a second waits for the first."""
    try:
        import fcntl
    except ImportError:  # Windows: two first starts at the same time are not guarded
        yield
        return
    place = ROOT / "build" / "environment.lock"
    place.parent.mkdir(exist_ok=True)
    with open(place, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
