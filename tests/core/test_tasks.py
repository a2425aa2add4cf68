"""The weights of the signals that predict files."""

from __future__ import annotations

import pytest

from remora.core.tasks import standing_out


def test_what_thirty_others_beat_counts_nothing() -> None:
    """Only how far a file stands above the thirty-first counts; with fewer files each keeps its share."""
    scores = {f"f{n:02}": 100.0 - n for n in range(50)}
    found = standing_out(scores)
    assert len(found) == 30
    assert found["f00"] == pytest.approx(0.30)
    assert standing_out({"a": 0.0}) == {}
    assert standing_out({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}
