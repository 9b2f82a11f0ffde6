"""Comments of a stretch of YAML: found beside its scalars, and carried from one side's text to the other's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from omp.yamlfile import Node

_COMMENT = re.compile(r"(?:(?<=[ \t\n])|\A)#[^\r\n]*")


def comments(text: str, start: int, end: int, node: Node | None) -> list[str]:
    """List the comments between two offsets; `node` holds the scalars there, whose text is no comment."""
    if text.find("#", start, end) < 0:
        return []
    spans = sorted(_scalars(node)) if node is not None else []
    out: list[str] = []
    at = n = 0
    at = start
    while (found := _COMMENT.search(text, at, end)) is not None:
        at = found.start()
        while n < len(spans) and spans[n][1] <= at:
            n += 1
        if n < len(spans) and spans[n][0] <= at:
            at = found.start() + 1
            continue
        out.append(found[0].rstrip())
        at = found.end()
    return out


def _scalars(node: Node) -> Iterable[tuple[int, int]]:
    if node.kind == "scalar":
        if node.end > node.start:
            yield node.start, node.end
        return
    for inner in node.value.values() if node.kind == "map" else node.value:
        yield from _scalars(inner)


def missing(other: Sequence[str], frame: Sequence[str], base: Sequence[str]) -> list[str]:
    """Give the comments of the other side that the frame lacks and that are not old ones it took out."""
    left = [*frame, *base]
    out = []
    for comment in other:
        if comment in left:
            left.remove(comment)
        else:
            out.append(comment)
    return out
