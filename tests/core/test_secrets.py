"""The scanner takes out what is secret, leaves what is not, and never shows a value.

Every token here is made from noise at run time, so that no line of this file looks like a secret.
"""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.secret_assignments import is_stand_in
from remora.core.secret_rules import PREFIXES, SHAPES, looks_random
from remora.core.secrets import _SHORTEST, find, redact
from remora.core.values import Redaction
from tests.tables import table

HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
WORD = string.ascii_letters + string.digits
URL64 = WORD + "-_"
BASE64 = WORD + "+/"


def noise(alphabet: str, length: int, seed: int = 7) -> str:
    """Random characters, the same in every run; the first and the last are letters or digits."""
    source = random.Random(seed * 1000 + length)
    plain = [c for c in alphabet if c.isalnum()]
    middle = "".join(source.choice(alphabet) for _ in range(length - 2))
    return source.choice(plain) + middle + source.choice(plain)


def uuid(seed: int = 7) -> str:
    """A random UUID."""
    h = noise(HEX, 32, seed)
    return "-".join([h[:8], h[8:12], h[12:16], h[16:20], h[20:]])


def jwt(seed: int = 7) -> str:
    """Three parts of base64url, the first of which opens a JSON object."""
    return ".".join(["ey" + "J" + noise(URL64, 20, seed), noise(URL64, 60, seed), noise(URL64, 43, seed)])


PEM_LINES = "\n".join(noise(BASE64, 64, n) for n in range(6)) + "\n" + noise(BASE64, 22) + "=="
DASHES = "-" * 5


def pem(label: str, body: str = PEM_LINES, *, end: bool = True) -> str:
    """A key block with or without its last line."""
    return f"{DASHES}BEGIN {label}{DASHES}\n{body}\n" + (f"{DASHES}END {label}{DASHES}" if end else "")


NOISE = {"HEX": HEX, "UPPER": UPPER, "WORD": WORD, "URL64": URL64, "BASE64": BASE64, "CAPITALS": HEX.upper()}
NOISE |= {"LETTERS": string.ascii_letters, "SIGNS": WORD + "|&+@:<%#!^(*.[ "}


def made(template: str) -> str:
    """Return a secret: `{HEX:32}` are 32 random signs; `{}` keeps a known secret out of the corpus."""

    def filled(found: re.Match[str]) -> str:
        kind, number = found[1], int(found[2])
        return noise(NOISE[kind], number) if kind in NOISE else {"uuid": uuid, "jwt": jwt}[kind](number)

    return re.sub(r"\{(\w+):(\d+)\}", filled, template).replace("{}", "")


# Tokens that are found wherever they stand.
TOKENS = [(kind, made(token)) for kind, token in table(__file__, "secret_tokens")]
KINDS = {rule.kind for rule in PREFIXES} | {rule.kind for rule in SHAPES}
KINDS |= {"authorization-header", "secret", "session-cookie", "url-password"}  # of the other finders
FRAMES = [
    "{}",
    "the key is {} today",
    "X={}",
    "('{}')",
    '{{"k": "{}"}}',
    "a\\n{}\\n",
    "<b>{}</b>",
    "  {}\n",
    "見て：{}。",
]

# Secrets that are known by where they stand: kind, text around, value.
PLACED = [(kind, frame, made(value)) for kind, frame, value in table(__file__, "secret_places")]

ORDINARY = Path(__file__).with_name("corpora").joinpath("no_secrets.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(("kind", "token"), TOKENS, ids=[f"{k}-{i}" for i, (k, _) in enumerate(TOKENS)])
def test_tokens_of_providers_are_found_wherever_they_stand(kind, token):
    """A token with a provider's form is found whole, in prose, code, JSON, markup and escaped text."""
    for frame in FRAMES:
        text = frame.format(token)
        start = text.index(token)
        assert [(f.kind, f.start, f.end) for f in find(text)] == [(kind, start, start + len(token))], frame
        assert redact(text).text == frame.format(f"[REDACTED:{kind}]")


@pytest.mark.parametrize(
    ("kind", "frame", "value"), PLACED, ids=[f"{k}-{i}" for i, (k, _, _) in enumerate(PLACED)]
)
def test_values_are_found_by_their_place(kind, frame, value):
    """A value without a form of its own is found by the name or the syntax around it, which stays."""
    result = redact(frame.format(value))
    assert value not in result.text
    assert result.redactions == (Redaction(kind, 1),)
    assert result.text in {frame.format(f"[REDACTED:{kind}]"), frame.rstrip("!").format(f"[REDACTED:{kind}]")}


def test_every_kind_has_a_sample():
    """The samples above are of all kinds, and of no other."""
    assert {k for k, _ in TOKENS} | {k for k, _, _ in PLACED} == KINDS


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines_stay(line):
    """What developers write about passwords, tokens, hashes and paths is left as it is."""
    assert find(line) == []


def test_an_ordinary_page_stays():
    """The same lines as one text stay too: nothing is read across lines that belongs to none."""
    page = "\n".join(ORDINARY)
    assert len(ORDINARY) >= 60
    assert redact(page) == (page, ())


FLOOR = [
    re.compile(r"sk-[a-zA-Z0-9]{48}"),
    re.compile(r"sk-ant-[a-zA-Z0-9-]{95}"),
    re.compile(r"ghp_[a-zA-Z0-9]{36}"),
    re.compile(r"-----BEGIN (RSA|EC) PRIVATE KEY-----"),
]


@pytest.mark.parametrize("before", ["", "x", "task-", "_", "9", "="])
@pytest.mark.parametrize("fill", ["a", "Z", "7"])
def test_the_floor_of_the_specification_holds(before, fill):
    """Whatever the specification's token patterns match is taken, even with no randomness in it."""
    texts = [
        before + "sk-" + fill * 48,
        before + "sk-ant-" + fill * 95,
        before + "sk-ant-" + (fill + "-") * 48,
        before + "ghp_" + fill * 36,
        before + f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES}",
        before + f"{DASHES}BEGIN EC PRIVATE KEY{DASHES}" + fill,
    ]
    for text in texts:
        assert any(p.search(text) for p in FLOOR)
        result = redact(text + " end")
        assert result.count == 1
        assert not any(p.search(result.text) for p in FLOOR)
        assert result.text.endswith(" end")


@given(
    name=st.sampled_from(["password", "PASSWORD", "Password", "db_password", "user.password"]),
    link=st.sampled_from([":", "=", ": ", " = ", " : ", ":\t", "=  "]),
    quote=st.sampled_from(["", '"', "'"]),
    value=st.text(WORD + "!@#%^&+-_", min_size=5, max_size=40).filter(
        lambda v: any(c.isdigit() for c in v) and any(c.isalpha() for c in v)
    ),
)
def test_no_password_gets_through(name, link, quote, value):
    """After a password's name any word with a letter and a digit is taken, with or without quotes."""
    value = value.strip("!@#%^&+-_") or "a1"
    if value.isalpha() or value.isdigit() or is_stand_in(value, quoted=bool(quote)):
        return
    text = f"{name}{link}{quote}{value}{quote} # next"
    result = redact(text)
    assert result.text == f"{name}{link}{quote}[REDACTED:password]{quote} # next"
    assert result.redactions == (Redaction("password", 1),)


def test_stand_ins_are_few():
    """Of random passwords of eight characters or more, at most one in a hundred passes for code."""
    source = random.Random(11)
    signs = WORD + "!@#$%^&*()-_=+[]{};:,.<>?/|~"
    words = ["".join(source.choice(signs) for _ in range(source.randint(8, 24))) for _ in range(3000)]
    missed = [w for w in words if find(f'password: "{w}"') == []]
    assert len(missed) <= 30, missed


LABELS = [f"{kind}PRIVATE KEY" for kind in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")]


@pytest.mark.parametrize("label", [*LABELS, "PGP PRIVATE KEY BLOCK"])
def test_private_key_blocks_go_whole(label):
    """A key block is one secret from its first line to its last, also without the last line."""
    marker = "[REDACTED:private-key]"
    whole = redact(f"before\n{pem(label)}\nafter")
    assert whole == (f"before\n{marker}\nafter", (Redaction("private-key", 1),))
    cut = redact(f"before\n{pem(label, end=False)}\nThe text goes on here.")
    assert cut.text == f"before\n{marker}\n\nThe text goes on here."
    escaped = pem(label).replace("\n", "\\n")
    assert redact(f'{{"private_key": "{escaped}\\n"}}').text == f'{{"private_key": "{marker}\\n"}}'
    assert redact(pem(label).replace("\n", "\r\n")).text == marker


def test_private_keys_in_numbered_and_quoted_lines_leave_nothing():
    """Line numbers, diff signs and string concatenation around a key's lines do not save them."""
    for prefix in ("   12→", "+ ", "> ", '    "', "# "):
        lines = [prefix + line for line in pem("RSA PRIVATE KEY", end=False).splitlines()]
        result = redact("\n".join([*lines, "", "Next, run it."]))
        assert result.count == 1
        assert not any(line in result.text for line in PEM_LINES.splitlines())
        assert result.text.endswith("Next, run it.")


def test_lines_can_keep_their_numbers():
    """A key of many lines leaves as many line breaks."""
    text, _ = redact(f'a = 1\nKEY = """{pem("RSA PRIVATE KEY")}"""\nb = 2\n', keep_lines=True)
    assert text.split("\n").index("b = 2") == 3 + PEM_LINES.count("\n") + 1


def test_two_keys_of_which_the_first_is_cut():
    """A key without its end does not swallow the text up to the end of the next key."""
    text = pem("RSA PRIVATE KEY", end=False) + "\nkeep this sentence\n" + pem("EC PRIVATE KEY") + "\nand this"
    result = redact(text)
    assert result.redactions == (Redaction("private-key", 2),)
    assert "keep this sentence" in result.text
    assert result.text.endswith("\nand this")


def test_public_keys_and_certificates_stay():
    """Only private keys are secret."""
    for label in ("PUBLIC KEY", "CERTIFICATE", "RSA PUBLIC KEY"):
        assert find(pem(label)) == []


def test_counts_are_by_kind_and_sorted():
    """Several secrets are counted by kind, sorted by kind, and the rest of the text is untouched."""
    github, other = "ghp" + "_" + noise(WORD, 36, 1), "ghp" + "_" + noise(WORD, 36, 2)
    result = redact(f"{github} or {other}, password=swordfish, {jwt()}")
    marker = "[REDACTED:github-token]"
    assert result.text == f"{marker} or {marker}, password=[REDACTED:password], [REDACTED:jwt]"
    assert result.redactions == (Redaction("github-token", 2), Redaction("jwt", 1), Redaction("password", 1))
    assert result.count == 4


def test_the_most_specific_kind_names_an_overlap_and_the_union_goes():
    """A token after a telling name has the token's kind, and what hangs on to it goes with it."""
    token = "ghp" + "_" + noise(WORD, 36)
    assert redact(f"password={token}").text == "password=[REDACTED:github-token]"
    assert redact(f"password={token}!rest").text == "password=[REDACTED:github-token]"
    assert redact(f"Authorization: Bearer {jwt()}").text == "Authorization: Bearer [REDACTED:jwt]"
    assert redact(f"https://x:{token}@github.com/a").text == "https://x:[REDACTED:github-token]@github.com/a"


def test_finds_are_ordered_and_apart():
    """Finds come by position and do not overlap."""
    text = "\n".join([*(t for _, t in TOKENS), *(frame.format(v) for _, frame, v in PLACED)])
    found = find(text)
    assert len(found) >= len(TOKENS)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert {f.kind for f in found} <= KINDS
    clean = redact(text).text
    assert [t for _, t in TOKENS if t in clean] == []


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", "İ" * 50, "password=", 'password=""', "password:\n\n", "=:="]
)
def test_texts_with_nothing_in_them(text):
    """Empty, blank, odd and unfinished texts come back as they are."""
    assert redact(text) == (text, ())


def test_control_characters_and_letters_that_change_length_do_not_shift_places():
    """Offsets hold in text with NUL bytes, colour codes and letters whose lower case is longer."""
    token = "ghs" + "_" + noise(WORD, 36)
    text = f"İİ\x00\x1b[31m{token}\x1b[0m İ PASSWORD=swordfish\x00 ß"
    result = redact(text)
    assert result.text == "İİ\x00\x1b[31m[REDACTED:github-token]\x1b[0m İ PASSWORD=[REDACTED:password] ß"
    glued = "AKIA" + noise(UPPER, 16)
    assert redact(f"\x1b[32m{glued}").text == "\x1b[32m[REDACTED:aws-access-key-id]"
    assert redact(f"x%3D{glued}").text == "x%3D[REDACTED:aws-access-key-id]"


def test_markers_are_opaque():
    """A marker is no value and no name, inside of quotes, addresses and headers too."""
    marker = "[REDACTED:password]"
    for frame in (
        "password={}",
        'password: "{}"',
        "db://u:{}@h",
        "Authorization: Bearer {}",
        "{}: x9Kp2m",
        "--password {}",
    ):
        text = frame.format(marker)
        assert redact(text) == (text, ())
    assert redact(f"password=abc123{marker}").text == "password=[REDACTED:password]"


PIECES = st.one_of(
    st.sampled_from([t for _, t in TOKENS]),
    st.sampled_from([frame.format(v) for _, frame, v in PLACED]),
    st.sampled_from(ORDINARY),
    st.sampled_from(
        ["[REDACTED:jwt]", "[REDACTED:", "]", "password", "=", ": ", '"', "'", "\n", "\\n", " ", "token="]
    ),
    st.sampled_from([pem("RSA PRIVATE KEY"), pem("EC PRIVATE KEY", end=False), DASHES + "BEGIN ", "://a:"]),
    st.text(max_size=20),
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_is_redacting_once(text):
    """A redacted text is a fixed point: nothing is found in it and nothing is counted."""
    once = redact(text)
    assert redact(once.text) == (once.text, ())
    assert (once.count == 0) == (once.text == text)


@given(st.lists(st.one_of(st.sampled_from([t for _, t in TOKENS]), st.sampled_from(ORDINARY)), max_size=6))
def test_no_token_survives_among_other_lines(lines):
    """Whatever lines stand around them, tokens are gone and ordinary lines are there."""
    result = redact("\n".join(lines))
    tokens = {t for _, t in TOKENS}
    assert not any(line in result.text for line in lines if line in tokens)
    assert all(line in result.text for line in lines if line not in tokens)


HOSTILE = [
    *("a", "a@", "\\", '\\"', "\x00", "İ", "密码：", "0123456789abcdef", "[REDACTED:", "[REDACTED:x]"),
    *("token", "token ", "token:", "api_key=", "Bearer ", "db_pass=", "x_pass=", "(password=a,"),
    *("password ", "password: ", 'password="', "password=${", "password=None;", "password is "),
    *("password,value:", "--password ", "<password>", "<password>a", "password==", "password=>"),
    *("if password:", "password=((", "password:\n"),
    *("eyJ", "-eyJ", "eyJaaaaaaaa.", "sk-", "SG.aaaaaaaaaaaaaaaa.", "MTaaaaaaaaaaaaaaaaaaaaaa."),
    *("://a:", "://a:b", "redis://a:", "curl -u a:b ", "machine a login b ", "cookie: a=", "cookie:a=b;"),
    *("authorization: bearer ", DASHES + "BEGIN ", f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES}\nAAAA"),
]


def cost(text: str) -> float:
    """Seconds of this thread's time that a search takes."""
    start = time.thread_time()
    find(text)
    return time.thread_time() - start


@pytest.mark.slow
def test_time_grows_with_length_and_not_faster():
    """Ten times a hostile text takes about ten times as long, and no pattern blows up."""
    for unit in HOSTILE:
        small, large = ((unit * (size // len(unit) + 1))[:size] for size in (5_000, 50_000))
        assert any(cost(large) < max(40 * cost(small), 0.1) for _ in range(3)), unit


def test_a_long_line_is_scanned_in_time():
    """A quarter of a megabyte without a single line break stays under half a second."""
    for text in (noise(BASE64, 250_000), "password=" + "x1" * 125_000, "token " * 41_666, "://a:b" * 41_666):
        assert cost(text) < 0.5


def test_many_secrets_are_taken_out_as_fast_as_few():
    """A table of thousands of keys is gone over once."""
    started = time.monotonic()
    redacted = redact('K = "AKIAIOSFODNN7EXAMPLE"\n' * 30_000, keep_lines=True)
    assert time.monotonic() - started < 5.0
    assert (redacted.count, "AKIA" in redacted.text, redacted.text.count("\n")) == (30_000, False, 30_000)


def test_importing_compiles_almost_nothing():
    """A hook that imports the module pays for no table of patterns: they compile at first use."""
    code = "import remora.core.secrets, remora.core.secret_rules as r; print(r.compiled.cache_info()[3])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (noise(HEX, 16), True),
        (noise(WORD, 16), True),
        (noise(URL64, 43), True),
        (uuid(), True),
        (noise(WORD, 15), False),
        ("1" * 20, False),
        ("20240115103000123456", False),
        ("getAccessTokenFromStorage", False),
        ("claude-opus-4-5-20251101", False),
        ("/var/lib/service/2024/data.db", False),
        ("sha256:" + noise(HEX, 64), False),
        ("a" * 40, False),
        ("Двухфакторная аутентификация", False),
    ],
)
def test_randomness(value, expected):
    """Keys look random; names, dates, paths, labelled digests, short values and other scripts do not."""
    assert looks_random(value) is expected


def test_random_keys_are_seen_as_such():
    """Of uniformly random keys of 24 characters or more, 97 of 100 look random in every alphabet."""
    source = random.Random(3)
    for alphabet in (HEX, string.ascii_lowercase + string.digits, WORD, BASE64):
        for length in (24, 32, 40, 64):
            keys = ["".join(source.choice(alphabet) for _ in range(length)) for _ in range(300)]
            assert sum(looks_random(k) for k in keys) >= 291, (alphabet, length)


def test_a_token_is_one_long_word():
    """The scan looks for starts in long words only, so no rule may match white space or less than that."""
    for rule in PREFIXES:
        outside_classes = re.sub(r"\[[^\]]*\]", "", rule.rest)
        assert not re.search(r"\\[sWD]|\[\^|\s", rule.rest)
        assert not re.search(r"(?<!\\)\.", outside_classes)
        least = re._parser.parse(rule.rest).getwidth()[0]  # type: ignore[attr-defined]
        assert all(len(start) + least >= _SHORTEST and not re.search(r"\s", start) for start in rule.starts)
