"""Split words and identifiers, normalise and compare short texts."""

from __future__ import annotations

import hashlib
import re

from remora.core.cut import sound as sound  # also a name of this module: many ask for it here

_WORD = re.compile(r"\w+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")
CJK = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003134f]+"
)
# Control characters, direction marks, and signs that no reader sees (tag characters can carry a whole
# hidden text).
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    r"\ufeff\U000e0000-\U000e007f]"
)
# What tells a terminal something, after ECMA-48: colours and moves of the cursor (CSI), titles and links
# (OSC and its like, with their payload on one line), character sets, and pairs of ESC and a sign. One that
# does not end loses its beginning only: what follows may be text. An ESC goes whatever follows. Of the
# one-byte forms only a CSI with numbers is known: the others stand in texts that were decoded wrongly.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_](?:[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c))?"
    r"|[#%(*+)\-./][0-~]| [FGL-N]|[0-~])?|\x9b[0-9;?]+[@-~]"
)
# Joiners stay between signs outside ASCII: Persian and emoji are spelt with them. A run is looked at once,
# from its start.
_JOINERS = re.compile(r"(?<![^\x00-\x7f])[\u200c\u200d]+|(?<![\u200c\u200d])[\u200c\u200d]++(?![^\x00-\x7f])")
# Signs that show nothing and stay in what is stored: soft hyphens, old format characters, annotations.
_UNSEEN = dict.fromkeys([0xAD, *range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC)])
# One variation selector chooses how a sign looks; of a run the others only carry what nobody sees.
_SELECTORS = re.compile(r"([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
# A run of word signs with the punctuation of names inside it. It starts only where a run starts, so
# that a long run without a word is read once.
_NAME = re.compile(r"(?<![\w./'-])[\w./'-]*\w")
_COMPARISON = re.compile(r"[<>=!~]=|[≤≥≠]|(?<![<>=-])[<>](?![<>])|(?<=\w)(?:\+\+|#)(?!\w)")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-"})

# A query is a question, not a document; what stands beyond this is not read.
MAX_QUERY_CHARS = 4_000

# Function words of English. They match nearly everything and say nothing about the subject.
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

# Words that turn a sentence into its opposite; two texts that differ in one are not duplicates.
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

    Words that are not compound give nothing: they are words already. Chinese, Japanese and Korean signs
    beside a name are not part of it.

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


def _pieces(word: str) -> list[str]:
    return [p.lower() for chunk in word.split("_") for p in _CAMEL.split(chunk) if p]


def cjk_pairs(text: str) -> list[str]:
    """Return the overlapping pairs of signs in every run of Chinese, Japanese or Korean script.

    A word tokenizer sees such a run as one word; pairs let a part of it be found.

    >>> cjk_pairs("记得 token")
    ['记得']
    >>> cjk_pairs("数据库")
    ['数据', '据库']
    """
    return [run[i : i + 2] for run in CJK.findall(text) for i in range(max(1, len(run) - 1))]


def words_or_pairs(text: str) -> list[str]:
    """Return the words of a text in lower case; of a script without spaces, pairs of its signs.

    >>> words_or_pairs("测试必须先写 now")
    ['now', '测试', '试必', '必须', '须先', '先写']
    """
    return [word for word in words(text) if not cjk_pairs(word)] + cjk_pairs(text)


def index_terms(text: str) -> str:
    """Return what the full-text index should know besides the words themselves.

    >>> index_terms("getUserById and 数据库"), index_terms("用JWT认证")
    ('get user by id 数据 据库', 'jwt 用 认证')
    """
    cjk = CJK.search(text) is not None
    parts: list[str] = []
    # Each name once: source code says the same names over and over.
    for name in dict.fromkeys(_WORD.findall(CJK.sub(" ", text) if cjk else text)):
        pieces = _pieces(name)
        if len(pieces) > 1:
            parts += pieces
    if cjk:
        parts += _beside_cjk(text) + cjk_pairs(text)
    return " ".join(dict.fromkeys(parts))


def _beside_cjk(text: str) -> list[str]:
    """Return the words that stand next to CJK signs without a space; the tokenizer sees one word."""
    mixed = [word for word in _WORD.findall(text) if CJK.search(word)]
    return [part.lower() for word in mixed for part in CJK.sub(" ", word).split()]


def query_terms(text: str, limit: int = 48) -> list[str]:
    """Return the terms of a query for the full-text index, each once, in order, at most `limit`.

    Words without function words, identifiers whole and in parts, pairs of CJK signs. A query of
    function words only keeps them: they are all there is.

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


def collapse(text: str) -> str:
    """Return a text with every run of white space as one space, trimmed."""
    return " ".join(text.split())


def clean(text: str) -> str:
    r"""Return a text without terminal sequences, control characters and signs nobody sees.

    Tabs and newlines stay.

    >>> clean("a\x00b\u202ec\n"), clean("\x1b[1;31mred\x1b[0m \x1b]8;;https://a.b\x07link\x1b]8;;\x07")
    ('abc\n', 'red link')
    """
    if text.isprintable():  # most texts are, and nothing below is
        return text
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    text = _CONTROL.sub("", text)
    return text if text.isascii() else _JOINERS.sub("", text)


def safe(text: str) -> str:
    r"""Return a text as it may leave for a terminal or a model: nothing in it obeys, turns or hides.

    Newlines and tabs stay; a carriage return, which would overwrite the line, ends it instead.

    >>> safe("one\rtwo\x1b[2J"), safe("a\u202eb\u00adc")
    ('one\ntwo', 'abc')
    """
    if text.isprintable() and text.isascii():
        return text
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    return _SELECTORS.sub(r"\1", text.translate(_UNSEEN))


def controls(text: str) -> int:
    r"""Return how many control characters and signs nobody sees a text has; of a sequence only the ESC.

    >>> controls("a\x00b\n"), controls("\x1b[31mred\x1b[0m")
    (1, 2)
    """
    return len(text) - len(_CONTROL.sub("", text))


def content_hash(text: str) -> str:
    """Return the SHA-256 hex digest of a text, blind to case and white space."""
    return hashlib.sha256(collapse(text).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; two empty sets are equal (1.0)."""
    if not a and not b:
        return 1.0
    return len(a & b) / len(a | b)


def salient(text: str) -> frozenset[str]:
    """Return what two texts must share to be duplicates: numbers, names, paths, negations, comparisons.

    "Tokens expire after 24 h" and "Tokens expire after 12 h" are close in words and opposite in
    meaning for a reader; their numbers keep them apart. So do the signs of -1, >= 3.11 and C++.

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
    """Return a text without what a person marked as private; a mark that is not closed reaches to the end.

    >>> without_private("Use the key <private>of Ann</private> for now")
    'Use the key   for now'
    """
    return _PRIVATE.sub(" ", text) if "<" in text else text


def shorten(text: str, limit: int) -> str:
    """Return a text on one line, at most `limit` characters (one at least), cut at a word with an ellipsis.

    >>> shorten("one two three four", 12)
    'one two…'
    """
    line = collapse(text)
    if len(line) <= limit:
        return line
    cut = line[: max(limit, 1) - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:.") + "…"
