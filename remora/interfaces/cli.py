"""Command line `remora VERB`; the module of a verb is imported when it is called, so that help is fast."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, NoReturn

import click

from remora import __version__
from remora.core.errors import InvalidInput, RemoraError
from remora.core.text import safe
from remora.interfaces.commands.cli_context import (
    COMMANDS,
    CliContext,
    Context,
    colour_is_welcome,
    common,
    group,
)
from remora.interfaces.present import dumps, error_document, exit_code, unexpected
from remora.interfaces.verbs import GROUPS, VERBS
from remora.interfaces.words import in_words, language_of, say, speaking

INTERRUPTED = 130  # exit code of a process ended by Ctrl-C, as shells report it
PIPE_CLOSED = 141  # the same for SIGPIPE


class _ReaderGone(Exception):
    """The reader of stdout closed the pipe."""


class Verbs(click.Group):
    """The group of verbs: loads each on demand, and turns errors into messages and exit codes."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names of all verbs, in the order of the list."""
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a verb's command, loaded now."""
        return load(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; the error for an unknown one suggests up to two similar names."""
        name = args[0]
        if load(name) is None and not name.startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(name, self.list_commands(ctx), n=2, cutoff=0.75)
            unknown = f"there is no verb {name!r}."
            raise click.UsageError(f"{unknown} Did you mean {', '.join(close)}?" if close else unknown, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the verbs by section, without loading them."""
        width = max(len(v.name) for v in VERBS)
        for section in dict.fromkeys(v.section for v in VERBS):
            rows = [(v.name.ljust(width), v.help) for v in VERBS if v.section == section and not v.hidden]
            with formatter.section(section):
                formatter.write_dl(rows, col_max=12)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; a closed pipe ends it without a message."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderGone from None

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command line in the user's language, JSON in English, and exit with its code."""
        given = args[0] if args else kwargs.get("args")
        words = list(sys.argv[1:] if given is None else given)
        with speaking("en" if _wants_json(words) else language_of(os.environ)):
            self._main(words, **kwargs)

    def _main(self, words: list[str], **kwargs: Any) -> NoReturn:
        kwargs |= {"args": words, "standalone_mode": False}
        kwargs.setdefault("prog_name", "remora")
        _tolerate_any_text()
        try:
            code = super().main(**kwargs)
            sys.stdout.flush()
        except (_ReaderGone, BrokenPipeError):
            _let_go_of_stdout()
            sys.exit(PIPE_CLOSED)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            _leave(_usage(error), words)
        except RemoraError as error:
            _leave(error, words)
        except Exception as error:  # noqa: BLE001  one line in place of a traceback
            if os.environ.get("REMORA_DEBUG"):
                import traceback

                traceback.print_exc()
            _leave(error, words)
        sys.exit(code if isinstance(code, int) else 0)


@click.command(
    "remora",
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@common
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.pass_context
def cli(context: click.Context, *, version: bool) -> None:
    """A memory for coding agents: stores knowledge about a project and explains each hit."""
    cli = context.ensure_object(CliContext)
    context.call_on_close(cli.close)
    if not cli.colour:
        context.color = False
    if version:
        click.echo(dumps({"version": __version__}) if cli.json else f"remora {__version__}")
        context.exit()
    if context.invoked_subcommand is None:
        shown = [v._asdict() for v in VERBS if not v.hidden]
        click.echo(dumps({"verbs": shown}) if cli.json else say("overview"), nl=cli.json)


def load(name: str) -> click.Command | None:
    """Return the command of a verb, importing only its module; None for an unknown verb."""
    match name:
        case "log" | "why" | "status" | "preview" | "trial" | "statusline" | "off" | "on" | "hook":
            import remora.interfaces.commands.advice
        case "index" | "impact" | "files" | "modules":
            import remora.interfaces.commands.code
        case "install" | "uninstall":
            import remora.interfaces.commands.install
        case "learn" | "reflect" | "learned" | "checks" | "synthesize" | "plan" | "teach":
            import remora.interfaces.commands.learn
        case "init" | "move-in" | "doctor" | "reindex" | "backup" | "recover" | "completion" | "work":
            import remora.interfaces.commands.maintenance
        case "stats" | "health" | "costs" | "export" | "import" | "erase" | "privacy":
            import remora.interfaces.commands.maintenance
        case "mcp":
            import remora.interfaces.commands.mcp
        case "note" | "journal" | "quote":
            import remora.interfaces.commands.notes
        case "panel":
            import remora.interfaces.commands.panel
        case "remember" | "edit" | "supersede":
            import remora.interfaces.commands.remember
        case "search" | "ask" | "context" | "related" | "show" | "list":
            import remora.interfaces.commands.search
        case "session":
            import remora.interfaces.commands.session
        case "share" | "team" | "sync" | "conflicts" | "dispute":
            import remora.interfaces.commands.share
        case "wrong" | "trust" | "verify" | "pin" | "forget" | "restore" | "prune":
            import remora.interfaces.commands.upkeep  # noqa: F401  importing a module registers its verbs
        case _:
            return None
    return group(name) if name in GROUPS else COMMANDS[name]


def main() -> NoReturn:
    """Run the command line of this process."""
    try:
        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _leave(error: BaseException, words: list[str]) -> NoReturn:
    """Report an error and exit, even if stdout is closed."""
    with contextlib.suppress(OSError):
        _report(error, words)
    try:
        sys.stdout.flush()
    except OSError:
        _let_go_of_stdout()
    sys.exit(exit_code(error))


def _report(error: BaseException, words: list[str]) -> None:
    """Report an error: as JSON on stdout with `--json`, else on stderr."""
    if _wants_json(words):
        click.echo(dumps(error_document(error), ascii_only=True))
        return
    colour = None if colour_is_welcome() and "--no-color" not in words else False

    def line(frame: str, text: str, **style: Any) -> None:
        click.echo(f"{click.style(say(frame), **style)} {safe(text)}", err=True, color=colour)

    known = isinstance(error, RemoraError)
    line("error.frame", in_words(str(error) if known else unexpected(error)), fg="red", bold=True)
    if hint := error.hint if isinstance(error, RemoraError) else say("error.debug"):
        line("error.hint", in_words(hint), fg="yellow")


def _usage(error: click.ClickException) -> RemoraError:
    """Return an `InvalidInput` for an error of click; all of these are about the command line."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "remora"
    message = error.format_message()
    return InvalidInput(message[:1].lower() + message[1:], hint=f"See `{path} --help`.")


def _wants_json(words: list[str]) -> bool:
    ours = words[: words.index("--")] if "--" in words else words
    return "--json" in ours


def _tolerate_any_text() -> None:
    """Have stdout and stderr escape characters that their encoding lacks, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter's last flush does not fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # stdout has no file descriptor (a buffer in a test)
        return
