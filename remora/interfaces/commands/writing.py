"""note, journal: the verbs about what is written down under names and in files."""

from __future__ import annotations

from datetime import date

import click

from remora.core.errors import InvalidInput
from remora.core.values import ENTRY_KINDS
from remora.interfaces import note_pages
from remora.interfaces.commands.desk import Desk, command, group

name_argument = click.argument("name", metavar="NAME")
kind_option = click.option(
    "--kind", type=click.Choice(ENTRY_KINDS), help="Only notes, or only archives of conversations."
)


@command("note list")
@kind_option
def listing(desk: Desk, *, kind: str | None = None) -> None:
    """Notes are what somebody wrote; archives are the summaries of compacted conversations."""
    found = desk.memory(writes=False).entries.list(kind)
    desk.answer({"entries": found}, lambda: note_pages.entries(found, desk.clock.now()))
    if not found:
        desk.note('Nothing yet. `remora note add deploy "never on Fridays"` adds a note.')


@command("note show")
@name_argument
def show(desk: Desk, *, name: str) -> None:
    """NAME is the note's name or one of its aliases."""
    found = desk.memory(writes=False).entries.show(name)
    desk.answer(found, lambda: note_pages.entry(found, desk.clock.now()))


@command("note add", epilog='Example: remora note add deploy "never on Fridays" --alias release')
@name_argument
@click.argument("text", nargs=-1)
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name; may be repeated.")
def add(desk: Desk, *, name: str, text: tuple[str, ...], aliases: tuple[str, ...]) -> None:
    """TEXT is what the note says; "-" reads it from stdin. Secrets are taken out before it is stored."""
    entries = desk.memory().entries
    made = entries.add(name, desk.statement(text, "the text of the note"), aliases=aliases)
    document = {"entry": made, "redactions": entries.redactions}
    desk.answer(document, lambda: note_pages.changed_entry(made, "added", entries.redactions))


@command("note rename")
@name_argument
@click.argument("new_name", metavar="NEW")
def rename(desk: Desk, *, name: str, new_name: str) -> None:
    """The old name still finds it."""
    made = desk.memory().entries.rename(name, new_name)
    desk.answer({"entry": made}, lambda: note_pages.changed_entry(made, "renamed"))


@command("note alias")
@name_argument
@click.argument("alias")
@click.option("--off", is_flag=True, help="Free the alias again.")
def alias(desk: Desk, *, name: str, alias: str, off: bool) -> None:
    """ALIAS then finds the note, too; no two entries share a name."""
    entries = desk.memory().entries
    made = entries.unalias(name, alias) if off else entries.alias(name, alias)
    done = f"no longer called {alias}" if off else f"also called {alias}"
    desk.answer({"entry": made}, lambda: note_pages.changed_entry(made, done))


@command("note write", epilog="Example: remora note write deploy - < deploy.md")
@name_argument
@click.argument("text", nargs=-1)
def write(desk: Desk, *, name: str, text: tuple[str, ...]) -> None:
    """TEXT takes the place of what the note says; "-" reads it from stdin."""
    entries = desk.memory().entries
    made = entries.write(name, desk.statement(text, "the text of the note"))
    document = {"entry": made, "redactions": entries.redactions}
    desk.answer(document, lambda: note_pages.changed_entry(made, "written", entries.redactions))


@command("note remove")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(desk: Desk, *, names: tuple[str, ...]) -> None:
    """What is removed is gone for good; an unknown name stops before the first is removed."""
    entries = desk.memory().entries
    found = list({entries.show(name).id: name for name in names}.values())
    gone = [entries.remove(name) for name in found]
    desk.answer(
        {"entries": gone}, lambda: tuple(p for e in gone for p in note_pages.changed_entry(e, "removed"))
    )


@command("note search")
@click.argument("query", nargs=-1)
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@kind_option
def search(desk: Desk, *, query: tuple[str, ...], k: int, kind: str | None) -> None:
    """Looks for words, best first; `remora search` finds notes by meaning and among everything else."""
    asked = desk.statement(query, "the question")
    found = desk.memory(writes=False).entries.search(asked, k, kind=kind)
    document = {"query": asked, "hits": [{"entry": e, "score": score} for e, score in found]}
    desk.answer(document, lambda: note_pages.found_entries(found, desk.clock.now()))
    if not found:
        desk.note("No note or archive has these words; `remora search` looks for the meaning, too.")


@command("journal show")
@click.option("--block", is_flag=True, help="The whole `# Memory` block, with today's and recent notes.")
@click.option("--task", metavar="TEXT", help="With --block: also what is relevant for a task.")
def journal_show(desk: Desk, *, block: bool = False, task: str | None = None) -> None:
    """MEMORY.md is a file of its own that you may edit; `--json` tells where it lies."""
    journal = desk.memory(writes=False).journal
    text = journal.block(task) if block or task else journal.show()
    _text(desk, text, str(journal.folder / "MEMORY.md"), journal.problems)
    if not text:
        desk.note(f"MEMORY.md is empty. Write it yourself: {journal.folder / 'MEMORY.md'}")
        others = [("today", journal.today()), ("history", journal.history(1))]
        if verbs := [f"`remora journal {verb}`" for verb, there in others if there]:
            desk.note(f"What is there is shown by {' and '.join(verbs)}.")


@command(
    "journal add",
    epilog='Example: remora journal add "Moved the queue to Redis; the old one stays until May"',
)
@click.argument("text", nargs=-1)
def journal_add(desk: Desk, *, text: tuple[str, ...]) -> None:
    """TEXT becomes an entry of the history, under the present time; "-" reads it from stdin."""
    journal = desk.memory().journal
    at = journal.add_history(desk.statement(text, "the text of the entry"))
    desk.answer(
        {"time": at, "problems": journal.problems}, lambda: note_pages.text(f"{at}  added to the history")
    )


@command("journal today")
@click.argument("day", required=False, metavar="[YYYY-MM-DD]")
def journal_today(desk: Desk, *, day: str | None) -> None:
    """One line an exchange: when, what the user said, what the answer was."""
    journal = desk.memory(writes=False).journal
    wanted = _date(day) if day else None
    text = journal.day(wanted) if wanted else journal.today()
    _text(desk, text, str(journal.folder), journal.problems)
    if not text:
        days = journal.days()
        there = f" Notes are there for {', '.join(str(d) for d in days[-5:])}." if days else ""
        desk.note(f"No notes for that day.{there}" if wanted else f"No notes today.{there}")


@command("journal history")
@click.option("-n", "limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
def journal_history(desk: Desk, *, limit: int) -> None:
    """Newest first; `remora search --kind history` looks for something."""
    journal = desk.memory(writes=False).journal
    found = journal.history(limit)
    document = {"entries": found, "problems": journal.problems}
    desk.answer(document, lambda: note_pages.history(found, desk.clock.now()))
    if not found:
        desk.note("No history yet. `remora journal consolidate` makes it from conversations.")


@command("journal consolidate")
@click.argument("session_id", required=False, metavar="[SESSION]")
def consolidate(desk: Desk, *, session_id: str | None) -> None:
    """SESSION is the id of one conversation; all that said something new by default.

    Without a language model the history gets an extract of the conversation's own words, and MEMORY.md
    stays as it is.
    """
    done = desk.memory().journal.consolidate(session_id)
    desk.answer({"sessions": done}, lambda: note_pages.consolidated(done))
    for note in dict.fromkeys(n for one in done for n in one.notes):
        desk.note(f"note: {note}")


@command("journal versions")
def versions(desk: Desk) -> None:
    """The text before each change is kept, fifty of them."""
    found = desk.memory(writes=False).journal.versions()
    desk.answer({"versions": found}, lambda: note_pages.versions(found, desk.clock.now()))
    if not found:
        desk.note("MEMORY.md was never changed by Remora.")


@command("journal restore")
@name_argument
def restore(desk: Desk, *, name: str) -> None:
    """NAME is one of `remora journal versions`; today's text is kept as a version."""
    changed = desk.memory().journal.restore(name)
    desk.answer({"restored": name, "changed": changed}, lambda: note_pages.restored(name, changed=changed))


def _text(desk: Desk, text: str, path: str, problems: tuple[str, ...]) -> None:
    desk.answer({"text": text, "path": path, "problems": problems}, lambda: note_pages.text(text))
    for problem in problems:
        desk.note(f"note: {problem}")


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is no day", hint="Write it as 2026-01-31.") from None


COMMANDS = {
    "note": group("note", (listing, show, add, rename, alias, write, remove, search)),
    "journal": group(
        "journal", (journal_show, journal_add, journal_today, journal_history, consolidate, versions, restore)
    ),
}
