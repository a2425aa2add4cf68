"""Carriers: lines arrive whole and in order, whoever writes at a time.

The SQL that servers get runs against SQLite, and libSQL's protocol against a server of the test's own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import ConfigError, InvalidInput, SourceError
from remora.sharing.addresses import open_carrier
from remora.sharing.carrier import BATCH, Carrier
from remora.sharing.carriers import postgresql
from remora.sharing.carriers.libsql import LibSQL
from remora.sharing.carriers.sql import TABLES, SqlCarrier, Statement
from remora.sharing.entries import Entry, seal
from remora.sharing.keys import new_seed
from tests.helpers import Repo

SEED, SPACE, ONE, TWO = new_seed(), "5" * 32, "a" * 32, "b" * 32
Open = Callable[[str], Carrier]
SERVERS = pytest.mark.parametrize("carrier", ["sql", "libsql"], indirect=True)


def line(n: int, text: str = "x") -> str:
    """Return the line of an entry."""
    fields = {"content": text}
    entry = Entry(SPACE, ONE, n, f"r{n}-{text}", "m", (), "0" * 19, "team", "edit", "person", fields)
    return seal(SEED, entry).line


class Lite(SqlCarrier):
    """A log in a database in memory."""

    author = "ann"

    def __init__(self) -> None:
        super().__init__(SPACE)
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for table in TABLES:
            self._connection.execute(table)

    def rows(self, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return rows."""
        return self._connection.execute(sql, values).fetchall()

    def write(self, statements: Sequence[Statement]) -> None:
        """Run statements in a transaction."""
        self._connection.execute("BEGIN")
        try:
            for sql, values in statements:
                self._connection.execute(sql, values)
        except sqlite3.Error:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


class Pipeline(BaseHTTPRequestHandler):
    """Answers `POST /v2/pipeline` as libSQL does, from a database in memory."""

    lite: Lite

    def do_POST(self) -> None:
        """Run one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        (request,) = asked["requests"]
        if request["type"] == "execute":
            rows = self.lite.rows(request["stmt"]["sql"], _values(request["stmt"]))
            result: dict[str, Any] = {"rows": [[_cell(value) for value in row] for row in rows]}
        else:
            result = {"step_errors": self._batch(request["batch"]["steps"])}
        found = {"type": "ok", "response": {"type": request["type"], "result": result}}
        body = json.dumps({"results": [found]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _batch(self, steps: list[dict[str, Any]]) -> list[dict[str, str] | None]:
        fine: list[bool] = []
        errors: list[dict[str, str] | None] = []
        for step in steps:
            condition = step.get("condition")
            if condition and condition["type"] == "ok" and not fine[condition["step"]]:
                fine.append(False)
                errors.append(None)
                continue
            if condition and condition["type"] == "not" and fine[condition["cond"]["step"]]:
                continue
            try:
                self.lite.rows(step["stmt"]["sql"], _values(step["stmt"]))
                fine.append(True)
                errors.append(None)
            except sqlite3.Error as error:
                fine.append(False)
                errors.append({"message": str(error)})
        return errors

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  the base class's name
        """Say nothing."""


def _values(statement: dict[str, Any]) -> list[Any]:
    return [int(a["value"]) if a["type"] == "integer" else a["value"] for a in statement["args"]]


def _cell(value: Any) -> dict[str, str]:
    return {"type": "integer" if isinstance(value, int) else "text", "value": str(value)}


@pytest.fixture(params=["folder", "git", "sql", "libsql"])
def carrier(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Return a way to open the carrier of a machine by its name; tables are in memory, here or over HTTP."""
    if request.param == "folder":
        (tmp_path / "carried").mkdir()
        yield lambda name: open_carrier(f"folder:{tmp_path}/carried", SPACE, tmp_path / name, {})
    elif request.param == "git":
        Repo(tmp_path).git("init", "-q", "--bare", "remote.git")

        def opened(name: str) -> Carrier:
            if not (tmp_path / name).exists():
                Repo(tmp_path).git("clone", "-q", "remote.git", name)
            return open_carrier("git", SPACE, tmp_path / name, os.environ)

        yield opened
    elif request.param == "sql":
        lite = Lite()
        yield lambda _: lite
        lite.close()
    else:
        server = HTTPServer(("127.0.0.1", 0), type("Own", (Pipeline,), {"lite": Lite()}))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        found = LibSQL(f"libsql+http://127.0.0.1:{server.server_port}", SPACE, "")
        found.found()
        yield lambda _: found
        found.close()
        server.shutdown()
        server.server_close()


def test_an_empty_log(carrier: Open) -> None:
    """Before anybody wrote there is nothing, and that is no error."""
    found = carrier("one")
    assert (found.last(), found.uses(), found.read(ONE, 0)) == ({}, {}, [])


def test_lines_arrive_in_order(carrier: Open) -> None:
    """What one machine appends another reads, from any number on, over more than one file."""
    lines = [line(n) for n in range(1, BATCH + 51)]
    one, two = carrier("one"), carrier("two")
    one.last()
    one.append(ONE, lines[:30], 0)
    one.append(ONE, lines[30:], 30)
    assert two.last() == {ONE: BATCH + 50}
    assert two.read(ONE, 0) == lines[:BATCH]
    assert two.read(ONE, BATCH - 2, 4) == lines[BATCH - 2 : BATCH + 2]


def test_what_is_there_stays(carrier: Open) -> None:
    """Appending the same lines twice, as after a crash, changes nothing."""
    one = carrier("one")
    one.last()
    one.append(ONE, [line(1), line(2)], 0)
    one.append(ONE, [line(1, "other"), line(2, "other"), line(3)], 0)
    assert one.read(ONE, 0) == [line(n) for n in (1, 2, 3)]


def test_bodies_are_emptied(carrier: Open) -> None:
    """A line is replaced at its number, and nothing else moves."""
    one = carrier("one")
    one.last()
    one.append(ONE, [line(n) for n in (1, 2, 3)], 0)
    one.empty(ONE, {2: "-"})
    assert carrier("two").last() == {ONE: 3}
    two = carrier("two")
    two.last()
    assert two.read(ONE, 0) == [line(1), "-", line(3)]


def test_uses_are_replaced(carrier: Open) -> None:
    """Each machine has its own counts."""
    one, two = carrier("one"), carrier("two")
    one.last(), two.last()
    one.put_uses(ONE, "[1]")
    two.put_uses(TWO, "[2]")
    one.put_uses(ONE, "[3]")
    two.last()
    assert two.uses() == {ONE: "[3]", TWO: "[2]"}
    assert two.last() == {}


@pytest.mark.slow
@pytest.mark.parametrize("carrier", ["folder", "git"], indirect=True)
def test_machines_that_push_at_a_time_lose_nothing(carrier: Open) -> None:
    """Four machines that append again and again at a time: every line is there, once and in order."""
    names = ["one", "two", "three", "four"]
    devices = dict(zip(names, ("a" * 32, "b" * 32, "c" * 32, "d" * 32), strict=True))
    opened = {name: carrier(name) for name in names}

    def push(name: str) -> None:
        mine = opened[name]
        mine.last()
        for number in range(3):
            mine.append(devices[name], [f"{name} {number}"], number)

    threads = [threading.Thread(target=push, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = carrier("five")
    assert found.last() == dict.fromkeys(devices.values(), 3)
    for name, device in devices.items():
        assert found.read(device, 0) == [f"{name} {number}" for number in range(3)]


def test_git_touches_nothing_else(tmp_path: Path) -> None:
    """Branches, index, work tree and hooks stay as they are, with hooks that would fail and work going on."""
    Repo(tmp_path).git("init", "-q", "--bare", "remote.git")
    Repo(tmp_path).git("clone", "-q", "remote.git", "one")
    clone = Repo(tmp_path / "one")
    clone.commit("one", {"a.py": "x = 1\n"})
    clone.put("a.py", "x = 2\n")
    clone.put("b.py", "y = 1\n")
    clone.git("add", "b.py")
    for name in ("pre-push", "pre-commit", "reference-transaction", "post-commit"):
        clone.put(f".git/hooks/{name}", "#!/bin/sh\nexit 1\n")
        (clone.root / ".git" / "hooks" / name).chmod(0o755)

    def state() -> tuple[str, str, bytes]:
        return (
            clone.git("status", "--porcelain"),
            clone.git("branch", "-a"),
            (clone.root / ".git/index").read_bytes(),
        )

    before = state()
    found = open_carrier("git", SPACE, clone.root, os.environ)
    found.last()
    found.append(ONE, [line(1)], 0)
    found.put_uses(ONE, "[]")
    found.last()
    assert state() == before
    assert not (clone.root / ".git" / "FETCH_HEAD").exists()
    assert Repo(tmp_path / "remote.git").git("for-each-ref", "--format=%(refname)").split() == [
        f"refs/remora/{SPACE}"
    ]


def test_a_remote_that_is_away(tmp_path: Path) -> None:
    """A remote that does not answer is an error that says so, with no question to anybody."""
    Repo(tmp_path).git("init", "-q", "one")
    Repo(tmp_path / "one").git("remote", "add", "origin", str(tmp_path / "nowhere.git"))
    with pytest.raises(SourceError):
        open_carrier("git", SPACE, tmp_path / "one", os.environ).last()


@pytest.mark.parametrize("address", ["", "ftp://x", "folder:", "sqlite://x"])
def test_no_carrier_has_such_an_address(address: str, tmp_path: Path) -> None:
    """An address that nothing carries is refused, with the forms that there are."""
    with pytest.raises(InvalidInput, match="not the address"):
        open_carrier(address, SPACE, tmp_path, {})


@SERVERS
def test_a_log_is_one_tenant(carrier: Open) -> None:
    """Another log in the same tables sees nothing of it."""
    found = carrier("one")
    assert isinstance(found, SqlCarrier)
    found.append(ONE, [line(1)], 0)
    other = copy(found)
    other._tenant = "6" * 32
    assert (other.last(), other.read(ONE, 0), other.uses()) == ({}, [], {})


@SERVERS
def test_a_batch_is_all_or_nothing(carrier: Open) -> None:
    """A statement that fails takes the others with it."""
    found = carrier("one")
    assert isinstance(found, SqlCarrier)
    found.append(ONE, [line(1)], 0)
    bad = ("INSERT INTO remora_entries VALUES (?, ?, ?, 'a', 'b', 'c', 'd')", (SPACE, ONE, 1))
    good = ("UPDATE remora_devices SET last_n = 9 WHERE tenant = ?", (SPACE,))
    with pytest.raises((SourceError, sqlite3.Error)):
        found.write([good, bad])
    assert found.last() == {ONE: 1}


def test_a_server_that_is_away() -> None:
    """Nobody at the address is an error that says so."""
    with pytest.raises(SourceError, match="cannot be reached"):
        LibSQL("libsql+http://127.0.0.1:9", SPACE, "").last()


def test_postgresql_keeps_no_password_and_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address with a password is refused, and without the extra the error says what to install."""
    with pytest.raises(InvalidInput, match="password"):
        postgresql.PostgreSQL("postgresql://ann:secret@host/db", SPACE)
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(ConfigError, match="not installed") as error:
        postgresql.PostgreSQL("postgresql://ann@host/db", SPACE)
    assert "remora[postgresql]" in str(error.value.hint)
