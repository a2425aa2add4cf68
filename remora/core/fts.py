"""Words to an FTS5 query that can only ever mean what it says.

A user's text is never passed to FTS5 as syntax: every term becomes a quoted string, and terms are
joined with OR. So `NEAR(`, `*`, `"`, `-` or a lone `AND` in a question cannot fail or change it.
"""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.text import sound


def quoted(term: str) -> str:
    """Return a term as an FTS5 string, its quotes doubled.

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
