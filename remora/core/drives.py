r"""Paths with drives: `C:\w\app` of Windows is `/c/w/app` in Git Bash and `/mnt/c/w/app` in WSL, in any case.

A drive is certain only if a colon names it. Otherwise `/c` is an ordinary folder, and a backslash is part
of a name; so nothing here changes a path of a machine without drives.
"""

from __future__ import annotations

import re

_DRIVE = re.compile(r"/?[A-Za-z]:(?:[\\/]|$)")
_MOUNTED = re.compile(r"\A/(?:mnt/)?([A-Za-z])(?=/|\Z)")


def has_drive(path: str) -> bool:
    r"""Return whether a path names its drive.

    >>> has_drive("C:\\w"), has_drive("/c/w"), has_drive("src/a.py")
    (True, False, False)
    """
    return _DRIVE.match(path) is not None


def forward(path: str) -> str:
    r"""Return a path that names its drive with forward slashes and a capital letter; others unchanged.

    >>> forward("c:\\w\\a"), forward("/C:/w"), forward("a\\b")
    ('C:/w/a', 'C:/w', 'a\\b')
    """
    if not has_drive(path):
        return path
    path = path.replace("\\", "/").lstrip("/")
    return path[0].upper() + path[1:]


def below(path: str, folder: str) -> str | None:
    """Return a path relative to a folder that contains it, "" for the folder itself, None for other paths.

    Whole parts are compared; paths on a drive in all spellings, ignoring case.

    >>> below("/w/app/a", "/w/app"), below("/w/app", "/w/app"), below("/w/app-fork", "/w/app")
    ('a', '', None)
    >>> below("/c/W/app/A", "C:/w/app"), below("D:/w", "/mnt/d"), below("/c/W", "/c/w")
    ('A', 'w', None)
    """
    if has_drive(path) or has_drive(folder):
        path, folder = (_MOUNTED.sub(r"\1:", forward(one)) for one in (path, folder))
        if path[: len(folder)].lower() == folder.lower():
            path = folder + path[len(folder) :]
    if path == folder:
        return ""
    folder = folder if folder.endswith("/") else f"{folder}/"
    return path[len(folder) :] if path.startswith(folder) else None
