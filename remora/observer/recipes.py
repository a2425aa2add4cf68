"""Procedures that recur over sessions: how a change is checked, and how it is handed in.

Each session adds what it did itself (`habits`), and the recipe is read off the counts of all of them:

    checks      the formatters, linters, builds and tests that ran and passed after the last change
    hand-ins    the commands of version control after them, where they go beyond add and commit

A command is part of a recipe when three sessions ran it and a fair share of those that ran any did. Checks
are told in the order in which one runs them, hand-ins in the one in which they were run. What only the
sessions of one module run is a recipe of that module.
Commands that an agent ran after it read text from outside may have been put into its mouth: they count,
but alone they never make a recipe; three sessions must have run the command before any such reading.
Counting is incremental: a new session adds its own commands, and nothing older is read again but the
last details that `Seen` keeps.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remora.core.events import Observation, Signal
from remora.core.purposes import check_in
from remora.core.shell import bare, parts_in, without_folder
from remora.observer import signals
from remora.observer.candidate import Candidate, Evidence, Withdrawn, draft, external_id
from remora.observer.paths import inside, is_doc
from remora.observer.seen import KEPT, Seen, SeenCount, Shown
from remora.observer.sentences import code, seen_words

SESSIONS = 3  # that must have run a command
SHARE = 0.2  # of the sessions that checked anything
MODULE_SHARE = 0.4  # of the sessions that changed a module and checked anything
STEPS = 6  # of one recipe
CHECKS = ("format", "lint", "build", "test")
CONFIDENCE = 0.7
_NARROW = re.compile(
    r"\s(?:-run|-k|-t|--grep|--testNamePattern|--filter|-m)[ =]|::|\bTest[A-Z]\w+|<tmp>|\.\w{1,4}:\d"
)
_VERBS = {
    "format": "format with",
    "lint": "check with",
    "build": "build with",
    "test": "test with",
    "vcs": "hand in with",
}
_HAND_INS = re.compile(
    r"(?P<what>git (?:commit|push|tag)|gh (?:pr (?:create|ready|merge)|release create)|glab mr (?:create"
    r"|merge))\b"
)


_TELLING = re.compile(
    r" -|\b(?:tag|release|ready|merge)\b"
)  # commit, push and open a request: everybody does


class Ran(NamedTuple):
    """A command of a recipe: what it is for, in how many sessions, its average place."""

    command: str
    purpose: str
    sessions: int
    place: float


def habits(session: Observation) -> list[Signal]:
    """Return what a session adds to the counts: its checks, for all and for each module, and its hand-in."""
    changed = [use for use in session.files if use.edits and not use.path.startswith(("/", "~"))]
    if not changed:
        return []
    checks = _checks(session)
    found: list[Signal] = []
    if checks:
        since = session.outside.step or 0 if session.outside else math.inf
        runs = [run for run in session.commands if run.tainted or run.first_step > since]
        late = {c for run in runs for c in parts_in(run.as_run)}
        detail = {
            "tainted": sorted(c for c, _ in checks if c in late),
            "order": [c for c, _ in checks],
            "purposes": [p for _, p in checks],
            "outcome": session.outcome,
        }
        keys = ["verify", *(f"verify:{module}" for module in modules(session))]
        found += [Signal("tool_sequence", key, session.steps, session.ended, (), detail) for key in keys]
    order = _hand_in(session)
    if order:
        detail = {"order": order, "purposes": ["vcs"] * len(order), "outcome": session.outcome}
        found.append(Signal("tool_sequence", "hand-in", session.steps, session.ended, (), detail))
    return found


def modules(session: Observation, limit: int = 8) -> list[str]:
    """Return the folders of the files a session changed, those with most changes first.

    A file at the root of the repository has no module; documents say nothing of where the work was.
    """
    edits: Counter[str] = Counter()
    for use in session.files:
        folder, _, _ = use.path.rpartition("/")
        if use.edits and folder and inside(use.path) and not is_doc(use.path):
            edits[folder] += use.edits
    return [folder for folder, _ in sorted(edits.items(), key=lambda item: (-item[1], item[0]))[:limit]]


def recipes(session: Observation, seen: Seen) -> Iterator[Candidate | Withdrawn]:
    """Yield the recipes that this session followed, as the counts of all sessions have them."""
    own = {signal.key for signal in habits(session)}
    if "verify" in own:
        common = common_steps(seen.shown("tool_sequence", "verify"))
        if len(common) >= 2:
            yield _checking(session, seen, common)
        for module in modules(session):
            extra = _of_module(seen, module, common)
            if extra:
                yield _checking_module(session, seen, module, extra)
            else:
                name = external_id("workflow_recipe", "tool_sequence", f"verify:{module}")
                yield Withdrawn(name, "its sessions are checked as all others are")
    if "hand-in" in own:
        steps = common_steps(seen.shown("tool_sequence", "hand-in"), share=0.4)
        if len(steps) >= 2 and any(_TELLING.search(ran.command) for ran in steps):
            yield _handing_in(session, seen, steps)


def common_steps(shown: Sequence[Shown], share: float = SHARE) -> list[Ran]:
    """Return the commands that enough sessions ran, in their usual order, STEPS at most.

    A command is the same with variables set for it and without; it is shown as most sessions ran it.
    """
    count: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    places: defaultdict[str, list[float]] = defaultdict(list)
    purpose: dict[str, str] = {}
    own: Counter[str] = Counter()  # in sessions that ran it of their own accord
    for session in shown:
        order = [str(c) for c in session.detail.get("order", ())]
        purposes = [str(p) for p in session.detail.get("purposes", ())]
        ran_here = enumerate(zip(order, purposes, strict=False))
        once = {bare(form): (place, form, kind) for place, (form, kind) in ran_here}
        for command, (place, form, kind) in once.items():
            count[command] += 1
            forms[command][form] += 1
            own[command] += form not in (session.detail.get("tainted") or ())
            places[command].append(_phase(kind) + place / max(len(order), 1))
            purpose[command] = kind
    enough = max(SESSIONS, share * len(shown))
    kept = sorted(
        (c for c in count if count[c] >= enough and own[c] >= SESSIONS), key=lambda c: (-count[c], c)
    )
    kept = kept[:STEPS]
    ran = [Ran(_usual(forms[c]), purpose[c], count[c], sum(places[c]) / len(places[c])) for c in kept]
    # Of two checks of one purpose the usual one comes first.
    return sorted(
        ran,
        key=lambda r: (
            (int(r.place), -r.sessions, r.command) if r.purpose in CHECKS else (r.place, 0, r.command)
        ),
    )


def _usual(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], len(form), form))


def _phase(purpose: str) -> float:
    return float(CHECKS.index(purpose)) if purpose in CHECKS else 0.0


def _checks(session: Observation) -> list[tuple[str, str]]:
    """Return the checks that passed in a session, each once, by when they ran last."""
    last: dict[str, tuple[int, int, str]] = {}
    for run in session.commands:
        if run.runs <= run.failures:
            continue
        for place, part in enumerate(parts_in(run.as_run)):
            plain = bare(without_folder(part))
            purpose = check_in(part)
            if purpose and not _NARROW.search(plain) and len(part) <= 80:
                stand = (run.last_step, place, purpose)
                last[part] = max(last.get(part, stand), stand)
    return [(part, stand[2]) for part, stand in sorted(last.items(), key=lambda item: (item[1], item[0]))]


def _hand_in(session: Observation) -> list[str]:
    """Return the commands of version control that handed work in, in order, by their first words."""
    first: dict[str, tuple[int, int]] = {}
    for run in session.commands:
        if run.runs <= run.failures:
            continue
        for place, part in enumerate(map(without_folder, parts_in(bare(run.as_run)))):
            if _HAND_INS.match(part):
                first.setdefault(_shape(part), (run.first_step, place))
    order = [shape for shape, _ in sorted(first.items(), key=lambda item: (item[1], item[0]))]
    return order if len(order) >= 2 else []


def _shape(part: str) -> str:
    """Return a hand-in command without what is different each time: texts, names, flags for them."""
    found = _HAND_INS.match(part)
    flags = re.findall(r"\s(--draft|--squash|--rebase|--delete-branch|--signoff|-s)(?=\s|$)", part)
    return " ".join([found["what"] if found else part, *dict.fromkeys(flags)])


def _of_module(seen: Seen, module: str, common: Sequence[Ran]) -> list[Ran]:
    known = {bare(ran.command) for ran in common}
    steps = common_steps(seen.shown("tool_sequence", f"verify:{module}"), share=MODULE_SHARE)
    return [ran for ran in steps if bare(ran.command) not in known]


def _payload(pattern: str, steps: Sequence[Ran], shown: Sequence[Shown], at: str | None) -> dict[str, object]:
    return {
        "task_pattern": pattern,
        "steps": [
            {"order": n, "description": f"{_VERBS.get(ran.purpose, 'run')} {code(ran.command)}"}
            for n, ran in enumerate(steps, start=1)
        ],
        "success_count": sum(1 for s in shown if s.detail.get("outcome") == "success"),
        **({"last_validated_at": at} if at else {}),
    }


def _told(steps: Sequence[Ran], of: int, between: str = ", ") -> str:
    """Return commands with how many sessions ran each; of how many is said once."""
    whole = f" of {'the last ' if of >= KEPT else ''}{of} sessions"
    told = [f"{code(r.command)} ({r.sessions}{'' if n else whole})" for n, r in enumerate(steps)]
    if "then" in between or len(told) == 1:
        return between.join(told)
    return f"{between.join(told[:-1])} and {told[-1]}"


def _candidate(
    session: Observation,
    key: str,
    content: str,
    payload: dict[str, object],
    steps: Sequence[Ran],
    seen: SeenCount,
    files: Sequence[str],
) -> Candidate:
    rule = signals.KINDS["tool_sequence"]
    memory = draft(
        session,
        "workflow_recipe",
        content,
        signal="tool_sequence",
        key=key,
        confidence=CONFIDENCE,
        seen=seen,
        evidence=_followed(session, steps),
        files=files,
        tags=("commands",),
        payload=payload,
    )
    why = f"the same commands recur {seen_words(seen)}"
    return Candidate("tool_sequence", key, memory._replace(branch=None), 0.8, rule.score, SESSIONS, seen, why)


def _followed(session: Observation, steps: Sequence[Ran]) -> Evidence:
    """Return where a session ran the commands of a recipe."""
    wanted = {bare(ran.command) for ran in steps}
    runs = [
        run
        for run in session.commands
        if any(
            bare(part) in wanted or _shape(without_folder(part)) in wanted for part in parts_in(run.as_run)
        )
    ]
    return Evidence(
        tuple(sorted({run.last_step for run in runs})), tuple(run.event for run in runs if run.event)
    )


def _checking(session: Observation, seen: Seen, steps: Sequence[Ran]) -> Candidate:
    count, shown = seen.sessions("tool_sequence", "verify"), seen.shown("tool_sequence", "verify")
    content = f"A change is checked here with {_told(steps, len(shown))} {seen_words(count)}."
    return _candidate(
        session,
        "verify",
        content,
        _payload("check a change before it is done", steps, shown, session.ended),
        steps,
        count,
        (),
    )


def _checking_module(session: Observation, seen: Seen, module: str, steps: Sequence[Ran]) -> Candidate:
    key = f"verify:{module}"
    count, shown = seen.sessions("tool_sequence", key), seen.shown("tool_sequence", key)
    checks = _told(steps, len(shown))
    content = f"A change in {code(module)} is checked with {checks} as well {seen_words(count)}."
    pattern = f"check a change in {module}"
    payload = _payload(pattern, steps, shown, session.ended)
    return _candidate(session, key, content, payload, steps, count, (module,))


def _handing_in(session: Observation, seen: Seen, steps: Sequence[Ran]) -> Candidate:
    count, shown = seen.sessions("tool_sequence", "hand-in"), seen.shown("tool_sequence", "hand-in")
    content = f"Work is handed in with {_told(steps, len(shown), ', then ')} {seen_words(count)}."
    payload = _payload("hand work in", steps, shown, session.ended)
    return _candidate(session, "hand-in", content, payload, steps, count, ())
