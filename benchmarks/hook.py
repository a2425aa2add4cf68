"""What a hook costs the agent: a process for each tool call, beside an empty Python in the same run.

A project of made-up memories (10,000; a tenth of them gotchas about files, some with cues) is asked through
`remora hook` with events as Claude Code sends them, each a process of its own and none of them with
an embedding: reading a file, changing one, running a command, with and without anything to say, and one
in a session that has 5,000 calls behind it.
Empty Pythons run in between, so that a busy moment hits both. Beside it the decision alone, in one process.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.metrics import percentile
from benchmarks.texts import Texts
from remora.app.memories import triggers
from remora.app.memory import Memory
from remora.core import moments
from remora.core.moments import Moment
from remora.core.values import MemoryDraft
from remora.disk.live import live_file

MEMORIES = 10_000
ROUNDS = 40
DECISIONS = 2_000
RATIO, AIM, P95_MS, DECISION_MS = 3.5, 2.5, 120.0, 20.0
FILES = 400
LONG = 5_000  # calls of a session that has gone on for days
_SCRIPT = Path(sys.executable).parent / ("remora.exe" if sys.platform == "win32" else "remora")
# As hosts start it; `python -m` costs a few milliseconds more.
COMMAND = [*([str(_SCRIPT)] if _SCRIPT.exists() else [sys.executable, "-m", "remora"]), "hook"]
COMMAND += ["--host", "claude-code"]


def run(options: Options) -> Report:
    """Ask each kind of event so often, empty Pythons in between."""
    rounds = min(ROUNDS, options.limit or ROUNDS)
    memories = MEMORIES if options.limit is None else 100 * options.limit
    with workplace(options.keep, "hook") as place:
        root = fill(place, memories)
        say(f"hook: {memories:,} memories")
        times = processes(place, root, rounds)
        decisions = decided(place, root, DECISIONS if options.limit is None else 100)
    return report(times, decisions, memories, whole=options.limit is None)


def sound(options: Options) -> list[Check]:
    """Return whether a few hooks, asked as the benchmark asks them, say what they must; nothing of times."""
    with workplace(None, "hook") as place:
        root = fill(place, 100 * (options.limit or 1))
        env = environment(place, **NO_MODEL, REMORA_WORK="off")
        begin = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s", "cwd": str(root)}
        asked(begin, env)
        said = {name: asked(event, env) for name, event in events(root, "s").items()}
    quiet = all(not text for name, text in said.items() if name != "read, something to say")
    spoke = "handle_" in said["read, something to say"] + said["edit, something to say"]
    return [
        Check("a hook speaks of a file with lessons", float(spoke), "yes", spoke),
        Check("and is silent otherwise", float(quiet), "yes", quiet),
    ]


def fill(place: Path, memories: int) -> Path:
    """Make a project with so many memories; a tenth warns of something in a file."""
    words, draw = Texts(7), random.Random(7)
    drafts = []
    for number in range(memories):
        file = f"src/part{draw.randrange(FILES) if number else 3}.py"
        kind = "gotcha" if number % 10 == 0 else draw.choice(("decision", "pattern", "module_insight"))
        text = f"{words.sentence(8, 16)} in `handle_{number}_case`"
        drafts.append(MemoryDraft(text, type=kind, related_files=(file,), confidence=0.8))
    root = place / "project"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    with Memory.open(root, environ=environment(place, **NO_MODEL)) as memory:
        for start in range(0, len(drafts), 500):
            memory.remember_many(drafts[start : start + 500])
        triggers.refresh(memory._project)
        return memory.root


def events(root: Path, session: str) -> dict[str, dict[str, Any]]:
    """Return one event of each kind, as Claude Code sends them."""
    common = {"session_id": session, "cwd": str(root), "transcript_path": "/none.jsonl", "prompt_id": "p"}
    here, there = str(root / "src/part3.py"), str(root / "docs/none.md")
    edit = {"old_string": "a = 1", "new_string": "a = handle(2)"}

    def tool(event: str, name: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        return common | {"hook_event_name": event, "tool_name": name, "tool_input": given, **more}

    return {
        "read, something to say": tool("PostToolUse", "Read", {"file_path": here}, tool_response={}),
        "read, nothing": tool("PostToolUse", "Read", {"file_path": there}, tool_response={}),
        "edit, something to say": tool("PreToolUse", "Edit", {"file_path": here, **edit}),
        "edit, nothing": tool("PreToolUse", "Edit", {"file_path": there, **edit}),
        "command": tool("PreToolUse", "Bash", {"command": "make test && git status"}),
        "command, done": tool(
            "PostToolUse", "Bash", {"command": "make"}, tool_response={"stdout": "ok" * 500}
        ),
        "search": tool("PostToolUse", "Grep", {"pattern": "handle_"}, tool_response="none"),
        "second prompt": common | {"hook_event_name": "UserPromptSubmit", "prompt": "go on with it please"},
    }


def processes(place: Path, root: Path, rounds: int) -> dict[str, list[float]]:
    """Return milliseconds of each process, by what it was asked; "empty Python" is one of them."""
    found: dict[str, list[float]] = {"empty Python": []}
    env = environment(place, **NO_MODEL)
    begin = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "warm", "cwd": str(root)}
    asked(begin | {"session_id": "long"}, env)
    with live_file("claude-code", "long", env) as live:
        live.add(
            *({"k": "after", "a": "edit", "p": [f"src/{n % 300}.py"], "i": f"c{n}"} for n in range(LONG))
        )
    for number in range(rounds):
        session = f"s{number}"
        for opening in ("SessionStart", "UserPromptSubmit"):
            first = begin | {
                "hook_event_name": opening,
                "session_id": session,
                "prompt": "mend the parser now",
            }
            asked(first, env)
        late = events(root, "long")["edit, nothing"]
        for name, event in (events(root, session) | {f"edit after {LONG:,} calls": late}).items():
            found["empty Python"].append(timed_process([sys.executable, "-c", "pass"], b"", env))
            data = json.dumps(event).encode()
            found.setdefault(name, []).append(timed_process(COMMAND, data, env))
    return found


def asked(event: dict[str, Any], env: dict[str, str]) -> str:
    """Return what a hook process prints for an event."""
    done = subprocess.run(
        COMMAND,
        input=json.dumps(event).encode(),
        capture_output=True,
        env=env,
        cwd=ROOT,
        check=True,
    )
    return done.stdout.decode()


def timed_process(command: list[str], data: bytes, env: dict[str, str]) -> float:
    """Return the milliseconds of a whole process."""
    started = time.perf_counter()
    subprocess.run(command, input=data, stdout=subprocess.DEVNULL, env=env, cwd=ROOT, check=True)
    return (time.perf_counter() - started) * 1000


def decided(place: Path, root: Path, count: int) -> list[float]:
    """Return the milliseconds of so many decisions in one process, each with a fresh look at the store."""
    draw = random.Random(3)
    kinds: tuple[Callable[[str], Moment], ...] = (
        lambda path: Moment(
            moments.BEFORE, "x", "s", str(root), action="edit", paths=(path,), changed="a.b()"
        ),
        lambda path: Moment(moments.AFTER, "x", "s", str(root), action="read", paths=(path,)),
        lambda path: Moment(moments.BEFORE, "x", "s", str(root), action="run", command=f"make {path}"),
        lambda _: Moment(moments.STEP, "x", "s", str(root)),
    )
    found = []
    env = environment(place, **NO_MODEL)
    with (
        Memory.open(root, environ=env, read_only=True) as memory,
        memory.loop("decisions") as loop,
    ):
        for number in range(count):
            moment = kinds[number % len(kinds)](f"{root}/src/part{draw.randrange(FILES)}.py")
            started = time.perf_counter()
            loop._decided(moment, least=9)
            found.append((time.perf_counter() - started) * 1000)
    return found


def report(times: dict[str, list[float]], decisions: list[float], memories: int, *, whole: bool) -> Report:
    """Return the times beside those of an empty Python."""
    empty = percentile(times["empty Python"], 50)
    rows = []
    for name, own in times.items():
        rows.append((name, percentile(own, 50), percentile(own, 95), percentile(own, 50) / empty))
    hooks = [t for name, own in times.items() if name != "empty Python" for t in own]
    ratio, p95 = percentile(hooks, 50) / empty, percentile(hooks, 95)
    decision = percentile(decisions, 95)
    rows.append(("all hooks", percentile(hooks, 50), p95, ratio))
    table = Table(
        f"A hook's process, {memories:,} memories, ms", ("", "p50", "p95", "x empty Python"), tuple(rows)
    )
    alone = Table(
        "A decision in one process, ms",
        ("p50", "p95", "times"),
        ((percentile(decisions, 50), decision, len(decisions)),),
    )
    checks = (
        Check("median over an empty Python", ratio, f"<= {RATIO}", ratio <= RATIO),
        Check("p95, ms", p95, f"< {P95_MS}", p95 < P95_MS),
        Check("decision p95, ms", decision, f"< {DECISION_MS}", decision < DECISION_MS),
    )
    figures = {"ratio": ratio, "p95": p95, "decision p95": decision, "aim": AIM}
    return Report("hook", figures, (table, alone), checks if whole else (), (), "none", {})
