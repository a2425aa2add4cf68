"""Test whether a text is a statement: two words, and more if a secret was redacted.

Also read the date of a user's statement at the end of a memory.
"""

from __future__ import annotations

import re

from remora.core.text import STOP_WORDS, words_or_pairs

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


def _said(text: str) -> list[str]:
    return words_or_pairs(_MARKER.sub(" ", text))
