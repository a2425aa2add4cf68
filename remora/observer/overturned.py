"""What a person said that takes back what the person said before.

Only what is certain by the words: the other choice ("use bun, not pnpm" after "use pnpm, not npm"), never for
always, a thing that is no longer used, and the same sentence with another word of a kind of which there can
be but one ("answer in French" after "answer in German"). A rule with another condition, place or end beside
it is another rule: what was said of a part stays when something is said of the whole. Two rules that both
stay are read with their days; one that is gone for nothing is lost.
"""

from __future__ import annotations

import re

from remora.core.statement import without_day
from remora.core.text import words

_THING = r"`[^`]+`|[\w'\"@./-]+"
_CHOICE = re.compile(
    rf"\b(?:use (?P<chosen>{_THING})(?: here| again)?,? (?:instead of|rather than|(?:and )?not|never) "
    rf"(?P<left>{_THING})"
    rf"|prefer (?P<rather>{_THING}) (?:over|to) (?P<than>{_THING}))(?P<rest>[^,;.!(]*)",
    re.IGNORECASE,
)
_EVER = re.compile(
    r"\b(?P<ever>always|never|do not|don'?t|can|may) (?P<verb>[\w-]+) (?:(?:the|an?) )?"
    rf"(?P<what>{_THING})(?P<rest>[^,;.!]*)",
    re.IGNORECASE,
)
_NEVER = ("never", "do not", "don't", "dont")
_NO_LONGER = re.compile(
    r"\b(?:no longer (?:use|need|run)|(?:don'?t|do not) (?:use|need|run)(?=.* any ?more\b)) "
    r"(?P<what>[^,;.!()]+?)(?: any ?more)?(?P<rest> (?:in|for|on|with|when|if|as) [^,;.!]*)?(?=[,;.!]|\Z)",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"\A(?:please )?(?:(?:don'?t|do not) (?P<what>.+?) any ?more|stop (?P<using>using) (?P<thing>.+?))\W*\Z",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"\b(?:not|never|don'?t|avoid|instead of|rather than|over|no longer|no)\b[^,;.]*", re.IGNORECASE
)
_LEADS = re.compile(
    r"\b(?:from now on|please|always|(?:we|you)(?: should)?|let'?s|no|now|any ?more|again|instead|everywhere"
    r"|here|first)\b|\W",
    re.IGNORECASE,
)
_EMPHASIS = frozenset("please always from now on again instead really only just".split())
_CHOOSES = frozenset("use using run with via prefer install".split())  # directly before what is chosen
_SPEAKS = frozenset("write answer reply respond speak talk".split())
_BESIDE = frozenset("also when if unless support test translate add show document check while for".split())
_TONGUES = frozenset(
    """english german french spanish portuguese italian dutch polish russian ukrainian turkish chinese
    japanese korean hindi arabic""".split()
)
# Of these a rule can choose but one.
_ONE_OF = tuple(
    frozenset(kind.split())
    for kind in (
        "tabs spaces",
        "npm pnpm yarn bun",
        "pip pipx poetry pdm conda uv",
        "pytest unittest nose",
        "jest vitest mocha",
        "camelcase snake_case pascalcase",
    )
)


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
    >>> overturns("Don't add comments.", "Always add comments to public functions.")
    False
    >>> overturns("We no longer use docker compose.", "Always run docker compose build before a release.")
    True
    >>> overturns("Always answer in French.", "Please answer in German."), overturns("Stop using a", "Use a")
    (True, True)
    """
    newer, older = without_day(newer), without_day(older)
    return (
        _chooses_otherwise(newer, older)
        or _says_the_opposite(newer, older)
        or _is_gone(newer, older)
        or _is_stopped(newer, older)
        or _names_another(newer, older)
    )


def _chooses_otherwise(newer: str, older: str) -> bool:
    had, has = _CHOICE.search(older), _CHOICE.search(newer)
    if not (had and has):
        return False
    (wanted, left), (wants, leaves) = (_choice(had), _choice(has))
    return wanted != wants and (wanted == leaves or wants == left) and _of_the_same(has, had)


def _choice(found: re.Match[str]) -> tuple[str, str]:
    return _bare(found["chosen"] or found["rather"]), _bare(found["left"] or found["than"])


def _says_the_opposite(newer: str, older: str) -> bool:
    had, has = _EVER.search(older), _EVER.search(newer)
    if not (had and has) or _denies(had) == _denies(has):
        return False
    return _of_the_same(has, had) and all(_bare(had[name]) == _bare(has[name]) for name in ("verb", "what"))


def _denies(found: re.Match[str]) -> bool:
    return found["ever"].lower() in _NEVER


def _is_gone(newer: str, older: str) -> bool:
    """Return whether what an older rule says to use is no longer used."""
    has = _NO_LONGER.search(newer)
    if not has or _bare(newer[: has.start()]):
        return False
    what = " ".join(word for word in words(has["what"]) if word not in ("the", "a", "an"))
    asked = (
        f" {' '.join(word for word in words(_LEFT_OUT.sub('', older)) if word not in ('the', 'a', 'an'))} "
    )
    used = any(f" {verb} {what} " in asked for verb in _CHOOSES) or f"`{what}" in older.lower()
    return bool(what) and used and _bare(has["rest"] or "") in _bare(older)


def _is_stopped(newer: str, older: str) -> bool:
    has = _STOPPED.match(newer)
    if not has:
        return False
    return _telling(has["what"] or f"use {has['thing']}") == _telling(older)


def _names_another(newer: str, older: str) -> bool:
    """Return whether two rules differ in one word alone, of a kind of which there can be but one."""
    if _LEFT_OUT.search(newer) or _LEFT_OUT.search(older):  # several things may be denied
        return False
    mine, theirs = _telling(newer), _telling(older)
    differ = [n for n, word in enumerate(mine) if word != theirs[n]] if len(mine) == len(theirs) else []
    if len(differ) != 1 or not _BESIDE.isdisjoint(mine):
        return False
    at = differ[0]
    pair, before, behind = {mine[at], theirs[at]}, mine[at - 1] if at else "", [*mine, ""][at + 1]
    if pair <= _TONGUES:
        return before == "in" and not _SPEAKS.isdisjoint(mine)
    if pair == {"single", "double"}:
        return behind == "quotes"
    return before in _CHOOSES and any(pair <= kind for kind in _ONE_OF)


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in _EMPHASIS]


def _of_the_same(newer: re.Match[str], older: re.Match[str]) -> bool:
    """Return whether two rules hold in the same cases: both in all, or both under the same condition."""
    mine, theirs = (_bare(found.string[: found.start()] + found["rest"]) for found in (newer, older))
    return mine == theirs


def _bare(text: str) -> str:
    return _LEADS.sub("", text).lower()
