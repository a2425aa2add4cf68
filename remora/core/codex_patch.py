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
from typing import NamedTuple

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: *+(.+)")
_MOVE = re.compile(r"\*\*\* Move to: *+(.+)")
BEGIN, _END = "*** Begin Patch", "*** End Patch"
_IN_SHELL = re.compile(r"(?:^|[\s;&|('\"])(?:apply_patch|applypatch)\b[^\n]*")
_FOLDER = re.compile(r"\s*cd\s+(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s;&|'\"]+))\s*&&\s*$")
_MAX = 2_000_000  # characters of a patch that are read
_MAX_FILES = 200


class PatchedFile(NamedTuple):
    """One file of a patch.

    `change` is "add", "update" or "delete"; `old` and `new` are the removed and the added lines.
    """

    path: str
    change: str
    moved_to: str
    old: str
    new: str


def parse_patch(text: str) -> tuple[PatchedFile, ...]:
    r"""Return the files of a patch in order; empty if the text is no patch.

    >>> parse_patch("*** Begin Patch\n*** Update File: a.py\n@@\n x\n-1\n+2\n*** End Patch")
    (PatchedFile(path='a.py', change='update', moved_to='', old='1', new='2'),)
    """
    found: list[tuple[str, str, list[str], list[str], list[str]]] = []
    inside = False
    for line in text[:_MAX].splitlines():
        bare = line.strip()
        if bare.startswith(BEGIN):
            inside = True
        elif not inside:
            continue
        elif bare == _END:
            break
        elif header := _FILE.match(bare):
            if len(found) >= _MAX_FILES:
                break
            found.append((header[2], header[1].lower(), [], [], []))
        elif found:
            _, _, moved, old, new = found[-1]
            if move := _MOVE.match(bare):
                moved.append(move[1])
            elif line[:1] in ("+", "-"):
                (old if line[0] == "-" else new).append(line[1:])
    return tuple(
        PatchedFile(path, change, "".join(moved[-1:]), "\n".join(old), "\n".join(new))
        for path, change, moved, old, new in found
    )


def patch_in_command(command: str) -> tuple[str, str]:
    r"""Return the patch that a shell command applies, and the folder it changes to; both may be empty.

    >>> patch_in_command("cd a && apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\n")
    ('*** Begin Patch\n*** End Patch', 'a')
    """
    called = _IN_SHELL.search(command)
    if called is None:
        return "", ""
    start = command.find(BEGIN, called.start())
    if start < 0:
        return "", ""
    end = command.find(_END, start)
    patch = command[start : end + len(_END)] if end >= 0 else command[start:]
    moved = _FOLDER.match(command[: called.start() + 1])
    return patch, next((name for name in moved.groups() if name), "") if moved else ""
