"""What became of branches, in real repositories: merged in each way, deleted, open, unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.branches import Known, default_branch, follow
from remora.sources.git import Repository
from tests.helpers import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a commit on main, and the branch `topic` with two more, checked out."""
    repo = Repo(tmp_path / "repo").init()
    repo.commit("start", {"a.py": "a = 1\n" * 20})
    repo.git("branch", "-M", "main")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("one", {"b.py": "b = 1\n"})
    repo.commit("two", {"b.py": "b = 1\nc = 2\n"})
    return repo


UNSEEN = Known()


def state(repo: Repo, known: Known = UNSEEN, name: str = "topic") -> tuple[str, Known]:
    """Return what became of a branch, and what is known of it now."""
    repository = Repository.discover(repo.root)
    assert repository is not None
    (found,) = follow(repository, {name: known})
    assert found.name == name
    assert found.why
    return found.state, found.known


def seen(repo: Repo) -> Known:
    """Return what is known of the branch while it is open."""
    found, known = state(repo)
    assert (found, known.ahead) == ("open", True)
    return known


def test_an_open_branch_is_open(repo: Repo) -> None:
    """A branch with commits of its own is open, on every work tree."""
    assert seen(repo).head == repo.git("rev-parse", "topic").strip()


def test_a_fresh_branch_is_not_merged(repo: Repo) -> None:
    """A branch that never had a commit of its own is open, although all it has is in main."""
    repo.git("branch", "fresh", "main")
    assert state(repo, name="fresh")[0] == "open"


@pytest.mark.parametrize("way", ["--no-ff", "--ff-only"])
@pytest.mark.parametrize("deleted", [False, True])
def test_a_merged_branch(repo: Repo, way: str, *, deleted: bool) -> None:
    """A merge commit and a fast-forward are seen, whether the branch is still there or not."""
    known = seen(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", way, "topic")
    if deleted:
        repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "merged"


@pytest.mark.parametrize("deleted", [False, True])
def test_a_squashed_branch(repo: Repo, *, deleted: bool) -> None:
    """One commit with all its changes is a merge too, also after others came to main."""
    known = seen(repo)
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"z.py": "z = 1\n"})
    repo.git("merge", "-q", "--squash", "topic")
    repo.git("commit", "-q", "-m", "topic (#7)")
    repo.commit("later", {"y.py": "y = 1\n"})
    if deleted:
        repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "merged"


def test_a_rebased_branch(repo: Repo) -> None:
    """The same changes under other ids are a merge."""
    known = seen(repo)
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"z.py": "z = 1\n"})
    repo.git("cherry-pick", "main..topic")
    repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "merged"


def test_a_branch_deleted_unmerged(repo: Repo) -> None:
    """Its changes are nowhere: what was learnt on it is over."""
    known = seen(repo)
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"z.py": "z = 1\n"})
    repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "deleted"


def test_what_nobody_can_tell(repo: Repo) -> None:
    """A branch that was never seen, or whose last commit is gone, is unknown."""
    assert state(repo, name="never")[0] == "unknown"
    assert state(repo, Known("0" * 40, ahead=True), name="collected")[0] == "unknown"


def test_the_default_branch(repo: Repo, tmp_path: Path) -> None:
    """It is what origin's HEAD points at, else main or master, else the only one."""
    repository = Repository.discover(repo.root)
    assert repository is not None
    assert default_branch(repository) == "refs/heads/main"
    assert state(repo, name="main")[0] == "open"
    repo.git("branch", "-m", "main", "trunk")
    assert default_branch(repository) is None
    assert state(repo)[0] == "open"
    repo.git("branch", "-D", "trunk")
    assert default_branch(repository) == "refs/heads/topic"
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    clone = Repository.discover(tmp_path / "clone")
    assert clone is not None
    assert default_branch(clone) == "refs/heads/topic"
