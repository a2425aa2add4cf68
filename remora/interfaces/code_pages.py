"""What is known of the code, as pages: an index run, an impact, the modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.code import Impact, IndexReport
from remora.core.text import shorten
from remora.interfaces.page import Cell, Page, Para, Part, Table
from remora.interfaces.present import counted, listed, short

if TYPE_CHECKING:
    from remora.app.codebase.impact import Impacts
    from remora.app.codebase.module_descriptions import SemanticReport
    from remora.graph.modules import ModuleInfo

SHOWN_SKIPS = 5
SHOWN_MEMORIES = 5


def indexed(report: IndexReport) -> Page:
    """Return the counts of an index run: files read, left out, and the size of the graph."""
    said: list[Part] = [Para(f"{counted(report.files, 'file')} in the code graph", "strong")]
    read = f"{counted(report.read, 'file')} read, {report.unchanged:,} unchanged, {report.deleted:,} deleted"
    graph = f"{counted(report.nodes, 'node')}, {counted(report.edges, 'edge')}"
    lines = [
        f"{read}; names resolved in {report.resolved:,}",
        f"{graph}, {counted(report.chunks, 'code chunk')}",
    ]
    if report.precise:
        lines.append(f"{counted(report.precise, 'edge')} from a SCIP index")
    if report.left_out:
        left = [f"{number:,} {why}" for why, number in report.left_out]
        lines.append(f"left out: {listed(left)}")
    if report.broken:
        lines.append(f"{counted(report.broken, 'file')} read in part (syntax errors)")
    said += [Para(line, indent=2) for line in lines]
    said += [Para(f"{s.what}: {s.why}", "warn", indent=2) for s in report.skipped[:SHOWN_SKIPS]]
    if len(report.skipped) > SHOWN_SKIPS:
        said.append(Para(f"and {len(report.skipped) - SHOWN_SKIPS:,} more", "warn", indent=2))
    if report.waiting:
        waiting = f"{counted(report.waiting, 'chunk')} without a vector, found by words only"
        said.append(Para(f"{waiting} (`remora index --embed` computes vectors)", "dim", indent=2))
    if not report.complete:
        said.append(Para("Not finished; the next run continues.", "warn", indent=2))
    said.append(Para(f"Done in {report.seconds:.1f} s.", "dim", indent=2))
    return tuple(said)


def round_of(report: IndexReport) -> Page:
    """Return one line about a round of watching."""
    what = f"{counted(report.read, 'file')} read, {report.deleted:,} deleted, {report.files:,} in the graph"
    return (Para(f"{what} ({report.seconds * 1000:.0f} ms)"),)


def impacts(found: Impacts, shown: Sequence[Impact], now: float) -> Page:  # noqa: ARG001  pages take the time
    """Return what may break, nearest first, then what is remembered about the target."""
    said: list[Part] = []
    if shown:
        rows = tuple(_row(i) for i in shown)
        said.append(Table(("depth", "what", "how"), rows, wide=2, whole=True))
    else:
        said.append(Para(f"{found.target} has no known dependents."))
    tests = len(found.tests)
    if tests and len(shown) != tests:
        said.append(Para(f"{counted(tests, 'test')} among them; --tests lists only those.", "dim"))
    if found.memories:
        said += [Para(""), Para("Memories about it", "strong")]
        for record in found.memories[:SHOWN_MEMORIES]:
            said.append(Para(f"{short(record.id)} {record.type}: {shorten(record.content, 160)}", indent=2))
    return tuple(said)


def _row(impact: Impact) -> tuple[Cell, ...]:
    what = impact.path if impact.symbol is None else f"{impact.path}:{impact.symbol}"
    last = impact.via[-1] if impact.via else ""
    marks = [mark for mark, on in (("test", impact.test), ("guess", impact.guess)) if on]
    how = last.partition(" <-")[2].partition("- ")[0].replace(",", ", ")
    through = last.partition(" <-")[0] if impact.depth > 1 else ""
    text = f"{how} {through}".strip() + (f" ({', '.join(marks)})" if marks else "")
    return Cell(str(impact.depth), "dim"), Cell(what, "id"), Cell(text, "warn" if impact.guess else "")


def modules(found: Sequence[ModuleInfo]) -> Page:
    """Return the modules of the code as a table, one row each."""
    rows = tuple(
        (
            Cell(m.name, "id"),
            Cell(f"{m.files:,}"),
            Cell(f"{m.lines:,}", "dim"),
            Cell(str(m.tests) if m.tests else "", "dim"),
            Cell(f"{m.memories} ({m.covered:.0%})" if m.memories else "", "good"),
            Cell(m.purpose),
            Cell(listed(m.depends_on, 3), "dim"),
            Cell(listed(m.hot, 2), "dim"),
        )
        for m in found
    )
    head = ("module", "files", "lines", "tests", "memories", "purpose", "depends on", "changes most")
    said = [Para(f"entry points of {m.name}: {listed(m.entries, 3)}", "dim") for m in found if m.entries]
    said += [Para(f"{m.name} must change with {listed(m.needs, 3)}", "dim") for m in found if m.needs]
    if said:
        said.append(Para("These relations come from a language model.", "dim"))
    return (Table(head, rows, wide=5, spare=(7, 6, 3, 2)), *said) if rows else ()


def described(report: SemanticReport | None) -> Page:
    """Return what the language model described; nothing where it was not asked."""
    if report is None or not report.modules:
        return ()
    what = f"{counted(len(report.described), 'module')} described in {counted(report.calls, 'call')}"
    said = [f"{what}, {counted(report.edges, 'relation')} found, {report.dropped:,} dropped"]
    if report.waiting:
        said.append(f"{counted(report.waiting, 'module')} not described yet; the next run continues")
    return tuple(Para(line, indent=2) for line in said)
