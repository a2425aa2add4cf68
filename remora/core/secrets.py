r"""Find secrets in text and redact them, before it is stored and before it is sent.

Seven finders scan a text, from the most specific to the most general: private key blocks, tokens in
their provider's form, credentials in addresses, `Authorization` headers, cookies, values assigned to a
telling name, and those of a telling column. Overlapping matches are redacted as their union, under the
kind of the most specific one; so a longer match never leaves the rest of a secret behind.

Two questions decide on a redaction. *Is it certainly a secret?* A provider's form, a credential in an
address, a value in an `Authorization` header: always redacted, even if it looks like an example, since a
marker in place of an example costs little. *Might it be one?*

- After a password's name (`password`, `passwd`, `pwd`, in several languages) any value that could be
  real is redacted, however weak: `password: swordfish`, `password=admin`. Exempt are values that
  cannot be one, or say so: a reference (`$DB_PASSWORD`, `os.environ["PW"]`,
  `config.db.password`, `get_password()`, `user_password`), a type (`password: str`), a literal
  (`None`), a template (`<your password>`, `{password}`), a mask (`****`), a placeholder
  (`changeme`, `your-password`) and prose (`password: must be long`, `password is required`).
  A redaction there would destroy a useful memory and protect nothing. The cost is known: a real
  password of the form `word.word`, or a function word such as `the`, is not found.
- After `secret`, `token`, `api_key` and similar names, a value is redacted if it looks random and has
  16 characters or more; in the form of an environment variable (`API_TOKEN=abc12345`), or of a
  command line flag, eight are enough if they mix letters and digits.
- Without such a name nothing is redacted for its entropy: the memory of a coding agent is full of commit
  hashes, UUIDs, digests of lock files, image data and long identifiers.

A marker is opaque to every finder: markers in the input are masked first. `redact` repeats until
nothing is found. Each round turns at least one character outside a marker into a part of one, so
it ends, and a redacted text is a fixed point.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from remora.core.secret_assignments import assignments, is_stand_in, is_telling
from remora.core.secret_rules import (
    PREFIXES,
    SHAPES,
    Find,
    Shape,
    View,
    compiled,
    line_start,
    looks_random,
)
from remora.core.values import Redaction

_MASK = "\udfff"  # a lone surrogate: never part of valid text, and matched by no pattern class but \S
_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_ASCII_LOWER = {upper: upper + 32 for upper in range(65, 91)}


class Redacted(NamedTuple):
    """A text without its secrets, and the number of redactions of each kind, sorted by kind."""

    text: str
    redactions: tuple[Redaction, ...]

    @property
    def count(self) -> int:  # type: ignore[override]  # a tuple's count() is of no use here
        """The number of redacted secrets."""
        return sum(r.count for r in self.redactions)


def redact(text: str, *, keep_lines: bool = False) -> Redacted:
    """Return a text with each secret replaced by `[REDACTED:<kind>]`, and the redactions.

    Args:
        text: the text.
        keep_lines: put the line breaks of a secret behind its marker, so that lines keep their numbers.

    >>> redacted = redact("export DB_PASSWORD=swordfish; run")
    >>> redacted.text, redacted.count
    ('export DB_PASSWORD=[REDACTED:password]; run', 1)
    """
    counts: Counter[str] = Counter()
    while found := find(text):
        counts.update(f.kind for f in found)
        parts, last = [], 0
        for f in found:
            breaks = "\n" * text.count("\n", f.start, f.end) if keep_lines else ""
            parts += [text[last : f.start], f"[REDACTED:{f.kind}]{breaks}"]
            last = f.end
        text = "".join([*parts, text[last:]])
    return Redacted(text, tuple(Redaction(kind, n) for kind, n in sorted(counts.items())))


def find(text: str) -> list[Find]:
    """Return the secrets in a text, by position, without overlaps. Markers are not secrets."""
    if "[REDACTED:" in text:
        text = _MARKER.sub(lambda m: _MASK * len(m[0]), text)
    view = View(text, _lower(text))
    finds = [f for finder in _FINDERS for f in finder(view) if text[f.start] != _MASK]
    return _merge(finds, text) if finds else []


def _lower(text: str) -> str:
    """Return a lower-case text of the same length; a few letters outside ASCII have longer ones."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


def _merge(finds: list[Find], text: str) -> list[Find]:
    merged: list[Find] = []
    finds.sort(key=lambda f: (f.start, -f.end, f.rank))
    best = finds[0]
    start, end = best.start, best.end
    for f in finds[1:]:
        if f.start < end:
            end = max(end, f.end)
            best = min(best, f, key=lambda x: (x.rank, x.start - x.end))
        else:
            merged.append(Find(start, end, best.rank, best.kind))
            best, start, end = f, f.start, f.end
    merged.append(Find(start, end, best.rank, best.kind))
    return [f._replace(end=_past_mask(text, f.end)) for f in merged]


def _past_mask(text: str, end: int) -> int:
    """Return an end that does not split a marker."""
    while text[end - 1] == _MASK and end < len(text) and text[end] == _MASK:
        end += 1
    return end


# Private key blocks

_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_FINISH = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
# Groups are made atomic by (?>…): Python before 3.11.5 matches a possessive group wrongly.
_GAP = r"(?>(?:\\[nrt]|[+/]{1,2}(?=\s)|\d{1,6}(?![A-Za-z0-9+/=])|[^A-Za-z0-9+/=]){0,24})"
_HEADER_LINE = r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject|MessageID):[^\n\\]{0,200}+"
_BODY = rf"(?>(?:{_GAP}(?:{_HEADER_LINE}|[A-Za-z0-9+/=]{{20,}}+))+)(?:(?<!=){_GAP}[A-Za-z0-9+/=]{{1,19}}+)?"
_LONGEST_BLOCK = 65536


def _private_keys(view: View) -> Iterator[Find]:
    """Find key blocks; one without its END line extends over the lines that look like key material."""
    text = view.text
    if "PRIVATE KEY" not in text:
        return
    begins = list(compiled(_BEGIN).finditer(text))
    for i, begin in enumerate(begins):
        limit = begins[i + 1].start() if i + 1 < len(begins) else len(text)
        limit = min(limit, begin.end() + _LONGEST_BLOCK)
        finish = compiled(_FINISH).search(text, begin.end(), limit)
        body = finish or compiled(_BODY).match(text, begin.end(), limit)
        yield Find(begin.start(), body.end() if body else begin.end(), 0, "private-key")


# Tokens that carry a provider's form


# Every token of a provider has such a run; most prose has none.
_RUN = r"[\w-]{15}|[\w+/]{40}"
_SHORTEST = 15  # characters of a token with its start
_STARTS = [(rank, rule, start) for rank, rule in enumerate(PREFIXES, 1) for start in rule.starts]
_NEEDLES = [(rank, needle) for rank, rule in enumerate(SHAPES, 1000) for needle in rule.needles]


def _by_form(view: View) -> Iterator[Find]:
    long_run = compiled(_RUN).search(view.text) is not None
    if long_run:
        yield from _prefixed(view)
    for rank in dict.fromkeys([rank for rank, needle in _NEEDLES if needle in view.low]):
        rule = SHAPES[rank - 1000]
        if long_run or rule.value:
            yield from _shaped(view, rule, rank)


def _prefixed(view: View) -> Iterator[Find]:
    text = view.text
    # A token has no white space and a minimum length, so most words need no second test, and a frequent word
    # needs only one.
    long_words = " ".join({word for word in text.split() if len(word) >= _SHORTEST})
    for rank, rule, start in [one for one in _STARTS if one[2] in long_words]:
        at = text.find(start)
        while at >= 0:
            rest = compiled(rule.rest).match(text, at + len(start))
            ok = rest and (rule.anywhere or _at_left_edge(text, at))
            if rest and ok and (not rule.random or looks_random(rest[0])):
                yield Find(at, rest.end(), rank, rule.kind)
            at = text.find(start, rest.end() if rest else at + len(start))


def _at_left_edge(text: str, at: int) -> bool:
    r"""Return whether a token may begin here: not inside a word, but after `\n`, `%3D` or a colour."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
        return True
    before = text[max(at - 10, 0) : at]
    return bool(compiled(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,7}m)\Z").search(before))


def _shaped(view: View, rule: Shape, rank: int) -> Iterator[Find]:
    for m in compiled(rule.pattern).finditer(view.text):
        group = m.lastindex or 1
        if rule.value and is_stand_in(m[group], quoted=False):
            continue
        if rule.after and rule.after not in view.low[line_start(view.low, m.start()) : m.start()]:
            continue
        yield Find(m.start(group), m.end(group), rank, rule.kind)


# Credentials in addresses, headers and cookies

_URL = (
    r"://[^\s:/?#@\"'<>`\[]{0,200}+:([^\s/?#\"'<>`\\]{1,400})@|https?://([\w-]{20,200}+)@"
    r"|(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|redis|rediss|amqps?|sqlserver)"
    r"://[^\s:/?#@\"'<>`]{0,100}+:([^\s@\"'<>`\\]{1,200}+)@[\w.\[-]"
)


def _addresses(view: View) -> Iterator[Find]:
    if "://" not in view.text:
        return
    for m in compiled(_URL).finditer(view.text):
        group = m.lastindex or 1
        if looks_random(m[2]) if group == 2 else not is_stand_in(m[group], quoted=False):
            yield Find(m.start(group), m.end(group), 2000, "url-password")


_AUTHORIZATION = (
    r"authorization[\\\"'`\]]{0,4}+\s{0,4}+[:=,]\s{0,4}+[\\\"'`]{0,4}+"
    r"(?:(bearer|basic|token|api-?key|splunk|sso-key|key)\s{1,4}+)?([\w.~+/=|-]{6,4096}+)"
)


def _headers(view: View) -> Iterator[Find]:
    if "authorization" not in view.low:
        return
    for m in compiled(_AUTHORIZATION).finditer(view.low):
        value = view.text[m.start(2) : m.end(2)]
        mixed = (
            any(c.isdigit() for c in value) or value.endswith("=") or not (value.islower() or value.isupper())
        )
        if looks_random(value) or (m[1] and mixed and not is_stand_in(value, quoted=False)):
            yield Find(m.start(2), m.end(2), 2001, "authorization-header")


_COOKIE = r"cookie[\\\"'`\]]{0,4}+\s{0,4}+[:=]\s{0,4}+([^\r\n\"'`]{8,4096}+)"
_CRUMB = r"([\w.$-]{1,80}+)=([^;\s,\\]{8,}+)"
_SESSION = r"sess|sid\b|_sid|auth|token|jwt|csrf|xsrf|remember|login"


def _cookies(view: View) -> Iterator[Find]:
    if "cookie" not in view.low:
        return
    for line in compiled(_COOKIE).finditer(view.low):
        for crumb in compiled(_CRUMB).finditer(view.text, line.start(1), line.end(1)):
            session = compiled(_SESSION).search(crumb[1].lower())
            if looks_random(crumb[2]) or (session and is_telling(crumb[2])):
                yield Find(crumb.start(2), crumb.end(2), 2002, "session-cookie")


# Passwords in the rows of SQL dumps, by the names of their columns

_INSERT = (
    r"insert\s{1,4}+(?:ignore\s{1,4}+)?into\s{1,4}+[^\s(]{1,100}+\s{0,4}+\(([^()]{1,2000}+)\)"
    r"\s{0,9}+values\s{0,9}+"
)
_COLUMN = r"(?:pass(?:w(?:or)?d|code|phrase)?(?:[_ ]?(?:hash|digest))?|\bpwd|secret|token|api_?key)\W*\Z"
_FIELD = r"\s{0,20}+(?:'((?>(?:[^'\\]|\\.|'')*))'|[^,'()]{0,200}+(?>(?:\([^()']{0,200}\))?))\s{0,20}+([,)])"
_ROWS = 10_000  # of one statement


def _inserted(view: View) -> Iterator[Find]:
    """Find the values of columns with a telling name in `INSERT INTO x (a, password) VALUES (…), (…)`."""
    if "insert" not in view.low:
        return
    value, row = compiled(_FIELD), compiled(r"\s{0,20}+,?\s{0,20}+\(")
    for insert in compiled(_INSERT).finditer(view.low):
        columns = [bool(compiled(_COLUMN).search(name)) for name in insert[1].split(",")]
        at = insert.end()
        for _ in range(_ROWS if any(columns) else 0):
            opened = row.match(view.text, at)
            if not opened:
                break
            at = opened.end()
            for telling in columns:
                found = value.match(view.text, at)
                if not found:
                    break
                at = found.end()
                if telling and found[1] and not is_stand_in(found[1], quoted=False):
                    yield Find(found.start(1), found.end(1), 3001, "password")
                if found[2] == ")":
                    break


_FINDERS: tuple[Callable[[View], Iterator[Find]], ...] = (
    _private_keys,
    _by_form,
    _addresses,
    _headers,
    _cookies,
    assignments,
    _inserted,
)
