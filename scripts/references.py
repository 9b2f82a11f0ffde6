"""Compares the pages of `references/` that are made from code with that code; `--write` writes them anew."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from omp.checks.codes import reference as problem_codes

FOLDER = Path(__file__).resolve().parent.parent / "references"


def pages() -> dict[str, str]:
    """Give every page that is made from code, by file name."""
    return {"problems.md": problem_codes()}


def main() -> int:
    """Exit 1 when a page differs from what the code says."""
    told = argparse.ArgumentParser(prog="scripts/references.py", description=__doc__)
    told.add_argument("--write", action="store_true", help="write the pages anew instead of comparing")
    given = told.parse_args()
    stale = []
    for name, text in pages().items():
        path = FOLDER / name
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        if given.write:
            path.write_text(text, "utf-8")
            print(f"wrote references/{name}")
        else:
            stale.append(name)
    for name in stale:
        print(f"references/{name} is out of step with the code (mend: scripts/check --fix)")
    if not stale:
        print(f"{len(pages())} reference page(s) in step")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
