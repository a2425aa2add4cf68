"""Store a shared log in two tables of a database, for PostgreSQL and libSQL.

Every key begins with the tenant, the id of the log, so that one database holds many logs and a distributed
database can place them by tenant. The number of a device's last entry is in one row per device: finding new
entries costs one read of these rows, however long the log is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from remora.sharing.carrier import BATCH
from remora.sharing.entries import parse

TABLES = (
    """CREATE TABLE IF NOT EXISTS remora_entries (
         tenant TEXT NOT NULL, device TEXT NOT NULL, n BIGINT NOT NULL, author TEXT NOT NULL,
         scope TEXT NOT NULL, op TEXT NOT NULL, line TEXT NOT NULL, PRIMARY KEY (tenant, device, n))""",
    """CREATE TABLE IF NOT EXISTS remora_devices (
         tenant TEXT NOT NULL, device TEXT NOT NULL, author TEXT NOT NULL, last_n BIGINT NOT NULL,
         uses TEXT NOT NULL, PRIMARY KEY (tenant, device))""",
)
Statement = tuple[str, Sequence[Any]]


class SqlCarrier(ABC):
    """A shared log in a database; see `Carrier` for the methods. SQL has `?` as the placeholder.

    Args:
        tenant: id of the log.

    Attributes:
        author: the login that owns rows.
    """

    author = ""

    def __init__(self, tenant: str) -> None:
        self._tenant = tenant

    @abstractmethod
    def rows(self, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the rows of a query."""

    @abstractmethod
    def write(self, statements: Sequence[Statement]) -> None:
        """Run statements in one transaction."""

    def last(self) -> dict[str, int]:
        """Return the number of the last entry of each device."""
        sql = "SELECT device, last_n FROM remora_devices WHERE tenant = ? AND last_n > 0 ORDER BY device"
        return {device: int(n) for device, n in self.rows(sql, (self._tenant,))}

    def read(self, device: str, after: int, limit: int = BATCH) -> list[str]:
        """Return lines of a device after a number."""
        sql = """SELECT line FROM remora_entries WHERE tenant = ? AND device = ? AND n > ? AND n <= ?
                 ORDER BY n"""
        return [line for (line,) in self.rows(sql, (self._tenant, device, after, after + limit))]

    def append(self, device: str, lines: Sequence[str], after: int) -> None:
        """Add lines of one's own device."""
        values: list[Any] = []
        for number, line in enumerate(lines, start=after + 1):
            entry = parse(line)
            values += [self._tenant, device, number, self.author, entry.scope, entry.op, line]
        rows = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(lines))
        insert = f"INSERT INTO remora_entries VALUES {rows} ON CONFLICT DO NOTHING"  # noqa: S608  marks only
        mark = """INSERT INTO remora_devices VALUES (?, ?, ?, ?, '{}')
                  ON CONFLICT (tenant, device) DO UPDATE SET last_n = excluded.last_n"""
        last = (self._tenant, device, self.author, after + len(lines))
        self.write([(insert, values), (mark, last)])

    def empty(self, device: str, lines: Mapping[int, str]) -> None:
        """Replace entries by ones with an empty body."""
        sql = "UPDATE remora_entries SET line = ? WHERE tenant = ? AND device = ? AND n = ?"
        self.write([(sql, (line, self._tenant, device, n)) for n, line in lines.items()])

    def uses(self) -> dict[str, str]:
        """Return the use counts of each device."""
        sql = "SELECT device, uses FROM remora_devices WHERE tenant = ? ORDER BY device"
        return {device: str(counts) for device, counts in self.rows(sql, (self._tenant,))}

    def put_uses(self, device: str, counts: str) -> None:
        """Replace the use counts of one's own device."""
        sql = """INSERT INTO remora_devices VALUES (?, ?, ?, 0, ?)
                 ON CONFLICT (tenant, device) DO UPDATE SET uses = excluded.uses"""
        self.write([(sql, (self._tenant, device, self.author, counts))])
