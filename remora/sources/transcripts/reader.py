"""Read a transcript: its events in order, with counts of skipped and rejected lines.

    reading = read(Path("session.jsonl"))
    for event in reading:
        ...
    reading.counts.bad, reading.counts.skipped

A reading goes through the file once, a line at a time; files of subagents are read with it, in order of time.
A file that has grown is read again from its beginning, because steps, open calls and forks are known only
from there.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from remora.core.errors import InvalidInput, RemoraError
from remora.core.events import Event
from remora.sources.instant import instant
from remora.sources.transcripts import claude_code, codex, codex_item, entire, plain
from remora.sources.transcripts.hosts import OTHERS
from remora.sources.transcripts.lines import Counts, Unusable, lines, objects, parse
from remora.sources.transcripts.paths import Roots, inside
from remora.sources.transcripts.paths import plain as plain_path
from remora.sources.transcripts.texts import string
from remora.sources.transcripts.turns import Session, events

HOSTS = (claude_code.HOST, codex.HOST, *OTHERS, plain.HOST)
_LOOKED_AT = 200  # lines that are enough to identify the host
# A key of the record itself: inside a text its quotes would be escaped.
_CWD = re.compile(rb'"cwd":\s*"(?:[^"\\]|\\.)*"')
_WORK_TREE = re.compile(r"/(?:\.claude/worktrees|\.worktrees)/.*")
_Found = tuple[int, dict[str, Any]]
Translator = claude_code.ClaudeCode | codex.Codex | plain.Plain


class Reading:
    """One pass over a transcript; made by `read`.

    Attributes:
        path, parts: the file and the files of its subagents.
        host: one of HOSTS.
        program: the host, or the name of the program that wrote a file of Remora's own events.
        counts: so far.
        roots: for relative paths.
    """

    def __init__(
        self,
        path: Path,
        host: str,
        parts: tuple[Path, ...],
        roots: Roots,
        seen: set[int],
        session: Session | None,
    ) -> None:
        self.path = path
        self.host = host
        self.program = host
        self.parts = parts
        self.roots = roots
        self.counts = Counts()
        self._seen = seen
        self._session = session
        self._starts: dict[str, Event] = {}
        self._events = self._read()

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def close(self) -> None:
        """Stop a reading before its end, and delete its temporary files."""
        self._events.close()

    def name(self, event: Event) -> str:
        """Return the identity of an event: its key, or for Remora's own events, its session and key.

        A fork in another host keeps the keys of copied events and gives them its own session. A program that
        writes events may restart its keys in each session.
        """
        return f"{event.session_id}\n{event.key}" if self.host == plain.HOST else event.key

    def _read(self) -> Generator[Event, None, None]:
        stored = entire.is_stored(self.path)
        with entire.laid_out(self.path) if stored else nullcontext(self.path) as file:
            yield from self._others(file) if self.host in OTHERS else self._lines(file)

    def _others(self, path: Path) -> Iterator[Event]:
        host = OTHERS[self.host]
        for session in [self._session] if self._session else host.sessions(path):
            self.roots.met(session.cwd)
            turns = host.turns(path, session, self.counts)
            yield from self._new(events(session, turns, host.ACTIONS, self.roots))

    def _lines(self, file: Path) -> Iterator[Event]:
        translators: dict[Path, Translator] = {}
        for path, line, record in _in_time((file, *self.parts), self.counts):
            # One translator knows all of Claude Code's subagents; a file of another host stands for itself.
            whole = file if self.host == claude_code.HOST else path
            if whole not in translators:
                translators[whole] = self._translator(whole)
            try:
                found = translators[whole].feed(record)
            except Unusable as error:
                self.counts.refuse(path, line, str(error))
                continue
            yield from self._new(found)
        for translator in translators.values():
            yield from self._new(translator.end())

    def _new(self, found: Iterable[Event]) -> Iterator[Event]:
        for event in found:
            mark = hash(self.name(event))
            if mark in self._seen:
                self.counts.repeated += 1
                continue
            self._seen.add(mark)
            if event.kind == "session_start":
                # Yielded with the next new event: all other events of a fork may be known already.
                self._starts[event.session_id] = event
                continue
            if (start := self._starts.pop(event.session_id, None)) is not None:
                yield start
            yield event

    def _call_it(self, program: str) -> None:
        self.program = program

    def _translator(self, path: Path) -> Translator:
        if self.host == claude_code.HOST:
            return claude_code.ClaudeCode(self.roots, self.counts, path.stem)
        if self.host == codex.HOST:
            return codex.Codex(self.roots, self.counts, path.stem)
        return plain.Plain(self.counts, self._call_it)


def read(
    path: Path,
    *,
    host: str | None = None,
    parts: Iterable[Path] | None = None,
    roots: Roots | None = None,
    seen: set[int] | None = None,
    session: Session | None = None,
) -> Reading:
    """Return a reading of a transcript.

    Args:
        path: the file.
        host: one of HOSTS; by default detected from its content.
        parts: files of its subagents; by default those in the host's usual place.
        roots: the project's roots; by default those that this file shows. See `survey`.
        seen: marks of events already read in this process; an event is yielded once per set. Pass the same
            set to all readings of a project, in order of time: events copied by a fork then stay with their
            original session.
        session: only this session of a file with several, in the form of its reader; see
            `Transcript.session`.

    Raises:
        InvalidInput: the file is no transcript, or the host is unknown.
        NotFound, SourceError: the file does not exist or cannot be read.
    """
    host = host or detect(path)
    if host not in HOSTS:
        raise InvalidInput(
            f"{path} is not a transcript of a known host", hint=f"Known hosts: {', '.join(HOSTS)}."
        )
    found = tuple(parts) if parts is not None else parts_of(path, host)
    if roots is None:
        roots = survey([path, *found] if host not in OTHERS else [])
    return Reading(path, host, found, roots, set() if seen is None else seen, session)


def detect(path: Path) -> str | None:
    """Return the host that wrote a file, from its content; None if it is no transcript.

    Raises:
        NotFound, SourceError: the file does not exist or cannot be read.
    """
    for name, host in OTHERS.items():
        if next(iter(host.sessions(path)), None) is not None:
            return name
    counts = Counts()
    for number, data in islice(lines(path), _LOOKED_AT):
        record = parse(path, number, data, counts)
        if record is None:
            continue
        if plain.is_ours(record):
            return plain.HOST
        if codex_item.is_codex(record):
            return codex.HOST
        if _is_claude(record):
            return claude_code.HOST
    return None


def _is_claude(record: Mapping[str, Any]) -> bool:
    if not isinstance(record.get("sessionId"), str):
        return False
    if string(record.get("type")) in claude_code.TYPES:
        return isinstance(record.get("uuid"), str) or isinstance(record.get("message"), dict)
    return False


def parts_of(path: Path, host: str) -> tuple[Path, ...]:
    """Return the files of a transcript's subagents in the host's usual place, by name."""
    if host != claude_code.HOST:
        return ()
    folder = path.with_suffix("") / "subagents"
    try:
        return tuple(sorted(p for p in folder.rglob("agent-*.jsonl") if p.is_file()))
    except OSError:
        return ()


def survey(paths: Iterable[Path], project: Iterable[str] = ()) -> Roots:
    """Return the roots shown by the working directories recorded in files; unreadable files are skipped.

    In a file the first directory counts, and later ones inside its repository or the project: a shell that
    changes into a clone of another project does not add it. A subagent's file (which follows its session's)
    adds no repository.

    Args:
        paths: transcripts, as many of a project as possible: a session that ran only in a subfolder gets its
            root from the others.
        project: folders of the project on this machine, its work trees included.
    """
    roots = Roots(project)
    known = tuple(plain_path(folder) for folder in project)
    counts = Counts()
    home = ""
    for path in paths:
        met: set[bytes] = set()
        if "subagents" not in path.parts:
            home = ""
        try:
            for number, data in lines(path):
                if data is None or b'"cwd"' not in data or not (found := _CWD.findall(data)):
                    continue
                mark = b"".join(found[:4])
                if mark in met or len(met) > 100_000:
                    continue
                met.add(mark)
                home = _note(roots, parse(path, number, data, counts), home, known)
        except Exception:  # noqa: BLE001, S112  reading the file for its events reports the error
            continue
    return roots


def _note(roots: Roots, record: Mapping[str, Any] | None, home: str, known: tuple[str, ...]) -> str:
    """Add the directories of a line, if they belong to a repository; return the file's own one."""
    for holder in (record, (record or {}).get("payload"), (record or {}).get("extra")):
        if not isinstance(holder, Mapping) or not isinstance(holder.get("cwd"), str):
            continue
        cwd = plain_path(holder["cwd"][:4096])
        home = home or _WORK_TREE.sub("", cwd)
        if not any(inside(cwd, folder) for folder in (home, *known)):
            continue
        roots.met(holder["cwd"][:4096])
    return home


def _in_time(paths: tuple[Path, ...], counts: Counts) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """Yield the lines of several files in order of time; the order within a file is kept."""
    if len(paths) == 1:
        for line, record in objects(paths[0], counts):
            yield paths[0], line, record
        return
    timed = (_timed(path, place, counts) for place, path in enumerate(paths))
    for _, place, found in heapq.merge(*timed, key=itemgetter(0, 1)):
        if found is not None:
            yield (paths[place], *found)


def _timed(path: Path, place: int, counts: Counts) -> Iterator[tuple[str, int, _Found | None]]:
    """Yield the lines of a file with their times. The first is none: a file is opened when it is due."""
    at = _first_time(path) if place else ""
    yield at, place, None
    for line, record in _part(path, counts) if place else objects(path, counts):
        # A clock that jumps back does not change the order within a file.
        at = max(at, instant(record.get("timestamp")) or at)
        yield at, place, (line, record)


def _part(path: Path, counts: Counts) -> Iterator[_Found]:
    """Yield the lines of a subagent's file; an unreadable one does not stop the reading."""
    try:
        yield from objects(path, counts)
    except RemoraError as error:
        counts.refuse(path, 0, str(error))


def _first_time(path: Path) -> str:
    records = (record for _, record in islice(_part(path, Counts()), 20))
    return next((at for record in records if (at := instant(record.get("timestamp")))), "")
