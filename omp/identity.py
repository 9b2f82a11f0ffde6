"""Who is who: keys, ids and digests, all from normalised, masked text.

The normaliser is numbered; a change to it is a migration, because ids are given at birth and never recomputed.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata

NORMALISER = 1
"""Version of `normalise`; stands in `version:` of what depends on it."""

KEY_LENGTH = 10
"""Characters of base32 in a key: 50 bits, under one collision in a million at 40,000 entries."""

_MARK = re.compile(r"\[redacted:([a-z0-9_-]+)(?::\d+)?\]")
_CLOSING = " \t\n.,;:!?…。，；：！？、．"
_ID = re.compile(r"[a-z]+-[a-z2-7]{10}")


def normalise(text: str) -> str:
    """Fold what does not change a claim: NFKC, case, mark numbers, white space, closing punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = _MARK.sub(r"[redacted:\1]", folded)
    return " ".join(folded.split()).rstrip(_CLOSING)


def _base32(data: bytes) -> str:
    return base64.b32encode(hashlib.sha256(data).digest()).decode("ascii").lower()[:KEY_LENGTH]


def key(kind: str, scope: str, claim: str) -> str:
    """Give the 10-character key of a candidate; equal for claims that differ only in what `normalise` folds."""
    return _base32("\x1f".join((kind, scope, normalise(claim))).encode())


def fact_key(pointer: str) -> str:
    """Give the 10 characters of a fact's id: a fact is its JSON pointer."""
    return _base32(pointer.encode())


def quote_digest(quote: str) -> str:
    """Give the first 16 hex of sha256 of a masked quote."""
    return hashlib.sha256(quote.encode()).hexdigest()[:16]


def place(agent: str, session: str, entry: str, kind: str) -> str:
    """Give the 16 hex that name where a candidate of `kind` came from; used to refuse a place, not a wording."""
    return hashlib.sha256("\x1f".join((agent, session, entry, kind)).encode()).hexdigest()[:16]


def is_id(text: str) -> bool:
    """Tell whether `text` has the form of an id and may be used as a file name."""
    return _ID.fullmatch(text) is not None
