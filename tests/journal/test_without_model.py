"""Entries that need no model."""

from __future__ import annotations

from remora.core.values import Message, ToolCall
from remora.journal.consolidate import extracted_entry, raw_fallback
from tests.journal.made import talk

TALK = [
    Message(0, "system", "[Conversation summary]\nWe must not forget this."),
    Message(
        1, "user", "How long do tokens live?\nSee auth/tokens.py please.", time="2026-02-27T14:30:00.000Z"
    ),
    Message(2, "assistant", "", tool_calls=(ToolCall("1", "read_file"), ToolCall("2", "read_file"))),
    Message(3, "tool", "TTL = 24 * 3600\nTypeError: bad operand"),
    Message(4, "assistant", "24 hours. We will use ES256 instead of RS256. auth/tokens.py sets it."),
    Message(5, "user", "Fine. Never log tokens!"),
    Message(6, "assistant", "Done: tests pass.", time="2026-02-27T14:41:00.000Z"),
]


def test_an_extracted_entry():
    """The time of the last message, requests, the last answer, files and tools; no result of a tool."""
    assert extracted_entry(TALK, "cli:42").split("\n") == [
        "[2026-02-27 14:41] 7 messages in cli:42, extracted without a model.",
        "Asked:",
        "- How long do tokens live? See auth/tokens.py please.",
        "- Fine. Never log tokens!",
        "Last answer:",
        "- Done: tests pass.",
        "Files: auth/tokens.py",
        "Tools: read_file ×2",
    ]


def test_the_raw_end():
    """The last ten messages with content, each on a line of its role and its first 200 characters."""
    messages = [*talk(20), Message(21, "tool", " "), Message(22, "Ann", "a\nb " + "x" * 300)]
    lines = raw_fallback(messages).split("\n")
    assert lines[0] == "[raw-fallback] Consolidation failed. Recent messages:"
    assert lines[1:10] == [f"{'user' if n % 2 else 'assistant'}: message {n}" for n in range(12, 21)]
    assert lines[10] == "Ann: a b " + "x" * 196
    assert len(lines) == 11
