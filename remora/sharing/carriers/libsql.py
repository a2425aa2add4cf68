"""Carry a shared log in libSQL or Turso, over HTTP (`POST /v2/pipeline`).

One database holds the log; everyone with its token may read and write it. Only signatures enforce rights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        token: token of the server; empty if it needs none.
    """

    def __init__(self, address: str, space: str, token: str) -> None:
        kind, _, rest = address.partition("://")
        url = ("http://" if kind.endswith("+http") else "https://") + rest
        self._client = JsonClient(url, key=ApiKey(token, variable=VARIABLE) if token else None)
        super().__init__(space)

    def rows(self, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the rows of a query."""
        result = self._ask({"type": "execute", "stmt": _statement(sql, values)})
        return [[_value(cell) for cell in row] for row in result.get("rows", ())]

    def write(self, statements: Sequence[Statement]) -> None:
        """Run statements in one transaction: a batch in which each step depends on the previous one."""
        steps: list[dict[str, Any]] = []
        for sql, values in (("BEGIN IMMEDIATE", ()), *statements, ("COMMIT", ())):
            step: dict[str, Any] = {"stmt": _statement(sql, values)}
            if steps:
                step["condition"] = {"type": "ok", "step": len(steps) - 1}
            steps.append(step)
        undone = {"type": "not", "cond": {"type": "ok", "step": len(steps) - 1}}
        steps.append({"condition": undone, "stmt": _statement("ROLLBACK", ())})
        result = self._ask({"type": "batch", "batch": {"steps": steps}})
        errors = [one for one in result.get("step_errors", ()) if one]
        if errors:
            raise SourceError(f"libSQL refused: {errors[0].get('message', 'no reason given')}")

    def found(self) -> None:
        """Create the tables."""
        self.write([(table, ()) for table in TABLES])

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer = self._client.post_json(PIPELINE, {"requests": [request]})
        except ProviderError as error:
            raise SourceError(f"libSQL cannot be reached: {error}", hint=error.hint) from None
        try:
            (found,) = answer["results"]
            if found["type"] != "ok":
                raise SourceError(f"libSQL refused: {found['error']['message']}")
            result: dict[str, Any] = found["response"]["result"]
        except (KeyError, TypeError, ValueError):
            raise SourceError("libSQL returned an invalid response") from None
        return result


def _statement(sql: str, values: Sequence[Any]) -> dict[str, Any]:
    return {"sql": sql, "args": [_argument(value) for value in values]}


def _argument(value: Any) -> dict[str, str]:
    return {"type": "integer" if isinstance(value, int) else "text", "value": str(value)}


def _value(cell: Any) -> Any:
    if not isinstance(cell, dict):
        return cell
    return int(cell["value"]) if cell.get("type") == "integer" else cell.get("value")
