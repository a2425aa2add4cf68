"""LangGraph's long-term store (`BaseStore`), durable in a project's home: `graph.compile(store=…)`.

Items are stored unchanged in a file of their own, which several processes may use. A search with a query
ranks them by Remora's embedding model. Times to live are in minutes.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    PutOp,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from remora.app.records.items import SEPARATOR, Index, Items, Put, Stored

if TYPE_CHECKING:
    from langgraph.store.base import IndexConfig, MatchCondition, Op, Result, TTLConfig

    from remora.app.memory import Memory

MINUTE = 60.0

_NOT_IN_LABELS = (".", "\0", SEPARATOR)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {"$eq": operator.eq, "$ne": operator.ne}
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class RemoraStore(BaseStore):
    """A `BaseStore` on the project of a memory. Use it with `with`, or call `close`.

    Args:
        memory: an open memory.
        index: `fields` to rank by (the whole value by default); False for no ranking. Remora's model ranks:
            `embed` and `dims` are not used.
        ttl: `default_ttl`, `refresh_on_read`, `omit_expired`, `sweep_interval_minutes`. Expired items are
            deleted by a later write or by `sweep_ttl`; there is no background task.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        index: IndexConfig | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        super().__init__()
        self.ttl_config = ttl
        given: Mapping[str, Any] = index or {}
        self._fields: list[str] = list(given.get("fields") or ["$"])
        self._items = Items(
            memory._project,
            self._texts,
            ranks=index is not False,
            omit_expired=bool((ttl or {}).get("omit_expired")),
            sweep_after=MINUTE * ((ttl or {}).get("sweep_interval_minutes") or 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: all reads on the state before, then all writes in one transaction."""
        asked = list(ops)
        for op in asked:
            _require_labels(op)
        answers = [self._answer(op) for op in asked]
        self._items.write(
            Put(tuple(op.namespace), str(op.key), op.value, op.index, _seconds(op.ttl))
            for op in asked
            if isinstance(op, PutOp)
        )
        return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Delete all expired items now; return their number."""
        return self._items.sweep()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._items.close()

    def _answer(self, op: Op) -> Result:
        match op:
            case GetOp():
                found = self._items.get(tuple(op.namespace), str(op.key), refresh=op.refresh_ttl)
                return None if found is None else Item(**_fields(found))
            case SearchOp():
                hits = self._items.search(
                    tuple(op.namespace_prefix),
                    op.query,
                    passes=_filter(op.filter) if op.filter else None,
                    limit=op.limit,
                    offset=op.offset,
                    refresh=op.refresh_ttl,
                )
                return [SearchItem(**_fields(item), score=score) for item, score in hits]
            case ListNamespacesOp():
                return _listed(self._items.namespaces(), op)
        return None

    def _texts(self, value: dict[str, Any], index: Index) -> list[str]:
        """Return the texts by which a value is ranked."""
        paths = index if isinstance(index, Sequence) else self._fields
        return [text for path in paths for text in get_text_at_path(value, path) if text.strip()]


def _seconds(minutes: float | None) -> float | None:
    return None if minutes is None else MINUTE * minutes


def _fields(item: Stored) -> dict[str, Any]:
    return {
        "value": item.value,
        "key": item.key,
        "namespace": item.namespace,
        "created_at": datetime.fromtimestamp(item.created_at, UTC),
        "updated_at": datetime.fromtimestamp(item.updated_at, UTC),
    }


def _require_labels(op: Op) -> None:
    """Validate namespaces; the methods of `BaseStore` do so, its batches do not.

    Raises:
        InvalidNamespaceError: a label is empty, no text, or contains a forbidden character.
        ValueError: the operation is unknown.
    """
    match op:
        case GetOp() | PutOp():
            paths = [op.namespace]
        case SearchOp():
            paths = [op.namespace_prefix]
        case ListNamespacesOp():
            paths = [condition.path for condition in op.match_conditions or ()]
        case _:
            raise ValueError(f"Unknown operation type: {type(op)}")
    for path in paths:
        for label in path:
            if not isinstance(label, str) or not label or any(sign in label for sign in _NOT_IN_LABELS):
                raise InvalidNamespaceError(
                    f"Invalid namespace label {label!r} found in {path}: labels are text, not empty, without "
                    "periods ('.') and without the control characters NUL and US."
                )


def _listed(namespaces: Iterable[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    found = [n for n in namespaces if all(_is_at(n, c) for c in op.match_conditions or ())]
    if op.max_depth is not None:
        found = [namespace[: op.max_depth] for namespace in found]
    return sorted(set(found))[op.offset : op.offset + op.limit]


def _is_at(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Return whether a namespace matches a prefix or suffix; "*" matches any one label."""
    wanted = tuple(condition.path)
    if len(namespace) < len(wanted):
        return False
    match condition.match_type:
        case "prefix":
            part = namespace[: len(wanted)]
        case "suffix":
            part = namespace[len(namespace) - len(wanted) :]
        case other:
            raise ValueError(f"Unsupported match type: {other}")
    return all(label in ("*", own) for label, own in zip(wanted, part, strict=True))


def _filter(wanted: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    return lambda value: all(_matches(value.get(name), inner) for name, inner in wanted.items())


def _matches(value: Any, wanted: Any) -> bool:
    """Return whether a value matches a filter: by its operators, part by part, or by equality."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_holds(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and _filter(wanted)(value)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(_matches(own, inner) for own, inner in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def _holds(value: Any, name: str, operand: Any) -> bool:
    if name in _COMPARE:
        return bool(_COMPARE[name](value, operand))
    if name not in _ORDER:
        raise ValueError(f"Unsupported operator: {name}")
    try:
        return _ORDER[name](float(value), float(operand))
    except (TypeError, ValueError):
        return False  # a value that is not a number matches no order
