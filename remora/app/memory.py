"""The object users hold: every verb of a project's memory, each delegating to one module.

`Memory` is synchronous and safe to use from several threads. `AsyncMemory` mirrors it for async
programs. Whatever fails inside a search's optional parts (a model, a reranker, git) makes the answer
plainer, never absent. A verb imports its module when it is called: a short process pays for what it uses.
"""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from remora.app.memories import operations as memories
from remora.app.project.argument_types import checked
from remora.app.project.arguments import current_branch, file_names, filters_of, listed, own_names, paths
from remora.app.project.open_project import OpenProject, build
from remora.core.clock import Clock
from remora.core.errors import InvalidInput, RemoraError
from remora.core.values import MEMORY_KINDS, PHASES, MemoryDraft, MemoryRecord

if TYPE_CHECKING:
    from types import TracebackType

    from remora.app.agent.correction import Corrected
    from remora.app.agent.loop import Loop
    from remora.app.agent.preview import Preview
    from remora.app.agent.status import Status, Why
    from remora.app.agent.trial import Proposal, TrialReport
    from remora.app.agent.trust import TrustReport
    from remora.app.codebase.impact import Impacts
    from remora.app.codebase.module_descriptions import SemanticReport
    from remora.app.health.backup import Backup
    from remora.app.health.erase import Erased
    from remora.app.health.export import Exported
    from remora.app.health.findings import Report
    from remora.app.health.maintenance import Maintained
    from remora.app.health.privacy import Privacy
    from remora.app.health.score import Health
    from remora.app.health.stats import Stats
    from remora.app.importing.export_reader import Imported
    from remora.app.importing.other_systems import MoveReport
    from remora.app.importing.shipped_memory import Shipped
    from remora.app.importing.teach import Taught
    from remora.app.learning.evidence_pack import Reflection
    from remora.app.learning.learn import LearnReport
    from remora.app.learning.live_observation import Watched
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import SessionSummary
    from remora.app.learning.synthesis import Synthesized
    from remora.app.project.metered_models import Costs
    from remora.app.recall.questions import Answer, Passage
    from remora.app.records.entries import Entries
    from remora.app.records.journal import Journal
    from remora.app.records.session import Session
    from remora.app.sharing.sharing import Sharing
    from remora.checks.suggest import Suggestion
    from remora.conversation.sessions import SessionInfo
    from remora.core.code import IndexReport
    from remora.core.config import Settings
    from remora.core.merge import Revision
    from remora.core.values import Context, FileHit, Hit, InitReport, Ownership, Used, WorkUnitRef
    from remora.embeddings.embedder import Embedder
    from remora.graph.modules import ModuleInfo
    from remora.injection.prefetch import Prefetch
    from remora.lifecycle.prune import PrunePlan
    from remora.llm.client import LanguageModel, Reranker
    from remora.store.injections import Injection

Paths = Sequence[str | os.PathLike[str]]
Time = str | date  # or a datetime, which is one
Progress = Callable[[str, int, int], None]


@checked
class Memory:
    """The memory of one project, with the user's own beside it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with Memory.open(folder, environ={"REMORA_HOME": folder + "/data"}) as memory:
    ...     record = memory.remember("Access tokens expire after 24 h", type="decision")
    ...     [hit.text for hit in memory.search("token lifetime")]
    ['Access tokens expire after 24 h']
    """

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._lock = project.lock
        self._entries: Entries | None = None
        self._journal: Journal | None = None
        self.notes: tuple[str, ...] = ()  # what the last search had to do without

    @classmethod
    def open(
        cls,
        project: str | os.PathLike[str] = ".",
        *,
        read_only: bool = False,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        llm: LanguageModel | None = None,
        reranker: Reranker | None = None,
        actor: str | None = None,
    ) -> Memory:
        """Open the memory of the project that a path belongs to; its home is made on first use.

        Args:
            project: a folder or file in the project. Work trees and subfolders share one memory.
            read_only: change nothing on disk; the project must have a memory already.
            environ: the environment to read settings from; the process's own by default.
            clock: what time it is; the system's by default.
            embedder, llm, reranker: parts of your own in place of the configured ones.
            actor: who uses it: "person", or "agent:HOST:SESSION"; an agent in Python by default. It is the
                author of changes, and what a person looks up counts as no use.

        Raises:
            InvalidInput: the path does not exist.
            ConfigError: remora.toml or a REMORA_ variable cannot be used.
            StoreError: the database cannot be used (its subclasses say why).
        """
        opened = build(
            Path(project),
            os.environ if environ is None else environ,
            clock=clock,
            read_only=read_only,
            embedder=embedder,
            llm=llm,
            reranker=reranker,
            actor=actor or "",
        )
        try:
            opened.store("project")
        except BaseException:
            opened.close()
            raise
        return cls(opened)

    def close(self) -> None:
        """Write what is pending and close the files; a second call does nothing."""
        with self._lock:
            self._project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What is remembered

    def remember(
        self,
        /,
        content: str,
        *,
        type: str | None = None,  # noqa: A002  the field's own name
        related_files: Paths = (),
        related_modules: Sequence[str] = (),
        tags: Sequence[str] = (),
        source: str = "agent_explicit",
        scope: str = "global",
        confidence: float | None = None,
        user: bool = False,
        **fields: Any,
    ) -> MemoryRecord:
        """Store one memory durably, or merge it with what it duplicates.

        Args:
            content: a statement that can be understood on its own.
            type: one of the 16 memory types; guessed from the wording when left out.
            related_files: paths, relative to the repository's root or absolute.
            related_modules: modules (folders) it speaks of.
            tags: words to find and filter by.
            source: who says so; one of the six sources.
            scope: "global" (the whole project), "module", "work_unit" or "session".
            confidence: 0..1; 1.0 for what a user taught, 0.8 for the rest by default.
            user: keep it in the user's own memory, true in every project.
            **fields: any further field of `MemoryDraft`.

        Returns:
            The record; `record.receipt` says whether it was stored, merged or restored, with what,
            and how many secrets were taken out.

        Raises:
            InvalidInput: it cannot be stored; nothing was changed.
        """
        given = {
            "type": type,
            "tags": tags,
            "source": source,
            "scope": scope,
            "confidence": confidence,
            **own_names({**fields, "related_files": related_files, "related_modules": related_modules}),
        }
        with self._lock:
            draft = memories.drafted(self._project, content, for_user=user, **given)
            return memories.remember_many(self._project, [draft], user=user)[0]

    def remember_each(
        self, drafts: Iterable[Mapping[str, Any]], *, user: bool = False
    ) -> builtins.list[MemoryRecord | RemoraError]:
        """Store many drafts in one transaction, each by itself.

        Args:
            drafts: for each what `remember` takes, by name.
            user: keep them in the user's own memory.

        Returns:
            For each draft, in order, its record, or the error that says why it is not stored.

        Raises:
            StoreError: the store itself failed; none of them was kept.
        """
        with self._lock:
            return memories.remember_each(self._project, drafts, user=user)

    def remember_many(
        self, drafts: Sequence[MemoryDraft], *, user: bool = False
    ) -> builtins.list[MemoryRecord]:
        """Store many drafts in one transaction, all or none; one record for each, in order."""
        with self._lock:
            return memories.remember_many(self._project, drafts, user=user)

    def show(self, memory_id: str) -> MemoryRecord:
        """Return a memory by its id or a unique start of it, forgotten ones too.

        Raises:
            NotFound: there is none.
            Conflict: several ids start so.
        """
        with self._lock:
            return memories.find(self._project, memory_id)[1]

    def dependents(self, memory_id: str) -> builtins.list[MemoryRecord]:
        """Return the live memories that were derived from one, directly or through others."""
        with self._lock:
            return memories.dependents(self._project, memory_id)

    def list(
        self,
        types: Sequence[str] | None = None,
        limit: int = 100,
        *,
        files: Paths | None = None,
        modules: Sequence[str] | None = None,
        scope: str | None = None,
        branch: str | None = "*",
        tag: str | None = None,
        source: str | None = None,
        needs_review: bool | None = None,
        pinned: bool | None = None,
        include_forgotten: bool = False,
        order: str = "created",
        offset: int = 0,
        user: bool | None = None,
        records: bool = False,
        since: Time | None = None,
        until: Time | None = None,
    ) -> builtins.list[MemoryRecord]:
        """Return memories that pass all filters, newest first.

        Records of commits and sessions come only where they are asked for: by `records`, by a type of theirs,
        or by their source.

        Args:
            records: records alone.
            order: "created", "accessed" or "confidence".
            user: True for the user's own only, False for the project's only, None for both.
            since, until: when they were stored; see `search`.
        """
        where: dict[str, Any] = {"files": files, "modules": modules, "scope": scope, "branch": branch}
        where |= {"since": since, "until": until}
        having = {
            "include_deprecated": include_forgotten,
            "needs_review": needs_review,
            "source": source,
            "pinned": pinned,
            "tag": tag,
        }
        with self._lock:
            return memories.listing(
                self._project,
                types,
                limit,
                offset,
                order,
                where=where,
                having=having,
                user=user,
                records=records,
            )

    def edit(self, /, memory_id: str, **changes: Any) -> MemoryRecord:
        """Change fields of a memory, such as `content="…"` or `tags=[…]`.

        With `revision="…"`, the id of the newest revision that the caller saw, nothing is changed where there
        is a newer one.

        Raises:
            Conflict: the memory was changed since.
        """
        with self._lock:
            return memories.edit(self._project, memory_id, changes)

    def supersede(self, /, memory_id: str, content: str, **fields: Any) -> MemoryRecord:
        """Put a new memory in the place of an old one and return it; dependents are flagged.

        What is not given is taken over from the old memory: type, files, modules, tags, scope, and
        whether it is pinned.
        """
        with self._lock:
            return memories.supersede(self._project, memory_id, content, fields)

    def forget(self, memory_id: str) -> MemoryRecord:
        """Take a memory out of every search; `restore` brings it back within 30 days at least."""
        with self._lock:
            return memories.forget(self._project, memory_id)

    def restore(self, memory_id: str, *, revision: str | None = None) -> MemoryRecord:
        """Bring back a memory that was forgotten or superseded, or an earlier text of one.

        Args:
            memory_id: its id or a unique start of it.
            revision: which of the changes that `history` lists: what it was after that. A number from 1 on,
                or the start of an id.

        Raises:
            NotFound: there is no such memory or revision.
            InvalidInput: the text of that revision is not kept any more.
        """
        with self._lock:
            return memories.restore(self._project, memory_id, revision)

    def history(self, memory_id: str) -> builtins.list[Revision]:
        """Return every change of a memory, oldest first: when, by whom, what and why.

        The texts of changes are kept for 30 days, and the newest 20 of each memory for good.
        """
        with self._lock:
            return memories.history(self._project, memory_id)

    def pin(self, memory_id: str, *, pinned: bool = True) -> MemoryRecord:
        """Keep a memory from decay and pruning; `pinned=False` lets it go again."""
        with self._lock:
            room, record = memories.find(self._project, memory_id)
            return room.upkeep.pin(record.id, pinned=pinned)

    def verify(self, memory_id: str) -> MemoryRecord:
        """Confirm a memory as a person: clears review flags and taint."""
        with self._lock:
            room, record = memories.find(self._project, memory_id)
            return room.upkeep.verify(record.id)

    def wrong(
        self,
        memory_id: str,
        choice: str = "wrong",
        *,
        right: str | None = None,
        files: Paths = (),
        modules: Sequence[str] = (),
        branch: str | None = None,
    ) -> Corrected:
        """Correct a memory as a person.

        Args:
            memory_id: its id or a unique start of it.
            choice: "wrong" (needs `right`), "outdated" (`right` may say what holds now), "narrow" (needs
                files, modules or a branch), "silent" (right, but never to be said unasked) or "erase".
            right: the statement that holds instead; it is the person's.
            files, modules, branch: where alone it holds.

        Returns:
            What was done; `in_session` counts the memories that were called wrong in this session.

        Raises:
            NotFound: there is no such memory.
            InvalidInput: the choice does not exist, or what it needs is missing; nothing was changed.
        """
        from remora.app.agent.correction import correct

        self._project.must_be_writable()
        with self._lock:
            return correct(
                self._project,
                memory_id,
                choice,
                right=right,
                files=file_names(files, self.root),
                modules=listed("modules", modules),
                branch=branch,
            )

    def trust(self, level: int | str | None = None) -> TrustReport:
        """Return the trust level of the project: how much is said unasked, and why; or set it first.

        Args:
            level: 1 to 4 to choose one for good, "auto" to let reviews and corrections move it.

        Raises:
            InvalidInput: there is no such level.
        """
        from remora.app.agent.trust import choose, report

        with self._lock:
            return report(self._project) if level is None else choose(self._project, level)

    # Questions

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
        since: Time | None = None,
        until: Time | None = None,
        session: str | None = None,
        role: str | None = None,
    ) -> builtins.list[Hit]:
        """Return the best k hits for a query, best first, each with the reasons for its rank.

        Args:
            query: a question, some keywords, a name or a path.
            k: how many hits.
            types, files, modules, scope: only what passes. A file ending in "/" means all below it.
            branch: also what was learned on this branch; the one checked out by default, "*" for all.
            kinds: sources of hits, such as ["memory"] or ["turn"]; all by default.
            phase: one of the six universal phases, or one of the methodology's; weighs memory types.
            recent_tools: names of the agent's last tools, for structural questions.
            recent_files: files just read or edited; what speaks of them or their partners ranks higher.
            methodology: whose words `phase` is in; the native one by default.
            min_score: relevance that a hit must have, from 0 to 1.
            since, until: only what was written or said in this time: a date or datetime, or text such as
                "2023-05-08", "8 May 2023", "May 2023" or "last week". Days that are named belong to it.
            session: only what was said or learned in this session.
            role: only what this speaker said.

        Raises:
            InvalidInput: the query is empty or a filter is unknown.
        """
        from remora.app.recall.search import ask

        with self._lock:
            project = self._project
            found = ask(
                project,
                query,
                k,
                filters_of(
                    project,
                    types=types,
                    files=files,
                    modules=modules,
                    scope=scope,
                    branch=current_branch(project, branch),
                    kinds=kinds,
                    since=since,
                    until=until,
                    session=session,
                    role=role,
                ),
                phase=self._phase(phase, methodology) if phase is not None else None,
                recent_tools=listed("recent_tools", recent_tools),
                recent_files=paths("recent_files", recent_files, self.root),
                min_score=min_score,
            )
            self.notes = found.notes
            return found.hits

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
        from remora.app.recall.search import context

        with self._lock:
            project = self._project
            branch = current_branch(project, branch)
            filters = filters_of(project, files=files, modules=modules, branch=branch, kinds=kinds)
            recent = paths("recent_files", recent_files, self.root)
            phase = self._phase(phase, methodology)
            packed, self.notes = context(project, task, filters, phase, budget, recent)
            project.accesses.note(packed.hits)
            return packed

    def ask(self, question: str, thread: str = "") -> Answer:
        """Answer a question from what is remembered; counts nothing as used.

        The configured language model words the answer, and every sentence names the passages that it rests
        on; without a model the best passages stand as they are.

        Args:
            question: what is asked.
            thread: "new" keeps the question and its answer as a conversation `ask:<n>`, and the id of one
                goes on with it; by default nothing is kept.

        Raises:
            NotFound: there is no such thread.
        """
        from remora.app.recall.questions import ask

        with self._lock:
            return ask(self._project, question, thread)

    def passages(self, question: str) -> builtins.list[Passage]:
        """Return the passages that an answer to a question may rest on, best first; asks no model."""
        from remora.app.recall.questions import passages_for

        with self._lock:
            found, self.notes = passages_for(self._project, question)
            return found

    def preview(self, at: str, about: str) -> Preview:
        """Return what an agent would be told at a moment, and why memories about its file stay silent.

        Args:
            at: "edit", "run" or "ask".
            about: the file, the command, or the prompt.
        """
        from remora.app.agent.preview import preview

        with self._lock:
            return preview(self._project, at, about)

    def related_files(self, path: str, k: int = 10) -> builtins.list[FileHit]:
        """Return the files that change or are read together with one, best first, with the evidence."""
        from remora.app.recall.files import related_files

        with self._lock:
            return related_files(self._project, path, k)

    def ownership(self, path: str) -> Ownership | None:
        """Return the module of a file and who changed it most; None when the git history does not know it."""
        from remora.app.recall.files import ownership

        with self._lock:
            return ownership(self._project, path)

    def predict_files(self, task: str, k: int = 10, *, tests: bool = False) -> builtins.list[FileHit]:
        """Return the files that a task will most likely touch, best first, each with its reasons.

        Args:
            task: what is to be done: an issue's text, a request, a commit message.
            k: how many files.
            tests: rank every file, tests too; else code, and other files that sessions or the branch changed.

        Raises:
            InvalidInput: the task is empty.
        """
        from remora.app.recall.files import predict_files

        with self._lock:
            found, self.notes = predict_files(self._project, task, k, tests=tests)
            return found

    def impact(self, target: str, depth: int = 3, *, limit: int = 200) -> Impacts:
        """Return what may break when something changes, nearest first.

        Args:
            target: "path/file.py", "path/file.py:Class.method", or a symbol's name if it is unique.
            depth: steps to follow, from 1 to 10.
            limit: how many results at most; the answer says when there is more.

        Returns:
            A list of `Impact` with `.target`, `.tests`, `.memories` and `.notes`.

        Raises:
            NotFound: nothing in the graph is called so.
            Conflict: several definitions are; the message names them.
        """
        from remora.app.codebase.impact import impact

        with self._lock:
            return impact(self._project, target, depth, limit)

    def modules(self) -> builtins.list[ModuleInfo]:
        """Return the modules of the code, largest first: files, purpose, hot files, memories about them."""
        from remora.app.codebase.impact import modules

        with self._lock:
            return modules(self._project)

    # Before work begins

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
            branch: also what was learned on this branch; the one checked out by default, "*" for all.
            budget: tokens (characters / 4) the text may have at most.
        """
        return self._planned("plan", task, modules, files, branch, budget)

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
        return self._planned("qa", task, modules, files, branch, budget)

    def _planned(
        self,
        what: str,
        task: str,
        modules: Sequence[str],
        files: Paths,
        branch: str | None,
        budget: int | None,
    ) -> Context:
        from remora.app.recall.task_context import context_for, where_of

        with self._lock:
            project = self._project
            where, on = where_of(project, task, modules, files), current_branch(project, branch)
            found, self.notes = context_for(project, task, what, where, branch=on, budget=budget)
            project.accesses.note(found.hits)
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
            branch: also patterns that were learned on this branch.
            most: files; never more than 12.
            budget: tokens of the contents; never more than 32,000.

        Returns:
            A list of `PrefetchFile`, with `.text` (the contents, lines numbered), `.tokens` and `.left_out`.
        """
        from remora.app.recall.task_context import prefetch, where_of

        with self._lock:
            project = self._project
            where, on = where_of(project, task, modules, files), current_branch(project, branch)
            without = file_names(files, self.root)
            return prefetch(project, task, where, branch=on, most=most, budget=budget, without=without)

    def step_factor(
        self, task: str = "", *, modules: Sequence[str] = (), files: Paths = (), branch: str | None = None
    ) -> float | None:
        """Return how many steps work took here for each planned one; None where nothing is known.

        Args:
            task: what is to be done; tells the modules where none is given.
            modules: folders it is about.
            files: that it is about.
            branch: also what was learned on this branch.
        """
        from remora.app.recall.task_context import factor, where_of

        with self._lock:
            where = where_of(self._project, task, modules, files)
            return factor(self._project, where, current_branch(self._project, branch))

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
            branch: also what was learned on this branch.
            most: never more than this; 2,000 by default.

        Raises:
            InvalidInput: a limit is not a whole number above 0.
        """
        from remora.app.recall.task_context import limit

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
        from remora.app.learning.work_state import last_state
        from remora.injection.work_state import told

        with self._lock:
            on = current_branch(self._project, branch)
            found = last_state(self._project, task, session_id=session_id, branch=on)
            return told(found, budget) if found is not None else ""

    def suggest_commands(
        self, k: int = 5, *, task: str = "", files: Paths = (), purposes: Sequence[str] = ()
    ) -> builtins.list[Suggestion]:
        """Return the commands to check work with, best first: what sessions ran, and what the project names.

        Rule files and files of tasks are read as they are now; what names a file or task that is gone is
        left out.

        Args:
            k: how many.
            task: what is worked on; the files that it names stand for `files` where none are given.
            files: what was edited; checks of the folder that holds all of it come first, those of other
                folders and other files last, and what rule files and tasks of the folders above name is told.
            purposes: of "format", "lint", "test", "build"; all by default.
        """
        from remora.app.codebase.check_commands import suggest_commands

        with self._lock:
            return suggest_commands(self._project, k, task=task, files=files, purposes=purposes)

    # What agents are told

    def loop(self, session_id: str, *, host: str = "python", tools: Mapping[str, str] | None = None) -> Loop:
        """Put memory into an agent's own loop: what to say at its four points, and learning at its end.

        Args:
            session_id: your own id of the session.
            host: what your program calls itself.
            tools: what your tools do, by name: "read", "edit", "write", "run", "search", "glob", "fetch",
                "task", "plan", "memory" or "other". The usual names are known; of one that nobody knows
                `Loop.trouble` says so once.

        Raises:
            InvalidInput: an id or a host is empty, or there is no such action.
        """
        from remora.app.agent.loop import Loop

        return Loop(self._project, session_id, host, tools)

    def log(self, limit: int = 20, *, session_id: str | None = None) -> builtins.list[Injection]:
        """Return what was put in front of agents, newest first: when, at what, why, and what followed.

        Args:
            limit: how many at most.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.agent.status import log

        with self._lock:
            return log(self._project, limit, session_id)

    def why(self, memory_id: str) -> Why:
        """Return where a memory comes from, how far to trust it, at what it is said and when it was.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.agent.status import why

        with self._lock:
            return why(self._project, memory_id)

    def synthesize(self, module: str | None = None, *, dry_run: bool = False) -> builtins.list[Synthesized]:
        """Propose memories from what several sessions on a module have in common; they wait for review.

        The work after sessions does this at the 5th, 10th, 20th, 50th and 100th session on a module.

        Args:
            module: one module, due or not; those that are due by default.
            dry_run: store nothing.

        Raises:
            InvalidInput: no session changed such a module.
        """
        from remora.app.learning.synthesis import synthesize

        with self._lock:
            return synthesize(self._project, module, dry_run=dry_run)

    def costs(self, days: int = 30) -> Costs:
        """Return the calls of language models by purpose: tokens, seconds, failures, and money where known.

        Args:
            days: counted back from today.
        """
        from remora.app.health.costs import costs

        with self._lock:
            return costs(self._project, days)

    def trial(self) -> TrialReport:
        """Return whether advice helps here: moments that were told beside moments that were held back.

        One moment in ten is held back (`trial.share`), never a rule, nor what a person pinned or verified.
        """
        from remora.app.agent import trial

        with self._lock:
            return trial.report(self._project)

    def apply_trial(self) -> builtins.list[Proposal]:
        """Put the phase weights that the trial proposes in force; returns them.

        Raises:
            InvalidInput: nothing is proposed.
        """
        from remora.app.agent import trial

        with self._lock:
            return trial.apply(self._project)

    def undo_trial(self) -> int:
        """Take the phase weights that were applied last back; returns how many versions are left.

        Raises:
            InvalidInput: none was applied.
        """
        from remora.app.agent import trial

        with self._lock:
            return trial.undo(self._project)

    def status(self) -> Status:
        """Return what the project has, which sessions go on, and what one that began now would be told."""
        from remora.app.agent.status import status

        with self._lock:
            return status(self._project)

    def tell_session(self, memory_id: str) -> bool:
        """Tell the agents of the session that goes on in this project what one of them recorded.

        Args:
            memory_id: of what was recorded.

        Returns:
            Whether it is known which session that is.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.agent.status import tell_session

        with self._lock:
            return tell_session(self._project, memory_id)

    def as_said(self, text: str, told_at: Sequence[str] = ()) -> dict[str, Any]:
        """Return what makes a statement the person's, whose sentence an agent was asked to record.

        Args:
            text: the statement.
            told_at: what it is to be told at: what it forbids and wants, and when.

        Returns:
            Source, session and the sentence as fields of a draft, where the statement says what a person
            said in the session that goes on and nothing beyond; else nothing.
        """
        from remora.app.agent.status import as_said

        with self._lock:
            return as_said(self._project, text, told_at)

    def off_since(self) -> str:
        """Return since when Remora is off for the project, ISO 8601; empty if it is on."""
        from remora.app.project.off import off_in

        with self._lock:
            return off_in(self._project).since

    def hears(self) -> bool:
        """Return whether an agent may write here: neither the project nor its session is switched off."""
        from remora.app.agent.off_switch import session_is_off

        with self._lock:
            return not self.off_since() and not session_is_off(self._project)

    def turn_off(self, session: str | None = None) -> str:
        """Switch Remora off: from now on agents are told nothing unasked, nothing is noted or learned.

        What an agent looks up by itself is still answered. What was learned before stays.

        Args:
            session: only this session, by the host's id or its beginning; empty for the one at work. Nothing
                more of it is learned, not even of what it did before.

        Returns:
            Since when the project is off, ISO 8601; of a session its name, as "host:id".

        Raises:
            NotFound: there is no such session, or several.
        """
        return self._switched(session, on=False)

    def turn_on(self, session: str | None = None) -> str:
        """Switch Remora on again; see `turn_off`. What happened meanwhile is never learned.

        Returns:
            Empty; of a session its name.

        Raises:
            NotFound: there is no such session, or several.
        """
        return self._switched(session, on=True)

    def _switched(self, session: str | None, *, on: bool) -> str:
        from remora.app.agent.off_switch import switch_session
        from remora.app.project.off import switch

        self._project.must_be_writable()
        with self._lock:
            if session is not None:
                return switch_session(self._project, session, on=on)
            return switch(self._project, on=on).since

    # Learning

    def learn(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        hosts: Sequence[str] | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LearnReport:
        """Learn from what agents did: read their transcripts, keep what is worth keeping.

        Running it again reads what is new or has grown. What was edited or forgotten since stays so.

        Args:
            path: a transcript, or a folder of them; those of this project on this machine by default.
            hosts: such as "claude-code" or "codex"; all of this machine by default. "entire" are the team's
                sessions in the repository; see docs/transcripts.md.
            again: also read what has not changed since it was read.
            dry_run: only say what would be learned.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            NotFound: there is no such file or folder.
            InvalidInput: there is no such host.
            SourceError: a file was named that is nobody's transcript.
        """
        from remora.app.learning.learn import learn

        self._project.must_be_writable()
        with self._lock:
            where = Path(path).expanduser() if path is not None else None
            return learn(self._project, where, hosts, again=again, dry_run=dry_run, progress=progress)

    def learned(self, run: int | None = None) -> builtins.list[Learnt]:
        """Return what a run of `learn` added or changed and is still there; the last one by default.

        Raises:
            NotFound: there is no such run.
        """
        from remora.app.learning.learn import learned

        with self._lock:
            return learned(self._project, run)

    def observe(
        self, session_id: str, host: str, *, subtasks: int = 0, methodology: str = "native"
    ) -> Watched:
        """Watch a session while it runs: hand its events in, and say how it ended.

        Args:
            session_id: the host's own id of the session, as its transcript has it.
            host: "claude-code", "codex", or what your program calls itself.
            subtasks: how many the build has; with more than five it is promoted after each.
            methodology: whose units of work they are.
        """
        from remora.app.learning.live_observation import Watched

        return Watched(self._project, session_id, host, subtasks=subtasks, methodology=methodology)

    def reflect(self, session_id: str | None = None) -> Reflection:
        """Return the evidence of a session and what to make of it, for a model that then records memories.

        Args:
            session_id: the host's own id of a session, or its beginning; the one written to last by default.

        Raises:
            NotFound: this machine has no transcript of the session that was asked for.
        """
        from remora.app.learning.evidence_pack import reflect

        with self._lock:
            return reflect(self._project, session_id)

    def session_summary(
        self,
        run: int | None = None,
        *,
        session_id: str | None = None,
        used: Sequence[Used] | None = None,
    ) -> SessionSummary:
        """Return what a run of learning came to: what was remembered in its sessions, and what was learned.

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
        from remora.app.learning.run_summary import summary

        with self._lock:
            return summary(self._project, run, session_id=session_id, used=used)

    def quotes(self, limit: int = 20, *, session_id: str | None = None) -> builtins.list[Hit]:
        """Return what a person said in sessions and what was kept of it, newest first, as hits of a search.

        Args:
            limit: how many at most.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.learning.quotes import quotes

        with self._lock:
            return quotes(self._project, limit, session_id)

    def remove_quote(self, quote_id: str) -> str:
        """Delete a quote for good, also when its session is learned again; returns its words.

        Raises:
            NotFound: there is no such quote.
        """
        from remora.app.learning.quotes import remove

        self._project.must_be_writable()
        with self._lock:
            return remove(self._project, quote_id)

    def keep_quote(self, /, quote_id: str, **fields: Any) -> MemoryRecord:
        """Make a memory of a quote: a person says that it holds, where the quote does.

        Args:
            quote_id: such as "q12".
            **fields: what `remember` takes besides the text.

        Raises:
            NotFound: there is no such quote.
            InvalidInput: it cannot be stored.
        """
        from remora.app.learning.quotes import kept

        with self._lock:
            text, said = kept(self._project, quote_id)
        if fields.get("user"):
            said["branch"] = None  # the user's own memory knows no branches of a project
        return self.remember(text, **{**said, **fields})

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
        from remora.app.learning.interface_observations import observe_ui

        more = {
            "related_files": file_names(related_files, self.root),
            "related_modules": listed("related_modules", related_modules),
        }
        record, self.notes = observe_ui(
            self._project,
            tool,
            result,
            arguments,
            session_id=session_id,
            step=step,
            work_unit=work_unit,
            seconds=seconds,
            more=more,
        )
        return record

    # What others left

    def init(
        self, path: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> InitReport:
        """Read what is already there: rule files and git history. Running it again changes nothing.

        Args:
            path: a folder of the project; the project's root by default.
            progress: called with (what, done, of) as the work goes on.
        """
        from remora.app.importing.init import init

        with self._lock:
            return init(self._project, Path(path) if path is not None else None, progress)

    def import_shipped(self) -> tuple[Shipped, int]:
        """Take over the memories that came with the repository, as text from outside that waits for review.

        Returns:
            What there was, and how many of them are new.

        Raises:
            NotFound: no memory came with it.
            StoreError: its database cannot be read.
        """
        from remora.app.importing.shipped_memory import take_over

        with self._lock:
            return take_over(self._project)

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
        from remora.app.importing.teach import teach

        if not dry_run:
            self._project.must_be_writable()
        with self._lock:
            return teach(self._project, Path(path), text, user=user, dry_run=dry_run)

    def move_in(
        self,
        path: str | os.PathLike[str],
        system: str | None = None,
        *,
        project: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> MoveReport:
        """Bring over what another memory system left on disk; its files are only read.

        Running it again brings over what is new, and the newer text of what came before. What was edited or
        forgotten here since stays so.

        Args:
            path: a file or a folder of the other system.
            system: whose it is; found out from what is in it by default.
            project: of which project, where the other system keeps several in one database.
            dry_run: only say what there is.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            NotFound: there is nothing at the path, or nothing that can be read.
            InvalidInput: it may be of several systems; the message names them.
        """
        from remora.app.importing.other_systems import move_in

        with self._lock:
            if not dry_run:
                self._project.must_be_writable()
            return move_in(
                self._project,
                Path(path).expanduser(),
                system,
                of_project=project,
                dry_run=dry_run,
                progress=progress,
            )

    # The code graph

    def index(
        self, path: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> IndexReport:
        """Bring the code graph up to date: read what changed, forget what is gone.

        Args:
            path: a folder of the project; the whole project is indexed whichever it is.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            InvalidInput: the path is not in the project.
            SourceError: the project's folder cannot be read.
        """
        from remora.app.codebase.indexing import index

        with self._lock:
            return index(self._project, Path(path) if path is not None else None, progress=progress)

    def index_files(self, paths: Iterable[str | os.PathLike[str]]) -> IndexReport:
        """Bring some files up to date, as after an edit; paths from the root or absolute.

        Raises:
            InvalidInput: a path is empty or not in the project; then none is read.
        """
        from remora.app.codebase.indexing import index_files
        from remora.app.project.arguments import paths as checked

        with self._lock:
            return index_files(self._project, checked("paths", list(paths), self._project.location.root))

    def watch(
        self, stop: threading.Event, said: Callable[[IndexReport], None], *, debounce_ms: int = 500
    ) -> None:
        """Follow the project's files and keep the graph true until `stop` is set.

        Args:
            stop: ends it, within a second.
            said: hears of the first run and of every round that changed something.
            debounce_ms: changes so close to each other are one round.
        """
        from remora.app.codebase.indexing import watch

        watch(self._project, stop, said, debounce_ms=debounce_ms)

    def waiting_chunks(self) -> int:
        """Return how many parts of code have no vector yet."""
        with self._lock:
            return self._project.db.chunks.pending_count()

    def describe_modules(
        self, modules: int = 20, *, calls: int = 40, seconds: float = 300.0, progress: Progress | None = None
    ) -> SemanticReport:
        """Let the language model describe modules of the code whose outline is new or changed.

        It sees names, signatures and first lines of docs, module by module, never the source. Without a
        model nothing is done, and the report says so; a model that fails ends the pass.

        Args:
            modules: how many to describe at most.
            calls: how often to ask at most; an answer that does not fit is asked for once more.
            seconds: how long at most.
            progress: called with ("describing", done, of).

        Raises:
            InvalidInput: a limit is not above 0.
        """
        from remora.app.codebase.module_descriptions import describe

        with self._lock:
            return describe(self._project, modules=modules, calls=calls, seconds=seconds, progress=progress)

    # Conversations, notes and the journal

    def session(self, session_id: str) -> Session:
        """Return a conversation by its id (`channel:chat`); it begins with the first append."""
        from remora.app.records.session import Session

        return Session(self._project, session_id)

    def sessions(self) -> builtins.list[SessionInfo]:
        """Return the conversations of the project, the one written to last first."""
        from remora.conversation.sessions import list_sessions

        return list_sessions(self._project.sessions_folder)

    @property
    def entries(self) -> Entries:
        """The notes and archives of the project, by name or alias."""
        if self._entries is None:
            from remora.app.records.entries import Entries

            self._entries = Entries(self._project)
        return self._entries

    @property
    def sharing(self) -> Sharing:
        """The shared log of the project: several machines, a team."""
        from remora.app.sharing.sharing import Sharing

        return Sharing(self._project)

    @property
    def journal(self) -> Journal:
        """MEMORY.md, HISTORY and the daily notes of the project."""
        if self._journal is None:
            from remora.app.records.journal import Journal

            self._journal = Journal(self._project, self._relevant)
        return self._journal

    def _relevant(self, task: str) -> str:
        """Return what a search finds for a task beside what the memory block says already."""
        from remora.retrieval.packing import HEADING

        kinds = (*MEMORY_KINDS, "note", "history", "turn")
        return self.context(task, kinds=kinds).text.removeprefix(HEADING).strip()

    # The store

    def reminders(self, *, vectors: bool = False) -> tuple[str, ...]:
        """Return what stands in the way of good answers and is easily mended, a sentence each.

        Args:
            vectors: also say how many memories wait for a vector; asks for the embedding model.
        """
        from remora.app.health.reminders import reminders

        with self._lock:
            return reminders(self._project, vectors=vectors)

    def stats(self) -> Stats:
        """Return what is stored: counts by type, turns, vectors, files, sizes."""
        from remora.app.health.stats import stats

        with self._lock:
            return stats(self._project)

    def health(self) -> Health:
        """Return the state of the memory: a score from 0 to 100 with its parts, and what needs a person."""
        from remora.app.health.score import health

        with self._lock:
            return health(self._project)

    def doctor(self) -> Report:
        """Check everything end to end: files, database, models; each finding says what to do."""
        from remora.app.health.doctor import examine

        with self._lock:
            return examine(self._project)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Make derived data again: turns from the logs, vectors of the present model. Returns rows made."""
        from remora.app.health.reindex import reindex

        with self._lock:
            return reindex(self._project, progress)

    def catch_up(self, seconds: float | None = None, *, progress: Progress | None = None) -> int:
        """Embed what has no vector yet, for at most so many seconds; returns how many were embedded."""
        from remora.app.memories.embedding import catch_up

        with self._lock:
            return catch_up(self._project, seconds, progress, code=True)

    def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Copy everything of the project into one file, while others go on.

        Raises:
            Conflict: there is such a file already.
            StoreError: something cannot be read or written.
        """
        from remora.app.health.backup import backup

        with self._lock:
            return backup(self._project.location.home, Path(path).expanduser().absolute())

    def export(
        self,
        path: str | os.PathLike[str],
        format: str = "json",  # noqa: A002  the field's own name
        *,
        scope: str = "all",
    ) -> Exported:
        """Write what is stored to a new file, to take along or to read.

        Args:
            path: the file; it must not exist.
            format: "json" (everything, which `import_file` reads back exactly), "markdown" (the live
                memories, to read and edit), "claude-md" (the rules alone, at most 200 lines) or "archive"
                (the home as it is, with database and vectors).
            scope: "project", "user" or "all".

        Raises:
            InvalidInput: there is no such format or scope.
            Conflict: there is such a file already.
            StoreError: something cannot be read or written.
        """
        from remora.app.health.export import export

        with self._lock:
            return export(self._project, Path(path).expanduser().absolute(), format, scope)

    def import_file(self, path: str | os.PathLike[str], *, dry_run: bool = False) -> Imported:
        """Read an export of JSON, Markdown or an archive back; what is here already stays as it is.

        Args:
            path: the file.
            dry_run: only say what would be stored.

        Raises:
            InvalidInput: it is no export, of a newer version, or an archive that leads out of itself.
        """
        from remora.app.importing.export_reader import import_file

        self._project.must_be_writable()
        with self._lock:
            return import_file(self._project, Path(path).expanduser(), dry_run=dry_run)

    def erase(
        self,
        memory_ids: Sequence[str] = (),
        *,
        containing: str | None = None,
        session: str | None = None,
        project: bool = False,
        everything: bool = False,
    ) -> Erased:
        """Erase for good, to the byte, and whatever protects it from forgetting; give one of these.

        Args:
            memory_ids: memories, with every place in which their words stand.
            containing: a text, wherever it stands; memories that say it go whole.
            session: a conversation or an agent's session, with what was learned from it alone.
            project: everything of this project; the memory is closed then.
            everything: all projects and the user's own memories; the memory is closed then.

        Returns:
            What was erased, where else the words stood, and where they may stand that we cannot reach.

        Raises:
            NotFound: there is no such memory or session.
            InvalidInput: none of them was given, or several.
        """
        from remora.app.health import erase

        given = [bool(memory_ids), containing is not None, session is not None, project, everything]
        if sum(given) != 1:
            raise InvalidInput("say what to erase: ids, a text, a session, the project or everything")
        with self._lock:
            if containing is not None:
                return erase.erase_text(self._project, containing)
            if session is not None:
                return erase.erase_session(self._project, session)
            if project:
                return erase.erase_project(self._project)
            if everything:
                return erase.erase_everything(self._project)
            return erase.erase_memories(self._project, listed("memory_ids", memory_ids))

    def privacy(self) -> Privacy:
        """Return what lies where on this machine, how large it is, what may leave it, and what never does."""
        from remora.app.health.privacy import privacy

        with self._lock:
            return privacy(self._project)

    def maintenance(self) -> builtins.list[Maintained]:
        """Return what the daily maintenance did in its last runs, newest first."""
        from remora.app.health.maintenance import reports

        with self._lock:
            return reports(self._project)[::-1]

    def maintain(self) -> Maintained | None:
        """Run the daily maintenance if it is due: forget expired memories, delete long-forgotten ones.

        Hooks start it after sessions. None where it ran within the day, or another process is at it.
        """
        from remora.app.health.maintenance import maintain_when_due

        self._project.must_be_writable()
        with self._lock:
            return maintain_when_due(self._project)

    def maintenance_due(self) -> bool:
        """Return whether the daily maintenance is due; `maintain` does it."""
        from remora.app.health.maintenance import is_due

        with self._lock:
            return not self._project.read_only and is_due(self._project)

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Forget what has expired, delete what was forgotten long ago; returns what was or would be done.

        What is deleted is gone from the tables, the indexes, the log of what was said and the bytes of the
        file. While another process reads, its bytes stay until the next pruning.
        """
        from remora.app.health.prune import prune

        with self._lock:
            return prune(self._project, dry_run=dry_run)

    @property
    def project_id(self) -> str:
        """The id of the project, the same from every work tree and subfolder."""
        return self._project.location.id

    @property
    def root(self) -> Path:
        """Top of the project's work tree."""
        return self._project.location.root

    @property
    def home(self) -> Path:
        """Folder of the project's database and logs."""
        return self._project.location.home

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._project.settings

    def _phase(self, phase: str, methodology: str | None) -> str:
        if phase in PHASES and methodology is None:
            return phase
        return self._project.plugins().phase(phase, methodology)
