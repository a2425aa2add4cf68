"""The files whose uncommitted changes a git command takes back, from its arguments and its output.

A name after `git checkout` may be a branch or a file. It is a file after `--`, or if git reports updated
paths; otherwise only if a changed file has exactly that name. What a revert or a reset does to commits is not
followed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from typing import NamedTuple

_SWITCHED = re.compile(
    r"^(?:Switched to|Already on|HEAD is now at|Note: switching|Previous HEAD|branch '.*' set up|"
    r"Your branch (?:is|and))",
    re.MULTILINE,
)
_UPDATED = re.compile(r"^Updated \d+ paths? from ", re.MULTILINE)
_WITH_VALUE = frozenset(("-C", "-c", "--git-dir", "--work-tree"))  # options of git itself
_NEW_BRANCH = frozenset(("-b", "-B", "--orphan", "-d", "--detach", "-t", "--track"))
_NOT_BACK = frozenset(("--ours", "--theirs", "-m", "--merge", "-p", "--patch"))  # sides of a merge; parts
_FORCED = frozenset(("-f", "--force", "--discard-changes"))
_SOURCES = ("-s", "--source", "--pathspec-from-file")  # options with a value that is no file


class Undo(NamedTuple):
    """The uncommitted changes that a command takes back.

    Attributes:
        names: files and folders as typed.
        folders: whether a name may be that of a folder.
    """

    names: tuple[str, ...]
    folders: bool = True


_WHOLE = Undo((":/",))


def verb_of(words: Sequence[str]) -> tuple[str, tuple[str, ...], str]:
    """Return the verb of a git command, its arguments and the folder of `-C`; empty if it is not git.

    >>> verb_of(("git", "-C", "web", "checkout", "--", "'a b'"))
    ('checkout', ('--', 'a b'), 'web')
    """
    if not words or words[0].rsplit("/", 1)[-1] != "git":
        return "", (), ""
    plain = [word.strip("'\"") for word in words]
    at, folder = 1, ""
    while at < len(plain) and plain[at].startswith("-"):
        if plain[at] == "-C" and at + 1 < len(plain):
            folder = plain[at + 1]
        at += 2 if plain[at] in _WITH_VALUE else 1
    return (plain[at] if at < len(plain) else ""), tuple(plain[at + 1 :]), folder


def undo(verb: str, rest: Sequence[str], output: str) -> Undo | None:
    """Return the changes that a command takes back; None for none.

    >>> undo("reset", ("--hard", "HEAD"), ""), undo("checkout", ("-b", "new"), "")
    (Undo(names=(':/',), folders=True), None)
    """
    end = rest.index("--") if "--" in rest else len(rest)
    options = set(rest[:end])
    if verb == "reset":
        return _WHOLE if "--hard" in options else None
    if verb == "switch":
        return _WHOLE if _FORCED & options else None
    if verb not in ("checkout", "restore") or (_NEW_BRANCH | _NOT_BACK) & options:
        return None
    if verb == "restore":
        only_index = {"--staged", "-S"} & options and not {"--worktree", "-W"} & options
        return None if only_index else Undo(_paths(rest))
    if end < len(rest):
        return Undo(_paths(rest[end + 1 :]))
    if _FORCED & options:
        return _WHOLE
    names = _paths(rest)
    return None if _SWITCHED.search(output) else Undo(names, bool(_UPDATED.search(output)) or "." in names)


def hit(found: Undo, paths: Sequence[str], folder: str) -> list[str]:
    """Return the changed files that names match, relative to a folder of the repository.

    >>> hit(Undo(("a.go",)), ["web/a.go", "a.go"], "web"), hit(Undo(("web",), False), ["web/a.go"], "")
    (['web/a.go'], [])
    """
    matched: dict[str, None] = {}
    for name in found.names:
        full = name[2:] if name.startswith(":/") else posixpath.join(folder, name)
        full = posixpath.normpath(full)
        into = found.folders or name.endswith("/")
        exact = [p for p in paths if full == p or fnmatch(p, full) or (into and _in(p, full))]
        if not exact:  # the folder may be unknown; a name that fits one file only means that file
            near = [p for p in paths if p.endswith(f"/{posixpath.normpath(name)}")]
            exact = near if len(near) == 1 else []
        matched.update(dict.fromkeys(exact))
    return list(matched)


def _in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _paths(rest: Iterable[str]) -> tuple[str, ...]:
    """Return the names among the arguments of a command, without the values of options."""
    words = list(rest)
    before = ["", *words]
    return tuple(
        w for w, b in zip(words, before, strict=False) if not w.startswith("-") and b not in _SOURCES
    )
