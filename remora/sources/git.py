"""A git repository: its kind, its current commit, and its history as a stream of commits.

Everything is read through the git command line (see git_process). The only write is `remora.project` in the
configuration that all work trees of a repository share.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.core.clock import to_iso
from remora.core.cochange import LastChange
from remora.core.errors import SourceError
from remora.sources.git_process import answer, ask, holds_repository, refused, run, text, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from subprocess import CompletedProcess

_SHA = re.compile(r"[0-9a-f]{4,64}")
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


class Repository(NamedTuple):
    """A git repository as seen from one of its work trees.

    Attributes:
        root: top of the work tree; the git directory itself when it is bare.
        git_dir: this work tree's git directory.
        common_dir: the git directory all work trees share.
        bare: True when there are no files beside the history.
        shallow: True when older history was left out of the clone.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    bare: bool
    shallow: bool

    @classmethod
    def discover(cls, path: Path) -> Repository | None:
        """Return the repository of a file or folder, None if there is none.

        Raises:
            SourceError: git is not installed, or refuses the repository (another owner, damage).
        """
        folder = path if path.is_dir() else path.parent
        if not folder.is_dir() or not holds_repository(folder):
            return None
        asked = ["--is-bare-repository", "--is-shallow-repository", "--absolute-git-dir", "--git-common-dir"]
        done = run(folder, "rev-parse", *asked, "--show-toplevel")
        if b"must be run in a work tree" in done.stderr:
            done = run(folder, "rev-parse", *asked)
        elif b"not a git repository (or any" in done.stderr:
            return None
        if done.returncode:
            raise refused(folder, done.stderr)
        bare, shallow, git_dir, common, *top = os.fsdecode(done.stdout).rstrip("\n").split("\n", 4)
        common_dir = (folder / common).resolve()
        if top:
            root = Path(top[0])
        else:  # a bare repository, or the inside of a .git folder
            root = Path(git_dir) if bare == "true" or common_dir.name != ".git" else common_dir.parent
        return cls(root.resolve(), Path(git_dir).resolve(), common_dir, bare == "true", shallow == "true")

    def head(self) -> str | None:
        """Return the checked-out commit, None in a repository without commits."""
        return answer(self.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or None

    def branch(self) -> str | None:
        """Return the checked-out branch, None on a detached HEAD."""
        return answer(self.root, "symbolic-ref", "--quiet", "--short", "HEAD") or None

    def config_get(self, key: str) -> str | None:
        """Return a value of the configuration shared by all work trees, None if it is not set."""
        done = self._config("--get", key)
        return text(done.stdout).rstrip("\n") if done.returncode == 0 else None

    def config_set(self, key: str, value: str) -> bool:
        """Write a value into the shared configuration; False if it cannot be written.

        Two processes may write at once and the later wins, so read the value back to agree on it.
        """
        return self._config(key, value).returncode == 0

    def _config(self, *asked: str) -> CompletedProcess[bytes]:
        return run(self.root, "config", "--file", str(self.common_dir / "config"), *asked)

    def has_commit(self, sha: str) -> bool:
        """Return whether a commit is still in the repository."""
        return (
            bool(_SHA.fullmatch(sha))
            and run(self.root, "cat-file", "-e", f"{sha}^{{commit}}").returncode == 0
        )

    def is_ancestor(self, sha: str, of: str = "HEAD") -> bool:
        """Return whether a commit is an ancestor of another; False if either is gone."""
        if not _SHA.fullmatch(sha) or not _is_revision(of):
            return False
        return run(self.root, "merge-base", "--is-ancestor", sha, of).returncode == 0

    def standing(
        self, since: str | None, until: str = "HEAD"
    ) -> Literal["new", "continues", "diverged", "gone"]:
        """Return whether mining can continue after the last seen commit.

        Returns:
            "new": nothing was seen yet. "continues": read only the commits after `since`.
            "diverged": `since` exists but `until` does not contain it (another branch, a rebase).
            "gone": `since` was collected. After the last two everything has to be read again.
        """
        if since is None:
            return "new"
        if not self.has_commit(since):
            return "gone"
        return "continues" if self.is_ancestor(since, until) else "diverged"

    def count(self, since: str | None = None, until: str = "HEAD") -> int:
        """Return the number of commits that `commits` would yield, 0 if there are none."""
        if not _is_revision(until):
            return 0
        return int(answer(self.root, "rev-list", "--count", "--no-merges", *_range(since, until)) or 0)

    def commits(
        self, since: str | None = None, limit: int | None = None, until: str = "HEAD"
    ) -> Iterator[Commit]:
        """Yield the commits after `since`, oldest first, without merges, from one git process.

        Parents come before children. Git detects renames (`R` entries); in a partial clone, only exact
        renames can be detected without the network. The oldest commits of a shallow clone come without files,
        because git would call every file in them new.

        Args:
            since: the last seen commit, which `until` contains (see `standing`); None reads all.
            limit: maximum number, the newest; None for all.
            until: the last commit, an id or HEAD.

        Raises:
            SourceError: git failed midway; the commits yielded before are valid.
        """
        if not _is_revision(until) or (until == "HEAD" and self.head() is None):
            return
        window = [] if limit is None else [f"--max-count={limit}"]
        arguments = ["--date-order", "--reverse", *window, *_range(since, until)]
        edge = self._shallow_edge()
        for commit in self._log(arguments):
            yield commit._replace(files=()) if commit.sha in edge else commit

    def tracked_files(self) -> tuple[str, ...]:
        """Return the paths git tracks, sorted, without submodules; from HEAD when bare."""
        if self.bare:
            if self.head() is None:
                return ()
            lines = ask(self.root, "ls-tree", "-r", "-z", "HEAD")
        else:
            lines = ask(self.root, "ls-files", "-z", "--stage", "--full-name")
        entries = (line.partition(b"\t") for line in lines.split(b"\0") if line)
        return tuple(sorted({text(path) for mode, _, path in entries if not mode.startswith(b"160000")}))

    def files(self, folder: Path | None = None) -> tuple[str, ...]:
        """Return every path that is not ignored, tracked or not, sorted.

        Args:
            folder: only below this folder, with paths relative to it; None is the root.
        """
        if self.bare:
            return ()
        names = ask(folder or self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return tuple(sorted({text(name) for name in names.split(b"\0") if name and name[-1:] != b"/"}))

    def uncommitted(self) -> list[str]:
        """Return the paths with changes that are not committed, and the untracked ones."""
        status = ask(self.root, "status", "--porcelain", "--no-renames", "-z", "--untracked-files=all")
        return [text(entry[3:]) for entry in status.split(b"\0") if entry]

    def last_changes(self, since: str | None, until: str, limit: int) -> dict[str, LastChange]:
        """Return the last change of every path in the newest commits, and its date, without merges.

        Args:
            since: leave out this commit's ancestors; None leaves out none.
            until: the first commit to read, an id or HEAD.
            limit: maximum number of commits to read.

        Returns:
            Path to (date of the commit, whether the path was deleted by it).

        Raises:
            SourceError: git failed, for example because a commit does not exist.
        """
        found: dict[str, LastChange] = {}
        if not _is_revision(until):
            return found
        for commit in self._log(["--no-renames", f"--max-count={limit}", *_range(since, until)]):
            for change in commit.files:
                found.setdefault(change.path, LastChange(commit.date, change.status == "D"))
        return found

    def _shallow_edge(self) -> frozenset[str]:
        try:
            return frozenset((self.common_dir / "shallow").read_text("ascii").split())
        except OSError:
            return frozenset()

    def _log(self, arguments: Sequence[str]) -> Iterator[Commit]:
        """Yield the commits that one `git log` process prints, without merges."""
        partial = r"^(extensions\.partialclone|remote\..*\.promisor)$"
        found = self._config("--get-regexp", partial)
        plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-notes", "--encoding=UTF-8")
        arguments = ["--no-merges", *plain, FORMAT, *arguments]
        seen: set[str] = set()
        # Exact renames alone are detected without file contents, which a partial clone may lack.
        for renames in ("-M100%",) if found.returncode == 0 else ("-M", "-M100%"):
            stream = tokens(self.root, "log", "-z", "--name-status", renames, *arguments)
            try:
                for commit in parse_log(stream):
                    if commit.sha not in seen:
                        seen.add(commit.sha)
                        yield commit
            except SourceError as error:
                if renames != "-M" or "unable to read" not in str(error):
                    raise
            else:
                return
            finally:
                stream.close()


def _is_revision(name: str) -> bool:
    return name == "HEAD" or bool(_SHA.fullmatch(name))


def _range(since: str | None, until: str) -> list[str]:
    return [until] if since is None else [f"{since}..{until}"]


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
