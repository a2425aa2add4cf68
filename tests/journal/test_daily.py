"""The line of a daily note, the exchange that it is made of, and noting the latest one."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.values import Message, ToolCall
from remora.journal.daily import note_line, one_line
from remora.journal.exchange import last_exchange, note_exchange
from tests.journal.made import SETTINGS, journal_in
from tests.tables import table

AT = datetime(2026, 2, 7, 14, 15)
TALK = [Message(1, "user", "hello"), Message(2, "assistant", "reply")]


@pytest.mark.parametrize(("text", "limit", "expected"), table(__file__, "one_line"))
def test_a_text_on_one_line(text, limit, expected):
    """Line ends become spaces, then the text is trimmed, then cut so that the whole has the limit."""
    assert one_line(text, int(limit)) == expected


def test_the_limits_of_a_line():
    """The user has 200 characters, the assistant 300."""
    line = note_line("u" * 999, "a" * 999, AT)
    assert line == "[14:15] User: " + "u" * 197 + "... | Assistant: " + "a" * 297 + "...\n"


@given(st.text(), st.text())
def test_a_line_is_one_line(user, assistant):
    """Whatever is said, the note is one line by everybody's count."""
    assert len(note_line(user, assistant, AT).splitlines()) == 1


def test_the_last_exchange():
    """The user's last message counts, with the last thing that the assistant says after it."""
    roles = ["user", "assistant", "user", "assistant", "tool", "assistant", "assistant"]
    said = ["one", "first", "two", "let me see", "result", "second", " "]
    talk = [Message(1, role, text) for role, text in zip(roles, said, strict=True)]
    talk[3] = talk[3]._replace(tool_calls=(ToolCall("1", "ls"),))
    assert last_exchange(talk) == ("two", "second")
    assert last_exchange(talk[:5]) is None  # no answer yet
    assert last_exchange(talk[1:2]) is None  # nobody asked
    assert last_exchange([Message(1, "user", ""), talk[1]]) == ("", "first")
    assert last_exchange([]) is None


def test_an_exchange_is_noted(tmp_path):
    """The line stands in the file of the day; half an exchange, or a journal that is off, leaves none."""
    journal = journal_in(tmp_path)
    off = SETTINGS._replace(enabled=False)
    assert note_exchange(journal, TALK[:1], SETTINGS) == note_exchange(journal, TALK, off) == ""
    assert not journal.folder.exists()
    line = note_exchange(journal, TALK, SETTINGS)
    assert line == "[14:30] User: hello | Assistant: reply\n"
    assert (journal.folder / "2026-02-27.md").read_text("utf-8") == line
