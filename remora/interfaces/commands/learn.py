"""Verbs about agent sessions: learn, reflect, learned, checks, synthesize."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from remora.core.errors import InvalidInput
from remora.core.trust import MANY_WRONG
from remora.interfaces import learn_pages, memory_pages
from remora.interfaces.commands import review as reviewing
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.page import Para
from remora.interfaces.words import say, spoken

if TYPE_CHECKING:
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import SessionSummary


def _hosts(_context: object, _parameter: object, begun: str) -> list[str]:
    from remora.sources.transcripts.reader import HOSTS

    return [name for name in HOSTS if name.startswith(begun)]


@command("learn", epilog="Example: remora learn --dry-run")
@click.argument("path", required=False, type=click.Path(path_type=str))
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    shell_complete=_hosts,
    help="Only sessions of this coding agent; repeatable.",
)
@click.option("--claude", "hosts", flag_value="claude-code", multiple=True, hidden=True)
@click.option("--codex", "hosts", flag_value="codex", multiple=True, hidden=True)
@click.option("--again", is_flag=True, help="Include unchanged transcripts.")
@click.option("--dry-run", is_flag=True, help="Show the results without storing them.")
@click.option("--left-out", is_flag=True, help="List rejected candidates with reasons; --json always does.")
def learn(
    cli: CliContext, *, path: str | None, hosts: tuple[str, ...], again: bool, dry_run: bool, left_out: bool
) -> None:
    """PATH is a transcript or a folder of them; by default the sessions of this project on this machine.

    Running it again reads new and grown transcripts. Your edits stay, and forgotten memories stay forgotten.
    With --host entire it reads the team's sessions that the Entire CLI keeps in git.
    """
    memory = cli.memory()
    with cli.progress() as progress:
        report = memory.learn(path, hosts=hosts or None, again=again, dry_run=dry_run, progress=progress)
    page = learn_pages.left_out if left_out and report.left_out else learn_pages.report
    cli.answer(report, lambda: page(report))
    if left_out and not report.sessions and report.unchanged:
        cli.note(say("learn.rejected"))
    cli.remark(*report.notes)
    if not report.sessions and not report.unchanged:
        none = say("learn.none")
        cli.note(none if path is None else say("learn.none_in", path=path))


@command("reflect", epilog="Example: remora reflect | claude -p")
@click.argument("session_id", metavar="[SESSION]", required=False)
def reflect(cli: CliContext, *, session_id: str | None) -> None:
    """SESSION is a session id or its beginning; the most recent session by default.

    Prints the prompt of `learn.synthesis`: instructions and at most 4,000 tokens of evidence. With the skill
    `/remora:reflect` the agent reads it and records memories.
    """
    found = cli.memory(writes=False).reflect(session_id)
    shown = (Para(found.instructions), Para(""), *map(Para, found.evidence.splitlines()))
    cli.answer(found, shown if found.evidence else ())
    if not found.evidence and not cli.json:
        cli.note(say("reflect.none"))


@command("learned", epilog="Example: remora learned --review")
@click.option("--run", type=click.IntRange(1), metavar="N", help="The run; the last one by default.")
@click.option("--session", "session_id", metavar="ID", help="Only memories from this session, of any run.")
@click.option("--review", is_flag=True, help="Review one by one: keep, edit, drop or later.")
@click.option("--verify-all", is_flag=True, help="Verify all of them.")
@click.option(
    "--forget-all", is_flag=True, help="Forget the memories that the run added; restore brings them back."
)
def learned(
    cli: CliContext,
    *,
    run: int | None,
    session_id: str | None,
    review: bool,
    verify_all: bool,
    forget_all: bool,
) -> None:
    """Lists the memories that the sessions used and those learned from them, with the evidence.

    --review asks about unconfirmed memories; from trust level 3 on only about those that need review.
    `verify`, `edit` and `forget` take ids. `remora list --tag observed` lists the memories of all runs.
    """
    if verify_all + forget_all + review > 1:
        raise InvalidInput("--review, --verify-all and --forget-all exclude each other")
    if review and not cli.asks:
        raise InvalidInput("--review needs a terminal", hint="Use verify, edit and forget with ids.")
    memory = cli.memory(writes=verify_all or forget_all or review)
    found = memory.session_summary(run, session_id=session_id)
    if verify_all or forget_all:
        change, done = (
            (memory.verify, say("did.verified")) if verify_all else (memory.forget, say("chip.forgotten"))
        )
        meant = found.learned if verify_all else _added(found, session_id)
        records = [change(one.memory.id) for one in meant]
        cli.answer({"memories": records}, lambda: memory_pages.changed(records, done))
        if stay := len(found.learned) - len(meant):
            cli.note(say("learned.kept", n=stay))
    elif review:
        level = memory.trust().level
        due = reviewing.due(found.learned, level)
        if not due and found.learned:
            cli.note(spoken()("review.no_need"))
        reviewed = reviewing.review(memory, due, reviewing.asking(cli, level))
        cli.answer(reviewed, lambda: reviewing.page(reviewed))
    else:
        cli.answer(found, lambda: learn_pages.summary(found))
    if found.wrong >= MANY_WRONG and memory.trust().level > 1:
        cli.note(say("wrong.offer"))
    if not found.learned:
        gone = say("learned.gone", run=found.run)
        if session_id is not None:
            of_run = say("learned.in_run", run=run) if run else ""
            gone = say("learned.none_of", session=session_id, run=of_run)
            if not found.sessions:
                gone = say("learned.no_session", session=session_id)
        cli.note(gone if found.run else say("learned.none"))


def _added(found: SessionSummary, session_id: str | None) -> list[Learnt]:
    """Return the memories that only this run or session added and that nobody verified or pinned.

    Raises:
        InvalidInput: the session id is not complete.
    """
    fresh = [one for one in found.learned if not (one.memory.user_verified or one.memory.pinned)]
    if session_id is None:
        return [one for one in fresh if one.action in learn_pages.NEW]
    whole = {name for one in found.sessions for name in (one, one.partition(":")[2])}
    if session_id not in whole:
        raise InvalidInput("--forget-all needs a complete session id", hint=f"{', '.join(found.sessions)}")
    own = {session_id.rpartition(":")[2], None}
    return [
        one for one in fresh if own.issuperset((one.memory.session_id, *one.memory.provenance_session_ids))
    ]


@command("checks", epilog='Example: remora checks "fix the token refresh"')
@click.argument("task", nargs=-1)
@click.option("--file", "files", multiple=True, metavar="PATH", help="An edited file; repeatable.")
@click.option("-k", type=click.IntRange(1), default=5, show_default=True, help="Maximum number of commands.")
def checks(cli: CliContext, *, task: tuple[str, ...], files: tuple[str, ...], k: int) -> None:
    """TASK describes your work; commands of sessions with similar tasks rank higher."""
    memory = cli.memory(writes=False)
    given = [cli.repository_path(path) for path in files]
    found = memory.suggest_commands(k, task=" ".join(task), files=given)
    cli.answer({"commands": found}, lambda: learn_pages.checks(found))
    if found and not Path.cwd().samefile(memory.root):
        cli.note(say("checks.root", root=memory.root))
    if not found:
        cli.note(say("checks.none"))


@command("synthesize", epilog="Example: remora synthesize --dry-run")
@click.argument("module", required=False)
@click.option("--dry-run", is_flag=True, help="Show the proposals without storing them.")
def synthesize(cli: CliContext, *, module: str | None, dry_run: bool) -> None:
    """MODULE is a folder that sessions changed; by default those that are due. Proposals wait for review."""
    found = cli.memory().synthesize(module, dry_run=dry_run)
    cli.answer({"modules": found}, lambda: learn_pages.synthesized(found))
    if not found:
        cli.note(say("synthesis.none"))
