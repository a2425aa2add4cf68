"""One session as a whole: bounds, damage, taint, early triggers, parallel agents, budgets."""

from __future__ import annotations

import pickle
import random
import time
from collections.abc import Callable

import pytest

from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput
from remora.core.events import Event, Observation
from remora.core.values import Taint
from remora.observer.agent_observer import AgentObserver
from remora.observer.observer import Observer
from remora.observer.scratchpad import Limits
from tests.observer.script import Script, observed, of_type, played, still, watching


def session() -> Script:
    """A session with a bit of everything."""
    script = Script().ask("fix the token refresh")
    script.step().think("Let me look.").say("As in [Memory #0123abcd: tokens].")
    script.grep("refreshToken", "auth/token.go:3").read("auth/token.go", "package auth")
    script.step().grep("refreshToken", "auth/token.go:3").step().grep("refreshToken", "auth/token.go:3")
    script.step().run("go test ./...", "auth/token.go:3:1: undefined: Foo", error=True).read("auth/token.go")
    script.step().edit("auth/token.go", "Foo()", "Bar()").edit("go.mod").edit("auth/user.go")
    script.step().run("go test ./...").run("mise run lint").fetch("https://example.com/a")
    script.step().say("I was wrong about `auth/user.go`, it is read on start.").edit("auth/user.go", "b", "c")
    script.ask("no, we keep the user file as it is")
    script.step().run("git commit -m 'x'", "[main 1234567] fix: refresh the token")
    return script.say("Done: the token is refreshed.")


def test_an_observation_has_the_course_of_the_session():
    """Prompts, steps, files, commands, errors, commits and the summary."""
    o = observed(session(), outcome="success", kind="build")
    assert (o.kind, o.kind_why, o.outcome) == ("build", "given", "success")
    assert o.prompts == ("fix the token refresh", "no, we keep the user file as it is")
    assert (o.steps, o.events, o.late) == (8, len(session().events), 0)
    assert {f.path: (f.reads, f.edits) for f in o.files} == {
        "auth/token.go": (2, 1),
        "go.mod": (0, 1),
        "auth/user.go": (0, 2),
    }
    assert [(c.command, c.purpose, c.runs, c.failures) for c in o.commands] == [
        ("go test ./...", "test", 2, 1),
        ("mise run lint", "lint", 1, 0),
        ("git commit -m '…'", "vcs", 1, 0),
    ]
    (error,) = o.errors
    assert error.resolved_how == "changed `auth/token.go`: `Foo()` became `Bar()`"
    shown = "file_access co_access error_retry repeated_grep config_touch test_order external_reference"
    assert {s.type for s in o.signals} == {*shown.split(), "self_correction"}


def test_an_event_counts_once():
    """A hook saw it live, a transcript is read later, a fork copied its lines under other keys."""
    once, twice = observed(session()), observed(session(), session())
    assert twice == once
    copies = Script()
    copies.events = [e._replace(key=f"fork-{e.key}") for e in session().events if e.kind.startswith("tool")]
    assert observed(session(), copies).files == once.files


HALVES = ["tool_result", "tool_call"]
TIMES = [None, "yesterday", "2026-01-05T12:00:00Z", "9999-12-31T23:59:59Z", ""]


@pytest.mark.parametrize(
    "spoil",
    [
        *(lambda events, seed=n: random.Random(seed).sample(events, len(events)) for n in range(3)),
        *(lambda events, no=kind: [e for e in events if e.kind != no] for kind in HALVES),
        *(lambda events, at=time: [e._replace(at=at) for e in events] for time in TIMES),
    ],
)
def test_damaged_sessions_are_survived(spoil: Callable[[list[Event]], list[Event]]):
    """Events in any order, without results or calls, under any clock: the files are the same."""
    script = session()
    script.events = spoil(script.events)
    o = observed(script)
    assert {f.path for f in o.files} == {"auth/token.go", "go.mod", "auth/user.go"}
    assert (o.steps, o.events) == (8, len(script.events))


def test_strange_events_are_survived():
    """Empty fields, unknown kinds and actions, odd extras."""
    observer = Observer("s1", "x", strict=True)
    strange = (
        Event("nothing known", "s1", "a"),
        Event("tool_call", "s1", "b", action="no action"),
        Event("tool_result", "s1", "c"),
        Event("tool_call", "s1", "d", action="edit", paths=("", ".", "a" * 5000)),
        Event("tool_call", "s1", "e", action="plan", extra={"todos": "no list"}),
        Event("tool_call", "s1", "f", action="plan", extra={"todos": [3, {"content": None}]}),
        Event("tool_call", "s1", "g", action="edit", paths=("a.go",), extra={"old": 3, "new": None}),
        Event("user_prompt", "s1", "h", text="\ud800 \x00"),
        Event("step", "s1", "i", step=-5, tokens=-1),
        Event("subagent_stop", "s1", "j", agent="never started"),
        Event("tool_call", "s1", "k", action="run", command="\x00'\"$(("),
    )
    for number, event in enumerate(strange, start=1):
        observer.observe(event)
        assert observer.events == number
    assert observer.finalize().events == 11


def test_a_defect_of_ours_is_counted_and_told_and_never_raised(monkeypatch: pytest.MonkeyPatch):
    """The agent goes on; `strict` raises."""

    def broken(*_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(AgentObserver, "settle", broken)
    observer = Observer("s1", "x")
    for event in session().events:
        observer.observe(event)
    assert observer.trouble
    assert "RuntimeError: ours" in observer.trouble[0]
    with pytest.raises(RuntimeError):
        watching(session())


def test_events_that_took_too_long_are_counted():
    """A timer that jumps three milliseconds makes every event late."""
    ticks = iter(range(10_000))
    observer = Observer("s1", "x", strict=True, timer=lambda: next(ticks) * 0.003)
    for event in session().events:
        observer.observe(event)
    assert observer.finalize().late == len(session().events)


# Taint


def taints(*scripts: Script) -> dict[str, Taint | None]:
    """Return what each file was tainted by when a session came to it."""
    return {s.key: s.taint for s in of_type(observed(*scripts), "file_access")}


def began(cwd: str, root: str | None = None) -> Script:
    """Return a session that has begun in a folder, of a repository whose root may be known."""
    script = Script()
    script.add("session_start", extra={"cwd": cwd} | ({"root": root} if root else {}))
    return script


def test_what_comes_after_text_from_outside_is_tainted_once():
    """Strictly later steps, with the source and the step of the first fetch; what came before stays clean."""
    first = "1 edit a.go // 2 fetch https://evil.org/x // 2 edit b.go // 3 edit c.go"
    source = Taint("https://evil.org/x", 2)
    told = {"a.go": None, "b.go": None, "c.go": source, "d.go": source}
    assert taints(played(f"{first} // 4 fetch https://other.org/ // 5 edit d.go")) == told


def test_a_conversation_that_begins_with_a_summary_is_tainted():
    """Nobody knows what was read before; one that was shortened on the way is known from its beginning."""
    script = Script()
    script.add("compaction")
    script.ask("Go on with the till").step().edit("a.go")
    assert taints(script) == {"a.go": Taint("a conversation that is not in this transcript", 0)}
    script = Script().ask("Mend the till")
    script.add("compaction")
    assert watching(script.step().edit("a.go").step().say("So.")).taint() is None


AWAY = {"cwd": "/opt/c"}


@pytest.mark.parametrize(
    ("script", "source"),
    [
        (Script().step().call("Bash", "edit", "ok", extra={"around": "curl a.org; apply_patch"}), "a.org"),
        (Script().step().call("Bash", "edit", "ok", extra={"around": "cd src && apply_patch <<E\n\nE"}), ""),
        (Script().step().call("Grep", "search", "x", pattern="x", extra={"in": "/opt/lib"}), "/opt/lib"),
        (Script().step().call("LS", "glob", "x", extra={"in": "/opt/lib"}), "/opt/lib"),
        (Script().step().fetch("https://a.org/b", answered=False), "https://a.org/b"),
        (Script().step().call("mcp__w__create_x", "other", "text " * 50), "mcp__w__create_x"),
        (Script().step().run("ls").call("Bash", "run", "x", command="cat a.md", extra=AWAY), "/opt/c/a.md"),
        (Script().step().call("Read", "read", "x", paths=("/w/app/a.go",), extra={"cwd": "/w/app"}), ""),
        (Script().step().grep("x", "src/a.js:1: from 'node_modules/x'", paths=("src",)), ""),
    ],
)
def test_what_taints(script: Script, source: str):
    """What a call says besides its words: where it looks, what is around a patch, long text of a server."""
    assert watching(script.step().say("So.")).taint() == (Taint(source, 1) if source else None)


@pytest.mark.parametrize(
    ("tool", "command", "source"),
    [
        ("shell", "Get-Content C:\\x\\a.md", "C:/x/a.md"),
        ("PowerShell", "Get-Content ..\\x\\a.md", "../x/a.md"),
        ("shell", "Get-Content src\\a.md", None),
        ("Bash", "cat src/\\[a\\].md", None),
    ],
)
def test_where_a_backslash_stands_between_folders(tool: str, command: str, source: str | None):
    """On a drive, but in the Bash that is there too."""
    script = began("C:/w/app").step().call(tool, "run", "x", command=command).step()
    assert watching(script).taint() == (Taint(source, 1) if source else None)


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("cd /w/app && git diff --stat && sed -n 1,5p server/a.py", None),
        ("cat ../server/a.py", None),
        ("cat ../../other/a.py", "../../other/a.py"),
        ("cd /w && git diff", "/w/diff"),
        ("cat /w/app-fork/a.py", "/w/app-fork/a.py"),
    ],
)
def test_a_session_in_a_part_of_its_repository_is_at_home_in_all_of_it(command: str, source: str | None):
    """Where the root is known; the folder that a call says is a part of that."""
    web = {"cwd": "web"}
    script = began("/w/app/web", "/w/app").step().call("Bash", "run", "x", command=command, extra=web)
    assert watching(script.step().read("/w/app/a.py")).taint() == (Taint(source, 1) if source else None)
    line = "npm test && cd .. && make"
    made = began("/w/app/web", "/w/app").step().call("Bash", "run", "ok", command=line, extra=web)
    assert [c.as_run for c in observed(made).commands] == ["(cd web && npm test) && make"]


@pytest.mark.parametrize(
    ("command", "taint"),
    [
        ("npm test", None),
        ("npm test; cat /opt/a", Taint("/opt/a", 1)),
        ("curl https://a.org/b", Taint("https://a.org/b", 1)),
        ("grep -rn x .", Taint("/c/out.txt", 2)),
    ],
)
@pytest.mark.parametrize("extra", [{}, {"running": "b1"}], ids=["long", "going on"])
def test_the_file_that_the_host_keeps_output_in_is_as_the_command(command: str, taint, extra):
    """What one shows is in the other; only of a search the host shows too little to know."""
    script = began("/w/app").step().run(command, answered=False)
    call = script.events[-1]
    extra = {**extra, "output": "/c/out.txt"}
    script.add("tool_result", tool="Bash", action="run", call_id=call.call_id, command=command, extra=extra)
    assert watching(script.step().read("/c/out.txt").step()).taint() == taint


def test_a_resolution_found_after_a_fetch_is_tainted():
    """The error came before, what helped came after."""
    failed = "1 run! go test ./... => panic: x"
    story = f"{failed} // 2 fetch https://x.org/ // 3 edit a.go // 3 run go test ./..."
    (error,) = observed(played(story)).errors
    assert error.taint == Taint("https://x.org/", 2)


def test_what_memory_tools_say_is_no_evidence():
    """Recalled text is never observed as new."""
    recalled = "I was wrong about `a.go`. no, never use globals. panic: boom --- FAIL: TestX"
    script = Script().step().call("search_memory", "memory", recalled, error=True)
    script.call("record_memory", "memory", recalled, paths=("a.go",))
    o = observed(script)
    assert (o.signals, o.errors, o.files) == ((), (), ())


# Early triggers


def test_early_triggers_of_the_specification():
    """A correction, three searches, configuration beside two files, two errors; each told once."""
    observer = Observer("s1", "x", strict=True)
    told: list[tuple[str, str]] = []
    script = session().step().run("x", "panic: one", error=True).run("y", "panic: two", error=True)
    for event in script.events:
        observer.observe(event)
        told += [(s.type, s.key) for s in observer.acute()]
    assert len(told) == len(set(told))
    assert {kind for kind, _ in told} == {"self_correction", "repeated_grep", "config_touch", "error_retry"}


def test_below_the_thresholds_nothing_is_acute():
    """Two searches, one error, configuration alone."""
    script = Script().step().grep("abcd", "a.go").step().grep("abcd", "a.go").edit("go.mod")
    assert watching(script.run("x", "panic: one", error=True)).acute() == []


# Clocks


def dated(*times: str | None, now: str = "2026-01-05T12:00:00Z") -> Observation:
    """Observe a read at each of the times, where the clock says `now`."""
    observer = Observer("s1", "x", strict=True, clock=FixedClock(now).now)
    for number, at in enumerate(times):
        read = Event("tool_result", "s1", f"k{number}", 1, at, "text", "Read", "read", f"c{number}")
        observer.observe(read._replace(paths=(f"{number}.go",)))
    return observer.finalize()


ELEVEN, HALF_PAST = "2026-01-05T11:00:00.000Z", "2026-01-05T11:30:00.000Z"


@pytest.mark.parametrize(
    ("times", "started", "ended"),
    [
        ((ELEVEN, "2031-07-01T00:00:00.000Z", HALF_PAST), ELEVEN, HALF_PAST),
        (("2031-07-01T00:00:00Z", "2031-07-01T01:00:00Z"), *["2026-01-05T12:00:00.000Z"] * 2),
        (("2026-01-05T13:30:00+02:00",), *["2026-01-05T13:30:00+02:00"] * 2),
        (("tomorrow",), None, None),
    ],
)
def test_a_clock_that_is_ahead_is_not_believed(
    times: tuple[str, ...], started: str | None, ended: str | None
):
    """What is later than now is as old as the event before it, or of now; what is no time is unknown."""
    found = dated(*times)
    assert (found.started, found.ended) == (started, ended)
    if len(times) == 3:
        assert [s.at for s in found.signals if s.key == "1.go"] == [started]


def test_finalize_can_be_asked_twice_and_in_between():
    """It concludes on a copy."""
    observer = Observer("s1", "claude-code", strict=True, timer=still)
    events = session().events
    for event in events[:10]:
        observer.observe(event)
    assert observer.finalize() == observer.finalize()
    for event in events[10:]:
        observer.observe(event)
    assert observer.finalize() == observed(session())


@pytest.mark.parametrize(("outcome", "kind"), [("great", None), (None, "party")])
def test_unknown_outcomes_and_kinds_are_refused(outcome: str | None, kind: str | None):
    """Only those of the vocabulary."""
    with pytest.raises(InvalidInput):
        Observer("s1", "x").finalize(outcome, kind)


# Parallel agents


def test_two_agents_that_change_one_file_are_in_conflict():
    """Both are named, and their changes are added up."""
    o = observed(played("a@1 edit x.go // b@1 edit x.go // a@1 edit x.go // b@1 edit x.go"))
    (conflict,) = of_type(o, "parallel_conflict")
    assert (conflict.key, conflict.detail["agents"], conflict.agents) == ("x.go", ["a", "b"], 2)
    assert {f.path: f.edits for f in o.files} == {"x.go": 4}


def test_the_taint_of_a_subagent_reaches_who_gets_its_report():
    """And a subagent that starts after a fetch inherits it."""
    reported = "1 edit a.go // a@1 fetch https://x.org/ // a@1 stop // 3 edit b.go"
    assert taints(played(reported)) == {"a.go": None, "b.go": Taint("subagent: https://x.org/", 1)}
    late = "2 fetch https://x.org/ // b@1 edit c.go"
    assert taints(played(late)) == {"c.go": Taint("https://x.org/", 0)}


def test_a_report_of_a_subagent_that_was_seen_is_as_clean_as_it():
    """Its own lines tell what it read; the result of the task taints only if they do."""
    for path, taint in (("a.go", None), ("/opt/a.go", Taint("subagent: /opt/a.go", 4))):
        sub = Script(agent="a").step().read(path).step().say("report")
        main = Script(prefix="m").step(4).call("Task", "task", "report")
        assert watching(sub, main).taint() == taint


def test_commands_that_ran_only_after_text_from_outside_say_so():
    """A command that ran before as well is the session's own."""
    before = "1 run make test // 2 fetch https://x.org/"
    ran = observed(played(f"{before} // 3 run make test // 3 run make evil")).commands
    assert [(c.command, c.tainted) for c in ran] == [("make test", False), ("make evil", True)]


def test_a_part_of_a_tainted_line_does_not_change_what_its_command_is():
    """A command that also ran alone keeps its purpose and its event; the part counts as a run of it."""
    before = "1 run ruff check . // 2 fetch https://x.org/"
    (alone,) = observed(played(before)).commands
    ran = observed(played(f"{before} // 3 run ./evil.sh test && ruff check .")).commands
    (found,) = [c for c in ran if c.command == "ruff check ."]
    assert (found.purpose, found.event, found.runs, found.tainted) == (alone.purpose, alone.event, 2, False)


def test_a_session_that_goes_on_from_a_tainted_one_is_tainted():
    """From its first step on."""
    observer = watching()
    observer.inherit(watching(played("7 fetch https://x.org/")))
    for event in played("1 edit a.go").events:
        observer.observe(event)
    (access,) = of_type(observer.finalize(), "file_access")
    assert access.taint == Taint("https://x.org/", 0)


def test_more_agents_than_the_limit_share_one_watch():
    """Memory stays bounded; nothing is lost."""
    scripts = [Script(agent=f"a{n}").step().read(f"{n}.go") for n in range(10)]
    o = observed(*scripts, limits=Limits(agents=3))
    assert len(o.files) == 10


# Bounds and budgets


def big(events: int) -> list[Event]:
    """A session of many events: reads, changes, searches, runs and words over four thousand files."""
    script = Script()
    number = 0
    while len(script.events) < events:
        number += 1
        path = f"d{number % 70}/f{number % 4001}.go"
        script.step().read(path, "package x\n").grep(f"name{number}Of", f"f{number}.go")
        script.edit(path, f"old {number}", f"new {number}")
        wrong = f"a.go:{number}:1: undefined: Name{chr(97 + number % 26)}{number % 997}x"
        script.run("go test ./...", wrong, error=True)
        script.say(f"Fixed number {number}. It was not easy, and `x{number}` is done.").think("Let me go on.")
    return script.events[:events]


@pytest.mark.slow
def test_ten_thousand_events_in_bounded_memory_and_time():
    """Signals are evicted and counted; the state stays small; the end comes soon."""
    observer = Observer("s1", "x", strict=True, limits=Limits(signals=100))
    events = big(10_000)
    began = time.process_time()
    for event in events:
        observer.observe(event)
    mean = (time.process_time() - began) / len(events)
    began = time.process_time()
    o = observer.finalize()
    assert time.process_time() - began < 2.0  # the budget is 100 ms; the benchmark measures it
    assert mean < 0.001  # the budget is 0.2 ms; this only catches what grows with the session
    assert (o.events, o.steps) == (10_000, events[-1].step)
    assert o.dropped > 0
    assert len(o.signals) <= 100
    assert len(pickle.dumps(observer._parts)) < 4_000_000


def test_the_least_worth_goes_first():
    """A pad that is full keeps corrections and lets accesses of files go."""
    script = Script().step().ask("no, never call the session commands from a hook")
    for number in range(200):
        script.step(7).read(f"f{number}.go")
    o = observed(script, limits=Limits(signals=40))
    assert len(of_type(o, "self_correction")) == 1
    assert o.dropped >= 160
