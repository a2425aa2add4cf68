"""What was said to agents in a session, from the lines of its live file and back."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core import moments
from remora.core.clock import to_iso
from remora.disk.live import Head, Line
from remora.store.injections import Injection

TOLD = "told"  # of a line that is made of what the database has
_ACTS = (moments.AFTER, moments.FAILED)


def injections_of(head: Head, lines: Sequence[Line]) -> list[Injection]:
    """Return what was said in a session, with what followed, from the lines of its live file."""
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
                f"{head.host}:{head.session}",
                agent,
                steps.get(agent, 0),
                to_iso(float(line.get("at", 0)) / 1000),
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


def lines_of(said: Sequence[Injection]) -> list[Line]:
    """Return what was said in a session as lines, for the state of one that goes on; no more is in them."""
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
    """Return in words what an agent did after something was said to it; empty where nothing can be told."""
    acts = [line for line in after if line.get("k") in _ACTS]
    trigger = said.get("t")
    if trigger in ("command", "error"):
        runs = [line for line in acts if line.get("a") == "run"]
        own = next((run for run in runs if _moment(said) == moments.BEFORE and _same_call(said, run)), None)
        if own is not None:
            runs.remove(own)  # a host hands over what is said before a command together with its result
        if not runs:
            return "no command was run afterwards"
        return "the next command failed" if runs[0].get("k") == moments.FAILED else "the next command worked"
    paths = set(said.get("p") or ())
    changed = [p for line in acts if line.get("a") in ("edit", "write") for p in line.get("p", ())]
    if trigger == "partners":
        others = sorted(set(changed) - paths)
        return f"then changed {', '.join(others[:4])}" if others else "no other file was changed"
    if trigger in ("gotchas", "named") and paths:
        return "the file was changed" if paths & set(changed) else "the file was left as it is"
    return ""


def _moment(said: Line) -> str:
    """Return the kind of the moment at which something was said."""
    return str(said.get("of", said.get("k", "")))


def _same_call(one: Line, other: Line) -> bool:
    """Return whether two moments are of one call: by an id of its own, else by what was asked of the tool."""
    key = "n" if "n" in one else "i"
    return one.get(key) is not None and one.get(key) == other.get(key)
