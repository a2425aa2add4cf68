"""Store, list and search items that programs keep under a namespace and a key in the project's home.

Values are JSON objects of the program and stay unchanged. A search with a query ranks items by meaning if
there is an embedding model, else by the words they share with the query. The indexed text of an item is
embedded at its put or, if the model fails then, at a later search; no put fails because of it, and secrets
are removed from texts sent to a model.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.core.argument_types import checked
from remora.core.cut import pieces
from remora.core.errors import InvalidInput, StoreError
from remora.core.secrets import redact
from remora.core.text import index_terms, query_terms, words
from remora.store.items import SEPARATOR as SEPARATOR
from remora.store.items import ItemRow, Namespace
from remora.store.items import Items as Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.app.project.open_project import OpenProject
    from remora.embeddings.embedder import Embedder

DATABASE = "items.db"
MOST_PIECES = 50  # vectors of one item; 24,000 characters
MOST_AT_ONCE = 256  # items that one search embeds; the next one continues

_log = logging.getLogger("remora.items")

Index = bool | Sequence[str] | None  # None: the caller's fields; False: nothing; a list: these paths
Texts = Callable[[dict[str, Any], Index], list[str]]


class Stored(NamedTuple):
    """A stored item. Times are seconds since the epoch."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: float
    updated_at: float


class Put(NamedTuple):
    """A change of one item: a new value, or None to delete it. `ttl` is in seconds.

    `found_by` selects the text that a search ranks it by: None for the caller's fields, False for nothing, or
    paths.
    """

    namespace: Namespace
    key: str
    value: Mapping[str, Any] | None
    found_by: Index = None
    ttl: float | None = None


@checked
class Items:
    """The items of a project. Thread-safe; several processes may use the same file.

    Args:
        project: the project of the items, whose model is used.
        texts: returns the texts of a value to index, for an `Index`.
        ranks: whether a query ranks items; False ranks neither by meaning nor by words.
        omit_expired: hide expired items before they are deleted.
        sweep_after: seconds after which a write deletes expired items.
    """

    def __init__(
        self,
        project: OpenProject,
        texts: Texts,
        *,
        ranks: bool = True,
        omit_expired: bool = False,
        sweep_after: float = 0.0,
    ) -> None:
        self._project = project
        self._texts = texts
        self._ranks = ranks
        self._omit_expired = omit_expired
        self._sweep_after = sweep_after
        self._swept = self._project.clock.now()
        self._opening = threading.Lock()
        self._store: Store | None = None
        self._closed = False

    def get(self, namespace: Namespace, key: str, *, refresh: bool = True) -> Stored | None:
        """Return an item, None if there is none."""
        store = self._opened()
        row = store.get(namespace, key, self._live()) if store else None
        if row is None:
            return None
        self._refresh([row], refresh=refresh)
        return _stored(row, _value(row))

    def search(
        self,
        prefix: Namespace,
        query: str | None = None,
        *,
        passes: Callable[[dict[str, Any]], bool] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh: bool = True,
    ) -> list[tuple[Stored, float | None]]:
        """Return items at or below a namespace with their scores, best first; without a query, newest first.

        Args:
            prefix: the namespace.
            query: text to rank by. Items that cannot be compared with it come last, without a score.
            passes: a filter on values.
            limit, offset: the page of results.
            refresh: whether the lifetime of returned items that expire starts anew.
        """
        limit, offset = max(0, limit), max(0, offset)
        store = self._opened()
        if store is None:
            return []
        ranked = bool(query) and self._ranks
        if passes is None and not ranked:
            page = store.below(prefix, self._live(), limit=limit, offset=offset)
            found: list[tuple[ItemRow, dict[str, Any], float | None]] = [(r, _value(r), None) for r in page]
        else:
            rows = [(row, _value(row)) for row in store.below(prefix, self._live())]
            rows = [(row, value) for row, value in rows if passes is None or passes(value)]
            scores = self._scores(store, query, rows) if query and ranked else [None] * len(rows)
            found = [(row, value, score) for (row, value), score in zip(rows, scores, strict=True)]
            found.sort(key=lambda one: -1.0 if one[2] is None else -2.0 - one[2])
            found = found[offset : offset + limit]
        self._refresh([row for row, _, _ in found], refresh=refresh)
        return [(_stored(row, value), score) for row, value, score in found]

    def namespaces(self) -> list[Namespace]:
        """Return every namespace with an item."""
        store = self._opened()
        return store.namespaces(self._live()) if store else []

    def write(self, puts: Iterable[Put]) -> None:
        """Put and delete items, all or none; of several changes of one item the last one counts.

        Raises:
            InvalidInput: a value is not a JSON object; nothing was changed.
            StoreError: nothing was changed.
        """
        changes = tuple(puts)
        if not all(isinstance(put, Put) for put in changes):
            raise InvalidInput("puts must be a list of Put", hint="Write puts=[Put(namespace, key, value)].")
        last = {(put.namespace, put.key): put for put in changes}
        if not last:
            return
        self._project.must_be_writable()
        store = self._opened()
        assert store is not None
        texts = {where: _json(put.value) for where, put in last.items() if put.value is not None}
        values = {where: json.loads(text) for where, text in texts.items()}
        model = self._embedder()
        vectors: dict[tuple[Namespace, str], list[bytes]] = {}
        if model is not None:
            vectors = self._embedded(
                model, {w: self._parts_of(v, last[w].found_by) for w, v in values.items()}
            )
        now = self._project.clock.now()
        with store.connection.transaction():
            if self._omit_expired or now - self._swept >= self._sweep_after:
                store.sweep(now)
                self._swept = now
            for where, put in last.items():
                if put.value is None:
                    store.delete(*where)
                    continue
                item = store.put(*where, texts[where], json.dumps(put.found_by), now, put.ttl)
                if model is not None and where in vectors:
                    store.put_vectors(item, model.model_id, vectors[where])

    def sweep(self) -> int:
        """Delete expired items; return their number."""
        store = self._opened()
        if store is None or self._project.read_only:
            return 0
        self._swept = self._project.clock.now()
        with store.connection.transaction():
            return store.sweep(self._swept)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._opening:
            self._closed = True
            if self._store is not None:
                self._store.close()
                self._store = None

    def _opened(self) -> Store | None:
        """Return the database, created on first use; None if it is missing and may not be created."""
        with self._opening:
            if self._closed:
                raise StoreError("these items are closed", hint="Open them again.")
            if self._store is None:
                path = self._project.location.home / DATABASE
                if self._project.read_only and not path.exists():
                    return None
                self._store = Store.open(path, read_only=self._project.read_only)
            return self._store

    def _live(self) -> float | None:
        return self._project.clock.now() if self._omit_expired else None

    def _refresh(self, rows: Sequence[ItemRow], *, refresh: bool) -> None:
        ids = [row.id for row in rows if row.ttl is not None]
        if refresh and ids and self._store is not None and not self._project.read_only:
            with self._store.connection.transaction(durable=False):
                self._store.refresh(ids, self._project.clock.now())

    # Ranking

    def _embedder(self) -> Embedder | None:
        try:
            return self._project.embedder() if self._ranks else None
        except Exception as error:  # noqa: BLE001  search falls back to words
            _log.warning("there is no model: %s", error)
            return None

    def _parts_of(self, value: dict[str, Any], index: Index) -> list[str]:
        """Return the indexed texts of a value, cut into pieces that fit a model, without secrets."""
        texts = [] if index is False else self._texts(value, index)
        return [piece for text in texts for piece in pieces(redact(text).text)][:MOST_PIECES]

    def _embedded(self, model: Embedder, wanted: Mapping[Any, list[str]]) -> dict[Any, list[bytes]]:
        """Return the vectors of each item; {} if the model fails."""
        from remora.embeddings.vectors import to_blob

        flat = [piece for parts in wanted.values() for piece in parts]
        try:
            with self._project.embedding:
                rows = list(model.embed_documents(flat)) if flat else []
            blobs = iter([to_blob(row) for row in rows])
            return {where: [next(blobs) for _ in parts] for where, parts in wanted.items()}
        except Exception as error:  # noqa: BLE001  a put never fails because of a model
            _log.warning("items are stored without vectors: %s", error)
            return {}

    def _scores(
        self, store: Store, query: str, rows: Sequence[tuple[ItemRow, dict[str, Any]]]
    ) -> list[float | None]:
        model = self._embedder()
        if model is not None:
            try:
                asked = model.embed_query(redact(query).text)
            except Exception as error:  # noqa: BLE001  search falls back to words
                _log.warning("items are searched by words: %s", error)
            else:
                return self._cosines(store, model, asked, rows)
        return self._by_words(query, rows)

    def _cosines(
        self,
        store: Store,
        model: Embedder,
        asked: NDArray[np.float32],
        rows: Sequence[tuple[ItemRow, dict[str, Any]]],
    ) -> list[float | None]:
        """Return the highest cosine of the vectors of each item with the query's; None without vectors."""
        import numpy as np

        known = store.vectors([row.id for row, _ in rows], model.model_id)
        missing = [(row, value) for row, value in rows if row.id not in known][:MOST_AT_ONCE]
        if missing:
            made = self._embedded(
                model, {row.id: self._parts_of(value, json.loads(row.indexed)) for row, value in missing}
            )
            known |= made
            if made and not self._project.read_only:
                with store.connection.transaction(durable=False):
                    for item, vectors in made.items():
                        store.put_vectors(item, model.model_id, vectors)
        scores: list[float | None] = []
        for row, _ in rows:
            own = [vector for vector in known.get(row.id, ()) if len(vector) == asked.nbytes]
            near = np.frombuffer(b"".join(own), "<f4").reshape(len(own), -1) @ asked if own else None
            scores.append(None if near is None else float(near.max()))
        return scores

    def _by_words(self, query: str, rows: Sequence[tuple[ItemRow, dict[str, Any]]]) -> list[float | None]:
        """Return the share of the query's words in each item; None without any."""
        terms = set(query_terms(query))
        scores: list[float | None] = []
        for row, value in rows:
            said = " ".join(self._parts_of(value, json.loads(row.indexed)))
            own = {*words(said), *index_terms(said).split()} & terms
            scores.append(len(own) / len(terms) if own else None)
        return scores


def _value(row: ItemRow) -> dict[str, Any]:
    return dict(json.loads(row.value))


def _stored(row: ItemRow, value: dict[str, Any]) -> Stored:
    return Stored(row.namespace, row.key, value, row.created_at, row.updated_at)


def _json(value: Any) -> str:
    try:
        return json.dumps(dict(value), ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the value of an item must be a JSON object: {error}") from error


def _plain(value: Any) -> Any:
    """Return a JSON value for an object that JSON cannot represent."""
    for way in ("model_dump", "isoformat", "_asdict"):
        if callable(found := getattr(value, way, None)):
            return found()
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if type(value).__name__ in ("UUID", "Decimal") or hasattr(value, "__fspath__"):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not")
