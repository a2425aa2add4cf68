"""Read the existing rule files, git history and code of a project, each source once.

Every source has a key in `source_items`: a rule its hash, a commit its id. Known items are left alone and
new ones stored.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.codebase.indexing import index
from remora.app.learning.git_history import History, Progress, mark_orphans, take_history
from remora.app.learning.project_rules import take_rules
from remora.app.learning.tally import Tally
from remora.app.memories import triggers
from remora.app.memories.embedding import catch_up
from remora.app.project.branches import settle
from remora.core.change import acting
from remora.core.errors import InvalidInput
from remora.core.reports import IndexReport, InitReport
from remora.core.skip import FAILED, sparing
from remora.core.values import HISTORY, Redaction

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


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
    history = History(0, 0, 0)
    if location.repository is not None:
        with sparing(HISTORY, tally.skipped, "earlier data is kept: "):
            history = take_history(project, db, location.repository, tally, progress)
    scan = take_rules(project, tally)
    mark_orphans(project, db)
    code = _take_code(project, tally, progress)
    settled = settle(project)
    triggers.refresh(project)
    if progress:
        progress("embedding", 0, 0)
    catch_up(project, None, progress)
    files, edges = db.history.counts()
    return InitReport(
        project_id=location.id,
        home=str(location.home),
        root=str(location.root),
        rule_files=tuple(f.found.path for f in scan.files),
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
