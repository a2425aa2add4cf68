"""What is said before work begins, what a file taught, and what a session came to, as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.interfaces.learn_pages import evidence
from remora.interfaces.page import Cell, Item, Page, Para, Part, Table
from remora.interfaces.present import counted, listed, redaction_sentence, short

if TYPE_CHECKING:
    from remora.app.importing.teach import Piece, Taught
    from remora.app.learning.promotion import Learnt
    from remora.app.learning.run_summary import Remembered, SessionSummary
    from remora.core.values import Context, Skipped
    from remora.injection.prefetch import Prefetch

SHOWN_SKIPS = 8
TEXT = 200  # characters of a piece
LEARNT = 400
FILES = 2


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
        shorten(collapse(piece.text), TEXT),
        (Cell(piece.why, "dim"),) if piece.why else (),
    )


# The end of a session


def summary(found: SessionSummary) -> Page:
    """Return what was remembered in a session and what was learnt from it, numbered, as section 13 has it."""
    parts: list[Part] = []
    if found.outcome:
        parts.append(Para(f"Done: {found.title} ({found.outcome})", "strong"))
    elif found.title:
        parts.append(Para(f"Run {found.run}", "strong"))
    if found.remembered:
        parts.append(Para("What the agent remembered:", "strong"))
        parts += [_remembered(one) for one in found.remembered]
    if found.learned:
        many = counted(len(found.learned), "memory", "memories")
        parts.append(Para(f"What the agent learned ({many}):", "strong"))
        parts += [learnt(one, n, len(found.learned)) for n, one in enumerate(found.learned, start=1)]
    return tuple(parts)


def _remembered(one: Remembered) -> Para:
    how = f" → {one.how}" if one.how else ""
    sure = {True: "  [ok]", False: "  [did not help]", None: ""}[one.ok]
    often = f"  ({one.times} times)" if one.times > 1 else ""
    kind = one.type.replace("_", " ")
    style = "warn" if one.ok is False else ""
    return Para(f"- {short(one.memory_id)} {kind}: {one.text}{how}{often}{sure}", style, indent=2)


def learnt(one: Learnt, number: int, of: int) -> Item:
    """Return one memory that was learnt: its place, its kind, its file, its text, the evidence."""
    record = one.memory
    about = listed(record.related_files or record.related_modules, FILES)
    marks = [
        mark for mark, on in (("needs review", record.needs_review), ("verified", record.user_verified)) if on
    ]
    facts = (
        Cell(f"{number}/{of}", "dim"),
        Cell(record.type, "strong"),
        *((Cell(about, "dim"),) if about else ()),
        Cell(f"{record.confidence:.2f}", "dim"),
        *(Cell(mark, "warn" if mark == "needs review" else "good") for mark in marks),
    )
    tail = (Cell(evidence(one), "dim"),)
    return Item(short(record.id), facts, shorten(collapse(record.content), LEARNT), tail)
