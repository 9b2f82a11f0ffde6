"""Tokens known by their own form: provider prefixes, JSON web tokens, webhook addresses. No context needed.

The engine knows several hundred forms too, but wants a certain character behind a value and a word boundary before
it; these rules hold inside Chinese sentences, at the end of a sentence and for values cut short.
"""

from __future__ import annotations

import base64
import binascii
import re

from omp.redact.marks import Hit
from omp.redact.values import is_placeholder, looks_random, wordiness

_B = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_-]"
_H = "[0-9a-f]"
_UUID = f"{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}"

PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("github", "token", f"gh[pousr]_{_B}{{20,}}"),
    ("github-fine", "token", "github_pat_[A-Za-z0-9_]{20,}"),
    ("gitlab", "token", f"gl(?:pat|rt|dt|ft|cbt|ptt|imt|oas|soat|agent|ffct|rtr)-{_U}[A-Za-z0-9_.-]{{15,}}"),
    ("gitlab-old-runner", "token", f"GR1348941{_U}{{16,}}"),
    ("anthropic", "api_key", f"sk-ant-{_U}{{20,}}"),
    ("openrouter", "api_key", f"sk-or-v\\d-{_B}{{20,}}"),
    ("openai", "api_key", f"sk-(?:proj|svcacct|admin|None|api|lf|car|kimi)-{_U}{{20,}}"),
    ("sk", "api_key", f"sk-{_B}{{20,}}"),
    ("sk-parts", "api_key", f"sk-[a-z0-9]{{2,10}}-{_U}{{24,}}"),
    ("pk-lf", "api_key", f"pk-lf-{_UUID}"),
    ("cerebras", "api_key", f"csk-{_B}{{24,}}"),
    ("groq", "api_key", f"gsk_{_B}{{30,}}"),
    ("xai", "api_key", f"xai-{_B}{{30,}}"),
    ("huggingface", "token", f"(?:hf|api_org)_{_B}{{24,}}"),
    ("replicate", "token", f"r8_{_B}{{30,}}"),
    ("perplexity", "api_key", f"pplx-{_B}{{30,}}"),
    ("tavily", "api_key", f"tvly-{_U}{{20,}}"),
    ("nvidia", "api_key", f"nvapi-{_U}{{40,}}"),
    ("fireworks", "api_key", f"(?:fw|f3)_{_B}{{22,}}"),
    ("llama-cloud", "api_key", f"llx-{_B}{{30,}}"),
    ("langsmith", "api_key", f"lsv2_(?:pt|sk)_{_H}{{32}}(?:_{_H}{{6,}})?"),
    ("firecrawl", "api_key", f"fc-{_H}{{32}}"),
    ("jina", "api_key", f"jina_{_U}{{30,}}"),
    ("together", "api_key", f"tgp_v\\d_{_U}{{30,}}"),
    ("voyage", "api_key", f"(?:pa|al)-{_U}{{43}}(?!{_U})"),
    ("mem0", "api_key", f"m0-{_B}{{24,}}"),
    ("elevenlabs", "api_key", f"sk_{_H}{{40,}}"),
    ("baidu", "api_key", f"bce-v3/ALTAK-{_B}{{10,}}/{_H}{{30,}}"),
    ("zhipu", "api_key", f"{_H}{{32}}\\.{_B}{{16}}(?!{_B})"),
    ("google", "api_key", f"AIza{_U}{{30,}}"),
    ("google-gemini", "api_key", f"AQ\\.Ab8{_U}{{30,}}"),
    ("google-oauth", "secret", f"GOCSPX-{_U}{{20,}}"),
    ("google-access", "token", "ya29\\.[A-Za-z0-9_.-]{20,}"),
    ("google-refresh", "token", f"1//0{_U}{{30,}}"),
    ("aws-id", "api_key", "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-bedrock", "api_key", "ABSK[A-Za-z0-9+/]{40,}={0,2}"),
    ("alibaba-id", "api_key", f"LTAI{_B}{{12,26}}(?!{_B})"),
    ("alibaba-sts", "api_key", "STS\\.[A-Za-z0-9]{16,}"),
    ("tencent-id", "api_key", f"AKID{_B}{{20,}}"),
    ("volcengine-id", "api_key", f"AKLT{_B}{{20,}}"),
    ("azure-ad", "secret", "[A-Za-z0-9_.-]{2,4}[0-9]Q~[A-Za-z0-9_.~-]{28,}"),
    ("slack", "token", "xox[abceoprsd]-(?:\\d+-)*[A-Za-z0-9%/+-]{10,}"),
    ("slack-config", "token", f"xoxe\\.xox[bp]-{_U}{{20,}}"),
    ("slack-app", "token", f"xapp-\\d+-{_U}{{20,}}"),
    ("stripe", "api_key", f"(?:sk|rk)_(?:live|test|prod)_{_B}{{10,}}"),
    ("webhook-secret", "secret", "whsec_[A-Za-z0-9+/=]{20,}"),
    ("clerk-like", "api_key", f"(?:sb_secret|sk_prod|sk_dev|pdl_live_apikey|rzp_live|rzp_test|xnd_production|xnd_development)_{_U}{{12,}}"),
    ("twilio", "api_key", f"SK{_H}{{32}}(?!{_B})"),
    ("sendgrid", "api_key", f"SG\\.{_U}{{16,}}\\.{_U}{{16,}}"),
    ("mailgun", "api_key", f"key-{_H}{{32}}(?!{_B})"),
    ("mailchimp", "api_key", f"{_H}{{32}}-us\\d{{1,2}}(?!{_B})"),
    ("mailersend", "token", f"mlsn\\.{_H}{{30,}}"),
    ("brevo", "api_key", f"xkeysib-{_H}{{40,}}(?:-{_B}{{10,}})?"),
    ("resend", "api_key", f"re_{_B}{{8}}_{_B}{{20,}}"),
    ("npm", "token", f"npm_{_B}{{30,}}"),
    ("pypi", "token", f"pypi-{_U}{{40,}}"),
    ("rubygems", "api_key", f"rubygems_{_H}{{30,}}"),
    ("crates", "token", f"cio{_B}{{32}}(?!{_B})"),
    ("nuget", "api_key", f"oy2[a-z0-9]{{43}}(?!{_B})"),
    ("docker", "token", f"dckr_(?:pat|oat)_{_U}{{20,}}"),
    ("digitalocean", "token", f"do[opr]_v1_{_H}{{40,}}"),
    ("netlify", "token", f"nf[pcu]_{_B}{{30,}}"),
    ("vercel", "token", f"v(?:cp|ci|ca|cr|ck)_{_U}{{24,}}"),
    ("cloudflare", "token", f"cf(?:at|ut|k)_{_U}{{30,}}"),
    ("cloudflare-origin", "api_key", f"v1\\.0-{_H}{{24}}-{_H}{{60,}}"),
    ("heroku", "api_key", f"HRKU-{_U}{{30,}}"),
    ("fly", "token", f"fm[12][ar]?_{_U}[A-Za-z0-9_+/=-]{{40,}}"),
    ("render", "api_key", f"rnd_{_B}{{24,}}"),
    ("railway-neon", "api_key", f"napi_{_B}{{30,}}"),
    ("supabase", "token", "sbp_[a-z0-9_]{30,}"),
    ("planetscale", "password", "pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.=-]{24,}"),
    ("databricks", "token", f"dapi{_H}{{32}}(?:-\\d)?(?!{_B})"),
    ("snowflake-like", "token", "(?:ver:1-hint|ver:2-hint):[\\w-]{20,}"),
    ("newrelic", "api_key", "NR(?:AK|II|RA|IQ|JS|AA)-[A-Za-z0-9-]{18,}"),
    ("grafana", "token", "gl(?:sa|c)_[A-Za-z0-9+/_=-]{30,}"),
    ("vault", "token", f"hv[sbr]\\.{_U}{{20,}}"),
    ("terraform", "token", f"{_B}{{14}}\\.atlasv1\\.[A-Za-z0-9_=-]{{40,}}"),
    ("doppler", "token", f"dp\\.(?:pt|st|ct|scim|sa|audit)\\.(?:[a-z0-9_-]+\\.)?{_B}{{30,}}"),
    ("pulumi", "token", f"pul-{_H}{{40}}(?!{_B})"),
    ("linear", "api_key", f"lin_(?:api|oauth)_{_B}{{30,}}"),
    ("notion", "token", f"(?:ntn|secret)_{_B}{{40,}}"),
    ("figma", "token", f"fig[durho]_{_U}{{30,}}"),
    ("atlassian", "token", "AT(?:ATT|CTT|BB|STT)[A-Za-z0-9_=-]{24,}"),
    ("airtable", "token", f"pat{_B}{{14}}\\.{_H}{{40,}}"),
    ("postman", "api_key", f"PM(?:AK|AT)-{_B}{{20,}}(?:-{_B}{{30,}})?"),
    ("shopify", "token", "shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{30,}"),
    ("square", "token", f"(?:EAAA|sq0(?:atp|csp|idp|csb)-){_U}{{20,}}"),
    ("paypal-braintree", "token", f"access_token\\$(?:production|sandbox)\\$[0-9a-z]{{16}}\\${_H}{{32}}"),
    ("facebook", "token", f"EAA[A-Z]{_B}{{60,}}"),
    ("mapbox", "token", f"sk\\.eyJ{_U}{{20,}}\\.{_U}{{16,}}"),
    ("telegram", "token", f"\\d{{8,10}}:AA{_U}{{32,34}}(?!{_U})"),
    ("discord", "token", f"[MNO]{_B}{{23,27}}\\.{_U}{{6}}\\.{_U}{{27,}}"),
    ("sentry", "token", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("sonar", "token", f"sq[apu]_{_H}{{36,}}"),
    ("tailscale", "api_key", f"tskey-[a-z]+-{_B}{{8,}}-{_B}{{16,}}"),
    ("circleci", "token", f"CCI(?:PAT|PRJ)_{_B}{{20,}}_{_H}{{40}}"),
    ("buildkite", "token", f"bk(?:ua|aa|aj|ar|ct|pt|ps|pat)_{_U}{{36,}}"),
    ("octopus", "api_key", "API-[A-Z0-9]{25,}"),
    ("artifactory", "token", f"(?:AKCp{_B}{{60,}}|cmVmd{_B}{{50,}})"),
    ("dynatrace", "token", "dt0[a-z]\\d\\d\\.[A-Z0-9]{20,}\\.[A-Z0-9]{50,}"),
    ("sourcegraph", "token", f"sgp_(?:(?:{_H}{{16}}|local)_)?{_H}{{40}}"),
    ("posthog", "api_key", f"ph[cx]_{_U}{{36,}}"),
    ("launchdarkly", "api_key", f"(?:sdk|api|mob)-{_UUID}"),
    ("contentful", "token", f"CFPAT-{_U}{{40,}}"),
    ("hubspot", "token", f"pat-(?:na|eu|ap)\\d-{_UUID}"),
    ("asana-1password", "token", "ops_eyJ[A-Za-z0-9+/_=-]{60,}"),
    ("onepassword-key", "api_key", "A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    ("docker-swarm", "token", "SWM(?:TKN|KEY)-1-[A-Za-z0-9+/-]{40,}"),
    ("openshift", "token", f"sha256~{_U}{{40,}}"),
    ("kubeadm", "token", "[a-z0-9]{6}\\.[a-z0-9]{16}(?![A-Za-z0-9.])"),
    ("prefect", "api_key", f"pn[ub]_{_B}{{30,}}"),
    ("pinecone", "api_key", f"pcsk_{_B}{{5,6}}_{_B}{{40,}}"),
    ("algolia-like", "api_key", "(?:ak|sk|tok|pat|key|token|secret|apikey|api_key|auth|ssk|usk)_(?:live_|prod_|test_)?[A-Za-z0-9]{24,}"),
    ("age", "private_key", "AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("wireguard-like", "private_key", f"(?:xprv|yprv|zprv|tprv){_B}{{100,}}"),
    ("nostr", "private_key", "nsec1[a-z0-9]{50,}"),
)  # fmt: skip
"""(rule, type of mark, pattern). Lengths are least lengths: a value cut short is a secret too."""

_RUN = re.compile(r"[A-Za-z0-9$][A-Za-z0-9_.~:+/=$%-]{15,}")
_ANY = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(f"({p})" for _, _, p in PREFIXES) + ")")
_WEAK = frozenset(
    {"kubeadm", "algolia-like", "sk", "sk-parts", "elevenlabs", "voyage", "azure-ad", "discord", "huggingface"}
)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{10,}\.(?:ey)?[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3}")
_HOOKS = re.compile(
    r"""(?x)
    oapi\.dingtalk\.com/robot/send\?access_token=([A-Za-z0-9]{20,})
    |open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{20,})
    |qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([A-Za-z0-9-]{20,})
    |hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})
    |(?:discord|discordapp)\.com/api/(?:v\d+/)?webhooks/\d{6,}/([A-Za-z0-9_-]{20,})
    |[a-z0-9-]+\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})
    |hooks\.zapier\.com/hooks/catch/(\d+/[A-Za-z0-9]+)
    |maker\.ifttt\.com/(?:trigger|use)/[^\s"'<>]{0,60}?(?:key/)?([A-Za-z0-9_-]{20,})
    |sctapi\.ftqq\.com/(SCT[A-Za-z0-9]{16,})
    |api\.day\.app/([A-Za-z0-9]{20,})
    |api\.telegram\.org/bot(\d{6,}:[A-Za-z0-9_-]{20,})
    |chat\.googleapis\.com/v1/spaces/[^\s"'<>]{0,40}?[?&]key=([A-Za-z0-9_%=&-]{20,})
    """
)
_HOOK_HINT = ("/hook", "webhook", "robot/send", "hooks.", "ftqq", "day.app", "telegram.org", "ifttt", "chat.googleapis")


def find(text: str) -> list[Hit]:
    """Find tokens by their own form in one view. Linear in the length of the text."""
    hits: list[Hit] = []
    for run in _RUN.finditer(text):
        piece = run.group()
        for m in _ANY.finditer(piece):
            rule, kind, _ = PREFIXES[(m.lastindex or 1) - 1]
            if accept(m.group(), rule):
                hits.append(Hit(run.start() + m.start(), run.start() + m.end(), kind, rule))
    if "ey" in text:
        for m in _JWT.finditer(text):
            if is_jwt(m.group()):
                hits.append(Hit(m.start(), m.start() + len(m.group().rstrip(".")), "jwt", "jwt"))
    if any(hint in text for hint in _HOOK_HINT):
        for m in _HOOKS.finditer(text):
            group = m.lastindex or 0
            if not is_placeholder(m.group(group)) and any(c.isdigit() for c in m.group(group)):
                hits.append(Hit(m.start(group), m.end(group), "webhook", "webhook"))
    return hits


def accept(value: str, rule: str) -> bool:
    """Tell whether a value of a known form is a real one: no placeholder, and random behind its prefix."""
    if is_placeholder(value):
        return False
    body = re.sub(r"^(?:[A-Za-z0-9]{1,10}[_-]){1,2}", "", value) if rule != "aws-id" else value
    if rule == "kubeadm":
        return (
            looks_random(value.replace(".", ""), 20) and sum(c.isdigit() for c in value) >= 4 and wordiness(value) < 0.2
        )
    if rule in _WEAK:
        return looks_random(body or value, 16)
    return len(set(body or value)) >= 6 and wordiness(body or value) < 0.8


def is_jwt(value: str) -> bool:
    """Tell whether the first segment of a dotted value is a JSON object in base64url."""
    head = value.partition(".")[0]
    try:
        raw = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))
    except (binascii.Error, ValueError):
        return False
    return raw.startswith(b'{"') and b":" in raw
