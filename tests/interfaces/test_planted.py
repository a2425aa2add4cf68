"""Terminal sequences and hidden signs in names and texts never reach a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remora.interfaces.draw import plain
from remora.interfaces.page import Cell, Fields
from tests.interfaces.conftest import Run

PLANTED = "\x1b]0;owned\x07\x1b[2Jx\x9b31m\r\x08\u202e\u2066\u200b\U000e0041.py"
BAD = frozenset("\x1b\x07\x9b\r\x08\u202e\u2066\u200b\U000e0041")


@pytest.mark.parametrize(
    "words",
    [
        ("related", PLANTED),
        ("impact", PLANTED),
        ("files", PLANTED),
        ("search", PLANTED),
        ("show", PLANTED),
        ("forget", PLANTED),
        ("list", "--type", PLANTED),
        ("list", PLANTED),
        ("session", "show", PLANTED),
        ("note", "show", PLANTED),
        ("remember", "The pager keeps its stream open", "--type", "pattern", "--file", PLANTED),
        (PLANTED,),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_no_planted_sign_comes_out(run: Run, project: Path, words: tuple[str, ...], *, as_json: bool) -> None:
    """What was typed comes back in answers, notes and errors without a sign that a terminal obeys."""
    (project / "a.py").write_text("def one():\n    return 1\n")
    result = run(*(["--json"] if as_json else []), *words)
    assert not BAD & set(result.stdout + result.stderr), ascii(result.output)
    if as_json:
        json.loads(result.stdout)


def test_names_of_fields_are_cleaned() -> None:
    """The name of a field may come from outside too."""
    assert plain((Fields((("a\x1b[31m\u202eb", Cell("c\rd")),)),)) == "ab: c\n  d\n"
