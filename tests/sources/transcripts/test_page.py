"""The page about transcripts is true: its example is read, its table is complete."""

from __future__ import annotations

import re
from pathlib import Path

from remora.core.events import ACTIONS, EVENT_KINDS, Event
from tests.sources.transcripts.records import brief, put, reading

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "transcripts.md").read_text("utf-8")


def test_the_example_file_is_read(tmp_path: Path) -> None:
    """Every line of the example is an event, none is bad."""
    (example,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    opened, found = reading(put(tmp_path / "a", []), *example.splitlines())
    assert (opened.program, opened.counts.bad, len(opened.counts.skipped)) == ("my-agent", 0, 0)
    assert brief(found) == [
        ("user_prompt", 0, "make the tests pass"),
        ("tool_call", 1, "shell"),
        ("tool_result", 1, "2 failed"),
        ("tool_call", 2, "patch"),
        ("reply", 2, "The cache was never cleared."),
    ]


def test_the_page_names_every_field_kind_and_action() -> None:
    """Nothing that an event has is missing from the page."""
    table = PAGE.split("| field | meaning |")[1]
    assert [n for n in (*Event._fields, *EVENT_KINDS, *ACTIONS) if f"`{n}`" not in table] == []
