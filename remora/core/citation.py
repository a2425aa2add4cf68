"""The short name by which a memory is cited: the beginning of its content, never its origin.

Earlier versions cited learned memories by their origin; such rows keep that citation, and it is ignored.
"""

from __future__ import annotations

import re

from remora.core.text import shorten

CHARS = 40
_WHERE_SEEN = re.compile(
    r"(?:\d+ sessions?(?:, \d{4}-\d\d-\d\d(?: to \d|[;…]|$)|; session\b)|the user, session\b|commit “)"
)


def short_name(citation: str | None, content: str) -> str:
    """Return a memory's own citation if it describes the content, else the beginning of the content.

    >>> short_name("JWT 24h expiry decision", "Access tokens expire after 24 h")
    'JWT 24h expiry decision'
    >>> short_name("3 sessions, 2026-01-05; session…", "Start redis before `make test`, or it hangs for good")
    'Start redis before `make test`, or it…'
    """
    return citation if citation and not _WHERE_SEEN.match(citation) else shorten(content, CHARS)
