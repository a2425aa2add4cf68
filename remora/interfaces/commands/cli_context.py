"""Shared context of the verbs: common options, the open memory, and output."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from remora.core.change import PERSON
from remora.core.clock import Clock, SystemClock
from remora.core.errors import InvalidInput, RemoraError, StoreFull, StoreReadOnly
from remora.core.text import safe
from remora.interfaces.present import dumps
from remora.interfaces.verbs import GROUPS, verb
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.memory import Memory, Progress
    from remora.interfaces.page import Page

F = TypeVar("F", bound=Callable[..., Any])
MAX_DOCUMENT_BYTES = 100_000_000  # of one file, or of stdin
COMMANDS: dict[str, click.Command] = {}  # by verb, of the modules that were imported


class CliContext:
    """One call of the command line: its options, its memory and its output streams.

    Attributes:
        project: a folder or file of the project.
        json: True to answer with one JSON document.
        colour: False to write no escape sequences.
        clock: the source of the current time.
    """

    def __init__(self, clock: Clock | None = None, opener: Callable[..., Memory] | None = None) -> None:
        self.clock = clock or SystemClock()
        self._open = opener or _open
        self.project = "."
        self.json = False
        self.colour = colour_is_welcome()
        self._memory: Memory | None = None
        self._writes = False

    def memory(self, *, writes: bool = True) -> Memory:
        """Return the memory of the project, opened on first use.

        If `writes` is False and the files cannot be written, it is opened read-only.

        Raises:
            StoreReadOnly, StoreFull: the verb writes, and the files cannot be written.
        """
        self._writes = self._writes or writes
        if self._memory is None:
            try:
                self._memory = self._open(self.project, clock=self.clock)
            except (StoreReadOnly, StoreFull) as error:
                if writes:
                    raise
                if isinstance(error, StoreFull):
                    self.remark(say("cli.read_only", error=error))
                self._memory = self._open(self.project, read_only=True, clock=self.clock)
        return self._memory

    def close(self) -> None:
        """Close the memory, if it was opened."""
        if self._memory is not None:
            memory, self._memory = self._memory, None
            root = ""
            with suppress(RemoraError):  # the memory may be closed or erased
                root = str(memory.root) if self._writes and memory.maintenance_due() else ""
            memory.close()
            if root:
                from remora.app.agent.detach import begin_maintenance

                begin_maintenance(os.environ, root)

    def answer(self, document: Any, page: Page) -> None:
        """Write the answer: the document with `--json`, else the page, styled on a terminal."""
        if self.json:
            utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
            click.echo(dumps(document, ascii_only=not utf8))
            return
        from remora.interfaces import draw

        if sys.stdout.isatty():
            draw.paint(page, sys.stdout, colour=self.colour)
        else:
            click.echo(draw.plain(page), nl=False)

    @property
    def asks(self) -> bool:
        """Whether the user can be asked: stdin and stderr are terminals, and `--json` is not set."""
        return not self.json and sys.stdin.isatty() and sys.stderr.isatty()

    def ask(self, question: str, waits: str) -> None:
        """Ask for confirmation at the terminal.

        Raises:
            click.Abort: the user declined.
            InvalidInput: stdin is no terminal, or `--json` is set; `waits` is the message.
        """
        if self.json or not sys.stdin.isatty():
            raise InvalidInput(waits, hint="Use --yes to confirm.")
        click.confirm(question, abort=True, err=True)

    def note(self, text: str) -> None:
        """Write a line to stderr; nothing with `--json`."""
        if not self.json:
            click.echo(safe(text), err=True)

    def remark(self, *texts: str) -> None:
        """Write translated notes of an answer to stderr, each once."""
        for text in dict.fromkeys(texts):
            self.note(say("note", text=in_words(text)))

    def tell(self, notes: Sequence[str]) -> None:
        """Write the notes of an answer to stderr; omit "no embedding model" if the settings turned it off."""
        wanted = self.memory(writes=False).settings.embedding.provider == "none"
        self.remark(*(note for note in notes if not (wanted and note == "no embedding model")))

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Draw a progress bar on stderr, but not with `--json` or if stderr is no terminal.

        Yields a function that takes what is done, how much of it was done, and of how much.
        """
        if self.json or not sys.stderr.isatty():
            yield lambda *_: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True, color_system="auto" if self.colour else None)
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        tasks: dict[str, Any] = {}
        with Bar(*columns, console=console, transient=True) as bar:

            def step(what: str, done: int, of: int) -> None:
                if what not in tasks:
                    tasks[what] = bar.add_task(spoken().known(f"doing.{what}", what), total=of or None)
                bar.update(tasks[what], completed=done, total=of or None)

            yield step

    def statement(self, words: Sequence[str], what: str) -> str:
        """Return the words of a command line as one text; a single "-" reads stdin.

        Raises:
            InvalidInput: there are no words, or stdin is not readable text.
        """
        if list(words) == ["-"]:
            return self.document("-")
        if not words:
            raise InvalidInput(
                f"{what} is missing", hint='Write it after the verb, or use "-" to read stdin.'
            )
        return " ".join(words)

    def document(self, path: str) -> str:
        """Return the text of a file named on the command line; "-" is stdin.

        Raises:
            InvalidInput: the file cannot be read, is not text, or exceeds MAX_DOCUMENT_BYTES.
        """
        from remora.core.decoding import decode

        name = "stdin" if path == "-" else path
        try:
            if path == "-":
                data = sys.stdin.buffer.read(MAX_DOCUMENT_BYTES + 1)
            else:
                with Path(path).open("rb") as file:
                    data = file.read(MAX_DOCUMENT_BYTES + 1)
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise InvalidInput(f"{name} cannot be read: {said}", hint="Name a readable file.") from None
        if len(data) > MAX_DOCUMENT_BYTES:
            raise InvalidInput(
                f"{name} has more than {MAX_DOCUMENT_BYTES:,} bytes", hint="Split it into several parts."
            )
        try:
            text, note = decode(data)
        except ValueError:
            raise InvalidInput(
                f"{name} looks like binary data", hint="Use text, preferably UTF-8; nothing was stored."
            ) from None
        if note:
            self.remark(f"{name}: {note}")
        return text

    def repository_path(self, path: str, *, folders: bool = False) -> str:
        """Return a path relative to the project's root, with forward slashes, as in memories.

        A path is resolved against the current folder, and against the root only if it exists there and not
        in the current folder. A path that does not exist is resolved against the current folder, too. A path
        outside the project is returned as typed.

        Args:
            path: as typed.
            folders: append "/" to a folder, which in a filter matches everything below it.
        """
        root = self.memory(writes=False).root
        written = path.replace(os.sep, "/").removeprefix("./")
        candidates = [Path(os.path.normpath(base / path)) for base in (Path.cwd(), root)]
        real = [candidate.parent.resolve() / candidate.name for candidate in candidates]
        inside = [one for one in real if one.is_relative_to(root) and one != root]
        for one in inside:
            if one.exists():
                found = one.relative_to(root).as_posix()
                return found + "/" if folders and one.is_dir() else found
        if not inside or inside[0] != real[0] or path.startswith("~"):
            return written
        return inside[0].relative_to(root).as_posix() + ("/" if written.endswith("/") else "")

    def repository_paths(self, paths: Iterable[str]) -> list[str]:
        """Return repeated and comma-separated paths relative to the project's root."""
        return [self.repository_path(path) for path in split(paths)]


def _open(project: str, **how: Any) -> Memory:
    from remora.app.memory import Memory

    return Memory.open(project, actor=PERSON, **how)


def colour_is_welcome() -> bool:
    """Return whether the environment allows colour: no `NO_COLOR` (no-color.org), and no dumb terminal."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def edit_text(text: str) -> str | None:
    """Have the user edit a text in $EDITOR; None if it was not changed."""
    after = click.edit(text + "\n", extension=".md", require_save=True)
    return None if after is None or after.strip() == text.strip() else after.strip()


def split(values: Iterable[str]) -> list[str]:
    """Return repeated and comma-separated values as one list."""
    found = [part.strip() for value in values for part in value.split(",")]
    return [part for part in found if part]


class Formatter(click.HelpFormatter):
    """Write help in the user's language; the English texts are with verbs and options."""

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


def command(*names: str, epilog: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function a verb, or several, with the common options.

    The help is the verb's line in the verb list, then the function's docstring. The function receives the
    `CliContext` first, then its own parameters by name.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        details = inspect.cleandoc(function.__doc__ or "")
        for name in names:
            entry = verb(name)
            run = click.make_pass_decorator(CliContext)(function)
            run.__click_params__ = [*getattr(function, "__click_params__", ())]  # type: ignore[attr-defined]
            COMMANDS[name] = click.command(
                name.rpartition(" ")[2],
                Command,
                help=entry.help + ("\n\n" + details if details else ""),
                epilog=epilog or None,
                hidden=entry.hidden,
            )(common(run, again=True))
        return function

    return register


def group(name: str) -> click.Group:
    """Return the group of a verb; without a subcommand it runs its first command."""
    entry = verb(name)
    commands = [COMMANDS[one.name] for one in GROUPS[name]]

    @click.pass_context
    def run(context: click.Context, /) -> None:
        if context.invoked_subcommand is None:
            context.invoke(commands[0])

    made = click.group(
        name,
        cls=_Ordered,
        help=entry.help,
        invoke_without_command=True,
        subcommand_metavar="[COMMAND ...]",
    )(common(run, again=True))
    for one in commands:
        made.add_command(one)
    return made


class _Ordered(click.Group):
    """A group that lists its commands in the order in which they were added."""

    context_class = Context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; `remora share ID` means `remora share add ID`."""
        if self.name == "share" and args[0] not in self.commands and not args[0].startswith("-"):
            return "add", self.commands["add"], args
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(self.commands)


def common(function: F, *, again: bool = False) -> F:
    """Add --project, --json and --no-color, which are accepted before and after (`again`) a verb."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        cli = context.ensure_object(CliContext)
        if parameter.name == "project_path" and value is not None:
            cli.project = value
        elif parameter.name == "as_json" and value:
            cli.json = True
        elif parameter.name == "no_color" and value:
            cli.colour = False
            context.color = False

    kept: dict[str, Any] = {"expose_value": False, "callback": keep}
    options = (
        click.option(
            "--project",
            "project_path",
            metavar="PATH",
            type=click.Path(path_type=str),
            help="A folder or file of the project; the current folder by default.",
            **kept,
        ),
        click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document.", **kept),
        click.option(
            "--no-color", "no_color", is_flag=True, hidden=again, help="No colour; same as NO_COLOR.", **kept
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function
