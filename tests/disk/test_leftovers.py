"""Temporary files that a killed process left: gone with a later write, and nothing else with them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from remora.disk import leftovers
from remora.disk.files import write_atomic
from remora.disk.leftovers import STALE_SECONDS, TEMP_PREFIX, remove_leftovers, temporary_in


def left(folder: Path, name: str = "0123456789ab", age: float = 2 * STALE_SECONDS) -> Path:
    """Write a temporary file, so many seconds ago."""
    path = folder / f"{TEMP_PREFIX}{os.getpid()}-{name}"
    path.write_text("half")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def test_an_old_one_goes_and_a_young_one_stays(tmp_path: Path) -> None:
    """The next write into the folder removes what is older than any write takes."""
    old, young = left(tmp_path), left(tmp_path, "a" * 12, age=STALE_SECONDS / 2)
    write_atomic(tmp_path / "m", "x")
    assert not old.exists()
    assert young.exists()
    assert (tmp_path / "m").read_text() == "x"


def test_only_names_of_ours(tmp_path: Path) -> None:
    """A file that only looks alike stays; a link goes, and what it points to stays; a folder goes whole."""
    names = ("x", "7", "7-0123456789ab.txt", "a-0123456789ab", "7-0123456789ag")
    others = [tmp_path / f"{TEMP_PREFIX}{name}" for name in names]
    for path in others:
        path.write_text("theirs")
        os.utime(path, (0, 0))
    target = tmp_path / "elsewhere" / "kept"
    target.parent.mkdir()
    target.write_text("kept")
    link = tmp_path / f"{TEMP_PREFIX}7-{'a' * 12}"
    link.symlink_to(target.parent, target_is_directory=True)
    os.utime(link, (0, 0), follow_symlinks=False)
    folder = tmp_path / f"{TEMP_PREFIX}7-{'b' * 12}"
    folder.mkdir()
    (folder / "page.md").write_text("copy")
    os.utime(folder, (0, 0))
    remove_leftovers(tmp_path)
    assert not link.is_symlink()
    assert not folder.exists()
    assert target.read_text() == "kept"
    assert all(path.read_text() == "theirs" for path in others)


def test_a_folder_is_looked_through_once_an_hour(tmp_path: Path) -> None:
    """A write after the first does not pay for it."""
    assert temporary_in(tmp_path).name.startswith(f"{TEMP_PREFIX}{os.getpid()}-")
    path = left(tmp_path)
    temporary_in(tmp_path)
    assert path.exists()
    leftovers._looked[str(tmp_path)] -= 3_601
    temporary_in(tmp_path)
    assert not path.exists()
