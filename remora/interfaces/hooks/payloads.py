"""Shared parser and writer of hook payloads for all hosts.

A host sends one JSON object per event. A value may be missing, of another type, or ten megabytes long: every
value is read by key and type, an invalid one counts as missing, and long texts are cut before they are
processed. `moment` reads the keys of Claude Code; the modules of other hosts map their own keys to these
first.

This module is loaded for every tool call of an agent, so it imports only fast modules and compiles no
patterns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of
from remora.core.cut import both_ends, sound
from remora.core.moments import Moment, Reply
from remora.core.tool_calls import MOMENT_EDIT, call, place
from remora.core.tool_calls import text as text  # for the modules of hosts

MAX_TEXT = 8_000  # characters of a prompt, a reply, an output
MAX_ID = 200
MAX_PATHS = 50
MAX_ITEMS = 50  # entries of a list that are read
MAX_JSON = 1_000_000  # characters of JSON inside a JSON string that are parsed
LOOKED_AT = 100_000  # characters of an output that are read, half at each end
# Bytes that a host accepts: Claude Code and Cursor accept 10,000 characters, and a text has at least as many
# bytes as characters, however a host counts these.
LIMIT = 10_000
MORE = "\n[Truncated; search_memory or `remora search` finds the rest.]"

_EDITING = ("edit", "write")
_TOOL_KINDS = (moments.BEFORE, moments.AFTER, moments.FAILED)
_TEXT_OF = {
    moments.PROMPT: "prompt",
    moments.AFTER: "tool_response",
    moments.FAILED: "error",
    moments.COMPACTED: "compact_summary",
    moments.SUBAGENT_STOP: "last_assistant_message",
    moments.REPLY: "last_assistant_message",
    moments.STOP: "last_assistant_message",
}
_SOURCES = {"new": "startup"}
# Keys of the text in a tool's response; for edits only `_WORDS`, since `_CONTENTS` would repeat the file.
_WORDS = tuple("stdout output llmContent textResultForLlm text_result_for_llm stderr error message".split())
_CONTENTS = ("content", "text", "result", "file")
_CODES = ("exit_code", "exitCode", "exit")
_NO_FAILURES = (0, 130)  # 130: interrupted by the user
_CODE_AT = 500  # characters at the end of an output that may contain an exit code


# Parts


def name(value: Any) -> str:
    """Return an id or a tool's name, cut to MAX_ID characters; empty if it is not a string.

    >>> name("toolu_1"), name(5), name(None)
    ('toolu_1', '', '')
    """
    return sound(value[:MAX_ID]) if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    """Return an object: a dict, JSON in a string, or other text as `input`; empty for other types.

    >>> mapping('{"command": "make"}'), mapping("*** Begin Patch"), mapping([1])
    ({'command': 'make'}, {'input': '*** Begin Patch'}, {})
    """
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    found = decoded(value)
    return found if isinstance(found, dict) else {"input": value}


def decoded(value: Any) -> Any:
    """Return the value of a JSON text; the text itself if it is not JSON or longer than MAX_JSON."""
    if isinstance(value, str) and value[:1] in ("{", "[") and len(value) <= MAX_JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def items(value: Any) -> list[Any]:
    """Return the entries of a list; for more than MAX_ITEMS, half of them from each end."""
    if not isinstance(value, list):
        return []
    return value if len(value) <= MAX_ITEMS else [*value[: MAX_ITEMS // 2], *value[-MAX_ITEMS // 2 :]]


def words(value: Any, *, contents: bool = True) -> str:
    r"""Return the text of a response: a string, text blocks, or an object with either; cut in the middle.

    Args:
        value: any JSON value.
        contents: include the values of "content" and similar keys.

    >>> words([{"type": "text", "text": "a"}, {"type": "image"}]), words({"stdout": "b", "stderr": "c"})
    ('a', 'b\nc')
    """
    keys = _WORDS + _CONTENTS if contents else _WORDS
    parts: list[str] = []
    room = LOOKED_AT
    for part in _said(value, keys, 4):
        if part != (parts[-1] if parts else ""):
            parts.append(_ends(part))
            room -= len(parts[-1])
        if room <= 0:
            break
    whole = "\n".join(parts)
    if "\x1b" in whole:
        from remora.sources.transcripts.texts import without_colours

        return without_colours(whole)
    return whole


def _said(value: Any, keys: tuple[str, ...], depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif depth and isinstance(value, list):
        for item in items(value):
            yield from _said(item, keys, depth - 1)
    elif depth and isinstance(value, dict):
        for key in keys:
            if key in value:
                yield from _said(value[key], keys, depth - 1)


def _ends(value: str) -> str:
    return value if len(value) <= LOOKED_AT else value[: LOOKED_AT // 2] + value[-LOOKED_AT // 2 :]


# Moments


def moment(
    kind: str,
    host: str,
    told: Mapping[str, Any],
    meaning: Callable[[str], str] = action_of,
) -> Moment:
    """Return the `Moment` of a payload with the keys of Claude Code.

    A stop that a hook has already prevented once is ignored (it could loop), as is a tool that the user
    interrupted: their kind is OTHER.

    Args:
        kind: one of `remora.core.moments.KINDS`.
        host: the host's name.
        told: the payload.
        meaning: maps a tool's name to one of `remora.core.events.ACTIONS`.
    """
    if (kind in (moments.STOP, moments.SUBAGENT_STOP) and told.get("stop_hook_active")) or (
        kind == moments.FAILED and told.get("is_interrupt")
    ):
        kind = moments.OTHER
    used: dict[str, Any] = {}
    if kind in _TOOL_KINDS:
        tool = name(told.get("tool_name"))
        made = call(tool, mapping(told.get("tool_input")), str, meaning(tool), MOMENT_EDIT)
        used = made._replace(paths=made.paths[:MAX_PATHS]).moment()
        used["call_id"] = name(told.get("tool_use_id"))
    said = words(told.get(_TEXT_OF.get(kind, "")), contents=used.get("action") not in _EDITING)
    if kind == moments.PROMPT:
        from remora.core.typed_prompt import without_blocks  # imported here: only prompts need it

        said = without_blocks(said)
    source = name(told.get("source")) if kind == moments.START else ""
    if kind == moments.END:
        source = name(told.get("reason"))
    return Moment(
        kind,
        host=host,
        session=name(told.get("session_id")),
        cwd=place(told.get("cwd")),
        agent=name(told.get("agent_id")),
        source=_SOURCES.get(source, source),
        text=both_ends(said, MAX_TEXT),
        turn=name(told.get("prompt_id")),
        transcript=place(told.get("transcript_path")),
        **used,
    )


# Failures in responses, for hosts without an event for them


def shows_failure(answer: Any) -> bool:
    """Return whether a response shows that the tool failed: by a flag, an error, or an exit code.

    >>> shows_failure({"is_error": True}), shows_failure({"metadata": {"exit": 1}}), shows_failure("error")
    (True, True, False)
    """
    if not isinstance(answer, dict):
        return False
    if answer.get("is_error") is True or answer.get("isError") is True or answer.get("success") is False:
        return True
    if answer.get("error") or answer.get("status") in ("error", "failed"):
        return True
    told = [answer, mapping(answer.get("metadata"))]
    codes = [one.get(key) for one in told for key in _CODES]
    return any(type(code) is int and code not in _NO_FAILURES for code in codes)


def code_told(said: str, pattern: str) -> bool:
    r"""Return whether an output reports a failing exit code: other than 0 and 130.

    Args:
        said: the output.
        pattern: the host's wording, with a group for the number of at most nine digits.

    >>> code_told("no such file\nExit Code: 2", r"^Exit Code: (\d{1,9})$")
    True
    """
    import re

    found = re.findall(pattern, said[-_CODE_AT:], re.MULTILINE)
    return bool(found) and int(found[-1]) not in _NO_FAILURES


# Answers


def fitted(said: str, limit: int = LIMIT) -> str:
    r"""Return a text of at most `limit` bytes; a longer one is cut at a line end and gets a note.

    >>> print(fitted("one\ntwo\nthree\n" * 20, 80))
    one
    two
    three
    one
    [Truncated; search_memory or `remora search` finds the rest.]
    """
    said = sound(said)
    data = said.encode()
    if len(data) <= limit:
        return said
    kept = data[: limit - len(MORE)].decode("utf-8", "ignore")
    end = kept.rfind("\n")
    if end <= 0:  # one long line: cut at a word
        end = kept.rfind(" ")
    return (kept[:end] if end > 0 else kept).rstrip() + MORE


def spoken(
    payload: Mapping[str, Any], moment: Moment, reply: Reply, injects: frozenset[str], limit: int = LIMIT
) -> dict[str, Any] | None:
    """Return a hook's output in the format of Claude Code and compatible hosts; None for no output.

    Args:
        payload: of the hook; it names the event.
        moment: the event.
        reply: text for the model and notice to the user.
        injects: kinds of moments at which text reaches the model.
        limit: bytes that the host accepts in one text.
    """
    if moment.kind == moments.OTHER:
        return None
    answer: dict[str, Any] = {}
    if reply.note.strip():
        answer["systemMessage"] = fitted(reply.note, limit)
    if moment.kind in injects and reply.text.strip():
        context = fitted(reply.text, limit)
        event = text(payload, "hook_event_name", "hookEventName")
        answer["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": context}
    return answer or None
