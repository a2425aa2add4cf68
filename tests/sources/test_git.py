"""A repository is found, described and read whatever its shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.cochange import LastChange
from remora.core.errors import SourceError
from remora.sources.git import Commit, FileChange, Repository, parse_log
from remora.sources.git_process import TOKEN_BYTES, text, tokens


def found(path: Path) -> Repository:
    """Return the repository at a path, which must be there."""
    repository = Repository.discover(path)
    assert repository is not None
    return repository


def test_a_repository_is_found_from_anywhere_inside(repo, tmp_path):
    """A subfolder, a file and a path below .git lead to the same root; outside there is none."""
    file = repo.put("src/deep/a.py", "1")
    for start in (repo.root, file.parent, file, repo.root / ".git" / "refs"):
        assert found(start).root == repo.root.resolve()
    assert found(repo.root).common_dir == (repo.root / ".git").resolve()
    for outside in (tmp_path, tmp_path / "missing" / "file.py"):
        assert Repository.discover(outside) is None


def test_a_repository_without_commits_is_empty_not_broken(repo):
    """Everything answers before the first commit."""
    r = found(repo.root)
    assert (r.head(), r.branch(), r.count(), list(r.commits())) == (None, "main", 0, [])
    assert r.tracked_files() == ()


def test_worktrees_share_the_common_folder_and_its_configuration(repo, tmp_path):
    """What one work tree writes into the configuration the other reads; each has a branch, or none."""
    first = repo.write(a_py="1").commit("one")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    main, side = found(repo.root), found(tmp_path / "side")
    assert side.root == (tmp_path / "side").resolve()
    assert side.common_dir == main.common_dir
    assert side.git_dir != main.git_dir
    assert main.config_get("remora.project") is None
    assert main.config_set("remora.project", "p-1")
    assert side.config_get("remora.project") == "p-1"
    assert side.branch() == "side"
    (repo.root / ".git" / "config.lock").touch()  # stands for every reason git has not to write
    assert main.config_set("remora.project", "p-2") is False
    repo.git("checkout", "-q", "--detach")
    assert (main.head(), main.branch()) == (first, None)


def test_a_bare_repository_is_read_from_its_head(repo, tmp_path):
    """There is no work tree, but history and files are there."""
    repo.write(a_py="1").commit("one")
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    r = found(tmp_path / "bare.git")
    assert r.bare
    assert r.root == (tmp_path / "bare.git").resolve()
    assert r.tracked_files() == ("a.py",)
    assert r.files() == ()
    assert [c.subject for c in r.commits()] == ["one"]


def test_commits_come_oldest_first_with_their_files(repo):
    """Order, date in UTC, author by name, subject, body and status of each file."""
    first = repo.write(a_py="1", b_py="1").commit("Add things")
    (repo.root / "b.py").unlink()
    repo.write(a_py="2")
    said, at = "Change a\n\nBecause it was wrong.\nTwo lines.", "2026-01-02T14:00:00+02:00"
    repo.git("commit", "-q", "-a", "-m", said, GIT_AUTHOR_NAME="Grace <g@x.org>", GIT_COMMITTER_DATE=at)
    second = repo.git("rev-parse", "HEAD")
    assert list(found(repo.root).commits()) == [
        Commit(first, (), "2026-01-01T12:00:00.000Z", "Ada", "Add things", "",
               (FileChange("A", "a.py"), FileChange("A", "b.py"))),
        Commit(second, (first,), "2026-01-02T12:00:00.000Z", "Grace", "Change a",
               "Because it was wrong.\nTwo lines.", (FileChange("M", "a.py"), FileChange("D", "b.py"))),
    ]  # fmt: skip


def test_any_file_name_survives(repo):
    """A name that looks like git's own output is still a name."""
    names = {"new\nline.py", "tab\tand “quotes”.py", "M", "R100", "\x01abc.py", " lead.py", "plain.py"}
    for name in names:
        repo.put(name, "1")
    repo.commit("M\n\nR100 a b\n\x01 not a commit")
    repo.put("plain.py", "2")
    repo.commit("two")
    commits = list(found(repo.root).commits())
    assert {f.path for f in commits[0].files} == names == set(found(repo.root).tracked_files())
    assert commits[1].files == (FileChange("M", "plain.py"),)


def test_merges_are_left_out_and_parents_come_first(repo):
    """Both sides of a merge appear, the merge commit does not."""
    repo.write(a_py="1").commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.write(b_py="1").commit("side")
    repo.git("checkout", "-q", "main")
    repo.write(c_py="1").commit("main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    r = found(repo.root)
    assert [c.subject for c in r.commits()] == ["base", "side", "main"]
    assert r.count() == 3


def test_since_and_limit_bound_what_is_read(repo):
    """`since` leaves out what was seen; `limit` keeps the newest, still oldest first."""
    ids = [repo.write(a_py=str(n)).commit(f"c{n}") for n in range(4)]
    r = found(repo.root)
    assert [c.subject for c in r.commits(since=ids[1])] == ["c2", "c3"]
    assert [c.subject for c in r.commits(limit=2)] == ["c2", "c3"]
    assert [c.subject for c in r.commits(until=ids[1])] == ["c0", "c1"]
    assert list(r.commits(since=ids[3])) == []
    assert r.count(since=ids[1]) == 2


def test_a_history_that_was_rewritten_is_told(repo):
    """Another branch has diverged, a lost commit is gone; neither is silently read from."""
    first = repo.write(a_py="1").commit("one")
    second = repo.write(a_py="2").commit("two")
    repo.git("reset", "-q", "--hard", first)
    repo.write(a_py="3").commit("other two")
    r = found(repo.root)
    assert [r.standing(s) for s in (None, first, second, "0" * 40, "no id")] == [
        "new", "continues", "diverged", "gone", "gone",
    ]  # fmt: skip
    assert (r.is_ancestor(first), r.is_ancestor(second), r.is_ancestor("0" * 40)) == (True, False, False)


def test_the_oldest_commits_of_a_shallow_clone_have_no_files(repo, tmp_path):
    """Git would call every file in them new, which is not what happened."""
    for n in range(3):
        repo.write(a_py=str(n), b_py="same").commit(f"c{n}")
    repo.git("clone", "-q", "--depth", "2", repo.root.as_uri(), str(tmp_path / "shallow"))
    r = found(tmp_path / "shallow")
    assert r.shallow
    assert [(c.subject, c.files) for c in r.commits()] == [("c1", ()), ("c2", (FileChange("M", "a.py"),))]


def test_a_partial_clone_is_read_without_fetching(repo, tmp_path):
    """Blobs that are not there are not asked for: only exact renames are seen."""
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.write(a_py="line\n" * 50, b_py="other\n" * 50).commit("one")
    repo.git("mv", "a.py", "moved.py")
    repo.git("mv", "b.py", "edited.py")
    repo.put("edited.py", "other\n" * 50 + "more\n")
    repo.commit("two")
    repo.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", repo.root.as_uri(), str(tmp_path / "partial")
    )
    last = list(found(tmp_path / "partial").commits())[1]
    assert set(last.files) == {
        FileChange("R", "moved.py", "a.py"), FileChange("D", "b.py"), FileChange("A", "edited.py"),
    }  # fmt: skip


def test_a_blob_that_is_lost_costs_renames_and_not_the_history(repo):
    """Each commit is there once; what cannot be compared is told as one file gone and another come."""
    for number in range(3):
        repo.write(**{f"f{number}_py": f"{number}\n" * 50}).commit(f"add {number}")
    repo.git("mv", "f1.py", "moved.py")
    repo.put("moved.py", "1\n" * 50 + "more\n")
    repo.commit("move")
    blob = repo.git("rev-parse", "HEAD:moved.py")
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    commits = list(found(repo.root).commits())
    assert [c.subject for c in commits] == ["add 0", "add 1", "add 2", "move"]
    assert set(commits[-1].files) == {FileChange("D", "f1.py"), FileChange("A", "moved.py")}


def test_tracked_files_leave_out_submodules_and_untracked_files(work, tmp_path):
    """A submodule is another project; `files` also names what could be added."""
    work.init()
    work.write(x_py="1").commit("x")
    repo = type(work)(tmp_path / "outer")
    repo.init()
    repo.write(a_py="1", _gitignore="*.log\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(work.root), "sub")
    repo.commit("one")
    repo.write(new_py="1", debug_log="noise")
    r = found(repo.root)
    assert r.tracked_files() == (".gitignore", ".gitmodules", "a.py")
    assert "new.py" in r.files()
    assert "debug.log" not in r.files()
    assert found(repo.root / "sub").root == (repo.root / "sub").resolve()


def test_the_last_change_of_every_path(repo):
    """The newest commit of each path after another commit, and whether the path went with it."""
    first = repo.write(a_py="1", b_py="1").commit("one")
    repo.write(a_py="2", c_py="1").commit("two")
    repo.git("rm", "-q", "b.py")
    third = repo.write(a_py="3").commit("three")
    r = found(repo.root)
    two, three = "2026-01-02T12:00:00.000Z", "2026-01-03T12:00:00.000Z"
    assert r.last_changes(first, third, 100) == {
        "a.py": LastChange(three, gone=False),
        "b.py": LastChange(three, gone=True),
        "c.py": LastChange(two, gone=False),
    }
    assert set(r.last_changes(None, "HEAD", 1)) == {"a.py", "b.py"}
    assert r.last_changes(third, "HEAD", 100) == {}
    with pytest.raises(SourceError):
        r.last_changes("0" * 40, "HEAD", 100)


def test_a_repository_cannot_run_anything(repo, tmp_path):
    """fsmonitor, external diff, pager and signature programs named by a repository stay unused."""
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n")
    trap.chmod(0o755)
    repo.put(".gitattributes", "*.py diff=evil\n")
    repo.write(a_py="1").commit("one")
    repo.write(a_py="2").commit("two")
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv", "diff.evil.command",
                "gpg.program", "core.sshCommand"):  # fmt: skip
        repo.git("config", key, str(trap))
    repo.git("config", "log.showSignature", "true")
    r = found(repo.root)
    assert len(list(r.commits())) == 2
    assert list(r.last_changes(None, "HEAD", 1)) == ["a.py"]
    assert r.files() == (".gitattributes", "a.py")
    assert not (tmp_path / "sprung").exists()


def test_variables_of_a_hook_do_not_mislead(repo, monkeypatch, tmp_path):
    """Inside a git hook GIT_DIR names another repository; the path that was asked for wins."""
    repo.write(a_py="1").commit("one")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert found(repo.root).tracked_files() == ("a.py",)


def test_another_owner_is_explained(repo, monkeypatch):
    """Git refuses a repository of another user; the error says how to trust it."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(SourceError, match="belongs to another user") as caught:
        Repository.discover(repo.root)
    assert "safe.directory" in caught.value.hint


def test_git_that_is_not_installed_is_explained(repo, monkeypatch, tmp_path):
    """Both ways of starting git say the same."""
    repo.write(a_py="1").commit("one")
    r = found(repo.root)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="not installed"):
        Repository.discover(repo.root)
    with pytest.raises(SourceError, match="not installed"):
        list(tokens(r.root, "log"))


def test_damage_on_the_way_is_told_after_what_was_good(repo):
    """Commits before the damaged one are still read."""
    for n, name in enumerate(("one", "two", "three")):
        repo.write(a_py=str(n)).commit(name)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    read: list[str] = []

    def take_all() -> None:
        for commit in found(repo.root).commits():
            read.append(commit.subject)

    with pytest.raises(SourceError, match="git could not read") as caught:
        take_all()
    assert read[:1] == ["one"]
    assert "git fsck" in caught.value.hint


def test_a_work_tree_whose_repository_moved_is_an_error(repo, tmp_path):
    """A .git file that points nowhere is damage, not the absence of a repository."""
    repo.write(a_py="1").commit("one")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    repo.root.rename(tmp_path / "moved")
    with pytest.raises(SourceError):
        Repository.discover(tmp_path / "side")


def test_what_git_prints_is_taken_as_commits():
    """An empty commit ends where the next begins, a body keeps its indent, what was cut off is no crash."""
    one = [b"\x01a1", b"", b"0", b"A", b"one\n\n  \n    warning: b\n\nwhy\n\n"]
    first, second = parse_log([*one, b"\x01b2", b"a1", b"99999999999999", b"B", b"two", b"\nM", b"x.py"])
    assert (first.sha, first.files, first.body) == ("a1", (), "    warning: b\n\nwhy")
    assert (second.parents, second.body, second.files) == (("a1",), "", (FileChange("M", "x.py"),))
    (only,) = parse_log([b"\x01a1", b"", b"x"])
    assert (only.date, only.author, only.subject) == ("1970-01-01T00:00:00.000Z", "", "")
    assert second.date == only.date
    assert text(b"caf\xe9").encode() == "caf\ufffd".encode()  # can be stored
    assert list(parse_log([])) == list(parse_log([b"M", b"stray.py"])) == []


def test_a_huge_message_is_cut_and_the_next_is_whole(repo, tmp_path):
    """Memory stays bounded whatever a commit message holds."""
    (tmp_path / "message").write_bytes(b"one\n\n" + b"a" * (TOKEN_BYTES + 500_000))
    repo.write(a_py="1")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-F", str(tmp_path / "message"))
    repo.write(a_py="2").commit("two")
    first, second = found(repo.root).commits()
    assert TOKEN_BYTES <= len(first.subject + first.body) <= TOKEN_BYTES + 65536
    assert (first.subject, second.subject) == ("one", "two")
