"""A memory that was opened for reading: what was said and written is read, and no file changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from remora.core.errors import StoreReadOnly
from tests.app.talks import talk
from tests.helpers import environment, files


def test_conversations_notes_and_the_journal(tmp_path: Path, folder: Path, clock: FixedClock) -> None:
    """All of them can be read whole, and refuse to be changed."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ, clock=clock) as memory:
        memory.session("cli:42").extend(talk(60))
        memory.entries.add("deploy", "Roll out in steps.")
        memory.journal.write("- They use tabs.")
        memory.journal.write("- They use spaces.")
        memory.journal.note("How?", "So.")
        memory.journal.add_history("The project began.")
        memory.remember("They use tabs in Makefiles.")
    before = files(tmp_path)
    with Memory.open(folder, environ=environ, clock=clock, read_only=True) as memory:
        session, notes, journal = memory.session("cli:42"), memory.entries, memory.journal
        assert session.count() == len(session.history()) == len(session.messages()) == 60
        assert session.standing().over is False
        assert session.recap().startswith("## Recent Conversation Recap")
        assert notes.search("steps")[0][0] == notes.show("deploy") == notes.list()[0]
        kept = journal.versions()[0].name
        assert journal.show() in journal.block("tabs or spaces")
        assert (len(journal.history()), len(journal.days())) == (1, 1)
        changes: list[Callable[[], object]] = [
            lambda: session.append("user", "x"),
            lambda: session.extend(talk(1)),
            session.clear,
            session.compact,
            session.compact_if_needed,
            session.new,
            session.note_today,
            lambda: notes.add("other", "x"),
            lambda: notes.write("deploy", "x"),
            lambda: notes.rename("deploy", "x"),
            lambda: notes.alias("deploy", "x"),
            lambda: notes.unalias("deploy", "x"),
            lambda: notes.remove("deploy"),
            lambda: journal.write("x"),
            lambda: journal.restore(kept),
            lambda: journal.note("a", "b"),
            lambda: journal.add_history("x"),
            journal.consolidate,
        ]
        for change in changes:
            with pytest.raises(StoreReadOnly, match="opened for reading only"):
                change()
    assert files(tmp_path) == before
