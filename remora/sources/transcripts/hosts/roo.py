"""Read Roo Code's tasks: `tasks/<task>/api_conversation_history.json` in the extension's folder of an editor.

The format is derived from the source of versions 3.52.1 and 3.41.3, the last in which models called tools in
XML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from remora.sources.transcripts.hosts import tasks
from remora.sources.transcripts.hosts.places import editor_folders
from remora.sources.transcripts.hosts.values import data_of, json_of, mapping
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.turns import Session, Turn

HOST = "roo"
ACTIONS: Mapping[str, str] = tasks.ACTIONS
FOLDERS = ("rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly")


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of all tasks on this machine."""
    for editor in editor_folders(environ):
        for name in FOLDERS:
            yield from sorted((editor / "globalStorage" / name / "tasks").glob(f"*/{tasks.FILE}"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the task in a file."""
    if owns(path):
        yield tasks.session(path)


def owns(path: Path) -> bool:
    """Return whether a file is a task of Roo Code: by its folder, or by a note that only Roo Code writes."""
    return path.name == tasks.FILE and (bool(set(FOLDERS) & set(path.parts)) or _note(path).is_file())


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a task."""
    note = mapping(json_of(data_of(_note(path)))) if _note(path).is_file() else {}
    yield from tasks.turns(path, session, counts, delegated=bool(note.get("parentTaskId")))


def _note(path: Path) -> Path:
    return path.with_name("history_item.json")
