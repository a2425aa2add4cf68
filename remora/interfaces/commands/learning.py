"""learn, learned, checks: the verbs about what agents did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from remora.core.errors import InvalidInput
from remora.interfaces import learn_pages, pages, plan_pages
from remora.interfaces.commands import reviewing
from remora.interfaces.commands.desk import Desk, command
from remora.interfaces.page import Para

if TYPE_CHECKING:
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import SessionSummary


@command("learn", epilog="Example: remora learn --dry-run")
@click.argument("path", required=False, type=click.Path(path_type=str))
@click.option("--claude", is_flag=True, help="Only sessions of Claude Code.")
@click.option("--codex", is_flag=True, help="Only sessions of Codex.")
@click.option("--again", is_flag=True, help="Also read what was read before and has not changed.")
@click.option("--dry-run", is_flag=True, help="Only say what would be learnt.")
@click.option(
    "--left-out", is_flag=True, help="List all that was left out, with the reason; --json always does."
)
def learn(
    desk: Desk, *, path: str | None, claude: bool, codex: bool, again: bool, dry_run: bool, left_out: bool
) -> None:
    """PATH is a transcript or a folder of them; by default the sessions of this project on this machine.

    Running it again reads what is new or has grown. What you edited or forgot since stays so.
    """
    hosts = [name for name, wanted in (("claude-code", claude), ("codex", codex)) if wanted]
    memory = desk.memory()
    with desk.progress() as progress:
        report = memory.learn(path, hosts=hosts or None, again=again, dry_run=dry_run, progress=progress)
    page = learn_pages.left_out if left_out and report.left_out else learn_pages.report
    desk.answer(report, lambda: page(report))
    if left_out and not report.sessions and report.unchanged:
        desk.note("What was left out of sessions that were read before: add --again --dry-run.")
    for note in report.notes:
        desk.note(f"note: {note}")
    if not report.sessions and not report.unchanged:
        none = "No session of an agent was found for this project. Name a file or a folder to read."
        desk.note(none if path is None else f"No session of an agent was found in {path}.")


@command("reflect", epilog="Example: remora reflect | claude -p")
@click.argument("session_id", metavar="[SESSION]", required=False)
def reflect(desk: Desk, *, session_id: str | None) -> None:
    """SESSION is the id of a session, or its beginning; the one that was written to last by default.

    What is printed is the prompt of `learn.synthesis`: what is worth a memory, and at most 4,000 tokens of
    evidence. The skill `/remora:reflect` has the model at work read it and record what it finds.
    """
    found = desk.memory(writes=False).reflect(session_id)
    shown = (Para(found.instructions), Para(""), *map(Para, found.evidence.splitlines()))
    desk.answer(found, shown if found.evidence else ())
    if not found.evidence and not desk.json:
        desk.note("No session of an agent was found for this project.")


@command("learned", epilog="Example: remora learned --review")
@click.option("--run", type=click.IntRange(1), metavar="N", help="Of this run, the last one by default.")
@click.option("--session", "session_id", metavar="ID", help="What came of this session, in any run.")
@click.option("--review", is_flag=True, help="Go through them one by one: keep, edit, drop, or later.")
@click.option("--verify-all", is_flag=True, help="Say that you looked at all of them and they are right.")
@click.option("--forget-all", is_flag=True, help="Drop what it added; restore brings it back.")
def learned(
    desk: Desk, *, run: int | None, session_id: str | None, review: bool, verify_all: bool, forget_all: bool
) -> None:
    """What the sessions had from memory, and what was learnt from them, each with the evidence.

    `verify`, `edit` and `forget` take the ids one by one. `remora list --tag observed` has those of all runs.
    """
    if verify_all + forget_all + review > 1:
        raise InvalidInput("--review, --verify-all and --forget-all exclude each other")
    if review and (desk.json or not reviewing.somebody()):
        raise InvalidInput(
            "--review asks one by one, which needs a terminal", hint="Use verify, edit and forget with ids."
        )
    memory = desk.memory(writes=verify_all or forget_all or review)
    found = memory.session_summary(run, session_id=session_id)
    if verify_all or forget_all:
        change, done = (memory.verify, "verified") if verify_all else (memory.forget, "forgotten")
        meant = found.learned if verify_all else _added(found, session_id)
        records = [change(one.memory.id) for one in meant]
        desk.answer({"memories": records}, lambda: pages.changed(records, done))
        if stay := len(found.learned) - len(meant):
            what = "memory stays that was" if stay == 1 else "memories stay that were"
            desk.note(f"{stay:,} {what} there before, confirmed or seen elsewhere; `forget` takes their ids.")
    elif review:
        reviewed = reviewing.review(memory, found.learned, reviewing.asking(desk))
        desk.answer(reviewed, lambda: reviewing.page(reviewed))
    else:
        desk.answer(found, lambda: plan_pages.summary(found))
    if not found.learned:
        gone = f"What run {found.run} learnt is no longer there."
        if session_id is not None:
            of_run = f" in run {run}" if run else ""
            gone = f"Nothing was learnt from session {session_id}{of_run}."
            if not found.sessions:
                gone = f"No session whose id begins with {session_id} was learnt."
        desk.note(
            gone if found.run else "Nothing was learnt yet. `remora learn` reads the sessions of agents."
        )


def _added(found: SessionSummary, session_id: str | None) -> list[Learnt]:
    """Return what a run, or a session, added alone and nobody has confirmed since."""
    fresh = [one for one in found.learned if not (one.memory.user_verified or one.memory.pinned)]
    if session_id is None:
        return [one for one in fresh if one.action in learn_pages.NEW]
    whole = {name for one in found.sessions for name in (one, one.partition(":")[2])}
    if session_id not in whole:
        raise InvalidInput(
            "--forget-all needs the whole id of a session", hint=f"{', '.join(found.sessions)}"
        )
    own = {session_id.rpartition(":")[2], None}
    return [
        one for one in fresh if own.issuperset((one.memory.session_id, *one.memory.provenance_session_ids))
    ]


@command("checks", epilog='Example: remora checks "fix the token refresh"')
@click.argument("task", nargs=-1)
@click.option("--file", "files", multiple=True, metavar="PATH", help="What was edited; may be repeated.")
@click.option("-k", type=click.IntRange(1), default=5, show_default=True, help="How many.")
def checks(desk: Desk, *, task: tuple[str, ...], files: tuple[str, ...], k: int) -> None:
    """TASK is what you work on; sessions that were asked for something alike count more."""
    memory = desk.memory(writes=False)
    given = [desk.repository_path(path) for path in files]
    found = memory.suggest_commands(k, task=" ".join(task), files=given)
    desk.answer({"commands": found}, lambda: learn_pages.checks(found))
    if found and not Path.cwd().samefile(memory.root):
        desk.note(f"To be run from {memory.root}.")
    if not found:
        desk.note(
            "No file of the project names a check, and no session that was learnt ran one. "
            "`remora learn` reads the sessions of agents."
        )


COMMANDS = {"learn": learn, "reflect": reflect, "learned": learned, "checks": checks}
