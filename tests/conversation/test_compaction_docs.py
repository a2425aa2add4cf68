"""The page about compaction names every setting with its default, and the constants as they are."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conversation.compaction import SETTINGS

PAGE = (Path(__file__).parents[2] / "docs" / "compaction.md").read_text("utf-8")


def test_the_table_has_every_setting_with_its_default() -> None:
    """A setting that is added or changed shows here."""
    rows = dict(re.findall(r"^\| `compaction\.(\w+)` \| `([^`]+)` \|", PAGE, re.MULTILINE))
    assert rows == {name: str(value) for name, value in SETTINGS._asdict().items()}
