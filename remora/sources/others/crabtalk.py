"""Read CrabTalk's files: memory files, dumped trees, sessions.

A path may be a memory file, a dumped tree, a folder of sessions, or a folder that contains them. The user
chooses the name of a memory file, so files are recognized by their first bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from remora.sources.others import crabtalk_file, crabtalk_sessions, crabtalk_tree
from remora.sources.others.files import File, files_of, head_of
from remora.sources.others.import_result import Found, Gatherer

SYSTEM = "crabtalk"
LOOKED_AT = 2_000  # maximum of files whose beginning is read
_DEPTH = 3


def read(path: Path) -> Found:
    """Return the contents of a memory file or a folder.

    Args:
        path: see the module.
    """
    gather = Gatherer(SYSTEM)
    if path.is_file():
        crabtalk_file.read_file(File(path, path.name), gather)
        return gather.found()
    for file in memory_files(path):
        crabtalk_file.read_file(file, gather)
    for root in trees(path):
        crabtalk_tree.read_tree(root, gather, _prefix(path, root))
    for folder in session_folders(path):
        crabtalk_sessions.read_sessions(folder, gather, _prefix(path, folder) or "sessions/")
    return gather.found()


def memory_files(path: Path) -> Iterator[File]:
    """Yield the memory files below a folder, recognized by their first bytes."""
    for number, file in enumerate(files_of(path), 1):
        if number > LOOKED_AT:
            return
        if file.shown.count("/") < _DEPTH and head_of(file.path, 6) == crabtalk_file.MAGIC:
            yield file


def trees(path: Path) -> list[Path]:
    """Return the dumped trees: the folder itself, or those directly below it."""
    return [root for root in (path, *_folders(path)) if crabtalk_tree.is_tree(root)]


def session_folders(path: Path) -> list[Path]:
    """Return the folders of sessions: the folder itself, or its `sessions`."""
    return [
        folder
        for folder in (path, path / "sessions")
        if folder.is_dir() and any(crabtalk_sessions.is_session(one) for one in _folders(folder))
    ]


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(one for one in path.iterdir() if one.is_dir() and not one.is_symlink())
    except OSError:
        return []


def _prefix(path: Path, folder: Path) -> str:
    return "" if folder == path else f"{folder.relative_to(path).as_posix()}/"
