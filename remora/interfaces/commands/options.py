"""Kinds of options that several verbs have, and completers: ids of memories and words of fixed lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from remora.core.errors import RemoraError
from remora.interfaces.commands.cli_context import CliContext

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
MOST_IDS = 50
PATH = click.Path(path_type=str)  # has the shell complete names of files


def number(*names: str, default: int, text: str, least: int = 1, most: int | None = None) -> Option:
    """Return an option for a whole number; its help, `text`, ends with the default."""
    return click.option(
        *names, type=click.IntRange(least, most), default=default, show_default=True, help=text
    )


def word(*names: str, among: Sequence[str], text: str, **more: Any) -> Option:
    """Return an option whose words are completed; `Memory` checks them, and suggests similar ones."""
    metavar = names[0].removeprefix("--").upper()
    return click.option(*names, metavar=metavar, shell_complete=words(among), help=text, **more)


def words(choices: Sequence[str]) -> Completer:
    """Return a completer for words of a fixed list; in a comma-separated list it completes the last."""

    def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        done, comma, last = start.rpartition(",")
        return [CompletionItem(done + comma + word) for word in choices if word.startswith(last)]

    return complete


def _ids(
    context: click.Context, _parameter: click.Parameter, start: str, *, forgotten: bool
) -> list[CompletionItem]:
    """Complete ids of memories, newest first, with their text as help."""
    from click.shell_completion import CompletionItem

    from remora.app.memory import Memory
    from remora.core.text import shorten
    from remora.interfaces.present import short

    cli = context.find_object(CliContext)
    try:
        with Memory.open(cli.project if cli is not None else ".", read_only=True) as memory:
            records = [
                record
                for apart in (False, True)
                for record in memory.list(limit=10_000, include_forgotten=forgotten, records=apart)
            ]
    except RemoraError:  # no memory yet, or it cannot be read
        return []
    matching = [r for r in records if r.id.startswith(start) and (r.deprecated or not forgotten)][:MOST_IDS]
    return [
        CompletionItem(short(r.id) if len(start) <= len(short(r.id)) else r.id, help=shorten(r.content, 60))
        for r in matching
    ]


ids = partial(_ids, forgotten=False)
forgotten_ids = partial(_ids, forgotten=True)
