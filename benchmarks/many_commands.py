"""Which commands check the work, in any repository: predicted for each session from those before it.

Every repository of the recordings is a project of its own. Before each session all that is over by then is
learned, and five commands are asked for; gold are those that the session checked its work with (see
`checks_run`). The floor is plain counting over the same commands: the five that most sessions ran. What was
chosen was chosen on every second repository, by name; figures of the others are told beside them.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from benchmarks.agent_sessions import AgentSession
from benchmarks.checks_run import Use, checked_with, commands, most_frequent, uses
from benchmarks.common import Check, Options, Report, Table, memory_in, say, workplace
from benchmarks.learning import sessions_of
from benchmarks.metrics import mean, recall_at
from benchmarks.recorded_sessions import DATA, Recorded, recorded
from remora.checks.from_project import READERS
from remora.sources.transcripts.discovery import find_in
from remora.sources.transcripts.reader import read

K = 5
_OFFER_TASKS = frozenset((*READERS, "package.json", ".justfile", "taskfile.yml", "taskfile.yaml"))
ONE = "agent_sessions"
PARTS = ("held back", "chosen on")  # by the number of a repository, even and odd
OURS, FLOOR, KNOWN = "remora", "most frequent five", "run before"


class Asked(NamedTuple):
    """A session's checks, and what each way names for it."""

    gold: frozenset[str]
    named: Mapping[str, Sequence[str]]


def of_repository(place: Path, sessions: Sequence[Recorded]) -> list[Asked]:
    """Return what is named for each session of a repository that checked with something, and has a past."""
    folder = place / "transcripts"
    folder.mkdir()
    for session in sessions:
        session.write(folder)
    used: dict[str, dict[str, Use]] = {}
    for transcript in find_in(folder).transcripts:
        events = list(read(transcript.path, host=transcript.host, parts=transcript.parts))
        used[transcript.path.stem] = uses(events)
        stand_in(place / "project", {path for event in events for path in event.paths})
    golds = checked_with([used[session.id] for session in sessions])
    over = sorted(sessions, key=lambda session: (session.ended, session.id))
    learnt = place / "learnt"
    learnt.mkdir()
    found = []
    for session, gold in zip(sessions, golds, strict=True):
        past = [other for other in over if other.ended <= session.started]
        if not gold or not past:
            continue
        fresh = [other for other in past if not (learnt / f"{other.id}.jsonl").exists()]
        for other in fresh:
            other.write(learnt)
        with memory_in(place) as memory:
            if fresh:
                memory.learn(learnt)
            ours = [one for s in memory.suggest_commands(K) for one in commands(s.command)]
        known = most_frequent([used[other.id] for other in past], len(past) * 10_000)
        found.append(Asked(gold, {OURS: ours[:K], FLOOR: known[:K], KNOWN: known}))
    return found


def stand_in(project: Path, paths: Iterable[str]) -> None:
    """Make the files of a project that its sessions name, empty; none of those that would offer tasks."""
    for path in paths:
        inside = path[:1] not in "/~" and ":" not in path and ".." not in PurePosixPath(path).parts
        if inside and PurePosixPath(path).name not in _OFFER_TASKS:
            with contextlib.suppress(OSError):  # a folder that is a file elsewhere, a name that is too long
                (project / path).parent.mkdir(parents=True, exist_ok=True)
                (project / path).touch()


def run(options: Options) -> Report:
    """Measure every repository; that of `agent_sessions` is told apart. A limit promises nothing."""
    rows: list[tuple[object, ...]] = []
    shares: dict[str, dict[str, float]] = {}
    projects = [(f"repository {n}", PARTS[n % 2], own) for n, (_, own) in enumerate(_all(options), 1)]
    projects.append((ONE, "older", [_as_recorded(session) for session in sessions_of(options)]))
    for name, part, sessions in projects:
        with workplace() as place:
            asked = of_repository(place, sessions)
        say(f"commands: {name}, {len(asked)} of {len(sessions)} sessions")
        if asked:
            own = shares[name] = {
                way: mean(recall_at(one.named[way], one.gold, len(one.named[way])) for one in asked)
                for way in (OURS, FLOOR, KNOWN)
            }
            rows.append((name, part, len(asked), *own.values()))
    figures: dict[str, float] = {}
    for part in (*PARTS[::-1], "all"):
        of = [shares[name] for name, own_part, _ in projects if name in shares and part in (own_part, "all")]
        if not of:
            continue
        whole = {way: mean(own[way] for own in of) for way in (OURS, FLOOR, KNOWN)}
        rows.append(("mean", part, "", *whole.values()))
        figures |= {f"{way}, {part}": share for way, share in whole.items()}
        figures[f"least lead, {part}"] = min(own[OURS] - own[FLOOR] for own in of)
    columns = ("", "", "sessions", OURS, FLOOR, KNOWN)
    table = Table("Commands that a session checked with, among five, by repository", columns, tuple(rows))
    least = Check.at_least("commands, least lead over plain counting", figures["least lead, all"], 0.0)
    return Report("commands", figures, (table,), (least,) if options.limit is None else ())


def _all(options: Options) -> list[tuple[str, list[Recorded]]]:
    """Return the repositories by name; they are numbered, for the data set may not be quoted."""
    return sorted(recorded(options.folder(DATA)).items())


def _as_recorded(session: AgentSession) -> Recorded:
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in session.records]
    return Recorded(ONE, session.id, session.started, session.ended, lines)
