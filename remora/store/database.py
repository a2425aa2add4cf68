"""An open database and its tables, as the higher layers use it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.change import PERSON
from remora.core.clock import Clock
from remora.store.chunks import Chunks
from remora.store.closure import Closure, FileCoupling
from remora.store.connection import Connection
from remora.store.fulltext import FullText
from remora.store.graph import Graph
from remora.store.history import Commits, History
from remora.store.injections import Injections, Triggers
from remora.store.layers import Layers
from remora.store.memories import Memories
from remora.store.meta import Meta
from remora.store.model_costs import ModelCosts
from remora.store.module_evidence import ModuleEvidence
from remora.store.notes import Notes
from remora.store.other_sources import OtherSources
from remora.store.overview import FilePrediction, Overview
from remora.store.revisions import Revisions
from remora.store.selections import Selections
from remora.store.session_reader import SessionReader
from remora.store.shared import Shared
from remora.store.trials import Trials
from remora.store.turns import Turns
from remora.store.uses import Uses
from remora.store.vectors import EmbeddingCache, Vectors
from remora.store.work_trees import WorkTrees

if TYPE_CHECKING:
    from remora.store.nearest import NearestIndex


class Database:
    """The database of a project, or of the user, with one object per family of tables.

    Attributes:
        realm: "project" or "user".
        project_id: written into each row, so that every file identifies its project.
    """

    def __init__(
        self,
        path: Path,
        *,
        realm: str,
        project_id: str,
        read_only: bool = False,
        clock: Clock | None = None,
        author: str = PERSON,
    ) -> None:
        """Open the database at a path; errors as for `Connection.open`.

        Args:
            path: the file.
            realm, project_id: see the class.
            read_only: change nothing.
            clock: gives the time of revisions; the system's by default.
            author: the default author of changes; see `core.change.Change`.
        """
        connection = Connection.open(path, read_only=read_only)
        self.connection = connection
        self.transaction = connection.transaction
        self.close = connection.close
        self.realm = realm
        self.project_id = project_id
        self.meta = Meta(connection)
        self.revisions = Revisions(connection, clock, author)
        self.memories = Memories(connection, realm, self.revisions)
        self.selections = Selections(connection)
        self.fulltext = FullText(connection)
        self.vectors = Vectors(connection)
        self.cache = EmbeddingCache(connection)
        self.turns = Turns(connection)
        self.notes = Notes(connection)
        self.sessions = SessionReader(connection, project_id)
        self.history = History(connection)
        self.commits = Commits(connection)
        self.graph = Graph(connection)
        self.file_prediction = FilePrediction(connection)
        self.other_sources = OtherSources(connection)
        self.closure = Closure(connection)
        self.work_trees = WorkTrees(connection)
        self.file_coupling = FileCoupling(connection)
        self.chunks = Chunks(connection)
        self.layers = Layers(connection)
        self.overview = Overview(connection)
        self.triggers = Triggers(connection)
        self.injections = Injections(connection)
        self.uses = Uses(connection, self.memories)
        self.shared = Shared(connection)
        self.trials = Trials(connection)
        self.model_costs = ModelCosts(connection)
        self.module_evidence = ModuleEvidence(connection, project_id)
        self._nearest: dict[tuple[str, str], NearestIndex] = {}

    def nearest(self, owner_kind: str, model_id: str) -> NearestIndex:
        """Return the in-memory index of one kind of owner and one model, made on first use."""
        from remora.store.nearest import NearestIndex  # numpy: only where vectors are searched

        key = (owner_kind, model_id)
        if key not in self._nearest:
            self._nearest[key] = NearestIndex(self.connection, self.vectors, owner_kind, model_id)
        return self._nearest[key]
