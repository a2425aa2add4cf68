"""Changes of a session that a git command undoes, from its arguments and its output.

A name after `git checkout` may be a branch or a file. It is a file after `--`, or if git reports updated
paths; otherwise only if a changed file has exactly that name. A commit can be undone if the session made it:
by its hash, or counted from the tip as long as nothing else moved the tip.
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
_UPDATED = re.compile(r"^Updated \d+ paths? from (?:the index|(?P<commit>\w+))", re.MULTILINE)
_TIP = re.compile(r"(?:HEAD|@)(?:~(?P<back>\d*)|(?P<ups>\^+))?\Z")
_HASH = re.compile(r"[0-9a-f]{7,40}\Z")
_MADE = re.compile(r"^\[[^\]\n]*\b([0-9a-f]{7,40})\] ", re.MULTILINE)
_WITH_VALUE = frozenset(("-C", "-c", "--git-dir", "--work-tree"))  # options of git itself
_NEW_BRANCH = frozenset(("-b", "-B", "--orphan", "-d", "--detach", "-t", "--track"))
_NOT_BACK = frozenset(("--ours", "--theirs", "-m", "--merge", "-p", "--patch"))  # sides of a merge; parts
_GOES_ON = frozenset(("--abort", "--continue", "--quit", "--skip"))
_EVERYTHING = frozenset((":/", "-A", "--all", "-u", "--update", "-a"))
_ALL = re.compile(r"-[a-z]*a")  # `-a` of a commit, among other letters
_MOVES = frozenset("pull merge rebase cherry-pick am switch".split())
_UP_TO_DATE = re.compile(r"^Already up.to.date|^Current branch .* is up to date", re.MULTILINE)
_WHOLE = (":/",)
ELSEWHERE = "?"  # the hash of an entry for commits that the tip moved to


class Commit(NamedTuple):
    """A commit of the session: its hash (empty if git did not print it), its order and its files."""

    hash: str
    order: int
    paths: tuple[str, ...] = ()


class Undo(NamedTuple):
    """The changes that a command undoes.

    Attributes:
        how: the command, such as "git checkout".
        names: files and folders as typed.
        folders: whether a name may be that of a folder.
        only: indexes of the session's commits that are undone.
        older: committed changes are undone too, because another revision replaces them.
    """

    how: str
    names: tuple[str, ...] = ()
    folders: bool = True
    only: tuple[int, ...] = ()
    older: bool = False


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


def undo(verb: str, rest: Sequence[str], output: str, commits: Sequence[Commit]) -> Undo | None:
    """Return the changes that a command undoes; None if the session is not known to have made any.

    >>> undo("reset", ("--hard", "HEAD"), "", ()), undo("checkout", ("-b", "new"), "", ())
    (Undo(how='git reset', names=(':/',), folders=True, only=(), older=False), None)
    """
    how = f"git {verb}"
    if verb == "revert" and not _GOES_ON & set(rest):
        only = {place for ref in _plain(rest) for place in _places(ref, commits)}
        return Undo(how, only=tuple(sorted(only))) if only else None
    if verb == "reset" and "--hard" in rest:
        ref = next(iter(_plain(rest)), "HEAD")
        keeps = _place(ref, commits)
        if keeps is None and not _TIP.match(ref):
            return None  # the tip moves to an unknown commit, so the undone work is unknown
        gone = () if keeps is None else range(keeps + 1, len(commits))
        return Undo(how, _WHOLE, only=tuple(gone))
    if verb == "restore" and not _NOT_BACK & set(rest):
        if {"--staged", "-S"} & set(rest) and not {"--worktree", "-W"} & set(rest):
            return None
        return Undo(how, _paths(rest), older=any(word.startswith(("-s", "--source")) for word in rest))
    if verb == "checkout":
        return _checked_out(rest, output)
    if verb == "switch" and {"-f", "--force", "--discard-changes"} & set(rest):
        return Undo(how, _WHOLE)
    return None


def _checked_out(rest: Sequence[str], output: str) -> Undo | None:
    options = set(rest[: rest.index("--")] if "--" in rest else rest)
    if options & (_NEW_BRANCH | _NOT_BACK):
        return None
    if "--" in rest:
        at = rest.index("--")
        older = any(not _TIP.match(ref) for ref in _plain(rest[:at]))
        return Undo("git checkout", _paths(rest[at + 1 :]), older=older)
    if options & {"-f", "--force"}:
        return Undo("git checkout", _WHOLE)
    if _SWITCHED.search(output):
        return None
    names, updated = _paths(rest), _UPDATED.search(output)
    older = bool(updated and updated["commit"] and not _TIP.match(names[0]))
    return Undo("git checkout", names, folders=updated is not None or "." in names, older=older)


def moves(verb: str, rest: Sequence[str], output: str) -> bool:
    """Return whether a command moves the tip to a commit that the session did not make."""
    if verb in _MOVES:
        return not ({"-c", "-C", "--create"} & set(rest) or _UP_TO_DATE.search(output))
    if verb == "reset":
        return bool(_plain(rest)) and "--" not in rest
    if verb == "checkout":
        return "--" not in rest and not {"-b", "-B"} & set(rest) and not _UPDATED.search(output)
    return False


def added(rest: Sequence[str], paths: Sequence[str], folder: str) -> list[str]:
    """Return the changed files that `git add` names, followed by its arguments."""
    return [*hit(_plain(rest), paths, folder), *rest]


def committed(rest: Sequence[str], staged: Sequence[str], paths: Sequence[str], folder: str) -> list[str]:
    """Return the changed files that a commit contains: those added by name, or all."""
    named = rest[rest.index("--") + 1 :] if "--" in rest else ()
    if not (staged or named) or _EVERYTHING & {*staged, *rest} or any(_ALL.match(word) for word in rest):
        return list(paths)
    return [*(path for path in paths if path in staged), *hit(named, paths, folder)]


def hashes(output: str) -> list[str]:
    """Return the hashes that `git commit` printed.

    >>> hashes("[main 1a2b3c4] fix: it")
    ['1a2b3c4']
    """
    return _MADE.findall(output)


def hit(names: Iterable[str], paths: Sequence[str], folder: str, *, folders: bool = True) -> list[str]:
    """Return the changed files that names match, relative to a folder of the repository.

    >>> hit(["a.go"], ["web/a.go", "a.go"], "web"), hit(["web"], ["web/a.go"], "", folders=False)
    (['web/a.go'], [])
    """
    found: dict[str, None] = {}
    for name in names:
        full = name[2:] if name.startswith(":/") else posixpath.join(folder, name)
        full = posixpath.normpath(full)
        into = folders or name.endswith("/")
        exact = [p for p in paths if full == p or fnmatch(p, full) or (into and _in(p, full))]
        if not exact:  # the folder may be unknown; a name that fits one file only means that file
            near = [p for p in paths if p.endswith(f"/{posixpath.normpath(name)}")]
            exact = near if len(near) == 1 else []
        found.update(dict.fromkeys(exact))
    return list(found)


def _in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _plain(rest: Iterable[str]) -> list[str]:
    return [word for word in rest if not word.startswith("-")]


def _paths(rest: Sequence[str]) -> tuple[str, ...]:
    """Return the names among the arguments of a command, without the values of options."""
    valued = ("-s", "--source", "--pathspec-from-file")
    return tuple(
        word
        for before, word in zip(("", *rest), rest, strict=False)
        if not word.startswith("-") and before not in valued
    )


def _places(ref: str, commits: Sequence[Commit]) -> range:
    """Return the indexes of the commits that a revision, or a range from one to the tip, names."""
    start, dots, end = ref.partition("..")
    place = _place(start, commits)
    if place is None or (dots and end not in ("", "HEAD", "@")) or (place < 0 and not dots):
        return range(0)
    return range(place + 1, len(commits)) if dots else range(place, place + 1)


def _place(ref: str, commits: Sequence[Commit]) -> int | None:
    """Return the index of the commit that a revision names: -1 before the first, None if unknown."""
    tip = _TIP.match(ref)
    if tip is None:
        known = (n for n, made in enumerate(commits) if made.hash and _HASH.match(ref))
        return next((n for n in known if commits[n].hash[:7] == ref[:7]), None)
    back = len(tip["ups"]) if tip["ups"] else int(tip["back"] or 1) if tip["back"] is not None else 0
    place = len(commits) - 1 - back
    since = commits[max(place, 0) :]
    return place if place >= -1 and all(made.hash != ELSEWHERE for made in since) else None
