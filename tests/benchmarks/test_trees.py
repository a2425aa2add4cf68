"""Trees read from git's objects: what is listed, what is read, and a graph that follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.trees import Trees, tree_graph
from tests.helpers import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "project").init()


@pytest.fixture
def trees(repo: Repo) -> Iterator[Trees]:
    """The trees of a repository with three commits."""
    repo.commit("Begin", {"a.py": "import b\n", "b.py": "X = 1\n", "logo.png": "x", "node_modules/c.js": "1"})
    repo.commit("Change", {"b.py": "X = 22\n"})
    repo.commit("Add", {"sub/c.py": "import a\n"})
    found = Trees(repo.root)
    yield found
    found.close()


def test_each_commit_has_its_own_files(trees: Trees):
    """Files that are worth looking at are listed with their sizes; the same blob has the same time."""
    commits = [commit.sha for commit in trees.commits()]
    first, second, third = ({f.path: f for f in trees.listed(sha)} for sha in commits)
    assert (list(first), list(third)) == (["a.py", "b.py"], ["a.py", "b.py", "sub/c.py"])
    assert first["a.py"] == second["a.py"] == third["a.py"]
    assert (first["b.py"].size, second["b.py"].size) == (6, 7)
    assert first["b.py"].mtime_ns != second["b.py"].mtime_ns


def test_what_is_read_is_of_the_commit_that_was_listed_last(trees: Trees):
    """The bytes follow the listing; a path that the tree has not is none."""
    commits = [commit.sha for commit in trees.commits()]
    trees.listed(commits[1])
    assert trees.read("b.py") == b"X = 22\n"
    trees.listed(commits[0])
    assert (trees.read("b.py"), trees.read("sub/c.py")) == (b"X = 1\n", "not in the tree")
    assert (trees.has(commits[0]), trees.has("0" * 40)) == (True, False)


def test_the_graph_goes_forth_and_back(repo: Repo, trees: Trees):
    """A graph brought to an earlier commit is the one of that commit."""
    commits = [commit.sha for commit in trees.commits()]
    with tree_graph(repo.root) as graph:
        for sha, tied in ((commits[2], {"b.py", "sub/c.py"}), (commits[0], {"b.py"})):
            graph.stand_at(sha)
            assert set(graph.db.file_coupling.of("a.py")) == tied
