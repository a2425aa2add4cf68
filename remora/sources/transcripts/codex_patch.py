"""The patches of Codex's model: the files, and their lines before and after.

    *** Begin Patch
    *** Update File: src/app.py
    *** Move to: src/main.py
    @@ def run():
    -    return 1
    +    return 2
    *** Add File: notes.md
    +text
    *** Delete File: old.py
    *** End Patch

A patch is the input of the tool `apply_patch`, or a here-document in a shell command. The reader skips lines
that it does not recognize; the result of the call shows whether the patch applied.
"""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from remora.core.edits import joined
from remora.sources.transcripts.texts import MAX_EDIT, MAX_PATHS

Change = Literal["add", "update", "delete"]

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: *+(.+)")
_MOVE = re.compile(r"\*\*\* Move to: *+(.+)")
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_IN_SHELL = re.compile(r"(?:^|[\s;&|('\"])(?:apply_patch|applypatch)\b[^\n]*")
_FOLDER = re.compile(r"\s*cd\s+(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s;&|'\"]+))\s*&&\s*$")
_MAX = 2_000_000  # characters of a patch that are read


class PatchedFile(NamedTuple):
    """One file of a patch: `old` and `new` are the removed and the added lines."""

    path: str
    change: Change
    moved_to: str
    old: str
    new: str


def parse_patch(text: str) -> tuple[PatchedFile, ...]:
    r"""Return the files of a patch in order; empty if the text is no patch.

    >>> parse_patch("*** Begin Patch\n*** Update File: a.py\n@@\n x\n-1\n+2\n*** End Patch")
    (PatchedFile(path='a.py', change='update', moved_to='', old='1', new='2'),)
    """
    files: list[PatchedFile] = []
    current: _Open | None = None
    inside = False
    for line in text[:_MAX].splitlines():
        bare = line.strip()
        if bare.startswith(_BEGIN):
            inside = True
        elif not inside:
            continue
        elif bare == _END:
            break
        elif found := _FILE.match(bare):
            if current is not None:
                files.append(current.done())
            if len(files) >= MAX_PATHS:
                return tuple(files)
            current = _Open(found[2], found[1].lower())
        elif current is not None:
            current.take(line)
    if current is not None:
        files.append(current.done())
    return tuple(files)


class _Open:
    """The open file while a patch is read."""

    def __init__(self, path: str, change: str) -> None:
        self._path = path
        self._change = change
        self._moved_to = ""
        self._old: list[str] = []
        self._new: list[str] = []

    def take(self, line: str) -> None:
        if found := _MOVE.match(line.strip()):
            self._moved_to = found[1]
        elif line[:1] in ("+", "-"):
            (self._old if line[0] == "-" else self._new).append(line[1:])

    def done(self) -> PatchedFile:
        change: Change = (
            "add" if self._change == "add" else "delete" if self._change == "delete" else "update"
        )
        old, new = "\n".join(self._old), "\n".join(self._new)
        return PatchedFile(self._path, change, self._moved_to, old, new)


def patch_in_command(command: str) -> tuple[str, str]:
    r"""Return the patch that a shell command applies, and the folder it changes to; both may be empty.

    >>> patch_in_command("cd a && apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\n")
    ('*** Begin Patch\n*** End Patch', 'a')
    """
    called = _IN_SHELL.search(command)
    if called is None:
        return "", ""
    start = command.find(_BEGIN, called.start())
    if start < 0:
        return "", ""
    end = command.find(_END, start)
    patch = command[start : end + len(_END)] if end >= 0 else command[start:]
    moved = _FOLDER.match(command[: called.start() + 1])
    return patch, next((name for name in moved.groups() if name), "") if moved else ""


def as_extra(files: tuple[PatchedFile, ...], paths: tuple[str, ...]) -> dict[str, Any]:
    """Return the `extra` fields of a patch: all old and new lines, shortened, and each file's change."""
    changes = [
        {"path": path, "change": "move" if file.moved_to else file.change}
        for file, path in zip(files, paths, strict=False)
    ]
    return {
        "old": joined((file.old for file in files), MAX_EDIT),
        "new": joined((file.new for file in files), MAX_EDIT),
        "files": changes,
    }
