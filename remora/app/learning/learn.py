"""Learn from agent sessions: transcripts to events, to observations, to memories.

    find       the transcripts of the project on this machine, or in a file or folder, in order of time
    read       events of each session; a file that has not changed since is not read again
    observe    each session with an observer of its own; nothing is written meanwhile
    record     its observation, beside those of all sessions before it          ) one transaction
    promote    the candidates that pass every filter to memories                ) a session
    settle     memories of branches that were merged or deleted, and those that name deleted code

A session that grew is read again as a whole and replaces its earlier records. A memory that a person edited
or forgot since stays as the person left it.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from remora.app.codebase.indexing import index
from remora.app.learning import citations
from remora.app.learning.event_cleaning import clean
from remora.app.learning.interface_observations import take_in_ui
from remora.app.learning.promotion import WITHDRAWN, Learnt, Promoter
from remora.app.learning.work_state import leave_work
from remora.app.memories import triggers
from remora.app.memories.embedding import Progress, catch_up
from remora.app.project.branches import settle
from remora.app.project.off import off_in
from remora.core.budget import FILE_SECONDS, SECONDS_PER_BYTE, within
from remora.core.errors import InvalidInput, NotFound, RemoraError, StoreBusy, StoreError
from remora.core.skip import sparing
from remora.core.values import Redaction, Skipped
from remora.disk.files import lock
from remora.injection.e2e import is_ui_tool
from remora.observer.observer import Observer
from remora.sources.transcripts import entire
from remora.sources.transcripts.discovery import find, find_in, folders_of, roots_of
from remora.sources.transcripts.hosts import COPIES
from remora.sources.transcripts.hosts.databases import let_go
from remora.sources.transcripts.reader import HOSTS, read

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.core.events import Event, Observation
    from remora.observer.promotion import Discarded
    from remora.sources.transcripts.discovery import Found, Transcript
    from remora.sources.transcripts.reader import Reading

READ = "transcript:"  # meta key with a digest of the path: sizes and times of the files
TELLING = ("user_prompt", "tool_call")  # events whose keys are the host's own
COPIED = 20  # events at the start of a transcript that show whether it is a fork
MAX_SHOWN = 200  # results of UI tools of one transcript
MAX_CALLS = 20  # model calls about those in one run
MAX_BAD = 50  # unreadable lines named in a report
EMBED_SECONDS = 5.0  # for the memories of a run, so that the next search finds them by meaning


class SessionLearnt(NamedTuple):
    """A session that was read, and the number of memories that it stored or refreshed."""

    id: str
    host: str
    started: str | None
    kind: str
    outcome: str
    why: str
    steps: int
    events: int
    signals: int
    memories: int
    prompt: str


class LearnReport(NamedTuple):
    """The report of a run of `learn`.

    Attributes:
        run: its number, for `learned`; 0 if it learned nothing.
        sessions: the sessions that were read, oldest first.
        unchanged: number of transcripts that have not changed since they were read.
        events: number of events that were observed.
        signals: number of signals by type.
        learnt: memories that were stored or changed, each once.
        discarded: number of candidates that each filter dropped for good, each counted once; all are in
            `left_out`.
        bad_lines: number of unreadable lines; `skipped` names the first of them, and then files.
        late: number of events that took the observer longer than 2 ms.
        slowest_finalize: milliseconds.
        merged, retired: (branch, number of memories) moved to the project, or retired.
        revived: (branch, number of memories) restored with a branch that is merged after all, or exists
            again.
        redactions: secrets that were removed, by kind.
        notes: problems, in words.
        withdrawn: number of memories of earlier runs that were retired because more sessions contradict them.
        dry_run: nothing was stored.
        seconds: duration of the run.
        found: number of transcripts of the project by host, read or not.
        not_worth: number of candidates by the reason why they are not worth a memory, the most frequent
            first.
    """

    run: int
    sessions: tuple[SessionLearnt, ...]
    unchanged: int
    events: int
    signals: Mapping[str, int]
    learnt: tuple[Learnt, ...]
    discarded: Mapping[str, int]
    left_out: tuple[Discarded, ...]
    bad_lines: int
    skipped: tuple[Skipped, ...]
    late: int
    slowest_finalize: float
    merged: tuple[tuple[str, int], ...] = ()
    retired: tuple[tuple[str, int], ...] = ()
    revived: tuple[tuple[str, int], ...] = ()
    redactions: tuple[Redaction, ...] = ()
    notes: tuple[str, ...] = ()
    withdrawn: int = 0
    dry_run: bool = False
    seconds: float = 0.0
    not_worth: Mapping[str, int] = MappingProxyType({})
    found: Mapping[str, int] = MappingProxyType({})

    @property
    def named(self) -> int:
        """Return the number of lines in `skipped`; they come first."""
        return min(self.bad_lines, MAX_BAD)


def learn(
    project: OpenProject,
    path: Path | None = None,
    hosts: Sequence[str] | None = None,
    *,
    again: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> LearnReport:
    """Learn from transcripts; see `Memory.learn`."""
    known = (*HOSTS, entire.HOST)
    wrong = sorted(set(hosts or ()) - set(known))
    if wrong:
        raise InvalidInput(f"unknown host {wrong[0]!r}", hint=f"Choose one of {', '.join(known)}.")
    started = time.monotonic()
    root = project.location.root
    try:
        found = find_in(path) if path is not None else find(root, project.environ, hosts=hosts or HOSTS)
        if path is not None and hosts:
            found = found._replace(transcripts=tuple(t for t in found.transcripts if t.host in hosts))
        run = _Run(project, found, progress or (lambda *_: None), again=again, dry_run=dry_run)
        try:
            with lock(project.location.home / "learn", timeout=5.0):
                if dry_run:
                    with project.db.transaction(undo=True):
                        run.all()
                else:
                    run.all()
        except StoreBusy:
            run.notes.append("another process is learning for this project; nothing was read")
    finally:
        let_go()
    if dry_run:
        return run.report(seconds=time.monotonic() - started)
    settled = settle(project, run.branches)
    triggers.refresh(project)
    if run.learnt:
        catch_up(project, EMBED_SECONDS, progress)
    run.notes += settled.notes
    report = run.report(seconds=time.monotonic() - started)
    return report._replace(merged=settled.merged, retired=settled.retired, revived=settled.revived)


def learned(project: OpenProject, run: int | None = None, *, ever: bool = False) -> list[Learnt]:
    """Return the memories that a run added or changed and that still exist; of the last run by default.

    With `ever`, those of all runs are returned.

    Raises:
        NotFound: there is no such run.
    """
    db = project.db
    last = db.sessions.last_run()
    rows = db.sessions.learned(None if ever else last if run is None else run)
    if run is not None and not rows:
        there = f"There are runs 1 to {last}." if last > 1 else "Only run 1 exists."
        nothing = "Nothing learned yet. `remora learn` reads agent sessions."
        raise NotFound(f"there is no run {run}", hint=there if last else nothing)
    records = db.memories.get_many([row.memory_id for row in rows])
    live = [row for row in rows if row.memory_id in records and not records[row.memory_id].deprecated]
    return [Learnt(records[row.memory_id], row.action, row.why) for row in live]


class _Run:
    """One run of `learn`: its transcripts and its results."""

    def __init__(
        self, project: OpenProject, found: Found, progress: Progress, *, again: bool, dry_run: bool
    ) -> None:
        self._project = project
        self._found = found
        self._progress = progress
        self._again = again
        self._db = project.db
        self._number = self._db.sessions.last_run() + 1
        self._dry_run = dry_run
        self._promoter = Promoter(project, dry_run=dry_run)
        self._marks: set[int] = set()
        self._marked: set[str] = set()  # transcripts whose events are in `_marks`
        self._by_key = {_key(t): t for t in found.transcripts}
        self.sessions: list[SessionLearnt] = []
        self.unchanged = 0
        self.signals: Counter[str] = Counter()
        self.learnt: dict[str, Learnt] = {}
        self._left_out: dict[str, Discarded] = {}  # the last verdict on each candidate
        self.bad = 0
        self.bad_lines: list[Skipped] = []
        self.skipped = [Skipped(b.path, b.reason) for b in found.bad]
        self.events = self.late = 0
        self.slowest = 0.0
        self.secrets: Counter[str] = Counter()
        self.branches: set[str] = set()
        self.withdrawn = 0
        self.notes: list[str] = []
        self._calls = MAX_CALLS
        self._off = off_in(project)

    def all(self) -> None:
        """Read every transcript that is new or has changed, in order of time."""
        fresh = []
        learned = (name.partition(":") for name in self._db.sessions.seen())
        originals = {session for host, _, session in learned if host not in COPIES}
        for transcript in self._found.transcripts:
            with sparing(str(transcript.path), self.skipped):
                looks = _looks(transcript)
                if transcript.host in COPIES and transcript.session_id in originals:
                    continue
                if not self._again and self._read_before(transcript) == looks:
                    self.unchanged += 1
                else:
                    fresh.append((transcript, looks))
        if not fresh:
            return
        if not self._dry_run and self._db.chunks.any():
            with sparing("the code", self.skipped):
                index(self._project)  # candidates are checked against the current code
        folders = folders_of(self._project.location.root)
        self._roots = roots_of(self._found.transcripts, folders)
        for number, (transcript, looks) in enumerate(fresh):
            self._progress("sessions", number, len(fresh))
            try:
                with sparing(str(transcript.path), self.skipped), within(_seconds(looks), time.thread_time):
                    self._transcript(transcript, looks)
            except StoreError as error:
                self.skipped.append(Skipped(str(transcript.path), str(error)))
        self._progress("sessions", len(fresh), len(fresh))

    def _read_before(self, transcript: Transcript) -> str:
        """Return how a transcript looked when it was last read; earlier versions added a digest."""
        return str(self._db.meta.get(_key(transcript)) or "").partition("|")[0]

    def _reading(self, transcript: Transcript, marks: set[int]) -> Reading:
        return read(
            transcript.path,
            host=transcript.host,
            parts=transcript.parts,
            roots=self._roots,
            seen=marks,
            session=transcript.session,
        )

    def _mark_origins(self, transcript: Transcript) -> bool:
        """Read the sessions that a fork was copied from, so that the copied events do not count again.

        Returns:
            Whether it is a fork: it begins with events that were read before.
        """
        with closing(self._reading(transcript, set())) as reading:
            names = {reading.name(event) for event in islice(reading, COPIED) if event.kind in TELLING}
        own = _key(transcript)
        for seen in self._db.sessions.beginning_with(names).values():
            origin = self._by_key.get(seen.partition("|")[0])
            if origin is not None and _key(origin) != own and _key(origin) not in self._marked:
                self._marked.add(_key(origin))
                with within(_seconds(_looks(origin)), time.thread_time):
                    for _ in self._reading(origin, self._marks):
                        pass
        return any(hash(name) in self._marks for name in names)

    def _copied(self, transcript: Transcript) -> list[Observer]:
        """Return observers of the events that a fork copied; its own steps come after them."""
        watched: dict[str, Observer] = {}
        reading = self._reading(transcript, set())
        for event in reading:
            if event.kind == "session_start" or hash(reading.name(event)) in self._marks:
                if event.session_id not in watched:
                    watched[event.session_id] = Observer(event.session_id, transcript.host)
                watched[event.session_id].observe(event)
        return list(watched.values())

    def _transcript(self, transcript: Transcript, looks: str) -> None:
        copied = self._copied(transcript) if self._mark_origins(transcript) else []
        self._marked.add(_key(transcript))
        reading = self._reading(transcript, self._marks)
        watched: dict[str, Observer] = {}
        firsts: dict[str, str] = {}
        last: dict[str, str | None] = {}  # time of the last event, by session
        shown: list[Event] = []  # results of UI tools
        for event in reading:
            last[event.session_id] = event.at or last.get(event.session_id) or transcript.started or None
            if self._off.covers(event.session_id, last[event.session_id]):
                continue
            if event.kind in TELLING:
                firsts.setdefault(event.session_id, reading.name(event))
            observer = watched.get(event.session_id)
            if observer is None:
                observer = watched[event.session_id] = Observer(event.session_id, reading.program)
                for earlier in copied:
                    observer.inherit(earlier)
            event, secrets = clean(event)
            self.secrets.update(secrets)
            observer.observe(event)
            if event.kind == "tool_result" and len(shown) < MAX_SHOWN and is_ui_tool(event.tool):
                shown.append(event)
        self.bad += reading.counts.bad
        named = [Skipped(f"{b.path}:{b.line}", b.reason) for b in reading.counts.bad_lines]
        self.bad_lines += named[: MAX_BAD - len(self.bad_lines)]
        known = self._db.sessions.seen()
        for name, observer in watched.items():
            session = f"{observer.host}:{name}"
            place = known.get(session, "").partition("|")[0]
            if place and place != _key(transcript) and name != transcript.session_id:
                continue  # a copy: the session was learned from its own file
            if observer.host not in COPIES:
                with self._db.transaction():
                    for copy in COPIES:
                        self._db.sessions.remove(f"{copy}:{name}")
            self._session(observer, f"{_key(transcript)}|{looks}")
            with self._db.transaction():
                self._db.sessions.note_first(session, firsts.get(name, ""))
        if shown and not self._dry_run:
            self._calls = take_in_ui(self._project, shown, self._calls)
        with self._db.transaction():
            self._db.meta.set(_key(transcript), looks)

    def _session(self, observer: Observer, seen: str) -> None:
        self.late += observer.late
        self.notes += [f"{observer.session_id}: {trouble}" for trouble in observer.trouble]
        began = time.perf_counter()
        observation = observer.finalize()
        self.slowest = max(self.slowest, (time.perf_counter() - began) * 1000)
        if not observation.steps and not observation.prompts:
            return
        self.events += observation.events
        self.signals.update(s.type for s in observation.signals)
        taken = self._promoter.take(observation, seen, self._number)
        for one in taken.learnt:
            before = self.learnt.pop(one.memory.id, None)
            if one.action == WITHDRAWN:
                self.withdrawn += before is None or before.action != "stored"
                continue
            self.learnt[one.memory.id] = one
        for dropped in taken.discarded:
            self._left_out[dropped.external_id or f"{dropped.filter}: {dropped.what}"] = dropped
        self.notes += taken.notes
        if not self._dry_run:
            with suppress(RemoraError):
                leave_work(self._project, observer, observation)
                citations.take_in(self._project, observation)
        if observation.branch:
            self.branches.add(observation.branch)
        self.sessions.append(_told(observation, len(taken.learnt)))

    def report(self, *, seconds: float) -> LearnReport:
        """Return the report of the run."""
        learnt = {one.memory.external_id for one in self.learnt.values()}
        left_out: dict[str, list[Discarded]] = {}
        for dropped in self._left_out.values():
            if not dropped.external_id or dropped.external_id not in learnt:
                left_out.setdefault(dropped.filter, []).append(dropped)
        return LearnReport(
            self._number if self.learnt and not self._dry_run else 0,
            tuple(self.sessions),
            self.unchanged,
            self.events,
            dict(self.signals.most_common()),
            tuple(self.learnt.values()),
            dict(sorted(((name, len(all_)) for name, all_ in left_out.items()), key=lambda n: (-n[1], n[0]))),
            tuple(dropped for all_ in left_out.values() for dropped in all_),
            self.bad,
            (*self.bad_lines, *self.skipped),
            self.late,
            self.slowest,
            redactions=tuple(Redaction(kind, number) for kind, number in sorted(self.secrets.items())),
            notes=tuple(self.notes),
            withdrawn=self.withdrawn,
            not_worth=dict(Counter(one.why for one in left_out.get("worth", ())).most_common()),
            dry_run=self._dry_run,
            seconds=seconds,
            found=dict(Counter(t.host for t in self._found.transcripts).most_common()),
        )


def _told(observation: Observation, memories: int) -> SessionLearnt:
    o = observation
    prompt = o.prompts[0] if o.prompts else ""
    why = f"{o.kind_why}; {o.outcome_why}"
    return SessionLearnt(
        *(o.session_id, o.host, o.started, o.kind, o.outcome, why),
        *(o.steps, o.events, len(o.signals), memories, prompt),
    )


def _key(transcript: Transcript) -> str:
    name = f"{transcript.path}\n{transcript.session_id}" if transcript.stamp else str(transcript.path)
    return READ + hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _looks(transcript: Transcript) -> str:
    """Return the size and time of each file of a transcript, or its stamp."""
    if transcript.stamp:
        return f"{transcript.size}:{transcript.stamp}"
    found = []
    for path in (transcript.path, *transcript.parts):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append(f"{status.st_size}:{status.st_mtime_ns}")
    return ",".join(found)


def _seconds(looks: str) -> float:
    """Return the time limit for the files of a transcript, by their sizes."""
    sizes = (one.partition(":")[0] for one in looks.split(","))
    return FILE_SECONDS + SECONDS_PER_BYTE * sum(int(size) for size in sizes if size)
