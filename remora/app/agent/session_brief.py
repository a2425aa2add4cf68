"""Build the brief at the start of a session and the injection of its first prompt, from the open project.

The caller is a hook process or a program's own loop. The memory is opened read-only: pending embeddings and
updates are left to the work that follows a session.
"""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from remora.app.agent.detach import begin_maintenance
from remora.app.agent.hook_context import note_trouble, place_of
from remora.app.agent.person_words import still_standing
from remora.app.agent.trust import threshold_of, trust_of
from remora.app.codebase.check_commands import suggest_commands
from remora.app.codebase.freshness import IN_PROGRESS, history_is_behind, unfinished
from remora.app.learning.work_state import last_state
from remora.app.project.arguments import current_branch, filters_of
from remora.app.project.locate import DATABASE, branch_of, locate
from remora.app.project.open_project import OpenProject, opened
from remora.app.recall.relevance import relevance_bar
from remora.app.recall.search import search
from remora.core.clock import to_iso
from remora.core.config import Settings
from remora.core.errors import RemoraError
from remora.core.moments import SILENCE, Moment, Reply
from remora.core.rule_names import shown_by
from remora.core.secrets import redact
from remora.core.statement import tells
from remora.core.text import words_or_pairs
from remora.core.tokens import ceil_chars_4
from remora.core.trust import NAMES
from remora.core.values import Filters, Hit, MemoryRecord
from remora.disk.files import read_small
from remora.disk.live import Head
from remora.injection import brief as briefs
from remora.injection import render, work_state
from remora.injection.brief import WORTH, Material
from remora.injection.decide import agreeing
from remora.injection.scope import Scope, scope
from remora.injection.trial import arm_of_session
from remora.store.hook_reader import look
from remora.store.shared import SPACE

MOST = 400  # candidates of a brief, highest confidence first
TASK_HITS = 6
HOST_RULES = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")  # rule files that hosts read themselves
MOST_RULES = 200_000  # bytes of one
ASKING, NAMED = 50, 3  # tokens of the request for patterns, and of each id in it
MOST_NAMED = 30  # more memories than a brief has room for


def head_of(moment: Moment, environ: Mapping[str, str], started: str = "") -> Head:
    """Return the head of a session's live file: its project and the limits of injection.

    A folder outside of git has no memory unless a database exists. If a moment names no folder, the folder of
    its file is used, or `started`, the working folder of the hook's process; if that has no memory, a later
    moment may name one.
    """
    found = Head(moment.host, moment.session, at=to_iso(time.time()), transcript=moment.transcript)
    named = place_of(moment)
    if not (named or started) or not Path(named or started).is_dir():
        return found
    try:
        found = found._replace(root=named)
        project, settings = locate(Path(named or started), environ)
    except (RemoraError, OSError) as error:
        note_trouble(error, environ)
        return found
    if project.repository is None and not (project.home / DATABASE).exists():
        return found
    git = project.repository.git_dir / "HEAD" if project.repository is not None else ""
    arm = _arm(moment, str(project.home / DATABASE)) if settings.trial.sessions else ""
    return found._replace(
        root=str(project.root),
        home=str(project.home),
        head_file=str(git),
        timeout=settings.inject.timeout,
        limits=limits_of(settings) if settings.inject.enabled and arm != "control" else (),
        arm=arm,
    )


def _arm(moment: Moment, path: str) -> str:
    """Return the arm of a session in the trial of sessions; empty for the arm "full"."""
    hook_reader = look(path, "")
    if hook_reader is None:
        return ""
    with closing(hook_reader):
        arm = arm_of_session(hook_reader.trial()[0], moment.session)
    return "" if arm == "full" else arm


def own_head(project: OpenProject, host: str, session_id: str) -> Head:
    """Return the head of a session of a program that has the project open."""
    location = project.location
    return Head(
        host,
        session_id,
        str(location.root),
        str(location.home),
        to_iso(project.clock.now()),
        head_file=str(location.repository.git_dir / "HEAD") if location.repository is not None else "",
        limits=limits_of(project.settings),
    )


def limits_of(settings: Settings) -> tuple[float, ...]:
    """Return the settings in the order of `remora.injection.decide.Limits`; a token is four characters."""
    inject = settings.inject
    return (
        inject.threshold,
        inject.at_once,
        4 * inject.moment_tokens,
        inject.times,
        4 * inject.session_tokens,
        inject.skip_steps,
        round(1000 * settings.trial.share),
        int(inject.notice),
    )


def brief(
    head: Head,
    environ: Mapping[str, str],
    *,
    again: bool = False,
    recorded: Sequence[str] = (),
    transcript: str = "",
) -> Reply:
    """Return the injection at the start of a session.

    After a compaction or a pause, the session's own records come first; the notices to the user and the mark
    of an unfinished index are left out.

    Args:
        head: of the session's live file.
        environ: the process environment.
        again: the session continues.
        recorded: the statements that it recorded.
        transcript: path of its transcript, after a compaction: the person's sentences come first.
    """
    if not (Path(head.home) / DATABASE).exists():
        return SILENCE
    with opened(head.root, environ, read_only=True) as project:
        said = brief_of(
            project, again=again, session_id=head.session, said=_NamedIn(recorded), host=head.host
        )
        words = _own_words(transcript) if transcript and project.settings.learn.quotes else ""
        due = not again and (project.db.meta.get(SPACE) is not None or history_is_behind(project))
    if due:
        begin_maintenance(environ, head.root)  # it syncs the shared log and reads new commits meanwhile
    own = "\n".join(filter(None, (words, render.recorded(recorded) if recorded else "")))
    if not own:
        return said
    return said._replace(text=f"{own}\n{said.text}".strip(), trigger="brief", why="a session goes on")


def _own_words(transcript: str) -> str:
    """Return what the person said in a session and should still be known; empty if it cannot be read."""
    with suppress(RemoraError, OSError):
        if words := still_standing(Path(transcript)):
            return render.said(words)
    return ""


class _NamedIn:
    """The ids of the memories that texts name, as a container; ids count in the length that is displayed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)

    def __contains__(self, memory_id: object) -> bool:
        return f"#{str(memory_id)[: render.SHORT]}]" in self._text


def brief_of(
    project: OpenProject,
    *,
    again: bool = False,
    session_id: str | None = None,
    task: str = "",
    said: Container[str] = frozenset(),
    host: str = "",
) -> Reply:
    """Return the injection at the start of a session, from an open project.

    Args:
        project: the open project.
        again: the session continues.
        session_id: id of the session that begins; its own work state comes first.
        task: its task, if it is known already.
        said: ids of memories that the session received elsewhere.
        host: memories from rule files that this host shows are left out; for an unknown host, those from any
            rule file for agents.
    """
    inject = project.settings.inject
    if not inject.enabled:
        return SILENCE
    commands = suggest_commands(project, 3 * briefs.COMMANDS)
    left = _left_open(project, task, session_id)
    state = work_state.told(left) if left is not None and left.id not in said else ""
    counts = project.db.memories.counts()
    live = counts["live"]
    held = f"{live:,} memor{'y' if live == 1 else 'ies'}" if live else ""
    material = Material(
        [r for r in _candidates(project, host) if r.id not in said],
        commands,
        state,
        held,
        left.id if left is not None else "",
        _longterm(project),
        inject.longterm_tokens,
        " ".join(filter(None, (_welcome(project, held, session_id), _notice(project)))) if not again else "",
        inject.ask,
    )
    head = f"[{IN_PROGRESS}]\n" if not again and unfinished(project) == IN_PROGRESS else ""
    asks = material.asks and not again
    lacking = [r.id for r in material.records if briefs.lacks_patterns(r)] if asks else []
    new = set(lacking) - project.db.injections.known(lacking)  # an agent is asked about each once
    made = briefs.brief(
        material,
        tokens=inject.brief_tokens
        - ceil_chars_4(head)
        - (ASKING + NAMED * min(len(new), MOST_NAMED) if new else 0),
        threshold=threshold_of(project),
        now=project.clock.now(),
    )
    asked = [f"#{one[: render.SHORT]}" for one in made.ids if one in new]
    ask = briefs.ASK_PATTERNS.format(ids=", ".join(asked)) if asked else ""
    text = "\n".join(filter(None, (f"{head}{made.text}".rstrip(), ask)))
    return Reply(text, ids=made.ids, trigger="brief", why="a session begins") if text else SILENCE


def task(head: Head, text: str, environ: Mapping[str, str], *, said: Container[str]) -> Reply:
    """Return the injection of the first prompt of a session: memories relevant to its task.

    It may include the work state of a session that was learned only after this one began.
    """
    if not (Path(head.home) / DATABASE).exists():
        return SILENCE
    with opened(head.root, environ, read_only=True) as project:
        return task_of(project, text, session_id=head.session, said=said, host=head.host)


def task_of(
    project: OpenProject,
    text: str,
    *,
    session_id: str | None = None,
    said: Container[str] = frozenset(),
    host: str = "",
) -> Reply:
    """Return the injection for a task, from an open project; memories below the relevance bar are left out.

    Args:
        project: the open project.
        text: the task.
        session_id: id of the session; its own work state is not repeated to it.
        said: ids of memories that the session received.
        host: memories from rule files that this host shows are left out.
    """
    inject = project.settings.inject
    if not inject.enabled or len(words_or_pairs(text)) < 3:
        return SILENCE
    bar, now = relevance_bar(project), project.clock.now()
    with suppress(RemoraError):
        filters = filters_of(project, kinds=("memory",), branch=current_branch(project, None))
        hits = search(project, text[:2_000], 3 * TASK_HITS, filters).hits
        threshold, place = threshold_of(project), scope(project.db, text)
        worth = [h for h in hits if _worth_saying(h, bar, threshold, said, now, host, place)]
        agreed = {n.id for n in agreeing([briefs.as_note(h.memory) for h in worth if h.memory is not None])}
        chosen = [h for h in worth if h.id in agreed][:TASK_HITS]
        lines = [render.line(briefs.as_note(h.memory)) for h in chosen if h.memory is not None]
        room = 4 * inject.task_tokens
        while lines and sum(map(len, lines)) > room:
            lines.pop()
        ids = tuple(h.id for h in chosen[: len(lines)])
        if lines:
            lines.insert(0, "This project's memory about this task:")
        left = _left_open(project, text)
        if left is not None and left.id not in said and left.session_id != session_id:
            lines, ids = [work_state.told(left).removeprefix("## "), *lines], (left.id, *ids)
        if lines:
            return Reply("\n".join(lines), ids=ids, trigger="task", why="the first prompt")
    return SILENCE


def _left_open(project: OpenProject, task: str, session_id: str | None = None) -> MemoryRecord | None:
    """Return the work state that a session continues; None if there is none."""
    return last_state(project, task, session_id=session_id, branch=branch_of(project.location.repository))


def _welcome(project: OpenProject, held: str, session_id: str | None) -> str:
    """Return the notice to a project's first session: the number of memories, and the trust level."""
    if not held or project.db.sessions.count() or trust_of(project).level != min(NAMES):
        return ""
    if any(one.session_id.partition(":")[2] != session_id for one in project.db.injections.latest()):
        return ""
    return f"First session: {held} so far; learned ones need more evidence at first (`remora trust`)."


def _notice(project: OpenProject) -> str:
    """Return the team's conflicts and disputes that wait for the user; empty for none."""
    if project.db.meta.get(SPACE) is None:
        return ""
    from remora.app.sharing.team import conflicts, for_me  # only where a project is shared

    waits = (("conflict", "conflicts", conflicts(project)), ("dispute", "dispute", for_me(project)))
    said = [
        f"{len(found)} {what}{'' if len(found) == 1 else 's'} (`remora {verb}`)"
        for what, verb, found in waits
        if found
    ]
    return f"(For the user to decide: {' and '.join(said)}.)" if said else ""


def _longterm(project: OpenProject) -> list[str]:
    """Return the lines of MEMORY.md, without those that a rule file of the project also holds.

    None are returned if a rule file imports MEMORY.md: the host reads both itself.
    """
    if not project.settings.journal.enabled or not project.settings.inject.longterm_tokens:
        return []
    text = project.journal().read_memory().text
    if not text.strip():
        return []
    shown = ""
    for name in HOST_RULES:
        with suppress(RemoraError, OSError, UnicodeDecodeError):
            shown += (read_small(project.location.root / name, MOST_RULES) or b"").decode("utf-8", "replace")
    if str(project.memory_folder / "MEMORY.md") in shown:
        return []
    lines = (line.strip().lstrip("-*# ").strip() for line in redact(text).text.splitlines())
    return [line for line in lines if line and line not in shown]


def _candidates(project: OpenProject, host: str) -> list[MemoryRecord]:
    branch = branch_of(project.location.repository)
    filters = Filters(types=tuple(WORTH), branch=branch, kinds=("memory",))
    return [
        record
        for store in project.searched_stores()
        for record in store.db.memories.find(filters, order="confidence", limit=MOST)
        if not record.silent and record.branch in (None, "", branch) and not _is_shown(record, host)
    ]


def _is_shown(record: MemoryRecord, host: str) -> bool:
    """Return whether the host shows a memory to the agent itself."""
    paths = [origin.path for origin in record.origins if origin.path]
    return not record.pinned and shown_by(host, paths, record.tags)


def _worth_saying(
    hit: Hit, bar: float, threshold: float, said: Container[str], now: float, host: str, place: Scope
) -> bool:
    record = hit.memory
    if record is None or record.silent or hit.id in said or record.type == "work_state":
        return False
    if briefs.is_shaken(record) or not tells(record.content):
        return False
    if _is_shown(record, host) or hit.disagrees_with:
        return False
    kept = record.pinned or record.user_verified
    of_a_folder = record.scope == "module" and any(origin.path for origin in record.origins)
    elsewhere = of_a_folder and not place.nearness(record)
    if hit.score < bar or ((elsewhere or briefs.waits_for_its_action(record)) and not kept):
        return False
    return not briefs.silence(record, threshold, now)
