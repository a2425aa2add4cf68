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
from typing import TYPE_CHECKING, Any

from remora.app.codebase.freshness import NO_CODE, behind
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.codebase.module_descriptions import RAN
from remora.app.health.doctor_files import environment, items, settings, variables, written
from remora.app.health.findings import Finding, Report, failed, megabytes
from remora.app.health.stats import database_bytes
from remora.app.project.destinations import destinations as where_to
from remora.app.project.homes import notice
from remora.app.project.locate import DATABASE, commit_of, data_dir
from remora.app.project.open_project import OpenProject, Store
from remora.conversation.sessions import list_sessions
from remora.core.errors import RemoraError, StoreCorrupt, StoreFull
from remora.core.methodology import NATIVE
from remora.core.secrets import redact
from remora.store import migrations
from remora.store.history import COMMIT
from remora.store.memories import records_in
from remora.store.shared import SPACE, STATE

if TYPE_CHECKING:
    from remora.embeddings.embedder import Choice
    from remora.sources.git import Repository
    from remora.store.database import Database
    from remora.store.graph import State

REASONS = 5  # for files left out that are named

LITTLE_DISK, NO_DISK = 500_000_000, 20_000_000  # bytes free; below NO_DISK any write may fail
BIG_WAL = 200_000_000  # bytes; SQLite checkpoints the log long before, unless a reader holds it open


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
    wal = db.path.with_name(db.path.name + "-wal")
    if wal.exists() and wal.stat().st_size > BIG_WAL:
        said = f"the size of the write-ahead log is {megabytes(wal.stat().st_size)}"
        yield Finding("warning", what, said, "A process holds the database open; end it.")
    if counts["needs_review"]:
        found = f"memories that need review: {counts['needs_review']}"
        advice = (
            "`remora list --needs-review` lists them; `remora verify ID` or `remora forget ID` settles each."
        )
        yield Finding("note", "review", found, advice)


def sessions(project: OpenProject) -> Iterator[Finding]:
    """Check that the session logs can be read and are indexed to their end."""
    found = list_sessions(project.sessions_folder)
    wrong = [s for s in found if s.problem]
    for session in wrong:
        said = f"{session.path}: {session.problem}"
        yield Finding("warning", "session log", said, "Readable lines are still used.")
    db = project.db
    behind = [s for s in found if s.path.stat().st_size > db.turns.read_to(s.id)]
    if behind:
        advice = "The next search indexes them; `remora reindex` does it now."
        yield Finding("note", "sessions", f"logs not fully indexed: {len(behind)}", advice)
    if found and not wrong and not behind:
        yield Finding("ok", "sessions", f"logs: {len(found)}, all indexed")


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
    embedder = project.embedder()
    model = embedder.model_id if embedder is not None else ""
    pending = 0
    for store in project.stores():
        whose = "your own " if store.db.realm == "user" else ""
        pending += store.db.vectors.pending_count()
        for (kind, model_id), (owners, dims) in store.db.vectors.models().items():
            said = f"{owners:,} {whose}{kind} vectors of {model_id}, {dims} dimensions"
            if model_id == model:
                yield Finding("ok", "vectors", said)
            else:
                advice = "They belong to another model and are not used; `remora reindex` removes them."
                yield Finding("note", "vectors", said, advice)
    if project.trouble:
        yield Finding("warning", "vectors", redact(project.trouble).text, "Search uses words meanwhile.")
    if pending and embedder is not None:
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
    if _opens(project):
        yield _history(project.db, repository)


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


def _history(db: Database, repository: Repository) -> Finding:
    commit = db.meta.get(COMMIT)
    said, advice = "the branch does not contain the last commit read", "`remora init` reads it again."
    match repository.standing(commit):
        case "new":
            said, advice = "no commit has been read", "`remora init` reads the git history."
        case "continues":
            said = f"commits read: {db.history.clock():,}"
            new = repository.count(commit)
            if not new:
                return Finding("ok", "history", f"{said}, up to date")
            said, advice = f"{said}, new since: {new:,}", "`remora init` reads them."
    return Finding("note", "history", said, advice)


def methodologies(project: OpenProject) -> Iterator[Finding]:
    """Check that the installed methodology plugins can be used."""
    plugins = project.plugins()
    for problem in plugins.problems:
        advice = "Update or uninstall the package that registers it."
        yield Finding("warning", "methodology", problem, advice)
    if others := sorted(set(plugins.known) - {NATIVE.id}):
        yield Finding("ok", "methodology", ", ".join(others))


def permissions(project: OpenProject) -> list[Finding]:
    """Check that only the user can read the data, and that it can be written."""
    findings: list[Finding] = []
    for folder in (project.location.home, project.user_home):
        if not folder.is_dir():
            continue
        mode = stat.S_IMODE(folder.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            found = f"other users can access {folder} ({mode:04o})"
            advice = f"`chmod 700 {folder}` denies them access."
            findings.append(Finding("warning", "permissions", found, advice))
        for path in (folder, folder / DATABASE):
            if path.exists() and not os.access(path, os.W_OK):
                advice = "Memories can be read but not stored."
                findings.append(Finding("warning", "permissions", f"{path} cannot be written", advice))
    if not findings and project.location.home.is_dir():
        findings.append(Finding("ok", "permissions", "private and writable"))
    return findings


def disk(project: OpenProject) -> Iterator[Finding]:
    """Check the free disk space."""
    folder = next(p for p in (project.location.home, *project.location.home.parents) if p.exists())
    free = shutil.disk_usage(folder).free
    said = f"{megabytes(free)} free at {folder}"
    if free < NO_DISK:
        advice = "Free some space; nothing stored before is lost."
        yield Finding("error", "disk", said, advice, StoreFull.__name__)
    elif free < LITTLE_DISK:
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
