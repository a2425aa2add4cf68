"""The live files of a project: which are looked into, and in which order."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from remora.app.agent.live_sessions import waiting
from remora.disk.live import Head, Line, file_name, folder

HOME = "/home/of/shop"
Put = Callable[..., Path]


@pytest.fixture
def put(environ: dict[str, str]) -> Put:
    """Write the live file of a session."""

    def put(session: str, *kinds: str, home: str = HOME, age: float = 0.0, host: str = "h") -> Path:
        path = Path(folder(environ)) / file_name(host, session)
        path.parent.mkdir(parents=True, exist_ok=True)
        head: Line = {"remora": "live", **Head(host, session, "/w", home)._asdict()}
        lines = [head, *({"k": kind, "at": int((time.time() - age) * 1000)} for kind in kinds)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(path, (time.time() - age,) * 2)
        return path

    return put


def test_what_waits_of_a_project(put: Put, environ: dict[str, str]) -> None:
    """The file written last comes first; of other projects, what was taken in and garbage nothing comes."""
    assert list(waiting(environ, HOME)) == []  # no hook ever ran: there is no folder
    put("old", "start", "after", age=99)
    put("new", "start")
    put("newer", "start", "end", "learnt", "prompt", age=9)
    put("learnt", "start", "end", "learnt")
    put("elsewhere", "start", home="/home/of/garden")
    put("homeless", "start", home="")
    put("empty")
    (Path(folder(environ)) / "h+x.jsonl").write_bytes(b"\xff\xfe")
    (Path(folder(environ)) / "work.lock").write_text("")
    found = list(waiting(environ, HOME))
    assert [one.head.session for one in found] == ["new", "newer", "old"]
    assert [one.last["k"] for one in found] == ["start", "prompt", "after"]
    assert [line["k"] for line in found[2].lines] == ["start", "after"]


def test_a_session_that_goes_on_in_another_project(put: Put, environ: dict[str, str]) -> None:
    """It belongs to the project in which it was started last, whatever its first line says."""
    path = put("s1", "start", home="")
    again = {"remora": "live", **Head("h", "s1", "/w", HOME)._asdict()}
    path.write_text(path.read_text() + json.dumps(again) + "\n" + json.dumps({"k": "prompt"}) + "\n")
    assert [one.head.session for one in waiting(environ, HOME)] == ["s1"]
    away = again | {"home": "/home/of/garden"}
    path.write_text(path.read_text() + json.dumps(away) + "\n")
    assert list(waiting(environ, HOME)) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everybody may read everything")
def test_a_file_that_cannot_be_read(put: Put, environ: dict[str, str]) -> None:
    """It keeps no other from being found."""
    put("closed", "start").chmod(0)
    put("open", "start")
    assert [one.head.session for one in waiting(environ, HOME)] == ["open"]


def test_a_file_that_goes_meanwhile(put: Put, environ: dict[str, str]) -> None:
    """The work on sessions may remove it while others are read."""
    for age in (0, 1, 2):
        put(f"s{age}", "start", age=age)
    found = waiting(environ, HOME)
    first = next(found)
    (Path(folder(environ)) / file_name("h", "s1")).unlink()
    assert [first.head.session, *(one.head.session for one in found)] == ["s0", "s2"]
