"""What later statements do to earlier ones: the final form wins, doubles join, and only the most valuable stay."""

from __future__ import annotations

import re

from msgspec.structs import replace

from omp import identity
from omp.extract import text as words
from omp.model import Candidate, Kind
from omp.rules import Rules

REASONED: frozenset[Kind] = frozenset(
    {"decision", "constraint", "service_config", "path", "preference", "working_assumption"}
)
"""Kinds that a reason given later can be attached to."""
_CHANGING: frozenset[Kind] = frozenset(
    {"decision", "service_config", "deployment", "path", "preference", "constraint", "working_assumption"}
)
_SAME = 0.75
"""Share of the shorter claim's content that makes two statements of one session the same."""
_REPLACED = 0.34
"""Share from which a statement with a sign of change replaces an earlier one."""
_RELATED = 0.1
"""Share from which a statement that scraps a name is about the same thing as one that holds it."""
_CHANGE = re.compile(
    r"\b(?:instead|scrap|now|any ?more|after all|change(?:d)?|switch|no longer|drop|replace[sd]?|rather"
    r"|actually|then)\b|收回|换成|改成|改为|改用|不用|还是|那就?|现在|作废|不再|不要",
    re.IGNORECASE,
)
_OLD_ADDRESS = re.compile(
    r"\b(?:old|former|previous) (?:\w+ )?(?:address|one|url|domain|host|site|server|cluster)|\bnow\b|\binstead"
    r"|旧|老的?(?:地址|域名|集群)|原来的|现在|改到|换到|换成|以后|往后",
    re.IGNORECASE,
)
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE | re.ASCII)
_SCRAPPED = re.compile(
    r"\b(?:scrap|drop|no more|no longer|instead of|rather than|ditch|kill)\s+(?:the |use "
    r"|using )?(?P<en>[A-Za-z][\w.+-]{2,})|(?:不用|不要|不上|弃用|换掉|废掉)\s*(?P<zh>[\w.+-]{2,}"
    r"|[\u4e00-\u9fff]{2,8})",
    re.IGNORECASE,
)
_REASON_FIRST = re.compile(
    r"^(?:(?:and|btw|oh|also|the|by the way)[ ,]+)*(?:(?:the )?reason|why[: ]|because|(?:it's "
    r"|that's )?\S+(?: \S+){0,3} because|that's because)|是因为|^因为|原因是|理由|所以(?:按|用|选|走|才)",
    re.IGNORECASE,
)
_VALUE: dict[Kind, float] = {
    "constraint": 1.0, "decision": 0.98, "lesson": 0.97, "preference": 0.95, "deployment": 0.93, "service_config": 0.9,
    "open_question": 0.88, "path": 0.87, "working_assumption": 0.86, "milestone": 0.84, "skill": 0.84, "change": 0.7,
}  # fmt: skip


def gives_reason(text: str, rules: Rules) -> bool:
    """Tell whether a message only explains something said before."""
    return _REASON_FIRST.search(words.unfilled(text)) is not None


def settle(found: list[tuple[Candidate, int]], rules: Rules) -> list[Candidate]:
    """Give the candidates with earlier forms dropped and doubles joined; order is kept."""
    result: list[Candidate] = []
    for candidate, _ in found:
        if candidate.drop:
            result.append(candidate)
            continue
        result = [_after(old, candidate) for old in result]
        twin = next((n for n, old in enumerate(result) if not old.drop and _same(old, candidate)), None)
        if twin is None:
            result.append(candidate)
        else:
            result[twin] = _joined(result[twin], candidate)
    return result


def limit(candidates: list[Candidate], most: int) -> list[Candidate]:
    """Mark all but the `most` valuable live candidates as over the limit; what a person asked for is under none."""
    live = [n for n, c in enumerate(candidates) if not c.drop and not c.asked]
    if len(live) <= most:
        return candidates
    kept = set(sorted(live, key=lambda n: (-_worth(candidates[n]), n))[:most])
    return [c if c.drop or c.asked or n in kept else replace(c, drop="over limit") for n, c in enumerate(candidates)]


def _worth(candidate: Candidate) -> float:
    return candidate.confidence * _VALUE[candidate.kind]


def _after(old: Candidate, new: Candidate) -> Candidate:
    """Give `old` as it stands after `new` was said."""
    if old.drop or old.kind not in _CHANGING or new.kind not in _CHANGING:
        return old
    gone = [(m["en"] or m["zh"]).lower() for m in _SCRAPPED.finditer(new.claim)]
    scrapped = any(g in old.claim.lower() for g in gone if g) and _share(old, new) >= _RELATED
    changed = (
        old.kind == new.kind
        and _CHANGE.search(new.claim) is not None
        and _REPLACED <= _share(old, new) < _SAME
        and _values(old) != _values(new)
    )
    if scrapped or changed or _moved_away(old, new):
        return replace(old, drop="replaced later in the session")
    return old


def _moved_away(old: Candidate, new: Candidate) -> bool:
    """Tell whether a new address says that the one named before is over."""
    if new.kind != "deployment" or old.kind not in ("deployment", "service_config"):
        return False
    before, after = set(_HOST.findall(old.claim)), set(_HOST.findall(new.claim))
    return bool(before) and not before & after and _OLD_ADDRESS.search(new.claim) is not None


def _share(a: Candidate, b: Candidate) -> float:
    one, two = words.content(a.claim), words.content(b.claim)
    return len(one & two) / max(1, min(len(one), len(two)))


def _values(c: Candidate) -> frozenset[str]:
    return frozenset(w for w in words.content(c.claim) if any(ch.isdigit() for ch in w) or "/" in w or "." in w)


def _same(old: Candidate, new: Candidate) -> bool:
    if identity.normalise(old.claim) == identity.normalise(new.claim):
        return True
    if old.kind != new.kind or _values(old) != _values(new):
        return False
    one, two = words.content(old.claim), words.content(new.claim)
    if old.asked and new.asked:
        return one == two
    # Where each names something the other does not, they are two statements, however many words they share.
    return _share(old, new) >= _SAME and (not one - two or not two - one)


def _joined(old: Candidate, new: Candidate) -> Candidate:
    keep = new if len(new.claim) > len(old.claim) and new.asked >= old.asked else old
    evidence = (
        *old.evidence,
        *(e for e in new.evidence if (e.entry, e.digest) not in {(o.entry, o.digest) for o in old.evidence}),
    )
    return replace(
        keep,
        evidence=evidence,
        occurrences=old.occurrences + 1,
        rationale=old.rationale or new.rationale,
        confidence=max(old.confidence, new.confidence),
        asked=old.asked or new.asked,
    )
