"""What the evidence pack of a session holds of the lessons that a reader found in it, by repository.

`DATA/agent_sessions_many` holds sessions of ten repositories, and lessons with the words that each rests on.
A lesson is in the pack where most runs of three words of its quote are. What a model writes from packs is
judged apart: `--keep DIR` leaves each pack there as a text, for a model that sees nothing else.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Check, Options, Report, Table, say, workplace
from remora.app.cleaning import clean
from remora.observer.evidence import CHARACTERS, pack, told
from remora.observer.observer import Observer
from remora.sources.transcripts.finding import Transcript, find_in
from remora.sources.transcripts.reading import read

DATA = "agent_sessions_many"
RUN, MOST = 3, 0.6  # words of a run, and the share of runs that must be there
USERS, AGENTS = 0.95, 0.60


class Lesson(NamedTuple):
    """A lesson of the data: its repository, its session, who said it and in which words."""

    repo: str
    session: str
    by: str
    quote: str


def run(options: Options) -> Report:
    """Build the pack of every session with a lesson that can be read, and look for the lesson's words."""
    folder = options.folder(DATA)
    lessons = [
        Lesson(one["repo"], one["session"], one["said_by"], one["quote"])
        for one in map(json.loads, (folder / "lessons.jsonl").read_text("utf-8").splitlines())
    ]
    with workplace() as place:
        write(folder, {one.session for one in lessons}, place)
        packs = {t.path.stem: evidence(t) for t in find_in(place).transcripts}
    say(f"{len(packs)} sessions read")
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        for session, text in packs.items():
            (options.keep / f"{session}.txt").write_text(text, "utf-8")
    return report(lessons, packs)


def write(folder: Path, sessions: set[str], place: Path) -> None:
    """Write the records of some sessions of the data as the files that their hosts left."""
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        by_file[entry["file"]].append(entry)
    for name, entries in by_file.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for entry in entries:
                records = [next(lines) for _ in range(entry["records"])]
                if entry["session_id"] in sessions:
                    (place / f"{entry['session_id']}.jsonl").write_text("".join(records), "utf-8")


def evidence(transcript: Transcript) -> str:
    """Return the pack of a transcript's own session as text."""
    watched: dict[str, Observer] = {}
    for event in read(transcript.path, host=transcript.host, parts=transcript.parts):
        if event.session_id not in watched:
            watched[event.session_id] = Observer(event.session_id, transcript.host)
        watched[event.session_id].observe(clean(event)[0])
    own = max(watched.values(), key=lambda one: one.events)
    return told(pack(own.finalize()))


def holds(text: str, quote: str) -> bool:
    """Return whether most of a quote stands in a text, in runs of words.

    >>> holds("Please never open PRs against release, ok", "never open PRs against release!!")
    True
    """
    words = _words(quote)
    runs = [" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))]
    whole = f" {' '.join(_words(text))} "
    return sum(f" {run} " in whole for run in runs) >= MOST * len(runs)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def report(lessons: list[Lesson], packs: dict[str, str]) -> Report:
    """Return how many lessons are in their pack, by repository and by who said them."""
    read_ones = [one for one in lessons if one.session in packs]
    found: dict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for one in read_ones:
        counts = found[one.repo, one.by == "user"]
        counts[0] += 1
        counts[1] += holds(packs[one.session], one.quote)
    repos = sorted({repo for repo, _ in found})
    # Repositories are numbered: the data set may not be quoted.
    rows = [
        (f"repository {number}", *found[repo, True], *found[repo, False])
        for number, repo in enumerate(repos, 1)
    ]
    users, agents = (
        sum(found[repo, by][1] for repo in repos) / max(1, sum(found[repo, by][0] for repo in repos))
        for by in (True, False)
    )
    sizes = sorted(len(text) for text in packs.values())
    figures = {
        "lessons of users in the pack": users,
        "lessons of agents and tools in the pack": agents,
        "least of a repository, users": min(found[r, True][1] / max(1, found[r, True][0]) for r in repos),
        "lessons": len(read_ones),
        "lessons of sessions that cannot be read": len(lessons) - len(read_ones),
        "median characters of a pack": sizes[len(sizes) // 2],
        "most characters of a pack": sizes[-1],
    }
    return Report(
        "written",
        figures,
        (Table("Lessons", ("", "of users", "in the pack", "of agents", "in the pack"), tuple(rows)),),
        (
            Check("lessons of users in the pack", users, f">= {USERS}", users >= USERS),
            Check("lessons of agents in the pack", agents, f">= {AGENTS}", agents >= AGENTS),
            Check("characters of a pack", sizes[-1], f"<= {CHARACTERS}", sizes[-1] <= CHARACTERS),
        ),
    )
