"""Sentences for people, in their language: of the panel and of the command line.

A memory's own text, what agents read, JSON, and names of types, verbs, options and errors are never
translated. `say` speaks English until `speaking` says otherwise, so that agents hear nothing else. A hook
that has something to say loads this module: what it does not need is imported where it is used.
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
_AGO = ((60, "minute"), (3_600, "hour"), (86_400, "day"), (604_800, "week"), (2_629_800, "month"))
_YEAR = 31_557_600
_language = ContextVar("language", default=LANGUAGES[0])


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the sentences of a language by their keys."""
    return _read(f"{language}.json")


def _read(name: str) -> dict[str, str]:
    path = os.path.join(os.path.dirname(__file__), name)  # noqa: PTH118, PTH120  pathlib costs 3 ms
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        found: dict[str, str] = json.load(file)
    return found


def language_of(environ: Mapping[str, str], chosen: str = "") -> str:
    """Return the language to speak: the chosen one, `REMORA_LANG`, the locale's, else English."""
    named = [chosen, environ.get("REMORA_LANG", "")]
    named += [environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    return next((one for name in named if name and (one := _code(name)) in LANGUAGES), LANGUAGES[0])


def _code(name: str) -> str:
    """Return the code of a language by the name of a locale, such as `fr_CA.UTF-8` or `french`."""
    code = name.partition(".")[0].partition("_")[0].lower()
    if len(code) <= 3:  # of ISO 639, or C
        return code
    import locale  # most machines name a language by its code

    return locale.normalize(name).partition("_")[0].lower()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language to whoever is at the terminal, while this is entered."""
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def spoken() -> Words:
    """Return the words of the language that is spoken."""
    return Words(_language.get())


def say(key: str, /, **values: Any) -> str:
    """Return a sentence in the language that is spoken, as `Words` does."""
    return spoken()(key, **values)


def field(name: str) -> str:
    """Return the name of a value, as it stands before it."""
    return spoken().known(f"field.{name.replace(' ', '_')}", name)


def columns(key: str) -> tuple[str, ...]:
    """Return the headings of a table, which stand in one sentence with bars between them."""
    return tuple(say(key).split("|"))


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """Return sentences that stand in the code in English, such as help, in another language."""
    return _read(f"sentences.{language}.json")


@cache
def _templates(language: str) -> Sequence[tuple[list[str], str]]:
    """Return sentences with values: what is around `{}` in the code, longest first, and the other text."""
    found = [(known.split("{}"), told) for known, told in _sentences(language).items() if "{}" in known]
    return sorted(found, key=lambda one: -len("".join(one[0])))


def in_words(text: str) -> str:
    """Return a text of the code in the language that is spoken."""
    return spoken().of(text)


class Words:
    """Says things in one language.

    Attributes:
        language: its code.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._known = catalogue(language)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a sentence with its values filled in, numbers as the language writes them.

        `n` chooses between one and many.

        Raises:
            KeyError: there is no such sentence.
        """
        n = values.get("n")
        if n is not None:
            form = "one" if _ONE[self.language](n) else "other"
            key = f"{key}.{form}" if f"{key}.{form}" in self._known else key
        told = {name: self.number(v) if isinstance(v, int | float) else v for name, v in values.items()}
        return self._known[key].format(**told)

    def of(self, text: str) -> str:
        """Return a text that the code has in English; what nobody knows of it stays as it is."""
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
        for between in ("; ", ". ", ": ", ", "):  # sentences that were put together
            if between in text:
                first, _, rest = text.partition(between)
                join = self._known["semicolon"] if between == "; " else between
                return join.join((self._value(first), self._value(rest)))
        return text

    def _value(self, text: str) -> str:
        """Return a value inside a sentence: a name as it is, a number or a sentence in the language."""
        if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
            return self.number(int(text.replace(",", "")))
        counted = re.fullmatch(r"(\d[\d,]*)(\.\d)? ([^,;]+)", text)
        if counted and (told := _sentences(self.language).get(counted[3])):
            tenths = counted[2] or ""
            return f"{self.number(float(counted[1].replace(',', '') + tenths), len(tenths[1:]))} {told}"
        return self._of(text) if " " in text else text

    def known(self, key: str, otherwise: str = "") -> str:
        """Return a sentence; where there is none, as of what plugins bring, the last part of its key."""
        return self._known.get(key) or otherwise or key.rpartition(".")[2].replace("_", " ")

    def number(self, value: float, digits: int | None = None) -> str:
        """Return a number as the language writes it, with so many digits behind the point (2 of a float)."""
        whole = digits is None and isinstance(value, int)
        text = f"{value:,}" if whole else f"{value:,.{2 if digits is None else digits}f}"
        if self.language == "fr":
            return text.replace(",", "\u202f").replace(".", ",")
        return text

    def percent(self, share: float, digits: int = 0) -> str:
        """Return a share, 0..1, in percent."""
        return self._known["percent"].format(n=self.number(100.0 * share, digits))

    def date(self, at: str | None) -> str:
        """Return a day as the language writes it; empty for none."""
        from datetime import datetime  # a hook needs no day

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
        from remora.core.clock import from_iso  # a hook needs no time

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
