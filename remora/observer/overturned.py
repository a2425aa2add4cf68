"""What a person said that takes back what the person said before: the other choice, or never for always.

Only what is certain by the words: "use bun, not pnpm" after "use pnpm, not npm", and "never use X" after
"always use X". A rule with another condition, place or end beside it is another rule.
"""

from __future__ import annotations

import re

_CHOICE = re.compile(
    r"\buse (?P<chosen>`[^`]+`|[\w'\"@./-]+),? (?:instead of|rather than|(?:and )?not|never) "
    r"(?P<left>`[^`]+`|[\w'\"@./-]+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EVER = re.compile(
    r"\b(?P<ever>always|never) (?P<verb>[\w-]+) (?:(?:the|an?) )?(?P<what>`[^`]+`|[\w'\"@./-]+)"
    r"(?P<rest>[^,;.!]*)",
    re.IGNORECASE,
)
_SAID = re.compile(r"\s*\(said by the user, (\d{4}-\d\d-\d\d)\)\W*\Z")
_LEADS = re.compile(
    r"\b(?:from now on|please|always|(?:we|you) should|let'?s|no|any ?more|again|instead|everywhere)\b|\W",
    re.IGNORECASE,
)


def said_at(text: str) -> str:
    """Return the day on which the person said what a memory holds, "" where it does not tell."""
    found = _SAID.search(text)
    return found[1] if found else ""


def overturns(newer: str, older: str) -> bool:
    """Return whether a rule takes an older one back.

    >>> overturns("From now on use bun, not pnpm.", "Use pnpm, not npm."), overturns("Use a, not b", "Use a")
    (True, False)
    >>> overturns("In api, use bun, not pnpm.", "In web, use pnpm, not npm.")
    False
    >>> overturns("Never run `make test`.", "Always run `make test` first."), overturns("x", "x")
    (True, False)
    >>> overturns("Never run `make test` as root.", "Always run `make test` first.")
    False
    >>> overturns("Always use `Money` for prices.", "Never use `Money`.")
    False
    """
    newer, older = (_SAID.sub("", text) for text in (newer, older))
    had, has = _CHOICE.search(older), _CHOICE.search(newer)
    if had and has:
        (wanted, left), (wants, leaves) = ((_bare(c["chosen"]), _bare(c["left"])) for c in (had, has))
        if wanted != wants and (wanted == leaves or wants == left):
            return _covers(has, had)
    had, has = _EVER.search(older), _EVER.search(newer)
    if not (had and has) or had["ever"].lower() == has["ever"].lower():
        return False
    return _covers(has, had) and all(_bare(had[name]) == _bare(has[name]) for name in ("verb", "what"))


def _covers(newer: re.Match[str], older: re.Match[str]) -> bool:
    """Return whether a rule holds wherever another does: it has no condition, or the same."""
    mine, theirs = (_bare(found.string[: found.start()] + found["rest"]) for found in (newer, older))
    return mine in ("", theirs)


def _bare(words: str) -> str:
    return _LEADS.sub("", words).lower()
