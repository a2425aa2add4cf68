"""Where a path of a command line leads: into the repository of a session, or out of it."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import NamedTuple

from remora.core.drives import below, forward, has_drive

_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|bower_components|(?:site|dist)-packages)(?:/|$)")
_SHOWN = re.compile(
    r"^((?>(?:[\w@.+-]*/)*?(?:node_modules|(?:site|dist)-packages)/)[^\s:]+)[:-]\d+[:-]", re.MULTILINE
)
_HOME = re.compile(r"^\$(?:HOME\b|\{HOME\})")
_HERE = re.compile(r"^\$(?:PWD\b|\{PWD\}|\(pwd\))")
_WORK_TREE = re.compile(r"/(?:\.claude/worktrees|\.worktrees)/.*")


class Home(NamedTuple):
    """What of the file system is a session's own: the repository, and files that the session wrote itself.

    Attributes:
        root: the absolute folder of the repository; empty if unknown.
        own: absolute paths of single files.
    """

    root: str = ""
    own: tuple[str, ...] = ()

    def has(self, path: str, folder: str = "") -> bool:
        """Say whether a path, as seen from a folder, is at home; whole parts of paths are compared.

        >>> home = Home("/w/app", ("/tmp/x",))
        >>> [home.has(p) for p in ("/w/app/a", "/w/app-fork/a", "/tmp/x", "/tmp/xyz", "../b", "~/../c", "a")]
        [True, False, True, False, False, False, True]
        """
        path = joined(folder, path.replace("\\", "/") if has_drive(self.root) else path)
        if path[0] not in "/~" and not has_drive(path):
            return path != ".." and not path.startswith("../")
        return path in self.own or (bool(self.root) and within(path, self.root))


class Place(NamedTuple):
    """Where a command line was run: its folder, and that where the session began; absolute where known."""

    folder: str
    home: str


def within(path: str, folder: str) -> bool:
    """Say whether a path is a folder or lies in it.

    >>> within("/w/app/a", "/w/app"), within("/w/app-fork", "/w/app")
    (True, False)
    """
    return below(path, folder) is not None


def repository(cwd: str) -> str:
    """Return the folder of the repository that a session began in: of a work tree, what holds it.

    >>> repository("/w/app/.worktrees/fix/web"), repository("/w/app/")
    ('/w/app', '/w/app')
    """
    return _WORK_TREE.sub("", cwd).rstrip("/")


def written_out(path: str) -> str:
    """Return a path of a command line without the variables that stand for home and for the folder itself."""
    return _HERE.sub(".", _HOME.sub("~", path))


def joined(folder: str, path: str) -> str:
    r"""Return a path of a command line as it is seen from a folder.

    >>> joined("/w/app", "../b"), joined("/w/app", "$HOME/c"), joined("/w/app", "/d//e")
    ('/w/b', '~/c', '/d/e')
    >>> joined("C:/w/app", "..\\b"), joined("C:/w/app", "c:\\d"), joined("/w/app", "a\\b")
    ('C:/w/b', 'C:/d', '/w/app/a\\b')
    """
    path = forward(written_out(path))
    path = path.replace("\\", "/") if has_drive(folder) else path
    whole = path if path[:1] == "~" or has_drive(path) else posixpath.join(folder, path)
    return whole if whole[:1] == "~" else posixpath.normpath(whole)  # nobody knows what is above a `~`


def entered(folder: str, to: list[str]) -> str:
    """Return the folder after a `cd`; a place that only a variable knows changes nothing.

    >>> entered("/w/app", ["web"]), entered("/w/app", ["../b"]), entered("/w/app", ["$X"]), entered("/w", [])
    ('/w/app/web', '/w/b', '/w/app', '~')
    """
    path = written_out(next((w for w in to if not w.startswith("-")), "" if to else "~"))
    return folder if not path or path.startswith(("$", "`")) else joined(folder, path)


def seen_from(home: str, folder: str) -> str | None:
    """Return a folder as seen from where a session began, "" for that itself, None outside of it.

    So is what lies around that, as for a session that began in a part of its repository, and a work tree in
    it, of which nothing tells where it begins.

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
    """Return where a call is run that says its folder, in a session that began in `home`.

    Another checkout, as on another machine, is at home where it is.
    """
    folder = joined(home, said) if said else home
    outside = not home or seen_from(home, folder) is None
    return Place(folder, folder if outside else home)


def inside(path: str) -> bool:
    """Say whether a path is of the repository: relative, and not above it.

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
    """Say whether a file lies among installed packages: the text of strangers, inside of the repository too.

    >>> third_party("node_modules/x/readme.md"), third_party("src/node_modules.ts")
    (True, False)
    """
    return _INSTALLED.search(path) is not None


def found_installed(text: str) -> str:
    r"""Return the first file of an installed package of which the finds of a search show a line.

    >>> found_installed("src/a.js:3: import x\nnode_modules/x/a.js:7: // text")
    'node_modules/x/a.js'
    """
    found = _SHOWN.search(text) if "_modules/" in text or "-packages/" in text else None
    return found[1] if found else ""
