"""A copy of a home that can be used, and what is saved of a damaged database."""

from __future__ import annotations

import random
import tarfile
from pathlib import Path

import pytest

from remora.app.health.backup import Recovery, backup, recover
from remora.app.memory import Memory
from remora.app.project.locate import locate
from remora.core.errors import Conflict, NotFound
from remora.core.values import MemoryDraft
from remora.store import recovery
from remora.store.connection import Connection
from tests.helpers import environment
from tests.store.makers import PAGE, sql


def opened(tmp_path: Path) -> Memory:
    """Open the project of a test, without a model."""
    (tmp_path / "project").mkdir(exist_ok=True)
    return Memory.open(tmp_path / "project", environ=environment(tmp_path))


def filled(tmp_path: Path, number: int) -> Path:
    """Store memories and a note; return the home."""
    with opened(tmp_path) as memory:
        parts = [f"Part{one}x of the gateway talks to queue{one}y" for one in range(number)]
        memory.remember_many([MemoryDraft(text, "gotcha") for text in parts])
        memory.entries.add("plan", "first this, then that")
        memory.session("s").append("user", "hello there")
        return memory._project.location.home


def recovered(tmp_path: Path) -> Recovery:
    """Recover the project of a test, which nobody has open."""
    return recover(locate(tmp_path / "project", environment(tmp_path))[0])


def test_a_backup_unpacked_is_the_same_memory(tmp_path: Path):
    """Databases, notes and logs are in one private file, copied while the memory is open, and no backup."""
    home = filled(tmp_path, 5)
    target = home / "copy.tar"
    (home / ".old.tar.part").write_bytes(b"what is left of one that was interrupted")
    with opened(tmp_path) as memory:
        found = memory.backup(target)
        with pytest.raises(Conflict):
            memory.backup(target)
    assert found.bytes == target.stat().st_size
    assert target.stat().st_mode & 0o077 == 0
    home.rename(tmp_path / "gone")
    home.mkdir()
    with tarfile.open(tmp_path / "gone" / "copy.tar") as tar:
        assert [name for name in tar.getnames() if "tar" in name] == []
        tar.extractall(home, filter="data")
    with opened(tmp_path) as memory:
        assert len(memory.list()) == 5
        assert memory.entries.show("plan").content == "first this, then that"
        assert [m.content for m in memory.session("s").history()] == ["hello there"]


def test_a_sound_database_is_recovered_whole(tmp_path: Path):
    """Nothing is lost, also of what finds near duplicates, and the old file is kept."""
    (tmp_path / "project").mkdir()
    with pytest.raises(NotFound):
        recovered(tmp_path)
    assert list(tmp_path.rglob("memory.db")) == []
    filled(tmp_path, 30)
    said = "The gateway retries every failed request three times before it gives up and tells the queue"
    with opened(tmp_path) as memory:
        first = memory.remember(said, type="gotcha").id
    found = recovered(tmp_path)
    (memories,) = [one for one in found.tables if one.table == "memories"]
    assert (memories.rows, memories.refused, memories.whole) == (31, 0, True)
    assert Path(found.damaged).exists()
    with opened(tmp_path) as memory:
        assert memory.search("gateway queue7y")[0].text.startswith("Part7x")
        assert memory.doctor() is not None
        assert memory.remember(said.replace("gives up", "gives in"), type="gotcha").id == first
        assert len(memory.list(limit=100)) == 31


def test_what_a_person_decided_holds_after_a_recovery(tmp_path: Path):
    """Erased and corrected rules stay away; trust, spans without memory and triggers are as they were."""
    home = filled(tmp_path, 1)
    rules = "- Run `just ci` before you push to the server.\n- Always keep prices in whole euros.\n"
    (tmp_path / "project" / "AGENTS.md").write_text(rules)

    def said(memory: Memory) -> list[str]:
        return sorted(record.content for record in memory.list())

    with opened(tmp_path) as memory:
        memory.init()
        memory.erase(containing="just ci")
        (wrong,) = [record for record in memory.list() if "euros" in record.content]
        memory.wrong(wrong.id, right="Prices are kept in cents")
        memory.remember("Commits are signed", triggers={"when": ["before each commit"]})
        db = memory._project.db
        with db.transaction():
            db.meta.set("off", {"spans": [[1, 2]], "sessions": []})
            db.meta.set("trust", {"level": 3})
        before = said(memory)
    counted = {t: f"SELECT count(*) FROM {t}" for t in recovery.TABLES if t != "memory_revisions"}
    counts = {table: sql(home / "memory.db", count) for table, count in counted.items()}
    recovered(tmp_path)
    assert {table: sql(home / "memory.db", count) for table, count in counted.items()} == counts
    with opened(tmp_path) as memory:
        assert memory._project.db.meta.get("off") == {"spans": [[1, 2]], "sessions": []}
        assert memory._project.db.meta.get("trust") == {"level": 3}
        memory.init()
        assert said(memory) == before


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[int]]:
    """A database of 400 memories, made once, and its pages without those that list its tables."""
    path = filled(tmp_path_factory.mktemp("large"), 400) / "memory.db"
    pages = sql(path, "SELECT pageno - 1 FROM dbstat WHERE name <> 'sqlite_schema' ORDER BY pageno")
    return path.read_bytes(), [page for (page,) in pages]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_what_can_be_read_is_saved(tmp_path: Path, large: tuple[bytes, list[int]], seed: int):
    """Pages are overwritten or cut off anywhere: a sound new file, with the rows of the sound pages."""
    whole, pages = large
    database = filled(tmp_path, 1) / "memory.db"
    data = bytearray(whole)
    dice = random.Random(seed)
    for _ in range(3):
        page = dice.choice(pages)
        data[page * PAGE : (page + 1) * PAGE] = dice.choice([bytes(PAGE), dice.randbytes(PAGE)])
    if seed % 4 == 3:
        del data[dice.randrange(len(data) // 2, len(data)) :]
    database.write_bytes(data)
    saved = {one.table: one.rows for one in recovered(tmp_path).tables}["memories"]
    with opened(tmp_path) as memory:
        assert len(memory.list(limit=1_000)) == saved
        assert memory._project.db.connection.check() == []
    assert saved >= (20 if seed % 4 == 3 else 100)


def test_a_memory_whose_row_is_lost_is_made_again_from_its_changes(tmp_path: Path):
    """Its text is the last one, and it is found."""
    home = filled(tmp_path, 3)
    with opened(tmp_path) as memory:
        one = memory.list()[0]
        memory.edit(one.id, content="The relay listens on port 7070")
    sql(home / "memory.db", f"DELETE FROM memories WHERE id = '{one.id}'")
    recovered(tmp_path)
    with opened(tmp_path) as memory:
        assert memory.show(one.id).content == "The relay listens on port 7070"
        assert memory.search("relay port")[0].id == one.id


def test_a_change_that_cannot_be_read_stops_no_recovery(tmp_path: Path):
    """Its memory is lost with it; the others are made again."""
    home = filled(tmp_path, 3)
    sql(
        home / "memory.db",
        "UPDATE memory_revisions SET fields = '{\"content' WHERE n = 1",
        'UPDATE memory_revisions SET fields = \'{"content": "x"}\' WHERE n = 2',
        "DELETE FROM memories",
    )
    recovered(tmp_path)
    with opened(tmp_path) as memory:
        assert len(memory.list()) == 1
        assert memory._project.db.connection.check() == []


def test_a_file_that_appears_while_a_backup_is_made_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever made it meanwhile keeps it, and nothing else is left behind."""
    memory = opened(tmp_path)
    target = tmp_path / "copy.tar"
    copy = Connection.copy

    def copied(source: Path, to: Path) -> None:
        copy(source, to)
        target.write_text("somebody else's")

    monkeypatch.setattr(Connection, "copy", staticmethod(copied))
    with memory, pytest.raises(Conflict, match="already exists"):
        backup(memory._project.location.home, target)
    assert target.read_text() == "somebody else's"
    assert list(tmp_path.glob(".copy*")) == []
