"""Verbs that connect coding agents: install, uninstall."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from remora.app.project.locate import data_dir, settings_for, user_file
from remora.core.errors import InvalidInput, RemoraError, SourceError
from remora.disk.files import write_atomic
from remora.disk.programs import find_program
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.install import plan as planning
from remora.interfaces.install import records
from remora.interfaces.install.apply import COST, WRITERS, carry_out, program_of, set_writer
from remora.interfaces.install.hosts import HOSTS, SCOPES, Host, Place
from remora.interfaces.install.launch_command import call_of
from remora.interfaces.install.plan import Plan, Wish
from remora.interfaces.page import Page, Para
from remora.interfaces.words import in_words, say
from remora.sources.git import Repository

Failed = tuple[str, RemoraError]
_SIGNS = {"+": "good", "-": "bad", "@": "dim", "\\": "dim"}  # of the lines of a diff

host_argument = click.argument(
    "host", metavar="[HOST]", required=False, shell_complete=options.words(tuple(HOSTS))
)
scope_option = click.option(
    "--scope",
    type=click.Choice(SCOPES),
    help="Change the project's files (default), your own, or your own for this project.",
)
all_option = click.option("--all", "every", is_flag=True, help="All coding agents found.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
dry_option = click.option("--dry-run", is_flag=True, help="Only show the change.")


@command("install", epilog="Example: remora install claude-code; remora install cursor --scope user --no-mcp")
@host_argument
@all_option
@scope_option
@click.option(
    "--hooks/--no-hooks", default=None, help="Report events to Remora, and give its memories to the agent."
)
@click.option("--mcp/--no-mcp", default=None, help="Give the model the tools of `remora mcp`.")
@click.option(
    "--rules/--no-rules", default=None, help="A rule file about the tools, for agents without a start hook."
)
@click.option(
    "--writer/--no-writer",
    default=None,
    help="Let Claude Code or Codex write memories from sessions; asked once by default.",
)
@click.option(
    "--command", "given", metavar="WORDS", help="The command that runs Remora; detected by default."
)
@yes_option
@dry_option
def install(
    cli: CliContext,
    *,
    host: str | None,
    every: bool,
    scope: str | None,
    hooks: bool | None,
    mcp: bool | None,
    rules: bool | None,
    writer: bool | None,
    given: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """HOST is claude-code, codex, cursor, gemini, copilot, vscode, windsurf or opencode.

    Without HOST, lists the coding agents found here. A change is shown before it is made; existing content
    and comments stay. Running it again changes nothing, and `remora uninstall` restores the files.
    """
    where = _Where(cli, scope, given=given)
    wish = Wish(scope, hooks, mcp, rules)
    names = _named(host, every=every, yes=yes, found=where.found)
    if host is None and not every:
        _overview(cli, names, "install")
        if not names:
            cli.note(say("install.none", names=", ".join(HOSTS)))
        return
    plans = where.plan(names, lambda eyes, one: planning.install(eyes, one, wish))
    refused = not _carry_out(cli, plans, yes=yes, dry_run=dry_run, one=host is not None)
    if writer is not False and not dry_run and not refused:
        _offer_writer(cli, where, names, asked=writer is None)
    if mcp is not False and given is None and not dry_run and find_spec("mcp") is None:
        cli.remark(say("install.mcp"))


@command("uninstall", epilog="Example: remora uninstall claude-code")
@host_argument
@all_option
@scope_option
@yes_option
@dry_option
def uninstall(
    cli: CliContext, *, host: str | None, every: bool, scope: str | None, yes: bool, dry_run: bool
) -> None:
    """HOST as for `install`; without it, lists the agents with an installation.

    Unchanged files are restored byte for byte; from edited files only Remora's entries are removed.
    Memories stay.
    """
    where = _Where(cli, scope)
    names = _named(host, every=every, yes=yes, found=where.installed)
    if host is None and not every:
        _overview(cli, names, "uninstall")
        if not names:
            cli.note(say("uninstall.none"))
        return
    plans = where.plan(names, lambda eyes, one: planning.uninstall(eyes, one, scope))
    _carry_out(cli, plans, yes=yes, dry_run=dry_run, one=host is not None)


def _offer_writer(cli: CliContext, where: _Where, names: Sequence[str], *, asked: bool) -> None:
    """Set an installed agent as the writer of memories from sessions; ask the user first, and only once."""
    settings = settings_for(_root(Path(cli.project)), os.environ)
    if settings.llm.provider != "none" or settings.learn.synthesis:
        return
    answered = data_dir(os.environ) / "writer-asked"
    commands = [WRITERS[name] for name in names if name in WRITERS and where.has(program_of(WRITERS[name]))]
    if not commands:
        if not asked:
            cli.remark(say("writer.none"))
        return
    if asked:
        if answered.exists() or not cli.asks:
            return
        cli.note(say("writer.offer", program=program_of(commands[0]), cost=in_words(COST)))
        agreed = click.confirm(say("writer.ask"), err=True)
        write_atomic(answered, b"yes\n" if agreed else b"no\n")
        if not agreed:
            return
    set_writer(commands[0], os.environ)
    cli.note(say("writer.set", command=commands[0], path=user_file(os.environ)))


class _Where:
    """The environment of an installation: project, home, data folder and the command that runs Remora."""

    def __init__(self, cli: CliContext, scope: str | None, *, given: str | None = None) -> None:
        self._data = data_dir(os.environ)
        self._environ: Mapping[str, str] = os.environ
        root = _root(Path(cli.project))
        if scope != "user" and root == _home():
            raise InvalidInput(
                f"{root} is your home folder, not a project",
                hint="Change to a project folder, or use --scope user to install for every project.",
            )
        # If the home folder is itself a repository, the user's programs are inside it.
        self._outside = "" if _home().is_relative_to(root) else str(root)
        call = call_of(given, os.environ, outside=self._outside)
        self._place = Place(root, _home(), os.environ, call, sys.platform)

    def has(self, program: str) -> bool:
        """Return whether a program is on the path, outside the project."""
        return find_program(program, self._environ, outside=self._outside) is not None

    def found(self) -> tuple[str, ...]:
        """Return the hosts found on this machine: by one of their folders, or a program on the path."""
        return tuple(name for name, host in HOSTS.items() if self._is_here(host))

    def installed(self) -> tuple[str, ...]:
        """Return the hosts with an installation in the project or for the user."""
        there = {one.host for one in records.every(self._data) if one.root in ("", str(self._place.root))}
        return tuple(name for name in HOSTS if name in there)

    def _is_here(self, host: Host) -> bool:
        return any(trace.exists() for trace in host.traces(self._place)) or any(
            self.has(program) for program in host.commands
        )

    def plan(
        self, names: Sequence[str], make: Callable[[planning.PlanInput, Host], Plan]
    ) -> list[Plan | Failed]:
        """Return a plan or an error for each host; each plan builds on the changes of those before it."""
        plans: list[Plan | Failed] = []
        pending: dict[Path, bytes | None] = {}
        for name in names:
            commands = [record.command for record in records.every(self._data, name)]
            place = self._place._replace(known=tuple(dict.fromkeys(commands)))
            try:
                plan = make(planning.PlanInput(place, self._data, dict(pending)), HOSTS[name])
            except RemoraError as error:
                plans.append((name, error))
                continue
            pending |= {change.path: change.after for change in plan.changes}
            plans.append(plan)
        return plans


def _root(path: Path) -> Path:
    """Return the root of a path's project, without writing.

    Raises:
        InvalidInput: the path does not exist.
    """
    if not path.exists():
        raise InvalidInput(f"{path} does not exist", hint="Name an existing folder.")
    real = path.resolve()
    try:
        repository = Repository.discover(real)
    except SourceError:  # no git, or git refuses the repository: use the folder itself
        repository = None
    if repository is not None:
        return repository.root
    return real if real.is_dir() else real.parent


def _home() -> Path:
    try:
        return Path.home().resolve()
    except RuntimeError as error:
        raise InvalidInput(f"there is no home folder: {error}", hint="Set HOME.") from None


def _named(
    host: str | None, *, every: bool, yes: bool, found: Callable[[], tuple[str, ...]]
) -> tuple[str, ...]:
    if host is None:
        if yes and not every:
            raise InvalidInput(
                "nothing was changed: --yes needs HOST or --all",
                hint=f"Name one of {', '.join(HOSTS)}, or use --all.",
            )
        return found()
    if every:
        raise InvalidInput("HOST and --all exclude each other")
    if host not in HOSTS:
        raise InvalidInput(f"unknown host {host!r}", hint=f"Choose one of {', '.join(HOSTS)}.")
    return (host,)


def _overview(cli: CliContext, names: Sequence[str], verb: str) -> None:
    lines = [Para(f"{HOSTS[name].title} ({name})", "strong") for name in names]
    how = [Para(say("install.how", verb=verb, n=len(names)))] if names else []
    cli.answer({"hosts": [{"host": name} for name in names]}, (*lines, *how))


def _document(plan: Plan | Failed, *, applied: bool) -> dict[str, object]:
    if not isinstance(plan, Plan):
        name, error = plan
        return {"host": name, "applied": False, "error": str(error), "hint": error.hint}
    files = [
        {"path": c.path, "parts": c.parts, "action": c.action, "diff": "\n".join(c.diff())}
        for c in plan.changes
        if c.before is not None or c.after is not None
    ]
    return {
        "host": plan.host,
        "scope": plan.scope,
        "root": plan.root,
        "applied": applied,
        "files": files,
        "notes": plan.notes,
        "after": plan.after,
    }


def _carry_out(
    cli: CliContext, plans: Sequence[Plan | Failed], *, yes: bool, dry_run: bool, one: bool
) -> bool:
    """Make the changes of some plans after a question; return False if it was answered with no."""
    failures = [plan for plan in plans if not isinstance(plan, Plan)]
    if one and failures:
        raise failures[0][1]
    ready = [plan for plan in plans if isinstance(plan, Plan)]
    busy = [plan for plan in ready if not plan.idle]
    agreed = bool(busy) and not dry_run and _agreed(cli, ready, yes=yes)
    if not busy or dry_run:
        _show(cli, ready)
    # A plan without file changes may still update its record.
    for plan in ready if agreed or (not busy and not dry_run) else ():
        carry_out(plan)
    documents = [_document(plan, applied=agreed) for plan in plans]
    pages = [part for plan in busy if agreed for part in _done(plan)]
    if cli.json or pages:
        cli.answer(documents[0] if one else {"hosts": documents}, tuple(pages))
    if failures:
        raise failures[0][1]
    return agreed or dry_run or not busy


def _agreed(cli: CliContext, plans: Sequence[Plan], *, yes: bool) -> bool:
    _show(cli, plans)
    if yes:
        return True
    if not cli.asks:
        raise InvalidInput(
            "nothing was changed: the confirmation needs a terminal",
            hint="--yes makes the change, --dry-run only shows it.",
        )
    if click.confirm(say("install.ask"), err=True):
        return True
    cli.note(say("install.nothing"))
    return False


def _show(cli: CliContext, plans: Sequence[Plan]) -> None:
    if not cli.json:
        pages = [part for plan in plans for part in _proposal(plan)]
        cli.answer(None, tuple(pages) or (Para(say("install.does.keep")),))


# Pages


def _proposal(plan: Plan) -> Page:
    title = HOSTS[plan.host].title
    if plan.idle:
        yield Para(say("install.idle", title=title), "strong")
    else:
        yield Para(say(f"install.for.{plan.scope}", title=title), "strong")
        lines = [
            one for change in plan.changes if change.action != "keep" for one in enumerate(change.diff())
        ]
        yield from (Para(line, "strong" if at < 2 else _SIGNS.get(line[:1], "")) for at, line in lines)
    yield from (Para(say("note", text=in_words(note)), "warn") for note in plan.notes)


def _done(plan: Plan) -> Page:
    yield from (
        Para(say("install.done", did=say(f"install.did.{change.action}"), path=change.path), "good")
        for change in plan.changes
        if change.action != "keep"
    )
    yield from (Para(in_words(text)) for text in plan.after)
