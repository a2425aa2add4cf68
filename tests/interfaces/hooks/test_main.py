"""The hook as a process: whatever it is given, it exits with 0, says nothing wrong, and goes on next time."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import pytest

from remora.disk.live import read
from remora.interfaces.hooks.hosts import HOSTS
from tests.helpers import SECRET, holds, no_file_above
from tests.interfaces.hooks.called import DECISION, LESSON, SOURCE, World
from tests.interfaces.hooks.schemas import goldens, wrong

MEGABYTES = 10_000_000


def goes_on(world: World) -> None:
    """Check that the next event is answered as ever."""
    assert LESSON in world.said(world.edit("toolu_next"))


# What it is for


def test_a_session(world):
    """The brief at the start, what bears on the task with a prompt, the lesson before the edit, each once."""
    world.quiet(world.event("SessionStart", source="startup"), env=world.environ | {"REMORA_HOOKS": "off"})
    assert not world.live().exists()  # hooks that are switched off say and keep nothing
    assert DECISION in world.said(world.event("SessionStart", source="startup"))
    world.said(world.event("UserPromptSubmit", prompt="how is money kept in the cart"))
    assert LESSON in world.said(world.edit())
    world.quiet(world.edit("toolu_2"))
    world.quiet(world.event("SessionEnd", reason="other"))
    assert world.kinds == ["start", "prompt", "before", "before", "end"]
    assert world.log == []


def test_help(world):
    """It says what it is to whoever asks, or types it at a terminal."""
    usage = b"remora hook --host NAME < EVENT"
    assert world.run(b"", "--help").stdout.startswith(usage)
    ours, theirs = pty.openpty()
    typed = subprocess.run(world.command(), env=world.environ, stdin=theirs, capture_output=True, check=True)
    assert typed.stdout.startswith(usage)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("name", HOSTS)
def test_every_event_of_every_host_is_answered(world, ask, name):
    """As golden files have them, in a project with a memory: what is printed the host takes."""
    for stem, golden in goldens(name).items():
        payload = json.loads(json.dumps(golden["stdin"]).replace("/w/app", str(world.root)))
        try:
            assert wrong(name, payload, ask(payload, name)) == "", stem
        except ValueError:  # an event that we never heard of
            assert golden["moment"]["kind"] == "other", stem
    assert world.log == []


# What comes in


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", ()),
        (b"\xff\xfe\x00", ()),
        (b"[" * 100_000, ()),
        (b'{"hook_event_name": 7, "session_id": "s1"}', ()),
        (None, ("--host", "emacs")),
        (None, ("--nonsense",)),
    ],
)
def test_what_is_no_event_and_no_host(world, given, words):
    """Nothing is said, one line is logged; a typing error in somebody's settings disturbs nobody."""
    event = {key: value for key, value in world.edit().items() if key != "prompt_id"}
    world.quiet(event if given is None else given, *words)
    assert len(world.log) == 1
    assert not world.live().exists()


@pytest.mark.parametrize(
    "more",
    [
        {"session_id": None},
        {"tool_input": [1, {"file_path": 5}]},
        {"cwd": "\0"},
        {"brand_new": {"deep": [[[{}]]]}, "effort": None},
        {"session_id": "../../etc/passwd\0\n" + "s" * 900},
    ],
    ids=lambda more: next(iter(more)),
)
def test_fields_of_any_kind(world, ask, more):
    """Unknown ones, wrong ones, missing ones: no error, and the next event is answered."""
    printed = ask(world.edit(**more))
    assert wrong("claude-code", world.edit(**more), printed) == ""
    assert world.log == []
    assert LESSON in json.dumps(ask(world.edit("toolu_next", agent_id="sub")))
    assert {path.parent for path in world.data.rglob("*.jsonl")} == {world.data / "live"}


def test_ten_megabytes(world):
    """A tool's answer of any size costs little, and little is kept; what is longer still is not read."""
    host, output = "cursor", "E   assert 1 == 2\n" * (MEGABYTES // 18)
    told = {"conversation_id": "s1", "tool_name": "Shell", "tool_output": json.dumps({"output": output})}
    event = world.event("postToolUse", tool_input={"command": "make"}, **told)
    started = time.monotonic()
    world.quiet(event, "--host", host)
    assert time.monotonic() - started < 5
    assert world.moments("s1", host)[-1]["a"] == "run"
    assert sum(path.stat().st_size for path in world.data.rglob("*.jsonl")) < 20_000
    assert world.log == []
    script = "import remora.interfaces.hooks.main as m; m.MAX_INPUT = 1000; m.main(['--host', 'claude-code'])"
    world.quiet(world.edit(padding="x" * 2_000), command=[sys.executable, "-c", script])
    assert world.log == ["ValueError: the event is too long"]


# Where it is written to


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed(world, closed):
    """No file of ours gets the number of a stream; the moment is noted; without stdin there is no event."""
    logged = [] if closed == "2>&-" else ["OSError: stdout is closed"]
    done = world.run(world.edit(), command=world.shell(closed))
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) is not bool(logged)
    assert world.log == logged
    assert world.kinds == ["before"]
    assert all(line.startswith("{") for line in world.live().read_text().splitlines())
    world.quiet(b"", command=world.shell("<&-"))
    assert len(world.log) == len(logged) + 1


def test_what_could_not_be_said(world):
    """A full disk behind stdout and a host that is gone are logged; small pieces go out whole."""
    ours, theirs = os.pipe()
    os.close(ours)
    with Path("/dev/full").open("w") as full, os.fdopen(theirs, "w") as gone:
        for stdout, call in ((full, "toolu_1"), (gone, "toolu_2")):
            done = world.run(world.edit(call, session_id=call), stdout=stdout, stderr=subprocess.PIPE)
            assert (done.returncode, done.stderr) == (0, b"")
    told = ["OSError: [Errno 28] No space left on device", "BrokenPipeError: [Errno 32] Broken pipe"]
    assert world.log == told
    reader, writer = socket.socketpair()
    writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    done = world.run(world.edit(), stdout=writer, stderr=subprocess.PIPE)
    writer.close()
    with reader, reader.makefile("rb") as file:
        assert LESSON in json.dumps(json.loads(file.read()))
    assert done.returncode == 0


# Where it runs


@pytest.mark.parametrize(
    ("name", "kind"), [("SessionStart", "start"), ("UserPromptSubmit", "prompt"), ("PreToolUse", "before")]
)
def test_a_hook_that_is_killed_while_it_waits_has_noted_its_event(world, tmp_path, name, kind):
    """The event stands in the live file, the session goes on, and its end takes it in with the project's."""
    asked, programs = tmp_path / "asked", tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text(f"#!/bin/sh\ntouch {asked}\nexec sleep 20\n")
    (programs / "git").chmod(0o755)
    event = world.event(name, source="startup", prompt="go on")
    environ = world.environ | {"PATH": f"{programs}{os.pathsep}{world.environ['PATH']}"}
    hook = world.begin(world.edit() if kind == "before" else event, env=environ, start_new_session=True)
    assert until(asked.exists)
    os.killpg(hook.pid, signal.SIGKILL)
    hook.communicate()
    assert hook.returncode == -signal.SIGKILL
    assert world.kinds == [kind]
    assert world.moments()[0].get("p", ["cart.py"]) == ["cart.py"]
    goes_on(world)
    head, _ = read(str(world.live()))
    assert head is not None
    assert head.home == str(world.database.parent)


def test_odd_environments(world):
    """No HOME, no PATH: all that is needed is said in the event. Warnings of everything stay inside."""
    bare = {"REMORA_HOME": str(world.data), "PYTHONPATH": SOURCE}
    assert LESSON in world.said(world.edit(session_id="s3"), env=bare)
    environ = world.environ | {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error"}
    assert LESSON in world.said(world.edit(), env=environ)
    world.said(world.event("SessionStart", source="startup"), env=environ)
    world.quiet(world.event("SessionEnd", reason="other"), env=environ | {"REMORA_WORK": ""})
    assert until(lambda: world.kinds[-1] == "learnt")
    assert world.log == []
    world.quiet(world.edit(session_id="s2"), env=bare | {"PATH": "/nowhere"})
    assert len(world.log) == 1  # git is not found


def test_a_stop_where_nobody_tells_the_end(world):
    """The session is learned, and again only some minutes later; another host's stop starts nothing."""
    working = world.environ | {"REMORA_WORK": ""}
    told = {"sessionId": "v1", "cwd": str(world.root)}
    for name, more in (("UserPromptSubmit", {"prompt": "mend the cart"}), ("Stop", {})):
        world.quiet({**told, "hookEventName": name, **more}, "--host", "vscode", env=working)
    assert until(lambda: world.moments("v1", "vscode")[-1]["k"] == "learnt")
    world.quiet({**told, "hookEventName": "Stop"}, "--host", "vscode", env=working)
    world.quiet(world.event("UserPromptSubmit", prompt="go on"), env=working)
    world.quiet(world.event("Stop"), env=working)
    time.sleep(0.5)
    assert world.moments("v1", "vscode")[-1]["k"] == world.kinds[-1] == "stop"


# Where it cannot write


def test_no_room_on_the_disk(world):
    """What cannot be noted is not said, lest it is said at every turn; it is said when there is room."""
    for given in (world.event("SessionStart", source="startup"), world.edit()):
        with no_file_above(0):
            world.quiet(given, command=world.command())
    assert world.log == []
    goes_on(world)


# What it reads


def test_a_database_that_is_in_use(world, ask, monkeypatch):
    """Who reads does not wait for who writes; nobody waits for a lock for long, and it is logged."""
    monkeypatch.setattr("remora.app.agent.hook_event.CEILING", 0.5)
    with closing(apsw.Connection(str(world.database))) as other:
        other.execute("BEGIN IMMEDIATE; UPDATE memories SET pinned = 1")
        started = time.monotonic()
        assert LESSON in world.said(world.edit())
        assert DECISION in world.said(world.event("SessionStart", source="startup"))
        assert time.monotonic() - started < 3
        list(other.execute("ROLLBACK; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"))
        other.execute("UPDATE memories SET pinned = pinned")
        started = time.monotonic()
        world.quiet(world.edit(session_id="s2"))
        assert time.monotonic() - started < 2
        assert len(world.log) == 1
        assert ask(world.event("SessionStart", session_id="s2", source="startup")) is None
        assert time.monotonic() - started < 4
    assert world.log[1:] == ["TimeoutError: no answer in time"]
    assert [line["k"] for line in world.moments("s2")] == ["before", "start"]
    assert LESSON in world.said(world.edit("toolu_next", session_id="s2"))


# What becomes of the bytes of a database; a folder comes in the place of the last one.
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "text": lambda _: b"no database\n" * 999,
    "empty": lambda _: b"",
    "half": lambda data: data[: len(data) // 2],
    "inside": lambda data: data[:4096] + b"\xa5" * (len(data) - 4096),
    "newer": lambda data: data[:60] + (9999).to_bytes(4, "big") + data[64:],  # its `user_version`
    "folder": lambda _: b"",
}


@pytest.mark.parametrize("how", DAMAGES)
def test_a_database_that_cannot_be_read(world, ask, how):
    """Damaged or of another version: silence, a line for each question, nothing lost."""
    database, data = world.database, world.database.read_bytes()
    damaged = DAMAGES[how](data)
    if how == "folder":
        database.unlink()
        database.mkdir()
    else:
        database.write_bytes(damaged)
    started = time.monotonic()
    printed = [ask(event) for event in (world.event("SessionStart", source="startup"), world.edit())]
    assert time.monotonic() - started < 3
    assert printed[0] is None
    assert printed[1] is None or how == "newer"  # a hook of yesterday goes on while an update is made
    assert 1 <= len(world.log) <= 2
    assert how != "text" or "cannot be read: it is in use" in world.log[-1]
    assert world.kinds == ["start", "before"]
    if how == "folder":
        database.rmdir()
    else:
        assert database.read_bytes() == damaged
    database.write_bytes(data)
    assert LESSON in json.dumps(ask(world.edit("toolu_2", agent_id="sub")))


@pytest.mark.parametrize(
    "what",
    [Path.mkdir, lambda live: live.write_bytes(b"x" * 9_000_000), os.mkfifo],
    ids=["folder", "huge", "pipe"],
)
def test_a_live_file_that_is_none(world, what):
    """It is logged, and another session is answered whatever lies there."""
    world.live().parent.mkdir(parents=True, exist_ok=True)
    what(world.live())
    world.quiet(world.edit())
    assert len(world.log) == 1
    assert LESSON in world.said(world.edit("toolu_next", session_id="s2"))


# What must not get out


def test_an_environment_full_of_secrets(world):
    """None is written, printed, or handed to the work that follows, and the work is done without them."""
    names = "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY STRIPE_API_KEY ANTHROPIC_API_KEY DATABASE_URL MY_VARIABLE"
    secrets = {name: f"{SECRET}{number}" for number, name in enumerate(names.split())}
    environ = world.environ | {"REMORA_WORK": ""} | secrets
    told = {"hook_event_name": "sessionStart", "conversation_id": "c1", "workspace_roots": [str(world.root)]}
    shell = {"tool_name": "Shell", "tool_input": {"command": f"curl -u u:{SECRET} x"}, "tool_use_id": "u1"}
    printed = []
    for more in (
        {},
        {"hook_event_name": "beforeSubmitPrompt", "prompt": f"log in with {SECRET} please"},
        {"hook_event_name": "postToolUse", **shell, "tool_output": json.dumps({"output": f"token={SECRET}"})},
        {"hook_event_name": "sessionEnd"},
    ):
        done = world.run(told | more, "--host", "cursor", env=environ)
        assert (done.returncode, done.stderr) == (0, b"")
        printed.append(done.stdout)
    assert SECRET.encode() not in b"".join(printed)
    assert until(lambda: world.moments("c1", "cursor")[-1]["k"] == "learnt")
    assert holds(world.data, SECRET) == []
    assert world.log == []


# What takes too long, and what ends too early

SLOW = """
import sys, time
from remora.app.agent import hook_event, session_brief as starting
from remora.interfaces.hooks.main import main

hook_event.CEILING = float(sys.argv[1])

def slow(*_, **__):
    print("begun", file=sys.stderr, flush=True)
    time.sleep(20)

starting.brief = slow
main(["--host", "claude-code"])
"""


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Wait until something is true; returns whether it is."""
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, -15), (signal.SIGKILL, -9), (signal.SIGINT, 0)], ids=str
)
def test_a_hook_that_is_ended_in_the_middle(world, number, code):
    """No lock is left, no line is cut, and what comes next is answered."""
    # What runs in the background has been told to ignore Ctrl-C, and hands that on.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-c", SLOW, "3"]
    process = world.begin(world.event("SessionStart", source="startup"), command, preexec_fn=heard)
    assert select.select([process.stderr], [], [], 30)[0]
    started = time.monotonic()
    goes_on(world)  # while it hangs
    process.send_signal(number)
    assert process.wait(10) == code
    assert time.monotonic() - started < 2.5
    assert process.communicate()[0] == b""
    assert LESSON in world.said(world.edit("toolu_9", agent_id="sub"))
    assert all(line.endswith("}") for line in world.live().read_text().splitlines())


def test_tools_at_the_same_time(world):
    """Six at once on one file: one is told, each is noted."""
    world.said(world.event("SessionStart", source="startup"))
    processes = [world.begin(world.edit(f"toolu_{number}")) for number in range(6)]
    printed = [process.communicate(timeout=30)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 6
    assert sum(LESSON in text.decode() for text in printed) == 1
    assert world.kinds == ["start", *["before"] * 6]
    assert world.log == []
