"""A shared log in libSQL or Turso, over HTTP (`POST /v2/pipeline`).

One database holds the log; who has its token may read and write it. Rights are held by signatures alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remora.core.errors import ProviderError, SourceError
from remora.net.hosts import ApiKey
from remora.net.http import JsonClient
from remora.sharing.carriers.sql import TABLES, SqlCarrier, Statement

PIPELINE = "/v2/pipeline"
VARIABLE = "REMORA_SHARE_TOKEN"


class LibSQL(SqlCarrier):
    """A shared log behind an HTTP address.

    Args:
        address: libsql://HOST, or libsql+http://HOST:PORT without TLS.
        space: id of the log.
        token: of the server; empty where it wants none.
    """

    author = ""

    def __init__(self, address: str, space: str, token: str) -> None:
        kind, _, rest = address.partition("://")
        url = ("http://" if kind.endswith("+http") else "https://") + rest
        self._client = JsonClient(url, key=ApiKey(token, variable=VARIABLE) if token else None)
        super().__init__(self, space)

    def rows(self, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the rows of a query."""
        return [[_value(cell) for cell in row] for row in self._run([(sql, values)])[0].get("rows", ())]

    def write(self, statements: Sequence[Statement]) -> None:
        """Run statements in one transaction."""
        self._run([("BEGIN IMMEDIATE", ()), *statements, ("COMMIT", ())])

    def found(self) -> None:
        """Make the tables."""
        self._run([(table, ()) for table in TABLES])

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _run(self, statements: Sequence[Statement]) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = [
            {"type": "execute", "stmt": {"sql": sql, "args": [_argument(value) for value in values]}}
            for sql, values in statements
        ]
        try:
            answer = self._client.post_json(PIPELINE, {"requests": [*requests, {"type": "close"}]})
        except ProviderError as error:
            raise SourceError(f"libSQL cannot be reached: {error}", hint=error.hint) from None
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list) or len(results) < len(requests):
            raise SourceError("libSQL gave an answer without results")
        found = []
        for one in results[: len(requests)]:
            if one.get("type") != "ok":
                raise SourceError(f"libSQL refused: {one.get('error', {}).get('message', 'no reason given')}")
            found.append(one["response"].get("result") or {})
        return found


def _argument(value: Any) -> dict[str, str]:
    return {"type": "integer" if isinstance(value, int) else "text", "value": str(value)}


def _value(cell: Any) -> Any:
    if not isinstance(cell, dict):
        return cell
    return int(cell["value"]) if cell.get("type") == "integer" else cell.get("value")
