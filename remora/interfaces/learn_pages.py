"""What sessions and files taught, and what is said before work begins, as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.interfaces.page import Cell, Item, Page, Para, Part, Table
from remora.interfaces.present import counted, listed, redaction_sentence, short
from remora.interfaces.project_pages import of_branches
from remora.interfaces.words import Words, spoken

if TYPE_CHECKING:
    from remora.app.importing.teach import Piece, Taught
    from remora.app.learning.learn import LearnReport
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import Remembered, SessionSummary
    from remora.app.learning.synthesis import Synthesized
    from remora.checks.suggest import Suggestion
    from remora.core.values import Context, Skipped
    from remora.injection.prefetch import Prefetch

ACROSS = "*"  # the name of what lies between modules
SHOWN = 20  # memories and skipped files that a report names
FILTERS = {
    "worth": "not worth a memory",
    "validation": "from failed sessions",
    "frequency": "seen too rarely",
    "novelty": "already known",
    "trust": "rules from untrusted text",
    "scoring": "too weak",
    "cap": "over the limit per session",
    "standing": "about code that has changed",
    "overturned": "that you revoked later",
    "branch": "from branches deleted unmerged",
    "a person's word": "that you forgot or edited",
}
TOLD = 5  # of what was left out that a report names, and how much of each
REASONS = 5  # why something was not worth a memory, the most usual
TOLD_CHARS = 100
NEW = ("stored", "restored")
SHOWN_SKIPS = 8  # pieces of a file that were left out
PIECE_CHARS = 200
MEMORY_CHARS = 400  # of a memory at the end of a session
SHOWN_FILES = 2
ACTIONS = {"merged": "seen again", "restored": "brought back"}


def report(found: LearnReport) -> Page:
    """Return what was read, what was learned and what was not, with the reasons."""
    from remora.observer.candidate import NOT_ALONE  # not for the tables of other verbs

    new = [one for one in found.learnt if one.action in NEW]
    again = [one for one in found.learnt if one.action not in NEW]
    parts: list[Part] = [Para(_head(found, len(new), len(again)), "strong")]
    if found.sessions:
        signals = [f"{number:,} {kind.replace('_', ' ')}" for kind, number in found.signals.items()]
        parts.append(
            Para(f"{counted(found.events, 'event')}; signals: {listed(signals, 8) or 'none'}", indent=2)
        )
        outcomes: dict[str, int] = {}
        for session in found.sessions:
            name = f"{session.kind} ({session.outcome})"
            outcomes[name] = outcomes.get(name, 0) + 1
        most = sorted(outcomes.items(), key=lambda item: (-item[1], item[0]))
        told = listed((f"{number:,} {name}" for name, number in most), 6)
        parts.append(Para(f"sessions: {told}", indent=2))
    if found.discarded:
        dropped = [f"{number:,} {FILTERS.get(name, name)}" for name, number in found.discarded.items()]
        parts.append(Para(f"left out: {listed(dropped)}", "dim", indent=2))
        if reasons := [f"{why} ({number:,})" for why, number in found.not_worth.items()]:
            few = len(reasons) > REASONS
            parts.append(
                Para(f"reasons: {'; '.join(reasons[:REASONS])}{' …' if few else ''}", "dim", indent=4)
            )
        yours = [e for e in found.left_out if e.why == NOT_ALONE][:TOLD]
        some = [*yours, *[e for e in found.left_out if e.filter != "worth"][:TOLD]]
        parts += [Para(f"{shorten(e.what, TOLD_CHARS)}: {e.why}", "dim", indent=4) for e in some]
    parts += learned([*new, *again][:SHOWN])
    if len(found.learnt) > SHOWN:
        parts.append(Para(f"and {len(found.learnt) - SHOWN:,} more: `remora learned` lists all", "dim"))
    if found.withdrawn:
        gone = counted(found.withdrawn, "memory", "memories")
        what = "contradicted by later sessions or by you"
        parts.append(Para(f"{gone} of earlier runs forgotten: {what}", "warn"))
    parts += of_branches(found.revived, found.merged, found.retired)
    if secrets := redaction_sentence(found.redactions):
        parts.append(Para(secrets, "warn"))
    if found.bad_lines:
        parts.append(Para(f"{counted(found.bad_lines, 'line')} could not be read", "warn"))
    lines, files = found.skipped[: found.named], found.skipped[found.named :]
    parts += [Para(f"{s.what}: {s.why}", "warn", indent=2) for s in lines[:SHOWN]]
    parts += [Para(f"not read: {s.what}: {s.why}", "warn") for s in files[:SHOWN]]
    parts.append(Para(f"Done in {found.seconds:.1f} s.", "dim"))
    return tuple(parts)


def left_out(found: LearnReport) -> Page:
    """Return all that was left out: under each filter what it was, whole, and why."""
    parts: list[Part] = []
    for name, number in found.discarded.items():
        parts.append(Para(f"{number:,} {FILTERS.get(name, name)}", "strong"))
        parts += [
            Para(f"{collapse(one.what)}: {one.why}", indent=2) for one in found.left_out if one.filter == name
        ]
    return tuple(parts)


def _head(found: LearnReport, new: int, again: int) -> str:
    if not found.sessions:
        unchanged = counted(found.unchanged, "unchanged transcript")
        return f"Nothing new: {unchanged}" if found.unchanged else "No session was read"
    did = "would be learned" if found.dry_run else "learned"
    read = f"{counted(len(found.sessions), 'session')} read, {found.unchanged:,} unchanged"
    more = f", {again:,} seen again" if again else ""
    return f"{read}; {counted(new, 'memory', 'memories')} {did}{more}"


def learned(found: Sequence[Learnt]) -> Page:
    """Return memories that were learned, each with the evidence."""
    return tuple(
        Item(
            short(one.memory.id),
            (
                Cell(one.memory.type, "strong"),
                Cell(f"{one.memory.confidence:.2f}", "dim"),
                *((Cell("needs review", "warn"),) if one.memory.needs_review else ()),
            ),
            shorten(collapse(one.memory.content), 400),
            (Cell(evidence(one), "dim"),),
        )
        for one in found
    )


def evidence(one: Learnt) -> str:
    """Return why a memory was learned, and what was done where it is not new."""
    return one.why if one.action == "stored" else f"{ACTIONS.get(one.action, one.action)}: {one.why}"


def checks(found: Sequence[Suggestion]) -> Page:
    """Return commands as a table."""
    rows = tuple((Cell(s.command, "id"), Cell(s.purpose), Cell(s.why, "dim")) for s in found)
    return (Table(("command", "for", "why"), rows, wide=0),) if rows else ()


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
    """Return what a plan should know, the files to load first, and what the steps come to."""
    parts: list[Part] = []
    if state:
        parts += [Para(state), Para("")]
    if block.text:
        parts += [Para(block.text), Para("")]
    if contents and files.text:
        parts += [Para(files.text), Para("")]
    elif files:
        parts.append(Para("Files to load first", "strong"))
        rows = tuple(
            (
                Cell(f.path, "id"),
                Cell(f"{f.share:.0%}", "good" if f.always else "dim"),
                Cell(f"{f.tokens:,}", "dim"),
                Cell(f.why),
            )
            for f in files
        )
        parts += [Table(("file", "share", "tokens", "evidence"), rows, wide=3, whole=True), Para("")]
    if factor is not None:
        told = f"Steps: past work took {factor:.1f} times the planned steps"
        parts.append(Para(told + (f"; {limit[0]:,} become {limit[1]:,}" if limit else "") + "."))
    elif limit:
        parts.append(Para(f"Steps: nothing is known of past work; {limit[0]:,} become {limit[1]:,}."))
    while parts and parts[-1] == Para(""):
        parts.pop()
    return tuple(parts)


# Teaching


def taught(found: Sequence[Taught], refused: Sequence[Skipped] = ()) -> Page:
    """Return what became of files that a person wrote, piece by piece."""
    parts: list[Part] = []
    for one in found:
        parts.append(Para(taught_sentence(one), "strong"))
        parts += [_piece(piece, dry_run=one.dry_run) for piece in one.pieces]
        if secrets := redaction_sentence(one.redactions):
            parts.append(Para(secrets, "warn", indent=2))
        if one.note:
            parts.append(Para(one.note, "warn", indent=2))
        parts += [Para(f"left out: {s.what}: {s.why}", "dim", indent=2) for s in one.skipped[:SHOWN_SKIPS]]
        if len(one.skipped) > SHOWN_SKIPS:
            parts.append(Para(f"and {len(one.skipped) - SHOWN_SKIPS:,} more left out", "dim", indent=2))
    parts += [Para(f"{s.what}: {s.why}", "bad") for s in refused]
    return tuple(parts)


def taught_sentence(one: Taught) -> str:
    """Return in one line what became of a file."""
    will = "would be " if one.dry_run else ""
    told = [
        f"{number:,} {will}{action}"
        for action, number in (
            ("stored", one.number("stored")),
            ("merged with duplicates", one.number("merged")),
            ("brought back", one.number("restored", "updated")),
            ("refused", one.number("refused")),
        )
        if number
    ]
    kind = "" if one.kind == "taught" else f" (rules of {one.kind})"
    return f"{one.path}{kind}: {listed(told) or 'nothing to remember'}"


def _piece(piece: Piece, *, dry_run: bool) -> Item:
    done = {"stored": "new"}.get(piece.action, piece.action) if dry_run else piece.action
    style = {"refused": "bad", "merged": "dim"}.get(piece.action, "good")
    return Item(
        short(piece.memory_id) if piece.memory_id else f"line {piece.line}",
        (Cell(done, style), Cell(piece.type, "strong")),
        shorten(collapse(piece.text), PIECE_CHARS),
        (Cell(piece.why, "dim"),) if piece.why else (),
    )


# The end of a session


def summary(found: SessionSummary) -> Page:
    """Return what was remembered in a session and what was learned from it, numbered, as in section 13."""
    t, parts = spoken(), list[Part]()
    if found.outcome:
        outcome = t(f"review.outcome.{found.outcome}")
        parts.append(Para(f"{t('review.done', title=found.title)} ({outcome})", "strong"))
    elif found.title:
        parts.append(Para(t("review.run", n=found.run), "strong"))
    if found.remembered:
        parts.append(Para(f"{t('review.used')}:", "strong"))
        parts += [_remembered(one, t) for one in found.remembered]
    if found.learned:
        parts.append(Para(f"{t('review.learned', n=len(found.learned))}:", "strong"))
        parts += [learned_item(one, n, len(found.learned)) for n, one in enumerate(found.learned, start=1)]
    return tuple(parts)


def _remembered(one: Remembered, t: Words) -> Para:
    how = f" → {one.how}" if one.how else ""
    sure = {True: "  [ok]", False: f"  [{t('review.no_help')}]", None: ""}[one.ok]
    often = f"  ({t('use.times', n=one.times)})" if one.times > 1 else ""
    kind = t.known(f"type.{one.type}")
    style = "warn" if one.ok is False else ""
    return Para(f"- {short(one.memory_id)} {kind}: {one.text}{how}{often}{sure}", style, indent=2)


def learned_item(one: Learnt, number: int, of: int) -> Item:
    """Return one memory that was learned: its place, its kind, its file, its text, the evidence."""
    record, t = one.memory, spoken()
    about = listed(record.related_files or record.related_modules, SHOWN_FILES)
    states = (("review", "warn", record.needs_review), ("verified", "good", record.user_verified))
    marks = [Cell(t(f"chip.{name}"), style) for name, style, on in states if on]
    facts = (
        Cell(f"{number}/{of}", "dim"),
        Cell(record.type, "strong"),
        *((Cell(about, "dim"),) if about else ()),
        Cell(f"{record.confidence:.2f}", "dim"),
        *marks,
    )
    tail = (Cell(evidence(one), "dim"),)
    return Item(short(record.id), facts, shorten(collapse(record.content), MEMORY_CHARS), tail)


def synthesized(found: Sequence[Synthesized]) -> Page:
    """Return what several sessions on modules have in common, as proposed."""
    parts: list[Part] = []
    for one in found:
        where = (
            "Between modules"
            if one.module == ACROSS
            else f"{one.module}, {counted(one.threshold, 'session')}"
        )
        parts.append(Para(f"{where}:", "strong"))
        parts += [Item(short(m.id), (Cell(m.type), Cell("to review", "warn")), m.content) for m in one.stored]
        parts += [Item("dropped", (Cell(drop.why, "dim"),), drop.content) for drop in one.dropped]
        if one.note:
            parts.append(Para(one.note, indent=2))
        if not (one.stored or one.dropped):
            parts.append(Para("nothing in common that is worth a memory", indent=2))
    return tuple(parts)
