"""The line of a status bar: what is there, what was said in this session, what waits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.interfaces.hooks.statusline import line
from tests.app.hooked import Hooked
from tests.helpers import environment
from tests.interfaces.hooks.called import World


@pytest.fixture
def session(world: World) -> Hooked:
    """A session in a project with three memories, one of which waits for review."""
    with Memory.open(world.root, environ=world.environ) as memory:
        memory.remember("The till closes at nine", type="gotcha", needs_review=True)
    found = Hooked(world.root, world.environ)
    found.start()
    return found


def test_the_line_counts(session: Hooked) -> None:
    """Memories, texts said in this session, and what waits; nothing of a session that is not there."""
    told = line({"session_id": "s1"}, session.environ)
    assert told.startswith("remora: 3 memories · told ")
    assert told.endswith(" · 1 to review")
    assert [line({"session_id": one}, session.environ) for one in ("", "nobody", 7)] == [""] * 3


@pytest.mark.parametrize("text", ["{", "[]", '{"session_id": "nobody"}'])
def test_the_program_never_fails(tmp_path: Path, text: str) -> None:
    """Whatever stands on stdin, one line comes out and the exit code is 0."""
    command = [sys.executable, "-c", "from remora.interfaces.entry import main; main()", "statusline"]
    env = {**environment(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
