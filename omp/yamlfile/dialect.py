"""The dialect's limits, and a quick look at whether a file needs the pre-scan (`prescan.py`) at all."""

from __future__ import annotations

import re

SIZE_LIMIT = 32 * 1024 * 1024
"""Bytes: about 80,000 entries; beyond that a file is no longer something people read or git merges well."""
DEPTH_LIMIT = 16
REPORT_LIMIT = 200
"""Problems after which a file need not be looked at further: it is no memory file."""

_C1 = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")
_CONTROL_BYTES = bytes(i for i in range(32) if i not in (9, 10, 13)) + b"\x7f"
_MARKERS = (b"<<<<<<< ", b">>>>>>> ", b"||||||| ", b"<<<<<<<\n", b">>>>>>>\n", b"=======\n", b"=======\r")


def is_clean(data: bytes) -> bool:
    """Tell quickly that size, encoding, control bytes and conflict markers need no closer look."""
    if (
        len(data) > SIZE_LIMIT
        or data.startswith(b"\xef\xbb\xbf")
        or len(data.translate(None, _CONTROL_BYTES)) != len(data)
    ):
        return False
    if data.count(b"\r") != data.count(b"\r\n") or _C1.search(data):
        return False
    if data.startswith(_MARKERS) or any(b"\n" + mark in data for mark in _MARKERS) or data.endswith(b"\n======="):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
