"""Real git repositories, made by the git command line, apart from the machine's own configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers import Repo


class Work(Repo):
    """A repository whose files are written by name, or as bytes."""

    def write(self, **files: str) -> Work:
        """Write files by name; a double underscore is a slash, a single one a dot before the ending."""
        for name, text in files.items():
            stem, _, ending = name.replace("__", "/").rpartition("_")
            self.put(f"{stem}.{ending}", text)
        return self

    def put(self, path: str, text: str | bytes) -> Path:  # type: ignore[override]
        """Write one file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file


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
    work.init()
    return work
