"""What advice is worth without a live model: recorded sessions, and an agent that obeys a named remedy.

The sessions of each repository are replayed in order of time as in `unasked`: before each, all that was over
by then is learned. A failure counts that the session itself got over in a way that can be named: another form
of the command, or a command in between. The policy: the agent does at once what it was told if a text before
the failure names the remedy (its words, in order); the failure and every call up to the success are saved. If
the text comes right after the failure, the calls between are saved. It ignores everything else and reads
every word. Where sessions would have gone otherwise is not simulated, so these are upper bounds for advice
that is obeyed, and nothing for advice that is understood in other words.

Beside it stand a memory that says everything it has at each start, and one that says nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.common import Options, Report, Table, memory_in, model_of, say, workplace
from benchmarks.many_commands import stand_in
from benchmarks.recorded_sessions import DATA, Recorded, recorded
from benchmarks.unasked import answers
from remora.app.learning.event_cleaning import clean
from remora.app.memories import embedding
from remora.core.clock import FixedClock
from remora.core.events import ErrorSeen, Event
from remora.observer.observer import Observer
from remora.sources.transcripts.reader import Reading, read

if TYPE_CHECKING:
    from remora.app.memory import Memory

ROUNDS = 2_000  # of the bootstrap
_WORD = re.compile(r"[\w./:=@-]+")


class Gone(NamedTuple):
    """What one session came to.

    Attributes:
        failures: that the session got over in a way that can be named.
        avoided, shortened: by our memory: before the failure, right after it.
        saved: calls that are saved by it.
        read: words that it says.
        known: failures whose remedy the memory that says everything names.
        everything: words that it says.
        proposed: memories that synthesis proposed before it, without a language model.
    """

    failures: int = 0
    avoided: int = 0
    shortened: int = 0
    saved: int = 0
    read: int = 0
    known: int = 0
    everything: int = 0
    proposed: int = 0


def run(options: Options) -> Report:
    """Replay every repository, or the first sessions of each."""
    found: dict[str, list[Gone]] = {}
    model = "none"
    for repo, sessions in sorted(recorded(options.folder(DATA)).items()):
        with workplace() as place:
            found[repo], model = replayed(place, sessions[: options.limit])
        say(f"replay: {repo}: {_sum(found[repo])}")
    return report(found, model)


def replayed(place: Path, sessions: Sequence[Recorded]) -> tuple[list[Gone], str]:
    """Return what came of the sessions of a repository, and the model that was in use."""
    kept, learnt = place / "kept", place / "learnt"
    kept.mkdir()
    learnt.mkdir()
    over = sorted(sessions, key=lambda session: (session.ended, session.id))
    found: list[Gone] = []
    model = "none"
    for session in sessions:
        reading = read(session.write(kept))
        events = list(reading)
        stand_in(place / "project", {path for event in events for path in event.paths})
        clock = FixedClock(session.started)
        with memory_in(place, clock=clock) as memory:
            known = [other for other in over if other.ended <= session.started]
            fresh = [other.write(learnt) for other in known if not (learnt / f"{other.id}.jsonl").exists()]
            proposed = 0
            if fresh:
                memory.learn(learnt)
                proposed = sum(len(module.stored) for module in memory.synthesize())
            embedding.catch_up(memory._project)
            model = model_of(memory)
            everything = "\n".join(one.content for one in memory.list(limit=10_000))
        with memory_in(place, clock=clock, read_only=True) as memory:
            gone = _session(memory, session, reading, events, everything)
            found.append(gone._replace(proposed=proposed))
    return found, model


class _Failure(NamedTuple):
    """A failure with a remedy: the event that tells it, the calls until it worked, and what made it work."""

    at: int
    calls: int
    remedies: tuple[str, ...]


def _session(
    memory: Memory, session: Recorded, reading: Reading, events: Sequence[Event], everything: str
) -> Gone:
    failures = _failures(session.id, reading.program, events)
    watched = _Watched(events)
    told = answers(memory, session.id, reading, watched)
    said = [(watched.at, answer.reply.text) for answer in told]
    gone = Gone(len(failures), read=sum(len(_WORD.findall(text)) for _, text in said))
    for one in failures:
        before = "\n".join(text for at, text in said if at < one.at)
        after = "\n".join(text for at, text in said if at == one.at)
        if _names(before, one.remedies):
            gone = gone._replace(avoided=gone.avoided + 1, saved=gone.saved + one.calls)
        elif _names(after, one.remedies):
            gone = gone._replace(shortened=gone.shortened + 1, saved=gone.saved + max(0, one.calls - 1))
        gone = gone._replace(known=gone.known + _names(everything, one.remedies))
    return gone._replace(everything=len(_WORD.findall(everything)))


class _Watched(Sequence[Event]):
    """Events that tell which of them was handed out last; before the first it is -1."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self.at = -1

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, place: Any) -> Any:
        found = self._events[place]
        self.at = place
        return found


def _failures(session: str, host: str, events: Sequence[Event]) -> list[_Failure]:
    """Return the failures that a session got over in a way that can be named."""
    observer = Observer(session, host)
    for event in events:
        observer.observe(clean(event)[0])
    found = []
    for error in observer.finalize().errors:
        remedies = tuple(filter(None, (error.worked, *error.helped)))
        place = _place(error, events)
        if error.resolved and remedies and place is not None:
            found.append(_Failure(*place, remedies))
    return found


def _place(error: ErrorSeen, events: Sequence[Event]) -> tuple[int, int] | None:
    """Return which event told the failure first, and how many calls came until the remedy had been run."""
    calls, at = 0, -1
    remedies = {" ".join(one.split()) for one in filter(None, (error.worked, *error.helped))}
    for number, event in enumerate(events):
        if at < 0:
            failed = event.kind == "tool_result" and event.error and error.message in event.text
            at = number if failed else at
        elif event.kind == "tool_call":
            calls += 1
            command = " ".join(event.command.split())
            if any(one in command for one in remedies):
                return at, calls
    return None


def _names(text: str, remedies: Sequence[str]) -> bool:
    """Return whether a text names a remedy: all of its words, in order.

    >>> _names("fixed by `mise trust` (seen in 2 sessions)", ["mise trust"])
    True
    """
    told = _WORD.findall(text)
    for remedy in remedies:
        words = _WORD.findall(remedy)
        if words and any(told[at : at + len(words)] == words for at in range(len(told) - len(words) + 1)):
            return True
    return False


def _sum(found: Sequence[Gone]) -> Gone:
    return Gone(*(sum(values) for values in zip(*found, strict=True))) if found else Gone()


def report(found: dict[str, list[Gone]], model: str) -> Report:
    """Return what is avoided, saved and read, by repository and of all, with bootstrap intervals."""
    rows: list[tuple[object, ...]] = []
    # Repositories are numbered: the data set may not be quoted.
    for number, sessions in enumerate(found.values(), 1):
        one = _sum(sessions)
        each = one.read / max(1, one.avoided + one.shortened)
        counts = (one.failures, one.avoided, one.shortened, one.saved, one.read, round(each))
        more = (one.known, one.everything, one.proposed)
        rows.append((f"repository {number}", len(sessions), *counts, *more))
    whole = _sum([gone for sessions in found.values() for gone in sessions])
    shares = [_share(sessions) for sessions in found.values() if _sum(sessions).failures]
    low, high = _interval([gone for sessions in found.values() for gone in sessions])
    helped = whole.avoided + whole.shortened
    figures = {
        "failures with a remedy": float(whole.failures),
        "avoided": float(whole.avoided),
        "shortened": float(whole.shortened),
        "share avoided or shortened": helped / max(1, whole.failures),
        "share, low": low,
        "share, high": high,
        "share, worst repository": min(shares, default=0.0),
        "calls saved": float(whole.saved),
        "words read for each": whole.read / max(1, helped),
        "everything: share": whole.known / max(1, whole.failures),
        "everything: words read for each": whole.everything / max(1, whole.known),
        "proposed by synthesis": float(whole.proposed),
    }
    columns: tuple[str, ...] = ("", "sessions", "failures", "avoided", "shortened", "calls saved", "words")
    columns += ("words each", "known to everything", "its words", "synthesized")
    table = Table("Replay", columns, tuple(rows))
    notes = ("A memory that says nothing avoids nothing and costs no word.",)
    return Report("replay", figures, (table,), notes=notes, model=model)


def _share(sessions: Sequence[Gone]) -> float:
    one = _sum(sessions)
    return (one.avoided + one.shortened) / max(1, one.failures)


def _interval(sessions: Sequence[Gone]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the share, by sessions."""
    chance = random.Random(1)
    drawn = (
        sorted(_share(chance.choices(sessions, k=len(sessions))) for _ in range(ROUNDS)) if sessions else []
    )
    return (drawn[int(0.025 * ROUNDS)], drawn[int(0.975 * ROUNDS)]) if drawn else (0.0, 0.0)
