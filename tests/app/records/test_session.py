"""A conversation's log is the source; its turns are found by searches, whoever wrote the log."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remora import Memory, Session
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput
from remora.core.values import Redaction, ToolCall
from tests.app.talks import held
from tests.helpers import SECRET, FakeEmbedder, environment, holds, texts

TALK = [
    {"role": "Ann", "content": "Shall tokens expire after a day?", "external_id": "D1:1"},
    {"role": "Bob", "content": "Yes, a day is fine.", "external_id": "D1:2", "time": "2023-05-08T13:56:00Z"},
    {"role": "Ann", "content": "Then I change the middleware.", "external_id": "D1:3", "time": "1 pm, 8 May"},
]


def others(memory: Memory, session_id: str) -> SessionLog:
    """Return a session's log as another process has it: it knows nothing of the index."""
    return SessionLog(memory.home / "sessions", session_id, FixedClock())


def turns(memory: Memory, session_id: str) -> list[str]:
    """Return the indexed turns of a session, in order."""
    db = memory._project.db.connection
    sql = "SELECT content FROM turns WHERE session_id = ? ORDER BY position"
    return [r[0] for r in db.rows(sql, (session_id,))]


def test_extend(bare: Memory, session: Session) -> None:
    """Messages are kept once, in order, with their ids, speakers and times, and found by a search."""
    first = session.extend(TALK[:2])
    kept = session.extend(TALK)
    assert kept[:2] == first
    assert [(m.seq, m.role, m.external_id) for m in kept] == [
        (number, said["role"], said["external_id"]) for number, said in enumerate(TALK, 1)
    ]
    assert kept[1].time == "2023-05-08T13:56:00.000Z"
    assert (kept[2].time_text, kept[2].time) == ("1 pm, 8 May", None)
    assert session.history() == session.messages() == kept
    assert turns(bare, "cli:42") == [str(m["content"]) for m in TALK]
    assert bare.session("cli:42").extend(TALK) == kept
    moved = bare.session("two").extend(session.history())  # whole, with the caller's words for the time
    said = [[(m.seq, m.content, m.time, m.time_text) for m in one] for one in (moved, kept)]
    assert said[0] == said[1]
    assert session.count() == 3
    assert bare.stats().sessions == 2
    hits = {h.session_id: h for h in bare.search("middleware", kinds=["turn"]) if "middleware" in h.text}
    assert set(hits) == {"cli:42", "two"}
    hit = hits["cli:42"]
    assert (hit.source, hit.text, hit.external_id) == ("turn", "Then I change the middleware.", "D1:3")
    assert (hit.role, hit.time) == ("Ann", "1 pm, 8 May")


def test_append(bare: Memory, session: Session) -> None:
    """One message is appended with all that may belong to it; its forms: conversation/test_format.py."""
    call = ToolCall("c1", "bash", {"command": "make test"})
    said = session.append("assistant", "I run the tests", tool_calls=[call], metadata={"model": "m"})
    reply = {"role": "tool", "content": "3 passed", "tool_call_id": "c1", "tool_name": "bash"}
    done = session.extend([{**reply, "time": datetime(2024, 1, 1, tzinfo=UTC)}])[0]
    assert (said.tool_calls, said.metadata) == ((call,), {"model": "m"})
    assert (done.tool_call_id, done.tool_name, done.time) == ("c1", "bash", "2024-01-01T00:00:00.000Z")
    assert turns(bare, "cli:42") == ["I run the tests"]


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ("hello", "must be a list of mappings"),
        ([{"role": "user"}], "content is missing"),
        ([{"role": "user", "content": "x", "external_id": SECRET}], "external_id holds a secret"),
    ],
)
def test_what_cannot_be_said(session: Session, messages: Any, message: str) -> None:
    """A message that cannot be kept keeps its whole batch out of the log."""
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


def test_no_secret_reaches_the_log(bare: Memory, session: Session, tmp_path: Path) -> None:
    """Secrets go from every field before anything is written, and are counted over the session."""
    given = {"env": {"DB_PASSWORD": "swordfish"}, "argv": ["--token", SECRET]}
    session.append(
        f"user {SECRET}",
        f"The key is {SECRET}",
        time=f"when {SECRET} came",
        tool_calls=[ToolCall("c1", "bash", given)],
        tool_name=f"t {SECRET}",
        metadata={SECRET: SECRET, "deep": [{"password": "swordfish"}]},
    )
    assert session.redactions == (Redaction("github-token", 7), Redaction("password", 2))
    bare.close()
    assert holds(tmp_path, SECRET) == []
    assert holds(tmp_path, "swordfish") == []


def test_another_process_appends(bare: Memory, session: Session) -> None:
    """What was appended by others, or while the database was held, is found by the next search, once."""
    session.append("user", "The parser is slow")
    assert texts(bare.search("parser")) == ["The parser is slow"]
    with session._log.path.open("ab") as file:
        file.write(b'{"role": "user", "content": \xff\n[1, 2]\n')
    others(bare, "cli:42").append({"role": "user", "content": "The parser is fast now"})
    others(bare, "web:7").append({"role": "user", "content": "Which parser?"})
    found = {"The parser is slow", "The parser is fast now", "Which parser?"}
    assert set(texts(bare.search("parser"))) == found
    with held(bare):
        session.append("user", "The parser is done")
        assert turns(bare, "cli:42") == ["The parser is slow", "The parser is fast now"]
    bare.search("parser")
    assert turns(bare, "cli:42") == ["The parser is slow", "The parser is fast now", "The parser is done"]


@pytest.mark.parametrize(
    ("new", "more"), [("middlewarx", []), ("gateway and the proxy behind it", ["Done."])]
)
def test_an_edited_log(bare: Memory, session: Session, new: str, more: list[str]) -> None:
    """It is indexed as it reads now, even when its size is the same, or when it was appended to as well."""
    session.extend(TALK)
    assert len(bare.search("middleware", kinds=["turn"])) == 3
    path = session._log.path
    path.write_text(path.read_text("utf-8").replace("middleware", new), "utf-8")
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000))
    for text in more:
        others(bare, "cli:42").append({"role": "Bob", "content": text})
    bare.search("anything")
    assert turns(bare, "cli:42")[2:] == [f"Then I change the {new}.", *more]
    assert len(turns(bare, "cli:42")) == 3 + len(more)


def test_a_log_that_is_gone_or_another(tmp_path: Path, folder: Path) -> None:
    """The log is the source: its turns go with it, another brings its own, and without a database all do."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        session = memory.session("cli:42")
        session.extend(TALK)
        memory.session("cli:43").append("user", "Hello tokens")
        session._log.path.unlink()
        assert texts(memory.search("tokens day middleware")) == ["Hello tokens"]
        assert memory.stats().turns == 1
        others(memory, "cli:42").append({"role": "user", "content": "A short one"})
        memory.search("anything")
        assert turns(memory, "cli:42") == ["A short one"]
        memory.session("cli:" + "long" * 80).append("user", "Deploy the middleware")
        memory.remember("Tokens expire after 24 h")
    (memory.home / "memory.db").unlink()
    with Memory.open(folder, environ=environ) as memory:
        assert memory.search("middleware", kinds=["turn"])[0].text == "Deploy the middleware"
        assert turns(memory, "cli:42") == ["A short one"]
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
