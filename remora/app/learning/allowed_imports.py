"""The files outside of a project that its rule files may import: the user allows each one.

A rule file of a repository can name a file in the user's home, whose text would become memories of the
project. Therefore each file needs permission once. Permissions are stored in the data folder, by project id.
"""

from __future__ import annotations

import json
from pathlib import Path

from remora.core.errors import InvalidInput
from remora.disk.files import append_line, make_folder, read_small

FILE = "imports.jsonl"  # in the data folder; a line holds a project id and the real path of a file
_LARGEST = 1_000_000  # bytes of FILE


def allowed(data: Path, project_id: str) -> frozenset[str]:
    """Return the real paths that a project's rule files may import from outside of it."""
    found = set()
    for line in (read_small(data / FILE, _LARGEST) or b"").splitlines():
        try:
            one = json.loads(line)
            if one["project"] == project_id:
                found.add(str(one["file"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def allow(data: Path, project_id: str, path: Path) -> str:
    """Let a project's rule files import a file; return its real path.

    A link with a new target needs permission again.

    Raises:
        InvalidInput: the path is not a file.
        StoreError: the permission cannot be written.
    """
    real = path.expanduser().resolve()
    if not real.is_file():
        raise InvalidInput(f"{path} is not a file", hint="Give the path that `remora init` shows.")
    if str(real) not in allowed(data, project_id):
        make_folder(data)
        append_line(data / FILE, json.dumps({"project": project_id, "file": str(real)}))
    return str(real)
