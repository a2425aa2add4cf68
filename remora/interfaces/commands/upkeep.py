"""Verbs that maintain memories: wrong, trust, verify, pin, forget, restore, prune."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from remora.core.errors import InvalidInput
from remora.core.values import MOST_LISTED, MemoryRecord
from remora.interfaces import memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.words import say

MANY = 20  # memories; more than these need a confirmation


def filters(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument for ids, and the options that select memories instead."""
    for option in (
        click.option("--yes", is_flag=True, help=f"Do not ask before changing more than {MANY}."),
        click.option("--needs-review", is_flag=True, help="Only memories that need review."),
        click.option(
            "--file", "-f", "files", multiple=True, help="Only about this file or folder; repeatable."
        ),
        click.option("--tag", metavar="WORD", help="Only with this tag."),
        click.option("--source", metavar="SOURCE", help="Only this source, such as commit_auto."),
        click.option(
            "--type", "-t", "types", multiple=True, metavar="TYPE", help="Only this type; repeatable."
        ),
        click.argument("ids", metavar="[ID]...", nargs=-1, shell_complete=options.ids),
    ):
        verb = option(verb)
    return verb


def _chosen(
    cli: CliContext, ids: tuple[str, ...], chosen: dict[str, Any], verb: str, *, everything: bool = False
) -> tuple[str, ...]:
    """Return the given ids, or the ids of the memories that pass all filters; confirm if above MANY.

    Raises:
        InvalidInput: both or neither of ids and filters are given, or the user cannot be asked.
    """
    yes = chosen.pop("yes")
    filtered = everything or any(chosen.values())
    if bool(ids) == bool(filtered):
        raise InvalidInput("give either ids or filters (--type, --source, --tag, --file, --needs-review)")
    if ids:
        return ids
    paths = [cli.repository_path(path) for path in chosen["files"]]
    found = cli.memory().list(
        types=chosen["types"] or None,
        files=paths or None,
        source=chosen["source"],
        tag=chosen["tag"],
        needs_review=chosen["needs_review"] or None,
        limit=MOST_LISTED,
    )
    ids = tuple(record.id for record in found if verb != "verify" or not record.user_verified)
    if not ids:
        cli.note(say(f"{verb}.none"))
    elif len(ids) > MANY and not yes:
        cli.ask(say(f"{verb}.ask", number=len(ids)), say(f"{verb}.waits", number=len(ids)))
    return ids


@command("verify", epilog="Example: remora verify --type gotcha --file src/billing/")
@click.option("--all", "everything", is_flag=True, help="All unverified memories.")
@filters
def verify(cli: CliContext, *, ids: tuple[str, ...], everything: bool, **chosen: Any) -> None:
    """Marks memories as checked and correct. Filters are combined with AND."""
    ids = _chosen(cli, ids, chosen, "verify", everything=everything)
    _each(cli, ids, cli.memory().verify, lambda _: say("did.verified"))


@command("wrong", epilog='Example: remora wrong 1a2b3c4d --right "The relay listens on port 7071"')
@click.argument("memory_id", metavar="ID", shell_complete=options.ids)
@click.option("--right", metavar="TEXT", help="The correct text.")
@click.option("--outdated", is_flag=True, help="It was correct, and is out of date.")
@click.option(
    "--only-file", "files", multiple=True, metavar="PATH", help="It applies only to this file; repeatable."
)
@click.option(
    "--only-module",
    "modules",
    multiple=True,
    metavar="FOLDER",
    help="It applies only to this module; repeatable.",
)
@click.option("--only-branch", "branch", metavar="NAME", help="It applies only on this branch.")
@click.option("--silent", is_flag=True, help="It is correct, but not useful as advice: never give it.")
@click.option("--erase", is_flag=True, help="Erase it permanently.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
def wrong(
    cli: CliContext,
    *,
    memory_id: str,
    right: str | None,
    outdated: bool,
    silent: bool,
    erase: bool,
    yes: bool,
    **where: Any,
) -> None:
    """Without options, on a terminal, it asks what is wrong. With --outdated, --right is the new text."""
    memory = cli.memory()
    record = memory.show(memory_id)
    said = {"outdated": outdated, "narrow": any(where.values()), "silent": silent, "erase": erase}
    chosen = [choice for choice, on in said.items() if on] or (["wrong"] if right else [])
    if len(chosen) > 1:
        raise InvalidInput(f"{chosen[0]} and {chosen[1]} exclude each other", hint="Give one of them.")
    where["files"] = [cli.repository_path(f) for f in where["files"]]
    if not chosen:
        chosen, right, where = _asked_what_is_wrong(cli, record)
    if chosen == ["erase"] and not yes:
        cli.ask(say("wrong.sure"), say("erase.waits", what=record.id[:8]))
    done = memory.wrong(record.id, chosen[0], right=right, **where)
    cli.answer(done._asdict(), memory_pages.corrected(done))
    if done.flagged:
        cli.note(memory_pages.flagged_sentence(memory.dependents(record.id)))
    if done.offer:
        cli.note(say("wrong.offer"))
    if done.choice == "outdated" and done.new is None:
        cli.note(say("wrong.next"))


def _asked_what_is_wrong(
    cli: CliContext, record: MemoryRecord
) -> tuple[list[str], str | None, dict[str, Any]]:
    """Ask the user what is wrong; return the choice, the right text and the places where it holds.

    Raises:
        InvalidInput: stdin is no terminal, or `--json` is set.
    """
    from remora.app.agent.correction import CHOICES

    if cli.json or not sys.stdin.isatty():
        raise InvalidInput(
            "nothing to correct was named",
            hint="Give --right TEXT, --outdated, --only-file PATH, --silent or --erase.",
        )
    cli.answer({}, memory_pages.changed([record], ""))
    for number, name in enumerate(CHOICES, start=1):
        click.echo(f"  {number}  {say(f'wrong.{name}')}", err=True)
    number = click.prompt(say("wrong.title"), type=click.IntRange(1, len(CHOICES)), err=True)
    choice = CHOICES[number - 1]
    right = None
    where: dict[str, Any] = {}
    if choice in ("wrong", "outdated"):
        asked = say("wrong.what") if choice == "wrong" else say("wrong.now")
        right = click.prompt(asked, default="" if choice == "outdated" else None, err=True) or None
    if choice == "narrow":
        named = click.prompt(say("wrong.where"), err=True).split(",")
        where["files"] = [cli.repository_path(one.strip()) for one in named if one.strip()]
    return [choice], right, where


@command("trust", epilog="Example: remora trust 2")
@click.argument("level", required=False, metavar="[LEVEL]", type=click.Choice(["1", "2", "3", "4", "auto"]))
def trust(cli: CliContext, *, level: str | None) -> None:
    """LEVEL is 1 (Cautious), 2 (Standard), 3 (Confident), 4 (Autonomous) or auto.

    Your statements, the memories that you confirmed, and rule files are given to agents at every level.
    """
    memory = cli.memory(writes=level is not None)
    chosen = int(level) if level is not None and level.isdecimal() else level
    found = memory.trust(chosen)
    cli.answer(found, memory_pages.trust(found))


@command("pin")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=options.ids)
@click.option("--off", is_flag=True, help="Unpin them.")
def pin(cli: CliContext, *, ids: tuple[str, ...], off: bool) -> None:
    """A pinned memory keeps its confidence even if unused."""
    memory = cli.memory()
    done = say("did.unpinned") if off else say("did.pinned")
    _each(cli, ids, lambda i: memory.pin(i, pinned=not off), lambda _: done)


@command("forget", epilog="Example: remora forget --source commit_auto --file legacy/")
@filters
def forget(cli: CliContext, *, ids: tuple[str, ...], **chosen: Any) -> None:
    """Nothing is deleted for 30 days; `remora restore` brings a memory back. Filters are combined with AND.

    Memories derived from it are marked for review.
    """
    memory = cli.memory()
    olds = _each(
        cli,
        _chosen(cli, ids, chosen, "forget"),
        memory.forget,
        lambda old: say("did.forgotten_before") if old.deprecated else say("chip.forgotten"),
    )
    flagged = [d for old in olds if not old.deprecated for d in memory.dependents(old.id)]
    if flagged:
        cli.note(memory_pages.flagged_sentence(flagged))


@command("restore")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=options.forgotten_ids)
@click.option(
    "--revision",
    metavar="N",
    help="Bring back an earlier text: a number or id from `show --history`.",
)
def restore(cli: CliContext, *, ids: tuple[str, ...], revision: str | None) -> None:
    """Search finds restored memories again."""
    memory = cli.memory()
    if revision is not None:
        done = say("did.revision", revision=revision)
        _each(cli, ids, lambda i: memory.restore(i, revision=revision), lambda _: done)
        return
    _each(
        cli,
        ids,
        memory.restore,
        lambda old: say("did.restored") if old.deprecated else say("did.not_forgotten"),
    )


@command("prune")
@click.option("--dry-run", is_flag=True, help="Show the changes without making them.")
def prune(cli: CliContext, *, dry_run: bool) -> None:
    """A memory expires when it was not used for three half-lives of its type.

    Pinned and verified memories never expire. Forgotten memories are deleted after 30 days.
    """
    done = cli.memory().prune(dry_run=dry_run)
    document = {"dry_run": dry_run, **done._asdict()}
    cli.answer(document, memory_pages.pruning(done, cli.clock.now(), dry_run=dry_run))


def _each(
    cli: CliContext,
    ids: tuple[str, ...],
    change: Callable[[str], MemoryRecord],
    done: Callable[[MemoryRecord], str],
) -> list[MemoryRecord]:
    memory = cli.memory()
    olds = list({m.id: m for m in map(memory.show, ids)}.values())
    news = [change(old.id) for old in olds]
    cli.answer(
        {"memories": news},
        tuple(
            part
            for old, new in zip(olds, news, strict=True)
            for part in memory_pages.changed([new], done(old))
        ),
    )
    for note in (note for new in news if new.receipt is not None for note in new.receipt.notes):
        cli.note(note)
    return olds
