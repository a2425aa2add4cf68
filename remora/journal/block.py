"""The `# Memory` block of a system prompt: long-term memory, today's notes, the days before.

Its parts are separated by one empty line, as in the specification, whatever line ends the files have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.journal.files import Journal

HEAD = "# Memory"
RELEVANT_HEAD = "# Relevant Memory"


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
