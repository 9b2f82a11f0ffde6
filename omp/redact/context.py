# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Values told by what stands before them: key words in English and Chinese, then a separator, then a value.

Works the same in prose, code, environment files, YAML, JSON (escaped too), tables and command lines. A key word alone
is never a finding; the value must look like one, the more so the looser the words bind.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from omp.redact import stems
from omp.redact.marks import Hit
from omp.redact.runs import Sight, places
from omp.redact.values import (
    entropy,
    is_dull,
    is_hex,
    is_placeholder,
    looks_like_code,
    looks_random,
    passwordish,
    wordiness,
)

_WORDS = re.compile(
    r"""(?ix)
    (?P<pass>pass[-_ ]?(?:word|wd|phrase|code|wort)|(?<![a-z])pass(?![a-z])|pwd|(?<![a-z])pw(?![a-z])|(?<![a-z])psw
        |(?<![a-z])pin(?![a-z])|(?-i:Pass|PASS|Pwd|Pin)(?![a-z])|contraseña|senha|mot\ de\ passe|kennwort|パスワード|비밀번호
        |密码|密碼|口令|通行码|暗号|PIN码|提取码|取件码|开门码|门禁码)
    |(?P<code>恢复码|恢复代码|备用码|备份码|(?:recovery|backup|scratch|one[- ]time|2fa|mfa|otp|verification|security)[-_ ]?codes?|动态码|验证码)
    |(?P<token>secret|token|credential|authorization|bearer|signature|passkey|licen[sc]e[-_ ]?key|(?<![a-z])sig(?![a-z])|webhook
        |api[-_ ]?key|auth[-_ ]?key|access[-_ ]?key|app[-_ ]?key|private[-_ ]?key|(?<![a-z])(?:ak|sk|pat|jwt|dsn|otp|salt)(?![a-z])
        |(?<![a-z])key(?![a-z])|(?-i:Key)(?![a-z])|(?<=[A-Z])KEY(?![A-Z])|(?<![a-z])keys?(?=\ is\ )|authkey|secretkey|accesskey|accountkey
        |session[-_ ]?(?:id|key|cookie)|sessid|(?<![a-z])sid(?![a-z])|cookie
        |密钥|密鑰|秘钥|密匙|令牌|权杖|私钥|凭证|凭据|授权码|访问码|激活码|签名|公钥(?=私钥)|钥匙)
    """
)
"""Three strengths: `pass` (the value may be weak), `code` (short codes), `token` (the value must look drawn at random)."""

_NOT_AFTER = re.compile(
    r"(?ix)[-_.]?(?:polic|hash|digest|length|len(?![a-z])|min(?![a-z])|max(?![a-z])|field|input|form|label|hint|prompt|reset|type|kind|name(?![a-z])|names|path|file|dir|url|uri|"
    r"endpoint|ttl|expir|lifetime|timeout|age(?![a-z])|count|limit|budget|usage|bucket|ring|board|stroke|word(?!s?\b.{0,3}[:=])|manager|store|vault|rotation|auth(?![a-z])|less|"
    r"provider|service|generator|validator|verif|check|strength|required|enabled|require|format|pattern|regex|prefix|suffix|version|alg|mode|scope|ref(?![a-z])|selector|ize|iz|"
    r"s?_per|s?_used|_in(?![a-z])|_out(?![a-z])|_?index|_?column|_?order|map(?![a-z])|code(?![a-z])|err|fail|event|handler|class|style|source|header|param)"
)
_IDENT_LEFT = re.compile(r"[A-Za-z0-9_.\-$]{0,48}$")
_IDENT_RIGHT = re.compile(r"[A-Za-z0-9_\-]{0,40}")
_NOT_BEFORE = re.compile(
    r"(?i)(?<![a-z])(?:public|primary|foreign|partition|sort|cache|idempotency|i18n|translation|locale|react|object|dict|json|yaml|unique|composite|row|"
    r"hot|arrow|shift|enter|tab|esc|map|next|cancel|csrf_?|stop|max|min|num|n|total|prompt|completion|input|output|context|eos|bos|pad|special|"
    r"design|host|known|fingerprint|dedup\w*|group|order|shard|bucket|lookup|index|hash|memory|entry|record|kv|no|any|new line|thinking|reasoning|cached|"
    r"token of|invalid|missing|wrong|duplicate)[-_. ]?$"
)

_OPEN = r"(?P<q>\\{0,3}[\"'`]{1,3}|[「『“‘《【（(<\[]|\*\*|__)?"
_ASSIGN = re.compile(
    r"(?:\\{0,3}[\"'`]{1,3})?(?:\*{1,2}|[\])）」』”’]{1,2}|</[a-z]{1,8}>)?\s{0,4}"
    r"(?::\s?(?:str|string|String|bytes|SecretStr|&str|&'static str|Optional\[str\]|char\*?)\s?=|(?<![=!<>])(?:===?|=>|:=|\?=|\+=|=|:|：|＝|->|→|—>|⇒|>)|!=)"
    r"\s{0,4}(?:[>|][-+]?[ \t]*\n\s{1,40})?(?:\\{0,3}[rbuf]?(?=[\"'`]))?" + _OPEN
)
_TABLE = re.compile(r"[`*\"' \t]{0,4}\|[`*\"' \t]{0,4}(?P<q>)")
_LISTED = re.compile(
    r"[\"']?[ \t,]*(?:\\n|\n)?[ \t]*(?:-[ \t]*)?[\"']?(?:value|Value|VALUE|default|val)[\"']?[ \t]*[:=][ \t]*(?P<q>\\?[\"'])?"
)
_CALL = re.compile(r"(?:[\"']\s{0,2},|\()\s{0,4}(?P<q>[\"'])")
_FLAG = re.compile(r"(?:[ \t]+|=)(?P<q>[\"'])?")
_XML = re.compile(r"\s{0,2}(?:[\"']\s+value\s*=\s*(?P<q>[\"']))")
_SAID_EN = re.compile(
    r"(?ix)(?:[)\"'`]{0,2}\s+\(?(?:for|of|to|on|in|at|from|used\ by|we\ use|user)\b(?:\s+[^\s,;:.\n]{1,30}){1,6}?)?[)\"'`]{0,2}"
    r"(?:(?:\s+(?:is|was|are|=|should\ be|will\ be|must\ be|became|equals|reads|being|stays|remains)\s*"
    r"(?::|still|now|currently|always|just|set\ to|literally|the|both|probably|actually)?"
    r"|\s+(?:(?:has|have|was|is|got|been|just|now)\s+){0,3}(?:changed|set|reset|updated|rotated|switched|moved|back)?\s*to(?:\s+be)?"
    r"|'s|\s+(?:->|=>)|,?\s+i\.e\.|\s+(?:called|named|like|remains|again))\s+|\s*[:：]\s*)" + _OPEN
)
_BOND_ZH = r"\s?(?:：|:|=|是|为|為|成了?|到|→|(?=[「『“\"'`【]))\s{0,3}\n?"
_SAID_ZH = re.compile(
    r"[^\n，。；;,！!？?：:=\\\"'`\x00]{0,14}?(?:是|为|為|成了?|叫做?|用的?|填写?|改为|设为|等于|就|给你|如下|在这|发你)?"
    + _BOND_ZH
    + _OPEN
)
_SAID_MIXED = re.compile(
    r"[ \t]?[^\x00-\x7f，。；：]{0,14}?(?:是|为|為|成了?|填|用|设|写|叫)?"
    + _BOND_ZH.replace("成了?|", "成了?|填|用|设|写|叫|")
    + _OPEN
)
_SAID_ZH_TIGHT = re.compile(r"\s{0,2}" + _OPEN + r"(?=[!-~])")
_NEXT = re.compile(r"\s{1,2}" + _OPEN)
_USUAL = 256
"""Characters of a bare value that are read at once; only encoded values may be longer."""
_LONG_BARE = re.compile(r"[A-Za-z0-9+/_.=~-]{1,8192}")
_ENCODED = re.compile(r"[A-Za-z0-9+/_.~-]+")
_BARE = re.compile(
    r"[^\s\"'`<>|\x00，。；：、！？（）「」『』“”‘’《》【】…\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]{1,256}"
)
_CLOSERS = {
    "「": "」",
    "『": "』",
    "“": "”",
    "‘": "’",
    "《": "》",
    "【": "】",
    "（": "）",
    "(": ")",
    "<": ">",
    "[": "]",
}
_FAR = re.compile(r"(?<![A-Za-z0-9_./@#%+=-])(?P<v>[A-Za-z0-9][A-Za-z0-9_./+=~-]{15,4095})")
_SPOILS = re.compile(
    r"(?i)sha-?\d|md5|checksum|digest|commit|fingerprint|hash|integrity|revision|uuid|trace|span|request[-_ ]?id|thread|message id|public|pub\b|id_|etag|指纹|哈希|校验和|提交|公钥"
)


class _Word(NamedTuple):
    kind: str
    start: int
    end: int
    text: str
    upper: bool
    """Written like an environment variable."""


_STEMS = (*stems.PASSWORDS, *stems.CODES, *stems.TOKENS)


def find(seen: Sight) -> list[Hit]:
    """Find values by the key words before them in one view."""
    text = seen.text
    hits: list[Hit] = []
    done = 0
    for at in places(seen, _STEMS):
        m = _WORDS.match(text, at) if at >= done else None
        if m is None:
            continue
        done = m.end()
        word = _word(text, m)
        if word is None:
            continue
        hit = _judge(text, word)
        if hit is not None:
            hits.append(hit)
    return hits


def _word(text: str, m: re.Match[str]) -> _Word | None:
    """Widen a key word to the identifier around it; None when the identifier names something else (`password_hash`)."""
    start, end = m.span()
    kind = m.lastgroup or "token"
    if text[start : start + 1].isascii():
        left = _IDENT_LEFT.search(text, max(0, start - 48), start)
        before = left.group() if left else ""
        if (
            kind == "token"
            and _NOT_BEFORE.search(text[max(0, start - 24) : start])
            and not before.rpartition(".")[2].isupper()
        ):
            return None
        right = _IDENT_RIGHT.match(text, end)
        after = right.group() if right else ""
        if after and _NOT_AFTER.match(after):
            return None
        start -= len(before)
        end += len(after)
    name = text[start:end]
    return _Word(kind, start, end, name, name.isupper() and len(name) > 3 and name.isascii())


def _judge(text: str, word: _Word) -> Hit | None:
    """Try the ways a value can follow, tightest first."""
    zh = not word.text[-1].isascii()
    for form, how in ((_ASSIGN, "assign"), (_TABLE, "table"), (_LISTED, "listed"), (_XML, "assign"), (_CALL, "listed")):
        m = form.match(text, word.end)
        if m:
            span = _value(text, m)
            if span and _accept(text, span, m.group("q") or "", word, how):
                return _hit(word, span, how)
            if how == "assign":
                break
    if text[word.start : word.start + 2] == "--" or text[word.start - 1 : word.start] == "-":
        m = _FLAG.match(text, word.end)
        span = _value(text, m) if m else None
        if m and span and _accept(text, span, m.group("q") or "", word, "assign"):
            return _hit(word, span, "flag")
    for form, how in (
        ((_SAID_ZH, "said"), (_SAID_ZH_TIGHT, "tight"))
        if zh
        else ((_SAID_EN, "said"), (_SAID_MIXED, "said"), (_NEXT, "tight"))
    ):
        m = form.match(text, word.end)
        if m:
            span = _value(text, m)
            if span and _accept(text, span, m.group("q") or "", word, how):
                return _hit(word, span, how)
    if word.kind == "code":
        return None
    hit = _far(text, word) if word.kind == "token" else _far_password(text, word)
    return hit or _before(text, word)


_LOOSE = re.compile(
    r"(?<![^\s\"'`(（「“：:，,是为成])(?P<v>[^\s\"'`<>()（）「」“”，。；：、！？\u2e80-\u9fff\x00]{6,40})"
)
_BOND = re.compile(
    r"(?:\b(?:is|now|to|was|as|use|using|remains|stays|be|like)|[:：=是为成用叫改(（「“]|那个|个)\s{0,2}[\"'`]?$"
)
_IDENTIFIED = re.compile(r"--?\w|[A-Za-z_]+=\S*|.*[/\\\[\]{}|].*|.*\w\.\w+$|[\w.+-]+@[\w-]+\.[\w.]+")


def _plausible(value: str, bound: bool) -> bool:
    """A password some words away: several kinds of characters, the fewer the closer it is bound."""
    if _IDENTIFIED.fullmatch(value) or not passwordish(value) or not any(c.islower() for c in value):
        return False
    signs = any(c in "!@#$%^&*+=?~" for c in value)
    digits = sum(c.isdigit() for c in value)
    kinds = sum((digits > 0, any(c.isupper() for c in value), any(c.islower() for c in value), signs))
    return (kinds >= 3 and signs) or (bound and digits >= 2 and kinds >= 2 and not is_hex(value))


def _far_password(text: str, word: _Word) -> Hit | None:
    """A password later in the same sentence: "the password was reset, it's now ..."."""
    if word.text.lower() in ("pass", "pin", "pw") and word.text.islower():
        return None
    stop = min(len(text), word.end + 48)
    for m in _LOOSE.finditer(text, word.end, min(len(text), stop + 40)):
        gap = text[word.end : m.start("v")]
        if m.start("v") >= stop or "\n" in gap or re.search(r"[。！？\x00]|[.!?]\s", gap):
            return None
        value = m.group("v").rstrip(".,;:")
        if is_placeholder(value) or is_dull(value):
            continue
        if _plausible(value, _BOND.search(gap) is not None) and not _SPOILS.search(gap):
            return _hit(word, (m.start("v"), m.start("v") + len(value)), "far")
    return None


_LINKED = re.compile(
    r"[\"'`]{0,2}\s{0,2}(?:[(（]|(?:就)?是|为|作为|当|,?\s(?:is|was|as|for)\s)[^\n，。,.;:：；]{0,28}$"
)
_LAST = re.compile(r"[^\s\"'`<>()（）「」“”，。；：、！？\u2e80-\u9fff\x00]+")


def _before(text: str, word: _Word) -> Hit | None:
    """The value first: "... is the admin password"."""
    near = max(0, word.start - 40)
    link = _LINKED.search(text, near, word.start)
    if link is None or link.start() == 0:
        return None
    head = text[max(0, link.start() - 512) : link.start()]
    runs = list(_LAST.finditer(head))
    if not runs or runs[-1].end() != len(head) or runs[-1].end() - runs[-1].start() < 6:
        return None
    start = link.start() - len(runs[-1].group())
    value = runs[-1].group().rstrip(".,;:")
    if is_placeholder(value) or is_dull(value) or _SPOILS.search(text[max(0, start - 16) : start]):
        return None
    if word.kind == "pass":
        fits = _plausible(value, True) and word.text.lower() not in ("pass", "pin")
    else:
        plain = word.text.lower() in ("key", "keys", "signature", "cookie")
        fits = (
            looks_random(value, 20)
            and wordiness(value) < 0.3
            and not (plain and is_hex(value) and len(value) in (40, 64))
        )
        fits = (
            fits
            and "/" not in value[:2]
            and "://" not in value
            and not (is_hex(value) and value.count("-") == 4 and plain)
        )
    return _hit(word, (start, start + len(value)), "before") if fits else None


def _hit(word: _Word, span: tuple[int, int], how: str) -> Hit:
    kinds = {"pass": "password", "code": "recovery_code", "token": "secret"}
    lower = word.text.lower()
    kind = kinds[word.kind]
    if word.kind == "token":
        if "token" in lower or "令牌" in lower or "bearer" in lower or "authorization" in lower:
            kind = "token"
        elif "key" in lower or "密钥" in lower:
            kind = "api_key"
        elif "cookie" in lower or "sid" in lower or "sess" in lower:
            kind = "cookie"
    return Hit(span[0], span[1], kind, f"context-{word.kind}-{how}")


def _value(text: str, m: re.Match[str]) -> tuple[int, int] | None:
    """Give the range of the value behind a separator: to the closing quote, else to the end of the bare word."""
    start, quote = m.end(), m.group("q") or ""
    if quote:
        close = _CLOSERS.get(quote, quote)
        stop = start
        limit = min(len(text), start + 8192)
        while True:
            stop = text.find(close, stop, limit)
            if stop < 0:
                break
            if close in "\"'" and text[stop - 1 : stop] == "\\" and len(close) == 1:
                stop += 1
                continue
            break
        if stop > start and "\n" not in text[start:stop] and "\x00" not in text[start:stop]:
            return start, stop
        if stop == start:
            return None
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    if bare.end() - start == _USUAL and _ENCODED.fullmatch(bare.group()):
        bare = _LONG_BARE.match(text, start) or bare
    value = bare.group()
    cut = re.search(
        r"\\(?=[nrt\"'`\\]|u[0-9a-fA-F]{4})|;|&(?:amp;)?(?=[A-Za-z_.-]{1,30}=)|,(?=\S{0,40}[=:\"'])|,$|\\$", value
    )
    if cut:
        value = value[: cut.start()]
    value = value.rstrip(".,:、")
    for opener, closer in ("()", "[]", "{}"):
        while value.endswith(closer) and value.count(closer) > value.count(opener):
            value = value[:-1].rstrip(".,:;")
    value = re.sub(r"(?:\*\*|__)$", "", value)
    return (start, start + len(value)) if value else None


_LABELS = re.compile(
    r"(?i)(?:enter |your |new |old |confirm |current |repeat |forgot |reset )?(?:the |your )?(?:password|passphrase|username|email|token|secret|string|text|number|object|boolean|array|hidden|input|placeholder)s?[:*?]?"
)


def _accept(text: str, span: tuple[int, int], quote: str, word: _Word, how: str) -> bool:
    """Judge a value in its place."""
    value = text[span[0] : span[1]]
    n = len(value)
    if n < 3 or is_placeholder(value):
        return False
    after = text[span[1] : span[1] + 1]
    lower = word.text.lower()
    if how in ("said", "tight") and word.text[-1].isascii() and "\n" in text[word.end : span[0]]:
        return False
    if lower == "pass" and how in ("said", "tight") and " is " not in text[word.end : span[0]]:
        named = _LOGIN.search(text[max(0, word.start - 32) : word.start]) is not None
        return named and how == "tight" and _strong(value) and passwordish(value)
    if lower in ("pin", "pin码") and not (value.isdigit() and 4 <= n <= 8):
        return False
    if text[span[0] - 1 : span[0]] == ">" and how == "assign" and not _in_tag(text, word, span):
        return False
    if not quote and (after == "(" or (looks_like_code(value) and not looks_random(value, 20))):
        return False
    if word.kind == "token":
        return _accept_token(text, span, quote, word, how)
    if word.kind == "code":
        return (
            how != "table"
            and 4 <= n <= 64
            and any(c.isdigit() for c in value)
            and passwordish(value)
            and not re.fullmatch(r"\d{1,3}", value)
        )
    if is_dull(value) and not (quote and n > 6):
        return False
    if how in ("assign", "listed", "table"):
        return _accept_password(value, quote, word)
    if how == "said" and quote and n >= 4 and value.isascii():
        return not _LABELS.fullmatch(value) and (
            passwordish(value)
            or "passphrase" in word.text.lower()
            or (n >= 5 and " " not in value and not value.isalpha())
        )
    if how == "tight" and quote and (quote in "(（<[【《" or value.count(" ") > 3):
        return False
    if value.isdigit() and how == "tight":
        return n >= 6 or (word.text.upper().startswith("PIN") and n >= 4)
    if not passwordish(value):
        return False
    return how == "said" or _strong(value)


_LOGIN = re.compile(r"(?i)user|login|admin|root|account|账号|用户")


def _in_tag(text: str, word: _Word, span: tuple[int, int]) -> bool:
    """`>` before a value counts in `<password>value</password>`, `->` and `=>` only."""
    opened = text.rfind("<", max(0, word.start - 60), word.start)
    tagged = opened >= 0 and ">" not in text[opened : word.start] and text.startswith("</", span[1])
    return tagged or text[span[0] - 2 : span[0]] in ("->", "=>") or text[word.end : span[0]].strip() in ("->", "=>")


_SIGNS = re.compile(r"[!@#$%^&*+=?~]|\d{4}")


def _strong(value: str) -> bool:
    """For a word right behind `password` without any connector."""
    kinds = sum(
        (
            any(c.isdigit() for c in value),
            any(c.isupper() for c in value),
            any(c.islower() for c in value),
            not value.isalnum(),
        )
    )
    return len(value) >= 6 and kinds >= 2 and (kinds >= 3 or any(c.isdigit() for c in value))


def _accept_password(value: str, quote: str, word: _Word) -> bool:
    """A password behind `=`, `:` and the like."""
    n = len(value)
    if _LABELS.fullmatch(value) or n > 200:
        return False
    if value.isdigit():
        return n >= 4
    if quote and quote.strip("\\") in ('"', "'", "`", '"""', "'''"):
        if " " in value:
            spaces = value.count(" ")
            return ("phrase" in word.text.lower() and 2 <= spaces <= 11 and value.isascii() and value.islower()) or (
                spaces == 1 and passwordish(value.replace(" ", "")) and not re.search(r"[a-z]{3,} [a-z]{3,}", value)
            )
        if value.isalpha() and (value.islower() or value.istitle()):
            return word.upper or value in _COMMON
        return (
            passwordish(value)
            or (n >= 6 and not value.isalpha() and value.isascii() and not re.fullmatch(r"[\w.-]+", value))
            or (n >= 8 and value.isascii() and not value.isalpha() and wordiness(value) < 0.5)
        )
    if word.upper:
        return (
            n >= 4
            and value.isascii()
            and not re.match(r"(?:process|os|env|config|settings|secrets?|vars?|self|this)\b[.\[]", value)
        )
    return passwordish(value) or value in _COMMON


_COMMON = frozenset(
    [
        "hunter",
        "letmein",
        "qwerty",
        "iloveyou",
        "monkey",
        "dragon",
        "sunshine",
        "princess",
        "welcome",
        "shadow",
        "master",
        "superman",
        "football",
        "trustno",
        "admin",
        "root",
        "toor",
        "postgres",
    ]
) - {"admin", "root", "postgres", "master", "welcome", "shadow"}


def _accept_token(text: str, span: tuple[int, int], quote: str, word: _Word, how: str) -> bool:
    """A key or token behind its name: must look drawn at random; hexadecimal and UUID values need a tight bond."""
    value = text[span[0] : span[1]]
    n = len(value)
    if " " in value:
        head, _, rest = value.partition(" ")
        return (
            head.lower() in ("bearer", "token", "basic", "apikey")
            and looks_random(rest, 12)
            and not is_placeholder(rest)
        )
    lower = word.text.lower()
    plain_key = lower in ("key", "keys") or lower.endswith(("signature", "sig", "cookie", "webhook", "签名", "sid"))
    if _SPOILS.search(word.text) or _SPOILS.search(text[max(0, word.start - 20) : word.start]):
        return False
    if is_dull(value) or "://" in value:
        return False
    if how == "said" and _SPOILS.search(text[word.end : span[0]]):
        return False
    least = (
        20
        if plain_key
        else 12
        if (how in ("assign", "listed", "table") and (quote or word.upper or "=" in text[word.end : span[0]]))
        else 16
    )
    if not looks_random(value, least):
        strong = ("secret" in lower or "token" in lower or "密钥" in lower or "口令" in lower) and how in (
            "assign",
            "listed",
        )
        return bool(
            strong
            and (quote or word.upper or _strong(value))
            and any(c.isdigit() for c in value)
            and 8 <= n < 20
            and passwordish(value)
            and (wordiness(value) < 0.75 or _SIGNS.search(value) is not None)
            and not re.fullmatch(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*\d{0,2}", value)
        )
    if plain_key and ((is_hex(value) and n < 32) or wordiness(value) > 0.3):
        return False
    if how == "tight":
        return not is_hex(value) or n >= (16 if word.upper else 32)
    return entropy(value) >= 2.8


def _far(text: str, word: _Word) -> Hit | None:
    """A random value later in the same sentence: "here's the X key, please wire it up: ..."."""
    line_end = text.find("\n", word.end)
    stop = min(len(text), word.end + 90)
    if 0 <= line_end < stop:
        stop = line_end
    gap_end = re.search(r"[。！？!?\x00]|\.\s", text[word.end : stop])
    if gap_end:
        stop = word.end + gap_end.start()
    for m in _FAR.finditer(text, word.end, min(len(text), stop + 4096)):
        if m.start("v") >= stop:
            break
        value = m.group("v").rstrip(".=-/") if not m.group("v").endswith("=") else m.group("v")
        gap = text[word.end : m.start("v")]
        if (
            _SPOILS.search(gap)
            or _SPOILS.search(text[max(0, word.start - 20) : word.end])
            or is_placeholder(value)
            or is_dull(value)
        ):
            return None
        bound = re.search(r"(?:[:：=是为成到「“`'\"(（→]|成了|->|=>)\s*$|\b(?:is|to|as|use|with)\s+$", gap) is not None
        least = 20
        if looks_random(value, least) and "/" not in value[:1] and (wordiness(value) < 0.3) and entropy(value) >= 3.0:
            if (is_hex(value) or value.count("-") >= 3) and not bound:
                return None
            if value.count("/") >= 2 and not bound:
                return None
            return _hit(word, (m.start("v"), m.start("v") + len(value)), "far")
    return None
