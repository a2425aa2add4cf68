"""Does memory speak when it helps, and is it silent when it does not?

The recorded sessions are replayed in order of time: before each, everything that is over by then is learnt,
then its prompts, calls and results are handed to an agent's loop one by one, as hooks hand them, with a
clock that stands at the session's start. What was said is held against what the recording shows:

offered early   labelled errors that came back (`labels/errors.tsv`): was what resolved them offered at an
                event before the command that failed? What came with that very command, and when it had
                failed, is counted apart. "At an action" leaves the brief and the first prompt out.
how often       the share of actions (a call with its result) at which anything was said
right           of what was said at actions, as far as the recording can tell: the error that was warned of
                was met in the session; a partner that was named was changed later; the command that was
                advised against failed; what a search was told was used later
harm            memories that must stay silent at the action they would fit: there is none (absent), a newer
                one took its place (superseded), another one says the opposite (contradictory), it is of the
                project next door (adjacent). The memories are those that the replay spoke of.

The sessions were recorded without memory, so nothing here shows what an agent makes of it.
"""

from __future__ import annotations

import json
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
from remora.observer.observer import Observer
from remora.sources.transcripts.reading import read as read_transcript

if TYPE_CHECKING:
    from remora.app.loop import Loop
    from remora.app.memory import Memory

OFTEN, SILENT = 0.10, 0.95  # promised: share of actions at most; harm conditions at least
BRIEF = ("brief", "task")
CASES = 40  # of each harm condition
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


class Replayed(NamedTuple):
    """A session with what was said in it, what its memories warn of, and what it showed itself."""

    session: AgentSession
    actions: int
    spoken: list[Spoken]
    keys: Mapping[str, str]  # memory: fingerprint of the error it is about
    files: Mapping[str, tuple[str, ...]]  # memory: files it is about
    errors: frozenset[str]
    failed: Mapping[str, int]  # id of a call: place of its failed result
    changed: Mapping[str, int]  # file: place of its last change


def run(options: Options) -> Report:
    """Replay every session, or the first of them."""
    sessions = sessions_of(options)
    past = Past(sessions)
    wanted = [s for s in sessions if s.prompt][: options.limit]
    found: list[Replayed] = []
    model, settings = "none", dict[str, Any]()
    with workplace(options.keep, "advice") as place:
        stream = Stream(place, past)
        history, clone = None, None
        if options.repo is not None:
            history, clone = History(options.repo), Clone(options.repo, place)
        for number, session in enumerate(wanted, 1):
            tree = history is not None and clone is not None and clone.stand_at(history, session)
            with memory_in(place) as memory:
                if tree:
                    memory.init()
                stream.learn_before(memory, session)
                memory.catch_up()
            clock = FixedClock(session.started)
            with memory_in(place, read_only=True, clock=clock) as memory:
                model, settings = model_of(memory), settings_of(memory)
                found.append(replayed(memory, session))
            if number % 10 == 0 or number == len(wanted):
                said = sum(len(r.spoken) for r in found)
                say(f"advice: {number} of {len(wanted)} sessions, {said} times something was said")
        with memory_in(place, read_only=True) as memory:
            cases = harmful(memory, found)
    silent = {name: conditions(name, cases) for name in ("absent", "superseded", "contradictory", "adjacent")}
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
    root = str(memory.root)
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
                moved = _moved(given, str(record.get("cwd", "")), root)
                open_calls[call] = (name, moved)
                _heard(spoken, loop, place, loop.before(name, moved, call), call)
            for call, block in _results(record):
                if call in open_calls:
                    name, given = open_calls.pop(call)
                    text = result_text(block)
                    wrong = bool(block.get("is_error"))
                    _heard(
                        spoken, loop, place, loop.after(name, given, text, failed=wrong, call_id=call), call
                    )
                    if not wrong and name in ("Edit", "Write", "MultiEdit", "NotebookEdit"):
                        path = str(given.get("file_path") or given.get("notebook_path") or "")
                        changed[path.removeprefix(root + "/")] = place
    ids = {i for one in spoken for i in one.ids}
    records = memory._parts.room("project").space.memories.get_many(ids)
    keys = {i: str((r.payload or {}).get("key", "")) for i, r in records.items()}
    files = {i: r.related_files for i, r in records.items()}
    return Replayed(session, actions, spoken, keys, files, _errors(session), failed, changed)


def _heard(spoken: list[Spoken], loop: Loop, place: int, text: str, call: str = "") -> None:
    if text:
        line = loop._lines[-1]
        path = str((line.get("p") or [""])[0])
        spoken.append(Spoken(place, line["k"], line["t"], tuple(line["said"]), text, path, call))


def _results(record: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    content = record["message"]["content"] if record.get("type") == "user" else ""
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "tool_result":
            yield block["tool_use_id"], block


def _moved(given: Mapping[str, Any], cwd: str, root: str) -> dict[str, Any]:
    """Return a call's arguments with its paths moved from the recorded work tree into the project."""
    moved = dict(given)
    for name in ("file_path", "notebook_path", "path"):
        path = given.get(name)
        if isinstance(path, str) and cwd and path.startswith(cwd.rstrip("/") + "/"):
            moved[name] = root + path[len(cwd.rstrip("/")) :]
    return moved


def _errors(session: AgentSession) -> frozenset[str]:
    """Return the fingerprints of the errors that a session met."""
    from tempfile import TemporaryDirectory

    from benchmarks.agent_sessions import write

    with TemporaryDirectory() as folder:
        file = write(session, Path(folder))
        observer = Observer(session.id, "claude-code")
        for event in read_transcript(file):
            observer.observe(event)
        return frozenset(error.fingerprint for error in observer.finalize().errors)


# What it is held against


class Offer(NamedTuple):
    """When what resolved a labelled error was offered: nowhere is None."""

    label: Label
    early: bool  # at an event before the command that failed
    action: bool  # the same, brief and first prompt left out
    with_it: bool  # with that very command
    after: bool  # when it had failed


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


def right(one: Replayed, said: Spoken) -> bool | None:
    """Return whether the recording bears out what was said; None where it cannot tell."""
    if said.trigger == "partners":
        partners = {path for i in said.ids for path in one.files.get(i, ())} - {said.path}
        return any(one.changed.get(path, -1) > said.place for path in partners)
    if said.trigger == "command":
        return said.call in one.failed
    keys = [one.keys.get(i, "") for i in said.ids]
    if said.trigger in ("recurring", "gotchas", "named"):
        fingerprints = [key for key in keys if len(key) == 16]
        return any(key in one.errors for key in fingerprints) if fingerprints else None
    return None


# What must stay unsaid


class Case(NamedTuple):
    """A memory and the action that makes it speak."""

    type: str
    content: str
    path: str


def harmful(memory: Memory, found: Sequence[Replayed]) -> list[Case]:
    """Return memories about files that the replay spoke of, with those files; each once."""
    space = memory._parts.room("project").space
    ids = [i for one in found for said in one.spoken for i in said.ids]
    records = space.memories.get_many(dict.fromkeys(ids))
    cases: list[Case] = []
    for record in records.values():
        path = next((p for p in record.related_files if "*" not in p), "")
        bare = record.content.split(" (seen")[0].split(" (said")[0]
        cases.append(Case("gotcha", bare, path or f"src/part{len(cases)}.go"))
    return cases[:CASES]


def conditions(name: str, cases: Sequence[Case]) -> float:
    """Return in which share of the cases that would speak the memory that must stay silent does."""
    from tempfile import TemporaryDirectory

    silent = spoke = 0
    sound = False
    with TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            place = Path(folder) / str(number)
            place.mkdir()
            with memory_in(place, embedder=None) as memory:
                for control in (True, False):
                    said = _asked(memory, case, "sound" if control else name, number)
                    if control:
                        sound = said
                        spoke += sound
                    else:
                        silent += sound and not said
    if spoke < len(cases):
        say(f"advice: {name}: {len(cases) - spoke} of {len(cases)} memories would not speak anyway")
    return silent / spoke if spoke else 1.0


def _asked(memory: Memory, case: Case, condition: str, number: int) -> bool:
    """Return whether the memory that must stay silent is said where its file is changed."""
    file = str(memory.root / case.path)
    arguments = {"file_path": file, "old_string": "a", "new_string": "b"}
    if condition == "sound":
        made = memory.remember(case.content, type=case.type, related_files=[case.path])
    elif condition == "superseded":
        old = memory.remember(case.content, type=case.type, related_files=[case.path])
        memory.supersede(old.id, f"{INSTEAD} ({number})")
        made = old
    elif condition == "contradictory":
        made = memory.remember(case.content, type=case.type, related_files=[case.path])
        memory.remember(f"It is not true that {case.content}", type=case.type, related_files=[case.path])
    elif condition == "adjacent":
        made = memory.remember(case.content, type=case.type, related_files=[case.path])
        file = str(memory.root.parent / "next-door" / case.path)
        arguments["file_path"] = file
    else:
        made = memory.remember("The release is cut on the first Monday", type=case.type)
    with memory.loop(f"{condition}-{number}") as loop:
        text = loop.before("Edit", arguments)
    memory.forget(made.id)
    return case.content[:40] in text or (condition == "absent" and bool(text))


# The report


def report(
    found: Sequence[Replayed],
    silent: Mapping[str, float],
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
    told = [r for _, r in judged if r is not None]
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
        own = [r for t, r in judged if t == trigger and r is not None]
        rows.append((trigger, times, len(own), sum(own) / len(own) if own else "-"))
    figures |= {
        "share of actions": share,
        "right": precision._asdict(),
        "judged": len(told),
        "silent": dict(silent),
        "by trigger": dict(triggers),
    }
    tables = (
        Table(
            f"What resolved an error that came back was offered, {len(offered)}",
            ("", "share", "low", "high"),
            tuple(lines),
        ),
        Table("What was said at actions", ("trigger", "times", "can be told", "right"), tuple(rows)),
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
        Table("Silent where it must be", ("", "share"), tuple(silent.items())),
    )
    checks = (
        Check("share of actions", share, f"<= {OFTEN}", share <= OFTEN),
        *(Check.at_least(f"silent: {name}", value, SILENT) for name, value in silent.items()),
    )
    missed = [o.label.id for o in offered if not (o.early or o.with_it)]
    notes = (f"not offered by then: {', '.join(missed)}",)
    figures["settings"] = json.loads(json.dumps(settings.get("inject", {})))
    return Report("advice", figures, tables, checks if whole else (), notes, model, settings)
