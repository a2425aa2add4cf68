"""Files outside of a project that its rule files import: read after a yes, and never into the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.app.learning.project_rules import allow_import, allowed_imports
from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from tests.helpers import Repo, environment

RULE = "- Always write the heliotrope report before a release.\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository whose rule file names a file of whoever opens it."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "diary.md").write_text(RULE)
    repo = Repo(tmp_path / "shop").init()
    repo.commit("start", {"CLAUDE.md": "@~/diary.md\n"})
    return repo


def learnt(repo: Repo, environ: dict[str, str]) -> bool:
    """Read the rules; return whether that of the diary is among the memories."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.init()
        return any("heliotrope" in record.content for record in memory.list())


def test_an_import_is_read_after_a_yes_and_the_answer_is_kept(repo: Repo, tmp_path: Path):
    """Another project has not got it."""
    environ = environment(tmp_path) | {"HOME": str(tmp_path / "home")}
    assert not learnt(repo, environ)
    with Memory.open(repo.root, environ=environ) as memory:
        project = memory.project_id
    allow_import(tmp_path / "data", project, tmp_path / "home" / "diary.md")
    assert learnt(repo, environ)
    assert allowed_imports(tmp_path / "data", "another") == frozenset()


def test_a_link_that_leads_elsewhere_now_is_asked_again(repo: Repo, tmp_path: Path):
    """The yes was to a file, not to a name."""
    link = tmp_path / "home" / "link.md"
    link.symlink_to(tmp_path / "home" / "diary.md")
    real = allow_import(tmp_path / "data", "p", link)
    (tmp_path / "home" / "other.md").write_text(RULE)
    link.unlink()
    link.symlink_to(tmp_path / "home" / "other.md")
    assert str(link.resolve()) not in allowed_imports(tmp_path / "data", "p") == {real}
    with pytest.raises(InvalidInput, match="is not a file"):
        allow_import(tmp_path, "p", tmp_path / "none.md")


def test_nothing_from_outside_goes_into_a_home_in_the_repository(repo: Repo, tmp_path: Path):
    """It may be committed, or shared."""
    repo.put("remora.toml", 'home = ".remora"\n')
    environ = environment(tmp_path) | {"HOME": str(tmp_path / "home")}
    with Memory.open(repo.root, environ=environ) as memory:
        allow_import(tmp_path / "data", memory.project_id, tmp_path / "home" / "diary.md")
    assert not learnt(repo, environ)
