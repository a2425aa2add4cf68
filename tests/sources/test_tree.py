"""The files of a project are found as a person would list them, with a reason for each that is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.core.errors import SourceError
from remora.sources import tree as tree_of
from remora.sources.git import Repository
from remora.sources.tree import Tree, listed, look
from remora.sources.tree_read import LeftOut


def seen(tree: Tree) -> list[str]:
    """Return the paths that are looked at."""
    return [file.path for file in tree.files]


def in_git(work) -> Tree:
    """Return the tree of a work tree through git."""
    return look(work.root, Repository.discover(work.root))


def test_git_says_what_counts(repo):
    """Tracked and new files are listed, ignored ones not at all, with size and time."""
    file = repo.put("src/a.py", "1")
    repo.put(".gitignore", "*.log\nout/\n")
    repo.put("kept.log", "1")
    repo.git("add", "-f", "kept.log")
    repo.commit("one")
    repo.put("new.py", "1")
    repo.put("out/b.py", "1")
    repo.put("x.log", "1")
    tree = in_git(repo)
    assert seen(tree) == [".gitignore", "kept.log", "new.py", "src/a.py"]
    assert tree.left_out == ()
    assert (tree.files[3].size, tree.files[3].mtime_ns) == (1, file.stat().st_mtime_ns)


def test_what_was_deleted_is_not_mentioned(repo):
    """A tracked file that is not there is neither a file nor a complaint."""
    repo.write(a_py="1", b_py="2").commit("one")
    (repo.root / "a.py").unlink()
    assert in_git(repo) == look(repo.root)
    assert seen(in_git(repo)) == ["b.py"]


def test_a_subfolder_is_a_project_too(repo):
    """Paths are relative to the folder that was asked for; one that git ignores is walked as without git."""
    repo.put(".gitignore", "/code/\n")
    repo.put("code/a.py", "1")
    repo.write(src__a_py="1", b_py="2").commit("one")
    for folder in (repo.root / "code", repo.root / "src"):
        assert seen(look(folder, Repository.discover(folder))) == ["a.py"]
    assert seen(in_git(repo)) == [".gitignore", "b.py", "src/a.py"]


def test_reasons_are_given(repo):
    """Each file that is left out has its reason, those in a folder of others' code as well."""
    repo.put("a_pb2.py", "1")
    repo.put("b.min.js", "1")
    repo.put("c.png", "1")
    repo.put("d.py", b"x" * 1_000_001)
    repo.put("vendor/x/y.go", "1")
    repo.put("vendor/z.go", "1")
    (repo.root / "link.py").symlink_to("a_pb2.py")
    repo.put("ok.py", "1")
    tree = in_git(repo)
    assert seen(tree) == ["ok.py"]
    assert [tuple(file) for file in tree.left_out] == [
        ("a_pb2.py", "generated"), ("b.min.js", "minified"), ("c.png", "binary"), ("d.py", "too large"),
        ("link.py", "symlink"), ("vendor/x/y.go", "vendored"), ("vendor/z.go", "vendored"),
    ]  # fmt: skip


def test_a_kind_nobody_can_use(repo):
    """What the caller does not know is named, but never before a better reason."""
    repo.put("a.py", "1")
    repo.put("b.xyz", "1")
    repo.put("c.png", "1")
    tree = look(repo.root, Repository.discover(repo.root), known=lambda path: path.endswith(".py"))
    assert seen(tree) == ["a.py"]
    assert tree.left_out == (LeftOut("b.xyz", "unknown kind"), LeftOut("c.png", "binary"))


def test_submodules_are_named(repo):
    """A repository inside is its own project."""
    repo.write(a_py="1").commit("one")
    sub = repo.root / "sub"
    sub.mkdir()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.git('rev-parse', 'HEAD')},sub")
    tree = in_git(repo)
    assert (seen(tree), tree.left_out) == (["a.py"], (LeftOut("sub", "submodule"),))


def test_a_file_that_became_a_folder_is_no_submodule(repo):
    """What git still lists as a file is passed over, the new files are found."""
    repo.put("a", "1")
    repo.commit("one")
    (repo.root / "a").unlink()
    repo.put("a/b.py", "1")
    tree = in_git(repo)
    assert (seen(tree), tree.left_out) == (["a/b.py"], ())


def test_a_folder_that_became_a_link(repo, tmp_path):
    """Files that git still lists behind it are outside, and left out."""
    repo.put("d/a.py", "1")
    repo.commit("one")
    (repo.root / "d").rename(tmp_path / "elsewhere")
    (repo.root / "d").symlink_to(tmp_path / "elsewhere")
    tree = in_git(repo)
    assert (seen(tree), tree.left_out) == ([], (LeftOut("d", "symlink"), LeftOut("d/a.py", "symlink")))


def test_without_git_the_folders_are_walked(work):
    """Folders of tools are passed over, those of others' code are named."""
    for path in (
        "a.py", "sub/b.py", ".git/config", "__pycache__/a.pyc", "node_modules/x/i.js", "env/pyvenv.cfg",
        "env/lib/y.py", ".github/w.yml",
    ):  # fmt: skip
        work.put(path, "1")
    tree = look(work.root)
    assert seen(tree) == [".github/w.yml", "a.py", "sub/b.py"]
    assert tree.left_out == (LeftOut("env", "vendored"), LeftOut("node_modules", "vendored"))


def test_loops_pipes_and_strange_names(work):
    """Links are not followed, a pipe is named, and a name that is not UTF-8 is reported."""
    work.put("a/b.py", "1")
    (work.root / "a" / "loop").symlink_to(work.root)
    os.mkfifo(work.root / "pipe")
    Path(os.fsdecode(os.fsencode(work.root) + b"/\xff.py")).write_text("1")
    work.put("naïve ☃\n.py", "1")
    tree = look(work.root)
    assert seen(tree) == ["a/b.py", "naïve ☃\n.py"]
    assert tree.left_out == (
        LeftOut("a/loop", "symlink"),
        LeftOut("pipe", "not a file"),
        LeftOut("\ufffd.py", "unreadable"),
    )


def test_a_few_files_are_asked_about_alone(repo, work):
    """What a listing would name among some files, with git and without; the rest is not looked at."""
    asked = ["kept.log", "x.log", "src/a.py", "src/deep/b.py", "gone.py", "src/local.py", "node_modules/m.js"]
    for place in (repo, work):
        place.put(".gitignore", "*.log\n!src/deep/kept.log\nbuild/\nnode_modules/\n")
        place.put("src/.gitignore", "local.py\n")
        for path in asked:
            if path != "gone.py":
                place.put(path, "1")
    repo.git("add", "-f", "kept.log")
    repo.commit("one")
    assert listed(repo.root, asked, Repository.discover(repo.root)) == {
        "kept.log",
        "src/a.py",
        "src/deep/b.py",
    }
    without = listed(work.root, asked)
    assert set(asked) - without == {"node_modules/m.js"}
    assert listed(work.root, []) == set()


def test_there_is_a_most(repo, monkeypatch):
    """Too many files are cut, and said to be."""
    monkeypatch.setattr(tree_of, "MOST_FILES", 3)
    for i in range(3):
        repo.put(f"f{i}.py", "1")
    assert not in_git(repo).cut
    assert not look(repo.root).cut
    repo.put("f3.py", "1")
    for repository in (Repository.discover(repo.root), None):
        tree = look(repo.root, repository)
        assert (seen(tree), tree.cut) == (["f0.py", "f1.py", "f2.py"], True)


def test_a_missing_folder_is_an_error_not_an_empty_project(work):
    """Otherwise everything would look deleted."""
    with pytest.raises(SourceError, match="cannot read"):
        look(work.root / "gone")
    assert look(work.root) == Tree((), ())
