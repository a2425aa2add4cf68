"""The brief: the block at the start of a session, with facts that the code does not show.

It is short, because it stays in the context for the whole session: how work is checked, a person's words,
decisions, and where the last session stopped. Rules in files that the agent's host shows it
(`remora/core/rule_names.py`) are left out; so are errors, which are shown where they matter (`decide`). The
last line says that there is more and how to ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from remora.checks.suggest import Suggestion
from remora.core.rule_names import CONTRIBUTING, DECISIONS, HOST_FILES, ON_REQUEST
from remora.core.statement import tells
from remora.core.strength import SOURCE_TRUST, current_confidence
from remora.core.text import jaccard, words
from remora.core.tokens import ceil_chars_4
from remora.core.values import MemoryRecord
from remora.injection import render
from remora.injection.decide import agreeing, why_silent
from remora.store.hook_reader import Note

# The usefulness of each memory type at the start of a session, whose task is not known yet.
WORTH = {
    "decision": 1.0,
    "preference": 0.95,
    "requirement": 0.9,
    "gotcha": 0.85,
    "dead_end": 0.8,
    "workflow_recipe": 0.75,
    "pattern": 0.65,
    "module_insight": 0.5,
}
AT_THE_FILE = ("gotcha", "dead_end")  # shown when their file is read or changed, where it helps most
PINNED = 2.0
OFTEN = 0.05  # added for each session that showed it, up to MOST_OFTEN
MOST_OFTEN = 8
COMMANDS = 3
HABIT = 0.25  # share of the sessions, weighted by age, from which on a command is shown
RECORD = "(When the user states a lasting rule or decision, save it with record_memory.)"
# Of statements that a person typed: only the agent's model can say what breaks them.
ASK_PATTERNS = (
    "(New from the user: {ids}. With your first calls, record_memory each: the same words, with any of "
    "forbids, when, wants and unless that fit. Skip it if no command or edit fits.)"
)
LONGTERM = "From this project's MEMORY.md:"
SAME = 0.75  # share of common words from which on two memories say the same
MOST = 80  # memories that are compared with each other; more than any block has room for


class Material(NamedTuple):
    """The content of a brief.

    Attributes:
        records: live memories of the project and of the user.
        commands: commands that check the work, the most likely first.
        state: where the last session stopped, under a heading of its own; empty if it finished.
        held: the number of memories, in words; empty for none.
        state_id: id of the memory of that state.
        longterm: lines of MEMORY.md, in order; `longterm_tokens` is their maximum.
        notice: a sentence about items that wait for the user; empty for none.
        asks: whether the agent is asked to record what the user states.
    """

    records: Sequence[MemoryRecord]
    commands: Sequence[Suggestion] = ()
    state: str = ""
    held: str = ""
    state_id: str = ""
    longterm: Sequence[str] = ()
    longterm_tokens: int = 0
    notice: str = ""
    asks: bool = False


SHARED = "shared"  # source of the origin of a colleague's memory; the text of the origin is their name


class Brief(NamedTuple):
    """The text, and the ids of the memories in it."""

    text: str
    ids: tuple[str, ...]


def brief(material: Material, *, tokens: int, threshold: float, now: float) -> Brief:
    """Return the block; empty if no content fits or may be shown.

    Args:
        material: the content.
        tokens: the budget, at four characters a token.
        threshold: confidence below which a memory is not injected.
        now: seconds since the epoch.
    """
    lines: list[str] = []
    ids: list[str] = []
    room = tokens - ceil_chars_4(_tail(material)) - 20

    def add(heading: str, texts: Sequence[tuple[str, str]]) -> None:
        nonlocal room
        opened = False
        for text, memory_id in texts:
            cost = ceil_chars_4(text) + 1 + (0 if opened else ceil_chars_4(heading) + 1)
            if cost > room:
                continue
            if not opened:
                lines.append(heading)
                opened = True
            lines.append(text)
            ids.extend([memory_id] if memory_id else [])
            room -= cost

    if material.state:
        heading, _, left = material.state.removeprefix("## ").partition("\n")
        add(f"{heading}:", [(left, material.state_id)])
    add(LONGTERM, [(text, "") for text in _first(material.longterm, material.longterm_tokens)])
    habits = [c for c in material.commands if c.ran and c.score >= HABIT]
    usual = [f"- `{_command(c)}` ({c.ran})" for c in habits][:COMMANDS]
    add("How work is checked here, from the root of the project:", [(text, "") for text in usual])
    ranked = sorted(
        (r for r in material.records if _belongs(r) and not silence(r, threshold, now)),
        key=lambda r: (-_worth(r, now), r.id),
    )[:MOST]
    told: list[Note] = []
    for note in agreeing([as_note(r) for r in ranked]):
        said = frozenset(words(note.content))
        if all(jaccard(said, frozenset(words(other.content))) < SAME for other in told):
            told.append(note)
    add("Memories:", [(render.line(note), note.id) for note in told])
    if not lines:
        return Brief("", ())
    head = "Remora, the memory of this project:"
    return Brief("\n".join((head, *lines, _tail(material))).rstrip(), tuple(ids))


def _first(lines: Sequence[str], tokens: int) -> list[str]:
    """Return the first lines of the long-term memory that fit; a person chose their order."""
    kept: list[str] = []
    room = tokens - ceil_chars_4(LONGTERM) - 1
    for line in lines:
        text = f"- {render.plain(line)}"
        room -= ceil_chars_4(text) + 1
        if room < 0:
            break
        kept.append(text)
    return kept


def _command(suggestion: Suggestion) -> str:
    return render.plain(suggestion.command).replace("`", "'")


def as_note(record: MemoryRecord) -> Note:
    """Return a memory as a note."""
    by = next((origin.text for origin in record.origins if origin.source == SHARED), None)
    return Note(
        record.id,
        record.type,
        f"{record.content} (taught by {by})" if by else record.content,
        record.confidence,
        record.decay_half_life_days or 0.0,
        record.last_accessed_at,
        record.taint is not None,
        record.pinned,
        record.user_verified,
        record.related_files,
        record.branch or "",
        record.source,
        record.stale_at is not None,
        record.realm == "user",
        _sessions(record),
        path=next((origin.path for origin in record.origins if origin.path), ""),
        context=record.context_prefix or "",
    )


def lacks_patterns(record: MemoryRecord) -> bool:
    """Return whether a person stated a memory, and nobody set the actions at which it is shown."""
    typed = record.source == "user_taught" and not any(origin.path for origin in record.origins)
    return typed and not record.triggers


def _tail(material: Material) -> str:
    finds = "search_memory or `remora search` finds the rest, also by file or error."
    held = f"({material.held} in all; {finds})" if material.held else ""
    return "\n".join(filter(None, (material.notice, held, RECORD if material.asks else "")))


def _belongs(record: MemoryRecord) -> bool:
    """Return whether a memory belongs in a brief, and not to one action, one module or one file."""
    if record.type not in WORTH or record.deprecated or is_shaken(record) or not tells(record.content):
        return False
    from_file = any(origin.path for origin in record.origins)
    of_a_task = from_file and DECISIONS in record.tags  # a project may have a hundred decision records
    elsewhere = record.scope == "module" or (record.type in AT_THE_FILE and bool(record.related_files))
    return record.pinned or not (elsewhere or of_a_task or waits_for_its_action(record))


def silence(record: MemoryRecord, threshold: float, now: float) -> str:
    """Return why a memory may not be shown without being asked for; see `why_silent`."""
    return why_silent(as_note(record), lambda: threshold, now)


def is_shaken(record: MemoryRecord) -> bool:
    """Return whether a memory rests on one that was superseded or forgotten since."""
    return record.needs_review and record.review_reason is not None


def waits_for_its_action(record: MemoryRecord) -> bool:
    """Return whether a rule is shown only at the actions that it concerns.

    It is a rule for contributors, or only from files that hosts show on request.
    """
    contributing = CONTRIBUTING in record.tags and HOST_FILES.isdisjoint(record.tags)
    asked = ON_REQUEST in record.tags and all(origin.path for origin in record.origins)
    return contributing or asked


def _sessions(record: MemoryRecord) -> int:
    told = (record.payload or {}).get("sessions")  # payloads may contain anything
    return told if type(told) is int else 0


def _worth(record: MemoryRecord, now: float) -> float:
    worth = WORTH[record.type] * SOURCE_TRUST.get(record.source, 1.0) * current_confidence(record, now)
    return (
        worth
        + OFTEN * min(MOST_OFTEN, _sessions(record))
        + (PINNED if record.pinned else 0.0)
        + 0.1 * record.user_verified
    )
