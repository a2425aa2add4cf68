"""remember, edit, supersede: the verbs that write a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from remora.core.errors import InvalidInput
from remora.core.values import MEMORY_SCOPES, MEMORY_SOURCES, MEMORY_TYPES
from remora.interfaces import pages, reports
from remora.interfaces.commands import complete
from remora.interfaces.commands.desk import Desk, command, split, statement

F = TypeVar("F", bound=Callable[..., Any])

type_option = click.option(
    "--type",
    "-t",
    "kind",
    metavar="TYPE",
    shell_complete=complete.words(MEMORY_TYPES),
    help="One of the 16 types, such as gotcha, decision or preference; guessed when left out.",
)
file_type = click.Path(path_type=str)


@command(
    "remember",
    epilog='Example: remora remember "Access tokens expire after 24 h" --type decision --file auth/tokens.py',
)
@click.argument("text", nargs=-1)
@type_option
@click.option("--file", "-f", "files", multiple=True, type=file_type, help="A file it speaks of; repeatable.")
@click.option("--module", "modules", multiple=True, metavar="NAME", help="A module it speaks of; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A word to find it by; repeatable.")
@click.option(
    "--scope",
    default="global",
    metavar="SCOPE",
    shell_complete=complete.words(MEMORY_SCOPES),
    help="global (the whole project, the default), module, work_unit or session.",
)
@click.option("--user", is_flag=True, help="Keep it in your own memory, true in every project.")
@click.option(
    "--confidence", type=float, metavar="0..1", help="How sure it is; 1.0 for what you say yourself."
)
@click.option(
    "--source",
    default="user_taught",
    metavar="SOURCE",
    shell_complete=complete.words(MEMORY_SOURCES),
    help="Who says so; user_taught by default.",
)
def remember(
    desk: Desk,
    *,
    text: tuple[str, ...],
    kind: str | None,
    files: tuple[str, ...],
    modules: tuple[str, ...],
    tags: tuple[str, ...],
    scope: str,
    user: bool,
    confidence: float | None,
    source: str,
) -> None:
    """TEXT is a statement that can be understood on its own; "-" reads it from stdin.

    Secrets are taken out before anything is stored.
    """
    content = statement(text, "what to remember")
    memory = desk.memory()
    record = memory.remember(
        content,
        type=kind,
        related_files=[desk.repository_path(f) for f in split(files) or ()],
        related_modules=split(modules) or (),
        tags=split(tags) or (),
        source=source,
        scope=scope,
        confidence=confidence,
        user=user,
    )
    desk.answer(record, lambda: pages.receipt(record, guessed=kind is None))


@command("edit", epilog="Example: remora edit 1a2b3c4d --type gotcha --add-tag cache")
@click.argument("memory_id", metavar="ID", shell_complete=complete.ids())
@click.option("--content", "-c", metavar="TEXT", help='The new text; "-" reads it from stdin.')
@type_option
@click.option("--add-tag", multiple=True, metavar="WORD", help="Add a tag; repeatable.")
@click.option("--remove-tag", multiple=True, metavar="WORD", help="Take a tag off; repeatable.")
@click.option(
    "--file", "-f", "files", multiple=True, type=file_type, help="Set the files to these; repeatable."
)
@click.option("--add-file", multiple=True, type=file_type, help="Add a file; repeatable.")
@click.option("--remove-file", multiple=True, type=file_type, help="Take a file off; repeatable.")
@click.option(
    "--scope",
    metavar="SCOPE",
    shell_complete=complete.words(MEMORY_SCOPES),
    help="global, module, work_unit or session.",
)
@click.option("--confidence", type=float, metavar="0..1", help="How sure it is.")
def edit(
    desk: Desk,
    *,
    memory_id: str,
    content: str | None,
    kind: str | None,
    add_tag: tuple[str, ...],
    remove_tag: tuple[str, ...],
    files: tuple[str, ...],
    add_file: tuple[str, ...],
    remove_file: tuple[str, ...],
    scope: str | None,
    confidence: float | None,
) -> None:
    """Without options, on a terminal, the text opens in $EDITOR."""
    memory = desk.memory()
    old = memory.show(memory_id)
    if content is not None:
        content = statement([content], "the new text")
    given = {"content": content, "type": kind, "scope": scope, "confidence": confidence}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if add_tag or remove_tag:
        changes["tags"] = _altered(old.tags, split(add_tag), split(remove_tag), "tag")
    named = [desk.repository_path(f) for f in split(files) or old.related_files]
    if files or add_file or remove_file:
        added = [desk.repository_path(f) for f in split(add_file) or ()]
        removed = [desk.repository_path(f) for f in split(remove_file) or ()]
        changes["related_files"] = _altered(named, added, removed, "file")
    if not changes:
        changes["content"] = _edited(old.content, interactive=not desk.json)
    record = memory.edit(old.id, **changes)
    desk.answer(record, lambda: pages.receipt(record))


@command("supersede", epilog='Example: remora supersede 1a2b3c4d "Access tokens now expire after 12 h"')
@click.argument("memory_id", metavar="ID", shell_complete=complete.ids())
@click.argument("text", nargs=-1)
@type_option
@click.option(
    "--file", "-f", "files", multiple=True, type=file_type, help="Set the files to these; repeatable."
)
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="Set the tags to these; repeatable.")
def supersede(
    desk: Desk,
    *,
    memory_id: str,
    text: tuple[str, ...],
    kind: str | None,
    files: tuple[str, ...],
    tags: tuple[str, ...],
) -> None:
    """TEXT takes the place of memory ID; "-" reads it from stdin. What is not given is taken over.

    The old memory leaves every search and stays readable. What was derived from it is marked for review.
    """
    content = statement(text, "the new text")
    memory = desk.memory()
    old = memory.show(memory_id)
    fields: dict[str, Any] = {"type": kind} if kind is not None else {}
    if files:
        fields["related_files"] = tuple(desk.repository_path(f) for f in split(files) or ())
    if tags:
        fields["tags"] = tuple(split(tags) or ())
    record = memory.supersede(old.id, content, **fields)
    flagged = [m for m in memory.dependents(old.id) if m.id != record.id]
    document = {"memory": record, "superseded": memory.show(old.id), "needs_review": flagged}
    desk.answer(document, lambda: pages.receipt(record) + reports.superseding(old, flagged))


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
        raise InvalidInput("nothing to change", hint="Say what: `remora edit --help` lists the options.")
    changed = click.edit(text + "\n", extension=".md", require_save=True)
    if changed is None or changed.strip() == text.strip():
        raise InvalidInput("the text was not changed", hint="Save another text in the editor to change it.")
    return changed.strip()


COMMANDS = {"remember": remember, "edit": edit, "supersede": supersede}
