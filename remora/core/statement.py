"""Whether a text states anything: it has two words, and more of them where a secret was taken out.

And on which day the user said it, where a memory tells so at its end.
"""

from __future__ import annotations

import re

from remora.core.text import STOP_WORDS, words_or_pairs

LEAST = 2  # words of a statement
# Words besides the names of secrets that a text must have when it lost one. "The password of the staging
# database is …" has two, and nothing is left of what it told; a command with a header has more.
LEFT = 4
_SAID = re.compile(r"\s{0,4}\(said by the user, (\d{4}-\d\d-\d\d)\)\W{0,8}\Z")
_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_OF_SECRETS = frozenset(
    """access account admin api auth authorization bearer code cookie credential credentials key keys login
    pass passphrase passwd password passwords pin pwd secret secrets token tokens user username
    value""".split()
)


def is_statement(text: str) -> bool:
    """Return whether a text has at least two words outside of what was taken out of it.

    >>> is_statement("Use tabs"), is_statement("x"), is_statement("password: [REDACTED:password]")
    (True, False, False)
    """
    return len(_said(text)) >= LEAST


def tells(text: str) -> bool:
    """Return whether a text is worth saying to somebody who did not ask for it.

    >>> tells("The admin password of the staging database is [REDACTED:password]")
    False
    >>> tells("The artifacts of a run lie in this layout:")
    False
    >>> tells("`curl -H 'Authorization: [REDACTED:bearer]' /health` shows whether the gateway is up")
    True
    """
    if text.rstrip().endswith((":", "：")):
        return False  # it announces what is not there
    said = _said(text)
    if len(said) < LEAST or not _MARKER.search(text):
        return len(said) >= LEAST
    return sum(word not in STOP_WORDS and word not in _OF_SECRETS for word in said) >= LEFT


def said_on(text: str) -> str:
    """Return the day on which the user said what a memory holds, "" where it does not tell.

    >>> said_on("Use bun, not pnpm. (said by the user, 2026-01-05)"), said_on("Use bun, not pnpm.")
    ('2026-01-05', '')
    """
    found = _SAID.search(text)
    return found[1] if found else ""


def _said(text: str) -> list[str]:
    return words_or_pairs(_MARKER.sub(" ", text))
