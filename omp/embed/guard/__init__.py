"""The guard: why two texts that look alike do not say the same.

An embedding hardly sees `not`, a changed number or swapped roles: contradictions score higher than paraphrases. So
whatever similarity says, texts for which `guard` gives a reason are never one statement. All words are data
(`words.yaml`); the checks are in `differences.py`.
"""

from __future__ import annotations

from omp.embed.guard.differences import differences
from omp.embed.guard.reading import Reading, Token, read

__all__ = ["Reading", "Token", "differences", "guard", "read"]


def guard(a: str, b: str) -> tuple[str, ...]:
    """Give the reasons why two texts differ in what they state, like `number: 15 / 30` or `negation: force`.

    Empty when nothing was found, which does not mean that they agree. The result is the same for (b, a), with the
    sides of each reason exchanged.
    """
    return tuple(d.reason for d in differences(read(a), read(b)) if d.hard)
