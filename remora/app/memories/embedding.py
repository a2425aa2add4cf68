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
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from remora.core.clock import to_iso
from remora.core.cut import pieces
from remora.core.errors import RemoraError, StoreError

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.embeddings.embedder import Embedder
    from remora.store.database import Database

MODEL = "embedding.model"  # meta key: the model whose vectors the queue counts towards
SMALL_BATCH = 16  # texts of a backlog in a batch: stopping and searching wait for one batch
EVERYTHING = -1  # no limit
MANY = 256
PATIENCE = 0.5  # seconds that a search may wait for another writer; keywords find the rest meanwhile
BATCH = 64  # owners a transaction: under a second of embedding, milliseconds of lock
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
        seconds: stop after about this time, but not before the writes since this process opened the database
            are done; None for no limit.
        progress: called with ("embedding", done, of).
        code: embed chunks of code too. There may be very many: a caller that does not search them does not
            wait.
        missing: also embed texts that have no vector though they are not in the queue.

    A model or database that fails stops the pass; the rest waits and is found by keywords.
    """
    if project.read_only:
        return 0
    done = 0
    started = time.monotonic()
    project.trouble = ""
    try:
        for store in project.stores():
            for number, of in _catch_up(project, store.db, seconds, missing=missing):
                done += number
                if progress:
                    progress("embedding", done, done + of)
        for number, of in _catch_up_chunks(project, seconds, started) if code else ():
            done += number
            if progress:
                progress("embedding code", done, done + of)
    except RemoraError as error:
        project.trouble = str(error)
    return done


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
            embedder = self._project.embedder()
            for store in self._project.stores():
                while embedder is not None and not self._stop.is_set():
                    if not _batch(self._project, store.db, embedder, SMALL_BATCH):
                        break
            db = self._project.db
            while self._code and embedder is not None and not self._stop.is_set():
                if not _batch(self._project, db, embedder, SMALL_BATCH) and not _chunks(
                    self._project, db, embedder, SMALL_BATCH
                ):
                    break
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


def embed_when_many(project: OpenProject) -> None:
    """Embed own writes once there are MANY, so that the next search does not wait for all of them.

    A few are left for the next search: a program that only writes never loads a model.
    """
    if project.read_only:
        return
    try:
        databases = [store.db for store in project.stores()]
        many = any(len(s.vectors.pending(MANY, after=s.queued_before)) == MANY for s in databases)
    except RemoraError as error:  # the memories are stored; vectors can wait
        project.trouble = str(error)
        return
    if many:
        catch_up(project, 0.0)


def _catch_up(
    project: OpenProject, db: Database, seconds: float | None, *, missing: bool = False
) -> Iterator[tuple[int, int]]:
    """Embed batch by batch; yield the number embedded and the number still waiting."""
    embedder = project.embedder()
    if embedder is None:
        return
    wait = None if seconds is None else PATIENCE
    if missing or db.meta.get(MODEL) != embedder.model_id:
        _queue_missing(db, embedder.model_id, wait)
    started = time.monotonic()
    while db.vectors.pending(1):  # nearly always empty, and every search checks
        own = len(db.vectors.pending(BATCH, after=db.queued_before))
        if seconds is not None and not own and _in_background(project):
            return
        size = BATCH if seconds is None else own or SMALL_BATCH
        number = _batch(project, db, embedder, size, wait=wait)
        if not number:
            return
        yield number, db.vectors.pending_count()
        late = seconds is not None and time.monotonic() - started > seconds
        if late and not db.vectors.pending(1, after=db.queued_before):
            return


def _queue_missing(db: Database, model_id: str, wait: float | None) -> None:
    """Queue the texts without a vector of a model, which becomes the model in use.

    That may be the whole store, and no search should wait for it: own writes stay ahead in the queue.
    """
    with db.connection.transaction(durable=False, wait=wait):
        own = db.vectors.pending(EVERYTHING, after=db.queued_before)
        db.vectors.queue_all(model_id)
        db.chunks.queue_all(model_id)
        db.meta.set(MODEL, model_id)
        backlog = db.vectors.last_queued()
        db.vectors.queue_again(own)
    db.queued_before = backlog


@contextmanager
def as_backlog(db: Database) -> Iterator[None]:
    """Treat what a block queues as a backlog, for which no search waits; own writes stay ahead of it."""
    before = db.vectors.last_queued()
    yield
    backlog = db.vectors.last_queued()
    if backlog == before:
        return
    with suppress(StoreError), db.connection.transaction(durable=False, wait=PATIENCE):
        waiting = db.vectors.pending(EVERYTHING, after=db.queued_before)
        db.vectors.queue_again([one for one in waiting if one[0] <= before])
        db.queued_before = backlog


def _in_background(project: OpenProject) -> bool:
    return project.background is not None and project.background.running


def _catch_up_chunks(
    project: OpenProject, seconds: float | None, started: float
) -> Iterator[tuple[int, int]]:
    """Embed chunks of code in the time that is left; there may be very many."""
    db = project.db
    embedder = project.embedder() if db.chunks.pending(1) else None
    wait = None if seconds is None else PATIENCE
    while embedder is not None:
        if seconds is not None and (_in_background(project) or time.monotonic() - started >= seconds):
            return
        number = _chunks(project, db, embedder, BATCH if seconds is None else SMALL_BATCH, wait)
        if not number:
            return
        yield number, db.chunks.pending_count()


@contextmanager
def _turn(project: OpenProject) -> Iterator[None]:
    """Wait in line to embed a batch; without the line, the background thread would never let a search in."""
    with project.next_in_line:
        project.embedding.acquire()
    try:
        yield
    finally:
        project.embedding.release()


def _batch(
    project: OpenProject, db: Database, embedder: Embedder, size: int = BATCH, *, wait: float | None = None
) -> int:
    """Embed one batch of the queue, newest first; return the number that left the queue."""
    with _turn(project):
        return _embed(project, db, embedder, size, wait)


def _chunks(
    project: OpenProject, db: Database, embedder: Embedder, size: int = BATCH, wait: float | None = None
) -> int:
    """Embed one batch of chunks of code, those of busy files first; return the number that left the queue.

    A chunk gets one vector, of its beginning: its name, its docstring, its first lines.
    """
    from remora.embeddings.context import chunk_text
    from remora.embeddings.vectors import to_blob

    with _turn(project):
        waiting = db.chunks.pending(size)
        if not waiting:
            return 0
        vectors = embedder.embed_documents([chunk_text(c.path, c.name, c.text) for c in waiting])
        rows = [(str(c.id), 0, to_blob(v)) for c, v in zip(waiting, vectors, strict=True)]
        with db.connection.transaction(durable=False, wait=wait):
            if db.meta.get(MODEL) != embedder.model_id:  # see _embed
                return 0
            db.vectors.put(
                "chunk",
                rows,
                model_id=embedder.model_id,
                dims=embedder.dims,
                prefix=embedder.document_prefix,
                at=to_iso(project.clock.now()),
            )
            db.chunks.done([c.id for c in waiting])
        return len(waiting)


def _embed(project: OpenProject, db: Database, embedder: Embedder, size: int, wait: float | None) -> int:
    from remora.embeddings.cache import CachedEmbedder
    from remora.embeddings.context import memory_text
    from remora.embeddings.vectors import to_blob

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
    at = to_iso(project.clock.now())
    with db.connection.transaction(durable=False, wait=wait):
        if db.meta.get(MODEL) != embedder.model_id:
            return 0  # another process has changed the model meanwhile: the queue now waits for that one
        for wanted in ("memory", "turn", "note"):
            rows = [(o, part, blobs[n]) for n, (kind, o, part, _) in enumerate(flat) if kind == wanted]
            if rows:
                db.vectors.put(
                    wanted,
                    rows,
                    model_id=embedder.model_id,
                    dims=embedder.dims,
                    prefix=embedder.document_prefix,
                    at=at,
                )
        db.vectors.done([i for i, _, _ in waiting])
    return len(waiting)
