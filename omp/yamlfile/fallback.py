"""ruamel.yaml's composer for the shapes the fast reader leaves alone. Imported only when such a shape is met."""

from __future__ import annotations

from typing import Any

from omp.yamlfile.dialect import DEPTH_LIMIT
from omp.yamlfile.nodes import BadText, Node, twice


def compose(text: str, problems: list[BadText]) -> Node:
    """Read a text that has passed the pre-scan; keys that stand twice go to `problems`. Raises BadText."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = mark.index if mark is not None else 0
        raise BadText(at, "syntax", str(error.problem or "not YAML"), "check indentation and quotes") from None
    if root is None:
        return Node("map", {}, 0, 0, 1, 1, at={})
    return _convert(root, problems, text, 1)


def _convert(node: Any, problems: list[BadText], text: str, depth: int) -> Node:
    start, end = node.start_mark, node.end_mark
    where = (start.index, end.index, start.line + 1, start.column + 1)
    if depth > DEPTH_LIMIT:
        raise BadText(start.index, "too-deep", f"nested deeper than {DEPTH_LIMIT}", "flatten it")
    if node.id == "scalar":
        return Node("scalar", node.value, *where, plain=node.style in (None, ""))
    flow = text[start.index : start.index + 1] in ("[", "{")
    if node.id == "sequence":
        items = [_convert(v, problems, text, depth + 1) for v in node.value]
        return Node("seq", items, *where, flow=flow, at=None if flow else _dashes(items, text))
    pairs: dict[str, Node] = {}
    keys: dict[str, int] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise BadText(key.start_mark.index, "complex-key", "a key that is no text", "write the key as text")
        if key.value in pairs:
            problems.append(twice(key.start_mark.index, key.value, key.start_mark.line + 1))
        pairs[key.value] = _convert(value, problems, text, depth + 1)
        keys[key.value] = key.start_mark.index
    return Node("map", pairs, *where, flow=flow, at=keys)


def _dashes(items: list[Node], text: str) -> list[int]:
    """Where the dash of each item stands: the last one before it."""
    return [text.rfind("-", 0, item.start + (item.start == item.end)) for item in items]
