"""What a fact is about, as a name for its place in project.yaml: "The staging API is at ..." is `staging-api`.

A later statement about the same thing must land in the same place, and one about another thing must not, so the name
is made of the words of the subject, without values, verbs and adverbs.
"""

from __future__ import annotations

import re

from omp import entries

MOST_WORDS = 5
"""Words of a name; more are a sentence, not a name."""

_VALUE = re.compile(
    r"https?://\S+|`[^`]*`|[\"“”'‘’「」][^\"“”'‘’「」]*[\"“”'‘’「」]"
    r"|(?:[~.]{0,2}/)?[\w.-]+(?:/[\w.*-]+)+/?|(?<![\w-])v?\d[\w.:,]*(?:\s?(?:%|[smhd]|ms|[kmg]i?b|[a-z]+))?(?![\w-])",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.-])\d[\d.,:_]*\s?(?:%|(?:ms|s|min|minutes?|seconds?|hours?|days?|[kmg]i?b|rps|qps)(?![a-z]))?"
    r"(?:\s?(?:毫秒|秒钟?|分钟|小时|天|个?月|次|个|兆))?",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|lives?|lies?|sits?|goes|go|runs?|listens?|stays?|moved?|moves|points?|serves?|stands?|found"
    r"|kept|stored|deployed|hosted|set|uses?|reads?|writes?)\b"
    r"|[在是走用放到于为存]|换成|改成|改为|设为|设成|部署|搬到|移到|挪到|位于|指向|监听",
    re.IGNORECASE,
)
_EMPTY_WORDS = """
a all also always an and any are as at be been by can current currently default each every for from go goes good here
i in is it its just live lives must new now of ok okay old on only or our please right should so still that the their
then there these they this those to up was we were will with yeah yes you your already my
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_ADVERBS = re.compile(
    r"往后|以后|现在|目前|一律|统一|已经|都|就|了|的|吧|哦|对|嗯|好|从今天起|今后|默认|我们|咱们|这个|那个|这边|把|将|请|以前|不再"
)
_TOKEN = re.compile(r"[A-Za-z][\w.+-]*|[\u3400-\u9fff\uf900-\ufaff]+")


def subject(claim: str) -> str:
    """Give the name of what a claim speaks of: those before its verb, else those behind it, or ""."""
    bare = _VALUE.sub(" ", claim)
    verb = _VERB.search(bare)
    before, after = (bare[: verb.start()], bare[verb.end() :]) if verb else (bare, "")
    return _name(before) or _name(re.split(r"[,，。;；.!?！？]", after, maxsplit=1)[0]) or _name(bare)


def setting(claim: str) -> str:
    """Give the name of what a claim sets: all its words but the value."""
    return _name(_VALUE.sub(" ", claim))


def value(claim: str) -> str:
    """Give the one value a claim holds, as it was said; the whole claim when there is none or more than one."""
    quoted = re.findall(r"`([^`]+)`", claim)
    numbers = [n[0].strip() for n in _NUMBER.finditer(claim)]
    if len(quoted) == 1 and not numbers:
        return str(quoted[0])
    return numbers[0] if len(numbers) == 1 and not quoted else claim


def _name(text: str) -> str:
    said = [t for t in _TOKEN.findall(_ADVERBS.sub(" ", text)) if t.lower() not in _EMPTY]
    return entries.slug(" ".join(said[:MOST_WORDS]))
