"""Opening, transactions, durability, and what every kind of broken file or disk turns into."""
# ruff: noqa: PT012  (an error comes out of a transaction, and a transaction is a block)

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from remora.core.errors import (
    InvalidInput,
    RemoraError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from remora.core.values import Filters
from remora.store import migrations
from remora.store.connection import APPLICATION_ID, Connection, translate
from remora.store.memories import Memories
from remora.store.turns import Turns
from tests.helpers import unprivileged
from tests.store import old_files
from tests.store.makers import PAGE, add, at_once, damage, files_of, message, record, sql

NEXT = migrations.latest() + 1


def put(connection: Connection, key: str, value: str = "1") -> None:
    """Write one row of the smallest table."""
    connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))


def keys(connection: Connection) -> list[str]:
    """Return what `put` has written."""
    sql = "SELECT key FROM meta WHERE key NOT IN ('device', 'trial.salt') ORDER BY key"
    return [r[0] for r in connection.rows(sql)]


def opened(path: Path) -> contextlib.closing[Connection]:
    """Open a file for a block."""
    return contextlib.closing(Connection.open(path))


@pytest.fixture
def other(connection: Connection) -> Iterator[Connection]:
    """A second opening of the file of `connection`."""
    with opened(connection.path) as found:
        yield found


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user can reach, with a database in it."""
    folder = Path(tempfile.mkdtemp(prefix="remora-store-"))
    folder.chmod(0o755)
    with opened(folder / "memory.db") as connection, connection.transaction():
        put(connection, "kept")
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


# A new file, and pragmas


def test_new_file_is_ours(tmp_path: Path):
    """A new file has our mark, the newest schema, WAL and foreign keys; closed, it is one unusable file."""
    connection = Connection.open(tmp_path / "memory.db")
    assert connection.value("PRAGMA application_id") == APPLICATION_ID
    assert connection.schema() == migrations.latest()
    assert connection.value("PRAGMA journal_mode") == "wal"
    assert connection.value("PRAGMA foreign_keys") == 1
    assert connection.check() == []
    connection.close()
    connection.close()
    assert list(files_of(tmp_path)) == ["memory.db"]
    with pytest.raises(StoreError):
        connection.rows("SELECT 1")


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_durable_transactions_wait_for_the_disk(connection: Connection, durable: bool, level: int):
    """A durable transaction runs with synchronous=FULL (2), another with NORMAL (1), whatever came before."""
    for before in (True, False):
        with connection.transaction(durable=before):
            put(connection, "a")
        with connection.transaction(durable=durable):
            assert connection.value("PRAGMA synchronous") == level


# Transactions


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_exception_rolls_back(connection: Connection, error: type[BaseException]):
    """Whatever ends a block early undoes it, also an error of the database, and the next block works."""
    with pytest.raises(error), connection.transaction():
        put(connection, "a")
        raise error("stop")
    for statement, what in (
        ("INSERT INTO nowhere VALUES (1)", "nowhere"),
        ("INSERT INTO memory_files VALUES ('a.py', 'nobody')", "FOREIGN KEY"),
    ):
        with pytest.raises(StoreError, match=what), connection.transaction():
            put(connection, "a")
            connection.execute(statement)
    with connection.transaction():
        put(connection, "b")
    assert keys(connection) == ["b"]


def test_nested_transactions_are_one(connection: Connection, other: Connection):
    """What a nested block writes is seen outside when the outer block ends, or undone with it."""
    assert not connection.writing()
    with connection.transaction():
        put(connection, "a")
        with connection.transaction(), connection.transaction(durable=False):
            put(connection, "b")
            assert connection.writing()
        assert connection.writing()
        assert keys(other) == []
    assert keys(other) == ["a", "b"]
    with pytest.raises(ValueError), connection.transaction():
        with connection.transaction():
            put(connection, "c")
        raise ValueError
    assert keys(other) == ["a", "b"]
    assert not connection.writing()


def test_caught_nested_failure_undoes_the_nested_block_alone(connection: Connection):
    """Who catches a nested block's error goes on without what that block had written."""
    with connection.transaction():
        put(connection, "a")
        with contextlib.suppress(ValueError), connection.transaction():
            put(connection, "b")
            with connection.transaction():
                put(connection, "c")
            raise ValueError
        with contextlib.suppress(StoreError), connection.transaction():
            put(connection, "d")
            connection.execute("INSERT INTO nowhere VALUES (1)")
        put(connection, "e")
    assert keys(connection) == ["a", "e"]


def test_a_block_can_be_undone_at_its_end(connection: Connection):
    """A block for a dry run sees what it writes, and nothing of it stays; nested, it is undone alone."""
    version = connection.version()
    with connection.transaction(undo=True):
        put(connection, "a")
        assert keys(connection) == ["a"]
    assert (keys(connection), connection.version()) == ([], version)
    with connection.transaction():
        put(connection, "b")
        with connection.transaction(undo=True):
            put(connection, "c")
    assert keys(connection) == ["b"]


def test_durable_block_cannot_hide_in_one_that_is_not(connection: Connection):
    """A promise that could not be kept is refused, not weakened."""
    with (
        pytest.raises(StoreError, match="durable"),
        connection.transaction(durable=False),
        connection.transaction(),
    ):
        put(connection, "a")
    assert keys(connection) == []


def test_threads_share_one_connection(connection: Connection):
    """Transactions of several threads come one after the other, and none is lost."""
    with connection.transaction():
        put(connection, "n", "0")

    def count() -> None:
        for _ in range(25):
            with connection.transaction(durable=False):
                number = int(connection.value("SELECT value FROM meta WHERE key = 'n'"))
                put(connection, "n", str(number + 1))

    at_once(count)
    assert connection.value("SELECT value FROM meta WHERE key = 'n'") == "100"


def test_version_changes_with_every_commit(connection: Connection, other: Connection):
    """Own and foreign commits change the version; reading and rolling back do not."""
    seen = [connection.version()]
    for writer, durable in ((connection, True), (other, True), (other, False)):
        with writer.transaction(durable=durable):
            put(writer, "a")
        seen.append(connection.version())
    assert len(set(seen)) == 4
    keys(connection)
    with contextlib.suppress(ValueError), connection.transaction():
        put(connection, "d")
        raise ValueError
    assert connection.version() == seen[-1]


def test_bad_values_are_refused(connection: Connection):
    """Half a Unicode sign and a number beyond 64 bits are bad input, and nothing is written."""
    for value in ("half \ud800", 2**63):
        with pytest.raises(InvalidInput, match="cannot hold") as caught, connection.transaction():
            put(connection, "a")
            connection.execute("INSERT INTO meta VALUES ('b', ?)", (value,))
        assert caught.value.hint
    with pytest.raises(InvalidInput):
        connection.rows("SELECT * FROM meta WHERE key = ?", ("\udc80",))
    with pytest.raises(InvalidInput), connection.transaction():
        connection.execute_many("INSERT INTO meta VALUES (?, ?)", [("c", "\udc80")])
    assert keys(connection) == []


# Several processes


def test_another_writer_is_waited_for_and_then_reported(connection: Connection, other: Connection):
    """A held write lock gives StoreBusy after the wait, and the wait of the next block is as before."""
    started = time.monotonic()
    with other.transaction():
        put(other, "a")
        with (
            pytest.raises(StoreBusy, match="locked by another process") as caught,
            connection.transaction(wait=0.05),
        ):
            put(connection, "b")
        assert keys(connection) == []  # reading goes on
    assert time.monotonic() - started < 5
    assert caught.value.retryable
    assert connection.value("PRAGMA busy_timeout") > 1_000
    with connection.transaction(wait=0.05):
        put(connection, "c")
    assert keys(connection) == ["a", "c"]


def test_processes_make_one_file_together(tmp_path: Path):
    """Processes that open a new file at the same moment all get it whole, five times over."""
    who = ["a", "b", "c"]
    fork = multiprocessing.get_context("fork")
    start = fork.Barrier(len(who))

    def make(me: str) -> None:
        for number in range(5):
            start.wait(30)
            with opened(tmp_path / f"{number}.db") as connection, connection.transaction():
                put(connection, me)

    running = [fork.Process(target=make, args=(me,)) for me in who]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a worker of xdist has a second thread
        for process in running:
            process.start()
    for process in running:
        process.join(60)
    assert [process.exitcode for process in running] == [0, 0, 0]
    for number in range(5):
        with opened(tmp_path / f"{number}.db") as connection:
            assert (keys(connection), connection.check()) == (who, [])


# Files that are not what they should be


def refused(path: Path, error: type[RemoraError], *, read_only: bool = False) -> RemoraError:
    """Open a file that cannot be used; nothing in its folder may change."""
    before = files_of(path.parent)
    with pytest.raises(error) as caught:
        Connection.open(path, read_only=read_only)
    assert type(caught.value) is error
    assert str(path) in str(caught.value)
    assert caught.value.hint
    assert files_of(path.parent) == before
    return caught.value


def test_newer_file_with_a_log_is_refused_untouched(tmp_path: Path):
    """What a crash of a newer version left beside its file is not folded back by us."""
    living, left = tmp_path / "living", tmp_path / "left"
    living.mkdir()
    left.mkdir()
    with opened(living / "memory.db") as connection:
        connection.rows(f"PRAGMA user_version = {NEXT}")
        for name in ("memory.db", "memory.db-wal"):
            shutil.copy(living / name, left / name)
    before = files_of(left)
    assert before["memory.db-wal"]
    with pytest.raises(StoreTooNew):
        Connection.open(left / "memory.db")
    after = files_of(left)
    assert {name: after[name] for name in before} == before


def test_older_file_is_not_migrated_by_a_reader(tmp_path: Path):
    """A read-only opening of an old file says who can bring it up to date, and leaves it."""
    old_files.make(1, tmp_path / "memory.db")
    error = refused(tmp_path / "memory.db", StoreTooNew, read_only=True)
    assert "Open it once for writing" in error.hint


def newer(path: Path, mode: str) -> None:
    """Make a file that a newer version wrote."""
    Connection.open(path).close()
    sql(path, f"PRAGMA journal_mode = {mode}", f"PRAGMA user_version = {NEXT}")


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: sql(path, "CREATE TABLE cookies(host)"), StoreCorrupt),
        (lambda path: sql(path, "PRAGMA application_id = 99"), StoreCorrupt),
        (lambda path: path.write_bytes(b"not a database at all, but long enough " * 40), StoreCorrupt),
        (lambda path: path.write_bytes(bytes(5000)), StoreCorrupt),
        (lambda path: path.write_bytes(b"xy"), StoreCorrupt),
        (lambda path: path.mkdir(), StoreReadOnly),
        (lambda path: newer(path, "WAL"), StoreTooNew),
        (lambda path: newer(path, "DELETE"), StoreTooNew),
    ],
    ids=["another", "mark", "text", "zeros", "short", "folder", "newer in WAL", "newer"],
)
def test_what_is_not_ours_is_refused_untouched(
    tmp_path: Path, make: Callable[[Path], object], error: type[RemoraError], read_only: bool
):
    """Another program's database, even an empty one, garbage, a folder and a newer file stay as they were."""
    make(tmp_path / "memory.db")
    found = refused(tmp_path / "memory.db", error, read_only=read_only)
    assert error is not StoreTooNew or str(NEXT) in str(found)


def test_a_reader_makes_no_file(tmp_path: Path):
    """A writer makes a database of a file that is missing or empty, in a folder that is there."""
    refused(tmp_path / "memory.db", StoreReadOnly, read_only=True)
    with pytest.raises(StoreReadOnly, match="nowhere"):
        Connection.open(tmp_path / "nowhere" / "memory.db")
    (tmp_path / "memory.db").touch()
    refused(tmp_path / "memory.db", StoreCorrupt, read_only=True)
    with opened(tmp_path / "memory.db") as connection:
        assert connection.check() == []


def filled(folder: Path) -> Path:
    """Make a closed database of some hundred pages."""
    words = " ".join(f"word{n}" for n in range(200))
    records = [record(f"m-{n:03}", f"{words} {n}") for n in range(100)]
    with opened(folder / "memory.db") as connection:
        add(Memories(connection, "project"), *records)
    return folder / "memory.db"


@pytest.mark.parametrize("share", [0.05, 0.95])
def test_truncated_file(tmp_path: Path, share: float):
    """A file that lost its end is refused at once or reported when the missing part is read."""
    path = filled(tmp_path)
    os.truncate(path, int(path.stat().st_size * share) // PAGE * PAGE)
    try:
        connection = Connection.open(path)
    except StoreCorrupt as error:
        found = [error.hint]
    else:
        found = connection.check()
        connection.close()
    assert found
    assert all(found)


def test_damaged_page_is_reported(tmp_path: Path):
    """A page of garbage in the middle makes the reads that need it fail as damage, with what to do."""
    path = filled(tmp_path)
    ((root,),) = sql(path, "SELECT rootpage FROM sqlite_master WHERE name = 'memories'")
    damage(path, root - 1)
    with opened(path) as connection:
        with pytest.raises(StoreCorrupt) as caught:
            Memories(connection, "project").find(Filters())
        assert "remora init" in caught.value.hint
        assert connection.check() != []
        with pytest.raises(StoreCorrupt), connection.transaction():
            connection.execute("UPDATE memories SET content = 'x'")


@pytest.mark.parametrize(
    ("broken", "table", "rows"),
    [
        ("DELETE FROM memories_fts WHERE rowid = 1", "memories_fts", "memories"),
        ("UPDATE memories_fts SET content = 'other' WHERE rowid = 1", "memories_fts", "memories"),
        ("INSERT INTO memories_fts(rowid, content) VALUES (9, 'x')", "memories_fts", "memories"),
        (
            """INSERT INTO turns_fts(turns_fts, rowid, content, role, time, search_terms)
               VALUES ('delete', 1, 'one', 'user', NULL, '')""",
            "turns_fts",
            "turns",
        ),
        ("DELETE FROM turn_windows_fts WHERE rowid = 2", "turn_windows_fts", "turns"),
    ],
)
def test_check_finds_what_the_index_lacks(connection: Connection, broken: str, table: str, rows: str):
    """`check` names each FTS table whose entries are not its rows: missing, too many, or of other words."""
    add(Memories(connection, "project"), record("m-1"), record("m-2"))
    with connection.transaction():
        Turns(connection).add("s", "s.jsonl", [message(1, "one"), message(2, "two")], 10, "now")
    assert connection.check() == []
    with connection.transaction():
        connection.execute(broken)
    assert connection.check() == [f"{table} and {rows} differ in 1 rows"]


# Disks and permissions


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "log"),
    [
        (0o444, 0o755, b""),
        (0o444, 0o555, b""),
        (0o644, 0o555, b""),
        (0o000, 0o755, b""),
        (0o644, 0o555, b"x" * 64),
    ],
)
def test_file_without_permission_to_write(shared_folder: Path, file_mode: int, folder_mode: int, log: bytes):
    """A file or folder that may not be written is a StoreReadOnly that says what to check.

    A log that a crash left, and that nobody can fold back, belongs to the file: without it the file may be
    half of a change, also for who only reads.
    """
    path = shared_folder / "memory.db"
    if log:
        path.with_name("memory.db-wal").write_bytes(log)
    path.chmod(file_mode)
    shared_folder.chmod(folder_mode)
    with unprivileged(), pytest.raises(StoreReadOnly, match=r"memory\.db") as caught:
        Connection.open(path, read_only=bool(log))
    assert caught.value.hint
    path.chmod(0o644)
    shared_folder.chmod(0o755)
    with opened(path) as connection:
        assert keys(connection) == ["kept"]


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o444, 0o555), (0o644, 0o555)])
def test_file_for_reading_only_can_be_read(shared_folder: Path, file_mode: int, folder_mode: int):
    """Also where SQLite's own files cannot be made beside it; what somebody else writes is noticed."""
    path = shared_folder / "memory.db"
    path.chmod(file_mode)
    shared_folder.chmod(folder_mode)
    with unprivileged():
        reader = Connection.open(path, read_only=True)
        assert keys(reader) == ["kept"]
        with pytest.raises(StoreReadOnly), reader.transaction():
            put(reader, "b")
    path.chmod(0o644)
    shared_folder.chmod(0o755)
    writer = Connection.open(path)
    for file in shared_folder.iterdir():
        file.chmod(0o644)  # whoever writes takes the file from all others
    with writer.transaction():
        put(writer, "more")
    with unprivileged():
        if folder_mode == 0o555:
            with pytest.raises(StoreBusy, match="was changed"):
                keys(reader)
        else:
            assert keys(reader) == ["kept", "more"]
    reader.close()
    writer.close()
    shared_folder.chmod(folder_mode)
    with unprivileged():
        reader = Connection.open(path, read_only=True)
        assert keys(reader) == ["kept", "more"]
        reader.close()


def test_full_disk_loses_nothing(connection: Connection):
    """A disk without room gives StoreFull, also in a nested block, and works again when there is room."""
    memories = Memories(connection, "project")
    add(memories, record("m-1"))
    limit = connection.value("PRAGMA max_page_count")
    connection.rows(f"PRAGMA max_page_count = {connection.value('PRAGMA page_count')}")
    with pytest.raises(StoreFull, match="no space left") as caught, connection.transaction():
        put(connection, "a")
        with connection.transaction():
            put(connection, "b", "long text " * 100_000)
    assert caught.value.retryable
    assert "disk space" in caught.value.hint
    assert (keys(connection), connection.writing()) == ([], False)
    assert [m.id for m in memories.find(Filters())] == ["m-1"]
    connection.rows(f"PRAGMA max_page_count = {limit}")
    add(memories, record("m-2", "room again"))
    assert connection.check() == []
    assert len(memories.find(Filters())) == 2


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (apsw.BusyError, StoreBusy),
        (apsw.LockedError, StoreBusy),
        (apsw.ProtocolError, StoreBusy),
        (apsw.CorruptError, StoreCorrupt),
        (apsw.NotADBError, StoreCorrupt),
        (apsw.FullError, StoreFull),
        (apsw.ReadOnlyError, StoreReadOnly),
        (apsw.PermissionsError, StoreReadOnly),
        (apsw.CantOpenError, StoreReadOnly),
        (apsw.IOError, StoreError),
    ],
)
def test_errors_of_sqlite_become_ours(error: type[apsw.Error], ours: type[RemoraError]):
    """Each error of SQLite has one class of ours, which names the file and keeps SQLite's words."""
    found = translate(error("so it is"), Path("memory.db"))
    assert type(found) is ours
    assert "memory.db" in str(found)
    assert "so it is" in str(found)
