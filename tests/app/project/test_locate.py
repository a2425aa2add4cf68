"""Which project a path belongs to, where its data lies, and what settings hold there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from remora import Memory
from remora.app.project.locate import branch_of, config_dir, data_dir, known_projects, locate
from remora.core.errors import ConfigError
from remora.sources.git import Repository
from tests.helpers import Repo, environment

ROOT = Path(__file__).resolve().parents[2]


def identity(path: Path, tmp_path: Path) -> str:
    """Return the id of the project that a path belongs to."""
    return locate(path, environment(tmp_path))[0].id


def test_one_repository_one_project(repo: Repo, tmp_path: Path) -> None:
    """Subfolders, files, work trees and links of a repository are one project; its id is 16 hex digits."""
    repo.commit("first", {"src/a.py": "x = 1\n"})
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree), "-b", "other")
    (tmp_path / "link").symlink_to(repo.root)
    first = identity(repo.root, tmp_path)
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    places = [repo.root / "src", repo.root / "src/a.py", tree, tree / "src", tmp_path / "link"]
    assert {identity(place, tmp_path) for place in places} == {first}
    assert repo.git("config", "remora.project") == first


def test_a_moved_folder_keeps_its_memory(repo: Repo, tmp_path: Path) -> None:
    """A repository that was moved and renamed finds its id, its home and what was remembered."""
    with Memory.open(repo.root, environ=environment(tmp_path)) as memory:
        memory.remember("Tokens expire after 24 h")
        home = memory.home
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    repo.root.rename(moved)
    with Memory.open(moved, environ=environment(tmp_path)) as memory:
        assert memory.home == home
        assert memory.root == moved
        assert [m.content for m in memory.list()] == ["Tokens expire after 24 h"]
    assert home.name.startswith("shop-")


def test_a_clone_is_another_project(repo: Repo, tmp_path: Path) -> None:
    """So is a new repository in the place of an old one; who only reads writes no id."""
    locate(repo.root, environment(tmp_path), read_only=True)
    assert "remora" not in (repo.root / ".git/config").read_text()
    assert not (tmp_path / "data").exists()
    repo.git("config", "remora.project", "../../etc")
    repo.commit("first", {"a.py": ""})
    first = identity(repo.root, tmp_path)
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert repo.git("config", "remora.project") == first
    subprocess.run(["git", "clone", "-q", str(repo.root), str(tmp_path / "clone")], check=True)
    assert identity(tmp_path / "clone", tmp_path) != first
    shutil.rmtree(repo.root)
    assert identity(Repo(repo.root).init().root, tmp_path) != first


def test_outside_git(tmp_path: Path) -> None:
    """Without git a folder is known by its real path, and its home has a name that people can read."""
    for name in ("My Shop (new)!", "two"):
        (tmp_path / name).mkdir()
    one = tmp_path / "My Shop (new)!"
    (one / "note.txt").write_text("x")
    (tmp_path / "link").symlink_to(one)
    project, _ = locate(one, environment(tmp_path))
    for same in (one, tmp_path / "link", one / "note.txt"):
        assert identity(same, tmp_path) == project.id
    assert identity(tmp_path / "two", tmp_path) != project.id
    assert project.home == tmp_path / "data/projects" / f"My-Shop-new-{project.id}"
    assert (project.name, project.root) == ("My-Shop-new", one)


def test_a_configuration_that_cannot_be_written(repo: Repo, tmp_path: Path) -> None:
    """While git's configuration is locked the id is a hash of the path, and stays when the lock is gone."""
    held = repo.root / ".git/config.lock"
    held.touch()
    with Memory.open(repo.root, environ=environment(tmp_path)) as memory:
        memory.remember("Tokens expire after 24 h")
        first = memory.project_id
    assert identity(repo.root, tmp_path) == first
    held.unlink()
    assert identity(repo.root, tmp_path) == first
    assert repo.git("config", "remora.project") == first


def test_many_processes_agree(repo: Repo, tmp_path: Path) -> None:
    """Processes that open a new repository at the same moment get the same id."""
    code = "import os, pathlib, sys; from remora.app.project.locate import locate;"
    code += "print(locate(pathlib.Path(sys.argv[1]), os.environ)[0].id)"
    env = {**os.environ, **environment(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(repo.root)]
    started = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    ids = {process.communicate(timeout=60)[0].strip() for process in started}
    assert len(ids) == 1
    assert repo.git("config", "--get-all", "remora.project") == ids.pop()


def test_a_home_in_the_repository(repo: Repo, tmp_path: Path) -> None:
    """`home` in remora.toml moves the data into the main work tree, where git does not see it."""
    repo.commit("first", {"remora.toml": 'home = ".remora"\n'})
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree), "-b", "other")
    with Memory.open(tree, environ=environment(tmp_path)) as memory:
        memory.remember("Tokens expire after 24 h")
        assert memory.home == repo.root / ".remora"
    with Memory.open(repo.root, environ=environment(tmp_path)) as memory:
        assert len(memory.list()) == 1
    assert (repo.root / ".remora/memory.db").exists()
    assert repo.git("status", "--porcelain") == ""


def test_homes_of_submodules_are_their_own(repo: Repo, tmp_path: Path) -> None:
    """A submodule keeps its home in its own folder, not in the git directory that it shares."""
    inner = Repo(tmp_path / "inner").init()
    inner.commit("first", {"remora.toml": 'home = ".remora"\n'})
    repo.commit("first", {"a.py": ""})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "lib")
    project, _ = locate(repo.root / "lib", environment(tmp_path))
    assert project.home == repo.root / "lib/.remora"
    assert project.id != identity(repo.root, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"home = [", r"config\.toml is not valid TOML"),
        (b"\xff\xfe", r"config\.toml is not valid TOML"),
        (b"[search]\nspeed = 3", r"config\.toml: unknown setting 'search\.speed'"),
        (None, "not a regular file"),
    ],
)
def test_unusable_settings(folder: Path, tmp_path: Path, content: bytes | None, message: str) -> None:
    """A file that is no TOML, an unknown setting or a folder is an error that names file and setting."""
    own = tmp_path / "config/config.toml"
    own.parent.mkdir()
    own.mkdir() if content is None else own.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        Memory.open(folder, environ=environment(tmp_path))


def test_data_and_settings_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """REMORA_HOME and REMORA_CONFIG decide; without them the platform's folders; a relative one is fixed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdgc"))
    assert data_dir({"REMORA_HOME": "here"}) == tmp_path / "here"
    assert config_dir({"REMORA_CONFIG": str(tmp_path / "c")}) == tmp_path / "c"
    if sys.platform == "linux":
        assert data_dir({"XDG_DATA_HOME": str(tmp_path / "xdg")}) == tmp_path / "xdg/remora"
        assert config_dir({}) == tmp_path / "xdgc/remora"


def test_the_branch(repo: Repo, tmp_path: Path) -> None:
    """On a branch, in a work tree, detached, outside git, and where the file HEAD does not name it."""
    sha = repo.commit("first", {"a.py": ""})
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree), "-b", "feature/login")
    found = Repository.discover(repo.root)
    assert branch_of(found) == "main"
    assert branch_of(Repository.discover(tree)) == "feature/login"
    repo.git("checkout", "-q", "--detach", sha)
    assert branch_of(found) is None
    assert branch_of(None) is None
    for head in ("ref: refs/heads/.invalid\n", "nonsense\n", ""):
        (repo.root / ".git/HEAD").write_text(head)
        assert branch_of(found) is None


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
