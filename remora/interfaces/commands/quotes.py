"""Verb `quote`: list the user's sentences from sessions, turn them into memories or remove them."""

from __future__ import annotations

import click

from remora.core.values import MEMORY_TYPES
from remora.interfaces import memory_pages, note_pages
from remora.interfaces.commands.cli_context import CliContext, by_name, command, group
from remora.interfaces.words import say

id_argument = click.argument("quote_id", metavar="ID")


@command("quote list")
@click.option(
    "-n", "limit", type=click.IntRange(0), default=20, show_default=True, help="Maximum number of quotes."
)
@click.option("--session", "session_id", metavar="ID", help="Only from this session.")
def listing(cli: CliContext, *, limit: int = 20, session_id: str | None = None) -> None:
    """Sentences of lasting interest are kept verbatim; `remora search --kind quote` searches them."""
    found = cli.memory(writes=False).quotes(limit, session_id=session_id)
    cli.answer({"quotes": found}, lambda: note_pages.quotes(found, cli.clock.now()))
    if not found:
        cli.note(say("quote.none"))


@command("quote keep", epilog="Example: remora quote keep q12 --type decision")
@id_argument
@click.option("--type", "kind", type=click.Choice(MEMORY_TYPES), help="Guessed from the wording by default.")
def keep(cli: CliContext, *, quote_id: str, kind: str | None) -> None:
    """The memory has the words of the quote, with you as the source; `remora edit` changes them."""
    record = cli.memory().keep_quote(quote_id, type=kind)
    cli.answer({"memory": record}, lambda: memory_pages.changed([record], say("did.stored")))


@command("quote remove")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def remove(cli: CliContext, *, ids: tuple[str, ...]) -> None:
    """A removed quote does not return when its session is read again."""
    memory = cli.memory()
    gone = [(one, memory.remove_quote(one)) for one in dict.fromkeys(ids)]
    cli.answer({"removed": [{"id": i, "text": text} for i, text in gone]}, lambda: note_pages.removed(gone))


COMMANDS = by_name(group("quote", (listing, keep, remove)))
