"""Verbs about notes, archives, the journal and quotes: note, journal, quote."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from remora.core.errors import InvalidInput
from remora.core.values import ENTRY_KINDS, MEMORY_TYPES
from remora.interfaces import memory_pages, note_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.words import say

name_argument = click.argument("name", metavar="NAME")
kind_option = click.option(
    "--kind", type=click.Choice(ENTRY_KINDS), help="Only notes, or only archives of conversations."
)


@command("note list")
@kind_option
def listing(cli: CliContext, *, kind: str | None = None) -> None:
    """Notes are named texts; archives are the summaries of compacted conversations."""
    found = cli.memory(writes=False).entries.list(kind)
    cli.answer({"entries": found}, note_pages.entries(found, cli.clock.now()))
    if not found:
        cli.note(say("note.none"))


@command("note show")
@name_argument
def show(cli: CliContext, *, name: str) -> None:
    """NAME is the note's name or one of its aliases."""
    found = cli.memory(writes=False).entries.show(name)
    cli.answer(found, note_pages.entry(found, cli.clock.now()))


@command("note add", epilog='Example: remora note add deploy "never on Fridays" --alias release')
@name_argument
@click.argument("text", nargs=-1)
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="An alias; repeatable.")
def add(cli: CliContext, *, name: str, text: tuple[str, ...], aliases: tuple[str, ...]) -> None:
    """TEXT is the text of the note; "-" reads it from stdin. Secrets are removed before storing."""
    entries = cli.memory().entries
    made = entries.add(name, cli.statement(text, "the text of the note"), aliases=aliases)
    document = {"entry": made, "redactions": entries.redactions}
    cli.answer(document, note_pages.changed_entry(made, say("note.added"), entries.redactions))


@command("note rename")
@name_argument
@click.argument("new_name", metavar="NEW")
def rename(cli: CliContext, *, name: str, new_name: str) -> None:
    """Both names find the note."""
    made = cli.memory().entries.rename(name, new_name)
    cli.answer({"entry": made}, note_pages.changed_entry(made, say("note.renamed")))


@command("note alias")
@name_argument
@click.argument("alias")
@click.option("--off", is_flag=True, help="Remove the alias.")
def alias(cli: CliContext, *, name: str, alias: str, off: bool) -> None:
    """No two entries share a name or an alias."""
    entries = cli.memory().entries
    made = entries.unalias(name, alias) if off else entries.alias(name, alias)
    done = say("note.unaliased", name=alias) if off else say("note.aliased", name=alias)
    cli.answer({"entry": made}, note_pages.changed_entry(made, done))


@command("note write", epilog="Example: remora note write deploy - < deploy.md")
@name_argument
@click.argument("text", nargs=-1)
def write(cli: CliContext, *, name: str, text: tuple[str, ...]) -> None:
    """TEXT is the new text; "-" reads it from stdin."""
    entries = cli.memory().entries
    made = entries.write(name, cli.statement(text, "the text of the note"))
    document = {"entry": made, "redactions": entries.redactions}
    cli.answer(document, note_pages.changed_entry(made, say("note.written"), entries.redactions))


@command("note remove")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(cli: CliContext, *, names: tuple[str, ...]) -> None:
    """Deletion is permanent; with an unknown name nothing is deleted."""
    entries = cli.memory().entries
    found = list({entries.show(name).id: name for name in names}.values())
    gone = [entries.remove(name) for name in found]
    cli.answer(
        {"entries": gone},
        tuple(p for e in gone for p in note_pages.changed_entry(e, say("note.removed"))),
    )


@command("note dump", epilog="Example: remora note dump ~/notes")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def dump(cli: CliContext, *, folder: Path) -> None:
    """A later dump into the same FOLDER replaces the files; other folders with notes are left alone."""
    number = cli.memory(writes=False).entries.dump(folder)
    written = say("note.dumped", n=number, folder=folder)
    cli.answer({"entries": number}, note_pages.text(written))


@command("note load")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--yes", is_flag=True, help="Replace without asking.")
def load(cli: CliContext, *, folder: Path, yes: bool) -> None:
    """Notes and archives that FOLDER does not have are gone afterwards."""
    entries = cli.memory().entries
    there = say("count.entry", n=len(entries.list()))
    if entries.list() and not yes:
        cli.ask(say("note.ask_load", what=there, folder=folder), say("note.waits", what=there))
    number = entries.load(folder)
    loaded = say("note.loaded", n=number, folder=folder)
    cli.answer({"entries": number}, note_pages.text(loaded))


@command("note search")
@click.argument("query", nargs=-1)
@options.number("-k", default=10, text="Maximum number of results.")
@kind_option
def search(cli: CliContext, *, query: tuple[str, ...], k: int, kind: str | None) -> None:
    """Searches by words, best match first; `remora search` also searches by meaning."""
    asked = cli.statement(query, "the question")
    found = cli.memory(writes=False).entries.search(asked, k, kind=kind)
    document = {"query": asked, "hits": [{"entry": e, "score": score} for e, score in found]}
    cli.answer(document, note_pages.found_entries(found, cli.clock.now()))
    if not found:
        cli.note(say("note.no_hit"))


@command("journal show")
@click.option("--block", is_flag=True, help="The whole `# Memory` block, with today's and recent notes.")
@click.option("--task", metavar="TEXT", help="With --block: include content relevant to a task.")
def journal_show(cli: CliContext, *, block: bool = False, task: str | None = None) -> None:
    """MEMORY.md is a file that you may edit; `--json` gives its path."""
    journal = cli.memory(writes=False).journal
    text = journal.block(task) if block or task else journal.show()
    _text(cli, text, str(journal.folder / "MEMORY.md"), journal.problems)
    if not text:
        cli.note(say("memory_md.empty", path=journal.folder / "MEMORY.md"))
        others = [("today", journal.today()), ("history", journal.history(1))]
        if verbs := [f"`remora journal {verb}`" for verb, there in others if there]:
            cli.note(say("journal.see", verbs=say("and").join(verbs)))


@command(
    "journal add",
    epilog='Example: remora journal add "Moved the queue to Redis; the old one stays until May"',
)
@click.argument("text", nargs=-1)
def journal_add(cli: CliContext, *, text: tuple[str, ...]) -> None:
    """TEXT becomes a history entry with the current time; "-" reads it from stdin."""
    journal = cli.memory().journal
    at = journal.add_history(cli.statement(text, "the text of the entry"))
    cli.answer({"time": at, "problems": journal.problems}, note_pages.text(say("journal.added", at=at)))


@command("journal today")
@click.argument("day", required=False, metavar="[YYYY-MM-DD]")
def journal_today(cli: CliContext, *, day: str | None) -> None:
    """One line per exchange: time, user message, answer."""
    journal = cli.memory(writes=False).journal
    wanted = _date(day) if day else None
    text = journal.day(wanted) if wanted else journal.today()
    _text(cli, text, str(journal.folder), journal.problems)
    if not text:
        days = journal.days()
        there = say("journal.days_with", days=", ".join(str(d) for d in days[-5:])) if days else ""
        none = say("journal.no_day") if wanted else say("journal.no_today")
        cli.note(none + there)


@command("journal history")
@options.number("-n", "limit", default=20, text="Maximum number of results.")
def journal_history(cli: CliContext, *, limit: int) -> None:
    """Newest first; `remora search --kind history` searches the history."""
    journal = cli.memory(writes=False).journal
    found = journal.history(limit)
    document = {"entries": found, "problems": journal.problems}
    cli.answer(document, note_pages.history(found, cli.clock.now()))
    if not found:
        cli.note(say("journal.no_history"))


@command("journal consolidate")
@click.argument("session_id", required=False, metavar="[SESSION]")
def consolidate(cli: CliContext, *, session_id: str | None) -> None:
    """SESSION is the id of a conversation; all with new messages by default.

    Without a language model the history gets an extract of the conversation, and MEMORY.md does not
    change.
    """
    done = cli.memory().journal.consolidate(session_id)
    cli.answer({"sessions": done}, note_pages.consolidated(done))
    cli.remark(*(note for one in done for note in one.notes))


@command("journal versions")
def versions(cli: CliContext) -> None:
    """The last fifty versions are kept."""
    found = cli.memory(writes=False).journal.versions()
    cli.answer({"versions": found}, note_pages.versions(found, cli.clock.now()))
    if not found:
        cli.note(say("memory_md.unchanged"))


@command("journal restore")
@name_argument
def restore(cli: CliContext, *, name: str) -> None:
    """NAME is one of `remora journal versions`; the current text is kept as a version."""
    changed = cli.memory().journal.restore(name)
    cli.answer({"restored": name, "changed": changed}, note_pages.restored(name, changed=changed))


@command("quote list")
@options.number("-n", "limit", default=20, least=0, text="Maximum number of quotes.")
@click.option("--session", "session_id", metavar="ID", help="Only from this session.")
def quotes(cli: CliContext, *, limit: int = 20, session_id: str | None = None) -> None:
    """Sentences of lasting interest are kept verbatim; `remora search --kind quote` searches them."""
    found = cli.memory(writes=False).quotes(limit, session_id=session_id)
    cli.answer({"quotes": found}, note_pages.quotes(found, cli.clock.now()))
    if not found:
        cli.note(say("quote.none"))


@command("quote keep", epilog="Example: remora quote keep q12 --type decision")
@click.argument("quote_id", metavar="ID")
@click.option("--type", "kind", type=click.Choice(MEMORY_TYPES), help="Guessed from the wording by default.")
def quote_keep(cli: CliContext, *, quote_id: str, kind: str | None) -> None:
    """The memory has the words of the quote, with you as the source; `remora edit` changes them."""
    record = cli.memory().keep_quote(quote_id, type=kind)
    cli.answer({"memory": record}, memory_pages.changed([record], say("did.stored")))


@command("quote remove")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def quote_remove(cli: CliContext, *, ids: tuple[str, ...]) -> None:
    """A removed quote does not return when its session is read again."""
    memory = cli.memory()
    gone = [(one, memory.remove_quote(one)) for one in dict.fromkeys(ids)]
    cli.answer({"removed": [{"id": i, "text": text} for i, text in gone]}, note_pages.removed(gone))


def _text(cli: CliContext, text: str, path: str, problems: tuple[str, ...]) -> None:
    cli.answer({"text": text, "path": path, "problems": problems}, note_pages.text(text))
    cli.remark(*problems)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is not a date", hint="Write it as 2026-01-31.") from None
