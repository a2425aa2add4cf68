"""How long learning from recorded sessions of agents takes, and how much memory it needs.

All sessions are learnt in a process of its own, so that its highest resident memory is that of learning
and of nothing else. In another one every event is timed alone, in five passes of which the least counts: the
one that holds all sessions as objects would time its own heap. Beside the whole stands what it cannot be
cheaper than: parsing the same lines as JSON. What other benchmarks of these sessions share is here, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.agent_sessions import DATA, AgentSession, read, write
from benchmarks.common import (
    ROOT,
    Check,
    Options,
    Report,
    Table,
    memory_in,
    model_of,
    say,
    settings_of,
    workplace,
)
from benchmarks.metrics import percentile

if TYPE_CHECKING:
    from remora.app.memory import Memory

SECONDS, MEGABYTES, OBSERVE_MS, FINALIZE_MS = 120, 500, 0.2, 100  # promised
MILLION = 1_000_000
PASSES = 5


class Past:
    """The sessions that are over by a time: what may be known then."""

    def __init__(self, sessions: Sequence[AgentSession]) -> None:
        self._sessions = sorted(sessions, key=lambda session: (session.ended, session.id))

    def before(self, session: AgentSession) -> list[AgentSession]:
        """Return the sessions that were over when one began, in the order of their ends.

        One that began earlier but went on is not among them: its rest is not known yet.
        """
        return [other for other in self._sessions if other.ended <= session.started]


class Stream:
    """Lets a memory learn each session once it is over, from files as its host would have left them."""

    def __init__(self, place: Path, past: Past) -> None:
        self._folder = place / "projects"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._past = past
        self._written: set[str] = set()

    def learn_before(self, memory: Memory, session: AgentSession) -> list[AgentSession]:
        """Learn what is new since the last call; return all that is known when a session begins."""
        known = self._past.before(session)
        fresh = [other for other in known if other.id not in self._written]
        for other in fresh:
            write(other, self._folder)
            self._written.add(other.id)
        if fresh:
            memory.learn(self._folder)
        return known


class Speed(NamedTuple):
    """What each event and each session cost in one pass, in milliseconds."""

    observe: list[float]
    finalize: list[float]


def sessions_of(options: Options) -> list[AgentSession]:
    """Return the recorded sessions, the earliest start first.

    Raises:
        SystemExit: the data is not there.
    """
    found = read(options.folder(DATA))
    say(f"{DATA}: {len(found)} distinct sessions")
    return found


def learnt_whole(place: Path) -> dict[str, Any]:
    """Learn all transcripts below a place in this process, and say what it took."""
    with memory_in(place) as memory:
        started = time.perf_counter()
        report = memory.learn(place / "projects")
        seconds = time.perf_counter() - started
        found: dict[str, Any] = {
            "seconds": seconds,
            "resident MB": _peak_megabytes(),
            "sessions": len(report.sessions),
            "events": report.events,
            "signals": dict(report.signals),
            "memories": len(report.learnt),
            "discarded": dict(report.discarded),
            "bad lines": report.bad_lines,
            "events over 2 ms": report.late,
            "slowest finalize ms": report.slowest_finalize,
            "model": model_of(memory),
            "settings": settings_of(memory),
        }
        return found


def timed_events(files: Sequence[Path]) -> Speed:
    """Observe every event of every transcript, each timed alone; return the least of some passes.

    A neighbour on the machine takes longer away than an event needs; it does not strike each time.
    """
    passes = [_one_pass(files) for _ in range(PASSES)]
    return Speed(
        [min(times) for times in zip(*(one.observe for one in passes), strict=True)],
        [min(times) for times in zip(*(one.finalize for one in passes), strict=True)],
    )


def _one_pass(files: Sequence[Path]) -> Speed:
    from remora.observer.observer import Observer
    from remora.sources.transcripts.reader import read as read_transcript

    _forget()
    found = Speed([], [])
    for file in files:
        watched: dict[str, Observer] = {}
        for event in read_transcript(file):
            if event.session_id not in watched:
                watched[event.session_id] = Observer(event.session_id, "claude-code")
            observer = watched[event.session_id]
            started = time.perf_counter()
            observer.observe(event)
            found.observe.append((time.perf_counter() - started) * 1000)
        for observer in watched.values():
            started = time.perf_counter()
            observer.finalize()
            found.finalize.append((time.perf_counter() - started) * 1000)
    return found


def _forget() -> None:
    """Empty every cache of ours, so that a pass knows nothing from the one before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("remora"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def measure(sessions: Sequence[AgentSession]) -> dict[str, Any]:
    """Return how long it all takes."""
    with workplace() as place:
        files = [write(session, place / "projects") for session in sessions]
        say(f"learning: {len(files)} transcripts")
        whole = _in_own_process("learn", place)
        started = time.perf_counter()
        lines = sum(1 for file in files for line in file.read_bytes().splitlines() if json.loads(line))
        bare = time.perf_counter() - started
        speed = Speed(**_in_own_process("time", place))
        size = sum(file.stat().st_size for file in files)
    return {
        **whole,
        "lines": lines,
        "MB": size / MILLION,
        "bare JSON seconds": bare,
        "observe ms": {f"p{q}": percentile(speed.observe, q) for q in (50, 99, 100)},
        "finalize ms": {f"p{q}": percentile(speed.finalize, q) for q in (50, 95, 100)},
    }


def _in_own_process(what: str, place: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.learning", what, str(place)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run(options: Options) -> Report:
    """Learn every session, or as many as the limit says; a limit promises nothing of times."""
    found = measure(sessions_of(options)[: options.limit])
    observe, finalize = found["observe ms"], found["finalize ms"]
    rows = (
        ("sessions", found["sessions"]),
        ("lines", found["lines"]),
        ("MB", found["MB"]),
        ("events", found["events"]),
        ("memories", found["memories"]),
        ("seconds", found["seconds"]),
        ("seconds / parsing the same JSON", found["seconds"] / found["bare JSON seconds"]),
        ("resident MB, at most", found["resident MB"]),
        *((f"observe {q}, ms", value) for q, value in observe.items()),
        *((f"finalize {q}, ms", value) for q, value in finalize.items()),
    )
    counts = [("signals", found["signals"]), ("discarded", found["discarded"])]
    tables = (
        Table("Learning all sessions in one process", ("", ""), rows),
        *(Table(name.capitalize(), ("", ""), tuple(values.items())) for name, values in counts),
    )
    checks = tuple(promises(found)) if options.limit is None else ()
    model, settings = found.pop("model"), found.pop("settings")
    return Report("learning", found, tables, checks, model=model, settings=settings)


def promises(found: dict[str, Any]) -> Iterator[Check]:
    """Yield what is promised of all sessions."""
    yield Check.below("learn all", found["seconds"], SECONDS, "s")
    yield Check.below("resident", found["resident MB"], MEGABYTES, "MB")
    yield Check.below("observe p99", found["observe ms"]["p99"], OBSERVE_MS, "ms")
    yield Check.below("slowest finalize", found["finalize ms"]["p100"], FINALIZE_MS, "ms")


def _peak_megabytes() -> float:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS counts bytes, others kibibytes
    return peak * (1 if sys.platform == "darwin" else 1024) / MILLION


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    if sys.argv[1] == "time":
        told = timed_events(sorted((folder / "projects").rglob("*.jsonl")))._asdict()
    else:
        told = learnt_whole(folder)
    print(json.dumps(told, default=str))
