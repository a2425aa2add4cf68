"""What many tests need: a fake embedding model, small git repositories, and looks at what lies on disk."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remora import Memory
from remora.app.codebase.tree_comparison import LISTED
from remora.core.errors import ProviderBusy
from remora.core.text import STOP_WORDS, words

NOW = "2026-03-01T12:00:00Z"
NOBODY = 65_534
# A token that has a provider's form; it opens nothing.
SECRET = "ghp_" + "q8Zk2LmN9xT4vB7cW1sR5yU3eH6jD0aFgP2K"


class FakeEmbedder:
    """A deterministic model: texts that share words are near each other. It costs microseconds.

    Attributes:
        broken: raise ProviderBusy on every call while it is set.
        documents: every text it was given to store, in order.
    """

    def __init__(self, model_id: str = "fake:a:32", dims: int = 32) -> None:
        self.model_id = model_id
        self.dims = dims
        self.query_prefix = self.document_prefix = ""
        self.broken = False
        self.documents: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text."""
        self._require_well()
        self.documents += texts
        return np.stack([self._vector(text.rpartition("\n\n")[2]) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        self._require_well()
        return self._vector(text)

    def _require_well(self) -> None:
        if self.broken:
            raise ProviderBusy("the fake model is loading")

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dims, 1e-3, np.float32)
        for word in {w for w in words(text) if w not in STOP_WORDS}:
            digest = hashlib.sha256(f"{self.model_id}/{word}".encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dims] += 1.0
        return vector / np.float32(np.linalg.norm(vector))


class Repo:
    """A git repository whose commits are a day apart, from 2026-01-01 on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        root.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments: str, **variables: str) -> str:
        """Run git here and return what it prints."""
        env = {**os.environ, **git_environment(), **variables}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def init(self) -> Repo:
        """Make it a repository with the branch main."""
        self.git("init", "-q", "-b", "main")
        return self

    def put(self, path: str, text: str) -> None:
        """Write one file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def commit(self, message: str, files: dict[str, str] | None = None) -> str:
        """Write files, commit everything and return the new commit's id."""
        for path, text in (files or {}).items():
            self.put(path, text)
        self.day += 1
        date = f"2026-01-{self.day:02d}T12:00:00Z"
        self.git("add", "-A")
        self.git(
            "commit", "-q", "--allow-empty", "-m", message,
            GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date,
        )  # fmt: skip
        return self.git("rev-parse", "HEAD")


def git_environment() -> dict[str, str]:
    """Return the variables that make git the same on every machine, and spare it what no test looks at."""
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    }
    spared = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": ""}
    return who | alone | spared


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Return an environment whose data and settings lie in a folder; no model but what a test hands in."""
    return {
        "REMORA_HOME": str(folder / "data"),
        "REMORA_CONFIG": str(folder / "config"),
        "REMORA_EMBEDDING_PROVIDER": "none",
        "REMORA_TRIAL_SHARE": "0",  # nothing is held back by chance
        "HOME": str(folder / "person"),
        **settings,
    }


def texts(found: Sequence[Any]) -> list[str]:
    """Return the texts of hits or memories, in order."""
    return [one.text if hasattr(one, "text") else one.content for one in found]


def rows(memory: Memory, realm: str = "project") -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of every table of a memory's database, but for when its files were listed."""
    db = memory._project.store(realm).db.connection
    tables = [r[0] for r in db.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found = {table: db.rows(f"SELECT * FROM {table}") for table in tables}
    return found | {"meta": [row for row in found["meta"] if row[0] != LISTED]}


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the modification time of every file below a folder.

    A file that another process removes meanwhile, as SQLite does with its log at the end, is left out.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        with suppress(FileNotFoundError):
            if path.is_file():
                found[str(path.relative_to(folder))] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


def holds(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text, or its SHA-256 or BLAKE2 digest, in any spelling."""
    raw = text.encode()
    digests = [hashlib.new(name, raw) for name in ("sha256", "sha1", "md5")]
    wanted = [raw, raw.lower(), raw.upper(), *(d.digest() for d in digests)]
    wanted += [d.hexdigest().encode() for d in digests]
    return [name for name, (data, _) in files(folder).items() if any(w in data for w in wanted)]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run a block as a user whom file permissions stop; nothing to do where root does not run the tests."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Have the system refuse to let any file grow beyond so many bytes, as a full disk does."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
