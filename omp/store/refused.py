"""`refused.yaml`: what must not come back, by key and by place, without a word of its text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from omp.errors import BrokenFile, WriteRefused
from omp.model import Problem, Refusal
from omp.yamlfile import Document, load, quote, to_struct

FILE = "refused.yaml"
KEY = "refused"
_FRESH = b"version: 1\nrefused: []\n"
_FIELDS = ("key", "at", "reason", "from")


def read(data: bytes) -> list[Refusal]:
    """Read the rows. Raises BrokenFile when the file is corrupt: what was refused must not slip back meanwhile."""
    return [row for row, _ in _rows(load(data, FILE))]


def _rows(document: Document) -> list[tuple[Refusal, int]]:
    node = document.root.get(KEY)
    out: list[tuple[Refusal, int]] = []
    problems: list[Problem] = []
    for n, row in enumerate(node.value if node is not None and node.kind == "seq" else ()):
        value, _, found = to_struct(row, Refusal, FILE)
        problems += found
        if value is not None:
            out.append((value, n))
    if problems:
        raise BrokenFile(f"{FILE} cannot be read", tuple(problems))
    return out


def joined(present: Iterable[Refusal], lift: Collection[str], refuse: Iterable[Refusal]) -> list[Refusal]:
    """Give the rows after lifting keys and adding refusals; a key at a place is refused once, as it was first."""
    rows = {(r.key, r.from_): r for r in present if r.key not in lift}
    for refusal in refuse:
        rows.setdefault((refusal.key, refusal.from_), refusal)
    return sorted(rows.values(), key=_order)


def _order(row: Refusal) -> tuple[str, str]:
    return row.key, row.from_


def edit(data: bytes, lift: Collection[str], refuse: Iterable[Refusal]) -> bytes:
    """Give the file without the rows of keys in `lift` and with new rows, sorted by key; other bytes stay.

    Raises BrokenFile when it cannot be read, WriteRefused when its rows stand on one line.
    """
    fresh = list(refuse)
    if not data.strip():
        if not fresh:
            return data
        data = _FRESH
    document = load(data, FILE)
    node, text = document.root.get(KEY), document.text
    rows = _rows(document)
    have = {_order(r) for r, _ in rows}
    gone = {n for r, n in rows if r.key in lift}
    kept = {_order(r) for r, n in rows if n not in gone}
    added = sorted({_order(r): r for r in reversed(fresh) if _order(r) not in kept}.values(), key=_order)
    if not gone and not added:
        return data
    newline = "\r\n" if "\r\n" in text else "\n"
    if node is None or not have:
        return _first_rows(document, added, newline)
    if node.flow or not node.at:
        raise WriteRefused(f"{KEY} in {FILE} is written on one line", "write its rows below it, each behind a dash")
    starts = [text.rfind("\n", 0, dash) + 1 for dash in node.at]
    stops = [_behind(text, max(item.end - 1, dash)) for item, dash in zip(node.value, node.at, strict=True)]
    indent = node.at[0] - starts[0]
    edits: list[tuple[int, int, str]] = [(starts[n], stops[n], "") for n in gone]
    for row in added:
        later = [starts[n] for r, n in rows if _order(r) > _order(row)]
        at = min(later) if later else max(stops)
        lead = newline if at == len(text) and text and not text.endswith("\n") else ""
        edits.append((at, at, lead + _lines(row, indent, newline)))
    out, at = [], 0
    for start, stop, new in sorted(edits, key=lambda e: (e[0], e[1])):
        out += [text[at:start], new]
        at = max(at, stop)
    text = "".join(out) + text[at:]
    if len(gone) == len(rows) and not added:
        head = text.index(":", document.root.at[KEY]) + 1
        text = f"{text[:head]} []{text[head:]}"
    return text.encode()


def _first_rows(document: Document, added: list[Refusal], newline: str) -> bytes:
    """Put the first rows below a key that holds `[]` or nothing, or is not there yet."""
    text, node = document.text, document.root.get(KEY)
    body = "".join(_lines(row, 2, newline) for row in added)
    if node is None:
        lead = "" if not text or text.endswith("\n") else newline
        return f"{text}{lead}{KEY}:{newline}{body}".encode()
    if node.kind != "seq" and node.value:
        raise WriteRefused(f"{KEY} in {FILE} is no list", f"make it `{KEY}: []`")
    head = text.index(":", document.root.at[KEY]) + 1
    rest = text[node.end if node.kind == "seq" else head : _behind(text, head)].rstrip("\r\n")
    return f"{text[:head]}{rest}{newline}{body}{text[_behind(text, head) :]}".encode()


def _behind(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _lines(row: Refusal, indent: int, newline: str) -> str:
    values: dict[str, Any] = msgspec.to_builtins(row)
    fields = [f"{name}: {quote(values.get(name, ''))}" for name in _FIELDS if name != "from" or values.get(name)]
    pad = " " * indent
    return "".join(f"{pad}{'  ' if n else '- '}{field}{newline}" for n, field in enumerate(fields))


def prove(old: bytes, new: bytes, lift: Collection[str], refuse: Iterable[Refusal]) -> None:
    """Read the new bytes back. Raises WriteRefused when they do not hold the rows that were meant."""
    before = read(old) if old.strip() else []
    wanted = {_order(r): r for r in joined(before, lift, refuse)}
    kept = [_order(r) for r in before if r.key not in lift]
    found = read(new)
    number = len(kept) + len(wanted.keys() - set(kept))
    if (
        len(found) != number
        or {_order(r) for r in found} != wanted.keys()
        or any(r not in found for r in wanted.values())
    ):
        raise WriteRefused(f"{FILE} would not read back as it was meant; nothing was written", "omp validate")
