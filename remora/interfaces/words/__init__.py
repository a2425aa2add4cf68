"""Sentences for people, in their language: of the panel, and of the review at a terminal.

A memory's own text, what agents read, JSON, and names of errors are never translated.
"""

from __future__ import annotations

import json
import locale
import os
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from remora.core.clock import from_iso

LANGUAGES = ("en", "fr")
_ONE = {"en": lambda n: n == 1, "fr": lambda n: abs(n) < 2}  # plural rules of CLDR for these languages
_AGO = ((60, "minute"), (3_600, "hour"), (86_400, "day"), (604_800, "week"), (2_629_800, "month"))
_YEAR = 31_557_600


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the sentences of a language by their keys."""
    found: dict[str, str] = json.loads((files(__package__) / f"{language}.json").read_text("utf-8"))
    return found


def language_of(environ: Mapping[str, str], chosen: str = "") -> str:
    """Return the language to speak: the chosen one, `REMORA_LANG`, the locale's, else English."""
    named = [chosen, environ.get("REMORA_LANG", "")]
    named += [environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    known = (locale.normalize(name).partition("_")[0].lower() for name in named if name)
    return next((one for one in known if one in LANGUAGES), LANGUAGES[0])


def spoken() -> Words:
    """Return the words of whoever sits at this process's terminal."""
    return Words(language_of(os.environ))


class Words:
    """Says things in one language.

    Attributes:
        language: its code.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._known = catalogue(language)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a sentence with its values filled in; `n` chooses between one and many.

        Raises:
            KeyError: there is no such sentence.
        """
        n = values.get("n")
        if n is not None:
            form = "one" if _ONE[self.language](n) else "other"
            key = f"{key}.{form}" if f"{key}.{form}" in self._known else key
            values["n"] = self.number(n)
        return self._known[key].format(**values)

    def known(self, key: str) -> str:
        """Return a sentence, or the last part of its key where there is none: names that plugins bring."""
        return self._known.get(key, key.rpartition(".")[2].replace("_", " "))

    def number(self, value: float) -> str:
        """Return a number as the language writes it."""
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
        if self.language == "fr":
            return text.replace(",", "\u202f").replace(".", ",")
        return text

    def percent(self, share: float) -> str:
        """Return a share, 0..1, in percent."""
        return self._known["percent"].format(n=round(100 * share))

    def date(self, at: str | None) -> str:
        """Return a day as the language writes it; empty for none."""
        if not at:
            return ""
        try:
            day = datetime.fromisoformat(at)
        except ValueError:
            return at
        month = self._known["months"].split()[day.month - 1]
        return self._known["date"].format(day=day.day, month=month, year=day.year)

    def ago(self, at: str | None, now: float) -> str:
        """Return how long ago a time was."""
        if not at:
            return ""
        try:
            seconds = max(0.0, now - from_iso(at))
        except ValueError:
            return at
        unit, name = next(
            ((size, one) for size, one in reversed(_AGO) if seconds >= size and seconds < _YEAR), (0, "")
        )
        if seconds >= _YEAR:
            unit, name = _YEAR, "year"
        return self(f"ago.{name}", n=int(seconds // unit)) if name else self._known["ago.now"]
