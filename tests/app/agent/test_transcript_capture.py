"""Hosts without transcripts: what happens is kept as events, without secrets, and learned as those are."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.agent import transcript_capture as capturing
from remora.app.agent.session_end import work
from remora.app.agent.transcript_capture import capture
from remora.core import moments
from remora.core.moments import Moment
from remora.sources.transcripts.reader import read
from tests.app.hooked import Hooked
from tests.helpers import SECRET, Repo, holds

ERROR = "src/cart.py:3: error: Name 'tenant' is not defined\nFound 1 error in 1 file"


@pytest.fixture
def cursor(repo: Repo, environ: dict[str, str]) -> Hooked:
    """A session of a host that tells of every call before and after it, with an id."""
    repo.put("src/cart.py", "def key():\n    return tenant\n")
    return Hooked(repo.root, environ, "cursor", captures=True)


@pytest.fixture
def windsurf(repo: Repo, environ: dict[str, str]) -> Hooked:
    """A session of a host that tells of calls when they are over, without ids."""
    return Hooked(repo.root, environ, "windsurf", "w1", captures=True)


def after(session: Hooked, command: str, text: str = "ok", *, failed: bool = False) -> None:
    """Tell of a command that is over."""
    used: dict[str, Any] = {"tool": "run_command", "action": "run", "command": command, "turn": "e1"}
    session.tell(moments.AFTER, text=text, failed=failed, **used)


def changed(session: Hooked, path: str, new: str) -> None:
    """Tell of a change that is over."""
    used: dict[str, Any] = {"tool": "write_code", "action": "edit", "turn": "e1", "removed": "x"}
    session.tell(moments.AFTER, paths=(f"{session.root}/{path}",), changed=new, **used)


def shape(session: Hooked) -> list[tuple[str, int]]:
    """Return kind and step of what was captured."""
    return [(event["kind"], event.get("step", 0)) for event in session.captured]


def test_a_session_becomes_events(cursor):
    """Prompt, calls with what they change, results with what they say, reply and end, each with its step."""
    cursor.start()
    cursor.prompt("Please mend the cart", turn="g1")
    cursor.edit("src/cart.py", "return key(tenant)", "return tenant")
    cursor.run("make check", ERROR, failed=True)
    cursor.tell(moments.REPLY, text="It is mended.", turn="g1")
    cursor.end()
    kinds = "user_prompt tool_call tool_result tool_call tool_result reply session_end".split()
    assert [event["kind"] for event in cursor.captured] == kinds
    assert [event.get("step") for event in cursor.captured] == [None, 1, 1, 2, 2, 3, 2]
    call, result = cursor.captured[1], cursor.captured[4]
    assert call["paths"] == ["src/cart.py"]
    assert call["extra"] == {"new": "return key(tenant)", "old": "return tenant"}
    assert (result["command"], result["text"], result["error"]) == ("make check", ERROR, True)
    cursor.tell(moments.AFTER, tool="Read", action="read", paths=("/etc/hosts",), call_id="c", text="x")
    head = {"remora": "events", "version": 1, "host": "cursor"}
    assert json.loads(cursor.captured_path.read_text().splitlines()[0]) == head
    assert cursor.captured[-1]["paths"] == ["/etc/hosts"]
    assert "extra" not in cursor.captured[-1]


def test_a_turn_that_ends_without_a_word(cursor):
    """That it is over, or was cut off, is told all the same; the model did something to end it."""
    cursor.prompt("Please mend the cart")
    cursor.tell(moments.STOP)
    cursor.run("make check")
    cursor.tell(moments.STOP, source=moments.ABORTED, text=SECRET)
    steps = [("user_prompt", 0), ("step", 1), ("tool_call", 1), ("tool_result", 1), ("step", 2)]
    assert shape(cursor) == steps
    assert [cursor.captured[n]["extra"] for n in (1, 4)] == [{"over": True}, {"interrupted": True}]
    assert all("text" not in cursor.captured[n] for n in (1, 4))
    assert holds(Path(cursor.head.home), SECRET) == []


def test_without_ids_a_result_finds_its_call(windsurf):
    """One that is told alone brings its call along; told before and after, the later is of the later."""
    windsurf.prompt("mend it", turn="e1")
    after(windsurf, "make lint", ERROR, failed=True)
    assert shape(windsurf) == [("user_prompt", 0), ("tool_call", 1), ("tool_result", 1)]
    assert windsurf.captured[1]["call_id"] == windsurf.captured[2]["call_id"]
    used: dict[str, Any] = {"tool": "run_command", "action": "run", "command": "make test", "turn": "e1"}
    for text in ("1 failed", "2 passed"):
        windsurf.tell(moments.BEFORE, **used)
        windsurf.tell(moments.AFTER, text=text, **used)
        changed(windsurf, "a.py", text)
    calls = [event for event in windsurf.captured if event.get("command") == "make test"]
    assert [event["kind"] for event in calls] == ["tool_call", "tool_result"] * 2
    assert calls[0]["call_id"] == calls[1]["call_id"] != calls[2]["call_id"] == calls[3]["call_id"]


def test_what_is_told_twice_counts_once(cursor, windsurf):
    """Two ways to one host: the events have the same keys, and a reader counts a key once."""
    for _ in range(2):
        cursor.prompt("mend it", turn="g1")
        cursor.tell(moments.REPLY, text="done", turn="g1")
        after(windsurf, "make test")
    for session in (cursor, windsurf):
        keys = [event["key"] for event in session.captured]
        assert len(set(keys)) == 2 < len(keys)


def test_secrets_are_taken_out_before_anything_is_written(cursor, environ):
    """Of prompts, commands, outputs, patterns, addresses and changes, wherever anybody put them."""
    cursor.prompt(f"use the token {SECRET} please")
    cursor.run(f"curl -H 'Authorization: Bearer {SECRET}' x", f"GITHUB_TOKEN={SECRET}")
    cursor.edit("src/cart.py", f'token = "{SECRET}"', f'token = "{SECRET}x"')
    cursor.tell(moments.AFTER, tool="Grep", action="search", pattern=SECRET, call_id="s")
    cursor.tell(moments.AFTER, tool="Fetch", action="fetch", url=f"https://u:{SECRET}@x.org", call_id="f")
    cursor.tell(moments.REPLY, text=f"I used {SECRET}")
    cursor.end()
    assert len(cursor.captured) == 11
    assert holds(Path(environ["REMORA_HOME"]), SECRET) == []
    assert work(environ)[0].problem == ""
    assert holds(Path(environ["REMORA_HOME"]), SECRET) == []


def test_what_was_captured_is_learnt_like_a_transcript(cursor, repo, environ, tmp_path):
    """Where the host's own file cannot be read, with its error and its entry of the history."""
    (tmp_path / "c1.jsonl").write_text('{"role": "user"}\n')
    cursor.transcript = str(tmp_path / "c1.jsonl")
    cursor.prompt("Please mend the type error in the cart", turn="g1")
    cursor.run("make check", ERROR, failed=True)
    cursor.edit("src/cart.py", "return key(tenant)", "return tenant")
    cursor.run("make check", "all fine")
    cursor.tell(moments.REPLY, text="The cart is mended.", turn="g1")
    cursor.end()
    assert work(environ)[0].problem == ""
    with Memory.open(repo.root, environ=environ, read_only=True) as memory:
        (found,) = memory._project.db.sessions.sessions(9)
        assert (found.host, found.kind, found.outcome, found.steps) == ("cursor", "build", "success", 4)
        assert [command for _, command, _ in memory._project.db.sessions.errors_met()] == ["make check"]
        assert len(memory.journal.history()) == 1


def test_what_a_crash_cut_off_takes_nothing_with_it(cursor, monkeypatch):
    """The next event stands on a line of its own, and both sides are read; a full file takes no more."""
    cursor.run("make one")
    path = cursor.captured_path
    with path.open("ab") as file:
        file.write(b'{"kind": "tool_call", "sess')
    cursor.run("make two")
    monkeypatch.setattr(capturing, "MAX_BYTES", 10)
    cursor.run("make three")
    assert [event.command for event in read(path)] == ["make one", "make one", "make two", "make two"]


def test_parallel_tools_are_all_captured(cursor):
    """Each line is whole, however many processes write."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: cursor.run(f"make {n}", call_id=f"p{n}"), range(8)))
    assert len({event["key"] for event in cursor.captured}) == 16


def test_a_home_inside_the_repository_is_hidden_from_git(repo, environ):
    """What people said must not be committed by an agent's `git add -A`."""
    repo.put("remora.toml", 'home = ".remora"\n')
    repo.commit("settings")
    session = Hooked(repo.root, environ, "cursor", captures=True)
    session.prompt("something private")
    assert session.captured
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""


def test_files_are_their_owners_alone(cursor):
    """Nobody else on the machine reads what was said."""
    cursor.prompt("something private")
    path = cursor.captured_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in list(path.parents)[:4]} == {0o700}


def test_what_is_not_captured(cursor, environ, tmp_path):
    """Starts, replies without a word, steps, what was not noted, and folders that have no memory."""
    cursor.start()
    for moment in (
        Moment(moments.START, "cursor", "s1"),
        Moment(moments.REPLY, "cursor", "s1"),
        Moment(moments.STEP, "cursor", "s1", text="x"),
        Moment(moments.PROMPT, "cursor", "unseen", text="x"),
    ):
        assert capture(moment, environ) is False
    (tmp_path / "pictures").mkdir()
    Hooked(tmp_path / "pictures", environ, "cursor", "s2", captures=True).prompt("something private")
    assert not list(Path(environ["REMORA_HOME"]).rglob("captured"))


def test_a_moment_that_was_not_noted_has_a_key_of_its_own(cursor, environ):
    """The live file lost its line: the event is kept all the same."""
    cursor.start()
    moment = Moment(moments.AFTER, "cursor", "s1", tool="Shell", action="run", command="make", text="ok")
    for _ in range(2):
        assert capture(moment, environ) is True
        time.sleep(0.002)
    assert len({event["key"] for event in cursor.captured}) == 4


def test_calls_that_a_server_counts_anew_are_told_apart(cursor: Hooked) -> None:
    """Each of two calls by the name `Bash:0` has its result, also where a hook tells of each twice."""
    for number in "ab":
        used = {"tool": "Bash", "action": "run", "command": "make", "call_id": "Bash:0"}
        for kind, text in ((moments.BEFORE, ""), (moments.AFTER, number)):
            cursor.tell(kind, text=text, **used)
            cursor.tell(kind, text=text, **used)
    once = {event["key"]: (event["kind"], event.get("text", "")) for event in cursor.captured}
    call = ("tool_call", "")
    assert list(once.values()) == [call, ("tool_result", "a"), call, ("tool_result", "b")]
    keys = list(once)
    assert [key.removesuffix(":call") for key in keys[::2]] == [k.removesuffix(":result") for k in keys[1::2]]


def test_two_agents_may_have_calls_of_one_name(cursor: Hooked) -> None:
    """Each result belongs to the call of its own agent."""
    for kind in (moments.BEFORE, moments.AFTER):
        for agent in "ab":
            used = {"tool": "Bash", "action": "run", "command": f"make {agent}", "call_id": "Bash:0"}
            cursor.tell(kind, text=agent if kind == moments.AFTER else "", agent=agent, **used)
    shown = [(event["kind"], event["agent"], event["command"]) for event in cursor.captured]
    kinds = ("tool_call", "tool_result")
    assert shown == [(kind, agent, f"make {agent}") for kind in kinds for agent in "ab"]
    calls, results = cursor.captured[:2], cursor.captured[2:]
    assert [event["call_id"] for event in calls] == [event["call_id"] for event in results]
    assert len({event["key"] for event in cursor.captured}) == 4


def test_what_was_done_tells_calls_of_one_id_apart(cursor: Hooked) -> None:
    """Two reads by the name `call_0` at once, told when they are over: both are noted, kept and read."""
    used = {"tool": "Read", "action": "read", "call_id": "call_0"}
    for path in ("a.py", "a.py", "b.py"):  # a hook may tell of one twice
        cursor.tell(moments.AFTER, paths=(path,), text=path[0], **used)
    assert cursor.kinds == ["after", "after"]
    found = [(event.kind, *event.paths, event.text) for event in read(cursor.captured_path)]
    kinds = {"tool_call": False, "tool_result": True}
    assert found == [(kind, f"{name}.py", name * over) for name in "ab" for kind, over in kinds.items()]


def test_a_call_that_was_refused_has_a_key_of_its_own(
    cursor: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked for in its place has the same id, and may come in the same millisecond."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    used = {"tool": "Shell", "action": "run", "call_id": "call_0"}
    for kind, command in ((moments.BEFORE, "make a"), (moments.BEFORE, "make b"), (moments.AFTER, "make b")):
        cursor.tell(kind, command=command, **used)
    shown = [(event["kind"], event["command"]) for event in cursor.captured]
    assert shown == [("tool_call", "make a"), ("tool_call", "make b"), ("tool_result", "make b")]
    refused, call, result = (event["call_id"] for event in cursor.captured)
    assert refused != call == result
