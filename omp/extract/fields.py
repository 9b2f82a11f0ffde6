"""The fields of each kind, found in the statement itself: choice, alternatives, reason, cause, next action, value."""

from __future__ import annotations

import re

from msgspec.structs import replace

from omp import entries
from omp.extract import naming
from omp.extract import text as words
from omp.model import Candidate

_URL = re.compile(r"https?://[^\s，。；、）)>,]+", re.ASCII)
_SETTING = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+|[A-Z]?[a-z]+[A-Z][A-Za-z]+"
    r"|[\w-]+\.(?:toml|ya?ml|json|ini|conf|cfg))(?![A-Za-z0-9_])"
)
_PATH = re.compile(r"(?<![\w:/.@-])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.*-]*", re.ASCII)
_REASON = re.compile(
    r"(?:\bbecause\b|\bsince (?=the|it|we|they|our)|\bso that\b|\bas (?=the|they|it)|因为|原因是|毕竟|免得|省得"
    r"|理由是)[:：,，]?\s*(?P<reason>[^。]{4,240})",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"(?:\binstead of|\brather than|\bnot|\bscrap|\bover|\bdrop|\bno more|\bfrom)\s+(?P<en>[\w.+/-]+(?: [\w.+/-]+)?)"
    r"|(?:不用|不再用|而不是|不搞|不上|别再用|弃用|淘汰|替掉|代替)(?P<zh>[^，。、；]{1,20})",
    re.IGNORECASE,
)
_RETIRES = re.compile(
    r"\b(?:switch(?:ed|ing)?|mov(?:ed|ing)|migrat(?:ed|ing)|chang(?:ed|ing)|went) from (?P<en>[\w.+/-]+)"
    r"|\b(?:scrap|no longer(?: use)?|don't use|stop using) (?P<scrap>[\w.+/-]+)"
    r"|从\s*(?P<zh>[\w.+/\u4e00-\u9fff-]{1,16}?)\s*(?:换|改|迁|切|搬)|(?:不再用|别再用"
    r"|弃用)(?P<zh2>[^，。；\s]{1,16})",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"^(?:no|not)\s+(?P<no>[\w.+/-]+)\s*$|^(?P<too>[\w.+/-]+)(?: is| are|'s)? (?:too|overkill)\b.*$"
    r"|^(?P<zh>[\w.+/\u4e00-\u9fff-]{1,12}?)太.{1,6}$",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?:the )?(?P<attr>port|timeout|retention|region|version|url|address|branch|schedule|owner|limit|format"
    r"|database|queue|cache) (?:of|for|on) (?:the )?(?P<subj>[\w.-]+(?: [\w.-]+)?)"
    r"|(?P<subj2>[\w\u4e00-\u9fff.-]{2,16})的(?P<attr2>端口|超时|地址|版本|分支|负责人|上限|格式|数据库|队列|缓存)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,，;；。.!！?？\n]+")
_STEP = re.compile(
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next (?:week|step|month)|\bask|\bcall"
    r"|\bring|\bping|\bchase|\bagenda|\bthe \d+(?:st|nd|rd|th)|\bthen we"
    r"|周[一二三四五六日天]|下周|明天|明早|下个?月|例会|问|约了|拍板|跑一遍|确认|对一下|开会|要一份",
    re.IGNORECASE,
)


def filled(candidate: Candidate) -> Candidate:
    """Give the candidate with the fields its kind has, as far as the statement shows them."""
    claim = candidate.claim
    changes: dict[str, object] = {}
    retired = _RETIRES.search(claim)
    if retired:
        changes["retires"] = next(v for v in retired.groupdict().values() if v)
    named = _ATTRIBUTE.search(claim)
    if named:
        changes["subject"] = (named["subj"] or named["subj2"]).strip()
        changes["attribute"] = (named["attr"] or named["attr2"]).strip()
    if candidate.kind == "decision":
        changes |= {"choice": candidate.choice or claim, "alternatives": candidate.alternatives or _alternatives(claim)}
    elif candidate.kind == "lesson":
        changes["root_cause"] = candidate.root_cause or claim
    elif candidate.kind == "open_question":
        changes["next_action"] = _step(claim)
    changes |= _fact(candidate)
    return replace(candidate, **changes)


def reason_in(claim: str) -> str:
    """Give the reason that a claim states itself ("because ...", 因为...), or ""."""
    found = _REASON.search(claim)
    return found["reason"].strip() if found else ""


def rejected(sentence: str) -> str:
    """Give the option that a short sentence turns down ("Not Celery.", "Cron is too weak."), or ""."""
    found = _REJECTED.match(words.unfilled(sentence).strip(" .。!！"))
    return next((v for v in found.groupdict().values() if v), "") if found else ""


def _alternatives(claim: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((m["en"] or m["zh"]).strip() for m in _OVER.finditer(claim)))


def _step(claim: str) -> str:
    clauses = [m[0].strip() for m in _CLAUSE.finditer(claim) if _STEP.search(m[0])]
    return ", ".join(clauses) if clauses and not words.chinese(claim) else "，".join(clauses)


def _fact(candidate: Candidate) -> dict[str, object]:
    claim = candidate.claim
    if candidate.kind == "deployment":
        url = _URL.search(claim)
        if not url:
            return {}
        address = url[0].rstrip("/.")
        name = naming.subject(claim) or entries.slug(address.partition("://")[2].partition("/")[0])
        return {"pointer": entries.pointer_of("deployment", name, "url"), "value": address}
    if candidate.kind == "service_config":
        named = _SETTING.search(claim)
        name = entries.slug(named[0]) if named else naming.setting(claim)
        return {"pointer": entries.pointer_of("services", name or "setting"), "value": naming.value(claim)}
    if candidate.kind == "path":
        paths = [m[0] for m in _PATH.finditer(claim) if "://" not in m[0]]
        if not paths:
            return {}
        name = naming.subject(claim) or entries.slug(paths[0]) or "path"
        return {"pointer": entries.pointer_of("paths", name), "value": paths[0]}
    return {}
