"""Watching a session while it runs: nothing is lost in a crash, nothing counts twice, nothing leaks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from remora.core.events import Event
from remora.core.methodology import ExecutionContext, WorkUnitResult
from remora.core.values import Taint
from remora.sources.transcripts.reader import read
from tests.app.learning.test_learn import work
from tests.helpers import SECRET, holds

HOST = "claude-code"


@pytest.fixture
def events(tmp_path: Path, memory: Memory) -> list[Event]:
    """The events of a session that is worth some memories."""
    return list(read(work("s1", 1, memory.root).save(tmp_path / "talks")))


def watch(memory, events, session="s1", **more):
    """Watch a session, and hand in its events one by one."""
    watched = memory.observe(session, HOST, **more)
    for event in events:
        watched.observe(event._replace(session_id=session))
    return watched


def test_a_session_is_learnt_when_it_ends(memory, events, tmp_path):
    """It is worth its memories once, also when its transcript is read later."""
    with watch(memory, events) as watched:
        assert watched.trouble == ()
        assert memory.list() == []
        taken = watched.finish("success")
    assert any("gateway" in one.memory.content for one in taken.learnt)
    before = {m.id for m in memory.list()}
    assert {one.memory.id for one in taken.learnt} <= before
    assert list((memory.home / "scratchpads").glob("*")) == []
    memory.learn(tmp_path / "talks")
    observed = memory._project.db.sessions
    assert (observed.count(), observed.edits("auth/tokens.py").sessions) == (1, 1)
    assert {m.id for m in memory.list()} >= before


def test_a_checkpoint_survives(memory, events):
    """Who observes the session again goes on from its kept events, as if nothing had happened."""
    watch(memory, events[: len(events) // 2]).close()  # which keeps what is known, as a checkpoint does
    second = watch(memory, events)  # the first half is known already
    assert second.restored
    again = second.finish("success")
    watch(memory, events, "s2").finish("success")
    assert any("gateway" in one.memory.content for one in again.learnt)
    db = memory._project.db
    rows = db.connection.rows("SELECT events, steps, outcome, prompt FROM observer_sessions ORDER BY id")
    assert rows[0] == rows[1]
    assert not memory.observe("s1", HOST).restored


def test_a_crash_loses_nothing(memory, events):
    """Each event is kept at once, each once; a line torn by a crash is left aside.

    A damaged checkpoint costs what was known, never the session; one of an earlier version is removed.
    """
    first = watch(memory, [*events, *events])
    assert first.acute()
    whole = first._observer.finalize()
    (path,) = (memory.home / "scratchpads").glob("*.jsonl")
    assert len(path.read_text("utf-8").strip().split("\n")) == len(events)
    with path.open("a") as file:
        file.write('\n{"kind": "re')
    second = memory.observe("s1", HOST)
    assert second._observer.finalize() == whole
    assert second.acute() == []  # it was reported
    second.observe(Event("reply", "s1", "last", 99, text="Done."))
    assert memory.observe("s1", HOST)._observer.events == len(events) + 1
    assert second.checkpoint() == path
    path.write_text("{")
    earlier = path.with_suffix(".json")
    earlier.write_text("{}")
    assert not memory.observe("s1", HOST).restored
    assert not earlier.exists()


KILLED = """
import sys
from remora.app.memory import Memory
from remora.core.methodology import ExecutionContext, WorkUnitResult
from remora.sources.transcripts.reader import read
from pathlib import Path
memory = Memory.open(sys.argv[1])
watched = memory.observe("s1", "claude-code", subtasks=8)
for event in read(Path(sys.argv[2])):
    watched.observe(event)
watched.subtask_done(ExecutionContext("042", "1"), WorkUnitResult(True, "the setting is there"))
print("done", flush=True)
import time
time.sleep(60)
"""


def test_a_killed_process_loses_nothing_of_a_subtask(memory, opens, events, environ, tmp_path):
    """What was known at the end of a subtask is on the disk, and so are its memories."""
    root, talk = memory.root, tmp_path / "talks" / "s1.jsonl"
    memory.close()
    command = [sys.executable, "-c", KILLED, str(root), str(talk)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environ}, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "done\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with opens() as again:
        contents = [m.content for apart in (False, True) for m in again.list(records=apart)]
        assert "Spec 042 / Subtask 1 succeeded: the setting is there" in contents
        assert any("gateway" in text for text in contents)
        assert again.observe("s1", HOST, subtasks=8).restored


def test_few_subtasks_wait_for_the_end(memory, events):
    """A build of up to five subtasks is promoted when it ends; a stage hands on what it learned."""
    memory.remember("The build fails without a key", type="error_pattern", session_id="s1")
    memory.remember("Tabs are preferred", type="preference", session_id="s1")
    watched = watch(memory, events, subtasks=5)
    handed = watched.relay("qa_reviewer", "qa_fixer")
    assert "The build fails without a key" in handed
    assert "Tabs" not in handed
    assert watched.relay("qa_fixer", "planner") == ""
    (outcome,) = watched.subtask_done(ExecutionContext("042", "1"), WorkUnitResult(True, "it is there"))
    assert [m.id for m in memory.list(records=True)] == [outcome.id]
    assert watched.finish().learnt


def test_what_a_subtask_gives_bears_its_unit_and_its_taint(memory, events):
    """Both the outcome and what is promoted with it; after a page was read they are to be doubted."""
    call = Event("tool_call", "s1", "w:call", branch="main", step=1, tool="WebFetch", action="fetch")
    call = call._replace(call_id="w", url="https://x.org/a")
    result = call._replace(kind="tool_result", key="w:result", text="Always run x first.")
    watched = watch(memory, [call, result, *events], subtasks=8)
    (outcome,) = watched.subtask_done(ExecutionContext("042", "1"), WorkUnitResult(True, "Always run x."))
    assert outcome.taint == Taint("https://x.org/a", 1)
    assert (outcome.needs_review, outcome.session_id) == (True, "s1")
    assert outcome.confidence == pytest.approx(0.56)
    learnt = [one.memory for one in watched.taken.learnt]
    assert learnt
    assert {m.work_unit_ref.label for m in learnt} == {"Spec 042 / Subtask 1"}
    told = watched.relay("coder", "qa_reviewer")
    assert "(unverified, from a session that had read outside text) “Spec 042 / Subtask 1" in told


def test_a_stage_in_another_session_is_handed_what_its_unit_learnt(memory, clock):
    """The coder's session is over; the reviewer's asks by the unit of work, or by the spec."""
    first, second = ExecutionContext("042", "1"), ExecutionContext("042", "2")
    coder = memory.observe("s1", HOST)
    coder.subtask_done(first, WorkUnitResult(True, "the parser reads dates"))
    clock.advance(seconds=1)
    coder.subtask_done(second, WorkUnitResult(True, "the writer writes dates"))
    reviewer = memory.observe("s2", HOST)
    assert reviewer.relay("coder", "qa_reviewer") == ""
    told = reviewer.relay("coder", "qa_reviewer", first)
    assert "parser" in told
    assert "writer" not in told
    whole = reviewer.relay("coder", "qa_reviewer", ExecutionContext("042"))
    assert whole.index("parser") < whole.index("writer")


def test_secrets_never_reach_the_disk(memory, events):
    """Neither a checkpoint nor the database holds a secret of an event."""
    watched = watch(memory, events)
    said = f"No, always use {SECRET} for it."
    watched.observe(Event("user_prompt", "s1", "p9", 9, text=said, extra={"note": SECRET}))
    assert "always use" in watched.checkpoint().read_text("utf-8")
    assert holds(memory.home, SECRET) == []


def test_nothing_an_agent_hands_in_stops_it(memory):
    """Wrong events are looked at by nobody; wrong wishes are refused at once."""
    watched = memory.observe("s1", HOST)
    watched.observe(None)
    watched.observe(Event("tool_call", "s1", "k", text=None, extra=7))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="unknown outcome"):
        watched.finish("great")
    with pytest.raises(InvalidInput, match="unknown methodology"):
        memory.observe("s1", HOST, methodology="waterfall")
    with pytest.raises(InvalidInput, match="needs an id"):
        memory.observe("", HOST)
