"""Read a GolemCore workspace: sessions, MEMORY.md, daily notes, memory items.

<workspace>/sessions/<channel>:<chat>.json or .pb
<workspace>/memory/MEMORY.md
<workspace>/memory/2026-02-07.md         lines `[14:15] User: … | Assistant: …`, in local time
<workspace>/memory/items/…, scopes/…     see `golem_items`
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from remora.sources.others.files import File, files_of, read_text
from remora.sources.others.golem_items import read_items
from remora.sources.others.golem_sessions import read_sessions
from remora.sources.others.import_result import Found, Gatherer, Unreadable
from remora.sources.others.neoclaw import read_longterm, workspace_of

SYSTEM = "golemcore"

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")


def read(path: Path, *, now: float | None = None) -> Found:
    """Return the contents of a workspace.

    Args:
        path: the workspace, its `memory` folder, the parent of the workspace, or one session.
        now: seconds since 1970; memory items expired by then are left out. None keeps them.
    """
    gather = Gatherer(SYSTEM)
    if path.is_file():
        read_sessions([File(path, path.name)], gather)
        return gather.found()
    workspace = workspace_of(path)
    items: list[File] = []
    if (workspace / "memory").is_dir():
        for file in files_of(workspace / "memory", gather, prefix="memory/"):
            if file.shown == "memory/MEMORY.md":
                read_longterm(file, gather)
            elif day := day_of(file):
                _read_day(file, day, gather)
            elif is_item_file(file):
                items.append(file)
            else:
                gather.pass_over("files", file.shown, "not a file of GolemCore's memory")
    read_items(items, gather, now=now)
    if (workspace / "sessions").is_dir():
        read_sessions(list(files_of(workspace / "sessions", gather, prefix="sessions/")), gather)
    return gather.found()


def is_item_file(file: File) -> bool:
    """Return whether a file of the memory folder holds memory items, by its path."""
    return file.path.suffix == ".jsonl" and "items" in file.shown.split("/")[:-1]


def day_of(file: File) -> str:
    """Return the day of a daily note file, "" for any other file."""
    name = _DAY.fullmatch(file.path.name)
    if not name or file.shown.count("/") != 1:
        return ""
    try:
        return date.fromisoformat(name[1]).isoformat()
    except ValueError:
        return ""


def _read_day(file: File, day: str, gather: Gatherer) -> None:
    with gather.reading(file.shown):
        lines = [line.rstrip() for line in read_text(file, gather).split("\n") if line.strip()]
        if not lines:
            raise Unreadable("empty")
        gather.saw("daily lines", len(lines))
        gather.day(day, lines)
