"""List files: splicing entries in and out, and the proof that nothing else changed.

When the old bytes are known to read well, only the lines between the first and the last changed entry are read back;
everything before and behind is the same bytes. Otherwise the whole new file is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from omp.errors import BrokenFile, WriteRefused
from omp.model import Entry, Memory, Problem
from omp.store.reading import FileReading, Row, decode, moved, row_of
from omp.yamlfile import insert_entries, load, new_list_file, read_entries, remove_entry, replace_entry
from omp.yamlfile.writer import sort_key

_DASH = re.compile(rb"( *)- id: ['\"]?")
_CHUNK = 4096
_NIL = b"\xc0"
"""An entry without unknown fields, as msgpack."""


def edit(reading: FileReading, data: bytes, key: str, puts: Sequence[Memory], removes: Sequence[str]) -> bytes:
    """Give the file with entries put and removed; `data` itself when it stands so already."""
    if not data.strip():
        name = reading.path.partition("/")[0].removesuffix(".yaml")
        return new_list_file(key, puts, f"{name}.schema.json") if puts else data
    hull = _hull(reading.rows, data, puts, set(removes))
    if hull is None:
        return _edit(reading, data, key, puts, removes)
    start, stop = hull
    head = key.encode() + (b":\r\n" if b"\r\n" in data[:200] else b":\n")
    try:
        piece = _edit(reading, head + data[start:stop], key, puts, removes)
    except (BrokenFile, WriteRefused):  # not to be cut out by itself: the whole file will tell
        return _edit(reading, data, key, puts, removes)
    return data[:start] + piece.removeprefix(head) + data[stop:]


def _edit(reading: FileReading, data: bytes, key: str, puts: Sequence[Memory], removes: Sequence[str]) -> bytes:
    present = reading.by_id()
    for identity in removes:
        if identity in present:
            data = remove_entry(data, key, identity)
    for memory in puts:
        if memory.id in present:
            old = decode(present[memory.id])
            if old is None:
                raise WriteRefused(f"{memory.id} in {reading.path} cannot be read", "omp validate")
            if old != memory:
                data = _replace(data, key, old, memory)
    return insert_entries(data, key, [m for m in puts if m.id not in present])


def _replace(data: bytes, key: str, old: Memory, new: Memory) -> bytes:
    """Change an entry's fields in one go; where one stands in another's way, one after the other."""
    try:
        return replace_entry(data, key, old, new)
    except WriteRefused:
        if type(old) is not type(new):
            raise
        for name in new.__struct_fields__:
            if getattr(old, name) != getattr(new, name):
                step = msgspec.structs.replace(old, **{name: getattr(new, name)})
                data = replace_entry(data, key, old, step)
                old = step
        return data


def _hull(rows: Sequence[Row], data: bytes, puts: Sequence[Memory], removes: set[str]) -> tuple[int, int] | None:
    """Find the stretch of whole entries in which all changes fall, with a neighbour before, as byte offsets.

    The splicer then looks at a few entries instead of the whole file. None when that stretch is no list by itself.
    """
    order = [(row.month, row.id) for row in rows]
    if any(a > b for a, b in pairwise(order)):
        return None
    at = {row.id: n for n, row in enumerate(rows)}
    if len(at) != len(rows):
        return None
    touched = [at[i] for i in (*removes, *(m.id for m in puts)) if i in at]
    places = [bisect_left(order, sort_key(m)) for m in puts if m.id not in at]
    if not touched and not places:
        return len(data), len(data)
    first = min([*(n - 1 if rows[n].id in removes else n for n in touched), *(n - 1 for n in places)])
    last = max([*(n + 1 for n in touched), *places])
    if first < 0 or all(row.id in removes for row in rows[first:last]):
        return None
    start, stop = _offset(rows[first], data), _offset(rows[last], data) if last < len(rows) else len(data)
    if start is None or stop is None or start[1] != (stop[1] if isinstance(stop, tuple) else start[1]):
        return None
    return start[0], stop[0] if isinstance(stop, tuple) else stop


def _offset(row: Row, data: bytes) -> tuple[int, int] | None:
    """Give the offset of the line of an entry's dash, and the dash's indent; None when its id does not follow it."""
    identity = row.id.encode()
    at = data.find(identity)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        found = _DASH.match(data, start)
        if found is not None and found.end() == at and data.count(b"\n", 0, start) + 1 == row.line:
            return start, len(found[1])
        at = data.find(identity, at + 1)
    return None


def prove(
    reading: FileReading, old: bytes, new: bytes, key: str, puts: Sequence[Memory], removes: Sequence[str]
) -> tuple[list[Row], tuple[int, int]]:
    """Read the new bytes back: each entry put is there once with its values, all others are what they were.

    Returns the rows of the new file, and the start and end of the bytes that were read (what the gate has to see).
    Raises WriteRefused when the bytes do not say what was meant.
    """
    window = _window(reading.rows, old, new)
    if window is not None:
        first, last, start, stop_old, stop_new, lead = window
        try:
            rows = _rows(reading.path, key.encode() + b":\n" + new[start:stop_new], key)
        except BrokenFile as error:
            raise _unproven(reading.path, error.problems) from error
        if rows is not None:
            shown = [moved(r, lead) for r in rows]
            _compare(reading.path, reading.rows[first:last], shown, puts, removes)
            by = new.count(b"\n", start, stop_new) - old.count(b"\n", start, stop_old)
            behind = [moved(r, by) for r in reading.rows[last:]]
            return [*reading.rows[:first], *shown, *behind], (start, stop_new)
    return _prove_whole(reading, old, new, key, puts, removes), changed_lines(old, new)


def _prove_whole(
    reading: FileReading, old: bytes, new: bytes, key: str, puts: Sequence[Memory], removes: Sequence[str]
) -> list[Row]:
    try:
        document = load(new, reading.path)
        items, problems = read_entries(document, key)
        before = load(old, reading.path).root
    except BrokenFile as error:
        raise _unproven(reading.path, error.problems) from error
    rows = [row_of(i.id, i.line, i.memory if isinstance(i.memory, Entry) else None, i.extra) for i in items]
    _compare(reading.path, reading.rows, rows, puts, removes)
    others = {k: v.python() for k, v in before.value.items() if k != key} if before.kind == "map" else {}
    after = {k: v.python() for k, v in document.root.value.items() if k != key}
    if problems or (old.strip() and others != after):
        raise _unproven(reading.path, tuple(problems))
    return rows


def _rows(path: str, data: bytes, key: str) -> list[Row] | None:
    """Read a stretch of entries; None when it holds something else too. Raises BrokenFile."""
    document = load(data, path)
    if set(document.root.value) != {key}:
        return None
    items, problems = read_entries(document, key)
    if problems:
        raise BrokenFile(f"{path} cannot be read", tuple(problems))
    return [row_of(i.id, i.line, i.memory if isinstance(i.memory, Entry) else None, i.extra) for i in items]


def _compare(
    path: str, before: Sequence[Row], after: Sequence[Row], puts: Sequence[Memory], removes: Sequence[str]
) -> None:
    """Compare what was read back with what was meant. Rows read from equal bytes are equal bytes."""
    wanted: Mapping[str, Memory] = {m.id: m for m in puts}
    gone = set(removes)
    kept = [(r.id, bytes(r.memory), bytes(r.extra)) for r in before if r.id not in gone and r.id not in wanted]
    found = [(r.id, bytes(r.memory), bytes(r.extra)) for r in after if r.id not in wanted]
    extras = {r.id: bytes(r.extra) for r in before if r.id in wanted}
    fresh: dict[str, Row] = {}
    for row in after:
        if row.id in wanted:
            if row.id in fresh:
                raise _unproven(path)
            fresh[row.id] = row
    if kept != found:
        raise _unproven(path)
    for identity, row in fresh.items():
        if decode(row) != wanted[identity] or bytes(row.extra) != extras.get(identity, _NIL):
            raise _unproven(path)
    missing = extras.keys() - fresh.keys()
    if missing:
        raise _unproven(path)


def all_there(path: str, rows: Sequence[Row], puts: Sequence[Memory], removes: Sequence[str]) -> None:
    """Check the whole new list: every id put stands once, none removed is left. Raises WriteRefused."""
    count: dict[str, int] = {}
    for row in rows:
        count[row.id] = count.get(row.id, 0) + 1
    if any(count.get(m.id) != 1 for m in puts) or any(i in count for i in removes):
        raise _unproven(path)


def _unproven(path: str, problems: tuple[Problem, ...] = ()) -> WriteRefused:
    where = f" ({problems[0].line}:{problems[0].column}: {problems[0].message})" if problems else ""
    return WriteRefused(
        f"{path} would not read back as it was meant{where}; nothing was written", "omp validate, and report this"
    )


# What changed


def common_ends(old: bytes, new: bytes) -> tuple[int, int]:
    """Give the lengths of the common beginning and of the common end, which do not overlap."""
    most = min(len(old), len(new))
    front = 0
    while front < most and old[front : front + _CHUNK] == new[front : front + _CHUNK]:
        front = min(front + _CHUNK, most)
    near = min(front + _CHUNK, most) - front
    front += bisect_left(range(1, near + 1), True, key=lambda n: old[front : front + n] != new[front : front + n])
    most -= front
    back = 0
    while back < most and _end(old, back, _CHUNK) == _end(new, back, _CHUNK):
        back = min(back + _CHUNK, most)
    near = min(back + _CHUNK, most) - back
    back += bisect_left(range(1, near + 1), True, key=lambda n: _end(old, back, n) != _end(new, back, n))
    return front, back


def _end(data: bytes, behind: int, size: int) -> bytes:
    """Give `size` bytes that end `behind` bytes before the end."""
    stop = len(data) - behind
    return data[max(stop - size, 0) : stop]


def changed_lines(old: bytes, new: bytes, context: int = 3) -> tuple[int, int]:
    """Give start and end in `new` of the lines that differ, with `context` lines around them."""
    front, back = common_ends(old, new)
    start, stop = front, len(new) - back
    for _ in range(context + 1):
        start = new.rfind(b"\n", 0, start)
        if start < 0:
            break
    for _ in range(context + 1):
        found = new.find(b"\n", stop)
        stop = len(new) if found < 0 else found + 1
    return max(start, 0), stop


def _window(rows: Sequence[Row], old: bytes, new: bytes) -> tuple[int, int, int, int, int, int] | None:
    """Find the stretch of whole entries that holds every change: rows first to last (excluded), byte offsets of its
    start, its end in the old and in the new bytes, and what to add to line numbers counted from its key line.

    None when the change reaches outside the entries, or the list is not one dash a line at one indent.
    """
    front, back = common_ends(old, new)
    lines = [r.line for r in rows]
    line = old.count(b"\n", 0, front) + 1
    first = bisect_right(lines, line) - 1
    if first < 0:
        return None
    start = old.rfind(b"\n", 0, front) + 1
    for _ in range(line - lines[first]):
        start = old.rfind(b"\n", 0, start - 1) + 1
    end = len(old) - back
    end_line = line + old.count(b"\n", front, end)
    last = bisect_right(lines, end_line)
    stop = len(old)
    if last < len(rows):
        stop = end
        for _ in range(lines[last] - end_line):
            stop = old.find(b"\n", stop) + 1
    indent = len(old[start : front + 200]) - len(old[start : front + 200].lstrip(b" "))
    dash = b" " * indent + b"- "
    is_item = old.startswith(dash, start) and (last >= len(rows) or old.startswith(dash, stop))
    stop_new = len(new) - (len(old) - stop)
    if not is_item or new[:start] != old[:start] or stop_new < start:
        return None
    return first, last, start, stop, stop_new, lines[first] - 2
