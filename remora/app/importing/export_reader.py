"""Import an export: JSON exactly, also from an archive; Markdown as statements.

Existing data is never changed, so a second import changes nothing. A row that cannot be stored is reported
and does not stop the others. The file is untrusted input: paths out of a folder are refused, and an archive
whose JSON is larger than a limit; nothing else in it is unpacked. Secrets are removed from every text.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.health import export
from remora.app.records.entries import Entries
from remora.conversation.log import SUFFIX
from remora.core.change import Change, acting
from remora.core.errors import InvalidInput, RemoraError
from remora.core.secrets import redact
from remora.core.text import shorten
from remora.core.values import MemoryDraft, MemoryRecord
from remora.disk.files import make_folder, os_errors, write_atomic
from remora.disk.names import original_name, safe_name
from remora.lifecycle.drafts import prepare
from remora.lifecycle.redaction import redact_json

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject, Store

MOST_BYTES = 2_000_000_000  # of a file, and of the JSON in an archive
NAMED = 50  # reports of rows that cannot be stored


class Imported(NamedTuple):
    """The result of an import.

    Attributes:
        new: memories that were stored; `known`: memories that existed.
        revisions: revisions imported with the new memories.
        entries, sessions, files: new notes and archives, conversations, and files of the journal.
        left: items that exist with another text and were not changed.
        bad: rows that cannot be stored, each with the reason.
        dry_run: nothing was stored.
    """

    new: int = 0
    known: int = 0
    revisions: int = 0
    entries: int = 0
    sessions: int = 0
    files: int = 0
    left: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    dry_run: bool = False


class _Tally:
    def __init__(self) -> None:
        self.new = self.known = self.revisions = self.entries = self.sessions = self.files = 0
        self.left: list[str] = []
        self.bad: list[str] = []

    def refused(self, what: str, why: object) -> None:
        """Add a row that cannot be stored."""
        if len(self.bad) < NAMED:
            self.bad.append(f"{what}: {why}")


@acting("system:import")
def import_file(project: OpenProject, path: Path, *, dry_run: bool = False) -> Imported:
    """Import an export; see `Memory.import_file`."""
    tally = _Tally()
    with os_errors(path, "read"):
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput(f"{path} has more than {MOST_BYTES:,} bytes")
        is_archive = tarfile.is_tarfile(path)
        data = b"" if is_archive else path.read_bytes()
    if is_archive:
        found = _from_archive(path)
    elif data[:600].lstrip()[:1] == b"{":
        found = _from_json(path, data)
    elif export.MARK.encode() in data:
        found = _from_markdown(data.decode("utf-8", "replace"))
    else:
        raise InvalidInput(
            f"{path} is not an export of Remora",
            hint="`remora teach` reads other text, `remora move-in` other systems.",
        )
    _take(project, found, tally, dry_run=dry_run)
    counts = (tally.new, tally.known, tally.revisions, tally.entries, tally.sessions, tally.files)
    return Imported(*counts, tuple(tally.left), tuple(tally.bad), dry_run)


# Formats


def _from_json(path: Path, data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not valid JSON: {error}") from None
    if not isinstance(found, dict) or found.get("format") != export.FORMAT:
        raise InvalidInput(f"{path} is not an export of Remora")
    if found.get("version") != export.VERSION:
        raise InvalidInput(
            f"{path} has version {found.get('version')!r} of the format; this version of Remora reads "
            f"{export.VERSION}",
            hint="Update Remora.",
        )
    return found


def _from_markdown(text: str) -> dict[str, Any]:
    """Return the list items as memories, with the type that their heading names."""
    kind = "pattern"
    memories = []
    for line in text.splitlines():
        if line.startswith("## "):
            kind = line[3:].strip()
        elif line.startswith("- "):
            content, mark, besides = line[2:].partition(export.MARK)
            try:
                said = json.loads(besides.rpartition("-->")[0]) if mark else {}
            except ValueError:
                said = {}
            memories.append({"content": content.strip(), "type": kind, "said": said})
    return {"lines": memories}


def _from_archive(path: Path) -> dict[str, Any]:
    with tarfile.open(path) as tar:
        member = tar.next()
        if member is None or member.name != export.DOCUMENT or not member.isfile():
            raise InvalidInput(
                f"{path} is no archive of `remora export`",
                hint="Unpack a backup, or an archive of an earlier version, into an empty home "
                "(`remora doctor` names it).",
            )
        if member.size > MOST_BYTES:
            raise InvalidInput(f"{path} unpacks to more than {MOST_BYTES:,} bytes")
        source = tar.extractfile(member)
        return _from_json(path, source.read() if source is not None else b"")


# Storing


def _take(project: OpenProject, found: Mapping[str, Any], tally: _Tally, *, dry_run: bool) -> None:
    if "lines" in found:
        _take_lines(project, found["lines"], tally, dry_run=dry_run)
        return
    revisions: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(found, "revisions"):
        revisions.setdefault(str(row.get("memory_id")), []).append(row)
    for realm in ("project", "user"):
        rows = [row for row in _rows(found, "memories") if row.get("realm", "project") == realm]
        if rows:
            uses = [row for row in _rows(found, "uses") if row.get("realm", "project") == realm]
            _take_memories(project, project.store(realm), rows, revisions, uses, tally, dry_run=dry_run)
    if dry_run:
        return
    _take_entries(project, _rows(found, "entries"), tally)
    for row in _rows(found, "sessions"):
        name = str(row.get("file", ""))
        session = original_name(name.removesuffix(SUFFIX)) if name.endswith(SUFFIX) else None
        if session is None or safe_name(session) + SUFFIX != name or not isinstance(row.get("log"), str):
            tally.refused(f"session {shorten(name, 60)!r}", "it is not a session name")
            continue
        log = _redacted(row["log"])
        tally.sessions += _written(project.sessions_folder / name, log, f"session {session}", tally)
    journal = found.get("journal")
    for name, text in journal.items() if isinstance(journal, dict) else ():
        path = PurePosixPath(name)
        hidden = any(part.startswith(".") or part.strip() != part for part in path.parts)
        if path.is_absolute() or hidden or len(path.parts) > 2 or path.suffix != ".md" or "\\" in name:
            tally.refused(f"file {shorten(name, 60)!r}", "it is not a journal file name")
        elif isinstance(text, str):
            tally.files += _written(project.memory_folder / path, redact(text).text, f"file {name}", tally)


def _redacted(log: str) -> str:
    """Return a session's log without secrets; a line without any stays as it is."""
    lines = []
    for line in log.split("\n"):
        counts: dict[str, int] = {}
        try:
            clean = redact_json(json.loads(line), counts)
        except (ValueError, RecursionError, InvalidInput):
            lines.append(redact(line).text)
        else:
            lines.append(json.dumps(clean) if counts else line)
    return "\n".join(lines)


def _without_secrets(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a revision with its texts redacted; its ids stay, because other revisions name them."""
    texts = {name: redact_json(change[name], {}) for name in ("fields", "why") if name in change}
    return {**change, **texts}


def _rows(found: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    rows = found.get(name)
    return (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))


def _take_memories(
    project: OpenProject,
    store: Store,
    rows: Iterable[dict[str, Any]],
    revisions: Mapping[str, list[dict[str, Any]]],
    uses: Iterable[dict[str, Any]],
    tally: _Tally,
    *,
    dry_run: bool,
) -> None:
    db = store.db
    with db.transaction(undo=dry_run):
        for row in rows:
            name = f"memory {shorten(str(row.get('id', '?')), 40)}"
            try:
                record = _checked(project, store, row)
                if (known := db.memories.get(record.id)) is not None:
                    tally.known += 1
                    if known.content != record.content:
                        tally.left.append(f"{name} exists with another text")
                    continue
                with db.transaction():
                    changes = [_without_secrets(change) for change in revisions.get(record.id, [])]
                    made = None if changes else Change("create", "imported")
                    db.memories.insert(record, change=made)
                    tally.revisions += db.revisions.take_in(record.id, changes)
                tally.new += 1
            except (RemoraError, TypeError, ValueError, KeyError) as error:
                tally.refused(name, error)
        db.revisions.find_heads()
        db.uses.take_in(uses)


def _checked(project: OpenProject, store: Store, row: Mapping[str, Any]) -> MemoryRecord:
    """Return a row as a valid record: secrets removed, every field checked."""
    record = store.db.memories.record_of(row)
    if not isinstance(record.id, str) or not record.id.strip():
        raise InvalidInput("it has no id")
    fields = {name: getattr(record, name) for name in MemoryDraft._fields if name in MemoryRecord._fields}
    prepared = prepare(MemoryDraft(**fields), lambda: project.plugins().types())
    draft = prepared.draft
    return record._replace(
        content=draft.content,
        citation_text=draft.citation_text,
        tags=draft.tags,
        payload=draft.payload,
        project_id=store.db.project_id,
        embedding_model_id=None,
        redaction_count=record.redaction_count + prepared.taken_out,
    )


def _take_lines(
    project: OpenProject, lines: Iterable[dict[str, Any]], tally: _Tally, *, dry_run: bool
) -> None:
    for line in lines:
        said = line["said"]
        store = project.store("user" if said.get("user") else "project")
        memory_id = said.get("id")
        if isinstance(memory_id, str) and store.db.memories.get(memory_id) is not None:
            tally.known += 1
            continue
        try:
            draft = MemoryDraft(
                content=line["content"],
                type=line["type"],
                source=said.get("source", "user_taught"),
                confidence=said.get("confidence", 1.0),
                related_files=tuple(said.get("files", ())),
                tags=tuple(said.get("tags", ())),
                created_at=said.get("created"),
                external_id=f"export:{memory_id}" if memory_id else None,
            )
            if dry_run:
                prepare(draft, lambda: project.plugins().types())
                tally.new += 1
                continue
            record = store.intake.remember(draft, stated=True)
        except (RemoraError, TypeError, ValueError) as error:
            tally.refused(shorten(line["content"], 60), error)
            continue
        fresh = record.receipt is not None and record.receipt.action in ("stored", "restored")
        tally.new += fresh
        tally.known += not fresh


def _take_entries(project: OpenProject, rows: Iterable[dict[str, Any]], tally: _Tally) -> None:
    entries = Entries(project)
    for row in rows:
        name = str(row.get("name", ""))
        try:
            content = str(row.get("content", ""))
            known = project.entries().get(name)
            if known is None:
                aliases = tuple(str(alias) for alias in row.get("aliases", ()))
                entries.add(name, content, kind=str(row.get("kind", "note")), aliases=aliases)
                tally.entries += 1
            elif known.content != redact(content).text:
                tally.left.append(f"note {name} exists with another text")
        except (RemoraError, TypeError, ValueError) as error:
            tally.refused(f"note {shorten(name, 60)}", error)


def _written(path: Path, text: str, what: str, tally: _Tally) -> int:
    """Write a file unless it exists; return the number of files written."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        tally.refused(what, error)
        return 0
    with os_errors(path, "write"):
        if path.exists():
            if path.read_bytes() != data:
                tally.left.append(f"{what} exists with another text")
            return 0
        make_folder(path.parent)
        write_atomic(path, data)
    return 1
