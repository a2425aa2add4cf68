"""`kill -9` of a writing process at random points: what was acknowledged must be there afterwards.

A child process stores numbered memories and conversation turns in turns and prints a line after each
call has returned. It is killed after a random time that starts when it has loaded its code and is about
to open the database, so kills hit the opening, the first migration and the writes. Then the project is
opened again: every acknowledged memory and turn must be there, SQLite's integrity check and those of
both FTS tables must pass, and the FTS rows must agree with the tables.

Ten children in a row write to one project, so that each also has to live with what a killed one left.
A child killed while it was writing may have stored one thing that it did not acknowledge; that is
allowed and counted.

`kill -9` ends a process, not the machine: what it shows about a power cut is only that nothing waits
in the process. That the bytes are on the disk is the business of fsync, which `latency` measures.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import apsw

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.texts import numbered
from remora.app.memory import Memory

KILLS = 200
RUNS_PER_PROJECT = 10
LONGEST = 0.4  # seconds after the start of the opening at which a kill comes at the latest
SESSION = "crash:1"
NO_MODEL = {"REMORA_EMBEDDING_PROVIDER": "none"}


class Outcome(NamedTuple):
    """What was found after the kills so far; sums over all of them."""

    kills: int = 0
    acknowledged: int = 0
    unacknowledged: int = 0  # stored, but killed before it could say so
    late: int = 0  # turns in the log that the first search after the kill did not see in the index
    lost: int = 0
    problems: tuple[str, ...] = ()

    def plus(self, other: Outcome) -> Outcome:
        """Return the sum of two outcomes."""
        return Outcome(
            self.kills + other.kills,
            self.acknowledged + other.acknowledged,
            self.unacknowledged + other.unacknowledged,
            self.late + other.late,
            self.lost + other.lost,
            self.problems + other.problems,
        )


def write(place: Path, first: int) -> None:
    """Write numbered memories and turns until somebody ends this process; a line for each."""
    _tell("ready")
    with Memory.open(place / "project") as memory:
        session = memory.session(SESSION)
        number = first
        while True:
            if number % 2:
                memory.remember(numbered(number), type="pattern")
            else:
                session.append("user", numbered(number), external_id=str(number))
            _tell(str(number))
            number += 1


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def kill_once(place: Path, first: int, delay: float) -> list[int]:
    """Start a writer, kill it after `delay` seconds and return the numbers that it acknowledged."""
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.crash", str(place), str(first)],
        cwd=ROOT,
        env=environment(place, **NO_MODEL),
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    with child, child.stdout as lines:
        if lines.readline() != b"ready\n":
            raise SystemExit("the writing process could not start")
        time.sleep(delay)
        child.kill()
        # A line that was cut in the middle was not an acknowledgement.
        return [int(line) for line in lines.read().splitlines(keepends=True) if line.endswith(b"\n")]


def examine(place: Path, acknowledged: Mapping[int, int]) -> Outcome:
    """Open a project after a kill and compare it with what its writers acknowledged.

    Args:
        place: the folder of the project and its home.
        acknowledged: every number that was ever acknowledged here, and the run that did.
    """
    with Memory.open(place / "project", environ=environment(place, **NO_MODEL)) as memory:
        memory.search("probe", kinds=["turn"])
        contents = {record.content for record in memory.list(limit=1_000_000)}
        session = memory.session(SESSION)
        turns = [message.content for message in session.history()]
        db = memory._project.db
        late = len(turns) - db.turns.count()
        session.extend([])  # lets the index follow the log, as the next message would
        indexed = {turn.content for turn in db.turns.get_many(range(1, 2 * len(turns) + 100)).values()}
        problems = list(db.connection.check())
        database = db.connection.path
    contents.update(turns)
    lost = [number for number in acknowledged if numbered(number) not in contents]
    problems += [f"{n} was acknowledged in run {acknowledged[n]} and is gone" for n in lost]
    if set(turns) != indexed:
        problems.append("the index of turns differs from the log")
    if len(set(turns)) != len(turns):
        problems.append("a turn stands twice in the log")
    problems += fts_problems(database)
    extra = len(contents) - (len(acknowledged) - len(lost))
    return Outcome(1, 0, extra, late, len(lost), tuple(problems))


def fts_problems(database: Path) -> list[str]:
    """Return what FTS5's own check and a comparison row by row find wrong in both FTS tables."""
    problems: list[str] = []
    connection = apsw.Connection(str(database))
    try:
        connection.set_busy_timeout(5_000)
        for table in ("memories_fts", "turns_fts"):
            try:
                # With rank 1, an index over another table's content is compared with that table too.
                connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
            except apsw.Error as error:
                problems.append(f"{table}: {error}")
        for table, content, key in (("memories", "memories_fts", "seq"), ("turns", "turns_fts", "id")):
            sql = f"""SELECT count(*) FROM {table} t LEFT JOIN {content} f ON f.rowid = t.{key}
                      WHERE f.content IS NOT t.content"""
            differing = next(connection.execute(sql))[0]
            if differing:
                problems.append(f"{content} differs from {table} in {differing} rows")
    finally:
        connection.close()
    return problems


def storm(kills: int, *, seed: int = 11, longest: float = LONGEST) -> Outcome:
    """Kill so many writers at random points and return what was found."""
    draw = random.Random(seed)
    total = Outcome()
    for start in range(0, kills, RUNS_PER_PROJECT):
        with workplace() as place:
            (place / "project").mkdir()
            acknowledged: dict[int, int] = {}
            first, known = 1, Outcome()
            for run_number in range(start, min(start + RUNS_PER_PROJECT, kills)):
                said = kill_once(place, first, draw.uniform(0.0, longest))
                acknowledged |= dict.fromkeys(said, run_number)
                found = examine(place, acknowledged)
                # What is missing or was left over stays so in later runs; it is counted once.
                fresh = found._replace(
                    acknowledged=len(said),
                    unacknowledged=found.unacknowledged - known.unacknowledged,
                    lost=found.lost - known.lost,
                )
                known = found
                total = total.plus(fresh)
                # A number that was stored but not acknowledged must not be written a second time.
                first = max((first, *said)) + 2
        say(f"crash: {total.kills} of {kills} kills, {total.acknowledged} acknowledged writes")
    return total


def run(options: Options) -> Report:
    """Kill 200 writers, or as many as the limit says."""
    found = storm(options.limit or KILLS)
    rows = (
        ("writers killed", found.kills),
        ("writes acknowledged", found.acknowledged),
        ("stored without acknowledgement (allowed)", found.unacknowledged),
        ("turns that the first search after a kill did not see", found.late),
        ("acknowledged writes lost", found.lost),
        ("problems of the database or its FTS tables", len(found.problems)),
    )
    checks = (
        Check("acknowledged writes lost", float(found.lost), "0", found.lost == 0 < found.acknowledged),
        Check("turns that a search missed", float(found.late), "0", found.late == 0),
        Check("problems found", float(len(found.problems)), "0", not found.problems),
    )
    table = Table("kill -9 of a writer at random points", ("what", "count"), rows)
    return Report("crash", found._asdict(), (table,), checks, tuple(found.problems[:20]))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
