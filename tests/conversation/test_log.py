"""A session log keeps what is said, in order, once, and moves boundaries without forgetting."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput, StoreBusy, StoreError, StoreTooNew
from remora.core.values import Message
from remora.disk.files import lock
from tests.conversation.logs import T0, open_log, texts, user

DOCUMENT = Path(__file__).parents[2] / "docs" / "session-log.md"


@pytest.fixture
def log(tmp_path: Path) -> SessionLog:
    """Return an empty log of the session `cli:42`."""
    return open_log(tmp_path / "sessions")


def reopened(log: SessionLog) -> SessionLog:
    """Return another object for the same file, which knows nothing yet."""
    return open_log(log.path.parent)


def kinds(log: SessionLog) -> list[str | None]:
    """Return what each line of a log's file says that it is; a message says nothing."""
    return [json.loads(line).get("_type") for line in log.path.read_text("utf-8").splitlines()]


def test_opening_a_log_makes_nothing(log: SessionLog, tmp_path: Path) -> None:
    """A session that nobody wrote to is empty and has no file, no folder and no creation time."""
    assert (log.history(), log.messages(), log.count(), log.total(), log.problems()) == ([], [], 0, 0, [])
    assert log.metadata == {"version": 1, "key": "cli:42", "state": "ACTIVE"}
    assert log.read_from(0) == ([], 0)
    assert log.boundary is None
    assert list(tmp_path.iterdir()) == []


def test_extend_keeps_the_order_and_goes_on_counting(log: SessionLog) -> None:
    """A batch goes in whole or not at all, with ascending numbers, also through another object."""
    with pytest.raises(InvalidInput, match="message 2 of 2: role"):
        log.extend([user("good"), {"role": "", "content": "bad"}])
    assert [m.seq for m in log.extend([user("a"), user("b")])] == [1, 2]
    assert [m.seq for m in reopened(log).extend([user("c"), user("d")])] == [3, 4]
    assert texts(log.history()) == ["a", "b", "c", "d"]
    log.clear()
    assert texts(log.since(2)) == ["c", "d"]
    assert [m.seq for m in log.since(0)] == [1, 2, 3, 4]
    assert log.since(4) == []


def test_an_external_id_goes_in_once(log: SessionLog) -> None:
    """A message seen before is not appended, the report names it, and a batch of such writes nothing."""
    first = log.extend([user("a", external_id="1"), user("b", external_id="2")])
    added = log.add([user("a", external_id="1"), user("c", external_id="3"), user("c", external_id="3")])
    assert added.repeated == (0, 2)
    assert added.messages[0] == first[0]
    assert added.messages[1] == added.messages[2]
    assert [(m.seq, m.content) for m in log.history()] == [(1, "a"), (2, "b"), (3, "c")]
    before = log.path.read_bytes()
    again = reopened(log).add([user(text, external_id=str(n)) for n, text in enumerate("abc", 1)])
    assert again.repeated == (0, 1, 2)
    assert texts(list(again.messages)) == ["a", "b", "c"]
    assert log.path.read_bytes() == before


@pytest.mark.parametrize("before", ["", "a"])
def test_another_text_under_a_known_id_is_refused(log: SessionLog, before: str) -> None:
    """An empty message keeps its place, too: another text under its id is an error, nothing is appended."""
    log.append(user(before, external_id="1"))
    for known, batch in {"1": [user("b")], "2": [user("b", external_id="2")]}.items():
        with pytest.raises(Conflict, match=f"external_id '{known}' with another text"):
            log.extend([*batch, user("other", external_id=known)])
    assert texts(log.history()) == [before]


def test_clear_empties_the_context_and_keeps_the_history(log: SessionLog) -> None:
    """After a clear, which leaves one marker, nothing is current, all was said, and counting goes on."""
    assert log.clear() == 0
    log.extend([user("a"), user("b")])
    assert log.clear() == 2
    before = log.path.read_bytes()
    assert log.clear() == 0
    assert log.path.read_bytes() == before
    assert (log.messages(), log.count(), log.total()) == ([], 0, 2)
    assert log.append(user("c")).seq == 3
    assert texts(log.messages()) == ["c"]
    assert texts(log.history()) == ["a", "b", "c"]


def test_compact_puts_the_summary_first(log: SessionLog) -> None:
    """Of ten messages three are kept behind the summary; a summary that comes too late is refused."""
    log.extend([user(f"msg{n}") for n in range(10)])
    for kept_from in (0, -1, 12):
        with pytest.raises(InvalidInput, match="messages 1 to 10"):
            log.compact("S", kept_from)
    with pytest.raises(InvalidInput, match="summary"):
        log.compact(" ", 2)
    with pytest.raises(InvalidInput, match="JSON"):
        log.compact("S", 2, details={"x": object()})
    assert kinds(log) == ["metadata", *[None] * 10]
    log.compact("S", 8, archive_name="a-1", details={"tools": ["ls"]})
    assert log.boundary is not None
    assert (log.boundary.archive_name, log.boundary.details) == ("a-1", {"tools": ["ls"]})
    summary = "[Conversation summary]\nS"
    assert texts(log.messages()) == [summary, "msg7", "msg8", "msg9"]
    assert log.messages()[0] == Message(0, "system", summary, T0, metadata={"archiveName": "a-1"})
    assert (log.count(), log.total()) == (4, 10)
    with pytest.raises(Conflict, match="begins at message 8"):
        log.compact("of the same", 8)
    log.clear()
    with pytest.raises(Conflict, match="begins at message 11"):
        log.compact("of what is gone", 10)
    assert log.messages() == []


def test_state(log: SessionLog) -> None:
    """The state is ACTIVE until set, a change leaves a marker, no change and no wrong one leave any."""
    log.set_state("ACTIVE")
    assert not log.path.exists()
    log.set_state("PAUSED")
    log.set_state("PAUSED")
    with pytest.raises(InvalidInput, match="ASLEEP"):
        log.set_state("ASLEEP")
    assert log.metadata["state"] == "PAUSED"
    assert kinds(log) == ["metadata", "state"]


def test_metadata_can_be_added_changed_and_taken_away(tmp_path: Path) -> None:
    """A caller's metadata are kept with the session's own, which stay; what is no JSON is refused."""
    clock = FixedClock(T0)
    log = SessionLog(tmp_path, "cli:42", clock)
    for key in ("_type", "version", "key", "createdAt", "state"):
        with pytest.raises(InvalidInput, match=key):
            log.update_metadata({key: "x"})
    with pytest.raises(InvalidInput, match="JSON"):
        log.update_metadata({"x": {1, 2}})
    assert not log.path.exists()
    log.update_metadata({"title": "T", "color": "red"})
    clock.advance(days=1)
    log.append(user("a"))
    log.set_state("PAUSED")
    log.update_metadata({"title": "U", "color": None})
    log.clear()
    fresh = SessionLog(tmp_path, "cli:42", clock)
    assert fresh.metadata == {"version": 1, "key": "cli:42", "createdAt": T0, "state": "PAUSED", "title": "U"}
    fresh.metadata["title"] = "changed outside"
    assert fresh.metadata["title"] == "U"


def test_consolidated(log: SessionLog) -> None:
    """The journal's boundary moves forward, never back, and never beyond what was said."""
    log.extend([user("a"), user("b"), user("c")])
    log.mark_consolidated(2)
    log.mark_consolidated(1)
    assert log.consolidated == 2
    assert kinds(log).count("consolidated") == 1
    with pytest.raises(InvalidInput, match="messages 1 to 3"):
        log.mark_consolidated(4)


def test_read_from_goes_on_where_it_stopped(log: SessionLog) -> None:
    """An index that hands back its offset gets each message once, whoever wrote it."""
    log.extend([user("a"), user("b")])
    first, offset = log.read_from(0)
    assert texts(first) == ["a", "b"]
    assert offset == log.path.stat().st_size
    assert log.read_from(offset) == ([], offset)
    other = reopened(log)
    other.clear()
    other.append(user("c"))
    second, end = log.read_from(offset)
    assert [(m.seq, m.content) for m in second] == [(3, "c")]
    assert reopened(log).read_from(end) == ([], end)


def test_a_write_waits_no_longer_than_it_said(tmp_path: Path) -> None:
    """While somebody else writes, reading works; a write, and what feeds an index, end in StoreBusy."""
    log = open_log(tmp_path, lock_timeout=0.05)
    log.append(user("a"))
    with lock(log.path):
        for act in (lambda: log.append(user("b")), lambda: log.read_from(0)):
            with pytest.raises(StoreBusy):
                act()
        assert texts(log.history()) == ["a"]
    log.append(user("c"))
    assert texts(log.history()) == ["a", "c"]


def test_what_is_returned_can_be_changed_without_harm(log: SessionLog) -> None:
    """Lists, metadata and tool arguments that a caller changes are the caller's own."""
    log.append(user("a", metadata={"k": [1]}, tool_calls=[{"name": "t", "arguments": {"p": [1]}}]))
    got = log.history()
    assert got[0].metadata is not None
    got[0].metadata["k"].append(2)
    got[0].tool_calls[0].arguments["p"].append(2)
    got.clear()
    assert log.history()[0].metadata == {"k": [1]}
    assert log.history()[0].tool_calls[0].arguments == {"p": [1]}


def test_a_later_version_is_left_alone(log: SessionLog) -> None:
    """A file of a version that we cannot know is neither read nor written; a folder is no log either."""
    log.append(user("a"))
    log.path.write_text(log.path.read_text().replace('"version":1', '"version":2'))
    before = log.path.read_bytes()
    with pytest.raises(StoreTooNew, match="version 2"):
        log.history()
    with pytest.raises(StoreTooNew):
        log.append(user("b"))
    assert log.path.read_bytes() == before
    log.path.unlink()
    log.path.mkdir()
    with pytest.raises(StoreError, match="cli%3a42"):
        log.append(user("a"))


def test_a_file_edited_by_hand(log: SessionLog) -> None:
    """Removed, added and changed lines show at the next read; an unfinished one counts after an append."""
    log.extend([user("one"), user("two"), user("three")])
    assert log.total() == 3
    kept = [line for line in log.path.read_text().splitlines() if '"two"' not in line]
    kept.insert(1, '{"role":"Ann","content":"by hand"}')
    log.path.write_text("\n".join(kept) + "\n")
    assert [(m.seq, m.content) for m in log.history()] == [(1, "by hand"), (2, "one"), (3, "three")]
    assert log.append(user("four")).seq == 4
    assert [p.line for p in log.problems()] == [3]
    with log.path.open("a", encoding="utf-8") as file:
        file.write('{"seq":5,"role":"user","content":"b","externalId":"e"}')
    assert log.total() == 4
    assert [(p.line, p.reason[:10]) for p in log.problems()][1:] == [(6, "unfinished")]
    assert log.append(user("b", external_id="e")).seq == 5
    assert log.append(user("c")).seq == 6
    assert texts(log.history())[3:] == ["four", "b", "c"]
    assert [p.line for p in log.problems()] == [3]


@pytest.mark.parametrize("words", ["other", "a longer text"])
def test_a_file_that_is_edited_replaced_or_removed(log: SessionLog, tmp_path: Path, words: str) -> None:
    """An edit of any length and another file are read anew; no file is an empty log that begins again."""
    log.extend([user("first"), user("x" * 1000)])
    assert texts(log.history())[0] == "first"
    log.path.write_bytes(log.path.read_bytes().replace(b"first", words.encode()))
    os.utime(log.path, (0, 0))  # the clock of a file may be too coarse to tell the two writes apart
    assert texts(log.history()) == [words, "x" * 1000]
    other = open_log(tmp_path / "elsewhere")
    other.extend([user("x"), user("y")])
    other.path.replace(log.path)
    assert texts(log.history()) == ["x", "y"]
    log.path.unlink()
    assert log.history() == []
    assert log.append(user("anew")).seq == 1


def test_a_file_without_metadata(log: SessionLog) -> None:
    """The first append gives a file of messages alone its metadata, once."""
    log.path.parent.mkdir()
    log.path.write_text('{"role":"user","content":"a"}\n')
    assert log.append(user("b")).seq == 2
    assert log.metadata["createdAt"] == T0
    assert texts(log.history()) == ["a", "b"]
    assert kinds(log).count("metadata") == 1


def test_ids_that_look_alike_are_different_sessions(tmp_path: Path) -> None:
    """Ids that other systems write to one file have their own here, and none leaves the folder."""
    ids = ["a:b", "a_b", "A:b", "../a"]
    for session_id in ids:
        open_log(tmp_path / "sessions", session_id).append(user(session_id))
    logs = [open_log(tmp_path / "sessions", session_id) for session_id in ids]
    assert [texts(log.history()) for log in logs] == [[session_id] for session_id in ids]
    assert len(list((tmp_path / "sessions").glob("*.jsonl"))) == len(ids)
    with pytest.raises(InvalidInput, match="session id"):
        open_log(tmp_path, "")


def test_threads_share_one_log(log: SessionLog) -> None:
    """Threads that append and read through one object lose and repeat nothing."""

    def write(name: str) -> int:
        for n in range(10):
            log.extend([user(f"{name}{n}a"), user(f"{name}{n}b")])
        return len(log.history())

    with ThreadPoolExecutor(3) as threads:
        assert max(threads.map(write, "xyz")) == 60
    said = texts(log.history())
    assert [m.seq for m in log.history()] == list(range(1, 61))
    for name in "xyz":
        assert [t for t in said if t[0] == name] == [f"{name}{n}{c}" for n in range(10) for c in "ab"]
    assert said[::2] == [text[:-1] + "a" for text in said[1::2]]


def as_documented(folder: Path) -> SessionLog:
    """Write the session that the description shows."""
    clock = FixedClock("2026-02-07T14:15:00Z")
    log = SessionLog(folder, "telegram:12345", clock)
    log.append(user("How long do tokens live?\nAnd where is it set?"))
    clock.advance(seconds=2.5)
    call = {"id": "call_1", "name": "read_file", "arguments": {"path": "auth/tokens.py"}}
    found = {"content": "TTL = 24 * 3600", "tool_call_id": "call_1", "tool_name": "read_file"}
    answer = {"content": "24 hours; auth/tokens.py sets it.", "external_id": "msg-7"}
    dinner = {"content": "Dinner was great 🍜", "time": "1:56 pm on 8 May, 2023", "external_id": "D1:3"}
    log.extend(
        [
            {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
            {"role": "tool", **found},
            {"role": "assistant", **answer, "metadata": {"model": "small"}},
            {"role": "Melanie", **dinner},
        ]
    )
    clock.advance(seconds=60)
    summary = "The user asked how long tokens live: 24 hours, set in auth/tokens.py."
    log.compact(summary, 5, archive_name="archive-telegram-12345-1")
    log.mark_consolidated(4)
    log.set_state("PAUSED")
    log.update_metadata({"title": "Tokens"})
    clock.advance(seconds=60)
    log.clear()
    return log


def test_the_documentation_shows_the_real_file(tmp_path: Path) -> None:
    """The file in docs/session-log.md is what we write; its reader sees what we see after each line."""
    text = DOCUMENT.read_text(encoding="utf-8")
    [example] = re.findall(r"```jsonl\n(.*?)```", text, re.DOTALL)
    reader = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    written = as_documented(tmp_path).path.read_bytes()
    assert written.decode() == example
    names: dict[str, Any] = {}
    exec(reader, names)
    whole = written.splitlines(keepends=True)
    whole[5:5] = [b"rubbish\n", b"\n", b'{"role":"Ann","content":"by hand"}\n', b'{"_type":"later"}\n']
    for count in range(1, len(whole) + 1):
        log = open_log(tmp_path / str(count), "telegram:12345")
        log.path.parent.mkdir()
        log.path.write_bytes(b"".join(whole[:count]))
        metadata, history, context, problems = names["read_log"](whole[:count])
        metadata.pop("_type")
        assert metadata == log.metadata
        assert [(m["seq"], m["content"]) for m in history] == [(m.seq, m.content) for m in log.history()]
        assert [m["content"] for m in context] == texts(log.messages())
        assert len(problems) == len([p for p in log.problems() if "does not follow" not in p.reason])
