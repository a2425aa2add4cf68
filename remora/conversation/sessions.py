"""List the sessions in a folder without reading whole logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remora.conversation.format import BadLine, decode
from remora.conversation.log import SUFFIX
from remora.core.clock import to_iso
from remora.core.errors import RemoraError
from remora.disk.files import os_errors
from remora.disk.names import original_name

_HEAD = 64 * 1024  # bytes in which the metadata line is looked for
_TAIL = 1024 * 1024  # bytes in which the last message is looked for


class SessionInfo(NamedTuple):
    """The data of a session that is available without reading its log.

    `messages` is the number of all messages, 0 if the last lines have none. `created` is None if the metadata
    line cannot be read, `updated` is the file's time; both ISO 8601 in UTC. `problem` describes a fault of
    the file, if any.
    """

    id: str
    path: Path
    created: str | None
    updated: str
    messages: int
    problem: str = ""


def list_sessions(folder: Path) -> list[SessionInfo]:
    """Return the sessions of a folder, the last written first; none if there is no folder.

    An unreadable file is listed with its problem.

    Raises:
        StoreError: the folder itself cannot be read.
    """
    with os_errors(folder, "read"):
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
        except FileNotFoundError:
            return []
    found = [info for info in map(_look, paths) if info is not None]
    return sorted(found, key=lambda info: (info.updated, info.id), reverse=True)


def _look(path: Path) -> SessionInfo | None:
    name = original_name(path.stem)
    try:
        updated = to_iso(path.stat().st_mtime)
    except FileNotFoundError:  # gone since the folder was read
        return None
    try:
        with os_errors(path, "read"), path.open("rb") as file:
            head = file.readline(_HEAD)
            messages = _last_seq(file)
    except RemoraError as error:
        return SessionInfo(name or path.stem, path, None, updated, 0, str(error))
    metadata, problem = _metadata(head)
    key, created = metadata.get("key"), metadata.get("createdAt")
    # A long id is in the file name only in part; then the metadata line has it.
    session_id = name or (key if isinstance(key, str) and key else path.stem)
    return SessionInfo(
        session_id, path, created if isinstance(created, str) else None, updated, messages, problem
    )


def _metadata(line: bytes) -> tuple[dict[str, object], str]:
    try:
        record = decode(line)
    except BadLine as error:
        return {}, f"line 1: {error}"
    if record is None or record.get("_type") != "metadata":
        return {}, "line 1 is not the metadata line"
    return record, ""


def _last_seq(file: BinaryIO) -> int:
    """Return the number of the last message; 0 if the last lines have none."""
    file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
    for line in reversed(file.read().split(b"\n")[:-1]):  # behind the last line end stands no whole line
        try:
            seq = (decode(line) or {}).get("seq")
        except BadLine:
            continue
        if isinstance(seq, int) and not isinstance(seq, bool) and seq > 0:
            return seq
    return 0
