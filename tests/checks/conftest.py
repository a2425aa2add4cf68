"""A world without memories or sessions, and a project of some files."""

from __future__ import annotations

from pathlib import Path

from tests.retrieval.conftest import bare

__all__ = ["bare", "project"]


def project(root: Path, files: dict[str, str]) -> Path:
    """Write the files of a project; return its folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root
