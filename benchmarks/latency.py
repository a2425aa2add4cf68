"""How long writing, searching and opening take, and how much memory a serving process holds.

Times depend on the machine and on who else uses it, so each is printed beside what it cannot be
cheaper than, measured in the same run: a write beside two bare fsyncs of the same disk, a search beside
the bare FTS5 query and the bare matrix product that it is made of, a cold process beside an empty
Python. The texts are made up from one seed with the word statistics of real notes; the vectors come
from an embedder that costs next to nothing, and what it does cost is taken off. Only the cold command
line loads the bundled model, for the question: the vectors it is compared with bear that model's name
and are as long, so that the work is the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, memory_in, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.embedder import FastEmbedder
from benchmarks.metrics import percentile
from benchmarks.texts import Sample, Texts
from remora.app.memory import Memory
from remora.core.text import any_of, query_terms
from remora.embeddings.onnx import OnnxEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 500  # memories stored in one transaction
WRITES = 200
SEARCHES = 400
WARM_UP = 20
COLD_STARTS = 7
K = 8
MILLION = 1_000_000

# Budgets by number of memories, from the design: (name of the figure, most).
BUDGETS: dict[int, dict[str, float]] = {
    10_000: {
        "search p50 ms": 5.0,
        "search p95 ms": 15.0,
        "cold open and search ms": 300.0,
        "cold command line ms": 1_000.0,
    },
    100_000: {"search p50 ms": 15.0, "search p95 ms": 40.0, "resident MB": 600.0},
}
WRITE_BUDGET_MS = 3.0  # above two fsyncs of the same disk

OPEN_AND_SEARCH = """
import sys
from remora.app.memory import Memory
with Memory.open(sys.argv[1]) as memory:
    assert memory.search(sys.argv[2], k=8)
"""


class Spread(NamedTuple):
    """Median and 95th percentile of some times, in milliseconds."""

    p50: float
    p95: float


def spread(seconds: Sequence[float]) -> Spread:
    """Return the spread of times that were taken in seconds."""
    return Spread(percentile(seconds, 50) * 1000, percentile(seconds, 95) * 1000)


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def ingest(memory: Memory, samples: Iterator[Sample], count: int) -> tuple[list[str], float]:
    """Store so many memories with their vectors; return some questions for them and the seconds."""
    queries: list[str] = []
    seconds = 0.0
    for start in range(0, count, BATCH):
        batch = list(islice(samples, min(BATCH, count - start)))
        drafts = [sample.draft for sample in batch]
        seconds += timed(lambda drafts=drafts: memory.remember_many(drafts))  # type: ignore[misc]
        queries += [sample.query for sample in batch[:: max(1, count // SEARCHES // 2)]]
    return queries, seconds + timed(memory.catch_up)


def write(memory: Memory, samples: Iterator[Sample], count: int, disk: Path) -> tuple[Spread, Spread]:
    """Store memories one by one, each durably, and two fsyncs beside each; return both spreads."""
    ours: list[float] = []
    bare: list[float] = []
    handle = os.open(disk / "fsync", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        for sample in islice(samples, count):
            draft = sample.draft
            ours.append(timed(lambda draft=draft: memory.remember_many([draft])))  # type: ignore[misc]
            bare.append(timed(lambda: _two_fsyncs(handle)))
    finally:
        os.close(handle)
    return spread(ours), spread(bare)


def _two_fsyncs(handle: int) -> None:
    for _ in range(2):
        os.write(handle, b"x" * 4096)  # a page, as SQLite writes them
        os.fsync(handle)


class SearchTimes(NamedTuple):
    """A search and the two things that it is made of, each alone."""

    search: Spread
    fts: Spread
    product: Spread


def search(memory: Memory, embedder: FastEmbedder, queries: Sequence[str]) -> SearchTimes:
    """Time every query through `Memory.search`, as a bare FTS5 query and as a bare matrix product.

    One after the other, not in turns: a second matrix between two searches would push the first one out
    of the processor's cache, which no program does that only searches.
    """
    db = memory._project.db
    matrix = _matrix(db.connection.path)
    connection = apsw.Connection(str(db.connection.path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("PRAGMA cache_size = -32768")
    ours: list[float] = []
    for query in queries:
        before = embedder.spent
        seconds = timed(lambda query=query: memory.search(query, k=K))  # type: ignore[misc]
        ours.append(seconds - (embedder.spent - before))
    fts = [timed(lambda query=query: _bare_fts(connection, query)) for query in queries]  # type: ignore[misc]
    vectors = [embedder.embed_query(query) for query in queries]
    product = [timed(lambda v=v: _bare_product(matrix, v)) for v in vectors]  # type: ignore[misc]
    warm = min(WARM_UP, len(queries) // 2)
    ours, fts, product = ours[warm:], fts[warm:], product[warm:]
    connection.close()
    return SearchTimes(spread(ours), spread(fts), spread(product))


def _bare_fts(connection: apsw.Connection, query: str) -> list[Any]:
    sql = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 20"
    return list(connection.execute(sql, (any_of(query_terms(query)),)))


def _bare_product(matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.intp]:
    scores = matrix @ vector
    return np.argpartition(-scores, min(30, len(scores) - 1))[:30]


def _matrix(database: Path) -> NDArray[np.float32]:
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    blobs = [row[0] for row in connection.execute("SELECT embedding FROM embeddings")]
    connection.close()
    return np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), -1).astype(np.float32)


def cold(place: Path, query: str, starts: int) -> tuple[float, float]:
    """Return the median milliseconds of a new process that opens and searches, and of an empty Python."""
    ours: list[float] = []
    empty: list[float] = []
    env = environment(place, **NO_MODEL)
    command = [sys.executable, "-c", OPEN_AND_SEARCH, str(place / "project"), query]
    for _ in range(starts):
        empty.append(timed(lambda: subprocess.run([sys.executable, "-c", "pass"], env=env, check=True)))
        ours.append(timed(lambda: subprocess.run(command, cwd=ROOT, env=env, check=True)))
    return spread(ours).p50, spread(empty).p50


def cold_command_line(place: Path, queries: Sequence[str], starts: int) -> tuple[float, float]:
    """Return the median milliseconds of `remora search` with the bundled model, and of an empty Python.

    Every start asks something else: the vector of a question that was asked before is kept.
    """
    ours: list[float] = []
    empty: list[float] = []
    env = environment(place, REMORA_EMBEDDING_PROVIDER="onnx")
    command = [sys.executable, "-m", "remora", "search", "--project", str(place / "project"), "--json"]
    for number, query in enumerate(queries[: starts + 1]):
        asked = [*command, "--", query]
        bare = timed(lambda: subprocess.run([sys.executable, "-c", "pass"], env=env, check=True))
        seconds = timed(
            lambda asked=asked: subprocess.run(  # type: ignore[misc]
                asked, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL
            )
        )
        if number:  # the first one finds the model and checks it
            empty.append(bare)
            ours.append(seconds)
    return spread(ours).p50, spread(empty).p50


def stand_in() -> FastEmbedder:
    """Return the embedder that costs nothing under the name of the bundled model.

    Its vectors are as long, so that a search with the real model finds everything embedded.
    """
    embedder = FastEmbedder()
    embedder.model_id = OnnxEmbedder.model_id
    return embedder


def resident(place: Path, queries: Sequence[str]) -> float:
    """Return the megabytes that a process of its own holds after it has served some searches."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.latency", str(place)],
        cwd=ROOT,
        env=environment(place),
        input="\n".join(queries),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def serve(place: Path, queries: Sequence[str]) -> float:
    """Open a project, answer the queries and return this process's resident megabytes."""
    with Memory.open(place / "project", embedder=stand_in()) as memory:
        for query in queries:
            memory.search(query, k=K)
        return _resident_bytes() / MILLION


def _resident_bytes() -> float:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    # The highest so far, which is no less than what is held now; macOS counts bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(size: int, limit: int | None, *, command_line: bool = True) -> dict[str, float]:
    """Return every figure for a project of `size` memories; those of the command line only if wanted."""
    embedder, samples = stand_in(), _samples()
    searches, writes = limit or SEARCHES, limit or WRITES
    with workplace() as place:
        with memory_in(place, embedder=embedder) as memory:
            say(f"latency: storing {size:,} memories")
            queries, seconds = ingest(memory, samples, size)
            seconds -= embedder.spent
            queries = (queries * searches)[: searches + WARM_UP]
            say(f"latency: {size:,} stored in {seconds:.0f} s")
            written, fsyncs = write(memory, samples, writes, place)
            memory.catch_up()
            times = search(memory, embedder, queries)
            megabytes = memory._project.db.connection.path.stat().st_size / MILLION
        cold_ms, empty_ms = cold(place, queries[0], min(COLD_STARTS, searches))
        held = resident(place, queries[:50])
        starts = min(COLD_STARTS, searches)
        typed = cold_command_line(place, list(dict.fromkeys(queries)), starts) if command_line else None
    figures = {
        "ingest per second": size / seconds,
        "write p50 ms": written.p50,
        "write p95 ms": written.p95,
        "two fsyncs p50 ms": fsyncs.p50,
        "two fsyncs p95 ms": fsyncs.p95,
        "write / two fsyncs": written.p50 / fsyncs.p50,
        "write above two fsyncs ms": written.p50 - fsyncs.p50,
        "search p50 ms": times.search.p50,
        "search p95 ms": times.search.p95,
        "bare FTS5 p50 ms": times.fts.p50,
        "bare FTS5 p95 ms": times.fts.p95,
        "bare product p50 ms": times.product.p50,
        "bare product p95 ms": times.product.p95,
        "search / (FTS5 + product)": times.search.p50 / (times.fts.p50 + times.product.p50),
        "cold open and search ms": cold_ms,
        "empty Python ms": empty_ms,
        "cold / empty Python": cold_ms / empty_ms,
        "resident MB": held,
        "database MB": megabytes,
    }
    if typed is not None:
        figures["cold command line ms"] = typed[0]
        figures["cold command line / empty Python"] = typed[0] / typed[1]
    return figures


def _samples() -> Iterator[Sample]:
    texts = Texts()
    while True:
        yield texts.sample()


def budget_checks(size: int, figures: dict[str, float]) -> Iterator[Check]:
    """Yield the budgets that hold for a size, each with what was measured."""
    for what, most in BUDGETS.get(size, {}).items():
        unit = what.rsplit(" ", 1)[-1]
        yield Check.below(f"{size:,} memories: {what}", figures[what], most, unit)
    above = figures["write above two fsyncs ms"]
    yield Check.below(f"{size:,} memories: write p50 above two fsyncs", above, WRITE_BUDGET_MS, "ms")


def run(options: Options) -> Report:
    """Measure every size that was asked for, each in a process of its own: what one leaves slows the next."""
    found: dict[int, dict[str, float]] = {}
    for size in options.sizes:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            found[size] = fresh.submit(measure, size, options.limit).result()
    names = list(next(iter(found.values())))
    columns = ("", *(f"{size:,} memories" for size in found))
    rows = tuple((name, *(figures[name] for figures in found.values())) for name in names)
    checks = [check for size, figures in found.items() for check in budget_checks(size, figures)]
    figures = {str(size): values for size, values in found.items()}
    table = Table("Latency", columns, rows)
    return Report("latency", figures, (table,), tuple(checks), (), FastEmbedder.model_id)


if __name__ == "__main__":
    print(serve(Path(sys.argv[1]), sys.stdin.read().splitlines()))
