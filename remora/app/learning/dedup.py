"""Find a memory that already states a draft: by its words and, if there is a model, by its meaning.

Vectors alone decide nothing: texts that differ in a number, a file or a "never" are close in any model. So
two texts must agree in all of these first. A rule that a person states is not compared: storing it merges
what says the same, and "use double quotes" after "use single quotes" is a change. Memories without a vector
yet, such as those that the same run of `learn` stored, are found by their words and compared as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.errors import RemoraError
from remora.core.statement import TURNING, same_statement, word_set
from remora.core.text import jaccard, query_terms, salient, words
from remora.core.values import Filters
from remora.embeddings.context import memory_text
from remora.observer.candidate import USER_SAID
from remora.observer.promotion import ALIKE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryDraft, MemoryRecord
    from remora.embeddings.embedder import Embedder

NEAREST = 20  # candidates by vectors, and as many by words
TERMS = 16  # search terms of a text; a text with the same meaning shares most of them
# Counts, dates and authors of the evidence are not part of a memory's statement.
_EVIDENCE = re.compile(r"\((?:seen|said|committed|\d+ of \d+)\b[^()]*\)|; last \d{4}-\d\d-\d\d")
_SPAN = re.compile(r"`([^`]+)`")


class Novelty:
    """Finds the memory that already states a draft; use one object for a run."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._db = project.db
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def closest(self, draft: MemoryDraft, branch: str | None) -> tuple[str, float] | None:
        """Return the beginning of the closest memory's id and its similarity, 0 to 1; None if none is near.

        Args:
            draft: the draft.
            branch: the branch of the draft; None for the whole project.
        """
        if USER_SAID in draft.tags:
            return None
        statement = _statement(draft.content)
        asked = _musts(statement)
        filters = Filters(types=(draft.type,), branch=branch)
        terms = query_terms(statement, TERMS)
        near = self._near(draft)
        found = [i for i, _ in self._db.fulltext.memories(terms, filters, NEAREST)]
        records = self._db.memories.get_many([*near, *found])
        best: tuple[str, float] | None = None
        for record in (records[i] for i in dict.fromkeys([*near, *found]) if i in records):
            if not _speaks_for(record, draft, branch):
                continue
            other = _statement(record.content)
            if _musts(other) != asked:
                continue
            if jaccard(word_set(statement), word_set(other)) > ALIKE:
                close = float(same_statement(statement, other))
            else:
                close = near[record.id] if record.id in near else self._cosine(draft, record)
            if best is None or close > best[1]:
                best = (record.id[:8], close)
        return best

    def _near(self, draft: MemoryDraft) -> dict[str, float]:
        """Return the cosine of the nearest memories that have a vector, by id."""
        vector, model = self._vector(memory_text(draft))
        if vector is None:
            return {}
        return {n.owner_id: n.cosine for n in self._db.nearest("memory", model).search(vector, NEAREST)}

    def _cosine(self, draft: MemoryDraft, record: MemoryRecord) -> float:
        (one, _), (other, _) = self._vector(memory_text(draft)), self._vector(memory_text(record))
        return float(one @ other) if one is not None and other is not None else 0.0

    def _vector(self, text: str) -> tuple[NDArray[np.float32] | None, str]:
        """Return the vector of a text and the model's name; None if no model answers."""
        try:
            embedder: Embedder | None = self._project.embedder()
            if embedder is None:
                return None, ""
            if text not in self._vectors:
                self._vectors[text] = embedder.embed_documents([text])[0]
        except RemoraError:
            return None, ""
        return self._vectors[text], embedder.model_id


def _speaks_for(record: MemoryRecord, draft: MemoryDraft, branch: str | None) -> bool:
    """Return whether a memory is visible wherever the draft would be, and trusted as much."""
    there = not record.deprecated and record.type == draft.type and record.branch in (None, branch)
    return there and (record.taint is None or draft.taint is not None)


def _statement(text: str) -> str:
    return _EVIDENCE.sub("", text)


def _musts(text: str) -> frozenset[str]:
    """Return the parts that texts with the same meaning share: names, numbers, negations, quoted spans."""
    return salient(text) | frozenset(_SPAN.findall(text)) | TURNING.intersection(words(text))
