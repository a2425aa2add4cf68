"""The `# Memory` block, byte for byte, and the recap of a conversation."""

from __future__ import annotations

import re

from remora.core.values import Message
from remora.journal.block import RECAP_SENTENCE, read_block, recap
from tests.journal.made import NOW, SETTINGS, journal_in

WHOLE = """# Memory
## Long-term Memory
User prefers concise responses.
Database is PostgreSQL on port 5432.

## Today's Notes
[14:15] User: a | Assistant: b
[14:30] User: c | Assistant: d

## Recent Context
### 2026-02-26
[10:00] User: e | Assistant: f

### 2026-02-24
[16:00] User: g | Assistant: h

# Relevant Memory
Tokens live 24 hours."""


def filled(tmp_path):
    """Return a journal with a memory, notes of today and of some days before, and one of no day."""
    journal = journal_in(tmp_path)
    journal.write_memory("User prefers concise responses.\nDatabase is PostgreSQL on port 5432.")
    for name, text in {
        "2026-02-27.md": "[14:15] User: a | Assistant: b\n[14:30] User: c | Assistant: d\n",
        "2026-02-26.md": "[10:00] User: e | Assistant: f\n",
        "2026-02-25.md": " \n\n",
        "2026-02-24.md": "[16:00] User: g | Assistant: h\n",
        "2026-02-19.md": "eight days ago\n",
        "2026-02-28.md": "tomorrow\n",
    }.items():
        (journal.folder / name).write_text(text, "utf-8")
    return journal


def test_the_whole_block(tmp_path):
    """Memory, today, seven days before it newest first, what a search found; bad files are told."""
    journal = filled(tmp_path)
    assert read_block(journal, SETTINGS, "Tokens live 24 hours.\n") == (WHOLE, ())
    (journal.folder / "2026-02-23.md").mkdir()
    block = read_block(journal, SETTINGS, "Tokens live 24 hours.")
    assert block.text == WHOLE
    [problem] = block.problems
    assert "2026-02-23.md" in problem


def test_only_as_many_days_as_wanted(tmp_path):
    """The setting says how far back; today is never among the days before."""
    journal = filled(tmp_path)

    def recent(days):
        text = read_block(journal, SETTINGS._replace(recent_days=days)).text
        return text.partition("## Recent Context\n")[2]

    assert recent(8).endswith("\n\n### 2026-02-19\neight days ago")
    assert re.findall("^### (.*)", recent(7), re.MULTILINE) == ["2026-02-26", "2026-02-24"]
    assert recent(1) == "### 2026-02-26\n[10:00] User: e | Assistant: f"


def test_nothing_to_say(tmp_path):
    """An empty journal gives an empty text, without a heading; so do blank files, or one that is off."""
    journal = journal_in(tmp_path)
    assert read_block(journal, SETTINGS) == ("", ())
    journal.write_memory(" \n")
    for day in (26, 27):
        (journal.folder / f"2026-02-{day}.md").write_text("\n", "utf-8")
    off = SETTINGS._replace(enabled=False)
    for quiet, settings in ((journal, SETTINGS), (filled(tmp_path / "full"), off)):
        assert read_block(quiet, settings) == ("", ())
        assert read_block(quiet, settings, " found \n").text == "# Relevant Memory\nfound"


def test_recap():
    """Roles in capitals, no times, nothing cut, messages without content left out."""
    blank = Message(2, "assistant", " ")
    talk = [Message(1, "user", "x" * 5000, time=NOW), blank, Message(3, "Melanie", "two\nlines")]
    head = f"## Recent Conversation Recap\n{RECAP_SENTENCE}\n\n"
    assert recap(talk) == head + "USER: " + "x" * 5000 + "\nMELANIE: two\nlines"
    assert recap([blank]) == recap([]) == ""
