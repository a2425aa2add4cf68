"""Where memories come from: each names its session, and the steps and events there that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core.events import Observation
from remora.core.payloads import PAYLOADS, validate
from remora.observer.observer import Observer
from remora.observer.promotion import promote, tallies
from tests.observer.script import Script
from tests.observer.seen_here import SeenHere

CHEAP, DEAR = 6, 3  # sessions in one module, then in another, each with a plan of three things
LINT = "store/rows.go:3:1: NewRows returns interface (app/store.Rows) (ireturn)"


def lived(number: int) -> tuple[Script, Observation]:
    """Return one of several sessions that are much alike, with what it added up to."""
    script = Script(f"s{number}", prefix=f"s{number}-")
    script.add("session_start", branch=f"topic{number}")
    plan = [{"content": f"thing {n}", "status": "completed"} for n in range(3)]
    script.ask("note that we should always run `mise run fmt` together with `mise run lint`").step()
    script.call("TodoWrite", "plan", extra={"todos": plan}).read("lib/clock.go").read("lib/wall.go")
    if number < CHEAP:
        script.step().edit("web/page.go", f"show({number})", f"show({number + 1})").run("make test")
    else:
        script.step(80).edit("store/rows.go", f"a({number})", f"b({number})")
        script.edit("jobs/sync.go", "s()", "t()")
        script.step().run("make lint", LINT, error=True)
        script.run("go generate ./...").run("make lint").run("make test").step()
        script.step().say("The problem is that `serve()` reads `rows` after they were closed.")
        script.edit("store/rows.go", f"close({number})", f"defer close({number})")
        why = "`serve()` still read its rows when they were closed, so that requests failed."
        script.run(f"git commit -qm 'fix(store): close rows late\n\n{why}'")
    script.step().say("Done: `serve()` closes its rows last because it reads them lazily.")
    script.add("step", tokens=20_000 + number)
    observer = Observer(script.session, "x", strict=True)
    for event in script.events:
        observer.observe(event)
    return script, observer.finalize("success", "build")


def learnt() -> list[tuple[Script, Any]]:
    """Return every memory of the sessions, each with the session that gave it."""
    seen, found = SeenHere(), []
    for script, session in map(lived, range(CHEAP + DEAR)):
        seen.add(session, tallies(session))
        limits = {"build": 99}
        found += [(script, p.draft) for p in promote(session, seen, limits=limits).promoted]
    return found


def whence(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the provenance in a payload, wherever its type keeps it."""
    found: Mapping[str, Any] = payload.get("provenance", payload)
    return found


SIGNALS = {
    ("causal_dependency", "co_access"),
    ("workflow_recipe", "tool_sequence"),
    ("context_cost", "context_token_spike"),
    ("preference", "user_words"),
    ("error_pattern", "error_retry"),
    ("task_calibration", "step_overrun"),
}


def test_every_memory_names_its_session_steps_and_events() -> None:
    """The steps are of the session, and the events are events of it, whatever proposed the memory."""
    found = learnt()
    shown = {(draft.type, whence(draft.payload)["signal"]) for _, draft in found}
    assert shown >= SIGNALS, shown
    for script, draft in found:
        told, keys = whence(draft.payload), {event.key for event in script.events}
        assert draft.session_id == script.session
        assert told["key"], draft
        assert told["steps"], draft
        assert told["events"], draft
        assert set(told["steps"]) <= {event.step for event in script.events}, draft
        assert set(told["events"]) <= keys, draft
        if draft.type in PAYLOADS:  # its provenance is in a field of its own
            assert validate(draft.type, draft.payload) == dict(draft.payload)
