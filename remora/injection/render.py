"""The text of injections: facts with their sources, never orders.

Hosts tell their models to distrust text that gives orders; and a memory is an observation of earlier
sessions, which may be out of date. So each line states an observation, and ends in the id that `why`
explains. External text stands in quotes that it cannot end, and is marked. No memory contains a tag of a
host, because hosts put the output of hooks between such tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.store.hook_reader import Note, Partner

SHORT = 8  # characters of an id that are shown; every verb accepts them
LINE = 600  # characters of one memory
UNCONFIRMED = "unconfirmed"
UNVERIFIED = "unverified, from a session that had read outside text"
_HEADS = {
    "rule": "Rules stated in this project about {about}:",
    "undoing": "The commit history of this project about {about}:",
    "gotchas": "This project's memory about {about}:",
    "named": "This project's memory about {about}, which this change names:",
    "command": "This project's memory about this command:",
    "error": "This error occurred before in this project:",
    "partners": "Files that usually change together with {about} in this project:",
    "search": "This project's memory about this search:",
    "recorded": "Recorded in this session:",
    "said": "Said by the user earlier in this session:",
}


def told(trigger: str, about: str, notes: Sequence[Note]) -> str:
    """Return the text of some memories, one line each."""
    head = _HEADS[trigger].format(about=_code(about) if about else "this")
    return "\n".join((head, *map(line, notes)))


def line(note: Note, limit: int = LINE) -> str:
    """Return one memory as a line with at most `limit` characters of its content."""
    text = plain(note.content)
    if len(text) > limit:
        text = text[: limit - 1].rpartition(" ")[0] + " …"
    if (note.tainted or note.path or note.unconfirmed) and not note.verified:
        text = text.replace("“", '"').replace("”", '"')
        heading = plain(note.context.rpartition(" > ")[2])
        says = (
            f"{plain(note.path)}{f', section {heading},' if heading else ''} says"
            if note.path
            else UNCONFIRMED
        )
        text = f"({UNVERIFIED if note.tainted else says}) “{text}”"
    whose = "(the user's own, for every project) " if note.everywhere else ""
    return f"- {whose}{text} [Memory #{note.id[:SHORT]}]"


def partners(about: str, found: Sequence[Partner]) -> str:
    """Return the text of the files that commits change together with one, with counts and last dates."""
    head = _HEADS["partners"].format(about=_code(about))
    lines = (
        f"- {_code(one.path)} ({one.together} of {one.own} commits, last {one.last[:10]})" for one in found
    )
    return "\n".join((head, *lines))


def _code(path: str) -> str:
    return "`" + plain(path).replace("`", "'") + "`"


def recorded(texts: Sequence[str]) -> str:
    """Return the text of records from the session, for the agent that goes on."""
    return "\n".join((_HEADS["recorded"], *(f"- {plain(text)[:LINE]}" for text in texts)))


def said(sentences: Sequence[str]) -> str:
    """Return the text of the user's own sentences in the session, for the agent that goes on."""
    return "\n".join((_HEADS["said"], *(f"- “{plain(text)}”" for text in sentences)))


def plain(text: str) -> str:
    """Return a text on one line, without the beginning of any tag of a host."""
    spoken = "system|user|assistant|human|developer|function|tool|invoke|antml|instruction|im_"
    return re.sub(rf"(?i)<(?=\s*+(?:/\s*+)?(?:{spoken}|\|))", "‹", " ".join(text.split()))
