"""Verbs that write memories: remember, edit, supersede."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from remora.app.project.arguments import SHORT
from remora.core.errors import EXIT_CODES, InvalidInput, RemoraError
from remora.core.values import (
    MEMORY_SCOPES,
    MEMORY_SOURCES,
    MEMORY_TYPES,
    TRIGGER_FIELDS,
    MemoryRecord,
    Skipped,
)
from remora.interfaces import memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command, edit_text, split

AT_ONCE = 200  # drafts in one transaction
EXAMPLE = """Such as '{"approach_tried": "threads", "why_it_failed": "races"}' for a dead_end."""

type_option = options.word(
    "--type",
    "-t",
    among=MEMORY_TYPES,
    text="One of the 16 types, such as gotcha, decision or preference; guessed by default.",
)
set_files_option = click.option(
    "--file", "-f", "files", multiple=True, type=options.PATH, help="Set the files to these; repeatable."
)


def trigger_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that set a memory's triggers; without them the triggers are read from its text."""
    for name, text in (
        ("--unless", "Not shown at a command or edit that has it; repeatable."),
        ("--wants", "What it asks for: not shown if the action has it, or after it ran; repeatable."),
        ("--when", 'Where it applies: "commit", a path or glob, a command, code; repeatable.'),
        ("--forbids", "What breaks it: a command, a path or glob, code; repeatable."),
    ):
        verb = click.option(name, multiple=True, metavar="PATTERN", help=text)(verb)
    return verb


@command(
    "remember",
    epilog='Example: remora remember "Access tokens expire after 24 h" --type decision --file auth/tokens.py',
)
@click.argument("text", nargs=-1)
@type_option
@click.option("--file", "-f", "files", multiple=True, type=options.PATH, help="A related file; repeatable.")
@click.option("--module", "modules", multiple=True, metavar="NAME", help="A related module; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag; repeatable.")
@options.word(
    "--scope",
    among=MEMORY_SCOPES,
    text="global (the whole project, the default), module, work_unit or session.",
    default="global",
)
@click.option("--user", is_flag=True, help="Store it in your own memory, for every project.")
@click.option("--confidence", type=float, metavar="0..1", help="Confidence; 1.0 for your own statements.")
@options.word(
    "--source", among=MEMORY_SOURCES, text="The source; user_taught by default.", default="user_taught"
)
@click.option(
    "--branch", metavar="NAME", help="The only branch to which it applies; all branches by default."
)
@click.option(
    "--payload",
    metavar="JSON",
    help="Fields of a workflow_recipe, dead_end, prefetch_pattern or task_calibration, as an object.",
)
@trigger_options
@click.option(
    "--from-json",
    metavar="FILE",
    type=options.PATH,
    help='Store the drafts in a file; "-" reads them from stdin.',
)
@click.pass_context
def remember(
    context: click.Context,
    /,
    cli: CliContext,
    *,
    text: tuple[str, ...],
    files: tuple[str, ...],
    modules: tuple[str, ...],
    tags: tuple[str, ...],
    from_json: str | None,
    **given: Any,
) -> None:
    """TEXT is one self-contained statement; "-" reads it from stdin.

    Secrets are removed before storing.

    With --from-json the file holds one draft, a list of drafts, or one draft per line: objects with
    a content and, optionally, other fields of MemoryDraft. The options supply missing fields. A refused
    draft is reported with its position, the others are stored, and the exit code is 2. If the file is not
    JSON, nothing is stored.
    """
    if from_json is not None and text:
        raise click.UsageError("give a text or --from-json, not both")
    if given["payload"] is not None and given["type"] is None and from_json is None:
        raise InvalidInput("a payload needs a type", hint="Add --type, such as dead_end.")
    fields = _fields(given)
    content = cli.statement(text, "the statement") if from_json is None else ""
    drafts = drafts_of(cli.document(from_json)) if from_json is not None else []
    memory = cli.memory()
    fields["related_files"] = cli.repository_paths(files)
    fields["related_modules"] = split(modules)
    fields["tags"] = split(tags)
    if from_json is not None:
        context.exit(_remember_all(cli, drafts, fields))
    record = memory.remember(content, **fields)
    cli.answer(record, memory_pages.receipt(record, guessed="type" not in fields))


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given as fields of a memory; no triggers: its text is read for them."""
    triggers = {name: value for name in TRIGGER_FIELDS if (value := given.pop(name))}
    fields = {name: value for name, value in given.items() if value is not None}
    if "payload" in fields:
        fields["payload"] = payload_of(fields["payload"])
    return fields | ({"triggers": triggers} if triggers else {})


def _remember_all(cli: CliContext, drafts: Sequence[Any], options: dict[str, Any]) -> int:
    user, memory = options.pop("user"), cli.memory()
    found = [
        one
        for at in range(0, len(drafts), AT_ONCE)  # other writers get their turn in between
        for one in memory.remember_each(
            [_with_options(draft, options) for draft in drafts[at : at + AT_ONCE]], user=user
        )
    ]
    records = [one for one in found if isinstance(one, MemoryRecord)]
    skipped = [
        Skipped(f"draft {number}", f"{one}. {one.hint}".rstrip())
        for number, one in enumerate(found, start=1)
        if isinstance(one, RemoraError)
    ]
    answer = {"memories": records, "skipped": skipped}
    cli.answer(answer, memory_pages.handed_in(records, skipped))
    return EXIT_CODES[InvalidInput] if skipped else 0


def _with_options(draft: Any, options: dict[str, Any]) -> Any:
    """Return a draft with the options for the fields that it leaves out; null counts as missing."""
    if not isinstance(draft, dict):
        return draft  # refused by `Memory.remember_each`
    given = {name: value for name, value in draft.items() if value is not None}
    named = {SHORT.get(name, name) for name in given}
    return {name: value for name, value in options.items() if name not in named} | given


@command("edit", epilog="Example: remora edit 1a2b3c4d --type gotcha --add-tag cache")
@click.argument("memory_id", metavar="ID", shell_complete=options.ids)
@click.option("--content", "-c", metavar="TEXT", help='The new text; "-" reads it from stdin.')
@type_option
@click.option("--add-tag", multiple=True, metavar="WORD", help="Add a tag; repeatable.")
@click.option("--remove-tag", multiple=True, metavar="WORD", help="Remove a tag; repeatable.")
@set_files_option
@click.option("--add-file", multiple=True, type=options.PATH, help="Add a file; repeatable.")
@click.option("--remove-file", multiple=True, type=options.PATH, help="Remove a file; repeatable.")
@options.word("--scope", among=MEMORY_SCOPES, text="global, module, work_unit or session.")
@click.option("--confidence", type=float, metavar="0..1", help="The confidence.")
@click.option("--branch", metavar="NAME", help='The only branch to which it applies; "" for all branches.')
@click.option("--payload", metavar="JSON", help="Set the payload to this object; null removes it.")
@trigger_options
def edit(
    cli: CliContext,
    *,
    memory_id: str,
    add_tag: tuple[str, ...],
    remove_tag: tuple[str, ...],
    files: tuple[str, ...],
    add_file: tuple[str, ...],
    remove_file: tuple[str, ...],
    **given: Any,
) -> None:
    """Without options, on a terminal, the text opens in $EDITOR."""
    memory = cli.memory()
    old = memory.show(memory_id)
    changes = _fields(given)
    if "content" in changes:
        changes["content"] = cli.statement([changes["content"]], "the new text")
    if add_tag or remove_tag:
        changes["tags"] = _altered(old.tags, split(add_tag), split(remove_tag), "tag")
    if files or add_file or remove_file:
        named = cli.repository_paths(files) or list(old.related_files)
        added, removed = cli.repository_paths(add_file), cli.repository_paths(remove_file)
        changes["related_files"] = _altered(named, added, removed, "file")
    if not changes:
        changes["content"] = _edited(old.content, interactive=not cli.json)
    record = memory.edit(old.id, **changes)
    cli.answer(record, memory_pages.receipt(record))


@command("supersede", epilog='Example: remora supersede 1a2b3c4d "Access tokens now expire after 12 h"')
@click.argument("memory_id", metavar="ID", shell_complete=options.ids)
@click.argument("text", nargs=-1)
@type_option
@set_files_option
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="Set the tags to these; repeatable.")
def supersede(
    cli: CliContext,
    *,
    memory_id: str,
    text: tuple[str, ...],
    files: tuple[str, ...],
    tags: tuple[str, ...],
    **given: Any,
) -> None:
    """TEXT replaces memory ID; "-" reads it from stdin. Other fields are copied unless given.

    The old memory leaves every search and stays readable. Memories derived from it are marked for review.
    """
    content = cli.statement(text, "the new text")
    memory = cli.memory()
    old = memory.show(memory_id)
    fields = {"type": given["type"]} if given["type"] is not None else {}
    if files:
        fields["related_files"] = tuple(cli.repository_paths(files))
    if tags:
        fields["tags"] = tuple(split(tags))
    record = memory.supersede(old.id, content, **fields)
    flagged = [m for m in memory.dependents(old.id) if m.id != record.id]
    document = {"memory": record, "superseded": memory.show(old.id), "needs_review": flagged}
    cli.answer(document, (*memory_pages.receipt(record), *memory_pages.superseding(old, flagged)))


def _altered(old: Sequence[str], added: Sequence[str], removed: Sequence[str], what: str) -> tuple[str, ...]:
    unknown = [item for item in removed if item not in old]
    if unknown:
        has = f"It has: {', '.join(old)}." if old else f"It has no {what}."
        raise InvalidInput(f"the memory has no {what} {unknown[0]!r}", hint=has)
    kept = [item for item in old if item not in removed]
    return tuple(dict.fromkeys((*kept, *added)))


def _edited(text: str, *, interactive: bool) -> str:
    if not (interactive and sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("nothing to change", hint="Give an option; `remora edit --help` lists them.")
    changed = edit_text(text)
    if changed is None:
        raise InvalidInput("the text was not changed", hint="Change the text in the editor and save it.")
    return changed


def drafts_of(text: str) -> list[Any]:
    """Return the drafts in a JSON text: one, a list, or one on each line.

    Raises:
        InvalidInput: the text is not JSON, or empty.
    """
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise InvalidInput("there are no drafts: the text is empty", hint="Give one JSON object per draft.")
    try:
        try:
            found = json.loads(text)
        except ValueError as error:
            if "Extra data" not in str(error):
                raise
            lines = enumerate(text.splitlines())
            found = [json.loads("\n" * number + line) for number, line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        hint = "Give one object, a list of objects, or an object on each line."
        raise InvalidInput(f"the drafts are not JSON ({error})", hint=hint) from None
    return found if isinstance(found, list) else [found]


def payload_of(text: str) -> Any:
    """Return the payload in a JSON text; None for null.

    Raises:
        InvalidInput: the text is not a JSON object or null.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the payload is not JSON ({error})", hint=EXAMPLE) from None
    if found is not None and not isinstance(found, dict):
        raise InvalidInput("the payload must be a JSON object", hint=EXAMPLE)
    return found
