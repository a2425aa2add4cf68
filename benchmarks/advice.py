"""Does memory speak when it helps, and is it silent when it does not?

The recorded sessions are replayed in order of time: before each, everything that is over by then is learned,
then its prompts, calls and results are handed to an agent's loop one by one, as hooks hand them, with a
clock that stands at the session's start. What was said is held against what the recording shows:

offered early   labelled errors that came back (`labels/errors.tsv`): was what resolved them offered at an
                event before the command that failed? What came with that very command, and when it had
                failed, is counted apart. "At an action" leaves the brief and the first prompt out.
how often       the share of actions (a call with its result) at which anything was said
right           each memory that was said at an action, as far as the recording can tell: the error that it
                warned of was met from then on; a partner that it named was changed later; the command that
                it advised against failed
harm            every memory that was said at an action is asked for again where a rule first said it, with
                all that the session had done by then, from the whole store of that day, where it must stay
                silent: there is none (absent: the same moment with files, names and words that nobody knows,
                for rules of a language a language that nobody knows, for others these rules were told by
                then; whatever is said counts), a newer one
                took its place (superseded), another one says the opposite (contradictory), the agent works
                in the project next door at a file of the same name (adjacent)

The sessions were recorded without memory, so nothing here shows what an agent makes of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.agent_sessions import AgentSession, calls, failures, prompts, result_text
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.learning import Past, Stream, sessions_of
from benchmarks.session_errors import Label, labels, names, wilson
from benchmarks.session_files import Clone, History
from remora.core import moments
from remora.core.clock import FixedClock
from remora.core.moments import Moment, Reply
from remora.disk.live import Line
from remora.observer.observer import Observer
from remora.sources.transcripts.reader import read as read_transcript

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

OFTEN, SILENT = 0.10, 0.95  # promised: share of actions at most; harm conditions at least
BRIEF = ("brief", "task")
CONDITIONS = ("absent", "superseded", "contradictory", "adjacent")
# The rules of a language are there for a file of which nothing else is known.
RULES_TOLD: tuple[Line, ...] = ({"k": "before", "a": "edit", "said": [], "t": "recurring", "x": "", "w": ""},)
INSTEAD = "Superseded by what was decided since: this no longer holds here, see the notes of the release"


class Spoken(NamedTuple):
    """Something that was said: where in the session, at what, by which rule, which memories, what."""

    place: int
    moment: str
    trigger: str
    ids: tuple[str, ...]
    text: str
    path: str = ""
    call: str = ""
    asked: Moment | None = None  # the whole moment, and the lines of the session before it
    lines: tuple[Line, ...] = ()


class Replayed(NamedTuple):
    """A session with what was said in it, what its memories warn of, and what it showed itself."""

    session: AgentSession
    actions: int
    spoken: list[Spoken]
    keys: Mapping[str, str]  # memory: fingerprint of the error it is about
    files: Mapping[str, tuple[str, ...]]  # memory: files it is about
    errors: Mapping[str, int]  # fingerprint: the last step that met it
    steps: Mapping[str, int]  # id of a call: its step
    failed: Mapping[str, int]  # id of a call: place of its failed result
    changed: Mapping[str, int]  # file: place of its last change


def run(options: Options) -> Report:
    """Replay every session, or the first of them."""
    sessions = sessions_of(options)
    past = Past(sessions)
    wanted = [s for s in sessions if s.prompt][: options.limit]
    found: list[Replayed] = []
    model, settings = "none", dict[str, Any]()
    tried: set[tuple[str, str]] = set()
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
                found.append(replayed(memory, session))
            fresh = [case for case in harmful(found[-1]) if (case.trigger, case.memory) not in tried]
            tried |= {(case.trigger, case.memory) for case in fresh}
            for name in CONDITIONS if fresh else ():
                spoke[name] += condition(name, place, fresh, clock)
            if number % 10 == 0 or number == len(wanted):
                said = sum(len(r.spoken) for r in found)
                say(f"advice: {number} of {len(wanted)} sessions, {said} times something was said")
    silent = {name: Silent(len(tried), tuple(spoke[name])) for name in CONDITIONS}
    return report(found, silent, model, settings, whole=options.limit is None)


# The replay


def replayed(memory: Memory, session: AgentSession) -> Replayed:
    """Hand a session to a loop, event by event, and return what was said."""
    spoken: list[Spoken] = []
    asked = dict(prompts(session.records))
    called = {place: [] for place in range(len(session.records))}  # type: dict[int, list[tuple[str, str, Any]]]
    for place, call, name, given in calls(session.records):
        called[place].append((call, name, given))
    failed = {call: place for place, call, _ in failures(session.records)}
    open_calls: dict[str, tuple[str, Any]] = {}
    changed: dict[str, int] = {}
    actions = 0
    root, roots = str(memory.root), _roots(session)
    with memory.loop(session.id, host="claude-code") as loop:
        _heard(spoken, loop, -1, loop.brief())
        for place, record in enumerate(session.records):
            if record.get("isSidechain"):
                continue
            if place in asked:
                first = not any(line.get("k") == moments.PROMPT for line in loop._lines)
                if first:
                    _heard(spoken, loop, place, loop.first_message(asked[place]))
            for call, name, given in called[place]:
                actions += 1
                moved = _moved(given, roots, root)
                open_calls[call] = (name, moved)
                asked_at = loop._moment(moments.BEFORE, name, moved, call)
                _heard(spoken, loop, place, loop.before(name, moved, call), asked_at)
            for call, block in _results(record):
                if call in open_calls:
                    name, given = open_calls.pop(call)
                    text = result_text(block)
                    wrong = bool(block.get("is_error"))
                    kind = moments.FAILED if wrong else moments.AFTER
                    asked_at = loop._moment(kind, name, given, call, text)
                    answer = loop.after(name, given, text, failed=wrong, call_id=call)
                    _heard(spoken, loop, place, answer, asked_at)
                    if not wrong and name in ("Edit", "Write", "MultiEdit", "NotebookEdit"):
                        path = str(given.get("file_path") or given.get("notebook_path") or "")
                        changed[path.removeprefix(root + "/")] = place
    ids = {i for one in spoken for i in one.ids}
    records = memory._project.db.memories.get_many(ids)
    keys = {i: str((r.payload or {}).get("key", "")) for i, r in records.items()}
    files = {i: r.related_files for i, r in records.items()}
    errors, steps = _errors(session)
    return Replayed(session, actions, spoken, keys, files, errors, steps, failed, changed)


def _heard(spoken: list[Spoken], loop: Loop, place: int, text: str, asked: Moment | None = None) -> None:
    if text:
        *before, line = loop._lines
        path, call = str((line.get("p") or [""])[0]), asked.call_id if asked else ""
        ids = tuple(line["said"])
        spoken.append(Spoken(place, line["k"], line["t"], ids, text, path, call, asked, tuple(before)))


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


def _errors(session: AgentSession) -> tuple[dict[str, int], dict[str, int]]:
    """Return the last step at which a session met each error, and the step of each call."""
    from tempfile import TemporaryDirectory

    from benchmarks.agent_sessions import write

    steps: dict[str, int] = {}
    with TemporaryDirectory() as folder:
        file = write(session, Path(folder))
        observer = Observer(session.id, "claude-code")
        for event in read_transcript(file):
            observer.observe(event)
            if event.call_id:
                steps[event.call_id] = event.step
        met = {error.fingerprint: error.steps[-1] for error in observer.finalize().errors}
    return met, steps


# What it is held against


class Offer(NamedTuple):
    """When what resolved a labelled error was offered: nowhere is None."""

    label: Label
    early: bool  # at an event before the command that failed
    action: bool  # the same, brief and first prompt left out
    with_it: bool  # with that very command
    after: bool  # when it had failed
    triggers: tuple[str, ...] = ()  # those that offered it early


def offers(found: Sequence[Replayed]) -> list[Offer]:
    """Return for each labelled error of a replayed session when its remedy was offered."""
    by_session = {one.session.id: one for one in found}
    made = []
    for label in labels():
        one = by_session.get(label.session)
        if one is None:
            continue
        at, call = _place(one.session, label)
        # A memory must name both, alone: each is a line of what is said.
        right = [s for s in one.spoken if any(names(line, label) for line in s.text.splitlines())]
        begun = next((p for p, c, *_ in calls(one.session.records) if c == call), at)
        before = [s for s in right if s.place < begun and s.call != call]
        made.append(
            Offer(
                label,
                bool(before),
                any(s.trigger not in BRIEF for s in before),
                any(s.call == call and s.moment == moments.BEFORE for s in right),
                any(s.call == call and s.moment != moments.BEFORE for s in right),
                tuple(s.trigger for s in before),
            )
        )
    return made


def _place(session: AgentSession, label: Label) -> tuple[int, str]:
    """Return the place and the call of the result that a label is about.

    Raises:
        LookupError: there is none; the labels and the data do not fit.
    """
    for place, record in enumerate(session.records):
        if record.get("timestamp") == label.at:
            for call, block in _results(record):
                if label.query[:40] in result_text(block) or block.get("is_error"):
                    return place, call
            return place, ""
    raise LookupError(f"{label.id}: no record at {label.at}")


def right(one: Replayed, said: Spoken) -> list[bool]:
    """Return for each memory that was said whether the recording bears it out; those it cannot tell not."""
    told = []
    now = one.steps.get(said.call, 0)
    if said.trigger == "partners" and not said.ids:  # commits say it, no memory
        listed = re.findall(r"^- `([^`]+)`", said.text, re.MULTILINE)
        return [one.changed.get(path, -1) > said.place for path in listed]
    for memory in said.ids:
        if said.trigger == "partners":
            partners = set(one.files.get(memory, ())) - {said.path}
            told.append(any(one.changed.get(path, -1) > said.place for path in partners))
        elif said.trigger == "command":
            told.append(said.call in one.failed)
        elif said.trigger in ("recurring", "gotchas", "named") and len(key := one.keys.get(memory, "")) == 16:
            told.append(one.errors.get(key, -1) >= now + (said.moment != moments.BEFORE))
    return told


# What must stay unsaid


class Case(NamedTuple):
    """A memory, and the moment of a session at which a rule said it."""

    memory: str
    trigger: str
    asked: Moment
    lines: tuple[Line, ...]


class Silent(NamedTuple):
    """In how many cases something had to stay unsaid, and the rules that said it all the same."""

    cases: int
    spoke: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the cases in which it did."""
        return 1 - len(self.spoke) / self.cases if self.cases else 1.0


def harmful(one: Replayed) -> list[Case]:
    """Return the memories that were said at actions, each where a rule said it first."""
    cases: dict[tuple[str, str], Case] = {}
    for said in one.spoken:
        if said.asked is not None:
            for memory in said.ids:
                case = Case(memory, said.trigger, said.asked, said.lines)
                cases.setdefault((said.trigger, memory), case)
    return list(cases.values())


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
            lines = (*case.lines, *(RULES_TOLD if name == "absent" and case.trigger != "recurring" else ()))
            said = _said(memory, _changed(memory, name, case, number), lines)
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
    is_quote = case.memory[:1] == "q" and case.memory[1:].isdecimal()
    if name == "superseded" and is_quote:
        memory.remove_quote(case.memory)
    elif name == "superseded":
        memory.supersede(case.memory, f"{INSTEAD} ({number})")
    elif name == "contradictory" and is_quote:
        said = next(hit.text for hit in memory.quotes(1_000_000) if hit.id == case.memory)
        memory.remember(f"It is not true that {said}", source="user_taught")
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
        suffixes = [".zzyzx" if case.trigger == "recurring" else Path(path).suffix for path in asked.paths]
        paths = tuple(unknown + suffix for suffix in suffixes)
        words = f"zzyzx{number} --frobnicate{number}"
        asked = asked._replace(
            paths=paths, command=words, pattern=words, text=words, changed=words, removed=words
        )
    return asked


# The report


def report(
    found: Sequence[Replayed],
    silent: Mapping[str, Silent],
    model: str,
    settings: dict[str, Any],
    *,
    whole: bool,
) -> Report:
    """Return when remedies were offered, how often anything was said, and how much of it was right."""
    offered = offers(found)
    actions = sum(one.actions for one in found)
    said = [(one, s) for one in found for s in one.spoken if s.trigger not in BRIEF]
    at = {(one.session.id, s.call) for one, s in said}
    share = len(at) / max(1, actions)
    judged = [(s.trigger, right(one, s)) for one, s in said]
    told = [r for _, own in judged for r in own]
    lines: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {"sessions": len(found), "actions": actions, "labelled": len(offered)}
    for name, field in (
        ("before the command that failed", "early"),
        ("the same, at an action", "action"),
        ("with that command", "with_it"),
        ("when it had failed", "after"),
    ):
        share_of = wilson(sum(getattr(o, field) for o in offered), len(offered))
        lines.append((name, share_of.mean, share_of.low, share_of.high))
        figures[name] = share_of._asdict()
    any_time = wilson(sum(o.early or o.with_it or o.after for o in offered), len(offered))
    lines.append(("at any of them", any_time.mean, any_time.low, any_time.high))
    precision = wilson(sum(told), len(told))
    triggers = Counter(trigger for trigger, _ in judged)
    rows = []
    for trigger, times in triggers.most_common():
        own = [r for t, told_of in judged if t == trigger for r in told_of]
        early = sum(trigger in o.triggers for o in offered)
        rows.append((trigger, times, len(own), sum(own) / len(own) if own else "-", early))
    figures |= {
        "share of actions": share,
        "right": precision._asdict(),
        "judged": len(told),
        "silent": {name: {"share": one.share, **one._asdict()} for name, one in silent.items()},
        "by trigger": dict(triggers),
    }
    tables = (
        Table(
            f"What resolved an error that came back was offered, {len(offered)}",
            ("", "share", "low", "high"),
            tuple(lines),
        ),
        Table(
            "What was said at actions",
            ("trigger", "times", "can be told", "right", "offered early"),
            tuple(rows),
        ),
        Table(
            "At actions, together",
            ("", ""),
            (
                ("actions", actions),
                ("share at which anything was said", share),
                ("right, of what can be told", precision.mean),
                ("  low", precision.low),
                ("  high", precision.high),
            ),
        ),
        Table(
            "Silent where it must be",
            ("", "share", "cases", "spoke"),
            tuple((name, s.share, s.cases, _counted(s.spoke)) for name, s in silent.items()),
        ),
    )
    checks = (
        Check("share of actions", share, f"<= {OFTEN}", share <= OFTEN),
        *(Check.at_least(f"silent: {name}", one.share, SILENT) for name, one in silent.items()),
    )
    missed = [o.label.id for o in offered if not (o.early or o.with_it)]
    notes = (f"not offered by then: {', '.join(missed)}",)
    figures["settings"] = json.loads(json.dumps(settings.get("inject", {})))
    return Report("advice", figures, tables, checks if whole else (), notes, model, settings)


def _counted(triggers: Sequence[str]) -> str:
    return ", ".join(f"{name} {times}" for name, times in Counter(triggers).most_common()) or "-"
