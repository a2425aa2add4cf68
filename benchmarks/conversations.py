"""How long conversations, the journal and its search take, and what four processes at once leave of them.

A time is printed beside what it cannot be cheaper than, in the same run: an append beside as many bytes
appended to a bare file and flushed, the `# Memory` block beside reading its files, what looks at a log
beside opening it. Nothing is embedded and no model is asked.

`session_race` has the four processes.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import session_race
from benchmarks.common import Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.metrics import percentile
from benchmarks.texts import Texts, numbered
from remora.app.memory import Memory
from remora.core.clock import DAY_SECONDS, to_iso
from remora.core.history_entries import HISTORY, month_file, render

if TYPE_CHECKING:
    from remora.app.records.session import Session

GROUP = 20  # messages of one `extend`
KEEP = 20  # messages that a compaction keeps
HOURS_APART = 0.85  # of the entries of a history, so that 10,000 of them fill a year
MEMORY_BYTES = 8_000
NOTED_DAYS, EXCHANGES = 8, 20  # days with a note, today's among them, and exchanges in each


class Sizes(NamedTuple):
    """How much is made and measured.

    Attributes:
        log: messages in the long session.
        history: entries.
        repeats: of what takes milliseconds; a tenth of it of what takes longer.
        memories: beside the history, and in the project without one.
        seconds: that four processes write.
    """

    log: int = 20_000
    history: int = 10_000
    repeats: int = 200
    memories: int = 500
    seconds: float = 60.0

    @property
    def few(self) -> int:
        """How often something slow is measured."""
        return max(2, self.repeats // 10)


Times = dict[str, list[float]]  # what, and the seconds that it took each time


def timed(what: Callable[[], object]) -> float:
    """Return the seconds that something takes."""
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


@contextmanager
def project(place: Path) -> Iterator[Memory]:
    """Open the memory of a project in a folder, without a model."""
    folder = place / "project"
    folder.mkdir(parents=True, exist_ok=True)
    with Memory.open(folder, environ=environment(place, **NO_MODEL)) as memory:
        yield memory


# Conversations


def conversations(sizes: Sizes) -> tuple[Times, dict[str, float]]:
    """Append to a fresh session and to a long one in turns, then read, compact and ask about the long one."""
    texts = Texts(seed=13)
    with workplace() as place, project(place / "fresh") as one, project(place / "long") as other:
        fresh, long = one.session("fresh:1"), other.session("long:1")
        for start in range(0, sizes.log, 500):
            long.extend([_message(texts) for _ in range(min(500, sizes.log - start))])
        times = _appends(place, (fresh, long), texts, sizes)
        log = next((place / "long").rglob("sessions/*.jsonl"))
        count = len(long.history())
        times["messages, before a compaction"] = [timed(long.messages) for _ in range(sizes.few)]
        times["compact, all of it"] = [timed(partial(long.compact, KEEP))]
        times["messages, after it"] = [timed(long.messages) for _ in range(sizes.repeats)]
        times["history, after it"] = [timed(long.history) for _ in range(sizes.few)]
        times["JSON of its lines"] = [timed(partial(_parse, log)) for _ in range(sizes.few)]
        due: list[object] = []
        times["compact_if_needed, nothing due"] = [
            timed(lambda: due.append(long.compact_if_needed())) for _ in range(sizes.repeats)
        ]
        times["open and stat of the log"] = [timed(partial(_look, log)) for _ in range(sizes.repeats)]
        times["compact, 2 groups more"] = []
        for _ in range(sizes.few):
            long.extend([_message(texts) for _ in range(2 * GROUP)])
            times["compact, 2 groups more"].append(timed(partial(long.compact, KEEP)))
        times["messages, first of a process"] = [
            timed(other.session("long:1").messages) for _ in range(sizes.few)
        ]
        left = len(long.messages())
        said = len(long.history()) - 2 * GROUP * sizes.few
    figures = {
        "messages lost by compactions": float(count - said),
        "messages kept by a compaction": float(left),
        "compactions that were not due": float(sum(found is not None for found in due)),
    }
    return times, figures


def _message(texts: Texts) -> dict[str, Any]:
    return {"role": "user", "content": texts.sentence()}


def _appends(place: Path, sessions: tuple[Session, Session], texts: Texts, sizes: Sizes) -> Times:
    """Append one by one and in groups to both sessions, and as many bytes to a bare file."""
    times: Times = {}
    names = ("fresh session", "long session")
    bare = os.open(place / "bare", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        for count, what in ((1, "append"), (GROUP, f"group of {GROUP}, a message")):
            for _ in range(sizes.repeats if count == 1 else max(2, sizes.repeats // 2)):
                batch = [_message(texts) for _ in range(count)]
                for name, session in zip(names, sessions, strict=True):
                    seconds = timed(partial(session.extend, batch))
                    times.setdefault(f"{what}, {name}", []).append(seconds / count)
                data = b"".join(_line(message) for message in batch)
                seconds = timed(partial(_write_durably, bare, data))
                times.setdefault(f"{what}, bare append and fsync", []).append(seconds / count)
    finally:
        os.close(bare)
    return times


def _line(message: dict[str, Any]) -> bytes:
    """Return about the bytes that a message has in a log."""
    whole = {"_type": "message", "seq": 10_000, **message, "timestamp": to_iso(0)}
    return json.dumps(whole, ensure_ascii=False).encode() + b"\n"


def _write_durably(descriptor: int, data: bytes) -> None:
    os.write(descriptor, data)
    os.fsync(descriptor)


def _parse(log: Path) -> list[object]:
    with log.open("rb") as lines:
        return [json.loads(line) for line in lines]


def _look(path: Path) -> None:
    with path.open("rb") as file:
        os.fstat(file.fileno())


# The journal and its search


def journals(sizes: Sizes) -> tuple[Times, dict[str, float]]:
    """Read the block, and search after nothing, an append and an edit, in a project with a long history."""
    texts = Texts(seed=17)
    with workplace() as place, project(place / "plain") as plain, project(place / "written") as written:
        for memory in (plain, written):
            drafts = [sample.draft for sample in islice(_samples(), sizes.memories)]
            memory.remember_many(drafts)
            memory.catch_up()
        folder = written.journal.folder
        size = _write_history(folder, texts, sizes.history)
        _write_memory(written, texts)
        _write_days(written, texts)
        times: Times = {"first search of all": [timed(partial(written.search, "the first question"))]}
        times["block"] = [timed(written.journal.block) for _ in range(sizes.repeats)]
        files = [folder / "MEMORY.md", *folder.glob("????-??-??.md")]
        times["bare read of its files"] = [
            timed(lambda: [path.read_bytes() for path in files]) for _ in range(sizes.repeats)
        ]
        block = written.journal.block()
        _unchanged(times, plain, written, texts, sizes)
        found = _after_changes(times, written, sizes)
        entries = len(written.journal.history(10 * sizes.history))
    figures = {
        "history bytes": float(size),
        "block characters": float(len(block)),
        "entries": float(entries),
        "entries expected": float(sizes.history + sizes.few),
        "searches that found what was new": found,
    }
    return times, figures


def _samples() -> Iterator[Any]:
    texts = Texts(seed=19)
    while True:
        yield texts.sample()


def _write_history(folder: Path, texts: Texts, count: int) -> int:
    """Write a history as a year of consolidations would have; returns the bytes of HISTORY.md."""
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time()
    files: dict[str, list[str]] = {}
    for number in range(count, 0, -1):
        instant = to_iso(now - number * HOURS_APART * 3600)
        block = render(" ".join(texts.sentence() for _ in range(3)), instant)
        for name in (HISTORY, month_file(instant)):
            files.setdefault(name, []).append(block)
    for name, blocks in files.items():
        (folder / name).write_text("".join(blocks))
    return (folder / HISTORY).stat().st_size


def _write_memory(memory: Memory, texts: Texts) -> None:
    parts: list[str] = []
    while sum(map(len, parts)) < MEMORY_BYTES:
        parts.append(f"## Part {len(parts)}\n\n- {texts.sentence()}\n- {texts.sentence()}\n")
    memory.journal.write("\n".join(parts))


def _write_days(memory: Memory, texts: Texts) -> None:
    now = time.time()
    for day in range(NOTED_DAYS):
        for _ in range(EXCHANGES):
            memory.journal.note(texts.sentence(), texts.sentence(), at=now - day * DAY_SECONDS)


def _unchanged(times: Times, plain: Memory, written: Memory, texts: Texts, sizes: Sizes) -> None:
    """Search memories in both projects in turns, and everything in the one that has more."""
    for _ in range(sizes.repeats):
        query = " ".join(texts.sentence().split()[:5])
        for name, memory in (("without a journal", plain), ("with one", written)):
            seconds = timed(partial(memory.search, query, k=8, kinds=["memory"]))
            times.setdefault(f"search of memories, {name}", []).append(seconds)
        times.setdefault("search of everything", []).append(timed(partial(written.search, query, k=8)))


def _after_changes(times: Times, memory: Memory, sizes: Sizes) -> float:
    """Time the first search after each kind of change; returns the share that found what was new."""
    folder = memory.journal.folder
    asked = found = 0

    def first(what: str, text: str, kind: str) -> None:
        nonlocal asked, found
        hits = []
        query = partial(memory.search, text, k=3, kinds=[kind])
        times.setdefault(f"first search after {what}", []).append(timed(lambda: hits.extend(query())))
        asked += 1
        found += any(text in hit.text for hit in hits)

    for number in range(sizes.few):
        text = numbered(number)
        memory.journal.add_history(text)
        first("an entry was appended", text, "history")
    for number in range(sizes.few, 2 * sizes.few):
        path, text = folder / "MEMORY.md", numbered(number)
        path.write_text(f"{path.read_text()}\n- {text}\n")
        first("MEMORY.md was edited", text, "longterm")
    for number in range(2 * sizes.few, 3 * sizes.few):
        text = numbered(number)
        memory.journal.note("What is new?", text)
        first("an exchange was noted", text, "daily")
    path = max(folder.glob("HISTORY-*.md"))
    for number in range(3 * sizes.few, 3 * sizes.few + 3):
        text = numbered(number)
        path.write_text(f"{text}\n{path.read_text()}")  # in front of the first entry
        first("a history file was edited by hand", text, "history")
    return found / asked


# The report


def sound(figures: dict[str, float], outcome: session_race.Outcome) -> list[Check]:
    """Return what must hold at any size and on any machine."""
    exact = {
        "messages lost by compactions": 0.0,
        "messages kept by a compaction": KEEP + 1.0,  # and the summary
        "compactions that were not due": 0.0,
        "entries": figures["entries expected"] + 1.0,  # and what a person wrote above them
        "searches that found what was new": 1.0,
    }
    checks = [Check(what, figures[what], f"{want:g}", figures[what] == want) for what, want in exact.items()]
    return [*checks, *session_race.checks(outcome)]


def promises(times: Times) -> list[Check]:
    """Return what was promised of 20,000 messages and 10,000 entries."""
    middle = {what: percentile(values, 50) * 1000 for what, values in times.items()}
    group = f"group of {GROUP}, a message"
    grown = middle["append, long session"] / middle["append, fresh session"]
    found = [
        Check.below(f"{what} p50, ms", middle[what], most, "ms")
        for what, most in (
            ("append, fresh session", 5),
            ("append, long session", 5),
            (f"{group}, fresh session", 1),
            (f"{group}, long session", 1),
            ("compact_if_needed, nothing due", 1),
            ("compact, all of it", 4_000),
            ("block", 10),
            ("first search after an entry was appended", 100),
            ("first search after MEMORY.md was edited", 100),
        )
    ]
    return [*found, Check.below("append, long session / fresh one", grown, 1.5, "times")]


RATIOS = (
    ("append, fresh session", "append, bare append and fsync"),
    ("append, long session", "append, fresh session"),
    (f"group of {GROUP}, a message, fresh session", f"group of {GROUP}, a message, bare append and fsync"),
    ("history, after it", "JSON of its lines"),
    ("messages, first of a process", "JSON of its lines"),
    ("compact_if_needed, nothing due", "open and stat of the log"),
    ("block", "bare read of its files"),
    ("search of memories, with one", "search of memories, without a journal"),
)


def measure(sizes: Sizes) -> tuple[Times, dict[str, float], session_race.Outcome]:
    """Return every time, every count, and what the race of processes left."""
    say(f"conversations: a session of {sizes.log:,} messages")
    times, figures = conversations(sizes)
    say(f"conversations: a history of {sizes.history:,} entries")
    more, others = journals(sizes)
    say(f"conversations: {session_race.WRITERS} processes for {sizes.seconds:g} s")
    return times | more, figures | others, session_race.race(sizes.seconds)


def run(options: Options) -> Report:
    """Measure everything; the limit is the seconds of the race, and then nothing is promised of times."""
    sizes = Sizes() if options.limit is None else Sizes(seconds=options.limit)
    times, figures, outcome = measure(sizes)
    milliseconds = {
        what: {f"p{q}": percentile(values, q) * 1000 for q in (50, 95)} for what, values in times.items()
    }
    ratios = {f"{a} / {b}": milliseconds[a]["p50"] / milliseconds[b]["p50"] for a, b in RATIOS}
    tables = (
        Table(
            f"Milliseconds: a session of {sizes.log:,} messages, a history of {sizes.history:,} entries",
            ("", "p50", "p95", "times"),
            tuple((what, *milliseconds[what].values(), len(values)) for what, values in times.items()),
        ),
        Table("Times what it cannot be cheaper than, p50", ("", ""), tuple(ratios.items())),
        *session_race.tables(outcome),
    )
    checks = sound(figures, outcome) + (promises(times) if options.limit is None else [])
    found = {"milliseconds": milliseconds, "ratios": ratios, **figures, "race": session_race.figures(outcome)}
    return Report("conversations", found, tables, tuple(checks), outcome.errors[:20])
