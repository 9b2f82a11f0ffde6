"""Finds templates, references and rule files, in a wheel or in a checkout.

In a wheel `templates/` and `references/` lie inside the package; an editable install does not see that mapping, so
this module alone looks in the package first, then beside it.
"""

from __future__ import annotations

from pathlib import Path

from omp.errors import OmpError

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Give the folder `templates`, `references` or `rules`. Raises OmpError when the installation lacks it."""
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise OmpError(f"this installation lacks its folder {name}", "reinstall the package omp-memory")


def read(name: str) -> bytes:
    """Read one resource file, named like `templates/config.yaml`. Raises OmpError when it is missing."""
    top, _, rest = name.partition("/")
    try:
        return (folder(top) / rest).read_bytes()
    except OSError as error:
        raise OmpError(f"this installation lacks its file {name}", "reinstall the package omp-memory") from error
