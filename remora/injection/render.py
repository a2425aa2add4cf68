"""What an agent reads: facts with where they come from, never orders.

Hosts tell their models to distrust text that commands; and a memory is what earlier sessions saw, which
may be out of date. So each line says what was seen, and ends in the id that `why` explains. What came
from outside stands in quotes that it cannot end, and says so. No memory brings a tag that hosts speak with:
they put what a hook says between such tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.store.hook_reader import Note, Partner

SHORT = 8  # characters of an id that are shown; every verb takes them
LINE = 600  # characters of one memory
UNCONFIRMED = "unconfirmed"
UNVERIFIED = "unverified, from a session that had read outside text"
# Of a host or of a speaker; the brackets of code stay as they are.
_TAG = re.compile(
    r"<(?=\s*+(?:/\s*+)?(?:system|user|assistant|human|developer|function|tool|invoke|antml|instruction|im_|\|))",
    re.IGNORECASE,
)
_HEADS = {
    "rule": "What was said in this project, and bears on {about}:",
    "undoing": "What the history of this project says of {about}:",
    "gotchas": "What this project's memory has about {about}:",
    "named": "What this project's memory has about {about}, which this change names:",
    "command": "What this project's memory has about this command:",
    "error": "This error was met before in this project:",
    "partners": "What usually changes together with {about} in this project:",
    "search": "What this project's memory has about this search:",
    "recorded": "Recorded in this session:",
}


def told(trigger: str, about: str, notes: Sequence[Note]) -> str:
    """Return the text for some memories, one line each."""
    head = _HEADS[trigger].format(about=_code(about) if about else "this")
    return "\n".join((head, *map(line, notes)))


def line(note: Note, limit: int = LINE) -> str:
    """Return one memory as a line of at most so many characters of its own."""
    text = plain(note.content)
    if len(text) > limit:
        text = text[: limit - 1].rpartition(" ")[0] + " …"
    if (note.tainted or note.path or note.unconfirmed) and not note.verified:
        text = text.replace("“", '"').replace("”", '"')
        says = f"{plain(note.path)} says" if note.path else UNCONFIRMED
        text = f"({UNVERIFIED if note.tainted else says}) “{text}”"
    whose = "(the user's own, for every project) " if note.everywhere else ""
    return f"- {whose}{text} [Memory #{note.id[:SHORT]}]"


def partners(about: str, found: Sequence[Partner]) -> str:
    """Return which files commits have beside one, with how often and when last."""
    head = _HEADS["partners"].format(about=_code(about))
    lines = (
        f"- {_code(one.path)} ({one.together} of {one.own} commits, last {one.last[:10]})" for one in found
    )
    return "\n".join((head, *lines))


def _code(path: str) -> str:
    return "`" + plain(path).replace("`", "'") + "`"


def recorded(texts: Sequence[str]) -> str:
    """Return what an agent recorded, for the agent that goes on with it."""
    return "\n".join((_HEADS["recorded"], *(f"- {plain(text)[:LINE]}" for text in texts)))


def plain(text: str) -> str:
    """Return a text on one line, in which no tag of a host begins."""
    return _TAG.sub("‹", " ".join(text.split()))
