"""Verbs that write memories: remember, edit, supersede."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from remora.app.project.arguments import own_names
from remora.core.errors import EXIT_CODES, InvalidInput, RemoraError
from remora.core.payloads import PAYLOADS
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
from remora.interfaces.commands.cli_context import CliContext, command, split
from remora.interfaces.words import say

EXAMPLE = """Such as '{"approach_tried": "threads", "why_it_failed": "races"}' for a dead_end."""
TOGETHER = 200  # drafts in one transaction, which blocks other writers for some tenths of a second

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
    draft is reported with its position, the others are stored, and the exit code is 2.
    """
    if from_json is not None and text:
        raise click.UsageError("give a text or --from-json, not both")
    if given["payload"] is not None and given["type"] is None and from_json is None:
        raise InvalidInput("a payload needs a type", hint="Add --type, such as dead_end.")
    fields = _fields(given)
    content = cli.statement(text, "the statement") if from_json is None else ""
    proposed = proposals(cli.document(from_json)) if from_json is not None else []
    memory = cli.memory()
    fields["related_files"] = [cli.repository_path(f) for f in split(files) or ()]
    fields["related_modules"] = split(modules) or ()
    fields["tags"] = split(tags) or ()
    if from_json is not None:
        context.exit(_remember_all(cli, proposed, fields))
    record = memory.remember(content, **fields)
    cli.answer(record, lambda: memory_pages.receipt(record, guessed="type" not in fields))


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given as fields of a memory; no triggers: its text is read for them."""
    triggers = {name: value for name in TRIGGER_FIELDS if (value := given.pop(name))}
    fields = {name: value for name, value in given.items() if value is not None}
    if "payload" in fields:
        fields["payload"] = payload_of(fields["payload"])
    return fields | ({"triggers": triggers} if triggers else {})


def _remember_all(cli: CliContext, proposed: Sequence[Proposed], fields: dict[str, Any]) -> int:
    """Store all valid drafts, report each result, and return the exit code.

    Drafts share a transaction per TOGETHER, so that there is one disk sync for each. If the store fails in
    one, its drafts are stored one by one, so that those before the failing one are kept.
    """
    user = fields.pop("user")
    records: list[MemoryRecord] = []
    skipped: list[Skipped] = []
    done = 0

    def store(group: Sequence[Proposed]) -> None:
        given = [{**fields, **one.fields} for one in group if one.problem is None]
        stored = iter(cli.memory().remember_each(given, user=user))
        for one in group:
            found = one.problem or next(stored)
            if isinstance(found, MemoryRecord):
                records.append(found)
            else:
                skipped.append(Skipped(one.place, f"{found}. {found.hint}".rstrip()))

    with cli.progress() as progress:
        while group := proposed[done : done + TOGETHER]:
            try:
                store(group)
            except RemoraError:
                for one in group:
                    try:
                        store([one])
                    except RemoraError:  # an error of the store: later drafts would fail, too
                        cli.note(
                            memory_pages.handed_in_sentence(records, skipped)
                            + say("drafts.stopped", place=one.place)
                        )
                        raise
            done += len(group)
            progress("drafts", done, len(proposed))
    answer = {"memories": records, "skipped": skipped}
    cli.answer(answer, lambda: memory_pages.handed_in(records, skipped))
    return EXIT_CODES[InvalidInput] if skipped else 0


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
    named = [cli.repository_path(f) for f in split(files) or old.related_files]
    if files or add_file or remove_file:
        added = [cli.repository_path(f) for f in split(add_file) or ()]
        removed = [cli.repository_path(f) for f in split(remove_file) or ()]
        changes["related_files"] = _altered(named, added, removed, "file")
    if not changes:
        changes["content"] = _edited(old.content, interactive=not cli.json)
    record = memory.edit(old.id, **changes)
    cli.answer(record, lambda: memory_pages.receipt(record))


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
        fields["related_files"] = tuple(cli.repository_path(f) for f in split(files) or ())
    if tags:
        fields["tags"] = tuple(split(tags) or ())
    record = memory.supersede(old.id, content, **fields)
    flagged = [m for m in memory.dependents(old.id) if m.id != record.id]
    document = {"memory": record, "superseded": memory.show(old.id), "needs_review": flagged}
    cli.answer(document, lambda: (*memory_pages.receipt(record), *memory_pages.superseding(old, flagged)))


def _altered(
    old: Sequence[str], added: Sequence[str] | None, removed: Sequence[str] | None, what: str
) -> tuple[str, ...]:
    unknown = [item for item in removed or () if item not in old]
    if unknown:
        has = f"It has: {', '.join(old)}." if old else f"It has no {what}."
        raise InvalidInput(f"the memory has no {what} {unknown[0]!r}", hint=has)
    kept = [item for item in old if item not in (removed or ())]
    return tuple(dict.fromkeys((*kept, *(added or ()))))


def _edited(text: str, *, interactive: bool) -> str:
    if not (interactive and sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("nothing to change", hint="Give an option; `remora edit --help` lists them.")
    changed = click.edit(text + "\n", extension=".md", require_save=True)
    if changed is None or changed.strip() == text.strip():
        raise InvalidInput("the text was not changed", hint="Change the text in the editor and save it.")
    return changed.strip()


# Drafts in JSON: one, a list, or one on each line, each with the fields of `MemoryDraft`. An invalid one is
# returned with its place and the reason, so that it does not affect the valid ones.


class Proposed(NamedTuple):
    """One draft of a document: its place, and its fields or the error."""

    place: str
    fields: dict[str, Any]
    problem: InvalidInput | None = None


def proposals(text: str) -> list[Proposed]:
    """Return the drafts of a JSON document, or of JSON lines, in order.

    Raises:
        InvalidInput: the text is neither, or empty.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidInput("there are no drafts: the text is empty", hint="Give one JSON object per draft.")
    try:
        whole = _parsed(text)
    except InvalidInput as error:
        return _lines(text, error)
    if isinstance(whole, list):
        return [_proposed(f"draft {number}", one) for number, one in enumerate(whole, start=1)]
    return [_proposed("the draft", whole)]


def payload_of(text: str) -> Any:
    """Return the payload in a JSON text; None for null.

    Raises:
        InvalidInput: the text is not a JSON object or null.
    """
    try:
        found = _parsed(text)
    except InvalidInput as error:
        raise InvalidInput(f"the payload is {error}", hint=EXAMPLE) from None
    if found is not None and not isinstance(found, dict):
        raise InvalidInput("the payload must be a JSON object", hint=EXAMPLE)
    return found


def _lines(text: str, whole: InvalidInput) -> list[Proposed]:
    """Return a draft for each line.

    Raises:
        InvalidInput: no line is an object, so that the text is an invalid document, with the error `whole`.
    """
    objects = False
    found: list[Proposed] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = _parsed(line)
        except InvalidInput as error:
            said = str(error).replace("line 1, ", "")
            found.append(Proposed(f"line {number}", {}, InvalidInput(said)))
            continue
        objects = objects or isinstance(value, dict)
        found.append(_proposed(f"line {number}", value))
    if not objects:
        hint = "Give one object, a list of objects, or an object on each line."
        raise InvalidInput(f"the drafts are {whole}", hint=hint)
    return found


def _proposed(place: str, value: object) -> Proposed:
    """Return a draft with its fields from parsed JSON; null counts as missing.

    `Memory.remember_each` checks the fields.
    """
    if not isinstance(value, dict):
        return Proposed(place, {}, InvalidInput("a draft must be a JSON object"))
    try:
        named = own_names(value)
    except InvalidInput as error:
        return Proposed(place, {}, error)
    fields = {name: one for name, one in named.items() if one is not None}
    if "payload" in fields and "type" not in fields:
        hint = f"Name a type, such as {', '.join(PAYLOADS)}."
        return Proposed(place, {}, InvalidInput("a payload needs a type", hint=hint))
    return Proposed(place, fields)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(f"not JSON ({where}: {error.msg})") from None
    except ValueError as error:  # a number of thousands of digits
        raise InvalidInput(f"not JSON that can be read ({error})") from None
    except RecursionError:
        raise InvalidInput("not JSON that can be read (nested too deep)") from None
