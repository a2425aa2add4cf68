"""Whatever dies while processes talk, shorten and consolidate: what was acknowledged is there, once."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from remora import Memory
from remora.app.records.session import Session
from tests.app.talks import (
    archives,
    contents,
    ended,
    history,
    in_each_history_file,
    markers,
    opened,
    start,
    talk,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
WINDOW = {"REMORA_JOURNAL_MEMORY_WINDOW": "12"}

# A model that answers with the ids of the messages it was told, so that each can be found in the history.
LIFE = """
import re
from remora.llm.client import Completion
from tests.journal.made import answer

class Witness:
    model_id = "witness"

    def complete(self, messages, *, schema=None, **how):
        told = re.findall("id[0-9]+x[0-9]+", messages[-1].content)
        return Completion(answer(" ".join(told), "- fine") if schema else "They said much. " * 20)

memory._project._given = (None, Witness(), None)
rng = random.Random({order})
session = memory.session("cli:42")

def append():
    global number
    batch = [f"id{turn}x{{number + n}}" for n in range(rng.randint(1, 3))]
    number += len(batch)
    session.extend([{{"role": "user", "content": one, "external_id": one}} for one in batch])
    return batch

def compact():
    done = session.compact(rng.randint(0, 4))
    return [done.archive] if done.removed else []

def quietly(act):
    return lambda: act() and []

number = 0
events = [append] * 5 + [compact] * 2 + [
    quietly(session.compact_if_needed),
    quietly(session.new),
    quietly(memory.journal.consolidate),
    quietly(lambda: memory.entries.add(f"note {{rng.random()}}", "A note.")),
    quietly(lambda: memory.search("said")),
]
while True:
    event = rng.choice(events)
    say(event.__name__, event() or [])
"""


def acknowledged(output: str, event: str) -> list[str]:
    """Return what a process said that it had done; a line that was cut off says nothing."""
    lines = [json.loads(line) for line in output.split("\n")[:-1]]
    return [one for name, done in lines if name == event for one in done]


def check_context(session: Session) -> None:
    """Hold the working context against the latest boundary: a summary and what it kept, or everything."""
    whole, boundary = session.history(), session._log.boundary
    kept = [m for m in whole if boundary is None or m.seq >= boundary.kept_from]
    summary = boundary.summary_message() if boundary is not None else None
    assert session.messages() == ([summary] if summary is not None else []) + kept


def check_archives(memory: Memory, session: Session) -> None:
    """Each marker has its archive, which says what the marker says."""
    for marker in markers(session):
        assert memory.entries.show(marker["archiveName"]).content == marker["summary"]


def check_history_files(memory: Memory) -> None:
    """Each entry stands once in a file, and in the file of all what the files of the months have together."""
    found = in_each_history_file(memory)
    assert all(set(counted.values()) == {1} for counted in found.values())
    whole = set(found.pop("HISTORY.md"))
    assert whole == {entry for counted in found.values() for entry in counted}


def told_of(memory: Memory, session: str) -> int:
    """Return how many messages of a session the history speaks of, where no model was asked."""
    numbers = re.findall(rf"(\d+) messages? in {session}\b", "\n".join(history(memory)))
    return sum(map(int, numbers))


# Of each life: the order of what it does, how much of that is done before it is killed, and how long after.
lives = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(1, 12), st.floats(0.0, 0.03)), min_size=3, max_size=6
)


@pytest.mark.slow
@posix
@settings(max_examples=2, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(lives)
def test_killed_at_any_moment(
    tmp_path_factory: pytest.TempPathFactory, lived: list[tuple[int, int, float]]
) -> None:
    """In whatever order it appends, compacts, begins anew: a SIGKILL loses nothing that was told."""
    tmp_path = tmp_path_factory.mktemp("lives")
    (tmp_path / "shop").mkdir()
    said: list[str] = []
    archived: list[str] = []
    whole: list[str] = []
    for turn, (order, count, later) in enumerate(lived):
        process = start(LIFE.format(turn=turn, order=order), tmp_path, **WINDOW)
        assert process.stdout is not None
        # Counted by what was done, and only then by time: a busy machine does as much before it is killed.
        begun = "".join(process.stdout.readline() for _ in range(count))
        time.sleep(later)
        process.kill()
        rest, problems = process.communicate()
        assert process.returncode == -signal.SIGKILL, problems
        said += acknowledged(begun + rest, "append")
        archived += acknowledged(begun + rest, "compact")
        with opened(tmp_path, **WINDOW) as memory:
            session = memory.session("cli:42")
            whole = [m.external_id or "" for m in session.history()]
            assert len(set(whole)) == len(whole)
            places = [whole.index(one) for one in said]  # each is there
            assert places == sorted(places)
            assert [m.seq for m in session.history()] == list(range(1, len(whole) + 1))
            check_context(session)
            check_archives(memory, session)
            assert {m["archiveName"] for m in markers(session)} >= set(archived)
            if turn % 2 and whole:
                check_history(memory, session, whole)
    with opened(tmp_path, **WINDOW) as memory:
        memory.search("said")
        turns = memory._project.db.connection.rows("SELECT external_id FROM turns ORDER BY position")
        assert [one for (one,) in turns] == whole


def check_history(memory: Memory, session: Session, whole: list[str]) -> None:
    """After a consolidation each message is in the history once, whoever died while bringing it there."""
    memory.journal.consolidate()
    by_model = [entry for entry in history(memory) if entry.startswith("id")]
    told = Counter(re.findall(r"id\d+x\d+", " ".join(by_model)))
    assert set(told.values()) <= {1}
    # What this process brought in has no model: the entry says how many messages it is about.
    assert len(told) + told_of(memory, "cli:42") == len(whole)
    assert markers(session, "consolidated")[-1]["upTo"] == len(whole)
    assert len(in_each_history_file(memory)) >= 2
    check_history_files(memory)
    assert not list((memory.journal.folder / ".pending").glob("*.json"))


@posix
@pytest.mark.parametrize(
    ("owner", "name", "shortened"),
    [
        ("remora.entries.store.EntryStore", "archive", False),
        ("remora.conversation.log.SessionLog", "compact", False),
        ("remora.app.records.compaction", "consolidate_session", True),
        ("remora.conversation.log.SessionLog", "mark_consolidated", True),
    ],
    ids=["archive", "marker", "journal", "mark"],
)
def test_killed_between_the_steps(
    tmp_path: Path, folder: Path, owner: str, name: str, *, shortened: bool
) -> None:
    """Before the marker everything is as it was; after it the journal is caught up with."""
    script = """
        import signal
        from importlib import import_module

        module, _, last = {owner!r}.rpartition(".")
        owner = import_module({owner!r}) if last.islower() else getattr(import_module(module), last)
        setattr(owner, {name!r}, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        memory.session("cli:42").compact(4)
        """
    with opened(tmp_path) as memory:
        said = memory.session("cli:42").extend(talk(30))
    process = start(script.format(owner=owner, name=name), tmp_path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    with opened(tmp_path) as memory:
        session = memory.session("cli:42")
        assert session.history() == said
        assert session.count() == (5 if shortened else 30)
        check_context(session)
        check_archives(memory, session)
        assert sum(one.messages for one in memory.journal.consolidate()) == (4 if name[0] == "m" else 30)
        assert told_of(memory, "cli:42") == 30
        assert session.compact(2).removed == (3 if shortened else 28)
        assert len(contents(session)) == 3
        check_archives(memory, session)
    assert folder.exists()


@pytest.mark.slow
def test_four_processes(tmp_path: Path, folder: Path) -> None:
    """What four processes say, note, shorten and consolidate at once is all there, once."""
    script = """
        import time
        rng, me, end = random.Random({me}), {me}, time.monotonic() + 1.2
        shared, own = memory.session("shared"), memory.session(f"own:{me}")
        said, notes, lines = {{"shared": [], f"own:{me}": []}}, [], 0
        while time.monotonic() < end:
            for session in (shared, own):
                batch = [f"{{me}}/{{len(said[session.id]) + n}}" for n in range(rng.randint(1, 3))]
                session.extend([{{"role": "user", "content": one, "external_id": one}} for one in batch])
                said[session.id] += batch
            event = rng.randrange(6)
            if event == 0:
                shared.compact(rng.randint(0, 5))
            elif event == 1:
                own.new()
            elif event == 2:
                memory.journal.consolidate()
            elif event == 3:
                notes.append(memory.entries.add(f"note {{me}} {{len(notes)}}", "Something.").name)
            elif event == 4:
                lines += bool(memory.journal.note("How?", f"{{me}} {{lines}}"))
            else:
                memory.search("something")
        say(said, notes, lines)
        """
    processes = [start(script.format(me=me), tmp_path) for me in range(4)]
    told = [ended(process)[0] for process in processes]
    with opened(tmp_path) as memory:
        memory.journal.consolidate()
        said: dict[str, list[str]] = {}
        for mine, _, _ in told:
            for name, batch in mine.items():
                said.setdefault(name, []).extend(batch)
        assert len(said) == 5
        for name, batch in said.items():
            session = memory.session(name)
            whole = session.history()
            assert sorted(m.content for m in whole) == sorted(batch)
            assert [m.seq for m in whole] == list(range(1, len(batch) + 1))
            check_context(session)
            check_archives(memory, session)
            assert session.problems() == []
            assert told_of(memory, name) == len(batch)
        for mine, _, _ in told:  # each process's messages are in its own order
            ours = [m.content for m in memory.session("shared").history() if m.content in set(mine["shared"])]
            assert ours == mine["shared"]
        assert archives(memory) == [m["archiveName"] for m in markers(memory.session("shared"))]
        names = sorted(name for _, notes, _ in told for name in notes)
        assert sorted(entry.name for entry in memory.entries.list("note")) == names
        noted = [line for day in memory.journal.days() for line in memory.journal.day(day).splitlines()]
        assert len(noted) == len(set(noted)) == sum(lines for _, _, lines in told)
        check_history_files(memory)
        memory.search("something")
        assert memory.stats().turns == sum(map(len, said.values()))
    assert folder.exists()
