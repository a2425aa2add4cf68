"""How relevant a memory must be to be said with a prompt, measured on this very store.

Relevance was calibrated on other people's texts, and in a store of one subject everything looks a little
related to everything. So the prompts of earlier sessions are asked again, each without what was learned from
its own session, and the bar is set where only the best third of them would be answered: the rest is silence.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from remora.app.project.arguments import current_branch, filters_of
from remora.app.recall.search import search
from remora.core.errors import RemoraError
from remora.core.text import words_or_pairs

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

THRESHOLD = "inject.relevance"  # meta key: what is relevant enough in this store
CHANCE = 0.5  # where nobody has measured it
PROMPTS = 60  # of the newest sessions
FEW = 12  # prompts below which nothing can be told
WORDS = 3  # of a prompt, below which it says nothing of a task
SPEAKS = 1 / 3  # share of the prompts that are answered
MOST = 0.85
HITS = 12
SECONDS = 3.0  # that measuring takes at most
GROWN = 1.2  # times as many sessions as at the last time
COUNTED = "inject.relevance.sessions"  # meta key: how many there were


def calibrate(project: OpenProject, *, again: bool = False) -> float | None:
    """Measure the bar when more sessions are known since; None where it was left as it is.

    Args:
        project: the open project.
        again: also where nothing has changed.
    """
    db = project.db
    filters = filters_of(project, kinds=("memory",), branch=current_branch(project, None))
    sessions = db.sessions.count()
    if not again and sessions < max(FEW, float(db.meta.get(COUNTED, 0)) * GROWN):
        return None
    reached: list[float] = []
    end = time.monotonic() + SECONDS
    for session_id, prompt in db.sessions.prompts(PROMPTS):
        first = prompt.partition("\n")[0][:2_000]
        if len(words_or_pairs(first)) < WORDS or time.monotonic() > end:
            continue
        try:
            hits = search(project, first, HITS, filters, explicit=False).hits
        except RemoraError:
            continue
        own = session_id.partition(":")[2]
        others = [h for h in hits if h.memory and all(o.session_id != own for o in h.memory.origins)]
        reached.append(others[0].score if others else 0.0)
    if len(reached) < FEW:
        return None
    reached.sort(reverse=True)
    bar = min(MOST, max(CHANCE, reached[int(SPEAKS * len(reached))]))
    with db.connection.transaction(durable=False):
        db.meta.set(THRESHOLD, round(bar, 4))
        db.meta.set(COUNTED, sessions)
    return bar


def relevance_bar(project: OpenProject) -> float:
    """Return the relevance that a memory must have to be said with a prompt."""
    found = project.db.meta.get(THRESHOLD)
    return float(found) if isinstance(found, int | float) else CHANCE
