# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Own rows for masking: values drawn or built from pieces, in sentences, code and files of both languages.

A hit is (text with `{}` where values go, values): each value must be gone and everything else stay. A near miss is a
text that must stay as it is.
"""

from __future__ import annotations

import base64
import random
import string

_ALNUM = string.ascii_letters + string.digits


def drawn(n: int, seed: int, alphabet: str = _ALNUM) -> str:
    """Draw a value that looks like a key and opens nothing."""
    return "".join(random.Random(seed).choices(alphabet, k=n))


def hexed(n: int, seed: int) -> str:
    """Draw hexadecimal digits."""
    return drawn(n, seed, "0123456789abcdef")


def uuid(seed: int) -> str:
    """Draw the form of a UUID."""
    h = hexed(32, seed)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"


def luhn(body: str) -> str:
    """Append the check digit of a card number."""
    total = 0
    for i, c in enumerate(reversed(body)):
        d = int(c) * (2 if i % 2 == 0 else 1)
        total += d - 9 if d > 9 else d
    return body + str(-total % 10)


def cn_id(region: str, day: str, order: str) -> str:
    """Append the check character of a Chinese identity number."""
    body = region + day + order
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(a) * w for a, w in zip(body, weights, strict=True)) % 11]


def iban(country: str, bban: str) -> str:
    """Put in the check digits of an IBAN."""
    number = int("".join(str(int(c, 36)) for c in bban + country + "00"))
    return f"{country}{98 - number % 97:02d}{bban}"


def b64(text: str) -> str:
    """Base64 of a text."""
    return base64.b64encode(text.encode()).decode()


def pem(kind: str, seed: int, lines: int = 8, end: bool = True) -> str:
    """A key block drawn at random, cut short on request."""
    body = "\n".join(drawn(64, seed + i, _ALNUM + "+/") for i in range(lines))
    dashes = "-" * 5
    close = f"\n{dashes}END {kind} KEY{dashes}" if end else ""
    return f"{dashes}BEGIN {kind} KEY{dashes}\n{body}{close}"


G = "gh" + "p_"
S = "sk" + "-"
CARD = luhn("4539" + "57813026471")
UNION = luhn("621700" + "001002345678")
PERSON = cn_id("440106", "19880229", "001")
PERSON_X = next(i for i in (cn_id("320311", "19770706", f"{n:03d}") for n in range(99)) if i.endswith("X"))

HITS: list[tuple[str, str, tuple[str, ...]]] = [
    ("en", "the staging db password is {} btw", ("Quartz7!moor",)),
    ("en", "pw for the NAS: {}", ("Tundra-4411-Elk",)),
    ("en", "Log in as admin with password {} and restart it", ("xK3!vve0pL",)),
    ("en", "The password for the reporting user on the replica is `{}`.", ("Copper&Basil9",)),
    ("en", "I changed the root password to {} this morning", ("Wint3r!Sledge",)),
    ("en", "password was set to '{}' by the installer", ("orchid_77_Lamp",)),
    ("en", "Passcode: {}", ("840267",)),
    ("en", "my PIN is {}", ("5829",)),
    ("en", "wifi password -> {}", ("gladiolus1987",)),
    ("en", "use passphrase \"{}\" for the backup key", ("marble otter seven canyon",)),
    ("en", "user: deploy / {}", ("Zx81!spectrum",)),
    ("en", "credentials are reporting@corp.example / {}", ("uP9-kettle-Dx",)),
    ("en", "DB_PASSWORD={}", ("blueberry",)),
    ("en", "MYSQL_ROOT_PASSWORD: {}\nMYSQL_DATABASE: shop", ("r00tbeer!!",)),
    ("en", "PGPASSWORD={} psql -h db -U app", ("kL0!mnoP",)),
    ("en", "password = \"{}\"", ("N0rth+Star",)),
    ("en", "const dbPassword = '{}';", ("Pelican$Dune42",)),
    ("en", "conn = connect(host='db', user='svc', password='{}')", ("tR5xq!9w",)),
    ("en", "\"smtpPassword\": \"{}\",", ("ab12-CD34-ef",)),
    ("en", "<password>{}</password>", ("Heron!Lake5",)),
    ("en", "<add key=\"DbPassword\" value=\"{}\"/>", ("V3lour%Sky",)),
    ("en", "spring.datasource.password={}", ("Maple_Rust_90!",)),
    ("en", "ansible_become_pass: {}", ("Granite8Fox",)),
    ("en", "Server=db1;Database=crm;Uid=sa;Pwd={};", ("Sable#Wolf3",)),
    ("en", "postgres://report:{}@pg.internal:5432/dwh", ("t0p/sh3lf",)),
    ("en", "amqp://guest2:{}@rabbit:5672/", ("carr0t%21",)),
    ("en", "mongodb+srv://etl:{}@cluster1.x1y2.mongodb.net/db", ("Bison-River-77",)),
    ("en", "redis://default:{}@10.0.0.4:6379", (drawn(20, 11),)),
    ("en", "https://{}@git.corp.example/team/app.git", (drawn(40, 12),)),
    ("en", "curl -u ops:{} https://nexus.corp.example/status", ("M1sty!Peak",)),
    ("en", "curl -sS --user 'ci:{}' https://x.corp.example", ("Pl4net_Nine",)),
    ("en", "mysql -h10.0.0.9 -uroot -p{} shop", ("Ember77Stone",)),
    ("en", "sshpass -p {} ssh root@10.1.1.1", ("'qu1ck!Fox'",)),
    ("en", "echo {} | docker login -u bot --password-stdin", (drawn(24, 13),)),
    ("en", "docker login -u bot -p {} registry.corp.example", ("Harb0r!Light",)),
    ("en", "redis-cli -h cache -a {} ping", ("Fj0rd_Salmon",)),
    ("en", "openssl pkcs12 -in a.p12 -passin pass:{}", ("Gr4vel-Road",)),
    ("en", "machine git.corp.example login bot password {}", ("juN1per_berry",)),
    ("en", "db.internal:5432:shop:svc:{}", ("Lant3rn!Oak",)),
    ("en", "CREATE USER app IDENTIFIED BY '{}';", ("Cliff%Edge8",)),
    ("en", "ALTER ROLE app WITH PASSWORD '{}';", ("Walrus_9_Ice",)),
    ("en", "//registry.example/:_authToken={}", (uuid(14),)),
    ("en", "Authorization: Bearer {}", (drawn(40, 15),)),
    ("en", "-H \"Authorization: Basic {}\"", (b64("svc:V1olet!Ray"),)),
    ("en", "X-Api-Key: {}", (drawn(32, 16),)),
    ("en", "Cookie: theme=dark; sessionid={}; lang=en", (drawn(32, 17, string.ascii_lowercase + string.digits),)),
    ("en", "Set-Cookie: connect.sid=s%3A{}; Path=/", (drawn(32, 18) + "." + drawn(43, 19),)),
    ("en", "GET /export?token={}&format=csv", (drawn(32, 20),)),
    ("en", "https://acct.blob.core.windows.net/c/b?sv=2023-01-03&sr=b&sig={}", (drawn(43, 21) + "%3D",)),
    ("en", "https://hooks.slack.com/services/{}", ("T0" + drawn(8, 22) + "/B0" + drawn(8, 23) + "/" + drawn(24, 24),)),
    ("en", "otpauth://totp/x:me?secret={}&issuer=x", (drawn(26, 25, string.ascii_uppercase + "234567"),)),
    ("en", "TOTP secret: {}", (drawn(32, 26, string.ascii_uppercase + "234567"),)),
    ("en", "recovery code: {}", ("7h2k-9qpx-41mz",)),
    ("en", "backup codes are {} and more", ("48213907",)),
    ("en", "The API key for the map service is {}", (drawn(32, 27),)),
    ("en", "Here is the Datadog key, please add it to CI: {}", (hexed(32, 28),)),
    ("en", "ACME_API_TOKEN={}", (drawn(28, 29),)),
    ("en", "secret_key_base: {}", (hexed(128, 30),)),
    ("en", "SECRET_KEY = '{}'", ("django-insecure-" + drawn(34, 31, _ALNUM + "!@#%^&*(-_=+)"),)),
    ("en", "client_secret: {}", (drawn(40, 32, _ALNUM + "~_-."),)),
    ("en", "  - name: PAYMENT_TOKEN\n    value: {}\n", (drawn(30, 33),)),
    ("en", "{{\"name\": \"API_SECRET\", \"value\": \"{}\"}}", (drawn(30, 34),)),
    ("en", "| `SERVICE_TOKEN` | `{}` |", (drawn(30, 35),)),
    ("en", "kind: Secret\ndata:\n  db-password: {}\n", (b64("T1dal!Wave-2"),)),
    ("en", "{{\\\"api_key\\\": \\\"{}\\\"}}", (drawn(36, 36),)),
    ("en", "os.environ['STRIPE_SECRET'] = '{}'", ("sk_" + "live_" + drawn(24, 37),)),
    ("en", "token {} works.", (G + drawn(36, 38),)),
    ("en", "({})", (S + drawn(48, 39),)),
    ("en", "key: {}, model: x", (S + "ant-api03-" + drawn(93, 40, _ALNUM + "-_") + "AA",)),
    ("en", "{} is my AWS id", ("AKI" + "A" + drawn(16, 41, string.ascii_uppercase + "234567"),)),
    ("en", "aws_secret_access_key = {}", (drawn(40, 42, _ALNUM + "/+"),)),
    ("en", "slack: {}", ("xox" + "b-" + drawn(12, 43, string.digits) + "-" + drawn(24, 44),)),
    ("en", "tok = \"{}\" + \"{}\"", (G + drawn(16, 45), drawn(20, 46))),
    ("en", "key {}\\\n{}", (S + "ant-api03-" + drawn(50, 47), drawn(40, 48))),
    ("en", "**{}**{} is bold", ("glp" + "at-" + drawn(9, 49), drawn(11, 50))),
    ("en", "jwt {}", ("eyJhbGciOiJIUzI1NiJ9." + b64('{"sub":"1","n":"x"}').rstrip("=") + "." + drawn(43, 51),)),
    ("en", "{}", (pem("RSA PRIVATE", 52),)),
    ("en", "cut: {}", (pem("OPENSSH PRIVATE", 60, end=False),)),
    ("en", "a: |\n  {}", (pem("EC PRIVATE", 70).replace("\n", "\n  "),)),
    ("en", "{{\"key\": \"{}\\n\"}}", (pem("PRIVATE", 80).replace("\n", "\\n"),)),
    ("en", "note <private>{}</private> end", ("we pay her 90k",)),
    ("en", "seed phrase: {}", ("candy maple cake sugar pudding cream honey rich smooth crumble sweet treat",)),
    ("en", "deployer private key 0x{}", (hexed(64, 90),)),
    ("en", "echo {} | base64 -d", (b64("GITHUB_TOKEN=" + G + drawn(36, 91)),)),
    ("en", "blob {}", (b64(b64("password=Larch!Fox-22 user=x")),)),
    ("en", "hex {}", (("DB_PASSWORD=Sp1der!Web" + "x").encode().hex(),)),
    ("en", "cb?t={}", ((G + drawn(36, 92)).replace("_", "%5F"),)),
    ("en", "call Jo on {}", ("+1 415 555 0134",)),
    ("en", "cell: {}", ("(628) 555-0171",)),
    ("en", "WhatsApp {} please", ("+49 1512 3456789",)),
    ("en", "mail {} about it", ("mira.halloran@posteo.example.org",)),
    ("en", "reviewed-by: Ann <{}>", ("ann.keller77@web.example.net",)),
    ("en", "card {} exp 04/31", (CARD,)),
    ("en", "pay with {}", (" ".join(CARD[i : i + 4] for i in range(0, 16, 4)),)),
    ("en", "IBAN: {}", (iban("DE", "500105175407324931"),)),
    ("en", "transfer to {} today", (" ".join(iban("FR", "20041010050500013M02606")[i : i + 4] for i in range(0, 27, 4)),)),
    ("en", "passport no. {}", ("E" + "48213377",)),
    ("en", "SSN {}", ("123-45-" + "6789",)),
    ("zh", "数据库密码是{}，别外传", ("Quartz7!moor",)),
    ("zh", "服务器密码：{}", ("hunter2024",)),
    ("zh", "密码改成 {} 了", ("Shan!He88",)),
    ("zh", "把root的密码改为{}。", ("Yun#Hai2030",)),
    ("zh", "测试环境账号 admin 密码 {}", ("ceshi@666",)),
    ("zh", "账号：ops，密码：{}", ("Wx!98pq",)),
    ("zh", "WiFi密码{}", ("maple2873",)),
    ("zh", "开机口令为「{}」", ("Qing-Feng-09",)),
    ("zh", "压缩包解压密码：{}（区分大小写）", ("zip@2031",)),
    ("zh", "登录 tester01/{}", ("Ab12cd!!",)),
    ("zh", "连接串 mysql://root:{}@10.0.3.17:3306/shop 打不开", ("Gang@Wan1",)),
    ("zh", "这个令牌{}先用着", (G + drawn(36, 101),)),
    ("zh", "密钥是{}，下周换", (S + drawn(48, 102),)),
    ("zh", "我的API密钥：{}", (drawn(32, 103),)),
    ("zh", "微信 AppSecret 为 {}", (hexed(32, 104),)),
    ("zh", "接口的 token 我设成了 {}，你试试", (drawn(32, 105),)),
    ("zh", "企业微信机器人 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}", (uuid(106),)),
    ("zh", "飞书 https://open.feishu.cn/open-apis/bot/v2/hook/{}", (uuid(107),)),
    ("zh", "恢复码：{}", ("k3x9-77qp-zz1m",)),
    ("zh", "助记词：{}", ("candy maple cake sugar pudding cream honey rich smooth crumble sweet treat",)),
    ("zh", "私钥如下\n{}", (pem("EC PRIVATE", 110),)),
    ("zh", "身份证号{}，姓名略", (PERSON,)),
    ("zh", "身份证 {}", (PERSON_X,)),
    ("zh", "证件号：{}", (f"{PERSON[:6]} {PERSON[6:14]} {PERSON[14:]}",)),
    ("zh", "我的手机{}微信同号", ("139" + "12345678",)),
    ("zh", "联系电话：{}", ("+86 " + "186-1234-5678",)),
    ("zh", "短信发到{}了", ("".join(chr(ord(c) + 0xFEE0) for c in "15012345678"),)),
    ("zh", "卡号 {} 开户行工行", (UNION,)),
    ("zh", "打到 {}", (" ".join(UNION[i : i + 4] for i in range(0, 19, 4)),)),
    ("zh", "护照号 {}", ("EA" + "1234567",)),
    ("zh", "她的邮箱是{}", ("xiaolan.wu@mail.example.com",)),
    ("zh", "密钥（{}）不要提交", (S[:2] + "-" + drawn(20, 111) + "\u200b" + drawn(20, 112),)),
    ("zh", "ＡＰＩ密钥：{}", ("".join(chr(ord(c) + 0xFEE0) for c in S + drawn(40, 113)),)),
    ("zh", "生产环境变量 DB_PASS 填 {} 就行", ("Lu!Zhou77",)),
]  # fmt: skip

STAYS: list[tuple[str, str]] = [
    ("en", "Use a password manager and rotate the token every 90 days."),
    ("en", "We store no passwords; sign-in goes through SSO."),
    ("en", "password_policy = strict"),
    ("en", "the password must have at least 12 characters"),
    ("en", "password: required, min length 8"),
    ("en", "passwords are hashed with argon2id"),
    ("en", "the password is stored in 1Password"),
    ("en", "The secret to fast builds is caching."),
    ("en", "token bucket with rate 100/s and burst 200"),
    ("en", "max_tokens=4096, temperature=0.2"),
    ("en", "input tokens: 12345, output tokens: 6789"),
    ("en", "secret santa is on Friday"),
    ("en", "credential helper: manager"),
    ("en", "api_key = os.environ['ACME_API_KEY']"),
    ("en", "const token = await getToken(session.user.id)"),
    ("en", "password = getpass.getpass()"),
    ("en", "if (password !== confirmPassword) return"),
    ("en", "def reset_password(user: User, token: str) -> None:"),
    ("en", "type: password\nname: password\nplaceholder: Password"),
    ("en", "\"password\": \"string\""),
    ("en", "export OPENAI_API_KEY=<your-key>"),
    ("en", "API_KEY=your_api_key_here"),
    ("en", "password: changeme"),
    ("en", "password: ${DB_PASSWORD}"),
    ("en", "token: ${{ secrets.DEPLOY_TOKEN }}"),
    ("en", "password: {{ vault_db_password }}"),
    ("en", "token: \"xxxxxxxxxxxxxxxxxxxx\""),
    ("en", "Authorization: Bearer $TOKEN"),
    ("en", "Authorization: Bearer <token>"),
    ("en", "postgres://app:${PGPASS}@db/app"),
    ("en", "postgres://app:<password>@db/app"),
    ("en", "redis://localhost:6379/0"),
    ("en", "curl -u \"$USER:$PASS\" https://x.example"),
    ("en", "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE"),
    ("en", "secretKeyRef:\n  name: db\n  key: password"),
    ("en", "import { tokenize } from './tokenizer'"),
    ("en", "sk-learn and task-sk-rename-models and risk-averse-strategy-selection"),
    ("en", "class=\"sk-circle-bounce sk-fading-animation-2\""),
    ("en", "git checkout " + hexed(40, 201)),
    ("en", "fixed in " + hexed(8, 202) + " and " + hexed(12, 203)),
    ("en", "image: ghcr.io/a/b@sha256:" + hexed(64, 204)),
    ("en", "sha256 checksum: " + hexed(64, 205)),
    ("en", "md5: " + hexed(32, 206)),
    ("en", "\"integrity\": \"sha512-" + drawn(86, 207) + "==\""),
    ("en", "h1:" + drawn(43, 208) + "="),
    ("en", "session " + uuid(209) + " resumed"),
    ("en", "request_id=" + uuid(210)),
    ("en", "{\"type\":\"tool_use\",\"id\":\"toolu_" + drawn(24, 211) + "\"}"),
    ("en", "msg_" + drawn(24, 212) + " and call_" + drawn(24, 213)),
    ("en", "trace_id=" + hexed(32, 214) + " span_id=" + hexed(16, 215)),
    ("en", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + drawn(43, 216) + " me@host"),
    ("en", "-----BEGIN CERTIFICATE-----\n" + drawn(64, 217) + "\n-----END CERTIFICATE-----"),
    ("en", "-----BEGIN PUBLIC KEY-----\n" + drawn(64, 218) + "\n-----END PUBLIC KEY-----"),
    ("en", "we look for the line -----BEGIN RSA PRIVATE KEY----- in commits"),
    ("en", "fingerprint SHA256:" + drawn(43, 219)),
    ("en", "data:image/png;base64,iVBORw0KGgo" + drawn(80, 220)),
    ("en", "etag: W/\"" + hexed(32, 221) + "\""),
    ("en", "tx 0x" + hexed(64, 222) + " was mined"),
    ("en", "main." + hexed(20, 223) + ".js"),
    ("en", "docs/security/rotating-secrets-and-tokens.md#step-2"),
    ("en", "src/auth/password_reset/token_generator.py:42"),
    ("en", "upgrade from 1.24.10.20261101 to 2.0.0-rc.3"),
    ("en", "started at 1767348000123, took 1234567 ms"),
    ("en", "2026-11-30T22:37:44.123456Z pid 13912"),
    ("en", "order 20270315042 and ticket 00450012873"),
    ("en", "{\"ts_ms\": 1767348000124, \"n\": 4}"),
    ("en", "snowflake 1806379189534556414"),
    ("en", "order id " + luhn("411122233344455")),
    ("en", "the test card 4242 4242 4242 4242"),
    ("en", "serial 9454885534839748"),
    ("en", "file size 13958643712 bytes"),
    ("en", "noreply@github.com and support@corp.example"),
    ("en", "git@github.com:acme/omp.git"),
    ("en", "uses: actions/checkout@v4, @types/node@20.11.5, logo@2x.png"),
    ("en", "arn:aws:iam::123456789012:role/deploy"),
    ("en", "port 13800, 172.16.254.1, 10.0.13.200"),
    ("en", "0.13812345678 is the ratio"),
    ("en", "closes #1380013800"),
    ("en", "hotline 1-800-555-0199 is the support line"),
    ("en", "9007199254740991 is Number.MAX_SAFE_INTEGER"),
    ("en", "docker run -p 8080:8080 app"),
    ("en", "ssh -p 2222 root@host"),
    ("en", "mkdir -p build/output/artifacts"),
    ("en", "psql -p 5433 -h db"),
    ("en", "the key idea is to keep keys sorted"),
    ("en", "primary key (id), foreign key (user_id)"),
    ("en", "keyboard shortcut: press any key"),
    ("en", "it came to pass that tests pass after 3 retries"),
    ("en", "pass the --dry-run flag, pass `config.yaml` to it"),
    ("en", "PIN the version to 3.11"),
    ("en", "pin numpy==2.1.0 and pin pandas to 2.2.3"),
    ("en", "cookie banner: accept all cookies for 365 days"),
    ("en", "The Authorization header is missing"),
    ("en", "basic auth is enough for now"),
    ("en", "evidence: {digest: " + hexed(16, 224) + ", entry: m3}"),
    ("en", "dec-" + drawn(10, 225, "abcdefghijklmnopqrstuvwxyz234567")),
    ("en", "secret: [REDACTED:password:1] stays"),
    ("en", "api-7d9f8b6c5d-x2x4z on ip-10-0-13-200.ec2.internal"),
    ("en", "access_token expires after 7200 seconds"),
    ("en", "error: password authentication failed for user \"app\""),
    ("en", "tokens = encoder.encode(text); len(tokens) == 512"),
    ("zh", "密码强度要求至少 12 位"),
    ("zh", "忘记密码时先发验证码再重置"),
    ("zh", "我们不存密码，登录走单点登录"),
    ("zh", "密码：见 1Password 里的条目"),
    ("zh", "密码填 <你的密码> 即可"),
    ("zh", "密钥统一放在 KMS，代码里只写引用名"),
    ("zh", "令牌桶限流 rate=100 burst=200"),
    ("zh", "token 用量：输入 12,345，输出 6,789"),
    ("zh", "access_token 有效期为 7200 秒"),
    ("zh", "不要把 api_key 写进代码"),
    ("zh", "API_KEY=在这里填写你的密钥"),
    ("zh", "密码哈希用 bcrypt，cost 为 12"),
    ("zh", "口令长度 8-16 位"),
    ("zh", "订单号 202611308585522099 已发货"),
    ("zh", "快递单号 SF3209229381180"),
    ("zh", "身份证号 11010119900307001X 校验位不对"),
    ("zh", "手机号正则 ^1[3-9]\\d{9}$"),
    ("zh", "客服热线 400-820-8820"),
    ("zh", "工单 13800138000 已关闭"),
    ("zh", "发票统一寄到前台"),
    ("zh", "提交 " + hexed(40, 226) + " 修复了登录"),
    ("zh", "会话 " + uuid(227) + " 已恢复"),
    ("zh", "ISBN 978-7-111-54742-6，第 3 版"),
    ("zh", "文件大小 13958643712 字节"),
    ("zh", "时间戳 1767348000123"),
    ("zh", "这个密钥轮换策略每 90 天执行一次"),
    ("zh", "签名算法用 HMAC-SHA256"),
    ("zh", "凭证由 external-secrets 注入"),
]  # fmt: skip
