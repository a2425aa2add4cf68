"""Export memories with their revisions and uses, notes, conversations and journal to a file.

Four formats: JSON, which another machine imports exactly; Markdown, to read and to edit; CLAUDE.md, only the
rules, for an agent without Remora; and an archive, the JSON beside a copy of the home with its vectors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.memories.operations import listing
from remora.conversation.log import SUFFIX
from remora.core.clock import to_iso
from remora.core.errors import Conflict, InvalidInput
from remora.core.text import collapse, content_hash
from remora.disk.files import os_errors, write_atomic

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord

FORMAT, VERSION = "remora-export", 1
FORMATS = ("json", "markdown", "claude-md", "archive")
DOCUMENT = "export.json"  # first file of an archive
SCOPES = ("project", "user", "all")
RULES = {  # memory types in a CLAUDE.md, with their headings
    "preference": "Preferences",
    "requirement": "Requirements",
    "decision": "Decisions",
    "gotcha": "Traps",
    "workflow_recipe": "How things are done",
}
MOST_LINES = 200  # of a CLAUDE.md
MARK = "<!-- remora "  # starts the metadata of a line of Markdown


class Exported(NamedTuple):
    """The result of an export: path, format, number of memories, size in bytes."""

    path: str
    format: str
    memories: int
    bytes: int


def export(project: OpenProject, path: Path, form: str, scope: str) -> Exported:
    """Export a scope to a new file; see `Memory.export`."""
    if form not in FORMATS:
        raise InvalidInput(f"unknown format {form!r}", hint=f"Choose one of {', '.join(FORMATS)}.")
    if scope not in SCOPES:
        raise InvalidInput(f"unknown scope {scope!r}", hint=f"Choose one of {', '.join(SCOPES)}.")
    project.accesses.flush(wait=None)
    if form == "archive":
        from remora.app.health.backup import backup

        home = project.location.home if scope != "user" else project.user_home
        done = backup(home, path, (DOCUMENT, _json(project, scope).encode("utf-8", "surrogatepass")))
        return Exported(str(path), form, len(_records(project, scope)), done.bytes)
    with os_errors(path, "write"):
        if path.exists():
            raise Conflict(f"{path} already exists", hint="Name a file that does not exist yet.")
    records = _records(project, scope)
    if form == "json":
        text = _json(project, scope)
    elif form == "markdown":
        text = "\n".join(_markdown(records, project.location.name))
    else:
        records = list({content_hash(one.content): one for one in records if _is_rule(one)}.values())
        text = "\n".join(_rules(records, project.location.name))
    with os_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text + "\n")
        path.chmod(0o600)
        return Exported(str(path), form, len(records), path.stat().st_size)


def _json(project: OpenProject, scope: str) -> str:
    return json.dumps(document(project, scope), ensure_ascii=False, indent=1)


def document(project: OpenProject, scope: str = "all") -> dict[str, Any]:
    """Return the stored data as JSON values, with forgotten memories."""
    wanted = [store for store in project.stores() if scope in ("all", store.db.realm)]
    memories: list[dict[str, Any]] = []
    revisions: list[dict[str, Any]] = []
    uses: list[dict[str, Any]] = []
    for store in wanted:
        memories += [{"realm": store.db.realm, **row} for row in store.db.memories.rows()]
        revisions += [{"realm": store.db.realm, **row} for row in store.db.revisions.rows()]
        uses += [{"realm": store.db.realm, **row} for row in store.db.uses.rows()]
    whole = scope != "user"
    return {
        "format": FORMAT,
        "version": VERSION,
        "made": to_iso(project.clock.now()),
        "project": project.location.name,
        "scope": scope,
        "memories": memories,
        "revisions": revisions,
        "uses": uses,
        "entries": _entries(project) if whole else [],
        "sessions": session_files(project.sessions_folder) if whole else [],
        "journal": journal_files(project.memory_folder) if whole else {},
    }


def _records(project: OpenProject, scope: str) -> list[MemoryRecord]:
    """Return the live memories of a scope, without records of commits and sessions."""
    user = None if scope == "all" else scope == "user"
    return listing(project, None, 10_000_000, 0, "created", where={}, having={}, user=user, records=False)


def _entries(project: OpenProject) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "kind": one.kind, "aliases": list(one.aliases), "content": one.content}
        for one in project.entries().entries()
    ]


def session_files(folder: Path) -> list[dict[str, str]]:
    """Return the session logs of a folder, each with its file name; [] if there is no folder."""
    paths = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ()
    return [{"file": path.name, "log": path.read_text("utf-8", "surrogateescape")} for path in paths]


def journal_files(folder: Path) -> dict[str, str]:
    """Return the texts of the Markdown files below a folder, by path; {} if there is no folder."""
    paths = sorted(folder.rglob("*.md")) if folder.is_dir() else ()
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace") for path in paths}


# Markdown


def _markdown(records: Sequence[MemoryRecord], name: str) -> Iterator[str]:
    yield f"# Memory of {name}"
    for kind in dict.fromkeys(
        record.type for record in sorted(records, key=lambda r: (r.type, r.created_at))
    ):
        yield ""
        yield f"## {kind}"
        yield ""
        for record in records:
            if record.type == kind:
                yield f"- {_line(record.content)} {MARK}{_besides(record)} -->"


def _besides(record: MemoryRecord) -> str:
    """Return the metadata of a memory as JSON that cannot end the comment around it."""
    said = {
        "id": record.id,
        "source": record.source,
        "confidence": record.confidence,
        "files": record.related_files,
        "tags": record.tags,
        "created": record.created_at,
        "user": record.realm == "user",
    }
    kept = {name: value for name, value in said.items() if value not in ((), None, False)}
    return json.dumps(kept, ensure_ascii=False).replace(">", "\\u003e")


def _is_rule(record: MemoryRecord) -> bool:
    quiet = record.taint is not None or record.needs_review or record.stale_at is not None
    return record.type in RULES and not quiet and not record.silent


def _rules(records: Sequence[MemoryRecord], name: str) -> Iterator[str]:
    lines = [f"# {name}"]
    order = sorted(records, key=lambda r: (not r.pinned, not r.user_verified, -r.confidence, r.created_at))
    left = 0
    for kind, heading in RULES.items():
        own = [record for record in order if record.type == kind]
        room = MOST_LINES - len(lines) - 4
        if own and room > 0:
            lines += ["", f"## {heading}", "", *(f"- {_line(record.content)}" for record in own[:room])]
        left += max(0, len(own) - max(0, room))
    yield from lines
    if left:
        yield f"\n({left} more did not fit.)"


def _line(content: str) -> str:
    """Return a text on one line, so that it stays one item of a list."""
    return collapse(content).replace("<!--", "<! --")
