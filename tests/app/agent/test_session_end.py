"""What follows a session: taken in once, when it is over, whatever else happens meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import remora
from remora import Memory
from remora.app.agent import session_end as finished
from remora.app.agent.injection_log import injections_of
from remora.app.agent.session_end import bounded_work, work
from remora.app.project.open_project import OpenProject
from remora.core import moments
from remora.disk.files import lock
from remora.disk.live import ENDLESS, IDLE, KEPT, QUIET, Head, Line
from remora.llm import providers
from remora.llm.scripted import ScriptedModel
from remora.store.injections import Injection
from tests.app.hooked import Hooked, ago
from tests.app.learning.test_learn import work as talk_of
from tests.helpers import Repo

HEAD = Head("h", "s1", "/w", "/home", limits=(0.65, 3, 2000, 40, 16000, 5))


@pytest.fixture
def hooked(repo: Repo, environ: dict[str, str], tmp_path: Path) -> Hooked:
    """A session with a transcript, which has begun and in which something was done."""
    found = Hooked(repo.root, environ)
    found.transcript = str(talk_of("s1", 1, repo.root).save(tmp_path / "talks"))
    found.start()
    found.prompt("Please make the token lifetime a setting of the server")
    found.run("make lint", "Exit code 1", failed=True)
    return found


def over(hooked: Hooked, session: str) -> Hooked:
    """Return another session of the project, which has begun and ended."""
    found = Hooked(hooked.root, hooked.environ, session=session)
    found.start()
    found.end()
    return found


def problems(environ: dict[str, str], rested: Hooked | None = None, seconds: float = 0) -> list[str]:
    """Do the work, after a session has rested for so long; return what was wrong with each that was due."""
    if rested is not None:
        ago(rested.path, seconds)
    return [one.problem for one in work(environ)]


def journal(repo: Repo, environ: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the lines of the daily notes and the entries of the history."""
    with Memory.open(repo.root, environ=environ, read_only=True) as memory:
        days = [memory.journal.day(day).splitlines() for day in memory.journal.days()]
        notes = [line for lines in days for line in lines if line]
        return notes, [entry.text for entry in memory.journal.history()]


def kept(repo: Repo, environ: dict[str, str]) -> tuple[int, int, int]:
    """Return how many sessions were learned, and noted in a day and in the history."""
    notes, entries = journal(repo, environ)
    with Memory.open(repo.root, environ=environ, read_only=True) as memory:
        return memory._project.db.sessions.count(), len(notes), len(entries)


def go_on(repo: Repo, tmp_path: Path) -> None:
    """Let the session's transcript grow by a request."""
    talk = talk_of("s1", 1, repo.root).user("now the tests").edit("auth/test_tokens.py")
    talk.reply("There is a test now.").save(tmp_path / "talks")


def line(kind: str, **more: Any) -> Line:
    """Return a line of a live file."""
    return {"k": kind, "at": 1_772_366_400_000, **more}


def said(trigger: str, **more: Any) -> Line:
    """Return a line at which something was said."""
    return line(more.pop("k", "before"), said=["m1"], t=trigger, w="why", x="text", **more)


def test_a_session_that_ended_is_learnt_once(hooked, repo, environ, tmp_path):
    """Its transcript, a daily note and an entry of the history, once, also where the session goes on."""
    hooked.end()
    assert [(one.session, one.problem) for one in work(environ)] == [("claude-code:s1", "")]
    assert hooked.kinds[-2:] == ["noted", "learnt"]
    before = journal(repo, environ)
    ((noted,), (entry,)) = before
    assert "Please make the token lifetime a setting" in noted
    assert "claude-code, build, success" in entry
    assert "auth/tokens.py" in entry
    assert work(environ) == []
    with hooked.path.open("r+b") as file:  # as if the process had died before its last line
        data = file.read()
        file.truncate(data.rindex(b'{"k":"learnt"'))
    assert len(work(environ)) == 1
    assert journal(repo, environ) == before
    hooked.start("resume")
    hooked.prompt("now the tests")
    assert work(environ) == []
    go_on(repo, tmp_path)
    hooked.end()
    assert len(work(environ)) == 1
    assert kept(repo, environ) == (1, 1, 1)


def test_after_sessions_were_learnt_the_model_describes_the_code(hooked, repo, environ, monkeypatch):
    """Where one is configured."""
    model = ScriptedModel(['{"purpose": "Makes tokens.", "edges": []}'] * 9)
    monkeypatch.setattr(providers, "build", lambda *_, **__: model)
    repo.put("auth/tokens.py", "def make(user):\n    return 1\n")
    with Memory.open(repo.root, environ=environ) as memory:
        memory.index()
    hooked.end()
    assert problems({**environ, "REMORA_LLM_PROVIDER": "ollama"}) == [""]
    with Memory.open(repo.root, environ=environ) as memory:
        assert "Makes tokens." in [one.purpose for one in memory.modules()]


# Sessions of which nobody says that they are over


def test_a_session_in_a_pause_is_learnt(hooked, repo, environ):
    """Minutes after its turn ended, where other work begins; the journal has it when it is over."""
    hooked.tell(moments.STOP)
    assert work(environ) == []
    assert problems(environ, hooked, QUIET + 60) == [""]
    assert work(environ) == []
    assert kept(repo, environ) == (1, 0, 0)
    assert problems(environ, hooked, IDLE + 60) == [""]
    assert kept(repo, environ) == (1, 1, 1)
    assert problems(environ, hooked, IDLE + 60) == []


@pytest.mark.parametrize("days", [0, 1])
def test_a_session_that_goes_on_after_a_pause(hooked, repo, environ, tmp_path, monkeypatch, days):
    """It is learned again; the journal has it once, as it ended."""
    noon, begun, later = datetime.now().replace(hour=12).timestamp(), time.monotonic(), 0
    monkeypatch.setattr(time, "time", lambda: noon + time.monotonic() - begun + later)
    hooked.tell(moments.STOP)
    assert problems(environ, hooked, QUIET + 60) == [""]
    later = days * 86_400
    hooked.prompt("now the tests")
    assert problems(environ, hooked, QUIET + 60) == []
    go_on(repo, tmp_path)
    hooked.tell(moments.STOP)
    assert problems(environ, hooked, QUIET + 60) == [""]
    hooked.end()
    assert problems(environ) == [""]
    ((noted,), (entry,)) = journal(repo, environ)
    assert "now the tests" in noted
    assert "now the tests" in entry


def test_work_that_was_left_open_is_known_to_the_next_session(repo, environ):
    """The host never said that the first one was over, and the second one begins some minutes later."""
    first = Hooked(repo.root, environ, "cursor", captures=True)
    first.prompt("Please paginate the list of orders")
    first.edit("orders.py", "page = 1")
    first.run("make test", "test_pages: AssertionError: 9 orders on one page", failed=True)
    first.tell(moments.REPLY, text="The test of the pages still fails.")
    first.tell(moments.STOP)
    assert problems(environ, first, QUIET + 60) == [""]
    second = Hooked(repo.root, environ, "cursor", "s2")
    assert "Failing at the end: `make test`" in second.start().text


def test_a_host_that_never_says_that_a_session_is_over(repo, environ):
    """Whenever somebody looks, what is there up to the last stop is learned."""
    session = Hooked(repo.root, environ, min(ENDLESS), captures=True)
    for _ in range(2):
        session.prompt("Please mend the cart")
        assert work(environ) == []
        session.edit("cart.py")
        session.tell(moments.STOP)
        time.sleep(0.01)
        assert problems(environ) == [""]
        assert work(environ) == []
    assert kept(repo, environ) == (1, 0, 0)


def test_a_session_that_goes_on_while_it_is_learnt(hooked, environ, monkeypatch):
    """The same process takes it up once it is over, and one that ends meanwhile; who comes second leaves."""
    real, again = finished.learn_session, iter((True,))
    other = Hooked(hooked.root, environ, session="a first one by name")

    def slowly(project: OpenProject, head: Head) -> int:
        if next(again, False):
            hooked.start("resume")
            hooked.run("make more")
            hooked.end()
            other.start()
            other.end()
            started = time.monotonic()
            assert work(environ) == []
            assert time.monotonic() - started < 0.5
        return real(project, head)

    hooked.end()
    monkeypatch.setattr(finished, "learn_session", slowly)
    done = [one.session for one in work(environ)]
    assert sorted(done) == [f"claude-code:{other.session}", "claude-code:s1", "claude-code:s1"]
    assert hooked.kinds[-1] == "learnt"
    assert hooked.kinds.count("learnt") == 1
    assert work(environ) == []


def test_two_processes_at_once_learn_everything_once(repo, environ):
    """However many begin together, each session is one process's."""
    for number in range(4):
        over(Hooked(repo.root, environ), f"s{number}")
    with ThreadPoolExecutor(4) as pool:
        found = [one for done in pool.map(work, [environ] * 4) for one in done]
    assert sorted(one.session for one in found) == [f"claude-code:s{number}" for number in range(4)]


def test_a_session_is_noted_on_its_own_day(hooked, repo, environ):
    """A machine may sleep for days before the work is done."""
    then = time.time() - 3 * 86_400
    lines = [json.loads(text) for text in hooked.path.read_text("utf-8").splitlines()]
    hooked.path.write_text("".join(json.dumps({**one, "at": then * 1000}) + "\n" for one in lines))
    assert problems(environ, hooked, 3 * 86_400) == [""]
    with Memory.open(repo.root, environ=environ, read_only=True) as memory:
        assert memory.journal.days() == [memory._project.journal().moment(then).date()]


# What goes wrong


KILLED = """
import os, sys, time
from remora.app.agent import session_end as finished

real = finished.learn_session

def slowly(parts, head):
    learned = real(parts, head)
    print("learned", flush=True)
    time.sleep(30)
    return learned

finished.learn_session = slowly
finished.work(os.environ)
"""


@pytest.mark.slow
def test_work_that_is_killed(hooked, repo, environ):
    """After the session was learned and before it was noted: the next process notes it, once."""
    hooked.end()
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED],
        env={**os.environ, **environ, "PYTHONPATH": str(Path(remora.__file__).parent.parent)},
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"learned\n"
        assert work(environ) == []  # while it runs
        process.kill()
    assert problems(environ) == [""]
    assert work(environ) == []
    assert kept(repo, environ) == (1, 1, 1)
    assert not list(Path(hooked.head.home).glob("*.db-*"))


def test_a_project_that_is_gone(hooked, repo, environ):
    """It is tried again some hours later, and not for ever; others are learned meanwhile."""
    hooked.end()
    shutil.rmtree(repo.root)
    (problem,) = problems(environ)
    assert "does not exist" in problem
    assert hooked.kinds[-1] == "tried"
    assert work(environ) == []
    assert problems(environ, hooked, IDLE + 60) == [problem]
    lines = hooked.path.read_text("utf-8").splitlines()
    first = next(number for number, text in enumerate(lines) if '"tried"' in text)
    lines[first] = json.dumps({"k": "tried", "at": (time.time() - KEPT - 60) * 1000})
    hooked.path.write_text("\n".join(lines) + "\n")
    assert problems(environ, hooked, IDLE + 60) == [problem]
    assert not hooked.path.exists()


def test_one_sessions_trouble_keeps_no_other_waiting(hooked, environ, monkeypatch):
    """Whatever it is: it is told, logged, and the rest goes on."""
    hooked.end()
    over(hooked, "s2")
    real = finished.learn_session
    monkeypatch.setattr(
        finished, "learn_session", lambda m, head: real(m, head) if head.session == "s2" else 1 / 0
    )
    assert [bool(problem) for problem in problems(environ)] == [True, False]
    assert "ZeroDivisionError" in (Path(environ["REMORA_HOME"]) / "hooks.log").read_text()


def test_a_lesson_is_not_lost_to_another_learner(hooked, repo, environ, monkeypatch):
    """While a person's `learn` holds the project, the session is not marked; later it is learned."""
    monkeypatch.setattr("remora.app.learning.learn.lock", lambda path, timeout: lock(path, timeout=0.05))
    hooked.end()
    with lock(Path(hooked.head.home) / "learn"):
        assert "another process is learning" in problems(environ)[0]
    assert hooked.kinds[-1] == "end"
    assert problems(environ) == [""]
    assert kept(repo, environ) == (1, 1, 1)


def test_a_work_tree_that_is_gone(tmp_path, environ):
    """What was done in it belongs to the repository, which is still there."""
    repo = Repo(tmp_path / "shop").init()
    repo.commit("first", {"a.py": "a = 1\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"))
    hooked = Hooked(tmp_path / "tree", environ)
    hooked.transcript = str(talk_of("s1", 1, tmp_path / "tree").save(tmp_path / "talks"))
    hooked.start()
    hooked.end()
    repo.git("worktree", "remove", "--force", str(tmp_path / "tree"))
    assert problems(environ) == [""]
    assert kept(repo, environ)[0] == 1


def test_a_live_file_without_a_head(environ, tmp_path):
    """It is nobody's: after some hours it goes, like that of a folder without a memory."""
    place = Path(environ["REMORA_HOME"]) / "live"
    place.mkdir(parents=True)
    nobodys = place / "h+s1.jsonl"
    nobodys.write_bytes(b"\xff\n" + json.dumps(line("end")).encode() + b"\n")
    (tmp_path / "pictures").mkdir()
    homeless = Hooked(tmp_path / "pictures", environ)
    homeless.start()
    assert work(environ) == []
    assert nobodys.exists()
    for path in (nobodys, homeless.path):
        ago(path, IDLE + 60)
    assert work(environ) == []
    assert not nobodys.exists()
    assert not homeless.path.exists()


def test_old_files_go(hooked, repo, environ, monkeypatch):
    """Some time after the work on them, a full one at once; a folder in their place keeps nobody waiting."""
    hooked.end()
    (hooked.path.parent / "h+folder.jsonl").mkdir()
    work(environ)
    for age, there in ((KEPT - 60, True), (KEPT + 60, False)):
        assert problems(environ, hooked, age) == []
        assert hooked.path.exists() is there
    hooked.start()
    hooked.end()
    monkeypatch.setattr(finished, "MAX_BYTES", 100)
    assert problems(environ) == [""]
    assert not hooked.path.exists()
    assert kept(repo, environ)[0] == 1


def test_what_was_captured_goes_some_weeks_later(repo, environ):
    """Once it was learned; what waits to be learned stays, however old it is."""
    repo.put("remora.toml", 'home = ".remora"\n')
    paths = []
    for name in ("s1", "s2", "s3"):
        session = Hooked(repo.root, environ, "cursor", name, captures=True)
        session.prompt("Please mend the cart")
        paths.append(session.captured_path)
        if name != "s3":
            session.end()
    work(environ)
    for path in paths[1:]:
        ago(path, finished.CAPTURED_KEPT + 60)
    ago(paths[0], finished.CAPTURED_KEPT - 60)
    session.end()
    work(environ)
    assert [path.exists() for path in paths] == [True, False, True]
    assert repo.root in paths[0].parents


def test_nothing_to_do_makes_nothing(environ):
    """Where no hook ever ran there is no folder afterwards either."""
    assert bounded_work(environ) == []
    assert not Path(environ["REMORA_HOME"]).exists()


def test_work_that_takes_too_long_ends(hooked, environ, monkeypatch):
    """The process leaves whatever happens."""
    left = threading.Event()
    hooked.end()
    monkeypatch.setattr(finished, "MOST_SECONDS", 0.05)
    monkeypatch.setattr(os, "_exit", lambda _: left.set())
    monkeypatch.setattr(finished, "learn_session", lambda *_: left.wait(5) and 0)
    bounded_work(environ)
    assert left.is_set()


def test_a_journal_that_is_off_takes_nothing(hooked, repo, environ):
    """The session is learned all the same."""
    hooked.end()
    assert problems(environ | {"REMORA_JOURNAL_ENABLED": "0"}) == [""]
    assert kept(repo, environ) == (1, 0, 0)


def test_work_that_ends_before_the_journal(hooked, repo, environ, monkeypatch):
    """A session that was marked as noted is not noted again, even if its note was not written."""
    hooked.end()
    monkeypatch.setattr(finished, "write_down", lambda *_: 1 / 0)
    assert "ZeroDivisionError" in problems(environ)[0]
    monkeypatch.undo()
    assert problems(environ, hooked, IDLE + 60) == [""]
    assert journal(repo, environ) == ([], [])


def test_a_transcript_that_cannot_be_learnt(hooked, repo, environ):
    """Of nobody's transcript that is told; of one that is gone, what was said is kept, and it is done."""
    Path(hooked.transcript).write_text("hello\n")
    hooked.end()
    assert "not a transcript of a known host" in problems(environ)[0]
    Path(hooked.transcript).unlink()
    ago(hooked.path, IDLE + 60)
    assert [(one.learnt, one.problem) for one in work(environ)] == [(0, "")]
    assert kept(repo, environ)[0] == 0


def test_a_session_that_was_learnt_by_hand_is_noted(hooked, repo, environ):
    """The journal has it once, whoever learned it."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.learn(Path(hooked.transcript))
    hooked.end()
    work(environ)
    assert kept(repo, environ) == (1, 1, 1)


# What followed what was said


WARNED, RAN = {"i": "c1"}, line("after", a="run", i="c2")
MADE, BROKE, BROKEN = line("after", a="run"), line("failed", a="run"), line("failed", a="run", **WARNED)
NOT_RUN = "no command was run afterwards"
WORKED, FAILED = "the next command worked", "the next command failed"
FOLLOWED: list[tuple[Line, list[Line], str]] = [
    (said("command"), [], NOT_RUN),
    (said("command"), [MADE], WORKED),
    (said("error", k="failed"), [line("after", a="edit"), BROKE], FAILED),
    (said("gotchas", p=["a.py"]), [line("after", a="edit", p=["a.py"])], "the file was changed"),
    (said("partners", p=["a.py"]), [line("after", a="write", p=["b.py", "a.py"])], "then changed b.py"),
    (said("partners", p=["a.py"]), [line("after", a="edit", p=["a.py"])], "no other file was changed"),
    (said("brief", k="start"), [line("after", a="edit", p=["a.py"])], ""),
    (said("command", g="sub"), [MADE], NOT_RUN),
    # Hosts hand over what is said before a command with its result: what counts is the one after it.
    (said("command", a="run", **WARNED), [BROKEN, RAN], WORKED),
    (said("command", a="run", **WARNED), [BROKEN], NOT_RUN),
    (said("error", k="failed", a="run", **WARNED), [RAN], WORKED),
    # A name of its own where the host has no id: only the first of these is that of the warning.
    (said("command", a="run", n="1f"), [line("failed", a="run", n="1f")] * 2, FAILED),
    (said("command", a="run", n="1f"), [line("failed", a="run", n="1f")], NOT_RUN),
    # An id that other calls have, too.
    (said("command", a="run", i="call_0", n="1f"), [line("after", a="run", i="call_0", n="2e")], WORKED),
]


def test_what_followed_in_words():
    """Of the same agent, after the call that was warned of, and only where it can be told."""
    for spoken, after, followed in FOLLOWED:
        assert injections_of(HEAD, [spoken, *after])[0].followed == followed, (spoken, after)


def test_what_was_said_is_told_whole():
    """With the step, the time, what it was about and why."""
    lines = [line("after", a="run"), line("failed", a="run"), said("gotchas", p=["a.py", "b.py"])]
    assert injections_of(HEAD, lines) == [
        Injection(
            *("h:s1", "", 2, "2026-03-01T12:00:00.000Z", "before", "gotchas", "a.py", ("m1",), "text", "why"),
            "the file was left as it is",
        )
    ]
    assert injections_of(HEAD, [said("search", k="after", q="cart_key")])[0].about == "cart_key"
