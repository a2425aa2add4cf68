"""Locate the paths of a command line: in the repository of a session, or outside of it."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import NamedTuple

from remora.core.paths import below, forward, has_drive

_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|bower_components|(?:site|dist)-packages)(?:/|$)")
_SHOWN = re.compile(
    r"^((?>(?:[\w@.+-]*/)*?(?:node_modules|(?:site|dist)-packages)/)[^\s:]+)[:-]\d+[:-]", re.MULTILINE
)
_HOME = re.compile(r"^\$(?:HOME\b|\{HOME\})")
_HERE = re.compile(r"^\$(?:PWD\b|\{PWD\}|\(pwd\))")
_WORK_TREE = re.compile(r"/(?:\.claude/worktrees|\.worktrees)/.*")


class Home(NamedTuple):
    """The paths that belong to a session: the repository, and files outside that the session wrote itself.

    Attributes:
        root: the absolute folder of the repository; empty if unknown.
        own: absolute paths of single files.
    """

    root: str = ""
    own: tuple[str, ...] = ()

    def has(self, path: str, folder: str = "") -> bool:
        """Return whether a path, relative to a folder, belongs to the session; whole path parts are compared.

        >>> home = Home("/w/app", ("/tmp/x",))
        >>> [home.has(p) for p in ("/w/app/a", "/w/app-fork/a", "/tmp/x", "/tmp/xyz", "../b", "~/../c", "a")]
        [True, False, True, False, False, False, True]
        """
        path = joined(folder, path.replace("\\", "/") if has_drive(self.root) else path)
        if path[0] not in "/~" and not has_drive(path):
            return path != ".." and not path.startswith("../")
        return path in self.own or (bool(self.root) and within(path, self.root))


class Place(NamedTuple):
    """The folder of a command line, and the session's first folder; absolute if known."""

    folder: str
    home: str


def within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or inside it.

    >>> within("/w/app/a", "/w/app"), within("/w/app-fork", "/w/app")
    (True, False)
    """
    return below(path, folder) is not None


def repository(cwd: str) -> str:
    """Return the folder of a session's repository; for a work tree inside it, that of the main repository.

    >>> repository("/w/app/.worktrees/fix/web"), repository("/w/app/")
    ('/w/app', '/w/app')
    """
    return _WORK_TREE.sub("", cwd).rstrip("/")


def written_out(path: str) -> str:
    """Return a path of a command line with `~` and `.` for the home and working-directory variables."""
    return _HERE.sub(".", _HOME.sub("~", path))


def joined(folder: str, path: str) -> str:
    r"""Return a path of a command line, resolved from a folder.

    >>> joined("/w/app", "../b"), joined("/w/app", "$HOME/c"), joined("/w/app", "/d//e")
    ('/w/b', '~/c', '/d/e')
    >>> joined("C:/w/app", "..\\b"), joined("C:/w/app", "c:\\d"), joined("/w/app", "a\\b")
    ('C:/w/b', 'C:/d', '/w/app/a\\b')
    """
    path = forward(written_out(path))
    path = path.replace("\\", "/") if has_drive(folder) else path
    whole = path if path[:1] == "~" or has_drive(path) else posixpath.join(folder, path)
    return whole if whole[:1] == "~" else posixpath.normpath(whole)  # the parent of `~` is unknown


def entered(folder: str, to: list[str]) -> str:
    """Return the folder after a `cd`; a path that depends on a variable changes nothing.

    >>> entered("/w/app", ["web"]), entered("/w/app", ["../b"]), entered("/w/app", ["$X"]), entered("/w", [])
    ('/w/app/web', '/w/b', '/w/app', '~')
    """
    path = written_out(next((w for w in to if not w.startswith("-")), "" if to else "~"))
    return folder if not path or path.startswith(("$", "`")) else joined(folder, path)


def seen_from(home: str, folder: str) -> str | None:
    """Return a folder relative to the session's first folder, "" for that folder, None outside of it.

    Also "": a folder around it (a session may begin in a subfolder of its repository), and a work tree inside
    it, whose root is unknown.

    >>> [seen_from("/w/app", f) for f in ("/w/app/web", "/w/app", "/w", "/w/b", "/w/app/.worktrees/x/web")]
    ['web', '', '', None, '']
    >>> seen_from("", "web"), seen_from("", ""), seen_from("", "../b"), seen_from("", "~/x")
    ('web', '', None, None)
    """
    if folder == home or _WORK_TREE.search(folder.removeprefix(home)):
        return ""
    if not folder.startswith("/") and not has_drive(folder):
        return None if folder.startswith(("~", "..")) else "" if folder == "." else folder
    if not home or within(home, folder):
        return ""
    return below(folder, home)


@lru_cache(256)
def placed(home: str, said: str) -> Place:
    """Return the folders of a call that names its own folder, in a session that began in `home`.

    Another checkout, as on another machine, is its own home.
    """
    folder = joined(home, said) if said else home
    outside = not home or seen_from(home, folder) is None
    return Place(folder, folder if outside else home)


def inside(path: str) -> bool:
    """Return whether a path belongs to the repository: relative, and not above it.

    >>> inside("a/b.go"), inside("/etc/hosts"), inside("../x"), inside("C:/x"), inside("")
    (True, False, False, False, False)
    """
    return (
        bool(path)
        and path[0] not in "/~"
        and path != "."
        and not path.startswith("..")
        and not has_drive(path)
    )


def third_party(path: str) -> bool:
    """Return whether a file is in an installed package: third-party text, even inside the repository.

    >>> third_party("node_modules/x/readme.md"), third_party("src/node_modules.ts")
    (True, False)
    """
    return _INSTALLED.search(path) is not None


def found_installed(text: str) -> str:
    r"""Return the first file of an installed package in the results of a search.

    >>> found_installed("src/a.js:3: import x\nnode_modules/x/a.js:7: // text")
    'node_modules/x/a.js'
    """
    found = _SHOWN.search(text) if "_modules/" in text or "-packages/" in text else None
    return found[1] if found else ""
