"""Earlier versions of each file in `.backup/`: a hard link made before the swap, or a masked copy.

A link costs no space and no time. Where the gate finds a secret in the old bytes a masked copy is kept instead, so that
a file that was cleaned has no uncleaned twin.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from omp.errors import WriteRefused
from omp.model import Finding
from omp.store import atomic
from omp.store.atomic import Snapshot
from omp.store.batch import Backup

FOLDER = ".backup"
KEPT = 20
"""Versions of one file: about a working day of a busy repository."""
TOTAL = 50 * 1024 * 1024
"""Bytes of all versions together."""
_BROKEN = ".broken"
_NAME = re.compile(r"(.+)\.(\d{8}T\d{6}Z)-([0-9a-f]{8})(\.broken)?")


def file_name(path: str, at: str, digest: str, broken: bool = False) -> str:
    """Give the name of a version: `decisions~2026-01.yaml.20260302T100000Z-1a2b3c4d`."""
    stamp = at.replace("-", "").replace(":", "")
    return f"{path.replace('/', '~')}.{stamp}-{digest[:8]}{_BROKEN if broken else ''}"


def listing(root: Path) -> list[Backup]:
    """List the versions in `.backup/`, oldest first."""
    folder = root / FOLDER
    found: list[tuple[str, int, Backup]] = []
    try:
        files = list(os.scandir(folder))
    except FileNotFoundError:
        return []
    for file in files:
        name = _NAME.fullmatch(file.name)
        if name is None or file.is_symlink():
            continue
        info = file.stat()
        backup = Backup(
            name=file.name, path=name[1].replace("~", "/"), stamp=name[2], size=info.st_size, broken=name[4] is not None
        )
        found.append((name[2], info.st_mtime_ns, backup))
    return [backup for _, _, backup in sorted(found, key=lambda f: (f[0], f[1], f[2].name))]


def keep(
    root: Path,
    path: str,
    old: Snapshot,
    at: str,
    clean: bool,
    gate: Callable[[bytes], list[Finding]],
    broken: bool = False,
) -> Path | None:
    """Set the present version of a file aside; None when that very version is there already.

    `clean` says that these bytes went through the gate before. Raises OmpError when no backup can be made: then the
    file must not be changed.
    """
    folder = root / FOLDER
    atomic.refuse_links(root, folder)  # the way to `root` itself was looked at by the caller
    atomic.make_folder(folder, 0o700)
    prefix, mark = path.replace("/", "~"), old.digest[:8]
    try:
        present = [m for n in os.scandir(folder) if (m := _NAME.fullmatch(n.name)) is not None and m[1] == prefix]
    except OSError as error:
        raise atomic.failure(folder, error, "read") from error
    if any(m[3] == mark for m in present):
        return None
    target = folder / file_name(path, at, old.digest, broken)
    findings = [] if clean else gate(old.data)
    if not findings and _link(root / path, target):
        return target
    data = masked(old.data, findings, gate) if findings else old.data
    atomic.write(target, data, 0o600)
    return target


def _link(source: Path, target: Path) -> bool:
    try:
        target.hardlink_to(source)
    except OSError:  # this file system has no hard links: the caller copies
        return False
    return True


def masked(data: bytes, findings: list[Finding], gate: Callable[[bytes], list[Finding]]) -> bytes:
    """Put a mark in the place of each finding; lines that still hold one are dropped, else WriteRefused."""
    text = data.decode("utf-8", "replace")
    numbers: dict[tuple[str, str], int] = {}
    for f in findings:
        value = (f.type, text[f.start : f.end])
        numbers.setdefault(value, 1 + sum(1 for t, _ in numbers if t == f.type))
    at = len(text)
    for f in sorted(findings, key=lambda f: -f.start):
        number = numbers[f.type, text[f.start : f.end]]
        text = f"{text[: f.start]}[REDACTED:{f.type}:{number}]{text[min(f.end, at) :]}"
        at = f.start
    left = gate(text.encode())
    if left:
        bad = {text.count("\n", 0, at) for f in left for at in range(f.start, max(f.end, f.start + 1))}
        text = "\n".join(line for n, line in enumerate(text.split("\n")) if n not in bad)
        if gate(text.encode()):
            raise WriteRefused("the old version holds a secret that cannot be masked", "omp validate shows the place")
    return text.encode()


def prune(root: Path) -> None:
    """Drop the oldest versions beyond `KEPT` a file and `TOTAL` bytes; the last good version of a file always stays."""
    present = listing(root)
    newest_good = {b.path: b.name for b in present if not b.broken}
    gone: list[Backup] = []
    by_path: dict[tuple[str, bool], list[Backup]] = {}
    for backup in present:
        by_path.setdefault((backup.path, backup.broken), []).append(backup)
    for versions in by_path.values():
        gone += versions[: max(0, len(versions) - KEPT)]
    left = [b for b in present if b not in gone]
    total = sum(b.size for b in left)
    for backup in left:
        if total <= TOTAL:
            break
        if newest_good.get(backup.path) != backup.name:
            gone.append(backup)
            total -= backup.size
    for backup in gone:
        atomic.discard(root / FOLDER / backup.name)
