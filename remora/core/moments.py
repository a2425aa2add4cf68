"""A hook event, in a form independent of the host, and the reply to it.

A hook process, an adapter or a program's own loop makes a `Moment`; one decision (`remora.injection`) returns
a `Reply`, usually an empty one. Both are plain tuples: a hook makes and drops one for every tool call.
"""

from typing import NamedTuple

START = "start"  # a session begins, is resumed, or continues after a compaction
PROMPT = "prompt"  # a person entered a prompt
BEFORE = "before"  # a tool is about to be used
AFTER = "after"  # a tool has run
FAILED = "failed"  # a tool has run and reported a failure
STEP = "step"  # between two steps of the model
COMPACTING = "compacting"  # the context is about to be compacted
COMPACTED = "compacted"
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
REPLY = "reply"  # the model sent a message to the person
STOP = "stop"  # the agent's turn is over
END = "end"  # the session is over
OTHER = "other"  # not relevant here
ABORTED = "aborted"  # source of a stop that cut a turn off, by a person or an error
KINDS = (
    START,
    PROMPT,
    BEFORE,
    AFTER,
    FAILED,
    STEP,
    COMPACTING,
    COMPACTED,
    SUBAGENT_START,
    SUBAGENT_STOP,
    REPLY,
    STOP,
    END,
    OTHER,
)


class Moment(NamedTuple):
    """An action that an agent is about to take, or has just taken.

    Attributes:
        kind: one of KINDS.
        host: the host of the agent: "claude-code", "codex", "cursor", "gemini", "copilot", "vscode",
            "windsurf", "opencode", or the name that a program gives itself.
        session: the host's own id of the session.
        cwd: its working folder, as the host gives it; empty if unknown.
        agent: id of the subagent it happens in; empty for the session's own agent.
        source: of a start "startup", "resume", "clear", "compact" or "fork"; of a stop ABORTED or nothing;
            of an end, the reason.
        text: a prompt, a reply, a tool's output or its error; long ones keep both ends.
        tool: the host's name of the tool.
        action: its action, one of `remora.core.events.ACTIONS`.
        paths: files that the tool names, as the host gives them.
        command: of "run".
        pattern: of "search" and "glob".
        url: of "fetch".
        call_id: the host's own id of the tool call.
        turn: the host's own id of the prompt that caused it.
        transcript: the file to which the host writes the session; empty if there is none.
        changed: of an edit: the added text, cut.
        removed: of an edit: the removed text, cut.
        place: of a search: the searched folder; empty for the agent's own.
        failed: of "after": the tool's answer reports a failure, and the host has no event for it.
    """

    kind: str
    host: str = ""
    session: str = ""
    cwd: str = ""
    agent: str = ""
    source: str = ""
    text: str = ""
    tool: str = ""
    action: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    pattern: str = ""
    url: str = ""
    call_id: str = ""
    turn: str = ""
    transcript: str = ""
    changed: str = ""
    removed: str = ""
    place: str = ""
    failed: bool = False


class Reply(NamedTuple):
    """The reply to a `Moment`.

    Attributes:
        text: for the model; empty for nothing.
        note: for the person at the screen, if the host can show it; empty for nothing.
        ids: the memories it contains.
        trigger: the rule that fired: "brief", "task", "gotchas", "command", "error", "partners", "search",
            "recorded".
        why: the reason, for `remora log`.
        firm: never withheld by a trial: a rule, or a memory that a person pinned or verified.
        had: number of matching memories, of which `ids` may be a part.
        types: of the memories, in order.
        held: withheld by the trial: it is recorded, and not sent.
        quiet: the person wants no notice of it.
    """

    text: str = ""
    note: str = ""
    ids: tuple[str, ...] = ()
    trigger: str = ""
    why: str = ""
    firm: bool = True
    had: int = 0
    types: tuple[str, ...] = ()
    held: bool = False
    quiet: bool = False


SILENCE = Reply()
