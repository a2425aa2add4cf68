"""Convert tool calls and results into plain text, so that a compacted context needs no pairing.

    Let me look.
    [Tool: read_file | Args: {"path": "auth/tokens.py"}]
    [Result: TTL = 24 * 3600]

A message with tool calls becomes its own text followed by these two lines for each call; the results included
this way are removed as messages. A result without its call becomes the assistant's text. The log is not
changed: `working_context` does this to the messages it read, up to the `seq` in the compact marker.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from remora.conversation.calls import CallPlace, arguments_text, pair, waiting
from remora.conversation.replay import Boundary
from remora.core.values import RESULT_ROLES, Message, is_result

ARGUMENT_CHARACTERS = 200  # shown of a call's arguments
RESULT_CHARACTERS = 2_000  # shown of a result
FLATTENED_TO = "flattenedTo"  # in a compact marker's details: the seq up to which messages are flattened


def clip(text: str, limit: int) -> str:
    """Return a text as it is, or its first `limit` characters and three dots.

    >>> clip("abc", 3), clip("abcd", 3)
    ('abc', 'abc...')
    """
    return text if len(text) <= limit else text[:limit] + "..."


def held(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters; a longer one ends at a word, with an ellipsis.

    >>> held("abc", 3), held("abcd", 3), held("One two three", 10)
    ('abc', 'ab…', 'One two…')
    """
    if len(text) <= limit:
        return text
    kept = text[: max(0, limit - 1)]
    space = kept.rfind(" ")
    return (kept[:space] if space > len(kept) // 2 else kept).rstrip() + "…"


def flatten(messages: Sequence[Message], up_to: int | None = None) -> list[Message]:
    """Return messages with tool calls and results as text; number, time and external id stay.

    The operation is idempotent.

    Args:
        messages: in the order of their log.
        up_to: the last `seq` to flatten; None for all. Later messages are unchanged, except those that would
            lose their call: a late result of a flattened call joins its text, and an orphan becomes text.
    """
    pairs = pair(messages)
    results: defaultdict[CallPlace, list[Message]] = defaultdict(list)
    for at, place in pairs.items():
        results[place].append(messages[at])
    done = [up_to is None or message.seq <= up_to for message in messages]
    flat: list[Message] = []
    for at, message in enumerate(messages):
        answered = pairs.get(at)
        if answered is not None and done[answered.message]:
            continue  # it stands in the text of its call
        if message.tool_calls and done[at]:
            flat.append(_spoken(message, _called(message, at, results)))
        elif answered is None and is_result(message):
            lines = [f"[Tool: {message.tool_name or 'unknown'}]", _result(message.content)]
            flat.append(_spoken(message, "\n".join(lines)))
        else:
            flat.append(message)
    return flat


def _called(message: Message, at: int, results: Mapping[CallPlace, list[Message]]) -> str:
    lines = [message.content] if message.content.strip() else []
    for position, call in enumerate(message.tool_calls):
        shown = clip(arguments_text(call.arguments), ARGUMENT_CHARACTERS)
        lines.append(f"[Tool: {call.name} | Args: {shown}]")
        given = results.get(CallPlace(at, position), [])
        lines += [_result(result.content) for result in given] or ["[Result: <no response>]"]
    return "\n".join(lines)


def _result(content: str) -> str:
    return f"[Result: {clip(content, RESULT_CHARACTERS) or '<empty>'}]"


def _spoken(message: Message, content: str) -> Message:
    tools_own = is_result(message) or message.role.lower() in RESULT_ROLES
    role = "assistant" if tools_own else message.role
    return message._replace(role=role, content=content, tool_calls=(), tool_call_id=None, tool_name=None)


def settled(messages: Sequence[Message]) -> int:
    """Return the last `seq` that may be flattened; 0 for none.

    It is the last message, or the one before a call without its result: an agent whose context is compacted
    between a call and its result must find the call when the result arrives.
    """
    open_call = waiting(messages)
    ready = messages if open_call is None else messages[:open_call]
    return ready[-1].seq if ready else 0


def working_context(messages: Sequence[Message], boundary: Boundary | None) -> list[Message]:
    """Return the working context of an agent after its latest boundary.

    Args:
        messages: the log from the boundary on, the summary first.
        boundary: the log's latest marker. If it is a compaction with a `seq` to flatten up to, those messages
            are flattened; otherwise all are unchanged.
    """
    up_to = (boundary.details or {}).get(FLATTENED_TO) if boundary and boundary.kind == "compact" else None
    if not isinstance(up_to, int) or isinstance(up_to, bool):
        return list(messages)
    return flatten(messages, up_to)
