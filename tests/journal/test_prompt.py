"""The prompt of a consolidation: its lines, its order, its bounds."""

from __future__ import annotations

import pytest

from remora.core.payloads import PAYLOADS
from remora.core.values import MEMORY_TYPES, Message
from remora.journal.prompt import (
    FACT_TYPES,
    MOST_CHARS,
    SCHEMA,
    build_prompt,
    conversation,
    conversation_line,
)
from tests.conversation.compaction import calls
from tests.journal.made import NOW, call, talk

LIMIT = 8192


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Message(1, "user", "hello", time=NOW), "[2026-02-27T14:30] USER: hello"),
        (Message(1, "user", "hello"), "[?] USER: hello"),
        (call("grep", "Let me see."), "[2026-02-27T14:30] ASSISTANT [tools: grep]: Let me see."),
        (calls(1, "a", "b", content="a\nb"), "[?] ASSISTANT [tools: a, b]: a\nb"),
        (Message(1, "Ann", "hi", time=NOW, time_text="8 May, 2023"), "[8 May, 2023] ANN: hi"),
    ],
)
def test_a_line(message, line):
    """Time to the minute, the role in capitals, the tools, the content."""
    assert conversation_line(message, 80) == line


def test_the_order_of_the_prompt():
    """Role and keys, history entry, update, memory, conversation, note on the size, JSON alone."""
    prompt = build_prompt("- RS256 " + "x" * LIMIT, talk(2), LIMIT)[0]
    marks = [
        '1. "history_entry": two to five sentences',
        '2. "memory_update": the whole long-term memory',
        '3. "facts" (leave it out if there are none)',
        "## Current Long-term Memory\n\n- RS256",
        "## Conversation to Process\n\n[2026-02-25T06:14] USER: message 1\n[2026-02-25T06:15] ASSISTANT",
        "has 8200 bytes and may have 8192",
        "Answer with the JSON object alone, without a code fence.",
    ]
    places = [prompt.find(mark) for mark in marks]
    assert -1 not in places
    assert places == sorted(places)
    assert prompt.endswith(marks[-1])
    exact = "é" * (LIMIT // 2)  # the limit counts in bytes, and is not over itself
    assert "Shorten it" not in build_prompt(exact, talk(2), LIMIT)[0]
    assert "has 8193 bytes and may have 8192" in build_prompt(exact + "x", talk(2), LIMIT)[0]


def test_facts_are_an_optional_third_key():
    """The schema allows them and does not require them; their types are ones that words can tell."""
    assert SCHEMA["required"] == ["history_entry", "memory_update"]
    assert list(SCHEMA["properties"]) == ["history_entry", "memory_update", "facts"]
    assert set(FACT_TYPES) <= set(MEMORY_TYPES)
    assert set(FACT_TYPES) & set(PAYLOADS) == {"dead_end"}
    assert '"gotcha", "decision"' in build_prompt("", talk(2), LIMIT)[0]


def test_text_in_braces_stays_text():
    """A conversation that holds a variable of the prompt is shown as it is."""
    prompt = build_prompt("{{conversation}}", [Message(1, "user", "{{memory}}")], LIMIT)
    assert "\n{{conversation}}\n" in prompt[0]
    assert "USER: {{memory}}" in prompt[0]


def test_a_long_message_is_cut_in_its_middle():
    """Long messages lose of their middle, too many messages theirs, and the prompt's notes say so."""
    long = "BEGIN " + "x" * 300_000 + " END"
    said, notes = conversation([Message(1, "tool", long), *talk(3, first=2)])
    assert len(said) < MOST_CHARS + 500
    for part in ("TOOL: BEGIN xx", "xx END\n", "characters …]", "message 4"):
        assert part in said
    assert notes == ("messages that were shown to the model in part: 1",)
    said, notes = conversation(talk(2000, text="x" * 300))
    lines = said.split("\n")
    assert len(said) < 2 * MOST_CHARS
    assert len(lines) == 501
    assert lines[250] == "[… 1500 messages …]"
    assert lines[-1].endswith(" 2000")
    assert notes[1] == "messages that were not shown to the model: 1500, of the middle"
