"""The scanning engine: a protocol of two calls, and kingfisher behind it.

Only detection is used: nothing is validated, revoked or sent; inline ignore comments have no effect. Text reaches the
engine as ASCII, every other character a blank, so that byte offsets are character offsets and Chinese text glued to
a key does not hide it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from omp.errors import OmpError
from omp.redact import gate

if TYPE_CHECKING:
    import kingfisher_sdk

    from omp.redact.runs import Sight


class Span(NamedTuple):
    """What an engine found: half-open range of characters, and its rule."""

    start: int
    end: int
    rule: str


class Engine(Protocol):
    """A secret scanner. `may_find` is sound: False means that `scan` would give nothing."""

    def may_find(self, seen: Sight) -> bool:
        """Tell cheaply whether `scan` could find anything. Must not load what is slow to load."""

    def scan(self, text: str) -> list[Span]:
        """Find secrets in ASCII text. Raises OmpError when it cannot finish."""


SECONDS = 20.0
"""Time a scan may take before it counts as failed; 64 MB take about one second."""

_IGNORED = re.compile(
    r"(?:-id|-url|-domain|-host|-name|-username|-repository|-account-host|-address|-client-key|-app-id|-access-id)(?:\.\d)?$"
    r"|publishable|public-|-pub-|hashicorp-tf-password|curl-auth|credential-uri|generic-|kubernetes-secret|hcpclientcredentials-client-id|azure-storage-account-name|sidekiq-sensitive-url"
)
"""Rules for names, hosts and public halves, and those that our own layer does better."""


class Kingfisher:
    """kingfisher in this process; rules are compiled once and cached in `cache_dir` (5 s without, 0.6 s with)."""

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._cache = cache_dir
        self._scanner: kingfisher_sdk.Scanner | None = None

    @property
    def loaded(self) -> bool:
        """Whether the rules are in memory."""
        return self._scanner is not None

    def may_find(self, seen: Sight) -> bool:
        """Sound gate: the shapes and literals that every rule needs, looked at closely while loading can be saved."""
        return gate.may_match(seen) and (self.loaded or gate.is_likely(seen))

    def scan(self, text: str) -> list[Span]:
        """Find secrets; ranges are characters of `text`, which must be ASCII. Raises OmpError on error or time-out."""
        try:
            if self._scanner is None:
                self._scanner = self._load()
            found = self._scanner.scan(text.encode("ascii"), timeout=SECONDS)
            return [
                Span(f.location["start_offset"], f.location["end_offset"], f.rule_id)
                for f in found
                if f.visible and not _IGNORED.search(f.rule_id)
            ]
        except OmpError:
            raise
        except Exception as error:  # noqa: BLE001 - every failure must block the write
            # Whatever went wrong must not be quoted: its message may hold the text.
            raise OmpError(
                f"the secret scanner could not finish ({type(error).__name__}), so the text stays out",
                "run the command again; if it happens again, report it",
            ) from None

    def _load(self) -> kingfisher_sdk.Scanner:
        import kingfisher_sdk

        if self._cache is None:
            rules = kingfisher_sdk.Rules(cache=False)
        else:
            self._cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            rules = kingfisher_sdk.Rules(cache_dir=self._cache)
        policy = kingfisher_sdk.DetectionPolicy(inline_ignores=False, markup_context=False)
        return kingfisher_sdk.Scanner(rules, policy=policy)
