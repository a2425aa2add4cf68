"""Translated messages to users of the panel and the command line.

The text of memories, texts for agents, JSON, and names of types, verbs, options and errors are never
translated. `say` returns English unless `speaking` sets another language, so that agents always get English.
Hooks with output load this module, so its other imports are inside functions.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

LANGUAGES = ("en", "fr")
_ONE = {"en": lambda n: n == 1, "fr": lambda n: abs(n) < 2}  # plural rules of CLDR for these languages
# Seconds of a unit, its name, and the number from which the next larger unit is used.
_AGES = (
    (60, "min", 60),
    (3_600, "h", 36),
    (86_400, "day", 14),
    (604_800, "week", 9),
    (2_629_800, "month", 24),
    (31_557_600, "year", 10_000),
)
_language = ContextVar("language", default=LANGUAGES[0])


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the messages of a language by key."""
    return _read(f"{language}.json")


def _read(name: str) -> dict[str, str]:
    path = os.path.join(os.path.dirname(__file__), name)  # noqa: PTH118, PTH120  importing pathlib takes 3 ms
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        found: dict[str, str] = json.load(file)
    return found


def language_of(environ: Mapping[str, str], chosen: str = "") -> str:
    """Return the code of the language: the chosen one, `REMORA_LANG`, the locale's, else English."""
    named = [chosen, environ.get("REMORA_LANG", "")]
    named += [environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    codes = (re.split("[._]", name)[0].lower() for name in named)
    return next((code for code in codes if code in LANGUAGES), LANGUAGES[0])


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the language of messages for the block."""
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def spoken() -> Words:
    """Return the messages of the current language."""
    return Words(_language.get())


def say(key: str, /, **values: Any) -> str:
    """Return a message in the current language; see `Words`."""
    return spoken()(key, **values)


def field(name: str) -> str:
    """Return the translated label of a field."""
    return spoken().known(f"field.{name.replace(' ', '_')}", name)


def columns(key: str) -> tuple[str, ...]:
    """Return the headings of a table; the message separates them by bars."""
    return tuple(say(key).split("|"))


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """Return the translations of English texts in the code, such as help, by the English text."""
    return _read(f"sentences.{language}.json")


@cache
def _templates(language: str) -> Sequence[tuple[list[str], str]]:
    """Return the translations of texts with `{}`: the parts around it and the translation, longest first."""
    found = [(known.split("{}"), told) for known, told in _sentences(language).items() if "{}" in known]
    return sorted(found, key=lambda one: -len("".join(one[0])))


def in_words(text: str) -> str:
    """Return the translation of an English text into the current language."""
    return spoken().of(text)


class Words:
    """The messages of one language.

    Attributes:
        language: the code of the language.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._known = catalogue(language)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a message with its values, numbers in the format of the language.

        `n` selects the singular or plural form.

        Raises:
            KeyError: the message is unknown.
        """
        n = values.get("n")
        if n is not None:
            form = "one" if _ONE[self.language](n) else "other"
            key = f"{key}.{form}" if f"{key}.{form}" in self._known else key
        told = {name: self.number(v) if isinstance(v, int | float) else v for name, v in values.items()}
        return self._known[key].format(**told)

    def of(self, text: str) -> str:
        """Return the translation of an English text; parts without a translation stay English."""
        if self.language == LANGUAGES[0]:
            return text
        return "\n\n".join(map(self._of, text.split("\n\n")))

    def _of(self, text: str) -> str:
        if told := _sentences(self.language).get(" ".join(text.split())):
            return told
        for around, told in _templates(self.language):
            if all(part in text for part in around):
                pattern = "(.*?)".join(map(re.escape, around))
                if values := re.fullmatch(pattern, text, re.DOTALL):
                    return told.format(*map(self._value, values.groups()))
        for between in ("; ", ". ", ": ", ", "):  # joined sentences
            if between in text:
                first, _, rest = text.partition(between)
                join = self._known["semicolon"] if between == "; " else between
                return join.join((self._value(first), self._value(rest)))
        return text

    def _value(self, text: str) -> str:
        """Return a value in a sentence: numbers formatted, sentences translated, names unchanged."""
        if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
            return self.number(int(text.replace(",", "")))
        counted = re.fullmatch(r"(\d[\d,]*)(\.\d)? ([^,;]+)", text)
        if counted and (told := _sentences(self.language).get(counted[3])):
            tenths = counted[2] or ""
            return f"{self.number(float(counted[1].replace(',', '') + tenths), len(tenths[1:]))} {told}"
        return self._of(text) if " " in text else text

    def known(self, key: str, otherwise: str = "") -> str:
        """Return a message; if it is unknown, as for plugins, `otherwise` or the last part of the key."""
        return self._known.get(key) or otherwise or key.rpartition(".")[2].replace("_", " ")

    def number(self, value: float, digits: int | None = None) -> str:
        """Return a number in the language's format, with `digits` decimals (by default 2 for a float)."""
        whole = digits is None and isinstance(value, int)
        text = f"{value:,}" if whole else f"{value:,.{2 if digits is None else digits}f}"
        if self.language == "fr":
            return text.replace(",", "\u202f").replace(".", ",")
        return text

    def percent(self, share: float, digits: int = 0) -> str:
        """Return a share (0..1) in percent."""
        return self._known["percent"].format(n=self.number(100.0 * share, digits))

    def date(self, at: str | None) -> str:
        """Return a date in the language's format; empty for none, the text itself if it is not ISO 8601."""
        from datetime import datetime  # imported here: hooks do not need it

        if not at:
            return ""
        try:
            day = datetime.fromisoformat(at)
        except ValueError:
            return at
        month = self._known["months"].split()[day.month - 1]
        return self._known["date"].format(day=day.day, month=month, year=day.year)

    def ago(self, at: str | None, now: float) -> str:
        """Return the age of a time, in words; empty for none, the text itself if it is not ISO 8601.

        >>> Words("en").ago("1970-01-01T00:00:00Z", 7200.0)
        '2 h ago'
        """
        from remora.core.clock import from_iso  # imported here: hooks do not need it

        if not at:
            return ""
        try:
            seconds = now - from_iso(at)
        except ValueError:
            return at
        if seconds < 60:
            return self("ago.now")
        for size, unit, below in _AGES:
            number = int(seconds // size)
            if number < below:
                return self(f"ago.{unit}", n=number)
        return at[:10]
