"""MEMORY.md, its versions, HISTORY.md and daily notes as files that people edit too."""

from __future__ import annotations

import sys
import time
from datetime import date, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, NotFound, StoreBusy, StoreError
from remora.journal.files import Journal
from tests.journal.made import journal_in


def test_memory_is_read_trimmed_and_written_as_given(tmp_path):
    """What is there is not written again, with no line end of ours; white space and marks are no text."""
    journal = journal_in(tmp_path)
    assert journal.read_memory() == ("", "", None)
    assert not journal.folder.exists()
    assert journal.write_memory("- uses ES256")
    assert journal.memory_path.read_bytes() == b"- uses ES256"
    assert not journal.write_memory("- uses ES256")
    assert journal.versions() == []
    journal.memory_path.write_bytes(b"\xef\xbb\xbf\n\n# A\r\n\r\n- edited on Windows \n\n")
    assert journal.read_memory().text == "# A\n\n- edited on Windows"
    journal.memory_path.write_bytes(b"caf\xe9")
    assert journal.read_memory() == ("caf\ufffd", "MEMORY.md is not UTF-8 from byte 3 on", b"caf\xe9")
    journal.memory_path.unlink()
    journal.memory_path.mkdir()
    reading = journal.read_memory()
    assert (reading.text, reading.data) == ("", None)
    assert "MEMORY.md" in reading.problem


def test_a_write_keeps_what_was_there(tmp_path):
    """The text before a write becomes a version, byte for byte, also an edited one, and can come back."""
    journal = journal_in(tmp_path)
    journal.write_memory("one")
    assert journal.versions() == []
    edited = b"one, edited\r\n\xe9"
    journal.memory_path.write_bytes(edited)
    assert journal.write_memory("two")
    [kept] = journal.versions()
    assert kept.path.read_bytes() == edited
    assert (kept.name, kept.time) == ("MEMORY-2026-02-27T14-30-00.000Z.md", "2026-02-27T14:30:00.000Z")
    journal.write_memory("three")
    for name in ("MEMORY-2020-01-01T00-00-00.000Z.md", "../MEMORY.md", ""):
        with pytest.raises(NotFound):
            journal.restore_version(name)
    assert journal.read_memory().text == "three"
    assert journal.restore_version(kept.name)
    assert journal.memory_path.read_bytes() == edited
    assert [kept.path.read_bytes() for kept in journal.versions()] == [
        b"three",
        b"two",
        b"one, edited\r\n\xe9",
    ]


def test_an_edit_between_read_and_write_is_seen(tmp_path):
    """A file saved meanwhile is read again, and the change starts over from it, but not for ever."""
    journal = journal_in(tmp_path)
    journal.write_memory("one")
    seen = []

    def change(now):
        seen.append(now.text)
        if len(seen) == 1:
            journal.memory_path.write_text("by hand", "utf-8")
        return now.text + ", more"

    assert journal.change_memory(change)
    assert seen == ["one", "by hand"]
    assert journal.read_memory().text == "by hand, more"
    assert {kept.path.read_text("utf-8") for kept in journal.versions()} == {"one", "by hand"}
    journal.write_memory("0")

    def never(now):
        journal.memory_path.write_text(str(int(now.text) + 1), "utf-8")
        return "mine"

    with pytest.raises(StoreBusy):
        journal.change_memory(never)
    assert journal.read_memory().text == "5"


def test_without_a_version_nothing_is_written(tmp_path):
    """Where the old text cannot be kept, the new one is not written."""
    journal = journal_in(tmp_path)
    journal.write_memory("one")
    (journal.folder / "versions").write_text("a file in the way", "utf-8")
    with pytest.raises(StoreError):
        journal.write_memory("two")
    assert journal.read_memory().text == "one"


def test_an_entry_goes_to_both_files_byte_for_byte(tmp_path):
    """HISTORY.md and the month's file in UTC get the same bytes, entry after entry."""
    clock = FixedClock("2026-02-28T23:59:59.999Z")
    journal = Journal(tmp_path / "memory", clock, ZoneInfo("Asia/Tokyo"))
    first = journal.append_history("Chose ES256.")
    clock.advance(seconds=1)
    second = journal.append_history("Two\nlines.")
    one = b"\n## 2026-02-28T23:59:59.999Z\nChose ES256.\n"
    two = b"\n## 2026-03-01T00:00:00.999Z\nTwo\nlines.\n"
    assert journal.history_path.read_bytes() == one + two
    assert (journal.folder / "HISTORY-2026-02.md").read_bytes() == one
    assert (journal.folder / "HISTORY-2026-03.md").read_bytes() == two
    assert (first, second) == ("2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.999Z")


@pytest.mark.parametrize("name", ["HISTORY.md", "HISTORY-2026-02.md"])
def test_a_history_file_that_cannot_be_written(tmp_path, name):
    """Either file that cannot be written is an error, and so is an entry without a text."""
    journal = journal_in(tmp_path)
    (journal.folder / name).mkdir(parents=True)
    with pytest.raises(StoreError, match=name):
        journal.append_history("Chose ES256.")
    with pytest.raises(InvalidInput):
        journal.append_history(" \n")


def test_notes_are_kept_by_the_local_day(tmp_path):
    """The line has the local time, and stands in the file of the local date."""
    journal = Journal(tmp_path / "memory", FixedClock("2026-02-07T23:15:00Z"), timezone(timedelta(hours=2)))
    line = journal.append_today("hello", "reply")
    assert line == "[01:15] User: hello | Assistant: reply\n"
    assert (journal.folder / "2026-02-08.md").read_bytes() == line.encode()
    assert journal.read_day(date(2026, 2, 8)).text == line.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="no tzset")
def test_the_machine_has_a_zone_too(tmp_path, monkeypatch):
    """Without a zone the machine's own is used."""
    monkeypatch.setenv("TZ", "XYZ-3")  # three hours east of Greenwich
    time.tzset()
    try:
        journal = Journal(tmp_path, FixedClock("2026-02-07T23:15:00Z"))
        assert journal.append_today("a", "b").startswith("[02:15]")
        assert journal.note_days() == [date(2026, 2, 8)]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_recent_days_are_before_today(tmp_path):
    """They go back from yesterday, newest first, and never before the first day there is."""
    journal = journal_in(tmp_path, "2026-03-01T12:00:00Z")
    assert journal.recent_days(2) == [date(2026, 2, 28), date(2026, 2, 27)]
    assert journal.recent_days(0) == []
    oldest = journal_in(tmp_path, "0001-01-03T12:00:00Z")
    assert oldest.recent_days(9) == [date(1, 1, 2), date(1, 1, 1)]
