"""Verbs that share a memory with other machines and a team: share, team, sync, conflicts, dispute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remora.core.errors import InvalidInput
from remora.core.text import shorten
from remora.interfaces import memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.page import Cell, Item, Page, Para, fields, table
from remora.interfaces.present import age, short
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.sharing.sharing import Sharing, SharingStatus
    from remora.app.sharing.sync import Synced
    from remora.app.sharing.team import Comment, Contested, MemberInfo
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute

SHOWN = 20  # changes that wait or are ignored
ROLES = ("reader", "member", "steward", "admin")
WITH = ("project", "team", "organization", "personal")
_me = click.option("--me", metavar="NAME", default="", help="Your name; git's by default.")
_login = click.option("--login", metavar="LOGIN", default="", help="Their login in PostgreSQL.")
_manual = click.option("--one-by-one", is_flag=True, help="Share only what you name: `remora share add ID`.")
_address = click.option(
    "--address", metavar="ADDRESS", help="The address of the log for this machine, if it differs."
)


@command("share status", epilog="Example: remora share status --would-send")
@click.option("--would-send", is_flag=True, help="List the memories that the next exchange would send.")
def status(cli: CliContext, *, would_send: bool = False) -> None:
    """Shows the shared log, how long it has been offline, and the changes that wait."""
    memory = cli.memory(writes=False)
    found = memory.sharing.status()
    records = [memory.show(one) for one in found.leaving.memories] if would_send else []
    cli.answer(found, _status_page(found, cli.clock.now(), would_send=records))


@command("share init", "team create")
@click.argument("address", default="git")
@click.option("--name", metavar="NAME", default="", help="The project's name; its folder's by default.")
@_me
@_manual
def init(cli: CliContext, *, address: str, name: str, me: str, one_by_one: bool) -> None:
    """ADDRESS is `git` (the repository's own remote), `folder:PATH`, `postgresql://…` or `libsql://…`.

    Nothing is sent before `remora sync`.
    """
    found = cli.memory().sharing.init(address, name=name, me=me, automatic=not one_by_one)
    cli.answer(found, _status_page(found, cli.clock.now()))
    cli.note(say("share.look"))


@command("share join", "team join")
@click.argument("invitation")
@_address
@_manual
def join(cli: CliContext, *, invitation: str, address: str | None, one_by_one: bool) -> None:
    """INVITATION is the output of `remora share invite` or `remora team invite`."""
    memory = cli.memory()
    found = memory.sharing.join(invitation, address=address, automatic=not one_by_one)
    first = memory.sharing.onboarding()
    cli.answer(
        {**found._asdict(), "first": first},
        (
            *_status_page(found, cli.clock.now()),
            *((Para(say("share.first"), "strong"),) if first else ()),
            *memory_pages.memory_list(first, cli.clock.now()),
        ),
    )


@command("share leave", "team leave")
@click.option("--yes", is_flag=True, help="Do not ask.")
def leave(cli: CliContext, *, yes: bool) -> None:
    """Memories that others shared are removed from this machine; yours stay.

    The others keep the memories that you shared.
    """
    memory = cli.memory()
    if not yes:
        cli.ask(say("share.ask_leave"), say("share.waits_leave"))
    gone = memory.sharing.leave()
    cli.answer({"removed": gone}, (Para(say("share.left", n=gone)),))


@command("share add", epilog="Example: remora share 1a2b3c4d --with team")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=options.ids)
@click.option(
    "--with",
    "visibility",
    type=click.Choice(WITH),
    default="project",
    show_default=True,
    help="Who sees it; personal withdraws it.",
)
def add(cli: CliContext, *, ids: tuple[str, ...], visibility: str) -> None:
    """`remora share ID` does the same. The next exchange sends it."""
    records = cli.memory().sharing.share(ids, visibility)
    said = say("share.taken_back") if visibility == "personal" else say("share.with", whom=visibility)
    cli.answer({"memories": records}, memory_pages.changed(records, said))


@command("share invite")
def invite_machine(cli: CliContext) -> None:
    """Prints an invitation for another machine of yours. It works once; send it over a channel you trust."""
    _invited(cli, cli.memory().sharing.invite())


@command("team invite", epilog="Example: remora team invite Ben --role steward")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="member", show_default=True, help="Their rights.")
@_login
def invite(cli: CliContext, *, name: str, role: str, login: str) -> None:
    """Prints an invitation for a colleague. It works once; send it over a channel you trust."""
    _invited(cli, cli.memory().sharing.invite(name, role=role, login=login))


def _invited(cli: CliContext, code: str) -> None:
    cli.answer({"invitation": code}, (Para(f"remora share join {code}"),))
    problem = cli.memory().sharing.status().problem
    if problem:
        cli.remark(say("share.later", problem=problem))


@command("team members")
def members(cli: CliContext) -> None:
    """Lists the members with their roles and machines."""
    found = cli.memory(writes=False).sharing.members()
    cli.answer({"members": found}, _members_page(found))


@command("team role", epilog="Example: remora team role Ben steward")
@click.argument("member")
@click.argument("role", type=click.Choice((*ROLES, "removed")))
@_login
def role(cli: CliContext, *, member: str, role: str, login: str) -> None:
    """MEMBER is a name or an id. Earlier changes of a removed member stay; later ones are refused."""
    found = cli.memory().sharing.set_role(member, role, login=login)
    cli.answer(found, _members_page([found]))


@command("sync")
@click.option("--yes", is_flag=True, help="Send without asking, also the first time.")
def sync(cli: CliContext, *, yes: bool) -> None:
    """Sends the changes of this machine and receives those of others.

    After the first exchange, sessions do so, too.
    """
    memory = cli.memory()
    before = memory.sharing.status()
    if before.address and not before.shared and before.leaving.entries and not yes:
        what = say("count.memory", n=len(before.leaving.memories))
        cli.ask(say("sync.ask", what=what, address=before.address), say("sync.waits", what=what))
    done = memory.sharing.sync()
    cli.answer(done, _synced_page(done))


@command("conflicts", epilog="Example: remora conflicts 1a2b3c4d --keep both")
@click.argument("memory_id", metavar="[ID]", required=False, shell_complete=options.ids)
@click.option("--keep", metavar="WHICH", help="mine, theirs, both, or the id of a revision.")
@click.option("--text", metavar="TEXT", help="A new text that replaces all others.")
def conflicts(cli: CliContext, *, memory_id: str | None, keep: str | None, text: str | None) -> None:
    """Lists memories that two people changed at the same time, with both texts; with ID, resolves one."""
    memory = cli.memory(writes=memory_id is not None)
    if memory_id is None:
        found = memory.sharing.conflicts()
        cli.answer({"conflicts": found}, _conflicts_page(found, cli.clock.now()))
        return
    if (keep is None) == (text is None):
        raise InvalidInput(
            "no text was chosen", hint="Give --keep mine|theirs|both|REVISION, or --text TEXT."
        )
    record = memory.sharing.decide(memory_id, keep or text or "", named=keep is not None)
    cli.answer({"memory": record}, memory_pages.changed([record], say("did.decided")))


@command("dispute", epilog='Example: remora dispute 1a2b3c4d "the gateway takes RS256 since May"')
@click.argument("memory_id", metavar="[ID]", required=False, shell_complete=options.ids)
@click.argument("words", metavar="[TEXT]...", nargs=-1)
@click.option("--uphold", is_flag=True, help="Decide that the memory is correct; for stewards.")
def dispute(cli: CliContext, *, memory_id: str | None, words: tuple[str, ...], uphold: bool) -> None:
    """Disputes a shared memory, or comments on its dispute; without TEXT, shows the dispute."""
    memory = cli.memory(writes=bool(words) or uphold)
    now = cli.clock.now()
    if memory_id is None:
        found = memory.sharing.disputes()
        records = [memory.show(one.memory_id) for one in found]
        cli.answer({"disputes": found}, _disputes_page(found, records, now))
        return
    record = memory.show(memory_id)
    if words or uphold:
        speak(memory.sharing, record.id, cli.statement(words, "TEXT"), uphold=uphold)
    said = memory.sharing.thread(record.id)
    cli.answer({"memory": record, "thread": said}, _thread_page(record, said, now))


def speak(sharing: Sharing, memory_id: str, text: str, *, uphold: bool) -> None:
    """Uphold a memory, comment on its dispute if there is one, or else dispute it."""
    if uphold:
        sharing.uphold(memory_id, text)
    elif memory_id in {one.memory_id for one in sharing.disputes()}:
        sharing.comment(memory_id, text)
    else:
        sharing.dispute(memory_id, text)


# Pages


def _status_page(found: SharingStatus, now: float, *, would_send: Sequence[MemoryRecord] = ()) -> Page:
    if not found.address:
        yield Para(say("share.alone"))
        return
    who = f"{found.me}, {spoken().known(f'role.{found.role}')}" if found.me else say("team.unknown")
    offline = say("share.offline", age=age(found.since, now), why=in_words(found.problem))
    rows = [
        ("address", found.address),
        ("project", found.project),
        ("you", who),
        ("learned memories", say("share.automatic") if found.automatic else say("share.one_by_one")),
        ("shared", say("count.memory", n=found.shared)),
        ("last exchange", age(found.at, now) if found.at else say("share.never")),
        ("to send", say("count.change", n=found.leaving.entries)),
        ("offline", offline if found.problem else ""),
        ("conflicts", say("share.conflicts", number=found.conflicts) if found.conflicts else ""),
        ("disputes", say("share.disputes", number=found.disputes) if found.disputes else ""),
    ]
    yield fields(rows)
    if would_send:
        yield Para(say("share.would_send"), "strong")
        yield from (Item(short(record.id), (Cell(record.type),), record.content) for record in would_send)
    if found.leaving.waiting:
        yield Para(say("share.stays"), "strong")
        waiting = sorted(found.leaving.waiting.items())
        yield from (Item(short(memory_id), (), in_words(why)) for memory_id, why in waiting[:SHOWN])
    if found.ignored:
        yield Para(say("share.ignored"), "strong")
        yield from (
            Item(
                short(one.memory_id) if one.memory_id else say("share.membership"),
                (Cell(say("share.by", who=one.by)),),
                in_words(one.reason),
            )
            for one in found.ignored[:SHOWN]
        )


def _synced_page(done: Synced) -> Page:
    said = say("sync.done", n=done.sent, received=done.received)
    if done.conflicts:
        said += say("sync.conflicts", n=done.conflicts)
    yield Para(said)
    if done.renewed:
        yield Para(say("sync.renewed"))
    if done.waiting:
        yield Para(say("sync.waiting", n=len(done.waiting)))
    ignored = done.refused + done.held + done.unknown
    if ignored:
        yield Para(say("sync.ignored", n=ignored))


def _members_page(found: Sequence[MemberInfo]) -> Page:
    rows = (
        (
            one.name + (f" ({say('team.you')})" if one.me else ""),
            one.role,
            f"{one.machines:,}",
            Cell(one.id, "id"),
        )
        for one in found
    )
    return table("members", rows, wide=0)


def _conflicts_page(found: Sequence[Contested], now: float) -> Page:
    if not found:
        yield Para(say("share.no_conflicts"))
        return
    for one in found:
        yield Para(f"{short(one.memory.id)}  {one.memory.type}", "strong")
        for version in one.versions:
            facts = (Cell(say("share.by", who=version.by)), Cell(age(version.at, now), "dim"))
            yield Item(version.revision, facts, version.content or say("share.retired"))
    yield Para(say("share.decide"))


def _disputes_page(found: Sequence[Dispute], records: Sequence[MemoryRecord], now: float) -> Page:
    rows = (
        (Cell(short(record.id), "id"), one.opened_by, age(one.opened_at, now), shorten(record.content, 80))
        for one, record in zip(found, records, strict=True)
    )
    return table("disputes", rows, wide=3) or (Para(say("share.no_disputes")),)


def _thread_page(record: MemoryRecord, found: Sequence[Comment], now: float) -> Page:
    items = [
        Item(one.by, (Cell(say(f"share.says.{one.op}")), Cell(age(one.at, now), "dim")), one.text)
        for one in found
    ]
    return (Para(f"{short(record.id)}  {record.content}", "strong"), *items)
