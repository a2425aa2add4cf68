"""A conversation memory over a session's log: the same behaviour, durable, and nothing ever deleted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.conversation.flatten import FLATTENED_TO
from remora.conversation.memory import ConversationMemory
from remora.conversation.persistent import NO_SUMMARY, PersistentMemory
from remora.conversation.strategies import STRATEGIES
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput
from remora.core.values import Message, ToolCall
from tests.conversation.logs import start
from tests.processes import output_of

HEAD = "[Conversation summary]\n"


def memory_in(folder: Path, **options: Any) -> PersistentMemory:
    """Return the memory of the session `cli:42`; every message of 40 characters is 10 tokens."""
    options.setdefault("counter", "floor-bytes/4")
    return PersistentMemory.open(folder, "cli:42", FixedClock(), **options)


def long(text: str, role: str = "user") -> dict[str, str]:
    """Return a message of 40 characters."""
    return {"role": role, "content": text.ljust(40, ".")}


def filled(folder: Path, **options: Any) -> PersistentMemory:
    """Return a memory of a system message and ten others."""
    memory = memory_in(folder, **options)
    memory.add(long("sys", "system"))
    memory.add_many([long(str(n), ("user", "assistant")[n % 2]) for n in range(10)])
    return memory


def texts(messages: Sequence[Message]) -> list[str]:
    """Return what was said, without dots and heads."""
    return [message.content.rstrip(".").removeprefix(HEAD) for message in messages]


def test_pruning_moves_the_boundary(tmp_path: Path):
    """Pruning keeps the system message and the newest, for every object; the log keeps everything."""
    memory = filled(tmp_path)
    memory.add(None)
    assert memory_in(tmp_path).get_all() == memory.get_all()
    history = memory.log.history()
    pruned = memory.prune(40)
    assert (texts(pruned.kept), texts(pruned.dropped)) == (["sys", *"789"], [*"0123456"])
    assert (pruned.tokens, pruned.fits) == (40, True)
    assert memory.get_all() == memory_in(tmp_path).get_all() == list(pruned.kept)
    assert memory.log.history() == history
    # a program that knows nothing of pruning sees that something is missing
    assert texts(memory.log.messages()) == [NO_SUMMARY.rstrip("."), *"789"]
    memory.add(long("new"))
    assert texts(memory.get_all()) == ["sys", *"789", "new"]
    memory.clear()
    assert (memory.get_all(), memory.count(), memory.log.total()) == ([], 0, 12)
    memory.clear()


def test_late_system_messages(tmp_path: Path):
    """A pruning moves the system messages of its time to the front; later ones stay where they are said."""
    memory = filled(tmp_path)
    memory.add(long("rule", "system"))
    memory.add(long("10"))
    assert texts(memory.prune(40).kept) == texts(memory.get_all()) == ["sys", "rule", "9", "10"]
    memory.add_many([long("11"), long("more", "system")])
    assert texts(memory.get_all()) == ["sys", "rule", "9", "10", "11", "more"]


def test_a_summary_where_the_boundary_stays(tmp_path: Path):
    """A summary of what was kept from before the boundary is in the context too."""
    answers = iter(["what was said", "all that was said"])
    memory = memory_in(tmp_path, summarise=lambda _messages: next(answers), summary_tokens=20)
    memory.add(long("sys", "system"))
    memory.add(long("we decided to use SQLite"))
    memory.add_many([long(str(n), ("assistant", "user")[n % 2]) for n in range(8)])
    kept = ["sys", "what was said", "we decided to use SQLite", *"13567"]
    assert texts(memory.prune(90, "importance").kept) == texts(memory.get_all()) == kept
    kept = ["sys", "all that was said", *"3567"]
    assert texts(memory.prune(75).kept) == texts(memory.get_all()) == kept
    assert texts(memory_in(tmp_path).get_all()) == kept


def test_after_a_compaction(tmp_path: Path):
    """A compaction's summary is a system message that stays, and its flattened calls stay flattened."""
    memory = memory_in(tmp_path)
    asked = Message(0, "assistant", "look", tool_calls=(ToolCall("1", "ls", {}),))
    found = Message(0, "tool", "a.py", tool_call_id="1", tool_name="ls")
    memory.add_many([long("0"), asked, found, long("3"), long("4", "assistant")])
    memory.log.compact("what was said", 2, details={FLATTENED_TO: 5})
    flat = "look\n[Tool: ls | Args: {}]\n[Result: a.py]"
    assert texts(memory.get_all()) == ["what was said", flat, "3", "4"]
    memory.add(long("5"))
    pruned = memory.prune(45, STRATEGIES["window"])
    assert texts(pruned.kept) == texts(memory.get_all()) == ["what was said", "3", "4", "5"]
    assert memory.log.messages()[0].content == HEAD + "what was said"


def test_a_boundary_moved_by_others(tmp_path: Path):
    """Whoever was faster wins: a pruning whose summary came too late changes nothing and says so."""

    def slow(_messages: Sequence[Message]) -> str:
        memory_in(tmp_path).clear()
        return "too late"

    memory = filled(tmp_path, summarise=slow, summary_tokens=20)
    with pytest.raises(Conflict, match="working context begins"):
        memory.prune(100)
    assert memory.get_all() == []


def test_processes_that_prune_at_once(tmp_path: Path):
    """Each sees what the one before it left: no budget is broken, no summary lost, and no one is refused."""
    memory = filled(tmp_path)
    memory.add_many([long(str(n)) for n in range(10, 60)])
    script = """
        from remora.conversation.persistent import PersistentMemory
        import time

        def told(messages):
            time.sleep(0.05)  # as a model would: the others come in between
            said = 0  # a bit for each message
            for text in (m.content.strip(".").removeprefix("[Conversation summary]") for m in messages):
                said |= int(text, 16) if "x" in text else 1 << int(text)
            return hex(said)

        memory = PersistentMemory(log, counter="floor-bytes/4", summarise=told)
        pruned = [memory.prune(budget, {strategy!r}) for budget in {budgets}]
        print(*(p.tokens for p in pruned if not p.fits))
        """
    pruning = [
        start(script.replace("{budgets}", str(budgets)).replace("{strategy!r}", repr(strategy)), tmp_path)
        for budgets in ([600, 300, 120], [500, 200, 130])
        for strategy in ("importance", "recency")
    ]
    assert [output_of(process) for process in pruning] == [""] * 4
    memory = memory_in(tmp_path)
    assert memory.tokens() <= 120
    front, summary, *rest = texts(memory.get_all())
    assert front == "sys"
    assert int(summary, 16) + sum(1 << int(one) for one in rest) == (1 << 60) - 1


def test_processes_that_tag_at_once(tmp_path: Path):
    """Tags are joined: none that was acknowledged is lost."""
    filled(tmp_path)
    script = """
        from remora.conversation.persistent import PersistentMemory

        memory = PersistentMemory(log)
        assert [memory.tag(place, "{name}") for _ in range(2) for place in range(11)] == [1] * 11 + [0] * 11
        """
    for process in [start(script.replace("{name}", name), tmp_path) for name in "abcd"]:
        assert output_of(process) == ""
    for message in memory_in(tmp_path).get_all():
        assert sorted((message.metadata or {})["tags"]) == list("abcd")


def test_tags(tmp_path: Path):
    """Tags are in the session's metadata, so they outlive the object and the pruning."""
    memory = filled(tmp_path)
    assert memory.tag(1, "first", "word") == 1
    assert memory.tag(lambda message: message.content.startswith("9"), "last") == 1
    assert memory.tag(1, "first") == 0
    again = memory_in(tmp_path)
    assert texts(again.by_tag("first")) == ["0"]
    again.prune(30)
    assert texts(again.by_tag("last")) == ["9"]
    assert again.get_all()[-1].metadata == {"tags": ["last"]}
    assert again.by_tag("first") == []
    with pytest.raises(InvalidInput):
        again.tag(99, "t")


def test_what_a_hand_wrote_into_the_record(tmp_path: Path):
    """Nonsense in a marker's record or the metadata leaves the rest readable."""
    memory = filled(tmp_path)
    memory.log.compact("s", 9, details={"pruned": {"kept": ["x", [1]], "upTo": None, "summary": 1}})
    assert texts(memory.get_all()) == ["s", "7", "8", "9"]
    memory.log.update_metadata({"messageTags": {"9": "t", "10": [1, "u"]}})
    assert texts(memory.get_all()) == ["s", "7", "8", "9"]
    assert texts(memory.by_tag("u")) == ["8"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["system", "user", "assistant"]), st.integers(0, 9)),
        st.tuples(st.just("call"), st.just(""), st.integers(0, 2)),
        st.tuples(st.just("prune"), st.sampled_from(sorted(STRATEGIES)), st.integers(1, 12)),
        st.just(("clear", "", 0)),
    ),
    max_size=14,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.booleans())
def test_it_is_what_a_memory_in_memory_is(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]], summaries: bool
):
    """Whatever is added, pruned and cleared, both memories hold the same, but for the place of late rules."""
    summarise = (lambda messages: f"{len(messages)} of them") if summaries else None
    options: dict[str, Any] = {"counter": "chars/4", "summarise": summarise, "summary_tokens": 30}
    kept = memory_in(tmp_path_factory.mktemp("log"), **options)
    held = ConversationMemory(**options)
    said = 0
    for step, name, number in steps:
        new: list[Message] = []
        if step == "add":
            new = [Message(0, name, ("we decided " if number > 7 else f"{said} ") + "x" * number * 8)]
        elif step == "call":
            call = Message(0, "assistant", "c", tool_calls=(ToolCall(str(number), "ls"),))
            new = [call, Message(0, "tool", "r" * 9, tool_call_id=str(number))]
        elif step == "prune":
            first, second = kept.prune(number * 20, name), held.prune(number * 20, name)
            assert (first.tokens, first.fits, first.note) == (second.tokens, second.fits, second.note)
            assert texts(first.kept) == texts(second.kept)
            assert texts(first.dropped) == texts(second.dropped)
        else:
            kept.clear()
            held.clear()
        kept.add_many(new)
        held.add_many(new)
        said += len(new)
        assert sorted(texts(kept.get_all())) == sorted(texts(held.get_all()))
    assert kept.log.total() == said
