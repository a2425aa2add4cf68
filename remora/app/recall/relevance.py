"""Measure, on this store, how relevant a memory must be to be injected with a prompt.

Relevance was calibrated on texts of other projects, and in a store with one subject everything looks somewhat
related. So the prompts of earlier sessions are searched again, each without the memories of its own session,
and the bar is set so that only the best third of them would get an injection.
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

THRESHOLD = "inject.relevance"  # meta key: the relevance bar of this store
CHANCE = 0.5  # the bar before a measurement
PROMPTS = 60  # prompts of the newest sessions
FEW = 12  # least prompts of a measurement
WORDS = 3  # least words of a prompt that states a task
SPEAKS = 1 / 3  # share of the prompts with an injection
MOST = 0.85
HITS = 12
SECONDS = 3.0  # time limit of a measurement


def calibrate(project: OpenProject) -> float | None:
    """Measure the relevance bar if there are enough sessions; None if it was not changed."""
    db = project.db
    filters = filters_of(project, kinds=("memory",), branch=current_branch(project, None))
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
    return bar


def relevance_bar(project: OpenProject) -> float:
    """Return the least relevance of a memory that is injected with a prompt."""
    found = project.db.meta.get(THRESHOLD)
    return float(found) if isinstance(found, int | float) else CHANCE
