"""A pipe in the place of a file that is read holds nobody up: nobody will ever write into it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.app.agent import hook_context
from remora.checks import from_project
from remora.disk import live
from remora.disk.live import Head
from remora.sources import rules, tree
from remora.sources.git import Repository
from remora.sources.rule_files import Found
from remora.sources.tree import listed
from remora.store.hook_reader import look
from tests.helpers import Repo

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")


def _head(pipe: Path) -> Any:
    return hook_context.tree_of(Head("h", "s", "/else", head_file="/else/.git/HEAD"), str(pipe.parent)).root


def _found(pipe: Path) -> Found:
    return Found(pipe.name, "agents", "", pipe, whole=True)


def _last(pipe: Path) -> Any:
    try:
        return live.last_line(str(pipe))
    except OSError:
        return {}


READERS: dict[str, tuple[str, Callable[[Path], Any], Any]] = {
    "a live file": ("s1.jsonl", lambda pipe: live.read(str(pipe)), (None, [])),
    "the end of a live file": ("s1.jsonl", _last, {}),
    "git's file of a branch": ("HEAD", lambda pipe: hook_context._branch(str(pipe)), ""),
    "git's file of a work tree": (".git", _head, "/else"),
    "a database": ("memory.db", lambda pipe: look(str(pipe)), None),
    "a rule file": ("AGENTS.md", lambda pipe: rules._read(_found(pipe), pipe), "not a regular file"),
    "a file of tasks": ("Makefile", lambda pipe: from_project.named_checks(pipe.parent), []),
}


@pytest.mark.parametrize("what", READERS)
def test_a_pipe_is_not_waited_for(tmp_path: Path, what: str):
    """Whoever reads it finds nothing, at once."""
    name, reader, nothing = READERS[what]
    pipe = tmp_path / name
    os.mkfifo(pipe)
    (tmp_path / f"{name}-wal").touch()  # beside it a database is opened for reading alone
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(reader(pipe)), daemon=True)
    thread.start()
    thread.join(5)
    assert found == [nothing]


def test_an_ignore_file_that_is_a_pipe_does_not_hold_git_up(tmp_path: Path):
    """The project is walked instead; what git would have waited for says nothing."""
    repo = Repo(tmp_path / "shop").init()
    repo.commit("start", {"a.py": "x = 1\n", "src/b.py": "y = 2\n"})
    repository = Repository.discover(repo.root)
    os.mkfifo(repo.root / "src" / ".gitignore")
    begun = time.monotonic()
    assert listed(repo.root, ["a.py", "src/b.py"], repository) == {"a.py", "src/b.py"}
    (repo.root / "src" / ".gitignore").replace(repo.root / ".gitignore")
    assert {file.path for file in tree.look(repo.root, repository).files} >= {"a.py", "src/b.py"}
    assert listed(repo.root, ["a.py", "src/b.py"], repository) == {"a.py", "src/b.py"}
    assert time.monotonic() - begun < 10
