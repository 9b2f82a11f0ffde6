"""Checks of one file or one entry at a time: version, fields, dates, lengths, evidence, words that give orders."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import msgspec

from omp.checks.files import VERSION, File, Row
from omp.model import CLAIM_LIMIT, CLAIM_WARN, EVIDENCE_LIMIT, QUOTE_LIMIT, Fact, Problem, Refusal, SessionRecord
from omp.yamlfile.convert import to_struct
from omp.yamlfile.nodes import Node

_SEED_ID = re.compile(r"[a-z]+-\d{4}-\d{2}-\d{2}-\d{1,6}")
_ODD_ID = re.compile(r"[\s/\\\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_ID_LIMIT = 100
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.A)
_MOMENT = re.compile(_DAY.pattern + r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", re.A)

THRESHOLDS: dict[str, tuple[float, float]] = {
    "attach": (0, 1),
    "split": (0, 1),
    "merge": (0, 1),
    "max_members": (2, 1000),
    # Names in files of the seed form.
    "attachThreshold": (0, 1),
    "splitThreshold": (2, 1000),
    "mergeThreshold": (0, 1),
}
"""Allowed ranges in `config:` of the theme index: similarities on the calibrated scale, and a number of members."""

_ORDERS = (
    r"(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|of|your|these|those|every|my)\s+){0,3}"
    r"(?:previous|prior|above|earlier|preceding|other|system|safety)\s+(?:\w+\s+)?"
    r"(?:instruction|prompt|rule|message|guideline|direction|order)"
    r"|(?:reveal|print|repeat|show|leak|output)\s+(?:\w+\s+){0,3}(?:system|hidden|initial)\s+(?:prompt|instruction)"
    r"|you\s+are\s+(?:now|no\s+longer)\s+(?:a|an|the|in|bound|allowed|dan)\b"
    r"|(?:do\s+not|don't|never|without)\s+(?:\w+\s+){0,2}(?:tell|telling|inform|informing|mention\w*|alert\w*|show\w*)"
    r"\s+(?:\w+\s+){0,3}(?:the\s+)?(?:user|human|developer|person)\b"
    r"|(?:send|post|upload|exfiltrate|forward|email|leak)\s+(?:\w+\s+){0,5}"
    r"(?:secrets?|credentials?|passwords?|tokens?|api\s*keys?|env\w*|\.env\w*|ssh\s+keys?)\s+(?:\w+\s+){0,2}(?:to|at|via)\b"
    r"|(?:curl|wget)\s[^\n|]*\|\s*(?:ba|z|da)?sh\b"
    r"|</?\s*(?:system|assistant|instructions?|important)\s*>|\[/?(?:INST|SYSTEM)\]|<\|im_(?:start|end)\|>"
    r"|(?:忽略|无视|忘记|忘掉|不要理会|不必理会|覆盖)(?:掉)?(?:所有|全部|一切|你|您|的|之前|以前|先前|此前|上面|上述|以上|前面|任何|这些|那些|系统)"
    r"{1,6}(?:指令|指示|提示词?|规则|命令|要求|约束|设定|消息)"
    r"|(?:透露|泄露|输出|打印|显示|说出|告诉我).{0,8}(?:系统提示|系统指令|隐藏指令|初始提示)"
    r"|(?:你|您)(?:现在|从现在起|不再)(?:是|扮演|受|需要遵守)"
    r"|(?:不要|别|不得|切勿|无需)(?:告诉|告知|通知|提醒|让)(?:用户|使用者|人类|开发者|开发人员)"
    r"|(?:把|将).{0,20}(?:密钥|密码|口令|令牌|凭据|凭证|环境变量).{0,12}(?:发送|发到|上传|传到|转发|提交)(?:到|给|至)?"
)
_ORDER_WORDS = (
    r"instruction|prompt|rule|message|guideline|direction|order|you\s+are|user|human|developer|person|secret|credential"
    r"|password|token|key|env|curl|wget|<|\[|指|提示|规则|命令|要求|约束|设定|消息|你|您|用户|使用者|人|开发|密|口令|令牌|凭|环境变量"
)
"""One of these stands in every order above: most claims need no second look."""


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile when first needed: a hook that looks at no entry pays nothing."""
    return re.compile(source, re.I)


def version(file: File) -> Iterator[Problem]:
    """A file that a later release wrote is read, not written."""
    node = file.document.root.get("version")
    if file.version > VERSION and node is not None:
        message = f"version {file.version} is newer than this release knows ({VERSION}): the file is read, not written"
        yield file.problem(node, "newer-version", message)
    elif node is not None and not file.version and file.sort != "other":
        yield file.problem(node, "schema", "version: expected a whole number", f"write `version: {VERSION}`")


def ids(row: Row) -> Iterator[Problem]:
    """An id is plain text; in files of ours it has our form or that of the seed."""
    from omp.identity import is_id

    identity = row.id
    if not identity or isinstance(row.memory, Fact):
        return
    if len(identity) > _ID_LIMIT or _ODD_ID.search(identity) or identity in (".", ".."):
        yield row.file.problem(row.at("id"), "bad-id", f"{identity[:_ID_LIMIT]!r} cannot be an id")
    elif row.file.version and not is_id(identity) and not _SEED_ID.fullmatch(identity):
        yield row.file.problem(row.at("id"), "id-form", f"{identity}: not an id as omp gives them")


def fields(row: Row) -> Iterator[Problem]:
    """Fields this release does not know are kept, and said."""
    if row.file.version == 0:
        return  # seed form: its own fields are many and known to be others
    for name in row.extra:
        yield row.file.problem(_key_node(row.node, name), "unknown-field", f"{name}: not a field of this kind")


def _key_node(node: Node, name: str) -> Node:
    return node.value[name] if node.kind == "map" and name in node.value else node


def dates(row: Row) -> Iterator[Problem]:
    """Dates and times have one form, so that they sort as they stand."""
    memory = row.memory
    if memory is None:
        return
    told: list[tuple[tuple[str | int, ...], str, re.Pattern[str], str]]
    told = [(("date",), memory.date, _DAY, "2026-03-02")]
    for name in ("created_at", "updated_at"):
        told.append((("timestamps", name), getattr(memory.timestamps, name), _MOMENT, "2026-03-02T10:00:00Z"))
    for n, piece in enumerate(memory.evidence):
        told.append((("evidence", n, "at"), piece.at, _MOMENT, "2026-03-02T10:00:00Z"))
    for path, text, pattern, example in told:
        if text and not _is_time(text, pattern):
            name = ".".join(str(p) for p in path)
            found = row.file.problem(row.at(*path), "date-form", f"{name}: {text[:40]!r}", f"write it like {example}")
            yield found if row.file.version else msgspec.structs.replace(found, severity="warning")


def _is_time(text: str, pattern: re.Pattern[str]) -> bool:
    if pattern.fullmatch(text) is None:
        return False
    if text[8:10] <= "28":
        return True
    from calendar import monthrange

    return int(text[:4]) > 0 and int(text[8:10]) <= monthrange(int(text[:4]), int(text[5:7]))[1]


def claim(row: Row) -> Iterator[Problem]:
    """A claim is there, and short enough to be read."""
    if row.memory is None:
        return
    text = row.memory.claim
    if not text.strip():
        yield row.file.problem(row.at("claim"), "no-claim", f"{row.id} says nothing")
    elif len(text) > CLAIM_LIMIT:
        yield row.file.problem(row.at("claim"), "claim-too-long", f"{len(text)} characters, the limit is {CLAIM_LIMIT}")
    elif len(text) > CLAIM_WARN:
        yield row.file.problem(row.at("claim"), "long-claim", f"{len(text)} characters, more than {CLAIM_WARN}")


def confidence(row: Row) -> Iterator[Problem]:
    """Confidence lies between 0 and 1."""
    if row.memory is not None and not 0 <= row.memory.metadata.confidence <= 1:
        said = f"metadata.confidence: {row.memory.metadata.confidence} is outside 0 to 1"
        yield row.file.problem(row.at("metadata", "confidence"), "confidence", said)


def open_values(file: File) -> Iterator[Problem]:
    """No plain value of the file waits for a choice."""
    node = file.document.root.get("_meta", "conflict")
    told = node.get("status") if node is not None else None
    if node is not None and told is not None and told.value == "detected":
        values = node.get("values")
        changed = ", ".join(sorted(values.value)) if values is not None and values.kind == "map" else "a value"
        said = f"two branches changed {changed}, and nobody has chosen yet"
        mend = "set the right value, and `status: resolved` in _meta.conflict"
        yield file.problem(node, "conflict-detected", said, mend)


def status(row: Row) -> Iterator[Problem]:
    """Status and `superseded_by` agree; nothing waits for a choice."""
    memory = row.memory
    if memory is None:
        return
    if memory.superseded_by and memory.status == "active":
        said = f"{row.id} is active although {memory.superseded_by} supersedes it"
        yield row.file.problem(row.at("superseded_by"), "status-mismatch", said)
    elif memory.status == "superseded" and not memory.superseded_by:
        said = f"{row.id} is superseded, but `superseded_by` does not say by what"
        yield row.file.problem(row.at("status"), "status-mismatch", said, "name the newer entry in superseded_by")
    if memory.conflict is not None and memory.conflict.status == "detected":
        changed = ", ".join(sorted(memory.conflict.values)) or "the entry"
        said = f"{row.id}: two branches changed {changed}, and nobody has chosen yet"
        mend = f"omp resolve {row.id} --take ours|theirs|TEXT"
        yield row.file.problem(row.at("conflict"), "conflict-detected", said, mend)


def evidence(row: Row) -> Iterator[Problem]:
    """Quotes fit their digests and the limits."""
    if row.memory is None or not row.memory.evidence:
        return
    from omp.identity import quote_digest

    pieces = row.memory.evidence
    if len(pieces) > EVIDENCE_LIMIT:
        said = f"{len(pieces)} pieces of evidence, the limit is {EVIDENCE_LIMIT}"
        yield row.file.problem(row.at("evidence"), "evidence-limit", said, "keep the first and the last four")
    for n, piece in enumerate(pieces):
        if len(piece.quote) > QUOTE_LIMIT:
            said = f"a quote of {len(piece.quote)} characters, the limit is {QUOTE_LIMIT}"
            yield row.file.problem(row.at("evidence", n, "quote"), "evidence-limit", said)
        if piece.quote and piece.digest and quote_digest(piece.quote) != piece.digest:
            said = f"the quote from {piece.agent} {piece.entry} does not fit its digest: it was edited"
            yield row.file.problem(row.at("evidence", n, "digest"), "evidence-edited", said)


def fact_value(row: Row) -> Iterator[Problem]:
    """The metadata of a fact speaks about the value that stands there."""
    from omp.entries import value_digest

    fact = row.memory
    if isinstance(fact, Fact) and fact.of and value_digest(fact.value) != fact.of:
        said = f"{fact.pointer} was changed after it was recorded: its evidence speaks of another value"
        yield row.file.problem(row.node, "fact-edited", said)


def orders(row: Row) -> Iterator[Problem]:
    """Words that give orders to an agent do not belong into a memory."""
    memory = row.memory
    if memory is None:
        return
    for name in ("claim", "title", "choice", "rationale", "context", "why_useful", "root_cause", "next_action"):
        text = getattr(memory, name, "")
        if text and _pattern(_ORDER_WORDS).search(text) and (found := _pattern(_ORDERS).search(text)):
            said = f"{name} holds words that give orders to an agent: {' '.join(found[0].split())[:60]!r}"
            yield row.file.problem(row.at(name), "injection", said)
            return


def thresholds(file: File) -> Iterator[Problem]:
    """Thresholds of the theme index are numbers in their range."""
    node = file.document.root.get("config")
    if file.sort != "themes" or node is None:
        return
    if node.kind != "map":
        yield file.problem(node, "schema", "config: expected fields here", "write `attach: 0.62` and so on below it")
        return
    for name, inner in node.value.items():
        if name not in THRESHOLDS:
            continue
        low, high = THRESHOLDS[name]
        whole = high > 1
        value = inner.python()
        fits = (
            isinstance(value, int if whole else (int, float)) and not isinstance(value, bool) and low <= value <= high
        )
        if not fits:
            kind = "a whole number" if whole else "a number"
            shown = inner.value if inner.kind == "scalar" else inner.kind
            yield file.problem(
                inner, "threshold", f"config.{name}: {shown!r} is not allowed: {kind} from {low} to {high}",
                f"write {kind} from {low} to {high}; until then the last good value stays in force",
            )  # fmt: skip


def settings(file: File) -> Iterator[Problem]:
    """`_omp/config.yaml` has only keys that a repository may set."""
    if file.sort != "config" or not file.document.root.value:
        return
    from omp import config  # brings time zones along, which most files do not need

    _, extra, problems = to_struct(file.document.root, config.Shared, file.path)
    yield from problems
    for name in extra:
        node = file.document.root.value[name]
        if name in config.PERSONAL_KEYS:
            yield file.problem(
                node, "personal-key", f"{name}: only the user's own settings may say this; it is ignored"
            )
        else:
            yield file.problem(node, "unknown-field", f"{name}: not a setting", "see references/config.md for the keys")


def rows_of_others(file: File) -> Iterator[Problem]:
    """Rows of refused.yaml and of session files have their fields."""
    key, kind = ("refused", Refusal) if file.sort == "refused" else ("sessions", SessionRecord)
    if file.sort not in ("refused", "sessions"):
        return
    node = file.document.root.get(key)
    if node is None or (node.kind == "scalar" and node.plain and not node.value):
        return
    if node.kind != "seq":
        yield file.problem(node, "schema", f"{key}: expected a list")
        return
    for item in node.value if file.version else ():
        yield from to_struct(item, kind, file.path)[2]
