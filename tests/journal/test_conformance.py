"""The conformance cases of the documents that concern the journal, one by one, and where we differ.

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

import json
import re
import threading
from datetime import date

import pytest

from remora.core.errors import ProviderBusy, StoreError
from remora.core.values import Message
from remora.journal.auto_note import note_exchange
from remora.journal.block import BlockTexts, to_context
from remora.journal.consolidate import consolidate
from remora.journal.daily import one_line
from remora.journal.history import entries
from remora.journal.sections import history_pieces, memory_pieces
from remora.journal.window import recap, window_cut
from remora.llm.scripted import ScriptedModel
from tests.journal.made import NOW, SETTINGS, answer, history, journal_in, no_sleep, talk


def outcome_of(journal, reply, messages=None, **more):
    """Consolidate with one reply of a model."""
    model = ScriptedModel([reply])
    return consolidate(journal, messages or talk(12), model, SETTINGS, sleep=no_sleep, **more)


# --- document 000 ------------------------------------------------------------------------------


def test_000_memory_is_a_piece_and_a_rewrite_shows_at_once(tmp_path):
    """The phrase is in a piece of MEMORY.md; after a rewrite the new text is, and the old is not."""
    journal = journal_in(tmp_path)
    journal.write_memory("# Preferences\n\nUser prefers Feishu webhook mode for alerts.")
    [piece] = memory_pieces(journal.memory_path.read_text("utf-8"))
    assert (piece.kind, piece.path) == ("longterm", "MEMORY.md")
    assert "User prefers Feishu webhook mode" in piece.text
    journal.memory_path.write_text("User prefers Slack.", "utf-8")
    assert [p.text for p in memory_pieces(journal.memory_path.read_text("utf-8"))] == ["User prefers Slack."]


def test_000_the_same_entry_in_both_history_files_is_one(tmp_path):
    """Only the monthly one is given, and older ones that only HISTORY.md has are not hidden by it."""
    journal = journal_in(tmp_path)
    journal.append_history("We decided on the pre-trim memory flush.")
    journal.history_path.write_text("\n## 2025-01-01T00:00:00.000Z\nOlder.\n" + history(journal), "utf-8")
    found = [piece for entry in entries(journal.folder) for piece in history_pieces(entry)]
    assert [(p.path, p.text) for p in found] == [
        ("HISTORY-2026-02.md", "We decided on the pre-trim memory flush."),
        ("HISTORY.md", "Older."),
    ]


def test_000_a_reply_in_a_fence(tmp_path):
    """Both keys are read out of a fenced reply."""
    outcome = outcome_of(journal_in(tmp_path), f"```json\n{answer('Entry.')}\n```")
    assert (outcome.how, outcome.history_entry, outcome.memory_changed) == ("model", "Entry.", True)


def test_000_texts_are_written_to_both_files(tmp_path):
    """Two texts: an entry in the history, a new memory."""
    journal = journal_in(tmp_path)
    outcome_of(journal, answer("Entry.", "# Memory\nUser likes testing."))
    assert history(journal) == f"\n## {NOW}\nEntry.\n"
    assert journal.memory_path.read_text("utf-8") == "# Memory\nUser likes testing."


@pytest.mark.parametrize("value", [{"facts": ["a", "b"]}, ["a", {"b": 1}]])
def test_000_objects_and_lists_are_written_as_json(tmp_path, value):
    """A field that is no text is stored as JSON."""
    journal = journal_in(tmp_path)
    outcome_of(journal, answer(value, value))
    assert json.loads(journal.memory_path.read_text("utf-8")) == value
    assert json.loads(history(journal).split("\n")[2]) == value


@pytest.mark.parametrize("wrap", [lambda a: json.dumps(a), lambda a: f"[{a}]", lambda a: f"[{a}, {{}}]"])
def test_000_wrapped_arguments(tmp_path, wrap):
    """JSON in a string is read, and of a list the first object."""
    assert outcome_of(journal_in(tmp_path), wrap(answer("Entry."))).history_entry == "Entry."


@pytest.mark.parametrize(
    "reply",
    [
        "[]",
        '["string"]',
        '{"memory_update": "x"}',
        answer(None),
        answer("  "),
        '{"history_entry": "x"}',
        "I summarised it.",
        "",
    ],
)
def test_000_half_a_result_is_none(tmp_path, reply):
    """Nothing of such a reply is written: the memory stays and the history has the raw end instead."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256")
    outcome = outcome_of(journal, reply)
    assert outcome.how == "raw-fallback"
    assert journal.memory_path.read_text("utf-8") == "- RS256"
    assert [e.text.split("\n")[0] for e in entries(journal.folder)] == [
        "[raw-fallback] Consolidation failed. Recent messages:"
    ]


def test_000_no_messages_is_a_success_without_a_call(tmp_path):
    """The script has no reply, so a call would fail."""
    assert consolidate(journal_in(tmp_path), [], ScriptedModel([]), SETTINGS).how == "nothing"


def test_000_503_then_success(tmp_path):
    """One retry, after a second."""
    waits: list[float] = []
    model = ScriptedModel([ProviderBusy("503", status=503), answer("Entry.")])
    outcome = consolidate(journal_in(tmp_path), talk(), model, SETTINGS, sleep=waits.append)
    assert (outcome.history_entry, waits) == ("Entry.", [1.0])


def test_000_the_raw_entry(tmp_path):
    """The last ten messages with content, the first 200 characters of each, the role as it is stored."""
    messages = [*talk(12), Message(13, "assistant", ""), Message(14, "user", "x" * 300)]
    entry = outcome_of(journal_in(tmp_path), "prose", messages).history_entry
    assert entry.split("\n")[0] == "[raw-fallback] Consolidation failed. Recent messages:"
    assert len(entry.split("\n")) == 11
    assert entry.split("\n")[1] == "assistant: message 4"
    assert entry.split("\n")[-1] == "user: " + "x" * 200


@pytest.mark.parametrize(
    ("count", "done", "first", "last"),
    [(60, 0, 0, 34), (70, 30, 30, 44), (26, 0, 0, 0), (1000, 0, 0, 974), (60, 10, 10, 34)],
)
def test_000_slices_with_keep_25(count, done, first, last):
    """What goes, by position, when 25 messages stay."""
    cut = window_cut(count, 50, done)
    assert (cut.start, cut.end - 1, cut.kept) == (first, last, 25)


@pytest.mark.parametrize(("count", "done"), [(25, 0), (10, 20)])
def test_000_slices_that_are_empty(count, done):
    """Where all may stay, or all that may go is done, nothing goes."""
    cut = window_cut(count, 50, done)
    assert cut.start == cut.end


@pytest.mark.parametrize(
    ("window", "count", "cutoff", "kept"), [(50, 52, 27, 25), (51, 52, 27, 25), (1, 2, 2, 0)]
)
def test_000_window_arithmetic(window, count, cutoff, kept):
    """The cutoff and what is left; with a window of one nothing is, and there is no recap."""
    cut = window_cut(count, window)
    assert (cut.due, cut.end, cut.kept) == (True, cutoff, kept)
    assert bool(recap(talk(count)[cut.end :])) is bool(kept)
    assert not window_cut(window, window).due


def test_000_two_quick_messages_are_one_consolidation(tmp_path):
    """A second one that was started meanwhile waits, and finds that nothing is left to do."""
    journal = journal_in(tmp_path)
    marked = [0]
    inside = threading.Event()
    model = ScriptedModel([lambda _: answer("Entry.") if inside.wait(10) else ""])
    outcomes = []

    def one():
        outcomes.append(
            consolidate(
                journal,
                lambda: [m for m in talk(6) if m.seq > marked[0]],
                model,
                SETTINGS,
                session_id="s",
                done=lambda _, up_to: marked.__setitem__(0, up_to),
            )
        )

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.set()
    for thread in threads:
        thread.join()
    assert sorted(outcome.how for outcome in outcomes) == ["model", "nothing"]
    assert len(model.calls) == 1


def test_000_when_archiving_fails_nobody_is_told_otherwise(tmp_path):
    """Where the history cannot be written the call fails, and /new can keep its session."""
    journal = journal_in(tmp_path)
    for path in journal.history_of(NOW):
        path.mkdir(parents=True)
    marks: list[tuple[str, int]] = []
    with pytest.raises(StoreError):
        outcome_of(journal, answer(), session_id="s", done=lambda *m: marks.append(m))
    assert marks == []


def test_000_a_truncated_reply_never_overwrites_the_memory(tmp_path):
    """171 bytes in the place of 10,180, as it was reported."""
    journal = journal_in(tmp_path)
    memory = ("- a fact that somebody needs, with number %04d\n" * 232 % tuple(range(232)))[:10_180].strip()
    journal.write_memory(memory)
    assert outcome_of(journal, answer("Entry.", memory[:171])).how == "raw-fallback"
    assert journal.read_memory().text == memory


# --- document 001 ------------------------------------------------------------------------------


def test_001_an_empty_memory_is_an_empty_text():
    """All sections blank, no text."""
    assert to_context(BlockTexts()) == ""


def test_001_only_long_term():
    """No section stands there without content."""
    context = to_context(BlockTexts("User prefers concise responses."))
    assert context == "## Long-term Memory\nUser prefers concise responses."
    assert "Today's Notes" not in context


def test_001_a_recent_day():
    """A day is a heading of the third level."""
    context = to_context(BlockTexts(recent=((date(2024, 1, 1), "note"),)))
    assert context == "## Recent Context\n### 2024-01-01\nnote"


def test_001_all_sections_in_order():
    """Long-term, today, recent, with one empty line between them."""
    days = ((date(2024, 1, 2), "two\n"), (date(2024, 1, 1), "one\n"))
    assert to_context(BlockTexts("long", "today\n", days)) == (
        "## Long-term Memory\nlong\n\n## Today's Notes\ntoday\n\n"
        "## Recent Context\n### 2024-01-02\ntwo\n\n### 2024-01-01\none"
    )


@pytest.mark.parametrize(("length", "limit", "expected"), [(300, 200, 200), (400, 300, 300), (200, 200, 200)])
def test_001_truncation(length, limit, expected):
    """What is longer is cut to the limit with three dots in it; what fits is not changed."""
    line = one_line("x" * length, limit)
    assert len(line) == expected
    assert line.endswith("...") is (length > limit)


def test_001_the_pattern_of_a_note(tmp_path):
    """Time in brackets, user, assistant."""
    noted = note_exchange(
        journal_in(tmp_path), [Message(1, "user", "hello"), Message(2, "assistant", "reply")], SETTINGS
    )
    assert re.fullmatch(r"\[\d\d:\d\d\] User: hello \| Assistant: reply\n", noted.line)


def test_001_line_ends_empty_texts_and_the_last_message(tmp_path):
    """Line feeds become spaces, an empty message of the user is tolerated, the last one wins."""
    journal = journal_in(tmp_path)
    reply = Message(9, "assistant", "a\nb")
    assert note_exchange(journal, [Message(1, "user", ""), reply], SETTINGS).line.endswith(
        "User:  | Assistant: a b\n"
    )
    two = [Message(1, "user", "first"), Message(2, "user", "second\nline"), reply]
    assert "User: second line |" in note_exchange(journal, two, SETTINGS).line


def test_001_a_failing_store_stops_nothing(tmp_path):
    """The note is lost, the caller goes on and is told."""
    journal = journal_in(tmp_path)
    journal.folder.write_text("a file where the folder should be", "utf-8")
    assert note_exchange(journal, [Message(1, "user", "a"), Message(2, "assistant", "b")], SETTINGS).problem


def test_001_memory_that_is_off(tmp_path):
    """Reads give nothing and writes do nothing."""
    journal = journal_in(tmp_path)
    off = SETTINGS._replace(enabled=False)
    note_exchange(journal, [Message(1, "user", "a"), Message(2, "assistant", "b")], off)
    consolidate(journal, talk(), None, off)
    assert not journal.folder.exists()
