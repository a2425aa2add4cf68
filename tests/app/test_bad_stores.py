"""A memory whose disk is full: a clear error, nothing is lost."""

from __future__ import annotations

import sys

import pytest

from remora import Memory, MemoryDraft
from remora.core.errors import StoreFull
from tests.app.conftest import Opens
from tests.helpers import files, no_file_above, rows, texts

SAID = "Access tokens expire after 24 h"
LONG = " ".join(f"word{n}" for n in range(2_000))


def test_a_full_disk_refuses_and_keeps(able: Memory) -> None:
    """What does not fit is refused with advice, nothing of it stays, and all else is read as before."""
    kept = able.remember(SAID, type="decision")
    able.session("cli:1").append("user", "Is the refresh in the gateway?")
    assert texts(able.search("gateway refresh")) != []
    before = rows(able)
    db = able._project.db.connection
    limit = db.value("PRAGMA max_page_count")
    db.rows(f"PRAGMA max_page_count = {db.value('PRAGMA page_count')}")
    for _ in range(2):
        with pytest.raises(StoreFull, match="no space left") as caught:
            able.remember(LONG)
        assert caught.value.hint.endswith("nothing stored before is lost.")
        assert caught.value.retryable
    with pytest.raises(StoreFull):
        able.remember_many([MemoryDraft("Builds run on Mondays"), MemoryDraft(LONG)])
    with pytest.raises(StoreFull):
        able.remember_each([{"content": "Builds run on Mondays"}, {"content": LONG}])
    assert rows(able) == before
    assert able.show(kept.id).content == SAID
    assert texts(able.search("how long do tokens live", kinds=["memory"])) == [SAID]
    assert texts(able.search("gateway", kinds=["turn"])) == ["Is the refresh in the gateway?"]
    assert able.context("how long do access tokens live").hits != ()
    db.rows(f"PRAGMA max_page_count = {limit}")
    assert db.check() == []
    assert able.remember(LONG).receipt is not None
    assert len(able.list()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_disk_that_is_full_before_it_is_opened(opens: Opens) -> None:
    """Without room for what SQLite keeps beside a database it is not written, and can still be read."""
    with opens() as memory:
        memory.remember(SAID)
    before = files(memory.home)
    with no_file_above(1_000):
        with pytest.raises(StoreFull, match="no space left") as caught:
            opens()
        assert "disk space" in caught.value.hint
        with opens(read_only=True) as memory:
            assert texts(memory.search("how long do tokens live")) == [SAID]
    assert before.items() <= files(memory.home).items()
    with opens() as memory:
        memory.remember("Builds run on Mondays")
        assert len(memory.list()) == 2
