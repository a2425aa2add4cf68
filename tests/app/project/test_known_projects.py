"""The projects of a data folder."""

from __future__ import annotations

from pathlib import Path

from remora import Memory
from remora.app.project.locate import known_projects
from tests.helpers import environment


def test_projects_that_can_be_opened(tmp_path: Path) -> None:
    """Each that was written to and whose folder is there; others are left out."""
    environ = environment(tmp_path)
    for name in ("shop", "Archive", "gone", "empty"):
        (tmp_path / name).mkdir()
        with Memory.open(tmp_path / name, environ=environ) as memory:
            if name != "empty":
                memory.remember(f"{name} has a memory")
    (tmp_path / "gone").rmdir()
    found = known_projects(environ)
    assert [one.name for one in found] == ["Archive", "shop"]
    assert [one.root for one in found] == [str(tmp_path / "Archive"), str(tmp_path / "shop")]
    assert all((tmp_path / "data" / "projects" / one.key).is_dir() for one in found)
