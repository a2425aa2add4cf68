"""The `# Memory` block of a system prompt: long-term memory, today's notes, the days before.

Its parts are separated by one empty line, as in the specification, whatever line ends the files have.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.journal.files import Journal

HEAD = "# Memory"
RELEVANT_HEAD = "# Relevant Memory"


class BlockTexts(NamedTuple):
    """The content of the block: `recent` are days before today with their notes, newest first."""

    long_term: str = ""
    today: str = ""
    recent: tuple[tuple[date, str], ...] = ()


class Block(NamedTuple):
    """A block and the errors of reading it."""

    text: str
    problems: tuple[str, ...] = ()


def to_context(texts: BlockTexts) -> str:
    r"""Return the non-empty sections, without the block's heading; empty if there are none.

    >>> to_context(BlockTexts("Uses PostgreSQL.", "", ((date(2026, 2, 6), "[10:00] User: a"),)))
    '## Long-term Memory\nUses PostgreSQL.\n\n## Recent Context\n### 2026-02-06\n[10:00] User: a'
    """
    days = [_section(f"### {day:%Y-%m-%d}", notes) for day, notes in texts.recent]
    sections = [
        _section("## Long-term Memory", texts.long_term),
        _section("## Today's Notes", texts.today),
        _section("## Recent Context", "\n\n".join(day for day in days if day)),
    ]
    return "\n\n".join(section for section in sections if section)


def _section(head: str, content: str) -> str:
    content = content.strip()
    return f"{head}\n{content}" if content else ""


def render_block(texts: BlockTexts, relevant: str = "") -> str:
    r"""Return the whole block; empty without content.

    Args:
        texts: the content of the journal's files.
        relevant: the search result for the current task, if there is one.

    >>> render_block(BlockTexts("Uses PostgreSQL."), "Tokens live 24 h.")
    '# Memory\n## Long-term Memory\nUses PostgreSQL.\n\n# Relevant Memory\nTokens live 24 h.'
    """
    parts = (_section(HEAD, to_context(texts)), _section(RELEVANT_HEAD, relevant))
    return "\n\n".join(part for part in parts if part)


def read_texts(journal: Journal, recent_days: int) -> tuple[BlockTexts, tuple[str, ...]]:
    """Return the block's content from the journal's files, and the read errors. History is not read."""
    memory, today = journal.read_memory(), journal.read_day(journal.moment().date())
    days = [(day, journal.read_day(day)) for day in journal.recent_days(recent_days)]
    problems = (memory.problem, today.problem, *(notes.problem for _, notes in days))
    recent = tuple((day, notes.text) for day, notes in days if notes.text)
    return BlockTexts(memory.text, today.text, recent), tuple(p for p in problems if p)


def read_block(journal: Journal, settings: JournalSettings, relevant: str = "") -> Block:
    """Return the block from the journal's files; a disabled journal gives only the relevant part."""
    if not settings.enabled:
        return Block(render_block(BlockTexts(), relevant))
    texts, problems = read_texts(journal, settings.recent_days)
    return Block(render_block(texts, relevant), problems)
