"""The common event of all hosts and transcripts, and the observation of a session.

A reader (or a live hook) produces events; the observer processes them one by one and keeps signals; at the
end a session is an `Observation`. None of them uses a database.

Keys are idempotent: an event has the same key in a live hook and in a transcript that is read later, so it
is never counted twice. Steps are the model's replies: the first reply of a session is step 1, and all tool
calls of a reply, with their results, belong to its step; prompts before any reply are step 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from remora.core.values import Taint

EventKind = Literal[
    "session_start",
    "user_prompt",  # typed by a person; never injected or recalled text
    "reply",  # text from the model to the user
    "reasoning",  # the model's thoughts
    "tool_call",
    "tool_result",
    "step",  # a reply of the model is complete; has `tokens` if the host reports them
    "compaction",
    "subagent_start",
    "subagent_stop",  # `text` is its final report
    "session_end",
]
# Actions of tools, independent of the host.
Action = Literal[
    "read",
    "edit",  # changes an existing file
    "write",  # creates or replaces a file
    "run",  # a command
    "search",  # in the content of files
    "glob",  # search for file names
    "fetch",  # from outside: the web, or a server that reads external data
    "task",  # delegates work to a subagent
    "plan",  # keeps a to-do list
    "memory",  # of a memory system, ours or another: never evidence
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
        key: unique for this event; the same at every reading.
        step: see the module's docstring.
        at: ISO 8601 in UTC; None if unknown.
        text: of a prompt, a reply, a thought, a result or a report; long ones keep both ends.
        tool: the host's name of the tool.
        action: one of ACTIONS, of a call and of its result.
        call_id: links a result to its call.
        paths: files it names, relative to the recorded root with forward slashes; paths outside the root
            stay absolute.
        command: of "run".
        pattern: of "search" and "glob".
        url: of "fetch".
        error: whether the result reports a failure.
        agent: id of the subagent it happened in; empty for the session's own agent.
        branch: the checked-out git branch.
        tokens: input tokens of a step.
        extra: further data of a reader: `old` and `new` text of an edit (shortened), `around` of an edit
            by a patch in a command (the command without the patch), `in` (a folder) of a search,
            `query` of a fetch, `todos` of a plan, `exit_code`, `interrupted`, `denied` and `said` (the
            user's words) of a refusal, `cwd`, `reads` (files that a command shows, if the host has no tool
            for it), `running` (a name) of a command that continues after its result, `output` (a file) if
            the host stores a command's output, `of` (that name) of a call that asks for the output, or of
            a result without a `call_id` that reports it, `over` of a step that ended the agent's turn,
            `root` of a session that began in a subfolder of the project.
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
    """One fact shown by a session.

    Attributes:
        type: one of the seventeen of `observer.candidate.KINDS`.
        key: its subject, the same in every session that shows it: two paths, an error's
            fingerprint, a search pattern.
        step: step of its first occurrence.
        at: time of the first occurrence, ISO 8601.
        paths: files it concerns.
        detail: values for a sentence about it: numbers, texts, names; JSON values.
        events: keys of a few events that are its evidence.
        taint: set if it occurred after external text was read.
        agent: the subagent that showed it; empty for the session's own agent.
        agents: number of parallel agents that showed it.
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
    """The uses of one file in a session: counts of reads and edits, first and last step and time."""

    path: str
    reads: int
    edits: int
    first_step: int
    last_step: int
    first_at: str | None = None
    last_at: str | None = None


class ErrorSeen(NamedTuple):
    """An error of a session, with its resolution.

    Attributes:
        fingerprint: 16 hex digits that do not depend on paths, lines, ids and times.
        tool: the tool whose result it was.
        command: the failed command, if it was a command.
        message: its most specific line, unchanged.
        count: number of occurrences in the session.
        steps: steps of the occurrences.
        resolved: whether the same action succeeded later.
        resolved_how: the command or the edits in between, in words; empty if unknown.
        resolved_paths: files edited in between.
        taint: see `Signal`.
        worked: the form of the command that succeeded, if it differs from the failed one.
        helped: commands that ran between the failure and the success, and may have caused the success.
        events: keys of a few events that are its evidence.
    """

    fingerprint: str
    tool: str
    command: str
    message: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which is not needed here
    steps: tuple[int, ...]
    resolved: bool
    resolved_how: str = ""
    resolved_paths: tuple[str, ...] = ()
    taint: Taint | None = None
    worked: str = ""
    helped: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class CommandRun(NamedTuple):
    """A command of a session: normal form, purpose, numbers of runs and failures, last occurrence.

    `tainted` is set if it ran only after external text was read. `with_variables` is the normal form with the
    environment variables set for it, and with its folder if that is not the repository's root; empty if there
    is neither: the same command with other variables, or in another folder, is a different one. `event` is
    the key of its last run.
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
        """The command with the variables set for it, and its folder."""
        return self.with_variables or self.command


class SeenCount(NamedTuple):
    """The number of sessions that showed something, with the first and the last time (ISO 8601)."""

    sessions: int = 0
    first: str | None = None
    last: str | None = None

    def plus(self, at: str | None) -> SeenCount:
        """Return the count with one more session that showed it at a time."""
        times = [t for t in (self.first, self.last, at) if t]
        return SeenCount(self.sessions + 1, min(times, default=None), max(times, default=None))


class Ran(NamedTuple):
    """A line of commands that a session ran, with its variables and folders.

    Attributes:
        runs, failures: numbers of runs and of failures.
        last: whether it ran after the last edit of the session.
    """

    session_id: str
    command: str
    runs: int
    failures: int
    last: bool


class Quote(NamedTuple):
    """A sentence of a person, verbatim.

    Attributes:
        answers: the end of the message it answers; empty at the beginning of a session.
        step, at, event: its step, time and event key.
    """

    text: str
    answers: str
    step: int
    at: str | None
    event: str = ""


class Exchange(NamedTuple):
    """One request of the user and its result.

    Attributes:
        ask: the user's prompt, shortened.
        report: the last words of the model before the next prompt, shortened.
        step: of the report.
        at: time, ISO 8601.
        findings: sentences of the model that state a cause.
        taint: set if external text was read before the report.
        events: keys of the prompt and of the report.
    """

    ask: str
    report: str
    step: int
    at: str | None = None
    findings: tuple[str, ...] = ()
    taint: Taint | None = None
    events: tuple[str, ...] = ()


class Remark(NamedTuple):
    """A text of the model between two calls.

    Attributes:
        text: shortened.
        step, event: its step and event key.
        failed: whether the last result before it reported an error.
        taint: see `Signal`.
    """

    text: str
    step: int
    event: str
    failed: bool = False
    taint: Taint | None = None


class CommitMade(NamedTuple):
    """A commit of a session: its message without trailers; `events`: the key of the result that shows it."""

    message: str
    step: int
    at: str | None = None
    taint: Taint | None = None
    events: tuple[str, ...] = ()


class Observation(NamedTuple):
    """The result of observing one session.

    Attributes:
        session_id: the host's.
        host: "claude-code", "codex", or the name that a program gives itself.
        kind, kind_why: one of SESSION_KINDS, and the evidence.
        outcome, outcome_why: one of OUTCOMES, and the evidence.
        started, ended: ISO 8601.
        steps: number of replies of the model; `planned` is the number of items in its plan, None without one.
        prompts: the user's prompts, in order, shortened.
        summary: the final result, in the session's own words; may be empty.
        branch: the branch with most of its work.
        signals: each type and key once.
        files, errors, commands: the used files, the errors, the commands that ran.
        tokens: input tokens in all, None if the host does not report them.
        events: number of processed events; `late` is the number that took longer than the hard limit.
        dropped: number of evicted signals.
        exchanges: requests with their results, in order, the last hundred.
        commits: the commits it made, as far as visible, the last fifty.
        places: step and event key of data other than signals: each of "prompts", the first and last form of
            the "plan", the first and last report of "tokens".
        quotes: sentences of the person that may last, in order, the last 200.
        remarks: texts of the model during its work, in order, the last 300.
        outside: the first place where external text was read; everything after it is tainted.
        cited: memories that agents cited, by the first eight characters of their ids, or “ and the words.
        shown: ids, so shortened, that memory tools returned.
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
    cited: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
