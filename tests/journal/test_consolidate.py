"""Consolidation: a history entry always, a better memory where a model gives one, an outcome that tells."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import remora
from remora.core.errors import StoreBusy
from remora.core.values import Message
from remora.disk import files
from remora.disk.files import lock
from remora.journal.consolidate import TURN, consolidate
from remora.journal.history import entries
from remora.llm.scripted import ScriptedModel
from tests.journal.made import NOW, SETTINGS, answer, aside, history, journal_in, no_sleep, talk

ENTRY = "[2026-02-27 14:30] They chose ES256."
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(remora.__file__).parents[1])}


def run(journal, messages, *replies, settings=SETTINGS, **more):
    """Consolidate with a scripted model that gives these replies."""
    return consolidate(journal, messages, ScriptedModel(replies), settings, sleep=no_sleep, **more)


def test_a_good_answer_goes_to_both_layers(tmp_path):
    """The entry is in the history, the memory is new, the session is marked, and the outcome says so."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256")
    marks: list[tuple[str, int]] = []
    facts = [{"content": "Tokens are signed with ES256.", "type": "decision", "files": ["auth.py"]}]
    outcome = run(
        journal, talk(4), answer(ENTRY, facts=facts), session_id="cli:42", done=lambda *m: marks.append(m)
    )
    assert history(journal) == f"\n## {NOW}\n{ENTRY}\n"
    assert journal.memory_path.read_bytes() == b"- ES256"
    assert journal.versions()[0].path.read_text("utf-8") == "- RS256"
    assert marks == [("cli:42", 4)]
    assert outcome._replace(facts=(), seconds=0) == (
        "model", ENTRY, True, (), 4, True, (), None, 0,
    )  # fmt: skip
    [fact] = outcome.facts
    assert fact.content == "Tokens are signed with ES256."
    assert fact.created_at == talk(4)[-1].time
    assert 0 < outcome.seconds < 5


@pytest.mark.parametrize(
    "messages", [[], list, [Message(1, "user", " "), Message(2, "tool", "")]], ids=["no", "none", "blank"]
)
def test_no_messages_no_call(tmp_path, messages):
    """Without anything said nothing is asked, written or marked."""
    journal = journal_in(tmp_path)
    marks: list[tuple[str, int]] = []
    outcome = run(journal, messages, done=lambda *m: marks.append(m))
    assert (outcome.how, outcome.up_to, outcome.marked) == ("nothing", 0, False)
    assert (history(journal), marks) == ("", [])


def test_a_journal_that_is_off(tmp_path):
    """Nothing is asked or written, and the outcome says why."""
    journal = journal_in(tmp_path)
    outcome = run(journal, talk(), settings=SETTINGS._replace(enabled=False))
    assert (outcome.how, outcome.notes) == ("nothing", ("the journal is off",))
    assert not journal.folder.exists()


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
    journal = journal_in(tmp_path)
    log, marked = talk(6), [0]

    def rest():
        return [m for m in log if m.seq > marked[0]]

    def done(session, up_to):
        marked[0] = up_to

    outcomes = []

    def one():
        outcomes.append(consolidate(journal, rest, None, SETTINGS, session_id="s", done=done))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.how for outcome in outcomes) == ["extract", "nothing", "nothing", "nothing"]
    assert sum(1 for _ in entries(journal.folder)) == 1


def test_an_edit_while_the_model_thinks_stays(tmp_path):
    """What a person saved during the call stays whole; the model's update is kept aside and told."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256\n- tabs")

    def slow(call):
        journal.memory_path.write_text("- RS256\n- tabs\n- my own line\n", "utf-8")
        return answer(memory="- ES256\n- tabs")

    outcome = run(journal, talk(), slow)
    assert journal.read_memory().text == "- RS256\n- tabs\n- my own line"
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
    assert outcome.notes == ("MEMORY.md is not UTF-8 from byte 3 on; it was not changed",)
    assert aside(journal) == ["MEMORY.md is not UTF-8 from byte 3 on; it was not changed\n\n- ES256\n"]


def test_threads_start_from_each_others_result(tmp_path):
    """Eight at once, each adding a line to what it is shown: all eight lines and entries are there."""
    journal = journal_in(tmp_path)
    threads = [threading.Thread(target=adding, args=(journal, f"session {number}")) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(journal.read_memory().text.split("\n")) == [f"- session {n}" for n in range(8)]
    assert sorted(e.text for e in entries(journal.folder)) == [f"Did session {n}." for n in range(8)]


def adding(journal, name):
    """Consolidate one message with a model that adds a line to the memory it is shown."""

    def add(call):
        prompt = call.messages[0].content
        shown = prompt.split("## Current Long-term Memory\n\n")[1].split("\n\n## Conversation")[0]
        time.sleep(0.01)
        lines = [] if shown == "(empty)" else [shown]
        return answer(f"Did {name}.", "\n".join([*lines, f"- {name}"]))

    return consolidate(journal, talk(1), ScriptedModel([add]), SETTINGS, session_id=name)


WORKER = """
import sys
from datetime import UTC
from pathlib import Path
from remora.core.clock import SystemClock
from remora.journal.files import Journal
from tests.journal.test_consolidate import adding

journal = Journal(Path(sys.argv[1]) / "memory", SystemClock(), UTC)
for number in range(5):
    assert adding(journal, f"{sys.argv[2]}-{number}").how == "model"
"""


@pytest.mark.slow
def test_processes_start_from_each_others_result(tmp_path):
    """Three processes, five consolidations each: no line of the memory and no entry is lost or doubled."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path), name], env=ENVIRONMENT, stderr=subprocess.PIPE
        )
        for name in "abc"
    ]
    for worker in workers:
        _, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, err.decode()
    journal = journal_in(tmp_path)
    names = [f"{name}-{number}" for name in "abc" for number in range(5)]
    assert sorted(journal.read_memory().text.split("\n")) == [f"- {name}" for name in names]
    assert sorted(e.text for e in entries(journal.folder)) == [f"Did {name}." for name in names]
    assert history(journal).count("\n## ") == 15


def test_waiting_does_not_count_against_the_model(tmp_path):
    """A consolidation that waited longer than the model's limit still has all of the limit."""
    journal = journal_in(tmp_path)
    settings = SETTINGS._replace(consolidation_timeout=0.4)
    release = threading.Event()
    first = threading.Thread(
        target=lambda: run(journal, talk(1), lambda _: answer() if release.wait(10) else "")
    )
    first.start()
    while not (journal.folder / f"{TURN}.lock").exists():
        time.sleep(0.005)
    timer = threading.Timer(0.6, release.set)
    timer.start()
    model = ScriptedModel([answer("Second.", "- ES256")])
    outcome = consolidate(journal, talk(1, first=2), model, settings, sleep=no_sleep)
    first.join()
    timer.join()
    assert outcome.how == "model"
    assert (model.calls[0].timeout or 0) > 0.3


def test_a_turn_that_does_not_come(tmp_path, monkeypatch):
    """Who waits too long learns it; nothing was written and nobody marked."""
    journal = journal_in(tmp_path)
    journal.folder.mkdir()
    marks: list[tuple[str, int]] = []
    monkeypatch.setattr("remora.journal.consolidate._TURN_SLACK", 0.05)
    settings = SETTINGS._replace(consolidation_timeout=0.0)
    with lock(journal.folder / TURN), pytest.raises(StoreBusy):
        run(journal, talk(), settings=settings, done=lambda *m: marks.append(m))
    assert (history(journal), marks) == ("", [])


def test_a_hung_model_holds_nobody_up_for_good(tmp_path):
    """After its limit the conversation's end is kept raw, and the next one has its turn."""
    journal = journal_in(tmp_path)
    release = threading.Event()
    settings = SETTINGS._replace(consolidation_timeout=0.05)
    try:
        outcome = run(journal, talk(), lambda _: answer() if release.wait(30) else "", settings=settings)
    finally:
        release.set()
    assert outcome.how == "raw-fallback"
    assert run(journal, talk(1, first=5), answer()).how == "model"
    assert [e.text.split("]")[0] for e in entries(journal.folder)] == ["[raw-fallback", "[2026-02-27 14:30"]


@pytest.mark.parametrize("how", ["in place", "anew"])
def test_an_edit_at_the_very_moment_of_the_write_stays(tmp_path, monkeypatch, how):
    """The new text is on the disk before the last look, and the old file is looked at once more after it."""
    journal = journal_in(tmp_path)
    journal.write_memory("- RS256\n- tabs")
    sync, path = files._sync, journal.memory_path
    saved: list[int] = []

    def save(descriptor):
        sync(descriptor)
        if not saved:
            saved.append(1)
            if how == "anew":
                (tmp_path / "mine").write_text("- RS256\n- tabs\n- mine\n", "utf-8")
                (tmp_path / "mine").replace(path)
            else:
                path.write_text("- RS256\n- tabs\n- mine\n", "utf-8")

    thinking = answer(memory="- ES256\n- tabs")

    def model(call):
        monkeypatch.setattr(files, "_sync", save)
        return thinking

    outcome = run(journal, talk(), model)
    assert saved
    assert journal.read_memory().text == "- RS256\n- tabs\n- mine"
    assert outcome.kept_aside is not None


def test_a_memory_that_became_shorter_is_told(tmp_path):
    """It is kept as it was, and the outcome says so; a small one must keep a quarter."""
    journal = journal_in(tmp_path)
    facts = "\n".join(f"- fact {n} about the ledger and the invoices of part {n}" for n in range(20))
    journal.write_memory(facts)
    outcome = run(journal, talk(), lambda _: answer(memory="\n".join(facts.splitlines()[:14])))
    assert outcome.memory_changed
    assert "the memory became shorter" in outcome.notes[0]
    assert [kept.path.read_text("utf-8") for kept in journal.versions()] == [facts]
    journal.write_memory("- a fact of some length\n" * 8)
    outcome = run(journal, talk(), lambda _: answer(memory="- x"))
    assert not outcome.memory_changed
