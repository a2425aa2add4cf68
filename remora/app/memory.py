"""`Memory`: the public verbs of a project's memory, each delegated to one module.

`Memory` is synchronous and safe to use from several threads. `AsyncMemory` mirrors it for async programs. If
an optional part of a search fails (a model, a reranker, git), the search still answers without it. A verb
imports its module when it is called, so that a short process loads only the parts it uses.
"""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from remora.app.memories import operations as memories
from remora.app.project.arguments import current_branch, file_names, filters_of, listed, own_names, paths
from remora.app.project.open_project import OpenProject
from remora.core.argument_types import checked
from remora.core.clock import Clock
from remora.core.errors import InvalidInput, RemoraError
from remora.core.values import MEMORY_KINDS, PHASES, MemoryDraft, MemoryRecord

if TYPE_CHECKING:
    from remora.app.agent.correction import Corrected
    from remora.app.agent.loop import Loop
    from remora.app.agent.preview import Preview
    from remora.app.agent.status import Status, Why
    from remora.app.agent.trial import Proposal, TrialReport
    from remora.app.agent.trust import TrustReport
    from remora.app.codebase.impact import Impacts
    from remora.app.codebase.module_descriptions import SemanticReport
    from remora.app.health.backup import Backup
    from remora.app.health.costs import Costs
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
    from remora.app.recall.questions import Answer, Passage
    from remora.app.records.entries import Entries
    from remora.app.records.journal import Journal
    from remora.app.records.session import Session
    from remora.app.sharing.sharing import Sharing
    from remora.checks.suggest import Suggestion
    from remora.conversation.sessions import SessionInfo
    from remora.core.config import Settings
    from remora.core.merge import Revision
    from remora.core.reports import IndexReport, InitReport
    from remora.core.values import Context, FileHit, Hit, Ownership, Used, WorkUnitRef
    from remora.embeddings.embedder import Embedder
    from remora.graph.modules import ModuleInfo
    from remora.injection.prefetch import Prefetch
    from remora.lifecycle.prune import PrunePlan
    from remora.llm.client import LanguageModel, Reranker
    from remora.store.injections import Injection

P = ParamSpec("P")
R = TypeVar("R")
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
        self.notes: tuple[str, ...] = ()  # parts of the last search that were unavailable

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
        """Open the memory of the project that contains a path; its home is created on first use.

        Args:
            project: a folder or file in the project. Work trees and subfolders share one memory.
            read_only: change nothing on disk; the project must have a memory already.
            environ: the environment variables for settings; those of the process by default.
            clock: the source of the current time; the system's clock by default.
            embedder, llm, reranker: parts of your own in place of the configured ones.
            actor: "person", or "agent:HOST:SESSION"; an agent in Python by default. It is the author of
                changes, and the searches of a person count as no use.

        Raises:
            InvalidInput: the path does not exist.
            ConfigError: remora.toml or a REMORA_ variable is invalid.
            StoreError: the database cannot be used (its subclasses say why).
        """
        opened = OpenProject(
            Path(project),
            os.environ if environ is None else environ,
            clock=clock,
            read_only=read_only,
            embedder=embedder,
            llm=llm,
            reranker=reranker,
            actor=actor,
        )
        try:
            opened.store("project")
        except BaseException:
            opened.close()
            raise
        return cls(opened)

    def _run(self, verb: Callable[Concatenate[OpenProject, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a verb on the project; one runs at a time."""
        with self._lock:
            return verb(self._project, *args, **kwargs)

    def close(self) -> None:
        """Write pending data and close the files; a second call does nothing."""
        with self._lock:
            self._project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Memories

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
        """Store one memory durably, or merge it with a duplicate.

        Args:
            content: a statement that can be understood on its own.
            type: one of the 16 memory types; guessed from the wording by default.
            related_files: paths, relative to the repository's root or absolute.
            related_modules: modules (folders) that the memory is about.
            tags: words to find and filter by.
            source: the author; one of the six sources.
            scope: "global" (the whole project), "module", "work_unit" or "session".
            confidence: 0..1; by default 1.0 if a user taught it, else 0.8.
            user: store it in the user's own memory, which applies to every project.
            **fields: any further field of `MemoryDraft`.

        Returns:
            The record; `record.receipt` says whether it was stored, merged or restored, with which memory,
                and how many secrets were removed.

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
        """Store many drafts in one transaction, each independently of the others.

        Args:
            drafts: for each draft, the arguments of `remember`, by name.
            user: store them in the user's own memory.

        Returns:
            For each draft, in order, its record, or the error that says why it is not stored.

        Raises:
            StoreError: the store failed; no draft was stored.
        """
        return self._run(memories.remember_each, drafts, user=user)

    def remember_many(
        self, drafts: Sequence[MemoryDraft], *, user: bool = False
    ) -> builtins.list[MemoryRecord]:
        """Store many drafts in one transaction, all or none; one record for each, in order."""
        return self._run(memories.remember_many, drafts, user=user)

    def show(self, memory_id: str) -> MemoryRecord:
        """Return a memory, possibly forgotten, by its id or a unique beginning of it.

        Raises:
            NotFound: there is no such memory.
            Conflict: several ids begin so.
        """
        with self._lock:
            return memories.find(self._project, memory_id)[1]

    def dependents(self, memory_id: str) -> builtins.list[MemoryRecord]:
        """Return the live memories that were derived from a memory, directly or through others."""
        return self._run(memories.dependents, memory_id)

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

        Records of commits and sessions are included only on request: by `records`, by one of their types, or
        by their source.

        Args:
            records: return only records of commits and sessions.
            order: "created", "accessed" or "confidence".
            user: True for the user's own only, False for the project's only, None for both.
            since, until: time of storing; see `search`.
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
        return self._run(
            memories.listing,
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

        With `revision="…"`, the id of the newest revision that the caller saw, the memory is changed only if
        there is no newer one.

        Raises:
            Conflict: the memory was changed since.
        """
        return self._run(memories.edit, memory_id, changes)

    def supersede(self, /, memory_id: str, content: str, **fields: Any) -> MemoryRecord:
        """Replace an old memory by a new one and return it; memories derived from the old one are flagged.

        Fields that are not given are taken from the old memory: type, files, modules, tags, scope, and the
        pin.
        """
        return self._run(memories.supersede, memory_id, content, fields)

    def forget(self, memory_id: str) -> MemoryRecord:
        """Remove a memory from every search; `restore` brings it back within 30 days at least."""
        return self._run(memories.forget, memory_id)

    def restore(self, memory_id: str, *, revision: str | None = None) -> MemoryRecord:
        """Restore a memory that was forgotten or superseded, or an earlier text of a memory.

        Args:
            memory_id: its id or a unique beginning of it.
            revision: a change that `history` lists; the memory becomes as it was after that change. A number
                from 1 on, or the beginning of an id.

        Raises:
            NotFound: there is no such memory or revision.
            InvalidInput: the text of that revision is lost; the database was damaged.
        """
        return self._run(memories.restore, memory_id, revision)

    def history(self, memory_id: str) -> builtins.list[Revision]:
        """Return every change of a memory, oldest first: time, author, fields and reason.

        The texts of changes are kept until they are erased.
        """
        return self._run(memories.history, memory_id)

    def pin(self, memory_id: str, *, pinned: bool = True) -> MemoryRecord:
        """Exempt a memory from decay and pruning; `pinned=False` removes the pin."""
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
            memory_id: its id or a unique beginning of it.
            choice: "wrong" (needs `right`), "outdated" (`right` may give the current statement), "narrow"
                (needs files, modules or a branch), "silent" (right, but never injected) or "erase".
            right: the correct statement; its source is the person.
            files, modules, branch: the only places where the memory holds.

        Returns:
            The correction; `in_session` counts the memories called wrong in this session.

        Raises:
            NotFound: there is no such memory.
            InvalidInput: the choice does not exist, or its arguments are missing; nothing was changed.
        """
        from remora.app.agent.correction import correct

        self._project.must_be_writable()
        return self._run(
            correct,
            memory_id,
            choice,
            right=right,
            files=file_names(files, self.root),
            modules=listed("modules", modules),
            branch=branch,
        )

    def trust(self, level: int | str | None = None) -> TrustReport:
        """Return the trust level of the project and its effect on injection; or set it first.

        Args:
            level: 1 to 4 to fix one, "auto" to let reviews and corrections change it.

        Raises:
            InvalidInput: there is no such level.
        """
        from remora.app.agent.trust import choose, report

        with self._lock:
            return report(self._project) if level is None else choose(self._project, level)

    # Search

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
            k: number of hits.
            types, files, modules, scope: filters. A file ending in "/" means all files below it.
            branch: include memories of this branch; the one checked out by default, "*" for all.
            kinds: sources of hits, such as ["memory"] or ["turn"]; all by default.
            phase: one of the six universal phases, or one of the methodology's; weighs memory types.
            recent_tools: names of the agent's last tools, for structural questions.
            recent_files: files just read or edited; hits about them or their partners rank higher.
            methodology: the methodology that defines `phase`; the native one by default.
            min_score: least relevance of a hit, from 0 to 1.
            since, until: only texts written in this time: a date or datetime, or text such as "2023-05-08",
                "8 May 2023", "May 2023" or "last week". Named days are included.
            session: only texts of this session.
            role: only texts of this speaker.

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
        """Return the packed block for a prompt: the memories relevant to a task in a phase.

        Args:
            task: the task, in words.
            phase: one of the six universal phases, or one of the methodology's; sets the shares of types and
                the default budget.
            budget: maximum of tokens (characters / 4) of the text.
            methodology: the methodology that defines `phase`; the native one by default.
        """
        from remora.app.recall.search import context

        with self._lock:
            project = self._project
            branch = current_branch(project, branch)
            filters = filters_of(project, files=files, modules=modules, branch=branch, kinds=kinds)
            recent = paths("recent_files", recent_files, self.root)
            phase = self._phase(phase, methodology)
            packed, self.notes = context(project, task, filters, phase, budget, recent)
            return packed

    def ask(self, question: str, thread: str = "") -> Answer:
        """Answer a question from the memory; nothing counts as used.

        The configured language model words the answer, and every sentence names the passages that support it;
        without a model the best passages are the answer.

        Args:
            question: the question.
            thread: "new" stores the question and its answer as a conversation `ask:<n>`, and the id of one
                continues it; by default nothing is stored.

        Raises:
            NotFound: there is no such thread.
        """
        from remora.app.recall.questions import ask

        return self._run(ask, question, thread)

    def passages(self, question: str) -> builtins.list[Passage]:
        """Return the passages that may support an answer to a question, best first; calls no model."""
        from remora.app.recall.questions import passages_for

        with self._lock:
            found, self.notes = passages_for(self._project, question)
            return found

    def preview(self, at: str, about: str) -> Preview:
        """Return the injection for an edit, a command or a prompt, and why other memories are not injected.

        Args:
            at: "edit", "run" or "ask".
            about: the file, the command, or the prompt.
        """
        from remora.app.agent.preview import preview

        return self._run(preview, at, about)

    def related_files(self, path: str, k: int = 10) -> builtins.list[FileHit]:
        """Return the files that change or are read together with a file, best first, with the evidence."""
        from remora.app.recall.files import related_files

        return self._run(related_files, path, k)

    def ownership(self, path: str) -> Ownership | None:
        """Return the module of a file and its main author; None if the git history does not know the file."""
        from remora.app.recall.files import ownership

        return self._run(ownership, path)

    def predict_files(
        self, task: str, k: int = 10, *, tests: bool = False, habits: bool = True
    ) -> builtins.list[FileHit]:
        """Return the files that a task will most likely touch, best first, each with its reasons.

        Args:
            task: the task: an issue's text, a request, a commit message.
            k: number of files.
            tests: rank every file, tests too; otherwise code, and other files that sessions or the branch
                changed, or whose path has words of the task.
            habits: count what sessions and commits change most and last, whatever the task.

        Raises:
            InvalidInput: the task is empty.
        """
        from remora.app.recall.files import HABITS, predict_files

        without = frozenset[str]() if habits else HABITS
        with self._lock:
            found, self.notes = predict_files(self._project, task, k, tests=tests, without=without)
            return found

    def impact(self, target: str, depth: int = 3, *, limit: int = 200) -> Impacts:
        """Return the code that may break when a definition or file changes, nearest first.

        Args:
            target: "path/file.py", a folder, "path/file.py:Class.method", or a unique name of a symbol.
            depth: steps to follow, from 1 to 10.
            limit: maximum of results; the notes of the answer say if there are more.

        Returns:
            A list of `Impact` with `.target`, `.tests`, `.memories` and `.notes`.

        Raises:
            NotFound: nothing in the graph has this name.
            Conflict: several definitions have this name; the message lists them.
        """
        from remora.app.codebase.impact import impact

        return self._run(impact, target, depth, limit)

    def modules(self) -> builtins.list[ModuleInfo]:
        """Return the modules of the code, largest first: files, purpose, hot files, memories about them."""
        from remora.app.codebase.impact import modules

        return self._run(modules)

    # Context before a task

    def plan_context(
        self,
        task: str,
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        budget: int | None = None,
    ) -> Context:
        """Return the block for planning a task: steps of similar work, failures, files that belong together.

        Calibrations, dead ends, files that change together, outcomes and recipes, each within its limit.
        Memories derived from text from outside are marked and quoted. The text is empty if there are none.

        Args:
            task: the task, in words; may be empty if modules or files are given.
            modules: folders of the task; if nothing is given, those of the files it will likely touch.
            files: files of the task.
            branch: include memories of this branch; the one checked out by default, "*" for all.
            budget: maximum of tokens (characters / 4) of the text.
        """
        from remora.app.recall.task_context import context_for

        found, self.notes = self._run(context_for, "plan", task, modules, files, branch, budget)
        return found

    def qa_context(
        self,
        task: str,
        *,
        modules: Sequence[str] = (),
        files: Paths = (),
        branch: str | None = None,
        budget: int | None = None,
    ) -> Context:
        """Return the block for testing a task, to be read before the first tool is used.

        Requirements, known errors, and observations of the interface. The arguments are those of
        `plan_context`.
        """
        from remora.app.recall.task_context import context_for

        found, self.notes = self._run(context_for, "qa", task, modules, files, branch, budget)
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
        """Return the files to load before a task begins, those that similar sessions always used first.

        Only files that exist, are not ignored and do not look like secrets.

        Args:
            task: the task, in words.
            modules: folders of the task.
            files: files of the task; they are known and not returned.
            branch: include patterns of this branch.
            most: maximum of files; never more than 12.
            budget: tokens of the contents; never more than 32,000.

        Returns:
            A list of `PrefetchFile`, with `.text` (the contents, lines numbered), `.tokens` and `.left_out`.
        """
        from remora.app.recall.task_context import prefetch

        return self._run(prefetch, task, modules, files, branch, most=most, budget=budget)

    def step_factor(
        self, task: str = "", *, modules: Sequence[str] = (), files: Paths = (), branch: str | None = None
    ) -> float | None:
        """Return the ratio of actual to planned steps of work here; None if unknown.

        Args:
            task: the task; determines the modules if none are given.
            modules: folders of the task.
            files: files of the task.
            branch: include memories of this branch.
        """
        from remora.app.recall.task_context import factor

        return self._run(factor, task, modules, files, branch)

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
        """Return the step limit of an agent: the base times `step_factor`, at most twice the base.

        Args:
            base: the limit without memory.
            task: the task; determines the modules if none are given.
            modules: folders of the task.
            files: files of the task.
            branch: include memories of this branch.
            most: upper bound of the result; 2,000 by default.

        Raises:
            InvalidInput: a limit is not a whole number above 0.
        """
        from remora.injection.limits import MOST_STEPS, step_limit

        found = self.step_factor(task, modules=modules, files=files, branch=branch)
        return step_limit(base, found, MOST_STEPS if most is None else most)

    def work_state(
        self,
        task: str = "",
        *,
        session_id: str | None = None,
        branch: str | None = None,
        budget: int = 500,
    ) -> str:
        """Return the work state that earlier work left, for a session that continues it; empty for none.

        Args:
            task: the task of the session. The state of another task is not returned; without a task, the
                newest of this branch is.
            session_id: the session that continues: its own state comes first.
            branch: the branch of the work; the one checked out by default.
            budget: maximum of tokens (characters / 4) of the text.
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
        """Return the commands that check a change, best first: of sessions, then of the project.

        The project's files are read as they are now; one that names a missing folder or file is left out.

        Args:
            k: number of commands.
            task: the task; the files that it names replace `files` if none are given.
            files: the edited files; checks of their folders come first, those of other folders last, and the
                tasks of the folders above are included.
            purposes: of "format", "lint", "test", "build"; all by default.
        """
        from remora.app.codebase.check_commands import suggest_commands

        return self._run(suggest_commands, k, task=task, files=files, purposes=purposes)

    # Injection

    def loop(self, session_id: str, *, host: str = "python", tools: Mapping[str, str] | None = None) -> Loop:
        """Connect memory to an agent's own loop: injections at four points, and learning at its end.

        Args:
            session_id: your own id of the session.
            host: the name of your program.
            tools: the action of each of your tools, by name: "read", "edit", "write", "run", "search",
                "glob", "fetch", "task", "plan", "memory" or "other". The usual names are known;
                `Loop.trouble` reports an unknown one once.

        Raises:
            InvalidInput: an id or a host is empty, or there is no such action.
        """
        from remora.app.agent.loop import Loop

        return Loop(self._project, session_id, host, tools)

    def log(self, limit: int = 20, *, session_id: str | None = None) -> builtins.list[Injection]:
        """Return the injections, newest first: time, moment, reason, and the actions that followed.

        Args:
            limit: maximum of injections.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.agent.status import log

        return self._run(log, limit, session_id)

    def why(self, memory_id: str) -> Why:
        """Return the provenance of a memory, its trust, its triggers and its injections.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.agent.status import why

        return self._run(why, memory_id)

    def synthesize(self, module: str | None = None, *, dry_run: bool = False) -> builtins.list[Synthesized]:
        """Propose memories from the common evidence of several sessions on a module; they wait for review.

        The work after sessions does this at the 5th, 10th, 20th, 50th and 100th session on a module.

        Args:
            module: one module, due or not; those that are due by default.
            dry_run: store nothing.

        Raises:
            InvalidInput: no session changed such a module.
        """
        from remora.app.learning.synthesis import synthesize

        return self._run(synthesize, module, dry_run=dry_run)

    def costs(self, days: int = 30) -> Costs:
        """Return the calls of language models by purpose: tokens, seconds, failures, and cost if known.

        Args:
            days: number of days, up to today.
        """
        from remora.app.health.costs import costs

        return self._run(costs, days)

    def trial(self) -> TrialReport:
        """Return the results of the trial: moments with injections compared with moments held back.

        One moment in ten is held back (`trial.share`), never a rule, nor a memory that a person pinned or
        verified.
        """
        from remora.app.agent import trial

        return self._run(trial.report)

    def apply_trial(self) -> builtins.list[Proposal]:
        """Apply the phase weights that the trial proposes, and return them.

        Raises:
            InvalidInput: nothing is proposed.
        """
        from remora.app.agent import trial

        return self._run(trial.apply)

    def undo_trial(self) -> int:
        """Undo the last applied phase weights, and return the number of versions left.

        Raises:
            InvalidInput: none was applied.
        """
        from remora.app.agent import trial

        return self._run(trial.undo)

    def status(self) -> Status:
        """Return the contents of the project, its running sessions, and the brief of a session begun now."""
        from remora.app.agent.status import status

        return self._run(status)

    def tell_session(self, memory_id: str) -> bool:
        """Inject an agent's record into the other agents of the current session in this project.

        Args:
            memory_id: id of the recorded memory.

        Returns:
            Whether the current session is known.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.agent.status import tell_session

        return self._run(tell_session, memory_id)

    def as_said(self, text: str) -> dict[str, Any]:
        """Return the fields of a draft for a statement that restates a sentence of the person.

        Args:
            text: the statement.

        Returns:
            Source, session and the sentence as fields of a draft, if the statement restates a sentence of the
                person in the current session and adds nothing; else an empty dict.
        """
        from remora.app.agent.status import as_said

        return self._run(as_said, text)

    def off_since(self) -> str:
        """Return the time since when Remora is off for the project, ISO 8601; empty if it is on."""
        from remora.app.project.off import off_in

        with self._lock:
            return off_in(self._project).since

    def hears(self) -> bool:
        """Return whether an agent may write here: neither the project nor its session is switched off."""
        from remora.app.agent.off_switch import session_is_off

        with self._lock:
            return not self.off_since() and not session_is_off(self._project)

    def turn_off(self, session: str | None = None) -> str:
        """Switch Remora off: from now on nothing is injected, noted or learned.

        Searches of an agent are still answered. Memories learned before stay.

        Args:
            session: only this session, by the host's id or its beginning; empty for the current one. Nothing
                more of it is learned, not even from the time before.

        Returns:
            The time since when the project is off, ISO 8601; for a session its name, as "host:id".

        Raises:
            NotFound: no session matches, or several do.
        """
        return self._switched(session, on=False)

    def turn_on(self, session: str | None = None) -> str:
        """Switch Remora on again; see `turn_off`. The time in between is never learned.

        Returns:
            An empty string; for a session its name.

        Raises:
            NotFound: no session matches, or several do.
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
        """Learn from agent sessions: read their transcripts and store the memories that they support.

        Running it again reads transcripts that are new or have grown. Memories that were edited or forgotten
        since stay so.

        Args:
            path: a transcript, or a folder of them; those of this project on this machine by default.
            hosts: such as "claude-code" or "codex"; all of this machine by default. "entire" are the team's
                sessions in the repository; see docs/transcripts.md.
            again: also read transcripts that have not changed.
            dry_run: store nothing; only report.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            NotFound: there is no such file or folder.
            InvalidInput: there is no such host.
            SourceError: the path is no transcript of a known host.
        """
        from remora.app.learning.learn import learn

        self._project.must_be_writable()
        with self._lock:
            where = Path(path).expanduser() if path is not None else None
            return learn(self._project, where, hosts, again=again, dry_run=dry_run, progress=progress)

    def learned(self, run: int | None = None) -> builtins.list[Learnt]:
        """Return the memories that a run of `learn` added or changed and that still exist.

        The last run is the default.

        Raises:
            NotFound: there is no such run.
        """
        from remora.app.learning.learn import learned

        return self._run(learned, run)

    def observe(
        self, session_id: str, host: str, *, subtasks: int = 0, methodology: str = "native"
    ) -> Watched:
        """Observe a session while it runs: pass its events, and report how it ended.

        Args:
            session_id: the host's own id of the session, as in its transcript.
            host: "claude-code", "codex", or the name of your program.
            subtasks: number of subtasks of the build; with more than five, the session is promoted after
                each.
            methodology: the methodology of its units of work.
        """
        from remora.app.learning.live_observation import Watched

        return Watched(self._project, session_id, host, subtasks=subtasks, methodology=methodology)

    def reflect(self, session_id: str | None = None) -> Reflection:
        """Return the evidence of a session with instructions, for a model that then records memories.

        Args:
            session_id: the host's own id of a session, or its beginning; the one with the newest transcript
                by default.

        Raises:
            NotFound: this machine has no transcript of the session.
        """
        from remora.app.learning.evidence_pack import reflect

        return self._run(reflect, session_id)

    def session_summary(
        self,
        run: int | None = None,
        *,
        session_id: str | None = None,
        used: Sequence[Used] | None = None,
    ) -> SessionSummary:
        """Return the summary of a run of `learn`: memories that served in its sessions, and learned ones.

        Args:
            run: number of the run; the last one by default.
            session_id: only this session, by its id or a beginning of it, in any run if none is given; all
                sessions of the run by default.
            used: the memories that served in the session, with their use, if the caller knows; the session's
                injections by default.

        Raises:
            NotFound: there is no such run.
            Conflict: the ids of several sessions begin so.
        """
        from remora.app.learning.run_summary import summary

        return self._run(summary, run, session_id=session_id, used=used)

    def quotes(self, limit: int = 20, *, session_id: str | None = None) -> builtins.list[Hit]:
        """Return the stored quotes of persons in sessions, newest first, as search hits.

        Args:
            limit: maximum of quotes.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.learning.quotes import quotes

        return self._run(quotes, limit, session_id)

    def remove_quote(self, quote_id: str) -> str:
        """Delete a quote for good, also when its session is learned again; return its text.

        Raises:
            NotFound: there is no such quote.
        """
        from remora.app.learning.quotes import remove

        self._project.must_be_writable()
        return self._run(remove, quote_id)

    def keep_quote(self, /, quote_id: str, **fields: Any) -> MemoryRecord:
        """Store a quote as a memory: a person confirms that it holds, on the branch of the quote.

        Args:
            quote_id: such as "q12".
            **fields: arguments of `remember` besides the text.

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
        """Observe the result of a UI tool (a browser, an interface); store it if it is new and useful.

        A configured language model judges it, or rules do. The memory waits for review: its text comes from
        outside.

        Args:
            tool: the tool's name as the host has it; any other tool is ignored.
            result: its result, as text; a result of another type is ignored.
            arguments: the arguments of the call.
            session_id: the session of the call.
            step: the step of the call.
            work_unit: the unit of work under test.
            related_files, related_modules: files and modules of the observation, if known.
            seconds: time limit of the model.

        Returns:
            The new memory; None if the result shows nothing, or nothing new.
        """
        from remora.app.learning.interface_observations import observe_ui

        record, self.notes = observe_ui(
            self._project,
            tool,
            result,
            arguments,
            session_id=session_id,
            step=step,
            work_unit=work_unit,
            seconds=seconds,
            related_files=file_names(related_files, self.root),
            related_modules=listed("related_modules", related_modules),
        )
        return record

    # Imports

    def init(
        self, path: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> InitReport:
        """Import existing knowledge: rule files and git history. Running it again changes nothing.

        Args:
            path: a folder of the project; the project's root by default.
            progress: called with (what, done, of) as the work goes on.
        """
        from remora.app.importing.init import init

        return self._run(init, Path(path) if path is not None else None, progress)

    def import_shipped(self) -> tuple[Shipped, int]:
        """Import the memories that came with the repository, as text from outside that waits for review.

        Returns:
            The memories found, and the number of new ones.

        Raises:
            NotFound: the repository came without memories.
            StoreError: its database cannot be read.
        """
        from remora.app.importing.shipped_memory import take_over

        return self._run(take_over)

    def teach(
        self,
        path: str | os.PathLike[str],
        *,
        text: str | bytes | None = None,
        user: bool = False,
        dry_run: bool = False,
    ) -> Taught:
        """Import a file that a person wrote: its lists and paragraphs become memories.

        Rule files (CLAUDE.md, AGENTS.md, .cursorrules …) are recognised by their names and read as such.

        Args:
            path: the file; if `text` is given, its name.
            text: the text to read instead of the file.
            user: store it in the user's own memory, which applies to every project.
            dry_run: store nothing; only report.

        Returns:
            Each piece with its result: stored, merged with which memory, or refused and why.

        Raises:
            NotFound: there is no such file.
            InvalidInput: it is no text, or is too large; nothing was stored.
        """
        from remora.app.importing.teach import teach

        if not dry_run:
            self._project.must_be_writable()
        return self._run(teach, Path(path), text, user=user, dry_run=dry_run)

    def move_in(
        self,
        path: str | os.PathLike[str],
        system: str | None = None,
        *,
        project: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> MoveReport:
        """Import the memories of another memory system from disk; its files are only read.

        Running it again imports new items only: nothing that exists here is changed, and what was forgotten
        here stays so.

        Args:
            path: a file or a folder of the other system.
            system: name of the other system; detected from the files by default.
            project: name of the project, if the other system keeps several in one database.
            dry_run: store nothing; only report.
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
        """Update the code graph: read changed files, remove deleted ones.

        Args:
            path: a folder of the project; the whole project is indexed in any case.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            InvalidInput: the path is not in the project.
            SourceError: the project's folder cannot be read.
        """
        from remora.app.codebase.indexing import index

        return self._run(index, Path(path) if path is not None else None, progress=progress)

    def index_files(self, paths: Iterable[str | os.PathLike[str]]) -> IndexReport:
        """Update some files in the code graph, as after an edit; paths from the root or absolute.

        Raises:
            InvalidInput: a path is empty or not in the project; then none is read.
        """
        from remora.app.codebase.indexing import index_files
        from remora.app.project.arguments import paths as checked

        return self._run(index_files, checked("paths", list(paths), self._project.location.root))

    def watch(
        self, stop: threading.Event, said: Callable[[IndexReport], None], *, debounce_ms: int = 500
    ) -> None:
        """Watch the project's files and keep the code graph up to date until `stop` is set.

        Args:
            stop: ends it, within a second.
            said: called with the report of the first run and of every round with changes.
            debounce_ms: changes within this time are one round.
        """
        from remora.app.codebase.indexing import watch

        watch(self._project, stop, said, debounce_ms=debounce_ms)

    def waiting_chunks(self) -> int:
        """Return the number of chunks of code without a vector."""
        with self._lock:
            return self._project.db.chunks.pending_count()

    def describe_modules(
        self, modules: int = 20, *, calls: int = 40, seconds: float = 300.0, progress: Progress | None = None
    ) -> SemanticReport:
        """Let the language model describe modules of the code with a new or changed outline.

        It sees names, signatures and first lines of docs, module by module, never the source. Without a model
        the report says so and nothing is done; a model that fails ends the pass.

        Args:
            modules: maximum of modules to describe.
            calls: model calls after which no module is begun; an invalid answer is requested once more.
            seconds: time limit.
            progress: called with ("describing", done, of).

        Raises:
            InvalidInput: a limit is not above 0.
        """
        from remora.app.codebase.module_descriptions import describe

        return self._run(describe, modules=modules, calls=calls, seconds=seconds, progress=progress)

    # Conversations, notes and the journal

    def session(self, session_id: str) -> Session:
        """Return a conversation by its id (`channel:chat`); the first append creates it."""
        from remora.app.records.session import Session

        return Session(self._project, session_id)

    def sessions(self) -> builtins.list[SessionInfo]:
        """Return the conversations of the project, the last written first."""
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
        """The shared log of the project, for several machines or a team."""
        from remora.app.sharing.sharing import Sharing

        return Sharing(self._project)

    @property
    def journal(self) -> Journal:
        """MEMORY.md, HISTORY and the daily notes of the project."""
        if self._journal is None:
            from remora.app.records.journal import Journal

            self._journal = Journal(self._project, self._relevant)
        return self._journal

    def _relevant(self, task: str, told: str) -> str:
        """Return the search results for a task, without the heading and the turns that `told` holds."""
        from remora.app.recall.search import context
        from remora.retrieval.packing import HEADING

        kinds = (*MEMORY_KINDS, "note", "history", "turn")
        with self._lock:
            filters = filters_of(self._project, branch=current_branch(self._project, None), kinds=kinds)
            packed, self.notes = context(self._project, task, filters, "explore", None, (), told)
            return packed.text.removeprefix(HEADING).strip()

    # The store

    def reminders(self, *, vectors: bool = False) -> tuple[str, ...]:
        """Return problems that reduce the quality of answers and are easy to fix, a sentence each.

        Args:
            vectors: include the number of memories without a vector; loads the embedding model.
        """
        from remora.app.health.reminders import reminders

        return self._run(reminders, vectors=vectors)

    def stats(self) -> Stats:
        """Return statistics of the store: counts by type, turns, vectors, files, sizes."""
        from remora.app.health.stats import stats

        return self._run(stats)

    def health(self) -> Health:
        """Return the health of the memory: a score from 0 to 100 with its parts, and items for a person."""
        from remora.app.health.score import health

        return self._run(health)

    def doctor(self) -> Report:
        """Check everything end to end: files, database, models; each finding gives the fix."""
        from remora.app.health.doctor import examine

        return self._run(examine)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Rebuild derived data: turns from the logs, vectors of the current model. Return the row count."""
        from remora.app.health.maintenance import reindex

        return self._run(reindex, progress)

    def catch_up(self, seconds: float | None = None, *, progress: Progress | None = None) -> int:
        """Embed texts without a vector, for at most `seconds`; return the number embedded."""
        from remora.app.memories.embedding import catch_up

        return self._run(catch_up, seconds, progress, code=True)

    def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Copy the project's data into one file, while other processes continue.

        Raises:
            Conflict: the file exists already.
            StoreError: a file cannot be read or written.
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
        """Write the stored data to a new file, to move or to read.

        Args:
            path: the file; it must not exist.
            format: "json" (everything, which `import_file` reads back exactly), "markdown" (the live
                memories, to read and edit), "claude-md" (only the rules, at most 200 lines) or "archive" (as
                JSON, with a copy of the home, its database and vectors).
            scope: "project", "user" or "all".

        Raises:
            InvalidInput: there is no such format or scope.
            Conflict: the file exists already.
            StoreError: a file cannot be read or written.
        """
        from remora.app.health.export import export

        return self._run(export, Path(path).expanduser().absolute(), format, scope)

    def import_file(self, path: str | os.PathLike[str], *, dry_run: bool = False) -> Imported:
        """Import an export of JSON, Markdown or an archive; existing memories are not changed.

        Args:
            path: the file.
            dry_run: store nothing; only report.

        Raises:
            InvalidInput: it is no export, of a newer version, or an archive without the JSON.
        """
        from remora.app.importing.export_reader import import_file

        self._project.must_be_writable()
        return self._run(import_file, Path(path).expanduser(), dry_run=dry_run)

    def erase(
        self,
        memory_ids: Sequence[str] = (),
        *,
        containing: str | None = None,
        session: str | None = None,
        project: bool = False,
        everything: bool = False,
    ) -> Erased:
        """Erase data for good, to the byte, even if it is exempt from forgetting; give exactly one argument.

        Args:
            memory_ids: memories, with every place that holds their text.
            containing: a text, wherever it occurs; memories that contain it are erased entirely.
            session: a conversation or an agent's session, with the memories learned from it alone.
            project: everything of this project; the memory is closed then.
            everything: all projects and the user's own memories; the memory is closed then.

        Returns:
            The erased data, the other places that held the text, and places beyond our reach that may hold
                it.

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
        """Return the data on this machine by place and size, and which of it may or never will leave it."""
        from remora.app.health.privacy import privacy

        return self._run(privacy)

    def maintenance(self) -> builtins.list[Maintained]:
        """Return the reports of the last runs of the daily maintenance, newest first."""
        from remora.app.health.maintenance import reports

        with self._lock:
            return reports(self._project)[::-1]

    def maintain(self) -> Maintained | None:
        """Run the daily maintenance if it is due: forget expired memories, delete long-forgotten ones.

        New commits are read first, whether it is due or not. Hooks start it around sessions. None if it ran
        within the day, or another process is running it.
        """
        from remora.app.health.maintenance import maintain_when_due
        from remora.app.learning.git_history import LATER, follow

        self._project.must_be_writable()
        with self._lock:
            with suppress(RemoraError):
                follow(self._project, LATER)
            return maintain_when_due(self._project)

    def maintenance_due(self) -> bool:
        """Return whether the daily maintenance is due; `maintain` runs it."""
        from remora.app.health.maintenance import is_due

        with self._lock:
            return not self._project.read_only and is_due(self._project)

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Forget expired memories, delete long-forgotten ones; return the actions, done or (dry run) planned.

        Deleted memories are removed from the tables, the indexes, the injection log and the bytes of the
        file. While another process reads, the bytes stay until the next pruning.
        """
        from remora.app.health.maintenance import prune

        return self._run(prune, dry_run=dry_run)

    @property
    def project_id(self) -> str:
        """The id of the project, the same from every work tree and subfolder."""
        return self._project.location.id

    @property
    def root(self) -> Path:
        """The root of the project's work tree."""
        return self._project.location.root

    @property
    def home(self) -> Path:
        """The folder of the project's database and logs."""
        return self._project.location.home

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._project.settings

    def _phase(self, phase: str, methodology: str | None) -> str:
        if phase in PHASES and methodology is None:
            return phase
        return self._project.plugins().phase(phase, methodology)
