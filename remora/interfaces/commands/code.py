"""Verbs about the code: index, impact, files, modules."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType

import click

from remora.interfaces import memory_pages, project_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.words import say

MAX_DEPTH = 10


@command("index", epilog="Example: remora index --watch")
@click.argument("path", required=False, type=options.PATH)
@click.option("--watch", is_flag=True, help="Keep running and index every change until Ctrl-C.")
@click.option("--embed", is_flag=True, help="Also compute all vectors now; word search works without them.")
@click.option("--semantic", is_flag=True, help="Also let the language model describe changed modules.")
def index(cli: CliContext, *, path: str | None, watch: bool, embed: bool, semantic: bool) -> None:
    """PATH is any folder of the project, the current one by default; the whole project is indexed.

    Reads the files that changed since the last run: definitions, imports, calls, and chunks for search.
    Ignored, generated, vendored and minified files are left out.
    """
    if path is not None and cli.project == ".":
        cli.project = path
    memory = cli.memory()
    if watch:
        _watch(cli)
        return
    with cli.progress() as progress:
        report = memory.index(path, progress=progress)
        if embed:
            memory.catch_up(None, progress=progress)
            report = report._replace(waiting=memory.waiting_chunks())
        told = memory.describe_modules(progress=progress) if semantic else None
    document = report if told is None else {**report._asdict(), "semantic": told}
    cli.answer(document, (*project_pages.indexed(report), *project_pages.described(told)))
    cli.remark(*report.notes, *(told.notes if told is not None else ()))


def _watch(cli: CliContext) -> None:
    from remora.core.reports import IndexReport

    memory = cli.memory()
    stop = threading.Event()

    def end(_: int, __: FrameType | None) -> None:
        stop.set()

    def said(report: IndexReport) -> None:
        cli.answer(report, project_pages.round_of(report))

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if not cli.json:
            cli.note(say("index.watching"))
        memory.watch(stop, said)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@command("impact", epilog="Example: remora impact auth/tokens.py:verify_jwt --depth 2")
@click.argument("target")
@options.number("--depth", default=3, most=MAX_DEPTH, text="Maximum steps to follow.")
@options.number("--limit", "-n", default=50, most=1000, text="Maximum number of results.")
@click.option("--tests", is_flag=True, help="Only the tests to run.")
def impact(cli: CliContext, *, target: str, depth: int, limit: int, tests: bool) -> None:
    """TARGET is a file, a file and a symbol (auth/tokens.py:verify_jwt), a symbol's name, or a folder.

    Lists the code that may break, nearest first, with the path to it. Results that depend on an
    uncertain call are marked as guesses.
    """
    memory = cli.memory(writes=False)
    found = memory.impact(_target(cli, target), depth, limit=limit)
    shown = found.tests if tests else tuple(found)
    document = {
        "target": found.target,
        "impacts": [{**i._asdict(), "guess": i.guess} for i in shown],
        "tests": [i.place for i in found.tests],
        "memories": found.memories,
        "notes": found.notes,
    }
    cli.answer(document, project_pages.impacts(found, shown))
    cli.tell(found.notes)


def _target(cli: CliContext, target: str) -> str:
    """Return a target with its path, if it has one, relative to the project's root."""
    path, colon, symbol = target.partition(":")
    if "/" in path or Path(path).is_file():
        return cli.repository_path(path) + colon + symbol
    return target


@command("files", epilog='Example: remora files "tokens should expire after 12 hours"')
@click.argument("task", nargs=-1)
@options.number("-k", "k", default=10, most=1000, text="Maximum number of files.")
@click.option(
    "--tests", is_flag=True, help="Rank all files, including tests; the default is code without tests."
)
def files(cli: CliContext, *, task: tuple[str, ...], k: int, tests: bool) -> None:
    """TASK is an issue's text, a request or a commit message; "-" reads it from stdin.

    Lists the files that the task will most likely touch, with the evidence: names and words in the
    code, neighbouring files, git history and earlier sessions.
    """
    from remora.app.codebase.freshness import NOTHING_TO_ASK

    asked = cli.statement(task, "the task")
    memory = cli.memory(writes=False)
    found = memory.predict_files(asked, k, tests=tests)
    cli.answer({"task": asked, "files": found, "notes": memory.notes}, memory_pages.files(found))
    cli.tell(memory.notes)
    if not found and not any(note in memory.notes for note in NOTHING_TO_ASK):
        cli.note(say("files.none"))


@command("modules", epilog="Example: remora modules --limit 10")
@options.number("--limit", "-n", default=30, least=0, text="Maximum number of results; 0 for all.")
def modules(cli: CliContext, *, limit: int) -> None:
    """Lists the modules, largest first.

    A module is a folder. A row gives purpose, dependencies, most changed files and number of memories.
    """
    found = cli.memory(writes=False).modules()
    shown = found[:limit] if limit else found
    document = {"modules": shown, "more": len(found) > len(shown)}
    cli.answer(document, project_pages.modules(shown))
    if not found:
        cli.note(say("modules.none"))
    elif len(found) > len(shown):
        cli.note(say("modules.more", shown=len(shown), all=len(found)))
