"""Every word that a rule starts at, found in one pass over the text, so that the rules themselves run nowhere else."""

from __future__ import annotations

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
COOKIES = ("cookie", "set-cookie", "-b ", "--cookie")
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
    "requirepass", "masterauth", "_auth", "_password",
)  # fmt: skip

_ALONE = frozenset(
    {"pw", "pin", "sig", "ak", "sk", "pat", "sid", "dsn", "ftp", "zip", "bcp", "gpg", "7z", "az ", "oc ", "xh ", "ssn"}
)
"""Short words that count only where no letter stands beside them."""
_ALL = frozenset(
    (*PASSWORDS, *CODES, *TOKENS, *HEADERS, *COOKIES, *LOGINS, *SEEDS, *HEX_KEYS, *WALLETS, *PASSPORTS, *NATIONAL_IDS,
     *CN_IDS, *CLIENTS, *MYSQL, *HTTP, *SHELL)
)  # fmt: skip


_HEAD = 4
"""Characters of a word that are searched for first; words with the same beginning share one search."""


def _heads(ascii_only: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give (beginning, the words that begin so)."""
    table: dict[str, list[str]] = {}
    for stem in sorted(s for s in _ALL if s.isascii() == ascii_only):
        table.setdefault(stem[:_HEAD], []).append(stem)
    for short in [h for h in table if len(h) < _HEAD]:
        for longer in [h for h in table if h != short and h.startswith(short)]:
            table[short] += table.pop(longer)
    return tuple((head, tuple(words)) for head, words in table.items())


_ASCII, _OTHER = _heads(True), _heads(False)


def find(low: str) -> dict[str, list[int]]:
    """Give each word that stands in the lower-case text with its positions, in order."""
    out: dict[str, list[int]] = {}
    for head, words in _ASCII if low.isascii() else _ASCII + _OTHER:
        at = low.find(head)
        while at >= 0:
            for word in words:
                if low.startswith(word, at) and (word not in _ALONE or _is_alone(low, at, at + len(word))):
                    out.setdefault(word, []).append(at)
            at = low.find(head, at + 1)
    return out


def _is_alone(low: str, start: int, end: int) -> bool:
    before, after = low[start - 1 : start] if start else "", low[end : end + 1]
    return not ("a" <= before <= "z") and (low[end - 1] == " " or not "a" <= after <= "z")
