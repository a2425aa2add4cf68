"""Verbs that read: search, ask, context, related, show, list."""

from __future__ import annotations

from typing import Any

import click

from remora.core.values import HIT_SOURCES, MEMORY_SCOPES, MEMORY_TYPES, PHASES
from remora.interfaces import memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command, split
from remora.interfaces.page import Para
from remora.interfaces.present import TOLD, answered, is_empty, owned_sentence, parents_of
from remora.interfaces.words import say

types_option = options.word(
    "--type", "-t", "types", among=MEMORY_TYPES, text="Only memories of this type; repeatable.", multiple=True
)
files_option = click.option(
    "--file",
    "-f",
    "files",
    multiple=True,
    type=options.PATH,
    help="Only results about this file or folder; repeatable.",
)
modules_option = click.option(
    "--module", "modules", multiple=True, metavar="NAME", help="Only results about this module; repeatable."
)
branch_option = click.option(
    "--branch",
    metavar="NAME",
    help='Include memories of this branch; the current one by default, "*" for all.',
)
kinds_option = options.word(
    "--kind",
    "kinds",
    among=HIT_SOURCES,
    text="Only this kind of hit, such as memory or turn; repeatable.",
    multiple=True,
)
scope_option = options.word(
    "--scope", among=MEMORY_SCOPES, text="Only this scope: global, module, work_unit or session."
)
since_option = click.option(
    "--since", metavar="TIME", help='Only from this time on: 2023-05-08, "May 2023", "last week".'
)
until_option = click.option("--until", metavar="TIME", help="Only up to this time; days named are included.")
session_option = click.option("--session", metavar="ID", help="Only messages and memories of this session.")
role_option = click.option("--role", metavar="NAME", help="Only messages of this speaker, such as user.")
around_option = click.option(
    "--context", "around", is_flag=True, help="Show a message with the two before it and the two after it."
)
methodology_option = click.option(
    "--methodology", metavar="NAME", help="The methodology of --phase; native by default."
)


@command("search", epilog='Example: remora search "how long do tokens live" --type decision --why')
@click.argument("query", nargs=-1)
@options.number("-k", "k", default=8, most=1000, text="Maximum number of hits.")
@types_option
@files_option
@modules_option
@scope_option
@branch_option
@kinds_option
@since_option
@until_option
@session_option
@role_option
@options.word("--phase", among=PHASES, text=f"Kind of work, which weights the types: {', '.join(PHASES)}.")
@methodology_option
@click.option("--code", is_flag=True, help="Search the code; same as --kind code.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=TOLD,
    show_default=True,
    help="Minimum relevance of a hit.",
)
@around_option
@click.option("--why", is_flag=True, help="Explain the rank of each hit.")
def search(
    cli: CliContext, *, query: tuple[str, ...], code: bool, around: bool, why: bool, **given: Any
) -> None:
    """QUERY is a question, some keywords, a name or a path; "-" reads it from stdin.

    Each line has rank, relevance (0 to 1; above 0.5 is clearly about the question), type, origin and age.
    """
    from remora.app.codebase.freshness import NOTHING_TO_ASK

    asked = cli.statement(query, "the question")
    memory = cli.memory(writes=False)
    if code:
        given["kinds"] += ("code",)
    filters = _filters(cli, given)
    found = memory.search(asked, **filters)
    notes = tuple(dict.fromkeys((*memory.notes, *memory.reminders(vectors=True))))
    answer = {"query": asked, "hits": found, "notes": notes}
    cli.answer(answer, memory_pages.hits(found, cli.clock.now(), why=why, around=around))
    cli.tell(notes)
    if not found:
        narrows = ("types", "files", "modules", "scope", "since", "until", "session", "role")
        filtered = any(filters[name] for name in narrows)
        if set(filters["kinds"] or ()) != {"code"}:
            cli.note(_nothing(cli, filtered=filtered or bool(filters["kinds"])))
        elif filtered:
            cli.note(say("search.no_code_filtered"))
        elif not any(note in notes for note in NOTHING_TO_ASK):
            cli.note(say("search.no_code"))
    elif not answered(found):
        cli.note(say("search.unsure"))


@command("context", epilog='Example: remora context "make the token lifetime a setting" --phase define')
@click.argument("task", nargs=-1)
@options.word(
    "--phase", among=PHASES, text=f"One of {', '.join(PHASES)}.", default="explore", show_default=True
)
@methodology_option
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens; depends on the phase by default.")
@files_option
@modules_option
@branch_option
@kinds_option
def context(cli: CliContext, *, task: tuple[str, ...], **given: Any) -> None:
    """TASK describes the work; "-" reads it from stdin.

    The block goes to stdout, its size to stderr.
    """
    asked = cli.statement(task, "the task")
    memory = cli.memory(writes=False)
    filters = _filters(cli, given)
    packed = memory.context(asked, **filters)
    cli.tell(memory.notes)
    if not packed.hits:
        cli.note(_nothing(cli, filtered=any(filters[name] for name in ("files", "modules", "kinds"))))
    else:
        left = say("context.left", n=packed.left_out) if packed.left_out else ""
        size = {"tokens": str(packed.tokens), "budget": str(packed.budget)}
        cli.note(say("context.size", n=len(packed.hits), left=left, **size))
    cli.answer(packed, (Para(packed.text),) if packed.text else ())


@command("related", epilog="Example: remora related auth/tokens.py")
@click.argument("path", type=options.PATH)
@options.number("-k", "k", default=10, most=1000, text="Maximum number of files.")
def related(cli: CliContext, *, path: str, k: int) -> None:
    """PATH is a file of the project. Each line gives the closeness (0 to 1) and the evidence.

    The module and the main authors of the file go to stderr.
    """
    memory = cli.memory(writes=False)
    asked = cli.repository_path(path)
    found = memory.related_files(asked, k)
    owned = memory.ownership(asked)
    if owned is not None:
        cli.note(owned_sentence(owned))
    elif found and not (memory.root / asked).exists():
        cli.note(say("related.no_file", path=asked))
    if not found:
        cli.note(say("related.none", path=asked))
    cli.answer({"path": asked, "ownership": owned, "files": found}, memory_pages.files(found))


@command("show")
@click.argument("memory_id", metavar="ID", shell_complete=options.ids)
@click.option("--history", "changes", is_flag=True, help="List its changes with time, author and reason.")
def show(cli: CliContext, *, memory_id: str, changes: bool) -> None:
    """ID is an id or at least its first four characters, also of a forgotten memory."""
    memory = cli.memory(writes=False)
    if changes:
        found = memory.history(memory_id)
        cli.answer({"history": found}, memory_pages.history(found, cli.clock.now()))
        return
    record = memory.show(memory_id)
    dependents = memory.dependents(record.id)
    parents = parents_of(memory, record)
    document: dict[str, Any] = {**record._asdict(), "dependents": [d.id for d in dependents]}
    cli.answer(document, memory_pages.card(record, cli.clock.now(), parents=parents, dependents=dependents))


@command("list", epilog="Example: remora list --type gotcha --file src/ --order confidence")
@types_option
@click.option("--tag", metavar="WORD", help="Only memories with this tag.")
@files_option
@modules_option
@scope_option
@since_option
@until_option
@click.option("--needs-review", is_flag=True, help="Only memories that need review.")
@click.option("--pinned", is_flag=True, help="Only pinned memories.")
@click.option("--records", is_flag=True, help="List records of commits and sessions instead.")
@click.option("--all", "everything", is_flag=True, help="Include forgotten and superseded memories.")
@click.option("--user", is_flag=True, help="Only your own memories, of every project.")
@click.option("--project-only", is_flag=True, help="Only the project's memories.")
@options.number("--limit", "-n", default=50, least=0, text="Maximum number of results; 0 for all.")
@options.word(
    "--order",
    among=("created", "accessed", "confidence"),
    text="created, accessed or confidence, highest first.",
    default="created",
    show_default=True,
)
def list_(
    cli: CliContext,
    *,
    needs_review: bool,
    pinned: bool,
    records: bool,
    everything: bool,
    user: bool,
    project_only: bool,
    limit: int,
    **given: Any,
) -> None:
    """Each line has id, type, current confidence, age and the start of the text."""
    if user and project_only:
        raise click.UsageError("--user and --project-only exclude each other")
    memory = cli.memory(writes=False)
    most = limit or 1_000_000
    filters = _filters(cli, given)
    found = memory.list(
        limit=most + 1,
        needs_review=needs_review or None,
        pinned=pinned or None,
        include_forgotten=everything,
        user=True if user else False if project_only else None,
        records=records,
        **filters,
    )
    more, found = len(found) > most, found[:most]
    notes = memory.reminders()
    if not found:
        filtered = needs_review or pinned or user
        filtered = filtered or any(value for name, value in filters.items() if name != "order")
        cli.note(_nothing(cli, filtered=filtered, listed="list.no_records" if records else "list.none"))
    answer = {"memories": found, "more": more, "notes": notes}
    cli.answer(answer, memory_pages.memory_list(found, cli.clock.now()))
    cli.tell(notes)
    if more:
        cli.note(say("list.more", number=most))
    elif not records and not filters["types"] and memory.list(limit=1, records=True):
        cli.note(say("list.records"))


def _filters(cli: CliContext, given: dict[str, Any]) -> dict[str, Any]:
    """Return options as arguments of `Memory`: lists split at commas or None, files relative to the root."""
    lists = {name: split(value) for name, value in given.items() if isinstance(value, tuple)}
    if "files" in lists:
        lists["files"] = [cli.repository_path(f, folders=True) for f in lists["files"]]
    return {**given, **{name: found or None for name, found in lists.items()}}


@command("ask", epilog='Example: remora ask "why do we sign with ES256?"')
@click.argument("question", nargs=-1)
@click.option(
    "--thread", default="", metavar="ID", help='Keep the answer as a conversation; "new" begins one.'
)
def ask(cli: CliContext, *, question: tuple[str, ...], thread: str) -> None:
    """Each sentence cites its sources. Without a language model the best passages are shown."""
    memory = cli.memory(writes=bool(thread))
    found = memory.ask(cli.statement(question, "the question"), thread)
    cli.answer(found, memory_pages.answer(found))
    cli.tell(found.notes)


def _nothing(cli: CliContext, *, filtered: bool, listed: str = "") -> str:
    """Return the reason for an empty result and the next step; `listed` is the sentence of an empty list."""
    memory = cli.memory(writes=False)
    code = say("empty.code") if memory.modules() else ""
    if not is_empty(memory):
        if filtered:
            return say("empty.filtered")
        if listed:
            return say(listed)
        return say("empty.search") + code
    if code:  # `init` or `index` was run
        return say("empty.memories") + code + say("empty.remember")
    return say("empty.begin")
