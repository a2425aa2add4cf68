"""Tool output in Codex: its text without the wrapper, and whether the tool failed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.sources.transcripts.texts import MAX_RESULT, joined, number, result_text

# Chunk ID: 5e6cdb / Wall time: 0.1 seconds / Process exited with code 1 / Original token count: 5 / Output:
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Command|Script \w+|Process)"
    r"\b[^\n]*\n){1,8}Output:\n?"
)
_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\s*$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\w{1,40})\s*$", re.MULTILINE)
_DENIED = re.compile(
    r"(?:exec command|patch|command|tool call)? ?rejected by (?:the )?user|declined by (?:the )?user"
)
_ABORTED = re.compile(r"\s*(?:command )?aborted by (?:the )?user")
_FAILED = re.compile(
    r"\s*(?:apply_patch verification failed|failed to parse function arguments|exec_command failed"
    r"|Script failed|execution error|unsupported call|tool call error|Failed to find expected lines)",
    re.IGNORECASE,
)


class Output(NamedTuple):
    """The output of a tool; `exit_code` is None if not reported."""

    text: str
    exit_code: int | None
    failed: bool
    extra: dict[str, Any] | None


def read_output(value: Any, action: str, limit: int = MAX_RESULT) -> Output:
    r"""Return a parsed tool output.

    Args:
        value: a text, blocks, or an object with `content` and `success`.
        action: of the call; only a command's text is searched for a wrapper.
        limit: maximum characters of the text.

    >>> read_output("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such file", "run")
    Output(text='no such file', exit_code=2, failed=True, extra=None)
    >>> read_output('{"output":"ok\\n","metadata":{"exit_code":0}}', "run")
    Output(text='ok', exit_code=0, failed=False, extra=None)
    """
    failed = False
    if isinstance(value, Mapping):
        failed = value.get("success") is False
        value = value.get("content", value.get("output"))
    text = joined(value)
    text, code = _unwrapped(text)
    extra: dict[str, Any] = {}
    if code is None and action in ("run", "edit", "write", "other", ""):
        text, code, running = _without_header(text)
        if running:
            extra["running"] = running
    if code is None and _DENIED.match(text):  # a command that ran and ended was not refused
        extra["denied"] = failed = True
    elif _ABORTED.match(text):
        extra["interrupted"] = failed = True
    failed = failed or code not in (None, 0) or _FAILED.match(text) is not None
    return Output(result_text(text, limit), code, failed, extra or None)


def _unwrapped(text: str) -> tuple[str, int | None]:
    """Return the text and exit code of an output that is itself JSON."""
    if not text.startswith('{"') or '"output"' not in text:
        return text, None
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    about = held.get("metadata")
    if not isinstance(held.get("output"), str):
        return text, None
    return held["output"], number(about.get("exit_code")) if isinstance(about, Mapping) else None


def _without_header(text: str) -> tuple[str, int | None, str]:
    """Return the printed text, the exit code, and the name of the command if it still runs."""
    header = _HEADER.match(text)
    if header is None:
        return text, None, ""
    code, running = _CODE.search(header[0]), _RUNNING.search(header[0])
    return text[header.end() :], int(code[1]) if code else None, running[1] if running else ""
