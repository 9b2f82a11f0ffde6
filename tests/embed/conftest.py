"""One model for all tests of meaning: loading it takes a while the first time."""

from __future__ import annotations

from pathlib import Path

import pytest

from omp.embed.usem3 import Usem3


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for the model's prepared form."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def model(model_cache: Path) -> Usem3:
    """The default embedder."""
    return Usem3(model_cache)
