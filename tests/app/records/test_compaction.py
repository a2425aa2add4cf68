"""A compaction archives before it moves the boundary, loses nothing, and says what it did."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remora import Memory, Session
from remora.app.records.compaction import Compaction
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import ProviderError, StoreError, StoreFull
from remora.core.values import ToolCall
from tests.app.records.conftest import talked
from tests.app.talks import archives, at_once, contents, history, markers, memory_of, opened, talk
from tests.helpers import SECRET, environment, files, holds, no_file_above
from tests.store.makers import there

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
QUIET = {"REMORA_JOURNAL_ENABLED": "false"}
SUMMARY = "They chose ES256 for the tokens and keep the key in the vault; src/tokens.py holds the change."


def test_the_last_messages_stay(bare: Memory, session: Session) -> None:
    """What is older becomes a summary at the front, an archive and a marker; the history is whole."""
    said = session.extend(talk(30))
    done = session.compact(4)
    assert done._replace(summary="", consolidation=None) == Compaction(
        "cli:42", 26, 4, how="extract", archive="cli-42-1", why="asked"
    )
    assert done.summary.startswith("26 messages, extracted without a model.")
    first, *rest = session.messages()
    assert (first.role, first.content) == ("system", f"[Conversation summary]\n{done.summary}")
    assert rest == said[26:]
    assert session.history() == said
    assert session.count() == 5
    assert bare.entries.show("cli-42-1").content == done.summary
    (marker,) = markers(session)
    assert (marker["keptFrom"], marker["archiveName"], marker["summary"]) == (27, "cli-42-1", done.summary)
    details = {"how": "extract", "note": "there is no model", "removed": 26, "why": "asked"}
    assert marker["details"] == {"flattenedTo": 30, **details}


def test_another_object_and_another_opening_see_it(tmp_path: Path) -> None:
    """The boundary is in the log: whoever opens it next goes on from there; how many stay is a setting."""
    with talked(tmp_path, 10, SUMMARY, **QUIET, REMORA_COMPACTION_KEEP_LAST="2") as (memory, session, _):
        other = memory.session("cli:42")
        assert other.count() == 10
        assert session.compact().kept == 2
        expected = [f"[Conversation summary]\n{SUMMARY}", "message 9", "message 10"]
        assert contents(other) == expected
    with opened(tmp_path) as memory:
        assert contents(memory.session("cli:42")) == expected
        assert memory.session("cli:42").recap().endswith("USER: message 9\nASSISTANT: message 10")


def test_nothing_to_do(bare: Memory, session: Session) -> None:
    """With no more than what stays, nothing is written; while nothing is due, no lock is asked for either."""
    session.extend(talk(20))
    before = files(bare.home)
    assert [session.compact_if_needed() for _ in range(2)] == [None] * 2
    assert files(bare.home) == before
    assert [session.compact() for _ in range(2)] == [Compaction("cli:42", 0, 20)] * 2
    assert (archives(bare), markers(session)) == ([], [])
    assert not (bare.home / "memory").exists()


def test_tool_traffic_becomes_text(session: Session) -> None:
    """What a compaction keeps needs no calls and no results; more in conversation/test_flatten.py."""
    session.extend(talk(4))
    session.append("assistant", "Let me look.", tool_calls=[ToolCall("c1", "read_file", {"path": "auth.py"})])
    session.append("tool", "TTL = 24 * 3600", tool_call_id="c1", tool_name="read_file")
    said = session.history()
    session.compact(1)  # the call goes with its result
    call = 'Let me look.\n[Tool: read_file | Args: {"path": "auth.py"}]\n[Result: TTL = 24 * 3600]'
    assert contents(session)[1:] == [call]
    session.append("assistant", "", tool_calls=[ToolCall("c2", "bash", {"command": "make"})])
    assert [len(m.tool_calls) for m in session.messages()] == [0, 0, 1]
    assert session.history()[:6] == said


def test_any_number_of_compactions(bare: Memory, session: Session) -> None:
    """Twenty rounds: a summary of summaries does not grow, each has its archive, nothing is lost."""
    sizes = []
    for turn in range(20):
        session.extend(talk(6, 6 * turn + 1, "They decided to use parser number"))
        sizes.append(len(session.compact(3).summary))
        assert session.count() == 4
    assert max(sizes) <= 2_500
    assert archives(bare) == [f"cli-42-{n}" for n in range(1, 21)]
    assert len(markers(session)) == 20
    assert [m.seq for m in session.history()] == list(range(1, 121))
    assert contents(session)[1:] == [f"They decided to use parser number {n}" for n in (118, 119, 120)]


# By itself


def test_by_tokens(session: Session) -> None:
    """147,003 characters fit into 50,000 tokens; one more, and the oldest become a summary."""
    session.extend([{"role": "user", "content": "x" * 4_900} for _ in range(30)])
    session.append("user", "abc")
    assert (session.standing().characters, session.standing().tokens) == (147_003, 50_000)
    assert session.compact_if_needed() is None
    session.append("user", "d")
    assert session.standing().over
    done = there(session.compact_if_needed())
    assert (done.why, done.removed, done.kept, done.how) == ("tokens", 12, 20, "extract")
    assert not session.standing().over
    assert session.compact_if_needed() is None


def test_by_the_window(session: Session) -> None:
    """Of more messages than the journal's window, half a window is left."""
    session.extend(talk(50))
    assert session.compact_if_needed() is None
    session.extend(talk(2, 51))
    done = there(session.compact_if_needed())
    assert (done.why, done.removed, done.kept) == ("window", 27, 25)
    assert contents(session)[1:] == [f"message {n}" for n in range(28, 53)]
    session.extend(talk(25, 53))  # a summary and fifty messages
    assert session.compact_if_needed() is None
    session.append("user", "message 78")
    again = there(session.compact_if_needed())
    assert (again.removed, again.kept) == (27, 25)


@pytest.mark.parametrize(
    ("settings", "done"),
    [
        ({"REMORA_COMPACTION_ENABLED": "false"}, None),
        ({"REMORA_JOURNAL_ENABLED": "false"}, None),
        ({"REMORA_JOURNAL_MEMORY_WINDOW": "11"}, ("window", 5)),  # half of an odd window is rounded down
        ({"REMORA_COMPACTION_MAX_CONTEXT_TOKENS": "8100"}, ("tokens", 1)),
    ],
)
def test_settings(
    tmp_path: Path, folder: Path, settings: dict[str, str], done: tuple[str, int] | None
) -> None:
    """Every constant is a setting; without the journal, or switched off, the window asks for nothing."""
    with Memory.open(folder, environ=environment(tmp_path, **settings)) as memory:
        session = memory.session("cli:42")
        session.extend(talk(52))
        found = session.compact_if_needed()
        assert ((found.why, found.kept) if found else None) == done


# With a model


def test_a_model_writes_the_summary(tmp_path: Path) -> None:
    """The model is asked once, within its bounds; the marker says that it was it."""
    settings = {**QUIET, "REMORA_COMPACTION_SUMMARY_TIMEOUT": "3"}
    with talked(tmp_path, 30, SUMMARY, **settings) as (memory, session, model):
        done = session.compact(2)
        assert (done.how, done.summary, done.notes, done.consolidation) == ("model", SUMMARY, (), None)
        assert memory.entries.show(done.archive).content == SUMMARY
        assert "note" not in markers(session)[0]["details"]
    (call,) = model.calls
    assert (call.max_tokens, call.timeout, call.temperature) == (500, 3.0, 0.3)
    assert call.messages[-1].content.count("\n") == 28
    assert not (memory.home / "memory" / "HISTORY.md").exists()


@pytest.mark.parametrize(
    ("reply", "how", "note"),
    [
        (ProviderError("the model is away"), "extract", "the model failed: the model is away"),
        ("It was long. " * 1_000, "model", "the answer had 12,999 characters"),
    ],
)
def test_a_model_that_fails(tmp_path: Path, reply: Any, how: str, note: str) -> None:
    """Whatever a model does, there is a summary within bounds, and the result says what happened."""
    with talked(tmp_path, 30, reply, **QUIET) as (_, session, _):
        done = session.compact(2)
        assert (done.how, done.removed, len(done.notes)) == (how, 28, 1)
        assert note in done.notes[0]
        assert 0 < len(done.summary) <= 2_500
        assert markers(session)[0]["details"]["note"] == done.notes[0]


def test_secrets(tmp_path: Path) -> None:
    """A secret that a model writes is taken out; one that somebody typed into the log is not told to it."""
    with talked(tmp_path, 30, f"{SUMMARY} The key is {SECRET}.", **QUIET) as (memory, session, model):
        SessionLog(memory.home / "sessions", "cli:42", FixedClock()).append(
            {"role": "user", "content": f"Use {SECRET} there"}
        )
        done = session.compact(0)
        assert done.summary == f"{SUMMARY} The key is [REDACTED:github-token]."
        assert done.notes == ("secrets removed from the summary: 1",)
        assert SECRET not in contents(session)[0]
    assert "Use [REDACTED:github-token] there" in model.calls[0].messages[-1].content
    assert [Path(name).suffix for name in holds(tmp_path, SECRET)] == [".jsonl"]


# What can go wrong


@posix
def test_a_marker_that_cannot_be_written(bare: Memory, session: Session) -> None:
    """On a full disk the context stays as it was, and the archive is taken back."""
    said = session.extend([{"role": "user", "content": "x" * 5_000} for _ in range(30)])
    with no_file_above(session._log.path.stat().st_size + 50), pytest.raises(StoreFull):
        session.compact(2)
    assert session.messages() == session.history() == said
    assert archives(bare) == []
    assert not (bare.home / "memory" / "HISTORY.md").exists()
    assert session.compact(2).archive == "cli-42-1"


def test_an_archive_that_cannot_be_written(bare: Memory, session: Session) -> None:
    """Without an archive there is no marker: everything stays as it was."""
    said = session.extend(talk(30))
    (bare.home / "memory").mkdir()
    (bare.home / "memory" / "entries.mem").write_bytes(b"no entries at all, but something else " * 40)
    before = session._log.path.read_bytes()
    with pytest.raises(StoreError):
        session.compact(2)
    assert session.messages() == said
    assert session._log.path.read_bytes() == before


def test_a_journal_that_cannot_be_written(bare: Memory, session: Session) -> None:
    """The boundary has moved by then: the journal gets it at the next time, and the result says so."""
    session.extend(talk(30))
    bare.entries.add("a note", "x")
    months = [bare.home / "memory" / name for name in ("HISTORY.md", "HISTORY-2026-03.md")]
    for path in months:
        path.mkdir()
    done = session.compact(2)
    assert (done.removed, done.consolidation) == (28, None)
    assert done.notes[-1].startswith("not in the journal yet: ")
    assert session.count() == 3
    for path in months:
        path.rmdir()
    assert [one.messages for one in bare.journal.consolidate()] == [2]  # the 28 are finished before
    assert len(history(bare)) == 2


def test_what_happens_while_a_model_thinks(tmp_path: Path) -> None:
    """What is said meanwhile stays; who clears gets an empty context, and the archive for nothing goes."""

    def append(_: object) -> str:
        memory.session("cli:42").append("user", "One more thing")
        return SUMMARY

    def clear(_: object) -> str:
        memory.session("cli:42").clear()
        memory.session("cli:42").append("user", "A new start")
        return SUMMARY

    with talked(tmp_path, 10, append, clear, **QUIET) as (memory, session, _):
        assert session.compact(2).kept == 2
        assert contents(session)[1:] == ["message 9", "message 10", "One more thing"]
        done = session.compact(2)
        assert (done.removed, done.kept, done.archive, done.summary) == (0, 1, "", "")
        assert done.notes[0].startswith("nothing was removed: the working context begins at message 12")
        assert contents(session) == ["A new start"]
        assert len(archives(memory)) == len(markers(session)) == 1


def test_threads_take_turns(tmp_path: Path, folder: Path) -> None:
    """Six threads, each with a memory of its own, shorten one session: one marker for what each removed."""
    done: list[Compaction] = []
    environ = environment(tmp_path)

    def work(number: int) -> None:
        with Memory.open(folder, environ=environ) as memory:
            session = memory.session("cli:42")
            for turn in range(4):
                session.extend(talk(3, 100 * number + 10 * turn))
                done.append(session.compact(2))

    at_once(*(partial(work, n) for n in range(6)))
    with Memory.open(folder, environ=environ) as memory:
        session = memory.session("cli:42")
        found, whole = markers(session), session.history()
        assert [marker["archiveName"] for marker in found] == archives(memory)
        assert sorted(archives(memory)) == sorted(one.archive for one in done if one.removed)
        kept = [marker["keptFrom"] for marker in found]
        assert kept == sorted(set(kept))
        assert [m.seq for m in whole] == list(range(1, 73))
        assert len({m.content for m in whole}) == 72
        assert session.messages()[1:] == whole[kept[-1] - 1 :]
        # Each removed what stood between the marker before and its own, and the summary before it.
        gone = [now - before + (before > 1) for before, now in zip([1, *kept], kept, strict=False)]
        assert [marker["details"]["removed"] for marker in found] == gone
        assert not session.problems()


def test_only_one_of_two_shortens_what_is_due(tmp_path: Path) -> None:
    """Who waited for another's compaction looks again, and leaves alone what is no longer due."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> str:
        begun.set()
        assert go_on.wait(10)
        return SUMMARY

    memory, model = memory_of(tmp_path, slow, **QUIET)
    done: dict[str, Compaction | None] = {}
    with memory, opened(tmp_path, **QUIET) as other:
        memory.session("cli:42").extend([{"role": "user", "content": "x" * 5_000} for _ in range(40)])

        def work(name: str, opened: Memory) -> None:
            done[name] = opened.session("cli:42").compact_if_needed()

        first, second = (
            threading.Thread(target=work, args=given) for given in (("first", memory), ("second", other))
        )
        first.start()
        assert begun.wait(10)
        second.start()
        second.join(0.1)
        assert second.is_alive()
        go_on.set()
        first.join()
        second.join()
        assert (there(done["first"]).how, done["second"]) == ("model", None)
        assert len(markers(memory.session("cli:42"))) == 1
    assert len(model.calls) == 1
