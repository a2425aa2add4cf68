"""Read the existing rule files, git history and code of a project, each source once.

Every source has a key in `source_items`: a rule its hash, a commit its id. Known items are left alone and
new ones stored; a rule that disappeared from its files is forgotten, unless a person verified or pinned it.
The history is read from the last commit read; that commit is stored in the same transaction as the data
learned from it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.codebase.indexing import index
from remora.app.importing.allowed_imports import allowed
from remora.app.learning.code_staleness import settle_overtaken
from remora.app.learning.git_history import History, Progress, Tally, mark_orphans, take_history
from remora.app.memories import triggers
from remora.app.memories.embedding import catch_up
from remora.app.project.branches import settle
from remora.app.project.locate import data_dir, shared_root
from remora.core.change import acting
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.rule_names import ON_REQUEST
from remora.core.secrets import redact
from remora.core.skip import FAILED, sparing
from remora.core.text import content_hash
from remora.core.values import HISTORY, InitReport, MemoryRecord, Origin, Redaction
from remora.lifecycle.flags import RETIRED
from remora.sources.rules import Rule, read_rules

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.code import IndexReport
    from remora.store.database import Database

APPLIES_TO = "applies to "  # prefix of each file or glob in the mark of a rule


@acting("system:init")
def init(project: OpenProject, path: Path | None, progress: Progress | None) -> InitReport:
    """Read rule files, git history and code; see `Memory.init`."""
    started = time.monotonic()
    location = project.location
    if path is not None and not path.resolve().is_relative_to(location.root):
        raise InvalidInput(
            f"{path} is not in {location.root}", hint="Open the memory of that folder: Memory.open(path)."
        )
    db = project.db
    tally = Tally()
    home = project.environ.get("HOME") or project.environ.get("USERPROFILE")
    # Text from outside of the repository never goes into a home inside it, which may be committed or shared.
    apart = not location.home.is_relative_to(shared_root(location.repository, location.root))
    outside = allowed(data_dir(project.environ), location.id) if apart else frozenset()
    scan = read_rules(location.root, home=Path(home) if home else None, allowed=outside)
    tally.skipped += scan.skipped
    for redaction in (r for file in scan.files for r in file.redactions):
        tally.redactions[redaction.kind] += redaction.count
    _take_rules(project, db, scan.rules, tally)
    history = History(0, 0, 0)
    if location.repository is not None:
        with sparing(HISTORY, tally.skipped, "earlier data is kept: "):
            history = take_history(project, db, location.repository, tally, progress)
    mark_orphans(project, db)
    code = _take_code(project, tally, progress)
    settled = settle(project)
    settle_overtaken(project)
    triggers.refresh(project)
    if progress:
        progress("embedding", 0, 0)
    catch_up(project, None, progress)
    files, edges = db.history.counts()
    return InitReport(
        project_id=location.id,
        home=str(location.home),
        root=str(location.root),
        rule_files=tuple(f.path for f in scan.files),
        rules_found=len(scan.rules),
        stored=tally.stored,
        merged=tally.merged,
        unchanged=tally.unchanged,
        retired=tally.retired,
        commits_read=history.known,
        commits_new=history.new,
        edges=edges,
        files_known=files,
        candidates=history.candidates,
        redactions=tuple(Redaction(kind, n) for kind, n in sorted(tally.redactions.items())),
        skipped=tuple(tally.skipped),
        code=code,
        seconds=time.monotonic() - started,
        branches_merged=settled.merged,
        branches_retired=settled.retired,
        branches_revived=settled.revived,
    )


def _take_code(project: OpenProject, tally: Tally, progress: Progress | None) -> IndexReport | None:
    """Index the code; a folder that cannot be listed does not stop the rest of `init`."""
    with sparing("the code", tally.skipped):
        report = index(project, progress=progress)
        tally.skipped += [skip for skip in report.skipped if skip.why.startswith(FAILED)]
        return report
    return None


def _take_rules(project: OpenProject, db: Database, rules: Iterable[Rule], tally: Tally) -> None:
    upkeep = project.store("project").upkeep
    now = to_iso(project.clock.now())
    found = _by_key(rules)
    with db.connection.transaction():
        seen = db.history.seen("rule")
        gone = seen.keys() - found.keys()
        still = {seen[key][0] for key in seen.keys() - gone}  # two rules may have become one memory
        for key in sorted(gone):
            memory_id = seen[key][0]
            record = db.memories.get(memory_id) if memory_id and memory_id not in still else None
            if record and _is_only_a_rule(record, key):
                upkeep.retire(record.id, RETIRED)
                tally.retired += 1
        db.history.unsee("rule", gone)
        for key, rule in found.items():
            mark = _mark(rule)
            if key in seen:
                tally.unchanged += 1
                if seen[key][1] != mark:
                    with sparing(mark[0], tally.skipped), db.connection.transaction():
                        _follow(project, db, seen[key], rule, now)
                        db.history.set_seen("rule", key, seen[key][0], mark, now)
                continue
            with sparing(mark[0], tally.skipped), db.connection.transaction():
                record = _take_rule(project, rule)
                _add_origins(db, record, rule, now)
                db.history.set_seen("rule", key, record.id, mark, now)
                tally.took(record)


def _by_key(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return the rules by key; the key of a rule with a secret is the hash of its redacted text."""
    found: dict[str, Rule] = {}
    for rule in rules:
        clean = redact(rule.draft.content)
        key = content_hash(clean.text) if clean.redactions else rule.key
        known = found.get(key)
        found[key] = rule if known is None else known._replace(origins=(*known.origins, *rule.origins))
    return found


def _is_only_a_rule(record: MemoryRecord, key: str) -> bool:
    """Return whether a memory has no other source than its rule and no person confirmed or rewrote it."""
    if record.deprecated or record.user_verified or record.pinned:
        return False
    said = [record.content, *(o.text for o in record.origins if o.text)]
    as_read = {content_hash(words) for text in said for words in (text, text.rstrip(" .;!"))}
    return key in as_read and all(o.path is not None for o in record.origins)


def _mark(rule: Rule) -> tuple[str, ...]:
    """Return the places of a rule and where it applies; if they change, its memory is updated."""
    places = tuple(f"{path}:{line}" for path, line in rule.origins)
    asked = (ON_REQUEST,) if ON_REQUEST in rule.draft.tags else ()
    return (*places, *(f"{APPLIES_TO}{path}" for path in rule.draft.related_files), *asked)


def _take_rule(project: OpenProject, rule: Rule) -> MemoryRecord:
    """Store a new rule; restore its memory if `init` retired it, but not if a person forgot it."""
    store = project.store("project")
    record = store.intake.remember(rule.draft, revive=False)
    if record.receipt is None or record.receipt.action != "skipped":
        return record
    if RETIRED not in (record.review_reason or ""):
        return record
    store.upkeep.restore(record.id)
    record = store.intake.remember(rule.draft)
    receipt = record.receipt
    if record.related_files != rule.draft.related_files or record.scope != rule.draft.scope:
        record = store.upkeep.edit(record.id, _applies(rule))
    return _retagged(project, record, rule)._replace(receipt=receipt)


def _retagged(project: OpenProject, record: MemoryRecord, rule: Rule) -> MemoryRecord:
    """Return the memory of a rule, with the tag ON_REQUEST only if the rule has it."""
    asked = ON_REQUEST in rule.draft.tags
    if asked == (ON_REQUEST in record.tags):
        return record
    tags = [tag for tag in record.tags if tag != ON_REQUEST] + [ON_REQUEST] * asked
    return project.store("project").upkeep.edit(record.id, {"tags": tuple(tags)})


def _follow(
    project: OpenProject, db: Database, seen: tuple[str | None, tuple[str, ...]], rule: Rule, now: str
) -> None:
    """Add a rule's new places to its memory, and update where it applies; edited paths stay."""
    record = db.memories.get(seen[0]) if seen[0] else None
    if record is None or record.deprecated:
        return
    before = tuple(p.removeprefix(APPLIES_TO) for p in seen[1] if p.startswith(APPLIES_TO))
    if record.related_files == before != rule.draft.related_files:
        record = project.store("project").upkeep.edit(record.id, _applies(rule))
    record = _retagged(project, record, rule)
    known = {o.path for o in record.origins}
    _add_origins(db, record, rule._replace(origins=tuple(o for o in rule.origins if o[0] not in known)), now)


def _applies(rule: Rule) -> dict[str, object]:
    draft = rule.draft
    return {
        "related_files": draft.related_files,
        "related_modules": draft.related_modules,
        "scope": draft.scope,
    }


def _add_origins(db: Database, record: MemoryRecord, rule: Rule, now: str) -> None:
    """Add every further place of a rule to the origins of its memory."""
    known = {(o.path, o.line) for o in record.origins}
    more = [
        Origin(rule.draft.source, now, path=path, line=line)
        for path, line in rule.origins
        if (path, line) not in known
    ]
    if more and not record.deprecated:
        db.memories.update(record.id, {"origins": (*record.origins, *more)})
