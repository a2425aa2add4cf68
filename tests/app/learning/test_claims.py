"""What a text says is in the code: names to look up, never those that it says are gone."""

from __future__ import annotations

import pytest

from remora.app.learning.code_staleness import claims


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Added `parseRow()` to the reader.", ["parseRow"]),
        ("The size is kept in max_rows, as MAX_ROWS_LEFT says.", ["max_rows"]),
        ("HTTPServer and getUserById answer; getUserById waits.", ["HTTPServer", "getUserById"]),
        ("Removed `readAll()`. Added `readSome()`.", ["readSome"]),
        ("`OldName` was renamed to `NewName`.", []),
        ("`readAll` → `readSome`", []),
        ("Uses ReadRow instead of ReadAll", []),
        ("See `cli/list_rows.go` and docs/big_picture.md and https://x.org/a_b-c.", []),
        ("It works now, in Berlin and on GitHub", ["GitHub"]),
        ("We are done. `get` is `a_b`.", []),
        ("", []),
    ],
)
def test_names_that_are_claimed(text: str, names: list[str]) -> None:
    """Names of the code in order, each once; everyday words, paths and what was removed are none."""
    assert claims(text) == names
