# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""The whole masking stage: views, own layer, engine; findings back on the original characters, marks in their place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from omp.errors import OmpError
from omp.model import CleanEvent, Event, Finding, RawSession, Session
from omp.redact import blocks, carriers, context, people, tokens, views
from omp.redact.engine import Engine, Kingfisher
from omp.redact.marks import Hit, apply, hide_marks, settle
from omp.redact.runs import Sight, bare, sight
from omp.redact.values import is_placeholder, looks_random, wordiness

LIMIT = 64 * 1024 * 1024
"""Characters of one text. Texts are scanned whole and in linear time, so nothing can be split; a longer one is refused."""

_NOT_ASCII = re.compile(r"[^\x01-\x7f]+")
_CONTEXT_RULES = re.compile(r"alibaba|aws-secret|ovh-|cloudflare-account|azure-client|azure-tenant")


class Masked(NamedTuple):
    """A masked text and what was found, in characters of the original, sorted, without overlaps."""

    text: str
    findings: tuple[Finding, ...]


class Redactor:
    """Masks texts and guards final bytes.

    `cache_dir` is where the engine keeps its compiled rules (owner-only); without it they are compiled anew, which
    takes seconds. `engine` puts another scanner in its place. Nothing is loaded before a text needs it.
    """

    def __init__(self, cache_dir: Path | None = None, engine: Engine | None = None) -> None:
        self._engine: Engine = engine if engine is not None else Kingfisher(cache_dir)

    def mask(self, text: str) -> Masked:
        """Mask secrets and personal data. Raises OmpError when the scan cannot finish: then nothing may be kept."""
        hits, same = self._find(text)
        masked, findings = apply(text, hits, same)
        return Masked(masked, findings)

    def clean(self, event: Event) -> CleanEvent:
        """Mask an event: text, tool, folder and branch, and the names of its place in the log."""
        types: list[str] = []
        out: dict[str, str] = {}
        for name in ("text", "tool", "cwd", "branch", "session", "entry", "call"):
            masked = self.mask(getattr(event, name))
            out[name] = masked.text
            types += [f.type for f in masked.findings]
        return CleanEvent(
            agent=event.agent,
            role=event.role,
            voice=event.voice,
            at=event.at,
            failed=event.failed,
            masked=tuple(types),
            **out,
        )

    def clean_session(self, session: RawSession) -> Session:
        """Mask every event of a session."""
        return Session(
            agent=session.agent,
            session=self.mask(session.session).text,
            path=session.path,
            events=tuple(self.clean(e) for e in session.events),
            closed=session.closed,
            machine=session.machine,
        )

    def gate(self, data: bytes) -> list[Finding]:
        """Scan final bytes; offsets are characters of their UTF-8 text. Well-formed marks are no findings.

        Raises OmpError when the scan cannot finish or the bytes are no UTF-8: the write must not happen.
        """
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise OmpError("bytes about to be written are no UTF-8 text, so they were not written") from None
        hits, _ = self._find(text)
        return [Finding(start=h.start, end=h.end, type=h.type, rule=h.rule) for h in hits]

    def _find(self, text: str) -> tuple[list[Hit], dict[int, str]]:
        """Settled hits in original characters, and the values of those that are written in another form."""
        if len(text) < 4:
            return [], {}
        if len(text) > LIMIT:
            raise OmpError(f"a text of {len(text)} characters is over the limit of {LIMIT}, so it stays out")
        view = views.plain(hide_marks(text))
        raw = self._scan(view.text, 2)
        hits = [Hit(*view.back(h.start, h.end), h.type, h.rule) for h, _ in raw]
        same = {hit.start: value for hit, (_, value) in zip(hits, raw, strict=True)}
        return settle(hits), same

    def _scan(self, text: str, depth: int) -> list[tuple[Hit, str]]:
        """Scan one plain view and those derived from it; each hit with the value it stands for."""
        seen = sight(text)
        out = [(h, text[h.start : h.end]) for h in self._both(seen)]
        for derived in (views.percent(text), views.unescaped(text)):
            if derived is not None:
                for hit in self._both(sight(derived.text)):
                    value = derived.text[hit.start : hit.end]
                    out.append((Hit(*derived.back(hit.start, hit.end), hit.type, hit.rule), value))
        out += _joined(seen)
        if depth:
            for start, end, decoded in views.blobs(seen):
                if self._scan(views.plain(decoded).text, depth - 1):
                    out.append((Hit(start, end, "encoded", "encoded"), decoded))
        return out

    def _both(self, seen: Sight) -> list[Hit]:
        """The own layer and the engine over one view."""
        hits = blocks.find(seen) + carriers.find(seen) + context.find(seen) + people.find(seen) + tokens.find(seen)
        return hits + self._with_engine(seen)

    def _with_engine(self, seen: Sight) -> list[Hit]:
        """What the engine finds, judged by value."""
        text = seen.text
        if not self._engine.may_find(seen):
            return []
        ascii_text = text if text.isascii() else _NOT_ASCII.sub(lambda m: " " * len(m.group()), text)
        if "\x00" in ascii_text:
            ascii_text = ascii_text.replace("\x00", " ")
        hits = []
        for span in self._engine.scan(ascii_text):
            value = text[span.start : span.end]
            if is_placeholder(value) or (_CONTEXT_RULES.search(span.rule) and not looks_random(value, 16)):
                continue
            kind = "private_key" if "private-key" in span.rule else "jwt" if "jwt" in span.rule else "api_key"
            hits.append(Hit(span.start, span.end, kind, span.rule))
        return hits


def _joined(seen: Sight) -> list[tuple[Hit, str]]:
    """Tokens that only show whole when lines, strings or emphasis are joined."""
    out: list[tuple[Hit, str]] = []
    text = seen.text
    explicit = views.joined(text)
    if explicit is not None:
        for hit in tokens.find(bare(explicit.text)):
            start, end = explicit.back(hit.start, hit.end)
            if end - start > hit.end - hit.start:
                out.append((Hit(start, end, hit.type, hit.rule), explicit.text[hit.start : hit.end]))
    wrapped = views.unwrapped(seen)
    if wrapped is not None:
        for hit in tokens.find(bare(wrapped.text)):
            start, end = wrapped.back(hit.start, hit.end)
            tail = text[start:end].rpartition("\n")[2].strip()
            if end - start > hit.end - hit.start and any(c.isdigit() for c in tail) and wordiness(tail) < 0.5:
                out.append((Hit(start, end, hit.type, hit.rule), wrapped.text[hit.start : hit.end]))
    return out
