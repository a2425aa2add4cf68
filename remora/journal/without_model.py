"""History entries without a model: an extract, or the raw end of the conversation after a failure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from remora.core.query import named_paths
from remora.core.text import shorten
from remora.core.values import Message

FALLBACK_HEAD = "[raw-fallback] Consolidation failed. Recent messages:"
FALLBACK_MESSAGES, FALLBACK_CHARS = 10, 200

_ASKED, _ANSWERED, _LINE = 300, 400, 160  # characters
_LINES, _FILES, _TOOLS = 5, 12, 8  # of each kind; an entry is read, not searched only

_DECISION = re.compile(
    r"\b(?:decided|decision|we(?:'ll| will) (?:use|go|keep)|let(?:'s| us) (?:use|go|keep)|agreed"
    r"|instead of|switch(?:ed)? to|must(?: not)?|never|always|from now on|prefers?|please (?:use|do not))\b"
    r"|决定|必须|不要",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b\w*(?:Error|Exception|Traceback)\b|\b(?:FAIL(?:ED|URE)?|failed|fails|crash(?:ed|es)?|does not work)\b"
)
_FAILURES = ("Error", "Exception", "Traceback", "FAIL", "fail", "crash", "does not work")  # one is in each
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n")
_SCANNED = 20_000  # characters of one message


def raw_fallback(messages: Sequence[Message]) -> str:
    """Return the entry of a failed consolidation: the beginnings of the last ten messages."""
    spoken = [m for m in messages if m.content.strip()][-FALLBACK_MESSAGES:]
    lines = [f"{m.role}: {' '.join(m.content.splitlines())[:FALLBACK_CHARS]}" for m in spoken]
    return "\n".join([FALLBACK_HEAD, *lines])


def extract(messages: Sequence[Message], session_id: str = "") -> str:
    """Return an entry made of the conversation's own words, at most about 4,000 characters.

    The first request, sentences with decisions, lines with failures, the files and tools, the last answer (of
    the assistant, if there is one). The same messages always give the same entry.

    Args:
        messages: oldest first.
        session_id: named in the first line, if there is one.
    """
    spoken = [m for m in messages if m.content.strip()]
    people = [m for m in spoken if m.role not in ("tool", "system")]
    asked = next((m for m in people if m.role == "user"), people[0] if people else None)
    answer = next((m for m in reversed(people) if m.role == "assistant"), people[-1] if people else None)
    parts = [_head(spoken, session_id)]
    if asked is not None:
        parts.append(f"Asked: {shorten(asked.content, _ASKED)}")
    parts += _list("Decided", _matching(people, _DECISION))
    failing = [m for m in spoken if any(word in m.content for word in _FAILURES)]
    parts += _list("Failed", _matching(failing, _FAILURE))
    files = _files(spoken)
    if files:
        parts.append("Files: " + ", ".join(files))
    tools = Counter(call.name for m in messages for call in m.tool_calls).most_common(_TOOLS)
    if tools:
        parts.append("Tools: " + ", ".join(f"{name} x{times}" for name, times in tools))
    if answer is not None and answer is not asked:
        parts.append(f"At last: {shorten(answer.content, _ANSWERED)}")
    return "\n".join(parts)


def _head(spoken: Sequence[Message], session_id: str) -> str:
    times = [m.time for m in spoken if m.time]
    stamp = f"[{times[-1][:10]} {times[-1][11:16]}] " if times else ""
    session = f" in {shorten(session_id, 80)}" if session_id else ""
    return f"{stamp}{len(spoken)} message{'s' * (len(spoken) != 1)}{session}, extracted without a model."


def _list(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"- {line}" for line in lines)] if lines else []


def _matching(messages: Sequence[Message], pattern: re.Pattern[str]) -> list[str]:
    """Return the last few matching sentences, each once, in order."""
    found: dict[str, None] = {}
    for message in reversed(messages):
        for sentence in reversed(_SENTENCE.split(message.content[:_SCANNED])):
            if pattern.search(sentence[: 4 * _LINE]):
                found[shorten(sentence, _LINE)] = None
                if len(found) == _LINES:
                    return list(reversed(found))
    return list(reversed(found))


def _files(messages: Iterable[Message]) -> list[str]:
    counts = Counter(path for m in messages for path in named_paths(m.content) if len(path) <= _LINE)
    return [path for path, _ in counts.most_common(_FILES)]
