"""Hook format of Codex: Claude Code's names, `turn_id` for the prompt, and outputs without unknown keys.

Edits are patches (`apply_patch`), which are parsed for their files. There is no event for a failed tool. If
the tool's response is an object, `exit_code`, `success`, `isError` or `error` shows the failure; if it is
text, its frame ("Process exited with code 1", "Exit code: 1") or a message of Codex ("apply_patch
verification failed") does. Some versions pass only a command's output to the hook; then the failure is
unknown and `failed` is not set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import of_codex
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "codex"
TRANSCRIPTS = True
# Bytes. Codex moves output above 2,500 tokens, counted as four bytes each, into a file.
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
    "SessionEnd": moments.END,
}
# The events whose outputs may have `systemMessage`; Codex rejects an output with an unknown key.
_NOTED = ("SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "PostCompact")


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    kind = _KINDS.get(payloads.text(payload, "hook_event_name"), moments.OTHER)
    made = payloads.moment(kind, HOST, {**payload, "prompt_id": payload.get("turn_id")}, of_codex)
    return _answered(made, payload.get("tool_response")) if made.kind == moments.AFTER else made


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    noted = payloads.text(payload, "hook_event_name") in _NOTED
    taken = reply if noted else reply._replace(note="")
    return payloads.spoken(payload, moment, taken, INJECTS, LIMIT)


def _answered(made: Moment, answer: Any) -> Moment:
    """Return the moment with `failed`, and for commands and edits the text without its frame."""
    if made.action not in ("run", "edit", "write"):
        return made._replace(failed=payloads.shows_failure(answer))
    from remora.sources.transcripts.codex_output import read_output

    output = read_output(payloads.words(answer), made.action, payloads.MAX_TEXT)
    return made._replace(text=output.text, failed=output.failed or payloads.shows_failure(answer))
