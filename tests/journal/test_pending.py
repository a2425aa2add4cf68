"""Whatever crashes between the steps of a consolidation, each step is done once in the end."""

from __future__ import annotations

import random
import sys
import time

import pytest

from remora.core.errors import NotFound, StoreError
from remora.core.history_entries import HISTORY
from remora.disk.files import append_line
from remora.journal import pending
from remora.journal.consolidate import consolidate, recover_interrupted
from remora.journal.files import Journal
from remora.journal.history import entries
from remora.journal.pending import FOLDER, Intent, carry_out, recover
from remora.llm.scripted import ScriptedModel
from tests.journal.made import NOW, SETTINGS, Marks, answer, aside, history, journal_in, start, talk

POINTS = ("history", "month", "memory", "done")  # what a crash comes before
ENTRY, BASE, UPDATE = "They chose ES256.", "- RS256\n- tabs", "- ES256\n- tabs"
EDITED = "MEMORY.md was edited meanwhile and stays; the update is kept aside"


class Crash(BaseException):
    """The process ends here."""


def crash(*_):
    """End the process."""
    raise Crash


def intent():
    """Return an intent of the session cli:42."""
    return Intent("cli:42", 4, NOW, ENTRY, BASE, UPDATE)


def left(journal):
    """Return the names of intents that are still there."""
    return sorted(path.name for path in (journal.folder / FOLDER).glob("*"))


def everything_once(journal, marks):
    """Check that the entry, the memory and the mark are there, each once."""
    assert history(journal).count(ENTRY) == 1
    assert (journal.folder / "HISTORY-2026-02.md").read_text("utf-8").count(ENTRY) == 1
    assert [e.text for e in entries(journal.folder) if "ES256" in e.text] == [ENTRY]
    assert journal.read_memory().text == UPDATE
    assert marks[-1:] == [("cli:42", 4)]
    assert set(marks) == {("cli:42", 4)}
    assert left(journal) == []


def begun(tmp_path):
    """Return a journal with a memory and one older entry, and a list for marks."""
    journal = journal_in(tmp_path)
    journal.write_memory(BASE)
    journal.append_history("Older.")
    return journal, Marks()


def crash_before(point, patch, marks):
    """Let a consolidation crash before a step; return what marks its session."""
    if point == "history":
        patch.setattr(pending, "append_line", crash)
    elif point == "month":
        patch.setattr(
            pending, "append_line", lambda p, b: append_line(p, b) if p.name == HISTORY else crash()
        )
    elif point == "memory":
        patch.setattr(Journal, "change_memory", crash)
    return crash if point == "done" else marks


def crashed(tmp_path, monkeypatch, point):
    """Return a journal whose consolidation crashed before a step, and a list for marks."""
    journal, marks = begun(tmp_path)
    with monkeypatch.context() as patch, pytest.raises(Crash):
        carry_out(journal, intent(), crash_before(point, patch, marks))
    return journal, marks


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_before_each_step_is_finished(tmp_path, monkeypatch, point):
    """Recovery does what is missing and nothing twice, and doing it again changes nothing."""
    journal, marks = crashed(tmp_path, monkeypatch, point)
    recovered = recover(journal, marks)
    everything_once(journal, marks)
    assert recovered.reached == {"cli:42": 4}
    assert recover(journal, marks) == ({}, ())
    everything_once(journal, marks)


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_while_recovering_is_finished_too(tmp_path, monkeypatch, point):
    """However often recovery itself is cut off, everything is there once in the end."""
    journal, marks = crashed(tmp_path, monkeypatch, "history")
    for _ in range(2):
        with monkeypatch.context() as patch, pytest.raises(Crash):
            recover(journal, crash_before(point, patch, marks))
    recover(journal, marks)
    everything_once(journal, marks)


@pytest.mark.parametrize(("point", "text"), [("memory", BASE), ("done", UPDATE)])
def test_an_edit_between_crash_and_recovery_stays(tmp_path, monkeypatch, point, text):
    """What a person made of the memory meanwhile stays, and the update is kept aside."""
    journal, marks = crashed(tmp_path, monkeypatch, point)
    journal.memory_path.write_text(text + "\n- my own line", "utf-8")
    recovered = recover(journal, marks)
    assert journal.read_memory().text == text + "\n- my own line"
    assert EDITED in recovered.notes
    assert aside(journal) == [f"{EDITED}\n\n{UPDATE}\n"]


@pytest.mark.parametrize("error", [NotFound("no session cli:42"), ZeroDivisionError()])
def test_a_session_that_cannot_be_marked_is_marked_later(tmp_path, error):
    """A failing mark is told, or comes out if it is no error of ours; a later recovery marks."""
    journal, marks = begun(tmp_path)

    def failing(session, up_to):
        raise error

    if isinstance(error, NotFound):
        carried = carry_out(journal, intent(), failing)
        assert carried.notes == ("cli:42 could not be marked as consolidated up to 4: no session cli:42",)
    else:
        with pytest.raises(ZeroDivisionError):
            carry_out(journal, intent(), failing)
    assert len(left(journal)) == 1
    assert journal.read_memory().text == UPDATE
    recover(journal, marks)
    assert marks == [("cli:42", 4)]
    for path in journal.history_of(NOW):
        assert path.read_text("utf-8").count(ENTRY) == 1
    assert left(journal) == []


def test_an_entry_that_a_file_does_not_take_comes_later(tmp_path):
    """Where a history file cannot be written the session is not marked, until it can be."""
    journal, marks = begun(tmp_path)
    month = journal.history_of(NOW)[1]
    kept = month.rename(month.with_suffix(".old"))
    month.mkdir()
    with pytest.raises(StoreError):
        carry_out(journal, intent(), marks)
    with pytest.raises(StoreError):
        recover(journal, marks)
    assert (marks, journal.read_memory().text) == ([], BASE)
    month.rmdir()
    kept.rename(month)
    recover(journal, marks)
    everything_once(journal, marks)


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"session": 1}', b"\xff"])
def test_a_damaged_intent_stops_nothing(tmp_path, monkeypatch, damage):
    """It stays and is told; the next one is carried out."""
    journal, marks = crashed(tmp_path, monkeypatch, "history")
    (journal.folder / FOLDER / "0-damaged.json").write_bytes(damage)
    recovered = recover(journal, marks)
    assert "0-damaged.json is damaged" in recovered.notes[0]
    assert left(journal) == ["0-damaged.json"]
    assert history(journal).count(ENTRY) == 1
    assert marks == [("cli:42", 4)]


def test_the_next_consolidation_finishes_first(tmp_path, monkeypatch):
    """Messages of the interrupted one are not consolidated twice; later ones are."""
    journal, marks = crashed(tmp_path, monkeypatch, "month")
    model = ScriptedModel([answer("They went on.", "- ES256\n- tabs\n- more")])
    outcome = consolidate(journal, talk(6), model, SETTINGS, session_id="cli:42", done=marks)
    said = model.calls[0].messages[0].content
    assert "message 4" not in said
    assert "message 5" in said
    assert UPDATE in said  # it starts from what the interrupted one wrote
    assert marks == [("cli:42", 4), ("cli:42", 6)]
    assert outcome.notes[0] == "a consolidation of cli:42 was finished"
    assert [e.text for e in entries(journal.folder)] == ["Older.", ENTRY, "They went on."]
    assert journal.read_memory().text == "- ES256\n- tabs\n- more"


BUSY = """
def marked():
    marks = folder / "marks"
    return max([int(m) for m in marks.read_text().split()], default=0) if marks.exists() else 0

def done(session, up_to):
    with (folder / "marks").open("a") as file:
        file.write(f"{up_to}\\n")
        file.flush()
        os.fsync(file.fileno())

def reply(call):
    numbers = re.findall("message ([0-9]+)", call.messages[0].content)
    return answer("Said: " + " ".join(numbers), longer_memory(call, *numbers))

def rest():
    first = marked() + 1
    return [Message(n, "user", f"message {n}") for n in (first, first + 1)]

while True:
    consolidate(journal, rest, ScriptedModel([reply]), JournalSettings(), session_id="s", done=done)
    print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_processes_killed_at_any_moment(tmp_path):
    """However often a process is killed at its work, every message is in one entry and in the memory once."""
    kills = 4
    moments = random.Random(7)
    for _ in range(kills):
        worker = start(BUSY, tmp_path)
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(moments.uniform(0.02, 0.12))
        worker.kill()
        assert worker.communicate()[1] == ""
    journal, marks = journal_in(tmp_path), Marks()
    recover_interrupted(journal, marks)
    said = [int(n) for e in entries(journal.folder) for n in e.text.removeprefix("Said: ").split()]
    last = max([up_to for _, up_to in marks], default=int((tmp_path / "marks").read_text().split()[-1]))
    assert last >= 2 * kills
    assert sorted(said) == list(range(1, last + 1))
    assert journal.read_memory().text.split("\n") == [f"- {n}" for n in range(1, last + 1)]
    assert len(history(journal).split("\n## ")) - 1 == last / 2
