"""200 sessions of agents, half of them killed: what is left behind, and what was learned how often.

Hosts begin and end sessions through real hook processes, several at a time: a start, a prompt, an edit and a
command with their results, an end. In half of the sessions something is killed: a hook process with
`kill -9` at a random moment (also the first one and the last one), or the host itself, so that no end
comes. Every fifth session is of a host without transcripts, whose events are captured. The work that
follows runs as it does for users: detached, started by the hooks, one process at a time.

When the last of it is over, the sessions whose end never came are let grow old, and one more session
starts, which finds them. Then there must be no process, no lock that is held, no socket and no temporary
file; the database must be sound, and leave nothing beside it when it was opened and closed; every session
must have been learned once and stand in the history once; and no memory may have been told twice to one
session. No hook that was left alone may have failed or have printed anything that is not JSON.
"""

from __future__ import annotations

import json
import os
import random
import re
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from remora.app.memories import triggers
from remora.app.memory import Memory
from remora.core.errors import StoreBusy
from remora.disk.files import LOCK_SUFFIX, lock
from remora.disk.leftovers import TEMP_PREFIX
from remora.disk.live import IDLE, LEARNT, read

SESSIONS = 200
AT_ONCE = 4  # sessions of one machine
SOON = 0.8  # of the usual time; later than that most have ended
USUAL = 0.08  # seconds of a hook, before any was measured
PATIENCE = 300.0  # seconds for the work that follows
PROMPT = 1  # which of a session's events the prompt is
LESSON = "The cart is cached per tenant; the key must never be shared"
_TICKET = re.compile(r"ticket-(\d{4})")


class Session(NamedTuple):
    """What happens in one session.

    Attributes:
        killed: the event whose hook is killed; -1 for none.
        ends: its end is told.
    """

    number: int
    host: str
    killed: int
    ends: bool

    @property
    def name(self) -> str:
        """Its id at the host."""
        return f"leak-{self.number:04d}"


class Outcome(NamedTuple):
    """What is left when everything is over."""

    sessions: int
    hooks: int
    killed: int
    without_end: int
    bad: tuple[str, ...]
    processes: tuple[str, ...]
    locks: tuple[str, ...]
    sockets: tuple[str, ...]
    temporary: tuple[str, ...]
    beside: tuple[str, ...]
    unsound: tuple[str, ...]
    not_once: tuple[str, ...]
    told_twice: tuple[str, ...]
    logged: tuple[str, ...]
    seconds: float


def plan(count: int, seed: int = 5) -> list[Session]:
    """Return so many sessions, half of which do not go well."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        host = "cursor" if number % 5 == 4 else "claude-code"
        how = draw.choice(("hook", "host")) if number % 2 else ""
        killed = draw.randrange(7) if how == "hook" else -1
        found.append(Session(number, host, killed, how != "host"))
    return found


def events(session: Session, root: Path, transcript: Path) -> list[dict[str, Any]]:
    """Return what a host tells of a session, event by event."""
    edit = {"file_path": str(root / "cart.py"), "old_string": "a", "new_string": f"b{session.number}"}
    run = {"command": "make check"}
    prompt = _prompt(session)
    if session.host == "cursor":
        told = {"conversation_id": session.name, "generation_id": "g1", "workspace_roots": [str(root)]}
        return [
            told | {"hook_event_name": "sessionStart"},
            told | {"hook_event_name": "beforeSubmitPrompt", "prompt": prompt},
            told | _tool("postToolUse", "Write", edit, "u1", tool_output='"ok"'),
            told | _tool("postToolUseFailure", "Shell", run, "u2", error_message="Exit code 1\n1 failed"),
            told | {"hook_event_name": "afterAgentResponse", "text": "One test fails."},
            told | {"hook_event_name": "stop", "status": "completed"},
            told | {"hook_event_name": "sessionEnd", "reason": "user_close"},
        ]
    told = {
        "session_id": session.name,
        "cwd": str(root),
        "transcript_path": str(transcript),
        "prompt_id": "p",
    }
    return [
        told | {"hook_event_name": "SessionStart", "source": "startup"},
        told | {"hook_event_name": "UserPromptSubmit", "prompt": prompt},
        told | _tool("PreToolUse", "Edit", edit, "toolu_1"),
        told | _tool("PostToolUse", "Edit", edit, "toolu_1", tool_response={"filePath": edit["file_path"]}),
        told | _tool("PreToolUse", "Bash", run, "toolu_2"),
        told | _tool("PostToolUseFailure", "Bash", run, "toolu_2", error="Exit code 1\n1 failed"),
        told | {"hook_event_name": "SessionEnd", "reason": "other"},
    ]


def _prompt(session: Session) -> str:
    return f"Please mend what ticket-{session.number:04d} says of the cart"


def _tool(event: str, name: str, given: Mapping[str, Any], call: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "tool_name": name, "tool_input": given, "tool_use_id": call, **more}


def write_transcript(session: Session, root: Path, path: Path) -> None:
    """Write what the host keeps of a session."""
    edit = {"file_path": str(root / "cart.py"), "old_string": "a", "new_string": f"b{session.number}"}
    contents: list[tuple[str, Any]] = [("user", _prompt(session))]
    for number, (name, given, result) in enumerate(
        (("Edit", edit, "ok"), ("Bash", {"command": "make check"}, "Exit code 1\n1 failed")), start=1
    ):
        call = {"type": "tool_use", "id": f"{session.name}-{number}", "name": name, "input": given}
        answer = {"type": "tool_result", "tool_use_id": call["id"], "content": result}
        contents += [("assistant", [call]), ("user", [answer | {"is_error": name == "Bash"}])]
    contents.append(("assistant", [{"type": "text", "text": "The cart is mended."}]))
    lines = [
        {
            "type": kind,
            "uuid": f"{session.name}-{number}",
            "sessionId": session.name,
            "cwd": str(root),
            "timestamp": f"2026-03-01T08:00:{number:02d}.000Z",
            "message": {"role": kind, "content": content, "id": f"m{number}"},
        }
        for number, (kind, content) in enumerate(contents)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


class Host:
    """Runs sessions and keeps account of what their hooks did."""

    def __init__(self, place: Path, root: Path) -> None:
        self.place, self.root = place, root
        self.environ = environment(place, **NO_MODEL)
        self.hooks = self.killed = 0
        self.usual = USUAL
        self.bad: list[str] = []

    def run(self, session: Session) -> None:
        """Run one session from its start to its end."""
        draw = random.Random(session.number)
        transcript = self.place / f"{session.name}.jsonl"
        if session.host == "claude-code":
            write_transcript(session, self.root, transcript)
        told = events(session, self.root, transcript)
        for number, event in enumerate(told if session.ends else told[:-1]):
            self.hook(session.host, event, draw.random() if number == session.killed else None)

    def hook(self, host: str, event: Mapping[str, Any], kill_at: float | None = None) -> None:
        """Run one hook process; kill it at a share of the time that one usually takes, if it still runs."""
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "remora", "hook", "--host", host],
            env=self.environ,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.hooks += 1
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(event).encode())
            process.stdin.close()
        process.stdin = None
        if kill_at is not None:
            time.sleep(kill_at * SOON * self.usual)
            process.kill()
        printed, errors = process.communicate(timeout=60)
        if process.returncode == -9 and kill_at is not None:
            self.killed += 1
            return
        self.usual += (time.perf_counter() - started - self.usual) / 10
        name = str(event["hook_event_name"])
        if process.returncode or errors:
            self.bad.append(f"{name}: {process.returncode} {errors.decode()[:200]}")
        if printed and not isinstance(_json(printed), dict):
            self.bad.append(f"{name}: printed {printed[:80]!r}")


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def make_project(place: Path) -> Path:
    """Make a repository and a memory with something to say."""
    root = place / "project"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "cart.py").write_text("a = 1\n")
    with Memory.open(root, environ=environment(place, **NO_MODEL)) as memory:
        memory.remember(LESSON, type="gotcha", related_files=["cart.py"])
        triggers.refresh(memory._project)
    return root


def measure(count: int) -> Outcome:
    """Run so many sessions and look at what they leave."""
    started = time.monotonic()
    sessions = plan(count)
    with workplace() as place:
        host = Host(place, make_project(place))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for number, _ in enumerate(pool.map(host.run, sessions), start=1):
                if number % 20 == 0:
                    say(f"leaks: {number} of {count} sessions")
        _wait(place)
        grow_old(place)
        last = Session(count, "claude-code", -1, True)
        host.run(last)
        _wait(place)
        return _look(host, [*sessions, last], started)


def grow_old(place: Path) -> None:
    """Let the sessions that were not taken in be as old as one is that is over."""
    then = time.time() - IDLE - 60
    for path in (place / "data" / "live").glob("*.jsonl"):
        lines = read(str(path))[1]
        if not lines or lines[-1].get("k") != LEARNT:
            os.utime(path, (then, then))


def _wait(place: Path) -> None:
    """Wait until the detached work is over."""
    until = time.monotonic() + PATIENCE
    while running(place) and time.monotonic() < until:
        time.sleep(0.1)


def running(place: Path) -> list[str]:
    """Return the processes that work on a data folder; where there is no /proc, the lock that one holds."""
    if not Path("/proc/self/environ").exists():
        return held([place / "data" / "live" / f"work{LOCK_SUFFIX}"])
    mark = f"REMORA_HOME={place / 'data'}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


def held(paths: list[Path]) -> list[str]:
    """Return the lock files that somebody holds."""
    found = []
    for path in paths:
        if path.exists():
            try:
                with lock(path.with_name(path.name.removesuffix(LOCK_SUFFIX)), timeout=0.0):
                    pass
            except StoreBusy:
                found.append(path.name)
    return found


def _look(host: Host, sessions: list[Session], started: float) -> Outcome:
    """Compare what is there with what should be."""
    place = host.place
    files = [path for path in place.rglob("*") if not path.is_relative_to(host.root)]
    processes = tuple(running(place))
    locks = tuple(held([path for path in files if path.name.endswith(LOCK_SUFFIX)]))
    with Memory.open(host.root, environ=host.environ) as memory:
        db = memory._project.db
        unsound = tuple(db.connection.check())
        learnt = Counter(row.id for row in db.sessions.sessions(10 * len(sessions)))
        noted = Counter(n for one in memory.journal.history(10**6) for n in _TICKET.findall(one.text))
        told = Counter((i.session_id, i.agent, m) for i in db.injections.latest(10**6) for m in i.memory_ids)
    log = place / "data" / "hooks.log"
    return Outcome(
        sessions=len(sessions),
        hooks=host.hooks,
        killed=host.killed,
        without_end=sum(not session.ends for session in sessions),
        bad=tuple(host.bad),
        processes=processes,
        locks=locks,
        sockets=tuple(str(path) for path in files if stat.S_ISSOCK(path.lstat().st_mode)),
        temporary=tuple(path.name for path in files if path.name.startswith(TEMP_PREFIX)),
        beside=tuple(path.name for path in place.rglob("*.db-*")),
        unsound=unsound,
        not_once=tuple(_not_once(sessions, learnt, noted)),
        told_twice=tuple(str(key) for key, times in told.items() if times > 1),
        logged=tuple(log.read_text("utf-8").splitlines()) if log.exists() else (),
        seconds=time.monotonic() - started,
    )


def _not_once(sessions: list[Session], learnt: Counter[str], noted: Counter[str]) -> Iterator[str]:
    for session in sessions:
        if (times := learnt[f"{session.host}:{session.name}"]) != 1:
            yield f"{session} was learned {times} times"
        # Where the host keeps nothing, a prompt is lost with the hook that was told of it.
        lost = session.host == "cursor" and session.killed == PROMPT
        if (times := noted[f"{session.number:04d}"]) != 1 and not (lost and times == 0):
            yield f"{session} was noted {times} times"


def report(found: Outcome) -> Report:
    """Return what was found beside what was promised."""
    promised: dict[str, tuple[str, ...]] = {
        "processes left": found.processes,
        "locks held": found.locks,
        "sockets left": found.sockets,
        "temporary files left": found.temporary,
        "files beside the closed database": found.beside,
        "problems of the database": found.unsound,
        "sessions not learned or not noted exactly once": found.not_once,
        "memories told twice to one session": found.told_twice,
        "hooks that failed": found.bad,
    }
    rows = (
        ("sessions", found.sessions),
        ("of them without an end", found.without_end),
        ("hook processes", found.hooks),
        ("of them killed", found.killed),
        ("lines in hooks.log", len(found.logged)),
    )
    checks = [Check(what, float(len(left)), "0", not left) for what, left in promised.items()]
    notes = [f"{what}: {one}" for what, left in promised.items() for one in left]
    figures = {
        name: value if isinstance(value, int | float) else len(value)
        for name, value in found._asdict().items()
    }
    table = Table("Sessions begun, killed and ended", ("what", "count"), rows)
    return Report("leaks", figures, (table,), tuple(checks), tuple([*notes, *found.logged][:30]))


def run(options: Options) -> Report:
    """Run 200 sessions, or as many as the limit says."""
    return report(measure(options.limit or SESSIONS))
