"""Store, find and delete quotes: sentences of a person in a session, kept verbatim.

`remora/observer/quotes.py` selects the sentences. A search that asks for quotes finds them; a person makes
memories of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, NotFound
from remora.core.events import Observation
from remora.core.text import collapse, content_hash, words
from remora.lifecycle.prune import is_erased, is_forgotten, keep_forgotten
from remora.observer.evidence import ROUTINE
from remora.observer.past_sessions import prompts_asked, same_words
from remora.observer.quoted_text import NOT_TYPED, apart
from remora.observer.quotes import LONGEST
from remora.retrieval.candidates import as_hit
from remora.retrieval.request import Candidate
from remora.store import erase
from remora.store.notes import SESSION, NoteRow, Written
from remora.store.session_reader import SessionReader

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import Hit
    from remora.store.database import Database

LEAST_WORDS = 3  # words of a request
NEAREST = 20  # quotes that are compared


def take_in(db: Database, observation: Observation, branch: str | None = None) -> None:
    """Store the quotes of a session in place of its earlier ones; call inside a transaction.

    A request that was made in ROUTINE sessions is stored too, once: repetition shows that it lasts. `branch`
    is the branch of the session's memories (`branches.to_stamp`). A deleted quote does not come back.
    """
    path = f"{SESSION}{observation.host}:{observation.session_id}"
    over = observation.ended or observation.started
    said = {quote.text: (quote.at, quote.answers) for quote in observation.quotes}
    asked = routine(observation, db.sessions)
    said |= {text: (None, "") for text in asked if not _is_kept(db, path, text)}
    pieces = [
        Written("quote", "", None, None, at or over, text, answers)
        for text, (at, answers) in said.items()
        if not is_forgotten(db, origin(path, text)) and not is_erased(db, text)
    ]
    if not pieces:
        db.notes.forget(path)
        return
    db.notes.put(path, "", pieces)
    db.notes.bind(path, branch)


def routine(observation: Observation, seen: SessionReader) -> list[str]:
    """Return the requests of a session that were made in at least ROUTINE sessions, in the same words."""
    often = prompts_asked(seen)
    prompts = (prompt for prompt in observation.prompts if not NOT_TYPED.match(prompt))
    lines = (collapse(line) for prompt in prompts for line in apart(prompt)[0].split("\n"))
    return [
        line
        for line in dict.fromkeys(lines)
        if len(words(line)) >= LEAST_WORDS and len(line) <= LONGEST and often[same_words(line)] >= ROUTINE
    ]


def _is_kept(db: Database, path: str, text: str) -> bool:
    """Return whether the same words are a quote of another session."""
    found = [number for number, _ in db.notes.search(words(text), ("quote",), NEAREST)]
    rows = db.notes.get_many(found).values()
    return any(row.path != path and same_words(row.content) == same_words(text) for row in rows)


def quotes(project: OpenProject, limit: int, session_id: str | None) -> list[Hit]:
    """Return the newest quotes, or those of a session; see `Memory.quotes`."""
    if limit < 0:
        raise InvalidInput(f"limit must be a whole number, 0 or more, not {limit!r}")
    rows = project.db.notes.latest("quote", limit, session_id)
    return [as_hit(Candidate(("note", "project", str(row.id)), row.content, note=row)) for row in rows]


def find(project: OpenProject, name: str) -> NoteRow:
    """Return a quote by its id, "q12".

    Raises:
        NotFound: there is no such quote.
    """
    number = name.removeprefix("q")
    rows = project.db.notes.get_many([int(number)]) if number.isdecimal() else {}
    row = next(iter(rows.values()), None)
    if row is None or row.kind != "quote":
        raise NotFound(f"there is no quote {name!r}", hint="`remora search --kind quote` shows the ids.")
    return row


def kept(project: OpenProject, name: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a quote, and the fields of the memory that a person makes from it.

    Raises:
        NotFound: there is no such quote.
    """
    row = find(project, name)
    branch = project.db.notes.branch(row.path)
    return row.content, {
        "source": "user_taught",
        "session_id": row.path.rpartition(":")[2],
        "branch": branch,
    }


def remove(project: OpenProject, name: str) -> str:
    """Delete a quote for good, also from the prompts of sessions, and return its text.

    Raises:
        NotFound: there is no such quote.
    """
    row = find(project, name)
    db, now = project.db, to_iso(project.clock.now())
    with db.connection.transaction():
        keep_forgotten(db, origin(row.path, row.content), now)
        erase.quote(db, row.id)
        erase.in_sessions(db.connection, row.content, f"[removed {now[:10]}]")
    db.connection.scrub()
    return row.content


def origin(path: str, text: str) -> str:
    """Return the external id of a quote: of the session's path and its text."""
    return f"quote:{path}:{content_hash(text)}"
