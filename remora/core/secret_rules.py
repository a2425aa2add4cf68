r"""What a secret looks like: the formats of providers, and how to tell a value from its stand-in.

Two tables hold the formats. A `Prefix` is a literal start and the pattern of what follows; the
literal is searched first, so a text without it pays one substring test and no pattern is even
compiled. A `Shape` is a whole pattern for tokens that do not open with a literal; its `needles`
are the cheap test. Every repeat is bounded or possessive and no pattern can begin inside the run
it would scan, so that the time is linear in the text, whatever the text.

The rest judges values that stand after a telling name (`password=`, `api_token:`).
`looks_random` is Shannon entropy plus structure: an identifier such as `getUserByIdFromCache` has
as many bits a character as a key of its length, but it is made of long words, and a key is not.
`is_stand_in` knows what people write where a password would be: types, references, templates,
masks, and words about the password.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import log2
from typing import NamedTuple

from remora.core.text import STOP_WORDS


class Prefix(NamedTuple):
    """Tokens with a literal start. `anywhere`: also right after a letter or a digit."""

    kind: str
    starts: tuple[str, ...]
    rest: str
    anywhere: bool = False
    random: bool = False


class Shape(NamedTuple):
    """Tokens known by their whole form; group 1 is the secret. `needles` are in lower case."""

    kind: str
    needles: tuple[str, ...]
    pattern: str
    value: bool = False  # a value written by people, which may be a stand-in


_END = r"(?![A-Za-z0-9_-])"
_HEX_END = r"(?![A-Za-z0-9])"

PREFIXES: tuple[Prefix, ...] = (
    Prefix("anthropic-key", ("sk-ant-",), r"[\w-]{20,}+", anywhere=True),
    Prefix("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"[\w-]{20,}+"),
    Prefix("openai-key", ("sk-",), r"[A-Za-z0-9]{48,}+", anywhere=True),
    Prefix("openai-key", ("sk-",), r"(?:[a-z0-9]{2,8}-){0,2}+[A-Za-z0-9_]{20,}+", random=True),
    Prefix("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{36,}+", anywhere=True),
    Prefix("github-token", ("github_pat_",), r"\w{22,}+", anywhere=True),
    Prefix(
        "gitlab-token",
        tuple(
            f"gl{name}-"
            for name in (
                *("pat", "dt", "rt", "rtr", "cbt", "ptt", "ft", "imt", "agent"),
                *("oas", "soat", "ffct", "wt"),
            )
        ),
        r"[\w.-]{18,}+(?<!\.)",
    ),
    Prefix("gitlab-token", ("GR1348941",), r"[\w-]{20,}+"),
    Prefix("aws-access-key-id", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}" + _HEX_END),
    Prefix("aws-bedrock-key", ("ABSK",), r"[A-Za-z0-9+/]{100,300}+={0,2}"),
    Prefix("gcp-api-key", ("AIza",), r"[\w-]{35}" + _END),
    Prefix("google-oauth-token", ("ya29.", "GOCSPX-"), r"[\w-]{20,}+"),
    Prefix("google-oauth-token", ("1//0",), r"[\w-]{40,}+"),
    Prefix("azure-storage-key", ("AccountKey=", "SharedAccessKey="), r"[A-Za-z0-9+/]{40,100}+={0,2}", True),
    Prefix("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"), r"[\w%-]{10,}+"),
    Prefix("slack-token", ("xapp-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"), r"[\w-]{10,}+"),
    Prefix("slack-webhook", ("hooks.slack.com/",), r"(?:services|workflows|triggers)/[\w/-]{20,}+", True),
    Prefix(
        "discord-webhook",
        ("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
        r"\d{15,21}+/[\w-]{40,}+",
        anywhere=True,
    ),
    Prefix("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[A-Za-z0-9]{16,}+"),
    Prefix("stripe-key", ("whsec_",), r"[A-Za-z0-9+/]{24,}+={0,2}"),
    Prefix("huggingface-token", ("hf_", "api_org_"), r"[A-Za-z0-9]{30,}+" + _END),
    Prefix("groq-key", ("gsk_",), r"[A-Za-z0-9]{40,}+"),
    Prefix("perplexity-key", ("pplx-",), r"[A-Za-z0-9]{40,}+"),
    Prefix("xai-key", ("xai-",), r"[A-Za-z0-9]{60,}+"),
    Prefix("replicate-token", ("r8_",), r"[A-Za-z0-9]{37,}+"),
    Prefix("nvidia-key", ("nvapi-",), r"[\w-]{50,}+"),
    Prefix("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), r"[0-9a-f]{32}_[0-9a-f]{10}"),
    Prefix("pinecone-key", ("pcsk_",), r"\w{40,}+"),
    Prefix("npm-token", ("npm_",), r"[A-Za-z0-9]{36}" + _END),
    Prefix("pypi-token", ("pypi-AgEI", "pypi-AgEN"), r"[\w-]{40,}+", anywhere=True),
    Prefix("rubygems-key", ("rubygems_",), r"[0-9a-f]{48}"),
    Prefix("docker-token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,}+"),
    Prefix("sendgrid-key", ("SG.",), r"[\w-]{16,32}+\.[\w-]{16,64}+"),
    Prefix("mailgun-key", ("key-",), r"[0-9a-f]{32}" + _HEX_END),
    Prefix("brevo-key", ("xkeysib-", "xsmtpsib-"), r"[0-9a-f]{64}-\w{16}"),
    Prefix("resend-key", ("re_",), r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}" + _END),
    Prefix("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[0-9a-f]{64}"),
    Prefix("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[0-9a-fA-F]{32}"),
    Prefix("square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), r"[\w-]{22,43}+"),
    Prefix("square-token", ("EAAA",), r"[\w-]{60}" + _END),
    Prefix("databricks-token", ("dapi",), r"[0-9a-f]{32}(?:-\d)?" + _HEX_END),
    Prefix("linear-key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{32,}+"),
    Prefix("notion-token", ("secret_",), r"[A-Za-z0-9]{43}" + _END),
    Prefix("notion-token", ("ntn_",), r"[A-Za-z0-9]{40,}+"),
    Prefix("figma-token", ("figd_", "figo_", "figu_", "figdr_", "figor_", "figur_"), r"[\w-]{40,}+"),
    Prefix("atlassian-token", ("ATATT3", "ATCTT3"), r"[\w=-]{50,}+"),
    Prefix("atlassian-token", ("ATBB",), r"[A-Za-z0-9]{32}" + _END),
    Prefix("sentry-token", ("sntrys_", "sntryu_"), r"[\w+/=-]{40,}+"),
    Prefix("grafana-token", ("glc_", "glsa_"), r"[A-Za-z0-9+/_]{32,}+={0,3}"),
    Prefix("newrelic-key", ("NRAK-", "NRII-", "NRJS-", "NRAA-"), r"[\w-]{19,}+"),
    Prefix("vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{20,}+"),
    Prefix("doppler-token", ("dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim."), r"[\w.-]{36,}+(?<!\.)"),
    Prefix("pulumi-token", ("pul-",), r"[0-9a-f]{40}" + _HEX_END),
    Prefix("age-key", ("AGE-SECRET-KEY-1", "AGE-PLUGIN-"), r"[A-Z0-9-]{50,}+", anywhere=True),
    Prefix("1password-token", ("ops_eyJ",), r"[\w+/=-]{100,}+"),
    Prefix("postman-key", ("PMAK-",), r"[0-9a-f]{24}-[0-9a-f]{34}"),
    Prefix("planetscale-token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w.=-]{32,}+(?<!\.)"),
    Prefix("supabase-key", ("sbp_",), r"[0-9a-f]{40}"),
    Prefix("supabase-key", ("sb_secret_",), r"[\w-]{20,}+"),
    Prefix("netlify-token", ("nfp_",), r"[A-Za-z0-9]{36,}+"),
    Prefix("tailscale-key", ("tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-"), r"[\w-]{20,}+"),
    Prefix("fly-token", ("fm1_", "fm1a_", "fm1r_", "fm2_", "fo1_"), r"[\w+/=,-]{40,}+"),
    Prefix("buildkite-token", ("bkua_",), r"[0-9a-f]{40}"),
    Prefix("sonarqube-token", ("sqp_", "squ_", "sqa_"), r"[0-9a-f]{40}"),
    Prefix("heroku-key", ("HRKU-",), r"[\w-]{36,}+"),
    Prefix("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), r"[0-9a-f-]{36}"),
    Prefix("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s02."), r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    Prefix("cloudflare-token", ("v1.0-",), r"[0-9a-f]{24}-[0-9a-f]{146}"),
    Prefix("alibaba-key-id", ("LTAI",), r"[A-Za-z0-9]{17,21}" + _END, random=True),
    Prefix("openshift-token", ("sha256~",), r"[\w-]{43}" + _END),
    Prefix("teams-webhook", (".webhook.office.com/webhookb2/",), r"[\w@-]{36,}+/[\w/-]{40,}+", anywhere=True),
    Prefix("paypal-token", ("access_token$production$", "access_token$sandbox$"), r"\w{16}\$[0-9a-f]{32}"),
)

_BASE64URL = r"[A-Za-z0-9_-]"

SHAPES: tuple[Shape, ...] = (
    Shape("jwt", ("eyj",), rf"(?<!{_BASE64URL})(eyJ{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+)"),
    Shape(
        "jwt", ("eyj",), rf"(?:\\[nrt]|%[0-9A-F]{{2}})(eyJ{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+)"
    ),
    Shape(
        "aws-secret-key",
        ("akia", "asia"),
        r"A(?:KI|SI)A[A-Z0-9]{16}[\s\"',:;|]{1,8}+([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    Shape("azure-secret", ("q~",), r"(?<![\w~.-])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])"),
    Shape("azure-sas-signature", ("sig=",), r"[?&;]sig=([A-Za-z0-9+/%]{40,120}+=?)"),
    Shape(
        "discord-token", (".",), r"(?<![\w.-])([MNO][\w-]{22,28}+\.[\w-]{6}\.[\w-]{27,45}+)(?![\w.-])"
    ),
    Shape("telegram-token", (":aa",), r"(?<![A-Za-z0-9])(?:bot)?(\d{8,10}:AA[\w-]{33})(?![\w-])"),
    Shape("mailchimp-key", ("-us",), r"(?<![0-9A-Za-z])([0-9a-f]{32}-us\d{1,2})(?!\d)"),
    Shape("terraform-token", (".atlasv1.",), r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}+)"),
    Shape("airtable-token", ("pat",), r"(?<![A-Za-z0-9])(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})"),
    Shape("twilio-key", ("twilio",), r"(?<![A-Za-z0-9])((?:AC|SK)[0-9a-f]{32})(?![A-Za-z0-9])"),
    Shape("putty-key", ("private-lines:",), r"Private-Lines: \d{1,4}\s{1,4}((?:[A-Za-z0-9+/=]{4,80}\r?\n?)++)"),
    Shape(
        "netrc-password",
        ("machine", "default"),
        r"(?:machine\s{1,20}+\S{1,200}+|default)\s{1,20}+(?:(?:login|account)\s{1,20}+\S{1,200}+\s{1,20}+){0,2}+"
        r"password\s{1,20}+(\S{1,200}+)",
        value=True,
    ),
    Shape(
        "basic-auth",
        ("curl",),
        r"curl [^\n]{0,200}?(?<=\s)(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,80}+:([^\s\"']{1,200}+)",
        value=True,
    ),
    Shape("password", ("identified",), r"(?i:identified\s{1,4}+by\s{1,4}+(?:password\s{1,4}+)?)['\"]([^'\"\s]{1,128}+)", True),
)
