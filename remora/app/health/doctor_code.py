"""Check that the code graph exists, is up to date and is within its design limits."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from remora.app.codebase.freshness import NO_CODE, behind
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.codebase.module_descriptions import RAN
from remora.app.health.findings import Finding
from remora.app.health.stats import database_bytes
from remora.app.project.locate import commit_of
from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database
    from remora.store.graph import State

# Design, section 6: beyond one of these limits a single SQLite file no longer answers at once.
MOST_NODES = 50_000
MOST_BYTES = 500_000_000
SLOW_QUERY = 0.1  # seconds, of the 99th percentile
SAMPLE = 50  # timed queries
SAMPLE_SECONDS = 0.4  # for all of them; slow queries reduce the sample
DEPTH, RESULTS = 3, 200  # the defaults of `remora impact`
LARGE_SHARE = 0.1  # of the nodes; the advice names folders with a larger share
FOLDERS = 3
REASONS = 5


def code(project: OpenProject) -> Iterator[Finding]:
    """Check the code graph of a project that has a database."""
    db = project.db
    state = db.graph.state()
    if not db.graph.is_empty():
        yield from _growth(db)
        yield from _freshness(project, db, state)
        yield from _contents(project, db)
        yield from _described(project, db)
    elif state is not None:
        yield Finding("ok", "code graph", NO_CODE)
    else:
        advice = "`remora index` indexes it; until then no dependencies are known."
        yield Finding("note", "code graph", "the code is not indexed", advice)


def _growth(db: Database) -> Iterator[Finding]:
    """Compare the size and speed of the graph with the limits of section 6."""
    nodes, edges, _ = db.graph.counts()
    size = database_bytes(db.connection.path)
    timed = measure(db)
    slow = max(timed, default=0.0)  # the 99th percentile of so few
    files, rows = db.graph.file_count(), db.closure.count()
    held = f"{files:,} files, {nodes:,} nodes, {edges:,} edges, {rows:,} rows of closure"
    told = [held, f"the database has {size / 1e6:,.0f} MB"]
    if timed:
        told.append(f"impact p99 {slow * 1e3:,.1f} ms ({len(timed)} queries of the busiest nodes)")
    yield Finding("ok", "code graph", "; ".join(told))
    if nodes > MOST_NODES:
        found = f"{nodes:,} nodes exceed the design limit of {MOST_NODES:,}"
        advice = f"{_exclude(db, nodes)} then `remora index`."
        yield Finding("warning", "code graph", found, advice)
    if size > MOST_BYTES:
        found = f"the database has {size / 1e6:,.0f} MB, more than {MOST_BYTES / 1e6:,.0f}"
        advice = (
            f"{_exclude(db, nodes)} then `remora index`. `remora prune` deletes long-forgotten memories, "
            "and the setting `home` can name a folder on a larger or faster disk."
        )
        yield Finding("warning", "code graph", found, advice)
    if slow > SLOW_QUERY:
        found = f"impact takes {slow * 1e3:,.0f} ms at the 99th percentile, more than {SLOW_QUERY * 1e3:,.0f}"
        advice = (
            f"Use a lower --depth or --limit. {_exclude(db, nodes)} then `remora index`; or put "
            "the setting `home` on a faster disk."
        )
        yield Finding("warning", "code graph", found, advice)


def measure(db: Database, seconds: float = SAMPLE_SECONDS) -> list[float]:
    """Return the durations of impact queries for the busiest files and definitions, in seconds."""
    from remora.graph.impact import impact

    timed: list[float] = []
    started = time.perf_counter()
    for key in _alternating(db.overview.busiest(SAMPLE)):
        before = time.perf_counter()
        if before - started > seconds:
            break
        try:
            impact(db, key, DEPTH, RESULTS)
        except RemoraError:  # the node was removed meanwhile
            continue
        timed.append(time.perf_counter() - before)
    return timed


def _alternating(keys: Sequence[str]) -> list[str]:
    """Interleave the two halves of the keys, so that a short sample has both files and definitions."""
    half = (len(keys) + 1) // 2
    return [key for at in range(half) for key in keys[at::half]]


def _exclude(db: Database, nodes: int) -> str:
    """Return the advice to exclude code, with the folders that hold most of the graph."""
    folders = db.overview.heaviest_folders(FOLDERS)
    large = [f"{name} {count / nodes:.0%}" for name, count in folders if count > LARGE_SHARE * nodes]
    where = f" (most nodes: {', '.join(large)})" if large else ""
    return (
        f"Exclude code of others and generated code{where}: list it in .gitignore, or mark it "
        "linguist-vendored or linguist-generated in .gitattributes;"
    )


def _freshness(project: OpenProject, db: Database, state: State | None) -> Iterator[Finding]:
    """Report whether the graph matches the current code."""
    if state is None or (waiting := len(db.graph.unlinked())):
        what = "indexing was not finished"
        if state is not None:
            what = f"{what}: names in {waiting:,} files are not resolved"
        yield Finding("warning", "code graph", what, "`remora index` continues.")
        return
    head = commit_of(project.location.repository)
    if head is not None and state.commit is not None and head != state.commit:
        found = f"indexed at commit {state.commit[:10]}, checked out is {head[:10]}"
        advice = "`remora index` reads the difference."
        yield Finding("note", "code graph", found, advice)
    if changed := behind(project):
        found = f"files changed since the last indexing: {changed:,}"
        advice = "A query indexes a few of them, or names them in its answer; `remora index` indexes all."
        yield Finding("note", "code graph", found, advice)


def _contents(project: OpenProject, db: Database) -> Iterator[Finding]:
    """Report chunks without a vector, files that were left out and files that were read in part."""
    waiting = db.chunks.pending_count()
    if waiting and project.settings.embedding.provider != "none":
        found = f"code chunks without a vector: {waiting:,} of {db.chunks.count():,}"
        advice = "Search finds them by words meanwhile. `remora index --embed` computes the vectors now."
        yield Finding("note", "code", found, advice)
    left_out: dict[str, int] = db.meta.get(LEFT_OUT) or {}
    if left_out:
        most = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
        told = most[:REASONS]
        if more := sum(number for _, number in most[REASONS:]):
            told.append(("for other reasons", more))
        said = ", ".join(f"{number:,} {why}" for why, number in told)
        yield Finding("ok", "code", f"files left out: {said}")
    if broken := db.graph.broken_count():
        found = f"files read in part (syntax errors): {broken:,}"
        advice = "Code after a syntax error may be missing from the graph."
        yield Finding("note", "code", found, advice)


def _described(project: OpenProject, db: Database) -> Iterator[Finding]:
    """Report the last automatic description of modules by a language model."""
    ran: dict[str, Any] | None = db.meta.get(RAN)
    if not ran or not project.settings.llm.describe:
        return
    said = (
        f"modules described on {ran['at'][:10]}: {ran['described']:,}, not described yet: {ran['waiting']:,}"
    )
    if ran["described"] or not ran["notes"]:
        yield Finding("ok", "code", said)
    else:
        advice = "Remora tries again after a day; `remora index --semantic` tries now."
        yield Finding("note", "code", f"{said}; {ran['notes'][0]}", advice)
