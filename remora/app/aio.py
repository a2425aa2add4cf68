"""`AsyncMemory`: the verbs of `Memory` for async programs, each run in a thread.

The core is synchronous: a search takes milliseconds of SQLite and arithmetic, which must not block an event
loop. Every method has the arguments, results and errors of its counterpart in `Memory`.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from remora.app.agent.loop import Loop
from remora.app.memory import Memory
from remora.app.records.entries import Entries
from remora.app.records.journal import Journal
from remora.app.records.session import Session
from remora.app.sharing.sharing import Sharing

if TYPE_CHECKING:
    from remora.core.clock import Clock
    from remora.core.config import Settings
    from remora.core.values import Redaction
    from remora.embeddings.embedder import Embedder
    from remora.llm.client import LanguageModel, Reranker

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class _Closes(Protocol):
    """An object with an asynchronous `close`."""

    async def close(self) -> None: ...


Opened = TypeVar("Opened", bound=_Closes)


class _Twin(Generic[S]):
    """An asynchronous wrapper of a synchronous object."""

    def __init__(self, behind: S) -> None:
        self._behind = behind


def _in_thread(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[_Twin[S], P], Coroutine[Any, Any, R]]:
    """Return a method that runs the synchronous one in a thread, with its arguments, result and errors."""

    @functools.wraps(method)
    async def run(self: _Twin[S], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self._behind, *args, **kwargs)

    return run


class AsyncEntries(_Twin[Entries]):
    """Notes and archives, for async programs.

    Attributes:
        entries: the synchronous object behind it.
    """

    def __init__(self, entries: Entries) -> None:
        super().__init__(entries)
        self.entries = entries

    @property
    def redactions(self) -> tuple[Redaction, ...]:
        """Secrets removed by the last change, by kind."""
        return self.entries.redactions

    add = _in_thread(Entries.add)
    rename = _in_thread(Entries.rename)
    alias = _in_thread(Entries.alias)
    unalias = _in_thread(Entries.unalias)
    write = _in_thread(Entries.write)
    remove = _in_thread(Entries.remove)
    dump = _in_thread(Entries.dump)
    load = _in_thread(Entries.load)
    show = _in_thread(Entries.show)
    list = _in_thread(Entries.list)
    search = _in_thread(Entries.search)


class AsyncJournal(_Twin[Journal]):
    """MEMORY.md, HISTORY and the daily notes, for async programs.

    Attributes:
        journal: the synchronous object behind it.
    """

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal)
        self.journal = journal

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.journal.folder

    @property
    def problems(self) -> tuple[str, ...]:
        """Files that the last call could not read."""
        return self.journal.problems

    block = _in_thread(Journal.block)
    show = _in_thread(Journal.show)
    write = _in_thread(Journal.write)
    versions = _in_thread(Journal.versions)
    restore = _in_thread(Journal.restore)
    note = _in_thread(Journal.note)
    today = _in_thread(Journal.today)
    day = _in_thread(Journal.day)
    days = _in_thread(Journal.days)
    add_history = _in_thread(Journal.add_history)
    history = _in_thread(Journal.history)
    consolidate = _in_thread(Journal.consolidate)


class AsyncSharing(_Twin[Sharing]):
    """The shared log of a project, for async programs.

    Attributes:
        sharing: the synchronous object behind it.
    """

    def __init__(self, sharing: Sharing) -> None:
        super().__init__(sharing)
        self.sharing = sharing

    @property
    def is_on(self) -> bool:
        """Whether the project is shared."""
        return self.sharing.is_on

    init = _in_thread(Sharing.init)
    join = _in_thread(Sharing.join)
    leave = _in_thread(Sharing.leave)
    status = _in_thread(Sharing.status)
    sync = _in_thread(Sharing.sync)
    sync_when_due = _in_thread(Sharing.sync_when_due)
    share = _in_thread(Sharing.share)
    invite = _in_thread(Sharing.invite)
    members = _in_thread(Sharing.members)
    set_role = _in_thread(Sharing.set_role)
    conflicts = _in_thread(Sharing.conflicts)
    decide = _in_thread(Sharing.decide)
    dispute = _in_thread(Sharing.dispute)
    comment = _in_thread(Sharing.comment)
    uphold = _in_thread(Sharing.uphold)
    disputes = _in_thread(Sharing.disputes)
    thread = _in_thread(Sharing.thread)
    onboarding = _in_thread(Sharing.onboarding)


class AsyncSession(_Twin[Session]):
    """A conversation, for async programs.

    Attributes:
        session: the synchronous object behind it.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.session = session
        self.id = session.id

    @property
    def redactions(self) -> tuple[Redaction, ...]:
        """Secrets removed from the messages that this object appended, by kind."""
        return self.session.redactions

    append = _in_thread(Session.append)
    extend = _in_thread(Session.extend)
    messages = _in_thread(Session.messages)
    history = _in_thread(Session.history)
    count = _in_thread(Session.count)
    clear = _in_thread(Session.clear)
    new = _in_thread(Session.new)
    compact = _in_thread(Session.compact)
    compact_if_needed = _in_thread(Session.compact_if_needed)
    standing = _in_thread(Session.standing)
    recap = _in_thread(Session.recap)
    note_today = _in_thread(Session.note_today)
    set_state = _in_thread(Session.set_state)
    problems = _in_thread(Session.problems)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the session."""
        return self.session.metadata


class AsyncLoop(_Twin[Loop]):
    """An agent's own loop, for async programs: `async with memory.loop(…) as loop`.

    A call may take up to three seconds; it does not block the event loop.

    Attributes:
        loop: the synchronous object behind it.
        session_id, host: the id of the session and the name of its host.
    """

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.loop = loop
        self.session_id, self.host = loop.session_id, loop.host

    @property
    def steps(self) -> int:
        """Number of finished tool calls."""
        return self.loop.steps

    @property
    def resumed(self) -> bool:
        """Whether the session has injections of an earlier loop of the same id."""
        return self.loop.resumed

    @property
    def late(self) -> int:
        """Number of answers that exceeded the time limit and were dropped."""
        return self.loop.late

    @property
    def trouble(self) -> list[str]:
        """Errors that were kept from the agent, in words."""
        return self.loop.trouble

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    brief = _in_thread(Loop.brief)
    first_message = _in_thread(Loop.first_message)
    before = _in_thread(Loop.before)
    after = _in_thread(Loop.after)
    prepare_step = _in_thread(Loop.prepare_step)
    heard = _in_thread(Loop.heard)
    replied = _in_thread(Loop.replied)
    recorded = _in_thread(Loop.recorded)
    finish = _in_thread(Loop.finish)
    close = _in_thread(Loop.close)


class _Opening(Generic[Opened]):
    """An object that opens in a thread: `await` it, or enter it with `async with`, which closes it."""

    def __init__(self, opening: Callable[[], Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    def __await__(self) -> Generator[Any, None, Opened]:
        return asyncio.to_thread(self._opening).__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.close()


class AsyncMemory(_Twin[Memory]):
    """`Memory` for async programs: `async with AsyncMemory.open(…) as memory`, or `await` the opening.

    Attributes:
        memory: the synchronous object behind it.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.memory = memory

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
    ) -> _Opening[AsyncMemory]:
        """Open the memory of a project; see `Memory.open`."""
        return _Opening(
            lambda: cls(
                Memory.open(
                    project,
                    read_only=read_only,
                    environ=environ,
                    clock=clock,
                    embedder=embedder,
                    llm=llm,
                    reranker=reranker,
                    actor=actor,
                )
            )
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Parts of the last search that were unavailable."""
        return self.memory.notes

    @property
    def project_id(self) -> str:
        """The id of the project, the same from every work tree and subfolder."""
        return self.memory.project_id

    @property
    def root(self) -> Path:
        """The root of the project's work tree."""
        return self.memory.root

    @property
    def home(self) -> Path:
        """The folder of the project's database and logs."""
        return self.memory.home

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.memory.settings

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def session(self, session_id: str) -> AsyncSession:
        """Return a conversation by its id; see `Memory.session`."""
        return AsyncSession(self.memory.session(session_id))

    def loop(
        self, session_id: str, *, host: str = "python", tools: Mapping[str, str] | None = None
    ) -> _Opening[AsyncLoop]:
        """Connect memory to an agent's own loop; see `Memory.loop`. Use it with `async with`, or await it."""
        return _Opening(lambda: AsyncLoop(self.memory.loop(session_id, host=host, tools=tools)))

    @property
    def entries(self) -> AsyncEntries:
        """The notes and archives of the project."""
        return AsyncEntries(self.memory.entries)

    @property
    def journal(self) -> AsyncJournal:
        """MEMORY.md, HISTORY and the daily notes of the project."""
        return AsyncJournal(self.memory.journal)

    @property
    def sharing(self) -> AsyncSharing:
        """The shared log of the project."""
        return AsyncSharing(self.memory.sharing)

    close = _in_thread(Memory.close)
    learn = _in_thread(Memory.learn)
    learned = _in_thread(Memory.learned)
    synthesize = _in_thread(Memory.synthesize)
    costs = _in_thread(Memory.costs)
    trial = _in_thread(Memory.trial)
    apply_trial = _in_thread(Memory.apply_trial)
    undo_trial = _in_thread(Memory.undo_trial)
    reflect = _in_thread(Memory.reflect)
    observe = _in_thread(Memory.observe)
    log = _in_thread(Memory.log)
    tell_session = _in_thread(Memory.tell_session)
    hears = _in_thread(Memory.hears)
    off_since = _in_thread(Memory.off_since)
    turn_off = _in_thread(Memory.turn_off)
    turn_on = _in_thread(Memory.turn_on)
    as_said = _in_thread(Memory.as_said)
    why = _in_thread(Memory.why)
    status = _in_thread(Memory.status)
    suggest_commands = _in_thread(Memory.suggest_commands)
    move_in = _in_thread(Memory.move_in)
    sessions = _in_thread(Memory.sessions)
    remember = _in_thread(Memory.remember)
    remember_many = _in_thread(Memory.remember_many)
    remember_each = _in_thread(Memory.remember_each)
    show = _in_thread(Memory.show)
    dependents = _in_thread(Memory.dependents)
    list = _in_thread(Memory.list)
    edit = _in_thread(Memory.edit)
    supersede = _in_thread(Memory.supersede)
    forget = _in_thread(Memory.forget)
    restore = _in_thread(Memory.restore)
    history = _in_thread(Memory.history)
    pin = _in_thread(Memory.pin)
    verify = _in_thread(Memory.verify)
    wrong = _in_thread(Memory.wrong)
    trust = _in_thread(Memory.trust)
    ask = _in_thread(Memory.ask)
    passages = _in_thread(Memory.passages)
    preview = _in_thread(Memory.preview)
    health = _in_thread(Memory.health)
    index = _in_thread(Memory.index)
    index_files = _in_thread(Memory.index_files)
    watch = _in_thread(Memory.watch)
    waiting_chunks = _in_thread(Memory.waiting_chunks)
    impact = _in_thread(Memory.impact)
    predict_files = _in_thread(Memory.predict_files)
    modules = _in_thread(Memory.modules)
    describe_modules = _in_thread(Memory.describe_modules)
    plan_context = _in_thread(Memory.plan_context)
    qa_context = _in_thread(Memory.qa_context)
    prefetch = _in_thread(Memory.prefetch)
    step_factor = _in_thread(Memory.step_factor)
    step_limit = _in_thread(Memory.step_limit)
    work_state = _in_thread(Memory.work_state)
    observe_ui = _in_thread(Memory.observe_ui)
    teach = _in_thread(Memory.teach)
    session_summary = _in_thread(Memory.session_summary)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    related_files = _in_thread(Memory.related_files)
    ownership = _in_thread(Memory.ownership)
    init = _in_thread(Memory.init)
    reminders = _in_thread(Memory.reminders)
    stats = _in_thread(Memory.stats)
    doctor = _in_thread(Memory.doctor)
    reindex = _in_thread(Memory.reindex)
    catch_up = _in_thread(Memory.catch_up)
    prune = _in_thread(Memory.prune)
    maintenance = _in_thread(Memory.maintenance)
    export = _in_thread(Memory.export)
    import_file = _in_thread(Memory.import_file)
    erase = _in_thread(Memory.erase)
    privacy = _in_thread(Memory.privacy)
    maintain = _in_thread(Memory.maintain)
    maintenance_due = _in_thread(Memory.maintenance_due)
    backup = _in_thread(Memory.backup)
    quotes = _in_thread(Memory.quotes)
    keep_quote = _in_thread(Memory.keep_quote)
    remove_quote = _in_thread(Memory.remove_quote)
    import_shipped = _in_thread(Memory.import_shipped)
