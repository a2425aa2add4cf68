"""How long the entry store takes to change, search and open with 10,000 entries of 1 kB.

A change writes the whole file, so beside each one, in the same run and on the same disk, as many bytes are
written and flushed by nobody but the system. The promise for a change is 60 ms beyond one such flush.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import Check, Options, Report, Table, say, workplace
from benchmarks.metrics import percentile
from benchmarks.texts import Texts
from remora.core.clock import FixedClock
from remora.entries.store import EntryStore
from remora.entries.table import Add

SIZE = 10_000
ROUNDS = 160
_LENGTH = 1_000  # characters of an entry


class Measured(NamedTuple):
    """Seconds of everything that was measured, and what was found.

    `write` and `fsync` are the two halves of bare writes of as many bytes as the file has. `fresh` are
    searches that come right after a change. `found` counts searches whose own entry came up.
    """

    size: int
    file_bytes: int
    fill: float
    apply: tuple[float, ...]
    write: tuple[float, ...]
    fsync: tuple[float, ...]
    search: tuple[float, ...]
    fresh: tuple[float, ...]
    get: tuple[float, ...]
    open: tuple[float, ...]
    first_search: tuple[float, ...]
    searches: int
    found: int
    entries: int


def measure(size: int = SIZE, rounds: int = ROUNDS) -> Measured:
    """Fill a store and change it so many times, one change in four each of add, write, rename and remove."""
    texts, draw = Texts(seed=3), random.Random(5)
    contents = [_text(texts) for _ in range(size)]
    with workplace() as place:
        path = place / "entries.mem"
        store = EntryStore(path, FixedClock())
        new = [Add(f"note {n}", content) for n, content in enumerate(contents)]
        fill = _timed(partial(store.add_all, new))
        asked = [draw.randrange(size) for _ in range(5 * rounds)]
        search, found = [], 0
        for number in asked:
            query = _query(contents[number], draw)
            started = time.perf_counter()
            hits = store.search(query)
            search.append(time.perf_counter() - started)
            found += any(entry.name == f"note {number}" for entry, _ in hits)
        get = [_timed(partial(store.get, f"note {number}")) for number in asked]
        apply, write, fsync, fresh = [], [], [], []
        for turn in range(rounds):
            apply.append(_timed(_change(store, turn, _text(texts))))
            fresh.append(_timed(partial(store.search, _query(contents[turn], draw))))
            halves = _bare(place / "bare", path.stat().st_size)
            write.append(halves[0])
            fsync.append(halves[1])
        opened, first = [], []
        for turn in range(max(3, rounds // 8)):
            other = EntryStore(path, FixedClock())
            opened.append(_timed(partial(other.get, "note 0")))
            first.append(_timed(partial(other.search, _query(contents[turn], draw))))
        return Measured(
            size,
            path.stat().st_size,
            fill,
            tuple(apply),
            tuple(write),
            tuple(fsync),
            tuple(search),
            tuple(fresh),
            tuple(get),
            tuple(opened),
            tuple(first),
            len(asked),
            found,
            EntryStore(path, FixedClock()).count(),
        )


def _text(texts: Texts) -> str:
    parts: list[str] = []
    length = 0
    while length < _LENGTH:
        parts.append(texts.sentence())
        length += len(parts[-1]) + 1
    return " ".join(parts)[:_LENGTH]


def _query(content: str, draw: random.Random) -> str:
    """Return three to six words of an entry."""
    return " ".join(draw.sample(content.split(), draw.randint(3, 6)))


def _timed(what: Callable[[], object]) -> float:
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


def _change(store: EntryStore, turn: int, text: str) -> Callable[[], object]:
    """Return the change of a turn: four turns add an entry, change it, rename it and remove another one."""
    name, old = f"new {turn // 4}", f"note {turn}"
    changes: tuple[Callable[[], object], ...] = (
        lambda: store.add(name, text),
        lambda: store.write(old, text),
        lambda: store.rename(name, f"renamed {turn // 4}"),
        lambda: store.remove(old),
    )
    return changes[turn % 4]


def _bare(path: Path, size: int) -> tuple[float, float]:
    """Return the seconds that writing so many bytes to a new file takes, and flushing them to the disk."""
    data = os.urandom(1024) * (size // 1024)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        write = _timed(lambda: os.write(descriptor, data))
        return write, _timed(lambda: os.fsync(descriptor))
    finally:
        os.close(descriptor)
        path.unlink()


def sound(found: Measured) -> list[Check]:
    """Return what must hold at any size and on any machine."""
    entries = found.size + (len(found.apply) + 3) // 4 - len(found.apply) // 4
    return [
        Check("entries after all changes", float(found.entries), str(entries), found.entries == entries),
        Check.at_least("searches that bring up the entry they came from", found.found / found.searches, 0.7),
    ]


def promises(found: Measured) -> list[Check]:
    """Return what was promised of 10,000 entries."""
    beyond = percentile(found.apply, 50) - percentile(found.fsync, 50)
    return [
        Check.below("change p50 without one fsync, ms", beyond * 1000, 60, "ms"),
        Check.below("search p50, ms", percentile(found.search, 50) * 1000, 5, "ms"),
        Check.below("open p50, ms", percentile(found.open, 50) * 1000, 150, "ms"),
    ]


def run(options: Options) -> Report:
    """Measure with 10,000 entries; the limit is the number of changes, and then nothing is promised."""
    rounds = options.limit or ROUNDS
    say(f"entries: {SIZE} entries, {rounds} changes")
    found = measure(SIZE, rounds)
    bare = tuple(w + f for w, f in zip(found.write, found.fsync, strict=True))
    times = {
        "change": found.apply,
        "bare write and fsync": bare,
        "fsync of it": found.fsync,
        "search": found.search,
        "search right after a change": found.fresh,
        "get": found.get,
        "open and get": found.open,
        "first search after it": found.first_search,
    }
    milliseconds = {
        what: {f"p{q}": percentile(values, q) * 1000 for q in (50, 95)} for what, values in times.items()
    }
    ratio = percentile(found.apply, 50) / percentile(bare, 50)
    counts = (
        ("megabytes of the file", found.file_bytes / 1e6),
        ("seconds to add all entries in one step", found.fill),
        ("change against bare write and fsync, p50", ratio),
        ("searches that bring up the entry they came from", found.found / found.searches),
    )
    figures = {
        "entries": found.size,
        "changes": rounds,
        "file bytes": found.file_bytes,
        "fill seconds": found.fill,
        "times bare": ratio,
        "found": found.found / found.searches,
        "milliseconds": milliseconds,
    }
    tables = (
        Table(
            f"{SIZE:,} entries of 1 kB, milliseconds",
            ("", "p50", "p95"),
            tuple((what, value["p50"], value["p95"]) for what, value in milliseconds.items()),
        ),
        Table("and", ("what", ""), counts),
    )
    checks = sound(found) + (promises(found) if options.limit is None else [])
    return Report("entries", figures, tables, tuple(checks))
