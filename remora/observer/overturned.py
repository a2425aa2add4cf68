"""What a person said that takes back what the person said before: the other choice, or never for always.

Only what is certain by the words: "use bun, not pnpm" after "use pnpm, not npm", and "never use X …" after
"always use X …".
"""

from __future__ import annotations

import re

_CHOICE = re.compile(
    r"\buse (?P<chosen>[\w`'\"@./-]+),? (?:instead of|rather than|(?:and )?not|never) "
    r"(?P<left>[\w`'\"@./-]+)",
    re.IGNORECASE,
)
_EVER = re.compile(
    r"\b(?P<ever>always|never) (?P<verb>[\w-]+) (?:(?:the|an?) )?(?P<what>[\w`'\"@./-]+)", re.IGNORECASE
)
_SAID = re.compile(r"\(said by the user, (\d{4}-\d\d-\d\d)\)\W*\Z")


def said_at(text: str) -> str:
    """Return the day on which the person said what a memory holds, "" where it does not tell."""
    found = _SAID.search(text)
    return found[1] if found else ""


def overturns(newer: str, older: str) -> bool:
    """Return whether a rule takes an older one back.

    >>> overturns("From now on use bun, not pnpm.", "Use pnpm, not npm."), overturns("Use a, not b", "Use a")
    (True, False)
    >>> overturns("Never use `Money` for prices.", "Always use the `Money` class"), overturns("x", "x")
    (True, False)
    """
    chosen, left = _CHOICE.search(older), _CHOICE.search(newer)
    if chosen and left and _bare(chosen["chosen"]) == _bare(left["left"]):
        return _bare(chosen["left"]) != _bare(left["left"])
    before, now = _EVER.search(older), _EVER.search(newer)
    if not (before and now) or before["ever"].lower() == now["ever"].lower():
        return False
    return all(_bare(before[name]) == _bare(now[name]) for name in ("verb", "what"))


def _bare(words: str) -> str:
    return re.sub(r"[`'\".,]", "", words).lower()
