"""Failures of a session with their resolutions, and changes that were taken back.

A failure stays open until the same thing succeeds: the same command in its normal form, a command that
runs the same checks after a change, or the same tool on the same file. The resolution lies in between: the
change of a file that the failure names, or else the last change; a variable that was set; a command that
prepared it; or another command that did the job.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from remora.core.events import CommandRun, ErrorSeen
from remora.core.programs import CHECKS
from remora.core.text import collapse, shorten
from remora.core.tool_calls import changed_lines
from remora.observer.calls import Call
from remora.observer.command_fixes import after, instead, with_set, without_flag, wraps
from remora.observer.fingerprint import fingerprint, looks_failed, of_harness, telling
from remora.observer.scratchpad import Limits, Scratchpad
from remora.observer.state import State, cut, keep_last, make_room
from remora.shell.forms import as_run, command_form
from remora.shell.lines import name_of, programs_in
from remora.shell.location import inside
from remora.shell.purposes import head

_CODE = frozenset((*CHECKS, "run"))  # purposes of commands that a file change can fix
_HELP = frozenset(("build", "format", "vcs", "run", "other"))  # of commands that may make another one work
_HELPED = 3  # such commands; if more ran in between, none of them is known to have helped
_OPEN = 60  # failures without a success yet
_SIDE = 140  # characters of each side of a change
_SOON = 4  # steps within which another command counts as the fix of a mistaken one

# A run of some tests only; it shows nothing of another one that failed.
_FILTER = re.compile(r"(?:^|\s)(?:-run|--run|-k|-t|--filter|-m|--grep|--test-name-pattern)[\s=]|::")
# Commands that inspect or record the working copy make no other command work.
_RECORDS = re.compile(r"git (?:status|diff|log|show|branch|add|commit)\b")


class Change(NamedTuple):
    """A change of a file: the differing lines before and after it, each side on one line."""

    path: str
    before: str
    after: str
    step: int
    order: int

    def undoes(self, earlier: Change) -> bool:
        """Return whether it restores the text that an earlier change replaced."""
        sides = (earlier.path, earlier.after, earlier.before)
        return len(earlier.after) >= 12 and (self.path, self.before, self.after) == sides

    def told(self) -> str:
        """Return the change in words."""
        before, after = shorten(self.before, _SIDE), shorten(self.after, _SIDE)
        if before and after:
            return f"changed `{self.path}`: `{before}` became `{after}`"
        way = "removed" if before else "added" if after else "written"
        return f"changed `{self.path}`: `{before or after or 'the file'}` was {way}"


class Run(NamedTuple):
    """One run of a command; `as_run` is its normal form with its variables and its folder."""

    normal: str
    purpose: str
    heads: tuple[str, ...]
    variables: tuple[str, ...]
    step: int
    order: int
    failed: bool
    as_run: str


class Answer(NamedTuple):
    """The resolution of a failure; its fields are documented at `ErrorSeen`."""

    how: str
    paths: tuple[str, ...] = ()
    worked: str = ""
    helped: tuple[str, ...] = ()


class Failure(NamedTuple):
    """An error with its fingerprint and its resolution."""

    fingerprint: str
    tool: str
    command: str
    target: str
    purpose: str
    heads: tuple[str, ...]
    variables: tuple[str, ...]
    message: str
    output: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    steps: tuple[int, ...]
    order: int
    at: str | None
    harness: bool
    retried: bool = False
    resolved: bool = False
    answer: Answer = Answer("")
    evidence: int = 0
    key: str = ""


class Errors(State):
    """The failures, changes and commands of one agent."""

    changes: list[Change]
    runs: list[Run]
    failures: dict[str, Failure]
    open: list[str]
    counts: dict[str, CommandRun]
    order: int
    limits: Limits

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # immutable
        self.changes, self.runs, self.open = [], [], []
        self.failures, self.counts = {}, {}
        self.order, self.limits = 0, limits

    def settle(self, call: Call, pad: Scratchpad) -> Run | None:
        """Process a finished call; return its run, or None if it ran no command."""
        if call.denied or call.action == "memory":
            return None
        self.order += 1
        run = self._ran(call, pad) if call.action == "run" else None
        failed = run.failed if run else bool(call.failed)
        if failed:
            self._failed(call, run, pad)
        elif run is None or call.failed is not None:
            self._resolve(call, run)
        if call.action in ("edit", "write") and not failed:
            self._changed(call, pad)
        if run:
            keep_last(self.runs, run, 200)
        return run

    # Commands

    def _ran(self, call: Call, pad: Scratchpad) -> Run:
        cwd = call.extra.get("cwd")
        parsed = command_form(call.command, pad.cwd(cwd))
        failed = bool(call.failed)
        if not failed and parsed.masked and parsed.purpose in CHECKS:
            failed = looks_failed(call.text)
        ran = as_run(call.command, pad.cwd(cwd), pad.place(cwd))
        run = Run(
            parsed.normal,
            parsed.purpose,
            heads(parsed.normal),
            parsed.variables,
            call.step,
            self.order,
            failed,
            ran.text,
        )
        # Parts that ran outside the project do not count, and may be the ones that failed; a check counts
        # only with a known result.
        if ran.text and (ran.whole or not failed) and (call.failed is not None or ran.purpose not in CHECKS):
            self._counted(run._replace(purpose=ran.purpose), call.key)
        return run

    def _counted(self, run: Run, key: str) -> None:
        old = self.counts.get(run.as_run)
        if old is None:
            make_room(self.counts, 1000)
            old = CommandRun(run.normal, run.purpose, 0, 0, run.step, run.step)
            if run.as_run != run.normal:
                old = old._replace(with_variables=run.as_run)
        self.counts[run.as_run] = old._replace(
            runs=old.runs + 1,
            failures=old.failures + run.failed,
            first_step=min(old.first_step, run.step),
            last_step=max(old.last_step, run.step),
            event=key,
        )

    # Failures

    def _failed(self, call: Call, run: Run | None, pad: Scratchpad) -> None:
        message = telling(call.text)
        if not message:
            return
        name = fingerprint(message)
        harness = of_harness(call.text)
        target, ran = _target(call, run), set(run.heads) if run else set()
        for other in self.open:  # the same command or tool failed again, perhaps with another error
            failure = self.failures[other]
            if not failure.retried and (target == failure.target or ran & set(failure.heads)):
                self.failures[other] = failure._replace(retried=True)
        old = self.failures.get(name)
        if old is None:
            pad.dropped += self._room()
        self.failures[name] = Failure(
            name,
            call.tool,
            cut(call.command, 300),
            target,
            run.purpose if run else "",
            run.heads if run else (),
            run.variables if run else (),
            message,
            cut(call.text, 1500),
            old.count + 1 if old else 1,
            (*(old.steps if old else ()), call.step)[-20:],
            self.order,
            old.at if old else call.at,
            harness,
            bool(old),
            evidence=call.step,
            key=old.key if old else call.key,
        )
        if name in self.open:
            self.open.remove(name)
        self.open.append(name)
        del self.open[:-_OPEN]

    def _room(self) -> int:
        gone = make_room(self.failures, self.limits.errors)
        if gone:
            self.open = [name for name in self.open if name in self.failures]
        return gone

    def _resolve(self, call: Call, run: Run | None) -> None:
        if not self.open:
            return
        target = _target(call, run)
        for name in list(self.open):
            failure = self.failures[name]
            if (run is None) == bool(failure.heads):  # commands resolve only commands, tools only tools
                continue
            if (failure.resolved or failure.answer.worked) and target != failure.target:
                continue
            answer = self._answer(failure, target, call, run)
            if answer is None:
                continue
            other = bool(answer.worked) and target != failure.target
            passed = not (other and failure.purpose in CHECKS)  # other checks may pass where these still fail
            self.failures[name] = failure._replace(
                resolved=failure.resolved or passed,
                answer=answer,
                evidence=max(failure.evidence, call.step),
                retried=True,
            )
            if not other:
                self.open.remove(name)  # another form may only have prepared the command itself

    def _answer(self, failure: Failure, target: str, call: Call, run: Run | None) -> Answer | None:
        """Return the resolution of a failure by a success; None if the success does not resolve it."""
        soon = call.step - failure.steps[-1] <= _SOON
        if run is None:
            return self._between(failure, None) if failure.target == target else None
        if run.normal == failure.target:
            return self._between(failure, run)
        shared = bool({*run.heads} & {*failure.heads} - {""})
        edited = failure.purpose in _CODE and any(c.order > failure.order for c in self.changes)
        fixes = shared or _covers(run.purpose, failure.purpose)
        if edited and fixes and not _FILTER.search(run.normal):
            return self._between(failure, run)
        # Another form of the command may be another way to do the same; two sessions that agree prove it.
        related = shared or (failure.purpose in CHECKS and run.purpose == failure.purpose)
        if soon and not edited and (related or wraps(failure.target, run.normal)):
            helped = self._helped(failure)
            how = f"{after(helped)}, as `{run.as_run}`" if helped else instead(run.as_run)
            how = without_flag(failure.message, failure.target, run.normal) or how
            return Answer(how, worked=run.as_run, helped=helped)
        return None

    def _between(self, failure: Failure, run: Run | None) -> Answer:
        """Return the resolution found between a failure and the success, with the changed files."""
        set_before = {name_of(v) for v in failure.variables}
        new = [v for v in run.variables if name_of(v) not in set_before] if run else []
        if run and new:
            return Answer(with_set(new, run.normal), worked=f"{' '.join(new)} {run.normal}")
        since = [c for c in self.changes if c.order > failure.order]
        if failure.heads and failure.purpose not in _CODE:  # file changes do not fix a query to a server
            since = [c for c in since if c.path.rsplit("/", 1)[-1] in failure.output]
        paths = tuple(dict.fromkeys(c.path for c in since))
        if since:
            named = [c for c in since if c.path.rsplit("/", 1)[-1] in failure.output]
            return Answer((named or since)[-1].told(), paths[:10])
        helped = self._helped(failure)
        return Answer(after(helped) if helped else "it worked when run again", helped=helped)

    def _helped(self, failure: Failure) -> tuple[str, ...]:
        """Return the commands since a failure that may have made the success possible."""
        since = (r for r in self.runs if r.order > failure.order and not r.failed and r.purpose in _HELP)
        others = (r.normal for r in since if r.normal != failure.target)
        helped = tuple(dict.fromkeys(c for c in others if not _RECORDS.match(c)))
        return helped if len(helped) <= _HELPED else ()

    # Changes taken back

    def _changed(self, call: Call, pad: Scratchpad) -> None:
        # The two sides of a patch of several files cannot be assigned to one of them.
        old, new = (call.extra.get("old"), call.extra.get("new")) if len(call.paths) == 1 else ("", "")
        for path in call.paths[:20]:
            if not inside(path):
                continue
            before, after = changed_lines(str(old or ""), str(new or ""))
            change = Change(path, collapse(before), collapse(after), call.step, self.order)
            undone = next((c for c in reversed(self.changes) if change.undoes(c)), None)
            if undone:
                pad.suspect(
                    "backtrack",
                    path,
                    undone.step,
                    paths=(path,),
                    event=call.key,
                    evidence=call.step,
                    detail={"after_steps": call.step - undone.step},
                )
            keep_last(self.changes, change, 300)

    # The end

    def finish(self, pad: Scratchpad) -> None:
        """Report the errors that recurred or were retried."""
        for f in self.failures.values():
            if f.count < 2 and not f.retried:
                continue
            pad.suspect(
                "error_retry",
                f.fingerprint,
                f.steps[0],
                at=f.at,
                paths=f.answer.paths,
                event=f.key,
                count=f.count,
                evidence=f.evidence,
                detail={
                    "tool": f.tool,
                    "command": f.target if f.heads else "",
                    "message": f.message,
                    "resolved": f.resolved,
                    "resolved_how": f.answer.how,
                    "harness": f.harness,
                },
            )

    def seen(self, pad: Scratchpad) -> list[ErrorSeen]:
        """Return the errors by first step; those of the host's own tools are left out."""
        found = [
            ErrorSeen(
                f.fingerprint,
                f.tool,
                f.target if f.heads else "",
                f.message,
                f.count,
                f.steps,
                f.resolved,
                f.answer.how,
                f.answer.paths,
                pad.tainted_at(f.evidence),
                f.answer.worked,
                f.answer.helped,
                (f.key,),
            )
            for f in self.failures.values()
            if not f.harness
        ]
        return sorted(found, key=lambda e: (e.steps[0], e.fingerprint))

    def unresolved(self) -> list[tuple[int, str]]:
        """Return the last step and the message of each open failure, without those of the host's tools."""
        left = [self.failures[name] for name in self.open]
        return [(one.steps[-1], one.message) for one in left if not (one.resolved or one.harness)]


@lru_cache(512)
def heads(normal: str) -> tuple[str, ...]:
    """Return the programs of a normal form with their subcommands, each once."""
    return tuple(dict.fromkeys(head(part) for part in programs_in(normal)))


def _target(call: Call, run: Run | None) -> str:
    if run is not None:
        return run.normal
    return f"{call.tool} {call.path or call.url or call.pattern}".strip()


def _covers(later: str, earlier: str) -> bool:
    """Return whether a success of one purpose shows that a failure of another is fixed."""
    return (later == earlier and later in ("build", "lint")) or (later == "test" and earlier == "build")
