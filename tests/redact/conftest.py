"""One redactor for all tests of masking: its engine compiles its rules once, into a folder that stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from omp.redact import Redactor


@pytest.fixture(scope="session")
def redactor(tmp_path_factory: pytest.TempPathFactory) -> Redactor:
    """A redactor with the real engine."""
    folder: Path = tmp_path_factory.mktemp("engine")
    folder.chmod(0o700)
    return Redactor(cache_dir=folder)
