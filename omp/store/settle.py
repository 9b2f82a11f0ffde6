"""Entries in the form in which they read back from a file, so that what was meant can be compared with it."""

from __future__ import annotations

from typing import Any

import msgspec

from omp.model import Memory
from omp.store.batch import Batch
from omp.store.reading import small

_FREE = ("value", "conflict")
"""Fields that hold what people wrote, of whatever type."""
_memory_of: msgspec.json.Decoder[Memory] = msgspec.json.Decoder(Memory)


def settled(batch: Batch) -> Batch:
    """Give the batch with each id put once (the last counts) and every entry settled."""
    put = {m.id: settled_memory(m) for m in batch.put}
    remove = tuple(dict.fromkeys(batch.remove))
    return msgspec.structs.replace(batch, put=tuple(put.values()), remove=remove)


def settled_memory(memory: Memory) -> Memory:
    """Give an entry as a file gives it back: lists as lists, numbers of the declared type, no lone surrogates."""
    values: Any = msgspec.to_builtins(memory)
    for name in _FREE:
        if name in values:
            values[name] = small(values[name])
    try:
        data = msgspec.json.encode(values)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_encodable(values))
    return _memory_of.decode(data)


def _encodable(value: Any) -> Any:
    """Put the replacement character for lone surrogates, which have no UTF-8 form."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, dict):
        return {_encodable(k): _encodable(v) for k, v in value.items()}
    return [_encodable(v) for v in value] if isinstance(value, (list, tuple)) else value
