"""verify, pin, forget, restore, prune."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.values import Taint
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]
Remember = Callable[..., str]


def test_forget_and_restore(run: Run, remember: Remember, answer: Answer) -> None:
    """A forgotten memory leaves the list until it is restored; an unknown id stops before any change."""
    memory_id, second = remember("Tokens expire after 24 h", "--type", "decision"), remember("two things")
    assert run("forget", memory_id, "ffffffff", second).exit_code == 4
    assert len(run("list").stdout.splitlines()) == 2
    assert run("forget").exit_code == 2
    assert run("forget", memory_id[:8]).stdout == f"{memory_id[:8]}  forgotten  Tokens expire after 24 h\n"
    assert run("list").stdout.startswith(second[:8])
    assert run("forget", memory_id).stdout.split("  ")[1] == "already forgotten"
    assert run("restore", memory_id).stdout == f"{memory_id[:8]}  restored  Tokens expire after 24 h\n"
    assert run("restore", memory_id).stdout.split("  ")[1] == "was not forgotten"
    assert memory_id[:8] in run("list").stdout
    document = answer("forget", memory_id, second, memory_id)
    assert [(m["id"], m["deprecated"]) for m in document["memories"]] == [(memory_id, True), (second, True)]
    assert run("list").stdout == ""


def test_forgetting_reaches_what_rests_on_it(
    run: Run, answer: Answer, project: Path, clock: FixedClock
) -> None:
    """Dependents are named and wait for a look; a person's word clears them, and removes taint."""
    with Memory.open(project, clock=clock) as memory:
        parent = memory.remember("Tokens are JWTs", type="decision")
        child = memory.remember("So they are big", type="gotcha", derived_from=(parent.id,))
        tainted = memory.remember("Ports are open", type="gotcha", taint=Taint("a web page"))
    result = run("forget", parent.id)
    assert result.stderr == f"1 dependent memory marked for review: {child.id[:8]}\n"
    assert run("list", "--needs-review").stdout.startswith(child.id[:8])
    assert run("verify", child.id).stdout == f"{child.id[:8]}  verified  So they are big\n"
    assert run("list", "--needs-review").stdout == ""
    assert "tainted by a web page" in run("show", tainted.id).stdout
    told = answer("verify", tainted.id)["memories"][0]
    assert (told["taint"], told["user_verified"]) == (None, True)


def test_prune(run: Run, answer: Answer, remember: Remember, clock: FixedClock) -> None:
    """A dry run lists what would go and changes nothing; then it goes, and can be restored."""
    old = remember("Builds fail on Mondays", "--type", "error_pattern")
    clock.advance(days=200)
    kept = remember("Caches are keyed by tenant", "--type", "decision")
    assert run("prune", "--dry-run").stdout.startswith(f"{old[:8]}  would be forgotten")
    assert len(answer("list")["memories"]) == 2
    document = answer("prune", "--dry-run")
    assert document["dry_run"] is True
    assert [m["id"] for m in document["forget"]] == [old]
    assert run("prune").stdout.splitlines()[0].startswith(f"{old[:8]}  forgotten")
    assert [m["id"] for m in json.loads(run("list", "--json").stdout)["memories"]] == [kept]
    clock.advance(days=31)
    assert run("prune").stdout.splitlines()[0].startswith(f"{old[:8]}  deleted")
    assert run("show", old).exit_code == 4
    assert run("prune").stdout == "Nothing to prune.\n"


def test_verify_and_pin(run: Run, remember: Remember, answer: Answer) -> None:
    """By filter or all, and what is verified is left alone; no choice is an error; --off takes a pin off."""
    first = remember("one thing", "--type", "decision", "--file", "src/a.py")
    second = remember("two things", "--type", "gotcha")
    shown = run("verify", "--type", "decision", "--file", "src/").stdout
    assert shown.split("  ")[:2] == [first[:8], "verified"]
    assert run("verify", "--all").stdout.split("  ")[:2] == [second[:8], "verified"]
    assert run("verify", "--all").stdout == ""
    assert all(one["user_verified"] for one in answer("list")["memories"])
    assert run("verify").exit_code == run("verify", first, "--all").exit_code == 2
    assert run("pin", first).stdout.split("  ")[1] == "pinned"
    assert [one["id"] for one in answer("list", "--pinned")["memories"]] == [first]
    assert run("pin", "--off", first).stdout.split("  ")[1] == "unpinned"
    assert answer("list", "--pinned")["memories"] == []


def test_forget_by_filter(run: Run, remember: Remember, project: Path, clock: FixedClock) -> None:
    """Only what passes all filters goes, and more than a few only after a yes."""
    kept = remember("Tokens expire after 24 h", "--type", "decision", "--tag", "auth")
    gone = remember("The old relay listens on port 7071", "--type", "gotcha", "--tag", "auth")
    assert run("forget", "--type", "gotcha", "--tag", "other").stderr == "No memory matches.\n"
    assert run("forget", "--type", "gotcha", "--tag", "auth").stdout.startswith(f"{gone[:8]}  forgotten")
    assert run("list").stdout.startswith(kept[:8])
    assert run("forget", kept, "--type", "decision").exit_code == 2
    with Memory.open(project, clock=clock) as memory:
        for number in range(21):
            memory.remember(f"Route {number} is served by host {number}", type="pattern")
    assert "21 memories would be forgotten" in run("forget", "--type", "pattern").stderr
    assert len(run("forget", "--type", "pattern", "--yes").stdout.splitlines()) == 21
