"""Prompts that turn out to be a machine's only by their answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from omp.model import Event
from omp.sources.voice import INJECTED_LIMIT, scheduled, sentinel

_ENOUGH = 2
"""Machine prompts that make the one prompt in front of them a boot prompt."""


def unmask(events: Sequence[Event]) -> list[Event]:
    """Give the events with prompts that only a machine can have sent as injected, not a person's.

    Those are prompts that a sentinel alone answered (`NO_REPLY`), and a first prompt that nothing but such prompts and
    heartbeats follow.
    """
    out = list(events)
    prompt = -1
    for index, event in enumerate(events):
        if event.role == "user" and event.voice == "person":
            prompt = index
        elif event.role == "assistant":
            if prompt >= 0 and sentinel(event.text):
                out[prompt] = _injected(out[prompt])
            prompt = -1
    prompts = [index for index, event in enumerate(out) if event.role == "user"]
    spoken = [index for index in prompts if out[index].voice == "person"]
    beats = sum(events[i].voice == "person" or scheduled(events[i].text) for i in prompts if i not in spoken)
    if len(spoken) == 1 and spoken == prompts[:1] and beats >= _ENOUGH:
        out[spoken[0]] = _injected(out[spoken[0]])
    return out


def _injected(event: Event) -> Event:
    return msgspec.structs.replace(event, voice="injected", text=event.text[:INJECTED_LIMIT])


def nobody(events: Sequence[Event]) -> bool:
    """Tell whether prompts stand there, and none of them is a person's: a run that a program started."""
    return any(event.role == "user" for event in events) and all(event.voice != "person" for event in events)
