"""Git and a folder as carriers: lines arrive whole and in order, whoever pushes at a time."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from remora.core.errors import InvalidInput, SourceError
from remora.sharing.addresses import open_carrier
from remora.sharing.carrier import BATCH, Carrier

SPACE, ONE, TWO = "5" * 32, "a" * 32, "b" * 32
Open = Callable[[str], Carrier]


def git(folder: Path, *words: str) -> str:
    """Return what a git command says."""
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(params=["folder", "git"])
def carrier(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Return a way to open the carrier of a machine by its name."""
    if request.param == "folder":
        (tmp_path / "carried").mkdir()
        return lambda name: open_carrier(f"folder:{tmp_path}/carried", SPACE, tmp_path / name, {})
    git(tmp_path, "init", "-q", "--bare", "remote.git")

    def opened(name: str) -> Carrier:
        if not (tmp_path / name).exists():
            git(tmp_path, "clone", "-q", "remote.git", name)
        return open_carrier("git", SPACE, tmp_path / name, os.environ)

    return opened


def test_an_empty_log(carrier: Open) -> None:
    """Before anybody wrote there is nothing, and that is no error."""
    found = carrier("one")
    assert (found.last(), found.uses(), found.read(ONE, 0)) == ({}, {}, [])


def test_lines_arrive_in_order(carrier: Open) -> None:
    """What one machine appends another reads, from any number on, over more than one file."""
    lines = [f'{{"n":{n}}}' for n in range(1, BATCH + 51)]
    one, two = carrier("one"), carrier("two")
    one.last()
    one.append(ONE, lines[:30], 0)
    one.append(ONE, lines[30:], 30)
    assert two.last() == {ONE: BATCH + 50}
    assert two.read(ONE, 0) == lines[:BATCH]
    assert two.read(ONE, BATCH - 2, 4) == lines[BATCH - 2 : BATCH + 2]


def test_what_is_there_stays(carrier: Open) -> None:
    """Appending the same lines twice, as after a crash, changes nothing."""
    one = carrier("one")
    one.last()
    one.append(ONE, ["1", "2"], 0)
    one.append(ONE, ["x", "y", "3"], 0)
    assert one.read(ONE, 0) == ["1", "2", "3"]


def test_bodies_are_emptied(carrier: Open) -> None:
    """A line is replaced at its number, and nothing else moves."""
    one = carrier("one")
    one.last()
    one.append(ONE, ["1", "2", "3"], 0)
    one.empty(ONE, {2: "-"})
    assert carrier("two").last() == {ONE: 3}
    two = carrier("two")
    two.last()
    assert two.read(ONE, 0) == ["1", "-", "3"]


def test_uses_are_replaced(carrier: Open) -> None:
    """Each machine has its own counts."""
    one, two = carrier("one"), carrier("two")
    one.last(), two.last()
    one.put_uses(ONE, "[1]")
    two.put_uses(TWO, "[2]")
    one.put_uses(ONE, "[3]")
    two.last()
    assert two.uses() == {ONE: "[3]", TWO: "[2]"}


@pytest.mark.slow
def test_machines_that_push_at_a_time_lose_nothing(carrier: Open) -> None:
    """Four machines that append again and again at a time: every line is there, once and in order."""
    names = ["one", "two", "three", "four"]
    devices = dict(zip(names, ("a" * 32, "b" * 32, "c" * 32, "d" * 32), strict=True))
    opened = {name: carrier(name) for name in names}

    def push(name: str) -> None:
        mine = opened[name]
        mine.last()
        for number in range(3):
            mine.append(devices[name], [f"{name} {number}"], number)

    threads = [threading.Thread(target=push, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = carrier("five")
    assert found.last() == dict.fromkeys(devices.values(), 3)
    for name, device in devices.items():
        assert found.read(device, 0) == [f"{name} {number}" for number in range(3)]


def test_git_touches_nothing_else(tmp_path: Path) -> None:
    """Branches, index, work tree and hooks stay as they are, with hooks that would fail and work going on."""
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(tmp_path, "clone", "-q", "remote.git", "one")
    clone = tmp_path / "one"
    (clone / "a.py").write_text("x = 1\n")
    git(clone, "add", "a.py")
    git(clone, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
    (clone / "a.py").write_text("x = 2\n")
    (clone / "b.py").write_text("y = 1\n")
    git(clone, "add", "b.py")
    for name in ("pre-push", "pre-commit", "reference-transaction", "post-commit"):
        hook = clone / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
    before = (
        git(clone, "status", "--porcelain"),
        git(clone, "branch", "-a"),
        (clone / ".git/index").read_bytes(),
    )
    found = open_carrier("git", SPACE, clone, os.environ)
    found.last()
    found.append(ONE, ["1"], 0)
    found.put_uses(ONE, "[]")
    found.last()
    after = (
        git(clone, "status", "--porcelain"),
        git(clone, "branch", "-a"),
        (clone / ".git/index").read_bytes(),
    )
    assert before == after
    assert not (clone / ".git" / "FETCH_HEAD").exists()
    assert git(tmp_path / "remote.git", "for-each-ref", "--format=%(refname)").split() == [
        f"refs/remora/{SPACE}"
    ]


def test_a_remote_that_is_away(tmp_path: Path) -> None:
    """A remote that does not answer is an error that says so, with no question to anybody."""
    git(tmp_path, "init", "-q", "one")
    git(tmp_path / "one", "remote", "add", "origin", str(tmp_path / "nowhere.git"))
    with pytest.raises(SourceError):
        open_carrier("git", SPACE, tmp_path / "one", os.environ).last()


@pytest.mark.parametrize("address", ["", "ftp://x", "folder:", "sqlite://x"])
def test_no_carrier_has_such_an_address(address: str, tmp_path: Path) -> None:
    """An address that nothing carries is refused, with the forms that there are."""
    with pytest.raises(InvalidInput, match="not the address"):
        open_carrier(address, SPACE, tmp_path, {})
