"""Interactive review of learned memories: keep, edit, drop, or leave for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from remora.core.errors import RemoraError
from remora.core.values import MemoryRecord
from remora.interfaces import learn_pages
from remora.interfaces.page import Cell, Item, Page, Para
from remora.interfaces.present import short
from remora.interfaces.words import in_words, spoken

if TYPE_CHECKING:
    from remora.app.learning.promotion import Learnt
    from remora.app.memory import Memory
    from remora.interfaces.commands.cli_context import CliContext

KEEP_ALL, REVIEW_ONLY = 2, 3  # trust levels: "keep all" is the default; only `needs_review` is asked
CHOICES = "kedlaq"  # keep, edit, drop, later, keep all, quit: as `review.ask` of the catalogues has them


class Reviewed(NamedTuple):
    """The results of a review: memories by decision, number left for later, and errors."""

    kept: tuple[MemoryRecord, ...] = ()
    edited: tuple[MemoryRecord, ...] = ()
    dropped: tuple[MemoryRecord, ...] = ()
    later: int = 0
    problems: tuple[str, ...] = ()


class Asking(NamedTuple):
    """The prompts of a review.

    Attributes:
        letter: shows a memory with its number and the total, and returns a letter of CHOICES.
        text: has the user edit a text; None if it was not saved.
    """

    letter: Callable[[Learnt, int, int], str]
    text: Callable[[str], str | None]


def due(learned: Sequence[Learnt], level: int) -> list[Learnt]:
    """Return the memories to ask about at a trust level; those that need review come first."""
    open_ = [one for one in learned if not one.memory.user_verified]
    asked = open_ if level < REVIEW_ONLY else [one for one in open_ if one.memory.needs_review]
    return sorted(asked, key=lambda one: not one.memory.needs_review)


def _default(one: Learnt, level: int) -> str:
    """Return the answer for Enter: at level 2 "keep all", except for a memory that needs review."""
    return "a" if level == KEEP_ALL and not one.memory.needs_review else "l"


def asking(cli: CliContext, level: int) -> Asking:
    """Return the prompts for a terminal at a trust level."""
    shown = spoken()("review.ask")

    def letter(one: Learnt, number: int, of: int) -> str:
        cli.answer({}, (learn_pages.learned_item(one, number, of),))
        kind = click.Choice(list(CHOICES), case_sensitive=False)
        answer: str = click.prompt(
            shown, type=kind, default=_default(one, level), show_choices=False, err=True
        )
        return answer.lower()

    def text(before: str) -> str | None:
        changed = click.edit(before + "\n", extension=".md", require_save=True)
        return changed.strip() if changed is not None else None

    return Asking(letter, text)


def review(memory: Memory, found: Sequence[Learnt], ask: Asking) -> Reviewed:
    """Ask about each memory and apply the answer; an error is recorded and the review continues."""
    kept: list[MemoryRecord] = []
    edited: list[MemoryRecord] = []
    dropped: list[MemoryRecord] = []
    problems: list[str] = []
    later, all_right = 0, False
    for number, one in enumerate(found, start=1):
        letter = "k" if all_right else ask.letter(one, number, len(found))
        if letter == "q":
            later += len(found) - number + 1
            break
        all_right = all_right or letter == "a"
        try:
            if letter in ("k", "a"):
                kept.append(memory.verify(one.memory.id))
            elif letter == "d":
                dropped.append(memory.forget(one.memory.id))
            elif letter == "e" and (text := ask.text(one.memory.content)) not in (
                None,
                "",
                one.memory.content,
            ):
                memory.edit(one.memory.id, content=text)
                edited.append(memory.verify(one.memory.id))
            else:
                later += 1
        except RemoraError as error:
            problems.append(f"{short(one.memory.id)}: {error}")
    return Reviewed(tuple(kept), tuple(edited), tuple(dropped), later, tuple(problems))


def page(found: Reviewed) -> Page:
    """Return a page with the results of a review."""
    t = spoken()
    counts = (("kept", len(found.kept)), ("edited", len(found.edited)), ("dropped", len(found.dropped)))
    told = [t(f"review.{what}", n=number) for what, number in (*counts, ("later", found.later)) if number]
    edited = tuple(Item(short(r.id), (Cell(t("op.edit"), "good"),), r.content) for r in found.edited)
    return (
        Para(", ".join(told) or t("review.nothing"), "strong"),
        *edited,
        *(Para(in_words(problem), "bad") for problem in found.problems),
    )
