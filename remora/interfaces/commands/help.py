"""Help in the language that is spoken; its English stands beside the verbs and options."""

from __future__ import annotations

from collections.abc import Iterable

import click

from remora.interfaces.words import in_words


class Formatter(click.HelpFormatter):
    """Writes help in the language that is spoken."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a verb is called."""
        super().write_usage(prog, args, prefix or in_words("Usage:") + " ")

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        super().write_heading(in_words(heading))

    def write_text(self, text: str) -> None:
        """Write paragraphs; an example keeps its command."""
        example, colon, command = text.partition("Example: ")
        super().write_text(in_words(text) if example or not colon else f"{in_words('Example:')} {command}")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names, each with its help; click puts defaults and ranges behind it in brackets."""
        told = []
        for name, text in rows:
            text, start, more = text.partition("  [")
            more = more.replace("default:", in_words("default:"))
            told.append((name, in_words(text) + start + more))
        super().write_dl(told, col_max, col_spacing)


class Context(click.Context):
    """The call of a verb, whose help is in the language that is spoken."""

    formatter_class = Formatter


class Command(click.Command):
    """A verb."""

    context_class = Context
