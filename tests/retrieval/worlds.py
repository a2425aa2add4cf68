"""Small worlds to search in: a project under a standing clock, with models that always answer alike."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from remora import Memory
from remora.app.recall import search as recall
from remora.core.clock import FixedClock, to_iso
from remora.core.errors import ProviderBusy
from remora.core.text import STOP_WORDS, words
from remora.core.values import Filters, Hit, MemoryRecord, Reason
from remora.retrieval.pipeline import Results
from remora.retrieval.request import Candidate, Reader, Request
from remora.sources.git import Commit, FileChange
from remora.sources.history import CoChange
from remora.store.database import Database
from remora.store.history import CLOCK
from tests.helpers import environment

NOW = "2026-03-01T12:00:00Z"
# Words that mean the same to the fake model, so that a question can find what shares no word with it.
MEANINGS = {
    "lifetime": "expire",
    "expires": "expire",
    "login": "token",
    "tokens": "token",
    "bill": "invoice",
    "invoices": "invoice",
    "greyed": "disabled",
    "database": "storage",
    "postgresql": "storage",
    "sqlite": "storage",
}


class WordEmbedder:
    """Texts that share words, or words of one meaning, are near each other.

    The line in front of a memory (its files and type) is not read. A little of each vector comes from
    the text's own hash, so that no two texts are exactly as near to a third.
    """

    dims = 96

    def __init__(self, *, model_id: str = "fake:words:96") -> None:
        self.model_id = model_id
        self.query_prefix = self.document_prefix = ""
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text."""
        return np.stack([self._vector(text.rpartition("\n\n")[2]) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, and note what was asked."""
        self.asked.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dims, np.float64)
        for word in {w for w in words(text) if w not in STOP_WORDS}:
            meaning = MEANINGS.get(word, word)
            vector[int.from_bytes(hashlib.sha256(meaning.encode()).digest()[:4], "big") % self.dims] += 1.0
        length = float(np.linalg.norm(vector)) or 1.0
        digest = hashlib.sha512(text.encode("utf-8", "replace")).digest()
        own = np.array(struct.unpack("<16i", digest), np.float64) / 2**31
        vector[:16] += 0.05 * length * own
        if length == 1.0 and not vector.any():
            return vector.astype(np.float32)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class BrokenEmbedder(WordEmbedder):
    """Embeds memories, but questions only while it is well."""

    def __init__(self) -> None:
        super().__init__()
        self.well = True

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        if not self.well:
            raise ProviderBusy("the model is loading")
        return super().embed_query(text)


class Judge:
    """A reranker that likes texts by the first of its favourite words that they hold."""

    def __init__(self, *favourites: str) -> None:
        self._favourites = favourites
        self.saw: list[tuple[str, tuple[str, ...], float]] = []

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return one score for each document, far from our scale on purpose."""
        self.saw.append((query, tuple(documents), timeout))
        return [100.0 * self._worth(text) - 7.0 for text in documents]

    def _worth(self, text: str) -> float:
        places = [n for n, word in enumerate(self._favourites) if word in text]
        return float(len(self._favourites) - places[0]) if places else 0.0


class LateJudge:
    """A reranker that never answers in time."""

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Give up as a client does when its time is over."""
        raise ProviderBusy(f"no answer within {timeout:g} s")


class World:
    """One project with fake models; memories are known by short names.

    Attributes:
        name_of: memory id to the name it was given.
    """

    def __init__(self, folder: Path, *, embedder: WordEmbedder | None = None) -> None:
        self.folder = folder
        self.clock = FixedClock(NOW)
        self.name_of: dict[str, str] = {}
        self._given: dict[str, Any] = {"embedder": embedder, "llm": None, "reranker": None}
        self._settings: dict[str, str] = {}
        (folder / "repo").mkdir(parents=True, exist_ok=True)
        self.memory = self._open()

    def _open(self, *, read_only: bool = False) -> Memory:
        environ = environment(self.folder) | self._settings
        root = self.folder / "repo"
        return Memory.open(root, environ=environ, clock=self.clock, read_only=read_only, **self._given)

    def reopen(self, *, read_only: bool = False, **given: Any) -> None:
        """Close the project and open it again, with other models where they are named."""
        self.memory.close()
        self._given |= given
        self.memory = self._open(read_only=read_only)

    def set(self, name: str, value: str) -> None:
        """Open the project again with a setting, by the name of its variable."""
        self._settings[name] = value
        self.reopen()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.memory.close()

    @property
    def db(self) -> Database:
        """The project's database."""
        return self.memory._project.db

    def remember(self, name: str, content: str, **fields: Any) -> MemoryRecord:
        """Remember a text (a pattern unless said otherwise) under a name."""
        record = self.memory.remember(content, **{"type": "pattern", **fields})
        self.name_of[record.id] = name
        return record

    def id_of(self, name: str) -> str:
        """Return the id of a memory."""
        return next(i for i, known in self.name_of.items() if known == name)

    def name(self, hit: Hit) -> str:
        """Return the name of a hit; a turn's is its number."""
        return self.name_of.get(hit.id, f"turn {hit.id}" if hit.source == "turn" else hit.id)

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        without: Sequence[str] = (),
        phase: str | None = None,
        recent_tools: Sequence[str] = (),
        recent_files: Sequence[str] = (),
        explicit: bool = True,
        **filters: Any,
    ) -> Results:
        """Search with everything that a request can say; filters by the names of `Filters`."""
        return recall.search(
            self.memory._project,
            query,
            k,
            Filters(**filters),
            phase,
            recent_tools,
            recent_files,
            explicit=explicit,
            without=frozenset(without),
        )

    def names(self, query: str, k: int = 10, **more: Any) -> list[str]:
        """Return the names of the hits, best first."""
        return [self.name(hit) for hit in self.search(query, k, **more).hits]

    def hit(self, wanted: str, query: str, **more: Any) -> Hit:
        """Return the hit of one memory."""
        return next(h for h in self.search(query, **more).hits if self.name(h) == wanted)

    def reader(self) -> Reader:
        """Return what a search may read."""
        return recall.reader(self.memory._project)

    def co_access(self, one: str, other: str, weight: float) -> None:
        """Write what an observer would: two files that agents read together."""
        self._put(one, other)
        with self.db.transaction():
            self.db.connection.execute(
                """INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, last_observed_at)
                   VALUES (?, ?, ?, ?, ?)""",
                (one, other, self.db.project_id, weight, to_iso(self.clock.now())),
            )

    def commit(self, *files: str, times: int = 1) -> None:
        """Let files change together in so many commits of now."""
        self._put(*files)
        history = self.db.history
        learnt = CoChange(history.clock(), history.all_files(), history.all_pairs())
        changes = tuple(FileChange("M", path) for path in files)
        for _ in range(times):
            learnt.learn(Commit("c" * 40, (), to_iso(self.clock.now()), "Ann", "change", "", changes))
        with self.db.transaction():
            history.write(
                removed=learnt.removed, files=learnt.changed_files(), pairs=learnt.changed_pairs(), modules={}
            )
            self.db.meta.set(CLOCK, learnt.clock())

    def _put(self, *paths: str) -> None:
        """Let files be in the tree, older than every memory."""
        for path in paths:
            file = self.folder / "repo" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            os.utime(file, (0, 0))


def record(content: str = "Tokens expire after 24 h", **fields: Any) -> MemoryRecord:
    """Return a memory as the store would give it: fresh, explicit, of usual confidence."""
    known: dict[str, Any] = {
        "id": "m" + hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:8],
        "type": "pattern",
        "content": content,
        "confidence": 0.8,
        "tags": (),
        "related_files": (),
        "related_modules": (),
        "created_at": NOW,
        "updated_at": NOW,
        "last_accessed_at": NOW,
        "access_count": 0,
        "scope": "global",
        "source": "agent_explicit",
        "project_id": "p",
    }
    return MemoryRecord(**{**known, **fields})


def hit_of(memory: MemoryRecord, score: float = 0.9) -> Hit:
    """Return a hit on a memory."""
    path = memory.related_files[0] if memory.related_files else None
    return Hit(memory.id, "memory", memory.content, score, memory=memory, path=path, realm=memory.realm)


def candidate(name: str, score: float = 0.5, **fields: Any) -> Candidate:
    """Return a candidate for a memory of that id."""
    memory = record(f"text of {name}", id=name, **fields)
    return Candidate(("memory", memory.realm, name), memory.content, memory=memory, score=score)


def request(text: str = "how long do tokens live", k: int = 10, **fields: Any) -> Request:
    """Return a request for ten hits."""
    return Request(text, k, **fields)


def stages(why: Sequence[Reason]) -> list[str]:
    """Return the stages that left a reason, in order."""
    return [reason.stage for reason in why]
