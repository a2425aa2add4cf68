"""Valid names of entries, and generated names of archives."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from remora.core.errors import InvalidInput
from remora.core.text import clean, shorten

MAX_NAME = 255  # characters; longer ones are texts

_CONTROL = {"Cc", "Zl", "Zp", "Cs"}
_DASHES = re.compile(r"-+")
_NUMBER = re.compile(r"0|[1-9][0-9]*")


def normal(name: str) -> str:
    r"""Return the canonical form of a name: composed (NFC), without white space around it.

    >>> normal(" cafe\u0301 ") == "caf\u00e9"
    True
    """
    return unicodedata.normalize("NFC", name).strip()


def checked(name: str) -> str:
    """Return a name as it is stored.

    Raises:
        InvalidInput: it is blank, too long, or has invisible or control characters.
    """
    kept = normal(name)
    if not kept:
        raise InvalidInput("a name cannot be empty", hint="Give the entry a name of a few words.")
    if len(kept) > MAX_NAME:
        raise InvalidInput(
            f"the name {shorten(kept, 40)!r} has {len(kept)} characters; the maximum is {MAX_NAME}",
            hint="Put the text into the content and give it a short name.",
        )
    if clean(kept) != kept or any(unicodedata.category(sign) in _CONTROL for sign in kept):
        raise InvalidInput(
            f"the name {kept!r} has control or invisible characters",
            hint="Remove line ends, tabs and other invisible characters.",
        )
    return kept


def slug(text: str) -> str:
    """Return a text as the stem of a name: letters, digits and single dashes, ASCII in lower case.

    >>> slug("TG:user-123"), slug("a::b"), slug(":::"), slug("Straße 7"), slug("ÄB")
    ('tg-user-123', 'a-b', '', 'straße-7', 'Äb')
    """
    kept = (
        sign.lower() if sign.isascii() else sign
        for sign in (sign if sign.isalnum() else "-" for sign in unicodedata.normalize("NFC", text))
    )
    return _DASHES.sub("-", "".join(kept)).strip("-")


def archive_name(slug_of: str, taken: Iterable[str]) -> str:
    """Return the name of the next archive: the slug, a dash and a number above all taken ones.

    The number is one above the highest canonical integer ("02" is none) that follows the slug in any
    name or alias of any kind, so it never collides with a note of that form. A text of
    punctuation alone has an empty slug.

    >>> archive_name("cli:42", ["cli-42-1", "cli-42-9", "cli-42-010", "cli-42-x"]), archive_name(":::", [])
    ('cli-42-10', '-1')
    """
    stem = slug(slug_of)[: MAX_NAME - 40].rstrip("-") + "-"
    ends = (name[len(stem) :] for name in taken if name.startswith(stem))
    # Above 30 digits it is somebody's name, not a number that was counted up to.
    highest = max((int(end) for end in ends if len(end) <= 30 and _NUMBER.fullmatch(end)), default=0)
    return f"{stem}{highest + 1}"
