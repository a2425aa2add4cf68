"""The catalogues: the same sentences in every language, and none outside of them."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from remora.core.values import HIT_SOURCES, MEMORY_SOURCES, MEMORY_TYPES
from remora.interfaces.panel import actions, pages
from remora.interfaces.words import Words, catalogue, language_of
from tests.interfaces.panel.conftest import Browser

PANEL = Path(pages.__file__).parent
TEMPLATES = sorted((PANEL / "templates").glob("*.html"))
OF_A_VERB = ("verify.", "forget.")  # keys that begin with the name of a verb, which `upkeep` puts in


def placeholders(text: str) -> set[str]:
    """Return the names of the values that a sentence takes."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_the_catalogues_agree() -> None:
    """The same keys in the same order, the same values in each."""
    english, other = catalogue("en"), catalogue("fr")
    assert list(other) == list(english)
    assert {k for k in english if placeholders(english[k]) != placeholders(other[k])} == set()
    assert all(text.strip() for text in other.values())


def test_every_sentence_is_said_somewhere() -> None:
    """A key that no page asks for is dead, unless one puts it together from its beginning and a name."""
    speaking = (*TEMPLATES, *PANEL.parent.rglob("*.py"))
    text = "".join(path.read_text("utf-8") for path in speaking)
    used = set(re.findall(r'["\']([a-z0-9_]+(?:\.[a-z0-9_]+)*)["\']', text))
    put_together = re.findall(r'["\']((?:[a-z_]+\.)+)(?:\{|["\'] ~)', text)
    stems = {re.sub(r"\.(?:one|other)$", "", key) for key in catalogue("en")}
    assert {stem for stem in stems - used if not stem.startswith((*OF_A_VERB, *put_together))} == set()


def test_no_sentence_stands_in_a_template() -> None:
    """What a person reads comes from a catalogue; names of products, files and signs may stand there."""
    code = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)
    for path in TEMPLATES:
        text = code.sub(" ", path.read_text("utf-8"))
        assert set(re.findall(r"[A-Za-z][a-z]{2,}", text)) <= {"Remora", "MEMORY", "doctype", "html"}, path


def test_what_is_put_together_has_a_sentence() -> None:
    """Types, sources and kinds of hits have a name, and every action says what it did."""
    text = Path(actions.__file__).read_text("utf-8")
    asked = {f"type.{one}" for one in (*MEMORY_TYPES, *HIT_SOURCES)}
    asked |= {f"source.{one}" for one in MEMORY_SOURCES} | set(re.findall(r'"(said\.[a-z.]+)"', text))
    assert {key for key in asked if not {key, f"{key}.one"} & catalogue("en").keys()} == set()


def test_the_pages_speak_french(browser: Browser) -> None:
    """Chosen at the foot of a page, and kept."""
    browser.client.post("/language", data={"token": browser.token(), "language": "fr", "back": "/"})
    text = browser.get("memories").text
    assert '<html lang="fr">' in text
    assert "Souvenirs" in text
    assert "il n’y a pas de souvenir" in browser.get("memories/zzzz").text
    assert "there is no memory" in browser.get("memories/zzzz?format=json").text
    assert "Service des vecteurs." in browser.get("settings").text


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "tr_TR.UTF-8"}, "en"),
        ({"LANG": "fr_CA", "REMORA_LANG": "en"}, "en"),
        ({"LC_ALL": "C", "LANG": "fr"}, "fr"),
        ({"REMORA_LANG": "fr"}, "fr"),
    ],
)
def test_the_language_of_a_machine(environ: dict[str, str], language: str) -> None:
    """`REMORA_LANG` wins over the locale; what is not spoken is English."""
    assert language_of(environ) == language


def test_plurals_and_numbers() -> None:
    """French takes the singular for zero, and writes numbers its own way."""
    english, french = Words("en"), Words("fr")
    assert english("count.file", n=0) == "0 files"
    assert french("count.file", n=0) == "0 fichier"
    assert english.number(10_000) == "10,000"
    assert french.number(0.5) == "0,50"
    assert english.date("2026-01-31T10:00:00Z") == "31 Jan 2026"
    assert french.ago("2026-01-01T00:00:00Z", 1767225600 + 3 * 86_400) == "il y a 3 jours"
