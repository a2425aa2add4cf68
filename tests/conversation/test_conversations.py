"""Several conversations by their ids."""

from __future__ import annotations

import threading
from pathlib import Path

from remora.conversation.conversations import Conversations
from remora.conversation.memory import MessageMemory
from remora.core.clock import FixedClock


def say(memory: MessageMemory, text: str) -> None:
    """Let the user say something."""
    memory.add({"role": "user", "content": text})


def test_each_id_has_its_own_memory():
    """Conversations do not mix; an id gives the same memory every time until it is closed."""
    conversations = Conversations()
    say(conversations.get("a"), "red")
    say(conversations.get("b"), "blue")
    assert [message.content for message in conversations.get("a").get_all()] == ["red"]
    assert conversations.get("a") is conversations.get("a")
    assert (conversations.ids(), len(conversations), "a" in conversations) == (["a", "b"], 2, True)
    assert conversations.close("a")
    assert not conversations.close("a")
    assert (conversations.ids(), conversations.get("a").count()) == (["b"], 0)


def test_conversations_in_a_folder(tmp_path: Path):
    """What was said is in the folder's logs; closing a memory leaves it there."""
    conversations = Conversations.in_folder(tmp_path, FixedClock(), counter="chars/4")
    say(conversations.get("cli:1"), "red")
    say(conversations.get("cli:2"), "blue")
    assert conversations.close("cli:1")
    again = Conversations.in_folder(tmp_path, FixedClock())
    assert again.ids() == conversations.ids() == ["cli:1", "cli:2"]
    assert [message.content for message in again.get("cli:1").get_all()] == ["red"]
    assert "cli:3" not in again


def test_find_in_all():
    """A search goes over all conversations, the best first, and says where a message is from."""
    conversations = Conversations()
    say(conversations.get("a"), "the pool is large")
    say(conversations.get("b"), "nothing here")
    say(conversations.get("b"), "the size of the pool, as the pool has it")
    found = conversations.find("pool size")
    assert [(hit.id, hit.found.place) for hit in found] == [("b", 1), ("a", 0)]
    assert conversations.find("pool", limit=1)[0].id in ("a", "b")
    assert conversations.find("pool", limit=0) == []


def test_threads_get_one_memory():
    """Threads that ask for a new id at once get the same memory."""
    conversations = Conversations()
    threads = [threading.Thread(target=lambda n=n: say(conversations.get("x"), str(n))) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert conversations.get("x").count() == 50
