"""JSON Schemas of the memory files, made from the types: editors check and complete what people write by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from omp.model import (
    FACT_KINDS,
    LAYOUT,
    LIST_FILES,
    TYPES,
    Kind,
    Refusal,
    SessionRecord,
    Theme,
    ThemeConfig,
)

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VERSION = {"type": "integer", "minimum": 1, "maximum": 1}


def schemas() -> dict[str, dict[str, Any]]:
    """Give every schema by its file name. Unknown fields are allowed: files keep them."""
    out: dict[str, dict[str, Any]] = {}
    for file, key in LIST_FILES.items():
        kinds: list[Kind] = [k for k, layout in LAYOUT.items() if layout.file == file]
        out[file.replace(".yaml", ".schema.json")] = _list(key, [TYPES[k] for k in kinds])
    out["refused.schema.json"] = _list("refused", [Refusal])
    out["sessions.schema.json"] = _list("sessions", [SessionRecord])
    out["project.schema.json"] = _project()
    out["themes.schema.json"] = _themes()
    return out


def _list(key: str, types: list[type[Any]]) -> dict[str, Any]:
    refs, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    items = refs[0] if len(refs) == 1 else {"anyOf": list(refs)}
    return {
        "$schema": _DIALECT,
        "type": "object",
        "properties": {"version": _VERSION, key: {"type": "array", "items": items}},
        "required": [key],
        "$defs": parts,
    }


def _project() -> dict[str, Any]:
    kinds: list[Kind] = sorted(FACT_KINDS)
    refs, parts = msgspec.json.schema_components([TYPES[k] for k in kinds], ref_template="#/$defs/{name}")
    for part in parts.values():
        # A row under `_meta.facts` repeats neither its id nor its pointer nor the value.
        part["required"] = [name for name in part.get("required", []) if name != "id"]
    meta = {
        "type": "object",
        "properties": {
            "last_updated": {"type": "string"},
            "updated_by": {"type": "string"},
            "changes": {"type": "array", "items": {"type": "string"}},
            "facts": {"type": "object", "additionalProperties": {"anyOf": list(refs)}},
        },
    }
    properties = {"version": _VERSION, "_meta": meta}
    return {"$schema": _DIALECT, "type": "object", "properties": properties, "$defs": parts}


def _themes() -> dict[str, Any]:
    (config, theme), parts = msgspec.json.schema_components([ThemeConfig, Theme], ref_template="#/$defs/{name}")
    members = {"type": "object", "additionalProperties": {"type": "string"}}
    properties = {
        "version": _VERSION,
        "config": config,
        "themes": {"type": "array", "items": theme},
        "members": members,
    }
    return {"$schema": _DIALECT, "type": "object", "properties": properties, "$defs": parts}
