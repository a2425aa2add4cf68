"""Conformance cases of document 000 that only the whole application can answer: recall, the mark, `/new`.

The others are in tests/journal/test_conformance.py, with what we do otherwise.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from remora.llm.scripted import ScriptedModel
from tests.app.talks import contents, history, markers, opened, talk
from tests.helpers import environment
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


def test_a_phrase_of_the_memory_is_the_first_hit(told: Memory) -> None:
    """The first hit is of MEMORY.md and has the phrase; after a rewrite the new text is found at once."""
    first = told.search("Feishu webhook preference")[0]
    assert (first.source, Path(first.path or "").name) == ("longterm", "MEMORY.md")
    assert "User prefers Feishu webhook mode" in first.text
    told.journal.write("User prefers Slack threads.")
    assert told.search("Slack threads")[0].text == "User prefers Slack threads."
    assert [hit for hit in told.search("Feishu webhook") if "Feishu" in hit.text] == []


def test_a_question_in_two_languages_recalls_the_history(told: Memory) -> None:
    """Asked half in Chinese, the decision is the first hit, in the file of its month, and is recalled."""
    first = told.search(ASKED)[0]
    assert (first.source, Path(first.path or "").name) == ("history", "HISTORY-2026-03.md")
    assert first.text == "We decided on the pre-trim memory flush before every trim."
    assert first.text in told.journal.block(ASKED)


def test_a_question_recalls_the_history_unasked(told: Memory) -> None:
    """In one language the decision is in the block for the task too, with the name of its file."""
    block = told.journal.block("Do you remember the pre-trim memory flush that we decided on?")
    assert "We decided on the pre-trim memory flush before every trim." in block
    assert "HISTORY-2026-03.md" in block


def test_an_unknown_word_has_no_hit(told: Memory) -> None:
    """A new entry and a line of MEMORY.md are no hits for a word that neither has."""
    assert told.search("zyxqwv") == []


def test_a_hit_names_what_opens_it(told: Memory) -> None:
    """Their memory_get takes the id of a hit; here id, path and lines lead to the whole text in the file."""
    hits = told.search("pre-trim flush webhook", kinds=["history", "longterm"])
    assert {hit.source for hit in hits} == {"history", "longterm"}
    for hit in hits:
        path = Path(hit.path or "")
        assert hit.id == f"{path.name}:{hit.start_line}-{hit.end_line}"
        lines = path.read_text("utf-8").split("\n")[(hit.start_line or 0) - 1 : hit.end_line]
        assert "\n".join(lines).endswith(hit.text)


def test_the_mark_outlives_the_process_and_a_clear(tmp_path: Path) -> None:
    """A clear sets their marker to 0; ours stays, for messages go on counting and none is told twice."""
    (tmp_path / "shop").mkdir()
    with opened(tmp_path) as memory:
        memory.session("cli:42").extend(talk(6))
        memory.journal.consolidate("cli:42")
    with opened(tmp_path) as memory:
        session = memory.session("cli:42")
        assert memory.journal.consolidate("cli:42")[0].how == "nothing"
        session.clear()
        session.extend(talk(2, first=7))
        (told,) = memory.journal.consolidate("cli:42")
        assert (told.messages, [m["upTo"] for m in markers(session, "consolidated")]) == (2, [6, 8])


def test_new_waits_for_the_consolidation_in_flight(tmp_path: Path) -> None:
    """It calls no model meanwhile, then archives only what was said since, and empties the context."""
    (tmp_path / "shop").mkdir()
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

    memory = Memory.open(
        tmp_path / "shop",
        environ=environment(tmp_path),
        llm=ScriptedModel([slow, second]),
        clock=FixedClock("2026-03-01T12:00:00Z"),
    )
    with memory:
        session = memory.session("cli:42")
        session.extend(talk(6))
        first = threading.Thread(target=memory.journal.consolidate, args=("cli:42",))
        first.start()
        assert asked.wait(10)
        session.extend(talk(2, first=7))
        counts: list[int] = []
        new = threading.Thread(target=lambda: counts.append(session.new().messages))
        new.start()
        new.join(0.3)
        assert (new.is_alive(), session.count(), order) == (True, 8, ["first asked"])
        go_on.set()
        first.join(10)
        new.join(10)
        assert order == ["first asked", "first answered", "second asked"]
        assert (counts, contents(session)) == ([2], [])
        assert history(memory) == ["Six messages.", "Two more."]
