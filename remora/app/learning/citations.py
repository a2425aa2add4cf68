"""Count the memories that agents cited: a cited memory helped; a citation of anything else is invented."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from remora.core.citation import short_name
from remora.core.clock import to_iso

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.events import Observation

TEXT = "“"  # prefix of a citation by words


def take_in(project: OpenProject, observation: Observation) -> None:
    """Store the citations of a session; learning it twice counts once.

    Only memories that the session received count, by injection or by search; all other citations are stored
    as invented.
    """
    if not observation.cited:
        return
    session = f"{observation.host}:{observation.session_id}"
    at = observation.ended or to_iso(project.clock.now())
    cited = Counter(observation.cited)
    said = {memory_id[:8] for memory_id in project.db.uses.said_in(session)} | set(observation.shown)
    found: set[str] = set()
    for store in project.stores():
        memories = store.db.memories
        known = memories.get_many(i for short in said for i in memories.ids_starting(short))
        counts: Counter[str] = Counter()
        for record in known.values():
            name = TEXT + short_name(record.citation_text, record.content).rstrip("…")
            for one, times in cited.items():
                if one == record.id[:8] or (one.startswith(TEXT) and one.rstrip("…") == name):
                    counts[record.id] += times
                    found.add(one)
        if counts:
            with store.db.transaction():
                store.db.uses.note(session, "cited", counts, at)
                store.db.uses.note(session, "helped", dict.fromkeys(counts, 1), at)
    invented = {one: times for one, times in cited.items() if one not in found}
    if invented:
        with project.db.transaction():
            project.db.uses.note(session, "invented", invented, at)
