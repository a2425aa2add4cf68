"""Completers for shell completion: ids of memories and words of fixed lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from remora.core.errors import RemoraError
from remora.interfaces.commands.cli_context import CliContext

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

Completer = Callable[["click.Context", "click.Parameter", str], "list[CompletionItem]"]
MOST_IDS = 50


def words(choices: Sequence[str]) -> Completer:
    """Return a completer for words of a fixed list; in a comma-separated list it completes the last."""

    def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        done, comma, last = start.rpartition(",")
        return [CompletionItem(done + comma + word) for word in choices if word.startswith(last)]

    return complete


def ids(context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete ids of memories, newest first, with their text as help."""
    return _ids(context, start, forgotten=False)


def forgotten_ids(context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete ids of forgotten memories."""
    return _ids(context, start, forgotten=True)


def _ids(context: click.Context, start: str, *, forgotten: bool) -> list[CompletionItem]:
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
