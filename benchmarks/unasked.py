"""What is said unasked in projects that it was not written beside, and how much of it is junk to a reader.

The recorded sessions of each repository are replayed in order of time. Before each, all that is over by
then is learned; with a clone (`--repos`, named OWNER__NAME) the code stands as it stood, and `Memory.init`
reads it. Then its events come to an agent's loop as hooks hand them on, with a clock that stands at the
session's start, and each distinct text is kept with the event at which it was said first: a memory, a
command of the brief, where work was left. Headings, and what a brief ends with, are no texts.

`--keep DIR` leaves `said.tsv` there for reading. `DIR/labels.tsv` says what a reader found (columns repo,
kind, text, label: useful, harmless or junk; what follows is left alone); a text that it does not have is
unread. Repositories count alike, numbered by name: what was chosen was chosen on the first half of them.
"""

from __future__ import annotations

import csv
import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.agent_sessions import AgentSession
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, workplace
from benchmarks.many_commands import stand_in
from benchmarks.metrics import mean
from benchmarks.recorded_sessions import DATA, Recorded, recorded
from benchmarks.session_files import Clone, History
from remora.app.agent import session_brief
from remora.app.memories import embedding
from remora.core import moments
from remora.core.clock import FixedClock
from remora.core.events import Event
from remora.core.moments import SILENCE, Moment, Reply
from remora.core.tokens import ceil_chars_4
from remora.sources.transcripts.reader import Reading, read

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

JUNK, WORST = 0.10, 0.35
COLUMNS = ("repo", "kind", "text", "label", "times", "session", "event")
LABELS = ("useful", "harmless", "junk")
# Ids differ from run to run, counts of sessions and commits from day to day.
_PASSING = re.compile(r" \[Memory #\w+\]| \([^()]*\b(?:sessions?|commits)\b[^()]*\)(?= \[Memory|$)")
_ABOUT = re.compile(r"`[^`]*`")
END = "("  # how the line that a brief ends with begins
SHOWN = 400  # characters of an event
# How a part of a brief or of what goes with a prompt begins, that has a kind of its own.
KINDS = {"Where the last session": "state", "How work is checked": "checks"}


@dataclasses.dataclass
class Said:
    """A text: where it was said first, and how often in all."""

    session: str
    event: str
    times: int = 0


@dataclasses.dataclass
class Told:
    """What was said in the sessions of a repository; texts by trigger and words."""

    texts: dict[tuple[str, str], Said]
    sessions: int = 0
    events: int = 0
    said: int = 0
    tokens: int = 0


class Answer(NamedTuple):
    """What was said at an event, which is given in words."""

    event: str
    reply: Reply


def run(options: Options) -> Report:
    """Replay every repository, or the first sessions of each."""
    found: dict[str, Told] = {}
    model = "none"
    for repo, sessions in sorted(recorded(options.folder(DATA)).items()):
        clone = options.repos / repo if options.repos is not None else None
        with workplace() as place:
            found[repo], model = replayed(place, sessions[: options.limit], clone)
        one = found[repo]
        say(f"unasked: {repo}, {one.sessions} sessions, {one.said} times something was said")
    labels: dict[tuple[str, str, str], str] = {}
    if options.keep is not None:
        labels = read_labels(options.keep / "labels.tsv")
        write(options.keep / "said.tsv", found, labels)
    return report(found, labels, model, whole=options.limit is None)


def replayed(place: Path, sessions: Sequence[Recorded], clone: Path | None) -> tuple[Told, str]:
    """Return what is said in the sessions of a repository, and the model that was in use."""
    history = History(clone) if clone is not None else None
    project = Clone(clone, place) if clone is not None else None
    kept, learnt = place / "kept", place / "learnt"
    kept.mkdir()
    learnt.mkdir()
    over = sorted(sessions, key=lambda session: (session.ended, session.id))
    told, model = Told({}), "none"
    for session in sessions:
        reading = read(session.write(kept))
        events = list(reading)
        if history is not None and project is not None:
            branch = next((event.branch for event in events if event.branch), "") or ""
            at = (session.id, session.started, session.ended, branch)
            project.stand_at(history, AgentSession(*at, "", frozenset(), ()))
        else:
            stand_in(place / "project", {path for event in events for path in event.paths})
        clock = FixedClock(session.started)
        with memory_in(place, clock=clock) as memory:
            if project is not None:
                memory.init()
            known = [other for other in over if other.ended <= session.started]
            fresh = [other.write(learnt) for other in known if not (learnt / f"{other.id}.jsonl").exists()]
            if fresh:
                memory.learn(learnt)
            embedding.catch_up(memory._project)  # but for code, which nothing here looks for by its meaning
            model = model_of(memory)
        with memory_in(place, clock=clock, read_only=True) as memory:
            told.sessions += 1
            told.events += len(events)
            for answer in answers(memory, session.id, reading, events):
                told.said += 1
                told.tokens += ceil_chars_4(answer.reply.text)
                for name in texts_of(answer.reply):
                    told.texts.setdefault(name, Said(session.id, answer.event)).times += 1
    return told, model


# The replay


def answers(memory: Memory, session: str, reading: Reading, events: Sequence[Event]) -> Iterator[Answer]:
    """Yield what is said at the events of a session, as hooks would say it."""
    root = str(memory.root)
    calls: dict[str, Event] = {}
    with memory.loop(session, host=reading.program) as loop:
        yield from _said(loop, Moment(moments.START, loop.host, session), "start", _brief(memory, loop))
        for event in events:
            if event.kind == "compaction":
                moment = Moment(moments.START, loop.host, session, source="compact")
                yield from _said(loop, moment, "compaction", _brief(memory, loop, again=True))
            elif event.kind == "user_prompt" and not event.agent:
                yield from _prompted(memory, loop, event)
            elif event.kind in ("tool_call", "tool_result"):
                call = calls.setdefault(event.call_id, event)
                moment = _moment(event, call, loop, root, reading.roots.found)
                yield from _said(loop, moment, _shown(moment), loop._decided(moment))


def _said(loop: Loop, moment: Moment, event: str, reply: Reply) -> Iterator[Answer]:
    """Note a moment as a hook does; yield what is said at it, if anything is."""
    if (noted := loop._note(moment, reply)).text:
        yield Answer(event[:SHOWN], noted)


def _brief(memory: Memory, loop: Loop, *, again: bool = False) -> Reply:
    return session_brief.brief_of(memory._project, again=again, session_id=loop.session_id, host=loop.host)


def _prompted(memory: Memory, loop: Loop, event: Event) -> Iterator[Answer]:
    moment = Moment(moments.PROMPT, loop.host, loop.session_id, text=event.text)
    task = SILENCE
    if not any(line.get("task") for line in loop._lines):
        said, own = frozenset(loop._state("").said), loop.session_id
        task = session_brief.task_of(memory._project, event.text, session_id=own, said=said, host=loop.host)
    yield from _said(loop, moment, event.text, task)


def _moment(event: Event, call: Event, loop: Loop, root: str, roots: Sequence[str]) -> Moment:
    """Return a call or its result as a moment in the project, which lies elsewhere than it did."""
    extra = call.extra or {}
    command, cwd = call.command, str(extra.get("cwd", ""))
    for folder in roots:
        command, cwd = command.replace(folder, root), cwd.replace(folder, root)
    over = moments.FAILED if event.error else moments.AFTER
    return Moment(
        moments.BEFORE if event.kind == "tool_call" else over,
        loop.host,
        loop.session_id,
        str(Path(root, cwd)),
        event.agent,
        text="" if event.kind == "tool_call" else event.text,
        tool=call.tool,
        action=call.action,
        paths=tuple(str(Path(root, path)) for path in call.paths),
        command=command,
        pattern=call.pattern,
        url=call.url,
        call_id=event.call_id,
        changed=str(extra.get("new", "")),
        removed=str(extra.get("old", "")),
        place=str(extra.get("in", "")),
    )


def _shown(moment: Moment) -> str:
    parts = (moment.kind, moment.action, *moment.paths, moment.command, moment.pattern, moment.text[:200])
    return " ".join(" ".join(filter(None, parts)).split())


def texts_of(reply: Reply) -> Iterator[tuple[str, str]]:
    """Yield the texts of a reply with their kinds: its lines, but where work was left is one.

    Headings, and what a brief ends with, are left out.
    """
    left: list[str] = []
    kind, about = reply.trigger, ""
    for line in (_PASSING.sub("", one) for one in reply.text.splitlines()):
        known = next((name for start, name in KINDS.items() if line.startswith(start)), "")
        if known or (line.endswith(":") and not line.startswith((" ", "-"))):
            kind, about = known or reply.trigger, "".join(_ABOUT.findall(line)[:1])
        if kind == "state" and not line.startswith(END):
            left.append(line)
        elif line.startswith("- "):
            yield kind, f"{about if kind == 'partners' else ''} {line}".strip()
    if left:
        yield "state", " ".join(" ".join(left).split())


# What a reader reads and says


def write(path: Path, found: Mapping[str, Told], labels: Mapping[tuple[str, str, str], str]) -> None:
    """Write the texts of all repositories as TSV, with the labels that they have."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        rows.writerow(COLUMNS)
        for repo, told in found.items():
            for (kind, text), said in told.texts.items():
                event = " ".join(said.event.split())
                label = labels.get((repo, kind, text), "")
                rows.writerow((repo, kind, text, label, said.times, said.session, event))


def read_labels(path: Path) -> dict[tuple[str, str, str], str]:
    """Return the label of each text of a TSV file that has one: by repository, kind and text.

    Raises:
        SystemExit: a label is none of LABELS.
    """
    found: dict[tuple[str, str, str], str] = {}
    for line in path.read_text("utf-8").split("\n")[1:] if path.exists() else ():
        repo, kind, text, label, *_ = [*line.split("\t"), "", "", "", ""]
        if label and label not in LABELS:
            raise SystemExit(f"{path.name}: a label is one of {', '.join(LABELS)}, not {label!r}")
        if label:
            found[repo, kind, text] = label
    return found


def report(
    found: Mapping[str, Told], labels: Mapping[tuple[str, str, str], str], model: str, *, whole: bool
) -> Report:
    """Return how much was said in each repository, and how much of what was read is junk."""
    rows: list[tuple[object, ...]] = []
    shares: list[tuple[int, float]] = []
    by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
    half = (len(found) + 1) // 2
    for number, (repo, told) in enumerate(found.items(), 1):
        given: Counter[str] = Counter()
        for kind, text in told.texts:
            label = labels.get((repo, kind, text), "unread")
            given[label] += 1
            by_kind[kind][label] += 1
        read = sum(given[label] for label in LABELS)
        if read:
            shares.append((number, given["junk"] / read))
        a_session = told.said / max(1, told.sessions)
        counted = (told.sessions, told.events, told.said, a_session, told.tokens, len(told.texts))
        junk = given["junk"] / read if read else "-"
        rows.append((f"repository {number}", *counted, read, given["useful"], given["junk"], junk))
    kinds = tuple(
        (kind, sum(given.values()), *(given[label] for label in (*LABELS, "unread")))
        for kind, given in sorted(by_kind.items())
    )
    columns = (
        "",
        "sessions",
        "events",
        "said",
        "a session",
        "tokens",
        "texts",
        "read",
        *LABELS[::2],
        "share",
    )
    tables = [
        Table("Said unasked", columns, tuple(rows)),
        Table("By kind", ("", "texts", *LABELS, "unread"), kinds),
    ]
    figures: dict[str, object] = {
        "said": sum(told.said for told in found.values()),
        "sessions": sum(told.sessions for told in found.values()),
        "tokens": sum(told.tokens for told in found.values()),
        "by kind": {kind: dict(given) for kind, given in by_kind.items()},
    }
    checks: tuple[Check, ...] = ()
    if shares:
        parts = {
            "first half": [share for number, share in shares if number <= half],
            "second half": [share for number, share in shares if number > half],
            "all": [share for _, share in shares],
        }
        means = {f"junk, {name}": mean(own) for name, own in parts.items() if own}
        worst = max(share for _, share in shares)
        figures |= {**means, "junk, worst": worst}
        tables.append(Table("Junk", ("", "share"), (*means.items(), ("worst repository", worst))))
        checks = (
            Check("junk, mean", means["junk, all"], f"<= {JUNK}", means["junk, all"] <= JUNK),
            Check("junk, worst repository", worst, f"<= {WORST}", worst <= WORST),
        )
    return Report("unasked", figures, tuple(tables), checks if whole else (), (), model)
