"""Tool calls and their results as short text.

A call becomes one line (the command, or file and action), a result keeps its beginning and its end, and pictures
and other payloads are dropped: tool text is evidence at most, never anybody's voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from omp.sources.lines import parse

RESULT_HEAD, RESULT_TAIL = 4096, 2048
"""Characters kept of a long result, at its beginning and its end."""
CALL_LIMIT = 300
"""Characters of the one line that stands for a call."""

_NAMED = (
    "command", "cmd", "script", "file_path", "absolute_path", "notebook_path", "path", "filePath", "target_file",
    "pattern", "query", "url", "description", "prompt", "skill", "subject", "name",
)  # fmt: skip
"""Arguments that say what a call does, the most telling first."""
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.M)
_EXIT = re.compile(r"\A(?:Exit code:? |Process exited with code |Command failed with exit code )(-?\d+)", re.I)
_LATE_EXIT = re.compile(r"^(?:Exit code|Process exited with code):? (-?\d+)", re.I | re.M)
_DATA_URL = re.compile(r"data:[\w./+-]+;base64,[A-Za-z0-9+/=]+")


def capped(text: str) -> str:
    """Give `text`, or its beginning and end with the length of what was left out."""
    text = _DATA_URL.sub("[data]", text) if "base64," in text else text
    left_out = len(text) - RESULT_HEAD - RESULT_TAIL
    if left_out <= 0:
        return text
    return f"{text[:RESULT_HEAD]}\n[... {left_out} characters left out ...]\n{text[-RESULT_TAIL:]}"


def call_line(name: str, arguments: object) -> str:
    """Say in one line what a call does. `arguments` is a mapping, or JSON or plain text holding it."""
    if isinstance(arguments, str):
        patched = _PATCHED.findall(arguments)
        if patched:
            return _one_line("; ".join(f"{action.lower()} {path.strip()}" for action, path in patched))
        value = parse(arguments.encode("utf-8", "replace")) if arguments.lstrip()[:1] in ("{", "[") else None
        return call_line(name, value) if isinstance(value, Mapping) else _one_line(arguments)
    if not isinstance(arguments, Mapping):
        return ""
    if isinstance(patch := arguments.get("input") or arguments.get("patch"), str) and _PATCHED.search(patch):
        return call_line(name, patch)
    for key in _NAMED:
        value = arguments.get(key)
        if isinstance(value, list):
            value = " ".join(str(part) for part in value if isinstance(part, (str, int)))
        if isinstance(value, str) and value.strip():
            return _one_line(value)
    return _one_line(", ".join(f"{key}={value}" for key, value in arguments.items() if isinstance(value, (str, int))))


def _one_line(text: str) -> str:
    text = " ".join(text[: 4 * CALL_LIMIT].split())
    return text if len(text) <= CALL_LIMIT else text[: CALL_LIMIT - 1] + "…"


def block_text(content: object) -> str:
    """Join the text of a content field: a string, or blocks with `text`; pictures and payloads are passed over."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        inner = content.get("text", content.get("output", content.get("content")))
        return block_text(inner) if isinstance(inner, (str, list, Mapping)) else ""
    if isinstance(content, Iterable) and not isinstance(content, (bytes, bytearray)):
        return "\n".join(part for part in map(block_text, content) if part)
    return ""


def failed(output: str) -> bool:
    """Tell from the text of a shell's result whether its exit code was another than 0."""
    found = _EXIT.match(output) or _LATE_EXIT.search(output[:400])
    return found is not None and found.group(1) != "0"
