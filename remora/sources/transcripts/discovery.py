"""Find the transcripts of a project on this machine, in order of time.

Claude Code keeps one folder per start directory, named after the path; Codex keeps one folder per day; where
other hosts keep theirs, their readers know. Names only narrow the search: the recorded working directory of a
session decides. It must lie in one of the project's folders: its root, a subfolder, a work tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.errors import NotFound, RemoraError, SourceError
from remora.sources.git_process import holds_repository, run
from remora.sources.instant import instant
from remora.sources.transcripts import claude_code, codex, codex_item, entire, plain
from remora.sources.transcripts.hosts import COPIES, NAMED, OTHERS
from remora.sources.transcripts.hosts.places import home_folder
from remora.sources.transcripts.lines import BadLine, Counts, objects
from remora.sources.transcripts.paths import LONGEST, Roots, inside, slug
from remora.sources.transcripts.paths import plain as plain_path
from remora.sources.transcripts.reader import HOSTS, detect, parts_of, survey
from remora.sources.transcripts.texts import string
from remora.sources.transcripts.turns import Session

_LOOKED_AT = 400  # lines that are read to learn where and when a session ran
_ENDINGS = (".jsonl", ".ndjson")
_ENDINGS_OF_OTHERS = (".json", ".db", ".vscdb", ".md")
_MAX_FILES = 100_000


class Transcript(NamedTuple):
    """A session's file.

    Attributes:
        host: one of `reader.HOSTS`.
        path: the file.
        parts: other files of the session: of its subagents, copies made by a resume.
        session_id: the first one in the file; empty if there is none.
        started: the first time in the file, ISO 8601; empty if there is none.
        cwd: the first recorded working directory; empty if there is none.
        size: in bytes, parts included.
        branch: the recorded git branch, if it had to be known before the file is read.
        stamp: changes whenever the session does, if the files do not tell: a database holds many sessions.
    """

    host: str
    path: Path
    parts: tuple[Path, ...]
    session_id: str
    started: str
    cwd: str
    size: int
    branch: str | None = None
    stamp: str = ""

    @property
    def session(self) -> Session:
        """The session in the form of its reader."""
        return Session(self.session_id, self.cwd, self.started, self.branch, self.stamp, self.size)


class Found(NamedTuple):
    """The transcripts found, in order of time, and the unreadable files."""

    transcripts: tuple[Transcript, ...]
    bad: tuple[BadLine, ...] = ()


def folders_of(root: Path) -> tuple[str, ...]:
    """Return a project's folders on this machine: its root and its work trees, as named and as resolved."""
    found = [str(root)]
    try:
        done = run(root, "worktree", "list", "--porcelain") if holds_repository(root) else None
    except SourceError:
        done = None
    if done is not None and done.returncode == 0:
        told = done.stdout.decode("utf-8", "surrogateescape").splitlines()
        found += [line[9:] for line in told if line.startswith("worktree ")]
    return tuple(dict.fromkeys(plain_path(p) for path in found for p in (path, os.path.realpath(path))))


def find(
    root: Path, environ: Mapping[str, str], *, hosts: Sequence[str] = HOSTS, since: float = 0.0
) -> Found:
    """Return the transcripts of a project on this machine.

    Args:
        root: top of the project's work tree.
        environ: HOME (or USERPROFILE) and the variables for the folders of hosts are read from it, such as
            CLAUDE_CONFIG_DIR, CLAUDE_CODE_PROJECT_DIR_NAME and CODEX_HOME.
        hosts: the hosts to search for. "entire" must be named: those sessions are the whole team's. They are
            returned under their own hosts, without those that this machine has itself.
        since: only files modified since then, in seconds since the epoch.
    """
    folders = folders_of(root)
    candidates: list[tuple[str, Path]] = []
    if claude_code.HOST in hosts:
        candidates += [(claude_code.HOST, p) for p in _claude_files(folders, environ)]
    bad: list[BadLine] = []
    if codex.HOST in hosts:
        candidates += [(codex.HOST, p) for p in _codex_files(environ)]
        bad = _compressed(home_folder(environ, ".codex", "CODEX_HOME"))
    looked = _look((host, path) for host, path in candidates if _is_newer(path, since))
    ours = [t for t in looked.transcripts if _belongs(t, folders)]
    for name in (name for name in OTHERS if name in hosts):
        files = [path for path in OTHERS[name].files(environ, folders) if _is_newer(path, since)]
        own = _own(files, folders)
        if len(own) < len(files):
            told = f"{len(files) - len(own)} session files of {name} may have come with the project"
            bad.append(BadLine(str(root), 0, f"{told}; to learn from one, pass its path"))
        other = _of_other(name, own, folders)
        ours += other.transcripts
        bad += other.bad
    if entire.HOST in hosts:
        here = {(t.host, t.session_id) for t in find(root, environ).transcripts}
        team = _of_team(root)
        ours += [t for t in team.transcripts if (t.host, t.session_id) not in here]
        bad += team.bad
    return Found(_in_order(ours), (*looked.bad, *bad))


def _own(paths: Sequence[Path], folders: Iterable[str]) -> list[Path]:
    """Return paths without those in the project that git tracks: these may come from others with a clone.

    Without git the origin is unknown, and they are left out.
    """
    inner: dict[str, set[Path]] = {}
    kept: list[Path] = []
    for path in paths:
        holding = [folder for folder in folders if inside(plain_path(str(path)), folder)]
        if holding:
            inner.setdefault(max(holding, key=len), set()).add(path)
        else:
            kept.append(path)
    for folder, held in inner.items():  # each may be a work tree, of which the outer one knows nothing
        names = {path.relative_to(folder) for path in held}
        asked = {str(name.parent if name.parent.name else name) for name in names}
        try:
            done = run(Path(folder), "ls-files", "-z", "--others", "--", *sorted(asked))
        except SourceError:
            continue
        told = done.stdout.decode("utf-8", "surrogateescape").split("\0") if not done.returncode else []
        untracked = {Path(folder, name) for name in told if name}
        kept += [path for path in paths if path in held & untracked]
    return kept


def _is_newer(path: Path, since: float) -> bool:
    try:
        return not since or path.stat().st_mtime >= since
    except OSError:
        return True  # the reader reports the error


def roots_of(transcripts: Iterable[Transcript], project: Iterable[str]) -> Roots:
    """Return the roots that the working directories of sessions show.

    Args:
        transcripts: as many of a project as possible; see `reader.survey`.
        project: folders of the project on this machine.
    """
    transcripts = list(transcripts)
    roots = survey((p for t in transcripts if t.host not in OTHERS for p in (t.path, *t.parts)), project)
    for transcript in transcripts:
        if transcript.host in OTHERS or transcript.stamp:
            roots.met(transcript.cwd)
    return roots


def find_in(path: Path) -> Found:
    """Return the transcripts in a file or folder, of any host, recognized by their content.

    Raises:
        NotFound: there is no such file or folder.
        SourceError: the file is no transcript, or cannot be read.
    """
    if not path.exists():
        raise NotFound(f"{path} does not exist", hint="Pass a transcript or a folder of transcripts.")
    files = [path] if path.is_file() else list(_files(path, _ENDINGS + _ENDINGS_OF_OTHERS))
    candidates: list[tuple[str, Path]] = []
    others: list[Transcript] = []
    bad: list[BadLine] = []
    for file in files:
        try:
            host = detect(file)
        except RemoraError as error:
            bad.append(BadLine(str(file), 0, str(error)))
            continue
        if host is not None and host in OTHERS:
            other = _of_other(host, [file])
            others += other.transcripts
            bad += other.bad
        elif host is not None:
            candidates.append((host, file))
        elif file.stat().st_size and (file.suffix in _ENDINGS or file == path):
            bad.append(BadLine(str(file), 0, "not a transcript of a known host"))
    if path.is_file() and not candidates and not others:
        reason = bad[0].reason if bad else "empty"
        raise SourceError(
            f"cannot learn from {path}: {reason}",
            hint=f"Known hosts: {', '.join(HOSTS)}; see docs/transcripts.md.",
        )
    looked = _look(candidates)
    return Found(_in_order([*looked.transcripts, *others]), (*bad, *looked.bad))


def _in_order(transcripts: Iterable[Transcript]) -> tuple[Transcript, ...]:
    """Return transcripts in order of time, without copies of sessions that are among them."""
    found = sorted(transcripts, key=lambda transcript: transcript.started or "9")
    originals = {transcript.session_id for transcript in found if transcript.host not in COPIES}
    return tuple(t for t in found if t.host not in COPIES or t.session_id not in originals)


def _of_other(host: str, paths: Iterable[Path], folders: Sequence[str] = ()) -> Found:
    """Return the sessions in files of one more host; with `folders` only those that ran in one of them."""
    found: dict[str, Transcript] = {}
    bad: list[BadLine] = []
    for path in paths:
        try:
            for session in OTHERS[host].sessions(path):
                size = session.size or path.stat().st_size
                cwd = session.cwd or (folders[0] if folders and host in NAMED else "")
                about = (session.id, session.started, cwd, size, session.branch, session.stamp)
                transcript = Transcript(host, path, (), *about)
                if not folders or _belongs(transcript, folders):
                    found.setdefault(session.id, transcript)
        except (RemoraError, OSError) as error:
            bad.append(BadLine(str(path), 0, str(error)))
    return Found(tuple(found.values()), tuple(bad))


def _of_team(root: Path) -> Found:
    """Return the sessions that the Entire CLI keeps in the repository, each by the name of its own host."""
    found: dict[tuple[str, str], Transcript] = {}
    bad: list[BadLine] = []
    for session in entire.stored(root):
        name = entire.name_of(root, session)
        try:
            with entire.laid_out(name) as file:
                seen = find_in(file)
            for t in seen.transcripts:
                branch, stamp = t.branch or session.branch, " ".join(session.parts)
                t = t._replace(path=name, size=session.size, branch=branch, stamp=stamp)
                found[t.host, t.session_id] = t
        except RemoraError as error:
            bad.append(BadLine(str(name), 0, str(error)))
    return Found(tuple(found.values()), tuple(bad))


def _claude_files(folders: Iterable[str], environ: Mapping[str, str]) -> Iterator[Path]:
    projects = home_folder(environ, ".claude", "CLAUDE_CONFIG_DIR") / "projects"
    # A subfolder's name starts with the project's; so may a neighbour's, which differs in its content.
    names = tuple(slug(folder) for folder in folders)
    named = environ.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    for folder in sorted(projects.glob("*")):
        if folder.name == named or folder.name.startswith(names):
            yield from (p for p in sorted(folder.glob("*")) if p.suffix in _ENDINGS)


def _codex_files(environ: Mapping[str, str]) -> Iterator[Path]:
    home = home_folder(environ, ".codex", "CODEX_HOME")
    for name in ("sessions", "archived_sessions"):
        for path in _files(home / name, _ENDINGS):
            if path.name.startswith("rollout-"):
                yield path


def _compressed(home: Path) -> list[BadLine]:
    """Report files that Codex has compressed: they cannot be assigned to a project unopened."""
    count = sum(1 for name in ("sessions", "archived_sessions") for _ in (home / name).rglob("rollout-*.zst"))
    return [BadLine(str(home), 0, f"{count} compressed rollouts (.zst) are not read")] if count else []


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    count = 0
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(where, name)
            if name.endswith(endings) and path.is_file():  # opening a pipe would block
                count += 1
                if count > _MAX_FILES:
                    return
                yield path


def _look(candidates: Iterable[tuple[str, Path]]) -> Found:
    """Read the heads of files and group them by session, in order of time."""
    heads: list[_Head] = []
    bad: list[BadLine] = []
    for host, path in candidates:
        try:
            heads.append(_head(host, path))
        except (RemoraError, OSError) as error:
            bad.append(BadLine(str(path), 0, str(error)))
    # The first file of a session represents it; its other files are read with it, line by line in time.
    # Of files with the same beginning the larger one is the fork: it has what its origin had, and more.
    heads.sort(key=lambda head: (head.started or "9", head.forked, head.size, str(head.path)))
    main: dict[tuple[str, str], _Head] = {}
    for head in heads:
        if head.session:
            main.setdefault((head.host, head.session), head)
    groups: dict[_Head, list[Path]] = {}
    for head in heads:
        first = main.get((head.host, head.session or head.child_of), head)
        groups.setdefault(first, []).append(head.path)
    transcripts = [_transcript(head, paths) for head, paths in groups.items()]
    covered = {path for t in transcripts for path in t.parts}
    return Found(tuple(t for t in transcripts if t.path not in covered), tuple(bad))


def _transcript(head: _Head, paths: Iterable[Path]) -> Transcript:
    """Return the transcript of a session, from its first head and the paths of all its files."""
    found = [head.path, *paths]
    found += [part for path in found for part in parts_of(path, head.host)]
    parts = tuple(path for path in dict.fromkeys(found) if path != head.path)
    size = sum(path.stat().st_size for path in (head.path, *parts) if path.exists())
    session = head.session or head.child_of
    return Transcript(head.host, head.path, parts, session, head.started, head.cwd, size)


class _Head(NamedTuple):
    host: str
    path: Path
    session: str
    child_of: str  # the session whose subagent's file it is
    started: str
    cwd: str
    forked: bool  # whether it names the origin of copied lines
    size: int


def _head(host: str, path: Path) -> _Head:
    session = child = started = cwd = ""
    forked = False
    for _, record in islice(objects(path, Counts()), _LOOKED_AT):
        started = started or instant(record.get("timestamp", record.get("at"))) or ""
        if host == codex.HOST:
            session, child, cwd = _of_codex(record, session, child, cwd)
        elif host == plain.HOST:
            session = session or string(record.get("session_id"), LONGEST)
            extra = record.get("extra")
            cwd = cwd or string(extra.get("cwd") if isinstance(extra, dict) else None, LONGEST)
        else:
            session = session or string(record.get("sessionId"), LONGEST)
            cwd = cwd or string(record.get("cwd"), LONGEST)
            forked = forked or isinstance(record.get("forkedFrom"), Mapping)
            if record.get("isSidechain") is True and path.name.startswith("agent-"):
                child = child or session
        if started and cwd and (session or child):
            break
    size = path.stat().st_size
    return _Head(host, path, "" if child else session, child, started, cwd, forked, size)


def _of_codex(record: Mapping[str, Any], session: str, child: str, cwd: str) -> tuple[str, str, str]:
    payload = record.get("payload")
    if not isinstance(payload, Mapping) or record.get("type") not in ("session_meta", "turn_context"):
        return session, child, cwd
    if not session and record.get("type") == "session_meta":
        session = string(payload.get("id"), LONGEST)
        child = codex_item.parent_of(payload, session)
    return session, child, cwd or string(payload.get("cwd"), LONGEST)


def _belongs(transcript: Transcript, folders: Iterable[str]) -> bool:
    if not transcript.cwd or "\0" in transcript.cwd:
        return False
    places = {plain_path(transcript.cwd), plain_path(os.path.realpath(transcript.cwd))}
    return any(inside(place, folder) for place in places for folder in folders)
