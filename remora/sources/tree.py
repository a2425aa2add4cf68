"""The files of a project that are indexed, and the reasons for leaving out the others.

In a git repository these are the tracked and the untracked, not ignored files. Elsewhere the folders are
walked: folders of tools and caches are skipped, and symbolic links are never followed, so there are no loops.
Files left out are reported with the reason; ignored files are not listed.

The folder itself must exist and be readable: an empty answer would look like a project whose files were all
deleted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Listed
from remora.core.errors import SourceError
from remora.sources.git_process import ask
from remora.sources.tree_read import (
    NOT_A_FILE,
    OTHERS_FOLDERS,
    PASSED_OVER,
    SUBMODULE,
    SYMLINK,
    TOO_LARGE,
    UNKNOWN_KIND,
    UNREADABLE,
    VENDORED,
    Folders,
    LeftOut,
    by_name,
)

if TYPE_CHECKING:
    from remora.sources.git import Repository

LARGEST_CODE = 1_000_000  # bytes; larger files are tables and amalgamations, which people do not read either
MOST_FILES = 200_000
_PASSED = PASSED_OVER | OTHERS_FOLDERS


class Tree(NamedTuple):
    """The files of a project, each part sorted by path.

    Attributes:
        files: the files to index.
        left_out: the files left out, with the reason; a folder that was not walked counts as one file.
        cut: whether there were more than the maximum number of files.
    """

    files: tuple[Listed, ...]
    left_out: tuple[LeftOut, ...]
    cut: bool = False


def look(
    root: Path,
    repository: Repository | None = None,
    *,
    known: Callable[[str], bool] | None = None,
) -> Tree:
    """Return the files of a project to index. Only their sizes and times are read.

    Args:
        root: the project's folder, the root of the repository or a folder in it.
        repository: the git repository; None walks the folders.
        known: whether a path has a supported type; None accepts every type.

    Raises:
        SourceError: the folder does not exist or cannot be read, or git failed.
    """
    must_be_there(root)
    left_out: list[LeftOut] = []
    git = None if _holds_up(root, [""]) else repository
    paths: list[str] = list(git.files(root)) if git else []
    in_git = bool(paths) or (git is not None and (git.bare or git.root == root.resolve()))
    if not in_git:  # a project inside a folder that the repository around it ignores comes here too
        paths = sorted(islice(_walk(root, left_out), MOST_FILES + 1))
    cut = len(paths) > MOST_FILES
    paths = paths[:MOST_FILES]
    wanted = _choose(paths, known, left_out)
    files: list[Listed] = []
    for found in _stats(root, wanted, frozenset(_parents(paths))):
        if isinstance(found, Listed):
            files.append(found)
        else:
            left_out.append(found)
    return Tree(tuple(files), tuple(sorted(left_out)), cut)


def listed(root: Path, paths: Sequence[str], repository: Repository | None = None) -> set[str]:
    """Return the files, among some, that a listing of the project would contain: all not ignored.

    It checks these files alone, while `look` goes through the whole project.

    Args:
        root: the project's folder.
        paths: relative to it, with "/".
        repository: the git repository; None asks only for the folders of tools and of others' code.

    Raises:
        SourceError: git failed.
    """
    if not paths:
        return set()
    if repository is not None and not repository.bare and not _holds_up(root, {"", *_parents(paths)}):
        answer = ask(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths)
        names = {name.decode("utf-8", "replace") for name in answer.split(b"\0") if name}
        if names or repository.root == root.resolve():
            return names & set(paths)
    return {path for path in paths if not _PASSED.intersection(path.split("/")[:-1])}


def _holds_up(root: Path, folders: Iterable[str]) -> bool:
    """Return whether an ignore file of some folders is a pipe, on which git would block."""
    for folder in folders:
        with suppress(OSError):
            if stat.S_ISFIFO((root / folder / ".gitignore").lstat().st_mode):
                return True
    return False


def must_be_there(root: Path) -> None:
    """Raise an error if a project's folder cannot be read.

    Raises:
        SourceError: it does not exist or cannot be read.
    """
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise SourceError(
            f"cannot read {root}: {error.strerror or error}",
            hint="Check that the project's folder exists and is readable.",
        ) from None


def _walk(root: Path, left_out: list[LeftOut]) -> Iterator[str]:
    """Yield the paths of all entries except folders."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as scan:
                entries = sorted(scan, key=lambda e: e.name)
        except OSError:
            left_out.append(LeftOut(_spelt(folder), UNREADABLE))
            continue
        if folder and any(entry.name == "pyvenv.cfg" for entry in entries):
            left_out.append(LeftOut(_spelt(folder), VENDORED))
            continue
        deeper: list[str] = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not _is_folder(entry):
                yield _spelt(path)
            elif entry.name in OTHERS_FOLDERS:
                left_out.append(LeftOut(_spelt(path), VENDORED))
            elif entry.name not in PASSED_OVER:
                deeper.append(path)
        waiting += reversed(deeper)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and not getattr(entry, "is_junction", bool)()
    except OSError:
        return False


def _spelt(path: str) -> str:
    """Return a path as text that can be stored; bytes that are not UTF-8 are replaced."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _choose(paths: list[str], known: Callable[[str], bool] | None, left_out: list[LeftOut]) -> list[str]:
    """Return the paths that are wanted by name; add the others to those left out."""
    folders = Folders(paths)
    wanted: list[str] = []
    for path in paths:
        why = folders.left_out(path.rpartition("/")[0]) or by_name(path)
        if why is None and known is not None and not known(path):
            why = UNKNOWN_KIND
        if why is None:
            wanted.append(path)
        else:
            left_out.append(LeftOut(path, why))
    return wanted


def _parents(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        while path := path.rpartition("/")[0]:
            yield path


def _stats(root: Path, paths: Iterable[str], parents: frozenset[str]) -> Iterator[Listed | LeftOut]:
    """Yield each path with its size and time, or the reason against it; deleted files are skipped."""
    top = os.fspath(root)
    linked: dict[str, bool] = {"": False}
    for path in paths:
        if _through_link(top, path.rpartition("/")[0], linked):
            yield LeftOut(path, SYMLINK)
            continue
        try:
            status = os.lstat(f"{top}/{path}")  # a Path for each file costs more
        except (FileNotFoundError, NotADirectoryError):
            if "\ufffd" in path:  # a name that is not UTF-8
                yield LeftOut(path, UNREADABLE)
            continue
        except (OSError, ValueError):
            yield LeftOut(path, UNREADABLE)
            continue
        mode = status.st_mode
        if stat.S_ISREG(mode):
            large = status.st_size > LARGEST_CODE
            yield LeftOut(path, TOO_LARGE) if large else Listed(path, status.st_size, status.st_mtime_ns)
        elif stat.S_ISLNK(mode):
            yield LeftOut(path, SYMLINK)
        elif not stat.S_ISDIR(mode):
            yield LeftOut(path, NOT_A_FILE)
        elif path not in parents:  # git lists a submodule as a file; a file that became a folder also
            yield LeftOut(path, SUBMODULE)


def _through_link(top: str, folder: str, known: dict[str, bool]) -> bool:
    """Return whether a folder is or lies behind a symbolic link; git may still list its former files."""
    if folder not in known:
        above = _through_link(top, folder.rpartition("/")[0], known)
        known[folder] = above or os.path.islink(f"{top}/{folder}")  # noqa: PTH114 - as above
    return known[folder]
