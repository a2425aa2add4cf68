"""What became of branches, in real repositories: merged in each way, deleted, open, unknown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from remora.sources.branches import MOST_OWN, Known, default_branch, follow, looks, own_files
from remora.sources.git import Repository
from tests.helpers import Repo


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository that each test gets a copy of."""
    repo = Repo(tmp_path_factory.mktemp("begun")).init()
    repo.commit("start", {"a.py": "a = 1\n" * 20})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("one", {"b.py": "b = 1\n"})
    repo.commit("two", {"b.py": "b = 1\nc = 2\n"})
    return repo


@pytest.fixture
def repo(begun: Repo, tmp_path: Path) -> Repo:
    """A repository with a commit on main, and the branch `topic` with two more, checked out."""
    repo = Repo(tmp_path / "repo")
    shutil.copytree(begun.root, repo.root, dirs_exist_ok=True)
    repo.day = begun.day
    return repo


UNSEEN = Known()


def opened(root: Path) -> Repository:
    """Return the repository at a path."""
    repository = Repository.discover(root)
    assert repository is not None
    return repository


def state(repo: Repo, known: Known = UNSEEN, name: str = "topic") -> tuple[str, Known]:
    """Return what became of a branch, and what is known of it now."""
    (found,) = follow(opened(repo.root), {name: known})
    assert found.name == name
    return found.state, found.known


def seen(repo: Repo) -> Known:
    """Return what is known of the branch while it is open."""
    found, known = state(repo)
    assert (found, known.ahead) == ("open", True)
    return known


def test_a_fresh_branch_is_not_merged(repo: Repo) -> None:
    """A branch that never had a commit of its own is open, although all it has is in main."""
    repo.git("branch", "fresh", "main")
    assert state(repo, name="fresh")[0] == "open"


WAYS: dict[str, list[tuple[str, ...]]] = {
    "a merge commit": [("merge", "-q", "--no-ff", "topic")],
    "a fast-forward": [("merge", "-q", "--ff-only", "topic")],
    "a rebase": [("cherry-pick", "main..topic")],
    "a squash": [("merge", "-q", "--squash", "topic"), ("commit", "-q", "-m", "topic (#7)")],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("deleted", [False, True])
def test_a_merged_branch(repo: Repo, way: str, *, deleted: bool) -> None:
    """Every way is seen, between other commits of main, whether the branch is still there or not."""
    known = seen(repo)
    repo.git("checkout", "-q", "main")
    if way != "a fast-forward":
        repo.commit("other", {"z.py": "z = 1\n"})
    for words in WAYS[way]:
        repo.git(*words)
    repo.commit("later", {"y.py": "y = 1\n"})
    if deleted:
        repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "merged"


LINES = [f"line {number}\n" for number in range(40)]
SHOWN_AS = (
    ("diff.noprefix", "true"),
    ("diff.mnemonicPrefix", "true"),
    ("diff.context", "8"),
    ("diff.interHunkContext", "30"),
    ("diff.renames", "copies"),
    ("diff.external", "echo"),
    ("diff.py.textconv", "wc"),
    ("diff.submodule", "log"),
    ("color.ui", "always"),
    ("format.pretty", "%h"),
)


def changed(**lines: str) -> str:
    """Return a file of 40 lines, of which some are otherwise: `at_20="x"`."""
    places = {int(name.removeprefix("at_")): f"{line}\n" for name, line in lines.items()}
    return "".join(places.get(number, line) for number, line in enumerate(LINES))


def end(repo: Repo, *, merged: bool = True) -> None:
    """Squash the branch into main, or not, after somebody else came there, and delete it."""
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"z.py": "z = 1\n"})
    if merged:
        repo.git("merge", "-q", "--squash", "topic")
        repo.commit("topic (#7)")
    repo.git("branch", "-D", "topic")


def seen_with(repo: Repo, *commits: dict[str, str]) -> Known:
    """Give main a file of lines, put the branch upon it with some commits, and return what is known of it."""
    repo.git("checkout", "-q", "main")
    repo.commit("lines", {"d.py": "".join(LINES)})
    repo.git("checkout", "-q", "topic")
    repo.git("rebase", "-q", "main")
    for number, files in enumerate(commits):
        repo.commit(f"mine {number}", files)
    return seen(repo)


def test_a_squash_is_found_whatever_git_is_configured_to_show(repo: Repo) -> None:
    """How a person wants to see changes does not matter."""
    repo.put(".gitattributes", "*.py diff=py\n")
    for setting, value in SHOWN_AS:
        repo.git("config", setting, value)
    edit = {"d.py": changed(at_10="x = 1", at_20="y = 1"), "e.py": "".join(LINES)}
    known = seen_with(repo, edit)
    end(repo)
    assert state(repo, known)[0] == "merged"


def test_a_squash_of_a_file_that_was_renamed_and_then_changed(repo: Repo) -> None:
    """Its commits show a rename, and the squash may not."""
    seen_with(repo)
    repo.git("mv", "d.py", "e.py")
    repo.commit("rename")
    repo.commit("edit", {"e.py": changed(at_20="x = 1")})
    known = seen(repo)
    end(repo)
    assert state(repo, known)[0] == "merged"


@pytest.mark.parametrize("merged", [True, False])
def test_others_changed_lines_near_those_of_a_squash(repo: Repo, *, merged: bool) -> None:
    """The lines around a change are not of it; what others changed nearby is no merge either."""
    known = seen_with(repo, {"d.py": changed(at_20="x = 1")})
    repo.git("checkout", "-q", "main")
    repo.commit("theirs", {"d.py": changed(at_22="y = 1")})
    end(repo, merged=merged)
    assert state(repo, known)[0] == ("merged" if merged else "deleted")


@pytest.mark.parametrize("merged", [True, False])
def test_a_branch_that_was_rebased_and_went_on_unseen(repo: Repo, *, merged: bool) -> None:
    """What it was in the end counts: squashed it is merged, and else it is gone."""
    known = seen(repo)
    seen_with(repo, {"b.py": "b = 1\nc = 2\nd = 3\n"})
    end(repo, merged=merged)
    assert state(repo, known)[0] == ("merged" if merged else "deleted")


@pytest.mark.parametrize("merged", [True, False])
def test_a_branch_whose_work_was_committed_unseen(repo: Repo, *, merged: bool) -> None:
    """It was fresh when it was seen; deleted with a commit that is not in main, it is over."""
    repo.git("checkout", "-q", "-b", "fresh", "main")
    known = state(repo, name="fresh")[1]
    repo.commit("three", {"d.py": "d = 1\n"})
    repo.git("checkout", "-q", "main")
    if merged:
        repo.git("merge", "-q", "--no-ff", "fresh")
    repo.git("branch", "-D", "fresh")
    assert state(repo, known, "fresh")[0] == ("merged" if merged else "deleted")


def test_a_branch_that_was_given_up_before_it_was_deleted(repo: Repo) -> None:
    """It was set back to main: its work is gone, although where it was left is in main."""
    known = seen(repo)
    repo.git("reset", "-q", "--hard", "main")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "deleted"


@pytest.mark.parametrize("way", ["--squash", "--no-ff"])
def test_a_branch_that_was_merged_at_the_server(repo: Repo, tmp_path: Path, way: str) -> None:
    """The server's main has it: it is merged, although nobody pulled and the branch is gone everywhere."""
    known = seen(repo)
    server = tmp_path / "server.git"
    repo.git("checkout", "-q", "main")
    repo.git("clone", "-q", "--bare", str(repo.root), str(server))
    repo.git("remote", "add", "origin", str(server))
    repo.git("fetch", "-q")
    other = Repo(tmp_path / "other")
    other.git("clone", "-q", str(server), ".")
    other.git("merge", "-q", way, "origin/topic")
    other.git("commit", "-q", "--allow-empty", "-m", "topic (#7)")
    other.git("push", "-q", "origin", "main", ":topic")
    repo.git("branch", "-D", "topic")
    assert state(repo, known)[0] == "open"
    repo.git("fetch", "-q", "--prune")
    assert state(repo, known)[0] == "merged"


def test_a_branch_whose_commits_live_on_in_others(repo: Repo) -> None:
    """Renamed, or built upon, it is not gone, and is merged with the other one."""
    known = seen(repo)
    repo.git("branch", "-m", "topic", "login")
    assert state(repo, known)[0] == "open"
    repo.git("checkout", "-q", "-b", "upper")
    repo.commit("upper", {"upper.py": "d = 1\n"})
    repo.git("branch", "-D", "login")
    assert state(repo, known)[0] == "open"
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "upper")
    assert state(repo, known)[0] == "merged"
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("branch", "-D", "upper")
    assert state(repo, known)[0] == "deleted"


def test_the_files_of_a_branch(repo: Repo) -> None:
    """What its own commits and the working tree change; not what others merged meanwhile."""
    repository, looked = opened(repo.root), looks(opened(repo.root))
    assert own_files(repository) == ["b.py"]
    repo.commit("three", {"über uns.py": "c = 1\n"})
    assert looks(repository) != looked
    repo.put("a.py", "a = 2\n")
    repo.put("nobody added it.py", "d = 1\n")
    assert own_files(repository) == ["a.py", "über uns.py", "b.py"]
    repo.git("stash", "-q", "--include-untracked")
    repo.git("checkout", "-q", "main")
    assert own_files(repository) == []
    repo.commit("of another", {"other.py": "e = 1\n"})
    repo.git("checkout", "-q", "topic")
    repo.git("merge", "-q", "--no-edit", "main")
    assert own_files(repository) == ["über uns.py", "b.py"]
    repo.git("checkout", "-q", "--detach")
    assert own_files(repository) == ["über uns.py", "b.py"]


def test_a_branch_with_very_many_files_is_no_piece_of_work(repo: Repo) -> None:
    """A line of its own, such as that of the next version, says nothing of what is next."""
    repository = opened(repo.root)
    repo.commit("all at once", {f"lib/{n}.py": "a = 1\n" for n in range(MOST_OWN - 1)})
    assert len(own_files(repository)) == MOST_OWN
    repo.commit("one more", {"c.py": "a = 1\n"})
    assert own_files(repository) == []


def test_a_branch_from_a_server_that_is_ahead(repo: Repo, tmp_path: Path) -> None:
    """What the default branch has there is not the branch's own, also before anybody pulls."""
    repo.git("checkout", "-q", "main")
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    repo.commit("at the server", {"served.py": "a = 1\n"})
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "-q")
    clone.git("checkout", "-q", "-b", "mine", "origin/main")
    clone.git("config", "user.name", "A")
    clone.git("config", "user.email", "a@example.invalid")
    clone.commit("mine", {"mine.py": "a = 1\n"})
    repository = opened(clone.root)
    assert own_files(repository) == ["mine.py"]


def test_a_default_branch_that_was_renamed_at_the_server(repo: Repo, tmp_path: Path) -> None:
    """What `origin/HEAD` points at may be gone: then the usual names count."""
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-m", "main", "master")
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    repo.git("branch", "-m", "master", "main")
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "-q", "--prune")
    clone.git("checkout", "-q", "main")
    clone.git("branch", "-q", "-D", "master")
    repository = opened(clone.root)
    assert default_branch(repository) == "refs/heads/main"
    assert own_files(repository) == []


def test_what_nobody_can_tell(repo: Repo) -> None:
    """A branch that was never seen, or whose last commit is gone, is unknown, whatever is named alike."""
    repo.git("branch", "users/topic", "topic")
    for name in ("never", "users", "users/*"):
        assert state(repo, name=name)[0] == "unknown"
    assert state(repo, Known("0" * 40, ahead=True), name="collected")[0] == "unknown"


def test_the_default_branch(repo: Repo, tmp_path: Path) -> None:
    """It is what origin's HEAD points at, else main or master, else the only one."""
    repository = opened(repo.root)
    assert default_branch(repository) == "refs/heads/main"
    assert state(repo, name="main")[0] == "open"
    repo.git("branch", "-m", "main", "trunk")
    assert default_branch(repository) is None
    assert state(repo)[0] == "open"
    repo.git("branch", "-D", "trunk")
    assert default_branch(repository) == "refs/heads/topic"
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    assert default_branch(opened(tmp_path / "clone")) == "refs/heads/topic"
