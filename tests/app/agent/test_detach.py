"""The process that does the work afterwards: when it starts, what it is given, what it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remora.app.agent.detach import OFTEN, begin_work, for_work
from remora.core import moments
from remora.core.moments import Moment
from remora.disk.live import IDLE, KEPT
from tests.app.hooked import Hooked, ago
from tests.helpers import Repo, environment

RECORDER = """#!/bin/sh
{{ echo "$@"; pwd; env; ls -l /proc/self/fd; ps -o sid= -o pid= -p $$; }} > {place}.part 2>/dev/null
mv {place}.part {place}
"""
NEEDED = {"OPENAI_BASE_URL": "http://gpu:2", "OPENAI_API_KEY": "key", "SSH_AUTH_SOCK": "/run/agent"}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment whose data lie in a folder of the test's."""
    return environment(tmp_path) | NEEDED | {"PATH": os.environ["PATH"]}


@pytest.fixture
def hooked(repo: Repo, environ: dict[str, str]) -> Hooked:
    """A session that has begun."""
    found = Hooked(repo.root, environ)
    found.start()
    return found


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Start a recorder in the place of the work, and return where it writes."""
    program = tmp_path / "recorder"
    program.write_text(RECORDER.format(place=tmp_path / "record"))
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    return tmp_path / "record"


def wait_for(path: Path) -> str:
    """Return a file's text as soon as it is there."""
    until = time.monotonic() + 10
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)
    return path.read_text("utf-8")


def ended(hooked: Hooked) -> Moment:
    """Let a session end and return that moment."""
    hooked.end()
    return Moment(moments.END, hooked.host, hooked.session)


def test_the_work_is_a_process_of_its_own(hooked, environ, record):
    """In the data folder, in a session of its own, with the environment of the host and none of its files."""
    stray = os.open("/", os.O_RDONLY)
    os.set_inheritable(stray, True)
    try:
        assert begin_work(environ, ended=ended(hooked)) is True
    finally:
        os.close(stray)
    text = wait_for(record)
    lines = text.splitlines()
    assert lines[:2] == ["-P -m remora work --sessions", environ["REMORA_HOME"]]
    assert all(f"{name}={value}" in lines for name, value in NEEDED.items())
    opened = [line.rpartition("-> ")[2] for line in lines if "-> " in line]
    assert {path for path in opened if not path.startswith("/proc/")} == {"/dev/null", f"{record}.part"}
    session, process = lines[-1].split()
    assert session == process != str(os.getsid(0))


def test_the_end_of_a_session_without_a_memory_starts_nothing(tmp_path, hooked, environ, record):
    """Nor the end of its turn, nor those of a session that no hook saw, nor anything where it is off."""
    (tmp_path / "pictures").mkdir()
    homeless = Hooked(tmp_path / "pictures", environ, session="s2")
    homeless.start()
    homeless.end()
    for kind in (moments.STOP, moments.END):
        for session in (homeless.session, "unseen"):
            assert begin_work(environ, ended=Moment(kind, homeless.host, session)) is False
    assert begin_work(environ | {"REMORA_HOME": str(tmp_path / "none")}, ended=None) is False
    assert begin_work(environ | {"REMORA_WORK": "off"}, ended=ended(hooked)) is False


def test_what_others_left_behind_starts_it(hooked, environ, record):
    """A session that is over and was not taken in; one that was, or goes on, does not."""
    begun = hooked.path.read_text()
    for last, age, starts in (
        ("prompt", 100, False),
        ("prompt", IDLE + 10, True),
        ("end", 10, False),  # its own work is on it
        ("end", 100, True),
        ("learnt", IDLE + 10, False),
        ("learnt", KEPT + 10, True),  # the file can go
    ):
        moment = {"k": last, "at": 1, "x": "y" * 9_000 if last == "prompt" else ""}
        hooked.path.write_text(begun + json.dumps(moment) + "\n")
        ago(hooked.path, age)
        assert begin_work(environ, ended=None) is starts, (last, age)


def test_a_stop_that_may_be_the_last_starts_it_now_and_then(hooked, environ, record):
    """Whoever was looked at some minutes ago can wait; what others left behind is no matter of a stop."""
    other = Hooked(hooked.root, environ, session="s2")
    other.start()
    other.end()
    ago(other.path, 100)
    begun, stop = hooked.path.read_text(), Moment(moments.STOP, hooked.host, hooked.session)
    for kind, since, starts in (
        ("stop", 0, True),
        ("learnt", OFTEN - 10, False),
        ("tried", OFTEN - 10, False),
        ("learnt", OFTEN + 10, True),
    ):
        line = {"k": kind, "at": int((time.time() - since) * 1000)}
        hooked.path.write_text(begun + json.dumps(line) + "\n")
        hooked.tell(moments.STOP)
        assert begin_work(environ, ended=stop) is starts, (kind, since)


def test_garbage_starts_it_when_it_is_old(hooked, environ, record):
    """Whoever works removes it."""
    for number, garbage in enumerate((b"", b"\xff" * 9_000, b"[1]\n")):
        path = hooked.path.with_name(f"h+{number}.jsonl")
        path.write_bytes(garbage)
        ago(path, 100)
        assert begin_work(environ, ended=None) is False
        ago(path, IDLE + 10)
        assert begin_work(environ, ended=None) is True
        path.unlink()


def test_places_are_the_same_from_another_folder(monkeypatch, tmp_path):
    """A relative data folder means the one that the hook meant; the work imports from whole paths only."""
    monkeypatch.chdir(tmp_path)
    given = {"REMORA_HOME": "data", "REMORA_CONFIG": "~/config", "HOME": str(tmp_path)}
    handed = for_work(given | {"PYTHONPATH": os.pathsep.join(("", "lib", os.sep + "own"))})
    assert handed["REMORA_HOME"] == str(tmp_path / "data")
    assert handed["REMORA_CONFIG"].endswith("/config")
    assert "~" not in handed["REMORA_CONFIG"]
    assert handed["PYTHONPATH"] == os.sep + "own"


def test_a_platform_without_sessions(hooked, environ, monkeypatch):
    """On Windows the process gets a group of its own and no console."""
    started: list[dict[str, Any]] = []

    def begin(_: object, **more: Any) -> SimpleNamespace:
        started.append(more)
        return SimpleNamespace()

    moment = ended(hooked)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    monkeypatch.setattr(subprocess, "DETACHED_PROCESS", 8, raising=False)
    monkeypatch.setattr(subprocess, "Popen", begin)
    assert begin_work(environ, ended=moment) is True
    assert started[0]["creationflags"] == 520
