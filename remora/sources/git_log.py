"""The commits of a git history as values, and the parser of git's own listing of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from remora.core.clock import to_iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# One commit: the byte 1 and its id, parents, committer's date, author, message; then the files.
FORMAT = "--format=%x01%H%x00%P%x00%ct%x00%aN%x00%B"
_BLANK = re.compile(r"\A(?:[ \t]*\r?\n)+")
_STATUS = re.compile(r"[ACDMRTUXB]\d*")


class FileChange(NamedTuple):
    """One file in a commit. `status` is git's letter (A, M, D, R, C, T); `old_path` is set for R and C."""

    status: str
    path: str
    old_path: str | None = None


class Commit(NamedTuple):
    """One commit that is not a merge. `date` is the committer's, ISO 8601 in UTC; no e-mail is kept."""

    sha: str
    parents: tuple[str, ...]
    date: str
    author: str
    subject: str
    body: str
    files: tuple[FileChange, ...]


def parse_log(tokens: Iterable[bytes]) -> Iterator[Commit]:
    """Yield the commits in the NUL-separated tokens of `git log -z --name-status` in our format.

    A commit is five fields, then pairs (status, path) or, for R and C, triples with the old path first. Only
    a new commit starts with the byte 1, so no file name or message can be mistaken for one.
    """
    stream = iter(tokens)
    header: list[str] | None = None
    files: list[FileChange] = []
    for token in stream:
        word = token.lstrip(b"\n")
        if word.startswith(b"\x01"):
            if header:
                yield _commit(header, files)
            header, files = [text(word[1:]), *(text(next(stream, b"")) for _ in range(4))], []
        elif header and _STATUS.fullmatch(status := text(word)):
            first = text(next(stream, b""))
            if status[0] in "RC":
                files.append(FileChange(status[0], text(next(stream, b"")), first))
            else:
                files.append(FileChange(status[0], first))
    if header:
        yield _commit(header, files)


def _commit(header: Sequence[str], files: Sequence[FileChange]) -> Commit:
    sha, parents, seconds, author, message = header
    subject, _, body = message.strip().partition("\n")
    name = " ".join(w for w in author.split() if "@" not in w) or author.strip().partition("@")[0]
    body = _BLANK.sub("", body).rstrip()  # the first line keeps its indent: it may be a tool's output
    return Commit(sha, tuple(parents.split()), _date(seconds), name, subject.strip(), body, tuple(files))


def _date(seconds: str) -> str:
    try:
        return to_iso(float(seconds))
    except (ValueError, OverflowError, OSError):  # a forged or broken date
        return to_iso(0)


def text(raw: bytes) -> str:
    """Return git output as text; bytes that are not UTF-8 become replacement characters."""
    return raw.decode("utf-8", "replace")
