"""What a person said that takes back what the person said before.

Only what is certain by the words: the other choice ("use bun, not pnpm" after "use pnpm, not npm"), never for
always, a thing that is no longer used, and the same sentence with another word of a kind of which there can
be but one ("answer in French" after "answer in German"). A rule with another condition, place or end beside
it is another rule.
"""

from __future__ import annotations

import re

from remora.core.statement import without_day
from remora.core.text import words

_THING = r"`[^`]+`|[\w'\"@./-]+"
_CHOICE = re.compile(
    rf"\b(?:use (?P<chosen>{_THING})(?: here)?,? (?:instead of|rather than|(?:and )?not|never) "
    rf"(?P<left>{_THING})"
    rf"|prefer (?P<rather>{_THING}) (?:over|to) (?P<than>{_THING}))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EVER = re.compile(
    r"\b(?P<ever>always|never|do not|don'?t|can|may) (?P<verb>[\w-]+) (?:(?:the|an?) )?"
    rf"(?P<what>{_THING})(?P<rest>[^,;.!]*)",
    re.IGNORECASE,
)
_NEVER = ("never", "do not", "don't", "dont")
_NO_LONGER = re.compile(
    r"\b(?:no longer (?:use|need|run|want|support|have)|(?:don'?t|do not) (?:use|need|run|want|have)"
    r"(?=.* any ?more\b)) (?P<what>[^,;.!()]+?)(?: any ?more)?"
    r"(?P<rest> (?:in|for|on|with|when|if|as) [^,;.!]*)?(?=[,;.!]|\Z)",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"\b(?:not|never|don'?t|do not|instead of|rather than|no longer)\b[^,;.]*", re.IGNORECASE
)
_LEADS = re.compile(
    r"\b(?:from now on|please|always|(?:we|you)(?: should)?|let'?s|no|now|any ?more|again|instead|everywhere"
    r"|here)\b|\W",
    re.IGNORECASE,
)
# Of these a rule can name but one: what stands before it, the words, what stands behind.
_ONE_OF = tuple(
    (before, frozenset(kind.split()), behind)
    for before, kind, behind in (
        (
            "in",
            """english german french spanish portuguese italian dutch polish russian ukrainian turkish chinese
            japanese korean hindi arabic""",
            "",
        ),
        ("", "single double", "quotes"),
        ("", "tabs spaces", ""),
        ("", "npm pnpm yarn bun", ""),
        ("", "pip pipx poetry pdm conda uv", ""),
        ("", "pytest unittest nose", ""),
        ("", "jest vitest mocha", ""),
        ("", "camelcase snake_case pascalcase", ""),
    )
)
_EMPHASIS = frozenset("please always from now on again instead really only just".split())


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
    >>> overturns("We no longer use docker compose.", "Always run docker compose build before a release.")
    True
    >>> overturns("Always answer in French.", "Please answer in German.")
    True
    """
    newer, older = without_day(newer), without_day(older)
    return (
        _chooses_otherwise(newer, older)
        or _says_the_opposite(newer, older)
        or _is_gone(newer, older)
        or _names_another(newer, older)
    )


def _chooses_otherwise(newer: str, older: str) -> bool:
    had, has = _CHOICE.search(older), _CHOICE.search(newer)
    if not (had and has):
        return False
    (wanted, left), (wants, leaves) = (_choice(had), _choice(has))
    return wanted != wants and (wanted == leaves or wants == left) and _covers(has, had)


def _choice(found: re.Match[str]) -> tuple[str, str]:
    return _bare(found["chosen"] or found["rather"]), _bare(found["left"] or found["than"])


def _says_the_opposite(newer: str, older: str) -> bool:
    had, has = _EVER.search(older), _EVER.search(newer)
    if not (had and has) or _denies(had) == _denies(has):
        return False
    return _covers(has, had) and all(_bare(had[name]) == _bare(has[name]) for name in ("verb", "what"))


def _denies(found: re.Match[str]) -> bool:
    return found["ever"].lower() in _NEVER


def _is_gone(newer: str, older: str) -> bool:
    has = _NO_LONGER.search(newer)
    if not has or _LEADS.sub("", newer[: has.start()]):
        return False
    what = " ".join(words(has["what"]))
    asked = f" {' '.join(words(_LEFT_OUT.sub('', older)))} "
    return bool(what) and f" {what} " in asked and _bare(has["rest"] or "") in _bare(older)


def _names_another(newer: str, older: str) -> bool:
    if _LEFT_OUT.search(newer) or _LEFT_OUT.search(older):  # several things may be denied
        return False
    mine, theirs = ([w for w in words(text) if w not in _EMPHASIS] for text in (newer, older))
    if len(mine) != len(theirs):
        return False
    differ = [n for n, word in enumerate(mine) if word != theirs[n]]
    if len(differ) != 1:
        return False
    at = differ[0]
    around = [*mine, ""]
    return any(
        kind.issuperset((mine[at], theirs[at]))
        and before in ("", around[at - 1])
        and behind in ("", around[at + 1])
        for before, kind, behind in _ONE_OF
    )


def _covers(newer: re.Match[str], older: re.Match[str]) -> bool:
    """Return whether a rule holds wherever another does: it has no condition, or the same."""
    mine, theirs = (_bare(found.string[: found.start()] + found["rest"]) for found in (newer, older))
    return mine in ("", theirs)


def _bare(text: str) -> str:
    return _LEADS.sub("", text).lower()
