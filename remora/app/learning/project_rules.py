"""Read the rule files of a project into its memory.

A rule's key in `source_items` is the hash of its text. Known rules are left alone and new ones stored; a rule
that disappeared from its files is forgotten, unless a person verified or pinned it. `init` reads them first;
from then on they are read again when a new commit of the default branch changed one, as soon as no rule file
has changes that are not committed. After a commit of a tainted session only `init` reads them.

A rule file of a repository can name a file in the user's home, whose text would become memories of the
project. Therefore the user allows each such file once; permissions are stored in the data folder, by project
id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.learning.commit_taint import any_tainted
from remora.app.learning.tally import Tally
from remora.app.memories import triggers
from remora.app.project.locate import data_dir, shared_root
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.rule_names import ON_REQUEST, kind_of
from remora.core.secrets import redact
from remora.core.skip import sparing
from remora.core.text import content_hash
from remora.core.values import MemoryRecord, Origin
from remora.disk.files import append_line, make_folder, read_small
from remora.lifecycle.flags import RETIRED
from remora.lifecycle.prune import is_erased
from remora.sources.branches import on_default
from remora.sources.rules import Rule, RuleScan, read_rules

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.sources.git import Repository
    from remora.store.database import Database


IMPORTS = "imports.jsonl"  # in the data folder; a line holds a project id and the real path of a file
_LARGEST = 1_000_000  # bytes of IMPORTS


def allowed_imports(data: Path, project_id: str) -> frozenset[str]:
    """Return the real paths that a project's rule files may import from outside of it."""
    found = set()
    for line in (read_small(data / IMPORTS, _LARGEST) or b"").splitlines():
        try:
            one = json.loads(line)
            if one["project"] == project_id:
                found.add(str(one["file"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def allow_import(data: Path, project_id: str, path: Path) -> str:
    """Let a project's rule files import a file; return its real path.

    A link with a new target needs permission again.

    Raises:
        InvalidInput: the path is not a file.
        StoreError: the permission cannot be written.
    """
    real = path.expanduser().resolve()
    if not real.is_file():
        raise InvalidInput(f"{path} is not a file", hint="Give the path that `remora init` shows.")
    if str(real) not in allowed_imports(data, project_id):
        make_folder(data)
        append_line(data / IMPORTS, json.dumps({"project": project_id, "file": str(real)}))
    return str(real)


APPLIES_TO = "applies to "  # prefix of each file or glob in the mark of a rule
STATE = "rules.state"  # meta key: BEHIND or TAINTED if commits changed rule files that were not read since
BEHIND, TAINTED = "behind", "tainted"


def take_rules(project: OpenProject, tally: Tally) -> RuleScan:
    """Read the rule files in the work tree, and store, update and retire rules; return what was read."""
    location = project.location
    home = project.environ.get("HOME") or project.environ.get("USERPROFILE")
    # Text from outside of the repository never goes into a home inside it, which may be committed or shared.
    apart = not location.home.is_relative_to(shared_root(location.repository, location.root))
    outside = allowed_imports(data_dir(project.environ), location.id) if apart else frozenset()
    scan = read_rules(location.root, home=Path(home) if home else None, allowed=outside)
    tally.skipped += scan.skipped
    for file in scan.files:
        tally.redactions.update(dict(file.redactions))
    _take(project, project.db, scan.rules, tally)
    project.db.meta.remove(STATE)
    return scan


def note_changed(db: Database, messages: Sequence[str]) -> None:
    """Note that commits with these messages changed rule files, which are to be read again."""
    if messages and db.meta.get(STATE) != TAINTED:
        db.meta.set(STATE, TAINTED if any_tainted(db, messages) else BEHIND)


def follow_rules(project: OpenProject, repository: Repository) -> None:
    """Read the rule files again if a commit changed one and the work tree has the default branch's."""
    db = project.db
    if db.meta.get(STATE) != BEHIND or not on_default(repository):
        return
    if not any(map(rule_file_test(db), repository.uncommitted())):
        take_rules(project, Tally())
        triggers.refresh(project)


def rule_file_test(db: Database) -> Callable[[str], bool]:
    """Return a test whether a path is a rule file, or was imported by one when they were last read."""
    places = {mark.rpartition(":")[0] for _, marks in db.history.seen("rule").values() for mark in marks}
    return lambda path: path in places or kind_of(path) is not None


def _take(project: OpenProject, db: Database, rules: Iterable[Rule], tally: Tally) -> None:
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
            if is_erased(db, rule.draft.content):
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
