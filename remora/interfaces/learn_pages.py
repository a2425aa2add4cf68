"""Pages about learning: reports, learned memories, checks, plans, taught files and syntheses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.interfaces.page import Cell, Item, Page, Para, Part, table
from remora.interfaces.present import listed, redaction_sentence, short
from remora.interfaces.project_pages import of_branches
from remora.interfaces.words import Words, in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.importing.teach import Piece, Taught
    from remora.app.learning.learn import LearnReport
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import Remembered, SessionSummary
    from remora.app.learning.synthesis import Synthesized
    from remora.checks.suggest import Suggestion
    from remora.core.values import Context, Skipped
    from remora.injection.prefetch import Prefetch

ACROSS = "*"  # the module name of a synthesis across modules
SHOWN = 20  # memories and skipped files in a report
TOLD = 5  # rejected candidates in a report
REASONS = 5  # most frequent reasons why candidates were not worth a memory
TOLD_CHARS = 100
NEW = ("stored", "restored")
SHOWN_SKIPS = 8  # skipped pieces of a file
PIECE_CHARS = 200
MEMORY_CHARS = 400  # of a memory in the summary of a session
SHOWN_FILES = 2


def report(found: LearnReport) -> Page:
    """Return a page with the sessions read, the memories learned and the rejected candidates with reasons."""
    new = [one for one in found.learnt if one.action in NEW]
    again = [one for one in found.learnt if one.action not in NEW]
    yield Para(_head(found, len(new), len(again)), "strong")
    if found.found and found.sessions:
        hosts = listed(f"{number:,} {name}" for name, number in found.found.items())
        yield Para(say("learn.hosts", what=hosts), indent=2)
    if found.sessions:
        signals = [f"{number:,} {in_words(kind).replace('_', ' ')}" for kind, number in found.signals.items()]
        yield Para(say("learn.events", n=found.events, signals=listed(signals, 8) or say("none")), indent=2)
        outcomes = Counter(f"{one.kind} ({in_words(one.outcome)})" for one in found.sessions)
        most = sorted(outcomes.items(), key=lambda item: (-item[1], item[0]))
        told = listed((f"{number:,} {name}" for name, number in most), 6)
        yield Para(say("learn.sessions", what=told), indent=2)
    if found.discarded:
        dropped = [f"{number:,} {_filter(name)}" for name, number in found.discarded.items()]
        yield Para(say("learn.left_out", what=listed(dropped)), "dim", indent=2)
        if reasons := [f"{in_words(why)} ({number:,})" for why, number in found.not_worth.items()]:
            what = say("semicolon").join(reasons[:REASONS]) + (" …" if len(reasons) > REASONS else "")
            yield Para(say("learn.reasons", what=what), "dim", indent=4)
        some = [e for e in found.left_out if e.filter != "worth"][:TOLD]
        yield from (Para(f"{shorten(e.what, TOLD_CHARS)}: {in_words(e.why)}", "dim", indent=4) for e in some)
    yield from learned([*new, *again][:SHOWN], len(found.learnt))
    if len(found.learnt) > SHOWN:
        yield Para(say("learn.more", n=len(found.learnt) - SHOWN), "dim")
    if found.withdrawn:
        gone = say("learn.withdrawn", n=found.withdrawn)
        yield Para(gone, "warn")
    yield from of_branches(found.revived, found.merged, found.retired)
    if secrets := redaction_sentence(found.redactions):
        yield Para(secrets, "warn")
    if found.bad_lines:
        yield Para(say("learn.bad_lines", n=found.bad_lines), "warn")
    lines, files = found.skipped[: found.named], found.skipped[found.named :]
    yield from (Para(f"{s.what}: {in_words(s.why)}", "warn", indent=2) for s in lines[:SHOWN])
    yield from (Para(say("learn.unread", what=s.what, why=in_words(s.why)), "warn") for s in files[:SHOWN])
    yield Para(say("done_in", seconds=spoken().number(found.seconds, 1)), "dim")


def left_out(found: LearnReport) -> Page:
    """Return a page with all rejected candidates, by filter, with full text and reason."""
    for name, number in found.discarded.items():
        yield Para(f"{number:,} {_filter(name)}", "strong")
        yield from (
            Para(f"{collapse(one.what)}: {in_words(one.why)}", indent=2)
            for one in found.left_out
            if one.filter == name
        )


def _filter(name: str) -> str:
    return spoken().known(f"filtered.{name}", name)


def _head(found: LearnReport, new: int, again: int) -> str:
    if not found.sessions:
        if not found.unchanged:
            return say("learn.no_session")
        return say("learn.unchanged", n=found.unchanged)
    read = say("learn.read", n=len(found.sessions), unchanged=found.unchanged)
    would = say("learn.would", n=new)
    did = say("learn.did", n=new)
    more = say("learn.again", n=again) if again else ""
    return f"{read}; {would if found.dry_run else did}{more}"


def learned(found: Sequence[Learnt], of: int) -> Page:
    """Return a page with the first of a number of learned memories and their evidence."""
    return tuple(learned_item(one, number, of) for number, one in enumerate(found, start=1))


def evidence(one: Learnt) -> str:
    """Return the reason why a memory was learned; for one that is not new, also the action."""
    why = in_words(one.why)
    if one.action == "stored":
        return why
    return say("learned.again", how=spoken().known(f"learned.{one.action}", one.action), why=why)


def checks(found: Sequence[Suggestion]) -> Page:
    """Return a page with a table of suggested commands."""
    rows = ((Cell(s.command, "id"), s.purpose, Cell(in_words(s.why), "dim")) for s in found)
    return table("checks", rows, wide=0)


# Before work begins


def plan(
    block: Context,
    files: Prefetch,
    factor: float | None,
    limit: tuple[int, int] | None,
    state: str,
    *,
    contents: bool = False,
) -> Page:
    """Return a page with the work state, relevant memories, files to load first, and the step factor."""
    blocks: list[tuple[Part, ...]] = [(Para(text),) for text in (state, block.text) if text]
    if contents and files.text:
        blocks.append((Para(files.text),))
    elif files:
        rows = (
            (
                Cell(f.path, "id"),
                Cell(spoken().percent(f.share), "good" if f.always else "dim"),
                Cell(f"{f.tokens:,}", "dim"),
                in_words(f.why),
            )
            for f in files
        )
        blocks.append((Para(say("plan.files"), "strong"), *table("load", rows, wide=3, whole=True)))
    if factor is not None:
        times = spoken().number(factor, 1)
        told = say("plan.steps", times=times)
        become = say("plan.become", old=limit[0], new=limit[1]) if limit else ""
        blocks.append((Para(f"{told}{become}."),))
    elif limit:
        blocks.append((Para(say("plan.unknown", old=limit[0], new=limit[1])),))
    for number, parts in enumerate(blocks):
        if number:
            yield Para("")
        yield from parts


# Teaching


def taught(found: Sequence[Taught], refused: Sequence[Skipped] = ()) -> Page:
    """Return a page with the result of each piece of taught files."""
    for one in found:
        yield Para(taught_sentence(one), "strong")
        yield from (_piece(piece, dry_run=one.dry_run) for piece in one.pieces)
        if secrets := redaction_sentence(one.redactions):
            yield Para(secrets, "warn", indent=2)
        if one.note:
            yield Para(in_words(one.note), "warn", indent=2)
        yield from (
            Para(say("taught.left_out", what=s.what, why=in_words(s.why)), "dim", indent=2)
            for s in one.skipped[:SHOWN_SKIPS]
        )
        if len(one.skipped) > SHOWN_SKIPS:
            yield Para(say("taught.more", n=len(one.skipped) - SHOWN_SKIPS), "dim", indent=2)
    yield from (Para(f"{s.what}: {in_words(s.why)}", "bad") for s in refused)


def taught_sentence(one: Taught) -> str:
    """Return the result of a taught file in one line."""
    will = "would" if one.dry_run else "did"
    told = [
        say(f"taught.{will}.{action}", n=number)
        for action, number in (
            ("stored", one.number("stored")),
            ("merged", one.number("merged")),
            ("restored", one.number("restored", "updated")),
            ("refused", one.number("refused")),
        )
        if number
    ]
    kind = "" if one.kind == "taught" else say("taught.rules", kind=one.kind)
    return say("taught.file", path=one.path, kind=kind, what=listed(told) or say("taught.nothing"))


def _piece(piece: Piece, *, dry_run: bool) -> Item:
    done = "new" if dry_run and piece.action == "stored" else piece.action
    style = {"refused": "bad", "merged": "dim"}.get(piece.action, "good")
    return Item(
        short(piece.memory_id) if piece.memory_id else say("line", number=str(piece.line)),
        (Cell(spoken().known(f"piece.{done}"), style), Cell(piece.type, "strong")),
        shorten(collapse(piece.text), PIECE_CHARS),
        (Cell(in_words(piece.why), "dim"),) if piece.why else (),
    )


# The end of a session


def summary(found: SessionSummary) -> Page:
    """Return a page with the memories that a session used and those learned from it, numbered."""
    t = spoken()
    if found.outcome:
        outcome = t(f"review.outcome.{found.outcome}")
        yield Para(f"{t('review.done', title=found.title)} ({outcome})", "strong")
    elif found.title:
        yield Para(t("review.run", n=found.run), "strong")
    if found.remembered:
        yield Para(t("named", name=t("review.used"), text=""), "strong")
        yield from (_remembered(one, t) for one in found.remembered)
    if found.learned:
        yield Para(t("named", name=t("review.learned", n=len(found.learned)), text=""), "strong")
        yield from learned(found.learned, len(found.learned))


def _remembered(one: Remembered, t: Words) -> Para:
    how = f" → {in_words(one.how)}" if one.how else ""
    sure = {True: "  [ok]", False: f"  [{t('review.no_help')}]", None: ""}[one.ok]
    often = f"  ({t('count.time', n=one.times)})" if one.times > 1 else ""
    kind = t.known(f"type.{one.type}")
    style = "warn" if one.ok is False else ""
    return Para(
        f"- {short(one.memory_id)} {t('named', name=kind, text=one.text)}{how}{often}{sure}", style, indent=2
    )


def learned_item(one: Learnt, number: int, of: int) -> Item:
    """Return an item for a learned memory: number, type, files, confidence, text and evidence."""
    record, t = one.memory, spoken()
    about = listed(record.related_files or record.related_modules, SHOWN_FILES)
    states = (("review", "warn", record.needs_review), ("verified", "good", record.user_verified))
    marks = [Cell(t(f"chip.{name}"), style) for name, style, on in states if on]
    facts = (
        Cell(f"{number}/{of}", "dim"),
        Cell(record.type, "strong"),
        *((Cell(about, "dim"),) if about else ()),
        Cell(spoken().number(record.confidence), "dim"),
        *marks,
    )
    tail = (Cell(evidence(one), "dim"),)
    return Item(short(record.id), facts, shorten(collapse(record.content), MEMORY_CHARS), tail)


def synthesized(found: Sequence[Synthesized]) -> Page:
    """Return a page with the proposals of syntheses, by module."""
    for one in found:
        where = (
            say("synthesis.across")
            if one.module == ACROSS
            else say("synthesis.module", module=one.module, n=one.threshold)
        )
        yield Para(f"{where}:", "strong")
        yield from (
            Item(short(m.id), (Cell(m.type), Cell(say("chip.review"), "warn")), m.content) for m in one.stored
        )
        yield from (
            Item(say("synthesis.dropped"), (Cell(in_words(drop.why), "dim"),), drop.content)
            for drop in one.dropped
        )
        if one.note:
            yield Para(in_words(one.note), indent=2)
        if not (one.stored or one.dropped):
            yield Para(say("synthesis.nothing"), indent=2)
