"""The gate before the engine: could any of its rules match? Loading the rules costs half a second, this microseconds.

Every rule needs a long unbroken run of its value's characters or one of a few literals; tests prove it over the
engine's own rules.
"""

from __future__ import annotations

import re

_SHAPE = re.compile(r"[A-Za-z0-9+/=_.~-]{16,}|[A-Za-z0-9]{10,}")


def may_match(text: str) -> bool:
    """Tell whether the engine could find anything in `text`."""
    return _SHAPE.search(text) is not None
