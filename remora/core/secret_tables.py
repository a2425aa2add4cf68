"""Find passwords in the rows of SQL dumps, by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator

from remora.core.secret_assignments import is_stand_in
from remora.core.secret_rules import Find, View, compiled

_INSERT = (
    r"insert\s{1,4}+(?:ignore\s{1,4}+)?into\s{1,4}+[^\s(]{1,100}+\s{0,4}+\(([^()]{1,2000}+)\)"
    r"\s{0,9}+values\s{0,9}+"
)
_TELLING = r"(?:pass(?:w(?:or)?d|code|phrase)?(?:[_ ]?(?:hash|digest))?|\bpwd|secret|token|api_?key)\W*\Z"
_VALUE = r"\s{0,20}+(?:'((?>(?:[^'\\]|\\.|'')*))'|[^,'()]{0,200}+(?>(?:\([^()']{0,200}\))?))\s{0,20}+([,)])"
_ROWS = 10_000  # of one statement


def inserted(view: View) -> Iterator[Find]:
    """Find the values of columns with a telling name in `INSERT INTO x (a, password) VALUES (…), (…)`."""
    if "insert" not in view.low:
        return
    value, row = compiled(_VALUE), compiled(r"\s{0,20}+,?\s{0,20}+\(")
    for insert in compiled(_INSERT).finditer(view.low):
        columns = [bool(compiled(_TELLING).search(name)) for name in insert[1].split(",")]
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
