"""Sections of a system prompt: the `# Memory` block, and the recap of a conversation.

The block has the long-term memory, today's notes and the days before. Its parts are separated by one empty
line, as in the specification, whatever line ends the files have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.files import Journal

HEAD = "# Memory"
RELEVANT_HEAD = "# Relevant Memory"
RECAP_HEAD = "## Recent Conversation Recap"
RECAP_SENTENCE = (
    "These are the latest messages of a conversation that goes on; answer as if you had been there."
)


class Block(NamedTuple):
    """A block and the errors of reading it."""

    text: str
    problems: tuple[str, ...] = ()


def read_block(journal: Journal, settings: JournalSettings, relevant: str = "") -> Block:
    """Return the block from the journal's files; empty without content. History is not read.

    Args:
        journal: whose files are read.
        settings: the days before today; a disabled journal gives only the relevant part.
        relevant: the search result for the current task, if there is one.
    """
    found = _section(RELEVANT_HEAD, relevant)
    if not settings.enabled:
        return Block(found)
    memory, today = journal.read_memory(), journal.read_day(journal.moment().date())
    days = [(day, journal.read_day(day)) for day in journal.recent_days(settings.recent_days)]
    recent = _joined(_section(f"### {day:%Y-%m-%d}", notes.text) for day, notes in days)
    sections = (
        _section("## Long-term Memory", memory.text),
        _section("## Today's Notes", today.text),
        _section("## Recent Context", recent),
    )
    problems = (memory.problem, today.problem, *(notes.problem for _, notes in days))
    text = _joined((_section(HEAD, _joined(sections)), found))
    return Block(text, tuple(problem for problem in problems if problem))


def _section(head: str, content: str) -> str:
    content = content.strip()
    return f"{head}\n{content}" if content else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def recap(messages: Sequence[Message]) -> str:
    r"""Return the remaining messages as a section for a system prompt; empty if all are empty.

    >>> print(recap([Message(1, "user", "hello"), Message(2, "assistant", ""), Message(3, "tool", "ok")]))
    ## Recent Conversation Recap
    These are the latest messages of a conversation that goes on; answer as if you had been there.
    <BLANKLINE>
    USER: hello
    TOOL: ok
    """
    lines = [f"{m.role.upper()}: {m.content}" for m in messages if m.content.strip()]
    return "\n".join([RECAP_HEAD, RECAP_SENTENCE, "", *lines]) if lines else ""
