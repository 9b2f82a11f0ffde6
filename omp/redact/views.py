"""Other ways to look at a text, each with a map from its characters back to the original ones.

A view is made only where its trigger stands in the text, so plain text costs nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from omp.redact.runs import Sight


class View(NamedTuple):
    """A text and where its characters came from.

    The text is a row of pieces, each either copied or written anew for a range of original characters. `pieces` holds
    (start in this text, start of the original range, its end, copied), None when nothing was changed.
    """

    text: str
    pieces: list[tuple[int, int, int, bool]] | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Map a non-empty range of this view to the original characters it covers."""
        if self.pieces is None:
            return start, end
        first = self.pieces[bisect_right(self.pieces, start, key=_new_start) - 1]
        last = self.pieces[bisect_right(self.pieces, end - 1, key=_new_start) - 1]
        low = first[1] + start - first[0] if first[3] else first[1]
        high = last[1] + end - last[0] if last[3] else last[2]
        return low, high


def _new_start(piece: tuple[int, int, int, bool]) -> int:
    return piece[0]


_KEPT = frozenset("，。；！？：（）、")
"""Full-width punctuation that separates Chinese clauses: folding it would glue a value to what follows."""


def _fold_table() -> dict[int, str]:
    table: dict[int, str] = {}
    for code in range(0xFF01, 0xFF5F):
        if chr(code) not in _KEPT:
            table[code] = chr(code - 0xFEE0)
    for code in (*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63, 0x2043, 0x02D7, 0x30A0):
        table[code] = "-"
    for code in (0x3000, 0x00A0, 0x202F, 0x205F, *range(0x2000, 0x200B)):
        table[code] = " "
    for code in (*range(0x1D400, 0x1D800), *range(0x2460, 0x2500), *range(0x2070, 0x209D)):
        folded = unicodedata.normalize("NFKC", chr(code))
        if len(folded) == 1 and folded.isascii():
            table[code] = folded
    table |= {ord(a): b for a, b in zip("аеорсухАВЕКМНОРСТХіѕјԁԛԝ", "aeopcyxABEKMHOPCTXisjdqw", strict=True)}
    table |= {ord(a): b for a, b in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True)}
    for digit in (*range(0x0660, 0x066A), *range(0x06F0, 0x06FA), *range(0x0966, 0x0970)):
        table[digit] = str(unicodedata.digit(chr(digit)))
    return table


_FOLD = _fold_table()
_FOLDABLE = frozenset(map(chr, _FOLD))
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)


def plain(text: str) -> View:
    """Fold full-width, mathematical and look-alike characters, drop invisible ones."""
    if text.isascii():
        return View(text)
    if not _FOLDABLE.isdisjoint(text):
        text = text.translate(_FOLD)
    if _UNSEEN.search(text):
        return _edit(text, _UNSEEN, lambda m: "")
    return View(text)


def _edit(text: str, form: re.Pattern[str], to: Callable[[re.Match[str]], str]) -> View:
    """Replace matches, each character of the new text mapped to the whole match it came from."""
    out: list[str] = []
    pieces: list[tuple[int, int, int, bool]] = []
    at = new = 0
    for m in form.finditer(text):
        start, end = m.span()
        if start > at:
            pieces.append((new, at, start, True))
            out.append(text[at:start])
            new += start - at
        put = to(m)
        if put:
            pieces.append((new, start, end, False))
            out.append(put)
            new += len(put)
        at = end
    if at < len(text):
        pieces.append((new, at, len(text), True))
        out.append(text[at:])
    return View("".join(out), pieces)


_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt\"'/\\])|&#(?:x[0-9a-fA-F]{2,4}|\d{2,5});|&(?:amp|quot|lt|gt);"
)
_ENTITIES = {"&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">"}
_JOIN = re.compile(
    r"\\(?<=[A-Za-z0-9_=+/-]\\)\r?\n[ \t]*"
    r"|[\"'](?<=[A-Za-z0-9_=+/-][\"'])\s{0,8}(?:\+|\.\.?|&|<>|\|\|)?\s{0,8}\\?(?:\r?\n)?\s{0,40}[\"'](?=[A-Za-z0-9_+/=-])"
    r"|(?:\*\*|`)(?:(?<=[A-Za-z0-9_-]`)|(?<=[A-Za-z0-9_-]\*\*))(?=[A-Za-z0-9_-])"
    r"|</?(?:b|i|em|strong|wbr|span|code|br) ?/?>(?=[A-Za-z0-9_-])"
)
_WRAP = re.compile(
    r"(?:(?<=[A-Za-z0-9_+/=-]{12})(?:\r?\n|[ \t]{1,4}\r?\n))[ \t>|#*]*(?=[A-Za-z0-9_+/=-]{4,}[ \t]*(?:\r?\n|$))"
)


def percent(text: str) -> View | None:
    """Percent-decoded, None when nothing is encoded."""
    if "%" not in text or _PERCENT.search(text) is None:
        return None
    return _edit(text, re.compile(r"%[0-9A-Fa-f]{2}"), lambda m: chr(int(m.group()[1:], 16)))


def unescaped(text: str) -> View | None:
    """JSON and HTML escapes decoded, None when there are none."""
    if ("\\" not in text and "&" not in text) or _ESCAPE.search(text) is None:
        return None
    return _edit(text, _ESCAPE, _unescape)


def _unescape(m: re.Match[str]) -> str:
    escape = m.group()
    if escape in _ENTITIES:
        return _ENTITIES[escape]
    if escape.startswith("&#"):
        number = escape[2:-1]
        code = int(number[1:], 16) if number[:1] in "xX" else int(number)
        return chr(code) if 0 < code < 0x110000 else " "
    if escape[1] in "ux":
        return chr(int(escape[2:], 16))
    return {"n": "\n", "r": "\r", "t": "\t"}.get(escape[1], escape[1])


def joined(text: str) -> View | None:
    """Continued lines, string concatenations and markdown emphasis joined, None when there is nothing to join."""
    if _JOIN.search(text) is None:
        return None
    return _edit(text, _JOIN, lambda m: "")


def unwrapped(seen: Sight) -> View | None:
    """Lines joined where the next one is a single run of token characters, None when there is no such place."""
    if not any(seen.text[end : end + 1] in ("\n", "\r", " ") for _, end in seen.runs):
        return None
    if _WRAP.search(seen.text) is None:
        return None
    return _edit(seen.text, _WRAP, lambda m: "")


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/]{20,}={0,2}|[A-Za-z0-9_-]{20,}={0,2})(?![A-Za-z0-9+/=_-])")
_HEXED = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9a-fA-F]{2}){12,})(?![0-9A-Za-z])")
_HEX_ESCAPED = re.compile(r"(?:\\x[0-9a-fA-F]{2}){10,}")
_LONGEST_BLOB = 65_536
"""Characters of a blob that are decoded; a longer one is judged by its beginning and masked whole."""


def blobs(seen: Sight) -> list[tuple[int, int, str]]:
    """Give (start, end, decoded) for each base64 or hexadecimal run whose bytes are readable text."""
    out: list[tuple[int, int, str]] = []
    for start, end in seen.runs:
        if end - start < 20:
            continue
        piece = seen.text[start:end]
        for m in _BASE64.finditer(piece):
            decoded = _readable(_from_base64(m.group()[:_LONGEST_BLOB]))
            if decoded:
                out.append((start + m.start(), start + m.end(), decoded))
        for m in _HEXED.finditer(piece):
            decoded = _readable(bytes.fromhex(m.group(1)[:_LONGEST_BLOB]))
            if decoded:
                out.append((start + m.start(), start + m.end(), decoded))
    if "\\x" in seen.text:
        for m in _HEX_ESCAPED.finditer(seen.text):
            decoded = _readable(bytes.fromhex(m.group().replace("\\x", "")[:_LONGEST_BLOB]))
            if decoded:
                out.append((m.start(), m.end(), decoded))
    return out


def _from_base64(value: str) -> bytes:
    value = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(value[: len(value) - (len(value) % 4 == 1)] + "=" * (-len(value) % 4))
    except (binascii.Error, ValueError):
        return b""


def _readable(raw: bytes) -> str:
    """Give the text if the bytes are UTF-8 without control characters, else ""."""
    if len(raw) < 8:
        return ""
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return decoded if sum((c < " " and c not in "\t\r\n") or c == "\x7f" for c in decoded) == 0 else ""
