"""Detect the systems with files at a path, and call the reader of one.

Files are recognized by their content: first bytes, front matter, database tables, JSON keys. Names only
select the files to check. A lone MEMORY.md is free text that several systems write: below a folder `.claude`
it is Claude Code's; elsewhere all of them are returned and the caller must choose.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from remora.core.errors import InvalidInput, NotFound
from remora.core.history_entries import parse
from remora.sources.others import (
    auto_claude,
    basic_memory,
    claude_code,
    crabtalk,
    forge,
    golem_items,
    golemcore,
    mcp_memory,
    neoclaw,
)
from remora.sources.others.files import File, begins_with, files_of, head_of
from remora.sources.others.import_result import Found, Unreadable

LOOKED_AT = 200  # files of a folder that are opened to recognize the format


def detect(path: Path) -> list[str]:
    """Return the systems with files at a path, in the order of `SYSTEMS`; empty if there are none.

    Raises:
        NotFound: the path does not exist.
    """
    if not path.exists():
        raise NotFound(f"{path} does not exist")
    found = [name for name, holds in _HOLDS.items() if holds(path)]
    if not found and path.is_dir() and (neoclaw.workspace_of(path) / "memory" / "MEMORY.md").is_file():
        if ".claude" in path.absolute().parts:
            return [claude_code.SYSTEM]
        return [neoclaw.SYSTEM, golemcore.SYSTEM, claude_code.SYSTEM]
    return found


def read(path: Path, system: str, *, now: float | None = None, project: str | None = None) -> Found:
    """Return what a system stored at a path.

    Args:
        path: a file or a folder.
        system: one of `SYSTEMS`.
        now: seconds since 1970; items that GolemCore would have expired by then are left out.
        project: the project to read, if a database serves several.

    Raises:
        NotFound: the path does not exist.
        InvalidInput: the system is unknown.
    """
    if not path.exists():
        raise NotFound(f"{path} does not exist")
    if system == golemcore.SYSTEM:
        return golemcore.read(path, now=now)
    if system == auto_claude.SYSTEM:
        return auto_claude.read(path, project=project)
    reader = _READERS.get(system)
    if reader is None:
        raise InvalidInput(f"there is no reader for {system!r}", hint=f"Choose one of {', '.join(SYSTEMS)}.")
    return reader(path)


def _neoclaw(path: Path) -> bool:
    if path.is_file():
        return path.suffix == ".jsonl" and begins_with(path, neoclaw.is_session_line)
    workspace = neoclaw.workspace_of(path)
    memory = workspace / "memory"
    histories = sorted(memory.glob("HISTORY*.md"))
    if any(_is_history(file) for file in histories[:LOOKED_AT]):
        return True
    sessions = (file for folder in neoclaw.session_folders(workspace) for file in folder.glob("*.jsonl"))
    return any(begins_with(file, neoclaw.is_session_line) for file in islice(sessions, LOOKED_AT))


def _is_history(file: Path) -> bool:
    return any(entry.time for entry in parse(head_of(file, 1 << 16).split(b"\n")))


def _golemcore(path: Path) -> bool:
    workspace = neoclaw.workspace_of(path)
    sessions = path if path.is_file() else workspace / "sessions"
    if _any(sessions, (".json",), lambda file: golemcore.is_session(golemcore.load(file))):
        return True
    return _any(workspace / "memory", (".jsonl", ".md"), _is_golem_memory)


def _is_golem_memory(file: File) -> bool:
    """Return whether a file has a memory item, or is the note of a day with a line in GolemCore's form."""
    shown = File(file.path, f"memory/{file.shown}")
    if golemcore.is_item_file(shown):
        return begins_with(file.path, golem_items.is_item)
    if not golemcore.day_of(shown):
        return False
    lines = head_of(file.path, 1 << 14).decode("utf-8", "ignore").split("\n")
    return any(line.startswith("[") and "] User: " in line and " | Assistant: " in line for line in lines)


def _crabtalk(path: Path) -> bool:
    if path.is_file():
        return head_of(path, 6) == crabtalk.MAGIC
    return any(True for _ in crabtalk.memory_files(path)) or bool(crabtalk.trees(path))


def _any(path: Path, suffixes: tuple[str, ...], fits: Callable[[File], object]) -> bool:
    """Return whether the file at a path, or one of the first of a folder with a suffix, fits.

    One that cannot be read does not.
    """
    for file in islice((f for f in files_of(path) if f.path.suffix in suffixes), LOOKED_AT):
        with suppress(Unreadable):
            if fits(file):
                return True
    return False


_READERS: dict[str, Callable[[Path], Found]] = {
    neoclaw.SYSTEM: neoclaw.read,
    crabtalk.SYSTEM: crabtalk.read,
    forge.SYSTEM: forge.read,
    claude_code.SYSTEM: claude_code.read,
    basic_memory.SYSTEM: basic_memory.read,
    mcp_memory.SYSTEM: mcp_memory.read,
}
# In the order in which they are reported.
_HOLDS: dict[str, Callable[[Path], bool]] = {
    neoclaw.SYSTEM: _neoclaw,
    golemcore.SYSTEM: _golemcore,
    crabtalk.SYSTEM: _crabtalk,
    forge.SYSTEM: lambda path: _any(path, (".md",), forge.parse),
    auto_claude.SYSTEM: lambda path: any(map(auto_claude.is_database, auto_claude.databases(path))),
    claude_code.SYSTEM: claude_code.is_memory,
    basic_memory.SYSTEM: lambda path: _any(path, (".md",), basic_memory.is_note),
    mcp_memory.SYSTEM: lambda path: any(mcp_memory.is_graph(f.path) for f in mcp_memory.graph_files(path)),
}
SYSTEMS = tuple(_HOLDS)
