"""Programs are found by absolute folders of the PATH, and never in a repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.disk.programs import find_program, search_path
from remora.sources import git_process
from tests.helpers import Repo


def program(folder: Path, name: str = "git", says: str = "exit 3") -> Path:
    """Make a program in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def path_of(*places: object) -> dict[str, str]:
    """Return an environment with a PATH."""
    return {"PATH": os.pathsep.join(str(place) for place in places)}


def test_relative_and_empty_parts_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They mean the working folder, where a program is found by its own folder alone."""
    here = program(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find_program("git", path_of("", ".")) is None
    assert find_program("git", path_of("", tmp_path)) == str(here)
    assert search_path(path_of("", ".", "bin", "/usr/bin", "~/bin")) == "/usr/bin"
    assert search_path(path_of("")) == ""


def test_programs_of_the_repository_are_passed_over(tmp_path: Path) -> None:
    """Also those of a folder of it that is named in full, asked from below, or behind a link."""
    own, other = program(tmp_path / "repository" / "bin"), program(tmp_path / "tools")
    (tmp_path / "repository" / ".git").mkdir()
    below = tmp_path / "repository" / "src"
    below.mkdir()
    (tmp_path / "link").symlink_to(own.parent)
    for place in (own.parent, tmp_path / "link"):
        environ = path_of(place, other.parent)
        assert find_program("git", environ) == str(place / "git")
        assert find_program("git", environ, outside=str(below)) == str(other)
    assert find_program("git", path_of(own.parent), outside=str(below)) is None


def test_git_of_the_repository_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the PATH says, and also by git itself."""
    repo, mark = Repo(tmp_path / "repository").init(), tmp_path / "mark"
    for name in ("git", "git-status"):
        program(repo.root, name, f"touch '{mark}'")
        program(repo.root / "bin", name, f"touch '{mark}'")
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(repo.root / "bin"), os.environ["PATH"]]))
    assert git_process.ask(repo.root, "rev-parse", "--is-inside-work-tree") == b"true\n"
    assert list(git_process.tokens(repo.root, "status", "-z", "--porcelain"))
    assert not mark.exists()
