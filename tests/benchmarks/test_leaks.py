"""Sessions begun, killed and ended leave nothing behind; and what was left behind would be seen."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import leaks
from benchmarks.common import environment
from remora.disk.files import lock


@pytest.mark.slow
def test_a_few_sessions_leave_nothing() -> None:
    """Six of them, half with a kill, and one that finds those that never ended."""
    found = leaks.measure(6)
    report = leaks.report(found)
    assert [(check.what, check.value) for check in report.checks if not check.met] == []
    assert found.sessions == 7
    assert found.killed + found.without_end >= 2
    assert found.logged == ()


def test_half_of_the_sessions_do_not_go_well() -> None:
    """Every second one; each event of a session is killed in some, and a fifth is of another host."""
    sessions = leaks.plan(leaks.SESSIONS)
    assert sum(session.killed >= 0 or not session.ends for session in sessions) == leaks.SESSIONS // 2
    assert {session.killed for session in sessions} == set(range(-1, 7))
    assert Counter(session.host for session in sessions)["cursor"] == leaks.SESSIONS // 5


def test_what_is_left_is_seen(tmp_path: Path) -> None:
    """A process, a lock, a session that was learned twice or not at all."""
    process = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        if Path("/proc/self/environ").exists():
            assert len(leaks.running(tmp_path)) == 1
    assert leaks.running(tmp_path) == []
    with lock(tmp_path / "work"):
        assert leaks.held([tmp_path / "work.lock"]) == ["work.lock"]
    assert leaks.held([tmp_path / "work.lock"]) == []
    sessions = leaks.plan(3)
    learnt = Counter({"claude-code:leak-0000": 1, "claude-code:leak-0001": 2})
    noted = Counter({"0000": 1, "0001": 1, "0002": 0})
    assert len(list(leaks._not_once(sessions, learnt, noted))) == 3
