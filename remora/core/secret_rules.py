r"""What a secret looks like: the formats of providers, and how to tell a value from its stand-in.

Two tables hold the formats. A `Prefix` is a literal start and the pattern of what follows: the
literal is searched first, so a text without it pays one substring test and its pattern is never
compiled. A `Shape` is a whole pattern, for tokens that do not open with one literal; its `needles`
are the cheap test. Repeats are bounded or possessive, and no pattern can begin again inside the
run it has just scanned: the time is linear in the text, whatever the text.

The rest judges a value that stands after a telling name (`password=`, `api_token:`).
`looks_random` is Shannon entropy plus structure. Entropy alone does not do: the identifier
`getUserByIdFromCache` has as many bits a character as a key of its length. But it is made of
pronounceable words, and a key is not. `is_stand_in` knows what people write where a password
would stand: masks, templates, types, references and words about the password.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import log2
from typing import NamedTuple

from remora.core.text import STOP_WORDS


class Prefix(NamedTuple):
    """Tokens with a literal start.

    `anywhere` allows a letter or digit right before the start; `random` asks that what follows
    the start looks random, for starts that ordinary names share.
    """

    kind: str
    starts: tuple[str, ...]
    rest: str
    anywhere: bool = False
    random: bool = False


class Shape(NamedTuple):
    """Tokens known by their whole form; group 1 is the secret.

    One of the `needles`, in lower case, has to be in the text. `value` marks what people choose
    themselves, which may be a stand-in. `after` is a word that must stand before it on its line.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: str
    value: bool = False
    after: str = ""


_END = r"(?![A-Za-z0-9_-])"
_GITLAB = "pat dt rt rtr cbt ptt ft imt agent oas soat ffct wt"

PREFIXES: tuple[Prefix, ...] = (
    Prefix("anthropic-key", ("sk-ant-",), r"[\w-]{20,}+", anywhere=True),
    Prefix("openrouter-key", ("sk-or-v1-",), r"[0-9a-f]{64}"),
    Prefix("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"[\w-]{20,}+"),
    Prefix("openai-key", ("sk-",), r"[A-Za-z0-9]{48,}+", anywhere=True),
    Prefix("openai-key", ("sk-",), r"[A-Za-z0-9]{20,}+", random=True),
    Prefix("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{36,}+", anywhere=True),
    Prefix("github-token", ("github_pat_",), r"\w{22,}+", anywhere=True),
    Prefix("gitlab-token", tuple(f"gl{name}-" for name in _GITLAB.split()), r"[\w.-]{18,}+(?<!\.)"),
    Prefix("gitlab-token", ("GR1348941",), r"[\w-]{20,}+"),
    Prefix("aws-access-key-id", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Prefix("aws-bedrock-key", ("ABSK",), r"[A-Za-z0-9+/]{100,300}+={0,2}"),
    Prefix("gcp-api-key", ("AIza",), r"[\w-]{35}" + _END),
    Prefix("google-oauth-token", ("ya29.", "GOCSPX-"), r"[\w-]{20,}+"),
    Prefix("google-oauth-token", ("1//0",), r"[\w-]{40,}+"),
    Prefix("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"), r"[\w%-]{10,}+"),
    Prefix("slack-token", ("xapp-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"), r"[\w-]{10,}+"),
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
    Prefix("mailgun-key", ("key-",), r"[0-9a-f]{32}" + _END),
    Prefix("brevo-key", ("xkeysib-", "xsmtpsib-"), r"[0-9a-f]{64}-\w{16}"),
    Prefix("resend-key", ("re_",), r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}" + _END),
    Prefix("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[0-9a-f]{64}"),
    Prefix("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[0-9a-fA-F]{32}"),
    Prefix("square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), r"[\w-]{22,43}+"),
    Prefix("square-token", ("EAAA",), r"[\w-]{60}" + _END),
    Prefix("databricks-token", ("dapi",), r"[0-9a-f]{32}(?:-\d)?" + _END),
    Prefix("linear-key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{32,}+"),
    Prefix("notion-token", ("secret_",), r"[A-Za-z0-9]{43}" + _END),
    Prefix("notion-token", ("ntn_",), r"[A-Za-z0-9]{40,}+"),
    Prefix("figma-token", ("figd_", "figo_", "figu_", "figdr_", "figor_", "figur_"), r"[\w-]{40,}+"),
    Prefix("atlassian-token", ("ATATT3", "ATCTT3"), r"[\w=-]{50,}+"),
    Prefix("atlassian-token", ("ATBB",), r"[A-Za-z0-9]{32}" + _END),
    Prefix("airtable-token", ("pat",), r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Prefix("sentry-token", ("sntrys_", "sntryu_"), r"[\w+/=-]{40,}+"),
    Prefix("grafana-token", ("glc_", "glsa_"), r"[A-Za-z0-9+/_]{32,}+={0,3}"),
    Prefix("newrelic-key", ("NRAK-", "NRII-", "NRJS-", "NRAA-"), r"[\w-]{19,}+"),
    Prefix("vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{20,}+"),
    Prefix("doppler-token", ("dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim."), r"[\w.-]{36,}+(?<!\.)"),
    Prefix("pulumi-token", ("pul-",), r"[0-9a-f]{40}" + _END),
    Prefix("age-key", ("AGE-SECRET-KEY-1", "AGE-PLUGIN-"), r"[A-Z0-9-]{50,}+", anywhere=True),
    Prefix("1password-token", ("ops_eyJ",), r"[\w+/=-]{100,}+"),
    Prefix("postman-key", ("PMAK-",), r"[0-9a-f]{24}-[0-9a-f]{34}"),
    Prefix("planetscale-token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w.=-]{32,}+(?<!\.)"),
    Prefix("supabase-key", ("sbp_",), r"[0-9a-f]{40}"),
    Prefix("supabase-key", ("sb_secret_",), r"[\w-]{20,}+"),
    Prefix("netlify-token", ("nfp_",), r"[A-Za-z0-9]{36,}+"),
    Prefix("tailscale-key", ("tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-"), r"[\w-]{20,}+"),
    Prefix("fly-token", ("fm1_", "fm1a_", "fm1r_", "fm2_", "fo1_"), r"[\w+/=,-]{40,}+(?<!,)"),
    Prefix("buildkite-token", ("bkua_",), r"[0-9a-f]{40}"),
    Prefix("sonarqube-token", ("sqp_", "squ_", "sqa_"), r"[0-9a-f]{40}"),
    Prefix("heroku-key", ("HRKU-",), r"[\w-]{36,}+"),
    Prefix("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), r"[0-9a-f-]{36}"),
    Prefix("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s02."), r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    Prefix("cloudflare-token", ("v1.0-",), r"[0-9a-f]{24}-[0-9a-f]{146}"),
    Prefix("alibaba-key-id", ("LTAI",), r"[A-Za-z0-9]{17,21}" + _END, random=True),
    Prefix("openshift-token", ("sha256~",), r"[\w-]{43}" + _END),
    Prefix("paypal-token", ("access_token$production$", "access_token$sandbox$"), r"\w{16}\$[0-9a-f]{32}"),
)

SHAPES: tuple[Shape, ...] = (
    Shape(
        "jwt",
        ("eyj",),
        r"(eyJ(?:(?<![\w-]eyJ)|(?<=\\[nrt]eyJ)|(?<=%[0-9A-F]{2}eyJ))"
        r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]{8,}+){0,2}+)",
    ),
    Shape(
        "aws-secret-key",
        ("secret",),
        r"(?i:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)[\\\"'\]]{0,4}"
        r"\s{0,4}[:=]\s{0,4}[\\\"']{0,2}([A-Za-z0-9+/]{40})(?![\w+/])",
    ),
    Shape("aws-secret-key", ("akia", "asia"), r"A[KS]IA[A-Z0-9]{16}[\s\"',:;|]{1,8}+([\w+/]{40})(?![\w+/=])"),
    Shape(
        "azure-storage-key",
        ("accountkey=", "accesskey="),
        r"A(?:ccount|ccess)Key=([A-Za-z0-9+/]{40,120}+={0,2})",
    ),
    Shape("azure-sas-signature", ("sig=",), r"[?&;\"']sig=([A-Za-z0-9+/%]{40,120}+=?)"),
    Shape("azure-secret", ("q~",), r"(?<![\w~.-])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])"),
    Shape(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,}+)",
    ),
    Shape(
        "discord-webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/(\d{15,21}+/[\w-]{40,}+)"
    ),
    Shape("teams-webhook", ("/webhookb2/",), r"\.webhook\.office\.com/webhookb2/([\w@-]{36,}+/[\w/-]{40,}+)"),
    Shape("discord-token", ("",), r"([MNO](?<![\w.-][MNO])[DTjz][\w-]{21,27}\.[\w-]{6}\.[\w-]{27,45}+)"),
    Shape("telegram-token", (":aa",), r"(?<![A-Za-z0-9])(?:bot)?(\d{8,10}:AA[\w-]{33})(?![\w-])"),
    Shape("mailchimp-key", ("-us",), r"(?<![A-Za-z0-9])([0-9a-f]{32}-us\d{1,2})(?!\d)"),
    Shape("terraform-token", (".atlasv1.",), r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}+)"),
    Shape("twilio-key", ("twilio",), r"(?<![A-Za-z0-9])((?:AC|SK)[0-9a-f]{32})(?![A-Za-z0-9])"),
    Shape(
        "private-key",
        ("private-lines:",),
        r"Private-Lines: \d{1,4}\s{1,4}+((?:[A-Za-z0-9+/=]{4,80}+(?:\r?\n)?)++)",
    ),
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
        r"\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$-][^\s:\"'$]{0,80}+:([^\s\"']{1,200}+)",
        value=True,
        after="curl",
    ),
    Shape(
        "password", ("identified",), r"(?i:identified\s{1,4}+by)\s{1,4}+['\"]([^'\"\s]{1,200}+)", value=True
    ),
)

# A provider's name before an assigned value tells the kind of a value that has no form of its own.
CONTEXTS: tuple[tuple[str, str], ...] = (
    ("aws", "aws-secret-key"),
    ("azure", "azure-secret"),
    ("cloudflare", "cloudflare-token"),
    ("datadog", "datadog-key"),
    ("dd_a", "datadog-key"),
    ("fastly", "fastly-token"),
    ("heroku", "heroku-key"),
    ("okta", "okta-token"),
    ("twilio", "twilio-key"),
)


@cache
def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """Return a pattern compiled at its first use, since most texts need few of them; classes are ASCII."""
    return re.compile(pattern, re.ASCII | re.IGNORECASE if ignore_case else re.ASCII)


_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HEX = r"[0-9a-f]+|[0-9A-F]+"
_DIGEST = r"(?:sha-?\d{1,3}|md5|h1)[-:_=]"
_PIECE = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"
_UNPRONOUNCEABLE = r"[^aeiouy]{4}|[aeiou]{3}|(.)\1\1"


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits a character.

    >>> entropy("aabb"), entropy("aaaa")
    (1.0, 0.0)
    """
    total = len(text)
    return sum(n / total * log2(total / n) for n in Counter(text).values())


def looks_random(value: str) -> bool:
    """Return whether a value of 16 characters or more reads as a key rather than as words.

    A short random text falls short of the bits of its alphabet. The thresholds keep 99 of 100
    uniformly random texts: 16 hex digits have 2.7 bits a character or more, 16 letters and digits
    3.1, 24 of them 3.5.

    >>> looks_random("f3a9" + "0c71" + "be52" + "86d4"), looks_random("getUserById2FromCache")
    (True, False)
    """
    core = value.removeprefix("0x").rstrip("=")
    if len(core) < 16 or compiled(_DIGEST).match(core) or not any(c.isalpha() for c in core):
        return False
    has_digit = any(c.isdigit() for c in core)
    if compiled(_HEX).fullmatch(core) or compiled(_UUID).fullmatch(core):
        return has_digit and entropy(core) >= 2.7
    if not has_digit and (core.islower() or core.isupper()):
        return False
    if entropy(core) < (3.1 if len(core) < 24 else 3.5):
        return False
    return _share_of_words(core) < (0.3 if core[0] in "/~." else 0.6)


def _share_of_words(text: str) -> float:
    """Return how much of a text's letters and digits stands in words, years or counters, 0..1."""
    pieces = compiled(_PIECE).findall(text)
    return sum(len(p) for p in pieces if _is_wordlike(p)) / max(sum(map(len, pieces)), 1)


def _is_wordlike(piece: str) -> bool:
    if piece.isdigit():
        return len(piece) >= 4
    lower = piece.lower()
    vowels = sum(lower.count(c) for c in "aeiouy") / len(piece)
    return len(piece) >= 3 and 0.2 <= vowels <= 0.67 and not compiled(_UNPRONOUNCEABLE).search(lower)


# A value that ends in one of these names a secret and is none: `password=user_password`.
_NOUNS = frozenset(
    """password passwords passwd passphrase passcode passwort pwd pw pass secret secrets token tokens key keys
    apikey credential credentials creds auth hash hashed value""".split()
)
_ALONE = _NOUNS - {"secret", "secrets", "hash", "value", "key", "auth"}

# What stands after `password:` in code and in prose and is no password: types, then words.
TYPES = (
    "str string bytes bytearray bool boolean int integer number float char varchar text uuid any unknown never"
    " object optional option secretstr securestring array list dict map set buffer field column charfield"
)
_WORDS = STOP_WORDS.union(
    TYPES.split(),
    """none null nil undefined nan true false yes empty unset missing required optional invalid incorrect
    wrong expired await async new lambda function func fn def return let const var self this super
    input prompt see ask kept lives stored hashed encrypted salted plain plaintext must needs may
    might always never use used uses using via get reset change changed rotate rotated update
    updated minimum maximum min max length confirm confirmation forgot show hide validation validate
    default prompted flag option argument parameter variable field file env environment manager
    policy authentication protected based""".split(),
)
_TEMPLATE = (
    r"\$?\{\{[^{}]*\}\}|[$#%]?\{[^{}]*\}|\$\([^()]*\)|\$(?:[A-Za-z_]\w*|\d\b)|%\([^()]*\)[sdr]|%\w+%|%[sdrvq@]"
    r"|@\w+@|<[^<>]*>|\[[^\[\]]*\]"
)
_SIGNS = r"[xX]{3,}|\W{0,3}[*•.#_…-]{2,}\W{0,3}|[\W_]{1,2}|\?+"
_PLACEHOLDER = (
    r"(?<![a-z])(?:change[ _-]?(?:me|this|it)|replace[ _-]?(?:me|this|with)|(?:enter|insert|put|set|add)[ _-]"
    r"(?:an?|the|your|here|in|via)|your|placeholder|example|redacted|masked|hidden|removed|omitted|to[ _-]?do"
    r"|tbd|fixme|here|not[ _-]set|dummy|fake|sample|xxx+)(?![a-z])"
)
_REFERENCE = (
    r"[&*!@]?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*+[(\[]"  # a call, an index
    r"|[&*!@]?[A-Za-z_$]++(?:(?:\?\.|\.|::|->)[A-Za-z_$]+)++\Z"  # a.b.c
    r"|(?:self|this|os|process|config|settings|env|args|req|request|ctx|options|props|state|data|form|body|cfg"
    r"|user|secrets|params|vars?|local|values)(?:\?\.|\.|->|::)[A-Za-z_]"
    r"|[A-Z][a-z]\w*<|[A-Za-z_]\w*=>"  # a generic type, a function
    r"|[&*!][A-Za-z_]+\Z|:[a-z_]+\Z|[A-Z]+(?:_[A-Z]+)+\Z|[A-Za-z_]+:\Z"  # pointer, parameter, constant, key
    r"|(?:~|\.{1,2})?/[\w.-]+/[\w./-]*\Z|[A-Za-z]:[\\/]|arn:"  # a path
    r"|[{\[](?:[\"'\\]|\Z)|[=:>|]+(?:[A-Za-z_]*\Z|\W)"  # a structure, an operator
)
_HEAD = r"[&*!?]?([A-Za-z_]+)(?:[,;)|&=<>\]?}\[{(:\"'`].*)?"
_TECHNICAL = (
    r"(?:sha|md|aes|rs|hs|es|ps|base|utf|rfc|ipv?|http|oauth|x|p|ed|tls|ssl|v|h|s|ec|python|py|node|log|web|u?int"
    r"|float|step|phase|line|issue|pr|test|version|user|db|env|level|tier|part|section|option)[-_]?\d{1,5}[a-z]{0,3}"
    r"|argon2\w{0,2}|pbkdf2|v?\d[\d.:/-]*|\d+[-_]?[a-z-]+|[\w/-]+\.[a-z]{1,5}"
)


def is_stand_in(value: str, *, quoted: bool) -> bool:
    """Return whether a text stands where a password would and is none.

    A quoted text is a value unless it is a mask, a template, a placeholder that says so, a
    message or a name. A bare text may also be a reference, a type or a word of prose.

    >>> is_stand_in("os.environ['PW']", quoted=False), is_stand_in("swordfish", quoted=False)
    (True, False)
    """
    if len(value) > 200:
        return False
    if compiled(_SIGNS).fullmatch(value):
        return True
    if not any(c.isalnum() for c in compiled(_TEMPLATE).sub("", value)):
        return not quoted or any(c.isalnum() for c in value)
    lower = value.lower()
    if lower in _WORDS or "://" in value:
        return True
    plain = not any(c.isdigit() for c in value)
    if plain and (compiled(_PLACEHOLDER).search(lower) or _names_a_secret(value, quoted=quoted)):
        return True
    if quoted:
        return " " in value and any(w in _WORDS or w in _NOUNS for w in compiled(r"[a-z]+").findall(lower))
    head = compiled(_HEAD).fullmatch(value)
    return bool(compiled(_REFERENCE).match(value) or (head and head[1].lower() in _WORDS))


def _names_a_secret(value: str, *, quoted: bool) -> bool:
    words = [w.lower() for w in compiled(_PIECE).findall(value)]
    if not words or not compiled(r"[A-Za-z_.-]+").fullmatch(value):
        return False
    return words[-1] in (_ALONE if quoted or len(words) == 1 else _NOUNS)


def is_telling(value: str) -> bool:
    """Return whether a single word is so unlike prose that it must be a value.

    >>> is_telling("swordfish"), is_telling("sha256"), is_telling("Sw0rdfish!")
    (False, False, True)
    """
    if len(value) < 6 or not any(c.isalpha() for c in value) or compiled(r"\s").search(value):
        return False
    if not compiled(r"[0-9!#$%^&*]").search(value):
        return False
    return not compiled(_TECHNICAL, ignore_case=True).fullmatch(value)
