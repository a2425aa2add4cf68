"""Names are short, visible and comparable; archives count up."""

from __future__ import annotations

import pytest

from remora.core.errors import InvalidInput
from remora.entries.names import MAX_NAME, archive_name, checked, slug


@pytest.mark.parametrize("name", ["Größe 7", "日本語", "a/b", "-1", "x" * MAX_NAME, "👩‍💻"])
def test_a_name_is_free_text(name: str) -> None:
    """Letters of any script, signs, spaces and emoji make a name."""
    assert checked(name) == name


@pytest.mark.parametrize(
    "name", ["", "  \n", "a\nb", "a\tb", "a\x00b", "a\u202eb", "a\u2028b", "a\ud800b", "x" * (MAX_NAME + 1)]
)
def test_a_name_that_cannot_be_seen_or_typed_is_refused(name: str) -> None:
    """Empty names, control characters, direction marks, halves of signs and texts are no names."""
    with pytest.raises(InvalidInput) as refused:
        checked(name)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TG:user-123", "tg-user-123"),
        (":::", ""),
        ("--a--b--", "a-b"),
        ("ÄB c", "Äb-c"),
        ("日本 7", "日本-7"),
    ],
)
def test_a_slug_keeps_letters_digits_and_single_dashes(text: str, expected: str) -> None:
    """ASCII becomes lower case, other letters stay, everything else is a dash, none at the ends."""
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("text", "taken", "expected"),
    [
        ("cli:42", ["cli-42-1", "cli-42-7", "other-9"], "cli-42-8"),
        ("cli:42", ["cli-42-02", "cli-42-x", "cli-42-", "cli-42-3-9", "cli-42-²"], "cli-42-1"),
        (":::", [], "-1"),
        (":::", ["-1", "-2"], "-3"),
        ("x", ["x-" + "9" * 200], "x-1"),
    ],
)
def test_an_archive_gets_the_number_above_the_highest(text: str, taken: list[str], expected: str) -> None:
    """Only canonical integers count: "02" does not. A text of signs alone leaves just the number."""
    assert archive_name(text, taken) == expected
    assert checked(archive_name(text * 5000, [])).endswith("-1")
