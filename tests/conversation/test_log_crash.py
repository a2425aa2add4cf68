"""Whatever happens to a process or a disk while it writes, what was acknowledged is in the log."""

from __future__ import annotations

import random
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversation.logs import T0, open_log, start, texts, user
from tests.processes import output_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and limits")


def test_a_cut_at_every_byte(tmp_path: Path) -> None:
    """A file cut anywhere in its last two lines loses only what was cut, and the next append stands alone."""
    log = open_log(tmp_path)
    log.extend([user(name, external_id=name) for name in "abc"])
    before = log.path.stat().st_size
    log.extend([user("d\n", external_id="d"), user("é", external_id="e")])
    whole = log.path.read_bytes()
    fourth = whole.index(b"\n", before) + 1  # the first byte of the last line
    for cut in range(before, len(whole) + 1):
        log.path.write_bytes(whole[:cut])
        fresh = open_log(tmp_path)
        if cut == before:
            assert fresh.problems() == []
        appended = fresh.append(user("new"))
        # A line that lacks nothing but its line end is a message: it is completed, not thrown away.
        survived = ["a", "b", "c"] + ["d\n"] * (cut >= fourth - 1) + ["é"] * (cut >= len(whole) - 1)
        assert texts(fresh.history()) == [*survived, "new"]
        assert appended.seq == len(survived) + 1
        reread = open_log(tmp_path)
        assert reread.history() == fresh.history()
        is_torn = cut not in (before, fourth - 1, fourth, len(whole) - 1, len(whole))
        assert len(reread.problems()) == is_torn


def test_a_cut_in_the_first_line(tmp_path: Path) -> None:
    """A file that a crash left at any byte of its very first write still becomes a log."""
    log = open_log(tmp_path)
    log.append(user("a"))
    whole = log.path.read_bytes()
    for cut in (*range(0, len(whole) - 3, 4), len(whole) - 2, len(whole) - 1):
        log.path.write_bytes(whole[:cut])
        fresh = open_log(tmp_path)
        fresh.append(user("b"))
        survived = ["a"] if cut == len(whole) - 1 else []
        assert texts(open_log(tmp_path).history()) == [*survived, "b"]
        assert (fresh.metadata["key"], fresh.metadata["createdAt"]) == ("cli:42", T0)


def test_a_batch_cut_off_by_a_crash_can_be_given_again(tmp_path: Path) -> None:
    """With external ids a repeated batch adds only what is missing."""
    log = open_log(tmp_path)
    batch = [user(str(n), external_id=str(n)) for n in range(1, 7)]
    log.extend(batch)
    whole = log.path.read_bytes()
    for cut in range(0, len(whole), 11):
        log.path.write_bytes(whole[:cut])
        fresh = open_log(tmp_path)
        fresh.extend(batch)
        assert [(m.seq, m.content) for m in fresh.history()] == [(n, str(n)) for n in range(1, 7)]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("append"), st.integers(1, 3)),
            st.tuples(st.just("tear"), st.binary(min_size=1, max_size=12).filter(lambda b: b"\n" not in b)),
            st.tuples(st.sampled_from(["reopen", "clear"]), st.none()),
            st.tuples(st.just("compact"), st.integers(0, 4)),
        ),
        max_size=14,
    )
)
def test_any_order_of_events_keeps_what_was_acknowledged(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, Any]]
) -> None:
    """Appends, torn lines, new objects, clears and compactions in any order: the log equals a model."""
    folder = tmp_path_factory.mktemp("log")
    log, said, begins, summary = open_log(folder), list[str](), 0, list[str]()
    for number, (kind, value) in enumerate(events):
        if kind == "append":
            batch = [f"{number}.{part}" for part in range(value)]
            log.extend([user(text) for text in batch])
            said += batch
        elif kind == "tear":
            with log.path.open("ab") as file:
                file.write(b"{" + value)
        elif kind == "reopen":
            log = open_log(folder)
        elif kind == "clear":
            log.clear()
            begins, summary = len(said), []
        elif len(said) - begins > value:
            log.compact(f"until {number}", len(said) - value + 1)
            begins, summary = len(said) - value, [f"[Conversation summary]\nuntil {number}"]
        assert texts(log.history()) == said
        assert texts(log.messages()) == summary + said[begins:]
        assert log.count() == len(summary) + len(said) - begins
    assert texts(open_log(folder).history()) == said


@pytest.mark.slow
@posix
def test_killed_writers_lose_nothing_they_acknowledged(tmp_path: Path) -> None:
    """Eight writers, each killed at a random moment: every acknowledged message is there, once, in order."""
    rng = random.Random(7)
    acknowledged: list[int] = []
    script = """
        while True:
            batch = [user(f"{n + i} " + "x" * 40_000, external_id=str(n + i)) for i in range(2)]
            for message in log.extend(batch):
                sys.stdout.write(message.external_id + "\\n")
            sys.stdout.flush()
            n += 2
        """
    for turn in range(8):
        process = start(f"n = {turn} * 100_000\n" + textwrap.dedent(script), tmp_path)
        assert process.stdout is not None
        for _ in range(rng.randint(1, 6)):
            process.stdout.readline()
        process.kill()
        seen, _ = process.communicate()
        acknowledged += [int(word) for word in seen.split("\n")[:-1]]
        history = open_log(tmp_path).history()
        kept = [int(message.external_id or -1) for message in history]
        assert set(acknowledged) <= set(kept)
        assert kept == sorted(set(kept))
        assert [message.seq for message in history] == sorted({message.seq for message in history})
        assert all(len(message.content) > 40_000 for message in history)
    log = open_log(tmp_path)
    log.append(user("after all"))
    assert log.history()[-1].content == "after all"


def test_writers_in_several_processes(tmp_path: Path) -> None:
    """Four processes with 25 appends each: messages 1 to 100, those of each process in its order."""
    script = """
        seqs = [log.append(user(f"{name}{n}", external_id=f"{name}{n}")).seq for n in range(25)]
        assert seqs == sorted(seqs)
        print(*seqs)
        """
    writers = [start(f"name = {name!r}\n" + textwrap.dedent(script), tmp_path) for name in "abcd"]
    watcher = open_log(tmp_path)
    indexed, offset = watcher.read_from(0)
    while any(writer.poll() is None for writer in writers):
        piece, offset = watcher.read_from(offset)
        indexed += piece
    acknowledged = [int(word) for writer in writers for word in output_of(writer).split()]
    indexed += watcher.read_from(offset)[0]
    history = open_log(tmp_path).history()
    assert indexed == history
    assert [message.seq for message in history] == sorted(acknowledged) == list(range(1, 101))
    for name in "abcd":
        assert [text for text in texts(history) if text[0] == name] == [f"{name}{n}" for n in range(25)]
    assert watcher.problems() == []


@posix
def test_a_full_disk(tmp_path: Path) -> None:
    """A batch that no longer fits is refused as a whole; the log goes on when there is room."""
    open_log(tmp_path).append(user("a"))
    script = """
        import resource
        from remora.core.errors import StoreFull
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        log.append(user("b"))
        try:
            log.extend([user("c"), user("x" * 10_000)])
        except StoreFull as error:
            print(error.retryable, log.total(), len(log.problems()))
        log.append(user("d"))
        """
    assert output_of(start(script, tmp_path)) == "True 2 0"
    assert [(m.seq, m.content) for m in open_log(tmp_path).history()] == [(1, "a"), (2, "b"), (3, "d")]


@posix
def test_a_read_only_folder(tmp_path: Path) -> None:
    """Who may not write gets StoreReadOnly for a write, and every answer that only needs reading."""
    log, secret = open_log(tmp_path), open_log(tmp_path, "secret")
    log.extend([user("a"), user("b")])
    secret.append(user("x"))
    script = """
        from remora.conversation.sessions import list_sessions
        from remora.core.errors import StoreError, StoreReadOnly
        log.history()
        os.chdir(folder)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        log = SessionLog(Path(), "cli:42", SystemClock())
        for act in (lambda: log.append(user("c")), log.clear, lambda: log.set_state("PAUSED")):
            try:
                act()
            except StoreReadOnly:
                print("refused")
        print(len(log.history()), log.count(), len(log.read_from(0)[0]), log.problems())
        try:
            SessionLog(Path(), "secret", SystemClock()).history()
        except StoreError as error:
            print(type(error).__name__, bool(error.hint))
        print(*sorted((info.id, info.problem[:11]) for info in list_sessions(Path())))
        """
    secret.path.chmod(0)
    log.path.chmod(0o444)
    log.path.with_name(log.path.name + ".lock").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        out = output_of(start(script, tmp_path))
    finally:
        tmp_path.chmod(0o755)
    listed = "('cli:42', '') ('secret', 'cannot read')"
    assert out.splitlines() == [*["refused"] * 3, "2 2 2 []", "StoreError True", listed]
    assert texts(open_log(tmp_path).history()) == ["a", "b"]
