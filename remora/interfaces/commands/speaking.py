"""log, why, status, hook: the verbs about what agents are told."""

from __future__ import annotations

import os
from pathlib import Path

import click

from remora.interfaces import spoken_pages
from remora.interfaces.commands import complete
from remora.interfaces.commands.desk import Desk, command


@command("log", epilog="Example: remora log -k 5")
@click.option("-k", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--session", "session_id", metavar="ID", help="Only of this session.")
def log(desk: Desk, *, k: int, session_id: str | None) -> None:
    """What was put in front of agents: when, at what, why, and what they did afterwards. Newest first."""
    found = desk.memory(writes=False).log(k, session_id=session_id)
    desk.answer({"said": found}, lambda: spoken_pages.log(found))
    if not found:
        desk.note("Nothing was said to an agent yet. `remora install` connects one.")


@command("why", epilog="Example: remora why 1a2b3c4d")
@click.argument("memory_id", metavar="ID", shell_complete=complete.ids)
def why(desk: Desk, *, memory_id: str) -> None:
    """Where the memory ID comes from, how far to trust it, at what it is said and when it was."""
    found = desk.memory(writes=False).why(memory_id)
    desk.answer(found, lambda: spoken_pages.why(found))


@command("status")
def status(desk: Desk) -> None:
    """What this project has, which sessions go on, and what a session that began now would be told."""
    from remora.disk.places import data_folder
    from remora.interfaces.install.health import looked_at

    found = desk.memory(writes=False).status()
    broken = [one for one in looked_at(Path(data_folder(os.environ)), os.environ) if one.level == "warning"]
    desk.answer(found, lambda: spoken_pages.status(found))
    desk.tell((*found.notes, *(f"{one.detail}. {one.advice}" for one in broken)))


@command("hook")
@click.option("--host", metavar="NAME", help="Which host sends the event.")
def hook(desk: Desk, *, host: str | None) -> None:  # noqa: ARG001  the entry answers before this is read
    """Answers one event of an agent's host on stdin; `remora install` writes the host's settings."""
    from remora.interfaces.hooks.main import main

    main(["--host", host] if host else [])


COMMANDS = {"log": log, "why": why, "status": status, "hook": hook}
