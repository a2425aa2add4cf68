"""Click classes that write help in the user's language; the English texts are with verbs and options."""

from __future__ import annotations

from collections.abc import Iterable

import click

from remora.interfaces.words import in_words


class Formatter(click.HelpFormatter):
    """Write help in the user's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, prefix or in_words("Usage:") + " ")

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        super().write_heading(in_words(heading))

    def write_text(self, text: str) -> None:
        """Write paragraphs; the command of an example is not translated."""
        example, colon, command = text.partition("Example: ")
        super().write_text(in_words(text) if example or not colon else f"{in_words('Example:')} {command}")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names with their help; click appends defaults and ranges in brackets."""
        told = []
        for name, text in rows:
            text, start, more = text.partition("  [")
            more = more.replace("default:", in_words("default:"))
            told.append((name, in_words(text) + start + more))
        super().write_dl(told, col_max, col_spacing)


class Context(click.Context):
    """The context of a verb, with help in the user's language."""

    formatter_class = Formatter


class Command(click.Command):
    """A verb, with help in the user's language."""

    context_class = Context
