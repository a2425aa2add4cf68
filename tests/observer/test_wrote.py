"""Digests of what a session wrote, and how much of it still stands."""

from __future__ import annotations

from remora.core.events import Event
from remora.observer.exchanges import Exchanges
from remora.observer.wrote import LINES, MOST, digest, standing, written

BODY = "def total(rows):\n    return sum(row.cents for row in rows)\n"
TELLS = "    return sum(row.cents for row in rows)"


def test_lines_that_an_edit_brought() -> None:
    """New lines that tell, whatever their indentation; what was there before and braces do not count."""
    assert written("", BODY) == [digest("def total(rows):"), digest(TELLS.strip())]
    assert written(BODY, BODY.replace("sum", "max") + "    }\nimport os, sys, re\n") == [
        digest("return max(row.cents for row in rows)")
    ]
    long = "\n".join(f"value_number_{n} = compute({n})" for n in range(100))
    few = written("", long)
    assert len(few) <= LINES
    assert few[-1] in {digest(line) for line in long.split("\n")[80:]}
    assert written("", "") == []


def test_how_much_still_stands() -> None:
    """The share of the lines that some text still has, in any file and at any indentation."""
    wrote = written("", BODY)
    assert standing(wrote, [BODY]) == 1.0
    assert standing(wrote, ["nothing of it", f"class A:\n        {TELLS}"]) == 0.5
    assert standing(wrote, []) == 0.0
    assert standing([], []) == 1.0


def call(number: int, *, new: str = "", command: str = "", error: bool = False) -> list[Event]:
    """Return an edit or a command with its result."""
    action, tool = ("run", "Bash") if command else ("edit", "Edit")
    asked = Event(
        "tool_call", "s", f"c{number}", number, None, "", tool, action, f"id{number}",
        () if command else ("a.py",), command, extra={"old": "", "new": new},
    )  # fmt: skip
    return [asked, Event("tool_result", "s", f"r{number}", number, call_id=f"id{number}", error=error)]


def test_requests_and_commits_know_what_was_written_for_them() -> None:
    """An exchange has its own lines, a commit those since the one before; what failed wrote nothing."""
    lines = [f"value_number_{n} = compute({n})" for n in range(4)]
    events = [
        Event("user_prompt", "s", "p1", 0, text="Make it faster"),
        *call(1, new=lines[0]),
        *call(2, new=lines[1], error=True),
        Event("reply", "s", "m1", 3, text="It is faster now"),
        Event("user_prompt", "s", "p2", 3, text="And shorter"),
        *call(4, new=lines[2]),
        *call(5, command="git commit -m 'perf: rows are summed at once'"),
        *call(6, new=lines[3]),
        Event("reply", "s", "m2", 7, text="It is shorter now"),
    ]
    state = Exchanges()
    for event in events:
        state.feed(event)
    first, second = state.exchanges()
    (made,) = state.commits
    assert first.wrote == (digest(lines[0]),)
    assert second.wrote == (digest(lines[2]), digest(lines[3]))
    assert made.wrote == (digest(lines[0]), digest(lines[2]))
    assert Exchanges.from_json(state.to_json()).exchanges() == state.exchanges()


def test_what_is_kept_is_bounded() -> None:
    """The newest lines of a long request are kept."""
    state = Exchanges()
    state.feed(Event("user_prompt", "s", "p", 0, text="Write it all"))
    for number in range(MOST * 2):
        for event in call(number, new=f"value_number_{number} = compute({number})"):
            state.feed(event)
    state.feed(Event("reply", "s", "m", 9, text="Written"))
    (exchange,) = state.exchanges()
    assert len(exchange.wrote) == MOST
    assert exchange.wrote[-1] == digest(f"value_number_{MOST * 2 - 1} = compute({MOST * 2 - 1})")
