# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Places made for credentials: addresses with a password, command options, headers, cookies, queries, login files."""

from __future__ import annotations

import base64
import binascii
import re

from omp.redact import stems
from omp.redact.marks import Hit
from omp.redact.runs import Sight, matches
from omp.redact.values import entropy, is_dull, is_placeholder, looks_random, passwordish

_URI = re.compile(
    r"://(?<=[A-Za-z0-9]://)(?P<user>[^\s:/@\"'<>`\x00]{0,100}):(?P<v>[^\s\"'<>`/\x00\u3000-\u9fff]{1,200})@(?=[A-Za-z0-9.\[$\{*<_-])"
)
_URI_SLASH = re.compile(
    r"://(?<=[A-Za-z0-9]://)(?P<user>[^\s:/@\"'<>`\x00]{1,100}):(?P<v>[^\s\"'<>`@\x00\u3000-\u9fff]{1,120})@(?=[A-Za-z0-9.-]{1,100}[:/])"
)
_TOKEN_USER = re.compile(
    r"://(?:(?<=http://)|(?<=https://))(?P<v>[A-Za-z0-9_.~-]{20,200})(?::x-oauth-basic|:)?@(?=[A-Za-z0-9])"
)
_QUERY = re.compile(
    r"(?i)[?&;#](?P<k>(?:[a-z0-9_-]{0,20}(?:token|secret|passw(?:or)?d|pwd|signature|apikey|api_key|api-key|access_?key|auth|session|jwt|credential|ticket))|sig|key|sign|code|pass|sid|st|tk|x-amz-signature|x-goog-signature)="
    r"(?P<v>[^\s&\"'<>`;#\x00\u3000-\u9fff]{4,2048})"
)
_HEADER = re.compile(
    r"(?i)(?:proxy-)?authorization\\{0,3}[\"']?\s*[:=,]\s*\\{0,3}[\"'`]?\s*(?P<s>bearer|basic|token|digest|apikey|key|negotiate|bot|github-bearer)\s+(?P<v>[A-Za-z0-9_.~+/=:-]{6,4096})"
    r"|(?<![a-z])(?P<s2>bearer)\s+(?P<v2>[A-Za-z0-9_.~+/=-]{16,4096})"
    r"|(?<![a-z])(?P<s3>basic)\s+(?P<v3>[A-Za-z0-9+/]{12,400}={0,2})(?![A-Za-z0-9+/=])"
)
_COOKIE = re.compile(
    r"(?i)(?<![a-z])(?:set-)?cookies?\\{0,3}[\"']?\s*[:=]\s*\\{0,3}[\"'`]?(?P<v>[A-Za-z0-9_.%-]{1,60}=[^\n\"'\x00]{4,4000})|-b\s+[\"']?(?P<v2>[A-Za-z0-9_.-]{1,60}=[^\n\"'\x00]{4,2000})"
)
_PAIR = re.compile(r"([A-Za-z0-9_.%-]{1,60})=([^;\s,\"'\\]{8,4000})")
_COOKIE_NAME = re.compile(
    r"(?i)sess|sid|auth|token|jwt|csrf|xsrf|login|remember|identity|secure|sso|ticket|passport|^id$|^s$|connect\."
)
_COMMANDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"sshpass\s+(?:-[^p\s]\S*\s+)*-p\s*[\"']?(?P<v1>[^\s\"']{2,128})"), ("sshpass",)),
    (
        re.compile(
            r"(?:mysql(?:dump|admin|import|sh)?|mariadb(?:-dump)?|mycli)\b[^\n|;&]{0,120}?\s-p[\"']?(?P<v2>[^\s\"'-][^\s\"']{1,127})"
        ),
        stems.MYSQL,
    ),
    (
        re.compile(
            r"(?:curl|wget|https?|xh)\b(?!:)[^\n|;&]{0,200}?\s(?:-u|--user|-a|--auth|--proxy-user)[ =]?[\"']?[^\s:\"']{1,80}:(?P<v3>[^\s\"']{2,200})"
        ),
        stems.HTTP,
    ),
    (
        re.compile(
            r"(?<![A-Za-z0-9_])(?:redis-cli|mongo(?:sh|dump|restore)?|psql|sqlcmd|bcp|ldap(?:search|modify|add)|smbclient|rsync|l?ftp|xfreerdp|az"
            r"|vault|rclone|7z|zip|unzip|unrar|rar|openssl|keytool|gpg|restic|docker|podman|helm|oc|kubectl)\b[^\n|;&]{0,200}?\s"
            r"(?:-a|-P|-w|-p|/p:|--password|--pass|--passphrase|-pass(?:in|out)?\s+pass:|--passwd|--token|-storepass|-keypass|--secret)"
            r"[ =:]?[\"']?(?P<v4>[^\s\"'-][^\s\"']{2,200})"
        ),
        stems.CLIENTS,
    ),
    (
        re.compile(
            r"echo\s+(?:-n\s+)?[\"']?(?P<v5>[^\s\"'|]{4,200})[\"']?\s*\|\s*(?:sudo\s+)?"
            r"(?:docker|podman|helm|oras|crane|sudo|gh|glab|npm|cosign|passwd|chpasswd|openssl|gpg|az|vault)\b"
        ),
        ("echo",),
    ),
    (re.compile(r"machine\s+\S{1,120}\s+login\s+\S{1,80}\s+password\s+(?P<v6>\S{1,200})"), ("machine",)),
    (re.compile(r"(?i)(?:net use|cmdkey)\b[^\n]{0,120}?/(?:user|pass):\S+\s+(?:/pass:)?[\"']?(?P<v8>[^\s\"'/]{4,120})"), ("net use", "cmdkey")),
    (re.compile(r"chpasswd\b[^\n]{0,10}<<<\s*[\"']?[a-z_][a-z0-9_-]{0,30}:(?P<v9>[^\s\"']{4,120})"), ("chpasswd",)),
    (re.compile(r"(?i)(?:identified by|with password|password)\s+'(?P<v0>[^'\n]{3,128})"), ("identified by", "with password", "password '")),
    (re.compile(r"(?:requirepass|masterauth)\s+[\"']?(?P<va>[^\s\"']{6,128})"), ("requirepass", "masterauth")),
    (
        re.compile(
            r"(?i)(?:auth\w{0,12}\s*=\s*[(\[]|\w{0,12}auth\(|login\(|networkcredential\(|authenticate\(|credentials?\()\s*[\"'][^\"'\n]{1,80}[\"']\s*,\s*[\"'](?P<vc>[^\"'\n]{4,100})[\"']"
        ),
        ("auth", "login", "networkcredential", "credential"),
    ),
    (re.compile(r"_(?:authToken|auth|password)\s*=\s*[\"']?(?P<vb>[^\s\"']{6,400})"), ("_auth", "_password")),
)  # fmt: skip
"""(pattern, what it starts with): commands and their option for a password."""
_PGPASS = re.compile(
    r":(?<=[A-Za-z0-9_.*-]:)(?:\d{2,5}|\*):[^:\s/]{1,60}:[A-Za-z0-9_.-]{1,60}:(?P<v7>[^:\s\"'`，。]{4,200})(?![^\s\"'`，。])"
)
_SLASHED = re.compile(
    r"(?i)(?:log ?in|login|sign ?in|account|user(?:name)?|credentials?|creds?|账号|账户|用户名?|帐号|登录)[^\n/]{0,40}?[A-Za-z0-9_.@+-]{2,60}\s{0,2}(?: / |/|／|\s\|\s)\s{0,2}(?P<v>[!-~]{6,80})"
)
_OTP = re.compile(r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=(?P<v>[A-Za-z2-7]{8,})", re.I)
_SEED32 = re.compile(
    r"(?i)(?:totp|otp|2fa|mfa|authenticator|两步验证|二次验证|动态口令)[^\n]{0,30}?(?:secret|seed|key|密钥|种子)[^\nA-Za-z0-9]{0,8}(?:is |是|为)?[\s:：=\"'`「]{0,4}(?P<v>(?:[A-Z2-7]{4}[ -]?){3,13}[A-Z2-7]{0,4})(?![A-Za-z0-9])"
)
_HEXKEY = re.compile(
    r"(?i)(?:private[ _-]?key|私钥|priv(?:ate)?key|signer|deployer|wallet key|secret key)[^\n]{0,40}?(?:0x)?(?P<v>[0-9a-f]{64})(?![0-9a-f])"
)


def find(seen: Sight) -> list[Hit]:
    """Find credentials by the place they stand in."""
    text = seen.text
    hits: list[Hit] = []
    if "://" in text:
        hits += _addresses(text)
    if "=" in text:
        hits += _queries(text)
    hits += _headers(seen)
    for form, words in _COMMANDS:
        for m in matches(seen, words, form):
            hits += _option(m)
    if "@" in text and ":" in text:
        hits += _schemeless(text)
    if ":" in text:
        hits += [h for m in _PGPASS.finditer(text) for h in _option(m)]
    if "/" in text or "／" in text or "," in text or "|" in text or "，" in text:
        for m in matches(seen, stems.LOGINS, _SLASHED):
            value = m.group("v").rstrip(".,;:")
            named = "cred" in m.group()[:6].lower() or "密码" in m.group()
            if passwordish(value) and (
                _mixed(value) or (named and "/" not in value and sum(map(str.isdigit, value)) >= 2)
            ):
                hits.append(Hit(m.start("v"), m.start("v") + len(value), "password", "user-slash-password"))
    for form, words, kind in ((_SEED32, stems.SEEDS, "totp"), (_HEXKEY, stems.HEX_KEYS, "private_key")):
        for m in matches(seen, words, form):
            if len(set(m.group("v"))) >= 6:
                hits.append(Hit(m.start("v"), m.end("v"), kind, f"context-{kind}"))
    return hits


def _option(m: re.Match[str]) -> list[Hit]:
    """The password of a command line, if it is one."""
    group = next(g for g in m.groupdict() if g.startswith("v") and m.group(g) is not None)
    value = m.group(group).rstrip(",.;")
    if is_placeholder(value) or not _fits(value, group):
        return []
    return [Hit(m.start(group), m.start(group) + len(value), "password", "command")]


def _mixed(value: str) -> bool:
    return (
        any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not value.islower() and "/" not in value
    )


def _fits(value: str, group: str) -> bool:
    """Options that have other uses (`docker -p 80:80`, `7z -p`) need a value that could be a password."""
    if group in ("v4", "v8", "va"):
        return passwordish(value) and not re.fullmatch(r"[\d.:/-]+|[a-z0-9.-]+:[\d./-]+|/.*", value)
    if group == "v5":
        return passwordish(value) and not value.startswith(("{", "/", "http"))
    if group == "vc":
        return passwordish(value) or looks_random(value, 12)
    if group == "v7":
        return not value.isdigit() and not is_dull(value)
    return value not in ("-", "--")


def _addresses(text: str) -> list[Hit]:
    hits = []
    for form in (_URI, _URI_SLASH):
        for m in form.finditer(text):
            value = m.group("v")
            if is_placeholder(value) or (
                value.startswith(("$", "{", "<", "%(")) and value.endswith(("}", ">", ")", "s"))
            ):
                continue
            if value.isdigit() and len(value) < 6 and "." not in m.group("user") and not m.group("user"):
                continue
            hits.append(Hit(m.start("v"), m.end("v"), "password", "address"))
    for m in _TOKEN_USER.finditer(text):
        if looks_random(m.group("v"), 20):
            hits.append(Hit(m.start("v"), m.end("v"), "token", "address-user"))
    for m in _OTP.finditer(text):
        if not is_placeholder(m.group("v")):
            hits.append(Hit(m.start("v"), m.end("v"), "totp", "otpauth"))
    return hits


_USER_PART = re.compile(r"(?<![\w/:.@-])[A-Za-z][\w.-]{1,30}:(?P<v>[^\s:@/\"'<>,;(){}\x00]{5,60})$")
_HOST_PART = re.compile(r"@(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,12}|localhost)(?![\w@])")


def _schemeless(text: str) -> list[Hit]:
    """`user:password@host` without a scheme."""
    hits = []
    for host in _HOST_PART.finditer(text):
        m = _USER_PART.search(text, max(0, host.start() - 96), host.start())
        if m and passwordish(m.group("v")) and any(c.isdigit() for c in m.group("v")):
            hits.append(Hit(m.start("v"), m.end("v"), "password", "address"))
    return hits


def _queries(text: str) -> list[Hit]:
    hits = []
    for m in _QUERY.finditer(text):
        value = m.group("v").rstrip(".,)]}")
        key = m.group("k").lower()
        loose = key in ("key", "sign", "code", "st", "tk", "sid", "auth", "session", "ticket", "pass")
        good = looks_random(value, 20 if loose else 12) if not key.startswith(("pass", "pwd")) else passwordish(value)
        if not is_placeholder(value) and good and entropy(value) > 2.5:
            hits.append(Hit(m.start("v"), m.start("v") + len(value), "token", "query"))
    return hits


def _headers(seen: Sight) -> list[Hit]:
    text, lower = seen.text, seen.low
    hits = []
    if "authorization" in lower or "bearer" in lower or "basic" in lower:
        for m in matches(seen, stems.HEADERS, _HEADER):
            name = "v" if m.group("v") else "v2" if m.group("v2") else "v3"
            scheme = (m.group("s") or m.group("s2") or m.group("s3") or "").lower()
            value = m.group(name).rstrip(".,;:")
            if is_placeholder(value):
                continue
            if scheme == "basic":
                if _is_basic(value):
                    hits.append(Hit(m.start(name), m.start(name) + len(value), "password", "basic-header"))
            elif looks_random(value, 12 if name == "v" else 16):
                hits.append(Hit(m.start(name), m.start(name) + len(value), "token", "auth-header"))
    if "cookie" in lower or " -b" in text:
        for m in matches(seen, stems.COOKIES, _COOKIE):
            name = "v" if m.group("v") else "v2"
            for pair in _PAIR.finditer(m.group(name)):
                value = pair.group(2)
                named = _COOKIE_NAME.search(pair.group(1)) is not None
                if not is_placeholder(value) and looks_random(value, 10 if named else 24):
                    at = m.start(name) + pair.start(2)
                    hits.append(Hit(at, at + len(value), "cookie", "cookie"))
    return hits


def _is_basic(value: str) -> bool:
    """Base64 of `user:password`."""
    try:
        raw = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    _user, colon, password = raw.partition(b":")
    return (
        bool(colon) and raw.isascii() and len(password) >= 3 and not is_placeholder(password.decode("ascii", "replace"))
    )
