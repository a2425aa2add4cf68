"""The randomised trial: compare moments with injections and moments held back, and adjust by the result.

Units come from the live files of sessions; the following actions are counted in the same way in both arms.
Differences between sessions are lower bounds: a session without injections still profits from the notes that
others wrote into files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from remora.app.project.accesses import BOOSTS
from remora.app.project.open_project import OpenProject
from remora.app.recall.search import WEIGHTS, phase_weights, weight_versions
from remora.core import moments, trial
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.evidence import QUIET
from remora.core.trial import HELD, SAID, Compared, Estimate
from remora.disk.live import Head, Line, at_of
from remora.injection.trial import HELD as HELD_KEY
from remora.injection.trial import UNIT
from remora.store.hook_reader import AT_ONCE
from remora.store.trials import MOMENT, SESSION, Effect, Unit

NEXT = 10  # calls within which a failure counts as following an injection
PHASE_OF = {"gotchas": "implement", "named": "implement", "undoing": "implement", "partners": "implement"}
PHASE_OF |= {"command": "validate", "error": "validate", "search": "explore"}
_ACTS = (moments.AFTER, moments.FAILED)
_NEXT_COMMAND = ("command", "error")


class Proposal(NamedTuple):
    """A new weight of a memory type in a phase, for a person to apply.

    Attributes:
        phase, type: the key of the weight.
        old, new: the current and the proposed weight.
        units: number of units behind it.
    """

    phase: str
    type: str
    old: float
    new: float
    units: int


class TrialReport(NamedTuple):
    """The results of the trial.

    Attributes:
        share: share of injections that are held back.
        told, held: number of moments of each arm.
        figures: comparisons between moments with injections and moments held back.
        sessions: comparisons between sessions; empty if whole sessions are not compared.
        corrections: share of uses that were called wrong, with their number.
        boosts: share of searches whose first hits the neighbourhood boost changed; no searches if it is off.
        at_once: failures by the number of memories at a moment: (memories, moments, share of failures).
        decided: number of memories at a moment, as decided by the trial; 0 while undecided.
        quiet: memories that are no longer injected at a trigger, with their counts.
        proposals: proposed phase weights.
        applied: number of applied versions of phase weights.
    """

    share: float
    told: int
    held: int
    figures: tuple[Compared, ...]
    sessions: tuple[Compared, ...]
    corrections: Estimate
    boosts: Estimate
    at_once: tuple[tuple[int, int, float], ...]
    decided: int
    quiet: tuple[Effect, ...]
    proposals: tuple[Proposal, ...]
    applied: int


# Units


def units_of(head: Head, lines: Sequence[Line], known: Mapping[str, int]) -> list[Unit]:
    """Return the units of a session, from the lines of its live file.

    Args:
        head: the head of the live file.
        lines: the lines of the live file.
        known: number of earlier sessions that read each file.
    """
    session = head.id
    found = []
    for number, line in enumerate(lines):
        unit = line.get(UNIT)
        if not isinstance(unit, list) or not unit:
            continue
        agent = line.get("g", "")
        after = [one for one in lines[number + 1 :] if one.get("g", "") == agent]
        calls = _until_prompt(after)
        ids = line.get(HELD_KEY) or line.get("said") or ()
        at = to_iso(at_of(line))
        found.append(
            Unit(
                f"{session}:{at}:{number}",
                MOMENT,
                session,
                HELD if HELD_KEY in line else SAID,
                at,
                str(line.get("t", "")),
                tuple(str(one) for one in unit[1:]),
                len(ids),
                int(unit[0]),
                _failed(str(line.get("t", "")), line, after),
                len(calls),
                _rereads(calls, known),
                tuple(str(one) for one in ids),
            )
        )
    prompts = sum(one.get("k") == moments.PROMPT for one in lines)
    acts = [one for one in lines if one.get("k") in _ACTS]
    if acts:
        found.append(
            Unit(
                session,
                SESSION,
                session,
                head.arm or "full",
                to_iso(at_of(lines[-1])),
                calls=round(len(acts) / max(1, prompts)),
                rereads=_rereads(acts, known),
                failed=int(any(one.get("k") == moments.FAILED for one in acts)),
            )
        )
    return found


def _until_prompt(after: Sequence[Line]) -> list[Line]:
    before = takewhile(lambda one: one.get("k") != moments.PROMPT, after)
    return [one for one in before if one.get("k") in _ACTS]


def _failed(trigger: str, said: Line, after: Sequence[Line]) -> int | None:
    """Return whether a failure followed: the next command after advice about one, else any of NEXT calls."""
    acts = [one for one in after if one.get("k") in _ACTS]
    if trigger in _NEXT_COMMAND:
        acts = [one for one in acts if one.get("a") == "run"]
        if said.get("of") == moments.FAILED and acts and acts[0].get("i") == said.get("i"):
            acts = acts[1:]
        acts = acts[:1]
    if not acts:
        return None
    return int(any(one.get("k") == moments.FAILED for one in acts[:NEXT]))


def _rereads(acts: Sequence[Line], known: Mapping[str, int]) -> int:
    read: set[str] = set()
    changed: set[str] = set()
    for one in acts:
        paths = [str(path) for path in one.get("p", ())]
        if one.get("a") == "read":
            read |= {path for path in paths if known.get(path) and path not in changed}
        elif one.get("a") in ("edit", "write"):
            changed.update(paths)
    return len(read)


def keep_units(project: OpenProject, head: Head, lines: Sequence[Line]) -> None:
    """Store the units of a session; storing them twice counts them once."""
    units = units_of(head, lines, project.db.sessions.reads())
    if units:
        with project.db.transaction():
            project.db.trials.put(units)


# Memories that do not help are silenced


def weigh_memories(project: OpenProject) -> None:
    """Recompute the effect of each memory at each trigger, and the number of memories at a moment."""
    db = project.db
    verdicts = db.trials.verdicts()
    usual: dict[str, list[int]] = {}
    for _, trigger, helped, unhelped in verdicts:
        sums = usual.setdefault(trigger, [0, 0])
        sums[0] += helped
        sums[1] += unhelped
    effects = []
    for memory_id, trigger, helped, unhelped in verdicts:
        yes, no = usual[trigger]
        # The trigger's average leaves out the memory itself; a small project has a prior of one half.
        others, weight = yes + no - helped - unhelped, trial.PRIOR_WEIGHT
        prior = (yes - helped + 0.5 * weight) / (others + weight)
        effects.append(Effect(memory_id, trigger, trial.factor(helped, unhelped, prior), helped, unhelped))
    decided = _at_once(db.trials.units(MOMENT))[1]
    with db.transaction():
        db.trials.set_effects(one for one in effects if one.factor != 1.0)
        if decided != db.meta.get(AT_ONCE, 0):
            db.meta.set(AT_ONCE, decided)


def _at_once(units: Sequence[Unit]) -> tuple[list[tuple[int, int, float]], int]:
    """Return failures by the number of injected memories, and the best number; 0 while it is undecided."""
    by: dict[int, list[float]] = {}
    for one in units:
        if one.arm == SAID and one.had > 1 and one.failed is not None:
            by.setdefault(one.shown, []).append(float(one.failed))
    rows = [(shown, len(v), sum(v) / len(v)) for shown, v in sorted(by.items())]
    enough = {shown: v for shown, v in by.items() if len(v) >= trial.LEAST}
    if len(enough) < 2:
        return rows, 0
    best = min(enough, key=lambda shown: (sum(enough[shown]) / len(enough[shown]), shown))
    others = [v for shown, v in enough.items() if shown != best]
    clear = all(trial.interval(enough[best], v, shares=True)[1] < 0 for v in others)
    return rows, best if clear else 0


# The report


def report(project: OpenProject) -> TrialReport:
    """Return the results of the trial so far; see `Memory.trial`."""
    db = project.db
    units = db.trials.units(MOMENT)
    sessions = db.trials.units(SESSION)
    wrong, uses = db.uses.corrections()
    searches, changed = db.meta.get(BOOSTS, (0, 0))
    rows, _ = _at_once(units)
    compared = [one for one in sessions if one.arm != "passive"]
    apart = [one._replace(arm=HELD if one.arm == "control" else SAID) for one in compared]
    return TrialReport(
        project.settings.trial.share,
        sum(one.arm == SAID for one in units),
        sum(one.arm == HELD for one in units),
        _figures(units),
        _figures(apart) if any(one.arm == HELD for one in apart) else (),
        trial.share_of([1.0] * wrong + [0.0] * (uses - wrong)),
        trial.share_of([1.0] * changed + [0.0] * (searches - changed)),
        tuple(rows),
        int(db.meta.get(AT_ONCE, 0)),
        tuple(one for one in db.trials.all_effects() if one.factor <= QUIET),
        tuple(proposals(project, units)),
        len(weight_versions(project)),
    )


_MEASURED: tuple[tuple[str, str, bool, bool, float | None], ...] = (
    ("failures", "failed", True, True, None),
    ("tool calls of the task", "calls", False, True, -0.20),
    ("files read again", "rereads", False, True, -0.50),
    ("checks passed the first time", "passed", True, False, 0.15),
    ("dead ends entered again", "dead_end", True, True, None),
)


def _figures(units: Sequence[Unit]) -> tuple[Compared, ...]:
    found = []
    for name, field, shares, less, target in _MEASURED:
        values = [(one.arm, float(value)) for one in units if (value := getattr(one, field)) is not None]
        found.append(trial.compare(name, values, shares=shares, less_is_better=less, target=target))
    return tuple(found)


def proposals(project: OpenProject, units: Sequence[Unit]) -> list[Proposal]:
    """Return the phase weights that the trial supports.

    Only the difference between injected and held back counts: injections at difficult files go with failures
    anyway.
    """
    now = phase_weights(project)
    by: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for one in units:
        phase = PHASE_OF.get(one.trigger)
        if phase is not None and one.failed is not None:
            for kind in dict.fromkeys(one.types):
                by.setdefault((phase, kind), []).append((one.arm, float(one.failed)))
    found = []
    for (phase, kind), values in sorted(by.items()):
        told, held = ([v for arm, v in values if arm == which] for which in (SAID, HELD))
        if len(told) < trial.LEAST or len(held) < trial.LEAST:
            continue
        low, high = trial.interval(told, held, shares=True, z=trial.Z90)
        if low <= 0 <= high:
            continue
        effect = sum(held) / len(held) - sum(told) / len(told)
        shrunk = effect * len(held) / (len(held) + trial.PRIOR_WEIGHT)
        old = now.get(phase, {}).get(kind, 1.0)
        new = round(min(trial.BOUNDS[1], max(trial.BOUNDS[0], old * (1 + shrunk))), 2)
        if new != old:
            found.append(Proposal(phase, kind, old, new, len(values)))
    return found


def apply(project: OpenProject) -> list[Proposal]:
    """Apply the proposed phase weights and return them.

    Raises:
        InvalidInput: nothing is proposed.
    """
    project.must_be_writable()
    found = proposals(project, project.db.trials.units(MOMENT))
    if not found:
        raise InvalidInput("nothing is proposed", hint="`remora trial` shows the number of moments.")
    before = weight_versions(project)
    known = {(phase, kind): value for phase, kind, value in (before[-1] if before else ())}
    known |= {(one.phase, one.type): one.new for one in found}
    with project.db.transaction():
        project.db.meta.set(WEIGHTS, [*before, [[*key, value] for key, value in sorted(known.items())]])
    return found


def undo(project: OpenProject) -> int:
    """Undo the last applied phase weights; return the number of versions left.

    Raises:
        InvalidInput: none was applied.
    """
    project.must_be_writable()
    before = weight_versions(project)
    if not before:
        raise InvalidInput("no phase weights were applied")
    with project.db.transaction():
        project.db.meta.set(WEIGHTS, before[:-1])
    return len(before) - 1
