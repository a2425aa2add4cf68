"""Kinds of options that several verbs have, and a completer for words of fixed lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
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
