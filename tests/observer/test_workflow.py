"""The order of tests and changes, slow commands, plans and tokens."""

from __future__ import annotations

import pytest

from remora.observer.observer import Observer
from tests.observer.script import Script, observed, of_type


def plan(script: Script, **items: str) -> Script:
    """Add a plan with the state of each of its items."""
    todos = [{"content": name, "status": status} for name, status in items.items()]
    return script.call("TodoWrite", "plan", "ok", extra={"todos": todos})


def test_what_is_not_done():
    """What was not ticked off is open, in the order of the plan; another plan replaces it."""
    script = plan(Script().step(), a="in_progress", b="pending", c="pending")
    plan(script.step(4), a="completed", b="in_progress", c="pending", d="pending")
    watching = Observer("s1", "claude-code", strict=True)
    assert watching.unfinished() == []
    for event in script.events:
        watching.observe(event)
    assert watching.unfinished() == ["b", "c", "d"]


def quick(script: Script) -> Script:
    """Add six quick commands."""
    for _ in range(6):
        script.step().run("go test ./...", took=2)
    return script


def test_a_command_that_was_slow():
    """Two runs of over a minute among runs of two seconds."""
    script = quick(Script()).step().run("mise run test:ci", took=90).step().run("mise run test:ci", took=120)
    (slow,) = of_type(observed(script), "time_anomaly")
    assert (slow.key, slow.detail["seconds"], slow.detail["count"]) == ("mise run test:ci", 120, 2)


@pytest.mark.parametrize(
    "script",
    [
        quick(Script()).step().run("a b", took=50),
        quick(Script()).step().run("a b", took=7200),
        quick(Script()).step().run("a b", took=-90),
        quick(Script()).step().run("git commit -m x", took=900),
        Script().step().run("a b", took=90).step().run("a b", took=90),
    ],
    ids=["under a minute", "clock forward", "clock back", "waits for the user", "few commands"],
)
def test_what_is_no_anomaly(script: Script):
    """Less than a minute, jumping clocks, version control and sessions of a few commands are none."""
    assert of_type(observed(script), "time_anomaly") == []


def test_tokens_are_added_up_over_the_steps():
    """Each step counts once, whoever tells of it again."""
    script = Script()
    for count in (1_000, 2_000, 40_000):
        script.step().add("step", tokens=count)
    assert observed(script).tokens == 43_000
