"""What sessions say of files is dropped if the files are gone or the code links them already."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.app.learning.promotion import overtaken
from remora.app.project.open_project import OpenProject
from remora.core.events import SeenCount
from remora.core.values import MemoryDraft
from remora.observer.candidate import Candidate
from tests.app.conftest import Opens
from tests.app.learning.test_learn import Talk
from tests.helpers import Repo

MODULES = ("till", "totals", "mail")


@pytest.fixture
def project(memory: Memory) -> OpenProject:
    """A small project, indexed, in which one file imports another."""
    folder = memory.root / "shop"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"{name} = 1\n")
    (folder / "till.py").write_text("from shop.totals import totals\n")
    memory.index()
    return memory._project


def candidate(signal: str, *files: str) -> Candidate:
    """Return what a session suggests of files."""
    draft = MemoryDraft("The rows are summed here.", "gotcha", related_files=files)
    return Candidate(signal, "rows", draft, 0.5, 0.5, 1, SeenCount(1), "")


@pytest.mark.parametrize(
    ("signal", "files", "why"),
    [
        ("written", ("shop/gone.py", "shop/lost.py"), "`shop/gone.py` no longer exists"),
        ("written", ("shop/gone.py", "shop/till.py"), ""),
        ("written", ("~/gone.py",), ""),
        ("written", (), ""),
        ("co_access", ("shop/till.py", "shop/gone.py"), "`shop/gone.py` no longer exists"),
        ("co_access", ("shop/till.py", "shop/totals.py"), "the code already links these files"),
        ("co_access", ("shop/till.py", "shop/mail.py"), ""),
    ],
)
def test_what_no_longer_holds(project: OpenProject, signal: str, files: tuple[str, ...], why: str) -> None:
    """A candidate needs one of its files; files that change together all exist, and no import links them."""
    assert overtaken(project, candidate(signal, *files)) == why


def test_without_an_index_nothing_is_checked(memory: Memory) -> None:
    """A project that was never indexed drops no candidate."""
    assert overtaken(memory._project, candidate("written", "shop/gone.py")) == ""


def test_what_branches_show_for_the_project_must_hold_here(repo: Repo, opens: Opens, tmp_path: Path) -> None:
    """Files that change together on a branch which nobody merged are of no use to who works without them."""
    repo.commit("start", {f"shop/{name}.py": f"{name} = 1\n" for name in MODULES})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("lists", {f"lists/{name}.py": f"{name} = 1\n" for name in ("data", "view")})
    repo.git("checkout", "-q", "main")
    for day in range(1, 11):
        branch = "topic" if day % 2 else "main"
        one, two = ("lists/data.py", "lists/view.py") if day % 2 else ("shop/till.py", "shop/totals.py")
        talk = Talk(f"s{day}", day, repo.root, branch).user("Please show the rows in another order")
        talk.edit(one).edit(two).tool("Bash", "12 passed", command="make test")
        talk.reply("They are in another order now.").user("perfect, thanks").save(tmp_path / "talks")
    with opens() as memory:
        memory.index()
        memory.learn(tmp_path / "talks")
        told = [m.content for m in memory.list(branch="*") if m.type == "causal_dependency"]
    assert len(told) == 1
    assert "shop/till.py" in told[0]
