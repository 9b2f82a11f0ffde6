"""The gate before the engine: could any of its rules match? Loading the rules costs half a second, this microseconds.

Every rule needs a long unbroken run of its value's characters or one of a few literals; tests prove it over the
engine's own rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omp.redact.runs import Sight

LITERALS = (
    "airtable", "cloudinary", "dropbox", "flyv1", "secret_key", "refresh_token", "zxlk", "mongodb", "<add key", "private key",
    "xapp-", "xox", "bitbucket.org",
)  # fmt: skip
"""What the rules without a long run need: each of them wants one of these, whatever the case."""


def may_match(seen: Sight) -> bool:
    """Tell whether the engine could find anything; needs no rule to be loaded."""
    return bool(seen.runs) or any(literal in seen.low for literal in LITERALS)


def is_likely(seen: Sight) -> bool:
    return True
