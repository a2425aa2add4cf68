"""Extract requests, the last answer, files and tools from a conversation, without a model, within a limit.

    48 messages in cli:42, extracted without a model.
    Asked:
    - Add refresh tokens to the API.
    - Now write the tests.
    Last answer:
    - All 14 tests pass.
    Files: auth/tokens.py, tests/test_tokens.py
    Tools: read_file ×9, bash ×4

An earlier extract is parsed into the same sections and its items precede the new ones, so a conversation that
is compacted repeatedly has one flat extract. Other text, such as prose written by a model, goes into the
section "Earlier". If not everything fits, the first request stays, the last answer, the tools and the newest
files; the rest of the room goes to the newest requests and the beginning of the earlier text in turn.

Tool results are never read: they may be anybody's text, and a summary speaks with the voice of the system.
The extract depends on the messages alone, so the same messages give the same extract.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from remora.core.actions import names_a_file
from remora.core.cut import pieces
from remora.core.fences import without_code
from remora.core.query import named_paths
from remora.core.text import clean, collapse, shorten
from remora.core.tool_calls import NEW, OLD, PATH_KEYS
from remora.core.values import Message, is_result

READ = 4_000  # characters read of one message, and of one argument
ITEM, NAME, PATH = 250, 40, 120  # characters of a request or answer, a tool's name and a file
MOST = 12  # files and tools

EARLIER, ASKED, LAST, FILES, TOOLS = "Earlier", "Asked", "Last answer", "Files", "Tools"

_HEAD = re.compile(r"(?:Extract of )?(\d{1,9}) messages?, (?:extracted|made) without a model\.")
_UNSPACED = re.compile(r"[^\x00-\u052f]+")  # scripts without spaces: their signs are no part of a file's name
_TEXTS = frozenset((*OLD, *NEW, "patch", "diff"))  # arguments with a file's text, not its name
_COUNTED = re.compile(r"(.+) ×(\d{1,9})")
_ASSISTANTS = frozenset({"assistant", "ai", "model", "bot", "agent"})
_USERS = frozenset({"user", "human"})
_SILENT = frozenset({"system", "developer"})

Facts = dict[str, dict[str, int]]  # by section, how often each item was named, oldest item first


def extract(messages: Sequence[Message], limit: int, *, previous: str = "", session_id: str = "") -> str:
    """Return an extract of messages, at most `limit` characters long and never blank.

    Args:
        messages: oldest first; tool results are left out.
        limit: in characters.
        previous: an earlier summary, to be merged.
        session_id: named in the first line, if there is one.
    """
    facts: Facts = {label: {} for label in (EARLIER, ASKED, LAST, FILES, TOOLS)}
    count = _read_previous(facts, previous) + len(messages)
    for message in messages:
        if not is_result(message) and message.role.lower() not in _SILENT:
            _read_message(facts, message)
    session = f" in {shorten(session_id, 80)}" if session_id else ""
    head = f"{count} message{'' if count == 1 else 's'}{session}, extracted without a model."
    return "\n".join([head, *_sections(facts, limit - len(head))])[: max(1, limit)]


def _read_previous(facts: Facts, previous: str) -> int:
    """Add the items of an earlier summary; return the number of messages that it stands for."""
    count, label = 0, EARLIER
    for line in map(str.strip, clean(previous).split("\n")):
        if head := _HEAD.fullmatch(line):
            count += int(head[1])
            label = EARLIER
        elif line in (f"{EARLIER}:", f"{ASKED}:", f"{LAST}:"):
            label = line[:-1]
        elif line.startswith("- ") and label != EARLIER:
            _add(facts, label, shorten(line[2:], ITEM))
        elif not _read_names(facts, line):
            label = EARLIER
            for piece in pieces(line.removeprefix("- ")):
                _add(facts, EARLIER, collapse(piece))
    return count


def _read_names(facts: Facts, line: str) -> bool:
    """Add the files or tools of a line that lists them; return whether it does."""
    label, _, listed = line.partition(": ")
    parts = listed.split(", ")
    counted = [match.groups() for part in parts if (match := _COUNTED.fullmatch(part))]
    if label == FILES and all(part.split() == [part] for part in parts):
        for path in parts:
            _add(facts, FILES, path)
    elif label == TOOLS and len(counted) == len(parts):
        for name, times in counted:
            _add(facts, TOOLS, name, int(times))
    else:
        return False
    return True


def _read_message(facts: Facts, message: Message) -> None:
    role, text = message.role.lower(), clean(message.content[:READ])
    said = collapse(without_code(text)) or collapse(text)
    if said and role in _ASSISTANTS:
        _add(facts, LAST, shorten(said, ITEM))
    elif said:
        _add(facts, ASKED, shorten(said if role in _USERS else clean(f"{message.role}: {said}"), ITEM))
    for path in _files_in(text):
        _add(facts, FILES, path)
    for call in message.tool_calls:
        if name := shorten(clean(call.name).replace(",", " ").replace("×", "x"), NAME):
            _add(facts, TOOLS, name)
        for path in _files_given(call.arguments):
            _add(facts, FILES, path)


def _files_in(text: str) -> tuple[str, ...]:
    """Return the files that a text names.

    >>> _files_in("请看src/auth.py的 and/or lib/b.go。")
    ('src/auth.py', 'lib/b.go')
    """
    return named_paths(_UNSPACED.sub(" ", text))


def _files_given(arguments: Any) -> Iterator[str]:
    """Yield the files that the arguments of a call name; a text is read as JSON if it is.

    >>> list(_files_given('{"file_path": "/w/a.c", "edits": [{"path": "b.py", "new_string": "c.py"}]}'))
    ['/w/a.c', 'b.py']
    """
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    for key, value in _strings("", arguments):
        if key in PATH_KEYS and names_a_file(value):
            yield clean(value)
        elif key not in _TEXTS:
            yield from _files_in(clean(value[:READ]))


def _strings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value, however deep, each with the name that it has."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(str(name), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(key, inner)


def _add(facts: Facts, label: str, item: str, times: int = 1) -> None:
    """Add an item to its section. A file named again becomes the newest; there is one last answer."""
    items = facts[label]
    if label == FILES and (len(item) > PATH or item.split() != [item]):
        return
    if label == LAST:
        items.clear()
    elif label == FILES:
        items.pop(item, None)
    items[item] = items.get(item, 0) + times


def _sections(facts: Facts, room: int) -> Iterator[str]:
    """Yield the lines of the items that fit into a number of characters."""
    items = {label: list(found) for label, found in facts.items()}
    items[FILES] = items[FILES][-MOST:]
    items[TOOLS] = [f"{name} ×{times}" for name, times in Counter(facts[TOOLS]).most_common(MOST)]
    kept: dict[str, set[str]] = {label: set() for label in items}
    for label, item in _by_priority(items):
        cost = len(item) + 3 + (0 if kept[label] else len(label) + 2)
        if cost <= room:
            kept[label].add(item)
            room -= cost
    for label, found in items.items():
        shown = [item for item in found if item in kept[label]]
        if shown and label in (FILES, TOOLS):
            yield f"{label}: {', '.join(shown)}"
        elif shown:
            yield from (f"{label}:", *(f"- {item}" for item in shown))


def _by_priority(items: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield each item after its section, in the order in which they get room."""
    first, newest = items[ASKED][:1], items[ASKED][:0:-1]
    always = ((ASKED, first), (LAST, items[LAST]), (TOOLS, items[TOOLS]), (FILES, items[FILES][::-1]))
    yield from ((label, item) for label, found in always for item in found)
    for request, told in zip_longest(newest, items[EARLIER]):
        if request:
            yield ASKED, request
        if told:
            yield EARLIER, told
