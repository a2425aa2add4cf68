"""`AsyncMemory`: the same verbs for async programs, each run in a thread of its own.

The core is synchronous: a search is milliseconds of SQLite and arithmetic, which an event loop must
not wait for. Every method has the arguments, results and errors of its twin in `Memory`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from remora.app.memory import Memory
from remora.app.session import Session

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    run.__name__, run.__doc__ = method.__name__, method.__doc__
    return run


def _session_in_thread(
    method: Callable[Concatenate[Session, P], R],
) -> Callable[Concatenate[AsyncSession, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncSession, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.session, *args, **kwargs)

    run.__name__, run.__doc__ = method.__name__, method.__doc__
    return run


class AsyncSession:
    """A conversation, for async programs.

    Attributes:
        session: the synchronous object behind it.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.id = session.id

    append = _session_in_thread(Session.append)
    extend = _session_in_thread(Session.extend)
    messages = _session_in_thread(Session.messages)
    history = _session_in_thread(Session.history)
    count = _session_in_thread(Session.count)
    clear = _session_in_thread(Session.clear)


class AsyncMemory:
    """`Memory` for async programs; open it with `await AsyncMemory.open(…)` or `async with`.

    Attributes:
        memory: the synchronous object behind it.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    async def open(cls, project: str | os.PathLike[str] = ".", **options: Any) -> AsyncMemory:
        """Open the memory of a project; see `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, project, **options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def session(self, session_id: str) -> AsyncSession:
        """Return a conversation by its id; see `Memory.session`."""
        return AsyncSession(self.memory.session(session_id))

    close = _in_thread(Memory.close)
    remember = _in_thread(Memory.remember)
    remember_many = _in_thread(Memory.remember_many)
    show = _in_thread(Memory.show)
    list = _in_thread(Memory.list)
    edit = _in_thread(Memory.edit)
    supersede = _in_thread(Memory.supersede)
    forget = _in_thread(Memory.forget)
    restore = _in_thread(Memory.restore)
    pin = _in_thread(Memory.pin)
    verify = _in_thread(Memory.verify)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    related_files = _in_thread(Memory.related_files)
    init = _in_thread(Memory.init)
    stats = _in_thread(Memory.stats)
    doctor = _in_thread(Memory.doctor)
    reindex = _in_thread(Memory.reindex)
    catch_up = _in_thread(Memory.catch_up)
    prune = _in_thread(Memory.prune)
