"""Themes: memories that belong together, found by meaning and kept in step as memories come and go.

    index = rebuild(entries, vectors, calibration, model="usem3")
    index = sync(index, entries, vectors, calibration, model="usem3").index

Pure functions: the store keeps the index, the caller supplies vectors and the model's calibration.
"""

from __future__ import annotations

from omp.themes.keeping import Synced, attach, centres, check, member_of, rebuild, sync
from omp.themes.rules import MARGIN, Member, Rules, Scale, in_force

__all__ = [
    "MARGIN",
    "Member",
    "Rules",
    "Scale",
    "Synced",
    "attach",
    "centres",
    "check",
    "in_force",
    "member_of",
    "rebuild",
    "sync",
]
