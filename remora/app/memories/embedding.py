"""Compute the vectors of stored texts in bounded passes, before a search and in the background.

A pass consists of short transactions; stopping it anywhere loses nothing. The newest texts are embedded
first, since they are searched for next.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from remora.core.clock import to_iso
from remora.core.cut import pieces
from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.embeddings.embedder import Embedder
    from remora.store.database import Database

MODEL = "embedding.model"  # meta key: the model whose vectors the queue counts towards
BATCH = 64  # texts a transaction: under a second of embedding, milliseconds of lock
SMALL_BATCH = 16  # the same if somebody waits: stopping and searching wait for one batch
PATIENCE = 0.5  # seconds that a search may wait for another writer; keywords find the rest meanwhile
Progress = Callable[[str, int, int], None]


def catch_up(
    project: OpenProject,
    seconds: float | None = None,
    progress: Progress | None = None,
    *,
    code: bool = False,
    missing: bool = False,
) -> int:
    """Embed the texts without a vector; return the number of memories, turns and chunks of code embedded.

    Args:
        project: the open project.
        seconds: stop after about this time, and after one batch at the earliest; None for no limit. With a
            limit nothing is done while the background thread runs.
        progress: called with ("embedding", done, of).
        code: embed chunks of code too. There may be very many: a caller that does not search them does not
            wait.
        missing: also embed texts that have no vector though they are not in the queue.

    A model or database that fails stops the pass; the rest waits and is found by keywords.
    """
    if project.read_only or (seconds is not None and _in_background(project)):
        return 0
    done = 0
    started = time.monotonic()
    size, wait = (BATCH, None) if seconds is None else (SMALL_BATCH, PATIENCE)
    project.trouble = ""
    try:
        for what, number, of in _batches(project, size, wait, code=code, missing=missing):
            done += number
            if progress:
                progress(what, done, done + of)
            if seconds is not None and time.monotonic() - started >= seconds:
                break
    except RemoraError as error:
        project.trouble = str(error)
    return done


def _batches(
    project: OpenProject, size: int, wait: float | None, *, code: bool, missing: bool = False
) -> Iterator[tuple[str, int, int]]:
    """Embed the backlog, the newest texts first; yield after each batch.

    Each item is what was embedded, how much, and how much still waits. Chunks of code come last; texts that
    are queued meanwhile come before them.
    """
    embedder = project.embedder()
    if embedder is None:
        return
    for store in project.stores():
        if missing or store.db.meta.get(MODEL) != embedder.model_id:
            _queue_missing(store.db, embedder.model_id, wait)
        while number := _texts(project, store.db, embedder, size, wait):
            yield "embedding", number, store.db.vectors.pending_count()
    db = project.db
    while code and (
        number := _texts(project, db, embedder, size, wait) or _chunks(project, db, embedder, size, wait)
    ):
        yield "embedding code", number, db.chunks.pending_count()


_running: weakref.WeakSet[Background] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stop the background threads: a process that exits inside the model is aborted."""
    for background in list(_running):
        background.stop()


class Background:
    """A thread that embeds a backlog in small batches until it is done or stopped."""

    def __init__(self, project: OpenProject, *, code: bool) -> None:
        self._project = project
        self._code = code
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="remora-embedding", daemon=True)
        _running.add(self)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread is still running."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop after the current batch, within a fraction of a second."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            for _ in _batches(self._project, SMALL_BATCH, None, code=self._code):
                if self._stop.is_set():
                    return
        except RemoraError as error:
            self._project.trouble = str(error)


def go_on_in_background(project: OpenProject, *, code: bool = False) -> None:
    """Embed the backlog that a search had no time for in the background; chunks of code if `code`."""
    if project.trouble or _in_background(project):
        return
    waits = any(store.db.vectors.pending(1) for store in project.stores())
    waits = waits or (code and bool(project.db.chunks.pending(1)))
    if waits and project.embedder() is not None:
        project.background = Background(project, code=code)


def _queue_missing(db: Database, model_id: str, wait: float | None) -> None:
    """Queue the texts without a vector of a model, which becomes the model in use."""
    with db.connection.transaction(durable=False, wait=wait):
        db.vectors.queue_all(model_id)
        db.chunks.queue_all(model_id)
        db.meta.set(MODEL, model_id)


def _in_background(project: OpenProject) -> bool:
    return project.background is not None and project.background.running


def _chunks(project: OpenProject, db: Database, embedder: Embedder, size: int, wait: float | None) -> int:
    """Embed one batch of chunks of code, those of busy files first; return the number that left the queue.

    A chunk gets one vector, of its beginning: its name, its docstring, its first lines.
    """
    from remora.embeddings.context import chunk_text
    from remora.embeddings.vectors import to_blob

    with project.embedding:
        waiting = db.chunks.pending(size)
        if not waiting:
            return 0
        vectors = embedder.embed_documents([chunk_text(c.path, c.name, c.text) for c in waiting])
        rows = [(str(c.id), 0, to_blob(v)) for c, v in zip(waiting, vectors, strict=True)]
        with db.connection.transaction(durable=False, wait=wait):
            if db.meta.get(MODEL) != embedder.model_id:  # see _texts
                return 0
            _put(project, db, embedder, "chunk", rows)
            db.chunks.done([c.id for c in waiting])
        return len(waiting)


def _texts(project: OpenProject, db: Database, embedder: Embedder, size: int, wait: float | None) -> int:
    """Embed one batch of memories, turns and notes, newest first; return the number that left the queue."""
    from remora.embeddings.cache import CachedEmbedder
    from remora.embeddings.context import memory_text
    from remora.embeddings.vectors import to_blob

    with project.embedding:
        waiting = db.vectors.pending(size)
        if not waiting:
            return 0
        records = db.memories.get_many([owner for _, kind, owner in waiting if kind == "memory"])
        turns = db.turns.get_many([int(owner) for _, kind, owner in waiting if kind == "turn"])
        texts = {("memory", i): memory_text(m) for i, m in records.items() if not m.deprecated}
        texts |= {("turn", str(i)): turn.content for i, turn in turns.items()}
        notes = db.notes.get_many([int(owner) for _, kind, owner in waiting if kind == "note"])
        texts |= {("note", str(i)): f"{n.name}\n{n.content}".strip() for i, n in notes.items()}
        # A text without words has no piece; its beginning is embedded instead.
        flat = [
            (kind, owner, part, piece)
            for (kind, owner), text in texts.items()
            for part, piece in enumerate(pieces(text) or [text[:50]])
        ]
        batches = [(embedder, flat)]
        if isinstance(embedder, CachedEmbedder):
            written = sum(kind == "memory" for kind, _, _, _ in flat)  # memories, which may be written again
            batches = [(embedder, flat[:written]), (embedder.inner, flat[written:])]
        blobs: list[bytes] = []
        for model, some in batches:
            if some:
                blobs += [to_blob(v) for v in model.embed_documents([piece for _, _, _, piece in some])]
        with db.connection.transaction(durable=False, wait=wait):
            if db.meta.get(MODEL) != embedder.model_id:
                return 0  # another process has changed the model meanwhile: the queue now waits for that one
            for wanted in ("memory", "turn", "note"):
                rows = [(o, part, blobs[n]) for n, (kind, o, part, _) in enumerate(flat) if kind == wanted]
                if rows:
                    _put(project, db, embedder, wanted, rows)
            db.vectors.done([i for i, _, _ in waiting])
        return len(waiting)


def _put(
    project: OpenProject, db: Database, embedder: Embedder, kind: str, rows: list[tuple[str, int, bytes]]
) -> None:
    db.vectors.put(
        kind,
        rows,
        model_id=embedder.model_id,
        dims=embedder.dims,
        prefix=embedder.document_prefix,
        at=to_iso(project.clock.now()),
    )
