"""Verbs about stored data: export, import, erase, privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from remora.core.errors import InvalidInput
from remora.interfaces import project_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.words import say

if TYPE_CHECKING:
    from remora.app.memory import Memory

FORMATS = ("json", "markdown", "claude-md", "archive")


@command("export", epilog="Example: remora export ~/shop-memory.json")
@click.argument("file", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="json",
    show_default=True,
    help="json and archive hold everything, markdown the memories, claude-md the rules.",
)
@click.option(
    "--scope",
    type=click.Choice(("project", "user", "all")),
    default="all",
    show_default=True,
    help="The project's memory, your own, or both.",
)
def export(cli: CliContext, *, file: str, form: str, scope: str) -> None:
    """FILE is a new file that only you can read. `remora import` reads it back on another machine."""
    done = cli.memory(writes=False).export(file, form, scope=scope)
    what = say("count.memory", n=done.memories)
    cli.answer(done, lambda: project_pages.written(what, done.bytes, done.path))


@command("import", epilog="Example: remora import ~/shop-memory.json --dry-run")
@click.argument("file", type=options.PATH)
@click.option("--dry-run", is_flag=True, help="Show what would be imported.")
def import_file(cli: CliContext, *, file: str, dry_run: bool) -> None:
    """FILE is a JSON or Markdown export, or an archive. Existing memories do not change."""
    done = cli.memory().import_file(file, dry_run=dry_run)
    cli.answer(done, lambda: project_pages.imported(done))
    cli.remark(*done.left, *done.bad)


@command("erase", epilog="Example: remora erase 1a2b3c4d")
@click.argument("ids", metavar="[ID]...", nargs=-1, shell_complete=options.forgotten_ids)
@click.option(
    "--session", metavar="ID", help="A conversation or agent session, and the memories learned from it alone."
)
@click.option("--containing", metavar="TEXT", help="All occurrences of this text.")
@click.option("--this-project", "project", is_flag=True, help="Everything of this project.")
@click.option("--everything", is_flag=True, help="All projects and your own memories.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(cli: CliContext, *, ids: tuple[str, ...], yes: bool, **named: Any) -> None:
    """Erases permanently, to the byte. `remora forget` only removes a memory from search."""
    memory = cli.memory()
    what = _what(memory, ids, **named)
    if not yes:
        cli.ask(say("erase.ask", what=what), say("erase.waits", what=what))
    done = memory.erase(ids, **named)
    cli.answer(done, lambda: project_pages.erased(done, what))
    if not done.whole:
        cli.note(say("erase.later"))


def _what(
    memory: Memory,
    ids: tuple[str, ...],
    *,
    session: str | None,
    containing: str | None,
    project: bool,
    everything: bool,
) -> str:
    """Return a description of the data to erase.

    Raises:
        InvalidInput: nothing is named.
        NotFound: an id is unknown.
    """
    if ids:
        records = {memory.show(one).id for one in ids}
        return say("count.memory", n=len(records))
    if session is not None:
        return say("place.session", id=session)
    if containing is not None:
        return f"“{containing}”"
    if project:
        return say("erase.project", root=memory.root)
    if everything:
        return say("erase.everything")
    raise InvalidInput(
        "nothing to erase was named",
        hint="Give ids, --session, --containing, --this-project or --everything.",
    )


@command("privacy")
def privacy(cli: CliContext) -> None:
    """Lists stored data with sizes, the data that may leave this machine, and the data that never does."""
    found = cli.memory(writes=False).privacy()
    cli.answer(found, lambda: project_pages.privacy(found))
