"""What was said to agents: the log, one memory's reasons, the sessions that go on, a word to one of them."""

from __future__ import annotations

import json
import time

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


@pytest.fixture
def lesson(repo: Repo, environ: dict[str, str]) -> str:
    """The id of a memory that is said before cart.py is changed."""
    with Memory.open(repo.root, environ=environ) as memory:
        return memory.remember(NOTE, type="gotcha", related_files=["cart.py"]).id


def session(repo: Repo, environ: dict[str, str], name: str, *, age: float = 0.0) -> Hooked:
    """Return a session in which the lesson was told, so many seconds ago."""
    found = Hooked(repo.root, environ, session=name)
    found.start()
    found.edit("cart.py")
    aged(found, age)
    return found


def aged(hooked: Hooked, seconds: float) -> None:
    """Let all that happened in a session have happened earlier."""
    rows = [json.loads(row) for row in hooked.path.read_text().splitlines()]
    moved = [row | {"at": row["at"] - int(seconds * 1000)} if "k" in row else row for row in rows]
    hooked.path.write_text("".join(json.dumps(row) + "\n" for row in moved))
    ago(hooked.path, seconds)


def opened(repo: Repo, environ: dict[str, str]) -> Memory:
    """Return the project's memory, open to be read."""
    return Memory.open(repo.root, environ=environ, read_only=True)


def test_the_log_is_of_all_sessions(repo: Repo, environ: dict[str, str], lesson: str) -> None:
    """Of the files of those that go on, and of the store for what was taken in; newest first, each once."""
    first = session(repo, environ, "s1", age=300)
    first.end()
    work(environ)
    session(repo, environ, "s2", age=200)
    session(repo, environ, "s3")
    with opened(repo, environ) as memory:
        told = [one for one in memory.log() if one.trigger == "gotchas"]
        assert [one.session_id for one in told] == [f"claude-code:s{n}" for n in (3, 2, 1)]
        assert [one.memory_ids for one in told] == [(lesson,)] * 3
        assert memory.log(1) == memory.log()[:1]
        assert memory.log(0) == []
    first.prompt("And now the other part of it, please")
    taken = session(repo, environ, "taken")
    with taken.path.open("a") as file:
        file.write(json.dumps({"k": "learnt", "at": int(time.time() * 1000)}) + "\n")
    with opened(repo, environ) as memory:
        for found in (memory.log(), memory.why(lesson).said):
            assert len([one for one in found if one.trigger == "gotchas"]) == 3
            assert taken.session not in str(found)


def test_the_log_of_one_session(repo: Repo, environ: dict[str, str], lesson: str) -> None:
    """By the host's own id or with the host before it, wherever it stands."""
    ids = ("s1", "xs1", "a:s1")
    for name in ids:
        session(repo, environ, name)
    with opened(repo, environ) as memory:
        for _ in range(2):
            for name in ids:
                own = memory.log(session_id=f"claude-code:{name}")
                assert {one.session_id for one in own} == {f"claude-code:{name}"}
                assert memory.log(session_id=name) == own
                assert memory.log(session_id=f"codex:{name}") == []
            Hooked(repo.root, environ, session="xs1").end()
            work(environ)
        assert any(lesson in one.memory_ids for one in memory.log(session_id="xs1"))


def test_when_a_memory_was_said(
    repo: Repo, environ: dict[str, str], lesson: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest times, however much else was said since; a memory never said has none."""
    monkeypatch.setattr(status_page, "SHOWN", 3)
    with Memory.open(repo.root, environ=environ) as memory:
        other = memory.remember("Prices are whole cents", type="decision").id
    for n in range(5):
        session(repo, environ, f"s{n}", age=1_000.0 * n)
    with opened(repo, environ) as memory:
        said = memory.why(lesson).said
        assert len(said) == 3
        assert [one.at for one in said] == sorted((one.at for one in said), reverse=True)
        assert {one.session_id for one in said} <= {f"claude-code:s{n}" for n in range(3)}
        assert memory.why(other).memory.id == other
        assert all(other in one.memory_ids for one in memory.why(other).said)


def test_the_status_tells_of_sessions_that_wait(repo: Repo, environ: dict[str, str], lesson: str) -> None:
    """The last one first, with what happened in each; what was taken in is gone from it."""
    session(repo, environ, "s1", age=900).end()
    work(environ)
    session(repo, environ, "s2", age=600)
    session(repo, environ, "s3", age=300).end()
    with opened(repo, environ) as memory:
        status = memory.status()
        found = [(one.id, one.steps, one.over) for one in status.sessions]
        assert found == [("claude-code:s3", 1, True), ("claude-code:s2", 1, False)]
        assert [one.said for one in status.sessions] == [1, 1]
        assert status.learnt == 0


def test_the_status_promises_nothing_while_nobody_is_spoken_to(
    repo: Repo, environ: dict[str, str], lesson: str
) -> None:
    """With `inject.enabled` off, by a variable or by the project's own file, the page says so and no more."""
    with opened(repo, environ) as memory:
        assert memory.status().speaks is True
        assert memory.status().texts == "nowhere"
        assert "texts sent to" in plain(memory_pages.status(memory.status()))
        assert "inject.enabled" not in plain(memory_pages.status(memory.status()))
    off = environ | {"REMORA_INJECT_ENABLED": "false"}
    (repo.root / "remora.toml").write_text("[inject]\nenabled = false\n")
    for given in (off, environ):
        with opened(repo, given) as memory:
            status = memory.status()
            assert (status.speaks, status.brief) == (False, "")
            page = plain(memory_pages.status(status))
            assert "inject.enabled is off" in page
            assert "lessons" not in page


def test_a_word_to_the_session_that_goes_on(repo: Repo, environ: dict[str, str], lesson: str) -> None:
    """Where there is one; of several it is the one that the environment names, else none."""
    with opened(repo, environ) as memory:
        assert memory.tell_session(lesson) is False
        session(repo, environ, "old", age=5_000)
        session(repo, environ, "over").end()
        assert memory.tell_session(lesson) is False
        first = session(repo, environ, "s1", age=60)
        assert memory.tell_session(lesson) is True
        assert NOTE in first.lines[-1]["x"]
        session(repo, environ, "s2")
        assert memory.tell_session(lesson) is False
        with pytest.raises(NotFound):
            memory.tell_session("0000nothing")
    with opened(repo, environ | {"CLAUDE_CODE_SESSION_ID": "s1"}) as memory:
        assert memory.tell_session(lesson) is True
    assert first.kinds.count("recorded") == 2
    with opened(repo, environ | {"CLAUDE_CODE_SESSION_ID": "unknown"}) as memory:
        assert memory.tell_session(lesson) is False
