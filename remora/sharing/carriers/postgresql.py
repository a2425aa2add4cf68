"""Carry a shared log in PostgreSQL, or in a database with its protocol.

The server enforces rights too: each role of a log is a group role of the database, and policies for these
groups limit the rows that a login may add. A policy reads only columns and the login, as CockroachDB
requires. The owner of a memory cannot be told from one row; signatures decide that, as everywhere.

Tables are partitioned by tenant if the server is PostgreSQL itself. Citus distributes them by
`create_distributed_table('remora_entries', 'tenant')`, YugabyteDB and CockroachDB by the primary key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from remora.core.errors import ConfigError, InvalidInput, SourceError
from remora.sharing.carriers.sql import TABLES, SqlCarrier, Statement
from remora.sharing.permissions import ROLES

CONNECT_SECONDS = 5
PARTITIONS = 8
_LOGIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,62}")
_TALK = "op IN ('dispute', 'comment', 'join', 'leave', 'invite')"
# Conditions on the rows that each role may add, beside tenant and login: see `permissions.needed`.
_MAY_ADD = {
    "reader": _TALK,
    "member": f"({_TALK} OR (op NOT IN ('resolve', 'erase', 'role', 'space') AND scope LIKE 'project:%'))",
    "steward": "op NOT IN ('erase', 'role', 'space') AND scope <> 'organization'",
    "admin": "TRUE",
}


class PostgreSQL(SqlCarrier):
    """A shared log in PostgreSQL.

    Args:
        address: postgresql://LOGIN@HOST/DATABASE; the password comes from PGPASSWORD or ~/.pgpass.
        space: id of the log.

    Raises:
        InvalidInput: the address holds a password.
        ConfigError: the extra `remora[postgresql]` is not installed.
        SourceError: the server cannot be reached.
    """

    def __init__(self, address: str, space: str) -> None:
        if urlsplit(address).password:
            raise InvalidInput(
                "the address contains a password, and addresses are stored on disk",
                hint="Remove it; set PGPASSWORD or use ~/.pgpass.",
            )
        try:
            import psycopg
        except ImportError:
            raise ConfigError(
                "PostgreSQL needs a package that is not installed", hint="pip install 'remora[postgresql]'"
            ) from None
        self._error = psycopg.Error
        try:
            self._connection = psycopg.connect(address, connect_timeout=CONNECT_SECONDS, autocommit=True)
        except psycopg.Error as error:
            raise SourceError(f"PostgreSQL cannot be reached: {error}") from None
        self.author = str(self.rows("SELECT current_user", ())[0][0])
        super().__init__(space)

    def rows(self, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the rows of a query."""
        try:
            return list(self._connection.execute(*_marked(sql, values)))
        except self._error as error:
            raise SourceError(f"PostgreSQL refused: {_said(error)}") from None

    def write(self, statements: Sequence[Statement]) -> None:
        """Run statements in one transaction."""
        try:
            with self._connection.transaction():
                for sql, values in statements:
                    self._connection.execute(*_marked(sql, values))
        except self._error as error:
            raise SourceError(f"PostgreSQL refused: {_said(error)}") from None

    def found(self) -> None:
        """Create the tables, and the groups and policies of this log. Needs CREATE and CREATEROLE."""
        version = str(self.rows("SELECT version()", ())[0][0])
        citus = self.rows("SELECT 1 FROM pg_extension WHERE extname = 'citus'", ())
        plain = version.startswith("PostgreSQL") and "-YB-" not in version and not citus
        there = self.rows("SELECT 1 FROM pg_class WHERE relname = 'remora_entries'", ())
        statements: list[str] = []
        if not there:
            by = " PARTITION BY HASH (tenant)" if plain else ""
            statements += [table + by for table in TABLES]
            for name in ("remora_entries", "remora_devices"):
                if plain:
                    statements += [
                        f"CREATE TABLE {name}_{i} PARTITION OF {name} "
                        f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {i})"
                        for i in range(PARTITIONS)
                    ]
                statements += [
                    f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
                    f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY",
                ]
        known = {str(name) for (name,) in self.rows("SELECT rolname FROM pg_roles", ())}
        for role in ROLES:
            if group(self._tenant, role) not in known:
                statements += self._policies(role)
        statements.append(f'GRANT {group(self._tenant, "admin")} TO "{self.author}"')
        self.write([(one, ()) for one in statements])

    def _policies(self, role: str) -> list[str]:
        name, tenant = group(self._tenant, role), f"tenant = '{self._tenant}'"
        own = f"{tenant} AND author = current_user"
        policies = [f"CREATE ROLE {name}"]
        for table, writes in (("remora_entries", "line"), ("remora_devices", "last_n, uses")):
            add = f"{own} AND ({_MAY_ADD[role]})" if table == "remora_entries" else own
            change = tenant if role == "admin" and table == "remora_entries" else own
            policies += [
                f"GRANT SELECT, INSERT, UPDATE ({writes}) ON {table} TO {name}",
                f"CREATE POLICY {name}_read ON {table} FOR SELECT TO {name} USING ({tenant})",
                f"CREATE POLICY {name}_add ON {table} FOR INSERT TO {name} WITH CHECK ({add})",
                f"CREATE POLICY {name}_change ON {table} FOR UPDATE TO {name} USING ({change})",
            ]
        return policies

    def set_role(self, login: str, role: str) -> None:
        """Add a login of the database to the group of a role, and remove it from the others.

        Args:
            login: an existing login.
            role: one of ROLES, or "removed" for none.

        Raises:
            InvalidInput: the login is not a valid name.
        """
        if not _LOGIN.fullmatch(login):
            raise InvalidInput(f"{login!r} is not a login name of PostgreSQL")
        statements = [f'REVOKE {group(self._tenant, one)} FROM "{login}"' for one in ROLES if one != role]
        if role in ROLES:
            statements.append(f'GRANT {group(self._tenant, role)} TO "{login}"')
        self.write([(one, ()) for one in statements])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def group(space: str, role: str) -> str:
    """Return the name of the database's group role for a role in a log."""
    return f"remora_{space[:16]}_{role}"


def _marked(sql: str, values: Sequence[Any]) -> tuple[Any, Sequence[Any] | None]:
    """Return a statement in psycopg's form; psycopg interprets "%" only if there are values."""
    return (sql.replace("%", "%%").replace("?", "%s"), values) if values else (sql, None)


def _said(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
