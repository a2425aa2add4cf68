"""The evidence pack of a session: what a language model gets to read before it writes down what was learned.

A pack holds at most PACK tokens, as numbered pieces: what the person said comes first and whole, then what
the agent named as a cause, errors with what ended them, changes that were taken back, what the agent said
at work (after a failure first), its reports, and commits. A memory that is written from it cites the pieces
that it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remora.core.events import Observation
from remora.core.text import collapse, content_hash, shorten
from remora.core.values import Taint
from remora.observer.attribution import PRINTED, QUOTED_BY_USER
from remora.observer.checkpoint import cut
from remora.observer.past_sessions import Seen
from remora.observer.quoted_text import apart

PACK = 4_000  # tokens
CHARACTERS = PACK * 4
PERSON = 10_000  # characters of the person's words; longer ones are cut where all together are more
SHORT = 160  # characters of a request that may be clear only with what it answers
ROUTINE = 3  # sessions in which the same was asked, from which on it is told
ANSWERED, FINDING, REMARK, REPORT, COMMIT, ERROR, QUOTE = 300, 400, 200, 400, 400, 500, 400  # characters
USER, QUOTED, CAUSE, FAILURE, REVERT, REMARKED, REPORTED, COMMITTED = "UQFEBARC"


class Piece(NamedTuple):
    """One piece of evidence.

    Attributes:
        id: a letter for its kind, and a number: U said by the person, Q only quoted by the person, F named
            as a cause by the agent, E an error, B taken back, A said by the agent at work, R a report of
            the agent, C a commit.
        text: one line.
        step, events: where it stands in the session.
        taint: of words of others that it repeats, or that were read before it; None for the person's words.
    """

    id: str
    text: str
    step: int = 0
    events: tuple[str, ...] = ()
    taint: Taint | None = None

    @property
    def kind(self) -> str:
        """The letter of its id."""
        return self.id[0]

    @property
    def digest(self) -> str:
        """Eight digits that name the text."""
        return content_hash(self.text)[:8]


def pack(session: Observation, seen: Seen | None = None) -> tuple[Piece, ...]:
    """Return the evidence of a session, CHARACTERS at most.

    Args:
        session: what it added up to.
        seen: the counts over all sessions, which tell what was met before; None where there are none.
    """
    left = CHARACTERS
    pieces: list[Piece] = []
    for kind in (
        _said(session, seen),
        _causes(session),
        _errors(session, seen),
        _reverts(session),
        _remarks(session),
        _reports(session),
        _commits(session),
        _quoted(session),
    ):
        left = _fill(pieces, kind, left)
    return tuple(pieces)


def told(pieces: Iterable[Piece]) -> str:
    r"""Return pieces as lines of text.

    >>> told([Piece("U1", "use bun"), Piece("F1", "the port is taken")])
    'U1: use bun\nF1: the port is taken'
    """
    return "\n".join(f"{piece.id}: {piece.text}" for piece in pieces)


def _fill(pieces: list[Piece], more: Iterator[Piece], left: int) -> int:
    """Add pieces while there is room, numbered within their kind; return the room that is left."""
    known = {piece.text for piece in pieces}
    number = 0
    for piece in more:
        if piece.text in known:
            continue
        if len(piece.text) + 8 > left:
            break
        number += 1
        known.add(piece.text)
        pieces.append(piece._replace(id=f"{piece.id}{number}"))
        left -= len(piece.text) + 8
    return left


def _asked(session: Observation) -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    """Yield what a person typed, the end of what it answers, and where it stands."""
    steps = {key: step for step, key in session.places.get("prompts", ())}
    answered: set[str] = set()
    before = ""
    for exchange in session.exchanges:
        keys = exchange.events[:1]
        answered.update(keys)
        yield exchange.ask, before, steps.get("".join(keys), 0), keys
        before = "" if exchange.taint else _end(exchange.report)
    for text, (step, key) in zip(session.prompts, session.places.get("prompts", ()), strict=False):
        if key not in answered:
            yield text, "", step, (key,)


def _said(session: Observation, seen: Seen | None) -> Iterator[Piece]:
    """Yield the person's words; a short request with the end of what it answers, and how often it is made."""
    asked = list(_asked(session))
    own = [collapse(apart(text)[0]) for text, *_ in asked]
    total = sum(map(len, own))
    each = PERSON if total <= PERSON else max(SHORT, PERSON // sum(map(bool, own)))
    for words, (text, before, step, keys) in zip(own, asked, strict=True):
        if not words:
            continue
        times = seen.asked(text) if seen is not None and len(words) < SHORT else 0
        if before and len(words) < SHORT:
            words = f"{words} [answers: {before}]"
        if times >= ROUTINE:
            words = f"{words} [asked in {times} sessions]"
        yield Piece(USER, cut(words, each), step, keys)


def _quoted(session: Observation) -> Iterator[Piece]:
    for text, _, step, keys in _asked(session):
        if quoted := collapse(apart(text)[1]):
            yield Piece(QUOTED, shorten(quoted, QUOTE), step, keys, Taint(QUOTED_BY_USER, step))


def _end(text: str) -> str:
    line = collapse(text)
    return line if len(line) <= ANSWERED else "…" + line[-ANSWERED:].partition(" ")[2]


def _causes(session: Observation) -> Iterator[Piece]:
    for exchange in session.exchanges:
        for found in exchange.findings:
            yield Piece(CAUSE, shorten(found, FINDING), exchange.step, exchange.events[1:], exchange.taint)


def _errors(session: Observation, seen: Seen | None) -> Iterator[Piece]:
    """Yield errors that ended, came again, or were met in other sessions; the most frequent first."""
    for error in sorted(session.errors, key=lambda e: (-e.count, e.steps)):
        sessions = len(seen.errors(error.fingerprint)) if seen is not None else 0
        if not error.resolved and error.count < 2 and sessions < 2:
            continue
        ran = f"`{shorten(error.command, 120)}`" if error.command else error.tool
        parts = [f"{ran} failed {error.count}x: {shorten(error.message, 240)}"]
        if error.resolved:
            parts.append(f"resolved: {error.resolved_how or 'another try passed'}")
        if sessions > 1:
            parts.append(f"met in {sessions} sessions")
        text, step = shorten("; ".join(parts), ERROR), error.steps[0] if error.steps else 0
        # Whoever wrote what a program printed: it is no word of the person or the agent.
        taint = error.taint or Taint(f"{PRINTED}{ran}", step)
        yield Piece(FAILURE, text, step, error.events, taint)


def _reverts(session: Observation) -> Iterator[Piece]:
    for signal in session.signals:
        if signal.type == "backtrack":
            text = f"The agent changed {', '.join(signal.paths[:4])} and took that back."
            yield Piece(REVERT, text, signal.step, signal.events, signal.taint)


def _commits(session: Observation) -> Iterator[Piece]:
    for made in session.commits:
        yield Piece(COMMITTED, shorten(made.message, COMMIT), made.step, made.events, made.taint)


def _reports(session: Observation) -> Iterator[Piece]:
    for exchange in reversed(session.exchanges):
        yield Piece(
            REPORTED, shorten(exchange.report, REPORT), exchange.step, exchange.events[1:], exchange.taint
        )


def _remarks(session: Observation) -> Iterator[Piece]:
    """Yield what the agent said between two calls: after a failure first, then the newest first."""
    reports = {key for exchange in session.exchanges for key in exchange.events[1:]}
    newest = [remark for remark in session.remarks[::-1] if remark.event not in reports]
    for remark in sorted(newest, key=lambda r: not r.failed):
        yield Piece(REMARKED, shorten(remark.text, REMARK), remark.step, (remark.event,), remark.taint)
