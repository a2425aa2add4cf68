"""Check that the code graph exists and is up to date."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from remora.app.codebase.freshness import NO_CODE, behind
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.codebase.module_descriptions import RAN
from remora.app.health.findings import Finding
from remora.app.health.stats import database_bytes
from remora.app.project.locate import commit_of

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database
    from remora.store.graph import State

REASONS = 5


def code(project: OpenProject) -> Iterator[Finding]:
    """Check the code graph of a project that has a database."""
    db = project.db
    state = db.graph.state()
    if not db.graph.is_empty():
        yield _size(db)
        yield from _freshness(project, db, state)
        yield from _contents(project, db)
        yield from _described(project, db)
    elif state is not None:
        yield Finding("ok", "code graph", NO_CODE)
    else:
        advice = "`remora index` indexes it; until then no dependencies are known."
        yield Finding("note", "code graph", "the code is not indexed", advice)


def _size(db: Database) -> Finding:
    nodes, edges, _ = db.graph.counts()
    files, rows = db.graph.file_count(), db.closure.count()
    held = f"{files:,} files, {nodes:,} nodes, {edges:,} edges, {rows:,} rows of closure"
    size = database_bytes(db.connection.path)
    return Finding("ok", "code graph", f"{held}; the database has {size / 1e6:,.0f} MB")


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
