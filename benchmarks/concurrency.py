"""Many processes that write to one project at once, while another one reads from it.

Every writer opens the same project (which none of them finds there) at the same moment and stores its
memories one by one, each durably. The reader searches all the while. Afterwards every memory must be
there, exactly once, and the database must pass its checks.

Beside it, in the same run, as many processes insert as many rows into a plain table of a bare SQLite
file in the same mode (WAL, synchronous=FULL, BEGIN IMMEDIATE): what the disk and SQLite themselves ask.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL, fts_problems
from benchmarks.metrics import percentile
from benchmarks.texts import numbered
from remora.app.memory import Memory
from remora.core.errors import RemoraError

WRITERS = 8
WRITES = 200
_APART = 1_000_000  # numbers of one writer lie this far from those of the next


class Outcome(NamedTuple):
    """What a race of writers left behind.

    `seconds` is the time from the starting signal to the end of the last writer, `bare_seconds` the
    same for plain SQLite; `reads` are the latencies of the reader, in seconds.
    """

    expected: int
    rows: int
    missing: int
    errors: tuple[str, ...]
    seconds: float
    bare_seconds: float
    writes: tuple[float, ...]
    bare_writes: tuple[float, ...]
    reads: tuple[float, ...]


def write(place: Path, writer: int, count: int) -> list[float]:
    """Store a writer's memories, each durably, and return the seconds each took."""
    times = []
    with Memory.open(place / "project") as memory:
        for number in range(count):
            started = time.perf_counter()
            memory.remember(numbered(writer * _APART + number), type="pattern")
            times.append(time.perf_counter() - started)
    return times


def write_bare(place: Path, writer: int, count: int) -> list[float]:
    """Insert the same texts into a plain table, each in a transaction of its own."""
    connection = _bare(place)
    times = []
    for number in range(count):
        text = numbered(writer * _APART + number)
        started = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows(text) VALUES (?)", (text,))
        connection.execute("COMMIT")
        times.append(time.perf_counter() - started)
    connection.close()
    return times


def make_bare(place: Path) -> None:
    """Make the plain table; only one process can do so, as bare SQLite does not wait for a change of mode."""
    connection = _bare(place)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    connection.close()


def _bare(place: Path) -> apsw.Connection:
    connection = apsw.Connection(str(place / "bare.db"))
    connection.set_busy_timeout(60_000)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def child(place: Path, kind: str, writer: int, count: int) -> None:
    """Wait for the signal on standard input, write, and say what happened as one line of JSON."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    work: Callable[[Path, int, int], list[float]] = write if kind == "remora" else write_bare
    result: dict[str, Any] = {"times": [], "error": ""}
    try:
        result["times"] = work(place, writer, count)
    except (RemoraError, apsw.Error) as error:
        result["error"] = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps(result) + "\n")


def race(
    place: Path, kind: str, writers: int, writes: int, at_start: Callable[[], None] = lambda: None
) -> tuple[float, list[float], list[str]]:
    """Let all writers start at once; return (seconds until the last is done, write times, errors).

    `at_start` is called when every process is ready, just before the signal.
    """
    command = [sys.executable, "-m", "benchmarks.concurrency", str(place), kind]
    children = [
        subprocess.Popen(
            [*command, str(writer), str(writes)],
            cwd=ROOT,
            env=environment(place, **NO_MODEL),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for writer in range(writers)
    ]
    times: list[float] = []
    errors: list[str] = []
    for process in children:
        assert process.stdout is not None
        process.stdout.readline()
    at_start()
    started = time.perf_counter()
    for process in children:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in children:
        said, _ = process.communicate()
        result: dict[str, Any] = json.loads(said) if said else {"error": f"ended with {process.returncode}"}
        times += result.get("times", [])
        errors += [result["error"]] if result["error"] else []
    return time.perf_counter() - started, times, errors


class Reader(threading.Thread):
    """Searches a project until it is stopped; keeps the latencies and the errors."""

    def __init__(self, place: Path) -> None:
        super().__init__(daemon=True)
        self.latencies: list[float] = []
        self.errors: list[str] = []
        self._place = place
        self._stop_asked = threading.Event()

    def run(self) -> None:
        """Search for the texts of one writer after another."""
        number = 0
        try:
            with Memory.open(self._place / "project", environ=environment(self._place, **NO_MODEL)) as memory:
                while not self._stop_asked.is_set():
                    query = numbered(number % 4 * _APART + number % 25)
                    started = time.perf_counter()
                    memory.search(query, k=8)
                    self.latencies.append(time.perf_counter() - started)
                    number += 1
                    time.sleep(0.005)  # a reader asks now and then; it does not spin
        except Exception as error:  # noqa: BLE001  whatever ends the reader is what is looked for
            self.errors.append(f"reader: {type(error).__name__}: {error}")

    def finish(self) -> None:
        """Stop and wait for the end."""
        self._stop_asked.set()
        self.join()


def compete(writers: int = WRITERS, writes: int = WRITES) -> Outcome:
    """Run the race, with a reader beside it, then the bare one, and count what is there."""
    with workplace() as place:
        (place / "project").mkdir()
        reader = Reader(place)
        seconds, times, errors = race(place, "remora", writers, writes, reader.start)
        reader.finish()
        expected = {numbered(w * _APART + n) for w in range(writers) for n in range(writes)}
        with Memory.open(place / "project", environ=environment(place, **NO_MODEL)) as memory:
            contents = [record.content for record in memory.list(limit=10 * len(expected))]
            database = memory._project.db.connection
            errors += database.check()
            path = database.path
        errors += fts_problems(path)
        make_bare(place)
        bare_seconds, bare_times, bare_errors = race(place, "bare", writers, writes)
        errors += reader.errors + [f"bare: {e}" for e in bare_errors]
    return Outcome(
        expected=len(expected),
        rows=len(contents),
        missing=len(expected - set(contents)),
        # Where it happened is this machine's business and must not stand in a result.
        errors=tuple(e.replace(str(place), "PLACE") for e in errors),
        seconds=seconds,
        bare_seconds=bare_seconds,
        writes=tuple(times),
        bare_writes=tuple(bare_times),
        reads=tuple(reader.latencies),
    )


def run(options: Options) -> Report:
    """Let 8 processes store 200 memories each, or as many as the limit says."""
    writes = options.limit or WRITES
    say(f"concurrency: {WRITERS} processes x {writes} writes")
    found = compete(WRITERS, writes)
    ratio = found.seconds / found.bare_seconds
    milliseconds = {
        name: {f"p{q}": percentile(values, q) * 1000 for q in (50, 95, 99)}
        for name, values in (("write", found.writes), ("bare", found.bare_writes), ("search", found.reads))
        if values
    }
    rows = tuple((name, *(value[f"p{q}"] for q in (50, 95, 99))) for name, value in milliseconds.items())
    counts = (
        ("rows expected", found.expected),
        ("rows there", found.rows),
        ("errors", len(found.errors)),
        ("searches meanwhile", len(found.reads)),
        ("seconds", found.seconds),
        ("seconds of bare SQLite", found.bare_seconds),
        ("times bare", ratio),
    )
    checks = (
        Check("rows", float(found.rows), str(found.expected), found.rows == found.expected),
        Check("rows missing", float(found.missing), "0", found.missing == 0),
        Check("errors", float(len(found.errors)), "0", not found.errors),
    )
    figures = {
        "processes": WRITERS,
        "writes": writes,
        "rows": found.rows,
        "missing": found.missing,
        "errors": list(found.errors),
        "times bare": ratio,
        "milliseconds": milliseconds,
        "searches": len(found.reads),
    }
    tables = (
        Table(f"{WRITERS} processes x {writes} durable writes on one project", ("what", ""), counts),
        Table("milliseconds", ("", "p50", "p95", "p99"), rows),
    )
    return Report("concurrency", figures, tables, checks, found.errors[:20])


if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
