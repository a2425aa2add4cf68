"""The state of a project as pages: init, index, impact, modules, stats, doctor, and what a person owns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from remora.core.code import Impact, IndexReport
from remora.core.text import shorten
from remora.core.values import HISTORY, FileHit, InitReport
from remora.interfaces.page import Cell, Fields, Page, Para, Part, Table
from remora.interfaces.present import counted, listed, redaction_sentence, short

if TYPE_CHECKING:
    from remora.app.codebase.impact import Impacts
    from remora.app.codebase.module_descriptions import SemanticReport
    from remora.app.health.erase import Erased
    from remora.app.health.findings import Report
    from remora.app.health.privacy import Privacy
    from remora.app.health.score import Health
    from remora.app.health.stats import Stats
    from remora.app.importing.exported import Imported
    from remora.app.project.metered_models import Costs
    from remora.graph.modules import ModuleInfo

SHOWN_SKIPS = 10  # reasons why `init` left files out
SHOWN_UNREAD = 5  # files that an index run could not read
SHOWN_MEMORIES = 5  # of an impact
SHOWN_MODULES = 12  # by health
NOT_CODE = ("", ".md", ".txt", ".rst", ".json", ".toml", ".lock", ".yml", ".yaml", ".cfg", ".ini")
LEVEL_STYLES = {"ok": "good", "note": "dim", "warning": "warn", "error": "bad"}


def initialised(report: InitReport, *, hottest: Sequence[str] = (), facts: Sequence[str] = ()) -> Page:
    """Return what `init` found, stored, merged and skipped, and what to try next.

    Args:
        report: what it did.
        hottest: the files that change most, to try `related` on.
        facts: what is known of the repository now, a sentence each.
    """
    said: list[Part] = [Para(f"Memory of {report.root}", "strong")]
    said += [
        Para(line, indent=2)
        for line in (_rules(report), _history(report), _code(report), _outcome(report))
        if line
    ]
    if secrets := redaction_sentence(report.redactions):
        said.append(Para(f"{secrets}.", "warn", indent=2))
    said += of_branches(report.branches_revived, report.branches_merged, report.branches_retired, indent=2)
    said += _skips(report)
    said.append(Para(f"Done in {report.seconds:.1f} s. Stored in {report.home}", "dim", indent=2))
    if facts:
        said += [Para(""), Para("About this repository", "strong"), *(Para(one, indent=2) for one in facts)]
    tries = _tries(report, hottest)
    width = max(len(command) for command, _ in tries)
    said += [Para(""), Para("Try next", "strong")]
    said += [Para(f"{command.ljust(width)}  {what}", indent=2) for command, what in tries]
    return tuple(said)


def facts_of(hottest: Sequence[str], related: Sequence[FileHit], checks: Sequence[str]) -> list[str]:
    """Return up to three sentences on a repository that was just read.

    Args:
        hottest: the files that change most.
        related: files related to the first of them, best first.
        checks: the commands that check its work, best first.
    """
    told = []
    if hottest:
        told.append(f"{hottest[0]} changes most.")
    if related and related[0].why:
        told.append(f"{related[0].path} goes with it: {related[0].why[0]}.")
    if checks:
        told.append(f"Its work is checked with {' and '.join(f'`{one}`' for one in checks)}.")
    return told


def is_code(path: str) -> bool:
    """Return whether a file is code by its name."""
    return PurePath(path).suffix not in NOT_CODE


def _tries(report: InitReport, hottest: Sequence[str]) -> list[tuple[str, str]]:
    """Return commands that have an answer now, and what each is for."""
    code = next(filter(is_code, hottest), next(iter(hottest), ""))
    tries: list[tuple[str, str]] = []
    if report.rules_found:
        tries.append(('remora search "how are the tests run"', "ask anything; --why explains the ranking"))
    elif code and report.candidates:
        tries.append((f'remora search "what broke in {code}"', "ask anything; --why explains the ranking"))
    if code:
        tries.append((f"remora related {code}", "files that change together with it"))
    if report.stored > report.candidates or report.merged or report.unchanged:
        tries.append(("remora list", "list all memories"))
    if report.candidates:
        tries.append(("remora list --records", "records of fixes and reverts"))
    last = [('remora remember "…"', "store a statement"), ("remora install", "connect your agent")]
    return [*tries, *last]


def _code(report: InitReport) -> str:
    code = report.code
    if code is None or not code.files:
        return ""
    return (
        f"{counted(code.files, 'file')} of code and text indexed: {counted(code.nodes, 'node')}, "
        f"{counted(code.edges, 'edge')}"
    )


def _rules(report: InitReport) -> str:
    if not report.rule_files:
        return "No rule files (AGENTS.md, CLAUDE.md, .cursorrules and similar)."
    read = f"Read {counted(len(report.rule_files), 'rule file')}: {listed(report.rule_files, 6)}."
    return f"{read} {counted(report.rules_found, 'rule')} found."


def _history(report: InitReport) -> str:
    if not report.commits_read:
        failed = any(skip.what == HISTORY for skip in report.skipped)
        return "The git history could not be read." if failed else "No git history."
    if not report.commits_new:
        read = f"Nothing new in the git history ({counted(report.commits_read, 'commit')})."
    elif report.commits_new == report.commits_read:
        read = f"Read {counted(report.commits_new, 'commit')} of git history."
    else:
        read = f"Read {counted(report.commits_new, 'new commit')}, {report.commits_read:,} in total."
    known = (
        f"{counted(report.files_known, 'file')} known, {counted(report.edges, 'pair')} that change together"
    )
    return f"{read} {known}."


def _outcome(report: InitReport) -> str:
    records = min(report.stored, report.candidates)
    memories = report.stored - records
    done = [f"{counted(memories, 'memory', 'memories')} stored"] if memories else []
    done += [f"{counted(records, 'record')} of fixes and reverts kept"] if records else []
    if report.merged:
        done.append(f"{report.merged:,} merged with duplicates")
    if report.unchanged:
        done.append(f"{report.unchanged:,} already known")
    if report.retired:
        done.append(f"{report.retired:,} retired because their source is gone")
    if not done:
        return "Nothing was stored."
    return ", ".join(done) + "."


Changed = Sequence[tuple[str, int]]


def of_branches(revived: Changed, merged: Changed, retired: Changed, indent: int = 0) -> list[Part]:
    """Return what became of memories with their branches, a line each."""
    said: list[Part] = []
    for branch, number in revived:
        back = counted(number, "memory", "memories")
        said.append(Para(f"{branch} was found again: {back} restored", "good", indent=indent))
    for branch, number in merged:
        now = counted(number, "memory now belongs", "memories now belong")
        said.append(Para(f"{branch} was merged: {now} to the project", indent=indent))
    for branch, number in retired:
        gone = counted(number, "memory", "memories")
        said.append(Para(f"{branch} was deleted unmerged: {gone} forgotten", "warn", indent=indent))
    return said


def _skips(report: InitReport) -> list[Part]:
    if not report.skipped:
        return []
    reasons = Counter(skip.why for skip in report.skipped)
    said: list[Part] = [Para("Skipped:", "warn", indent=2)]
    if len(report.skipped) <= SHOWN_SKIPS:
        return said + [Para(f"{skip.what}: {skip.why}", indent=4) for skip in report.skipped]
    for why, number in reasons.most_common(SHOWN_SKIPS):
        examples = [skip.what for skip in report.skipped if skip.why == why]
        said.append(Para(f"{number:,}: {why} ({listed(examples, 2)})", indent=4))
    return said


def counts(found: Stats) -> Page:
    """Return what is stored as names and numbers."""
    rows = {
        "project": f"{found.project}, id {found.project_id}",
        "home": found.home,
        "memories": f"{found.memories:,}" + _parts_of(found),
        **{
            f"  {kind}": f"{number:,}"
            for kind, number in sorted(found.by_type.items(), key=lambda i: (-i[1], i[0]))
        },
        **{f"records of {kind}s": f"{number:,}" for kind, number in sorted(found.records.items())},
        "forgotten": f"{found.forgotten:,}" if found.forgotten else "",
        "your own": counted(found.user_memories, "memory", "memories") if found.user_memories else "",
        "turns": f"{found.turns:,} in {counted(found.sessions, 'session')}" if found.sessions else "",
        "written": ", ".join(f"{number:,} {kind}" for kind, number in found.written.items()),
        "files": f"{found.files:,} known, {counted(found.pairs, 'pair')} that change together"
        if found.files
        else "",
        "modules": listed((f"{name} ({number:,})" for name, number in found.modules.items()), 5),
        "change most": listed(found.hottest, 5),
        "commits": f"{found.commits:,} read" + (f", last {found.commit[:10]}" if found.commit else "")
        if found.commits
        else "",
        "vectors": "\n".join(
            f"{v.owners:,} {v.owner_kind}: {v.model_id}, {v.dims} dimensions" for v in found.vectors
        ),
        "use": ", ".join(f"{kind} {times:,}" for kind, times in found.uses.items()),
        "corrections": f"{found.corrections:.1%} of uses" if found.corrections is not None else "",
        "database": f"{found.database_bytes / 1e6:,.1f} MB",
        "session logs": f"{found.log_bytes / 1e6:,.1f} MB" if found.log_bytes else "",
    }
    return (Fields(tuple((name, Cell(value)) for name, value in rows.items() if value)),)


def _parts_of(found: Stats) -> str:
    parts = (
        (found.needs_review, "need review"),
        (found.pinned, "pinned"),
        (found.verified, "verified"),
        (found.tainted, "tainted"),
    )
    said = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    return f" ({said})" if said else ""


def examination(report: Report) -> Page:
    """Return every finding of the doctor with its advice, and a summary line."""
    rows = []
    for finding in report.findings:
        style = LEVEL_STYLES[finding.level]
        rows.append((Cell(finding.level, style), Cell(finding.what, "strong"), Cell(finding.detail)))
        if finding.advice:
            rows.append((Cell(""), Cell(""), Cell(f"→ {finding.advice}", style if style != "dim" else "")))
    numbers = Counter(f.level for f in report.findings)
    bad = [counted(numbers[level], level) for level in ("error", "warning", "note") if numbers[level]]
    summary = "All is well" if report.level in ("ok", "note") else "Something needs attention"
    style = LEVEL_STYLES["ok" if report.level == "note" else report.level]
    last = Para(f"{summary}: {', '.join(bad)}." if bad else f"{summary}.", style)
    return (Table(("", "", ""), tuple(rows), wide=2, whole=True), Para(""), last)


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
    said += [Para(f"{s.what}: {s.why}", "warn", indent=2) for s in report.skipped[:SHOWN_UNREAD]]
    if len(report.skipped) > SHOWN_UNREAD:
        said.append(Para(f"and {len(report.skipped) - SHOWN_UNREAD:,} more", "warn", indent=2))
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


def imported(done: Imported) -> Page:
    """Return what came of an import."""
    told = (
        (done.new, f"{counted(done.new, 'new memory', 'new memories')}"),
        (done.known, f"{done.known:,} here already"),
        (done.entries, counted(done.entries, "note")),
        (done.sessions, counted(done.sessions, "conversation")),
        (done.files, f"{counted(done.files, 'file')} of the journal"),
        (len(done.left), f"{len(done.left)} left as they are here"),
        (len(done.bad), f"{len(done.bad)} that cannot be stored"),
    )
    words = ", ".join(text for number, text in told if number) or "nothing new"
    return (Para(f"{'Would import' if done.dry_run else 'Imported'}: {words}"),)


def erased(done: Erased, what: str) -> Page:
    """Return what was erased, where else the words stood, and where they may still stand."""
    rows = tuple((Cell(name), Cell(f"{number:,}")) for name, number in sorted(done.found.items()))
    also = (Para("The words stood in:"), Table(("place", "times"), rows)) if rows else ()
    away = (Para("Out of reach:"), *(Para(f"- {one}") for one in done.elsewhere))
    return (Para(f"Erased: {what}", "strong"), *also, *away)


def privacy(found: Privacy) -> Page:
    """Return what lies where on this machine and what may leave it."""
    rows = tuple(
        (Cell(one.what), Cell(f"{one.bytes / 1e6:,.1f} MB"), Cell(one.path, "dim")) for one in found.places
    )
    sent = [Para(f"- {one}") for one in found.sent] or [Para("- nothing, by the present settings")]
    secrets = Para(f"{counted(found.secrets, 'secret')} removed before storing." if found.secrets else "")
    return (
        Table(("on this machine", "size", "where"), rows, wide=2, whole=True),
        *((secrets,) if found.secrets else ()),
        Para("May leave:", "strong"),
        *sent,
        Para("Never leaves, but to the models that you configure:", "strong"),
        *(Para(f"- {one}") for one in found.never),
    )


def health(found: Health) -> Page:
    """Return the score with its parts, the coverage of the modules, and what needs a person."""
    score = f"{found.score} of 100" if found.score is not None else "no score below ten memories"
    shares = (("fresh", found.fresh), ("reviewed", found.reviewed), ("right", found.right))
    parts = (*shares, ("covered", found.covered))
    rows = tuple(
        (Cell(one.module), Cell(f"{one.lines:,}"), Cell(counted(one.memories, "memory", "memories")))
        for one in found.modules[:SHOWN_MODULES]
    )
    return (
        Para(f"Health: {score}", "strong"),
        Fields(tuple((name, Cell(f"{share:.0%}")) for name, share in parts)),
        Para(
            f"{counted(found.memories, 'memory', 'memories')}: {found.active:,} used in 30 days, "
            f"{found.waiting:,} to review, {found.outdated:,} out of date"
        ),
        *((Table(("module", "lines of code", "memories"), rows, wide=0),) if rows else ()),
    )


def costs(found: Costs) -> Page:
    """Return what language models cost, by purpose."""
    priced = any(row.money is not None for row in found.rows)
    rows = []
    for row in found.rows:
        tokens = [f"{'~' if row.estimated else ''}{n:,}" for n in (row.input_tokens, row.output_tokens)]
        cells = [row.purpose, f"{row.calls:,}", *tokens, f"{row.seconds:.0f} s", f"{row.failed:,}", row.model]
        rows.append(tuple(Cell(text) for text in (*cells, *([f"{row.money:.2f}"] if priced else []))))
    head = ("purpose", "calls", "tokens in", "tokens out", "time", "failed", "model")
    limit = f" of {found.limit:,} for what nobody waits for" if found.limit else ""
    parts: list[Part] = [Table((*head, *(("money",) if priced else ())), tuple(rows), wide=6)] if rows else []
    parts.append(Para(f"Today: {found.today:,} tokens{limit}."))
    parts += [Para(f"Asked without being asked: {what}.") for what in found.due]
    return tuple(parts)
