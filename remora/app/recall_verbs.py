"""What a `Memory` finds: each verb in one place, each delegating to `recall`."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from remora.app.arguments import known_types, listed, paths
from remora.app.checking import checked
from remora.app.project import branch_of
from remora.core.errors import InvalidInput
from remora.core.values import PHASES, Filters

if TYPE_CHECKING:
    from remora.app.accesses import Accesses
    from remora.app.wiring import Parts
    from remora.core.values import Context, FileHit, Hit, Ownership

Paths = Sequence[str | os.PathLike[str]]
GOOD = 0.5  # a hit this relevant counts as used


@checked
class RecallVerbs:
    """The verbs of `Memory` that answer questions."""

    _parts: Parts
    _lock: threading.RLock
    _accesses: Accesses
    notes: tuple[str, ...]

    def search(
        self,
        query: str,
        k: int = 8,
        types: Sequence[str] | None = None,
        files: Paths | None = None,
        modules: Sequence[str] | None = None,
        scope: str | None = None,
        branch: str | None = None,
        kinds: Sequence[str] | None = None,
        phase: str | None = None,
        recent_tools: Sequence[str] = (),
        *,
        recent_files: Paths = (),
        methodology: str | None = None,
        min_score: float = 0.0,
    ) -> list[Hit]:
        """Return the best k hits for a query, best first, each with the reasons for its rank.

        Args:
            query: a question, some keywords, a name or a path.
            k: how many hits.
            types, files, modules, scope: only what passes. A file ending in "/" means all below it.
            branch: also what was learnt on this branch; the one checked out by default, "*" for all.
            kinds: sources of hits, such as ["memory"] or ["turn"]; all by default.
            phase: one of the six universal phases, or one of the methodology's; weighs memory types.
            recent_tools: names of the agent's last tools, for structural questions.
            recent_files: files just read or edited; what speaks of them or their partners ranks higher.
            methodology: whose words `phase` is in; the native one by default.
            min_score: relevance that a hit must have, from 0 to 1.

        Raises:
            InvalidInput: the query is empty or a filter is unknown.
        """
        from remora.app.recall import search

        with self._lock:
            filters = self._filters(types, files, modules, scope, self._branch(branch), kinds)
            phase = self._phase(phase, methodology) if phase is not None else None
            recent = paths("recent_files", recent_files, self._parts.project.root)
            tools = listed("recent_tools", recent_tools)
            found = search(self._parts, query, k, filters, phase, tools, recent)
            self.notes = found.notes
            hits = [hit for hit in found.hits if hit.score >= min_score]
            self._accesses.note([hit for hit in hits if hit.score >= GOOD])
            return hits

    def context(
        self,
        task: str,
        phase: str = "explore",
        budget: int | None = None,
        *,
        files: Paths | None = None,
        modules: Sequence[str] | None = None,
        branch: str | None = None,
        kinds: Sequence[str] | None = None,
        recent_files: Paths = (),
        methodology: str | None = None,
    ) -> Context:
        """Return the packed block for a prompt: what is worth knowing for a task in a phase.

        Args:
            task: what is about to be done, in words.
            phase: one of the six universal phases, or one of the methodology's; sets the shares of types
                and the default budget.
            budget: tokens (characters / 4) the text may have at most.
            methodology: whose words `phase` is in; the native one by default.
        """
        from remora.app.recall import context

        phase = self._phase(phase, methodology)
        if budget is not None and budget <= 0:
            raise InvalidInput("budget must be above 0 tokens")
        with self._lock:
            filters = self._filters(None, files, modules, None, self._branch(branch), kinds)
            recent = paths("recent_files", recent_files, self._parts.project.root)
            packed, self.notes = context(self._parts, task, filters, phase, budget, recent)
            self._accesses.note(packed.hits)
            return packed

    def related_files(self, path: str, k: int = 10) -> list[FileHit]:
        """Return the files that change or are read together with one, best first, with the evidence."""
        from remora.app.recall import related_files

        with self._lock:
            return related_files(self._parts, path, k)

    def ownership(self, path: str) -> Ownership | None:
        """Return the module of a file and who changed it most; None when the git history does not know it."""
        from remora.app.recall import ownership

        with self._lock:
            return ownership(self._parts, path)

    def _filters(
        self,
        types: Sequence[str] | None,
        files: Paths | None,
        modules: Sequence[str] | None,
        scope: str | None,
        branch: str | None,
        kinds: Sequence[str] | None,
    ) -> Filters:
        from remora.retrieval.request import checked_filters

        return checked_filters(
            Filters(
                types=self._types(types),
                files=paths("files", files, self._parts.project.root),
                modules=listed("modules", modules),
                scope=scope,
                branch=branch,
                kinds=listed("kinds", kinds),
            )
        )

    def _types(self, values: Any) -> tuple[Any, ...]:
        with self._lock:
            return known_types(self._parts, values)

    def _phase(self, phase: str, methodology: str | None) -> str:
        if phase in PHASES and methodology is None:
            return phase
        return self._parts.plugins().phase(phase, methodology)

    def _branch(self, branch: str | None) -> str | None:
        if branch is not None:
            return branch
        return branch_of(self._parts.project.repository)
