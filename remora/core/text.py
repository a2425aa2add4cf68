"""Split words and identifiers, build full-text queries, normalize and compare short texts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

from remora.core.cut import sound as sound  # re-exported: many modules import it from here

_WORD = re.compile(r"\w+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")
CJK = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003134f]+"
)
# Control characters, direction marks, and invisible characters (tag characters can carry a whole hidden
# text).
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    r"\ufeff\U000e0000-\U000e007f]"
)
# Terminal sequences by ECMA-48: colours and cursor moves (CSI), titles and links (OSC and similar, with
# their payload on one line), character sets, and two-character ESC sequences. An unterminated one loses only
# its start: the rest may be text. An ESC is always removed. Of the one-byte forms only a CSI with numbers
# is known: the others occur in wrongly decoded texts.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_](?:[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c))?"
    r"|[#%(*+)\-./][0-~]| [FGL-N]|[0-~])?|\x9b[0-9;?]+[@-~]"
)
# Joiners stay between characters outside ASCII: Persian and emoji need them. A run is scanned once, from its
# start.
_JOINERS = re.compile(r"(?<![^\x00-\x7f])[\u200c\u200d]+|(?<![\u200c\u200d])[\u200c\u200d]++(?![^\x00-\x7f])")
# Invisible characters that stay in stored text: soft hyphens, old format characters, annotations.
_UNSEEN = dict.fromkeys([0xAD, *range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC)])
# One variation selector chooses a glyph; the others of a run only carry invisible data.
_SELECTORS = re.compile(r"([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
# A run of word characters with the punctuation of names inside it. A match starts only at the start of a run,
# so that a long run without a word is read once.
_NAME = re.compile(r"(?<![\w./'-])[\w./'-]*\w")
_COMPARISON = re.compile(r"[<>=!~]=|[≤≥≠]|(?<![<>=-])[<>](?![<>])|(?<=\w)(?:\+\+|#)(?!\w)")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-"})

# A query is a question, not a document; text beyond this limit is not read.
MAX_QUERY_CHARS = 4_000

# Stop words of English. They match nearly everything and say nothing about the subject.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don down during each few for from
    further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is
    isn it its itself just ll m me more most my myself no nor not now o of off on once only or other our ours
    ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
    themselves then there these they this those through to too under until up ve very was wasn we were weren
    what when where which while who whom why will with won would wouldn y you your yours yourself
    yourselves""".split()
)

# Words that negate a sentence; two texts that differ in one are not duplicates.
NEGATIONS = frozenset(
    """no not never none nor neither nothing nobody cannot can't don't doesn't didn't won't wouldn't
    shouldn't couldn't isn't aren't wasn't weren't hasn't haven't hadn't needn't cant dont doesnt didnt wont
    wouldnt shouldnt couldnt isnt arent wasnt werent without disable disabled disallow forbid avoid off
    false must mustn't instead except unless""".split()
)
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)


def words(text: str) -> list[str]:
    """Return the lower-case words of a text: runs of letters, digits and underscores.

    >>> words("JWT expires after 24 h")
    ['jwt', 'expires', 'after', '24', 'h']
    """
    return [w.lower() for w in _WORD.findall(text)]


def identifier_parts(text: str) -> list[str]:
    """Return the parts of every compound identifier in a text, lower-case, in order.

    Words that are not compound give nothing: they are words already. Chinese, Japanese and Korean
    characters beside a name are not part of it.

    >>> identifier_parts("call getUserById in auth/http_client.py")
    ['get', 'user', 'by', 'id', 'http', 'client']
    >>> identifier_parts("HTTPServer2")
    ['http', 'server', '2']
    """
    parts: list[str] = []
    for word in _WORD.findall(CJK.sub(" ", text)):
        pieces = _pieces(word)
        if len(pieces) > 1:
            parts.extend(pieces)
    return parts


@lru_cache(maxsize=50_000)  # source code repeats its names
def _pieces(word: str) -> tuple[str, ...]:
    return tuple(p.lower() for chunk in word.split("_") for p in _CAMEL.split(chunk) if p)


def cjk_pairs(text: str) -> list[str]:
    """Return the overlapping character pairs in every run of Chinese, Japanese or Korean script.

    A word tokenizer treats such a run as one word; pairs make parts of it searchable.

    >>> cjk_pairs("记得 token")
    ['记得']
    >>> cjk_pairs("数据库")
    ['数据', '据库']
    """
    return [run[i : i + 2] for run in CJK.findall(text) for i in range(max(1, len(run) - 1))]


def words_or_pairs(text: str) -> list[str]:
    """Return the lower-case words of a text; for a script without spaces, its character pairs.

    >>> words_or_pairs("测试必须先写 now")
    ['now', '测试', '试必', '必须', '须先', '先写']
    """
    return [word for word in words(text) if not cjk_pairs(word)] + cjk_pairs(text)


def index_terms(text: str) -> str:
    """Return the additional terms of a text for the full-text index, besides its words.

    >>> index_terms("getUserById and 数据库"), index_terms("用JWT认证")
    ('get user by id 数据 据库', 'jwt 用 认证')
    """
    cjk = CJK.search(text) is not None
    parts: list[str] = []
    # Each name once: source code repeats its names.
    for name in dict.fromkeys(_WORD.findall(CJK.sub(" ", text) if cjk else text)):
        pieces = _pieces(name)
        if len(pieces) > 1:
            parts += pieces
    if cjk:
        parts += _beside_cjk(text) + cjk_pairs(text)
    return " ".join(dict.fromkeys(parts))


def _beside_cjk(text: str) -> list[str]:
    """Return the words next to CJK characters without a space; the tokenizer sees one word."""
    mixed = [word for word in _WORD.findall(text) if CJK.search(word)]
    return [part.lower() for word in mixed for part in CJK.sub(" ", word).split()]


def query_terms(text: str, limit: int = 48) -> list[str]:
    """Return the terms of a query for the full-text index, each once, in order, at most `limit`.

    Words without stop words, identifiers whole and in parts, pairs of CJK characters. A query of stop words
    only keeps them.

    >>> query_terms("How does getUserById work?")
    ['getuserbyid', 'get', 'user', 'id', 'work']
    >>> query_terms("who are you")
    ['who', 'are', 'you']
    """
    text = text[:MAX_QUERY_CHARS]
    found: list[str] = []
    for word in _WORD.findall(text):
        found.extend(cjk_pairs(word))
        for part in CJK.sub(" ", word).split():
            pieces = _pieces(part)
            found.append(part.lower().strip("_"))
            if len(pieces) > 1:
                found.extend(pieces)
    kept = [w for w in dict.fromkeys(found) if w and w not in STOP_WORDS]
    return (kept or [w for w in dict.fromkeys(found) if w])[:limit]


def quoted(term: str) -> str:
    """Return a term as an FTS5 string, its quotes doubled, so that no user text is parsed as FTS5 syntax.

    `NEAR(`, `*`, `"`, `-` or a lone `AND` in a question can neither fail nor change the query.

    >>> quoted('5" disk')
    '"5"" disk"'
    """
    return '"' + sound(term).replace("\x00", " ").replace('"', '""') + '"'


def any_of(terms: Sequence[str]) -> str:
    """Return a query that matches rows with at least one of the terms; "" matches nothing.

    >>> any_of(["jwt", "AND"])
    '"jwt" OR "AND"'
    """
    return " OR ".join(quoted(t) for t in terms if any(c.isalnum() for c in t))


def collapse(text: str) -> str:
    """Return a text with every run of white space replaced by one space, trimmed."""
    return " ".join(text.split())


def clean(text: str) -> str:
    r"""Return a text without terminal sequences, control characters and invisible characters.

    Tabs and newlines stay.

    >>> clean("a\x00b\u202ec\n"), clean("\x1b[1;31mred\x1b[0m \x1b]8;;https://a.b\x07link\x1b]8;;\x07")
    ('abc\n', 'red link')
    """
    if text.isprintable():  # true of most texts, and then nothing is removed
        return text
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    text = _CONTROL.sub("", text)
    return text if text.isascii() else _JOINERS.sub("", text)


def safe(text: str) -> str:
    r"""Return a text that is safe for a terminal or a model: without control, direction or hidden characters.

    Newlines and tabs stay; a carriage return, which would overwrite the line, becomes a newline.

    >>> safe("one\rtwo\x1b[2J"), safe("a\u202eb\u00adc")
    ('one\ntwo', 'abc')
    """
    if text.isprintable() and text.isascii():
        return text
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    return _SELECTORS.sub(r"\1", text.translate(_UNSEEN))


def controls(text: str) -> int:
    r"""Return the number of control and invisible characters in a text; of a sequence only the ESC counts.

    >>> controls("a\x00b\n"), controls("\x1b[31mred\x1b[0m")
    (1, 2)
    """
    return len(text) - len(_CONTROL.sub("", text))


def content_hash(text: str) -> str:
    """Return the SHA-256 hex digest of a text, ignoring case and white space."""
    return hashlib.sha256(collapse(text).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; two empty sets are equal (1.0)."""
    if not a and not b:
        return 1.0
    return len(a & b) / len(a | b)


def salient(text: str) -> frozenset[str]:
    """Return the tokens that duplicates must share: numbers, names, paths, negations, comparisons.

    "Tokens expire after 24 h" and "Tokens expire after 12 h" are close in words and contradict each other;
    their numbers distinguish them. So do the signs of -1, >= 3.11 and C++.

    >>> sorted(salient("Do not call getUser() before 12:30"))
    ['12', '30', 'getuser', 'not']
    >>> sorted(salient("It hasn’t failed with -1 if x >= 2"))
    ['-1', '1', '2', '>=', "hasn't"]
    """
    text = text.translate(_APOSTROPHES)
    found = set(_COMPARISON.findall(text))
    for word in _NAME.findall(text):
        lower = word.lower()
        bare = lower.strip("./-'")
        if bare in NEGATIONS or bare.endswith("n't"):
            found.add(bare)
        elif re.search(r"\d|[_/.]|[a-z][A-Z]", word) or (word.isupper() and len(word) > 1):
            found.add(f"-{bare}" if re.match(r"-\d", word) else bare)
    found.update(re.findall(r"\d+", text))
    return frozenset(found)


def without_private(text: str) -> str:
    """Return a text without the parts marked as private; an unclosed mark extends to the end.

    >>> without_private("Use the key <private>of Ann</private> for now")
    'Use the key   for now'
    """
    return _PRIVATE.sub(" ", text) if "<" in text else text


def shorten(text: str, limit: int) -> str:
    """Return a text on one line, at most `limit` (at least 1) characters, cut at a word with an ellipsis.

    >>> shorten("one two three four", 12)
    'one two…'
    """
    line = collapse(text)
    if len(line) <= limit:
        return line
    cut = line[: max(limit, 1) - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:.") + "…"
