"""Conformance cases of documents 000, 001 and 004 that only the whole application can answer.

The others are in tests/journal/test_conformance.py, tests/conversation/test_compaction_conformance.py and
tests/conversation/test_budget.py, with what we do otherwise.

Where we differ from the "Memory V2" of document 001: its items are read when somebody moves in
(tests/sources/others/test_golem_items.py), and are memories from then on. So there is no lookback that could
be set wrong (3 days become 5, 999 become 92): search looks at everything. The budget of a block is a number
of tokens and not two that must fit (-10 and 100 become 1,800 twice there): see test_recall.py. One turn with
all its triggers makes four items there; here a session is learned whole, and each lesson by rules of its own
(tests/observer).
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remora import Memory
from remora.app.records.compaction import Compaction
from tests.app.conftest import Opens
from tests.app.talks import contents, history, markers, memory_of, talk
from tests.journal.made import answer

ASKED = "你还记得我们之前决定的 pre-trim memory flush 吗？"


@pytest.fixture
def told(bare: Memory) -> Memory:
    """A memory with the preference and the decision that the cases ask for."""
    bare.journal.write(
        "# Preferences\n\nUser prefers Feishu webhook mode for alerts.\n\n# Project\n\nA shop."
    )
    bare.journal.add_history("They bought a parrot.")
    bare.journal.add_history("We decided on the pre-trim memory flush before every trim.")
    return bare


def test_a_question_recalls_the_history(told: Memory) -> None:
    """Asked half in Chinese, the decision is the first hit, in the file of its month, and is recalled."""
    first = told.search(ASKED)[0]
    assert (first.source, Path(first.path or "").name) == ("history", "HISTORY-2026-03.md")
    assert first.text == "We decided on the pre-trim memory flush before every trim."
    assert first.text in told.journal.block(ASKED)
    assert told.search("zyxqwv") == []


def test_the_mark_outlives_the_process_and_a_clear(opens: Opens) -> None:
    """A clear sets their marker to 0; ours stays, for messages go on counting and none is told twice."""
    with opens() as memory:
        memory.session("cli:42").extend(talk(6))
        memory.journal.consolidate("cli:42")
    with opens() as memory:
        session = memory.session("cli:42")
        assert memory.journal.consolidate("cli:42")[0].how == "nothing"
        session.clear()
        session.extend(talk(2, first=7))
        (told,) = memory.journal.consolidate("cli:42")
        assert (told.messages, [m["upTo"] for m in markers(session, "consolidated")]) == (2, [6, 8])


def test_new_waits_for_the_consolidation_in_flight(tmp_path: Path) -> None:
    """It calls no model meanwhile, then archives only what was said since, and empties the context."""
    asked, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def slow(_: object) -> str:
        order.append("first asked")
        asked.set()
        assert go_on.wait(10)
        order.append("first answered")
        return answer("Six messages.")

    def second(_: object) -> str:
        order.append("second asked")
        return answer("Two more.")

    memory, _ = memory_of(tmp_path, slow, second)
    with memory, ThreadPoolExecutor(2) as pool:
        session = memory.session("cli:42")
        session.extend(talk(6))
        pool.submit(memory.journal.consolidate, "cli:42")
        assert asked.wait(10)
        session.extend(talk(2, first=7))
        new = pool.submit(session.new)
        time.sleep(0.3)
        assert (new.done(), session.count(), order) == (False, 8, ["first asked"])
        go_on.set()
        assert (new.result(10).messages, contents(session)) == (2, [])
        assert order == ["first asked", "first answered", "second asked"]
        assert history(memory) == ["Six messages.", "Two more."]


# Document 001: sessions that nobody knows, or that are not in memory


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


# Document 004's successor, where the number of messages decides


def shortened(
    opens: Opens, count: int, size: int, limit: int, project: str = "shop"
) -> tuple[Compaction | None, list[str], int]:
    """Say so many messages of a size; return what shortening them did, the context and how many were said."""
    with opens(project) as memory:
        session = memory.session("cli:42")
        session.extend({"role": "user", "content": f"{n}" + "x" * size} for n in range(count))
        done = session.compact_if_needed(limit)
        return done, contents(session), len(session.history())


def test_three_messages_over_the_limit(opens: Opens) -> None:
    """Theirs waits for a fourth message; ours shortens, for the next request would not fit the model."""
    done, context, said = shortened(opens, 3, 100_000, 50_000)
    assert done is not None
    assert 1 <= done.removed <= 2
    assert context[0].startswith("[Conversation summary]")
    assert context[-1].startswith("2x")
    assert said == 3


@pytest.mark.parametrize("limit", [0, -1])
def test_a_maximum_that_is_none(opens: Opens, limit: int) -> None:
    """Theirs never fires at 0 or less; here that means "not known", so the setting decides: at 50,000."""
    small, *_ = shortened(opens, 6, 1_000, limit)
    assert small is None
    large, context, said = shortened(opens, 6, 100_000, limit, "another")
    assert large is not None
    assert (context[-1][:2], said) == ("5x", 6)
