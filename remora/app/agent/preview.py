"""Preview the injection for an edit, a command or a prompt, without injecting anything.

The decision is the one that a hook makes, for a session without earlier injections. For each memory about the
file that is not injected, the preview gives the reason.
"""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import NamedTuple

from remora.app.agent.hook_context import setting_of
from remora.app.agent.loop_calls import moment_of
from remora.app.agent.session_brief import own_head, task_of
from remora.app.agent.trust import threshold_of
from remora.app.project.open_project import OpenProject
from remora.core import moments
from remora.core.errors import InvalidInput
from remora.core.moments import SILENCE
from remora.core.values import Filters, MemoryRecord
from remora.injection import brief as briefs
from remora.injection.decide import decide
from remora.injection.state import State
from remora.store.hook_reader import look

SESSION = "preview"
MOST_SILENT = 20


class Silent(NamedTuple):
    """A memory that is not injected, and the reason."""

    id: str
    type: str
    content: str
    why: str


class Preview(NamedTuple):
    """The result of `preview`.

    Attributes:
        at: "edit", "run" or "ask".
        about: the file, the command or the prompt.
        text: the injected text; empty for none.
        ids: ids of the memories in the text.
        trigger, why: the rule that injects and its reason; empty if none does.
        silent: memories about the file that are not injected, with the reason.
    """

    at: str
    about: str
    text: str
    ids: tuple[str, ...]
    trigger: str
    why: str
    silent: tuple[Silent, ...] = ()


def preview(project: OpenProject, at: str, about: str) -> Preview:
    """Return the preview of an injection; see `Memory.preview`."""
    if not about.strip():
        raise InvalidInput("name a file, a command or a prompt")
    if at == "ask":
        reply = task_of(project, about)
    else:
        arguments = {
            "edit": {"file_path": about, "old_string": "", "new_string": ""},
            "run": {"command": about},
        }
        if at not in arguments:
            raise InvalidInput(f"unknown event {at!r}", hint="Choose edit, run or ask.")
        head = own_head(project, "preview", SESSION)
        tool = "Edit" if at == "edit" else "Bash"
        moment = moment_of(head, moments.BEFORE, tool, arguments[at], "", "", "")
        hook_reader = look(*project.databases)
        reply = SILENCE
        if hook_reader is not None and project.settings.inject.enabled:
            with closing(hook_reader):
                setting = setting_of(head, "", hook_reader.threshold, now=project.clock.now())
                reply = decide(moment, State(), hook_reader, setting)
    silent = _silent(project, about, reply.ids) if at == "edit" else ()
    return Preview(at, about, reply.text, tuple(reply.ids), reply.trigger, reply.why, silent)


def _silent(project: OpenProject, path: str, said: tuple[str, ...]) -> tuple[Silent, ...]:
    about = (
        record
        for store in project.stores()
        for record in store.db.memories.on_files([path], Filters(kinds=("memory",)), MOST_SILENT)
        if record.id not in said
    )
    return tuple(Silent(r.id, r.type, r.content, _why(project, r)) for r in islice(about, MOST_SILENT))


def _why(project: OpenProject, record: MemoryRecord) -> str:
    """Return the first reason why a memory is not injected."""
    if record.silent:
        return "you marked it as not useful here"
    if briefs.is_shaken(record):
        return record.review_reason or "it needs review"
    why = briefs.silence(record, threshold_of(project), project.clock.now())
    return why or "other memories come first, or nothing in it matches this edit"
