"""note, journal: the verbs about notes, archives and the journal."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from remora.core.errors import InvalidInput
from remora.core.values import ENTRY_KINDS
from remora.interfaces import note_pages
from remora.interfaces.commands.desk import Desk, command, group
from remora.interfaces.words import say

name_argument = click.argument("name", metavar="NAME")
kind_option = click.option(
    "--kind", type=click.Choice(ENTRY_KINDS), help="Only notes, or only archives of conversations."
)


@command("note list")
@kind_option
def listing(desk: Desk, *, kind: str | None = None) -> None:
    """Notes are named texts; archives are the summaries of compacted conversations."""
    found = desk.memory(writes=False).entries.list(kind)
    desk.answer({"entries": found}, lambda: note_pages.entries(found, desk.clock.now()))
    if not found:
        desk.note(say("note.none"))


@command("note show")
@name_argument
def show(desk: Desk, *, name: str) -> None:
    """NAME is the note's name or one of its aliases."""
    found = desk.memory(writes=False).entries.show(name)
    desk.answer(found, lambda: note_pages.entry(found, desk.clock.now()))


@command("note add", epilog='Example: remora note add deploy "never on Fridays" --alias release')
@name_argument
@click.argument("text", nargs=-1)
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="An alias; repeatable.")
def add(desk: Desk, *, name: str, text: tuple[str, ...], aliases: tuple[str, ...]) -> None:
    """TEXT is the text of the note; "-" reads it from stdin. Secrets are removed before storing."""
    entries = desk.memory().entries
    made = entries.add(name, desk.statement(text, "the text of the note"), aliases=aliases)
    document = {"entry": made, "redactions": entries.redactions}
    desk.answer(document, lambda: note_pages.changed_entry(made, say("note.added"), entries.redactions))


@command("note rename")
@name_argument
@click.argument("new_name", metavar="NEW")
def rename(desk: Desk, *, name: str, new_name: str) -> None:
    """Both names find the note."""
    made = desk.memory().entries.rename(name, new_name)
    desk.answer({"entry": made}, lambda: note_pages.changed_entry(made, say("note.renamed")))


@command("note alias")
@name_argument
@click.argument("alias")
@click.option("--off", is_flag=True, help="Remove the alias.")
def alias(desk: Desk, *, name: str, alias: str, off: bool) -> None:
    """No two entries share a name or an alias."""
    entries = desk.memory().entries
    made = entries.unalias(name, alias) if off else entries.alias(name, alias)
    done = say("note.unaliased", name=alias) if off else say("note.aliased", name=alias)
    desk.answer({"entry": made}, lambda: note_pages.changed_entry(made, done))


@command("note write", epilog="Example: remora note write deploy - < deploy.md")
@name_argument
@click.argument("text", nargs=-1)
def write(desk: Desk, *, name: str, text: tuple[str, ...]) -> None:
    """TEXT is the new text; "-" reads it from stdin."""
    entries = desk.memory().entries
    made = entries.write(name, desk.statement(text, "the text of the note"))
    document = {"entry": made, "redactions": entries.redactions}
    desk.answer(document, lambda: note_pages.changed_entry(made, say("note.written"), entries.redactions))


@command("note remove")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(desk: Desk, *, names: tuple[str, ...]) -> None:
    """Deletion is permanent; with an unknown name nothing is deleted."""
    entries = desk.memory().entries
    found = list({entries.show(name).id: name for name in names}.values())
    gone = [entries.remove(name) for name in found]
    desk.answer(
        {"entries": gone},
        lambda: tuple(p for e in gone for p in note_pages.changed_entry(e, say("note.removed"))),
    )


@command("note dump", epilog="Example: remora note dump ~/notes")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def dump(desk: Desk, *, folder: Path) -> None:
    """A later dump into the same FOLDER replaces the files; other folders with notes are left alone."""
    number = desk.memory(writes=False).entries.dump(folder)
    written = say("note.dumped", n=number, folder=folder)
    desk.answer({"entries": number}, lambda: note_pages.text(written))


@command("note load")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--yes", is_flag=True, help="Replace without asking.")
def load(desk: Desk, *, folder: Path, yes: bool) -> None:
    """Notes and archives that FOLDER does not have are gone afterwards."""
    entries = desk.memory().entries
    there = say("count.entry", n=len(entries.list()))
    if entries.list() and not yes:
        desk.ask(say("note.ask_load", what=there, folder=folder), say("note.waits", what=there))
    number = entries.load(folder)
    loaded = say("note.loaded", n=number, folder=folder)
    desk.answer({"entries": number}, lambda: note_pages.text(loaded))


@command("note search")
@click.argument("query", nargs=-1)
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Maximum number of results.")
@kind_option
def search(desk: Desk, *, query: tuple[str, ...], k: int, kind: str | None) -> None:
    """Searches by words, best match first; `remora search` also searches by meaning."""
    asked = desk.statement(query, "the question")
    found = desk.memory(writes=False).entries.search(asked, k, kind=kind)
    document = {"query": asked, "hits": [{"entry": e, "score": score} for e, score in found]}
    desk.answer(document, lambda: note_pages.found_entries(found, desk.clock.now()))
    if not found:
        desk.note(say("note.no_hit"))


@command("journal show")
@click.option("--block", is_flag=True, help="The whole `# Memory` block, with today's and recent notes.")
@click.option("--task", metavar="TEXT", help="With --block: include content relevant to a task.")
def journal_show(desk: Desk, *, block: bool = False, task: str | None = None) -> None:
    """MEMORY.md is a file that you may edit; `--json` gives its path."""
    journal = desk.memory(writes=False).journal
    text = journal.block(task) if block or task else journal.show()
    _text(desk, text, str(journal.folder / "MEMORY.md"), journal.problems)
    if not text:
        desk.note(say("memory_md.empty", path=journal.folder / "MEMORY.md"))
        others = [("today", journal.today()), ("history", journal.history(1))]
        if verbs := [f"`remora journal {verb}`" for verb, there in others if there]:
            desk.note(say("journal.see", verbs=say("and").join(verbs)))


@command(
    "journal add",
    epilog='Example: remora journal add "Moved the queue to Redis; the old one stays until May"',
)
@click.argument("text", nargs=-1)
def journal_add(desk: Desk, *, text: tuple[str, ...]) -> None:
    """TEXT becomes a history entry with the current time; "-" reads it from stdin."""
    journal = desk.memory().journal
    at = journal.add_history(desk.statement(text, "the text of the entry"))
    desk.answer(
        {"time": at, "problems": journal.problems}, lambda: note_pages.text(say("journal.added", at=at))
    )


@command("journal today")
@click.argument("day", required=False, metavar="[YYYY-MM-DD]")
def journal_today(desk: Desk, *, day: str | None) -> None:
    """One line per exchange: time, user message, answer."""
    journal = desk.memory(writes=False).journal
    wanted = _date(day) if day else None
    text = journal.day(wanted) if wanted else journal.today()
    _text(desk, text, str(journal.folder), journal.problems)
    if not text:
        days = journal.days()
        there = say("journal.days_with", days=", ".join(str(d) for d in days[-5:])) if days else ""
        none = say("journal.no_day") if wanted else say("journal.no_today")
        desk.note(none + there)


@command("journal history")
@click.option(
    "-n", "limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of results."
)
def journal_history(desk: Desk, *, limit: int) -> None:
    """Newest first; `remora search --kind history` searches the history."""
    journal = desk.memory(writes=False).journal
    found = journal.history(limit)
    document = {"entries": found, "problems": journal.problems}
    desk.answer(document, lambda: note_pages.history(found, desk.clock.now()))
    if not found:
        desk.note(say("journal.no_history"))


@command("journal consolidate")
@click.argument("session_id", required=False, metavar="[SESSION]")
def consolidate(desk: Desk, *, session_id: str | None) -> None:
    """SESSION is the id of a conversation; all with new messages by default.

    Without a language model the history gets an extract of the conversation, and MEMORY.md does not
    change.
    """
    done = desk.memory().journal.consolidate(session_id)
    desk.answer({"sessions": done}, lambda: note_pages.consolidated(done))
    for note in dict.fromkeys(n for one in done for n in one.notes):
        desk.remark(note)


@command("journal versions")
def versions(desk: Desk) -> None:
    """The last fifty versions are kept."""
    found = desk.memory(writes=False).journal.versions()
    desk.answer({"versions": found}, lambda: note_pages.versions(found, desk.clock.now()))
    if not found:
        desk.note(say("memory_md.unchanged"))


@command("journal restore")
@name_argument
def restore(desk: Desk, *, name: str) -> None:
    """NAME is one of `remora journal versions`; the current text is kept as a version."""
    changed = desk.memory().journal.restore(name)
    desk.answer({"restored": name, "changed": changed}, lambda: note_pages.restored(name, changed=changed))


def _text(desk: Desk, text: str, path: str, problems: tuple[str, ...]) -> None:
    desk.answer({"text": text, "path": path, "problems": problems}, lambda: note_pages.text(text))
    for problem in problems:
        desk.remark(problem)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is not a date", hint="Write it as 2026-01-31.") from None


COMMANDS = {
    "note": group("note", (listing, show, add, rename, alias, write, remove, dump, load, search)),
    "journal": group(
        "journal", (journal_show, journal_add, journal_today, journal_history, consolidate, versions, restore)
    ),
}
