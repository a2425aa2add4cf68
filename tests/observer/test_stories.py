"""Sessions told in a line each: the signals that they show, and the text from outside that taints them.

Some are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.values import Taint
from tests.observer.script import observed, of_type, played, watching
from tests.tables import table


@pytest.mark.parametrize("row", table(__file__, "stories"), ids=lambda row: f"{row[0]}: {row[2]}")
def test_a_story_shows_its_signal_or_none(row: tuple[str, ...]) -> None:
    """A row has the kind of signal, the keys that are shown, what the story is about, and the story."""
    kind, keys, _, story = row
    assert ", ".join(signal.key for signal in of_type(observed(played(story)), kind)) == keys


@pytest.mark.parametrize("row", table(__file__, "taints"), ids=lambda row: row[1])
def test_a_story_is_tainted_by_its_source_or_not_at_all(row: tuple[str, ...]) -> None:
    """The web, servers that read the world, files outside and dependencies taint; its own does not."""
    source, _, story = row
    told = played(story)
    assert watching(told.step().say("So.")).taint() == (Taint(source, 1) if source else None)
