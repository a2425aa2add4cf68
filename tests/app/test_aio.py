"""`AsyncMemory` has every method of `Memory`, with the same parameters and results."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from remora import AsyncMemory, AsyncSession, Memory, Session
from remora.app.agent.loop import Loop
from remora.app.aio import AsyncEntries, AsyncJournal, AsyncLoop, AsyncSharing
from remora.app.records.entries import Entries
from remora.app.records.journal import Journal
from remora.app.sharing.sharing import Sharing
from remora.core.errors import InvalidInput, NotFound
from tests.helpers import texts

SAID = "Access tokens expire after 24 h"
CALL = {"file_path": "shop/cart.py", "old_string": "a", "new_string": "b"}


def awaited(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in an event loop of its own."""
    return wraps(test)(lambda **given: asyncio.run(test(**given)))


def public(kind: type) -> dict[str, Any]:
    """Return the public members of a class."""
    return {name: value for name, value in inspect.getmembers_static(kind) if not name.startswith("_")}


@pytest.mark.parametrize(
    ("sync", "mirror"),
    [
        (Memory, AsyncMemory),
        (Session, AsyncSession),
        (Loop, AsyncLoop),
        (Entries, AsyncEntries),
        (Journal, AsyncJournal),
        (Sharing, AsyncSharing),
    ],
)
def test_every_method_is_mirrored(sync: type, mirror: type) -> None:
    """Each public method has a twin with the same parameters; all but those that open are awaited."""
    ours = public(mirror)
    for name, member in public(sync).items():
        assert name in ours, name
        if isinstance(member, property):
            assert isinstance(ours[name], property)
            continue
        theirs = inspect.signature(getattr(sync, name)).parameters
        assert inspect.signature(getattr(mirror, name)).parameters.keys() == theirs.keys(), name
        defaults = {p.name: p.default for p in inspect.signature(getattr(mirror, name)).parameters.values()}
        assert defaults == {p.name: p.default for p in theirs.values()}, name
        if name not in ("open", "session", "loop"):
            assert inspect.iscoroutinefunction(ours[name]), name
            assert ours[name].__doc__ == member.__doc__


@awaited
async def test_a_day(folder: Path, environ: dict[str, str]) -> None:
    """An async program remembers, searches, talks and looks after what it has."""
    async with AsyncMemory.open(folder, environ=environ) as memory:
        r = await memory.remember(SAID, type="decision", tags=["auth"])
        assert texts(await memory.search("access tokens expire")) == [SAID]
        assert memory.notes == ("no embedding model",)
        assert (await memory.show(r.id)).tags == ("auth",)
        await memory.entries.add("deploy", "Roll out in steps.")
        assert [e.name for e in await memory.entries.list()] == ["deploy"]
        assert await memory.journal.write("- They use tabs.")
        session = memory.session("cli:1")
        await session.append("user", "How long?")
        assert (session.id, await session.count(), session.redactions) == ("cli:1", 1, ())
        assert (await memory.context("access tokens expire", "define")).hits
        assert (memory.root, memory.home.name.endswith(memory.project_id)) == (folder, True)
        assert memory.settings.embedding.provider == "none"


@awaited
async def test_awaiting_the_opening(folder: Path, environ: dict[str, str]) -> None:
    """By `await`, and closed by hand or by `async with`; an error is raised where it is awaited."""
    memory = await AsyncMemory.open(folder, environ=environ)
    await memory.remember(SAID)
    await memory.close()
    await memory.close()
    async with await AsyncMemory.open(folder, environ=environ, read_only=True) as memory:
        assert len(await memory.list()) == 1
        with pytest.raises(NotFound):
            await memory.show("no-such-id")
    with pytest.raises(InvalidInput, match="does not exist"):
        await AsyncMemory.open(folder / "nowhere", environ=environ)
    with pytest.raises(InvalidInput, match="does not exist"):
        async with AsyncMemory.open(folder / "nowhere", environ=environ):
            pass


@awaited
async def test_many_tasks(folder: Path, environ: dict[str, str]) -> None:
    """Many tasks at once lose nothing, each in a thread of its own, and the event loop goes on meanwhile."""
    seen: list[int] = []
    async with AsyncMemory.open(folder, environ=environ) as memory:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        said = [f"Statement {n} of subject{n}" for n in range(40)]
        await asyncio.gather(*(memory.remember(text) for text in said))
        ticking.cancel()
        assert ticks > 3
        assert {m.content for m in await memory.list()} == set(said)
        await memory.init(progress=lambda *_: seen.append(threading.get_ident()))
    assert seen
    assert threading.get_ident() not in seen


@awaited
async def test_an_agents_loop(folder: Path, environ: dict[str, str]) -> None:
    """It is told and learned as a program without an event loop is; entering it or awaiting it opens it."""
    async with AsyncMemory.open(folder, environ=environ) as memory:
        await memory.remember(SAID, type="gotcha", related_files=["shop/cart.py"])
        async with memory.loop("s1", host="mine") as loop:
            assert (loop.session_id, loop.host) == ("s1", "mine")
            await loop.heard("mend the cart")
            assert SAID in await loop.before("Edit", CALL, "c1")
            assert await loop.after("Edit", CALL, "done", call_id="c1") == ""
            assert await loop.prepare_step(3) is None
            assert (loop.steps, loop.late, loop.trouble) == (1, 0, [])
        again = await memory.loop("s1", host="mine")
        await again.replied("It is mended.")
        assert await again.finish("success") is not None
        assert [said.session_id for said in await memory.log()] == ["mine:s1"]
        with pytest.raises(InvalidInput, match="a loop needs a session id"):
            await memory.loop("")
