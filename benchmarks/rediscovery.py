"""What a session found out that an earlier one had found out before: was it in memory by then?

No label is needed. The sessions of each repository are learnt in order of time. Before a session is learned,
memory is searched for everything in it that an earlier session had shown too:

    errors      the same error (by its fingerprint)
    sentences   a sentence of the person in the same words, of five words or more

An item is held where one of the five best hits holds its words. Forks and copies count once, as in `learn`.
What agents conclude is not asked: of 170 sessions of ten repositories two named the same thing in sentences
that mean the same (cosine .7 or more, a shared name), but for announcements of how they would work.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import agent_sessions
from benchmarks.common import Options, Report, Table, environment, say, workplace
from benchmarks.written import DATA, by_repository, holds, write
from remora import Memory
from remora.app.learning.event_cleaning import clean
from remora.core.text import words
from remora.observer.observer import Observer
from remora.sources.transcripts.discovery import Transcript, find_in
from remora.sources.transcripts.reader import read

HITS = 5
LEAST = 5  # words of a sentence
KINDS = ("errors", "sentences")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class Item(NamedTuple):
    """Something that a session showed: its kind, what is the same in every session, and its words."""

    kind: str
    key: str
    text: str


class Counts(NamedTuple):
    """Of a repository: how many items were found again, and how many of those were held, by kind."""

    again: dict[str, int]
    held: dict[str, int]


def run(options: Options) -> Report:
    """Learn each repository of both recordings, and ask for what comes again."""
    found: dict[str, Counts] = {}
    many = options.folder(DATA)
    for repo, sessions in by_repository(many).items():
        with workplace() as place:
            (place / "transcripts").mkdir()
            write(many, set(sessions), place / "transcripts")
            found[repo] = asked(place)
        say(f"{repo}: {found[repo]}")
    with workplace() as place:
        for session in agent_sessions.read(options.folder(agent_sessions.DATA)):
            agent_sessions.write(session, place / "transcripts")
        found["one team"] = asked(place)
    return report(found)


def asked(place: Path) -> Counts:
    """Learn the transcripts of a repository one by one, asking before each for what it shows again."""
    project = place / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    counts = Counts(defaultdict(int), defaultdict(int))
    known: set[tuple[str, str]] = set()
    with Memory.open(project, environ=environment(place / "home")) as memory:
        marks: set[int] = set()
        for transcript in find_in(place / "transcripts").transcripts:
            items = {(item.kind, item.key): item for item in shown(transcript, marks)}
            for name, item in items.items():
                if name in known:
                    counts.again[item.kind] += 1
                    counts.held[item.kind] += held(memory, item)
            known |= set(items)
            memory.learn(transcript.path)
    return counts


def shown(transcript: Transcript, marks: set[int]) -> Iterator[Item]:
    """Yield what the sessions of a transcript showed, but for what a fork copied."""
    watched: dict[str, Observer] = {}
    for event in read(transcript.path, host=transcript.host, parts=transcript.parts, seen=marks):
        if event.session_id not in watched:
            watched[event.session_id] = Observer(event.session_id, transcript.host)
        watched[event.session_id].observe(clean(event)[0])
    for observer in watched.values():
        session = observer.finalize()
        for error in session.errors:
            yield Item("errors", error.fingerprint, error.message)
        for prompt in session.prompts:
            for sentence in _SENTENCE.split(prompt):
                said = words(sentence)
                if len(said) >= LEAST:
                    yield Item("sentences", " ".join(said), sentence)


def held(memory: Memory, item: Item) -> bool:
    """Return whether one of the best hits for an item holds its words; quotes are asked for a sentence."""
    kinds = ("memory", "quote") if item.kind == "sentences" else None
    return any(holds(hit.text, item.text) for hit in memory.search(item.text[:500], k=HITS, kinds=kinds))


def report(found: dict[str, Counts]) -> Report:
    """Return the shares by repository, and of all."""
    rows: list[tuple[object, ...]] = []
    # Repositories are numbered: the data set may not be quoted.
    for number, counts in enumerate(found.values(), 1):
        told = (part for kind in KINDS for part in (counts.again[kind], counts.held[kind]))
        rows.append((f"repository {number}", *told))
    figures: dict[str, object] = {}
    for kind in KINDS:
        again = sum(counts.again[kind] for counts in found.values())
        figures[f"{kind} found again"] = again
        figures[f"{kind} held before"] = _sum(found, [kind]) / max(1, again)
    everything = sum(counts.again[kind] for counts in found.values() for kind in KINDS)
    figures["held before, of all"] = _sum(found, KINDS) / max(1, everything)
    columns = ("", *(name for kind in KINDS for name in (f"{kind} again", "held before")))
    return Report("rediscovery", figures, (Table("Found out again", columns, tuple(rows)),))


def _sum(found: dict[str, Counts], kinds: Sequence[str]) -> int:
    return sum(counts.held[kind] for counts in found.values() for kind in kinds)
