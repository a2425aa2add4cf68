"""Four processes that talk, take notes, write the journal and consolidate, all in one project at once.

Each process does a random mix of everything for a while: messages to a session of its own and to one
that all share, notes under its own names (add, write, rename, remove), exchanges into the daily note,
entries into the history, consolidations without a model, compactions, searches. It keeps account of what
was acknowledged. Afterwards all of that must be there exactly once: messages by their external id and by
their text, notes as each process's own account has them, exchanges, history entries in both files, and
every message in exactly one consolidation. Nothing else may be there, and no call may have failed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import ROOT, Check, Table, environment, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.metrics import percentile
from benchmarks.texts import numbered
from remora.app.memory import Memory
from remora.core.errors import NotFound
from remora.core.history_entries import HISTORY, parse

OWN_NOTES = {"REMORA_JOURNAL_NOTE_REPLIES": "false"}  # what is noted is what the race itself notes
WRITERS = 4
SHARED = "race:shared"
_APART = 1_000_000  # numbers of one process lie this far from those of the next
_MOST_NAMES = 30  # that one process keeps; more, and it removes one


class Outcome(NamedTuple):
    """What a race left behind.

    Attributes:
        seconds: from the signal to the end of the last process.
        operations: how often each kind was done.
        times: seconds of each kind.
        there: how many acknowledged things of each kind were looked for.
        lost, twice, strange: what is missing, is there more than once, or was written by nobody.
        errors: what failed.
    """

    seconds: float
    operations: Mapping[str, int]
    times: Mapping[str, tuple[float, ...]]
    there: Mapping[str, int]
    lost: tuple[str, ...]
    twice: tuple[str, ...]
    strange: tuple[str, ...]
    errors: tuple[str, ...]


class Account:
    """What one process was told is stored."""

    def __init__(self) -> None:
        self.messages: dict[str, list[int]] = defaultdict(list)  # by session
        self.notes: dict[str, tuple[str, list[str]]] = {}  # by name: text and aliases
        self.exchanges: list[str] = []  # lines of the daily note
        self.history: list[str] = []
        self.consolidated: list[tuple[str, int, str]] = []  # session, messages, entry
        self.archives: list[str] = []
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []


class Writer:
    """One process's part in the race."""

    def __init__(self, memory: Memory, number: int) -> None:
        self.account = Account()
        self._memory = memory
        self._number = number
        self._draw = random.Random(number)
        self._count = number * _APART
        self._own = f"race:{number}"
        self._sessions = {name: memory.session(name) for name in (self._own, SHARED)}
        self._mix: tuple[tuple[int, Callable[[], str]], ...] = (
            (30, self._append),
            (8, self._extend),
            (16, self._note),
            (8, self._exchange),
            (8, self._history),
            (4, self._consolidate),
            (2, self._compact),
            (6, self._search),
        )

    def work(self, seconds: float) -> None:
        """Do a random mix until the time is over."""
        weights = [weight for weight, _ in self._mix]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            action = self._draw.choices(self._mix, weights)[0][1]
            started = time.perf_counter()
            try:
                kind = action()
            except Exception as error:  # noqa: BLE001  whatever fails is what is looked for
                self.account.errors.append(f"{action.__name__}: {type(error).__name__}: {error}")
            else:
                self.account.times[kind].append(time.perf_counter() - started)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _session(self) -> str:
        return self._draw.choice((self._own, SHARED))

    def _append(self) -> str:
        name, number = self._session(), self._next()
        role = self._draw.choice(("user", "assistant"))
        self._sessions[name].append(role, numbered(number), external_id=str(number))
        self.account.messages[name].append(number)
        return "append"

    def _extend(self) -> str:
        name, numbers = self._session(), [self._next() for _ in range(self._draw.randint(2, 8))]
        self._sessions[name].extend(
            [{"role": "user", "content": numbered(n), "external_id": str(n)} for n in numbers]
        )
        self.account.messages[name] += numbers
        return "extend"

    def _note(self) -> str:
        notes, entries = self.account.notes, self._memory.entries
        number = self._next()
        actions = ["add"]
        if notes:
            actions = ["remove"] if len(notes) >= _MOST_NAMES else ["add", "add", "write", "rename", "remove"]
        action = self._draw.choice(actions)
        new = f"{self._own}:{number}"
        if action == "add":
            entries.add(new, numbered(number))
            notes[new] = numbered(number), []
            return "note add"
        name = self._draw.choice(sorted(notes))
        text, aliases = notes[name]
        if action == "write":
            entries.write(name, numbered(number))
            notes[name] = numbered(number), aliases
        elif action == "rename":
            entries.rename(name, new)
            del notes[name]
            notes[new] = text, [*aliases, name]
        else:
            entries.remove(name)
            del notes[name]
        return f"note {action}"

    def _exchange(self) -> str:
        line = self._memory.journal.note("What is new?", numbered(self._next()))
        self.account.exchanges.append(line.strip())
        return "exchange"

    def _history(self) -> str:
        text = numbered(self._next())
        self._memory.journal.add_history(text)
        self.account.history.append(text)
        return "history entry"

    def _consolidate(self) -> str:
        for done in self._memory.journal.consolidate(self._session()):
            self._consolidated(done)
        return "consolidation"

    def _consolidated(self, done: Any) -> None:
        if done is not None and done.how != "nothing":
            self.account.consolidated.append((done.session_id, done.messages, done.entry))
        if done is not None:
            self.account.errors += [f"consolidation: {note}" for note in done.notes]

    def _compact(self) -> str:
        done = self._sessions[self._session()].compact()
        if done.archive:
            self.account.archives.append(done.archive)
        if done.consolidation is None:
            self.account.errors += [f"compaction: {note}" for note in done.notes]
        self._consolidated(done.consolidation)
        return "compaction"

    def _search(self) -> str:
        number = self._draw.randint(self._number * _APART, self._count) + 1
        self._memory.search(numbered(number), k=5)
        return "search"


def child(place: Path, number: int, seconds: float) -> None:
    """Wait for the signal on standard input, work, and say what was acknowledged as one line of JSON."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with Memory.open(place / "project") as memory:
        writer = Writer(memory, number)
        writer.work(seconds)
    sys.stdout.write(json.dumps(vars(writer.account)) + "\n")


def race(seconds: float, writers: int = WRITERS) -> Outcome:
    """Let the processes work for a while, consolidate what is left, and look for everything."""
    with workplace() as place:
        (place / "project").mkdir()
        spent, accounts, errors = _run(place, seconds, writers)
        with Memory.open(place / "project", environ=environment(place, **NO_MODEL, **OWN_NOTES)) as memory:
            for done in memory.journal.consolidate():
                accounts[0]["consolidated"].append((done.session_id, done.messages, done.entry))
            found = _Found(memory)
            _look_for(memory, accounts, found)
            errors += memory._project.db.connection.check()
    times: dict[str, list[float]] = defaultdict(list)
    for account in accounts:
        errors += account["errors"]
        for kind, values in account["times"].items():
            times[kind] += values
    return Outcome(
        spent,
        {kind: len(values) for kind, values in sorted(times.items())},
        {kind: tuple(values) for kind, values in sorted(times.items())},
        found.there,
        tuple(found.lost),
        tuple(found.twice),
        tuple(found.strange),
        # Where it happened is this machine's business and must not stand in a result.
        tuple(error.replace(str(place), "PLACE") for error in errors),
    )


def _run(place: Path, seconds: float, writers: int) -> tuple[float, list[dict[str, Any]], list[str]]:
    command = [sys.executable, "-m", "benchmarks.session_race", str(place)]
    children = [
        subprocess.Popen(
            [*command, str(number), str(seconds)],
            cwd=ROOT,
            env=environment(place, **NO_MODEL, **OWN_NOTES),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(1, writers + 1)
    ]
    for process in children:
        assert process.stdout is not None
        process.stdout.readline()
    started = time.perf_counter()
    for process in children:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    accounts: list[dict[str, Any]] = []
    errors: list[str] = []
    for process in children:
        said, _ = process.communicate()
        if process.returncode or not said:
            errors.append(f"a process ended with {process.returncode}")
        accounts.append(json.loads(said) if said else vars(Account()))
    return time.perf_counter() - started, accounts, errors


class _Found:
    """What was looked for, and what is wrong with it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.there: dict[str, int] = {}
        self.lost: list[str] = []
        self.twice: list[str] = []
        self.strange: list[str] = []

    def compare(self, kind: str, wanted: Iterable[str], there: Iterable[str], *, only: bool = True) -> None:
        """Compare what was acknowledged with what is there, each once; `only` that may be there."""
        expected, found = Counter(wanted), Counter(there)
        self.there[kind] = self.there.get(kind, 0) + len(expected)
        self.lost += [f"{kind}: {what[:80]}" for what in expected if not found[what]]
        self.twice += [f"{kind}: {what[:80]}" for what, times in found.items() if times > 1]
        if only:
            self.strange += [f"{kind}: {what[:80]}" for what in found if what not in expected]


def _look_for(memory: Memory, accounts: list[dict[str, Any]], found: _Found) -> None:
    said: dict[str, list[int]] = defaultdict(list)
    for account in accounts:
        for name, numbers in account["messages"].items():
            said[name] += numbers
    for name, numbers in said.items():
        _messages(memory, name, numbers, found)
    _notes(memory, accounts, found)
    _journal(memory, accounts, said, found)


def _messages(memory: Memory, name: str, numbers: list[int], found: _Found) -> None:
    session = memory.session(name)
    history = session.history()
    found.compare("message by its id", map(str, numbers), (m.external_id or "" for m in history))
    found.compare("message by its text", map(numbered, numbers), (m.content for m in history))
    found.compare("number of a message", map(str, range(1, len(numbers) + 1)), (str(m.seq) for m in history))
    found.strange += [f"{name}, line {problem.line}: {problem.reason}" for problem in session.problems()]


def _notes(memory: Memory, accounts: list[dict[str, Any]], found: _Found) -> None:
    notes: dict[str, tuple[str, list[str]]] = {}
    for account in accounts:
        notes |= account["notes"]
    there = memory.entries.list("note")
    wanted = (f"{name}: {text}" for name, (text, _) in notes.items())
    found.compare("note", wanted, (f"{entry.name}: {entry.content}" for entry in there))
    aliases = {alias: name for name, (_, others) in notes.items() for alias in others}
    for alias, name in aliases.items():
        try:
            shown = memory.entries.show(alias).name
        except NotFound:
            shown = ""
        found.compare("alias", [f"{alias}: {name}"], [f"{alias}: {shown}"])
    archives = (name for account in accounts for name in account["archives"])
    found.compare("archive", archives, (entry.name for entry in memory.entries.list("archive")))
    ids = [str(entry.id) for entry in memory.entries.list()]
    found.compare("id of an entry", set(ids), ids)


def _journal(
    memory: Memory, accounts: list[dict[str, Any]], said: Mapping[str, list[int]], found: _Found
) -> None:
    folder = memory.journal.folder
    lines = "\n".join(memory.journal.day(day) for day in memory.journal.days()).splitlines()
    found.compare("exchange", (line for account in accounts for line in account["exchanges"]), lines)
    done = [tuple(each) for account in accounts for each in account["consolidated"]]
    entries = [text for account in accounts for text in account["history"]]
    wanted = [*entries, *(entry for _, _, entry in done)]
    for path in sorted(folder.glob("HISTORY*.md")):
        kind = "entry of HISTORY.md" if path.name == HISTORY else "entry of a month"
        with path.open("rb") as file:
            found.compare(kind, wanted, (entry.text for entry in parse(file)))
    memory.search("probe", k=1)  # brings the index up to date
    rows = memory._project.db.connection.rows("SELECT content FROM notes WHERE kind = 'history'")
    found.compare("history entry in the index", entries, (row[0] for row in rows), only=False)
    for name, numbers in said.items():
        _consolidations(memory, name, [n for session, n, _ in done if session == name], len(numbers), found)


def _consolidations(memory: Memory, name: str, told: list[int], count: int, found: _Found) -> None:
    """Look whether every message of a session is in exactly one consolidation."""
    path = next(info.path for info in memory.sessions() if info.id == name)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    ends = [record["upTo"] for record in records if record.get("_type") == "consolidated"]
    spans = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    found.there["consolidated message"] = found.there.get("consolidated message", 0) + count
    if sum(told) < count or (ends or [0])[-1] < count:
        found.lost.append(f"{name}: {sum(told)} of {count} messages were consolidated, up to {ends[-1:]}")
    if sum(told) > count:
        found.twice.append(f"{name}: {sum(told)} messages were consolidated, {count} were said")
    if sorted(spans) != sorted(told):
        found.strange.append(f"{name}: consolidations say {sorted(told)}, the log {sorted(spans)}")


def checks(outcome: Outcome) -> list[Check]:
    """Return what must hold of a race."""
    counts = {
        "race: lost": outcome.lost,
        "race: twice": outcome.twice,
        "race: written by nobody": outcome.strange,
        "race: errors": outcome.errors,
    }
    return [
        *(Check(what, float(len(found)), "0", not found) for what, found in counts.items()),
        Check.at_least("race: kinds of operations", len(outcome.operations), 8),
    ]


def tables(outcome: Outcome) -> tuple[Table, Table]:
    """Return what was done and how long it took, and what was looked for."""
    rows = tuple(
        (kind, outcome.operations[kind], *(percentile(values, q) * 1000 for q in (50, 95)))
        for kind, values in outcome.times.items()
    )
    title = f"{WRITERS} processes in one project for {outcome.seconds:.0f} s, milliseconds"
    return (
        Table(title, ("", "done", "p50", "p95"), rows),
        Table("Acknowledged and looked for", ("", ""), tuple(outcome.there.items())),
    )


def figures(outcome: Outcome) -> dict[str, Any]:
    """Return the race's figures for programs."""
    return {
        "processes": WRITERS,
        "seconds": outcome.seconds,
        "operations": dict(outcome.operations),
        "milliseconds": {
            kind: {f"p{q}": percentile(values, q) * 1000 for q in (50, 95)}
            for kind, values in outcome.times.items()
        },
        "looked for": dict(outcome.there),
        "lost": list(outcome.lost[:20]),
        "twice": list(outcome.twice[:20]),
        "strange": list(outcome.strange[:20]),
        "errors": list(outcome.errors[:20]),
    }


if __name__ == "__main__":
    child(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
