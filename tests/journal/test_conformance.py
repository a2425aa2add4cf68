"""The cases of the documents about the journal that no other test here has, and where we differ.

Document 000 (MEMORY.md, HISTORY.md, consolidation). Where we differ:

- Searching (a phrase of MEMORY.md is the first hit, an unknown word gives none, a hit has an id that opens
  it, recall of "之前决定的") belongs to retrieval. Here are the pieces that it searches.
- The flush before a trim with keys memory_note and history_note: there is no second call of a model before
  a trim. Consolidation is that call, with the two keys of the document; a fence around it is read likewise.
- No tool call, `[]`, half a result: the same failures, and nothing of them is written. But where that
  implementation then wrote no file at all, the document's `[raw-fallback]` entry is written, at the first
  failure and not at the third, so there is no counter that a success could reset.
- A marker over save and load, and its reset by a clear, belong to the session log.
- `/new` itself belongs to the app; here is what it relies on.

Document 001 (daily notes, the `# Memory` block). Where we differ:

- Sections are separated by one empty line, as the document shows it; its code leaves two.
- Lengths count in characters, not in UTF-16 units; lines end in a line feed on every platform.
- Null text of a message does not exist here: a message's content is a text, which may be empty.
"""

from __future__ import annotations

from remora.journal.sections import memory_pieces
from tests.journal.made import journal_in


def test_000_memory_is_a_piece_and_a_rewrite_shows_at_once(tmp_path):
    """The phrase is in a piece of MEMORY.md; after a rewrite the new text is, and the old is not."""
    journal = journal_in(tmp_path)
    journal.write_memory("# Preferences\n\nUser prefers Feishu webhook mode for alerts.")
    [piece] = memory_pieces(journal.memory_path.read_text("utf-8"))
    assert (piece.kind, piece.path) == ("longterm", "MEMORY.md")
    assert "User prefers Feishu webhook mode" in piece.text
    journal.memory_path.write_text("User prefers Slack.", "utf-8")
    assert [p.text for p in memory_pieces(journal.memory_path.read_text("utf-8"))] == ["User prefers Slack."]
