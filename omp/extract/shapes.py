"""Texts that are nobody's statement whatever they say: code and output, other languages, values of secrets."""

from __future__ import annotations

import re

from omp.extract.text import Sentence

_CODE = re.compile(
    r"^\s*(?:at [\w.$<]+ ?\(|at \w+$|import |from \w[\w.]* import|const |let \w+ =|var |def \w+\("
    r"|class \w+[:({]|export |return |function |<[/\w!]|\$ |#!|#include|\+\+\+|---|@@|diff --git"
    r"|File \"|Traceback|Caused by|['\"]?/(?:var|Users|home|tmp|private|etc|opt)/\S+.*\.\w{2,4}['\"]?$|[│|├└]"
    r"|\d+ ?[│|]|['\"]?/[\w./~-]+['\"]?$|-[HFXd] |[{}\[\]]|//|/\*|\*\*?[A-Z]\w+ `)|[;{}]\s*$|=>|</|/>|\w\(\)|&&"
    r"|\|\||::"
)
_CODE_MARKS = re.compile(r"[{}<>;=│\\$]")
_KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff]")
_FOREIGN = re.compile(
    r"[ãõçñßøåæœêûîôëïáéíóúâàèùäöü]|\b(?:que|para|uma|não|los|las|una|por|les|des|und|der|die|nicht|est|avec"
    r"|pour|wir|ist|het|niet|che|della|sono)\b",
    re.IGNORECASE,
)


def code_shaped(text: str) -> bool:
    """Tell whether a sentence is code, output or a bare path rather than somebody's words."""
    return _CODE.search(text) is not None or len(_CODE_MARKS.findall(text)) > 0.05 * len(text)


def foreign(text: str) -> bool:
    """Tell whether a text is in neither of the languages of the rules, whose weak signs would misread it."""
    if _KANA.search(text):
        return len(_KANA.findall(text)) >= 3
    return len(_FOREIGN.findall(text)) >= max(2, len(text.split()) // 8)


_SECRET = re.compile(
    r"(?:password|passwd|secret|api ?key|\bkey\b|token|credential|密码|密钥|口令|令牌"
    r"|钥匙)[^。.\n]{0,12}?\s[\w!@#$%^&*-]*(?:\d[\w-]*[a-z]|[a-z]+-\d+|[a-z]-[a-z\d]+-[a-z\d]+)|\[REDACTED:"
    r"|(?:密码|密钥|口令|令牌)\s*[A-Za-z0-9-]{6,}",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(
    r"(?<![\w./-])(?:[a-z]{2,}-[a-z]{2,}-\d{1,4}|[a-z]{2,}-\d{1,4}-[a-z]{2,}"
    r"|[A-Za-z]+\d[A-Za-z]*\d[A-Za-z\d]{3,})(?![\w./-])",
    re.ASCII,
)
_SECRET_TALK = re.compile(
    r"password|passwd|passphrase|secret|\bkey\b|api.?key|token|credential|密码|密钥|口令|令牌|钥匙|凭证", re.IGNORECASE
)


def secret_shaped(text: str) -> bool:
    """Tell whether a sentence hands over a secret or holds a mark: such a sentence never joins a claim."""
    return _SECRET.search(text) is not None


_THE_OTHER = re.compile(r"\b(?:old|new|former|it's|it is) |[旧新老]的|那个|原来的", re.IGNORECASE)


def secret_sentences(said: list[Sentence]) -> set[int]:
    """Give the places of sentences that may hold a secret's value, in a message that talks of keys."""
    if not any(_SECRET_TALK.search(s.text) for s in said):
        return set()
    return {
        n
        for n, s in enumerate(said)
        if secret_shaped(s.text)
        or (_CODE_WORD.search(s.text) and (_SECRET_TALK.search(s.text) or _THE_OTHER.search(s.text)))
    }
