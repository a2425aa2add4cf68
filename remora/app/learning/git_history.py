"""Read the git history of a project: its commits, renames, and the fixes and reverts among them.

`init` reads it first; from then on `follow` reads new commits of the default branch when a session begins and
after it has ended, so that renamed files keep their memories, and changed rule files are read again. The
history is read from the last commit read; that commit is stored in the same transaction as the data learned
from it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.codebase.freshness import history_is_behind
from remora.app.learning import commit_taint
from remora.app.learning.project_rules import follow_rules, note_changed, rule_file_test
from remora.app.learning.tally import Tally
from remora.app.project.branches import settle
from remora.core.change import Change, acting
from remora.core.clock import to_iso
from remora.core.cochange import MAX_FILES
from remora.core.errors import SourceError, StoreBusy
from remora.core.paths import module_of
from remora.core.secrets import redact
from remora.core.skip import sparing
from remora.core.values import HISTORY, MemoryDraft, Skipped
from remora.disk.files import lock
from remora.lifecycle.flags import with_reason, without_reason
from remora.lifecycle.prune import is_erased
from remora.sources.fixes import Candidates, taken_out
from remora.sources.history import CoChange
from remora.store.history import CLOCK, COMMIT, MAX_BODY, MAX_KEPT, REFUSED, CommitRow

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.sources.git import Commit, Repository
    from remora.store.database import Database

AT_ONCE, LATER = 100, 5_000  # new commits that are read at the start of a session, and after it
MAX_COMMITS = 50_000  # the newest; older ones say little about present co-changes
GONE = "its files are gone"
FOLLOWED = "history.moves"  # meta key: the renames in the history were read
SHALLOW = "history.shallow"  # meta key: the clone was shallow when its history was read
_MARKER = re.compile(r"\[REDACTED:([a-z0-9-]+)\]")
Progress = Callable[[str, int, int], None]


class History(NamedTuple):
    """The numbers of commits known and new, and of the fixes and reverts among the new ones."""

    known: int
    new: int
    candidates: int


@acting("system:init")
def follow(project: OpenProject, most: int) -> int:
    """Read the commits of the default branch since the last one read; return their number.

    If that one is no longer part of the branch (a rebase, an amendment), all are read. Nothing is read if
    `init` has read none, on another branch, if there are more than `most`, or while another process reads.
    Then the rule files are read again if a commit changed one. Branches are settled in any case, so that
    memories of merged ones become the project's.
    """
    db, repository = project.db, project.location.repository
    if project.read_only or repository is None:
        return 0
    settle(project)
    found = History(0, 0, 0)
    with suppress(StoreBusy), lock(project.location.home / "history", timeout=0.0):
        if history_is_behind(project):
            last = db.meta.get(COMMIT)
            again = _why_again(db, repository, last, "HEAD")
            if repository.count(None if again else last, "HEAD") > most:
                if most >= LATER:
                    db.meta.set(REFUSED, repository.head())
                return 0
            found = take_history(project, db, repository, Tally(), None)
            mark_orphans(project, db)
        follow_rules(project, repository)
    return found.new


def take_history(
    project: OpenProject, db: Database, repository: Repository, tally: Tally, progress: Progress | None
) -> History:
    """Read the commits since the last one read, or all if that one is not part of the branch."""
    head = repository.head()
    if head is None:
        return History(0, 0, 0)
    last = db.meta.get(COMMIT)
    present = frozenset(repository.tracked_files())
    again = _why_again(db, repository, last, head)
    if last and not again and not db.commits.count() and db.history.clock():
        again = "an older version stored no messages"
    if last and not again and not db.meta.get(FOLLOWED):
        again = "an older version stored no renames"
    if last == head and not again and {f.path for f in db.history.all_files() if f.present} == present:
        return History(db.history.clock(), 0, 0)
    if again:
        tally.skipped.append(Skipped(f"history up to {str(last)[:8]}", f"{again}; read from the start again"))
        learnt, since = CoChange(), None
    else:
        since = last
        learnt = CoChange(db.history.clock(), db.history.all_files(), db.history.all_pairs())
    total = repository.count(since, head)
    if total > MAX_COMMITS:
        tally.skipped.append(
            Skipped(f"{total - MAX_COMMITS:,} older commits", f"only the newest {MAX_COMMITS:,} are read")
        )
    candidates = Candidates()
    said: deque[CommitRow] = deque(maxlen=MAX_KEPT)
    of_rules: list[str] = []
    is_rule_file = rule_file_test(db)
    number = 0
    try:
        for number, commit in enumerate(repository.commits(since, MAX_COMMITS, head), start=1):
            with sparing(f"commit {commit.sha[:10]}", tally.skipped):
                learnt.learn(commit)
                candidates.add(commit)
                if any(is_rule_file(file.path) for file in commit.files):
                    of_rules.append(f"{commit.subject}\n{commit.body}")
                if len(commit.files) <= MAX_FILES:
                    said.append(_message(commit, learnt.clock()))
            if progress and number % 50 == 0:
                progress("history", number, min(total, MAX_COMMITS))
    except SourceError as error:
        tally.skipped.append(Skipped(HISTORY, f"{error}; earlier data is kept"))
        return History(db.history.clock(), 0, 0)
    if progress:
        progress("history", number, number)
    learnt.set_tree(present)
    drafts = [_with_taken_out(repository, draft, tally) for draft in candidates.drafts(present)]
    tally.skipped += candidates.left_out(present)
    with db.connection.transaction():
        if db.meta.get(COMMIT) != last:  # another process read them meanwhile
            return History(db.history.clock(), 0, 0)
        if again:
            db.history.clear()
            db.commits.clear()
        db.history.put_moves(learnt.moved, to_iso(project.clock.now()))
        db.memories.follow_moves()
        db.meta.set(FOLLOWED, True)
        db.commits.add(said)
        db.commits.keep_newest()
        files = list(learnt.changed_files())
        db.history.write(
            removed=learnt.removed,
            files=files,
            pairs=list(learnt.changed_pairs()),
            modules={f.path: module_of(f.path) for f in files},
        )
        db.meta.set(CLOCK, learnt.clock())
        db.meta.set(COMMIT, head)
        db.meta.set(SHALLOW, _is_shallow(repository))
        note_changed(db, of_rules)
        _take_candidates(project, db, drafts, candidates.reverted, tally)
    return History(learnt.clock(), number, len(drafts))


def _message(commit: Commit, clock: int) -> CommitRow:
    """Return the stored row of a commit, without secrets."""
    subject, body = redact(commit.subject).text, redact(commit.body[: 2 * MAX_BODY]).text
    files = tuple(f.path for f in commit.files)
    return CommitRow(commit.sha, clock, commit.date, subject, body, files)


def _why_again(db: Database, repository: Repository, last: str | None, head: str) -> str:
    """Return why the history must be read again from the start; "" if it need not."""
    if repository.standing(last, head) in ("gone", "diverged"):
        return "it is not part of this branch"
    if db.meta.get(SHALLOW) and not _is_shallow(repository):
        return "the clone was shallow and has older commits now"
    return ""


def _is_shallow(repository: Repository) -> bool:
    """Return whether a clone is shallow now; it may have been deepened since the repository was opened."""
    return (repository.common_dir / "shallow").exists()


def _with_taken_out(repository: Repository, draft: MemoryDraft, tally: Tally) -> MemoryDraft:
    """Return the draft of a revert with the words that it took out of its files, any other unchanged."""
    if draft.type != "dead_end" or draft.commit_sha is None:
        return draft
    with sparing(f"commit {draft.commit_sha[:10]}", tally.skipped):
        taken = taken_out(repository.root, draft.commit_sha, draft.related_files)
        return draft._replace(payload={**(draft.payload or {}), "taken_out": list(taken)})
    return draft


def _take_candidates(
    project: OpenProject, db: Database, drafts: list[MemoryDraft], reverted: list[str], tally: Tally
) -> None:
    intake, upkeep = project.store("project").intake, project.store("project").upkeep
    seen = db.history.seen("commit")
    now = to_iso(project.clock.now())
    for sha, (memory_id, _) in seen.items():
        if memory_id and any(sha.startswith(prefix) for prefix in reverted):
            record = db.memories.get(memory_id)
            kept = record is None or record.deprecated or record.user_verified or record.pinned
            if record and record.commit_sha == sha and not kept:
                upkeep.forget(record.id)
                tally.retired += 1
    for draft in commit_taint.tainted(db, drafts):
        sha = draft.commit_sha or ""
        if sha in seen or is_erased(db, draft.content):
            tally.unchanged += 1
            continue
        with sparing(f"commit {sha[:10]}", tally.skipped), db.connection.transaction():
            record = intake.remember(draft, revive=False)
            db.history.set_seen("commit", sha, record.id, draft.related_files, now)
            tally.took(record)
            if record.receipt is not None and not record.receipt.redactions:
                tally.redactions.update(_MARKER.findall(draft.content))  # redacted before it was cut


def mark_orphans(project: OpenProject, db: Database) -> None:
    """Set or clear the stale mark of memories whose files are all missing (section 7, layer 1)."""
    now = to_iso(project.clock.now())
    with db.connection.transaction():
        lost = db.selections.without_files()
        for record in db.memories.get_many(lost).values():
            changes = {"stale_at": now, **with_reason(record, GONE)}
            db.memories.update(record.id, changes, change=Change("flag", GONE))
        back = db.selections.with_files_again(GONE)
        for record in db.memories.get_many(back).values():
            changes = {"stale_at": None, **without_reason(record, GONE)}
            db.memories.update(record.id, changes, change=Change("resolve", "its files are back"))
