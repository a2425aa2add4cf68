"""Several conversations by their ids."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from remora.conversation.conversations import Conversations
from remora.core.clock import FixedClock
from tests.conversation.logs import texts, user


def say(conversations: Conversations, session: str, *said: str) -> None:
    """Let the user say something in a conversation."""
    conversations.get(session).add_many([user(text) for text in said])


def test_each_id_has_its_own_memory():
    """Conversations do not mix; an id gives the same memory every time until it is closed."""
    conversations = Conversations()
    say(conversations, "a", "red")
    say(conversations, "b", "blue")
    assert texts(conversations.get("a").get_all()) == ["red"]
    assert conversations.get("a") is conversations.get("a")
    assert (conversations.ids(), len(conversations), "a" in conversations) == (["a", "b"], 2, True)
    assert conversations.close("a")
    assert not conversations.close("a")
    assert (conversations.ids(), conversations.get("a").count()) == (["b"], 0)


def test_conversations_in_a_folder(tmp_path: Path):
    """What was said is in the folder's logs; closing a memory leaves it there."""
    conversations = Conversations.in_folder(tmp_path, FixedClock(), counter="chars/4")
    say(conversations, "cli:1", "red")
    say(conversations, "cli:2", "blue")
    assert conversations.close("cli:1")
    again = Conversations.in_folder(tmp_path, FixedClock())
    assert again.ids() == conversations.ids() == ["cli:1", "cli:2"]
    assert texts(again.get("cli:1").get_all()) == ["red"]
    assert "cli:3" not in again


def test_find_in_all():
    """A search goes over all conversations, the best first, and says where a message is from."""
    conversations = Conversations()
    say(conversations, "a", "the pool is large")
    say(conversations, "b", "nothing here", "the size of the pool, as the pool has it")
    found = conversations.find("pool size")
    assert [(hit.id, hit.found.place) for hit in found] == [("b", 1), ("a", 0)]
    assert conversations.find("pool", limit=1)[0].id in ("a", "b")
    assert conversations.find("pool", limit=0) == []


def test_threads_get_one_memory():
    """Threads that ask for a new id at once get the same memory."""
    conversations = Conversations()
    with ThreadPoolExecutor(50) as threads:
        list(threads.map(lambda n: say(conversations, "x", str(n)), range(50)))
    assert conversations.get("x").count() == 50
