# ruff: noqa: E501 - a pattern broken over lines is harder to read than a long one
"""The gate before the engine: could any of its rules match? Loading the rules costs half a second, this microseconds.

Two steps. `may_match`: every rule needs an unbroken run of sixteen characters or one of a few literals. `is_likely`,
asked only while the rules are not in memory: a run in the form of our own ids, digests, times and paths can be part of
a match only behind a provider's name, a separator and a value, so files of memories do not load the engine. Tests
prove both over the engine's own rules, and over values drawn from each of their patterns.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omp.redact.runs import Sight

LITERALS = (
    "airtable", "cloudinary", "dropbox", "flyv1", "secret_key", "refresh_token", "zxlk", "mongodb", "<add key", "private key",
    "xapp-", "xox", "bitbucket.org",
)  # fmt: skip
"""What the rules without a long run need: each of them wants one of these, whatever the case."""

_NAMES = """
    -figma-token -relic _figma_token _relic abuseipdb adafruit airtable algolia alibaba aliyun andb apollo asana
    assemblyai auth0 beamer bitbucket bitrise bittrex box browserstack bx checkout circleci civo clerk clickup
    cloudflare co_api_key codecov cohere coinbase configcat confluent contentful coveralls crates cursor data.gov
    databento datadog deepgram discord disqus dnkey droneci dropbox ebay eightsandbiases elevenlabs endor
    enterprise__contribsys__com etsy ew-york-times ewyorktimes facebook fal fastly figmatoken finicity finnhub
    flickr freshbooks gems__contribsys__com gitea gitter gocardless greptile gumroad heroku highnote honeycomb
    hubspot hunter ibm infomaniak instantly intercom jumpcloud kagi key klaviyo kraken kucoin lark launchdarkly
    lighton linear linked lob looker mailchimp mailchimpsdk mailgun mapbox mattermost mem0 meraki message miro
    mistral monday netlify ngrok nowflake okta ollama openweather opsgenie pagerduty paradigm paypal pinecone plaid
    plivo poly postmark private pyowm rainforest rapidapi razorpay relic retell s_api scalr secret sendbird sentry
    snyk sonar squarespace sslmate stability sumo telegr telnyx token travis twitch twitter typeform ullstory
    ullstory_api upstage upstash vercel virustotal vultr waka weatherstack wiz woo workos x-api-key yandex ytimes
    zendesk zoho
"""
"""Words that rules want before a separator and a value of no form of its own (taken from kingfisher 1.5.0)."""

_NEAR = ("amplitude", "bitly", "clickhouse", "couchbase", "capella", "influx", "aiven", "pscale", "planetscale", "canva",
         "discord", "heroku", "aws_", "aws-", "awss", "cloudflare", "cf_", "hcp_", "user_", "contribsys", "codecommit", "codecatalyst")  # fmt: skip
"""Words that rules want within some characters of a value, whatever stands between."""

_PARTS = """
    "client_secret" "refresh_token" "secret_key" "secret_key' $aact_ 'secret_key" 'secret_key' .acc- .acc_ .atlasv1.
    .azconfig.io .ey .servicebus.windows.net/;sharedaccesskeyname= .webhook.office.com/webhookb2/ 4b1d <add key="
    ==: @bitbucket.org/ @git-codecommit. _gitlab_session= _live _mmk _prod _test _token_apikeyclientsecret" a3- a3t
    absk age-secret-key-1 agjhy2lpau agnivwlpau agniwwlpau agrxuwlpau aik_ci_ aik_secret_ aiven aiza akcp al-
    amntbdbjanbi amplitude amria2lpau apella api- api_live. api_live_ca. api_live_us. api_org_ apify_api_ apikey-v1
    apk_ apk_user_ aq.ab8rn6 astracs: atat au5quwlp auth_provider_x509_cert_url bbdc- bedrock-api-key-
    ymvkcm9jay5hbwf6b25hd3muy29t bgjttwlpau bgnhc2lpbn bia bitly bk bkua_ bsa cca ccdb1_ ccipat_ cciprj_ cfat_ cfut_
    cgmztwlpau cgrpstzj clojars_ cloudinary clpybgzim0j6swpwy cmfxuwlp cmria2lpaup cmvmd cnvca codecatalyst.aws/
    cog_ configcat-sdk-1/ csa_ csk- cwezvwlpau cwqyc2lpb d01ttwlp d01utwlpau d2niuwlpau dapi dckr_oat_ dckr_pat_
    ddo_ ddp_ doo_v1_ dop_v1_ dor_v1_ dp.pt. dt0c01. duffel_ dvc_client_ dvc_mobile_ dvc_server_ dwiynwpau0k2 eaaa
    eaac eaam emruuwlp emrxswlpau essu_ exo eyjrijoi eyjtaxjv ezak eztk f_account_id f_api_key f_api_token f_token
    figd_ fio-u- flwseck_test- flyv1 gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glagent- glc_ glcbt- gldt- glffct- glft-
    glimt- gloas- glpat- glptt- glrt- glrt-t glsa_ glsoat- gr1348941 gsk_ hcp_client_secret hf_ hrku- hrku-aa hvb.
    hvs. ico- incoming+ influx inrlbxbvcmfslmlv ion_ kia lin_api_ lip_ llx- loudflare_api_key loudflare_api_token
    loudflare_auth_key loudflare_token lsv2_pt_ lsv2_sk_ mdb_sa_sk_ mercury_production_ mergify_application_key_
    mflxy2lpau mgvyqwlpaup mlpysnphvzl1swpv mlpyswlpau mlsn. mongodb mwmyvwlpaup mwntd2l napi_ ne5xtwlp ne5yuwlpau
    ne5yuwpvekkxtmljnkl ne5yvwlpau nelqb2 nmfyqwlpau npm_ ntn_ nvapi- nyk_ ops_eyj os_v2_ ouchbase p8e- pa-
    packagist_acs_ packagist_ort_ packagist_out_ pat pcsk_ pdl_live_apikey_ persona_production_ phc_ phx_ pina_
    pmak- pmat- pnu_ polar_at_ polar_oat_ polar_pat_ pplx- prf_ private key pscale_oauth_ pscale_pw_ pscale_tkn_
    pul- pypi-ageichlwas5vcmc q~ r8_ ramp_sec_ rdme_ re_ rnd_ rootly_ rpa_ rubygems_ s-s4t2 samsara_api_ sat.
    sb_secret_ sbp_ sg. sgp_ sha256~ shippo_ shpat_ shpca_ shppa_ shpss_ sia sk- sk-ant-admin01- sk-ant-api03- sk-
    api- sk-lf- sk-or-v sk-or-v1- sk_car_ sm_aat_ sm_pat_ sm_sat_ sntrys_eyjpyxqio sntryu_ sq0atp- swmkey-1-
    swmtkn-1- t3blbkfj tgp_v1_ tk-us- token tskey-api- tss_ ucat_ unkey_ v1.0- vca_ vci_ vck_ vcp_ vcr_ vtwn_ waka_
    wandb_v1_ wrka xai- xapp- xkeysib- xnd_production_ xoxa- xoxb- xoxc- xoxd- xoxe xoxe- xoxe.xoxp- xoxo- xoxp
    xoxp- xoxr- xoxs- zpka_
"""
"""Beginnings and parts of values with a form of their own."""

_OURS = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64}"
    r"|\d{4}-\d\d-\d\dt?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?)?|[a-z]+-[a-z2-7]{10}[:.]?"
)


_PLAIN = frozenset({"key", "token", "secret", "access"})
"""Names that stand everywhere: the rules that start at them want a value of thirty characters at least."""
_LINK = r"[ \t\w.-]{0,20}[\s'\"]{0,3}(?:[=>:,]|\|\||\?=)[=>:]{0,3}[\x60'\"\s=]{0,5}"


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    names = "|".join(sorted((re.escape(n) for n in _NAMES.split() if n not in _PLAIN), key=len, reverse=True))
    link = (
        rf"(?:{names}){_LINK}[a-z0-9_.%+/=~|:!-]{{8}}|(?:{'|'.join(sorted(_PLAIN))}){_LINK}(?:[a-z0-9/+=_-]{{30}}|endr)"
    )
    return re.compile(link), re.compile("|".join(map(re.escape, _PARTS.split())))


def may_match(seen: Sight) -> bool:
    """Tell whether the engine could find anything; needs no rule to be loaded."""
    return bool(seen.runs) or any(literal in seen.low for literal in LITERALS)


def is_likely(seen: Sight) -> bool:
    """Tell whether what `may_match` saw could be more than our own ids, digests, times and paths."""
    low = seen.low
    if any(literal in low for literal in LITERALS) or any(word in low for word in _NEAR):
        return True
    link, parts = _forms()
    for start, end in seen.runs:
        piece = low[start:end]
        if _OURS.fullmatch(piece):
            continue
        if any(c.isdigit() for c in piece) or "%" in piece or parts.search(piece):
            return True
    return link.search(low) is not None
