"""Edits as the lines that they changed."""

from __future__ import annotations

from remora.core.text import collapse
from remora.observer.changes import Change, decisive, told


def changed(path: str, before: str, after: str) -> Change:
    """Return a change as the observer notes it."""
    return Change(path, before, after, 1, 1, (collapse(before), collapse(after)))


def test_the_change_that_helped() -> None:
    """It is in a file that the failure names, in its message before its output; imports count last."""
    one, two = changed("src/a.py", "x", "y"), changed("src/b.py", "x", "y")
    imports = changed("src/a.py", "", "import re")
    assert decisive([one, two], "a.py:3: bad", "") == one
    assert decisive([one, two], "bad", "in a.py") == one
    assert decisive([one, two], "bad", "") == two
    assert decisive([one, imports], "a.py: bad", "") == one
    assert decisive([imports], "bad", "") == imports


def test_in_words() -> None:
    """A change is told by both sides, by one, or as written, with how many files went along."""
    assert told(changed("a.py", "x", "y"), 1) == "changed `a.py`: `x` became `y`"
    assert told(changed("a.py", "", "y"), 2) == "added to `a.py`: `y` (and another file)"
    assert told(changed("a.py", "x", ""), 4) == "removed from `a.py`: `x` (and 3 more files)"
    assert told(changed("a.py", "", ""), 1) == "wrote `a.py`"
