"""`python -m omp`, and the console scripts."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    status = _quick(sys.argv[1:])
    if status is None:
        from omp.cli import run

        status = run()
    sys.exit(status)


def _quick(arguments: list[str]) -> int | None:
    """Answer a plain `omp validate` without loading the command line: a commit hook pays for every import.

    Whatever it cannot answer, and every failure, is left to the command line, which reports it.
    """
    if arguments[:1] != ["validate"]:
        return None
    from omp.commands._validate import quick

    try:
        return quick(arguments[1:])
    except Exception:  # noqa: BLE001 - the command line meets it again and reports it
        return None


if __name__ == "__main__":
    main()
