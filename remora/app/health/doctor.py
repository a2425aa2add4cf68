"""Check the folders, files, database, models and settings of a project; findings carry advice.

Nothing is created or changed, except that an older database is migrated. A check that fails becomes a
finding; the others still run.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.health.doctor_code import code
from remora.app.health.doctor_files import environment, items, settings, variables, written
from remora.app.health.findings import Finding, Level, Report, failed, megabytes
from remora.app.health.stats import database_bytes
from remora.app.project.destinations import destinations as where_to
from remora.app.project.homes import notice
from remora.app.project.locate import DATABASE, data_dir
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

__all__ = ["Finding", "Report", "diagnose", "examine"]

LITTLE_DISK, NO_DISK = 500_000_000, 20_000_000  # bytes free; below NO_DISK any write may fail
CHECK_SECONDS = 60.0  # for one database; a full check of 100 MB takes about 1 s
BIG_WAL = 200_000_000  # bytes; SQLite checkpoints the log long before, unless a reader holds it open


def diagnose(path: Path, environ: Mapping[str, str]) -> Report:
    """Check the project that a path belongs to; an error at opening becomes a finding."""
    try:
        project = OpenProject(path, environ)
    except RemoraError as error:
        return Report((failed("project", error), *variables(environ)))
    try:
        return examine(project)
    finally:
        project.close()


def examine(project: OpenProject) -> Report:
    """Run every check on an open project."""
    findings: list[Finding] = []
    left_out = () if _opens(project) else IN_DATABASE
    for what, check in CHECKS:
        if what in left_out:
            continue
        try:
            findings += check(project)
        except RemoraError as error:
            findings.append(failed(what, error))
        except OSError as error:
            findings.append(Finding("warning", what, f"cannot be checked: {error.strerror or error}"))
    return Report(tuple(findings))


def places(project: OpenProject) -> list[Finding]:
    """Report the project's name, id and folders."""
    location = project.location
    return [
        Finding(
            "ok", "program", f"Remora {_version()}, Python {platform.python_version()}, {platform.system()}"
        ),
        Finding("ok", "project", f"{location.name}, id {location.id}, at {location.root}"),
        Finding("ok", "data folder", str(data_dir(project.environ))),
        Finding("ok", "project home", str(location.home)),
    ]


def database(project: OpenProject) -> list[Finding]:
    """Check the project's database, and the user's if it exists."""
    files = [("database", project.location.home / DATABASE)]
    if (project.user_home / DATABASE).exists():
        files.append(("your own database", project.user_home / DATABASE))
    findings: list[Finding] = []
    for what, file in files:
        if not file.exists():
            advice = "`remora init` reads rule files and git history; `remora remember` stores a statement."
            findings.append(Finding("note", what, f"{file} does not exist yet", advice))
            continue
        try:
            findings += _sound(what, project.store("project" if what == "database" else "user"))
        except RemoraError as error:
            findings.append(failed(what, error))
    return findings


def shipped(project: OpenProject) -> list[Finding]:
    """Report a database that came with the repository."""
    came = notice(project.location.foreign)
    return [Finding("warning", "shipped memory", came)] if came else []


def _sound(what: str, store: Store) -> list[Finding]:
    db = store.db.connection
    level: Level = "ok"
    try:
        problems = db.check(CHECK_SECONDS)
    except TimeoutError:
        problems, level = [], "warning"
    if problems:
        advice = (
            "`remora reindex` rebuilds the indexes. If that does not help, `remora recover` saves the "
            f"readable rows of {db.path} into a new file and keeps the old one."
        )
        return [Finding("error", what, "; ".join(problems), advice, StoreCorrupt.__name__)]
    counts = store.db.memories.counts()
    turns = store.db.turns.count()
    records = sum(records_in(counts).values())
    size = megabytes(database_bytes(db.path))
    held = (
        f"schema {db.schema()} of {migrations.latest()}; memories: {counts['live']:,}, records: {records:,}, "
        f"forgotten: {counts['deprecated']:,}, turns: {turns:,}; {size}"
    )
    sound = f"sound; {held}" if level == "ok" else f"not fully checked within {CHECK_SECONDS:.0f} s; {held}"
    findings = [Finding(level, what, sound)]
    wal = db.path.with_name(db.path.name + "-wal")
    if wal.exists() and wal.stat().st_size > BIG_WAL:
        said = f"the size of the write-ahead log is {megabytes(wal.stat().st_size)}"
        findings.append(Finding("warning", what, said, "A process holds the database open; end it."))
    if counts["needs_review"]:
        advice = (
            "`remora list --needs-review` lists them; `remora verify ID` or `remora forget ID` settles each."
        )
        findings.append(
            Finding("note", "review", f"memories that need review: {counts['needs_review']}", advice)
        )
    return findings


def sessions(project: OpenProject) -> list[Finding]:
    """Check that the session logs can be read and are indexed to their end."""
    found = list_sessions(project.sessions_folder)
    findings = [
        Finding("warning", "session log", f"{s.path}: {s.problem}", "Readable lines are still used.")
        for s in found
        if s.problem
    ]
    db = project.db
    behind = [s for s in found if s.path.stat().st_size > db.turns.read_to(s.id)]
    if behind:
        advice = "The next search indexes them; `remora reindex` does it now."
        findings.append(Finding("note", "sessions", f"logs not fully indexed: {len(behind)}", advice))
    if found and not findings:
        findings.append(Finding("ok", "sessions", f"logs: {len(found)}, all indexed"))
    return findings


def destinations(project: OpenProject) -> list[Finding]:
    """Report the destination of texts for each model: a server, or nowhere."""
    found = where_to(project.settings, project.environ)
    return [Finding("ok", f"texts for {what}", where) for what, where in found]


def embedding(project: OpenProject) -> list[Finding]:
    """Report the embedding tier and the reasons for it, embed one query, and count missing vectors."""
    if _opens(project):
        return _tier(project.choice()) + _vectors(project)
    from remora.embeddings.embedder import choose

    choice = choose(project.settings.embedding, environ=project.environ)
    try:
        return _tier(choice)
    finally:
        choice.close()


def _tier(choice: Choice) -> list[Finding]:
    reasons = "; ".join(redact(reason.rstrip(".")).text for reason in choice.reasons)
    if choice.embedder is None:
        advice = "Search uses words and files only. The setting embedding.provider chooses a model."
        return [Finding("warning", "embedding", f"none: {reasons}", advice)]
    said = f"{choice.tier}, model {choice.embedder.model_id}"
    started = time.monotonic()
    try:
        choice.embedder.embed_query("Does it answer?")
    except RemoraError as error:
        return [failed("embedding", error)._replace(detail=f"{said}: {error}")]
    took = (time.monotonic() - started) * 1e3
    return [Finding("ok", "embedding", f"{said}, answers in {took:,.0f} ms: {reasons}")]


def _vectors(project: OpenProject) -> list[Finding]:
    findings: list[Finding] = []
    embedder = project.embedder()
    model = embedder.model_id if embedder is not None else ""
    pending = 0
    for store in project.stores():
        whose = "your own " if store.db.realm == "user" else ""
        pending += store.db.vectors.pending_count()
        for (kind, model_id), (owners, dims) in store.db.vectors.models().items():
            said = f"{owners:,} {whose}{kind} vectors of {model_id}, {dims} dimensions"
            if model_id == model:
                findings.append(Finding("ok", "vectors", said))
            else:
                advice = "They belong to another model and are not used; `remora reindex` removes them."
                findings.append(Finding("note", "vectors", said, advice))
    if project.trouble:
        advice = "Search uses words meanwhile."
        findings.append(Finding("warning", "vectors", redact(project.trouble).text, advice))
    if pending and embedder is not None:
        advice = "Search finds them by words meanwhile. `remora reindex` computes the vectors now."
        findings.append(
            Finding("note", "vectors", f"memories and turns without a vector: {pending:,}", advice)
        )
    return findings


def git(project: OpenProject) -> list[Finding]:
    """Report the branch and commit that are checked out, and how much of the history was read."""
    repository = project.location.repository
    if repository is None:
        advice = (
            "Without git there is no history to learn from, and the memory is tied to this folder's path."
        )
        return [Finding("note", "git", f"{project.location.root} is not in a repository", advice)]
    head = repository.head()
    if head is None:
        return [Finding("ok", "git", "a repository without commits")]
    branch = repository.branch()
    where = f"branch {branch} at {head[:10]}" if branch else f"no branch (detached) at {head[:10]}"
    findings = [Finding("ok", "git", where)]
    if repository.shallow:
        advice = "Run `git fetch --unshallow`, then `remora init` again."
        findings.append(Finding("note", "git", "the clone is shallow: older history is missing", advice))
    if _opens(project):
        findings.append(_history(project))
    return findings


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


def _history(project: OpenProject) -> Finding:
    db = project.db
    repository = project.location.repository
    assert repository is not None
    commit = db.meta.get(COMMIT)
    match repository.standing(commit):
        case "new":
            return Finding(
                "note", "history", "no commit has been read", "`remora init` reads the git history."
            )
        case "continues":
            new = repository.count(commit)
            read = f"commits read: {db.history.clock():,}"
            if new:
                return Finding("note", "history", f"{read}, new since: {new:,}", "`remora init` reads them.")
            return Finding("ok", "history", f"{read}, up to date")
    return Finding(
        "note", "history", "the branch does not contain the last commit read", "`remora init` reads it again."
    )


def methodologies(project: OpenProject) -> list[Finding]:
    """Check that the installed methodology plugins can be used."""
    plugins = project.plugins()
    advice = "Update or uninstall the package that registers it."
    findings = [Finding("warning", "methodology", problem, advice) for problem in plugins.problems]
    others = sorted(set(plugins.known) - {NATIVE.id})
    return [*findings, *([Finding("ok", "methodology", ", ".join(others))] if others else [])]


def permissions(project: OpenProject) -> list[Finding]:
    """Check that only the user can read the data, and that it can be written."""
    findings: list[Finding] = []
    for folder in (project.location.home, project.user_home):
        if not folder.is_dir():
            continue
        mode = stat.S_IMODE(folder.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            advice = f"`chmod 700 {folder}` denies them access."
            findings.append(
                Finding("warning", "permissions", f"other users can access {folder} ({mode:04o})", advice)
            )
        unwritable = [p for p in (folder, folder / DATABASE) if p.exists() and not os.access(p, os.W_OK)]
        findings += [
            Finding(
                "warning", "permissions", f"{path} cannot be written", "Memories can be read but not stored."
            )
            for path in unwritable
        ]
    if not findings and project.location.home.is_dir():
        findings.append(Finding("ok", "permissions", "private and writable"))
    return findings


def disk(project: OpenProject) -> list[Finding]:
    """Check the free disk space."""
    folder = next(p for p in (project.location.home, *project.location.home.parents) if p.exists())
    free = shutil.disk_usage(folder).free
    said = f"{megabytes(free)} free at {folder}"
    if free < NO_DISK:
        return [
            Finding(
                "error", "disk", said, "Free some space; nothing stored before is lost.", StoreFull.__name__
            )
        ]
    if free < LITTLE_DISK:
        return [Finding("warning", "disk", said, "Free some space before it runs out.")]
    return [Finding("ok", "disk", said)]


def _opens(project: OpenProject) -> bool:
    """Return whether the databases open; if not, `database` reports the reason."""
    try:
        return (project.location.home / DATABASE).exists() and bool(project.stores())
    except (RemoraError, OSError):
        return False


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
