"""Hooks in bursts on a loaded machine: is every event noted, and every session taken in?

Sessions of five events (a start, a prompt, an edit before and after, an end) are sent as hosts send them: a
process for each event, 20 at a time; once on the machine as it is, once beside two processes that compute.
What is noted must not depend on what is said: a hook without time to answer still notes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.hook import COMMAND, fill
from benchmarks.metrics import percentile
from remora.app.agent.session_end import work
from remora.disk.live import folder, read

SESSIONS, AT_ONCE, MEMORIES = 60, 20, 2_000
CEILING_S = 3.0
EVENTS = 5
BUSY = "while True: sum(range(100000))"


class Found(NamedTuple):
    """What one run came to."""

    seconds: list[float]
    noted: int
    late: int
    taken_in: int


def run(options: Options) -> Report:
    """Send the bursts without and with load."""
    sessions = options.limit or SESSIONS
    found = {}
    for name, busy in (("idle", 0), ("loaded", 2)):
        with workplace(options.keep, f"bursts-{name}") as place:
            found[name] = burst(place, sessions, busy, MEMORIES if options.limit is None else 100)
    rows = [
        (
            name,
            f"{one.noted} of {EVENTS * sessions}",
            f"{one.taken_in} of {sessions}",
            one.late,
            f"{percentile(one.seconds, 50):.2f}",
            f"{percentile(one.seconds, 95):.2f}",
            f"{max(one.seconds):.2f}",
        )
        for name, one in found.items()
    ]
    head = ("machine", "events noted", "sessions taken in", "no answer in time", "p50 s", "p95 s", "most s")
    checks = [
        check
        for name, one in found.items()
        for check in (
            Check(
                f"{name}: events not noted",
                float(EVENTS * sessions - one.noted),
                "0",
                one.noted == EVENTS * sessions,
            ),
            Check(
                f"{name}: sessions not taken in",
                float(sessions - one.taken_in),
                "0",
                one.taken_in == sessions,
            ),
        )
    ]
    figures = {name: one._replace(seconds=sorted(one.seconds))._asdict() for name, one in found.items()}
    return Report("bursts", figures, (Table("Hooks in bursts of 20", head, tuple(rows)),), tuple(checks))


def burst(place: Path, sessions: int, busy: int, memories: int) -> Found:
    """Send the events of so many sessions, 20 sessions at a time, and take them in."""
    root = fill(place, memories)
    env = environment(place, **NO_MODEL, REMORA_WORK="off")
    say(f"bursts: {sessions} sessions, {busy} busy processes")
    load = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            times = [
                t for own in pool.map(lambda n: session(root, f"s{n}", env), range(sessions)) for t in own
            ]
    finally:
        for one in load:
            one.kill()
            one.wait()
    noted = sum(_moments(path) for path in Path(folder(env)).glob("*.jsonl"))
    log = Path(env["REMORA_HOME"]) / "hooks.log"
    late = log.read_text("utf-8").count("no answer within") if log.exists() else 0
    done = work(env)
    return Found(times, noted, late, sum(not one.problem for one in done))


def session(root: Path, name: str, env: dict[str, str]) -> list[float]:
    """Send the events of a session one after the other; return how long each took, in seconds."""
    return [ask(event, env) for event in events(root, name)]


def events(root: Path, name: str) -> list[dict[str, Any]]:
    """Return what Claude Code sends in a short session."""
    base = {"session_id": name, "cwd": str(root)}
    path = str(root / "src/part3.py")
    call = {
        "tool_name": "Edit",
        "tool_use_id": f"toolu_{name}",
        "tool_input": {"file_path": path, "old_string": "a", "new_string": "b"},
    }
    return [
        {"hook_event_name": "SessionStart", "source": "startup", **base},
        {"hook_event_name": "UserPromptSubmit", "prompt": f"change the retry of part {name}", **base},
        {"hook_event_name": "PreToolUse", **call, **base},
        {"hook_event_name": "PostToolUse", "tool_response": {"filePath": path}, **call, **base},
        {"hook_event_name": "SessionEnd", "reason": "exit", **base},
    ]


def ask(event: dict[str, Any], env: dict[str, str]) -> float:
    """Send an event to a hook; return how long it took, in seconds."""
    started = time.monotonic()
    subprocess.run(
        COMMAND, input=json.dumps(event).encode(), cwd=ROOT, env=env, check=False, stdout=subprocess.DEVNULL
    )
    return time.monotonic() - started


def _moments(path: Path) -> int:
    """Return how many events a live file has, without the lines that say that somebody is at work."""
    _, lines = read(str(path))
    return sum(line.get("k") in ("start", "prompt", "before", "after", "failed", "end") for line in lines)
