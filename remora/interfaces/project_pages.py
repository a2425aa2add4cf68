"""Pages about a project: init, index, impact, modules, stats, doctor, health, costs and data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from remora.core.code import Impact
from remora.core.reports import IndexReport, InitReport
from remora.core.text import shorten
from remora.core.values import HISTORY, FileHit
from remora.interfaces.page import Cell, Page, Para, Part, Table, fields, table
from remora.interfaces.present import listed, redaction_sentence, short
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.codebase.impact import Impacts
    from remora.app.codebase.module_descriptions import SemanticReport
    from remora.app.health.costs import Costs
    from remora.app.health.erase import Erased
    from remora.app.health.findings import Report
    from remora.app.health.privacy import Privacy
    from remora.app.health.score import Health
    from remora.app.health.stats import Stats
    from remora.app.importing.export_reader import Imported
    from remora.graph.modules import ModuleInfo

SHOWN_SKIPS = 10  # reasons for skipped files of `init`
SHOWN_UNREAD = 5  # files that an index run could not read
SHOWN_MEMORIES = 5  # on the page of an impact
SHOWN_MODULES = 12  # on the page of health
NOT_CODE = ("", ".md", ".txt", ".rst", ".json", ".toml", ".lock", ".yml", ".yaml", ".cfg", ".ini")
LEVEL_STYLES = {"ok": "good", "note": "dim", "warning": "warn", "error": "bad"}


def initialised(report: InitReport, *, hottest: Sequence[str] = (), facts: Sequence[str] = ()) -> Page:
    """Return a page with the results of `init`, and commands to try next.

    Args:
        report: the report of the run.
        hottest: the files that change most, as examples for `related`.
        facts: sentences about the repository.
    """
    yield Para(say("init.title", root=report.root), "strong")
    yield from (
        Para(line, indent=2)
        for line in (_rules(report), _history(report), _code(report), _outcome(report))
        if line
    )
    if secrets := redaction_sentence(report.redactions):
        yield Para(f"{secrets}.", "warn", indent=2)
    yield from of_branches(report.branches_revived, report.branches_merged, report.branches_retired, indent=2)
    yield from _skips(report)
    yield Para(
        say("init.done", seconds=spoken().number(report.seconds, 1), home=report.home), "dim", indent=2
    )
    if facts:
        yield Para("")
        yield Para(say("init.about"), "strong")
        yield from (Para(one, indent=2) for one in facts)
    tries = _tries(report, hottest)
    width = max(len(command) for command, _ in tries)
    yield Para("")
    yield Para(say("init.next"), "strong")
    yield from (Para(f"{command.ljust(width)}  {what}", indent=2) for command, what in tries)


def facts_of(hottest: str, related: Sequence[FileHit], checks: Sequence[str]) -> list[str]:
    """Return up to three sentences about a repository.

    Args:
        hottest: the code file that changes most; empty if unknown.
        related: files related to it, best first.
        checks: the commands that check its work, best first.
    """
    told = []
    if hottest:
        told.append(say("fact.hottest", path=hottest))
    if related and related[0].why:
        told.append(say("fact.related", path=related[0].path, why=in_words(related[0].why[0])))
    if checks:
        told.append(say("fact.checks", commands=say("and").join(f"`{one}`" for one in checks)))
    return told


def is_code(path: str) -> bool:
    """Return whether a file is code, by its suffix."""
    return PurePath(path).suffix not in NOT_CODE


def _tries(report: InitReport, hottest: Sequence[str]) -> list[tuple[str, str]]:
    code = next(filter(is_code, hottest), next(iter(hottest), ""))
    tries: list[tuple[str, str]] = []
    ask = say("try.search")
    if report.rules_found:
        tries.append((say("try.tests"), ask))
    elif code and report.candidates:
        tries.append((say("try.broke", path=code), ask))
    if code:
        tries.append((f"remora related {code}", say("try.related")))
    if report.stored > report.candidates or report.merged or report.unchanged:
        tries.append(("remora list", say("try.list")))
    if report.candidates:
        tries.append(("remora list --records", say("try.records")))
    last = [('remora remember "…"', say("try.remember")), ("remora install", say("try.install"))]
    return [*tries, *last]


def _code(report: InitReport) -> str:
    code = report.code
    if code is None or not code.files:
        return ""
    return say(
        "init.code",
        n=code.files,
        nodes=say("count.node", n=code.nodes),
        edges=say("count.edge", n=code.edges),
    )


def _rules(report: InitReport) -> str:
    if not report.rule_files:
        return say("init.no_rules")
    read = say("init.rules", n=len(report.rule_files), files=listed(report.rule_files, 6))
    found = say("init.rules_found", n=report.rules_found)
    return f"{read} {found}"


def _history(report: InitReport) -> str:
    if not report.commits_read:
        failed = any(skip.what == HISTORY for skip in report.skipped)
        return say("init.git_failed") if failed else say("init.no_git")
    if not report.commits_new:
        read = say("init.git_known", n=report.commits_read)
    elif report.commits_new == report.commits_read:
        read = say("init.git", n=report.commits_new)
    else:
        read = say("init.git_new", n=report.commits_new, all=report.commits_read)
    known = say("files.known", n=report.files_known, pairs=say("count.pair", n=report.edges))
    return f"{read} {known}."


def _outcome(report: InitReport) -> str:
    records = min(report.stored, report.candidates)
    told = (
        ("stored", report.stored - records),
        ("records", records),
        ("merged", report.merged),
        ("known", report.unchanged),
        ("retired", report.retired),
    )
    done = [say(f"init.{what}", n=number) for what, number in told if number]
    return f"{', '.join(done)}." if done else say("init.nothing")


Changed = Sequence[tuple[str, int]]


def of_branches(revived: Changed, merged: Changed, retired: Changed, indent: int = 0) -> list[Part]:
    """Return lines about memories that were restored, merged or retired with their branches."""
    told = (
        ("branch.revived", revived, "good"),
        ("branch.merged", merged, ""),
        ("branch.retired", retired, "warn"),
    )
    return [
        Para(say(key, branch=branch, n=number), style, indent)
        for key, changed, style in told
        for branch, number in changed
    ]


def _skips(report: InitReport) -> Page:
    if report.skipped:
        yield Para(say("init.skipped"), "warn", indent=2)
    if len(report.skipped) <= SHOWN_SKIPS:
        yield from (Para(f"{skip.what}: {in_words(skip.why)}", indent=4) for skip in report.skipped)
        return
    for why, number in Counter(skip.why for skip in report.skipped).most_common(SHOWN_SKIPS):
        examples = [skip.what for skip in report.skipped if skip.why == why]
        one = f"{examples[0]}: {in_words(why)}"
        yield Para(one if number == 1 else f"{number:,}: {in_words(why)} ({listed(examples, 2)})", indent=4)


def megabytes(size: int) -> str:
    """Return a size in bytes as text in megabytes (10**6 bytes)."""
    return say("megabytes", size=spoken().number(size / 1e6, 1))


def written(what: str, size: int, path: str) -> Page:
    """Return a page about a written file and its size."""
    return (Para(say("written", what=what, size=megabytes(size), path=path)),)


def counts(found: Stats) -> Page:
    """Return the counts and sizes of a project."""
    rows = {
        "project": say("stats.project", name=found.project, id=found.project_id),
        "home": found.home,
        "memories": f"{found.memories:,}" + _parts_of(found),
        **{
            f"  {kind}": f"{number:,}"
            for kind, number in sorted(found.by_type.items(), key=lambda i: (-i[1], i[0]))
        },
        **{f"{kind} records": f"{number:,}" for kind, number in sorted(found.records.items())},
        "forgotten": f"{found.forgotten:,}" if found.forgotten else "",
        "your own": say("count.memory", n=found.user_memories) if found.user_memories else "",
        "turns": say("stats.turns", turns=found.turns, n=found.sessions) if found.sessions else "",
        "written": ", ".join(f"{number:,} {kind}" for kind, number in found.written.items()),
        "files": say("stats.files", files=found.files, n=found.pairs) if found.files else "",
        "modules": listed((f"{name} ({number:,})" for name, number in found.modules.items()), 5),
        "change most": listed(found.hottest, 5),
        "commits": say("stats.commits", n=found.commits)
        + (say("stats.last", sha=found.commit[:10]) if found.commit else "")
        if found.commits
        else "",
        "vectors": "\n".join(
            say("stats.vectors", number=v.owners, kind=v.owner_kind, model=v.model_id, dims=str(v.dims))
            for v in found.vectors
        ),
        "use": ", ".join(f"{kind} {times:,}" for kind, times in found.uses.items()),
        "corrections": say("stats.corrections", share=spoken().percent(found.corrections, 1))
        if found.corrections is not None
        else "",
        "database": megabytes(found.database_bytes),
        "session logs": megabytes(found.log_bytes) if found.log_bytes else "",
    }
    return (fields(rows.items()),)


def _parts_of(found: Stats) -> str:
    parts = (
        (found.needs_review, "review"),
        (found.pinned, "pinned"),
        (found.verified, "verified"),
        (found.tainted, "tainted"),
    )
    said = ", ".join(say(f"stats.{what}", n=number) for number, what in parts if number)
    return f" ({said})" if said else ""


def examination(report: Report) -> Page:
    """Return the findings of the doctor with advice, and a summary line."""
    rows = []
    for finding in report.findings:
        style = LEVEL_STYLES[finding.level]
        what, detail, advice = map(in_words, (finding.what, finding.detail, finding.advice))
        rows.append((Cell(say(f"level.{finding.level}"), style), Cell(what, "strong"), Cell(detail)))
        if advice:
            rows.append((Cell(""), Cell(""), Cell(f"→ {advice}", style if style != "dim" else "")))
    numbers = Counter(f.level for f in report.findings)
    bad = [
        say(f"count.{level}", n=numbers[level]) for level in ("error", "warning", "note") if numbers[level]
    ]
    summary = say("doctor.well") if report.level in ("ok", "note") else say("doctor.attention")
    style = LEVEL_STYLES["ok" if report.level == "note" else report.level]
    last = Para(say("doctor.summary", summary=summary, what=", ".join(bad)) if bad else f"{summary}.", style)
    return (Table(("", "", ""), tuple(rows), wide=2, whole=True), Para(""), last)


def indexed(report: IndexReport) -> Page:
    """Return the counts of an index run: files read, files left out, and the size of the graph."""
    yield Para(say("index.files", n=report.files), "strong")
    graph = (
        say("count.node", n=report.nodes),
        say("count.edge", n=report.edges),
        say("count.code_chunk", n=report.chunks),
    )
    lines = [
        say(
            "index.read",
            n=report.read,
            unchanged=report.unchanged,
            deleted=report.deleted,
            resolved=report.resolved,
        ),
        ", ".join(graph),
    ]
    if report.precise:
        lines.append(say("index.scip", n=report.precise))
    if report.left_out:
        left = [f"{number:,} {in_words(why)}" for why, number in report.left_out]
        lines.append(say("learn.left_out", what=listed(left)))
    if report.broken:
        lines.append(say("index.broken", n=report.broken))
    yield from (Para(line, indent=2) for line in lines)
    yield from (Para(f"{s.what}: {in_words(s.why)}", "warn", indent=2) for s in report.skipped[:SHOWN_UNREAD])
    if len(report.skipped) > SHOWN_UNREAD:
        yield Para(say("more", n=len(report.skipped) - SHOWN_UNREAD), "warn", indent=2)
    if report.waiting:
        waiting = say("index.waiting", n=report.waiting)
        yield Para(waiting, "dim", indent=2)
    if not report.complete:
        yield Para(say("index.unfinished"), "warn", indent=2)
    yield Para(say("done_in", seconds=spoken().number(report.seconds, 1)), "dim", indent=2)


def round_of(report: IndexReport) -> Page:
    """Return one line about a round of watching."""
    ms = spoken().number(report.seconds * 1000, 0)
    return (Para(say("index.round", n=report.read, deleted=report.deleted, files=report.files, ms=ms)),)


def impacts(found: Impacts, shown: Sequence[Impact]) -> Page:
    """Return the code that may break, nearest first, then the memories about the target."""
    yield from table("impact", map(_row, shown), wide=2, whole=True)
    if not shown:
        yield Para(say("impact.none", target=found.target))
    tests = len(found.tests)
    if tests and len(shown) != tests:
        yield Para(say("impact.tests", n=tests), "dim")
    if found.memories:
        yield Para("")
        yield Para(say("impact.memories"), "strong")
        for record in found.memories[:SHOWN_MEMORIES]:
            yield Para(f"{short(record.id)} {record.type}: {shorten(record.content, 160)}", indent=2)


def _row(impact: Impact) -> tuple[str | Cell, ...]:
    marks = [say(f"impact.{mark}") for mark, on in (("test", impact.test), ("guess", impact.guess)) if on]
    through = impact.via[-1].partition(" <-")[0] if impact.depth > 1 else ""
    text = f"{impact.uses} {through}".strip() + (f" ({', '.join(marks)})" if marks else "")
    return (
        Cell(str(impact.depth), "dim"),
        Cell(impact.place, "id"),
        Cell(text, "warn" if impact.guess else ""),
    )


def modules(found: Sequence[ModuleInfo]) -> Page:
    """Return the modules of the code as a table."""
    rows = (
        (
            Cell(m.name, "id"),
            f"{m.files:,}",
            Cell(f"{m.lines:,}", "dim"),
            Cell(str(m.tests) if m.tests else "", "dim"),
            Cell(f"{m.memories} ({spoken().percent(m.covered)})" if m.memories else "", "good"),
            m.purpose,
            Cell(listed(m.depends_on, 3), "dim"),
            Cell(listed(m.hot, 2), "dim"),
        )
        for m in found
    )
    yield from table("modules", rows, wide=5, spare=(7, 6, 3, 2))
    said = [
        Para(say(f"module.{what}", module=m.name, names=listed(names, 3)), "dim")
        for what in ("entries", "needs")
        for m in found
        if (names := getattr(m, what))
    ]
    yield from said
    if said:
        yield Para(say("module.said"), "dim")


def described(report: SemanticReport | None) -> Page:
    """Return the counts of modules described by the language model; empty if it was not asked."""
    if report is None or not report.modules:
        return
    calls = say("count.call", n=report.calls)
    relations = say("described.relations", n=report.edges, dropped=report.dropped)
    told = say("described.modules", n=len(report.described), calls=calls, relations=relations)
    yield Para(told, indent=2)
    if report.waiting:
        yield Para(say("described.waiting", n=report.waiting), indent=2)


def imported(done: Imported) -> Page:
    """Return the counts of an import."""
    told = (
        (done.new, say("count.new_memory", n=done.new)),
        (done.known, say("imported.known", n=done.known)),
        (done.entries, say("imported.notes", n=done.entries)),
        (done.sessions, say("count.conversation", n=done.sessions)),
        (done.files, say("imported.files", n=done.files)),
        (len(done.left), say("imported.left", n=len(done.left))),
        (len(done.bad), say("imported.bad", n=len(done.bad))),
    )
    words = ", ".join(text for number, text in told if number) or say("moved.nothing")
    would = say("imported.would", what=words)
    return (Para(would if done.dry_run else say("imported.did", what=words)),)


def erased(done: Erased, what: str) -> Page:
    """Return a page about an erasure: what was erased, from which places, and where copies may remain."""
    yield Para(say("erased.did", what=what), "strong")
    if done.found:
        yield Para(say("erased.stood"))
    yield from table("places", ((in_words(name), f"{n:,}") for name, n in sorted(done.found.items())))
    yield Para(say("erased.away"))
    yield from (Para(f"- {in_words(one)}") for one in done.elsewhere)


def privacy(found: Privacy) -> Page:
    """Return the data locations on this machine, and the data that may or never will leave it."""
    rows = ((in_words(one.what), megabytes(one.bytes), Cell(one.path, "dim")) for one in found.places)
    yield from table("privacy", rows, wide=2, whole=True)
    if found.secrets:
        yield Para(say("privacy.removed", n=found.secrets))
    yield Para(say("privacy.may_leave"), "strong")
    yield from [Para(f"- {in_words(one)}") for one in found.sent] or [Para(say("privacy.leaves_nothing"))]
    yield Para(say("privacy.stays"), "strong")
    yield from (Para(f"- {in_words(one)}") for one in found.never)


def health(found: Health) -> Page:
    """Return the health score with its parts, memory counts, and the coverage of modules."""
    score = say("score.of", score=found.score) if found.score is not None else say("score.none")
    shares = (("fresh", found.fresh), ("reviewed", found.reviewed), ("right", found.right))
    parts = (*shares, ("covered", found.covered))
    rows = (
        (one.module, f"{one.lines:,}", say("count.memory", n=one.memories))
        for one in found.modules[:SHOWN_MODULES]
    )
    yield Para(say("score.health", score=score), "strong")
    yield fields((name, spoken().percent(share)) for name, share in parts)
    counts = {"n": found.memories, "active": found.active, "waiting": found.waiting}
    yield Para(say("score.memories", **counts, outdated=found.outdated))
    yield from table("health", rows, wide=0)


def costs(found: Costs) -> Page:
    """Return the costs of language models by purpose."""
    rows = []
    for row in found.rows:
        tokens = [f"{'~' if row.estimated else ''}{n:,}" for n in (row.input_tokens, row.output_tokens)]
        rest = (f"{row.failed:,}", row.model, "" if row.money is None else f"{row.money:.2f}")
        rows.append((row.purpose, f"{row.calls:,}", *tokens, f"{row.seconds:.0f} s", *rest))
    limit = say("costs.limit", tokens=found.limit) if found.limit else ""
    yield from table("costs", rows, wide=6)
    yield Para(say("costs.today", tokens=found.today, limit=limit))
    yield from (Para(say("costs.due", what=in_words(what))) for what in found.due)
