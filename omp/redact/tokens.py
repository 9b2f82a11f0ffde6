# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Tokens known by their own form: provider prefixes, JSON web tokens, webhook addresses. No context needed.

The engine knows several hundred forms too, but wants a certain character behind a value and a word boundary before
it; these rules hold inside Chinese sentences, at the end of a sentence and for values cut short.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from omp.redact.marks import Hit
from omp.redact.values import is_placeholder, looks_random, wordiness

if TYPE_CHECKING:
    from omp.redact.runs import Run, Sight


class Form(NamedTuple):
    """A form of key or token: rule id, type of mark, pattern, whether what follows its prefix must look random."""

    id: str
    type: str
    pattern: re.Pattern[str]
    random: bool


class Forms(NamedTuple):
    """All forms: by the first two characters of a value, and by a literal inside it and how many characters stand before that."""

    by_start: dict[str, tuple[Form, ...]]
    by_literal: tuple[tuple[str, int, Form], ...]


@cache
def forms() -> Forms:
    """Read the forms from `rules/secrets.yaml`, once."""
    from omp import resources, yamlfile

    by_start: dict[str, list[Form]] = {}
    by_literal: list[tuple[str, int, Form]] = []
    for row in yamlfile.load(resources.read("rules/secrets.yaml"), "rules/secrets.yaml").plain()["forms"]:
        form = Form(row["id"], row["type"], re.compile(row["pattern"]), bool(row.get("random")))
        if "has" in row:
            by_literal += [(row["has"], int(n), form) for n in str(row["before"]).split()]
        for two in {start[:2] for start in row.get("starts", "").split()}:
            by_start.setdefault(two, []).append(form)
    return Forms({k: tuple(v) for k, v in by_start.items()}, tuple(by_literal))


_EDGE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_PREFIX = re.compile(r"(?:[A-Za-z0-9]{1,10}[_-]){1,2}")
_INSIDE = re.compile(
    r"(?:sk-(?:ant-|proj-|or-)?|gh[pousr]_|github_pat_|glpat-|xox[baprs]-|npm_|hf_|[rs]k_live_)[A-Za-z0-9_-]{20,}|AIza[0-9A-Za-z_-]{35}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}"
)
_BLOB = 160
"""Characters of an unbroken run from which on it is no word list: a known prefix counts anywhere inside."""
_JWT = re.compile(r"(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{10,}\.(?:ey)?[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3}")
_HOOKS = re.compile(
    r"""(?x)
    oapi\.dingtalk\.com/robot/send\?access_token=([A-Za-z0-9]{20,})
    |open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{20,})
    |qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([A-Za-z0-9-]{20,})
    |hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})
    |(?:discord|discordapp)\.com/api/(?:v\d+/)?webhooks/\d{6,}/([A-Za-z0-9_-]{20,})
    |[a-z0-9-]+\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})
    |hooks\.zapier\.com/hooks/catch/(\d+/[A-Za-z0-9]+)
    |maker\.ifttt\.com/(?:trigger|use)/[^\s"'<>]{0,60}?(?:key/)?([A-Za-z0-9_-]{20,})
    |sctapi\.ftqq\.com/(SCT[A-Za-z0-9]{16,})
    |api\.day\.app/([A-Za-z0-9]{20,})
    |api\.telegram\.org/bot(\d{6,}:[A-Za-z0-9_-]{20,})
    |chat\.googleapis\.com/v1/spaces/[^\s"'<>]{0,40}?[?&]key=([A-Za-z0-9_%=&-]{20,})
    """
)
_HOOK_HINT = ("/hook", "webhook", "robot/send", "hooks.", "ftqq", "day.app", "telegram.org", "ifttt", "chat.googleapis")


def find(seen: Sight) -> list[Hit]:
    """Find tokens by their own form in one view. Linear in the length of the text."""
    text, runs = seen.text, seen.runs
    hits: list[Hit] = []
    if runs:
        table, literals = forms()
        for run in runs:
            hits += _in_run(text, run, table, literals)
    if "ey" in text:
        for m in _JWT.finditer(text):
            if is_jwt(m.group()):
                hits.append(Hit(m.start(), m.start() + len(m.group().rstrip(".")), "jwt", "jwt"))
    if any(hint in text for hint in _HOOK_HINT):
        for m in _HOOKS.finditer(text):
            group = m.lastindex or 0
            if not is_placeholder(m.group(group)) and any(c.isdigit() for c in m.group(group)):
                hits.append(Hit(m.start(group), m.end(group), "webhook", "webhook"))
    return hits


def _in_run(
    text: str, run: Run, table: dict[str, tuple[Form, ...]], literals: tuple[tuple[str, int, Form], ...]
) -> list[Hit]:
    """Try the forms at each edge of one run."""
    start, end = run
    hits: list[Hit] = []
    piece = text[start:end]
    for edge in _EDGE.finditer(piece):
        at = edge.start()
        for form in table.get(piece[at : at + 2], ()):
            m = form.pattern.match(piece, at)
            if m and accept(m.group(), form):
                hits.append(Hit(start + at, start + m.end(), form.type, form.id))
    for literal, before, form in literals:
        place = piece.find(literal, before)
        while place >= 0:
            at = place - before
            m = form.pattern.match(piece, at)
            if m and (at == 0 or not piece[at - 1].isalnum()) and accept(m.group(), form):
                hits.append(Hit(start + at, start + m.end(), form.type, form.id))
            place = piece.find(literal, place + 1)
    if end - start >= _BLOB:
        for m in _INSIDE.finditer(piece):
            if not is_placeholder(m.group()) and wordiness(m.group()) < 0.5:
                hits.append(Hit(start + m.start(), start + m.end(), "token", "inside-blob"))
    return hits


def accept(value: str, form: Form) -> bool:
    """Tell whether a value of a known form is a real one: no placeholder, and random behind its prefix."""
    if is_placeholder(value):
        return False
    prefix = _PREFIX.match(value)
    body = value[prefix.end() :] if prefix else value
    if form.id == "kubeadm":
        digits = sum(c.isdigit() for c in value)
        return looks_random(value.replace(".", ""), 20) and digits >= 4 and wordiness(value) < 0.2
    if form.random:
        return looks_random(body or value, 16)
    return len(set(body or value)) >= 6 and (value.isupper() or wordiness(body or value) < 0.8)


def is_jwt(value: str) -> bool:
    """Tell whether the first segment of a dotted value is a JSON object in base64url."""
    head = value.partition(".")[0]
    try:
        raw = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))
    except (binascii.Error, ValueError):
        return False
    return raw.startswith(b'{"') and b":" in raw
