"""Terminal sequences and hidden signs in names and texts never reach a terminal."""

from __future__ import annotations

import json
import shlex

import pytest

from remora.interfaces.verbs import GROUPS, VERBS
from tests.interfaces.conftest import Run
from tests.interfaces.planting import BAD, PLANTED
from tests.tables import table

TYPED = ("related", "impact", "search", "show", "list --type", "list", "session show", "note show", "")


@pytest.mark.parametrize("words", [*TYPED, "remember The-pager-keeps-its-stream -t pattern --file"])
def test_no_planted_sign_comes_out(run: Run, words: str) -> None:
    """What was typed comes back in answers, notes and errors without a sign that a terminal obeys."""
    told, document = run(*words.split(), PLANTED), run("--json", *words.split(), PLANTED)
    for result in (told, document):
        assert not BAD & set(result.stdout + result.stderr), ascii(result.output)
    json.loads(document.stdout)


# What each verb is called with in a project of planted names and texts; the first need nothing. ID stands for
# the id of a memory, PLANTED for a text with such signs.
ROWS = [(names.split(", "), shlex.split(" ".join(words))) for names, *words in table(__file__, "verbs")]
CALLED = {name: words for names, words in ROWS for name in names}
# They serve, are run by programs, or print nothing that came from outside.
SERVERS = {"mcp", "panel", "hook", "work"}
LEAVES = [one.name for verb in VERBS for one in (GROUPS.get(verb.name) or (verb,)) if one.name not in SERVERS]


def test_every_verb_is_tried() -> None:
    """A new verb needs its name in the table, or a line of its own there."""
    assert set(LEAVES) == set(CALLED)


@pytest.mark.parametrize("name", sorted(CALLED))
def test_no_verb_prints_what_was_planted(run: Run, planted: str, name: str) -> None:
    """Whatever it shows has no such signs; with --json behind it stdout is one JSON object and no more."""
    words = [planted if word == "ID" else word.replace("PLANTED", PLANTED) for word in CALLED[name]]
    told, document = run(*name.split(), *words), run(*name.split(), *words, "--json")
    for result in (told, document):
        assert not BAD & set(result.stdout + result.stderr), ascii(result.output)
        assert "Traceback" not in result.output
    assert isinstance(json.loads(document.stdout), dict)
    assert document.stderr == ""
