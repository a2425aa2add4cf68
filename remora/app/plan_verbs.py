"""What a `Memory` says before work begins: each verb in one place, each delegating to one module."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remora.app.arguments import listed, paths
from remora.app.checking import checked
from remora.core.errors import InvalidInput, RemoraError, StoreReadOnly

if TYPE_CHECKING:
    from remora.app.accesses import Accesses
    from remora.app.summary import SessionSummary, Used
    from remora.app.teaching import Taught
    from remora.app.wiring import Parts
    from remora.core.values import Context, MemoryRecord, WorkUnitRef
    from remora.injection.prefetch import Prefetch
    from remora.injection.scope import Scope

Paths = Sequence[str | os.PathLike[str]]
MOST_MARKS = 2_000  # answers of tools for interfaces that are known again without asking the store


@checked
class PlanVerbs:
    """The verbs of `Memory` that prepare work, keep where it stopped, and take in what a person teaches."""

    _parts: Parts
    _lock: threading.RLock
    _accesses: Accesses
    _seen_in_ui: dict[str, None] | None = None
    notes: tuple[str, ...]

    def plan_context(
        self,
        task: str,
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        budget: int | None = None,
    ) -> Context:
        """Return the block for whoever plans a task: what such work took, what failed, what belongs together.

        Calibrations, dead ends, files that change together, outcomes and recipes, each within its limit. What
        rests on text from outside is quoted at the end. The text is empty where memory has nothing.

        Args:
            task: what is to be done, in words; may be empty where modules or files are given.
            modules: folders it is about; where nothing is named, those of the files it will likely touch.
            files: that it is about.
            branch: also what was learnt on this branch; the one checked out by default, "*" for all.
            budget: tokens (characters / 4) the text may have at most.
        """
        return self._context("plan", task, modules, files, branch, budget)

    def qa_context(
        self,
        task: str,
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        budget: int | None = None,
    ) -> Context:
        """Return the block for whoever tests a task, to be read before the first tool is used.

        Requirements, errors met before, and what the interface was seen to do. The arguments are those of
        `plan_context`.
        """
        return self._context("qa", task, modules, files, branch, budget)

    def _context(
        self,
        what: str,
        task: str,
        modules: Sequence[str],
        files: Paths,
        branch: str | None,
        budget: int | None,
    ) -> Context:
        from remora.app.planning import context_for

        if budget is not None and budget <= 0:
            raise InvalidInput("budget must be above 0 tokens")
        with self._lock:
            where, on = self._where(task, modules, files), self._on_branch(branch)
            found, self.notes = context_for(self._parts, task, what, where, branch=on, budget=budget)
            self._accesses.note(found.hits)
            return found

    def prefetch(
        self,
        task: str,
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        most: int = 12,
        budget: int = 32_000,
    ) -> Prefetch:
        """Return the files worth loading before a task begins, those that like sessions always used first.

        Only files that are there, are not ignored and do not look like secrets.

        Args:
            task: what is to be done, in words.
            modules: folders it is about.
            files: that it is about; they are at hand and not named again.
            branch: also patterns that were learnt on this branch.
            most: files; never more than 12.
            budget: tokens of the contents; never more than 32,000.

        Returns:
            A list of `PrefetchFile`, with `.text` (the contents, lines numbered), `.tokens` and `.left_out`.
        """
        from remora.app.planning import prefetch

        with self._lock:
            where, on = self._where(task, modules, files), self._on_branch(branch)
            without = self._given(files)
            return prefetch(self._parts, task, where, branch=on, most=most, budget=budget, without=without)

    def step_factor(
        self, task: str = "", *, modules: Sequence[str] = (), files: Paths = (), branch: str | None = None
    ) -> float | None:
        """Return how many steps work took here for each planned one; None where nothing is known.

        Args:
            task: what is to be done; tells the modules where none is given.
            modules: folders it is about.
            files: that it is about.
            branch: also what was learnt on this branch.
        """
        from remora.app.planning import factor

        with self._lock:
            return factor(self._parts, self._where(task, modules, files), self._on_branch(branch))

    def step_limit(
        self,
        base: int,
        task: str = "",
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        most: int | None = None,
    ) -> int:
        """Return the steps that an agent may take: the base times `step_factor`, at most twice the base.

        Args:
            base: the limit without memory.
            task: what is to be done; tells the modules where none is given.
            modules: folders it is about.
            files: that it is about.
            branch: also what was learnt on this branch.
            most: never more than this; 2,000 by default.

        Raises:
            InvalidInput: a limit is not a whole number above 0.
        """
        from remora.app.planning import limit

        found = self.step_factor(task, modules=modules, files=files, branch=branch)
        return limit(base, found, most)

    def work_state(
        self,
        task: str = "",
        *,
        session_id: str | None = None,
        branch: str | None = None,
        budget: int = 500,
    ) -> str:
        """Return where earlier work stopped, for a session that goes on with it; empty for nothing.

        Args:
            task: what the session is about. A state of something else is not told; without a task, the
                newest of this branch is.
            session_id: the session that goes on: its own state comes first.
            branch: that is worked on; the one checked out by default.
            budget: tokens (characters / 4) the text may have at most.
        """
        from remora.app.planning import last_state
        from remora.injection.work_state import told

        with self._lock:
            found = last_state(self._parts, task, session_id=session_id, branch=self._on_branch(branch))
            return told(found, budget) if found is not None else ""

    def observe_ui(
        self,
        tool: str,
        result: str | Any,
        *,
        arguments: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        step: int | None = None,
        work_unit: WorkUnitRef | None = None,
        related_files: Paths = (),
        related_modules: Sequence[str] = (),
        seconds: float = 5.0,
    ) -> MemoryRecord | None:
        """Take in what a tool for browsers or interfaces answered; keep it if it is worth knowing again.

        A configured language model says what it shows, or rules do. What is kept waits for review: its
        words come from outside.

        Args:
            tool: its name as the host has it; any other tool is passed over.
            result: what it answered, as text; an answer of another kind shows nothing.
            arguments: what it was asked.
            session_id: where it happened.
            step: when.
            work_unit: what was being tested.
            related_files, related_modules: what it speaks of, as far as that is known.
            seconds: how long the model may take.

        Returns:
            The new memory; None for an answer that shows nothing, or what is known already.
        """
        from remora.app.planning import known_in_ui, store_seen
        from remora.injection import e2e

        if not e2e.is_ui_tool(tool) or not isinstance(result, str):
            return None
        if self._parts.read_only:
            raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")
        mark = e2e.mark(tool, result, arguments)
        with self._lock:
            seen = self._seen_in_ui = {} if self._seen_in_ui is None else self._seen_in_ui
            if mark in seen or known_in_ui(self._parts, mark):
                return None
            if len(seen) >= MOST_MARKS:
                del seen[next(iter(seen))]
            seen[mark] = None
            model = None
            with suppress(RemoraError):
                model = self._parts.llm()
        judged = e2e.judge(tool, result, arguments, model=model, seconds=seconds)  # nobody waits meanwhile
        more = {
            "related_files": self._given(related_files),
            "related_modules": listed("related_modules", related_modules),
        }
        with self._lock:
            self.notes = (judged.note,) if judged.note else ()
            return store_seen(
                self._parts,
                tool,
                mark,
                judged,
                session_id=session_id,
                step=step,
                work_unit=work_unit,
                more=more,
            )

    def teach(
        self,
        path: str | os.PathLike[str],
        *,
        text: str | bytes | None = None,
        user: bool = False,
        dry_run: bool = False,
    ) -> Taught:
        """Take in a file that a person wrote: its lists and paragraphs become memories.

        Rule files (CLAUDE.md, AGENTS.md, .cursorrules …) are known by their names and read as such.

        Args:
            path: the file; where `text` is given, what to call it.
            text: what to read instead of the file.
            user: keep it in the user's own memory, true in every project.
            dry_run: only say what would be stored.

        Returns:
            Each piece with what became of it: stored, merged with what, or refused and why.

        Raises:
            NotFound: there is no such file.
            InvalidInput: it is no text, or is too large; nothing was stored.
        """
        from remora.app.teaching import teach

        if not dry_run and self._parts.read_only:
            raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")
        with self._lock:
            return teach(self._parts, Path(path), text, user=user, dry_run=dry_run)

    def session_summary(
        self,
        run: int | None = None,
        *,
        session_id: str | None = None,
        used: Sequence[Used] | None = None,
    ) -> SessionSummary:
        """Return what a run of learning came to: what was remembered in its sessions, and what was learnt.

        Args:
            run: of `learn`; the last one by default.
            session_id: only what came of this session, or the one whose id begins so, in any run where none
                is named; all of the run by default.
            used: memories that served in the session, and for what, where the caller knows; what was said
                to the agent by default.

        Raises:
            NotFound: there is no such run.
            Conflict: the ids of several sessions begin so.
        """
        from remora.app.summary import summary

        with self._lock:
            return summary(self._parts, run, session_id=session_id, used=used)

    def _where(self, task: str, modules: Sequence[str], files: Paths) -> Scope:
        from remora.app.planning import where_of

        if not isinstance(task, str):
            raise InvalidInput(f"a task is text, not {type(task).__name__}")
        named = listed("modules", modules)
        wrong = [m for m in named if not isinstance(m, str)]
        if wrong:
            raise InvalidInput(f"modules must be a list of texts, not of {type(wrong[0]).__name__}")
        return where_of(self._parts, task, named, self._given(files))

    def _given(self, files: Paths) -> tuple[str, ...]:
        found = paths("files", files, self._parts.project.root)
        wrong = [f for f in found if not isinstance(f, str)]
        if wrong:
            raise InvalidInput(f"files must be a list of paths, not of {type(wrong[0]).__name__}")
        return found

    def _on_branch(self, branch: str | None) -> str | None:
        from remora.app.project import branch_of

        return branch if branch is not None else branch_of(self._parts.project.repository)
