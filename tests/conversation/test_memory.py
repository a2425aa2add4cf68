"""The conversation memory: the conformance cases of document 004, and what it promises beyond them.

Where we differ from the code of 004, each beside its test:

- Its system messages that alone exceed the budget, or meet it exactly, are reduced to the last one. The
  document keeps them all, and so do we; the result says that they do not fit.
- Where they meet the budget exactly, messages that count as 0 tokens still fit.
- Copies are deep: its callers share the messages themselves.

Cases listed for 004 that are not about this document but about what replaced its code:

- The threshold (80 % of a maximum, at least 4 messages, the older half summarised): here the caller names
  a budget, and what starts by itself is the compaction of document 001.
- Two rounds leave two summary blocks there. Here the second takes in the first, so that there is one
  (test_pruning.py).
- Front matter and chains of long-term files: an importer reads those files.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import pytest

from remora.conversation.memory import ConversationMemory
from remora.conversation.strategies import window
from remora.core.errors import InvalidInput
from remora.core.values import Message, ToolCall


def memory_of(*messages: tuple[str, str], **options: Any) -> ConversationMemory:
    """Return a memory that counts as document 004 does."""
    options.setdefault("counter", "floor-bytes/4")
    return ConversationMemory([Message(0, role, content) for role, content in messages], **options)


def five() -> ConversationMemory:
    """Return the list of 004's test: a system message of 3 tokens, then 1, 2, 3 and 4."""
    return memory_of(
        ("system", "You are helpful"),
        ("user", "Hello"),
        ("assistant", "Hi there!"),
        ("user", "How are you?"),
        ("assistant", "I'm doing great!"),
    )


def numbered() -> ConversationMemory:
    """Return a memory of the messages 1 to 5."""
    return memory_of(*(("user", str(n)) for n in range(1, 6)))


def texts(messages: Any) -> list[str]:
    """Return what was said, without who."""
    return [message.content for message in messages]


@pytest.mark.parametrize(("n", "recent"), [(2, "45"), (10, "12345"), (0, ""), (-1, ""), (5, "12345")])
def test_get_recent(n: int, recent: str):
    """The last messages come, oldest first; more than there are gives all, 0 and less none."""
    assert texts(numbered().get_recent(n)) == list(recent)


@pytest.mark.parametrize("budget", [0, -1])
def test_prune_without_a_budget(budget: int):
    """A budget that is not positive is refused, also by an empty memory, and nothing changes."""
    for memory in (five(), memory_of()):
        before = memory.get_all()
        with pytest.raises(InvalidInput, match=r"^max_tokens must be positive$"):
            memory.prune(budget)
        assert memory.get_all() == before


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("prune", ["50"]),
        ("prune", [True]),
        ("prune", [2.5]),
        ("get_recent", ["3"]),
        ("get_by_role", [3]),
        ("find", [None]),
        ("tag", [None, "x"]),
        ("by_tag", [None]),
    ],
)
def test_arguments_of_a_wrong_type(method: str, arguments: list[Any]):
    """They are refused by name, and nothing changes."""
    memory = five()
    before = memory.get_all()
    with pytest.raises(InvalidInput, match=r"^(max_tokens|n|role|query|which|tag) must be "):
        getattr(memory, method)(*arguments)
    assert memory.get_all() == before


@pytest.mark.parametrize(
    ("budget", "conversation"), [(50, 4), (13, 4), (12, 3), (10, 2), (7, 1), (6, 0), (4, 0), (3, 0)]
)
def test_prune_the_list_of_the_document(budget: int, conversation: int):
    """The system message and the newest that fit stay; at 3 the system message fits exactly and is alone."""
    memory = five()
    all_of_it = memory.get_all()
    pruned = memory.prune(budget)
    kept = all_of_it[:1] + all_of_it[5 - conversation :]
    assert memory.get_all() == list(pruned.kept) == kept
    assert list(pruned.dropped) == all_of_it[1 : 5 - conversation]
    assert (pruned.tokens, pruned.budget) == (memory.tokens(), budget)
    assert pruned.fits


@pytest.mark.parametrize(
    ("said", "budget", "kept", "fits"),
    [
        # two of 3 tokens for 5: 004's code keeps the second alone, we keep both as it documents
        (["s:first of two", "s:secondof two", "u:late"], 5, ["first of two", "secondof two"], False),
        # with 7 there is room for both and the latest message of 1 token
        (
            ["s:first of two", "s:secondof two", "u:old?", "u:late"],
            7,
            ["first of two", "secondof two", "late"],
            True,
        ),
        # 004's code keeps the last one alone when they fit exactly; here all stay, and what counts as 0
        (["s:1234", "s:5678", "u:more", "u:hi"], 2, ["1234", "5678", "hi"], True),
        # user, system, user becomes system, user, user, and system messages keep their order
        (["u:a", "s:b", "u:c", "s:d"], 100, ["b", "d", "a", "c"], True),
    ],
)
def test_system_messages(said: list[str], budget: int, kept: list[str], fits: bool):
    """They all stay, in front, whatever the budget; the result says whether they fit."""
    roles = {"s": "system", "u": "user"}
    memory = memory_of(*((roles[text[0]], text[2:]) for text in said))
    pruned = memory.prune(budget)
    assert texts(memory.get_all()) == kept
    assert pruned.fits is fits
    assert sorted(texts((*pruned.kept, *pruned.dropped))) == sorted(text[2:] for text in said)


def test_a_system_message_over_the_budget():
    """At 2 of 3 tokens the system message stays by itself, as in 004, and the note says so."""
    pruned = five().prune(2)
    assert texts(pruned.kept) == ["You are helpful"]
    assert (pruned.tokens, pruned.fits) == (3, False)
    assert pruned.note == "the system messages alone take 3 tokens of 2"


def test_threads_add_read_and_prune():
    """Batches added while others read and prune are never torn, and none is lost but by pruning."""
    memory = memory_of(("system", "stay"))
    dropped: list[Message] = []
    torn: list[str] = []
    done = threading.Event()

    def add(worker: int) -> None:
        for n in range(40):
            memory.add_many([Message(0, "user", f"{worker}.{n}.{part}") for part in "ab"])

    def look() -> None:
        while not done.is_set():
            said = texts(m for m in memory.get_all() if m.role == "user")
            torn.extend(x for x, y in pairwise(said) if x.endswith("a") and x[:-1] != y[:-1])

    def prune() -> None:
        while not done.is_set():
            dropped.extend(memory.prune(60).dropped)

    adders = [threading.Thread(target=add, args=(worker,)) for worker in range(4)]
    others = [threading.Thread(target=target) for target in (look, prune, prune)]
    for thread in (*adders, *others):
        thread.start()
    for thread in adders:
        thread.join()
    done.set()
    for thread in others:
        thread.join()
    left = texts(m for m in memory.get_all() if m.role == "user")
    assert torn == []
    assert len(dropped) + len(left) == 4 * 40 * 2
    assert set(texts(dropped)).isdisjoint(left)
    assert memory.get_all()[0].content == "stay"


def test_messages_are_copies():
    """Metadata and tool arguments can be changed outside, on the way in and out, without a change inside."""
    metadata, arguments = {"a": {"b": [1]}}, {"path": "x"}
    message = Message(0, "assistant", "m", metadata=metadata, tool_calls=(ToolCall("1", "read", arguments),))
    memory = ConversationMemory([message])
    metadata["a"]["b"].append(2)
    arguments["path"] = "y"
    pruned = memory.prune(1000)
    for out in (*memory.get_all(), *memory.get_recent(1), *pruned.kept, *memory.get_by_role("assistant")):
        assert out.metadata == {"a": {"b": [1]}}
        assert out.tool_calls[0].arguments == {"path": "x"}
        out.metadata["a"]["b"].append(3)
        out.tool_calls[0].arguments["path"] = "z"
    memory.tag(lambda m: bool(m.metadata.clear()) or True, "t")  # type: ignore[union-attr]
    assert memory.get_all()[0].metadata == {"a": {"b": [1]}, "tags": ["t"]}


def test_nothing_is_ignored():
    """None is no message, alone or among others."""
    memory = memory_of()
    memory.add(None)
    memory.add_many([None, Message(0, "user", "a"), None, Message(0, "user", "b")])
    assert texts(memory.get_all()) == ["a", "b"]


def test_mappings_are_messages():
    """A mapping becomes a message by the rules of the session log; a time is kept only if it was given."""
    memory = memory_of()
    memory.add(
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "name": "ls"}], "metadata": {"n": 1}}
    )
    memory.add({"role": "user", "content": "y", "time": "2026-01-01T10:00:00+02:00"})
    assert memory.get_all() == [
        Message(0, "assistant", "x", tool_calls=(ToolCall("1", "ls"),), metadata={"n": 1}),
        Message(0, "user", "y", time="2026-01-01T08:00:00.000Z"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "user"},
        {"role": " ", "content": "x"},
        {"role": "user", "content": "x", "name": "Ann"},
        Message(0, "", "x"),
        Message(0, "user", 3),  # type: ignore[arg-type]
        "hello",
    ],
)
def test_what_is_no_message(wrong: Any):
    """What is no message is refused, and nothing of its batch is added."""
    memory = memory_of()
    with pytest.raises(InvalidInput):
        memory.add_many([Message(0, "user", "fine"), wrong])
    assert memory.count() == 0


def test_one_message_is_not_a_list():
    """A single message given as a list is refused with the verb to use."""
    with pytest.raises(InvalidInput, match="must be a list") as caught:
        memory_of().add_many({"role": "user", "content": "x"})  # type: ignore[dict-item]
    assert caught.value.hint == "Use add for a single one."


def test_a_result_without_its_call_is_named():
    """A result whose call was never there stays where it fits, and the note says that it is alone."""
    memory = memory_of(("user", "a"))
    memory.add(Message(0, "tool", "r", tool_call_id="gone"))
    pruned = memory.prune(10)
    assert texts(pruned.kept) == ["a", "r"]
    assert pruned.note == "1 tool result stands without the call"


def test_not_even_the_latest_fits():
    """When the newest message is larger than the room the note says why nothing is left."""
    pruned = five().prune(6)
    assert (len(pruned.kept), pruned.fits, pruned.note) == (1, True, "the latest message does not fit")


def test_strategies_by_name():
    """The memory's strategy is used unless a call names another; an unknown one changes nothing."""
    memory = memory_of(*(("user", f"{n:04}") for n in range(6)), strategy=window(4))
    assert len(memory.prune(100).kept) == 4
    assert len(memory.prune(3, "recency").kept) == 3
    with pytest.raises(InvalidInput, match="'best'"):
        memory.prune(1, "best")
    with pytest.raises(InvalidInput, match="'best'"):
        memory_of(strategy="best")
    assert memory.count() == 3


def test_counter_by_name():
    """Tokens are counted by the counter that was named; an unknown one is refused."""
    assert memory_of(("user", "hello world"), counter="chars/4").tokens() == 3
    assert ConversationMemory([{"role": "user", "content": "hello world"}]).tokens() == 6
    with pytest.raises(InvalidInput, match="'words'"):
        ConversationMemory(counter="words")


def test_tags():
    """Messages are tagged by place or by a function, found by tag, and keep tags and other metadata."""
    memory = five()
    assert memory.tag(1, "greeting", "first") == 1
    assert memory.tag(-1, " mood ") == 1
    assert memory.tag(lambda message: message.role == "user", "greeting") == 1  # the other had it
    assert memory.tag(1, "greeting") == 0
    assert texts(memory.by_tag("greeting")) == ["Hello", "How are you?"]
    assert memory.get_all()[1].metadata == {"tags": ["greeting", "first"]}
    memory.prune(10)
    assert texts(memory.by_tag("greeting")) == ["How are you?"]
    assert texts(memory.by_tag("mood")) == ["I'm doing great!"]


@pytest.mark.parametrize(("which", "tags"), [(5, ("t",)), (-6, ("t",)), (0, ()), (0, (" ",)), (0, ("a", ""))])
def test_tags_that_cannot_be(which: int, tags: tuple[str, ...]):
    """No message at that place, no tag or a blank one is refused."""
    memory = five()
    with pytest.raises(InvalidInput):
        memory.tag(which, *tags)
    assert all(message.metadata is None for message in memory.get_all())
