"""Real git repositories, made by the git command line, apart from the machine's own configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


class Work:
    """A work tree whose commits are dated one day apart, from 2026-01-01."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        root.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments: str, **variables: str) -> str:
        """Run git here and return what it prints."""
        who = {
            f"GIT_{a}_{b}": v
            for a in ("AUTHOR", "COMMITTER")
            for b, v in (("NAME", "Ada"), ("EMAIL", "a@x.org"))
        }
        env = {**os.environ, **who, **variables}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def init(self, *options: str) -> Work:
        """Make it a repository with the branch main."""
        self.git("init", "-q", "-b", "main", *options)
        return self

    def write(self, **files: str) -> Work:
        """Write files by name; a double underscore is a slash, a single one a dot before the ending."""
        for name, text in files.items():
            stem, _, ending = name.replace("__", "/").rpartition("_")
            self.put(f"{stem}.{ending}", text)
        return self

    def put(self, path: str, text: str | bytes) -> Path:
        """Write one file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, message: str, *, author: str = "Ada") -> str:
        """Commit everything, a day after the last commit, and return the new id."""
        self.day += 1
        date = f"2026-01-{self.day:02d}T12:00:00+02:00"
        self.git("add", "-A")
        self.git(
            "commit", "-q", "--allow-empty", "-m", message,
            GIT_AUTHOR_NAME=author, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date,
        )  # fmt: skip
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def _own_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the machine's git configuration and any enclosing repository out of the tests."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """A folder that is no repository yet."""
    return Work(tmp_path / "work")


@pytest.fixture
def repo(work: Work) -> Work:
    """A repository without commits."""
    return work.init()
