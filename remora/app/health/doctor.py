"""Check the folders, files, database, code graph, models and settings of a project, with advice.

Nothing is created or changed, except that an older database is migrated. A check that fails becomes a
finding; the others still run.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.codebase.freshness import NO_CODE, behind
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.health.doctor_files import environment, items, settings, variables, written
from remora.app.health.findings import Finding, Report, failed, megabytes
from remora.app.health.stats import database_bytes
from remora.app.project.destinations import destinations as where_to
from remora.app.project.homes import notice
from remora.app.project.locate import DATABASE, data_dir
from remora.app.project.open_project import OpenProject, Store
from remora.conversation.sessions import list_sessions
from remora.core.errors import RemoraError, StoreCorrupt
from remora.core.secrets import redact
from remora.store import migrations
from remora.store.memories import records_in
from remora.store.shared import SPACE, STATE

if TYPE_CHECKING:
    from remora.embeddings.embedder import Choice

LITTLE_DISK = 500_000_000  # bytes free


def diagnose(path: Path, environ: Mapping[str, str]) -> Report:
    """Check the project that a path belongs to; an error at opening becomes a finding."""
    try:
        project = OpenProject(path, environ)
    except RemoraError as error:
        return Report((failed("project", error), *variables(environ)))
    with closing(project):
        return examine(project)


def examine(project: OpenProject) -> Report:
    """Run every check on an open project."""
    findings: list[Finding] = []
    left_out = () if _opens(project) else IN_DATABASE
    for what, check in CHECKS:
        if what in left_out:
            continue
        try:
            findings += list(check(project))
        except RemoraError as error:
            findings.append(failed(what, error))
        except OSError as error:
            findings.append(Finding("warning", what, f"cannot be checked: {error.strerror or error}"))
    return Report(tuple(findings))


def places(project: OpenProject) -> Iterator[Finding]:
    """Report the project's name, id and folders."""
    location = project.location
    program = f"Remora {_version()}, Python {platform.python_version()}, {platform.system()}"
    yield Finding("ok", "program", program)
    yield Finding("ok", "project", f"{location.name}, id {location.id}, at {location.root}")
    yield Finding("ok", "data folder", str(data_dir(project.environ)))
    yield Finding("ok", "project home", str(location.home))


def database(project: OpenProject) -> Iterator[Finding]:
    """Check the project's database, and the user's if it exists."""
    places = [
        ("database", "project", project.location.home),
        ("your own database", "user", project.user_home),
    ]
    for what, realm, home in places:
        if (home / DATABASE).exists():
            try:
                yield from _sound(what, project.store(realm))
            except RemoraError as error:
                yield failed(what, error)
        elif realm == "project":
            advice = "`remora init` reads rule files and git history; `remora remember` stores a statement."
            yield Finding("note", what, f"{home / DATABASE} does not exist yet", advice)


def shipped(project: OpenProject) -> Iterator[Finding]:
    """Report a database that came with the repository."""
    if came := notice(project.location.foreign):
        yield Finding("warning", "shipped memory", came)


def _sound(what: str, store: Store) -> Iterator[Finding]:
    db = store.db.connection
    if problems := db.check():
        advice = (
            "`remora reindex` rebuilds the indexes. If that does not help, `remora recover` saves the "
            f"readable rows of {db.path} into a new file and keeps the old one."
        )
        yield Finding("error", what, "; ".join(problems), advice, StoreCorrupt.__name__)
        return
    counts = store.db.memories.counts()
    turns = store.db.turns.count()
    records = sum(records_in(counts).values())
    size = megabytes(database_bytes(db.path))
    held = (
        f"schema {db.schema()} of {migrations.latest()}; memories: {counts['live']:,}, records: {records:,}, "
        f"forgotten: {counts['deprecated']:,}, turns: {turns:,}; {size}"
    )
    yield Finding("ok", what, f"sound; {held}")


def sessions(project: OpenProject) -> Iterator[Finding]:
    """Check that the session logs can be read."""
    found = list_sessions(project.sessions_folder)
    wrong = [s for s in found if s.problem]
    for session in wrong:
        said = f"{session.path}: {session.problem}"
        yield Finding("warning", "session log", said, "Readable lines are still used.")
    if found and not wrong:
        yield Finding("ok", "sessions", f"logs: {len(found)}")


def destinations(project: OpenProject) -> Iterator[Finding]:
    """Report the destination of texts for each model: a server, or nowhere."""
    for what, where in where_to(project.settings, project.environ):
        yield Finding("ok", f"texts for {what}", where)


def embedding(project: OpenProject) -> Iterator[Finding]:
    """Report the embedding tier and the reasons for it, embed one query, and count missing vectors."""
    if _opens(project):
        yield _tier(project.choice())
        yield from _vectors(project)
        return
    from remora.embeddings.embedder import choose

    with closing(choose(project.settings.embedding, environ=project.environ)) as choice:
        yield _tier(choice)


def _tier(choice: Choice) -> Finding:
    reasons = "; ".join(redact(reason.rstrip(".")).text for reason in choice.reasons)
    if choice.embedder is None:
        advice = "Search uses words and files only. The setting embedding.provider chooses a model."
        return Finding("warning", "embedding", f"none: {reasons}", advice)
    said = f"{choice.tier}, model {choice.embedder.model_id}"
    started = time.monotonic()
    try:
        choice.embedder.embed_query("Does it answer?")
    except RemoraError as error:
        return failed("embedding", error)._replace(detail=f"{said}: {error}")
    took = (time.monotonic() - started) * 1e3
    return Finding("ok", "embedding", f"{said}, answers in {took:,.0f} ms: {reasons}")


def _vectors(project: OpenProject) -> Iterator[Finding]:
    pending = 0
    for store in project.stores():
        whose = "your own " if store.db.realm == "user" else ""
        pending += store.db.vectors.pending_count()
        for (kind, model_id), (owners, dims) in store.db.vectors.models().items():
            said = f"{owners:,} {whose}{kind} vectors of {model_id}, {dims} dimensions"
            yield Finding("ok", "vectors", said)
    if project.trouble:
        yield Finding("warning", "vectors", redact(project.trouble).text, "Search uses words meanwhile.")
    if pending and project.embedder() is not None:
        found = f"memories and turns without a vector: {pending:,}"
        advice = "Search finds them by words meanwhile. `remora reindex` computes the vectors now."
        yield Finding("note", "vectors", found, advice)


def git(project: OpenProject) -> Iterator[Finding]:
    """Report the branch and commit that are checked out, and how much of the history was read."""
    repository = project.location.repository
    if repository is None:
        found = f"{project.location.root} is not in a repository"
        advice = (
            "Without git there is no history to learn from, and the memory is tied to this folder's path."
        )
        yield Finding("note", "git", found, advice)
        return
    head = repository.head()
    if head is None:
        yield Finding("ok", "git", "a repository without commits")
        return
    branch = repository.branch()
    where = f"branch {branch} at {head[:10]}" if branch else f"no branch (detached) at {head[:10]}"
    yield Finding("ok", "git", where)
    if repository.shallow:
        advice = "Run `git fetch --unshallow`, then `remora init` again."
        yield Finding("note", "git", "the clone is shallow: older history is missing", advice)


def sharing(project: OpenProject) -> list[Finding]:
    """Report the shared space and the result of the last exchange."""
    space, state = project.db.meta.get(SPACE), project.db.meta.get(STATE) or {}
    if not isinstance(space, dict):
        return []
    if not (project.location.home / "share" / f"{space['device']}.key").exists():
        advice = "`remora share leave`, then join again with a new invitation."
        return [Finding("error", "sharing", "the key of this machine is missing", advice)]
    if state.get("problem"):
        said = f"{space['address']}: no exchange since {state['since'][:16]}: {state['problem']}"
        return [Finding("warning", "sharing", said, "Changes are kept; `remora sync` tries again.")]
    last = state.get("at", "")[:16]
    said = f"{space['address']}, last exchange {last}" if last else f"{space['address']}, last exchange never"
    return [Finding("ok", "sharing", said)]


def methodologies(project: OpenProject) -> Iterator[Finding]:
    """Check that the installed methodology plugins can be used."""
    for problem in project.plugins().problems:
        advice = "Update or uninstall the package that registers it."
        yield Finding("warning", "methodology", problem, advice)


def permissions(project: OpenProject) -> Iterator[Finding]:
    """Check that only the user can read the data."""
    for folder in (project.location.home, project.user_home):
        mode = stat.S_IMODE(folder.stat().st_mode) if folder.is_dir() else 0
        if os.name == "posix" and mode & 0o077:
            found = f"other users can access {folder} ({mode:04o})"
            advice = f"`chmod 700 {folder}` denies them access."
            yield Finding("warning", "permissions", found, advice)


def disk(project: OpenProject) -> Iterator[Finding]:
    """Check the free disk space."""
    folder = next(p for p in (project.location.home, *project.location.home.parents) if p.exists())
    free = shutil.disk_usage(folder).free
    said = f"{megabytes(free)} free at {folder}"
    if free < LITTLE_DISK:
        yield Finding("warning", "disk", said, "Free some space before it runs out.")
    else:
        yield Finding("ok", "disk", said)


def _opens(project: OpenProject) -> bool:
    """Return whether the databases open; if not, `database` reports the reason."""
    try:
        return (project.location.home / DATABASE).exists() and bool(project.stores())
    except (RemoraError, OSError):
        return False


def code(project: OpenProject) -> Iterator[Finding]:
    """Check the code graph of a project that has a database."""
    db = project.db
    state = db.graph.state()
    if db.graph.is_empty():
        advice = "`remora index` indexes it; until then no dependencies are known."
        yield (
            Finding("note", "code graph", "the code is not indexed", advice)
            if state is None
            else Finding("ok", "code graph", NO_CODE)
        )
        return
    nodes, edges, _ = db.graph.counts()
    files, rows = db.graph.file_count(), db.closure.count()
    held = f"{files:,} files, {nodes:,} nodes, {edges:,} edges, {rows:,} rows of closure"
    size = database_bytes(db.connection.path)
    yield Finding("ok", "code graph", f"{held}; the database has {size / 1e6:,.0f} MB")
    if state is None or db.graph.unlinked():
        yield Finding("warning", "code graph", "indexing was not finished", "`remora index` continues.")
    elif changed := behind(project):
        found = f"files changed since the last indexing: {changed:,}"
        advice = "A query indexes a few of them, or names them in its answer; `remora index` indexes all."
        yield Finding("note", "code graph", found, advice)
    left_out: dict[str, int] = db.meta.get(LEFT_OUT) or {}
    if left_out:
        said = ", ".join(f"{number:,} {why}" for why, number in left_out.items())
        yield Finding("ok", "code", f"files left out: {said}")
    if broken := db.graph.broken_count():
        found = f"files read in part (syntax errors): {broken:,}"
        advice = "Code after a syntax error may be missing from the graph."
        yield Finding("note", "code", found, advice)


CHECKS: tuple[tuple[str, Callable[[OpenProject], Iterable[Finding]]], ...] = (
    ("project", places),
    ("database", database),
    ("shipped memory", shipped),
    ("sessions", sessions),
    ("written", written),
    ("items", items),
    ("embedding", embedding),
    ("texts", destinations),
    ("code graph", code),
    ("git", git),
    ("sharing", sharing),
    ("methodology", methodologies),
    ("settings", settings),
    ("environment", environment),
    ("permissions", permissions),
    ("disk", disk),
)
IN_DATABASE = ("sessions", "code graph", "sharing")  # checks that need the databases to open


def _version() -> str:
    try:
        return metadata.version("remora")
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return "(not installed)"
