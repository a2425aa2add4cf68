"""Verbs about learning and work: learn, reflect, learned with its review, checks, synthesize, plan, teach."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from remora.core.errors import EXIT_CODES, InvalidInput, RemoraError, StoreError
from remora.core.trust import MANY_WRONG
from remora.core.values import MemoryRecord, Skipped
from remora.interfaces import learn_pages, memory_pages
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command, edit_text, split
from remora.interfaces.page import Cell, Item, Page, Para
from remora.interfaces.present import short
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.importing.teach import Taught
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import SessionSummary
    from remora.app.memory import Memory

LARGEST = 100_000  # maximum of --steps
KEEP_ALL, REVIEW_ONLY = 2, 3  # trust levels: "keep all" is the default; only `needs_review` is asked
CHOICES = "kedlaq"  # keep, edit, drop, later, keep all, quit: as `review.ask` of the catalogues has them


def _hosts(_context: object, _parameter: object, begun: str) -> list[str]:
    from remora.sources.transcripts.reader import HOSTS

    return [name for name in HOSTS if name.startswith(begun)]


@command("learn", epilog="Example: remora learn --dry-run")
@click.argument("path", required=False, type=options.PATH)
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
    cli.answer(report, page(report))
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
        cli.answer({"memories": records}, memory_pages.changed(records, done))
        if stay := len(found.learned) - len(meant):
            cli.note(say("learned.kept", n=stay))
    elif review:
        level = memory.trust().level
        waiting = due(found.learned, level)
        if not waiting and found.learned:
            cli.note(spoken()("review.no_need"))
        reviewed = review_each(cli, memory, waiting, level)
        cli.answer(reviewed, review_page(reviewed))
    else:
        cli.answer(found, learn_pages.summary(found))
    if found.wrong >= MANY_WRONG and memory.trust().level > 1:
        cli.note(say("wrong.offer"))
    if not found.learned:
        key = "gone" if session_id is None else "none_of" if found.sessions else "no_session"
        key = f"learned.{key if found.run else 'none'}"
        cli.note(say(key, run=found.run, session=session_id))


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
@options.number("-k", default=5, text="Maximum number of commands.")
def checks(cli: CliContext, *, task: tuple[str, ...], files: tuple[str, ...], k: int) -> None:
    """TASK describes your work; the files that it names count as edited."""
    memory = cli.memory(writes=False)
    given = [cli.repository_path(path) for path in files]
    found = memory.suggest_commands(k, task=" ".join(task), files=given)
    cli.answer({"commands": found}, learn_pages.checks(found))
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
    cli.answer({"modules": found}, learn_pages.synthesized(found))
    if not found:
        cli.note(say("synthesis.none"))


@command("plan", epilog='Example: remora plan "make the token lifetime a setting" --steps 100')
@click.argument("task", nargs=-1)
@click.option("--module", "modules", multiple=True, metavar="NAME", help="A related module; repeatable.")
@click.option("--file", "-f", "files", multiple=True, type=options.PATH, help="A related file; repeatable.")
@click.option("--qa", is_flag=True, help="For testers: requirements, errors, observed UI behaviour.")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Maximum tokens of the block.")
@click.option("--steps", type=click.IntRange(1, LARGEST), metavar="N", help="A step limit to adjust.")
@click.option("--contents", is_flag=True, help="Also print the files to load, with line numbers.")
def plan(
    cli: CliContext,
    *,
    task: tuple[str, ...],
    modules: tuple[str, ...],
    files: tuple[str, ...],
    qa: bool,
    budget: int | None,
    steps: int | None,
    contents: bool,
) -> None:
    """TASK describes the work; "-" reads it from stdin.

    Shows relevant memories, the files that similar sessions read, and the ratio of actual to planned
    steps. Without --module and --file, the location is inferred from the task and the code.
    """
    asked = cli.statement(task, "the task")
    memory = cli.memory(writes=False)
    where: dict[str, Any] = {"modules": split(modules), "files": cli.repository_paths(files)}
    block = (memory.qa_context if qa else memory.plan_context)(asked, budget=budget, **where)
    notes = memory.notes
    ahead = memory.prefetch(asked, **where)
    factor = memory.step_factor(asked, **where)
    limit = (steps, memory.step_limit(steps, asked, **where)) if steps is not None else None
    state = "" if qa else memory.work_state(asked)
    document = {
        "task": asked,
        **block._asdict(),
        "prefetch": ahead,
        "prefetch_tokens": ahead.tokens,
        "prefetch_left_out": ahead.left_out,
        **({"prefetch_text": ahead.text} if contents else {}),
        "step_factor": factor,
        "step_limit": limit[1] if limit else None,
        "work_state": state,
        "notes": notes,
    }
    cli.answer(document, learn_pages.plan(block, ahead, factor, limit, state, contents=contents))
    cli.tell(notes)
    if not (block.text or ahead or state or factor is not None):
        cli.note(say("plan.none"))


@command("teach", epilog="Example: remora teach docs/conventions.md --yes")
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FILE...")
@click.option("--yes", "-y", is_flag=True, help="Store it without asking.")
@click.option("--user", is_flag=True, help="Store it in your own memory, for every project.")
@click.pass_context
def teach(context: click.Context, cli: CliContext, *, files: tuple[str, ...], yes: bool, user: bool) -> None:
    """FILE is Markdown or plain text that a person wrote; "-" reads stdin.

    Lists and paragraphs become memories, each with a type. Rule files (CLAUDE.md, AGENTS.md,
    .cursorrules …) are recognised by name. A preview comes first; a terminal asks for confirmation,
    elsewhere --yes stores it. An unreadable file is reported, the others are stored, and the exit code is 2.
    """
    given = {path: cli.document("-") if path == "-" else None for path in dict.fromkeys(files)}
    memory = cli.memory()

    def read(*, dry_run: bool) -> tuple[list[Taught], list[Skipped]]:
        found: list[Taught] = []
        refused: list[Skipped] = []
        for path, text in given.items():
            name = "stdin" if path == "-" else path
            try:
                found.append(memory.teach(name, text=text, user=user, dry_run=dry_run))
            except StoreError:
                raise
            except RemoraError as error:
                refused.append(Skipped(name, f"{error}. {error.hint}".rstrip()))
        return found, refused

    found, refused = read(dry_run=not yes)
    asks = cli.asks and "-" not in given
    new = sum(one.number("stored", "merged", "restored", "updated") for one in found)
    if not yes and asks and new:
        cli.answer({}, learn_pages.taught(found, refused))
        if click.confirm(say("teach.ask", n=new), default=True, err=True):
            found, refused = read(dry_run=False)
            for one in found:
                cli.note(learn_pages.taught_sentence(one))
        else:
            cli.note(say("init.nothing"))
    else:
        document = {"stored": yes, "files": found, "skipped": refused}
        cli.answer(document, learn_pages.taught(found, refused))
        if not yes and new:
            cli.note(say("teach.not_stored"))
    if refused:
        context.exit(EXIT_CODES[InvalidInput])


# The review of learned memories


class Reviewed(NamedTuple):
    """The results of a review: memories by decision, number left for later, and errors."""

    kept: tuple[MemoryRecord, ...] = ()
    edited: tuple[MemoryRecord, ...] = ()
    dropped: tuple[MemoryRecord, ...] = ()
    later: int = 0
    problems: tuple[str, ...] = ()


def due(learned: Sequence[Learnt], level: int) -> list[Learnt]:
    """Return the memories to ask about at a trust level; those that need review come first."""
    open_ = [one for one in learned if not one.memory.user_verified]
    asked = open_ if level < REVIEW_ONLY else [one for one in open_ if one.memory.needs_review]
    return sorted(asked, key=lambda one: not one.memory.needs_review)


def _letter(cli: CliContext, one: Learnt, number: int, of: int, level: int) -> str:
    """Show a memory with its number and the total, and return the user's choice.

    Enter means "later", at level 2 "keep all", except for a memory that needs review.
    """
    cli.answer({}, (learn_pages.learned_item(one, number, of),))
    usual = "a" if level == KEEP_ALL and not one.memory.needs_review else "l"
    kind = click.Choice(list(CHOICES), case_sensitive=False)
    answer: str = click.prompt(say("review.ask"), type=kind, default=usual, show_choices=False, err=True)
    return answer.lower()


def review_each(cli: CliContext, memory: Memory, found: Sequence[Learnt], level: int) -> Reviewed:
    """Ask about each memory and apply the answer; an error is recorded and the review continues."""
    kept: list[MemoryRecord] = []
    edited: list[MemoryRecord] = []
    dropped: list[MemoryRecord] = []
    problems: list[str] = []
    later, all_right = 0, False
    for number, one in enumerate(found, start=1):
        letter = "k" if all_right else _letter(cli, one, number, len(found), level)
        if letter == "q":
            later += len(found) - number + 1
            break
        all_right = all_right or letter == "a"
        try:
            if letter in ("k", "a"):
                kept.append(memory.verify(one.memory.id))
            elif letter == "d":
                dropped.append(memory.forget(one.memory.id))
            elif letter == "e" and (text := edit_text(one.memory.content)):
                memory.edit(one.memory.id, content=text)
                edited.append(memory.verify(one.memory.id))
            else:
                later += 1
        except RemoraError as error:
            problems.append(f"{short(one.memory.id)}: {error}")
    return Reviewed(tuple(kept), tuple(edited), tuple(dropped), later, tuple(problems))


def review_page(found: Reviewed) -> Page:
    """Return a page with the results of a review."""
    t = spoken()
    counts = (("kept", len(found.kept)), ("edited", len(found.edited)), ("dropped", len(found.dropped)))
    told = [t(f"review.{what}", n=number) for what, number in (*counts, ("later", found.later)) if number]
    edited = tuple(Item(short(r.id), (Cell(t("op.edit"), "good"),), r.content) for r in found.edited)
    return (
        Para(", ".join(told) or t("review.nothing"), "strong"),
        *edited,
        *(Para(in_words(problem), "bad") for problem in found.problems),
    )
