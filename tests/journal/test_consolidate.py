"""Consolidation: a history entry always, a better memory where a model gives one, an outcome that tells."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remora.core.errors import ProviderError, StoreBusy
from remora.core.values import Message, ToolCall
from remora.disk import files
from remora.disk.files import lock
from remora.journal.consolidate import TURN, consolidate, extracted_entry, raw_fallback
from remora.journal.history import entries
from remora.llm.scripted import ScriptedModel
from tests.journal.made import (
    NOW,
    SETTINGS,
    Marks,
    answer,
    aside,
    history,
    journal_in,
    longer_memory,
    no_sleep,
    start,
    talk,
)  # fmt: skip

ENTRY = "[2026-02-27 14:30] They chose ES256."


def run(journal, messages, *replies, settings=SETTINGS, **more):
    """Consolidate with a scripted model that gives these replies."""
    return consolidate(journal, messages, ScriptedModel(replies), settings, sleep=no_sleep, **more)


def test_a_good_answer_goes_to_both_layers(tmp_path):
    """The entry is in the history, the memory is new, the session is marked, and the outcome says so."""
    journal, marks = journal_in(tmp_path), Marks()
    journal.write_memory("- RS256")
    facts = [{"content": "Tokens are signed with ES256.", "type": "decision", "files": ["auth.py"]}]
    outcome = run(journal, talk(4), answer(ENTRY, facts=facts), session_id="cli:42", done=marks)
    assert history(journal) == f"\n## {NOW}\n{ENTRY}\n"
    assert journal.memory_path.read_bytes() == b"- ES256"
    assert journal.versions()[0].path.read_text("utf-8") == "- RS256"
    assert marks == [("cli:42", 4)]
    assert outcome._replace(facts=(), seconds=0) == ("model", ENTRY, True, (), (), None, 0)
    [fact] = outcome.facts
    assert fact.content == "Tokens are signed with ES256."
    assert fact.created_at == talk(4)[-1].time
    assert 0 < outcome.seconds < 5


@pytest.mark.parametrize(
    "messages", [[], list, [Message(1, "user", " "), Message(2, "tool", "")]], ids=["no", "none", "blank"]
)
def test_no_messages_no_call(tmp_path, messages):
    """Without anything said, or with the journal off, nothing is asked, written or marked."""
    journal, marks = journal_in(tmp_path), Marks()
    outcome = run(journal, messages, done=marks)
    assert outcome.how == "nothing"
    assert (history(journal), marks) == ("", [])
    off = journal_in(tmp_path / "off")
    outcome = run(off, talk(), settings=SETTINGS._replace(enabled=False))
    assert (outcome.how, outcome.notes) == ("nothing", ("the journal is off",))
    assert not off.folder.exists()


@pytest.mark.parametrize(
    ("reply", "note", "kept"),
    [("I have updated it.", "no JSON object", True), (ProviderError("it broke"), "it broke", False)],
)
def test_a_bad_reply_leaves_the_end_of_the_conversation(tmp_path, reply, note, kept):
    """The raw entry holds the last ten messages, the memory stays to the byte, the note names the failure."""
    journal, marks = journal_in(tmp_path), Marks()
    journal.write_memory("- RS256")
    outcome = run(journal, talk(12), reply, session_id="s", done=marks)
    assert outcome.how == "raw-fallback"
    assert note in outcome.notes[0]
    [entry] = entries(journal.folder)
    assert entry.text == outcome.history_entry
    assert [line.partition(": ")[2] for line in entry.text.split("\n")[1:]] == [
        f"message {n}" for n in range(3, 13)
    ]
    assert journal.memory_path.read_text("utf-8") == "- RS256"
    assert journal.versions() == []
    assert marks == [("s", 12)]
    assert [note in text for text in aside(journal)] == [True] * kept
    assert (outcome.kept_aside is not None) is kept


def test_rejected_answers_are_kept_in_bounds(tmp_path, monkeypatch):
    """Only the latest answers that were not used are kept; every conversation has its entry."""
    monkeypatch.setattr("remora.journal.files.REJECTED", 3)
    journal = journal_in(tmp_path)
    for number in range(8):
        run(journal, talk(1, first=number + 1), f"prose {number}")
    assert [text.splitlines()[-1] for text in aside(journal)] == ["prose 5", "prose 6", "prose 7"]
    assert sum(1 for _ in entries(journal.folder)) == 8


def test_messages_are_read_when_the_turn_comes(tmp_path):
    """A function that gives messages sees what was consolidated while it waited."""
    journal, marks = journal_in(tmp_path), Marks()

    def rest():
        return [message for message in talk(6) if ("s", message.seq) > max(marks, default=("s", 0))]

    def one(_):
        return consolidate(journal, rest, None, SETTINGS, session_id="s", done=marks).how

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(one, range(4))) == ["extract", "nothing", "nothing", "nothing"]
    assert sum(1 for _ in entries(journal.folder)) == 1


def test_an_edit_while_the_model_thinks_stays(tmp_path):
    """What a person saved during the call stays whole; the model's update is kept aside and told."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256\n- tabs")

    def slow(call):
        journal.memory_path.write_text("- RS256\n- tabs\n- mine\n", "utf-8")
        return answer(memory="- ES256\n- tabs")

    outcome = run(journal, talk(), slow)
    assert journal.read_memory().text == "- RS256\n- tabs\n- mine"
    assert not outcome.memory_changed
    assert outcome.notes == ("MEMORY.md was edited meanwhile and stays; the update is kept aside",)
    assert outcome.kept_aside is not None
    assert "- ES256\n- tabs" in outcome.kept_aside.read_text("utf-8")


def test_a_memory_that_cannot_be_read_stays(tmp_path):
    """The history gets its entry; the file with unknown bytes is not replaced by a guess."""
    journal = journal_in(tmp_path)
    journal.write_memory("x")
    journal.memory_path.write_bytes(b"caf\xe9 " * 100)
    model = ScriptedModel([answer()])
    outcome = consolidate(journal, talk(), model, SETTINGS)
    assert "(empty)" in model.calls[0].messages[0].content
    assert journal.memory_path.read_bytes() == b"caf\xe9 " * 100
    assert (outcome.how, outcome.memory_changed) == ("model", False)
    note = "MEMORY.md could not be changed: MEMORY.md is not UTF-8 from byte 3 on"
    assert outcome.notes == (note,)
    assert aside(journal) == [f"{note}\n\n- ES256\n"]


def test_threads_start_from_each_others_result(tmp_path):
    """Eight at once, each adding a line to what it is shown: all eight lines and entries are there."""
    journal, names = journal_in(tmp_path), [f"session {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda name: adding(journal, name), names))
    assert sorted(journal.read_memory().text.split("\n")) == [f"- {name}" for name in names]
    assert sorted(e.text for e in entries(journal.folder)) == [f"Did {name}." for name in names]


def adding(journal, name):
    """Consolidate one message with a model that adds a line to the memory it is shown."""

    def add(call):
        time.sleep(0.01)
        return answer(f"Did {name}.", longer_memory(call, name))

    return consolidate(journal, talk(1), ScriptedModel([add]), SETTINGS, session_id=name)


WORKER = """
from tests.journal.test_consolidate import adding

for number in range(5):
    assert adding(journal, f"{sys.argv[2]}-{number}").how == "model"
"""


@pytest.mark.slow
def test_processes_start_from_each_others_result(tmp_path):
    """Three processes, five consolidations each: no line of the memory and no entry is lost or doubled."""
    workers = [start(WORKER, tmp_path, name) for name in "abc"]
    for worker in workers:
        _, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, err
    journal = journal_in(tmp_path)
    names = [f"{name}-{number}" for name in "abc" for number in range(5)]
    assert sorted(journal.read_memory().text.split("\n")) == [f"- {name}" for name in names]
    assert sorted(e.text for e in entries(journal.folder)) == [f"Did {name}." for name in names]
    assert history(journal).count("\n## ") == 15


def test_waiting_does_not_count_against_the_model(tmp_path):
    """A consolidation that waited longer than the model's limit still has all of the limit."""
    journal, release = journal_in(tmp_path), threading.Event()
    with ThreadPoolExecutor(1) as other:
        other.submit(run, journal, talk(1), lambda _: answer() if release.wait(10) else "")
        while not (journal.folder / f"{TURN}.lock").exists():
            time.sleep(0.005)
        threading.Timer(0.6, release.set).start()
        model = ScriptedModel([answer("Second.", "- ES256")])
        settings = SETTINGS._replace(consolidation_timeout=0.4)
        outcome = consolidate(journal, talk(1, first=2), model, settings, sleep=no_sleep)
    assert outcome.how == "model"
    assert (model.calls[0].timeout or 0) > 0.3


def test_a_turn_that_does_not_come(tmp_path, monkeypatch):
    """Who waits too long learns it; nothing was written and nobody marked."""
    journal, marks = journal_in(tmp_path), Marks()
    journal.folder.mkdir()
    monkeypatch.setattr("remora.journal.consolidate._TURN_SLACK", 0.05)
    settings = SETTINGS._replace(consolidation_timeout=0.0)
    with lock(journal.folder / TURN), pytest.raises(StoreBusy):
        run(journal, talk(), settings=settings, done=marks)
    assert (history(journal), marks) == ("", [])


@pytest.mark.parametrize("how", ["in place", "anew"])
def test_an_edit_at_the_very_moment_of_the_write_stays(tmp_path, monkeypatch, how):
    """The new text is on the disk before the last look, and the old file is looked at once more after it."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256\n- tabs")
    sync, saved = files._sync, list[Path]()

    def save(descriptor):
        sync(descriptor)
        if not saved:
            saved.append(journal.memory_path if how == "in place" else tmp_path / "mine")
            saved[0].write_text("- RS256\n- tabs\n- mine\n", "utf-8")
            saved[0].replace(journal.memory_path)

    def model(call):
        monkeypatch.setattr(files, "_sync", save)
        return answer(memory="- ES256\n- tabs")

    outcome = run(journal, talk(), model)
    assert saved
    assert journal.read_memory().text == "- RS256\n- tabs\n- mine"
    assert outcome.kept_aside is not None


TALK = [
    Message(0, "system", "[Conversation summary]\nWe must not forget this."),
    Message(1, "user", "How long do tokens live?\nSee auth/tokens.py please.", time=NOW),
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
