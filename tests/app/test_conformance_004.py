"""The threshold of document 004's successor, where the number of messages decides.

The shares are in tests/conversation/test_budget.py, the halves in
tests/conversation/test_compaction_conformance.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.app.records.compaction import Compaction
from tests.app.talks import contents, opened


def shortened(tmp_path: Path, count: int, size: int, limit: int) -> tuple[Compaction | None, list[str], int]:
    """Say so many messages of a size; return what shortening them did, the context and how many were said."""
    (tmp_path / "shop").mkdir(parents=True)
    with opened(tmp_path) as memory:
        session = memory.session("cli:42")
        session.extend({"role": "user", "content": f"{n}" + "x" * size} for n in range(count))
        done = session.compact_if_needed(limit)
        return done, contents(session), len(session.history())


def test_three_messages_over_the_limit(tmp_path: Path) -> None:
    """Theirs waits for a fourth message; ours shortens, for the next request would not fit the model.

    The three stay in the log.
    """
    done, context, said = shortened(tmp_path, 3, 100_000, 50_000)
    assert done is not None
    assert 1 <= done.removed <= 2
    assert context[0].startswith("[Conversation summary]")
    assert context[-1].startswith("2x")
    assert said == 3


@pytest.mark.parametrize("limit", [0, -1])
def test_a_maximum_that_is_none(tmp_path: Path, limit: int) -> None:
    """Theirs never fires at 0 or less; here that means "not known", so the setting decides: at 50,000."""
    small, *_ = shortened(tmp_path / "small", 6, 1_000, limit)
    assert small is None
    large, context, said = shortened(tmp_path / "large", 6, 100_000, limit)
    assert large is not None
    assert (context[-1][:2], said) == ("5x", 6)
