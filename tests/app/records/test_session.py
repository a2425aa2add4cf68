"""A conversation's log is the source; its turns are found by searches, whoever wrote the log."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, StoreReadOnly
from remora.core.values import Redaction, ToolCall
from tests.app.talks import held
from tests.helpers import SECRET, FakeEmbedder, environment, files, holds, texts

TALK = [
    {"role": "Ann", "content": "Shall tokens expire after a day?", "external_id": "D1:1"},
    {"role": "Bob", "content": "Yes, a day is fine.", "external_id": "D1:2", "time": "2023-05-08T13:56:00Z"},
    {
        "role": "Ann",
        "content": "Then I change the middleware.",
        "external_id": "D1:3",
        "time": "1 pm on 8 May",
    },
]


def others(memory: Memory, session_id: str) -> SessionLog:
    """Return a session's log as another process has it: it knows nothing of the index."""
    return SessionLog(memory.home / "sessions", session_id, FixedClock())


def turns(memory: Memory, session_id: str) -> list[str]:
    """Return the indexed turns of a session, in order."""
    db = memory._project.db.connection
    sql = "SELECT content FROM turns WHERE session_id = ? ORDER BY position"
    return [r[0] for r in db.rows(sql, (session_id,))]


def test_extend(bare: Memory) -> None:
    """Messages are kept in order with their ids, speakers and times, and found by a search."""
    session = bare.session("cli:42")
    kept = session.extend(TALK)
    assert [(m.seq, m.role, m.external_id) for m in kept] == [
        (1, "Ann", "D1:1"),
        (2, "Bob", "D1:2"),
        (3, "Ann", "D1:3"),
    ]
    assert kept[1].time == "2023-05-08T13:56:00.000Z"
    assert (kept[2].time_text, kept[2].time) == ("1 pm on 8 May", None)
    assert session.history() == session.messages() == kept
    assert session.count() == 3
    hit = bare.search("middleware", kinds=["turn"])[0]
    assert (hit.source, hit.text, hit.external_id) == ("turn", "Then I change the middleware.", "D1:3")
    assert (hit.session_id, hit.role, hit.time) == ("cli:42", "Ann", "1 pm on 8 May")


def test_append(bare: Memory) -> None:
    """One message is appended with all that may belong to it."""
    session = bare.session("cli:42")
    call = ToolCall("c1", "bash", {"command": "make test"})
    said = session.append("assistant", "I run the tests", tool_calls=[call], metadata={"model": "m"})
    reply = {"role": "tool", "content": "3 passed", "tool_call_id": "c1", "tool_name": "bash"}
    done = session.extend([{**reply, "time": datetime(2024, 1, 1, tzinfo=UTC)}])[0]
    assert (said.tool_calls, said.metadata) == ((call,), {"model": "m"})
    assert (done.tool_call_id, done.tool_name, done.time) == ("c1", "bash", "2024-01-01T00:00:00.000Z")
    assert turns(bare, "cli:42") == ["I run the tests"]


@pytest.mark.parametrize("time", [1_704_067_200, 1_704_067_200.0, datetime(2024, 1, 1, tzinfo=UTC)])
def test_append_takes_a_time_as_extend_does(bare: Memory, time: Any) -> None:
    """A number is seconds since 1970, and a datetime is itself."""
    assert bare.session("cli:42").append("user", "Ship it", time=time).time == "2024-01-01T00:00:00.000Z"


def test_an_external_id_is_said_once(bare: Memory) -> None:
    """Repeating a batch appends and indexes nothing twice, and returns what the log holds."""
    session = bare.session("cli:42")
    first = session.extend(TALK[:2])
    again = session.extend(TALK)
    assert again[:2] == first
    assert session.count() == 3
    assert turns(bare, "cli:42") == [str(m["content"]) for m in TALK]
    assert bare.session("cli:42").extend(TALK) == again


def test_messages_of_another_session(bare: Memory) -> None:
    """Messages can be taken over whole from another log, with the caller's own words for the time."""
    bare.session("one").extend(TALK)
    moved = bare.session("two").extend(bare.session("one").history())
    assert [(m.seq, m.content, m.time, m.time_text) for m in moved] == [
        (m.seq, m.content, m.time, m.time_text) for m in bare.session("one").history()
    ]


def test_sessions_are_apart(bare: Memory) -> None:
    """Two sessions of a project have their own logs, numbers and ids, and are searched together."""
    one, two = bare.session("cli:1"), bare.session("cli:2")
    one.append("user", "The parser is slow", external_id="x")
    two.append("user", "The parser is fast", external_id="x")
    assert [m.content for m in one.history()] == ["The parser is slow"]
    assert [m.seq for m in two.history()] == [1]
    assert {h.session_id for h in bare.search("parser", kinds=["turn"])} == {"cli:1", "cli:2"}
    assert bare.stats().sessions == 2


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ("hello", "must be a list of mappings"),
        (None, "must be a list of messages, not None"),
        (["hello"], "a message is a mapping with role and content, not str"),
        ([{"role": "user"}], "content must be a string, not missing"),
        ([{"role": "user", "content": "x", "external_id": SECRET}], "external_id holds a secret"),
    ],
)
def test_what_cannot_be_said(bare: Memory, messages: Any, message: str) -> None:
    """A message that cannot be kept keeps its whole batch out of the log."""
    session = bare.session("cli:42")
    batch = [{"role": "user", "content": "good"}, *messages] if isinstance(messages, list) else messages
    with pytest.raises(InvalidInput, match=message):
        session.extend(batch)
    assert session.history() == []
    assert session.redactions == ()


def test_session_ids(bare: Memory) -> None:
    """An id is any text that is not empty and holds no secret."""
    for wrong in ("", 5, SECRET):
        with pytest.raises(InvalidInput):
            bare.session(wrong)  # type: ignore[arg-type]
    odd = "../../etc/passwd \U0001f680 " + "x" * 300
    bare.session(odd).append("user", "The parser is slow")
    assert [h.session_id for h in bare.search("parser")] == [odd]
    assert all(p.parent == bare.home / "sessions" for p in (bare.home / "sessions").iterdir())


def test_no_secret_reaches_the_log(bare: Memory, tmp_path: Path) -> None:
    """Secrets go from every field before anything is written, and are counted over the session."""
    session = bare.session("cli:42")
    session.append(
        f"user {SECRET}",
        f"The key is {SECRET}",
        time=f"when {SECRET} came",
        tool_calls=[
            ToolCall("c1", "bash", {"env": {"DB_PASSWORD": "swordfish"}, "argv": ["--token", SECRET]})
        ],
        tool_name=f"t {SECRET}",
        metadata={SECRET: SECRET, "deep": [{"password": "swordfish"}]},
    )
    assert session.redactions == (Redaction("github-token", 7), Redaction("password", 2))
    bare.close()
    assert holds(tmp_path, SECRET) == []
    assert holds(tmp_path, "swordfish") == []


def test_another_process_appends(bare: Memory) -> None:
    """What somebody else appended is found by the next search, each message once."""
    session = bare.session("cli:42")
    session.append("user", "The parser is slow")
    assert texts(bare.search("parser")) == ["The parser is slow"]
    others(bare, "cli:42").append({"role": "user", "content": "The parser is fast now"})
    others(bare, "web:7").append({"role": "user", "content": "Which parser?"})
    assert set(texts(bare.search("parser"))) == {
        "The parser is slow",
        "The parser is fast now",
        "Which parser?",
    }
    session.append("user", "The parser is done")
    assert turns(bare, "cli:42") == ["The parser is slow", "The parser is fast now", "The parser is done"]
    assert bare.doctor().kind == ""


@pytest.mark.parametrize("same_length", [True, False])
def test_an_edited_log(bare: Memory, *, same_length: bool) -> None:
    """A log that a person edited is indexed as it reads now, even when its size is the same."""
    session = bare.session("cli:42")
    session.extend(TALK)
    assert len(bare.search("middleware", kinds=["turn"])) == 3
    new = "middlewarx" if same_length else "gateway and the proxy behind it"
    path = session._log.path
    path.write_text(path.read_text("utf-8").replace("middleware", new), "utf-8")
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000))
    bare.search("anything")
    assert turns(bare, "cli:42")[2] == f"Then I change the {new}."
    assert len(turns(bare, "cli:42")) == 3


def test_an_edit_and_an_append(bare: Memory) -> None:
    """A log that was edited and appended to is read anew from its start."""
    session = bare.session("cli:42")
    session.extend(TALK)
    path = session._log.path
    path.write_text(path.read_text("utf-8").replace("a day is fine", "an hour is better"), "utf-8")
    others(bare, "cli:42").append({"role": "Bob", "content": "Done."})
    bare.search("anything")
    assert turns(bare, "cli:42") == [
        "Shall tokens expire after a day?",
        "Yes, an hour is better.",
        "Then I change the middleware.",
        "Done.",
    ]


def test_a_log_that_was_replaced(bare: Memory) -> None:
    """A shorter log in the place of another one replaces its turns."""
    session = bare.session("cli:42")
    session.extend(TALK)
    session._log.path.unlink()
    others(bare, "cli:42").append({"role": "user", "content": "Hello"})
    bare.search("anything")
    assert turns(bare, "cli:42") == ["Hello"]


def test_a_log_that_is_gone(bare: Memory) -> None:
    """The log is the source: without it its turns leave the index."""
    session = bare.session("cli:42")
    session.extend(TALK)
    bare.session("cli:43").append("user", "Hello tokens")
    session._log.path.unlink()
    assert texts(bare.search("tokens day middleware")) == ["Hello tokens"]
    assert bare.stats().turns == 1


def test_a_deleted_database(tmp_path: Path, folder: Path) -> None:
    """Without its database a project's turns are made again from the logs, memories of other sorts not."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.session("cli:1").extend(TALK)
        memory.session("cli:" + "long" * 80).append("user", "Deploy the middleware")
        memory.remember("Tokens expire after 24 h")
        home = memory.home
    (home / "memory.db").unlink()
    with Memory.open(folder, environ=environ) as memory:
        assert set(texts(memory.search("middleware", kinds=["turn"]))) >= {
            "Then I change the middleware.",
            "Deploy the middleware",
        }
        assert memory.list() == []


def test_reindex_makes_turns_again(able: Memory, embedder: FakeEmbedder) -> None:
    """Reindexing reads every log from its start, with vectors, and drops turns without a log."""
    able.session("cli:1").extend(TALK)
    able.session("cli:2").append("user", "Gone soon")
    able.catch_up()
    able.session("cli:2")._log.path.unlink()
    steps: list[tuple[str, int, int]] = []
    assert able.reindex(progress=lambda *step: steps.append(step)) == 3 + 3
    assert turns(able, "cli:1") == [str(m["content"]) for m in TALK]
    assert turns(able, "cli:2") == []
    assert steps[0] == ("sessions", 1, 1)
    assert ("embedding", 3, 3) in steps
    assert able.stats().turns == 3


def test_a_log_with_a_bad_line(bare: Memory) -> None:
    """A line that cannot be read is skipped; the others are found."""
    session = bare.session("cli:42")
    session.append("user", "The parser is slow")
    with session._log.path.open("ab") as file:
        file.write(b'{"role": "user", "content": \xff\n[1, 2]\n')
    others(bare, "cli:42").append({"role": "user", "content": "The parser is fast"})
    assert set(texts(bare.search("parser"))) == {"The parser is slow", "The parser is fast"}


def test_reading_only(tmp_path: Path, folder: Path) -> None:
    """A memory that was opened for reading refuses to append or clear, and can read the whole session."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.session("cli:42").extend(TALK)
    before = files(tmp_path)
    with Memory.open(folder, environ=environ, read_only=True) as memory:
        session = memory.session("cli:42")
        for change in (lambda: session.append("user", "x"), session.clear, lambda: session.extend(TALK)):
            with pytest.raises(StoreReadOnly, match="opened for reading only"):
                change()
        assert session.count() == len(session.history()) == len(session.messages()) == 3
    assert files(tmp_path) == before


def test_a_log_is_written_before_it_is_indexed(bare: Memory) -> None:
    """When the database is held by another writer the message is safe, and indexed by a later search."""
    session = bare.session("cli:42")
    session.append("user", "first words")
    with held(bare):
        assert session.append("user", "The parser is slow").seq == 2
        assert turns(bare, "cli:42") == ["first words"]
    assert texts(bare.search("parser")) == ["The parser is slow", "first words"]
