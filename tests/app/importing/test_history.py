"""New commits are read where the history was read before: around sessions, without `init`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora import Memory
from remora.app.importing.history import AT_ONCE, follow
from remora.core.clock import FixedClock
from tests.helpers import Repo, environment

LESSON = "The scheduler drops a job that has no owner"


@pytest.fixture
def memory(repo: Repo, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """The memory of the repository."""
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as opened:
        yield opened


def renamed(repo: Repo) -> None:
    """Commit another name of the file that has the lesson."""
    (repo.root / "jobs").mkdir()
    repo.git("mv", "queue.py", "jobs/scheduler.py")
    repo.commit("Move the queue")


def test_a_renamed_file_keeps_its_lesson(repo: Repo, memory: Memory):
    """A loop reads the commits since the last one, so it knows the file by its new name."""
    repo.commit("Add a queue", {"queue.py": "JOBS = []\n" * 20})
    memory.init()
    memory.remember(LESSON, type="gotcha", related_files=["queue.py"], source="user_taught")
    renamed(repo)
    with memory.loop("s") as loop:
        assert LESSON in loop.after("Read", {"file_path": "jobs/scheduler.py"}, "JOBS = []")
    assert follow(memory._project, AT_ONCE) == 0, "it was read"


def test_a_history_that_nobody_asked_for_is_not_read(repo: Repo, memory: Memory):
    """Without `init` there is no last commit to go on from."""
    repo.commit("Add a queue", {"queue.py": "JOBS = []\n"})
    assert follow(memory._project, AT_ONCE) == 0
    assert memory.maintain() is None
    assert memory._project.db.history.clock() == 0


def test_many_new_commits_wait_for_the_work_after_a_session(repo: Repo, memory: Memory):
    """The start of a session does not; another branch is read anew if its history is short enough."""
    repo.commit("Add a queue", {"queue.py": "JOBS = []\n"})
    memory.init()
    repo.commit("Fill the queue", {"queue.py": "JOBS = [1]\n"})
    repo.commit("Empty the queue", {"queue.py": "JOBS = []\n"})
    assert follow(memory._project, 1) == 0
    assert follow(memory._project, 2) == 2
    repo.git("checkout", "-q", "-b", "side", "HEAD~2")
    repo.commit("Add a note", {"note.md": "n\n"})
    assert follow(memory._project, 1) == 0
    assert follow(memory._project, 2) == 2
