# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Every word that a rule starts at, found in one pass over the text, so that the rules themselves run nowhere else."""

from __future__ import annotations

import re
from functools import lru_cache

PASSWORDS = (
    "pass", "pwd", "psw", "pw", "pin", "contraseña", "senha", "mot de passe", "kennwort", "パスワード", "비밀번호",
    "密码", "密碼", "口令", "通行码", "暗号", "提取码", "取件码", "开门码", "门禁码",
)  # fmt: skip
CODES = (
    "恢复码", "恢复代码", "备用码", "备份码", "动态码", "验证码",
    "recovery", "backup", "scratch", "one-time", "one time", "one_time", "onetime", "2fa", "mfa", "otp", "verification",
    "security",
)  # fmt: skip
TOKENS = (
    "secret", "token", "credential", "authorization", "bearer", "signature", "license", "licence", "webhook", "api", "auth",
    "access", "app", "account", "private", "key", "jwt", "dsn", "salt", "sess", "cookie", "sig", "ak", "sk", "pat", "sid",
    "密钥", "密鑰", "秘钥", "密匙", "令牌", "权杖", "私钥", "凭证", "凭据", "授权码", "访问码", "激活码", "签名", "公钥", "钥匙",
)  # fmt: skip
HEADERS = ("authorization", "proxy-authorization", "bearer", "basic")
COOKIES = ("cookie", "set-cookie", "-b ")
LOGINS = (
    "log in", "login", "sign in", "signin", "account", "user", "credential", "creds", "账号", "账户", "用户", "帐号", "登录",
)  # fmt: skip
SEEDS = ("totp", "otp", "2fa", "mfa", "authenticator", "两步验证", "二次验证", "动态口令")
HEX_KEYS = ("private", "私钥", "privkey", "signer", "deployer", "wallet key", "secret key")
WALLETS = ("seed", "recovery", "mnemonic", "secret recovery", "backup", "wallet", "助记词", "種子", "种子", "恢复")
PASSPORTS = ("passport", "护照", "護照", "通行证", "回乡证", "台胞证")
NATIONAL_IDS = (
    "ssn", "social security", "社会安全号", "nino", "national insurance", "aadhaar", "驾驶证", "社保号", "社会保障号",
)  # fmt: skip
CN_IDS = ("身份证", "证件", "id card")
CLIENTS = (
    "redis-cli", "mongo", "psql", "sqlcmd", "bcp", "ldap", "smbclient", "rsync", "ftp", "lftp", "xfreerdp", "az ", "vault",
    "rclone", "7z", "zip", "unzip", "unrar", "rar ", "openssl", "keytool", "gpg", "restic", "docker", "podman", "helm",
    "oc ", "kubectl",
)  # fmt: skip
MYSQL = ("mysql", "mariadb", "mycli")
HTTP = ("curl", "wget", "http", "xh ")
SHELL = (
    "sshpass", "echo", "machine", "net use", "cmdkey", "chpasswd", "identified by", "with password", "password '",
    "requirepass", "masterauth", "_auth", "_password", "networkcredential",
)  # fmt: skip

_ALONE = frozenset(
    {"pw", "pin", "sig", "ak", "sk", "pat", "sid", "dsn", "ftp", "zip", "bcp", "gpg", "7z", "az ", "oc ", "xh ", "ssn"}
)
"""Short words that count only where no letter stands beside them."""
_ALL = frozenset(
    (*PASSWORDS, *CODES, *TOKENS, *HEADERS, *COOKIES, *LOGINS, *SEEDS, *HEX_KEYS, *WALLETS, *PASSPORTS, *NATIONAL_IDS,
     *CN_IDS, *CLIENTS, *MYSQL, *HTTP, *SHELL)
)  # fmt: skip


_LETTERS = bytes(c if chr(c).isascii() and chr(c).islower() else 0x20 for c in range(256))
_FIRSTS: dict[str, tuple[str, ...]] = {}
"""First ASCII letters of a word (`log` of `log in`) -> the words that hold them."""
for _word in sorted(w for w in _ALL if w.isascii()):
    _first = max(re.findall("[a-z]+", _word.partition(" ")[0]) or [""], key=len)
    _FIRSTS[_first] = (*_FIRSTS.get(_first, ()), _word)
_ANY_FIRST = re.compile("|".join(sorted(map(re.escape, _FIRSTS), key=len, reverse=True)))
_OTHER = tuple(sorted(w for w in _ALL if not w.isascii()))


@lru_cache(maxsize=1 << 15)
def _held(letters: bytes) -> tuple[str, ...]:
    """Give the key words that a run of letters may hold; most texts use the same few thousand runs again and again."""
    run = letters.decode("ascii")
    if _ANY_FIRST.search(run) is None:
        return ()
    return tuple(w for first, words in _FIRSTS.items() if first in run for w in words)


def find(low: str) -> dict[str, list[int]]:
    """Give each word that stands in the lower-case text with its positions, in order."""
    held = {w for run in set(low.encode("ascii", "replace").translate(_LETTERS).split()) for w in _held(run)}
    if "7" in low:
        held.add("7z")
    if "2" in low:
        held.add("2fa")
    out: dict[str, list[int]] = {}
    for word in held if low.isascii() else (*held, *_OTHER):
        at = low.find(word)
        while at >= 0:
            if word not in _ALONE or _is_alone(low, at, at + len(word)):
                out.setdefault(word, []).append(at)
            at = low.find(word, at + 1)
    return out


def _is_alone(low: str, start: int, end: int) -> bool:
    before, after = low[start - 1 : start] if start else "", low[end : end + 1]
    return not ("a" <= before <= "z") and (low[end - 1] == " " or not "a" <= after <= "z")
