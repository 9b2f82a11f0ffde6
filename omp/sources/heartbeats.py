"""Prompts that turn out to be a machine's only by their answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from omp.model import Event
from omp.sources.voice import INJECTED_LIMIT, sentinel


def unmask(events: Sequence[Event]) -> list[Event]:
    """Give the events with every prompt that a sentinel alone answered (`NO_REPLY`) as injected, not a person's."""
    out = list(events)
    prompt = -1
    for index, event in enumerate(events):
        if event.role == "user" and event.voice == "person":
            prompt = index
        elif event.role == "assistant":
            if prompt >= 0 and sentinel(event.text):
                asked = out[prompt]
                out[prompt] = msgspec.structs.replace(asked, voice="injected", text=asked.text[:INJECTED_LIMIT])
            prompt = -1
    return out


def nobody(events: Sequence[Event]) -> bool:
    """Tell whether prompts stand there, and none of them is a person's: a run that a program started."""
    return any(event.role == "user" for event in events) and all(event.voice != "person" for event in events)
