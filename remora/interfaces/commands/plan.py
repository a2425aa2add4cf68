"""Verbs plan (context before work begins) and teach (memories from a text)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from remora.core.errors import EXIT_CODES, InvalidInput, RemoraError, StoreError
from remora.core.values import Skipped
from remora.interfaces import learn_pages
from remora.interfaces.commands.cli_context import CliContext, command, split
from remora.interfaces.words import say

if TYPE_CHECKING:
    from remora.app.importing.teach import Taught

file_type = click.Path(path_type=str)
LARGEST = 100_000  # maximum of --steps


@command("plan", epilog='Example: remora plan "make the token lifetime a setting" --steps 100')
@click.argument("task", nargs=-1)
@click.option("--module", "modules", multiple=True, metavar="NAME", help="A related module; repeatable.")
@click.option("--file", "-f", "files", multiple=True, type=file_type, help="A related file; repeatable.")
@click.option("--qa", is_flag=True, help="For testers: requirements, errors, observed UI behaviour.")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Maximum tokens of the block.")
@click.option("--steps", type=click.IntRange(1, LARGEST), metavar="N", help="A step limit to adjust.")
@click.option("--contents", is_flag=True, help="Also print the files to load, with line numbers.")
def plan(
    cli: CliContext,
    *,
    task: tuple[str, ...],
    modules: tuple[str, ...],
    files: tuple[str, ...],
    qa: bool,
    budget: int | None,
    steps: int | None,
    contents: bool,
) -> None:
    """TASK describes the work; "-" reads it from stdin.

    Shows relevant memories, the files that similar sessions read, and the ratio of actual to planned
    steps. Without --module and --file, the location is inferred from the task and the code.
    """
    asked = cli.statement(task, "the task")
    memory = cli.memory(writes=False)
    where: dict[str, Any] = {
        "modules": split(modules) or [],
        "files": [cli.repository_path(f) for f in split(files) or ()],
    }
    block = (memory.qa_context if qa else memory.plan_context)(asked, budget=budget, **where)
    notes = memory.notes
    ahead = memory.prefetch(asked, **where)
    factor = memory.step_factor(asked, **where)
    limit = (steps, memory.step_limit(steps, asked, **where)) if steps is not None else None
    state = "" if qa else memory.work_state(asked)
    document = {
        "task": asked,
        **block._asdict(),
        "prefetch": ahead,
        "prefetch_tokens": ahead.tokens,
        "prefetch_left_out": ahead.left_out,
        **({"prefetch_text": ahead.text} if contents else {}),
        "step_factor": factor,
        "step_limit": limit[1] if limit else None,
        "work_state": state,
        "notes": notes,
    }
    cli.answer(document, lambda: learn_pages.plan(block, ahead, factor, limit, state, contents=contents))
    cli.tell(notes)
    if not (block.text or ahead or state or factor is not None):
        cli.note(say("plan.none"))


@command("teach", epilog="Example: remora teach docs/conventions.md --yes")
@click.argument("files", nargs=-1, required=True, type=file_type, metavar="FILE...")
@click.option("--yes", "-y", is_flag=True, help="Store it without asking.")
@click.option("--user", is_flag=True, help="Store it in your own memory, for every project.")
@click.pass_context
def teach(context: click.Context, cli: CliContext, *, files: tuple[str, ...], yes: bool, user: bool) -> None:
    """FILE is Markdown or plain text that a person wrote; "-" reads stdin.

    Lists and paragraphs become memories, each with a type. Rule files (CLAUDE.md, AGENTS.md,
    .cursorrules …) are recognised by name. A preview comes first; a terminal asks for confirmation,
    elsewhere --yes stores it. An unreadable file is reported, the others are stored, and the exit code is 2.
    """
    given = {path: cli.document("-") if path == "-" else None for path in dict.fromkeys(files)}
    memory = cli.memory()

    def read(*, dry_run: bool) -> tuple[list[Taught], list[Skipped]]:
        found: list[Taught] = []
        refused: list[Skipped] = []
        for path, text in given.items():
            name = "stdin" if path == "-" else path
            try:
                found.append(memory.teach(name, text=text, user=user, dry_run=dry_run))
            except StoreError:
                raise
            except RemoraError as error:
                refused.append(Skipped(name, f"{error}. {error.hint}".rstrip()))
        return found, refused

    found, refused = read(dry_run=not yes)
    asks = cli.asks and "-" not in given
    new = sum(one.number("stored", "merged", "restored", "updated") for one in found)
    if not yes and asks and new:
        cli.answer({}, learn_pages.taught(found, refused))
        if click.confirm(say("teach.ask", n=new), default=True, err=True):
            found, refused = read(dry_run=False)
            for one in found:
                cli.note(learn_pages.taught_sentence(one))
        else:
            cli.note(say("init.nothing"))
    else:
        document = {"stored": yes, "files": found, "skipped": refused}
        cli.answer(document, lambda: learn_pages.taught(found, refused))
        if not yes and new:
            cli.note(say("teach.not_stored"))
    if refused:
        context.exit(EXIT_CODES[InvalidInput])
