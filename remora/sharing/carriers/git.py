"""Carry a shared log at the repository's own remote, under `refs/remora/`.

Branches, index, hooks and work tree are not touched: the tree is built with plumbing commands and a temporary
index outside the repository. Each push replaces one commit without parents by another, with a lease on the
commit it was made from: the second of two devices fetches, adds its own files and tries again. Old commits
become unreachable, so that erased text is removed when the server collects its garbage.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from remora.core.errors import SourceError
from remora.sharing.carriers.tree import TreeCarrier
from remora.sources.git_process import refused, run, run_online

ATTEMPTS = 60
FIRST_WAIT, LONGEST_WAIT = 0.02, 2.0  # upper bounds of the random wait before another attempt, in seconds
_LOST = (b"stale info", b"rejected", b"failed to update ref", b"cannot lock ref", b"reference already exists")
_ALONE = ("--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")  # of a push
_NAMED = ("-c", "user.name=remora", "-c", "user.email=remora@localhost", "-c", "commit.gpgSign=false")


class GitRefs(TreeCarrier):
    """The tree of one log at a remote; see `TreeCarrier`."""

    def __init__(self, root: Path, remote: str, space: str) -> None:
        self._root = root
        self._remote = remote
        self._ref = f"refs/remora/{space}"
        self._commit = ""
        self._names: dict[str, str] | None = None  # path: id of the blob

    def refresh(self) -> None:
        """Fetch the present commit of the log."""
        listed = self._online("ls-remote", self._remote, self._ref).split()
        commit = listed[0].decode() if listed else ""
        if commit and run(self._root, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
            self._online(
                *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"),
                *("--no-auto-gc", self._remote, f"+{self._ref}:{self._ref}"),
            )
            commit = self._local("rev-parse", self._ref).decode().strip()  # the ref may have moved meanwhile
        self._commit, self._names = commit, None

    def names(self) -> list[str]:
        """Return the paths of the files."""
        return sorted(self._blobs())

    def content(self, name: str) -> bytes:
        """Return the content of a file."""
        return self._local("cat-file", "blob", self._blobs()[name])

    def change(self, make: Callable[[], Mapping[str, bytes]]) -> None:
        """Write files in one step."""
        wait = FIRST_WAIT
        for attempt in range(ATTEMPTS):
            if attempt or self._names is None:
                self.refresh()
            commit = self._committed(make())
            if commit is None:
                return
            lease = f"--force-with-lease={self._ref}:{self._commit}"
            pushed = run_online(self._root, "push", *_ALONE, lease, self._remote, f"{commit}:{self._ref}")
            if pushed.returncode == 0:
                run(self._root, "update-ref", self._ref, commit)  # protects it from local garbage collection
                self._commit, self._names = commit, None
                return
            if not any(mark in pushed.stderr for mark in _LOST):
                raise refused(self._root, pushed.stderr)
            time.sleep(random.uniform(0, wait))  # noqa: S311  no secret
            wait = min(LONGEST_WAIT, wait * 1.5)
        raise SourceError(f"{self._remote} changed {ATTEMPTS} times while this machine tried to push")

    def _blobs(self) -> dict[str, str]:
        if self._names is None:
            listed = self._local("ls-tree", "-r", "-z", self._commit) if self._commit else b""
            rows = (row.partition(b"\t") for row in listed.split(b"\0") if row)
            self._names = {name.decode(): head.split()[2].decode() for head, _, name in rows}
        return self._names

    def _committed(self, files: Mapping[str, bytes]) -> str | None:
        """Return a commit of the tree with some files changed; None if nothing changes."""
        blobs = {
            name: self._local("hash-object", "-w", "--stdin", given=data).decode().strip()
            for name, data in files.items()
        }
        if all(self._blobs().get(name) == blob for name, blob in blobs.items()):
            return None
        with tempfile.TemporaryDirectory(prefix="remora-share-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            rows = "".join(f"100644 {blob}\t{name}\n" for name, blob in {**self._blobs(), **blobs}.items())
            self._local("update-index", "--add", "--index-info", given=rows.encode(), extra=index)
            tree = self._local("write-tree", extra=index).decode().strip()
        return self._local(*_NAMED, "commit-tree", tree, "-m", "remora").decode().strip()

    def _local(self, *arguments: str, given: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        done = run(self._root, *arguments, given=given, extra=extra)
        if done.returncode:
            raise refused(self._root, done.stderr)
        return done.stdout

    def _online(self, *arguments: str) -> bytes:
        done = run_online(self._root, *arguments)
        if done.returncode:
            raise refused(self._root, done.stderr)
        return done.stdout
