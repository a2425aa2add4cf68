"""verify, pin, forget, restore, prune: the verbs that look after what is there."""

from __future__ import annotations

from collections.abc import Callable

import click

from remora.core.values import MemoryRecord
from remora.interfaces import pages, reports
from remora.interfaces.commands import complete
from remora.interfaces.commands.desk import Desk, command

ids_argument = click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=complete.ids())


@command("verify")
@ids_argument
def verify(desk: Desk, *, ids: tuple[str, ...]) -> None:
    """Say that you looked at each memory and it is right."""
    memory = desk.memory()
    _each(desk, ids, memory.verify, lambda _: "verified")


@command("pin")
@ids_argument
@click.option("--off", is_flag=True, help="Let them fade again.")
def pin(desk: Desk, *, ids: tuple[str, ...], off: bool) -> None:
    """A pinned memory keeps its confidence however long it is not used."""
    memory = desk.memory()
    done = "pin taken off" if off else "pinned"
    _each(desk, ids, lambda i: memory.pin(i, pinned=not off), lambda _: done)


@command("forget")
@ids_argument
def forget(desk: Desk, *, ids: tuple[str, ...]) -> None:
    """Nothing is deleted yet: for 30 days at least `remora restore` brings a memory back.

    What was derived from it is marked for review.
    """
    memory = desk.memory()
    olds = _each(
        desk, ids, memory.forget, lambda old: "was forgotten already" if old.deprecated else "forgotten"
    )
    flagged = [d for old in olds if not old.deprecated for d in memory.dependents(old.id)]
    if flagged:
        desk.note(reports.flagged_sentence(flagged))


@command("restore")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=complete.ids(forgotten=True))
def restore(desk: Desk, *, ids: tuple[str, ...]) -> None:
    """A restored memory is found again by every search."""
    memory = desk.memory()
    _each(desk, ids, memory.restore, lambda old: "restored" if old.deprecated else "was not forgotten")


@command("prune")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def prune(desk: Desk, *, dry_run: bool) -> None:
    """A memory expires when it was not used for three half-lives of its type.

    Pinned and verified memories never expire. What was forgotten is deleted after 30 days.
    """
    done = desk.memory().prune(dry_run=dry_run)
    document = {"dry_run": dry_run, **done._asdict()}
    desk.answer(
        document,
        lambda: reports.pruning(done.forget, done.delete, done.cache_rows, desk.clock.now(), dry_run=dry_run),
    )


def _each(
    desk: Desk,
    ids: tuple[str, ...],
    change: Callable[[str], MemoryRecord],
    done: Callable[[MemoryRecord], str],
) -> list[MemoryRecord]:
    """Change each memory and answer with one line for each; an unknown id stops before the first change.

    Returns the memories as they were.
    """
    memory = desk.memory()
    olds = list({m.id: m for m in map(memory.show, ids)}.values())
    news = [change(old.id) for old in olds]
    desk.answer(
        {"memories": news},
        lambda: tuple(
            part for old, new in zip(olds, news, strict=True) for part in pages.changed([new], done(old))
        ),
    )
    for note in (note for new in news if new.receipt is not None for note in new.receipt.notes):
        desk.note(note)
    return olds


COMMANDS = {"verify": verify, "pin": pin, "forget": forget, "restore": restore, "prune": prune}
