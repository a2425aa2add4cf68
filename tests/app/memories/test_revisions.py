"""The log of changes of memories: who changed what, and that it adds up to the rows."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import NotFound, RemoraError
from remora.store.memories import COLUMNS
from remora.store.revisions import UNLOGGED
from tests.helpers import environment
from tests.store.makers import there

LOGGED = [name for name in COLUMNS if name not in UNLOGGED]
WORDS = "alpha beta gamma delta cache queue token port relay parser never always 5432 8080 redis".split()


@pytest.fixture
def memory(folder: Path, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """The memory of an empty project that a person opened."""
    with Memory.open(folder, environ=environment(tmp_path), clock=clock, actor="person") as opened:
        yield opened


def rows(memory: Memory) -> dict[str, dict[str, object]]:
    """Return the logged columns of every memory, as the table has them, without the empty ones."""
    connection = memory._project.db.connection
    found = connection.rows(f"SELECT {', '.join(LOGGED)} FROM memories")
    named = [dict(zip(LOGGED, row, strict=True)) for row in found]
    return {str(row["id"]): {n: v for n, v in row.items() if v is not None} for row in named}


def replayed(memory: Memory) -> dict[str, dict[str, object]]:
    """Return what the revisions of every memory add up to, without those that were erased."""
    revisions = memory._project.db.revisions
    ids = memory._project.db.connection.rows("SELECT DISTINCT memory_id FROM memory_revisions")
    found = {i: revisions.replayed(i) for (i,) in ids}
    return {i: {n: v for n, v in fields.items() if v is not None} for i, fields in found.items() if fields}


def sentence(dice: random.Random) -> str:
    """Return a statement of made-up words."""
    return f"The {' '.join(dice.sample(WORDS, 4))} is set to {dice.randrange(9)} here"


def verbs(memory: Memory, clock: FixedClock, dice: random.Random) -> list[Callable[[], object]]:
    """Return what can be done next, with arguments drawn by chance."""

    def pruned() -> None:
        clock.advance(days=dice.randrange(40))
        memory.prune()

    known = [m.id for m in memory.list(include_forgotten=True)]
    one = dice.choice(known) if known else "none"
    return [
        lambda: memory.remember(sentence(dice), source=dice.choice(["user_taught", "agent_explicit"])),
        lambda: memory.remember(f"{sentence(dice)}", derived_from=(one,), type="gotcha"),
        lambda: memory.edit(one, content=sentence(dice)),
        lambda: memory.edit(one, tags=[dice.choice(WORDS)], confidence=dice.random()),
        lambda: memory.supersede(one, sentence(dice)),
        lambda: memory.forget(one),
        lambda: memory.restore(one),
        lambda: memory.restore(one, revision="1"),
        lambda: memory.pin(one, pinned=dice.random() < 0.5),
        lambda: memory.verify(one),
        lambda: memory.search(dice.choice(WORDS)),
        pruned,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_revisions_add_up_to_the_rows(memory: Memory, clock: FixedClock, seed: int) -> None:
    """After any 150 verbs, byte for byte; what a verb refuses is in neither."""
    dice = random.Random(seed)
    for _ in range(150):
        clock.advance(seconds=dice.randrange(90))
        try:
            dice.choice(verbs(memory, clock, dice))()
        except RemoraError:
            continue
    assert rows(memory)
    assert replayed(memory) == rows(memory)
    numbers = memory._project.db.connection.rows("SELECT n FROM memory_revisions ORDER BY hlc")
    assert [n for (n,) in numbers] == list(range(1, len(numbers) + 1))


def test_history_tells_each_change_with_author_and_reason(memory: Memory, clock: FixedClock) -> None:
    """Made, edited, superseded, restored, faded: five lines in order, each by whoever did it."""
    one = memory.remember("The relay listens on port 7070", type="gotcha")
    memory.edit(one.id, content="The relay listens on port 7071")
    new = memory.supersede(one.id, "The relay listens on a socket file")
    memory.restore(one.id)
    clock.advance(days=400)
    memory.prune()
    found = memory.history(one.id)
    assert [r.op for r in found] == ["create", "edit", "supersede", "restore", "retire"]
    assert [r.author.partition(":")[0] for r in found] == ["person"] * 4 + ["system"]
    assert found[4].author == "system:prune"
    assert found[2].why == f"by {new.id[:8]}"
    assert [len(r.parents) for r in found] == [0, 1, 1, 1, 1]
    assert [r.parents for r in found[1:]] == [(r.rev,) for r in found[:-1]]


def test_an_edit_to_the_same_value_is_no_change(memory: Memory, clock: FixedClock) -> None:
    """Neither a revision nor another time of the last change; a clock that goes back turns no order."""
    one = memory.remember("The relay listens on port 7070", tags=["relay"])
    memory.edit(one.id, content="The relay listens on port 7070", tags=["relay"])
    assert len(memory.history(one.id)) == 1
    assert memory.show(one.id) == one._replace(receipt=None)
    clock.advance(days=-100)
    for port in (7071, 7072):
        memory.edit(one.id, content=f"The relay listens on port {port}")
    assert [r.op for r in memory.history(one.id)] == ["create", "edit", "edit"]
    assert memory._project.db.revisions.replayed(one.id)["content"].endswith("7072")


def test_an_earlier_text_comes_back(memory: Memory) -> None:
    """By the number or the id of the revision, with its files, which the log says; another is refused."""
    one = memory.remember("The relay listens on port 7070", related_files=["relay.py"])
    memory.edit(one.id, content="The relay is gone", related_files=[])
    first = memory.history(one.id)[0]
    back = memory.restore(one.id, revision="1")
    assert (back.content, back.related_files) == (one.content, ("relay.py",))
    assert memory.search("relay port")[0].id == one.id
    assert memory.history(one.id)[-1].op == "restore"
    memory.edit(one.id, content="Nothing is left of it")
    assert memory.restore(one.id, revision=first.rev[:30]).content == one.content
    for named in ("9", "zz", "", "0"):
        with pytest.raises(NotFound):
            memory.restore(one.id, revision=named)


def test_a_deleted_memory_leaves_no_text_in_its_history(memory: Memory, clock: FixedClock) -> None:
    """What was done and when stays; the words do not."""
    one = memory.remember("The zanzibar relay listens on port 7070")
    memory.forget(one.id)
    clock.advance(days=40)
    memory.prune()
    found = memory.history(one.id)
    assert [r.op for r in found] == ["create", "retire", "erase"]
    assert not any(r.fields for r in found)
    home = memory.home
    memory.close()
    assert not [path for path in home.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]


KILLED = """
import os, signal, sys, threading
from remora.app.memory import Memory
environ = {"REMORA_HOME": sys.argv[2], "REMORA_EMBEDDING_PROVIDER": "none"}
with Memory.open(sys.argv[1], environ=environ) as memory:
    one = memory.remember("The relay listens on port 1")
    print(one.id, flush=True)
    for number in range(100_000):
        memory.edit(one.id, content=f"The relay listens on port {number}")
"""


@pytest.mark.slow
def test_a_kill_between_writes_leaves_row_and_log_agreed(tmp_path: Path) -> None:
    """Whatever the process was at, the log adds up to the row."""
    (tmp_path / "project").mkdir()
    command = [sys.executable, "-c", KILLED, str(tmp_path / "project"), str(tmp_path / "data")]
    for wait in (0.02, 0.1, 0.25):
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        there(process.stdout).readline()
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        with Memory.open(tmp_path / "project", environ=environment(tmp_path)) as memory:
            assert replayed(memory) == rows(memory)
