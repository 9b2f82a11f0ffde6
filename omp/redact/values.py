"""Judging a value by itself: is it a placeholder, a reference, a word, or does it look like a secret?"""

from __future__ import annotations

import math
import re
from collections import Counter

PLACEHOLDER_WORDS = frozenset(
    [
        "your",
        "yours",
        "yourself",
        "my",
        "mine",
        "changeme",
        "change",
        "placeholder",
        "example",
        "examples",
        "sample",
        "dummy",
        "fake",
        "mock",
        "redacted",
        "replace",
        "replaceme",
        "insert",
        "todo",
        "tbd",
        "hidden",
        "masked",
        "none",
        "null",
        "nil",
        "undefined",
        "omitted",
        "removed",
        "here",
        "foo",
        "bar",
        "baz",
        "foobar",
        "something",
        "whatever",
        "secret",
        "secrets",
        "password",
        "passwd",
        "passphrase",
        "pass",
        "pwd",
        "token",
        "tokens",
        "key",
        "keys",
        "apikey",
        "api",
        "value",
        "string",
        "str",
        "text",
        "username",
        "user",
        "name",
        "xxx",
        "xxxx",
        "xxxxx",
        "xxxxxx",
        "abc",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "enabled",
        "disabled",
        "required",
        "optional",
        "empty",
        "unset",
        "default",
        "bearer",
        "basic",
        "access",
        "credential",
        "credentials",
        "not",
        "set",
        "put",
        "enter",
        "fill",
        "type",
        "choose",
    ]
)
"""A value made of these words alone says that the real one stands elsewhere."""

_CERTAIN = re.compile(
    r"(?i)(?<![a-z])(?:your|changeme|change[-_ ]?me|placeholder|example|redacted|replace[-_ ]?me)(?![a-z])"
)
_FILLER = re.compile(r"[x*.•●·_\-#?X…]+")
_XRUN = re.compile(r"[xX]{5,}|\*{3,}|•{2,}|●{2,}|\.{3}|…|(?:[0]{8,})")
_REFERENCE = re.compile(
    r"\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\$\{[^}]*\}|\$\{\{[^}]*\}?\}?|\$\([^)]*\)|%[A-Za-z_]+%|#\{[^}]*\}|@[A-Za-z_]+@"
    r"|\{\{?[^}]*\}?\}|%\([A-Za-z_]+\)s|%[sdvr]|\{[0-9]*\}|\$env:[A-Za-z_]+|__[A-Za-z_]+__|env\(.*|ENC\[.*"
)
_BRACKETED = re.compile(r"<[^>]*>?|\[[^\]]*\]?|【[^】]*】?|「[^」]*」?")
_SEQUENCE = ("0123456789", "1234567890", "abcdefghijkl", "9876543210", "qwertyuiop", "deadbeefdeadbeef", "0a1b2c3d4e5f")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VOWEL = frozenset("aeiouy")


def is_placeholder(value: str) -> bool:
    """Tell from the value alone that it stands for another one: `<your-key>`, `xxxx`, `$VAR`, `changeme`."""
    value = value.strip("\"'`")
    if not value or _FILLER.fullmatch(value) or len(set(value)) == 1:
        return not value.isdigit()
    if _REFERENCE.fullmatch(value):
        return True
    if _BRACKETED.fullmatch(value):
        return not looks_random(value[1:-1], 16)
    if _XRUN.search(value) or value.endswith(("EXAMPLE", "EXAMPLEKEY")):
        return True
    lower = value.lower()
    if len(value) >= 16 and any(s in lower for s in _SEQUENCE) and entropy(value) < 4.2:
        return True
    words = [w.lower() for w in re.findall(r"[A-Za-z]+", value)]
    known = sum(len(w) for w in words if w in PLACEHOLDER_WORDS)
    letters = sum(map(len, words))
    if letters and known == letters and not any(c.isdigit() for c in value):
        return True
    return _CERTAIN.search(value) is not None and known >= 0.3 * letters


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    n = len(value)
    return -sum(c / n * math.log2(c / n) for c in Counter(value).values()) if n else 0.0


_PAIRS = frozenset(
    [
        "th",
        "he",
        "in",
        "er",
        "an",
        "re",
        "on",
        "at",
        "en",
        "nd",
        "ti",
        "es",
        "or",
        "te",
        "of",
        "ed",
        "is",
        "it",
        "al",
        "ar",
        "st",
        "to",
        "nt",
        "ng",
        "se",
        "ha",
        "as",
        "ou",
        "io",
        "le",
        "ve",
        "co",
        "me",
        "de",
        "hi",
        "ri",
        "ro",
        "ic",
        "ne",
        "ea",
        "ra",
        "ce",
        "li",
        "ch",
        "ll",
        "be",
        "ma",
        "si",
        "om",
        "ur",
        "ca",
        "el",
        "ta",
        "la",
        "ns",
        "di",
        "fo",
        "ho",
        "pe",
        "ec",
        "pr",
        "no",
        "ct",
        "us",
        "ac",
        "ot",
        "il",
        "tr",
        "ly",
        "nc",
        "et",
        "ut",
        "ss",
        "so",
        "rs",
        "un",
        "lo",
        "wa",
        "ge",
        "ie",
        "wh",
        "ee",
        "wi",
        "em",
        "ad",
        "ol",
        "rt",
        "po",
        "we",
        "na",
        "ul",
        "ni",
        "ts",
        "mo",
        "ow",
        "pa",
        "im",
        "mi",
        "ai",
        "sh",
        "ir",
        "su",
        "id",
        "os",
        "iv",
        "ia",
        "am",
        "fi",
        "ci",
        "vi",
        "pl",
        "ig",
        "tu",
        "ev",
        "ld",
        "ry",
        "mp",
        "fe",
        "bl",
        "ab",
        "gh",
        "ty",
        "op",
        "wo",
        "sa",
        "ay",
        "ex",
        "ke",
        "fr",
        "oo",
        "ag",
        "ey",
        "ap",
        "qu",
        "ck",
        "ff",
        "gr",
        "br",
        "cl",
        "cr",
        "dr",
        "fl",
        "go",
        "ip",
        "ki",
        "lu",
        "mu",
        "ob",
        "od",
        "ok",
        "ov",
        "pu",
        "rc",
        "rd",
        "rm",
        "ru",
        "sc",
        "sk",
        "sp",
        "ub",
        "uc",
        "ue",
        "um",
        "up",
        "va",
        "vo",
        "ya",
        "ye",
    ]
)
"""Letter pairs that make up most of English; drawn letters hit one in four."""


def wordiness(value: str) -> float:
    """Share of the letters that stand in words of four letters and more; random text stays below 0.4, hex has none."""
    if is_hex(value):
        return 0.0
    letters = good = 0
    for word in _WORD.findall(value):
        n = len(word)
        letters += n
        if n >= 4:
            low = word.lower()
            usual = sum(low[i : i + 2] in _PAIRS for i in range(n - 1)) / (n - 1)
            if usual >= (0.6 if n < 6 else 0.5) and not _VOWEL.isdisjoint(low):
                good += n
    return good / letters if letters else 0.0


_HEX = re.compile(r"(?:0x)?(?=[^0-9]*[0-9])[0-9a-fA-F-]+")


def is_hex(value: str) -> bool:
    """Hexadecimal digits (and dashes) only."""
    return _HEX.fullmatch(value) is not None


def looks_random(value: str, least: int = 16) -> bool:
    """Tell that nobody typed this: long enough, mixed, not words, not a number.

    The bounds (entropy over 3 bits, words under half of the letters) separate drawn base62, base64, base32 and
    hexadecimal values of 16 characters and more from identifiers, paths, versions and dates.
    """
    if len(value) < least or value.isdigit():
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if not letters or digits > 0.9 * len(value):
        return False
    if not digits:
        upper = sum(c.isupper() for c in value)
        mixed = 0.15 < upper / letters < 0.85 if not value.isupper() else len(value) >= 24
        return mixed and wordiness(value) < 0.25 and entropy(value) >= 3.3 and not _camel(value)
    return entropy(value) >= (2.9 if is_hex(value) else 3.1) and wordiness(value) < 0.5


def _camel(value: str) -> bool:
    """Written like an identifier: few, long humps."""
    humps = _WORD.findall(value)
    return bool(humps) and sum(map(len, humps)) / len(humps) >= 4


NOT_SECRETS = frozenset(
    [
        "1password",
        "bcrypt",
        "scrypt",
        "argon2",
        "argon2id",
        "pbkdf2",
        "sha1",
        "sha256",
        "sha512",
        "sha-256",
        "sha-512",
        "md5",
        "hs256",
        "hs512",
        "rs256",
        "es256",
        "ed25519",
        "base64",
        "base32",
        "utf8",
        "utf-8",
        "oauth2",
        "oauth2.0",
        "oidc",
        "saml2",
        "x509",
        "pkcs8",
        "pkcs12",
        "aes256",
        "aes-256",
        "aes-256-gcm",
        "aes-128-gcm",
        "k8s",
        "s3",
        "ec2",
        "ipv4",
        "ipv6",
        "http2",
        "python3",
        "node20",
        "es6",
        "es2022",
        "web3",
        "i18n",
        "l10n",
        "a11y",
        "2fa",
        "mfa",
        "u2f",
        "fido2",
        "totp",
        "rfc6238",
        "rfc7519",
        "cp1252",
        "latin1",
        "win32",
        "x86_64",
        "amd64",
        "arm64",
        "v1",
        "v2",
        "v3",
        "401",
        "403",
        "404",
        "500",
        "sso",
        "keychain",
        "keyring",
        "vault",
        "kms",
        "bitwarden",
        "lastpass",
        "keepass",
    ]
)
_RANGE = re.compile(
    r"\d{1,4}(?:[-~–]|\.\.)\d{1,4}|\d+(?:\.\d+)+|v\d+(?:\.\d+)*|\d{4}-\d{2}-\d{2}.*|\d+(?:px|ms|s|m|h|d|kb|mb|gb|k|%|x|st|nd|rd|th)"
)
_SYMBOL = re.compile(r"[!@#$%^&*+=?~|:]")
_SLUG = re.compile(r"[A-Za-z]+(?:[-_./:][A-Za-z]*[0-9]{0,2}[A-Za-z]*)+")
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:\?)?(?:[.\[(]|->|::).*|[({\[].*|.*[)\]}]\s*[;,]?|!+[A-Za-z_].*|(?:new|await|typeof|function|lambda|async)\b.*"
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]*)*|[A-Za-z]:[\\/].*|(?:https?|file|ssh|git|s3|vault|op|arn|kv|secret)s?:.*",
    re.I,
)


_FILED = re.compile(r"^[\w.-]+(?:/[\w.@-]+)+\.[a-z][a-z0-9]{0,4}$|^[a-z][\w.]*(?:-[\w.]+)*-20\d\d-?[01]\d-?[0-3]\d$")
"""File paths and names that end in a date."""


def is_dull(value: str) -> bool:
    """Versions, ranges, paths, addresses, algorithm names: values that stand beside the word password every day."""
    lower = value.lower().rstrip(".,;:")
    return (
        lower in NOT_SECRETS
        or _FILED.search(lower) is not None
        or _RANGE.fullmatch(lower) is not None
        or _PATH.fullmatch(value) is not None
    )


def passwordish(value: str) -> bool:
    """Tell that a bare word in a sentence may be a password: letters mixed with digits or signs, or a long number."""
    n = len(value)
    if n < 4 or n > 128 or is_placeholder(value) or is_dull(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if digits == n:
        return 4 <= n <= 12
    if digits and letters:
        return (
            n >= 5
            and not _CODE.fullmatch(value)
            and not (_SLUG.fullmatch(value) and wordiness(value) > 0.6 and digits <= 2)
        )
    if letters and _SYMBOL.search(value[:-1]) and not _CODE.fullmatch(value):
        return (
            n >= 6 and not value.endswith(":") and "://" not in value and "==" not in value[:-2] and "::" not in value
        )
    return looks_random(value, 12)


def looks_like_code(value: str) -> bool:
    """An expression rather than a value: calls, attributes, subscripts."""
    return _CODE.fullmatch(value) is not None
