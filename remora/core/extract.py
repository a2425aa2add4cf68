"""Extract requests, the last answer, files and tools from a conversation, without a model, within a limit.

    48 messages in cli:42, extracted without a model.
    Earlier:
    The user builds a shop.
    Asked:
    - Add refresh tokens to the API.
    - Now write the tests.
    Last answer:
    - All 14 tests pass.
    Files: auth/tokens.py, tests/test_tokens.py
    Tools: read_file ×9, bash ×4

An earlier summary gets up to half of the room and loses its middle, so a conversation that is compacted often
keeps its beginning. Of the requests the first and the newest ones stay.

Tool results are never read: they may be anybody's text, and a summary speaks with the voice of the system.
The extract depends on the messages alone, so the same messages give the same extract.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from remora.core.actions import names_a_file
from remora.core.cut import both_ends
from remora.core.fences import without_code
from remora.core.query import named_paths
from remora.core.text import clean, collapse, shorten
from remora.core.tool_calls import PATH_KEYS
from remora.core.values import Message, is_result

READ = 4_000  # characters read of one message
ITEM, NAME, PATH = 250, 40, 120  # characters of a request or answer, a tool's name and a file
MOST = 12  # files and tools
EARLIER = "Earlier:"

_HEAD = re.compile(r"\d{1,9} messages?\b.{0,100}, extracted without a model\.")
_UNSPACED = re.compile(r"[^\x00-\u052f]+")  # scripts without spaces: their signs are no part of a file's name
_ASSISTANTS = frozenset({"assistant", "ai", "model", "bot", "agent"})
_USERS = frozenset({"user", "human"})
_SILENT = frozenset({"system", "developer"})


def extract(messages: Sequence[Message], limit: int, *, previous: str = "", session_id: str = "") -> str:
    """Return an extract of messages, at most `limit` characters long and never blank.

    Args:
        messages: oldest first; tool results are left out.
        limit: in characters.
        previous: an earlier summary, to be merged.
        session_id: named in the first line, if there is one.
    """
    asked: list[str] = []
    answer: list[str] = []
    files: dict[str, None] = {}
    tools: Counter[str] = Counter()
    for message in messages:
        role = message.role.lower()
        if is_result(message) or role in _SILENT:
            continue
        text = clean(message.content[:READ])
        said = collapse(without_code(text)) or collapse(text)
        if said and role in _ASSISTANTS:
            answer = [f"- {shorten(said, ITEM)}"]
        elif said:
            asked.append(f"- {shorten(said if role in _USERS else clean(f'{message.role}: {said}'), ITEM)}")
        for path in (*named_paths(_UNSPACED.sub(" ", text)), *_files_given(message)):
            files.pop(path, None)  # a file named again becomes the newest
            files[path] = None
        tools.update(shorten(clean(call.name), NAME) for call in message.tool_calls if call.name.strip())
    session = f" in {shorten(session_id, 80)}" if session_id else ""
    lines = [
        f"{len(messages)} message{'' if len(messages) == 1 else 's'}{session}, extracted without a model."
    ]
    ends = ["Last answer:", *answer] if answer else []
    named = [path for path in files if len(path) <= PATH and path.split() == [path]][-MOST:]
    if shown := _newest(named, limit // 4):
        ends.append(f"Files: {', '.join(shown)}")
    if tools:
        counted = ", ".join(f"{name} ×{times}" for name, times in tools.most_common(MOST))
        ends.append(f"Tools: {shorten(counted, limit // 4)}")
    room = limit - sum(len(line) + 1 for line in (*lines, *ends))
    if earlier := _earlier(previous, room // 2):
        lines += [EARLIER, earlier]
        room -= len(earlier) + len(EARLIER) + 2
    if asked:
        first = asked[0]
        lines += ["Asked:", first, *_newest(asked[1:], room - len(first) - len("Asked:") - 2)]
    return "\n".join((*lines, *ends))[: max(1, limit)]


def _earlier(previous: str, room: int) -> str:
    """Return an earlier summary without its first line, cut in its middle."""
    told = (line.strip() for line in clean(previous).split("\n"))
    text = "\n".join(line for line in told if line and line != EARLIER and not _HEAD.fullmatch(line))
    return both_ends(text, room) if room > PATH else ""


def _newest(items: Sequence[str], room: int) -> list[str]:
    """Return the last items that fit into a number of characters."""
    kept: list[str] = []
    for one in reversed(items):
        room -= len(one) + 2
        if room < 0:
            break
        kept.append(one)
    return kept[::-1]


def _files_given(message: Message) -> Iterator[str]:
    """Yield the files that the arguments of a message's calls name; a text is read as JSON if it is."""
    for call in message.tool_calls:
        given = call.arguments
        if isinstance(given, str):
            with suppress(ValueError, RecursionError):
                given = json.loads(given)
        named = [given.get(key) for key in PATH_KEYS] if isinstance(given, Mapping) else []
        yield from (clean(path) for path in named if isinstance(path, str) and names_a_file(path))
