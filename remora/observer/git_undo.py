"""What a command of git takes back of a session's changes, from its words and from what it answered.

A name after `git checkout` may be a branch or a file. It is a file behind `--`, or where git says that it
updated paths; else only where a changed file has that very name. A commit can be taken back where the
session made it: by its hash, or counted from the tip for as long as nothing else moved the tip.
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
_WITH_VALUE = frozenset(("-C", "-c", "--git-dir", "--work-tree"))  # of git itself
_NEW_BRANCH = frozenset(("-b", "-B", "--orphan", "-d", "--detach", "-t", "--track"))
_NOT_BACK = frozenset(("--ours", "--theirs", "-m", "--merge", "-p", "--patch"))  # a side of a merge; a part
_GOES_ON = frozenset(("--abort", "--continue", "--quit", "--skip"))
_EVERYTHING = frozenset((":/", "-A", "--all", "-u", "--update", "-a"))
_ALL = re.compile(r"-[a-z]*a")  # of a commit, among other letters
_MOVES = frozenset("pull merge rebase cherry-pick am switch".split())
_UP_TO_DATE = re.compile(r"^Already up.to.date|^Current branch .* is up to date", re.MULTILINE)
_WHOLE = (":/",)
ELSEWHERE = "?"  # stands for the commits that the tip moved to


class Commit(NamedTuple):
    """A commit of the session: its hash (empty where git did not tell), when it was made, what it took up."""

    hash: str
    order: int
    paths: tuple[str, ...] = ()


class Undo(NamedTuple):
    """What is taken back.

    Attributes:
        how: "git checkout".
        names: of files and folders, as they were typed.
        folders: whether a name may be that of a folder.
        only: commits that are taken back, by their place among the session's.
        older: also what was committed, since another revision comes in its place.
    """

    how: str
    names: tuple[str, ...] = ()
    folders: bool = True
    only: tuple[int, ...] = ()
    older: bool = False


def verb_of(words: Sequence[str]) -> tuple[str, tuple[str, ...], str]:
    """Return the verb of a git command, what follows it, and the folder of `-C`; empty where it is no git.

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
    """Return what a command takes back, None if nothing that the session is known to have done.

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
            return None  # the tip goes elsewhere; whose work that leaves behind, nobody knows
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
    """Return whether a command puts the tip elsewhere, so that it is no commit of the session any more."""
    if verb in _MOVES:
        return not ({"-c", "-C", "--create"} & set(rest) or _UP_TO_DATE.search(output))
    if verb == "reset":
        return bool(_plain(rest)) and "--" not in rest
    if verb == "checkout":
        return "--" not in rest and not {"-b", "-B"} & set(rest) and not _UPDATED.search(output)
    return False


def added(rest: Sequence[str], paths: Sequence[str], folder: str) -> list[str]:
    """Return what `git add` names: the changed files, and its own words."""
    return [*hit(_plain(rest), paths, folder), *rest]


def committed(rest: Sequence[str], staged: Sequence[str], paths: Sequence[str], folder: str) -> list[str]:
    """Return which changed files a commit took up: those that were added by name, or all."""
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
    """Return the changed files that names mean, as seen from a folder of the repository.

    >>> hit(["a.go"], ["web/a.go", "a.go"], "web"), hit(["web"], ["web/a.go"], "", folders=False)
    (['web/a.go'], [])
    """
    found: dict[str, None] = {}
    for name in names:
        full = name[2:] if name.startswith(":/") else posixpath.join(folder, name)
        full = posixpath.normpath(full)
        into = folders or name.endswith("/")
        exact = [p for p in paths if full == p or fnmatch(p, full) or (into and _in(p, full))]
        if not exact:  # the folder may not be known; a name that only one file has means that one
            near = [p for p in paths if p.endswith(f"/{posixpath.normpath(name)}")]
            exact = near if len(near) == 1 else []
        found.update(dict.fromkeys(exact))
    return list(found)


def _in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _plain(rest: Iterable[str]) -> list[str]:
    return [word for word in rest if not word.startswith("-")]


def _paths(rest: Sequence[str]) -> tuple[str, ...]:
    """Return the names among the words of a command, values of options left out."""
    valued = ("-s", "--source", "--pathspec-from-file")
    return tuple(
        word
        for before, word in zip(("", *rest), rest, strict=False)
        if not word.startswith("-") and before not in valued
    )


def _places(ref: str, commits: Sequence[Commit]) -> range:
    """Return the places of the commits that a name of one, or of a range from one to the tip, means."""
    start, dots, end = ref.partition("..")
    place = _place(start, commits)
    if place is None or (dots and end not in ("", "HEAD", "@")) or (place < 0 and not dots):
        return range(0)
    return range(place + 1, len(commits)) if dots else range(place, place + 1)


def _place(ref: str, commits: Sequence[Commit]) -> int | None:
    """Return which commit of the session a name means: -1 for the one before the first."""
    tip = _TIP.match(ref)
    if tip is None:
        known = (n for n, made in enumerate(commits) if made.hash and _HASH.match(ref))
        return next((n for n in known if commits[n].hash[:7] == ref[:7]), None)
    back = len(tip["ups"]) if tip["ups"] else int(tip["back"] or 1) if tip["back"] is not None else 0
    place = len(commits) - 1 - back
    since = commits[max(place, 0) :]
    return place if place >= -1 and all(made.hash != ELSEWHERE for made in since) else None
