"""The open project: build the databases and models from settings and environment, in this module only.

Costly objects (models, the user's database, in-memory vectors) are built on first use, so that a keyword
search or a `remember` does not pay for them.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from remora.app.project.accesses import Accesses
from remora.app.project.called_models import CalledEmbedder, CalledModel, CalledReranker, Ledger
from remora.app.project.folder_watch import Followed
from remora.app.project.locate import DATABASE, commit_of, data_dir, locate, make_home
from remora.core.clock import Clock, SystemClock
from remora.core.errors import NotFound, SourceError, StoreError, StoreReadOnly
from remora.disk.files import make_folder
from remora.lifecycle.intake import Intake
from remora.lifecycle.upkeep import Upkeep
from remora.store.database import Database
from remora.store.history import COMMIT
from remora.store.hook_reader import ROOT

if TYPE_CHECKING:
    from remora.app.project.methodologies import Plugins
    from remora.core.cochange import LastChange
    from remora.embeddings.embedder import Choice, Embedder
    from remora.entries.store import EntryStore
    from remora.journal.files import Journal
    from remora.llm.client import LanguageModel, Reranker
    from remora.llm.rerankers import HttpReranker
    from remora.store.work_trees import Content

ENTRIES = "entries.mem"
USER_PROJECT_ID = "user"
RECENT_COMMITS = 500  # git reads them in a fraction of a second, even in a large repository


class Look(NamedTuple):
    """The last comparison of the files with the index.

    Attributes:
        until: time of the next comparison, on the monotonic clock.
        seen: state that changes when git or an indexer has run.
        note: remark on the index, valid as long as nothing changes.
    """

    until: float
    seen: object
    note: str


class Running(Protocol):
    """Work in the background."""

    @property
    def running(self) -> bool:
        """Whether the work is still under way."""

    def stop(self) -> None:
        """Stop within a fraction of a second."""


class Store(NamedTuple):
    """A database with the two objects that change its memories."""

    db: Database
    intake: Intake
    upkeep: Upkeep


class OpenProject:
    """The databases, models and settings behind one `Memory`.

    Args:
        path: a folder or file in the project.
        environ, clock, read_only, embedder, llm, reranker, actor: as for `Memory.open`.

    Raises:
        InvalidInput, ConfigError, SourceError: see `project.locate`.
    """

    def __init__(
        self,
        path: Path,
        environ: Mapping[str, str],
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        embedder: Embedder | None = None,
        llm: LanguageModel | None = None,
        reranker: Reranker | None = None,
        actor: str | None = None,
    ) -> None:
        self.location, self.settings = locate(path, environ, read_only=read_only)
        self.actor = actor or f"agent:python:{secrets.token_hex(4)}"
        self.environ = environ
        self.clock = clock or SystemClock()
        self.read_only = read_only
        self._given = embedder, llm, reranker
        self._plugins: Plugins | None = None
        self._choice: Choice | None = None
        self._cached: Embedder | None = None
        self._llm: LanguageModel | None = None
        self._reranker: HttpReranker | None = None
        self._ledger = Ledger(None if read_only else lambda: self.db, self.clock)
        self._unmetered = Ledger(None, self.clock)  # for a given embedder or reranker
        self._stores: dict[str, Store] = {}
        self._opening = threading.RLock()
        self._closed = False
        # The files of the project and of the user.
        self.databases = str(self.location.home / DATABASE), str(self.user_home / DATABASE)
        self.logs = Followed()
        self.written = Followed()
        self._entries: EntryStore | None = None
        self.last_look: Look | None = None  # the last comparison of files with the index
        self.contents: dict[str, Content] = {}  # of files whose modification time differs from the index
        self.background: Running | None = None  # embeds a backlog in the background
        self._recent: tuple[tuple[str | None, str], Mapping[str, LastChange]] | None = None
        self.embedding = threading.Lock()  # one batch at a time
        self.lock = threading.RLock()  # one public method at a time
        self.accesses = Accesses(
            lambda realm: self.store(realm).db, self.clock, self.actor, read_only=read_only
        )
        self.trouble = ""  # the error that stopped the last embedding pass, for doctor
        self.user_trouble = ""  # why the user's own database cannot be read

    def store(self, realm: str) -> Store:
        """Return the store of a realm, "project" or "user"; it is opened (and created) on first use.

        Raises:
            NotFound: the project is open for reading only and there is no database.
            StoreError: the database cannot be opened, or this memory was closed.
        """
        with self._opening:
            if realm not in self._stores:
                self._stores[realm] = self._open(realm)
            return self._stores[realm]

    @property
    def db(self) -> Database:
        """The project's own database."""
        return self.store("project").db

    def _open(self, realm: str) -> Store:
        if self._closed:
            raise StoreError("this memory is closed", hint="Open it again.")
        own = realm == "project"
        home, project_id = (
            (self.location.home, self.location.id) if own else (self.user_home, USER_PROJECT_ID)
        )
        if self.read_only and not (home / DATABASE).exists():
            raise NotFound(
                f"{self.location.root if own else 'the user'} has no memory yet",
                hint="`remora init` or `remora remember` creates one.",
            )
        if not self.read_only and own:
            make_home(self.location, self.environ)
        elif not self.read_only:
            make_folder(home)
        db = Database(
            home / DATABASE,
            realm=realm,
            project_id=project_id,
            read_only=self.read_only,
            clock=self.clock,
            author=self.actor,
        )
        intake = Intake(db, self.clock, lambda: self.plugins().types())
        return Store(db, intake, Upkeep(db, self.clock, intake))

    def stores(self) -> tuple[Store, ...]:
        """Return the project's store, and the user's if it exists.

        A user's database that cannot be opened is left out; `user_trouble` has the reason.
        """
        project = self.store("project")
        if "user" not in self._stores and not os.path.exists(self.databases[1]):  # noqa: PTH110  called often
            return (project,)
        try:
            user = self.store("user")
        except StoreError as error:
            self.user_trouble = f"your own memories cannot be read: {error}"
            return (project,)
        self.user_trouble = ""
        return (project, user)

    def must_be_writable(self) -> None:
        """Raise an error if the memory was opened for reading only.

        Raises:
            StoreReadOnly: it was.
        """
        if self.read_only:
            raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")

    def searched_stores(self) -> tuple[Store, ...]:
        """Return the stores that a search reads: the user's only if the settings allow it."""
        return self.stores() if self.settings.search.user_memories else (self.store("project"),)

    def plugins(self) -> Plugins:
        """Return the installed methodologies, loaded on first use."""
        if self._plugins is None:
            from remora.app.project.methodologies import load

            self._plugins = load()
        return self._plugins

    @property
    def user_home(self) -> Path:
        """Folder of the user's own memories, valid in every project."""
        return data_dir(self.environ) / "user"

    @property
    def sessions_folder(self) -> Path:
        """Folder of the project's session logs."""
        return self.location.home / "sessions"

    @property
    def memory_folder(self) -> Path:
        """Folder of the journal's files and the entry store."""
        return self.location.home / "memory"

    def entries(self) -> EntryStore:
        """Return the store of notes and archives; the first write creates its file."""
        if self._entries is None:
            from remora.entries.store import EntryStore

            self._entries = EntryStore(self.memory_folder / ENTRIES, self.clock)
        return self._entries

    def journal(self) -> Journal:
        """Return the journal's files."""
        from remora.journal.files import Journal

        return Journal(self.memory_folder, self.clock)

    def choice(self) -> Choice:
        """Return the embedding tier in use, with the reasons for it."""
        if self._choice is None:
            from remora.embeddings.embedder import Choice, choose

            if self._given[0] is not None:
                given = CalledEmbedder(self._given[0], self._unmetered)
                self._choice = Choice(given, "given", ("given by the caller",))
            else:
                self._choice = choose(self.settings.embedding, environ=self.environ)
        return self._choice

    def embedder(self) -> Embedder | None:
        """Return the embedder, None if there is none."""
        choice = self.choice()
        if choice.embedder is None or choice.tier == "given":
            return choice.embedder
        if self._cached is None:
            from remora.embeddings.cache import CachedEmbedder
            from remora.embeddings.embedder import SERVED

            embedder: Embedder = choice.embedder
            if choice.tier in SERVED:
                embedder = CalledEmbedder(embedder, self._ledger)
            self._cached = CachedEmbedder(embedder, self.db.cache, self.clock)
        return self._cached

    def llm(self, purpose: str) -> CalledModel | None:
        """Return the language model for a purpose of the ledger; None if none is configured."""
        model: LanguageModel | None = self._given[1]
        if model is None and self.settings.llm.provider == "none":
            return None
        if model is None and self._llm is None:
            from remora.llm.providers import build

            self._llm = build(self.settings.llm, self.environ, outside=str(self.location.root))
        model = model or self._llm
        if model is None:
            return None
        return CalledModel(model, self._ledger, purpose, self.settings.llm.daily_tokens)

    def reranker(self) -> Reranker | None:
        """Return the configured reranker, None if there is none."""
        if self._given[2] is not None:
            return CalledReranker(self._given[2], "", self._unmetered)
        if self.settings.rerank.provider == "none":
            return None
        if self._reranker is None:
            from remora.llm.rerankers import build

            self._reranker = build(self.settings.rerank, self.environ)
        if self._reranker is None:
            return None
        return CalledReranker(self._reranker, self._reranker.model_id, self._ledger)

    def mtime(self) -> Callable[[str], float | None]:
        """Return a function from a repository path to its modification time in seconds, None if gone."""
        root = str(self.location.root)

        def modified(path: str) -> float | None:
            try:
                return os.stat(os.path.join(root, path)).st_mtime  # noqa: PTH116, PTH118  once a hit
            except (OSError, ValueError):
                return None

        return modified

    def recent_changes(self) -> Mapping[str, LastChange]:
        """Return the last changes of files in commits that `init` has not read, by path.

        git runs once for every checked-out commit, on the newest RECENT_COMMITS commits; if it fails, the
        result is empty.
        """
        repository = self.location.repository
        if repository is None:
            return {}
        try:
            head = commit_of(repository) or repository.head()
            mined = self.db.meta.get(COMMIT)
            if head is None or head == mined:
                return {}
            if self._recent is None or self._recent[0] != (mined, head):
                since = mined if mined and repository.has_commit(mined) else None
                self._recent = ((mined, head), repository.last_changes(since, head, RECENT_COMMITS))
        except SourceError:
            return {}
        return self._recent[1]

    def _note_root(self) -> None:
        """Store the project's root in a database that was written to in this session."""
        store = self._stores.get("project")
        root = str(self.location.root)
        if store is None or self.read_only or not store.db.connection.was_written():
            return
        with suppress(StoreError):
            if store.db.meta.get(ROOT) != root:
                with store.db.transaction(wait=0.0):  # it is retried next time
                    store.db.meta.set(ROOT, root)

    def close(self) -> None:
        """Write pending counts, stop background work, and close every database and model."""
        self.accesses.flush()
        if self.background is not None:
            self.background.stop()
            self.background = None
        if self._choice is not None and self._given[0] is None:
            self._choice.close()
            self._choice = None
        for model in (self._llm, self._reranker):
            if model is not None and hasattr(model, "close"):
                model.close()
        self._llm = self._reranker = None
        self._ledger.flush()
        self._note_root()
        for room in self._stores.values():
            room.db.close()
        self._stores.clear()
        self._closed = True


@contextmanager
def opened(path: str | Path, environ: Mapping[str, str], *, read_only: bool = False) -> Iterator[OpenProject]:
    """Open a project for work of Remora itself and close it afterwards."""
    with closing(OpenProject(Path(path), environ, read_only=read_only, actor="system:work")) as project:
        project.store("project")
        yield project
