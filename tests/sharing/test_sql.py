"""The SQL that servers get, against SQLite, and libSQL's protocol against a server of the test's own."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from copy import copy
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from remora.core.errors import ConfigError, InvalidInput, SourceError
from remora.sharing.carriers import postgresql
from remora.sharing.carriers.libsql import LibSQL
from remora.sharing.carriers.sql import TABLES, SqlCarrier, Statement
from remora.sharing.entries import Entry, seal
from remora.sharing.keys import new_seed

SEED, SPACE, ONE = new_seed(), "5" * 32, "a" * 32


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


@pytest.fixture(params=["sql", "libsql"])
def carrier(request: pytest.FixtureRequest) -> Iterator[SqlCarrier]:
    """A carrier on tables in memory, straight and by HTTP."""
    lite = Lite()
    if request.param == "sql":
        yield lite
        return
    server = HTTPServer(("127.0.0.1", 0), type("Own", (Pipeline,), {"lite": lite}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    found = LibSQL(f"libsql+http://127.0.0.1:{server.server_port}", SPACE, "")
    found.found()
    yield found
    found.close()
    server.shutdown()
    server.server_close()


def test_entries_come_back_in_order(carrier: SqlCarrier) -> None:
    """What was appended is read from any number on, and what is there stays as it is."""
    lines = [line(n) for n in range(1, 6)]
    carrier.append(ONE, lines[:3], 0)
    carrier.append(ONE, [line(3, "other"), *lines[3:]], 2)
    assert carrier.last() == {ONE: 5}
    assert carrier.read(ONE, 0) == lines
    assert carrier.read(ONE, 2, 2) == lines[2:4]


def test_a_log_is_one_tenant(carrier: SqlCarrier) -> None:
    """Another log in the same tables sees nothing of it."""
    carrier.append(ONE, [line(1)], 0)
    other = copy(carrier)
    other._tenant = "6" * 32
    assert (other.last(), other.read(ONE, 0), other.uses()) == ({}, [], {})


def test_bodies_and_uses_are_replaced(carrier: SqlCarrier) -> None:
    """A line is emptied at its number, and counts are replaced without touching the entries."""
    carrier.append(ONE, [line(1), line(2)], 0)
    carrier.empty(ONE, {2: "-"})
    carrier.put_uses(ONE, "[1]")
    carrier.put_uses(ONE, "[2]")
    assert carrier.read(ONE, 0) == [line(1), "-"]
    assert (carrier.uses(), carrier.last()) == ({ONE: "[2]"}, {ONE: 2})


def test_a_batch_is_all_or_nothing(carrier: SqlCarrier) -> None:
    """A statement that fails takes the others with it."""
    carrier.append(ONE, [line(1)], 0)
    bad = ("INSERT INTO remora_entries VALUES (?, ?, ?, 'a', 'b', 'c', 'd')", (SPACE, ONE, 1))
    good = ("UPDATE remora_devices SET last_n = 9 WHERE tenant = ?", (SPACE,))
    with pytest.raises((SourceError, sqlite3.Error)):
        carrier.write([good, bad])
    assert carrier.last() == {ONE: 1}


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
