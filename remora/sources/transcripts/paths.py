"""One name for each file, whatever machine, work tree or subfolder a session ran in.

A transcript records the working directory of each line and nothing about the repository. The directory
changes: into subfolders (`cd`), into work trees beside or below the repository. So the roots are found from
all recorded directories, of one file or of all transcripts of a project (`Roots.met`):

1. the project's own folders on this machine, if a recorded directory lies in one of them;
2. below `.worktrees/` and `.claude/worktrees/` the work tree itself, the shortest recorded directory; the
   part before is a root too;
3. else the shortest recorded directory that contains it. Home folders and the like contain everything and
   are roots only if no other root is known.

A path is relative to the deepest root that contains it. A path outside of all roots stays absolute.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from remora.core.paths import below, forward, has_drive
from remora.core.text import sound

# Folders in a repository that hold other work trees of it; only the first is always one name deep.
_IN_REPOSITORY = ("/.claude/worktrees/", "/.worktrees/")
_GENERAL = re.compile(
    r"/?|/root|/(?:private/)?tmp|/(?:mnt|var|opt|srv)|(?:/mnt/[a-z])?/(?:home|Users)(?:/[^/]+)?"
    r"|[A-Z]:/?(?:Users(?:/[^/]+)?)?"
)
MAX_SLUG = 200  # characters of a folder's name; a longer path is cut there and gets a hash
_MAX_ROOTS = 10_000  # directories that are remembered; a broken file may name millions
LONGEST = 4_096  # characters of a path; no system takes a longer one


def plain(path: str) -> str:
    r"""Return a path with forward slashes, without `.`, `..` and `file://`.

    >>> plain("C:\\w\\app\\.\\a.py"), plain("/w/app/../lib//b.py"), plain("file:///w/a%20b.py")
    ('C:/w/app/a.py', '/w/lib/b.py', '/w/a b.py')
    """
    path = sound(path)
    if path.startswith("file://"):
        path = unquote(path[7:])
    path = path.replace("\\", "/") if path.startswith("\\\\") else forward(path)
    if not path:
        return ""
    normal = posixpath.normpath(path)
    return path if path[0] == "~" != normal[0] else normal  # the folder above `~` is unknown


def slug(path: str) -> str:
    """Return Claude Code's folder name for a directory, of a longer one the beginning.

    >>> slug("/w/my.äpp"), len(slug("/" + "a" * 300))
    ('-w-my--pp', 200)
    """
    return re.sub(r"[^a-zA-Z0-9]", "-", path)[:MAX_SLUG]


def is_absolute(path: str) -> bool:
    """Return whether a plain path is absolute; "~" is too."""
    return path.startswith(("/", "~")) or has_drive(path)


def inside(path: str, root: str) -> bool:
    """Return whether a plain path is a folder or lies in it."""
    return below(path, root) is not None


def joined_path(folder: str, path: str) -> str:
    """Return a path joined to a folder; an absolute path is unchanged.

    >>> joined_path("/w", "a"), joined_path("/w", "/b"), joined_path("/w", "")
    ('/w/a', '/b', '/w')
    """
    path = plain(path)
    if not path or not folder:
        return path or folder
    return path if is_absolute(path) else f"{folder}/{path}"


def ancestors(path: str) -> Iterator[str]:
    """Yield a plain path and every folder above it, the deepest first.

    A text longer than any system's paths has no parents.

    >>> list(ancestors("/w/a")), list(ancestors("C:/w"))
    (['/w/a', '/w', '/'], ['C:/w', 'C:'])
    """
    while 0 < len(path) <= LONGEST:
        yield path
        above = path.rpartition("/")[0] or ("/" if path.startswith("/") else "")
        if above == path:
            return
        path = above


class Roots:
    """The roots of the work trees that sessions ran in.

    Args:
        project: the project's folders on this machine: its root, its work trees. A folder is used only if a
            recorded directory lies in it.
    """

    def __init__(self, project: Iterable[str] = ()) -> None:
        self._project = tuple(dict.fromkeys(plain(str(p)) for p in project))
        self._met: set[str] = set()
        self._roots: dict[str, None] | None = None  # the longest first
        self._drives = False

    def met(self, cwd: str) -> None:
        """Add a recorded working directory."""
        cwd = plain(cwd)
        if is_absolute(cwd) and cwd not in self._met and len(self._met) < _MAX_ROOTS:
            self._met.add(cwd)
            self._roots = None

    @property
    def found(self) -> tuple[str, ...]:
        """The roots, longest first."""
        return tuple(self._known())

    def _known(self) -> dict[str, None]:
        if self._roots is None:
            self._roots = dict.fromkeys(sorted(self._find(), key=lambda root: (-len(root), root)))
            self._drives = any(map(has_drive, self._roots))
        return self._roots

    def root(self, path: str) -> str | None:
        """Return the deepest root that contains a plain absolute path."""
        roots = self._known()
        if self._drives or has_drive(path):
            return next((folder for folder in roots if inside(path, folder)), None)
        return next((folder for folder in ancestors(path) if folder in roots), None)

    def began(self, cwd: str) -> dict[str, str]:
        """Return the recorded fields of a session's folder: itself, and its root if in the project.

        >>> Roots().began("/w/app/web"), Roots().began("")
        ({'cwd': '/w/app/web'}, {})
        """
        cwd = plain(cwd)
        root = self.root(cwd) or ""
        known = root != cwd and any(inside(root, folder) for folder in self._project)
        return {"cwd": cwd, **({"root": root} if known else {})} if cwd else {}

    def relative(self, path: str, cwd: str = "") -> str:
        """Return a path relative to its root with forward slashes; outside of all roots it stays absolute.

        Args:
            path: as the host recorded it.
            cwd: the base of a relative path.

        >>> roots = Roots()
        >>> roots.met("/w/app"); roots.met("/w/app/src")
        >>> roots.met("/w/app/.worktrees/fix/cache")
        >>> roots.relative("/w/app/src/a.py"), roots.relative("a.py", "/w/app/src")
        ('src/a.py', 'src/a.py')
        >>> roots.relative("/w/app/.worktrees/fix/cache/src/a.py"), roots.relative("/etc/hosts")
        ('src/a.py', '/etc/hosts')
        """
        path = plain(path.replace("\\", "/") if has_drive(cwd) else path)
        if path and not is_absolute(path):
            if not cwd:
                return path
            path = posixpath.normpath(f"{plain(cwd)}/{path}")
        root = self.root(path)
        if root is None:
            return path
        return below(path, root) or "."

    def _find(self) -> set[str]:
        roots: set[str] = set()
        elsewhere: list[str] = []
        for cwd in sorted(self._met, key=lambda cwd: (len(cwd), cwd)):
            folder, name = _work_tree(cwd)
            own = max((p for p in self._project if inside(cwd, p)), key=len, default=None)
            if own is not None:
                roots.add(own)
            if folder and (own is None or len(folder) > len(own)):
                roots.add(folder[: -len(name)])
                first = f"{folder}/{cwd[len(folder) + 1 :].split('/')[0]}"
                if folder.endswith("/.claude/worktrees"):
                    roots.add(first)
                elif not any(above in roots for above in ancestors(cwd) if inside(above, first)):
                    roots.add(cwd)
            elif own is None:
                elsewhere.append(cwd)
        roots.update(_shallowest([cwd for cwd in elsewhere if roots.isdisjoint(ancestors(cwd))]))
        return roots


def _work_tree(cwd: str) -> tuple[str, str]:
    """Return the work tree folder of a directory, and its name in its repository."""
    for name in _IN_REPOSITORY:
        at = cwd.rfind(name)
        if at > 0:
            return cwd[: at + len(name) - 1], name[:-1]
    return "", ""


def _shallowest(folders: list[str]) -> set[str]:
    particular = [f for f in folders if not _GENERAL.fullmatch(f)] or folders
    found: set[str] = set()
    for folder in sorted(set(particular), key=lambda f: (len(f), f)):
        if found.isdisjoint(ancestors(folder)):
            found.add(folder)
    return found
