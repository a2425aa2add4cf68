"""Files outside of a project that its rule files import: read after a yes, and never into the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.app.learning.project_rules import allow_import, allowed_imports
from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from tests.app.conftest import Opens
from tests.helpers import Repo

RULE = "- Always write the heliotrope report before a release.\n"


@pytest.fixture
def repo(repo: Repo, tmp_path: Path) -> Repo:
    """A repository whose rule file names a file of whoever opens it."""
    (tmp_path / "person").mkdir()
    (tmp_path / "person" / "diary.md").write_text(RULE)
    repo.commit("start", {"CLAUDE.md": "@~/diary.md\n"})
    return repo


def learnt(memory: Memory) -> bool:
    """Read the rules; return whether that of the diary is among the memories."""
    memory.init()
    return any("heliotrope" in record.content for record in memory.list())


def test_an_import_is_read_after_a_yes_and_the_answer_is_kept(repo: Repo, memory: Memory, tmp_path: Path):
    """Another project has not got it."""
    assert not learnt(memory)
    allow_import(tmp_path / "data", memory.project_id, tmp_path / "person" / "diary.md")
    assert learnt(memory)
    assert allowed_imports(tmp_path / "data", "another") == frozenset()


def test_a_link_that_leads_elsewhere_now_is_asked_again(repo: Repo, tmp_path: Path):
    """The yes was to a file, not to a name."""
    link = tmp_path / "person" / "link.md"
    link.symlink_to(tmp_path / "person" / "diary.md")
    real = allow_import(tmp_path / "data", "p", link)
    (tmp_path / "person" / "other.md").write_text(RULE)
    link.unlink()
    link.symlink_to(tmp_path / "person" / "other.md")
    assert str(link.resolve()) not in allowed_imports(tmp_path / "data", "p") == {real}
    with pytest.raises(InvalidInput, match="is not a file"):
        allow_import(tmp_path, "p", tmp_path / "none.md")


def test_nothing_from_outside_goes_into_a_home_in_the_repository(repo: Repo, opens: Opens, tmp_path: Path):
    """It may be committed, or shared."""
    repo.put("remora.toml", 'home = ".remora"\n')
    with opens() as memory:
        allow_import(tmp_path / "data", memory.project_id, tmp_path / "person" / "diary.md")
        assert not learnt(memory)
