"""Build FTS5 queries from words, so that no user text is parsed as FTS5 syntax.

Every term becomes a quoted string, and terms are joined with OR. So `NEAR(`, `*`, `"`, `-` or a lone `AND` in
a question can neither fail nor change the query.
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
