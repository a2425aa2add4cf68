"""A recorded history, replayed into a real git repository, so that the real reading of git can be driven.

The record holds only which files each commit touched. The contents are made up: every file gets lines
of its own that no other file shares, a change rewrites one of them, a rename keeps them. So git itself
reports the same renames that the record names, and no others.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from remora.core.clock import from_iso
from remora.sources.git import Commit, FileChange

LINES = 24  # of each made-up file: one changed line leaves it 96 % similar, far above git's 50 %
BRANCH = "refs/heads/main"


def consistent(commits: Iterable[Commit]) -> Iterator[Commit]:
    """Yield the commits as a tree that starts empty would show them.

    A record without merges has gaps: it changes files that it never added and deletes unknown ones.
    Unknown files are added at their first change, deletions of unknown files are dropped.
    """
    tree: set[str] = set()
    for commit in commits:
        files: list[FileChange] = []
        for file in commit.files:
            if file.status == "D":
                if file.path in tree:
                    files.append(file)
                    tree.discard(file.path)
            elif file.status == "R" and file.old_path in tree and file.path not in tree:
                files.append(file)
                tree.discard(file.old_path)
                tree.add(file.path)
            else:
                files.append(FileChange("M" if file.path in tree else "A", file.path))
                tree.add(file.path)
        yield commit._replace(files=tuple(files))


def build(folder: Path, commits: Sequence[Commit]) -> list[str]:
    """Make a repository in a new folder and return the ids of its commits, in order.

    The work tree stays empty, and so does the index until `stand_at` is called.

    Args:
        folder: where to make it; must not exist or be empty.
        commits: consistent ones (see `consistent`).
    """
    _git(folder.parent, "init", "-q", "-b", "main", str(folder))
    stream = b"".join(_commands(commits))
    subprocess.run(
        ["git", "-C", str(folder), "fast-import", "--quiet", "--export-marks=.git/marks"],
        input=stream,
        check=True,
    )
    marks = dict(line.split() for line in (folder / ".git" / "marks").read_text().splitlines())
    return [marks[f":{number}"] for number in range(1, len(commits) + 1)]


def stand_at(folder: Path, commit: str) -> None:
    """Move the branch and the index to a commit, as if later ones had not happened."""
    _git(folder, "update-ref", BRANCH, commit)
    _git(folder, "read-tree", commit)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


def _commands(commits: Sequence[Commit]) -> Iterator[bytes]:
    lines: dict[str, list[str]] = {}
    for number, commit in enumerate(commits, 1):
        seconds = int(from_iso(commit.date))
        message = f"{commit.subject}\n\n{commit.body}".strip().encode() or b"-"
        who = f"{commit.author or 'Someone'} <someone@example.invalid> {seconds} +0000"
        yield f"commit {BRANCH}\nmark :{number}\ncommitter {who}\ndata {len(message)}\n".encode()
        yield message + b"\n"
        for file in commit.files:
            if file.status == "D":
                lines.pop(file.path)
                yield f"D {_quoted(file.path)}\n".encode()
        for file in commit.files:
            if file.status == "R" and file.old_path:
                lines[file.path] = lines.pop(file.old_path)
                yield f"R {_quoted(file.old_path)} {_quoted(file.path)}\n".encode()
            elif file.status != "D":
                yield _content(lines, file.path, number)


def _content(lines: dict[str, list[str]], path: str, number: int) -> bytes:
    if path in lines:
        lines[path][number % LINES] = _line(path, number, -1)
    else:
        lines[path] = [_line(path, number, at) for at in range(LINES)]
    blob = "".join(lines[path]).encode()
    return f"M 100644 inline {_quoted(path)}\ndata {len(blob)}\n".encode() + blob + b"\n"


def _line(path: str, number: int, at: int) -> str:
    return hashlib.blake2b(f"{path}\0{number}\0{at}".encode(), digest_size=24).hexdigest() + "\n"


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
