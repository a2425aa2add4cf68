"""What stands in the way of good answers, and the databases that a moved home leaves behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from remora import Memory
from remora.app.health.doctor import diagnose
from tests.helpers import FakeEmbedder, Repo, environment

SETTINGS = 'home = ".remora"\n'


def others(folder: Path, environ: dict[str, str]) -> list[str]:
    """Return what the doctor says of other databases."""
    return [
        f"{f.detail}; {f.advice}" for f in diagnose(folder, environ).findings if f.what == "other database"
    ]


def remember(folder: Path, environ: dict[str, str], *texts: str) -> Path:
    """Remember something and return the home that it went to."""
    with Memory.open(folder, environ=environ) as memory:
        for text in texts:
            memory.remember(text, type="pattern")
        return memory.home


def test_all_is_well(bare: Memory) -> None:
    """Where nothing is wrong there is nothing to say."""
    bare.remember("Tokens expire after 24 h", type="decision")
    assert bare.reminders() == bare.reminders(vectors=True) == ()


def test_what_waits_for_a_vector(able: Memory, embedder: FakeEmbedder) -> None:
    """A backlog is counted, with the command that works it off; not where the model itself fails."""
    able.remember("Tokens expire after 24 h", type="decision")
    assert able.reminders() == ()
    assert able.reminders(vectors=True) == ("1 memory has no vector yet; `remora reindex` computes it",)
    able.remember("Caches are keyed by tenant", type="gotcha")
    able.session("cli:1").append("user", "We moved the refresh into the gateway")
    assert able.reminders(vectors=True)[0].startswith("3 memories and turns have no vector yet;")
    embedder.broken = True
    able.catch_up()
    assert able.reminders(vectors=True) == ()
    embedder.broken = False
    able.reindex()
    assert able.reminders(vectors=True) == ()


@pytest.mark.parametrize("in_git", [True, False], ids=["git", "folder"])
def test_home_moved_into_the_repository(tmp_path: Path, *, in_git: bool) -> None:
    """What the data folder holds is named until it is the home again, or gone."""
    folder, environ = tmp_path / "shop", environment(tmp_path)
    repo = Repo(folder)
    if in_git:
        repo.init()
    old = remember(folder, environ, "Tokens expire after 24 h", "Caches are keyed by tenant")
    assert others(folder, environ) == []
    (folder / "remora.toml").write_text(SETTINGS)
    said = (
        f"another database of this project with 2 memories is in {old}; {folder}/.remora is in use. "
        "To use that one, remove `home` from the settings; delete the folder when you no longer need it"
    )
    assert others(folder, environ) == [f"{said}."]
    assert not (folder / ".remora").exists(), "the doctor makes nothing"
    with Memory.open(folder, environ=environ) as memory:
        assert memory.reminders() == (said,)
    (old / "memory.db").unlink()
    assert others(folder, environ) == []


def test_home_moved_out_of_the_repository(repo: Repo, tmp_path: Path) -> None:
    """A former home in the repository is found from every work tree, one in a hidden folder too."""
    environ = environment(tmp_path)
    repo.commit("begin", {"a.py": "a"})
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    for home in (".remora", ".agent/memory"):
        (repo.root / "remora.toml").write_text(f'home = "{home}"\n')
        remember(repo.root, environ, f"Remembered in {home}")
    (repo.root / "remora.toml").unlink()
    for place in (repo.root, tree):
        first, second = others(place, environ)
        assert "with 1 memory is in" in first
        assert "To use that one, set `home` to '.remora' in remora.toml" in first
        assert "To use that one, set `home` to '.agent/memory' in remora.toml" in second


def test_what_is_no_other_database(repo: Repo, tmp_path: Path) -> None:
    """An empty database, another project's, another program's and a folder of that name are passed over."""
    environ = environment(tmp_path)
    repo.commit("begin", {"a.py": "a"})
    remember(repo.root, environ, "Tokens expire after 24 h")
    (repo.root / "folder" / "memory.db").mkdir(parents=True)
    for name in ("theirs", "garbage", "inner"):
        (repo.root / name).mkdir()
    with closing(sqlite3.connect(repo.root / "theirs" / "memory.db")) as theirs:
        theirs.execute("CREATE TABLE memories (id)")
    (repo.root / "garbage" / "memory.db").write_text("no database " * 100)
    inner = environment(tmp_path) | {"REMORA_PROJECT_HOME": str(repo.root / "inner")}
    Repo(tmp_path / "other").init()
    remember(tmp_path / "other", inner, "Of another project")
    empty = environ | {"REMORA_PROJECT_HOME": str(repo.root / "empty")}
    remember(repo.root, empty)
    assert (repo.root / "empty" / "memory.db").exists()
    assert others(repo.root, environ) == []


def test_conversations_alone_count(repo: Repo, tmp_path: Path) -> None:
    """A database without memories that holds turns is named without a number."""
    environ = environment(tmp_path)
    with Memory.open(repo.root, environ=environ | {"REMORA_PROJECT_HOME": str(repo.root / "talk")}) as memory:
        memory.session("cli:1").append("user", "We moved the refresh into the gateway")
    (said,) = others(repo.root, environ)
    assert said.startswith(f"another database of this project is in {repo.root / 'talk'};")


def test_a_database_that_cannot_be_read(repo: Repo, tmp_path: Path) -> None:
    """A database of ours that cannot be opened, being of a newer version, may hold something and is named."""
    environ = environment(tmp_path)
    talk = repo.root / "talk"
    remember(repo.root, environ | {"REMORA_PROJECT_HOME": str(talk)}, "Tokens expire after 24 h")
    with closing(sqlite3.connect(talk / "memory.db")) as theirs:
        theirs.execute("PRAGMA user_version = 9999")
    (said,) = others(repo.root, environ)
    assert f"is in {talk};" in said


def test_own_database_that_cannot_be_opened(tmp_path: Path, folder: Path) -> None:
    """Lists and counts go on without the user's database and say why."""
    environ = environment(tmp_path)
    user = Path(environ["REMORA_HOME"]) / "user"
    user.mkdir(parents=True)
    (user / "memory.db").write_text("no database " * 100)
    with Memory.open(folder, environ=environ) as memory:
        kept = memory.remember("Tokens expire after 24 h", type="decision")
        assert [m.id for m in memory.list()] == [kept.id]
        (said,) = memory.reminders()
        assert said.startswith("your own memories cannot be read: ")
        assert memory.stats().notes == (said,)
        assert memory.stats().memories == 1
