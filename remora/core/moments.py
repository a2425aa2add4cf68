"""A moment in an agent's session, whatever its host calls it, and what is said at it.

A hook process, an adapter or a program's own loop makes a `Moment`; one decision (`remora.injection`) answers
with a `Reply`, mostly an empty one. Both are plain tuples: a hook makes and drops one for every tool call.
"""

from typing import NamedTuple

START = "start"  # a session begins, goes on after a pause, or goes on after its context was shortened
PROMPT = "prompt"  # a person said something
BEFORE = "before"  # a tool is about to be used
AFTER = "after"  # a tool was used
FAILED = "failed"  # a tool was used and says that it failed
STEP = "step"  # between two steps of the model
COMPACTING = "compacting"  # the context is about to be shortened
COMPACTED = "compacted"
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
REPLY = "reply"  # the model said something to the person
STOP = "stop"  # the agent's turn is over
END = "end"  # the session is over
OTHER = "other"  # nothing that concerns us
ABORTED = "aborted"  # source of a stop at which a turn was cut off, by a person or an error
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
    """What an agent is about to do, or has just done.

    Attributes:
        kind: one of KINDS.
        host: who runs the agent: "claude-code", "codex", "cursor", "gemini", "copilot", "vscode",
            "windsurf", "opencode", or what a program calls itself.
        session: the host's own id of the session.
        cwd: the folder it works in, as the host has it; empty where it is not said.
        agent: id of the subagent it happens in; empty for the session's own.
        source: of a start "startup", "resume", "clear", "compact" or "fork"; of a stop ABORTED or nothing;
            of an end, why.
        text: a prompt, a reply, a tool's output or its error; long ones keep both ends.
        tool: the tool's name as the host has it.
        action: what it does, one of `remora.core.events.ACTIONS`.
        paths: files that the tool names, as the host has them.
        command: of "run".
        pattern: of "search" and "glob".
        url: of "fetch".
        call_id: the host's own id of the tool call.
        turn: the host's own id of the prompt that caused it.
        transcript: the file that the host writes the session to; empty where there is none.
        changed: of an edit: the text that it brings in, cut.
        removed: of an edit: the text that it takes out, cut.
        place: of a search: the folder that it looks in; empty for the one that the agent is in.
        failed: of "after": the host cannot say so elsewhere, but the tool's answer does.
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
    """What is said at a moment.

    Attributes:
        text: for the model; empty for nothing.
        note: for the person at the screen, where the host can show it; empty for nothing.
        ids: memories that are in it.
        trigger: which rule spoke: "brief", "task", "gotchas", "command", "error", "partners", "search",
            "recorded".
        why: the reason, for `remora log`.
        firm: it is never held back: a rule, or what a person pinned or verified.
        had: how many memories deserved the moment, of which `ids` may be some.
        types: of the memories, in order.
        held: the trial holds it back: it is noted, and not said.
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
