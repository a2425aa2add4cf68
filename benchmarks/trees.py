"""The code graph of a repository at any of its commits, read from git's objects without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from benchmarks.common import workplace
from remora.core.code import Listed
from remora.core.decoding import text_of
from remora.core.paths import module_of
from remora.graph.file_reader import FileReader
from remora.graph.grammars import kind_of
from remora.graph.indexer import Indexer
from remora.sources.git import FORMAT, Commit, parse_log
from remora.sources.tree import LARGEST_CODE
from remora.sources.tree_read import Folders, by_content, by_name
from remora.store.database import Database

_FILES = (b"100644", b"100755")
_TIME_DIGITS = 15  # hexadecimal digits of a blob's id that stand for the time of a file: they fit 63 bits


class Trees:
    """The trees and blobs of one repository; `cat-file` runs until it is closed.

    Args:
        repository: a git directory, or a folder with one.
    """

    def __init__(self, repository: Path) -> None:
        inner = repository / ".git"
        self._git = ("git", f"--git-dir={inner if inner.exists() else repository}")
        self._blobs: dict[str, str] = {}
        self._process = subprocess.Popen(
            [*self._git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        """End the process that reads blobs."""
        with suppress(BrokenPipeError):
            self._pipe(self._process.stdin).close()
        self._pipe(self._process.stdout).close()
        self._process.wait()

    def listed(self, commit: str) -> list[Listed]:
        """Return the files of a commit that are worth looking at, and let `read` read these from now on.

        The time of a file is made of its blob's id, so that a file that is the same has the same time.
        """
        listing = self.run("ls-tree", "-r", "-l", "-z", commit).split(b"\0")
        sizes: dict[str, int] = {}
        self._blobs = {}
        for line in listing:
            about, tab, name = line.partition(b"\t")
            if tab and about.startswith(_FILES):
                _, _, blob, size = about.split()
                path = name.decode("utf-8", "replace")
                self._blobs[path], sizes[path] = blob.decode("ascii"), int(size)
        folders = Folders(list(sizes))
        return [
            Listed(path, size, int(self._blobs[path][:_TIME_DIGITS], 16))
            for path, size in sorted(sizes.items())
            if size <= LARGEST_CODE and _wanted(path) and not folders.left_out(path.rpartition("/")[0])
        ]

    def read(self, path: str) -> bytes | str:
        """Return a file of the commit that was listed last, or why there is none."""
        blob = self._blobs.get(path)
        if blob is None:
            return "not in the tree"
        asked, answered = self._pipe(self._process.stdin), self._pipe(self._process.stdout)
        asked.write(f"{blob}\n".encode("ascii"))
        asked.flush()
        _, kind, size = answered.readline().split()
        data = answered.read(int(size))
        answered.read(1)
        return data if kind == b"blob" else "not a file"

    def commits(self) -> list[Commit]:
        """Return the commits without merges, oldest first."""
        listing = self.run("log", "-z", "--no-merges", "--reverse", "-M", "--name-status", FORMAT)
        return list(parse_log(listing.split(b"\0")))

    def has(self, commit: str) -> bool:
        """Return whether a commit is in the repository."""
        asked = [*self._git, "cat-file", "-e", f"{commit}^{{commit}}"]
        return subprocess.run(asked, check=False, capture_output=True).returncode == 0

    def run(self, *arguments: str) -> bytes:
        """Return what git prints."""
        return subprocess.run([*self._git, *arguments], check=True, capture_output=True).stdout

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


class TreeGraph:
    """A graph that is brought to one commit after the other; only what differs is read."""

    def __init__(self, trees: Trees, db: Database) -> None:
        self.trees = trees
        self.db = db
        files = FileReader(trees.read, text_of, lambda _, data: by_content(data) or "", module_of)
        self._indexer = Indexer(db, files, heat={})

    def stand_at(self, commit: str) -> None:
        """Bring the graph to a commit's tree."""
        self._indexer.run(self.trees.listed(commit), now=0, commit=commit)


@contextmanager
def tree_graph(repository: Path) -> Iterator[TreeGraph]:
    """Open a new, empty graph of a repository; it is gone afterwards."""
    with workplace() as place:
        trees = Trees(repository)
        try:
            db = Database(place / "graph.db", realm="project", project_id="trees")
            try:
                yield TreeGraph(trees, db)
            finally:
                db.close()
        finally:
            trees.close()


def _wanted(path: str) -> bool:
    known = kind_of(path) is not None or "." not in path.rpartition("/")[2]
    return known and by_name(path) is None
