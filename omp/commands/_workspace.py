"""What a verb works in: the repository, its configuration, both stores, and the heavy parts, made when first used."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from omp import config as settings
from omp import git, times
from omp.commands._options import say
from omp.errors import NotInitialised, NotTrusted, OmpError
from omp.git import Repo

if TYPE_CHECKING:
    from collections.abc import Callable

    from omp.config import Config
    from omp.embed import Embedder
    from omp.model import Finding
    from omp.pipeline import Limits, Mind
    from omp.redact import Redactor
    from omp.rules import Rules
    from omp.store import MemoryDir


def clock(fixed: str) -> Callable[[], str]:
    """Give the clock of a command: the system's, or one that stands at `OMP_NOW`. Raises OmpError for a bad time."""
    if not fixed:
        return lambda: times.utc(datetime.now(UTC))
    moment = times.utc(fixed)
    if not moment:
        raise OmpError(f"OMP_NOW is no time: {fixed!r}", "write it like 2026-03-02T10:00:00Z")
    return lambda: moment


class Workspace:
    """One repository as a verb sees it. Nothing is opened before it is asked for."""

    def __init__(self, repo: Repo | None, config: Config) -> None:
        self.repo_or_none = repo
        self.config = config
        self.clock = clock(config.clock)

    @property
    def repo(self) -> Repo:
        """The repository. Raises NotInitialised where there is none."""
        if self.repo_or_none is None:
            raise NotInitialised("this folder is not in a git repository", "run git init, then omp init")
        return self.repo_or_none

    @property
    def initialised(self) -> bool:
        """Whether `_omp/memory` stands in the work tree."""
        return self.repo_or_none is not None and bool(self.repo.work_tree) and self.repo.memory.is_dir()

    def need_init(self) -> None:
        """Raise NotInitialised unless `omp init` was run here."""
        if not self.initialised:
            raise NotInitialised(
                f"there is no _omp/memory in {self.repo.work_tree or self.repo.common_dir}", "omp init"
            )

    def need_trust(self) -> None:
        """Raise NotTrusted unless this user ran `omp init` or `omp trust` here."""
        self.need_init()
        if not self.config.trusted:
            raise NotTrusted(
                f"{self.repo.work_tree} holds _omp/, but you have not said that omp may read logs and write here",
                "look at its _omp/ folder, then run omp trust",
            )

    @cached_property
    def redactor(self) -> Redactor:
        """The masking stage; its engine loads when a text needs it."""
        from omp.redact import Redactor

        return Redactor(cache_dir=Path(self.config.cache_dir))

    def _gate(self, data: bytes) -> list[Finding]:
        """Scan final bytes; reading verbs never come here, so they do not load the masking stage."""
        return self.redactor.gate(data)

    def say(self, message: str) -> None:
        """Talk on standard error, masked: names of logs, and of what is in them, are foreign text."""
        say(self.redactor.mask(message).text)

    @cached_property
    def project(self) -> MemoryDir:
        """The project's store."""
        from omp.store import MemoryDir

        return MemoryDir(
            self.repo.memory,
            self.repo.local,
            self._gate,
            clock=self.clock,
            work_tree=self.repo.work_tree,
            branch=git.branch(self.repo),
        )

    @cached_property
    def user(self) -> MemoryDir:
        """The person's own store, shared by all projects; never inside a repository."""
        from omp.store import MemoryDir

        base = Path(self.config.data_dir)
        return MemoryDir(base / "memory", base / "local", self._gate, clock=self.clock)

    @cached_property
    def rules(self) -> Rules:
        """The extraction rules."""
        from omp.rules import load_rules

        return load_rules()

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder the user chose."""
        from omp.embed import embedder

        return embedder(self.config.settings.embedder, cache_dir=Path(self.config.cache_dir))

    @cached_property
    def limits(self) -> Limits:
        """Thresholds and bounds in force."""
        from omp.pipeline import Limits

        t = self.config.shared.thresholds
        return Limits(
            keep=t.keep,
            stage=t.stage,
            merge=t.merge,
            same=t.same,
            per_session=self.config.shared.max_per_session,
            quotes=self.config.shared.quotes == "shared",
            home=self.config.home,
            work_tree=self.repo.work_tree if self.repo_or_none else "",
        )

    @property
    def vectors(self) -> Path:
        """Where the project's vectors are kept: below `_omp/`, unless a link there would lead out of the work tree."""
        state = self.repo.root / "_omp" / ".state" if self.initialised else None
        if state is None or not self.config.trusted or state.is_symlink() or state.parent.is_symlink():
            return Path(self.config.cache_dir)
        return state

    @cached_property
    def mind(self) -> Mind:
        """The pipeline bound to this workspace's stores and models."""
        from omp.pipeline import Mind

        return Mind(
            project=self.project,
            user=self.user,
            rules=self.rules,
            redactor=self.redactor,
            embedder=lambda: self.embedder,
            vectors=self.vectors,
            personal_vectors=Path(self.config.cache_dir),
            limits=self.limits,
        )


def open_workspace(repo_dir: Path | None, need_repo: bool = True) -> Workspace:
    """Find the repository around `repo_dir` (or the current folder) and read its configuration.

    Raises UsageError when there is none and one is needed.
    """
    place = Path.cwd() if repo_dir is None else repo_dir
    try:
        repo = git.find(place)
    except OmpError:
        if need_repo or repo_dir is not None:
            raise
        repo = None
    folder = Path(repo.work_tree) / "_omp" if repo and repo.work_tree else None
    config = settings.read(os.environ, folder, repo.common_dir if repo else "")
    return Workspace(repo, config)
