"""The facts of a session from which its kind and its outcome are inferred."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Said(NamedTuple):
    """A text of the user or of the model, its step, and the key of its event."""

    text: str
    step: int
    key: str = ""


class Ran(NamedTuple):
    """One run of a command: as typed (shortened), its normal form, its purpose and its result.

    `failed` is None if no result was seen. `text` is the end of its output, shortened.
    """

    command: str
    normal: str
    purpose: str
    step: int
    failed: bool | None
    text: str = ""


class Edited(NamedTuple):
    """A changed file and the step of the change."""

    path: str
    step: int


class OpenError(NamedTuple):
    """An error after which the same command or tool never succeeded.

    `harness` marks an error of the host's own tool (a file edited unread, a text not found).
    """

    message: str
    step: int
    harness: bool = False


class SessionFacts(NamedTuple):
    """The facts of one session; long texts are cut, and of many entries the last few hundred are kept.

    Attributes:
        prompts: typed by the user, in order; the first one is always kept.
        replies: the last few texts of the model to the user, in order.
        commands: runs in order.
        edits: changes of files of the repository in order, one for each change.
        planned: number of items in the last plan; None without a plan.
        done: number of them that are completed.
        interrupted: number of times that the user stopped the model.
        open_errors: errors never followed by a success, in order.
        steps: replies of the model.
        stopped: step of the last turn that ended without a recorded reply; None without one.
        actions: number of calls by action (ACTIONS).
        commits: subjects of the commits that it made, as far as their output shows them.
        last_kind: kind of the last event that was a prompt, a reply or a tool's; the end of a turn is a
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
    """The kind and the outcome of a session with the evidence in words.

    `kind` is one of SESSION_KINDS, `outcome` one of OUTCOMES.
    """

    kind: str
    kind_why: str
    outcome: str
    outcome_why: str
