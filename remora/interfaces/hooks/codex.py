"""Codex' hooks: Claude Code's names, `turn_id` for the prompt, and outputs that may hold nothing unknown.

Edits are patches (`apply_patch`), read for their files. There is no event for a failure: the answer of a tool
shows it by `exit_code`, `success`, `isError` or `error` where it is an object; where it is text, by the frame
("Process exited with code 1", "Exit code: 1") or by Codex' own words ("apply_patch verification failed").
Some versions hand a command's bare output to the hook: then nobody can tell, and `failed` is not set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remora.core import moments
from remora.core.actions import of_codex
from remora.interfaces.hooks import payloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from remora.core.moments import Moment, Reply

HOST = "codex"
TRANSCRIPTS = True
# Codex puts what is over 2,500 tokens, by its count of four bytes each, into a file instead.
LIMIT = 9_600
INJECTS = frozenset(
    (moments.START, moments.PROMPT, moments.BEFORE, moments.AFTER, moments.SUBAGENT_START),
)
_KINDS = {
    "SessionStart": moments.START,
    "UserPromptSubmit": moments.PROMPT,
    "PreToolUse": moments.BEFORE,
    "PostToolUse": moments.AFTER,
    "PreCompact": moments.COMPACTING,
    "PostCompact": moments.COMPACTED,
    "SubagentStart": moments.SUBAGENT_START,
    "SubagentStop": moments.SUBAGENT_STOP,
    "Stop": moments.STOP,
    "Interrupt": moments.STOP,
    "SessionEnd": moments.END,
}
# One unknown key spoils an output: the only events whose outputs have `systemMessage`.
_NOTED = ("SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Interrupt")


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the moment that a payload tells of; never raises."""
    kind = _KINDS.get(payloads.text(payload, "hook_event_name"), moments.OTHER)
    made = payloads.moment(kind, HOST, {**payload, "prompt_id": payload.get("turn_id")}, of_codex)
    return _answered(made, payload.get("tool_response")) if made.kind == moments.AFTER else made


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return what is printed; None for nothing."""
    event = payloads.text(payload, "hook_event_name")
    if moment.kind == moments.OTHER or event not in _KINDS:
        return None
    said = reply.text if _KINDS[event] in INJECTS else ""
    return payloads.spoken(event, said, reply.note if event in _NOTED else "", LIMIT)


def _answered(made: Moment, answer: Any) -> Moment:
    """Return the moment with what the answer shows: whether the tool failed, and its text without a frame."""
    if made.action not in ("run", "edit", "write"):
        return made._replace(failed=payloads.shows_failure(answer))
    from remora.sources.transcripts.codex_output import read_output

    output = read_output(payloads.words(answer), made.action, payloads.MAX_TEXT)
    return made._replace(text=output.text, failed=output.failed or payloads.shows_failure(answer))
