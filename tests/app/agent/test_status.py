"""What was said to agents: the log, one memory's reasons, the sessions that go on, a word to one of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from remora import Memory
from remora.app.agent import status as status_page
from remora.app.agent.session_end import work
from remora.core.errors import NotFound
from remora.interfaces import memory_pages
from remora.interfaces.draw import plain
from tests.app.hooked import Hooked, ago
from tests.helpers import Repo

NOTE = "The cart is cached per tenant"


class Shop:
    """A repository with a lesson that is said before cart.py is changed, and the sessions in it."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root, self.environ = root, environ
        with Memory.open(root, environ=environ) as memory:
            self.lesson = memory.remember(NOTE, type="gotcha", related_files=["cart.py"]).id

    def session(self, name: str, *, age: float = 0.0) -> Hooked:
        """Return a session in which the lesson was told, so many seconds ago."""
        found = Hooked(self.root, self.environ, session=name)
        found.start()
        found.edit("cart.py")
        rows = [json.loads(row) for row in found.path.read_text().splitlines()]
        moved = [row | {"at": row["at"] - int(age * 1000)} if "k" in row else row for row in rows]
        found.path.write_text("".join(json.dumps(row) + "\n" for row in moved))
        ago(found.path, age)
        return found

    def reader(self, **more: str) -> Memory:
        """Return the project's memory, open to be read."""
        return Memory.open(self.root, environ=self.environ | more, read_only=True)


@pytest.fixture
def shop(repo: Repo, environ: dict[str, str]) -> Shop:
    """A shop without sessions."""
    return Shop(repo.root, environ)


def test_the_log_is_of_all_sessions(shop: Shop) -> None:
    """Of the files of those that go on, and of the store for what was taken in; newest first, each once."""
    first = shop.session("s1", age=300)
    first.end()
    work(shop.environ)
    shop.session("s2", age=200)
    shop.session("s3")
    with shop.reader() as memory:
        told = [one for one in memory.log() if one.trigger == "gotchas"]
        assert [one.session_id for one in told] == [f"claude-code:s{n}" for n in (3, 2, 1)]
        assert [one.memory_ids for one in told] == [(shop.lesson,)] * 3
        assert memory.log(1) == memory.log()[:1]
        assert memory.log(0) == []
    first.prompt("And now the other part of it, please")
    taken = shop.session("taken")
    with taken.path.open("a") as file:
        file.write(json.dumps({"k": "learnt", "at": int(time.time() * 1000)}) + "\n")
    with shop.reader() as memory:
        for found in (memory.log(), memory.why(shop.lesson).said):
            assert len([one for one in found if one.trigger == "gotchas"]) == 3
            assert taken.session not in str(found)


def test_the_log_of_one_session(shop: Shop) -> None:
    """By the host's own id or with the host before it, wherever it stands."""
    ids = ("s1", "xs1", "a:s1")
    for name in ids:
        shop.session(name).end()
    for _ in range(2):
        with shop.reader() as memory:
            for name in ids:
                own = memory.log(session_id=f"claude-code:{name}")
                assert {one.session_id for one in own} == {f"claude-code:{name}"}
                assert memory.log(session_id=name) == own
                assert memory.log(session_id=f"codex:{name}") == []
        work(shop.environ)


def test_when_a_memory_was_said(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest times, however much else was said since."""
    monkeypatch.setattr(status_page, "SHOWN", 3)
    for n in range(5):
        shop.session(f"s{n}", age=1_000.0 * n)
    with shop.reader() as memory:
        said = memory.why(shop.lesson).said
        assert [one.session_id for one in said] == [f"claude-code:s{n}" for n in range(3)]


def test_the_status_tells_of_sessions_that_wait(shop: Shop) -> None:
    """The last one first, with what happened in each; what was taken in is gone from it."""
    shop.session("s1", age=900).end()
    work(shop.environ)
    shop.session("s2", age=600)
    shop.session("s3", age=300).end()
    with shop.reader() as memory:
        status = memory.status()
    found = [(one.id, one.steps, one.over, one.said) for one in status.sessions]
    assert found == [("claude-code:s3", 1, True, 1), ("claude-code:s2", 1, False, 1)]
    assert status.learnt == 0


def test_the_status_promises_nothing_while_nobody_is_spoken_to(shop: Shop) -> None:
    """With `inject.enabled` off, by a variable or by the project's own file, the page says so and no more."""
    with shop.reader() as memory:
        status = memory.status()
    assert (status.speaks, status.texts) == (True, "nowhere")
    page = plain(memory_pages.status(status))
    assert "texts sent to" in page
    assert "inject.enabled" not in page
    (shop.root / "remora.toml").write_text("[inject]\nenabled = false\n")
    for off in ({"REMORA_INJECT_ENABLED": "false"}, {}):
        with shop.reader(**off) as memory:
            status = memory.status()
        assert (status.speaks, status.brief) == (False, "")
        page = plain(memory_pages.status(status))
        assert "inject.enabled is off" in page
        assert "lessons" not in page


def test_a_word_to_the_session_that_goes_on(shop: Shop) -> None:
    """Where there is one; of several it is the one that the environment names, else none."""
    lesson = shop.lesson
    with shop.reader() as memory:
        assert memory.tell_session(lesson) is False
        shop.session("old", age=5_000)
        shop.session("over").end()
        assert memory.tell_session(lesson) is False
        first = shop.session("s1", age=60)
        assert memory.tell_session(lesson) is True
        assert NOTE in first.lines[-1]["x"]
        shop.session("s2")
        assert memory.tell_session(lesson) is False
        with pytest.raises(NotFound):
            memory.tell_session("0000nothing")
    for name, told in (("s1", True), ("unknown", False)):
        with shop.reader(CLAUDE_CODE_SESSION_ID=name) as memory:
            assert memory.tell_session(lesson) is told
    assert first.kinds.count("recorded") == 2
