"""What a person said in sessions, kept sentence by sentence: stored, given triggers, deleted again.

`remora/observer/quotes.py` says what is kept. A quote that says that it lasts, and rules something out
or says what comes before something, is said at that very act, as a quotation with its date; all others wait
in search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from remora.app.learning.stored_sessions import StoredSeen
from remora.core.clock import to_iso
from remora.core.directive import LASTS, directive
from remora.core.errors import InvalidInput, NotFound
from remora.core.events import Observation
from remora.core.text import collapse, content_hash, words
from remora.core.triggers import Trigger, triggers_of
from remora.lifecycle.prune import is_forgotten, keep_forgotten
from remora.observer.evidence import ROUTINE
from remora.observer.phrases import NOT_TYPED
from remora.observer.quoted import apart
from remora.observer.quotes import LONGEST
from remora.observer.seen import same_words
from remora.retrieval.candidates import as_hit
from remora.retrieval.request import Candidate
from remora.store import erase
from remora.store.notes import SESSION, NoteRow, Written

if TYPE_CHECKING:
    from remora.app.project.open_project import Parts
    from remora.core.values import Hit
    from remora.observer.seen import Seen
    from remora.store.space import Space

LEAST_WORDS = 3  # of a request
NEAREST = 20  # quotes that are compared


def take_in(space: Space, observation: Observation, branch: str | None = None) -> int:
    """Store what a person said in a session in place of what was stored of it; call inside a transaction.

    A request that was made in ROUTINE sessions is kept as well, once: that it is made again says that it
    lasts. `branch` is the one that what was learnt belongs to (`branches.to_stamp`). Returns how many
    quotes are new. One that somebody deleted does not come back.
    """
    path = f"{SESSION}{observation.host}:{observation.session_id}"
    over = observation.ended or observation.started
    said = {quote.text: (quote.at, quote.answers) for quote in observation.quotes}
    asked = routine(observation, StoredSeen(space.observed))
    said |= {text: (None, "") for text in asked if not _is_kept(space, path, text)}
    pieces = [
        Written("quote", "", None, None, at or over, text, answers)
        for text, (at, answers) in said.items()
        if not is_forgotten(space, _origin(path, text))
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


def routine(observation: Observation, seen: Seen) -> list[str]:
    """Return the requests of a session that were made in so many sessions, in the same words."""
    prompts = (prompt for prompt in observation.prompts if not NOT_TYPED.match(prompt))
    lines = (collapse(line) for prompt in prompts for line in apart(prompt)[0].split("\n"))
    return [
        line
        for line in dict.fromkeys(lines)
        if len(words(line)) >= LEAST_WORDS and len(line) <= LONGEST and seen.asked(line) >= ROUTINE
    ]


def _is_kept(space: Space, path: str, text: str) -> bool:
    """Return whether the same words are a quote of another session."""
    found = [number for number, _ in space.notes.search(words(text), ("quote",), NEAREST)]
    rows = space.notes.get_many(found).values()
    return any(row.path != path and same_words(row.content) == same_words(text) for row in rows)


def triggers_of_quote(row: NoteRow) -> Iterator[Trigger]:
    """Yield the acts at which a quote is said: what it names, and what it puts before an event.

    Most sentences are of the moment, so it has to say itself that it lasts.
    """
    if LASTS.search(row.content) is None:
        return
    asks = directive(row.content)
    named = asks._replace(forbids=tuple(thing for thing in asks.forbids if thing.kind != "words"))
    yield from triggers_of(named, str(row.id))


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


def kept(parts: Parts, name: str) -> tuple[str, dict[str, Any]]:
    """Return the words of a quote, and the fields of a memory that a person makes of it.

    Raises:
        NotFound: there is none.
    """
    row = find(parts, name)
    branch = parts.room("project").space.notes.branch(row.path)
    return row.content, {
        "source": "user_taught",
        "session_id": row.path.rpartition(":")[2],
        "branch": branch,
    }


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
