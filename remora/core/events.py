"""The one event that every host and every transcript is turned into, and what sessions add up to.

A reader (or a live hook) makes events; the observer looks at them one by one and keeps signals; at the
end a session is an `Observation`. None of them touches a database.

Keys are idempotent: the same happening has the same key whether a hook saw it live or a transcript was
read later, so it never counts twice. Steps are real: a session's first reply of the model is step 1, and
all that one reply asks for, and what comes back, belongs to it; what the user says before any reply is
step 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from remora.core.values import Taint

EventKind = Literal[
    "session_start",
    "user_prompt",  # what a person typed; injected and recalled text never is one
    "reply",  # what the model said to the user
    "reasoning",  # what it thought
    "tool_call",
    "tool_result",
    "step",  # a reply of the model is complete; has `tokens` where the host tells them
    "compaction",
    "subagent_start",
    "subagent_stop",  # `text` is its final report
    "session_end",
]
# What a tool does, whatever its host calls it.
Action = Literal[
    "read",
    "edit",  # changes a file that is there
    "write",  # makes or replaces a file
    "run",  # a command
    "search",  # in the content of files
    "glob",  # for names of files
    "fetch",  # from outside: the web, or a server that reads the world
    "task",  # hands work to a subagent
    "plan",  # keeps a list of things to do
    "memory",  # of a memory system, ours or another: never evidence of anything
    "other",
]
SessionKind = Literal["build", "insights", "roadmap", "terminal", "changelog", "spec_creation", "pr_review"]
Outcome = Literal["success", "failure", "abandoned", "unknown"]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
ACTIONS: tuple[str, ...] = get_args(Action)
SESSION_KINDS: tuple[str, ...] = get_args(SessionKind)
OUTCOMES: tuple[str, ...] = get_args(Outcome)


class Event(NamedTuple):
    """Something that happened in a session.

    Attributes:
        kind: one of EVENT_KINDS.
        session_id: the host's own id of the session.
        key: names this happening and no other; the same at every reading.
        step: see the module's text.
        at: ISO 8601 in UTC; None where nobody knows.
        text: of a prompt, a reply, a thought, a result or a report; long ones keep both ends.
        tool: the tool's name as the host has it.
        action: one of ACTIONS, of a call and of its result.
        call_id: ties a result to its call.
        paths: files it names, relative to the recorded root with forward slashes; what lies outside
            stays absolute.
        command: of "run".
        pattern: of "search" and "glob".
        url: of "fetch".
        error: the result says that it failed.
        agent: id of the subagent it happened in; empty for the session's own.
        branch: the git branch that was checked out.
        tokens: input tokens of a step.
        extra: what else a reader knows: `old` and `new` text of an edit (shortened), `lines` (first,
            last) of a read, `todos` of a plan, `exit_code`, `interrupted`, `cwd`, `reads`
            (files that a command shows, where the host has no tool for it), `running` (a name) of a
            command that goes on after its result, `output` (a file) where the host keeps what a command
            says, `of` (that name) of a call that asks what became of it or of a result without a `call_id`
            that tells it unasked, `over` of a step with which the agent's turn ended, `root` of a session
            that began in a part of the project.
    """

    kind: str
    session_id: str
    key: str
    step: int = 0
    at: str | None = None
    text: str = ""
    tool: str = ""
    action: str = ""
    call_id: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    pattern: str = ""
    url: str = ""
    error: bool = False
    agent: str = ""
    branch: str | None = None
    tokens: int | None = None
    extra: Mapping[str, Any] | None = None


class Signal(NamedTuple):
    """One thing that a session showed.

    Attributes:
        type: one of the seventeen of `observer.signals.KINDS`.
        key: what it is about, the same in every session that shows it: two paths, an error's
            fingerprint, a search pattern.
        step: where it showed first.
        at: when, ISO 8601.
        paths: files it is about.
        detail: what a sentence about it needs: numbers, texts, names; JSON values.
        events: keys of the events it rests on, a few.
        taint: set when it showed after text from outside was read.
        agent: the subagent that showed it; empty for the session's own.
        agents: how many parallel agents showed it.
    """

    type: str
    key: str
    step: int
    at: str | None = None
    paths: tuple[str, ...] = ()
    detail: Mapping[str, Any] = {}
    events: tuple[str, ...] = ()
    taint: Taint | None = None
    agent: str = ""
    agents: int = 1


class FileUse(NamedTuple):
    """What a session did with one file: counts of reads and edits, first and last step and time."""

    path: str
    reads: int
    edits: int
    first_step: int
    last_step: int
    first_at: str | None = None
    last_at: str | None = None


class ErrorSeen(NamedTuple):
    """An error of a session, with what happened next.

    Attributes:
        fingerprint: 16 hex digits that survive paths, lines, ids and times.
        tool: whose result it was.
        command: what was run, where it was a command.
        message: the telling line of it, as it was.
        count: how often in the session.
        steps: where.
        resolved: whether the same thing succeeded later.
        resolved_how: in words: the command or the edits that came between; empty if unknown.
        resolved_paths: files that were edited in between.
        taint: as of a signal.
        worked: the form of the command that succeeded, where it is another than the one that failed.
        helped: commands that ran between the failure and the success, and may have made it possible.
        events: keys of the events it rests on, a few.
    """

    fingerprint: str
    tool: str
    command: str
    message: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    steps: tuple[int, ...]
    resolved: bool
    resolved_how: str = ""
    resolved_paths: tuple[str, ...] = ()
    taint: Taint | None = None
    worked: str = ""
    helped: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class CommandRun(NamedTuple):
    """A command of a session: its normal form, what it is for, how often it ran and failed, where last.

    `tainted` says that it ran only after text from outside was read. `with_variables` is the normal form
    with the environment variables that were set for it, and with the folder that it ran in where that is
    another than the repository's, empty where there is neither: the same command with other variables, or
    elsewhere, is another one. `event` is the key of its last run.
    """

    command: str
    purpose: str  # "test", "lint", "format", "build", "vcs", "run", "look", "other"
    runs: int
    failures: int
    first_step: int
    last_step: int
    tainted: bool = False
    with_variables: str = ""
    event: str = ""

    @property
    def as_run(self) -> str:
        """The command with the variables that were set for it, and its folder."""
        return self.with_variables or self.command


class Ran(NamedTuple):
    """A line of commands that a session ran, with its variables and folders.

    Attributes:
        runs, failures: how often it ran, and how often it failed.
        last: it ran after the last edit of the session.
    """

    session_id: str
    command: str
    runs: int
    failures: int
    last: bool


class Quote(NamedTuple):
    """A sentence of a person, verbatim.

    Attributes:
        answers: the end of what it answers; empty at the beginning of a session.
        step, at, event: where and when it was said.
    """

    text: str
    answers: str
    step: int
    at: str | None
    event: str = ""


class Agreement(NamedTuple):
    """A yes of a person to a question of the agent that proposes a rule.

    Attributes:
        rule: as a statement that stands alone.
        question, answer: verbatim, their ends.
        step, at: when it was answered.
        events: keys of the question and of the answer; one where one event tells both.
        taint: of words of others that the rule repeats, or that were read before it was proposed.
    """

    rule: str
    question: str
    answer: str
    step: int
    at: str | None
    events: tuple[str, ...] = ()
    taint: Taint | None = None


class Exchange(NamedTuple):
    """One request of the user and what came of it.

    Attributes:
        ask: what the user typed, shortened.
        report: the last words of the model before the next prompt, shortened.
        step: of the report.
        at: when, ISO 8601.
        paths: files that were changed in between, in order.
        findings: sentences of the model that say what the cause of something was.
        taint: set when text from outside was read before the report.
        events: keys of the prompt and of the report.
    """

    ask: str
    report: str
    step: int
    at: str | None = None
    paths: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    taint: Taint | None = None
    events: tuple[str, ...] = ()


class Remark(NamedTuple):
    """What the model said while it worked, between two calls.

    Attributes:
        text: shortened.
        step, event: where.
        failed: the last result before it told of an error.
        taint: as of a signal.
    """

    text: str
    step: int
    event: str
    failed: bool = False
    taint: Taint | None = None


class CommitMade(NamedTuple):
    """A commit of a session: its message without trailers, files and lines changed since the one before.

    `events` is the key of the result that shows it.
    """

    message: str
    step: int
    at: str | None = None
    paths: tuple[str, ...] = ()
    taint: Taint | None = None
    events: tuple[str, ...] = ()


class Observation(NamedTuple):
    """What one session adds up to.

    Attributes:
        session_id: the host's.
        host: "claude-code", "codex", or what a program calls itself.
        kind, kind_why: one of SESSION_KINDS, and the evidence.
        outcome, outcome_why: one of OUTCOMES, and the evidence.
        started, ended: ISO 8601.
        steps: replies of the model; `planned` is how many things its plan had, None without a plan.
        prompts: what the user asked, in order, shortened.
        summary: what was done in the end, in the session's own words; may be empty.
        branch: the branch it worked on most.
        signals: each type and key once.
        files, errors, commands: what was used, failed, ran.
        tokens: input tokens in all, None where the host does not tell.
        events: how many were looked at; `late` how many took longer than the hard limit.
        dropped: signals that were evicted.
        exchanges: requests with what came of them, in order, the last hundred.
        commits: the commits it made, as far as they could be seen, the last fifty.
        places: step and event key of what is no signal: each of "prompts", the first and last form of
            the "plan", the first and last that told "tokens".
        quotes: sentences of the person that may last, in order, the last 200.
        remarks: what the model said while it worked, in order, the last 300.
        outside: where text from outside came in first; all that came later is tainted.
        agreed: rules of the agent that the person said yes to, in order, the last 200.
        cited: memories that agents cited, by the first eight characters of their ids, or “ and the words.
        shown: ids, so shortened, that tools of a memory answered.
    """

    session_id: str
    host: str
    kind: str
    kind_why: str
    outcome: str
    outcome_why: str
    started: str | None
    ended: str | None
    steps: int
    planned: int | None
    prompts: tuple[str, ...]
    summary: str
    branch: str | None
    signals: tuple[Signal, ...]
    files: tuple[FileUse, ...]
    errors: tuple[ErrorSeen, ...]
    commands: tuple[CommandRun, ...]
    tokens: int | None = None
    events: int = 0
    late: int = 0
    dropped: int = 0
    exchanges: tuple[Exchange, ...] = ()
    commits: tuple[CommitMade, ...] = ()
    places: Mapping[str, tuple[tuple[int, str], ...]] = {}
    quotes: tuple[Quote, ...] = ()
    remarks: tuple[Remark, ...] = ()
    outside: Taint | None = None
    agreed: tuple[Agreement, ...] = ()
    cited: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
