r"""The forms of providers' tokens, and a test for randomness.

Two tables hold the forms. A `Prefix` is a literal start and the pattern of the rest: the literal is searched
first, so a text without it costs one substring test and its pattern is never compiled. A `Shape` is a whole
pattern, for tokens without a literal start; its `needles` are the cheap test. Repeats are bounded or
possessive, and no pattern can begin again inside the run it has just scanned: the time is linear in the
length of any text.

`looks_random` is Shannon entropy plus structure. Entropy alone is not enough: the identifier
`getUserByIdFromCache` has as many bits a character as a key of its length. But it consists of
pronounceable words, and a key does not.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import log2
from typing import NamedTuple


class View(NamedTuple):
    """A text for the finders: with its markers masked, and in lower case with the same length."""

    text: str
    low: str


class Find(NamedTuple):
    """A match of a finder: its place, its kind, and the rank of its rule (lower is more specific)."""

    start: int
    end: int
    rank: int
    kind: str


class Prefix(NamedTuple):
    """Tokens with a literal start.

    `anywhere` allows a letter or digit right before the start; `random` requires that the rest looks
    random, for starts that ordinary names share.
    """

    kind: str
    starts: tuple[str, ...]
    rest: str
    anywhere: bool = False
    random: bool = False


class Shape(NamedTuple):
    """Tokens with a known whole form; the last group that matched is the secret.

    One of the `needles`, in lower case, must be in the text. `value` marks values that people choose
    themselves, which may be stand-ins. `after` is a word that must precede it on its line.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: str
    value: bool = False
    after: str = ""


_DIGIT = r"(?=[A-Za-z%-]{0,40}+\d)"
_END = r"(?![A-Za-z0-9_-])"
# The base64 continuations of `-----BEGIN … PRIVATE KEY`, as in kubeconfig files.
_BASE64_PEM = "BSU0EgUFJJVkFURS BQUklWQVRF BFQyBQUklWQVRF BPUEVOU1NIIFBSSVZBVE BFTkNSWVBURUQgUFJJVk"
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
    Prefix(
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"),
        _DIGIT + r"[\w%-]{10,}+",
    ),
    Prefix("slack-token", ("xapp-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"), _DIGIT + r"[\w-]{10,}+"),
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
    Prefix(
        "private-key", tuple(f"LS0tLS1CRUdJTi{w}" for w in _BASE64_PEM.split()), r"[A-Za-z0-9+/]{40,}+={0,2}"
    ),
    Prefix("jenkins-secret", ("{AQAAABAAAA",), r"[\w+/]{20,}+={0,2}\}", anywhere=True),
    Prefix("paypal-token", ("access_token$production$", "access_token$sandbox$"), r"\w{16}\$[0-9a-f]{32}"),
)

_DES = r"(?m)^[\w.-]{1,32}+:(?=\S{0,12}\d)(?=\S{0,12}[A-Z])(?=\S{0,12}[a-z])([\w./]{13})$"
_LEFT = r"(?:(?<![\w~.-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"

SHAPES: tuple[Shape, ...] = (
    Shape(
        "jwt",
        ("eyj",),
        r"(eyJ(?:(?<![\w-]eyJ)|(?<=\\[nrt]eyJ)|(?<=%[0-9A-F]{2}eyJ))"
        r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+(?>(?:\.[\w-]{8,}+){0,2}))",
    ),
    Shape(
        "aws-secret-key",
        ("secret",),
        r"(?i:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)[\\\"'\]]{0,4}"
        r"(?:\s{0,4}[:=]\s{0,4}|\s{1,4}(?:is\s{1,4})?)[\\\"']{0,2}([A-Za-z0-9+/]{40})(?![\w+/])",
    ),
    Shape("aws-secret-key", ("akia", "asia"), r"A[KS]IA[A-Z0-9]{16}[\s\"',:;|]{1,8}+([\w+/]{40})(?![\w+/=])"),
    Shape(
        "azure-storage-key",
        ("accountkey=", "accesskey="),
        r"A(?:ccount|ccess)Key=([A-Za-z0-9+/]{40,120}+={0,2})",
    ),
    Shape("azure-sas-signature", ("sig=",), r"[?&;\"']sig=([A-Za-z0-9+/%]{40,120}+=?)"),
    Shape("azure-secret", ("q~",), _LEFT + r"([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])"),
    Shape(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,}+)",
    ),
    Shape(
        "discord-webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/(\d{15,21}+/[\w-]{40,}+)"
    ),
    Shape("teams-webhook", ("/webhookb2/",), r"\.webhook\.office\.com/webhookb2/([\w@-]{36,}+/[\w/-]{40,}+)"),
    Shape(
        "discord-token",
        ("",),
        r"([MNO](?:(?<![\w.-][MNO])|(?<=\\[nrt][MNO])|(?<=%..[MNO]))[DTjz][\w-]{21,27}\.[\w-]{6}\.[\w-]{27,45}+)",
    ),
    Shape("telegram-token", (":aa",), _LEFT + r"(?:bot)?(\d{8,10}:AA[\w-]{33})(?![\w-])"),
    Shape("mailchimp-key", ("-us",), _LEFT + r"([0-9a-f]{32}-us\d{1,2})(?!\d)"),
    Shape("terraform-token", (".atlasv1.",), _LEFT + r"([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}+)"),
    Shape("twilio-key", ("twilio",), _LEFT + r"((?:AC|SK)[0-9a-f]{32})(?![A-Za-z0-9])"),
    Shape(
        "private-key",
        ("private-lines:",),
        r"Private-Lines: \d{1,4}\s{1,4}+((?>(?:[A-Za-z0-9+/=]{4,80}+(?:\r?\n)?)+))",
    ),
    Shape(
        "netrc-password",
        ("machine", "default"),
        r"(?:machine\s{1,20}+\S{1,200}+\s{1,20}+|default\s{1,20}+(?=login))"
        r"(?>(?:(?:login|account)\s{1,20}+\S{1,200}+\s{1,20}+){0,2})password\s{1,20}+(\S{1,200}+)",
        value=True,
    ),
    Shape(
        "basic-auth",
        ("curl",),
        r"\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$-][^\s:\"'$]{0,80}+:([^\s\"']{1,200}+)",
        value=True,
        after="curl",
    ),
    *(  # passwords after a program's short option
        Shape(
            "password",
            (program,),
            rf"\s{option}[\"']?([^\s\"'$-][^\s\"']{{2,200}}+)",
            value=True,
            after=program,
        )
        for program, option in (
            ("mysql", "-p"),
            ("mariadb", "-p"),
            ("sshpass", r"-p\s?"),
            (" login", r"-p[\s=]"),
            ("redis-cli", r"-a[\s=]"),
        )
    ),
    Shape(  # a configuration line with nothing else
        "password",
        ("passw", "requirepass", "rootpw", "bindpw"),
        r"(?m)^[ \t]*(?:password|requirepass|rootpw|bindpw)[ \t]{1,20}+"
        r"(?:\"([^\"\n]{3,200}+)\"|'([^'\n]{3,200}+)'|(?=\S{0,80}\d)(?=\S{0,80}[A-Za-z])(\S{6,200}+))[ \t]*$",
        value=True,
    ),
    Shape(  # on the line after its user
        "password",
        ("password",),
        r"(?m)^[ \t]*(?:user(?:name)?|login)[ \t]{1,20}+\S{1,200}+[ \t]*\n[ \t]*password[ \t]{1,20}+"
        r"[\"']?([^\s\"']{3,200}+)[\"']?[ \t]*$",
        value=True,
    ),
    Shape(  # after a user, as two strings of a call
        "password",
        ("login(", "authenticate(", "basicauth(", "basic_auth(", "auth("),
        r"(?i:login|authenticate|auth)\(\s{0,20}+(?>(\"|')[^\"'\s]{1,100}+\1),\s{0,20}+[\"']([^\"'\s]{4,200}+)[\"']",
        value=True,
    ),
    Shape("password-hash", (":",), _DES, value=True),  # htpasswd
    Shape(
        "secret",
        ("encrypted", "oauth"),
        r"(?i:[\"'](?:encrypted[\w-]{2,30}+[\"']\s?:|[\w-]{0,20}oauth[\"']\s?:\s?\{\s{0,40}+[\"'][\w.-]{1,80}+[\"']\s?:))"
        r"\s{0,4}+[\"']([A-Za-z0-9+/]{24,400}+={0,2})[\"']",
    ),
    Shape(  # the modular crypt format: shadow, htpasswd, bcrypt, phpass, Argon2
        "password-hash",
        (
            "$1$",
            "$2",
            "$5$",
            "$6$",
            "$7$",
            "$y$",
            "$gy$",
            "$apr1$",
            "$p$",
            "$h$",
            "$argon2",
            "$scrypt$",
            "$pbkdf2",
        ),
        r"(?<!\$)(\$(?:2[abxy]?\$\d\d\$[A-Za-z0-9./]{50,60}+|[PH]\$[A-Za-z0-9./]{31}"
        r"|(?:1|5|6|7|g?y|apr1|argon2id?|argon2d|scrypt|pbkdf2[\w-]{0,16}+)\$"
        r"(?>(?:[A-Za-z0-9./,=+-]{1,200}+\$){1,4})[A-Za-z0-9./+=]{20,200}+))",
    ),
    Shape(
        "password-hash",
        ("pbkdf2_sha", "bcrypt_sha256$", "scrypt$"),
        r"(?<![\w$])((?:pbkdf2_sha\d{1,3}|bcrypt_sha256|scrypt)\$[\w./+=$]{40,400}+)",
    ),
    Shape(  # userPassword of LDAP, RFC 2307
        "password-hash",
        ("{sha", "{ssha", "{smd5}", "{md5}", "{crypt}"),
        r"(?i:\{(?:s?sha(?:\d{3})?|s?md5|crypt)\})([A-Za-z0-9+/$.]{20,200}+={0,2})",
    ),
    Shape("password-hash", ("*",), r"(?<![\w*])(\*[0-9A-F]{40})(?!\w)"),  # MySQL
    Shape("password-hash", ("'md5",), r"(?i:password)\s{1,4}+'(md5[0-9a-f]{32})'"),  # PostgreSQL
    Shape(  # host:port:database:user:password
        "pgpass-password",
        (":5432:", ":6432:", ":*:"),
        r"(?m)^[^\s:#]{1,200}+:(?:5432|6432|\*):(?!\d{1,9}:)[^\s:]{1,80}+:[^\s:]{1,80}+:(\S{1,200}+)$",
        value=True,
    ),
    Shape(
        "framework-key",
        ("base64:",),
        r"(?i:key)[\\\"']{0,4}\s{0,4}[:=]>?\s{0,4}[\\\"']{0,2}base64:([A-Za-z0-9+/]{20,200}+={0,2})",
    ),
    Shape(
        "framework-key",
        ("secret_key_base",),
        r"secret_key_base[\\\"']{0,4}\s{0,4}[:=]>?\s{0,4}([0-9a-f]{32,256}+)",
    ),
    Shape(  # WordPress
        "framework-key",
        ("_key", "_salt"),
        r"(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[\"'],\s{0,40}+[\"'](.{32,200}?)[\"']\s?\)",
        value=True,
    ),
    Shape(
        "password",
        ("<pass", "<pwd"),
        r"(?i:<(?:pass(?:wd|word)?|pwd)(?:>|\s(?:encoding=.base64.>|[^<>]{1,80}+>(?=[A-Za-z]{0,80}\d))))"
        r"(?>(?:<!\[CDATA\[)?)([^<\s\]]{4,200}+)(?:\]\]>)?</",
        value=True,
    ),
    Shape(
        "password", ("identified",), r"(?i:identified\s{1,4}+by)\s{1,4}+['\"]([^'\"\s]{1,200}+)", value=True
    ),
)


@cache
def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """Return a pattern, compiled at its first use, since most texts need few of them; classes are ASCII."""
    return re.compile(pattern, re.ASCII | re.IGNORECASE if ignore_case else re.ASCII)


def line_start(text: str, at: int) -> int:
    """Return the start of a position's line, at most 200 characters before it."""
    low = max(at - 200, 0)
    return max(text.rfind("\n", low, at) + 1, low)


_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HEX = r"[0-9a-f]+|[0-9A-F]+"
_DIGEST = r"(?:sha-?\d{1,3}|md5|h1)[-:_=]"
PIECE = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"
_UNPRONOUNCEABLE = r"[^aeiouy]{4}|[aeiou]{3}|(.)\1\1"


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits a character.

    >>> entropy("aabb"), entropy("aaaa")
    (1.0, 0.0)
    """
    total = len(text)
    return sum(n / total * log2(total / n) for n in Counter(text).values())


def looks_random(value: str) -> bool:
    """Return whether a value of 16 characters or more looks like a key rather than like words.

    A short random text has fewer bits than its alphabet. The thresholds keep 99 of 100 uniformly random
    texts: 16 hex digits have 2.7 bits a character or more, 16 letters and digits 3.1, 24 of them 3.5.

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
    # Letters of other scripts are in no run of these: a value without any is a sentence, not a key.
    runs = compiled(r"[A-Za-z0-9]+").findall(core)
    if not runs:
        return False
    if len(compiled(r"[0-9]+").findall(max(runs, key=len))) >= 4:
        return True
    return _share_of_words(core) < (0.3 if core[0] in "/~." else 0.6)


def _share_of_words(text: str) -> float:
    """Return the share of a text's letters and digits that belong to words, years or counters, 0..1."""
    pieces = compiled(PIECE).findall(text)
    return sum(len(p) for p in pieces if _is_wordlike(p)) / max(sum(map(len, pieces)), 1)


def _is_wordlike(piece: str) -> bool:
    if piece.isdigit():
        return len(piece) >= 4
    lower = piece.lower()
    vowels = sum(lower.count(c) for c in "aeiouy") / len(piece)
    return len(piece) >= 3 and 0.2 <= vowels <= 0.67 and not compiled(_UNPRONOUNCEABLE).search(lower)
