"""What a person said in sessions, kept sentence by sentence: stored, given triggers, deleted again.

`remora/observer/quotes.py` says what is kept. A quote whose words rule something out, or say what comes
before something, is said at that very act, as a quotation with its date; all others wait in search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.clock import to_iso
from remora.core.directive import LASTS, directive
from remora.core.errors import InvalidInput, NotFound
from remora.core.events import Observation
from remora.core.text import content_hash
from remora.core.triggers import EVENT, PATH, TOUCH, Trigger, triggers_of
from remora.lifecycle.prune import is_forgotten, keep_forgotten
from remora.retrieval.candidates import as_hit
from remora.retrieval.request import Candidate
from remora.store import erase
from remora.store.notes import SESSION, NoteRow, Written

if TYPE_CHECKING:
    from remora.app.wiring import Parts
    from remora.core.values import Hit
    from remora.store.space import Space


def take_in(space: Space, observation: Observation, branch: str | None = None) -> int:
    """Store what a person said in a session in place of what was stored of it; call inside a transaction.

    `branch` is the one that what was learnt belongs to (`branches.to_stamp`). Returns how many quotes are
    new. One that somebody deleted does not come back.
    """
    path = f"{SESSION}{observation.host}:{observation.session_id}"
    over = observation.ended or observation.started
    pieces = [
        Written("quote", "", None, None, quote.at or over, quote.text, quote.answers)
        for quote in observation.quotes
        if not is_forgotten(space, _origin(path, quote.text))
    ]
    if not pieces:
        space.notes.forget(path)
        return 0
    added = space.notes.put(path, "", pieces)
    space.notes.bind(path, branch)
    space.triggers.put_quotes(
        path, [trigger for row in space.notes.of_path(path) for trigger in triggers_of_quote(row)]
    )
    return added


def triggers_of_quote(row: NoteRow) -> Iterator[Trigger]:
    """Yield the acts at which a quote is said: only what it names, and what it puts before an event.

    A single file that a person wanted left alone, and what is to be done where a file changes, is mostly of
    the moment: it has to say itself that it lasts.
    """
    asks = directive(row.content)
    lasting = LASTS.search(row.content) is not None
    named = asks._replace(forbids=tuple(t for t in asks.forbids if t.kind != "words"))
    if named.before and not (lasting or named.wants):
        named = named._replace(before=())
    for trigger in triggers_of(named, str(row.id)):
        single = trigger.kind == PATH and not trigger.key.endswith("/") and "*" not in trigger.key
        if lasting or trigger.kind == EVENT or not (single or trigger.kind == TOUCH):
            yield trigger


def quotes(parts: Parts, limit: int, session_id: str | None) -> list[Hit]:
    """Return the newest quotes, or those of a session; see `Memory.quotes`."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InvalidInput(f"limit must be a whole number, 0 or more, not {limit!r}")
    rows = parts.room("project").space.notes.latest("quote", limit, session_id)
    return [as_hit(Candidate(("note", "project", str(row.id)), row.content, note=row)) for row in rows]


def find(parts: Parts, name: str) -> NoteRow:
    """Return a quote by its id, "q12".

    Raises:
        NotFound: there is none.
    """
    number = name.removeprefix("q")
    rows = parts.room("project").space.notes.get_many([int(number)]) if number.isdecimal() else {}
    row = next(iter(rows.values()), None)
    if row is None or row.kind != "quote":
        raise NotFound(f"there is no quote {name!r}", hint="`remora search --kind quote` shows the ids.")
    return row


def remove(parts: Parts, name: str) -> str:
    """Delete a quote for good, also when its session is learnt again; returns its words.

    Raises:
        NotFound: there is none.
    """
    row = find(parts, name)
    space = parts.room("project").space
    with space.db.transaction():
        keep_forgotten(space, _origin(row.path, row.content), to_iso(parts.clock.now()))
        erase.quote(space, row.id)
    space.db.scrub()
    return row.content


def _origin(path: str, text: str) -> str:
    return f"quote:{path}:{content_hash(text)}"
