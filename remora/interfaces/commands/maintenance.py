"""Verbs about the store, such as init, stats and doctor, and its data: export, import, erase, privacy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from remora.app.project.locate import data_dir, locate
from remora.core.errors import EXIT_CODES, InvalidInput, RemoraError
from remora.interfaces import note_pages, project_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.page import Page, Para
from remora.interfaces.present import dumps
from remora.interfaces.words import say
from remora.net.listeners import allow

if TYPE_CHECKING:
    from remora.app.health.findings import Finding
    from remora.app.memory import Memory

FORMATS = ("json", "markdown", "claude-md", "archive")
SHELLS = ("bash", "zsh", "fish")
WHERE = {
    "bash": 'Add this to ~/.bashrc:\n  eval "$(remora completion bash)"',
    "zsh": 'Add this to ~/.zshrc:\n  eval "$(remora completion zsh)"',
    "fish": "Run this once:\n  remora completion fish > ~/.config/fish/completions/remora.fish",
}


@command("init", epilog="Example: remora init ~/src/shop")
@click.argument("path", required=False, type=options.PATH)
@click.option(
    "--import-shipped", is_flag=True, help="Import the memory shipped in the repository, unverified."
)
@click.option("--claim-home", is_flag=True, help="Use the home in the repository as your own.")
@click.option("--allow-import", multiple=True, metavar="FILE", help="Allow rule files to import your FILE.")
def init(
    cli: CliContext,
    *,
    path: str | None,
    import_shipped: bool,
    claim_home: bool,
    allow_import: tuple[str, ...],
) -> None:
    """PATH is a folder of the project, the current one by default.

    Reads rule files (AGENTS.md, CLAUDE.md, .cursorrules and similar), CONTRIBUTING, decision records, the
    git history and the code. Running it again reads only new content.
    """
    if path is not None and cli.project == ".":
        cli.project = path
    if claim_home:
        from remora.app.project.homes import reclaim

        project, _ = locate(Path(cli.project), os.environ)
        if project.foreign is not None:
            reclaim(project.foreign, project.repository, data_dir(os.environ))
    memory = cli.memory()
    for file in allow_import:
        from remora.app.learning import project_rules

        project_rules.allow_import(data_dir(os.environ), memory.project_id, Path(file))
    if import_shipped:
        found, new = memory.import_shipped()
        for draft in found.drafts:
            cli.note(say("init.outside", text=draft.content))
        left = ", ".join(found.left_alone) or say("nothing")
        cli.note(say("init.imported", n=new, home=found.home, left=left))
    with cli.progress() as progress:
        report = memory.init(path, progress=progress)

    def page() -> Page:
        hottest = memory.stats().hottest
        code = next(filter(project_pages.is_code, hottest), "")
        related = memory.related_files(code, 1) if code else []
        checks = [one.command for one in memory.suggest_commands(2)]
        facts = project_pages.facts_of(code, related, checks)
        yield from project_pages.initialised(report, hottest=hottest, facts=facts)

    cli.answer(report, page())
    cli.tell(memory.reminders())


@command("move-in", epilog="Example: remora move-in ~/.golemcore/workspace --dry-run")
@click.argument("path", type=options.PATH)
@click.option("--from", "system", metavar="SYSTEM", help="The other system; detected by default.")
@click.option(
    "--of-project", "foreign", metavar="ID", help="The project to import from a database with several."
)
@click.option("--dry-run", is_flag=True, help="Show the contents without importing them.")
def move_in(cli: CliContext, *, path: str, system: str | None, foreign: str | None, dry_run: bool) -> None:
    """PATH is a file or folder of the other system; it is not changed.

    Supported are neoclaw, GolemCore, CrabTalk, Forge, Auto Claude, Claude Code's auto memory, basic-memory
    and the MCP memory server. Running it again imports new content; your edits stay, and forgotten
    memories stay forgotten.
    """
    with cli.progress() as progress:
        report = cli.memory().move_in(path, system, project=foreign, dry_run=dry_run, progress=progress)
    cli.answer(report, note_pages.moved(report))


@command("stats")
def stats(cli: CliContext) -> None:
    """Counts memories by type, conversation turns, vectors and files in git, with sizes."""
    found = cli.memory(writes=False).stats()
    cli.answer(found, project_pages.counts(found))
    cli.remark(*found.notes)


@command("health")
def health(cli: CliContext) -> None:
    """The score combines four shares; it needs at least ten memories."""
    found = cli.memory(writes=False).health()
    cli.answer(found, project_pages.health(found))


@command("doctor")
@click.option("--allow-server", metavar="URL", help="Allow a model server on this machine.")
@click.pass_context
def doctor(context: click.Context, cli: CliContext, *, allow_server: str | None) -> None:
    """Checks the data folder, the database, the embedding model, git, settings, permissions and disk.

    On a terminal it asks once about an Ollama server that may belong to another user.
    The exit code is 0, or that of the first error.
    """
    from remora.app.health.doctor import diagnose

    if allow_server:
        allow(data_dir(os.environ), allow_server)
    elif cli.asks:
        _ask_about_listener(Path(cli.project))
    report = diagnose(Path(cli.project), os.environ)
    report = report._replace(findings=(*report.findings, *_installed(Path(cli.project))))
    document = {"level": report.level, "findings": report.findings}
    cli.answer(document, project_pages.examination(report))
    codes = {kind.__name__: code for kind, code in EXIT_CODES.items()}
    context.exit(codes.get(report.kind, 1) if report.level == "error" else 0)


def _installed(project: Path) -> Iterator[Finding]:
    from remora.app.health.findings import Finding
    from remora.disk.live import OFF_FILE
    from remora.interfaces.install.health import looked_at, silent

    data = data_dir(os.environ)
    yield from looked_at(data, os.environ)
    with suppress(RemoraError):  # without a project there are no sessions
        location, _ = locate(project, os.environ, read_only=True)
        if (location.home / OFF_FILE).exists():
            yield Finding("warning", "hooks", "Remora is off for this project", "`remora on` ends it.")
        yield from silent(location.root, data, os.environ)


def _ask_about_listener(project: Path) -> None:
    """Ask whether to trust a model server on this machine, if it needs asking; store the answer."""
    from remora.app.project.destinations import to_ask

    with suppress(RemoraError):  # `diagnose` reports a project that cannot be opened
        url, why = to_ask(locate(project, os.environ)[1], os.environ)
        if url:
            question = say("doctor.listener", url=url, why=why)
            allow(data_dir(os.environ), url, yes=click.confirm(question, err=True))


@command("reindex")
def reindex(cli: CliContext) -> None:
    """Reads the session logs again and computes vectors with the current model. Memories do not change."""
    memory = cli.memory()
    with cli.progress() as progress:
        rows = memory.reindex(progress=progress)
    cli.answer({"rows": rows}, (Para(say("reindex.done", n=rows)),))


@command("backup", epilog="Example: remora backup ~/shop-memory.tar")
@click.argument("file", type=options.PATH)
def backup(cli: CliContext, *, file: str) -> None:
    """FILE is a new tar file that only you can read.

    The memory stays usable meanwhile. To restore it, move the project home (`remora doctor` shows it)
    away and unpack FILE in its place.
    """
    found = cli.memory(writes=False).backup(file)
    cli.answer(found, project_pages.written(say("count.file", n=found.files), found.bytes, found.path))


@command("recover")
def recover(cli: CliContext) -> None:
    """For a database that `remora doctor` reports as damaged. The damaged file is kept beside the new one.

    Data that cannot be rebuilt, such as memories, is copied row by row. Run `remora init` and
    `remora reindex` afterwards to rebuild the rest.
    """
    from remora.app.health.backup import recover as save

    project, _ = locate(Path(cli.project), os.environ)
    found = save(project)
    lost = [one for one in found.tables if not one.whole or one.refused]
    rows = sum(one.rows for one in found.tables)
    words = [Para(say("recover.saved", n=rows, path=found.damaged))]
    words += [
        Para(say("recover.lost", table=one.table, n=one.rows, refused=one.refused))
        if not one.whole
        else Para(say("recover.refused", table=one.table, n=one.refused))
        for one in lost
    ]
    words.append(Para(say("recover.next")))
    cli.answer(found, tuple(words))


@command("completion", epilog="Example: remora completion zsh")
@click.argument("shell", metavar="SHELL", shell_complete=options.words(SHELLS))
def completion(cli: CliContext, *, shell: str) -> None:
    """SHELL is bash, zsh or fish. Verbs, options and types are completed."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        raise InvalidInput(
            f"there is no completion for {shell!r}", hint=f"Choose one of {', '.join(SHELLS)}."
        )
    root = click.get_current_context().find_root().command
    script = found(root, {}, "remora", "_REMORA_COMPLETE").source()
    if cli.json:
        click.echo(dumps({"shell": shell, "script": script, "install": WHERE[shell]}))
        return
    click.echo(script)
    if sys.stdout.isatty():
        cli.note(WHERE[shell])


@command("work")
@click.option(
    "--seconds", type=click.FloatRange(min=0.0), default=20.0, show_default=True, help="Maximum seconds."
)
@click.option("--sessions", is_flag=True, help="Learn from finished agent sessions of all projects.")
@click.option("--maintenance", is_flag=True, help="Also run the daily maintenance of this project, if due.")
def work(cli: CliContext, *, seconds: float, sessions: bool, maintenance: bool) -> None:
    """One pass over pending work; ends when nothing is left or the time is up.

    Hooks start it with --sessions when a session ends; only one such process runs at a time.
    """
    if sessions:
        from remora.app.agent.session_end import bounded_work

        done = bounded_work(os.environ)
        failed = [one for one in done if one.problem]
        words = say("work.sessions", n=len(done) - len(failed))
        cli.answer([one._asdict() for one in done], (Para(words),))
        cli.remark(*(f"{one.session}: {one.problem}" for one in failed))
        return
    memory = cli.memory()
    if maintenance:
        memory.maintain()
        memory.sharing.sync_when_due()
    with cli.progress() as progress:
        embedded = memory.catch_up(seconds, progress=progress)
    cli.answer({"embedded": embedded}, (Para(say("work.embedded", n=embedded)),))


@command("costs", epilog="Example: remora costs --days 7")
@options.number("--days", default=30, text="Counted back from today.")
def costs(cli: CliContext, *, days: int) -> None:
    """Lists calls, tokens, seconds and failures by purpose. `llm.price_in` and `llm.price_out` add money."""
    found = cli.memory(writes=False).costs(days)
    cli.answer(found, project_pages.costs(found))
    if not found.rows:
        cli.note(say("costs.none"))


# Your data


@command("export", epilog="Example: remora export ~/shop-memory.json")
@click.argument("file", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="json",
    show_default=True,
    help="json and archive hold everything, markdown the memories, claude-md the rules.",
)
@click.option(
    "--scope",
    type=click.Choice(("project", "user", "all")),
    default="all",
    show_default=True,
    help="The project's memory, your own, or both.",
)
def export(cli: CliContext, *, file: str, form: str, scope: str) -> None:
    """FILE is a new file that only you can read. `remora import` reads it back on another machine."""
    done = cli.memory(writes=False).export(file, form, scope=scope)
    what = say("count.memory", n=done.memories)
    cli.answer(done, project_pages.written(what, done.bytes, done.path))


@command("import", epilog="Example: remora import ~/shop-memory.json --dry-run")
@click.argument("file", type=options.PATH)
@click.option("--dry-run", is_flag=True, help="Show what would be imported.")
def import_file(cli: CliContext, *, file: str, dry_run: bool) -> None:
    """FILE is a JSON or Markdown export, or an archive. Existing memories do not change."""
    done = cli.memory().import_file(file, dry_run=dry_run)
    cli.answer(done, project_pages.imported(done))
    cli.remark(*done.left, *done.bad)


@command("erase", epilog="Example: remora erase 1a2b3c4d")
@click.argument("ids", metavar="[ID]...", nargs=-1, shell_complete=options.forgotten_ids)
@click.option(
    "--session", metavar="ID", help="A conversation or agent session, and the memories learned from it alone."
)
@click.option("--containing", metavar="TEXT", help="All occurrences of this text.")
@click.option("--this-project", "project", is_flag=True, help="Everything of this project.")
@click.option("--everything", is_flag=True, help="All projects and your own memories.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(cli: CliContext, *, ids: tuple[str, ...], yes: bool, **named: Any) -> None:
    """Erases permanently, to the byte. `remora forget` only removes a memory from search."""
    memory = cli.memory()
    what = _what(memory, ids, **named)
    if not yes:
        cli.ask(say("erase.ask", what=what), say("erase.waits", what=what))
    done = memory.erase(ids, **named)
    cli.answer(done, project_pages.erased(done, what))
    if not done.whole:
        cli.note(say("erase.later"))


def _what(
    memory: Memory,
    ids: tuple[str, ...],
    *,
    session: str | None,
    containing: str | None,
    project: bool,
    everything: bool,
) -> str:
    if ids:
        records = {memory.show(one).id for one in ids}
        return say("count.memory", n=len(records))
    if session is not None:
        return say("place.session", id=session)
    if containing is not None:
        return f"“{containing}”"
    if project:
        return say("erase.project", root=memory.root)
    if everything:
        return say("erase.everything")
    raise InvalidInput(
        "nothing to erase was named",
        hint="Give ids, --session, --containing, --this-project or --everything.",
    )


@command("privacy")
def privacy(cli: CliContext) -> None:
    """Lists stored data with sizes, the data that may leave this machine, and the data that never does."""
    found = cli.memory(writes=False).privacy()
    cli.answer(found, project_pages.privacy(found))
