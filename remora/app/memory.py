"""The object users hold: each verb in one place, each delegating to one package.

`Memory` is synchronous and safe to use from several threads. `AsyncMemory` mirrors it for async
programs. Whatever fails inside a search's optional parts (a model, a reranker, git) makes the answer
plainer, never absent. The verbs that write are here, the others by kind in the modules called `*_verbs`.
"""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from remora.app.accesses import Accesses
from remora.app.arguments import listed, own_names, paths
from remora.app.checking import checked
from remora.app.code_verbs import CodeVerbs
from remora.app.learning_verbs import LearningVerbs
from remora.app.plan_verbs import PlanVerbs
from remora.app.project import commit_of
from remora.app.recall_verbs import RecallVerbs
from remora.app.speaking_verbs import SpeakingVerbs
from remora.app.store_verbs import StoreVerbs
from remora.app.targets import noted
from remora.app.wiring import Parts, Room, build
from remora.app.worker import embed_when_many
from remora.core.clock import Clock
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.evidence import asked_kinds
from remora.core.strength import TAINT_FACTOR
from remora.core.values import MEMORY_KINDS, MemoryDraft, MemoryRecord
from remora.lifecycle.flags import flag_dependents, unflag_dependents
from remora.lifecycle.intake import REFUSALS
from remora.lifecycle.upkeep import resolve

if TYPE_CHECKING:
    from types import TracebackType

    from remora.app.entries import Entries
    from remora.app.journal import Journal
    from remora.app.session import Session
    from remora.conversation.sessions import SessionInfo
    from remora.core.config import Settings
    from remora.embeddings.embedder import Embedder
    from remora.llm.client import LanguageModel, Reranker

Paths = Sequence[str | os.PathLike[str]]


@checked
class Memory(RecallVerbs, LearningVerbs, SpeakingVerbs, StoreVerbs, CodeVerbs, PlanVerbs):
    """The memory of one project, with the user's own beside it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with Memory.open(folder, environ={"REMORA_HOME": folder + "/data"}) as memory:
    ...     record = memory.remember("Access tokens expire after 24 h", type="decision")
    ...     [hit.text for hit in memory.search("token lifetime")]
    ['Access tokens expire after 24 h']
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lock = threading.RLock()
        self._accesses = Accesses(parts)
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
    ) -> Memory:
        """Open the memory of the project that a path belongs to; its home is made on first use.

        Args:
            project: a folder or file in the project. Work trees and subfolders share one memory.
            read_only: change nothing on disk; the project must have a memory already.
            environ: the environment to read settings from; the process's own by default.
            clock: what time it is; the system's by default.
            embedder, llm, reranker: parts of your own in place of the configured ones.

        Raises:
            InvalidInput: the path does not exist.
            ConfigError: remora.toml or a REMORA_ variable cannot be used.
            StoreError: the database cannot be used (its subclasses say why).
        """
        parts = build(
            Path(project),
            os.environ if environ is None else environ,
            clock=clock,
            read_only=read_only,
            embedder=embedder,
            llm=llm,
            reranker=reranker,
        )
        try:
            parts.room("project")
        except BaseException:
            parts.close()
            raise
        return cls(parts)

    def close(self) -> None:
        """Write what is pending and close the files; a second call does nothing."""
        with self._lock:
            self._accesses.flush()
            self._parts.close()

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
        draft = self._drafted(
            content,
            for_user=user,
            type=type,
            tags=tags,
            source=source,
            scope=scope,
            confidence=confidence,
            **own_names({**fields, "related_files": related_files, "related_modules": related_modules}),
        )
        return self.remember_many([draft], user=user)[0]

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
            room = self._parts.room("user" if user else "project")
            given = [self._drafted_or_refused(fields, room, user=user) for fields in drafts]
            found = room.intake.remember_each(given)
            self._made_triggers(room, [r for r in found if not isinstance(r, RemoraError)])
            embed_when_many(self._parts)
            root = None if user else self.root
            return [
                r
                if isinstance(d, RemoraError) or isinstance(r, RemoraError)
                else noted(room.space, d, r, root)
                for d, r in zip(given, found, strict=True)
            ]

    def _drafted_or_refused(
        self, fields: Mapping[str, Any], room: Room, *, user: bool
    ) -> MemoryDraft | RemoraError:
        if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
            return InvalidInput("a draft is a mapping of names to values")
        try:
            return self._with_parents(
                self._drafted(**{"content": None, **own_names(fields)}, for_user=user), room
            )
        except REFUSALS as error:
            return error

    def _drafted(
        self,
        content: Any,
        *,
        for_user: bool,
        type: str | None = None,  # noqa: A002  the field's own name
        related_files: Paths = (),
        related_modules: Sequence[str] = (),
        tags: Sequence[str] = (),
        source: str = "agent_explicit",
        confidence: float | None = None,
        **fields: Any,
    ) -> MemoryDraft:
        unknown = sorted(set(fields) - set(MemoryDraft._fields))
        if unknown:
            raise InvalidInput(f"a memory has no field {unknown[0]!r}")
        draft = MemoryDraft(
            content=content,
            type=type or self._guess_type(content),
            related_files=self._paths("related_files", related_files),
            related_modules=listed("related_modules", related_modules),
            tags=listed("tags", tags),
            source=source,
            confidence=confidence if confidence is not None else (1.0 if source == "user_taught" else 0.8),
            **fields,
        )
        if draft.commit_sha is None and draft.related_files and not for_user:
            # What is said of files holds for the files as they are now; later commits make it doubtful.
            draft = draft._replace(commit_sha=commit_of(self._parts.project.repository))
        return draft

    def remember_many(
        self, drafts: Sequence[MemoryDraft], *, user: bool = False
    ) -> builtins.list[MemoryRecord]:
        """Store many drafts in one transaction, all or none; one record for each, in order."""
        with self._lock:
            room = self._parts.room("user" if user else "project")
            records = room.intake.remember_many([self._with_parents(d, room) for d in drafts], stated=True)
            self._made_triggers(room, records)
            embed_when_many(self._parts)
            root = None if user else self.root
            return [noted(room.space, d, r, root) for d, r in zip(drafts, records, strict=True)]

    def show(self, memory_id: str) -> MemoryRecord:
        """Return a memory by its id or a unique start of it, forgotten ones too.

        Raises:
            NotFound: there is none.
            Conflict: several ids start so.
        """
        return self._find(memory_id)[1]

    def dependents(self, memory_id: str) -> builtins.list[MemoryRecord]:
        """Return the live memories that were derived from one, directly or through others."""
        room, record = self._find(memory_id)
        with self._lock:
            below: builtins.list[MemoryRecord] = []
            for memories in (r.space.memories for r in (room, *self._others(room))):
                ids = memories.dependents(record.id)
                found = memories.get_many(ids)
                below += [found[i] for i in ids if i in found]
        return below

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
    ) -> builtins.list[MemoryRecord]:
        """Return memories that pass all filters, newest first.

        Records of commits and sessions come only where they are asked for: by `records`, by a type of theirs,
        or by their source.

        Args:
            records: records alone.
            order: "created", "accessed" or "confidence".
            user: True for the user's own only, False for the project's only, None for both.
        """
        if order not in ("created", "accessed", "confidence"):
            raise InvalidInput(f"there is no order {order!r}", hint="Choose created, accessed or confidence.")
        if not all(isinstance(n, int) and 0 <= n <= MOST_LISTED for n in (limit, offset)):
            raise InvalidInput(f"limit and offset must be whole numbers from 0 to {MOST_LISTED:,}")
        filters = self._filters(types, files, modules, scope, branch, None)
        asked = asked_kinds(filters.types, source)
        filters = filters._replace(kinds=MEMORY_KINDS[1:] if records else asked)
        found: builtins.list[MemoryRecord] = []
        with self._lock:
            for room in self._parts.rooms():
                if user is None or user == (room.space.realm == "user"):
                    found += room.space.memories.find(
                        filters,
                        include_deprecated=include_forgotten,
                        needs_review=needs_review,
                        source=source,
                        pinned=pinned,
                        tag=tag,
                        order=order,
                        limit=limit + offset,
                    )
        keys: dict[str, Callable[[MemoryRecord], Any]] = {
            "created": lambda m: m.created_at,
            "accessed": lambda m: m.last_accessed_at,
            "confidence": lambda m: m.confidence,
        }
        found.sort(key=lambda m: m.id)
        found.sort(key=keys[order], reverse=True)
        return found[offset : offset + limit]

    def edit(self, /, memory_id: str, **changes: Any) -> MemoryRecord:
        """Change fields of a memory, such as `content="…"` or `tags=[…]`."""
        room, record = self._find(memory_id)
        changes = own_names(changes)
        if "related_files" in changes:
            changes["related_files"] = self._paths("related_files", changes["related_files"])
        with self._lock:
            edited = room.upkeep.edit(record.id, changes)
            self._made_triggers(room, [edited])
            return edited

    def supersede(self, /, memory_id: str, content: str, **fields: Any) -> MemoryRecord:
        """Put a new memory in the place of an old one and return it; dependents are flagged.

        What is not given is taken over from the old memory: type, files, modules, tags, scope, and
        whether it is pinned.
        """
        room, old = self._find(memory_id)
        fields = own_names(fields)
        unknown = sorted(set(fields) - set(MemoryDraft._fields))
        if unknown:
            raise InvalidInput(f"a memory has no field {unknown[0]!r}")
        if "related_files" in fields:
            fields["related_files"] = self._paths("related_files", fields["related_files"])
        about = ("related_files", "related_modules", "target_node_id", "impacted_node_ids")
        names = ("type", "scope", "tags", "pinned", "methodology", *about)
        kept = {name: getattr(old, name) for name in names}
        draft = MemoryDraft(
            **{
                "source": old.source,
                "confidence": max(old.confidence, 0.8),
                "branch": old.branch,
                **kept,
                **fields,
            },
            content=content,
        )
        with self._lock:
            new = room.upkeep.supersede(old.id, self._with_parents(draft, room))
            self._made_triggers(room, [new])
            self._flag_elsewhere(room, old, f"which was superseded by {new.id[:8]}")
            return noted(room.space, draft, new)

    def forget(self, memory_id: str) -> MemoryRecord:
        """Take a memory out of every search; `restore` brings it back within 30 days at least."""
        room, record = self._find(memory_id)
        with self._lock:
            gone = room.upkeep.forget(record.id)
            if not record.deprecated:
                self._flag_elsewhere(room, record, "which was forgotten")
            return gone

    def restore(self, memory_id: str) -> MemoryRecord:
        """Bring back a memory that was forgotten or superseded."""
        room, record = self._find(memory_id)
        with self._lock:
            back = room.upkeep.restore(record.id)
            self._flag_elsewhere(room, record, None)
            return back

    def pin(self, memory_id: str, *, pinned: bool = True) -> MemoryRecord:
        """Keep a memory from decay and pruning; `pinned=False` lets it go again."""
        room, record = self._find(memory_id)
        with self._lock:
            return room.upkeep.pin(record.id, pinned=pinned)

    def verify(self, memory_id: str) -> MemoryRecord:
        """Confirm a memory as a person: clears review flags and taint."""
        room, record = self._find(memory_id)
        with self._lock:
            return room.upkeep.verify(record.id)

    # What is written down

    def session(self, session_id: str) -> Session:
        """Return a conversation by its id (`channel:chat`); it begins with the first append."""
        from remora.app.session import Session

        return Session(self._parts, session_id, self._lock)

    def sessions(self) -> builtins.list[SessionInfo]:
        """Return the conversations of the project, the one written to last first."""
        from remora.conversation.sessions import list_sessions

        return list_sessions(self._parts.sessions_folder)

    @property
    def entries(self) -> Entries:
        """The notes and archives of the project, by name or alias."""
        if self._entries is None:
            from remora.app.entries import Entries

            self._entries = Entries(self._parts, self._lock)
        return self._entries

    @property
    def journal(self) -> Journal:
        """MEMORY.md, HISTORY and the daily notes of the project."""
        if self._journal is None:
            from remora.app.journal import Journal

            self._journal = Journal(self._parts, self._lock, self._relevant)
        return self._journal

    def _relevant(self, task: str) -> str:
        """Return what a search finds for a task beside what the memory block says already."""
        from remora.retrieval.packing import HEADING

        kinds = (*MEMORY_KINDS, "note", "history", "turn")
        return self.context(task, kinds=kinds).text.removeprefix(HEADING).strip()

    # The project

    @property
    def project_id(self) -> str:
        """The id of the project, the same from every work tree and subfolder."""
        return self._parts.project.id

    @property
    def root(self) -> Path:
        """Top of the project's work tree."""
        return self._parts.project.root

    @property
    def home(self) -> Path:
        """Folder of the project's database and logs."""
        return self._parts.project.home

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    def _find(self, memory_id: str) -> tuple[Room, MemoryRecord]:
        if not isinstance(memory_id, str):
            raise InvalidInput(f"an id is text, not {type(memory_id).__name__}")
        found: builtins.list[tuple[Room, MemoryRecord]] = []
        with self._lock:
            for room in self._parts.rooms():
                with suppress(NotFound):
                    found.append((room, resolve(room.space, memory_id)))
        if not found:
            quote = memory_id[:1] == "q" and memory_id[1:].isdecimal()
            hint = (
                "`remora quote keep` makes a memory of a quote." if quote else "`remora list` shows the ids."
            )
            raise NotFound(f"there is no memory {memory_id!r}", hint=hint)
        if len(found) > 1 and not any(record.id == memory_id for _, record in found):
            ids = ", ".join(record.id[:12] for _, record in found)
            raise Conflict(f"{memory_id!r} is the start of several ids: {ids}", hint="Give more of the id.")
        return next((one for one in found if one[1].id == memory_id), found[0])

    def _with_parents(self, draft: MemoryDraft, room: Room) -> MemoryDraft:
        """Return a draft that names its parents by full ids, tainted if one in the other database is.

        A parent may be gone for good; its id stays as it was given.
        """
        if not isinstance(draft, MemoryDraft) or not draft.derived_from:
            return draft
        ids: builtins.list[str] = []
        for given in listed("derived_from", draft.derived_from):
            try:
                home, parent = self._find(given)
            except NotFound:
                ids.append(given)
                continue
            ids.append(parent.id)
            if home.space is not room.space and parent.taint is not None and draft.taint is None:
                sure = draft.confidence * TAINT_FACTOR
                draft = draft._replace(taint=parent.taint, confidence=sure, needs_review=True)
        return draft._replace(derived_from=tuple(ids))

    def _paths(self, name: str, values: Any) -> tuple[Any, ...]:
        return paths(name, values, self._parts.project.root)

    def _others(self, room: Room) -> builtins.list[Room]:
        return [other for other in self._parts.rooms() if other is not room]

    def _flag_elsewhere(self, room: Room, record: MemoryRecord, what: str | None) -> None:
        """Flag what rests on a memory in the other database; None lifts the flags again."""
        for other in self._others(room):
            with other.space.db.transaction():
                if what is None:
                    unflag_dependents(other.space, record)
                else:
                    flag_dependents(other.space, record, what)

    def _guess_type(self, content: object) -> str:
        from remora.sources.rule_types import guess_type

        return guess_type(content[:GUESSED_FROM]) if isinstance(content, str) else "pattern"


GUESSED_FROM = 4_000  # characters; the wording of a statement shows at its beginning
MOST_LISTED = 10_000_000
