"""What a language model gets to read of each session, and what it writes down, beside a reader's lessons.

`DATA/agent_sessions_many` holds sessions of ten repositories, and lessons with the words that each rests
on. Every repository is learned session by session, in order of time. A lesson is in the evidence where most
runs of three words of its quote are.

No model is asked. `--keep DIR` leaves there what one would be asked, a file `SESSION.txt` for each session
with a lesson; an answer that lies beside it as `SESSION.json` is played. `DIR/judged.tsv` says what readers
found: `lesson ID yes|no`, whether the memories hold a lesson, and `memory DIGEST good|junk`.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Check, Options, Report, Table, environment, say, workplace
from remora import Memory
from remora.core.text import content_hash
from remora.llm.client import Completion, Message
from remora.observer.evidence import CHARACTERS
from remora.observer.writer import SCHEMA, SIGNAL
from remora.sources.transcripts.discovery import find_in

DATA = "agent_sessions_many"
RUN, MOST = 3, 0.6  # words of a run, and the share of runs that must be there
USERS, AGENTS = 0.95, 0.60
HELD, JUNK, WORST = 0.80, 0.25, 0.35
WISH = "\n\nAnswer with one JSON object"  # how a client goes on behind the evidence
NOTHING = '{"memories": []}'


class Lesson(NamedTuple):
    """A lesson of the data: its repository, its session, who said it and in which words."""

    id: str
    repo: str
    session: str
    by: str
    quote: str


class Played:
    """A model that notes what it is asked of a session, and gives the answer that was recorded for it."""

    model_id = "recorded"

    def __init__(self, kept: Path | None) -> None:
        self.kept = kept
        self.session = ""
        self.asked: dict[str, str] = {}
        self.packs: dict[str, str] = {}
        self.answered: set[str] = set()

    def complete(self, messages: Sequence[Message], **given: Any) -> Completion:
        """Return the recorded answer; an empty list where there is none, nothing for another question."""
        if given.get("schema") != SCHEMA:
            return Completion("")
        self.asked[self.session] = "\n\n".join(message.content for message in messages)
        self.packs[self.session] = messages[-1].content.rpartition(WISH)[0]
        file = self.kept / f"{self.session}.json" if self.kept else None
        if file is None or not file.is_file():
            return Completion(NOTHING)
        self.answered.add(self.session)
        return Completion(file.read_text("utf-8"))


class Outcome(NamedTuple):
    """What learning one repository gave."""

    asked: Mapping[str, str]
    packs: Mapping[str, str]
    memories: tuple[tuple[str, str], ...]  # digest, text
    dropped: Mapping[str, int]
    answered: frozenset[str]


def run(options: Options) -> Report:
    """Learn every repository with lessons, and look for the lessons in what a model gets to read."""
    folder = options.folder(DATA)
    lessons = [
        Lesson(one["id"], one["repo"], one["session"], one["said_by"], one["quote"])
        for one in map(json.loads, (folder / "lessons.jsonl").read_text("utf-8").splitlines())
    ]
    found: dict[str, Outcome] = {}
    for repo, sessions in by_repository(folder).items():
        wanted = {one.session for one in lessons if one.session in sessions}
        if wanted:
            found[repo] = learnt(folder, sessions, wanted, options.keep)
            say(f"{repo}: {len(found[repo].packs)} of {len(sessions)} sessions read")
    packs = {session: text for one in found.values() for session, text in one.packs.items()}
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        for session, text in (item for one in found.values() for item in one.asked.items()):
            (options.keep / f"{session}.txt").write_text(text, "utf-8")
        with (options.keep / "memories.tsv").open("w", encoding="utf-8") as file:
            for repo, one in found.items():
                file.writelines(f"{repo}\t{digest}\t{text}\n" for digest, text in one.memories)
    return report(lessons, packs, found, judged(options.keep))


def by_repository(folder: Path) -> dict[str, list[str]]:
    """Return the ids of the sessions of each repository, as in the index."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        found[entry["repo"]].append(entry["session_id"])
    return found


def learnt(folder: Path, sessions: Sequence[str], wanted: set[str], kept: Path | None) -> Outcome:
    """Learn the sessions of a repository one after the other; a model is asked of those that are wanted."""
    model = Played(kept)
    dropped: Counter[str] = Counter()
    with workplace() as place:
        transcripts, project = place / "transcripts", place / "project"
        transcripts.mkdir()
        write(folder, set(sessions), transcripts)
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        settings = {"REMORA_LEARN_SYNTHESIS": "true"}
        environ = environment(place / "home", **settings)
        with Memory.open(project, environ=environ, llm=model) as memory:
            for transcript in find_in(transcripts).transcripts:
                model.session = transcript.path.stem
                left_out = memory.learn(transcript.path).left_out
                dropped.update(one.why for one in left_out if one.filter == "writer")
            stored = [m for m in memory.list(limit=10_000, branch="*") if SIGNAL in m.tags]
    texts = tuple((content_hash(m.content)[:12], m.content) for m in stored)
    asked, packs = ({s: t for s, t in all_.items() if s in wanted} for all_ in (model.asked, model.packs))
    return Outcome(asked, packs, texts, dropped, frozenset(model.answered))


def write(folder: Path, sessions: set[str], place: Path) -> None:
    """Write the records of some sessions of the data as the files that their hosts left."""
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        by_file[entry["file"]].append(entry)
    for name, entries in by_file.items():
        if not any(entry["session_id"] in sessions for entry in entries):
            continue
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for entry in entries:
                records = [next(lines) for _ in range(entry["records"])]
                if entry["session_id"] in sessions:
                    (place / f"{entry['session_id']}.jsonl").write_text("".join(records), "utf-8")


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


def judged(kept: Path | None) -> dict[tuple[str, str], bool]:
    """Return what readers found: (kind, name) to whether it is held, or good."""
    file = kept / "judged.tsv" if kept else None
    if file is None or not file.is_file():
        return {}
    lines = (line.split("\t") for line in file.read_text("utf-8").splitlines() if line)
    return {(kind, name): verdict in ("yes", "good") for kind, name, verdict in lines}


def report(
    lessons: list[Lesson],
    packs: Mapping[str, str],
    found: Mapping[str, Outcome],
    verdicts: Mapping[tuple[str, str], bool],
) -> Report:
    """Return how many lessons are in the evidence, and in what was written, by repository."""
    read_ones = [one for one in lessons if one.session in packs]
    counts: dict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for one in read_ones:
        own = counts[one.repo, one.by == "user"]
        own[0] += 1
        own[1] += holds(packs[one.session], one.quote)
    repos = sorted({repo for repo, _ in counts})
    # Repositories are numbered: the data set may not be quoted.
    rows = [
        (f"repository {number}", *counts[repo, True], *counts[repo, False])
        for number, repo in enumerate(repos, 1)
    ]
    users, agents = (
        sum(counts[repo, by][1] for repo in repos) / max(1, sum(counts[repo, by][0] for repo in repos))
        for by in (True, False)
    )
    sizes = sorted(len(text) for text in packs.values())
    figures: dict[str, Any] = {
        "lessons of users in the evidence": users,
        "lessons of agents and tools in the evidence": agents,
        "least of a repository, users": min(counts[r, True][1] / max(1, counts[r, True][0]) for r in repos),
        "lessons": len(read_ones),
        "lessons of sessions that cannot be read": len(lessons) - len(read_ones),
        "median characters of a pack": sizes[len(sizes) // 2],
        "most characters of a pack": sizes[-1],
    }
    tables = [
        Table("Lessons", ("", "of users", "in the evidence", "of agents", "in the evidence"), tuple(rows))
    ]
    checks = [
        Check.at_least("lessons of users in the evidence", users, USERS),
        Check.at_least("lessons of agents in the evidence", agents, AGENTS),
        Check("characters of a pack", sizes[-1], f"<= {CHARACTERS}", sizes[-1] <= CHARACTERS),
    ]
    if any(one.answered for one in found.values()):
        more = _written(read_ones, repos, found, verdicts)
        figures |= more[0]
        tables += more[1]
        checks += more[2]
    return Report("written", figures, tuple(tables), tuple(checks))


def _written(
    lessons: Sequence[Lesson],
    repos: Sequence[str],
    found: Mapping[str, Outcome],
    verdicts: Mapping[tuple[str, str], bool],
) -> tuple[dict[str, Any], list[Table], list[Check]]:
    """Return figures, tables and checks of what was written from recorded answers."""
    rows: list[tuple[object, ...]] = []
    held: list[bool] = []
    good: list[bool] = []
    worst = 0.0
    by_name = {repo.replace("__", "/"): repo for repo in found}
    for number, repo in enumerate(repos, 1):
        one = found[by_name.get(repo, repo)]
        own = [x for x in lessons if x.repo == repo and x.session in one.answered]
        of_lessons = [verdicts[key] for x in own if (key := ("lesson", x.id)) in verdicts]
        of_memories = [verdicts[key] for d, _ in one.memories if (key := ("memory", d)) in verdicts]
        junk = 1 - sum(of_memories) / max(1, len(of_memories))
        worst = max(worst, junk if of_memories else 0.0)
        held, good = [*held, *of_lessons], [*good, *of_memories]
        name = f"repository {number}"
        told = (len(of_lessons), sum(of_lessons), len(of_memories), len(of_memories) - sum(of_memories))
        rows.append((name, len(one.answered), len(one.memories), *told))
    dropped = sum((Counter(one.dropped) for one in found.values()), Counter[str]())
    figures: dict[str, Any] = {
        "answers played": sum(len(one.answered) for one in found.values()),
        "memories written": sum(len(one.memories) for one in found.values()),
        "claims dropped": sum(dropped.values()),
    }
    columns = ("", "answers", "memories", "lessons judged", "held", "memories judged", "junk")
    tables = [Table("Written from recorded answers", columns, tuple(rows))]
    if not held or not good:
        return figures, tables, []
    share, junk = sum(held) / len(held), 1 - sum(good) / len(good)
    figures |= {"lessons held": share, "junk": junk, "junk, worst repository": worst}
    checks = [
        Check.at_least("lessons held", share, HELD),
        Check("junk", junk, f"<= {JUNK}", junk <= JUNK),
        Check("junk, worst repository", worst, f"<= {WORST}", worst <= WORST),
    ]
    return figures, tables, checks
