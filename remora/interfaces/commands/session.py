"""Verb `session` with its subcommands about conversations."""

from __future__ import annotations

from typing import Any

import click

from remora.conversation.cut import clamped
from remora.core.errors import NotFound
from remora.interfaces import memory_pages, note_pages, project_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.commands.search import around_option, role_option, since_option, until_option
from remora.interfaces.words import say

id_argument = click.argument("session_id", metavar="ID")
SHOWN = 50  # sessions in a list


@command("session list")
@options.number("--limit", default=SHOWN, text="Maximum number of conversations.")
def listing(cli: CliContext, *, limit: int = SHOWN) -> None:
    """An id has the form `channel:chat`; counts include compacted messages."""
    found = cli.memory(writes=False).sessions()
    cli.answer({"sessions": found[:limit]}, note_pages.sessions(found[:limit], cli.clock.now()))
    if not found:
        cli.note(say("session.none"))
    elif len(found) > limit:
        cli.note(say("session.more", n=len(found) - limit))


@command("session show", epilog="Example: remora session show cli:42 --all")
@id_argument
@click.option("--all", "everything", is_flag=True, help="All messages, not only the working context.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the last N messages.")
def show(cli: CliContext, *, session_id: str, everything: bool, last: int | None) -> None:
    """Shows the working context: the summary, if any, and later messages."""
    _must_be_there(cli, session_id)
    session = cli.memory(writes=False).session(session_id)
    said = session.history() if everything else session.messages()
    shown = said[-last:] if last else said
    standing, problems = session.standing(), session.problems()
    document = {
        "session": session_id,
        "metadata": session.metadata,
        "messages": shown,
        "standing": standing,
        "problems": problems,
    }
    cli.answer(document, note_pages.messages(shown))
    if problems:
        first = {"line": str(problems[0].line), "why": problems[0].reason}
        cli.remark(say("session.damaged", n=len(problems), **first))
    if not everything:
        more = len(session.history()) - len([m for m in said if m.seq])
        earlier = say("session.earlier", n=more) if more else ""
        kept = cli.memory(writes=False).settings.compaction.overhead_tokens
        size = {"tokens": standing.tokens - kept, "kept": kept, "limit": standing.limit}
        cli.note(say("session.size", earlier=earlier, **size))


@command("session append", epilog='Example: remora session append cli:42 --role user "where are tokens set?"')
@id_argument
@click.argument("text", nargs=-1)
@click.option("--role", required=True, metavar="ROLE", help="The speaker: user, assistant or any name.")
def append(cli: CliContext, *, session_id: str, text: tuple[str, ...], role: str) -> None:
    """TEXT is the message; "-" reads it from stdin. Secrets are removed before storing."""
    said = cli.statement(text, "the message")
    session = cli.memory().session(session_id)
    message = session.append(role, said)
    document = {"message": message, "redactions": session.redactions}
    cli.answer(document, note_pages.appended(session_id, message, session.redactions))


@command("session compact", epilog="Example: remora session compact cli:42 10")
@id_argument
@click.argument("keep", type=int, required=False)
def compact(cli: CliContext, *, session_id: str, keep: int | None) -> None:
    """KEEP is the number of messages to keep, 1 to 100; compaction.keep_last by default.

    The summary is also stored as an archive (`remora note show`), and the older messages go into the
    journal. Nothing is deleted: `remora session show ID --all` shows all messages.
    """
    _must_be_there(cli, session_id)
    done = cli.memory().session(session_id).compact(None if keep is None else clamped(keep))
    cli.answer(done, note_pages.compacted(done))
    cli.remark(*done.notes, *(done.consolidation.notes if done.consolidation else ()))


@command("session new")
@id_argument
def new(cli: CliContext, *, session_id: str) -> None:
    """New messages go into the journal, and the working context becomes empty.

    Nothing is deleted: `remora session show ID --all` shows all messages.
    """
    _must_be_there(cli, session_id)
    done = cli.memory().session(session_id).new()
    cli.answer(done, note_pages.consolidated([done], cleared=True))
    cli.remark(*done.notes)


@command("session delete", epilog="Example: remora session delete cli:42 --yes")
@id_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(cli: CliContext, *, session_id: str, yes: bool) -> None:
    """Erases its log, its search entries, and the memories that were learned from it alone."""
    if not yes:
        cli.ask(say("erase.ask", what=session_id), say("erase.waits", what=session_id))
    done = cli.memory().erase(session=session_id)
    cli.answer(done, project_pages.erased(done, say("place.session", id=session_id)))


@command("session search", epilog='Example: remora session search "which cache did we choose"')
@click.argument("query", nargs=-1)
@click.option("--session", metavar="ID", help="Only in this conversation.")
@since_option
@until_option
@role_option
@around_option
@options.number("-k", default=8, text="Maximum number of hits.")
@click.option("--why", is_flag=True, help="Explain the rank of each hit.")
def search(
    cli: CliContext,
    *,
    query: tuple[str, ...],
    session: str | None,
    around: bool,
    why: bool,
    **given: Any,
) -> None:
    """QUERY is a question or keywords; archives are searched too."""
    asked = cli.statement(query, "the question")
    memory = cli.memory(writes=False)
    kinds = ["turn"] if session else ["turn", "archive"]
    found = memory.search(asked, kinds=kinds, session=session, **given)
    cli.answer(
        {"query": asked, "hits": found, "notes": memory.notes},
        memory_pages.hits(found, cli.clock.now(), why=why, around=around),
    )
    cli.tell(memory.notes)
    if not found:
        cli.note(say("session.no_hit"))


def _must_be_there(cli: CliContext, session_id: str) -> None:
    if not any(info.id == session_id for info in cli.memory(writes=False).sessions()):
        raise NotFound(f"there is no session {session_id!r}", hint="`remora session list` shows the ids.")
