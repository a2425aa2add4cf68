"""Is memory silent where its advice would do harm?

The recorded sessions are replayed in order of time: before each, everything that is over by then is learned,
then its prompts, calls and results are handed to an agent's loop one by one, as hooks hand them, with a
clock that stands at the session's start. Every memory that was said at an action is asked for again where a
rule first said it, with all that the session had done by then, from the whole store of that day, where it
must stay silent:

absent          the same moment with files, names and words that nobody knows; whatever is said counts
superseded      a newer memory took its place
contradictory   another one says the opposite
adjacent        the agent works in the project next door, at a file of the same name
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.agent_sessions import AgentSession, calls, prompts, result_text
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.learning import Past, Stream, sessions_of
from benchmarks.session_files import Clone, History
from remora.core import moments
from remora.core.clock import FixedClock
from remora.core.moments import Moment, Reply
from remora.disk.live import Line

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

SILENT = 0.95  # promised of each condition, at least
CONDITIONS = ("absent", "superseded", "contradictory", "adjacent")
INSTEAD = "Superseded by what was decided since: this no longer holds here, see the notes of the release"


class Case(NamedTuple):
    """A memory, the rule that said it at a moment of a session, and the lines of the session before it."""

    memory: str
    trigger: str
    asked: Moment
    lines: tuple[Line, ...]


def run(options: Options) -> Report:
    """Replay every session, or the first of them."""
    sessions = sessions_of(options)
    past = Past(sessions)
    wanted = [s for s in sessions if s.prompt][: options.limit]
    model, settings = "none", dict[str, Any]()
    tried: set[tuple[str, str]] = set()
    actions = 0
    spoke: dict[str, list[str]] = {name: [] for name in CONDITIONS}
    with workplace(options.keep, "advice") as place:
        stream = Stream(place, past)
        history, clone = None, None
        if options.repo is not None:
            history, clone = History(options.repo), Clone(options.repo, place)
        for number, session in enumerate(wanted, 1):
            tree = history is not None and clone is not None and clone.stand_at(history, session)
            clock = FixedClock(session.started)
            with memory_in(place, clock=clock) as memory:
                if tree:
                    memory.init()
                stream.learn_before(memory, session)
                memory.catch_up()
            with memory_in(place, read_only=True, clock=clock) as memory:
                model, settings = model_of(memory), settings_of(memory)
                own, cases = replayed(memory, session)
            actions += own
            first = {(case.trigger, case.memory): case for case in reversed(cases)}
            fresh = [case for key, case in first.items() if key not in tried]
            tried.update(first)
            for name in CONDITIONS if fresh else ():
                spoke[name] += condition(name, place, fresh, clock)
            if number % 10 == 0 or number == len(wanted):
                say(f"advice: {number} of {len(wanted)} sessions, {len(tried)} memories said at actions")
    shares = {name: 1 - len(own) / len(tried) if tried else 1.0 for name, own in spoke.items()}
    figures = {
        "sessions": len(wanted),
        "actions": actions,
        "cases": len(tried),
        "silent": shares,
        "spoke": spoke,
    }
    table = Table(
        f"Silent where it must be, {len(tried)} memories",
        ("", "share", "spoke"),
        tuple((name, share, _counted(spoke[name])) for name, share in shares.items()),
    )
    checks = tuple(Check.at_least(f"silent: {name}", share, SILENT) for name, share in shares.items())
    return Report("advice", figures, (table,), checks if options.limit is None else (), (), model, settings)


def replayed(memory: Memory, session: AgentSession) -> tuple[int, list[Case]]:
    """Hand a session to a loop, event by event; return its number of actions, and what was said at them."""
    said: list[Case] = []
    asked = dict(prompts(session.records))
    called: dict[int, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for place, call, name, given in calls(session.records):
        called.setdefault(place, []).append((call, name, given))
    open_calls: dict[str, tuple[str, dict[str, Any]]] = {}
    root, roots = str(memory.root), _roots(session)
    with memory.loop(session.id, host="claude-code") as loop:
        loop.brief()
        for place, record in enumerate(session.records):
            if record.get("isSidechain"):
                continue
            if place in asked and not any(line.get("k") == moments.PROMPT for line in loop._lines):
                loop.first_message(asked[place])
            for call, name, given in called.get(place, ()):
                moved = _moved(given, roots, root)
                open_calls[call] = (name, moved)
                moment = loop._moment(moments.BEFORE, name, moved, call)
                said += _heard(loop, loop.before(name, moved, call), moment)
            for call, block in _results(record):
                if call in open_calls:
                    name, moved = open_calls.pop(call)
                    text, wrong = result_text(block), bool(block.get("is_error"))
                    kind = moments.FAILED if wrong else moments.AFTER
                    moment = loop._moment(kind, name, moved, call, text)
                    said += _heard(loop, loop.after(name, moved, text, failed=wrong, call_id=call), moment)
    return sum(map(len, called.values())), said


def _heard(loop: Loop, text: str, asked: Moment) -> Iterator[Case]:
    if text:
        *before, line = loop._lines
        for memory in line["said"]:
            yield Case(memory, line["t"], asked, tuple(before))


def _results(record: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    content = record["message"]["content"] if record.get("type") == "user" else ""
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "tool_result":
            yield block["tool_use_id"], block


def _roots(session: AgentSession) -> list[str]:
    """Return the folders in which a session was recorded, those below another one left out."""
    seen = dict.fromkeys(str(r["cwd"]).rstrip("/") for r in session.records if r.get("cwd"))
    return [folder for folder in seen if not any(folder.startswith(f"{other}/") for other in seen)]


def _moved(given: Mapping[str, Any], roots: Sequence[str], root: str) -> dict[str, Any]:
    """Return a call's arguments with its paths moved from the recorded work tree into the project."""
    moved = dict(given)
    for name in ("file_path", "notebook_path", "path"):
        path = given.get(name)
        for old in roots:
            if isinstance(path, str) and path.startswith(old + "/"):
                moved[name] = root + path[len(old) :]
    for old in roots:
        if isinstance(moved.get("command"), str):
            moved["command"] = re.sub(rf"(?<![\w/.-]){re.escape(old)}(?![\w.-])", root, moved["command"])
    return moved


def condition(name: str, place: Path, cases: Sequence[Case], clock: FixedClock) -> list[str]:
    """Return the rules that said in some of the cases what must not be said; the store stays as it was.

    Raises:
        LookupError: a memory is not said where it was said before: nothing can be told from its silence.
    """
    spoke = []
    with memory_in(place, embedder=None) as memory:
        database = memory._project.location.home / "memory.db"
    kept = database.read_bytes()
    for number, case in enumerate(cases):
        with memory_in(place, embedder=None, clock=clock) as memory:
            if case.memory not in _said(memory, case.asked, case.lines).ids:
                raise LookupError(f"{case.memory} is not said again at {case.asked}")
            said = _said(memory, _changed(memory, name, case, number), case.lines)
        if said.text if name == "absent" else case.memory in said.ids:
            spoke.append(said.trigger)
        for ending in ("-wal", "-shm"):
            database.with_name(database.name + ending).unlink(missing_ok=True)
        database.write_bytes(kept)
    return spoke


def _said(memory: Memory, moment: Moment, lines: Sequence[Line]) -> Reply:
    """Return what is said at a moment of a session that did so much by then."""
    with memory.loop("harm") as loop:
        loop._lines = list(lines)
        reply = loop._decided(moment)
        loop._lines = []
    return reply


def _changed(memory: Memory, name: str, case: Case, number: int) -> Moment:
    """Bring about a condition in which a memory must stay silent; return the moment at which it is asked."""
    asked = case.asked
    if name == "superseded":
        memory.supersede(case.memory, f"{INSTEAD} ({number})")
    elif name == "contradictory":
        known = memory.show(case.memory)
        denied = f"It is not true that {known.content}"
        memory.remember(denied, type="gotcha", related_files=list(known.related_files))
    elif name == "adjacent":
        next_door = str(memory.root.parent / "next-door")
        paths = tuple(path.replace(str(memory.root), next_door) for path in asked.paths)
        command = asked.command.replace(str(memory.root), next_door)
        asked = asked._replace(cwd=next_door, paths=paths, command=command)
    else:
        unknown = f"{memory.root}/nowhere/zzyzx{number}"
        paths = tuple(unknown + Path(path).suffix for path in asked.paths)
        words = f"zzyzx{number} --frobnicate{number}"
        asked = asked._replace(
            paths=paths, command=words, pattern=words, text=words, changed=words, removed=words
        )
    return asked


def _counted(triggers: Sequence[str]) -> str:
    return ", ".join(f"{name} {times}" for name, times in Counter(triggers).most_common()) or "-"
