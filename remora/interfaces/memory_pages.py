"""Pages about memories, hits, files, changes, injections, trials and status."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remora.core.clock import days_between, to_iso
from remora.core.evidence import QUIET
from remora.core.strength import GRACE_DAYS, current_confidence
from remora.core.text import collapse, shorten
from remora.core.triggers import BUT, IF, ONLY, PATTERN, WANTED, WHEN, Trigger
from remora.core.values import FileHit, Hit, MemoryRecord, Reason, Relation, Skipped, Taint
from remora.interfaces.page import Cell, Fields, Item, Page, Para, fields, table
from remora.interfaces.present import (
    FAINT,
    GOOD,
    age,
    brief_marks,
    dumps,
    hit_files,
    hit_key,
    hit_whence,
    listed,
    marks,
    place,
    receipt_sentence,
    redaction_sentence,
    said_by,
    short,
    warns,
    when,
    whence,
)
from remora.interfaces.words import field, in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.agent.correction import Corrected
    from remora.app.agent.preview import Preview
    from remora.app.agent.status import Status, Why
    from remora.app.agent.trial import Proposal, TrialReport
    from remora.app.agent.trust import TrustReport
    from remora.app.health.maintenance import Maintained
    from remora.app.recall.questions import Answer, Passage
    from remora.core.merge import Revision
    from remora.core.trial import Compared, Estimate
    from remora.lifecycle.prune import PrunePlan
    from remora.store.injections import Injection
    from remora.store.uses import Use

# Stages whose score is a factor; other stages add evidence or ranks.
FACTORS = frozenset({"busy", "test", "phase", "source", "use", "confidence", "stale", "review", "pinned"})
_USES = ("said", "asked", "cited", "helped", "unhelpful", "wrong", "looked")
# Fields that the history of a memory shows in addition to its text.
_SHOWN_CHANGES = (
    "type",
    "confidence",
    "tags",
    "related_files",
    "related_modules",
    "scope",
    "branch",
    "triggers",
)
AROUND = 200  # characters of a message next to a hit
LONGEST_TYPE = len("causal_dependency")


def receipt(record: MemoryRecord, *, guessed: bool = False) -> Page:
    """Return a page with the result of storing a memory: the action, merged origins, removed secrets."""
    yield Item(short(record.id), (Cell(receipt_sentence(record), "good"),), record.content)
    got = record.receipt
    if got is not None and got.action == "merged":
        others = [o.text for o in record.origins if o.text]
        if len(record.origins) > 1:
            yield Para(say("receipt.origins", places=listed(place(o) for o in record.origins)), indent=2)
        if got.similarity < 1.0 and others:
            yield Para(say("receipt.words", text=shorten(others[-1], 120)), indent=2)
    if got is not None and (secrets := redaction_sentence(got.redactions)):
        yield Para(secrets, "warn", indent=2)
    yield from (Para(in_words(note), "warn", indent=2) for note in (got.notes if got is not None else ()))
    if guessed and got is not None and got.action == "stored":
        advice = say("receipt.guessed", id=short(record.id))
        yield Para(advice, "dim", indent=2)


def changed(records: Sequence[MemoryRecord], what: str) -> Page:
    """Return a line for each changed memory, with the change."""
    return tuple(Item(short(r.id), (Cell(what, "good"),), shorten(r.content, 200)) for r in records)


def memory_list(records: Sequence[MemoryRecord], now: float) -> Page:
    """Return memories as a table."""
    rows = (
        (
            Cell(short(r.id), "id"),
            r.type,
            Cell(spoken().number(current_confidence(r, now)), "dim"),
            Cell(age(r.created_at, now), "dim"),
            Cell(shorten(r.content, 160), "dim" if r.deprecated else ""),
            Cell(listed(r.related_files, 2), "dim"),
            Cell(", ".join(brief_marks(r)), "warn" if warns(r) else "dim"),
        )
        for r in records
    )
    return table("list", rows, wide=4, spare=(5, 2, 3))


def hits(found: Sequence[Hit], now: float, *, why: bool = False, around: bool = False) -> Page:
    """Return search results: rank, relevance, type, origin, age, text and files.

    `why` adds the explanation of each hit, `around` the messages next to a hit in a conversation.
    """
    for rank, hit in enumerate(found, 1):
        record = hit.memory
        warned = [*(marks(record) if record is not None else ())]
        if hit.disagrees_with:
            warned.append(say("hit.disagrees", ids=listed(short(i) for i in hit.disagrees_with)))
        if hit.amended_by:
            warned.append(say("hit.amended", ids=listed(short(i) for i in hit.amended_by)))
        bad = hit.disagrees_with or (record is not None and warns(record))
        facts = (
            Cell(f"#{rank}".ljust(3)),
            Cell(spoken().number(hit.score), "good" if hit.score >= GOOD else "dim"),
            Cell(hit.kind.ljust(LONGEST_TYPE), "strong"),
            Cell(hit_whence(hit), "dim"),
            Cell(age(record.created_at if record is not None else hit.time, now), "dim"),
        )
        tail = (Cell(listed(hit_files(hit), 4), "dim"), Cell(", ".join(warned), "warn" if bad else "dim"))
        style = "dim" if hit.score < FAINT else ""
        yield Item(hit_key(hit), tuple(f for f in facts if f.text), hit.text, tail, style)
        if around and hit.context:
            rows = tuple((one.role, Cell(shorten(collapse(one.content), AROUND))) for one in hit.context)
            yield Fields(rows, indent=4)
        if why:
            yield from explanation(hit, now)


def explanation(hit: Hit, now: float) -> Page:
    """Return the explanation of a hit's rank: evidence, and factors that raised or lowered it."""
    weighed = any(r.stage == "evidence" for r in hit.why)  # repeats the ranks of stage "paths" as shares
    told = [r for r in hit.why if r.note and not (weighed and r.stage == "paths")]
    found = [_plain(r.note) for r in told if r.stage not in FACTORS]
    factors = [r for r in hit.why if r.stage in FACTORS]
    raised = [_factor(r) for r in factors if r.score >= 1.0]
    lowered = [_factor(r) for r in factors if r.score < 1.0]
    record = hit.memory
    known = when(hit.time, now) if hit.time else ""
    if record is not None:
        origins = listed(place(o) for o in record.origins) or whence(record)
        known = say("why.known", when=when(record.created_at, now), places=origins)
    lines: dict[str, str | Cell] = {
        "found": say("semicolon").join(found),
        "raised by": say("semicolon").join(raised),
        "lowered by": Cell(say("semicolon").join(lowered), "warn"),
        "time": known,
        "confidence": _confidence(record, now) if record is not None else "",
    }
    shown = fields(lines.items(), indent=4)
    return (shown,) if shown.rows else ()


def card(
    record: MemoryRecord,
    now: float,
    *,
    parents: Sequence[MemoryRecord] = (),
    dependents: Sequence[MemoryRecord] = (),
) -> Page:
    """Return a page with all fields of a memory and its full text.

    Args:
        record: the memory.
        now: seconds since the epoch, for ages.
        parents: the memories it was derived from; deleted ones are missing.
        dependents: the memories that were derived from it.
    """
    warned = marks(record)
    yield Para(f"{record.id}  {record.type}", "strong")
    if warned:
        yield Para(", ".join(warned), "warn" if warns(record) else "dim")
    rows: dict[str, str] = {
        "source": f"{whence(record)}, {when(record.created_at, now)}",
        "changed": when(record.updated_at, now) if record.updated_at != record.created_at else "",
        "used": say("card.used", n=record.access_count, when=when(record.last_accessed_at, now))
        if record.access_count
        else say("card.unused"),
        "confidence": _confidence(record, now),
        "scope": record.scope + (say("card.own") if record.realm == "user" else ""),
        "branch": record.branch or "",
        "files": "\n".join(record.related_files),
        "modules": ", ".join(record.related_modules),
        "tags": ", ".join(record.tags),
        "work unit": record.work_unit_ref.label if record.work_unit_ref else "",
        "methodology": record.methodology or "",
        "commit": record.commit_sha or "",
        "session": record.session_id or "",
        "lines": f"{record.chunk_start_line}-{record.chunk_end_line}" if record.chunk_start_line else "",
        "external id": record.external_id or "",
        "payload": dumps(record.payload) if record.payload else "",
        "origins": "\n".join(_origin(record, i, now) for i in range(len(record.origins))),
        "relations": "\n".join(_relation(r) for r in record.relations),
        "derived from": "\n".join(_named(record.derived_from, parents)),
        "dependents": "\n".join(_named([d.id for d in dependents], dependents)),
        "replaced by": short(record.superseded_by) if record.superseded_by else "",
        "forgotten": _forgotten(record, now),
        "review": in_words(record.review_reason or "") or (say("card.review") if record.needs_review else ""),
        "taint": _taint(record),
        "secrets": say("card.secrets", n=record.redaction_count) if record.redaction_count else "",
        "vector of": record.embedding_model_id or say("card.no_vector"),
    }
    yield Para("")
    yield Para(record.content)
    yield Para("")
    yield fields(rows.items())


def corrected(done: Corrected) -> Page:
    """Return a page with the result of a correction."""
    old = done.memory
    text = "" if done.choice == "erase" else old.content
    yield Item(short(old.id), (Cell(say(f"corrected.{done.choice}"), "good"),), text)
    if done.new is not None:
        yield Item(short(done.new.id), (Cell(say("corrected.now"), "good"),), done.new.content)


def trust(found: TrustReport) -> Page:
    """Return a page with the trust level of a project, its reason, and the conditions for the next level."""
    told = say("trust.unasked", confidence=found.threshold)
    rows: dict[str, str | Cell] = {
        "level": Cell(f"{found.level} {say(f'level.{found.level}')}", "strong"),
        "because": in_words(found.why),
        "told unasked": told + (say("trust.set") if found.setting else ""),
        "next": say("semicolon").join(map(in_words, found.missing)),
        "chosen": "" if found.auto else say("trust.yours"),
    }
    return (fields(rows.items()),)


def history(found: Sequence[Revision], now: float) -> Page:
    """Return the revisions of a memory, oldest first, numbered for `restore --revision`."""
    rows: list[tuple[str | Cell, ...]] = []
    known: dict[str, object] = {}
    for number, one in enumerate(found, start=1):
        told = say("semicolon").join(filter(None, (_changed(one.fields, known), in_words(one.why))))
        who = Cell(_author(one), "dim")
        rows.append((Cell(str(number), "id"), when(to_iso(one.at), now), who, one.op, told))
        known |= one.fields
    return table("history", rows, wide=4, whole=True)


def _author(one: Revision) -> str:
    kind, _, name = one.author.partition(":")
    return say("team.you") if kind == "person" and name == one.device else one.author.strip(":")


def _changed(fields: Mapping[str, object], known: Mapping[str, object]) -> str:
    """Return a description of a change: the text, and names and values of other fields."""
    if not known:
        return str(fields.get("content", ""))
    told = []
    for name, value in fields.items():
        if name == "content":
            told.append(say("history.text", old=shorten(str(known.get(name, "")), 60), new=str(value)))
        elif name in _SHOWN_CHANGES:
            told.append(f"{field(name.replace('_', ' '))} {_plainly(known.get(name))} → {_plainly(value)}")
    return ", ".join(told)


def _plainly(value: object) -> str:
    return say("none") if value in (None, "", "[]") else str(value)


def files(found: Sequence[FileHit]) -> Page:
    """Return files with score and evidence as a table."""
    rows = (
        (
            Cell(f.path, "id"),
            Cell(spoken().number(f.score), "dim"),
            say("semicolon").join(map(in_words, f.why)),
        )
        for f in found
    )
    return table("files", rows, wide=2, whole=True)


def _factor(reason: Reason) -> str:
    if reason.stage == "source":
        why = say("why.source", name=said_by(reason.note))
    elif reason.stage == "confidence":
        why = say("why.confidence")
    else:
        why = in_words(reason.note) or reason.stage
    return f"{why} (× {spoken().number(reason.score)})"


_TERMS = {"dense": "meaning", "cosine": "meaning", "fts": "words", "words": "words", "graph": "files"}


def _plain(note: str) -> str:
    """Return a stage's note with everyday words in place of technical terms.

    >>> _plain("dense #2, fts #1, graph #1"), _plain("cosine 0.52, words 0.20 (trusted 1.0)")
    ('meaning #2, words #1, files #1', 'meaning 0.52, words 0.20')
    """
    for term, word in _TERMS.items():
        note = re.sub(rf"\b{term}(?= #?[\d.]+)", say(f"why.{word}"), note)
    return ", ".join(map(in_words, re.sub(r" \(trusted [\d.]+\)", "", note).split(", ")))


def _confidence(record: MemoryRecord, now: float) -> str:
    current = current_confidence(record, now)
    if not record.decay_half_life_days:
        return say("confidence.steady", confidence=record.confidence)
    if record.pinned:
        return say("confidence.pinned", confidence=record.confidence)
    unused = days_between(record.last_accessed_at, now)
    return say(
        "confidence.fades",
        now=current,
        fresh=record.confidence,
        days=f"{record.decay_half_life_days:g}",
        unused=f"{unused:.0f}",
    )


def _origin(record: MemoryRecord, index: int, now: float) -> str:
    origin = record.origins[index]
    words = say("origin.words", text=collapse(origin.text)) if origin.text else ""
    by = say("origin.by", source=origin.source) if origin.path or origin.commit_sha else ""
    return f"{place(origin)}{by}, {when(origin.at, now)}{words}"


def _relation(relation: Relation) -> str:
    target = (
        short(relation.target_memory_id) if relation.target_memory_id else relation.target_file_path or "?"
    )
    found = say("relation.detected") if relation.auto_extracted else ""
    return f"{relation.relation_type.replace('_', ' ')} {target}{found}"


def _named(ids: Sequence[str], known: Sequence[MemoryRecord]) -> list[str]:
    by_id = {r.id: r for r in known}
    gone = say("memory.deleted")
    return [f"{short(i)}  {shorten(by_id[i].content, 80) if i in by_id else gone}" for i in ids]


def _forgotten(record: MemoryRecord, now: float) -> str:
    if not record.deprecated:
        return ""
    left = GRACE_DAYS - days_between(record.deprecated_at, now) if record.deprecated_at else GRACE_DAYS
    later = say("forgotten.later", n=round(left))
    soon = say("forgotten.soon")
    kept = say("forgotten.kept") if record.user_verified or record.pinned else later if left > 0 else soon
    return say("forgotten.told", when=when(record.deprecated_at, now), kept=kept, id=short(record.id))


def _taint(record: MemoryRecord) -> str:
    if record.taint is None:
        return ""
    return say("taint.told", source=record.taint.source, step=_step(record.taint), id=short(record.id))


def _step(taint: Taint) -> str:
    return say("taint.step", step=taint.step) if taint.step is not None else ""


def pruning(done: PrunePlan, now: float, *, dry_run: bool) -> Page:
    """Return a page with the result of pruning, or its preview."""
    will = "would" if dry_run else "did"

    def row(r: MemoryRecord, what: str, why: str) -> tuple[str | Cell, ...]:
        told = say(f"prune.{will}.{what}")
        return Cell(short(r.id), "id"), told, r.type, Cell(why, "dim"), shorten(r.content, 120)

    rows = [
        *(row(r, "forgotten", say("prune.used", age=age(r.last_accessed_at, now))) for r in done.forget),
        *(row(r, "deleted", say("prune.forgotten", age=age(r.deprecated_at, now))) for r in done.delete),
    ]
    if not (rows or done.cache_rows):
        yield Para(say("prune.nothing"))
        return
    yield from table("prune", rows)
    told = say("prune.done", forgotten=len(done.forget), deleted=len(done.delete), cached=done.cache_rows)
    advice = say("prune.restore") if done.forget else ""
    yield Para(say("prune.dry", done=told) if dry_run else f"{told}.{advice}")


def handed_in(records: Sequence[MemoryRecord], skipped: Sequence[Skipped]) -> Page:
    """Return the results of many drafts: stored memories, then refused drafts, then the counts."""
    for record in records:
        yield from receipt(record)
    yield from (Para(f"{skip.what}: {in_words(skip.why)}", "warn") for skip in skipped)
    numbers = Counter(r.receipt.action for r in records if r.receipt is not None)
    if skipped:
        numbers["refused"] = len(skipped)
    told = listed(say(f"drafts.{what}", n=number) for what, number in numbers.items()) or say(
        "drafts.nothing"
    )
    yield Para(say("drafts.told", n=len(records) + len(skipped), what=told), "strong")


def superseding(old: MemoryRecord, flagged: Sequence[MemoryRecord]) -> Page:
    """Return a page about a superseded memory and its dependents marked for review."""
    yield Para(say("superseding", id=short(old.id), text=shorten(old.content, 120)), indent=2)
    if flagged:
        yield Para(flagged_sentence(flagged), "warn", indent=2)


def flagged_sentence(flagged: Sequence[MemoryRecord]) -> str:
    """Return a sentence about the dependents marked for review."""
    named = listed((short(r.id) for r in flagged), 6)
    return say("flagged", n=len(flagged), ids=named)


# Injections


def log(said: Sequence[Injection]) -> Page:
    """Return the injection log, one item per injection."""
    return map(_said, said)


def _said(one: Injection) -> Item:
    about = say("log.at", about=one.about) if one.about else ""
    facts = [Cell(one.trigger, "strong"), Cell(f"{one.moment}{about}"), Cell(in_words(one.why), "dim")]
    tail = [Cell(say("log.step", session=one.session_id, step=str(one.step)), "dim")]
    if one.agent:
        tail.append(Cell(say("log.subagent", name=one.agent), "dim"))
    if one.followed:
        tail.append(Cell(in_words(one.followed), "good"))
    return Item(one.at[:19].replace("T", " "), tuple(facts), one.text, tuple(tail))


_CONDITIONS = {
    ONLY: "why.only",
    IF: "why.if",
    BUT: "why.but",
    WANTED: "why.wanted",
}


def _trigger(one: Trigger) -> str:
    """Return a trigger in words, with its conditions."""
    needs = say("why.with") + ", ".join(one.needs) if one.needs else ""
    if one.kind == PATTERN:
        act = f"{'when' if WHEN in one.needs else 'forbids'} `{one.needs[0]}`"
    else:
        act = f"{one.kind} {one.key}{needs}"
    conditions = [
        say(key, value=value.removeprefix(mark))
        for value in one.unless
        for mark, key in _CONDITIONS.items()
        if value.startswith(mark)
    ]
    return "; ".join((act, *conditions))


def why(found: Why, now: float) -> Page:
    """Return a page with origins, trust, triggers, uses and injections of a memory."""
    m = found.memory
    trust = [spoken().number(m.confidence), m.source]
    trust += [say("why.verified")] if m.user_verified else []
    trust += [say("why.tainted", source=m.taint.source, step=_step(m.taint))] if m.taint else []
    trust += (
        [say("mark.due", value=in_words(m.review_reason or "") or say("why.learned"))]
        if m.needs_review
        else []
    )
    trust += [say("chip.outdated")] if m.stale_at else []
    uses = [used_for(found.uses), say("why.held_back", number=found.held_back) if found.held_back else ""]
    rows: list[tuple[str, str | Cell]] = [
        ("id", Cell(m.id, "id")),
        ("type", m.type),
        ("text", m.content),
        ("trust", ", ".join(trust)),
        ("created", m.created_at[:10]),
        ("origins", "\n".join(_origin(m, i, now) for i in range(len(m.origins))) or "-"),
        ("files", "\n".join(m.related_files)),
        ("dependents", "\n".join(short(child) for child in found.children)),
        ("triggers", "\n".join(map(_trigger, found.triggers))),
        ("use", ", ".join(filter(None, uses))),
    ]
    for one in found.effects:
        told = say("why.effect", factor=one.factor, trigger=one.trigger, n=one.helped, unhelped=one.unhelped)
        quiet = say("why.quiet") if one.factor <= QUIET else ""
        rows.append(("effect", told + quiet))
    yield fields(rows)
    times = say("count.time", n=len(found.said)) if found.said else say("why.never")
    yield Para(say("why.told", times=times))
    yield from (_said(one)._replace(text="") for one in found.said)


def used_for(uses: Mapping[str, Use]) -> str:
    """Return the uses of a memory, in words.

    >>> from remora.store.uses import Use
    >>> used_for({"said": Use(14, 9, ""), "helped": Use(6, 6, ""), "wrong": Use(1, 1, "")})
    'given as advice 14 times in 9 sessions, helped 6 times, reported wrong once'
    """
    told = []
    for kind in _USES:
        if (use := uses.get(kind)) is not None:
            times = say("use.often", n=use.times)
            where = say("use.sessions", number=use.sessions) if kind == "said" and use.sessions > 1 else ""
            told.append(f"{say(f'use.{kind}')} {times}{where}")
    return ", ".join(told)


def maintenance(runs: Sequence[Maintained], now: float) -> Page:
    """Return the daily maintenance runs, newest first."""
    rows = ((when(one.at, now), _maintained(one)) for one in runs)
    return table("maintenance", rows, wide=1, whole=True)


def _maintained(one: Maintained) -> str:
    told = (
        (len(one.forgotten), say("kept.forgotten", n=len(one.forgotten))),
        (one.waiting, say("kept.waiting", n=one.waiting)),
        (one.deleted, say("kept.deleted", n=one.deleted)),
        (one.bar, say("kept.bar", bar=str(one.bar))),
    )
    return say("semicolon").join(text for number, text in told if number) or say("kept.nothing")


def trial(found: TrialReport) -> Page:
    """Return a page with the results of the trial: each figure with advice given and held back."""
    yield Para(say("trial.share", share=f"{100 * found.share:g}", n=found.told, held=found.held))
    yield from _compared(found.figures)
    if found.sessions:
        yield Para(say("trial.whole"), "strong")
        yield from _compared(found.sessions)
    wrong = found.corrections
    yield Para(say("trial.called_wrong", share=_share(wrong), n=wrong.n))
    if (boosts := found.boosts).n:
        yield Para(say("trial.boosted", share=_share(boosts), n=boosts.n))
    for memories, number, failures in found.at_once:
        yield Para(
            say(
                "trial.at_once",
                n=memories,
                share=f"{100 * failures:.0f}",
                moments=say("trial.moments", n=number),
            )
        )
    if found.decided:
        yield Para(say("trial.decided", n=found.decided))
    for one in found.quiet:
        told = say("trial.sessions", n=one.helped, unhelped=one.unhelped)
        yield Item(short(one.memory_id), (Cell(say("trial.quiet_at", trigger=one.trigger)),), told)
    if found.proposals:
        yield from proposals(found.proposals)


def _compared(figures: Sequence[Compared]) -> Page:
    rows = (
        (
            field(one.name),
            f"{one.told.mean:.2f} ({one.told.n:,})",
            f"{one.held.mean:.2f} ({one.held.n:,})",
            _interval(one),
            say(f"trial.is.{one.verdict}"),
        )
        for one in figures
    )
    return table("trial", rows, wide=0, spare=(3,))


def _share(one: Estimate) -> str:
    percent = [spoken().number(100 * part, 1) for part in (one.mean, one.low, one.high)]
    return say("interval", value=percent[0], low=percent[1], high=percent[2]) if one.n else f"{percent[0]} %"


def _interval(one: Compared) -> str:
    both = one.told.n and one.held.n
    return f"{one.difference:+.2f} [{one.low:+.2f}, {one.high:+.2f}]" if both else ""


def proposals(found: Sequence[Proposal]) -> Page:
    """Return phase weights proposed from the trial."""
    rows = ((p.phase, p.type, f"{p.old:g}", f"{p.new:g}", f"{p.units:,}") for p in found)
    return (*table("weights", rows, wide=1), Para(say("trial.how")))


def status(found: Status) -> Page:
    """Return a page with the counts and sessions of a project, and the brief for a new session."""
    kept = found.maintenance
    rows: list[tuple[str, str | Cell]] = [
        ("project", found.root),
        ("memory", found.home),
        ("memories", f"{found.memories:,}"),
        *((f"{kind} records", f"{n:,}") for kind, n in sorted(found.records.items())),
        ("to review", f"{found.review:,}"),
        ("sessions learned", f"{found.learnt:,}"),
        ("texts go", in_words(found.texts)),
        ("shared", in_words(found.sharing)),
        ("maintenance", f"{_maintained(kept)} ({kept.at[:10]})" if kept else ""),
    ]
    for one in found.sessions:
        state = say("status.over") if one.over else say("status.active")
        counts = {"steps": say("count.step", n=one.steps), "sent": say("status.sent", n=one.said)}
        told = say("status.session", id=one.id, state=state, at=one.at[:19], **counts)
        rows.append(("session", told))
    yield fields(rows)
    if found.off:
        yield Para(say("status.switched_off", since=found.off[:16].replace("T", " ")), "warn")
    elif not found.speaks:
        yield Para(say("status.off"))
    elif found.brief:
        yield Para(say("status.brief"), "strong")
        yield Para(found.brief, indent=2)
    else:
        yield Para(say("status.no_brief"))


def answer(found: Answer) -> Page:
    """Return an answer: sentences with citations and their passages, or only the best passages."""
    if found.how == "nothing":
        yield Para(say("ask.nothing"))
        return
    if found.how == "passages":
        yield Para(say("ask.has"), "strong")
    else:
        for one in found.sentences:
            cited = " ".join([one.text, *(f"[#{name}]" for name in one.cites)])
            yield Para(cited if one.cites else say("ask.bare", text=one.text))
        yield Para("")
    for rest in found.passages:
        facts = [fact for fact in (rest.type or rest.source, _place_of(rest)) if fact]
        yield Item(f"#{rest.name}", tuple(Cell(fact, "dim") for fact in facts), rest.text)


def _place_of(passage: Passage) -> str:
    return f"{passage.path}:{passage.line}" if passage.path and passage.line else passage.path or ""


def preview(found: Preview) -> Page:
    """Return the text that an event would inject, and the memories about the file that stay silent."""
    yield from map(Para, found.text.splitlines() if found.text else [say("preview.nothing")])
    if found.why:
        yield Para(say("preview.why", why=in_words(found.why)), "dim")
    if found.silent:
        yield Para(say("preview.mute"), "strong")
    for one in found.silent:
        yield Item(short(one.id), (Cell(one.type), Cell(in_words(one.why), "warn")), one.content)
