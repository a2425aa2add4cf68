"""Whatever crashes between the steps of a consolidation, each step is done once in the end."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import remora
from remora.core.errors import NotFound, StoreError
from remora.journal.consolidate import consolidate, recover_interrupted
from remora.journal.history import entries
from remora.journal.pending import FOLDER, Intent, carry_out, recover
from remora.llm.scripted import ScriptedModel
from tests.journal.made import NOW, SETTINGS, aside, history, journal_in, talk
from tests.journal.made import answer as model_answer

POINTS = ("intent", "history", "month", "memory", "done", "removed")
ENTRY, BASE, UPDATE = "They chose ES256.", "- RS256\n- tabs", "- ES256\n- tabs"
EDITED = "MEMORY.md was edited meanwhile and stays; the update is kept aside"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(remora.__file__).parents[1])}


class Crash(BaseException):
    """The process ends here."""


def crash_at(point):
    """Return a step that crashes after what it names."""

    def step(name):
        if name == point:
            raise Crash

    return step


def intent(**changes):
    """Return an intent of the session cli:42."""
    return Intent("cli:42", 4, True, NOW, ENTRY, BASE, UPDATE)._replace(**changes)


def left(journal):
    """Return the names of intents that are still there."""
    folder = journal.folder / FOLDER
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


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
    """Return a journal with a memory and one older entry."""
    journal = journal_in(tmp_path)
    journal.write_memory(BASE)
    journal.append_history("Older.")
    return journal


def test_the_order_of_the_steps(tmp_path):
    """The intent first, the history, the memory, then the mark, and the intent goes last."""
    journal = begun(tmp_path)
    steps: list[str] = []
    marks: list[tuple[str, int]] = []

    def done(session, up_to):
        marks.append((session, up_to))
        steps.append("mark")

    carried = carry_out(journal, intent(), done, steps.append)
    assert steps == ["intent", "history", "month", "memory", "mark", "done", "removed"]
    assert carried == (True, None, True, ())
    everything_once(journal, marks)


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_after_each_step_is_finished(tmp_path, point):
    """Recovery does what is missing and nothing twice, and doing it again changes nothing."""
    journal = begun(tmp_path)
    marks: list[tuple[str, int]] = []

    def done(*mark):
        marks.append(mark)

    with pytest.raises(Crash):
        carry_out(journal, intent(), done, crash_at(point))
    recovered = recover(journal, done)
    everything_once(journal, marks)
    assert recovered.reached == ({} if point == "removed" else {"cli:42": 4})
    assert recover(journal, done) == ({}, ())
    everything_once(journal, marks)


@pytest.mark.parametrize("point", POINTS[1:-1])
def test_a_crash_while_recovering_is_finished_too(tmp_path, point):
    """However often recovery itself is cut off, everything is there once in the end."""
    journal = begun(tmp_path)
    marks: list[tuple[str, int]] = []

    def done(session, up_to):
        marks.append((session, up_to))

    with pytest.raises(Crash):
        carry_out(journal, intent(), done, crash_at("intent"))
    for _ in range(2):
        with pytest.raises(Crash):
            recover(journal, done, crash_at(point))
    recover(journal, done)
    everything_once(journal, marks)


@pytest.mark.parametrize("name", ["HISTORY.md", "HISTORY-2026-02.md"])
def test_an_entry_cut_off_at_any_byte_is_completed(tmp_path, name):
    """A part of the entry at the end of a file gives way to the whole."""
    journal = begun(tmp_path)
    before = (journal.folder / name).read_bytes()
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("month"))
    whole = (journal.folder / name).read_bytes()
    [saved] = (journal.folder / FOLDER).iterdir()
    kept = saved.read_bytes()
    for cut in range(len(before), len(whole) + 1):
        (journal.folder / name).write_bytes(whole[:cut])
        saved.write_bytes(kept)
        recover(journal, lambda *_: None)
        assert (journal.folder / name).read_bytes() == whole


def test_what_a_person_made_of_the_history_stays(tmp_path):
    """A part of the entry with something behind it stays; other line ends do not cause a second entry."""
    journal = begun(tmp_path)
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("intent"))
    with journal.history_path.open("a") as file:
        file.write("\n## 2026-02-27T14:30:00.000Z\nThey cho\nmy own line\n")
    with pytest.raises(Crash):
        recover(journal, lambda *_: None, crash_at("memory"))
    journal.history_path.write_bytes(journal.history_path.read_bytes().replace(b"\n", b"\r\n"))
    recover(journal, lambda *_: None)
    assert "my own line" in history(journal)
    assert history(journal).count(ENTRY) == 1


def test_an_edit_between_crash_and_recovery_stays(tmp_path):
    """What a person made of the memory meanwhile stays whole; the update is kept aside."""
    journal = begun(tmp_path)
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("month"))
    journal.memory_path.write_text(BASE + "\n- my own line", "utf-8")
    recovered = recover(journal, lambda *_: None)
    assert journal.read_memory().text == BASE + "\n- my own line"
    assert EDITED in recovered.notes
    assert aside(journal) == [f"{EDITED}\n\n{UPDATE}\n"]


def test_an_edit_after_the_memory_was_written_stays(tmp_path):
    """A memory that was written and then edited by hand keeps the edit."""
    journal = begun(tmp_path)
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("memory"))
    journal.memory_path.write_text(UPDATE + "\n- my own line", "utf-8")
    recover(journal, lambda *_: None)
    assert journal.read_memory().text == UPDATE + "\n- my own line"


def test_a_memory_that_cannot_be_read_is_not_replaced(tmp_path):
    """The update is kept aside, the history has its entry, and the note says why."""
    journal = begun(tmp_path)
    journal.memory_path.write_bytes(b"caf\xe9")
    carried = carry_out(journal, intent(), lambda *_: None, lambda _: None)
    assert journal.memory_path.read_bytes() == b"caf\xe9"
    assert UPDATE in aside(journal)[0]
    assert "not UTF-8" in carried.notes[0]
    assert history(journal).count(ENTRY) == 1


def test_a_session_that_cannot_be_marked_is_marked_later(tmp_path):
    """A failing mark is told, undoes nothing, and is all that a later recovery does."""
    journal = begun(tmp_path)

    def gone(session, up_to):
        raise NotFound(f"no session {session}")

    carried = carry_out(journal, intent(), gone, lambda _: None)
    assert not carried.marked
    assert carried.notes == ("cli:42 could not be marked as consolidated up to 4: no session cli:42",)
    assert len(left(journal)) == 1
    journal.write_memory("- written since")
    assert recover(journal, None).reached == {"cli:42": 4}  # nobody to mark it: still there
    marks: list[tuple[str, int]] = []
    recover(journal, lambda *mark: marks.append(mark))
    assert marks == [("cli:42", 4)]
    assert journal.read_memory().text == "- written since"
    assert history(journal).count(ENTRY) == 1
    assert left(journal) == []


def test_an_error_of_the_callers_own_comes_out(tmp_path):
    """What `done` raises beyond our errors is not swallowed, and recovery still marks the session."""
    journal = begun(tmp_path)

    def broken(session, up_to):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        carry_out(journal, intent(), broken, lambda _: None)
    marks: list[tuple[str, int]] = []
    recover(journal, lambda *mark: marks.append(mark))
    everything_once(journal, marks)


def test_an_entry_that_no_file_takes_leaves_nothing_behind(tmp_path):
    """Where neither history file can be written the session is not marked and the memory not changed."""
    journal = journal_in(tmp_path)
    journal.write_memory(BASE)
    for path in journal.history_of(NOW):
        path.mkdir()
    marks: list[tuple[str, int]] = []
    with pytest.raises(StoreError):
        carry_out(journal, intent(), lambda *mark: marks.append(mark), lambda _: None)
    assert marks == []
    assert left(journal) == []
    assert journal.read_memory().text == BASE


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b'{"session": 1}', b"\xff", json.dumps({"time": "x"}).encode()]
)
def test_a_damaged_intent_stops_nothing(tmp_path, damage):
    """It is put aside under another name and told once; the next one is carried out."""
    journal = begun(tmp_path)
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("intent"))
    (journal.folder / FOLDER / "0-damaged.json").write_bytes(damage)
    marks: list[tuple[str, int]] = []
    recovered = recover(journal, lambda *mark: marks.append(mark))
    assert "0-damaged.json is damaged" in recovered.notes[0]
    assert left(journal) == ["0-damaged.damaged"]
    assert history(journal).count(ENTRY) == 1
    assert marks == [("cli:42", 4)]
    assert recover(journal, None).notes == ()


def test_the_next_consolidation_finishes_first(tmp_path):
    """Messages of the interrupted one are not consolidated twice; later ones are."""
    journal = begun(tmp_path)
    with pytest.raises(Crash):
        carry_out(journal, intent(), None, crash_at("history"))
    marks: list[tuple[str, int]] = []
    model = ScriptedModel([model_answer("They went on.", "- ES256\n- tabs\n- more")])
    outcome = consolidate(
        journal, talk(6), model, SETTINGS, session_id="cli:42", done=lambda *mark: marks.append(mark)
    )
    said = model.calls[0].messages[0].content
    assert "message 4" not in said
    assert "message 5" in said
    assert UPDATE in said  # it starts from what the interrupted one wrote
    assert marks == [("cli:42", 4), ("cli:42", 6)]
    assert outcome.notes[0] == "a consolidation of cli:42 was finished"
    assert [e.text for e in entries(journal.folder)] == ["Older.", ENTRY, "They went on."]
    assert journal.read_memory().text == "- ES256\n- tabs\n- more"


KILLED = """
import os
import sys
from datetime import UTC
from pathlib import Path
from remora.core.clock import FixedClock
from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.consolidate import consolidate
from remora.journal.files import Journal
from remora.llm.scripted import ScriptedModel

folder, point, answer = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def done(session, up_to):
    with (folder / "marks").open("a") as file:
        file.write(f"{session} {up_to}\\n")

def step(name):
    if name == point:
        os.kill(os.getpid(), 9)

consolidate(
    Journal(folder / "memory", FixedClock("2026-02-27T14:30:00.000Z"), UTC),
    [Message(n, "user", f"message {n}") for n in (1, 2, 3, 4)],
    ScriptedModel([answer]),
    JournalSettings(),
    session_id="cli:42",
    done=done,
    step=step,
)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("point", ["intent", "month", "done"])
def test_a_killed_process_is_finished_by_another(tmp_path, point):
    """A process that is killed after a step leaves a journal that another one completes."""
    journal = begun(tmp_path)
    killed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), point, model_answer(ENTRY, UPDATE)],
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr.decode()
    file = tmp_path / "marks"
    before = file.read_text().split("\n")[:-1] if file.exists() else []
    marks = [(line.split()[0], int(line.split()[1])) for line in before]
    recover_interrupted(journal, lambda *mark: marks.append(mark))
    everything_once(journal, marks)


BUSY = """
import os
import re
import sys
from datetime import UTC
from pathlib import Path
from remora.core.clock import SystemClock
from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.consolidate import consolidate
from remora.journal.files import Journal
from remora.llm.scripted import ScriptedModel
from tests.journal.made import answer

folder = Path(sys.argv[1])

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
    shown = call.messages[0].content.split("## Current Long-term Memory\\n\\n")[1].split("\\n\\n## Conv")[0]
    lines = ([] if shown == "(empty)" else [shown]) + [f"- {n}" for n in numbers]
    return answer("Said: " + " ".join(numbers), "\\n".join(lines))

journal = Journal(folder / "memory", SystemClock(), UTC)
while True:
    def rest():
        first = marked() + 1
        return [Message(n, "user", f"message {n}") for n in (first, first + 1)]
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
        worker = subprocess.Popen(
            [sys.executable, "-c", BUSY, str(tmp_path)],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(moments.uniform(0.02, 0.12))
        worker.kill()
        _, err = worker.communicate()
        assert err == b""
    journal = journal_in(tmp_path)
    marks: list[tuple[str, int]] = []
    recover_interrupted(journal, lambda *mark: marks.append(mark))
    said = [int(n) for e in entries(journal.folder) for n in e.text.removeprefix("Said: ").split()]
    last = max([up_to for _, up_to in marks], default=int((tmp_path / "marks").read_text().split()[-1]))
    assert last >= 2 * kills
    assert sorted(said) == list(range(1, last + 1))
    assert journal.read_memory().text.split("\n") == [f"- {n}" for n in range(1, last + 1)]
    assert len(history(journal).split("\n## ")) - 1 == last / 2
