"""The table of sources: one line a format. The first that recognises a file reads it."""

from __future__ import annotations

from omp.sources import (
    aider,
    claude_code,
    claude_like,
    cline,
    codex,
    copilot_cli,
    cursor_transcript,
    exports,
    gemini_cli,
    generic,
    opencode,
    pi,
)
from omp.sources.formats import Source
from omp.sources.others import OTHERS

SOURCES: tuple[Source, ...] = (
    claude_code.SOURCE,
    codex.SOURCE,
    codex.DOCUMENT,
    gemini_cli.SOURCE,
    gemini_cli.DOCUMENT,
    *claude_like.SOURCES,
    copilot_cli.SOURCE,
    cursor_transcript.SOURCE,
    pi.SOURCE,
    cline.SOURCE,
    opencode.SOURCE,
    aider.SOURCE,
    *exports.SOURCES,
    *OTHERS,
    generic.SOURCE,
)
"""Generic comes last: its keys are the plainest."""
