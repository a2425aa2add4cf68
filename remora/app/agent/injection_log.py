"""Convert the injections of a session between lines of its live file and rows of the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from remora.app.project.open_project import OpenProject
from remora.core import moments
from remora.core.clock import to_iso
from remora.core.errors import StoreError
from remora.disk.live import Head, Line, at_of
from remora.store.database import Database
from remora.store.injections import Injection
from remora.store.uses import Kind

TOLD = "told"  # kind of a line that is made from a row of the database
# Values of `Injection.followed`.
WORKED, FAILED, CHANGED = (
    "the next command worked",
    "the next command failed",
    "then changed",
)
_ACTS = (moments.AFTER, moments.FAILED)


def injections_of(head: Head, lines: Sequence[Line]) -> list[Injection]:
    """Return the injections of a session, with the actions that followed, from the lines of its live file."""
    found = []
    steps: dict[str, int] = {}
    for number, line in enumerate(lines):
        agent = str(line.get("g", ""))
        if line.get("k") in _ACTS:
            steps[agent] = steps.get(agent, 0) + 1
        if not isinstance(line.get("said"), list):
            continue
        paths = line.get("p") or []
        found.append(
            Injection(
                head.id,
                agent,
                steps.get(agent, 0),
                to_iso(at_of(line)),
                _moment(line),
                str(line.get("t", "")),
                str(paths[0]) if paths else str(line.get("q", "")),
                tuple(str(i) for i in line["said"]),
                str(line.get("x", "")),
                str(line.get("w", "")),
                _followed(line, [after for after in lines[number + 1 :] if after.get("g", "") == agent]),
            )
        )
    return found


def keep(project: OpenProject, said: Sequence[Injection]) -> None:
    """Store the injections of sessions, and count each as a use; storing them twice counts once.

    The actions that followed are a verdict. At a command or an error, an injection helped if the next command
    worked, and did not if it failed. At partner files, it helped if another file was changed.
    """
    sessions = dict.fromkeys(one.session_id for one in said)
    db = project.db
    with db.connection.transaction():
        db.injections.put(said)
        counts = {session: db.uses.said_in(session) for session in sessions}
        _note(db, said, counts)
    for store in project.stores()[1:]:  # the user's own memories are said here, too
        with suppress(StoreError), store.db.transaction():
            _note(store.db, said, counts)


def _note(
    db: Database, said: Sequence[Injection], counts: Mapping[str, Mapping[str, tuple[int, str]]]
) -> None:
    for session, known in counts.items():
        for memory_id, (times, at) in known.items():
            db.uses.note(session, "said", {memory_id: times}, at)
    for one in said:
        if verdict := _verdict(one):
            db.uses.note(one.session_id, verdict, dict.fromkeys(one.memory_ids, 1), one.at)


def _verdict(one: Injection) -> Kind | None:
    """Return the outcome of an injection as a kind of use; None if it cannot be determined."""
    verdicts: dict[str, Kind] = {WORKED: "helped", FAILED: "unhelpful"}
    if one.trigger in ("command", "error"):
        return verdicts.get(one.followed)
    return "helped" if one.trigger == "partners" and one.followed.startswith(CHANGED) else None


def lines_of(said: Sequence[Injection]) -> list[Line]:
    """Return injections as lines of a live file, for the `State` of a session that continues."""
    return [
        {
            "k": TOLD,
            "g": one.agent,
            "said": list(one.memory_ids),
            "t": one.trigger,
            "w": one.why,
            "x": one.text,
        }
        for one in said
    ]


def _followed(said: Line, after: Sequence[Line]) -> str:
    """Return the action of an agent after an injection, in words; empty if it cannot be determined."""
    acts = [line for line in after if line.get("k") in _ACTS]
    trigger = said.get("t")
    if trigger in ("command", "error"):
        runs = [line for line in acts if line.get("a") == "run"]
        own = next((run for run in runs if _moment(said) == moments.BEFORE and _same_call(said, run)), None)
        if own is not None:
            runs.remove(own)  # a host delivers an injection before a command together with its result
        if not runs:
            return "no command was run afterwards"
        return FAILED if runs[0].get("k") == moments.FAILED else WORKED
    paths = set(said.get("p") or ())
    changed = [p for line in acts if line.get("a") in ("edit", "write") for p in line.get("p", ())]
    if trigger == "partners":
        others = sorted(set(changed) - paths)
        return f"{CHANGED} {', '.join(others[:4])}" if others else "no other file was changed"
    if trigger in ("gotchas", "named") and paths:
        return "the file was changed" if paths & set(changed) else "the file was left as it is"
    return ""


def _moment(said: Line) -> str:
    """Return the kind of the moment of an injection."""
    return str(said.get("of", said.get("k", "")))


def _same_call(one: Line, other: Line) -> bool:
    """Return whether two moments belong to one call: by the call's own id, else by its arguments."""
    key = "n" if "n" in one else "i"
    return one.get(key) is not None and one.get(key) == other.get(key)
