"""The cases of document 001 for sessions that nobody knows, or that are not in memory.

The others are in tests/journal/test_conformance.py and tests/conversation/test_compaction_conformance.py.
"""

from __future__ import annotations

from pathlib import Path

from remora import Memory
from tests.app.talks import contents, opened, talk


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
