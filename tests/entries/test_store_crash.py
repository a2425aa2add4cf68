"""Whatever happens to a process or a disk while it writes, the file holds the entries before or after."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

from remora.disk.leftovers import TEMP_PREFIX
from remora.entries.table import Add
from tests.entries.writes import open_store
from tests.processes import output_of, started

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and limits")
HEAD = """
import json
import sys
import time
from pathlib import Path
from remora.core.clock import SystemClock
from remora.core.errors import *
from remora.entries.store import EntryStore

store = EntryStore(Path({path!r}), SystemClock())
"""
# Step n of a history that anybody can repeat: add, rename, write, and every fourth time remove.
HISTORY = """
for n in range(10_000):
    if n % 4 == 0:
        store.add(f"n{n}", f"word{n} probe")
    elif n % 4 == 1:
        store.rename(f"n{n - 1}", f"m{n - 1}")
    elif n % 4 == 2:
        store.write(f"n{n - 2}", f"changed{n} probe")
    elif n % 8 == 3:
        store.remove(f"m{n - 3}")
    sys.stdout.write(f"{n}\\n")
    sys.stdout.flush()
"""


def start(script: str, path: Path) -> subprocess.Popen[str]:
    """Start a Python process on a script that knows `store`."""
    return started(HEAD.format(path=str(path)) + textwrap.dedent(script))


def expected_after(steps: int) -> dict[str, str]:
    """Return name to content after the first steps of the history."""
    found: dict[str, str] = {}
    for n in range(steps):
        if n % 4 == 0:
            found[f"n{n}"] = f"word{n} probe"
        elif n % 4 == 1:
            found[f"m{n - 1}"] = found.pop(f"n{n - 1}")
        elif n % 4 == 2:
            found[f"m{n - 2}"] = f"changed{n} probe"
        elif n % 8 == 3:
            del found[f"m{n - 3}"]
    return found


@pytest.mark.slow
def test_a_killed_process_leaves_the_entries_before_or_after(tmp_path: Path) -> None:
    """Processes are killed at random moments: what they acknowledged is there, with at most one step more."""
    draw = random.Random(7)
    steps = 0
    for attempt in range(4):
        path = tmp_path / str(attempt) / "e.mem"
        filler = [Add(f"filler {n}", f"text{n} " * 150) for n in range(600)]
        open_store(path).add_all(filler)
        with start(HISTORY, path) as child:
            assert child.stdout is not None
            child.stdout.readline()
            try:
                child.wait(draw.uniform(0.0, 0.15))
            except subprocess.TimeoutExpired:
                child.kill()
            # A line that was cut off in the middle was no acknowledgement.
            acknowledged = 1 + sum(line.endswith("\n") for line in child.stdout)
        store = open_store(path)
        contents = {e.name: e.content for e in store.entries() if not e.name.startswith("filler")}
        assert contents in (expected_after(acknowledged), expected_after(acknowledged + 1))
        assert store.count() == len(contents) + len(filler)
        assert len(store.search("probe", 10_000)) == len(contents)
        store.add("after", "the kill")
        steps += acknowledged
    assert steps > 4


@posix
def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """Whether a write fails at its first or at its last byte, memory and file stay as they were."""
    path = tmp_path / "e.mem"
    open_store(path).add_all(Add(f"n{n}", f"word{n} " * 100) for n in range(100))
    before, size = path.read_bytes(), path.stat().st_size
    for limit in (0, 1, size // 2, size):
        change = start(
            f"""
            import resource, signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            known = store.entries()
            resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
            failed = 0
            for change in (
                lambda: store.add("new", "more"), lambda: store.rename("n1", "other"),
                lambda: store.write("n2", "word2 " * 200), lambda: store.alias("n3", "bound"),
                lambda: store.archive("s", "x"),
            ):
                try:
                    change()
                except StoreFull:
                    failed += 1
            assert store.entries() == known and store.get("new") is None and store.get("other") is None
            assert not store.search("more")
            print(failed)
            """,
            path,
        )
        assert output_of(change) == "5"
        assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(TEMP_PREFIX)] == []
    assert open_store(path).add("new", "more").id == 101


WORKER = """
me = {me!r}
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
kept, removed, archives, errors, refused = [], [], [], [], 0
end, n = time.monotonic() + 0.6, 0
while time.monotonic() < end:
    try:
        name = f"{{me}}-{{n}}"
        store.add(name, f"probe word{{n}}", aliases=(f"alias-{{name}}",))
        kept.append(name)
        archives.append(store.archive("shared", f"summary of {{name}}").name)
        if n % 3 == 0:
            store.rename(name, f"renamed-{{name}}")
        if n % 3 == 1:
            store.remove(f"alias-{{name}}")
            removed.append(kept.pop())
        try:
            store.add(f"contested {{n}}", me)
        except Conflict:
            refused += 1
    except RemoraError as error:
        errors.append(repr(error))
    n += 1
print(json.dumps([kept, removed, archives, errors, n, refused]))
"""


@pytest.mark.slow
def test_four_processes_lose_nothing_and_make_nothing_twice(tmp_path: Path) -> None:
    """Four processes add, rename, archive and remove at once: every step counts, once, and none fails."""
    path = tmp_path / "e.mem"
    children = [start(WORKER.format(me=f"p{number}"), path) for number in range(4)]
    for child in children:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=60) for child in children]
    reports = [json.loads(out) for out, err in said if not err]
    assert len(reports) == 4, said
    store = open_store(path)
    entries = store.entries()
    assert [report[3] for report in reports] == [[], [], [], []]
    names = Counter(name for e in entries for name in (e.name, *e.aliases))
    assert max(names.values()) == 1
    for kept, removed, *_ in reports:
        assert all(store.get(name) and store.get(f"alias-{name}") for name in kept)
        assert not any(store.get(name) for name in removed)
    archives = [name for report in reports for name in report[2]]
    assert sorted(archives) == sorted(e.name for e in entries if e.kind == "archive")
    assert sorted(archives) == sorted(f"shared-{n + 1}" for n in range(len(archives)))
    # Each contested name went to exactly one of those who wanted it.
    wanted = max(report[4] for report in reports)
    assert sum(report[4] - report[5] for report in reports) == wanted
    assert {e.name for e in entries if e.name.startswith("contested")} == {
        f"contested {n}" for n in range(wanted)
    }
    assert len(entries) == sum(len(report[0]) for report in reports) + len(archives) + wanted
    assert len({e.id for e in entries}) == len(entries)
    assert len(store.search("probe", 10_000)) == sum(len(report[0]) for report in reports)
