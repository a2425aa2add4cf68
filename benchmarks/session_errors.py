"""An error comes back in a later session: does the top memory name what resolved it before?

`labels/errors.tsv` has the occurrences, labelled by hand before anything learned from errors: the line an
agent would see, and terms of which a right answer holds one, besides one that shows that it speaks of this
error. What the message says itself (`use t.Chdir()`) is no label. Before each session everything that is
over by then is learned, then the memory is opened read-only and asked for the line, memories only.

Beside it stands whether any memory at all would have been right: the rest is for the search to find. The
rivals are judged by the same terms. Plain BM25 over the failed results has the errors' own words, and
with what followed in the transcript up to 2,000 characters of everything that was said and tried; no agent
wants that in its context, so it is no floor to be above, but it shows what the words are worth. The most
frequent remedy of all is to silence the linter that the error names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import (
    ROOT,
    Check,
    Options,
    Report,
    Table,
    memory_in,
    model_of,
    say,
    settings_of,
    workplace,
)
from benchmarks.learning import Past, Stream, sessions_of
from benchmarks.metrics import Interval, mean
from benchmarks.session_floors import RawResults, silenced

LABELS = ROOT / "benchmarks" / "labels" / "errors.tsv"
PROMISED = 0.6
AT = (1, 3)
OURS, HELD = "remora", "held by any memory"
MOST = 10_000  # memories there may be
Z95 = 1.959964  # standard deviations of a 95 % interval


class Label(NamedTuple):
    """A line of the file of labels; see its head."""

    id: str
    cause: str
    session: str
    at: str
    first: str
    query: str
    about: str
    terms: str
    resolution: str


Answers = dict[str, list[str]]


def labels(file: Path = LABELS) -> list[Label]:
    """Return the labels, in order of time.

    Raises:
        ValueError: a term stands in the query of its own label.
    """
    lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    found = [Label(*line.split("\t")) for line in lines[1:]]
    for label in found:
        if _holds(label.query, label.terms):
            raise ValueError(f"{label.id}: a term stands in the query")
    return sorted(found, key=lambda label: (label.at, label.id))


def names(text: str, label: Label) -> bool:
    """Return whether a text speaks of the error and names what resolved it."""
    return _holds(text, label.about) and _holds(text, label.terms)


def wilson(hits: int, asked: int) -> Interval:
    """Return a share with its 95 % interval.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927).

    >>> tuple(round(x, 3) for x in wilson(6, 10))
    (0.6, 0.313, 0.832)
    """
    if not asked:
        return Interval(0.0, 0.0, 1.0)
    share, square = hits / asked, Z95**2
    middle = (share + square / (2 * asked)) / (1 + square / asked)
    half = Z95 / (1 + square / asked) * math.sqrt(share * (1 - share) / asked + square / (4 * asked**2))
    return Interval(share, middle - half, middle + half)


def run(options: Options) -> Report:
    """Ask for every labelled error, or for the first of them."""
    sessions = {session.id: session for session in sessions_of(options)}
    past = Past(list(sessions.values()))
    wanted = labels()[: options.limit]
    asked: list[tuple[Label, Answers]] = []
    model, settings = "none", dict[str, Any]()
    with workplace(options.keep, "errors") as place:
        stream = Stream(place, past)
        for own in sorted({label.session for label in wanted}, key=lambda i: sessions[i].started):
            session = sessions[own]
            with memory_in(place) as memory:
                over = stream.learn_before(memory, session)
                memory.catch_up()
            raw = {
                "failed results": RawResults(over, with_what_followed=False),
                "failed results and what followed": RawResults(over, with_what_followed=True),
            }
            with memory_in(place, read_only=True) as memory:
                model, settings = model_of(memory), settings_of(memory)
                there = (*memory.list(limit=MOST), *memory.list(limit=MOST, records=True))
                everything = [record.content for record in there]
                for label in (one for one in wanted if one.session == own):
                    assert label.first in {other.id for other in over}, label.id
                    hits = memory.search(label.query, k=max(AT), kinds=["memory", "session"])
                    answers = {OURS: [hit.text for hit in hits]}
                    answers[HELD] = [text for text in everything if names(text, label)][:1]
                    answers |= {name: search.search(label.query, max(AT)) for name, search in raw.items()}
                    answers["most frequent remedy"] = [silenced(label.query)]
                    asked.append((label, answers))
            say(f"errors: {len(asked)} of {len(wanted)}")
    return report(asked, model, settings, whole=options.limit is None)


def report(
    asked: Sequence[tuple[Label, Answers]], model: str, settings: dict[str, Any], *, whole: bool
) -> Report:
    """Return how often each names the resolution, in all and by cause."""
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {"errors": len(asked), "causes": len({label.cause for label, _ in asked})}
    for name in asked[0][1]:
        found = {k: [any(names(t, label) for t in got[name][:k]) for label, got in asked] for k in AT}
        top = wilson(sum(found[1]), len(asked))
        rows.append((name, top.mean, top.low, top.high, mean(map(float, found[AT[-1]]))))
        figures[name] = {"top": top._asdict(), f"top {AT[-1]}": mean(map(float, found[AT[-1]]))}
    table = Table(
        f"Errors that came back, {len(asked)}", ("", "top", "low", "high", f"top {AT[-1]}"), tuple(rows)
    )
    missed = [label.id for label, got in asked if not any(names(t, label) for t in got[OURS][:1])]
    figures["missed"] = missed
    checks = (Check.at_least("the top memory names it", figures[OURS]["top"]["mean"], PROMISED),)
    return Report("errors", figures, (table, _by_cause(asked)), checks if whole else (), (), model, settings)


def _by_cause(asked: Sequence[tuple[Label, Answers]]) -> Table:
    by_cause: dict[str, list[tuple[Label, Answers]]] = {}
    for label, got in asked:
        by_cause.setdefault(label.cause, []).append((label, got))
    rows = []
    for cause, own in by_cause.items():
        found: Mapping[str, list[bool]] = {
            name: [any(names(t, label) for t in got[name][:1]) for label, got in own] for name in own[0][1]
        }
        rows.append((cause, len(own), *(sum(hits) for hits in found.values())))
    return Table("By cause, named at the top", ("", "asked", *asked[0][1]), tuple(rows))


def _holds(text: str, alternatives: str) -> bool:
    lowered = text.lower()
    return any(term.lower() in lowered for term in alternatives.split("|"))
