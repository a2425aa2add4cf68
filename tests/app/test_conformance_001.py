"""The cases of document 001 for sessions that nobody knows, or that are not in memory.

The others are in tests/journal/test_conformance.py and tests/conversation/test_compaction_conformance.py.

Where we differ from its "Memory V2": its items are read when somebody moves in (tests/sources/others/
test_golem_items.py), and are memories from then on. So there is no lookback that could be set wrong (3 days
become 5, 999 become 92): search looks at everything. The budget of a block is a number of tokens and not two
that must fit (-10 and 100 become 1,800 twice there): see test_recall.py. One turn with all its triggers makes
four items there; here a session is learned whole, and each lesson by rules of its own (tests/observer).
"""

from __future__ import annotations

import time
from pathlib import Path

from remora import Memory
from tests.app.talks import contents, opened, talk


def test_a_long_conversation_is_extracted_in_time(bare: Memory) -> None:
    """Their bound: 250,000 characters without a model in less than two seconds."""
    session = bare.session("cli:long")
    session.extend(
        [{"role": ("user", "assistant")[n % 2], "content": f"We fixed it. {n} " * 60} for n in range(250)]
    )
    assert sum(len(m.content) for m in session.history()) > 240_000
    began = time.process_time()
    done = session.compact(2)
    assert done.removed > 200
    assert time.process_time() - began < 2.0


def test_an_unknown_session_is_not_compacted(bare: Memory) -> None:
    """Their answer is -1; here an unknown session is an empty one, so 0 are removed and no file is made."""
    done = bare.session("nobody").compact(3)
    assert (done.removed, done.kept, done.how) == (0, 0, "nothing")
    assert bare.sessions() == []


def test_a_session_that_is_only_on_disk_is_compacted(tmp_path: Path) -> None:
    """Their code does nothing to a session that is not cached; here 7 of 10 go, whoever loaded it."""
    (tmp_path / "shop").mkdir()
    with opened(tmp_path) as memory:
        memory.session("cli:42").extend(talk(10, first=0, text="msg"))
    with opened(tmp_path) as memory:
        session = memory.session("cli:42")
        assert session.compact(3).removed == 7
        assert contents(session)[1:] == ["msg 7", "msg 8", "msg 9"]
        assert len(session.history()) == 10
