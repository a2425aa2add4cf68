"""The findings of linters over a session: each is followed until a later check no longer lists it.

Edits of its file that do something about it (see `remedies`) are its candidates. When a run of the same
check lists it still, they did not help and are forgotten; when it lists it no longer, the surest of them is
what resolved it. A run that says less than everything (cut, filtered, narrowed to other files, or stopped
by the compiler) proves nothing. Findings are told by rule, for the rule is what recurs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.events import ErrorSeen, Remedy
from remora.core.purposes import purpose_of
from remora.observer.calls import Call
from remora.observer.changes import Hunk, hunks
from remora.observer.errors import CHECKS, Run
from remora.observer.findings import Finding, findings, same_file
from remora.observer.fingerprint import fingerprint
from remora.observer.keeping import Kept, cut, keep_last, make_room
from remora.observer.paths import inside
from remora.observer.remedies import (
    BY_NAME,
    BY_PLACE,
    EDIT,
    NEAR,
    Tried,
    configures,
    remedy,
    silenced_in,
)
from remora.observer.rules import how
from remora.observer.scratchpad import Scratchpad

_OPEN = 120  # findings that wait for a check
_EDITS = 40  # of their files
_RULES = 100
_REMEDIES = 12  # of one rule that are told apart
_STEPS, _PATHS, _EVENTS = 20, 10, 5
_SAID = 1_000  # characters of what the model said

_NUMBERS = re.compile(r"\d+")
_SHORTENED = re.compile(r"\[… \d+ characters …\]|^…$", re.MULTILINE)
_PART = re.compile(r"\|\s*(head|tail|e?grep|rg|awk|sed)\b\s*(?:-n\s*)?-?(\d+)?")
_CLEAR = re.compile(
    r"\b0 (?:issues|errors|problems|warnings|offenses)\b|[Nn]o issues? found|All checks passed|no offenses"
)
_COMPILES = re.compile(r"\(typecheck\)$|syntax error|SyntaxError|\bundefined: ", re.MULTILINE)
_MENDS = re.compile(r"--(?:unsafe-)?fix(?:es)?\b|--write\b|\b\w+[:-]fix\b")
_PATHLIKE = re.compile(r"^(?:\./)?([\w@.-]+(?:/[\w@.-]+)*)/?(?:\.\.\.)?$")


class Edit(NamedTuple):
    """An edit of a file of which something is listed, with what the model said before it."""

    paths: tuple[str, ...]
    old: str
    new: str
    said: str
    order: int


class Open(NamedTuple):
    """A finding that the last run of its check listed, in that order of things."""

    finding: Finding
    normal: str
    heads: tuple[str, ...]
    purpose: str
    order: int


class RuleMet(NamedTuple):
    """What a session saw of one rule."""

    told: str
    tool: str
    command: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    steps: tuple[int, ...]
    solved: int
    remedies: tuple[Remedy, ...]
    paths: tuple[str, ...]
    evidence: int
    events: tuple[str, ...] = ()


class Lints(Kept):
    """The open findings of one agent, and what it met of each rule."""

    open: list[Open]
    rules: dict[str, RuleMet]
    edits: list[Edit]
    said: list[str]  # by the model, of late
    mended: str  # the last command that mends by itself, and when
    mended_at: int
    order: int

    def __init__(self) -> None:
        self.open, self.rules, self.edits, self.said = [], {}, [], []
        self.mended, self.mended_at, self.order = "", -1, 0

    def told(self, text: str) -> None:
        """Remember what the model says or thinks, as long as there is something to mend."""
        if self.open:
            self.said.append(text[-_SAID:])
            del self.said[:-2]

    def settle(self, call: Call, run: Run | None) -> None:
        """Look at one finished call; `run` says what command it was, if one."""
        if call.denied:
            return
        self.order += 1
        if run is not None:
            self._ran(call, run)
        elif self.open and call.worked and call.action in ("edit", "write"):
            self._edited(call)

    def _edited(self, call: Call) -> None:
        names = {_last(known.finding.path) for known in self.open}
        paths = tuple(p for p in call.paths[:20] if inside(p) and (_last(p) in names or configures(p)))
        others = [p for p in call.paths[:20] if any(p in known.finding.message for known in self.open)]
        if paths or others:
            old, new = (cut(str(call.extra.get(side) or ""), EDIT) for side in ("old", "new"))
            said = "\n".join(self.said)
            keep_last(self.edits, Edit((*paths, *others), old, new, said, self.order), _EDITS)

    # Runs

    def _ran(self, call: Call, run: Run) -> None:
        if call.failed is None or run.purpose == "look":
            return
        again = [known for known in self.open if _again(run, known)]
        check = run.purpose in CHECKS
        listed = findings(call.text) if run.failed or (check and again) or run.purpose == "lint" else []
        self.said = []
        if "fix" in run.normal or "write" in run.normal:
            self._mends(run)
        if again and (listed or not run.failed):
            self._compare(call, run, again, listed)
        for finding in listed if run.failed or check else ():
            self._met(finding, call, run)

    def _mends(self, run: Run) -> None:
        if _MENDS.search(run.normal):
            self.mended, self.mended_at = run.normal, self.order

    def _compare(self, call: Call, run: Run, again: list[Open], listed: list[Finding]) -> None:
        """Close what a run no longer lists; take out of `listed` what it lists still."""
        anything = bool(listed)
        gone: list[Open] = []
        moved: dict[int, Open] = {}
        for known in again:
            still = next((f for f in listed if self._same(known, f)), None)
            if still is not None:
                listed.remove(still)
                moved[id(known)] = known._replace(finding=still, order=self.order)
            elif _reaches(run, known):
                gone.append(known)
        closed: set[int] = set()
        if gone and _complete(call, run, anything):
            lines: dict[int, list[Hunk]] = {}
            for known in gone:
                tried = self._best(known, lines)
                if tried is not None:
                    self._resolved(known, tried, call)
                if tried is not None or not run.failed:
                    closed.add(id(known))
        self.open = [moved.get(id(known), known) for known in self.open if id(known) not in closed]
        if not self.open:
            self.edits = []

    def _same(self, known: Open, finding: Finding) -> bool:
        """Return whether a listed finding is one that is known, wherever its line has moved to."""
        old = known.finding
        if old.rule != finding.rule or not same_file(old.path, finding.path):
            return False
        if not old.source or not finding.source:
            return _NUMBERS.sub("", old.message) == _NUMBERS.sub("", finding.message)
        if old.source == finding.source:
            return True
        return any(
            edit.order > known.order and old.source in edit.old and finding.source in edit.new
            for edit in self.edits
        )

    def _met(self, finding: Finding, call: Call, run: Run) -> None:
        old = self.rules.get(finding.rule)
        if old is None:
            make_room(self.rules, _RULES)
            old = RuleMet(finding.told, call.tool, run.normal, 0, (), 0, (), (), call.step)
        self.rules[finding.rule] = old._replace(
            count=old.count + 1,
            steps=old.steps if call.step in old.steps else (*old.steps, call.step)[-_STEPS:],
            events=_once(old.events, call.key),
        )
        linters = tuple(head for head in run.heads if purpose_of(tuple(head.split())) == "lint")
        self.open.append(Open(finding, run.normal, linters or run.heads, run.purpose, self.order))
        del self.open[:-_OPEN]

    def _best(self, known: Open, lines: dict[int, list[Hunk]]) -> Tried | None:
        """Return the surest of what was tried, the last of equals; of a whole function, all that was.

        Of several changes that have only the file in common with the finding, nobody knows which it was.
        """
        alone = sum(same_file(o.finding.path, known.finding.path) for o in self.open) == 1
        tried: list[Tried] = []
        edits = 0
        for edit in self.edits:
            path = _of(known.finding, edit.paths) if edit.order > known.order else ""
            settings = next((p for p in edit.paths if configures(p)), "") if edit.order > known.order else ""
            if not path and not settings:
                continue
            if edit.order not in lines:
                lines[edit.order] = hunks(edit.old, edit.new)
            edits += bool(path)
            if path and (found := remedy(known.finding, lines[edit.order], edit.said, alone=alone)):
                tried.append(Tried(*found, path))
            if settings and (left_out := silenced_in(known.finding, lines[edit.order], settings)):
                tried.append(Tried(left_out, NEAR, settings))
        if not tried:
            fixed = self.mended_at > known.order
            return Tried(Remedy("ran", "", self.mended), BY_NAME, "") if fixed else None
        best = max(reversed(tried), key=lambda t: t.strength)
        if best.strength == BY_PLACE and edits > 1:
            return None
        if best.remedy.kind == "reworked":
            parts = [t.remedy for t in tried if t.remedy.kind == "reworked"]
            said = next((part.said for part in parts if part.said), "")
            after = next((part.after for part in parts if part.after), "")
            return best._replace(remedy=Remedy("reworked", "", after, said))
        return best

    def _resolved(self, known: Open, tried: Tried, call: Call) -> None:
        old = self.rules.get(known.finding.rule)
        if old is None:
            return
        paths = (*old.paths, tried.path) if tried.path and tried.path not in old.paths else old.paths
        self.rules[known.finding.rule] = old._replace(
            told=known.finding.told,
            solved=old.solved + 1,
            remedies=_with(old.remedies, tried.remedy),
            paths=paths[:_PATHS],
            evidence=max(old.evidence, call.step),
            events=_once(old.events, call.key),
        )

    # The end

    def seen(self, pad: Scratchpad) -> list[ErrorSeen]:
        """Return the rules that were met, each as an error with its remedies, by first step."""
        found = [
            ErrorSeen(
                fingerprint(met.told),
                met.tool,
                met.command,
                met.told,
                met.count,
                met.steps,
                met.solved > 0,
                how(met.remedies),
                met.paths,
                pad.tainted_at(met.evidence),
                met.remedies,
                met.events,
            )
            for met in self.rules.values()
        ]
        return sorted(found, key=lambda e: (e.steps[0], e.fingerprint))


def _once(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return keys if key in keys else (*keys, key)[-_EVENTS:]


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _of(finding: Finding, paths: Sequence[str]) -> str:
    """Return which of some paths a finding is about: its own file, or another that the message names."""
    for path in paths:
        if same_file(path, finding.path) or path in finding.message:
            return path
    return ""


def _again(run: Run, known: Open) -> bool:
    """Return whether a run repeats the check that listed a finding."""
    if run.normal == known.normal or (run.purpose == known.purpose == "lint"):
        return True
    return bool(set(run.heads) & set(known.heads) - {""})


def _reaches(run: Run, known: Open) -> bool:
    """Return whether a run looks at the file of a finding, as far as its command names files."""
    if run.normal == known.normal:
        return True
    named = [m[1] for word in run.normal.split()[1:] if "/" in word and (m := _PATHLIKE.match(word))]
    named = [path for path in named if path.strip("./")]
    return not named or any(f"/{path.strip('./')}/" in f"/{known.finding.path}/" for path in named)


def _complete(call: Call, run: Run, listed: bool) -> bool:
    """Return whether an output, which lists something or nothing, would list what is still there."""
    if (run.failed and not listed) or _COMPILES.search(call.text) or _SHORTENED.search(call.text):
        return False
    part = _PART.search(call.command)
    if part is None or _CLEAR.search(call.text):
        return True
    if part[1] == "tail" and not run.failed:
        return True
    lines = call.text.count("\n") + 1
    return part[1] in ("head", "tail") and lines < int(part[2] or 10) - 1


def _with(known: tuple[Remedy, ...], one: Remedy) -> tuple[Remedy, ...]:
    for number, old in enumerate(known):
        if old[:4] == one[:4]:
            return (*known[:number], old._replace(times=old.times + 1), *known[number + 1 :])
    return (*known, one)[-_REMEDIES:]
