"""MEMORY.md, HISTORY and the daily notes as users hold them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora import Memory, Session
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput
from tests.app.talks import talk
from tests.helpers import SECRET, holds


def test_the_history(bare: Memory, clock: FixedClock) -> None:
    """Entries are read newest first, whatever file they stand in, as many as are wanted."""
    journal = bare.journal
    assert journal.history() == []
    assert journal.add_history("The project began.") == "2026-03-01T12:00:00.000Z"
    clock.advance(days=40)
    journal.add_history("Chose ES256.")
    with (journal.folder / "HISTORY.md").open("a", encoding="utf-8") as file:
        file.write("\n## 2026-03-20\nWritten by hand.\n")
    found = journal.history()
    assert [(e.time, e.text) for e in found] == [
        ("2026-04-10T12:00:00.000Z", "Chose ES256."),
        ("2026-03-20T00:00:00.000Z", "Written by hand."),
        ("2026-03-01T12:00:00.000Z", "The project began."),
    ]
    assert [e.path for e in found] == ["HISTORY-2026-04.md", "HISTORY.md", "HISTORY-2026-03.md"]
    assert [e.text for e in journal.history(1)] == ["Chose ES256."]
    assert journal.history(0) == journal.history(-1) == []


def test_the_block(bare: Memory, clock: FixedClock) -> None:
    """It has what the journal says (journal/test_block.py) and, for a task, what a search finds beside it."""
    journal = bare.journal
    assert journal.block() == ""
    journal.write("- They use tabs.")
    journal.note("And the day before?", "It rained.")
    clock.advance(days=1)
    journal.note("How long do tokens live?", "24 hours.")
    bare.remember("The parser keeps one token of lookahead.")
    block = journal.block()
    assert all(said in block for said in ("They use tabs", "It rained.", "24 hours."))
    assert "lookahead" not in block
    relevant = journal.block("change the parser's lookahead").removeprefix(block.rstrip("\n"))
    assert relevant.lstrip().startswith("# Relevant Memory")
    assert "The parser keeps one token of lookahead." in relevant
    assert "They use tabs" not in relevant


def test_the_block_says_nothing_twice(bare: Memory) -> None:
    """A turn that stands whole in the notes is not repeated as a search result."""
    chat = bare.session("cli:1")
    chat.append("user", "Which port has\nthe gateway?")
    chat.append("assistant", "The gateway listens on port 8443.")
    chat.append("user", "Say more of the gateway.")
    chat.append("assistant", f"The gateway {'only ' * 80}reads its port from gateway.toml.")
    notes, relevant = bare.journal.block("the port of the gateway").split("# Relevant Memory")
    assert "Which port has the gateway? | Assistant: The gateway listens on port 8443." in notes
    assert "Which port" not in relevant
    assert "8443" not in relevant
    assert "reads its port from gateway.toml." in relevant


def test_secrets(bare: Memory, session: Session, tmp_path: Path) -> None:
    """None is written, and one that a person typed into a file is not in what goes to an agent."""
    journal = bare.journal
    journal.write(f"- deploy with {SECRET}")
    journal.note(f"Use {SECRET}", f"I use {SECRET}")
    journal.add_history(f"They used {SECRET}")
    session.extend(talk(2, text=f"use {SECRET} in"))
    session.note_today()
    session.new()
    assert holds(tmp_path, SECRET) == []
    (journal.folder / "MEMORY.md").write_text(f"- deploy with {SECRET}", "utf-8")
    assert SECRET in journal.show()
    assert "- deploy with [REDACTED:github-token]" in journal.block()


def test_a_file_that_is_not_utf8(bare: Memory) -> None:
    """What can be read of it is read, and the problem is said until the next call."""
    journal = bare.journal
    journal.write("x")
    (journal.folder / "MEMORY.md").write_bytes(b"- caf\xe9\n")
    (journal.folder / "HISTORY.md").write_bytes(b"\n## 2026-01-01T00:00:00Z\ncaf\xe9\n")
    assert journal.show() == "- caf\ufffd"
    assert journal.problems == bare.journal.problems == ("MEMORY.md is not UTF-8 from byte 5 on",)
    assert [e.text for e in journal.history()] == ["caf\ufffd"]
    assert journal.problems == ("HISTORY.md:3: bytes that are not UTF-8 were replaced",)
    journal.block()
    assert journal.problems == ("MEMORY.md is not UTF-8 from byte 5 on",)
    journal.today()
    assert list(journal.problems) == []


def test_what_is_no_text(bare: Memory) -> None:
    """What is no text is refused before anything is written."""
    wrong: list[Any] = [None, 5, b"x", ["x"]]
    for act in (bare.journal.write, bare.journal.add_history, lambda w: bare.journal.note("x", w)):
        for one in wrong:
            with pytest.raises(InvalidInput):
                act(one)
    with pytest.raises(InvalidInput, match="blank"):
        bare.journal.add_history("  ")
    assert not (bare.home / "memory").exists() or list((bare.home / "memory").glob("*.md")) == []
