"""Temporary files that a killed process left: gone with a later write, and nothing else with them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remora.disk import leftovers
from remora.disk.files import write_atomic
from remora.disk.leftovers import STALE_SECONDS, TEMP_PREFIX, remove_leftovers, temporary_in


@pytest.fixture
def gone() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left(folder: Path, process: int, name: str = "0123456789ab", age: float = 2 * STALE_SECONDS) -> Path:
    """Write a temporary file of a process, so many seconds ago."""
    path = folder / f"{TEMP_PREFIX}{process}-{name}"
    path.write_text("half")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def test_an_old_one_of_a_dead_process_goes(tmp_path: Path, gone: int) -> None:
    """The next write into the folder removes it."""
    path = left(tmp_path, gone)
    write_atomic(tmp_path / "m", "x")
    assert not path.exists()
    assert (tmp_path / "m").read_text() == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="there the system keeps open files from being removed")
def test_what_may_still_be_written_stays(tmp_path: Path, gone: int) -> None:
    """That is a young one, and one whose process runs, however old it is: a laptop may have slept."""
    waiting = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    kept = [left(tmp_path, gone, age=STALE_SECONDS / 2), left(tmp_path, waiting.pid), left(tmp_path, 1)]
    write_atomic(tmp_path / "m", "x")
    assert all(path.exists() for path in kept)
    waiting.communicate(b"\n")


def test_an_earlier_process_of_our_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is older than this process was left by another one, as in a container that starts anew."""
    path = left(tmp_path, os.getpid())
    monkeypatch.setattr(leftovers, "_STARTED", time.time() - 3 * STALE_SECONDS)
    remove_leftovers(tmp_path)
    assert path.exists()
    monkeypatch.setattr(leftovers, "_STARTED", time.time())
    monkeypatch.setattr(leftovers, "_looked", {})
    remove_leftovers(tmp_path)
    assert not path.exists()


def test_only_names_of_ours(tmp_path: Path, gone: int) -> None:
    """A file that only looks alike stays; a link goes, and what it points to stays; a folder goes whole."""
    names = ("x", f"{gone}", f"{gone}-0123456789ab.txt", "a-0123456789ab", f"{gone}-0123456789ag")
    others = [tmp_path / f"{TEMP_PREFIX}{name}" for name in names]
    for path in others:
        path.write_text("theirs")
        os.utime(path, (0, 0))
    target = tmp_path / "elsewhere" / "kept"
    target.parent.mkdir()
    target.write_text("kept")
    link = tmp_path / f"{TEMP_PREFIX}{gone}-{'a' * 12}"
    link.symlink_to(target.parent, target_is_directory=True)
    os.utime(link, (0, 0), follow_symlinks=False)
    folder = tmp_path / f"{TEMP_PREFIX}{gone}-{'b' * 12}"
    folder.mkdir()
    (folder / "page.md").write_text("copy")
    os.utime(folder, (0, 0))
    remove_leftovers(tmp_path)
    assert not link.is_symlink()
    assert not folder.exists()
    assert target.read_text() == "kept"
    assert all(path.read_text() == "theirs" for path in others)


def test_a_folder_is_looked_through_once_an_hour(tmp_path: Path, gone: int) -> None:
    """A write after the first does not pay for it."""
    assert temporary_in(tmp_path).name.startswith(f"{TEMP_PREFIX}{os.getpid()}-")
    path = left(tmp_path, gone)
    temporary_in(tmp_path)
    assert path.exists()
    leftovers._looked[str(tmp_path)] -= STALE_SECONDS
    temporary_in(tmp_path)
    assert not path.exists()
