# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""Personal data, by checksum where it has one and by the words around it where it has none.

Libraries do the arithmetic: python-stdnum (LGPL, used as a plain dependency) for check digits, phonenumbers
(Apache-2.0) for numbering plans. Both are imported when a candidate of the right form turns up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from omp.redact import stems
from omp.redact.marks import Hit
from omp.redact.runs import Sight, matches

_CN_ID = re.compile(
    r"(?<![0-9A-Za-z.])[1-9]\d{5}[ -]?(?:18|19|20)\d{2}[ -]?(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d|3[01])[ -]?\d{3}[ -]?[0-9Xx](?![0-9A-Za-z])"
)
_CN_ID15 = re.compile(
    r"(?:身份证|证件|id card)[^\d\n]{0,12}(?P<v>[1-9]\d{5}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3})(?![0-9A-Za-z])",
    re.I,
)
_CARD = re.compile(r"(?<![0-9A-Za-z.+-])(?:[2-6]\d{3})(?:[ -]?\d){9,15}(?![0-9A-Za-z]|[.,]\d|-\d)")
_CARD_GROUPS = re.compile(
    r"\d{4}(?:([ -])\d{4})(?:\1\d{4}){1,2}(?:\1?\d{1,4})?|3[47]\d\d([ -])\d{6}\2\d{5}|\d{6}([ -])\d{13}"
)
_CARD_WORDS = re.compile(
    r"(?i)card|visa|master|amex|unionpay|银联|银行|卡号|卡|\bpan\b|cvv|cvc|\bexp\b|account|账号|帐号|账户|charge|refund|pay|付款|打款|转账|收款|开户|iban|debit|credit"
)
_CARD_NOT = re.compile(
    r"(?i)order|订单|单号|编号|serial|snowflake|timestamp|\bts\b|_ts|_id\b|\bid\b|ticket|build|trace|流水|序列|isbn|imei|tracking|test card|测试卡|fixture|样例|luhn|sku|version|uuid|hash|token|cursor|offset|size|bytes|nonce|block"
)
_TEST_CARDS = frozenset(
    [
        "4242424242424242",
        "4111111111111111",
        "4000056655665556",
        "5555555555554444",
        "2223003122003222",
        "5105105105105100",
        "378282246310005",
        "371449635398431",
        "6011111111111117",
        "6011000990139424",
        "3056930009020004",
        "3566002020360505",
        "4012888888881881",
        "4222222222222",
        "30569309025904",
        "38520000023237",
        "3530111333300000",
    ]
)
"""Numbers that payment providers publish for tests: they open nothing."""

_CN_MOBILE = re.compile(
    r"(?<![0-9A-Za-z.#/_-])(?:\(?(?:\+|00)?86\)?[ -]?)?(?P<v>1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?![0-9A-Za-z_]|[.,]\d|-\d|/\d)"
)
_CN_MOBILE_86 = re.compile(r"(?<![0-9A-Za-z.])(?:\+|00)86[ -]?(?P<v>1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?![0-9A-Za-z_])")
_PLUS = re.compile(
    r"(?<![0-9A-Za-z+/_])(?:\+|(?<![\d-])00(?=[1-9]))[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .-]?\d{1,5}){1,5}(?![0-9A-Za-z_]|\.\d|:\d)"
)
_US = re.compile(
    r"(?<![0-9A-Za-z.+/-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![0-9A-Za-z]|[.-]\d)"
)
_LOCAL = re.compile(r"(?<![0-9A-Za-z.+/-])0\d{1,4}[ -/]?\d{3,4}[ -]?\d{3,4}(?:[ -]?\d{1,4})?(?![0-9A-Za-z]|[.-]\d)")
_PHONE_WORDS = re.compile(
    r"(?i)phone|mobile|\bcell|\btel\b|tel:|\bcall|text (?:me|her|him)|sms|whatsapp|reach|fax|contact|dial|ring me|number is|\bhandy\b|telegram|signal|手机|电话|联系|座机|致电|拨打|短信|微信|号码|家里"
)
_SERVICE = re.compile(r"(?i)客服|热线|报警|hotline|toll[- ]free|support line|helpline|service line|emergency|400-|800-")
_NUMBER_NOT = re.compile(
    r"(?i)(?:order|订单|单号|编号|流水|ticket|工单|build|issue|issues|pr|qq|群|isbn|serial|序列|timestamp|时间戳|epoch|size|bytes|offset|count|total|sum|nonce|seed|pid|inode|version|v|no|num|port|seq|rev|ts|time|mtime|length|exp|iat|id|uid|row|rows|line|version_?code|transaction|交易|快递|运单)(?:号|码)?[\"']?\s{0,2}(?:[:：=#]|is|是|为)?\s{0,2}[\"'#]?$"
)
_NUMBER_UNIT = re.compile(
    r"(?i)\s?(?:bytes?|kb|mb|gb|kib|mib|ms|ns|us|µs|tokens?|rows?|字节|条|行|毫秒|纳秒|元|美元|usd|rmb|cny|%|°|次|hits|requests|users|lines|cycles|ops|iterations)\b"
)
_KEYED = re.compile(r"(?P<k>[A-Za-z_][A-Za-z0-9_.-]{0,40})\\?[\"']?\s{0,2}[:=]\s{0,2}\\?[\"']?$")
_KEY_OK = re.compile(
    r"(?i)phone|mobile|tel|cell|contact|wechat|account|login|user|msisdn|number|sms|call|whatsapp|to$|from$|who|owner|name|note|text|content|message|value|addr|profile|info|customer|receiver|sender|recipient|manager|author|assign|fax|at$|me$|dial|alipay|zfb|pay"
)

_MAIL_USER = re.compile(r"(?<![A-Za-z0-9._%+/=-])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}$")
_MAIL_HOST = re.compile(
    r"@(?P<d>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.)+[A-Za-z]{2,24})(?![A-Za-z0-9_@]|\.[A-Za-z0-9]|[:/][A-Za-z0-9~])"
)
_ROLE = re.compile(
    r"(?i)(?:no-?reply|do-?not-?reply|donotreply|noreply|support|info|admin|administrator|help|helpdesk|contact|sales|security|abuse|postmaster|hostmaster|webmaster|hello|"
    r"team|dev|devs|developers?|ops|devops|sre|git|ci|cd|bot|bots|build|builds|deploy|deployer|deployment|release|releases|notifications?|notify|alerts?|alerting|monitoring|root|system|daemon|mailer-daemon|mailer|mail|postgres|"
    r"service|services|svc|app|api|qa|test|tests|testing|tester|user|users|username|foo|bar|baz|me|you|your|name|someone|somebody|email|e-mail|example|jobs|careers|hr|press|media|marketing|"
    r"billing|finance|accounts?|accounting|legal|privacy|dpo|compliance|office|reception|feedback|news|newsletter|list|lists|community|hi|welcome|enquiries|inquiries|orders?|shop|store|it|itsupport|staff|"
    r"customer-?service|customercare|service-account|github-actions|dependabot|renovate|claude|copilot|codex|gemini|cursor|aider|opencode|openai|anthropic|maintainers?|oncall|on-call|"
    r"x|a|b|u|user\d|test\d|first\.last|firstname\.lastname|your[._-]?(?:name|email)|my[._-]?email|placeholder|dummy|fake|sample|demo|guest|nobody|anonymous|kefu|wangguan|yunwei)"
    r"(?:[._+-](?:bot|team|noreply|ci|prod|staging|dev|alerts?|cn|us|eu|\d{1,3}))?"
)
_NO_MAIL = re.compile(
    r"(?i)(?:.*\.)?(?:gserviceaccount\.com|noreply\.github\.com|noreply\.gitlab\.com|localhost|local|internal|lan|png|jpe?g|gif|svg|webp|ico|css|js|mjs|ts|tsx|jsx|json|ya?ml|toml|md|py|rs|go|sh|lock|zip|gz|tgz|so|service|socket|target|timer|mount|html?|txt|xml|pdf|wasm|vue|svelte)"
)

_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?(?![0-9A-Za-z])")
_PASSPORT = re.compile(
    r"(?i)(?:passport|护照|護照|通行证|回乡证|台胞证)[^\n，。,;；0-9]{0,24}?(?<![A-Za-z0-9])(?P<v>(?-i:[A-Z]{1,2}[0-9]{6,9}|[0-9]{8,9}))(?![A-Za-z0-9])"
)
_SSN = re.compile(
    r"(?i)(?:\bssn\b|social security|社会安全号)[^\n0-9]{0,24}(?P<v>\d{3}[- ]\d{2}[- ]\d{4}|\d{9})(?!\d)|(?:\bnino\b|national insurance)[^\n0-9]{0,20}?(?P<v2>(?-i:[A-CEGHJ-PR-TW-Z]{2}) ?\d{2} ?\d{2} ?\d{2} ?(?-i:[A-D]))(?![A-Za-z0-9])|(?:aadhaar|驾驶证号?|社保号|社会保障号)[^\n0-9]{0,12}(?P<v3>\d[\d ]{10,18}\d)(?!\d)"
)


_LONG_NUMBER = re.compile(r"\d(?:[ ().-]{0,2}[\dA-Z]){6}")
_REACH = 40
"""Characters beside a long number that a rule may still read as part of it."""


def find(seen: Sight) -> list[Hit]:
    """Find personal data in one view. Linear in the length of the text."""
    text = seen.text
    hits: list[Hit] = []
    if "@" in text:
        hits += _emails(text)
    windows = _windows(text)
    if not windows:
        return hits
    taken: list[tuple[int, int]] = []
    for found in (_ids(seen, windows), _ibans(text, windows), _cards(text, windows), _phones(text, windows)):
        for hit in found:
            if not any(a < hit.end and hit.start < b for a, b in taken[-50:]):
                hits.append(hit)
                taken.append((hit.start, hit.end))
    return hits


def _windows(text: str) -> list[tuple[int, int]]:
    """Ranges around long numbers; all rules for numbers look at nothing else."""
    out: list[tuple[int, int]] = []
    for m in _LONG_NUMBER.finditer(text):
        start, end = max(0, m.start() - 6), min(len(text), m.end() + _REACH)
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _over(form: re.Pattern[str], text: str, windows: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for start, end in windows:
        yield from form.finditer(text, start, end)


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit() or c in "xX")


def cn_id_valid(number: str) -> bool:
    """18 characters: a date that existed between 1900 and today's century, and the right check digit (GB 11643)."""
    from stdnum.cn import ric

    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    return number[0] in "12345678" and int(number[6:10]) >= 1900 and ric.calc_check_digit(number) == number[-1].upper()


def _ids(seen: Sight, windows: list[tuple[int, int]]) -> list[Hit]:
    text = seen.text
    hits = []
    for m in _over(_CN_ID, text, windows):
        if cn_id_valid(_digits(m.group())):
            hits.append(Hit(m.start(), m.end(), "cn_id", "cn-id"))
    if "证" in text or "id card" in text.lower():
        hits += [Hit(m.start("v"), m.end("v"), "cn_id", "cn-id-15") for m in matches(seen, stems.CN_IDS, _CN_ID15)]
    for m in matches(seen, stems.PASSPORTS, _PASSPORT):
        hits.append(Hit(m.start("v"), m.end("v"), "passport", "passport"))
    for m in matches(seen, stems.NATIONAL_IDS, _SSN):
        name = next(g for g in ("v", "v2", "v3") if m.group(g))
        hits.append(Hit(m.start(name), m.end(name), "national_id", "national-id"))
    return hits


def _ibans(text: str, windows: list[tuple[int, int]]) -> list[Hit]:
    hits = []
    for m in _over(_IBAN, text, windows):
        from stdnum import iban

        value = re.sub(r"[ -]", "", m.group())
        end = m.end()
        while len(value) >= 15:
            if iban.is_valid(value, check_country=False) and sum(c.isdigit() for c in value) >= 6:
                hits.append(Hit(m.start(), end, "iban", "iban"))
                break
            cut = re.search(r"[ -][A-Z0-9]{1,4}$", text[m.start() : end])
            if cut is None:
                break
            end = m.start() + cut.start()
            value = re.sub(r"[ -]", "", text[m.start() : end])
    return hits


def _brand(number: str) -> str:
    """Brand by leading digits and length (ISO/IEC 7812 ranges in use), "" when none fits."""
    n = len(number)
    two, four = int(number[:2]), int(number[:4])
    if number[0] == "4" and n in (13, 16, 19):
        return "visa"
    if (51 <= two <= 55 or 2221 <= four <= 2720) and n == 16:
        return "mastercard"
    if two in (34, 37) and n == 15:
        return "amex"
    if two == 62 and 16 <= n <= 19:
        return "unionpay"
    if (four == 6011 or two in (64, 65)) and n == 16:
        return "discover"
    if 3528 <= four <= 3589 and n == 16:
        return "jcb"
    return "diners" if two in (30, 36, 38) and n == 14 else ""


def _cards(text: str, windows: list[tuple[int, int]]) -> list[Hit]:
    hits = []
    for m in _over(_CARD, text, windows):
        number = _digits(m.group())
        if not 13 <= len(number) <= 19 or number in _TEST_CARDS:
            continue
        from stdnum import luhn

        brand = _brand(number)
        near = text[max(0, m.start() - 48) : m.start()]
        grouped = _CARD_GROUPS.fullmatch(m.group()) is not None
        said = _CARD_WORDS.search(near) is not None
        if (not grouped and not m.group().isdigit()) or (
            not luhn.is_valid(number) and not (said and re.search(r"卡号|card number", near))
        ):
            continue
        if (not brand and not said) or len(set(number)) <= 2:
            continue
        against = (
            _CARD_NOT.search(near[-28:]) is not None and re.search(r"(?i)卡号|card|visa|\bpan\b", near[-12:]) is None
        )
        if re.search(r"(?i)test card|测试卡", near) and len(set(number)) <= 4:
            continue
        usual = brand in ("visa", "mastercard", "amex", "discover", "jcb") and len(number) in (15, 16)
        if (grouped and brand and not against) or (said and not against) or (usual and not against):
            hits.append(Hit(m.start(), m.end(), "bank_card", "bank-card"))
    return hits


def _phones(text: str, windows: list[tuple[int, int]]) -> list[Hit]:
    hits = []
    for m in _over(_CN_MOBILE_86, text, windows):
        hits.append(Hit(m.start(), m.end(), "phone", "cn-mobile"))
    for m in _over(_CN_MOBILE, text, windows):
        if _may_be_number(text, m.start(), m.end()):
            hits.append(Hit(m.start(), m.end(), "phone", "cn-mobile"))
    for m in _over(_PLUS, text, windows):
        if _international(text, m):
            hits.append(Hit(m.start(), m.end(), "phone", "international"))
    for form in (_US, _LOCAL):
        for m in _over(form, text, windows):
            near = text[max(0, m.start() - 40) : m.start()]
            said = _PHONE_WORDS.search(near) or _PHONE_WORDS.search(text[m.end() : m.end() + 20])
            if _SERVICE.search(near) or (not said and not m.group().startswith("(")):
                continue
            if 9 <= len(_digits(m.group())) <= 12 and _may_be_number(text, m.start(), m.end()):
                hits.append(Hit(m.start(), m.end(), "phone", "local-number"))
    return hits


def _may_be_number(text: str, start: int, end: int) -> bool:
    """Rule out what else stands as eleven digits: orders, sizes, times, keyed counters."""
    near = text[max(0, start - 48) : start]
    if _NUMBER_NOT.search(near) or _NUMBER_UNIT.match(text, end) or _SERVICE.search(near[-12:]):
        return False
    keyed = _KEYED.search(near)
    return keyed is None or _KEY_OK.search(keyed.group("k")) is not None


def _international(text: str, m: re.Match[str]) -> bool:
    raw = m.group()
    digits = _digits(raw)
    if not 8 <= len(digits) <= 15 or len(set(digits)) < 3:
        return False
    near = text[max(0, m.start() - 40) : m.start()]
    said = _PHONE_WORDS.search(near) is not None
    line_start = m.start() == 0 or text[m.start() - 1] == "\n"
    if (raw.startswith("00") and not said) or _SERVICE.search(near[-12:]):
        return False
    import phonenumbers

    try:
        number = phonenumbers.parse("+" + digits.lstrip("0") if raw.startswith("00") else "+" + digits)
    except phonenumbers.NumberParseException:
        return False
    if phonenumbers.is_valid_number(number):
        return not line_start or said or not raw[1:].isdigit()
    separated = sum(raw.count(c) for c in " -") >= 2
    return phonenumbers.is_possible_number(number) and (
        said or (separated and not line_start) or (not line_start and len(digits) >= 11)
    )


def _emails(text: str) -> list[Hit]:
    hits = []
    for host in _MAIL_HOST.finditer(text):
        user = _MAIL_USER.search(text, max(0, host.start() - 65), host.start())
        if user is None or _ROLE.fullmatch(user.group()) or _NO_MAIL.fullmatch(host.group("d")):
            continue
        hits.append(Hit(user.start(), host.end(), "email", "email"))
    return hits
