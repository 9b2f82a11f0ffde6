"""Scalars: which text may stand without quotes, and what an unquoted text means.

Files are read by people's editors, by YAML 1.1 libraries (where `no` is false and `12:30` a number) and by YAML 1.2
ones. A string is written plain only when none of them could take it for something else.
"""

from __future__ import annotations

import re

_WORDS = frozenset(
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "undefined"]
)  # resolved by some reader, in whatever case
_PLAIN = re.compile(
    r"[^\W\d_][^\x00-\x1f\x7f-\xa0\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff]*"
)
"""A letter of any script first, then what is printable and visible in every reader and editor."""
_ESCAPED = re.compile(
    r"[\\\"\x00-\x1f\x7f-\xa0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff]"
)
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x85": "\\N"}
_JOINERS = frozenset("\u200c\u200d")
"""Zero-width (non-)joiners shape emoji and scripts: they stand as they are."""

INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_NUMBER_LIMIT = 400
"""Characters: anything longer is text (and reading digits costs the square of their number)."""
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def is_plain(text: str, flow: bool = False) -> bool:
    """Tell whether `text` may be written without quotes in block (or `flow`) context."""
    return (
        _PLAIN.fullmatch(text) is not None
        and text.casefold() not in _WORDS
        and ": " not in text
        and " #" not in text
        and text[-1] not in ": "
        and not (flow and any(c in ",[]{}:?" for c in text))
    )


def quote(text: str, flow: bool = False) -> str:
    """Write a string as a scalar that every YAML 1.1 or 1.2 reader gives back as the same string."""
    if is_plain(text, flow):
        return text
    if any(c not in _JOINERS and c not in '"\\' for c in _ESCAPED.findall(text)):
        return '"' + _ESCAPED.sub(_escape, text) + '"'
    return "'" + text.replace("'", "''") + "'"


def _escape(found: re.Match[str]) -> str:
    c = found[0]
    if c in _JOINERS:
        return c
    if c in _SHORT:
        return _SHORT[c]
    # A lone surrogate has no UTF-8 form and no YAML escape that readers agree on: the replacement character says so.
    if "\ud800" <= c <= "\udfff":
        return "\ufffd"
    return f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"


def resolve(text: str) -> bool | int | float | str | None:
    """Give the value of an unquoted scalar by the YAML 1.2 core schema."""
    if text in NULLS:
        return None
    if text in BOOLS:
        return BOOLS[text]
    if len(text) > _NUMBER_LIMIT:
        return text
    if INT.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if FLOAT.fullmatch(text):
        folded = text.lower()
        if folded.endswith("inf"):
            return float("-inf" if folded[0] == "-" else "inf")
        return float("nan") if folded == ".nan" else float(text)
    return text


_UNESCAPE = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODE = {"x": 2, "u": 4, "U": 8}


def unescape(body: str) -> str | None:
    """Undo the escapes of a double-quoted scalar (line folds already undone); None for an unknown escape."""
    if "\\" not in body:
        return body
    out, i = [], 0
    while i < len(body):
        c = body[i]
        if c != "\\":
            out.append(c)
            i += 1
            continue
        e = body[i + 1 : i + 2]
        if e in _CODE:
            digits = body[i + 2 : i + 2 + _CODE[e]]
            try:
                out.append(chr(int(digits, 16)))
            except (ValueError, OverflowError):
                return None
            if len(digits) != _CODE[e]:
                return None
            i += 2 + _CODE[e]
        elif e and e in _UNESCAPE:
            out.append(_UNESCAPE[e])
            i += 2
        else:
            return None
    return "".join(out)
