"""The latest exchange becomes a line of today's note, and a failure stops nothing."""

from __future__ import annotations

from remora.core.values import Message
from remora.journal.auto_note import note_exchange
from tests.journal.made import SETTINGS, journal_in

TALK = [Message(1, "user", "hello"), Message(2, "assistant", "reply")]


def test_an_exchange_is_noted(tmp_path):
    """The line stands in the file of the day."""
    journal = journal_in(tmp_path)
    noted = note_exchange(journal, TALK, SETTINGS)
    assert noted == ("[14:30] User: hello | Assistant: reply\n", "")
    assert (journal.folder / "2026-02-27.md").read_text("utf-8") == noted.line


def test_nothing_to_note(tmp_path):
    """Half an exchange, or a journal that is off, leaves no file."""
    journal = journal_in(tmp_path)
    assert note_exchange(journal, TALK[:1], SETTINGS) == ("", "")
    assert note_exchange(journal, TALK, SETTINGS._replace(enabled=False)) == ("", "")
    assert not journal.folder.exists()


def test_a_failure_is_told_and_stops_nothing(tmp_path):
    """Where the note cannot be written the result says why, and nothing is raised."""
    journal = journal_in(tmp_path)
    (journal.folder / "2026-02-27.md").mkdir(parents=True)
    noted = note_exchange(journal, TALK, SETTINGS)
    assert noted.line == ""
    assert "2026-02-27.md" in noted.problem
