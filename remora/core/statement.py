"""Test whether a text is a statement: two words, and more if a secret was redacted; compare two of them.

Also read the date of a user's statement at the end of a memory.
"""

from __future__ import annotations

import re

from remora.core.text import STOP_WORDS, salient, words, words_or_pairs

LEAST = 2  # words of a statement
# Minimum of words, besides words for secrets, in a redacted text. "The password of the staging database is …"
# has two, and its content is lost; a command with a header has more.
LEFT = 4
_SAID = re.compile(r"\s{0,4}\(said by the user, (\d{4}-\d\d-\d\d)\)\W{0,8}\Z")
_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_OF_SECRETS = frozenset(
    """access account admin api auth authorization bearer code cookie credential credentials key keys login
    pass passphrase passwd password passwords pin pwd secret secrets token tokens user username
    value""".split()
)

# Function words that change a sentence's meaning if the other words are equal.
TURNING = frozenset(
    """above after against all any before below down each few from if more most off once only or out over
    same some under until up""".split()
)


def is_statement(text: str) -> bool:
    """Return whether a text has at least two words besides redaction markers.

    >>> is_statement("Use tabs"), is_statement("x"), is_statement("password: [REDACTED:password]")
    (True, False, False)
    """
    return len(_said(text)) >= LEAST


def tells(text: str) -> bool:
    """Return whether a text is informative enough to be shown without being asked for.

    >>> tells("The admin password of the staging database is [REDACTED:password]")
    False
    >>> tells("The artifacts of a run lie in this layout:")
    False
    >>> tells("`curl -H 'Authorization: [REDACTED:bearer]' /health` shows whether the gateway is up")
    True
    """
    if text.rstrip().endswith((":", "：")):
        return False  # it announces text that is missing
    said = _said(text)
    if len(said) < LEAST or not _MARKER.search(text):
        return len(said) >= LEAST
    return sum(word not in STOP_WORDS and word not in _OF_SECRETS for word in said) >= LEFT


def said_on(text: str) -> str:
    """Return the date on which the user said a memory's content, "" if the memory has none.

    >>> said_on("Use bun, not pnpm. (said by the user, 2026-01-05)"), said_on("Use bun, not pnpm.")
    ('2026-01-05', '')
    """
    found = _SAID.search(text)
    return found[1] if found else ""


def word_set(text: str) -> frozenset[str]:
    """Return the words for comparing two texts: all but stop words."""
    return frozenset(w for w in words(text) if w not in STOP_WORDS)


def same_statement(first: str, second: str) -> bool:
    """Return whether two texts that share nearly all words are one statement.

    Their `text.salient` and words such as "before" and "only" must be equal, and their shared words must have
    the same order: "prefer tabs over spaces" is not "prefer spaces over tabs".

    >>> same_statement("Run the tests, then deploy.", "run the tests then deploy")
    True
    >>> same_statement("Run the tests before a deploy", "Run the tests after a deploy")
    False
    """
    if salient(first) != salient(second):
        return False
    a, b = words(first), words(second)
    if TURNING.intersection(a) != TURNING.intersection(b):
        return False
    shared = {w for w in a if w not in STOP_WORDS}.intersection(b)
    return [w for w in dict.fromkeys(a) if w in shared] == [w for w in dict.fromkeys(b) if w in shared]


def _said(text: str) -> list[str]:
    return words_or_pairs(_MARKER.sub(" ", text))
