"""The evidence pack of a session: the input from which a language model writes memories.

A pack contains at most PACK tokens in numbered pieces: first the person's words, then causes that the agent
named, errors with their resolutions, changes that were taken back, remarks of the agent (those after a
failure first), its reports, commits, and text that the person quoted. A memory written from it cites the
pieces that it rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remora.core.events import Observation
from remora.core.text import collapse, content_hash, shorten
from remora.core.values import Taint
from remora.observer.attribution import PRINTED, QUOTED_BY_USER
from remora.observer.past_sessions import prompts_asked, same_words
from remora.observer.quoted_text import apart
from remora.observer.state import cut
from remora.store.session_reader import SessionReader

PACK = 4_000  # tokens
CHARACTERS = PACK * 4
PERSON = 10_000  # characters of all the person's words; above it each prompt is cut
SHORT = 160  # characters; a shorter request may be clear only with the report that it answers
ROUTINE = 3  # sessions with the same request, from which on their number is added
ANSWERED, FINDING, REMARK, REPORT, COMMIT, ERROR, QUOTE = 300, 400, 200, 400, 400, 500, 400  # characters
USER, QUOTED, CAUSE, FAILURE, REVERT, REMARKED, REPORTED, COMMITTED = "UQFEBARC"


class Piece(NamedTuple):
    """One piece of evidence.

    Attributes:
        id: a letter for its kind and a number: U words of the person, Q text that the person quoted, F a
            cause named by the agent, E an error, B a change taken back, A a remark of the agent, R a report
            of the agent, C a commit.
        text: one line.
        step, events: its place in the session.
        taint: of external text that it repeats or that was read before it; None for the person's words.
    """

    id: str
    text: str
    step: int = 0
    events: tuple[str, ...] = ()
    taint: Taint | None = None

    @property
    def kind(self) -> str:
        """The letter of the id."""
        return self.id[0]

    @property
    def digest(self) -> str:
        """The first eight hex digits of the text's hash."""
        return content_hash(self.text)[:8]


def pack(session: Observation, seen: SessionReader | None = None) -> tuple[Piece, ...]:
    """Return the evidence pack of a session, CHARACTERS at most.

    Args:
        session: the observation of the session.
        seen: the counts over all sessions, which show recurrence; None if there are none.
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
    """Add pieces while there is room, numbered within their kind; return the characters left."""
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
    """Yield each prompt with the end of the report that it answers, its step and its event keys."""
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


def _said(session: Observation, seen: SessionReader | None) -> Iterator[Piece]:
    """Yield the person's words; a short request with the end of the report before it, and its frequency."""
    asked = list(_asked(session))
    own = [collapse(apart(text)[0]) for text, *_ in asked]
    total = sum(map(len, own))
    often = Counter[str]() if seen is None else prompts_asked(seen)
    each = PERSON if total <= PERSON else max(SHORT, PERSON // sum(map(bool, own)))
    for words, (text, before, step, keys) in zip(own, asked, strict=True):
        if not words:
            continue
        times = often[same_words(text)] if len(words) < SHORT else 0
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


def _errors(session: Observation, seen: SessionReader | None) -> Iterator[Piece]:
    """Yield errors that were resolved, recurred, or were met in other sessions; the most frequent first."""
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
        # The output of a program is never the words of the person or the agent.
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
    """Yield the agent's remarks between two calls: those after a failure first, then the newest first."""
    reports = {key for exchange in session.exchanges for key in exchange.events[1:]}
    newest = [remark for remark in session.remarks[::-1] if remark.event not in reports]
    for remark in sorted(newest, key=lambda r: not r.failed):
        yield Piece(REMARKED, shorten(remark.text, REMARK), remark.step, (remark.event,), remark.taint)
