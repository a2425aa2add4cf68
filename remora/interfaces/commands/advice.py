"""Verbs about injections: log, why, status, preview, trial, statusline, off, on, hook."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from remora.app.project.locate import data_dir
from remora.core.errors import InvalidInput
from remora.interfaces import memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.install.health import looked_at, silent
from remora.interfaces.page import Para
from remora.interfaces.words import say

FOLLOWED_EVERY = 1.0  # seconds


@command("log", epilog="Example: remora log -k 5")
@options.number("-k", default=20, text="Maximum number of entries.")
@click.option("--session", "session_id", metavar="ID", help="Only from this session.")
@click.option("--maintenance", is_flag=True, help="List the daily maintenance runs instead.")
@click.option("--follow", is_flag=True, help="Print new entries until Ctrl-C.")
def log(cli: CliContext, *, k: int, session_id: str | None, maintenance: bool, follow: bool) -> None:
    """Lists texts given to agents, newest first: time, event, reason, text and the agent's next action."""
    if maintenance:
        runs = cli.memory(writes=False).maintenance()[:k]
        cli.answer({"maintenance": runs}, memory_pages.maintenance(runs, cli.clock.now()))
        if not runs:
            cli.note(say("log.no_maintenance"))
        return
    found = cli.memory(writes=False).log(k, session_id=session_id)
    cli.answer({"said": found}, memory_pages.log(found))
    if not found and not follow:
        cli.note(say("log.none"))
    known = set(found)
    while follow:
        time.sleep(FOLLOWED_EVERY)
        fresh = [one for one in cli.memory(writes=False).log(k, session_id=session_id) if one not in known]
        known.update(fresh)
        if fresh:
            told = fresh[::-1]
            cli.answer({"said": told}, memory_pages.log(told))


@command("why", epilog="Example: remora why 1a2b3c4d")
@click.argument("memory_id", metavar="ID", shell_complete=options.ids)
def why(cli: CliContext, *, memory_id: str) -> None:
    """Shows the origins, trust and triggers of memory ID, and when agents got it."""
    found = cli.memory(writes=False).why(memory_id)
    cli.answer(found, memory_pages.why(found, cli.clock.now()))


@command("status")
def status(cli: CliContext) -> None:
    """Shows counts, sessions that are not learned yet, and the brief for a new session."""
    found = cli.memory(writes=False).status()
    data = data_dir(os.environ)
    broken = [one for one in looked_at(data, os.environ) if one.level == "warning"]
    broken += silent(Path(found.root), data, os.environ)
    cli.answer(found, memory_pages.status(found))
    cli.tell((*found.notes, *(f"{one.detail}. {one.advice}" for one in broken)))


session_option = click.option(
    "--session",
    metavar="ID",
    is_flag=False,
    flag_value="",
    help="Only this session; without ID, the active one.",
)


@command("off", epilog="Example: remora off --session")
@session_option
def off(cli: CliContext, *, session: str | None) -> None:
    """Stops injection, recording and learning, in this project or in one session.

    Messages sent while Remora is off are never learned, not even later. Memories stay.
    """
    done = cli.memory().turn_off(session)
    since = done[:16].replace("T", " ")
    told = say("off.project", since=since) if session is None else say("off.session", name=done)
    cli.answer({"off": done}, (Para(told),))


@command("on", epilog="Example: remora on")
@session_option
def on(cli: CliContext, *, session: str | None) -> None:
    """Ends `remora off`."""
    done = cli.memory().turn_on(session)
    cli.answer({"on": done}, (Para(say("on.project") if session is None else say("on.session", name=done)),))


@command("trial", epilog="Example: remora trial")
@click.option("--apply", is_flag=True, help="Apply the proposed phase weights.")
@click.option("--undo", is_flag=True, help="Undo the last --apply.")
def trial(cli: CliContext, *, apply: bool, undo: bool) -> None:
    """Compares moments at which advice was given with moments at which it was held back.

    Advice is held back at random at one moment in ten; `trial.share` sets the share, 0 turns it off.
    """
    if apply and undo:
        raise InvalidInput("--apply and --undo exclude each other")
    if apply:
        changed = cli.memory().apply_trial()
        cli.answer({"applied": changed}, memory_pages.proposals(changed))
        return
    if undo:
        left = cli.memory().undo_trial()
        cli.answer({"versions": left}, (Para(say("trial.undone", n=left)),))
        return
    found = cli.memory(writes=False).trial()
    cli.answer(found, memory_pages.trial(found))


@command("statusline")
def statusline(cli: CliContext) -> None:
    """Reads the status line input of Claude Code from stdin; docs/install.md has the setting."""
    from remora.interfaces.hooks.statusline import answer

    text = answer(b"" if sys.stdin.isatty() else sys.stdin.buffer.read(), os.environ)
    cli.answer({"line": text}, (Para(text),))


@command("hook")
@click.option("--host", metavar="NAME", help="The coding agent that sends the event.")
def hook(cli: CliContext, *, host: str | None) -> None:  # noqa: ARG001  `entry` handles hooks before this runs
    """Reads the event from stdin; `remora install` configures the hooks."""
    from remora.interfaces.hooks.main import main

    main(["--host", host] if host else [])


@command("preview", epilog='Example: remora preview --run "git push --force"')
@click.option("--edit", metavar="PATH", help="A file that the agent edits.")
@click.option("--run", metavar="COMMAND", help="A command that the agent runs.")
@click.option("--ask", metavar="TEXT", help="The first prompt of the session.")
def preview(cli: CliContext, *, edit: str | None, run: str | None, ask: str | None) -> None:
    """Nothing is sent or counted.

    With --edit it also lists the memories that would not be injected, with reasons.
    """
    given = [(at, about) for at, about in (("edit", edit), ("run", run), ("ask", ask)) if about]
    if len(given) != 1:
        raise InvalidInput("name one event", hint="Give --edit PATH, --run COMMAND or --ask TEXT.")
    at, about = given[0]
    found = cli.memory(writes=False).preview(at, cli.repository_path(about) if at == "edit" else about)
    cli.answer(found, memory_pages.preview(found))
