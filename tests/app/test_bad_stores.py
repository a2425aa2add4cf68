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


@pytest.fixture(params=["words", "vectors"])
def memory(request: pytest.FixtureRequest) -> Memory:
    """A memory of a folder, without a model and with one."""
    found: Memory = request.getfixturevalue({"words": "bare", "vectors": "able"}[request.param])
    return found


def test_a_full_disk_refuses_and_keeps(memory: Memory) -> None:
    """What does not fit is refused with advice, nothing of it stays, and all else is read as before."""
    kept = memory.remember(SAID, type="decision")
    memory.session("cli:1").append("user", "Is the refresh in the gateway?")
    assert texts(memory.search("gateway refresh")) != []
    before = rows(memory)
    db = memory._project.db.connection
    limit = db.value("PRAGMA max_page_count")
    db.rows(f"PRAGMA max_page_count = {db.value('PRAGMA page_count')}")
    for _ in range(2):
        with pytest.raises(StoreFull, match="no space left") as caught:
            memory.remember(LONG)
        assert caught.value.hint.endswith("nothing stored before is lost.")
        assert caught.value.retryable
    with pytest.raises(StoreFull):
        memory.remember_many([MemoryDraft("Builds run on Mondays"), MemoryDraft(LONG)])
    with pytest.raises(StoreFull):
        memory.remember_each([{"content": "Builds run on Mondays"}, {"content": LONG}])
    assert rows(memory) == before
    assert memory.show(kept.id).content == SAID
    assert texts(memory.search("how long do tokens live", kinds=["memory"])) == [SAID]
    assert texts(memory.search("gateway", kinds=["turn"])) == ["Is the refresh in the gateway?"]
    assert memory.context("how long do access tokens live").hits != ()
    db.rows(f"PRAGMA max_page_count = {limit}")
    assert db.check() == []
    assert memory.remember(LONG).receipt is not None
    assert len(memory.list()) == 2


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
