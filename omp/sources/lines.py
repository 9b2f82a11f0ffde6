"""From bytes to records: JSON lines read so that one bad line never costs the rest.

Bytes are split at 0x0A alone (U+2028 and its like stand inside JSON strings). What a crash or a second writer does to a
file is expected: torn tails, runs of NUL, two records on one line, half a character, lines of many megabytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from omp.model import Struct

CHUNK = 1 << 20
"""Bytes read at a time."""
LINE_LIMIT = 64 << 20
"""Design, section 13: a line over 64 MB is skipped with a notice."""
LARGE = 1 << 20
"""From this length on, runs of base64 are dropped before decoding, so that memory stays flat."""
GLUE_TRIES = 64
"""Places tried as the beginning of a second record in a broken line: a bound against quadratic work."""
OVERSIZED = "(line over 64 MB)"
"""Name under which skipped giant lines are counted."""

_BASE64 = re.compile(rb"([A-Za-z0-9+/=]{16})[A-Za-z0-9+/=]{1008,}")
"""A payload; its first 16 characters stay, so that an escape such as \\u4e2d in front of it is never cut."""
_OPENING = re.compile(rb'\{\s*"')
_BOM = b"\xef\xbb\xbf"
_decode = msgspec.json.Decoder().decode


class Line(Struct, frozen=True, kw_only=True):
    """One physical line: 1-based number, its bytes without the line end, whether a line end followed.

    `length` is the number of bytes in the file; `data` is None when the line was longer than `LINE_LIMIT`.
    """

    number: int
    data: bytes | None
    length: int
    ended: bool


class Decoded(Struct, frozen=True, kw_only=True):
    """What a line held: its records (none, one, or more where writes were glued) and whether it was broken."""

    records: tuple[dict[str, Any], ...] = ()
    broken: bool = False


def split(stream: BinaryIO, number: int = 1) -> Iterator[Line]:
    """Yield the lines of `stream` from its present position on, the first one numbered `number`."""
    parts: list[bytes] = []
    length = 0
    while chunk := stream.read(CHUNK):
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            piece = chunk[begin:end]
            length += len(piece) + 1
            if parts:
                parts.append(_slim(piece))
                piece = b"".join(parts)
                parts.clear()
            yield Line(number=number, data=piece if length <= LINE_LIMIT + 1 else None, length=length, ended=True)
            number += 1
            length = 0
            begin = end + 1
        rest = chunk[begin:]
        length += len(rest)
        if length > LINE_LIMIT:
            parts.clear()
        elif rest:
            if length - len(rest) <= LARGE < length:
                parts[:] = [_slim(part) for part in parts]
            parts.append(_slim(rest) if length > LARGE else rest)
    if length:
        data = b"".join(parts) if length <= LINE_LIMIT else None
        yield Line(number=number, data=data, length=length, ended=False)


def _slim(data: bytes) -> bytes:
    return _BASE64.sub(rb"\1", data) if len(data) > 1024 else data


def decode(line: Line) -> Decoded:
    """Read the records of a line. A line without any JSON object is broken; an empty one is nothing."""
    data = line.data
    if data is None:
        return Decoded(broken=True)
    if line.number == 1 and data.startswith(_BOM):
        data = data[len(_BOM) :]
    if data.endswith(b"\r"):
        data = data[:-1]
    whole = data.strip(b"\0 \t")
    if not whole:
        return Decoded(broken=bool(data.strip(b" \t")))
    value = parse(whole)
    if isinstance(value, dict):
        return Decoded(records=(value,), broken=b"\0" in (data[:1], data[-1:]))
    if value is not None:
        return Decoded(broken=True)
    return Decoded(records=_glued(whole), broken=True)


def parse(data: bytes) -> Any:
    """Decode one JSON value; None when it is none. Half a surrogate pair or half a character becomes U+FFFD."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _mend(json.loads(data.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def _mend(value: Any) -> Any:
    """Replace what cannot be written as UTF-8 again, everywhere in a value."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    return value


def _glued(data: bytes) -> tuple[dict[str, Any], ...]:
    """Give the complete record at the end of a broken line, and one that stands whole before it.

    A raw `{"` cannot stand inside a JSON string, so what decodes up to the very end of the line is a record
    that somebody wrote there, never a piece of the broken one (its closing brackets would be left over).
    """
    found: list[dict[str, Any]] = []
    places = [m.start() for m in _OPENING.finditer(data)]
    for place in places[1 : GLUE_TRIES + 1]:
        value = parse(data[place:])
        if isinstance(value, dict) and ("type" in value or "role" in value):
            before = parse(data[:place].strip(b"\0 \t\r"))
            if isinstance(before, dict):
                found.append(before)
            found.append(value)
            break
    return tuple(found)
