"""The page about compaction names every setting with its default, and the constants as they are."""

from __future__ import annotations

import re
from pathlib import Path

from remora.conversation.budget import SUMMARY_CHARACTERS, limit_of, room, standing
from remora.conversation.cut import FREE_SHARE, LEAST_KEPT, MOST_KEPT
from remora.conversation.flatten import ARGUMENT_CHARACTERS, FLATTENED_TO, RESULT_CHARACTERS
from tests.conversation.compaction import SETTINGS, said

PAGE = (Path(__file__).parents[2] / "docs" / "compaction.md").read_text("utf-8")


def test_the_table_has_every_setting_with_its_default() -> None:
    """A setting that is added or changed shows here."""
    rows = dict(re.findall(r"^\| `compaction\.(\w+)` \| `([^`]+)` \|", PAGE, re.MULTILINE))
    assert rows == {name: str(value) for name, value in SETTINGS._asdict().items()}


def test_the_numbers_in_the_text_are_true() -> None:
    """The threshold, the room and the cuts are what the page says."""
    assert limit_of(SETTINGS) == 50_000
    assert standing([said(1, "x" * 147_004)], SETTINGS).over
    assert not standing([said(1, "x" * 147_003)], SETTINGS).over
    assert (room(SETTINGS), SUMMARY_CHARACTERS) == (2_500, 5)
    assert (ARGUMENT_CHARACTERS, RESULT_CHARACTERS, FLATTENED_TO) == (200, 2_000, "flattenedTo")
    assert (LEAST_KEPT, MOST_KEPT, FREE_SHARE) == (1, 100, 0.25)
