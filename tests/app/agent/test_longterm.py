"""MEMORY.md in the brief of a session, and the note that a reply makes by itself."""

from __future__ import annotations

import pytest

from remora.app.memory import Memory
from remora.core.errors import StoreError
from remora.core.tokens import ceil_chars_4
from remora.injection.brief import LONGTERM
from tests.app.conftest import Opens


def brief(memory: Memory) -> str:
    """Return the brief of a new session."""
    with memory.loop("s-1") as loop:
        return loop.brief()


def test_memory_md_stands_in_the_brief(bare: Memory) -> None:
    """Under a heading of its own, its first lines first, within its share."""
    bare.journal.write("# Notes\n\n- Ann owns billing\n" + "- Something else of little weight\n" * 200)
    said = brief(bare)
    assert said.index(LONGTERM) < said.index("- Ann owns billing")
    part = said[said.index(LONGTERM) :].partition("\n(")[0]
    assert ceil_chars_4(part) <= 300


def test_it_is_left_out_where_it_is_set_so(opens: Opens) -> None:
    """By 0, and with the journal off."""
    with opens() as memory:
        memory.journal.write("- Ann owns billing\n")
    for settings in ({"REMORA_INJECT_LONGTERM_TOKENS": "0"}, {"REMORA_JOURNAL_ENABLED": "false"}):
        with opens(**settings) as memory:
            assert "Ann" not in brief(memory)


def test_what_the_host_reads_itself_is_not_said(bare: Memory) -> None:
    """A line that a rule file has, and the whole where one imports the file."""
    bare.journal.write("- Ann owns billing\n- Bob owns the relay\n")
    rules = bare.root / "CLAUDE.md"
    rules.write_text("# Rules\n\n- Ann owns billing\n")
    said = brief(bare)
    assert "Bob" in said
    assert "Ann" not in said
    rules.write_text(f"@{bare.home / 'memory' / 'MEMORY.md'}\n")
    assert "Bob" not in brief(bare)


def test_a_reply_notes_its_exchange(opens: Opens) -> None:
    """Once. A setting turns that off."""
    with opens() as memory:
        session = memory.session("cli:1")
        session.append("user", "Where are tokens set?")
        assert memory.journal.today() == ""
        session.append("assistant", "In auth.py.")
        memory.session("cli:1").note_today()
        session.append("user", "Thanks")
        session.append("assistant", "Welcome.")
        memory.journal.note("Mend the cart", "build, success", own_words=False)
        lines = [line[8:] for line in memory.journal.today().splitlines()]
    assert lines == [
        "User: Where are tokens set? | Assistant: In auth.py.",
        "User: Thanks | Assistant: Welcome.",
        "User: Mend the cart | Session: build, success",
    ]
    with opens("other", REMORA_JOURNAL_NOTE_REPLIES="false") as memory:
        session = memory.session("cli:1")
        session.extend(
            ({"role": "user", "content": "Where?"}, {"role": "assistant", "content": "In auth.py."})
        )
        assert memory.journal.today() == ""
        assert "auth.py" in session.note_today()


def test_a_note_that_fails_stops_no_reply(bare: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is stored all the same."""

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("remora.journal.files.append_line", refuse)
    session = bare.session("cli:1")
    session.append("user", "Where are tokens set?")
    session.append("assistant", "In auth.py.")
    assert session.count() == 2
