"""What a session's kind and outcome are judged from: the plain facts of it, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Said(NamedTuple):
    """A text of the user or of the model, the step it belongs to, and the key of its event."""

    text: str
    step: int
    key: str = ""


class Ran(NamedTuple):
    """One run of a command: as it was typed (shortened), its normal form, what it is for, how it ended.

    `failed` is None when no result was seen. `text` is the end of what it printed, shortened.
    """

    command: str
    normal: str
    purpose: str
    step: int
    failed: bool | None
    text: str = ""


class Edited(NamedTuple):
    """A file that was changed, and when."""

    path: str
    step: int


class OpenError(NamedTuple):
    """An error after which the same thing never succeeded.

    `harness` says that it is an error of the host's own tool (a file edited unread, a text not found).
    """

    message: str
    step: int
    harness: bool = False


class SessionFacts(NamedTuple):
    """The facts of one session; what is long is cut, what is many keeps its last few hundred.

    Attributes:
        prompts: what the user typed, in order; the first one is always there.
        replies: the last few texts of the model to the user, in order.
        commands: runs in order.
        edits: changes of files of the repository in order, one for each change.
        planned: how many things the last plan held; None without a plan.
        done: how many of them were ticked off.
        interrupted: how often the user stopped the model.
        open_errors: errors never followed by a success, in order.
        steps: replies of the model.
        stopped: step of the last turn that was over without words that anybody saw; None without one.
        actions: calls of each kind of action (ACTIONS).
        commits: first lines of the messages of the commits it made, as far as they could be seen.
        last_kind: the kind of the last event that was a prompt, a reply or a tool's; the end of a turn is a
            reply.
        last_edit: step of the last change; None without one.
    """

    prompts: tuple[Said, ...] = ()
    replies: tuple[Said, ...] = ()
    commands: tuple[Ran, ...] = ()
    edits: tuple[Edited, ...] = ()
    planned: int | None = None
    done: int = 0
    interrupted: int = 0
    open_errors: tuple[OpenError, ...] = ()
    steps: int = 0
    stopped: int | None = None
    actions: Mapping[str, int] = {}
    commits: tuple[str, ...] = ()
    last_kind: str = ""
    last_edit: int | None = None


class Judgement(NamedTuple):
    """Kind and outcome of a session with the evidence in words.

    `kind` is one of SESSION_KINDS, `outcome` one of OUTCOMES.
    """

    kind: str
    kind_why: str
    outcome: str
    outcome_why: str
