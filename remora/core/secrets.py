r"""Find secrets in text, and take them out before it is stored and before it leaves.

Six finders look at a text, from the most specific to the most general: private key blocks,
tokens that carry their provider's form, credentials in addresses, `Authorization` headers,
cookies, and values assigned to a telling name. Where their finds overlap the union goes, under
the kind of the most specific one; so a longer find never leaves the rest of a secret behind.

What is redacted after a name follows from two questions. *Is it a secret for sure?* A form of a
provider, a credential in an address, a value in an `Authorization` header: always, even when it
looks like an example, since a marker in place of an example costs little. *Might it be one?*

- After a password's name (`password`, `passwd`, `pwd`, in several languages) any value that could
  be real is taken, however weak: `password: swordfish`, `password=admin`. Left alone is what
  cannot be one, or says that it is none: a reference (`$DB_PASSWORD`, `os.environ["PW"]`,
  `config.db.password`, `get_password()`, `user_password`), a type (`password: str`), a literal
  (`None`), a template (`<your password>`, `{password}`), a mask (`****`), a placeholder
  (`changeme`, `your-password`) and prose (`password: must be long`, `password is required`).
  A redaction there would destroy a useful memory and protect nothing. The price is known: a real
  password of the form `word.word`, or a function word such as `the`, stays.
- After `secret`, `token`, `api_key` and their kin, a value is taken when it looks random and has
  16 characters or more; in the form of an environment variable (`API_TOKEN=abc12345`), or of a
  command line flag, eight are enough when they mix letters and digits.
- Without such a name nothing is taken for its entropy: commit hashes, UUIDs, digests of lock
  files, image data and long identifiers are what a coding agent's memory is full of.

A marker is opaque to every finder: markers in the input are masked first. `redact` repeats until
nothing is found. Each round turns at least one character outside a marker into a part of one, so
it ends, and a redacted text is a fixed point.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from remora.core.secret_rules import (
    CONTEXTS,
    PREFIXES,
    SHAPES,
    TYPES,
    Shape,
    compiled,
    is_stand_in,
    is_telling,
    looks_random,
)
from remora.core.values import Redaction

_OTHER_KINDS = ("authorization-header", "password", "private-key", "secret", "session-cookie", "url-password")
KINDS: tuple[str, ...] = tuple(
    sorted({*_OTHER_KINDS, *(r.kind for r in PREFIXES), *(s.kind for s in SHAPES), *(k for _, k in CONTEXTS)})
)

_MASK = "\udfff"  # a lone surrogate: never part of valid text, and in no class of any pattern but \S
_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_ASCII_LOWER = {upper: upper + 32 for upper in range(65, 91)}


class Finding(NamedTuple):
    """A secret's kind and place: `text[start:end]`, in characters."""

    kind: str
    start: int
    end: int


class Redacted(NamedTuple):
    """A text without its secrets, and how many of each kind were taken out, sorted by kind."""

    text: str
    redactions: tuple[Redaction, ...]

    @property
    def count(self) -> int:  # type: ignore[override]  # a tuple's count() is of no use here
        """The number of secrets taken out."""
        return sum(r.count for r in self.redactions)


class _Find(NamedTuple):
    start: int
    end: int
    rank: int  # the lower, the more specific
    kind: str


class _View(NamedTuple):
    text: str  # markers masked
    low: str  # the same in lower case, character for character


def redact(text: str) -> Redacted:
    """Return a text with each secret replaced by `[REDACTED:<kind>]`, and what was replaced.

    >>> redacted = redact("export DB_PASSWORD=swordfish; run")
    >>> redacted.text, redacted.count
    ('export DB_PASSWORD=[REDACTED:password]; run', 1)
    """
    counts: Counter[str] = Counter()
    while found := find(text):
        counts.update(f.kind for f in found)
        parts, last = [], 0
        for kind, start, end in found:
            parts += [text[last:start], f"[REDACTED:{kind}]"]
            last = end
        text = "".join([*parts, text[last:]])
    return Redacted(text, tuple(Redaction(kind, n) for kind, n in sorted(counts.items())))


def find(text: str) -> list[Finding]:
    """Return the secrets in a text, by position, without overlaps. Markers are not secrets."""
    if "[REDACTED:" in text:
        text = _MARKER.sub(lambda m: _MASK * len(m[0]), text)
    view = _View(text, _lower(text))
    finds = [f for finder in _FINDERS for f in finder(view) if text[f.start] != _MASK]
    return _merge(finds, text) if finds else []


def _lower(text: str) -> str:
    """Return a lower-case text of the same length; a few letters outside ASCII have longer ones."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


def _merge(finds: list[_Find], text: str) -> list[Finding]:
    merged: list[Finding] = []
    finds.sort(key=lambda f: (f.start, -f.end, f.rank))
    best = finds[0]
    start, end = best.start, best.end
    for f in finds[1:]:
        if f.start < end:
            end = max(end, f.end)
            best = min(best, f, key=lambda x: (x.rank, x.start - x.end))
        else:
            merged.append(Finding(best.kind, start, end))
            best, start, end = f, f.start, f.end
    merged.append(Finding(best.kind, start, end))
    return [f._replace(end=_past_mask(text, f.end)) for f in merged]


def _past_mask(text: str, end: int) -> int:
    """Return an end that does not cut a marker in two."""
    while text[end - 1] == _MASK and end < len(text) and text[end] == _MASK:
        end += 1
    return end


# Private key blocks

_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_FINISH = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_GAP = r"(?:\\[nrt]|\d{1,6}(?![A-Za-z0-9+/=])|[^A-Za-z0-9+/=]){0,24}+"
_HEADER_LINE = r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject|MessageID):[^\n\\]{0,200}+"
_BODY = rf"(?:{_GAP}(?:{_HEADER_LINE}|[A-Za-z0-9+/=]{{20,}}+))++(?:(?<!=){_GAP}[A-Za-z0-9+/=]{{1,19}}+)?"
_LONGEST_BLOCK = 65536


def _private_keys(view: _View) -> Iterator[_Find]:
    """Find key blocks; one without its END line goes as far as its lines look like key material."""
    text = view.text
    if "PRIVATE KEY" not in text:
        return
    begins = list(compiled(_BEGIN).finditer(text))
    for i, begin in enumerate(begins):
        limit = begins[i + 1].start() if i + 1 < len(begins) else len(text)
        limit = min(limit, begin.end() + _LONGEST_BLOCK)
        finish = compiled(_FINISH).search(text, begin.end(), limit)
        body = finish or compiled(_BODY).match(text, begin.end(), limit)
        yield _Find(begin.start(), body.end() if body else begin.end(), 0, "private-key")


# Tokens that carry a provider's form


# Every token of a provider has such a run; most prose has none.
_RUN = r"[\w-]{15}|[\w+/]{40}"


def _by_form(view: _View) -> Iterator[_Find]:
    long_run = compiled(_RUN).search(view.text) is not None
    if long_run:
        yield from _prefixed(view)
    for rank, rule in enumerate(SHAPES, 1000):
        if (long_run or rule.value) and any(needle in view.low for needle in rule.needles):
            yield from _shaped(view, rule, rank)


def _prefixed(view: _View) -> Iterator[_Find]:
    text = view.text
    for rank, rule in enumerate(PREFIXES, 1):
        for start in rule.starts:
            at = text.find(start)
            while at >= 0:
                rest = compiled(rule.rest).match(text, at + len(start))
                ok = rest and (rule.anywhere or _at_left_edge(text, at))
                if rest and ok and (not rule.random or looks_random(rest[0])):
                    yield _Find(at, rest.end(), rank, rule.kind)
                at = text.find(start, rest.end() if rest else at + len(start))


def _at_left_edge(text: str, at: int) -> bool:
    r"""Return whether a token may begin here: not inside a word, but after `\n`, `%3D` or a colour."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
        return True
    before = text[max(at - 10, 0) : at]
    return bool(compiled(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,7}m)\Z").search(before))


def _shaped(view: _View, rule: Shape, rank: int) -> Iterator[_Find]:
    for m in compiled(rule.pattern).finditer(view.text):
        if rule.value and is_stand_in(m[1], quoted=False):
            continue
        if rule.after and rule.after not in view.low[_line_start(view.low, m.start()) : m.start()]:
            continue
        yield _Find(m.start(1), m.end(1), rank, rule.kind)


def _line_start(text: str, at: int) -> int:
    """Return where the line of a place begins, at most 200 characters before it."""
    low = max(at - 200, 0)
    return max(text.rfind("\n", low, at) + 1, low)


# Credentials in addresses, headers and cookies

_URL = (
    r"://(?:[^\s:/?#@\"'<>`]{0,200}+:([^\s/?#\"'<>`\\]{1,400})|([A-Za-z0-9_-]{20,200}+))@"
    r"|(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|redis|rediss|amqps?|sqlserver)"
    r"://[^\s:/?#@\"'<>`]{0,100}+:([^\s@\"'<>`\\]{1,200}+)@[\w.\[-]"
)


def _addresses(view: _View) -> Iterator[_Find]:
    if "://" not in view.text:
        return
    for m in compiled(_URL).finditer(view.text):
        group = m.lastindex or 1
        if looks_random(m[2]) if group == 2 else not is_stand_in(m[group], quoted=False):
            yield _Find(m.start(group), m.end(group), 2000, "url-password")


_AUTHORIZATION = (
    r"authorization[\\\"'`\]]{0,4}+\s{0,4}+[:=,]\s{0,4}+[\\\"'`]{0,4}+"
    r"(?:(bearer|basic|token|api-?key|digest|splunk|sso-key|oauth|key)\s{1,4}+)?([\w.~+/=|-]{6,4096}+)"
)


def _headers(view: _View) -> Iterator[_Find]:
    if "authorization" not in view.low:
        return
    for m in compiled(_AUTHORIZATION).finditer(view.low):
        value = view.text[m.start(2) : m.end(2)]
        mixed = (
            any(c.isdigit() for c in value) or value.endswith("=") or not (value.islower() or value.isupper())
        )
        if looks_random(value) or (m[1] and mixed and not is_stand_in(value, quoted=False)):
            yield _Find(m.start(2), m.end(2), 2001, "authorization-header")


_COOKIE = r"cookie[\\\"'`\]]{0,4}+\s{0,4}+[:=]\s{0,4}+([^\r\n\"'`]{8,4096}+)"
_CRUMB = r"([\w.$-]{1,80}+)=([^;\s,\\]{8,}+)"
_SESSION = r"sess|sid\b|_sid|auth|token|jwt|csrf|xsrf|remember|login"


def _cookies(view: _View) -> Iterator[_Find]:
    if "cookie" not in view.low:
        return
    for line in compiled(_COOKIE).finditer(view.low):
        for crumb in compiled(_CRUMB).finditer(view.text, line.start(1), line.end(1)):
            session = compiled(_SESSION).search(crumb[1].lower())
            if looks_random(crumb[2]) or (session and is_telling(crumb[2])):
                yield _Find(crumb.start(2), crumb.end(2), 2002, "session-cookie")


# Values assigned to a telling name

_HINTS = ("pass", "pwd", "secret", "token", "credential", "auth", "bearer", "key", "kennwort", "senha")
_NAME = (
    r"(?P<noun>passw(?:or)?d|passphrase|passwort|kennwort|contraseña|senha|пароль|密码|パスワード|pwd"
    r"|pass(?<=[_-]pass)|secret|token|credentials?|auth|bearer|key)"
    r"(?:[_-]?(?:\d{1,3}|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|live|local|val(?:ue)?|str(?:ing)?"
    r"|base64|b64|raw|plain|text|old|new|current|default|admin|root))?"
)
_LINK = (
    r"[\\\"'`*\])]{0,6}+(?:"
    r"\s*+\??(?P<op>:=|={1,3}+>?|::?|：|\?=|\|\|=)[ \t]*+[*_]{0,3}+\s*+(?:[|>][-+]?\s++)?"
    r"|(?P<xml>>)"
    r"|(?P<pair>[\s,]{1,20}+(?:-\s{1,8}+)?[\\\"']{0,2}+value[\\\"']{0,2}+\s{0,4}+[:=]\s{0,4}+)"
    r"|(?P<comma>(?<=[\"']),\s{0,20}+(?=[\\\"']))"
    r"|(?P<verb>\s{1,4}+(?:is|was)\s{1,4}+(?:(?:now|set|still|currently|to)\s{1,4}+){0,2}+:?\s{0,2}+)"
    r"|(?P<gap>[ \t]{1,8}+(?=\S)))"
)
_TYPED = (
    rf"(?:&(?:'\w+\s)?|\*)?(?:{'|'.join(TYPES.split())})\b"
    r"(?:[\[<(][^\n=]{0,40}[\])>])?(?:\s?\|\s?\w+)?\s{0,4}=(?!=)\s{0,4}"
)
_OWNER = (
    r"(?:db|database|user|smtp|e?mail|mysql|pg|postgres|sql|redis|mongo|s?ftp|ssh|root|admin|https?|proxy|basic|auth"
    r"|login|rabbitmq|amqp|ldap|wifi|vpn|docker|registry|git|sudo|account|app|service|key|store|api)[_-]\Z|(?<!\S)--\Z"
)
_QUALIFIED_KEY = (
    r"(?:api|app|access|account|admin|aes|auth|client|consumer|cookie|db|deploy|encrypt(?:ion)?|hmac|ingest|jwt"
    r"|license|master|private|rest|root|secret|server|service|session|shared|signing|ssh|storage|subscription"
    r"|webhook)[._ -]?key\Z"
)
_HARMLESS = r"(?:page|next|continuation|sync|cursor|cancel(?:lation)?|public)[._ -]?token\Z"
_QUOTE = r"(?:[frbuFRBU]{1,2}|[@$])?(\\*(?:\"\"\"|'''|[\"'`]))"
_GLUE = r"\s|[+,;)][ \w.,()\[\]]*[+(]?\Z"  # what stands between two strings of a concatenation
_NEXT_PAIR = r"(?:[;,&]|\\[nrt])(?=[\w.\"'\\-]{1,40}+\s?[=:])|\\[nrt](?=[\\\"'\s]|\Z)|</"
_GIVEN = r"(?:\b(?:with|and|us(?:e|ing)|set|export|via|by)|[,;:(])\s(?:(?:the|a|its) )?\Z|['\"]\Z"
_PLAIN = r"[\w+/.~%-]{6,1024}+={0,2}+(?![(\[])"
_LONGEST_QUOTED = 1024
_TOKENS = frozenset(("secret", "token", "credential", "credentials", "auth", "bearer", "key"))


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool


def _assignments(view: _View) -> Iterator[_Find]:
    """Find values after a telling name. No run of characters is scanned twice."""
    if view.low.isascii() and not any(hint in view.low for hint in _HINTS):
        return
    pattern = compiled(_NAME + _LINK)
    at = run_end = 0
    while name := pattern.search(view.low, at):
        at = name.end()
        if name.lastgroup == "gap" and name["noun"] in _TOKENS and not _is_flag(view.text, name):
            continue
        typed = compiled(_TYPED).match(view.low, at) if name["op"] else None
        begin = typed.end() if typed else at
        value = _quoted_value(view.text, begin)
        if value is None and name["noun"] in _TOKENS:
            plain = compiled(_PLAIN).match(view.text, begin)
            value = _Value(begin, plain.end(), quoted=False) if plain else None
        elif value is None:
            if begin >= run_end:
                space = compiled(r"\s").search(view.text, begin)
                run_end = space.start() if space else len(view.text)
            value = _bare_value(view.text, begin, run_end)
        if value and value.end > value.start and _is_secret(view, name, value):
            yield _Find(value.start, value.end, 3000, _kind(view, name))
            at = value.end


def _quoted_value(text: str, begin: int) -> _Value | None:
    """Return what stands between quotes, which may be escaped or triple, on one line."""
    opening = compiled(_QUOTE).match(text, begin)
    if not opening:
        return None
    start = opening.end()
    stop = min(start + _LONGEST_QUOTED, len(text))
    line_end = text.find("\n", start, stop)
    stop = line_end if line_end >= 0 else stop
    close = text.find(opening[1], start, stop)
    while close > start and _slashes(text, start, close) % 2:
        close = text.find(opening[1], close + 1, stop)
    if close < 0:
        return None
    if compiled(_GLUE).match(text, start, close):
        close = start
    return _Value(start, close, quoted=True)


def _slashes(text: str, start: int, end: int) -> int:
    """Return how many backslashes stand right before a place."""
    at = end
    while at > start and text[at - 1] == "\\":
        at -= 1
    return end - at


def _bare_value(text: str, begin: int, run_end: int) -> _Value | None:
    """Return the value that begins here and ends at a space, before the next `name=` or a closing sign."""
    while begin < run_end and text[begin] in "(*_\"'`":
        begin += 1
    following = compiled(_NEXT_PAIR).search(text, begin, run_end)
    end = following.start() if following else run_end
    if text[end - 1 : end] == ":" and end - begin < 40 and text[begin : end - 1].isidentifier():
        return None
    while end > begin and text[end - 1] in ".,;:)]}>\"'`*\\" and not _closes(text, begin, end):
        end -= 1
    return _Value(begin, end, quoted=False)


def _closes(text: str, begin: int, end: int) -> bool:
    """Return whether a value's last character closes a bracket that it opened, as in `${NAME}`."""
    opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(text[end - 1])
    if opening is None or end - begin > _LONGEST_QUOTED:
        return False
    return text.count(opening, begin, end) >= text.count(text[end - 1], begin, end)


def _is_secret(view: _View, name: re.Match[str], value: _Value) -> bool:
    """Judge a value by the name before it and by how the two are linked."""
    text = view.text[value.start : min(value.end, value.start + _LONGEST_QUOTED)]
    before = view.text[max(name.start() - 48, 0) : name.start()]
    link = name.lastgroup
    flag = link == "gap" and _is_flag(view.text, name)
    if link == "xml" and not compiled(r"<[\w:.-]*\Z").search(before):
        return False
    if (link == "gap" and text[0] == "-") or ((name["op"] or "").endswith("=>") and not value.quoted):
        return False
    if name["noun"] in _TOKENS:
        return len(text) >= 8 and _is_token(view, name, text, quoted=value.quoted)
    if name["noun"] == "pass" and not compiled(_OWNER).search(before.lower()):
        return False
    if is_stand_in(text, quoted=value.quoted):
        return False
    if link in ("op", "xml", "pair") or flag:
        return not _is_argument(view.text, name.start(), value, text)
    if link == "verb":
        return is_telling(text) or (value.quoted and " " not in text)
    if link == "comma" or not value.quoted or not before.lower().endswith("with "):
        return is_telling(text) and (link == "comma" or bool(compiled(_GIVEN).search(before)))
    return True


def _is_token(view: _View, name: re.Match[str], text: str, *, quoted: bool) -> bool:
    noun_end = name.end("noun")
    title = view.low[max(noun_end - 28, 0) : noun_end]
    if name["noun"] == "key" and not compiled(_QUALIFIED_KEY).search(title):
        return False
    if compiled(_HARMLESS).search(title) or compiled(r"[^\x21-\x7e]").search(text):
        return False
    if is_stand_in(text, quoted=quoted or text[0] == "/"):
        return False
    if looks_random(text):
        return True
    variable = (
        name["op"] == "=" and name.end() == name.end("op") and view.text[name.start() : noun_end].isupper()
    )
    return (variable or name.lastgroup == "gap") and len(text) >= 8 and is_telling(text)


def _is_flag(text: str, name: re.Match[str]) -> bool:
    """Return whether a name before a space takes it as its value: `--password x`, not `a password x`."""
    start = name.start()
    if name["noun"] == "bearer":
        return True
    if "--" not in text[max(start - 48, 0) : start]:
        return False
    while start > 0 and name.start() - start < 48 and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    return text.startswith("--", start) and text[name.start("gap") - 1] not in "\"'`*])\\"


def _is_argument(text: str, name_start: int, value: _Value, word: str) -> bool:
    """Return whether a bare name is an argument in a call, as in `connect(host, password=entered)`."""
    if value.quoted or not word.isidentifier() or any(c.isdigit() for c in word):
        return False
    line = text[_line_start(text, name_start) : name_start]
    opening = line.rfind("(")
    called = opening > line.rfind(")") and line[opening - 1 : opening].isidentifier()
    return called and text[value.end : value.end + 1] in (",", ")")


def _kind(view: _View, name: re.Match[str]) -> str:
    if name["noun"] not in _TOKENS:
        return "password"
    title = view.low[max(_line_start(view.low, name.start()), name.start() - 40) : name.end("noun")]
    for word, kind in CONTEXTS:
        if compiled(rf"(?<![a-z]){word}").search(title):
            return kind
    return "secret"


_FINDERS: tuple[Callable[[_View], Iterator[_Find]], ...] = (
    _private_keys,
    _by_form,
    _addresses,
    _headers,
    _cookies,
    _assignments,
)
