"""Signals, files, errors and commands of several agents as one."""

from __future__ import annotations

from remora.core.events import CommandRun, ErrorSeen, FileUse, Signal
from remora.core.values import Taint
from remora.observer.parallel_agents import merge, merge_commands, merge_errors, merge_files


def test_the_earlier_sight_leads_and_taint_stays():
    """Numbers are added, the first step counts, either's taint is kept."""
    early = Signal("co_access", "a + b", 3, paths=("a", "b"), detail={"forward": 1, "count": 1}, agent="x")
    late = early._replace(step=9, detail={"forward": 2, "count": 2}, taint=Taint("u", 1), agent="")
    (both,) = merge([[late], [early]])
    assert (both.step, both.detail, both.taint) == (3, {"forward": 3, "count": 3}, Taint("u", 1))
    assert (both.agents, both.agent) == (2, "")


def test_agents_that_disagree_are_no_quorum():
    """Who was led elsewhere does not stand for the answer that is kept."""

    def led(to: str, step: int) -> Signal:
        return Signal("read_abandon", "a.go", step, detail={"instead": to, "count": 1})

    (agreed,) = merge([[led("b.go", 1)], [led("b.go", 2)]])
    (parted,) = merge([[led("b.go", 1)], [led("c.go", 2)]])
    assert (agreed.agents, parted.agents, parted.detail["instead"]) == (2, 1, "b.go")


def test_files_errors_and_commands_are_added_up():
    """Counts are sums; a resolved error beats an open one; first and last steps span all."""
    both = merge_files([[FileUse("a", 1, 0, 3, 5)], [FileUse("a", 0, 2, 1, 4, "t", "t")]])
    assert both == [FileUse("a", 1, 2, 1, 5, "t", "t")]
    still = ErrorSeen("f", "Bash", "x", "m", 1, (2,), False)
    solved = ErrorSeen("f", "Bash", "x", "m", 2, (5, 6), True, "how", ("a",))
    assert merge_errors([[still], [solved]]) == [solved._replace(count=3, steps=(2, 5, 6))]
    one, two = CommandRun("x", "test", 1, 1, 4, 4), CommandRun("x", "test", 2, 0, 1, 9)
    assert merge_commands([[one], [two]]) == [CommandRun("x", "test", 3, 1, 1, 9)]
