r"""Paths with drives: `C:\w\app` of Windows is `/c/w/app` in Git Bash and `/mnt/c/w/app` in WSL, in any case.

A drive is certain only where a colon names it. Elsewhere `/c` is a folder like others, and a backslash is
part of a name; so nothing here changes a path of a machine without drives.
"""

from __future__ import annotations

import re

_DRIVE = re.compile(r"/?[A-Za-z]:(?:[\\/]|$)")
_MOUNTED = re.compile(r"\A/(?:mnt/)?([A-Za-z])(?=/|\Z)")


def has_drive(path: str) -> bool:
    r"""Say whether a path names its drive.

    >>> has_drive("C:\\w"), has_drive("/c/w"), has_drive("src/a.py")
    (True, False, False)
    """
    return _DRIVE.match(path) is not None


def forward(path: str) -> str:
    r"""Return a path that names its drive with forward slashes and a capital letter; any other as it is.

    >>> forward("c:\\w\\a"), forward("/C:/w"), forward("a\\b")
    ('C:/w/a', 'C:/w', 'a\\b')
    """
    if not has_drive(path):
        return path
    path = path.replace("\\", "/").lstrip("/")
    return path[0].upper() + path[1:]


def below(path: str, folder: str) -> str | None:
    """Return a path as seen from a folder that it lies in, "" for that itself, None of any other.

    Whole parts are compared; on a drive, however that is written and in either case.

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
