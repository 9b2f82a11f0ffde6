"""The table of sources: one line a format. The first that recognises a file reads it."""

from __future__ import annotations

from omp.sources import claude_code, codex, gemini_cli, generic
from omp.sources.formats import Source
from omp.sources.others import OTHERS

SOURCES: tuple[Source, ...] = (
    claude_code.SOURCE,
    codex.SOURCE,
    codex.DOCUMENT,
    gemini_cli.SOURCE,
    gemini_cli.DOCUMENT,
    *OTHERS,
    generic.SOURCE,
)
"""Generic comes last: its keys are the plainest."""
