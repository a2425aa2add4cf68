"""What the tests of the flows share: conversations, a look at what lies on disk, processes that can die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import remora
from remora import Memory
from remora.app.records.session import Session
from remora.core.clock import FixedClock
from remora.journal.history import entries
from remora.llm.scripted import ScriptedModel
from tests.helpers import NOW, environment

HEAD = """
import json, os, random, sys
from pathlib import Path
from remora import Memory
from tests.helpers import environment

root = Path({root!r})
memory = Memory.open(root / "shop", environ=environment(root, **{settings!r}))

def say(*words):
    print(json.dumps(words), flush=True)
"""


def talk(count: int, first: int = 1, text: str = "message") -> list[dict[str, Any]]:
    """Return messages of a user and an assistant in turn, numbered from `first` on."""
    return [
        {"role": "user" if n % 2 else "assistant", "content": f"{text} {n}"}
        for n in range(first, first + count)
    ]


def memory_of(root: Path, *replies: Any, **settings: str) -> tuple[Memory, ScriptedModel]:
    """Return the memory of `root / "shop"` with a model that gives these replies."""
    (root / "shop").mkdir(exist_ok=True)
    model = ScriptedModel(replies)
    environ = environment(root, **settings)
    return Memory.open(root / "shop", environ=environ, llm=model, clock=FixedClock(NOW)), model


@contextmanager
def held(memory: Memory) -> Iterator[None]:
    """Hold the database of a memory in a block, as another writer would."""
    import apsw

    holder = apsw.Connection(str(memory.home / "memory.db"))
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def at_once(*works: Callable[[], object]) -> None:
    """Run functions at the same time, each in a thread of its own; raise an error of any of them."""
    with ThreadPoolExecutor(len(works)) as pool:
        for started in [pool.submit(work) for work in works]:
            started.result(60)


def contents(session: Session) -> list[str]:
    """Return the texts of the working context."""
    return [message.content for message in session.messages()]


def markers(session: Session, kind: str = "compact") -> list[dict[str, Any]]:
    """Return the markers of a kind as the log's lines have them."""
    path = session._log.path
    lines = (
        [json.loads(line) for line in path.read_text("utf-8").splitlines() if line] if path.exists() else []
    )
    return [line for line in lines if line.get("_type") == kind]


def archives(memory: Memory) -> list[str]:
    """Return the names of the archives."""
    return [entry.name for entry in memory.entries.list("archive")]


def history(memory: Memory) -> list[str]:
    """Return the texts of all history entries, oldest first."""
    return [entry.text for entry in memory.journal.history(1_000_000)][::-1]


def in_each_history_file(memory: Memory) -> dict[str, Counter[str]]:
    """Return how often each entry stands in each history file."""
    from remora.core.history_entries import parse
    from remora.journal.history import history_files

    found = {}
    for path in history_files(memory.journal.folder):
        with path.open("rb") as file:
            found[path.name] = Counter(entry.text for entry in parse(file, path.name))
    assert sorted({e.text for e in entries(memory.journal.folder)}) == sorted(
        {t for c in found.values() for t in c}
    )
    return found


def start(script: str, root: Path, **settings: str) -> subprocess.Popen[str]:
    """Start a process on a script that knows `memory`, that of `root / "shop"`, and `say`."""
    code = HEAD.format(root=str(root), settings=settings) + textwrap.dedent(script)
    path = str(Path(remora.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )


def ended(process: subprocess.Popen[str]) -> list[list[Any]]:
    """Wait for a process to end well and return what it said."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()]


def opened(root: Path, **settings: str) -> Memory:
    """Open the memory that the processes share."""
    return Memory.open(root / "shop", environ=environment(root, **settings))
