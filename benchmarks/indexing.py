"""How long it takes to know the code of a large repository, and to keep up with it.

Everything goes through `Memory` as a user's would: from nothing in a process of its own, so that its
highest resident memory is that of indexing and of nothing else; with nothing changed; after single edits;
after a switch to a commit some hundred files away, where the files that are read are counted; and impact
analysis over random files and symbols and the busiest ones. After the edits are taken back the graph must
have as many nodes, edges and chunks as before.

Times depend on the machine, so each stands beside what it cannot be cheaper than, measured in the same
run: indexing beside reading and parsing the same files, a run with nothing changed beside `git status`,
the command beside an empty Python, an edit beside extracting that one file, an impact beside the bare
query of the edges that point at its target. An edit costs by the size of its file, half of it for reading
the syntax, so the median file and the 95th of a hundred (73 kB in sympy) are held against the promise
apart. Of an impact the first answer and the least of three are, too: the tail of one round is as much the
machine's as ours. Vectors are made afterwards, in the background, and are not part of any of these times.

The repository is a clone of the one that was named (only what is committed), or a made-up one.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.edits import KINDS, edited
from benchmarks.latency import MILLION, Spread, spread, timed
from benchmarks.metrics import percentile
from benchmarks.sources import make_repository
from remora.app.memory import Memory
from remora.core.reports import IndexReport
from remora.graph.grammars import grammar_of, language_of

FILES = 1_500  # of the made-up repository; what is promised is promised of so many Python files
FAR = 300  # files by which the commit differs that is switched to
EDITS = 60  # of each kind, each in another file
REPEATS = 7
ASKED = 500
ROUNDS = 3  # of impact analyses
BUSIEST = 20

FROM_NOTHING_S, RESIDENT_MB, DATABASE_MB = 60.0, 1_500.0, 300.0
EDIT_MS, IMPACT_P99_MS, UNCHANGED_S = 50.0, 5.0, 1.0


def _environment(place: Path) -> dict[str, str]:
    return environment(place, **NO_MODEL)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


# From nothing


def first_run(place: Path) -> dict[str, Any]:
    """Index the project in a process of its own and return what it found, its times and its memory."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.indexing", str(place / "project")],
        cwd=ROOT,
        env=_environment(place),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def index_here(project: Path) -> dict[str, Any]:
    """Index a project and return the report, the seconds until each part ended, and this process's memory."""
    import resource

    ends: dict[str, float] = {}
    started = time.perf_counter()

    def progress(what: str, _: int, __: int) -> None:
        ends[what] = time.perf_counter() - started

    with Memory.open(project) as memory:
        started = time.perf_counter()
        report = memory.index(progress=progress)
        seconds = time.perf_counter() - started
        path = memory._project.db.connection.path
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS counts bytes, others kibibytes
    reading = ends.get("reading", 0.0)
    resolving = ends.get("resolving", reading)
    return {
        "seconds": seconds,
        "reading": reading,
        "resolving": resolving - reading,
        "closing": seconds - resolving,
        "resident MB": peak * (1 if sys.platform == "darwin" else 1024) / MILLION,
        "database MB": path.stat().st_size / MILLION,
        "database": str(path),
        **{name: getattr(report, name) for name in ("files", "read", "nodes", "edges", "chunks", "complete")},
    }


def bare_parse(project: Path, paths: Sequence[str]) -> float:
    """Return the seconds that reading and parsing the files takes, and nothing else."""
    from tree_sitter import Parser

    parsers: dict[str, Parser] = {}
    started = time.perf_counter()
    for path in paths:
        data = (project / path).read_bytes()
        language = language_of(path, data[:1000]) or ""
        grammar = grammar_of(language) if language else None
        if grammar is not None:
            parsers.setdefault(language, Parser(grammar.language)).parse(data)
    return time.perf_counter() - started


# Nothing changed


def unchanged(memory: Memory, place: Path, repeats: int) -> dict[str, float]:
    """Return the medians of a run in this process, of the whole command, and of their rivals."""
    project = place / "project"
    here: list[float] = []
    status: list[float] = []
    command: list[float] = []
    empty: list[float] = []
    typed = [sys.executable, "-m", "remora", "index", str(project)]
    for _ in range(repeats):
        here.append(timed(memory.index))
        status.append(timed(lambda: _git(project, "status", "--porcelain")))
        command.append(timed(lambda: _quiet(typed, place)))
        empty.append(timed(lambda: _quiet([sys.executable, "-c", "pass"], place)))
    found = {name: percentile(times, 50) for name, times in (("here", here), ("status", status))}
    return found | {"command": percentile(command, 50), "empty Python": percentile(empty, 50)}


def _quiet(command: list[str], place: Path) -> None:
    subprocess.run(
        command,
        cwd=ROOT,
        env=_environment(place),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


# Another commit


class Switch(NamedTuple):
    """A switch to another commit: files that differ and are there, files that were read, seconds."""

    differ: int
    read: int
    deleted: int
    seconds: float


def far_commit(project: Path, far: int) -> str:
    """Return the nearest commit on the first-parent line that differs by `far` files, else the oldest."""
    commits = _git(project, "rev-list", "--first-parent", "HEAD").split()
    low, high = 0, len(commits) - 1
    while low < high:
        middle = (low + high) // 2
        if len(_git(project, "diff", "--name-only", commits[middle], "HEAD").splitlines()) < far:
            low = middle + 1
        else:
            high = middle
    return commits[low]


def switch(memory: Memory, project: Path, commit: str) -> Switch:
    """Check a commit out and index; returns how much was read for it."""
    differ = _git(
        project, "diff", "--no-renames", "--diff-filter=d", "--name-only", "HEAD", commit
    ).splitlines()
    _git(project, "checkout", "-q", "--detach", commit)
    started = time.perf_counter()
    report = memory.index()
    seconds = time.perf_counter() - started
    return Switch(len(differ), report.read, report.deleted, seconds)


# Impact


def targets(database: Path, count: int, draw: random.Random) -> list[str]:
    """Return random files and symbols, half of each, the busiest ones of both among them."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found: list[str] = []
        for files in (1, 0):
            kind = "n.type IN ('file', 'config')" if files else "n.type NOT IN ('file', 'config')"
            busy = f"""SELECT n.key FROM graph_edges e JOIN graph_nodes n ON n.id = e.to_id
                       WHERE e.files = ? AND e.layer = 1 AND {kind}
                       GROUP BY n.id ORDER BY count(*) DESC, n.key LIMIT ?"""
            busiest = [str(row[0]) for row in connection.execute(busy, (files, min(BUSIEST, count // 4)))]
            every = f"SELECT n.key FROM graph_nodes n WHERE {kind} AND n.layer = 1 ORDER BY n.key"
            others = sorted({str(row[0]) for row in connection.execute(every)} - set(busiest))
            found += busiest + draw.sample(others, min(len(others), count // 2 - len(busiest)))
    finally:
        connection.close()
    return found


def python_files(database: Path) -> list[str]:
    """Return the Python files that the graph holds; generated ones and the like are not among them."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        read = "SELECT path FROM graph_files WHERE skipped = '' AND path LIKE '%.py' ORDER BY path"
        return [str(row[0]) for row in connection.execute(read)]
    finally:
        connection.close()


class Asked(NamedTuple):
    """Seconds of each impact analysis: asked once, the least of ROUNDS, and the bare query beside it."""

    once: list[float]
    least: list[float]
    bare: list[float]


def impacts(memory: Memory, database: Path, asked: Sequence[str]) -> Asked:
    """Time each impact analysis, and the bare query of the edges that point at it.

    All are asked once, then all of them again: a neighbour on the machine takes longer away than an answer
    needs, and does not strike thrice. The first round also pays for what was not read before.
    """
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    bare_query = """SELECT e.from_id, e.type, e.confidence FROM graph_nodes n
                    JOIN graph_edges e ON e.to_id = n.id WHERE n.key = ?"""
    rounds: list[list[float]] = []
    bare: list[float] = []
    try:
        for target in asked[:BUSIEST]:
            memory.impact(target)  # opens what is opened once
        for at in range(ROUNDS):
            rounds.append([])
            for target in asked:
                rounds[at].append(timed(lambda target=target: memory.impact(target)))  # type: ignore[misc]
                if not at:
                    bare.append(timed(lambda target=target: list(connection.execute(bare_query, (target,)))))  # type: ignore[misc]
    finally:
        connection.close()
    return Asked(rounds[0], [min(times) for times in zip(*rounds, strict=True)], bare)


# All of it


class Sizes(NamedTuple):
    """How much of everything is done."""

    files: int = FILES
    far: int = FAR
    edits: int = EDITS
    repeats: int = REPEATS
    asked: int = ASKED


def measure(repository: Path | None, sizes: Sizes) -> dict[str, Any]:
    """Return every figure for a clone of a repository, or for a made-up one."""
    with workplace() as place:
        project = place / "project"
        if repository is None:
            say(f"indexing: making up {sizes.files:,} files")
            project.mkdir()
            make_repository(project, sizes.files, sizes.far)
        else:
            _git(repository, "clone", "-q", str(repository.resolve()), str(project))
        paths = [path for path in _git(project, "ls-files", "-z").split("\0") if path]
        size = sum((project / path).stat().st_size for path in paths if (project / path).is_file())
        say(f"indexing: {len(paths):,} files from nothing")
        first = first_run(place)
        database = Path(first.pop("database"))
        figures: dict[str, Any] = {
            "listed files": len(paths),
            "Python files": sum(path.endswith(".py") for path in paths),
            "listed MB": size / MILLION,
            "from nothing": first | {"bare parse": bare_parse(project, paths)},
        }
        with Memory.open(project, environ=_environment(place)) as memory:
            figures |= _afterwards(memory, place, database, sizes)
    return figures


def _afterwards(memory: Memory, place: Path, database: Path, sizes: Sizes) -> dict[str, Any]:
    """Return the figures of everything that follows the first run."""
    project, draw = place / "project", random.Random(3)
    say("indexing: nothing changed")
    found: dict[str, Any] = {"nothing changed": unchanged(memory, place, sizes.repeats)}
    say("indexing: impact")
    asked = impacts(memory, database, targets(database, sizes.asked, draw))
    found["impact"] = _times(asked.least, asked.bare) | {
        "p99 ms": percentile(asked.least, 99) * 1000,
        "p99 ms, asked once": percentile(asked.once, 99) * 1000,
        "asked": len(asked.once),
    }
    say("indexing: single edits")
    start = memory.index()
    python = python_files(database)
    draw.shuffle(python)
    found["edits"] = {}
    for at, (kind, edit) in enumerate(KINDS.items()):
        first = at * len(python) // len(KINDS)  # other files for each kind
        edits = edited(memory, project, python[first:] + python[:first], edit, sizes.edits)
        times = _times(edits.ours, edits.bare)
        resolved = {"files resolved, median": percentile(edits.resolved, 50)}
        found["edits"][kind] = times | resolved | {"files resolved, at most": max(edits.resolved, default=0)}
    end = memory.index()
    found["same graph when the edits are taken back"] = _counts(start) == _counts(end)
    say("indexing: another commit")
    there = switch(memory, project, far_commit(project, sizes.far))
    found["another commit"] = there._asdict()
    return found


def _counts(report: IndexReport) -> tuple[int, ...]:
    return report.files, report.nodes, report.edges, report.chunks


def _times(ours: Sequence[float], bare: Sequence[float]) -> dict[str, float]:
    """Return the spread of some times, and its ratio to that of their rival."""
    found, rival = spread(ours) if ours else Spread(0.0, 0.0), spread(bare) if bare else Spread(0.0, 0.0)
    ratio = found.p50 / rival.p50 if rival.p50 else 0.0
    return {"p50 ms": found.p50, "p95 ms": found.p95, "bare p50 ms": rival.p50, "ours / bare": ratio}


def tables(figures: dict[str, Any]) -> Iterator[Table]:
    """Yield the figures as tables."""
    first, same, there = figures["from nothing"], figures["nothing changed"], figures["another commit"]
    seconds, command, empty = first["seconds"], same["command"], same["empty Python"]
    rows: tuple[tuple[object, ...], ...] = (
        ("files of the repository", figures["listed files"]),
        ("of them Python", figures["Python files"]),
        ("files read", first["read"]),
        ("seconds", seconds),
        ("  reading", first["reading"]),
        ("  resolving", first["resolving"]),
        ("  closing", first["closing"]),
        ("bare reading and parsing, seconds", first["bare parse"]),
        ("ours / bare", seconds / first["bare parse"]),
        ("files a second", first["read"] / seconds),
        ("MB a second", figures["listed MB"] / seconds),
        ("resident MB, at most", first["resident MB"]),
        ("database MB", first["database MB"]),
        *((name, first[name]) for name in ("chunks", "nodes", "edges")),
    )
    yield Table("From nothing, keywords and graph", ("", ""), rows)
    rows = (
        ("in a process that runs", same["here"] * 1000, same["status"] * 1000, same["here"] / same["status"]),
        ("the whole command", command * 1000, empty * 1000, command / empty),
    )
    yield Table("With nothing changed", ("", "ms", "git status / empty Python, ms", "ratio"), rows)
    rows = tuple((kind, *times.values()) for kind, times in figures["edits"].items())
    names = ("", "p50 ms", "p95 ms", "extraction alone, ms", "ratio", "files resolved, median", "at most")
    yield Table("One edited file", names, rows)
    impact = figures["impact"]
    columns = ("p50 ms", "p95 ms", "p99 ms", "p99 ms, asked once", "bare query, ms", "ratio")
    shown = ("p50 ms", "p95 ms", "p99 ms", "p99 ms, asked once", "bare p50 ms", "ours / bare")
    title = f"Impact to depth 3, {impact['asked']} files and symbols, the least of {ROUNDS} rounds"
    yield Table(title, columns, (tuple(impact[name] for name in shown),))
    row = (there["differ"], there["read"], there["deleted"], there["seconds"])
    yield Table("Another commit", ("files that differ", "read", "deleted", "seconds"), (row,))


def promises(figures: dict[str, Any]) -> Iterator[Check]:
    """Yield what is promised of a repository of this size."""
    first, same = figures["from nothing"], figures["nothing changed"]
    yield Check.below("from nothing", first["seconds"], FROM_NOTHING_S, "s")
    yield Check.below("resident", first["resident MB"], RESIDENT_MB, "MB")
    yield Check.below("database", first["database MB"], DATABASE_MB, "MB")
    yield Check.below("nothing changed, the whole command", same["command"], UNCHANGED_S, "s")
    for kind, times in figures["edits"].items():
        yield Check.below(f"one edited file, {kind}: median", times["p50 ms"], EDIT_MS, "ms")
        yield Check.below(f"one edited file, {kind}: p95", times["p95 ms"], EDIT_MS, "ms")
    for name, key in (("impact p99", "p99 ms"), ("impact p99, asked once", "p99 ms, asked once")):
        yield Check.below(name, figures["impact"][key], IMPACT_P99_MS, "ms")
    yield from sound(figures)


def sound(figures: dict[str, Any]) -> Iterator[Check]:
    """Yield what must hold at any size."""
    there = figures["another commit"]
    same = figures["same graph when the edits are taken back"]
    most = there["differ"]
    yield Check("another commit: files read", float(there["read"]), f"1 .. {most}", 0 < there["read"] <= most)
    yield Check("the same graph when the edits are taken back", float(same), "yes", same)


def run(options: Options) -> Report:
    """Measure the named repository, or a made-up one; with a limit, a smaller one and no promise."""
    sizes = Sizes() if options.limit is None else Sizes(files=options.limit)
    figures = measure(options.repo, sizes)
    checks = tuple(promises(figures) if options.limit is None else sound(figures))
    waiting = figures["from nothing"]["chunks"]
    note = f"vectors are made afterwards and are not part of these times: {waiting:,} chunks wait for theirs"
    return Report("indexing", figures, tuple(tables(figures)), checks, (note,))


if __name__ == "__main__":
    print(json.dumps(index_here(Path(sys.argv[1]))))
