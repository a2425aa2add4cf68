"""Chains of checks, the order of tests, plans, time and tokens."""

from __future__ import annotations

import pytest

from remora.observer.observer import Observer
from tests.observer.script import Script, observed, of_type


def test_the_checks_after_a_change_are_a_chain():
    """Format, lint, test and commit follow the change; looks in between do not count."""
    script = Script().step().edit("a.go").step().run("mise run fmt").step().run("mise run lint")
    script.run("git status").step().run("go test -run TestX ./a").step().run("git commit -m 'a thing'")
    (chain,) = of_type(observed(script), "tool_sequence")
    assert chain.key == "mise run fmt > mise run lint > go test > git commit"
    assert chain.detail["order"][2] == "go test -run TestX ./a"
    assert chain.detail["purposes"] == ["format", "lint", "test", "vcs"]


@pytest.mark.parametrize(
    "script",
    [
        Script().step().edit("a.go").run("mise run fmt").run("mise run lint", "x.go:1:1: bad", error=True),
        Script().step().edit("a.go").run("mise run lint").run("mise run lint"),
        Script().step().run("mise run fmt").run("mise run lint"),
        Script().step().edit("a.go").run("git add -A").run("git commit -m 'x'"),
        Script().step().edit("a.go").run("ls").run("git diff").run("cat a.go"),
        Script().step().edit("a.go").run("mise run fmt").ask("and now?").run("mise run lint"),
    ],
    ids=["failed", "one command", "no change", "commits only", "looks", "prompt between"],
)
def test_what_is_no_chain(script: Script):
    """Failures, one command alone, no change before, and looks make no chain."""
    assert of_type(observed(script), "tool_sequence") == []


def test_a_repeated_check_counts_where_it_ran_last():
    """Lint failed, test, lint passed: test comes first."""
    script = Script().step().edit("a.go").run("mise run lint", "x", error=True).run("mise run test")
    script.run("mise run lint")
    assert [s.key for s in of_type(observed(script), "tool_sequence")] == ["mise run test > mise run lint"]


@pytest.mark.parametrize(
    ("script", "key"),
    [
        (Script().step().run("pytest").edit("a.py").run("pytest"), "tests first"),
        (
            Script().step().edit("a.py").run("pytest tests/a.py").edit("a.py").run("pytest"),
            "tests between changes",
        ),
        (Script().step().edit("a.py").edit("b.py").run("pytest"), "tests at the end"),
    ],
)
def test_the_order_of_tests_and_changes(script: Script, key: str):
    """First, between or at the end."""
    (order,) = of_type(observed(script), "test_order")
    assert order.key == key


def test_narrow_tests_before_wide_ones():
    """One file first, then everything."""
    (order,) = of_type(
        observed(Script().step().edit("a.py").run("pytest tests/a.py").run("pytest")), "test_order"
    )
    assert (order.detail["narrow_to_wide"], order.detail["runs"], order.detail["after"]) == (True, 2, 2)


@pytest.mark.parametrize("script", [Script().step().run("pytest"), Script().step().edit("a.py").run("ls")])
def test_no_order_without_both(script: Script):
    """A session without a change, or without a test, has none."""
    assert of_type(observed(script), "test_order") == []


def plan(script: Script, **items: str) -> Script:
    """Add a plan with the state of each of its items."""
    todos = [{"content": name, "status": status} for name, status in items.items()]
    return script.call("TodoWrite", "plan", "ok", extra={"todos": todos})


def test_a_plan_that_grew():
    """Three things became five."""
    script = plan(Script().step(), a="in_progress", b="pending", c="pending").edit("m/a.go")
    plan(script.step(4), a="completed", b="in_progress", c="pending", d="pending", e="pending")
    observation = observed(script)
    (over,) = of_type(observation, "step_overrun")
    assert (over.key, over.detail["planned"], over.detail["items"]) == ("m", 3, 5)
    assert observation.planned == 5


def test_what_is_not_done():
    """What was not ticked off is open, in the order of the plan; another plan replaces it."""
    script = plan(Script().step(), a="in_progress", b="pending", c="pending")
    plan(script.step(4), a="completed", b="in_progress", c="pending", d="pending")
    watching = Observer("s1", "claude-code", strict=True)
    assert watching.unfinished() == []
    for event in script.events:
        watching.observe(event)
    assert watching.unfinished() == ["b", "c", "d"]
    assert Observer.restore(watching.checkpoint()).unfinished() == ["b", "c", "d"]


def test_an_item_that_took_too_long():
    """One of three took twenty steps, the others one."""
    script = plan(Script().step(), a="in_progress", b="pending", c="pending")
    plan(script.step(), a="completed", b="in_progress", c="pending")
    plan(script.step(), a="completed", b="completed", c="in_progress")
    plan(script.step(20), a="completed", b="completed", c="completed")
    (over,) = of_type(observed(script), "step_overrun")
    assert (over.detail["longest"], over.detail["longest_steps"]) == ("c", 20)


def test_a_plan_that_was_kept_is_no_overrun():
    """Nor is one of two things, or another plan for another prompt."""
    kept = plan(Script().step(), a="in_progress", b="pending", c="pending")
    plan(kept.step(3), a="completed", b="in_progress", c="pending")
    other = plan(Script().step(), a="in_progress", b="pending", c="pending")
    plan(other.step(), x="pending", y="pending", z="pending", u="pending", v="in_progress")
    assert of_type(observed(kept), "step_overrun") == of_type(observed(other), "step_overrun") == []
    assert of_type(observed(Script().step().edit("a.go")), "step_overrun") == []


def quick(script: Script) -> Script:
    """Add six quick commands."""
    for _ in range(6):
        script.step().run("go test ./...", took=2)
    return script


def test_a_command_that_was_slow_twice():
    """Two runs of ninety seconds among runs of two."""
    script = quick(Script()).step().run("mise run test:ci", took=90).step().run("mise run test:ci", took=120)
    (slow,) = of_type(observed(script), "time_anomaly")
    assert (slow.key, slow.detail["seconds"], slow.detail["why"]) == ("mise run test:ci", 120, "again")


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (quick(Script()).step().run("x test", "panic: test timed out after 2m0s", error=True, took=121), 1),
        (quick(Script()).step().run("mise run test:ci", took=90), 0),
        (quick(Script()).step().run("a b", took=7200).step().run("a b", took=7200), 0),
        (quick(Script()).step().run("a b", took=-90).step().run("a b", took=-90), 0),
        (quick(Script()).step().run("git commit -m x", took=900).step().run("git commit -m x", took=900), 0),
    ],
    ids=["timed out", "once", "clock forward", "clock back", "waits for the user"],
)
def test_slowness_needs_a_correlation(script: Script, found: int):
    """A time limit correlates; one slow run, jumping clocks and version control do not."""
    assert len(of_type(observed(script), "time_anomaly")) == found


def tokens(script: Script, *counts: int, paste: int = 0) -> Script:
    """Add steps with so many input tokens; before one of them the user pastes something."""
    for number, count in enumerate(counts):
        script.step()
        if number == paste:
            script.ask("x" * 20_000)
        script.read(f"m/f{number}.go")
        script.add("step", tokens=count)
    return script


def test_a_step_that_cost_much_names_what_brought_it():
    """The tokens of a step are what the step before read."""
    observation = observed(tokens(Script(), 1000, 2000, 3000, 40_000, paste=9))
    (spike,) = of_type(observation, "context_token_spike")
    assert (spike.key, spike.detail["tokens"], spike.detail["files"]) == ("m/f2.go", 37_000, ["m/f2.go"])
    assert observation.tokens == 46_000


def test_what_is_no_spike():
    """Slow growth, what the user pasted, and the step after a compaction are none; nor is the first step."""
    assert of_type(observed(tokens(Script(), 50_000, 51_000, 52_000)), "context_token_spike") == []
    assert of_type(observed(tokens(Script(), 1000, 2000, 3000, 40_000, paste=3)), "context_token_spike") == []
    script = tokens(Script(), 1000, 2000, 3000, paste=9)
    script.add("compaction")
    assert of_type(observed(tokens(script, 40_000, paste=9)), "context_token_spike") == []
